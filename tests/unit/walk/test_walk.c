/*
 * The whole walk, as the agent does it: in a child, of a world with known truth, without malloc, and the capture read
 * back.
 */
#include "walk_kit.h"

TestSuite(walk, .init = setup, .fini = teardown);

static bool refers(const void *source, const void *target)
{
    const view_object *object = object_of(source), *wanted = object_of(target);
    for (size_t i = 0; i < object->count; i++)
        if (view.references[object->first + i].target == (uint64_t)(wanted - view.objects)) return true;
    return false;
}

static size_t count_roots_of(const view_object *object, uint32_t kind, const char *part_of_label, uint32_t *flags)
{
    const uint64_t ordinal = (uint64_t)(object - view.objects);
    size_t count = 0;
    for (size_t i = 0; i < view.root_count; i++) {
        const hsd_root *r = &view.roots[i];
        if (r->target != ordinal || r->kind != kind || strstr(view_string(&view, r->label), part_of_label) == NULL)
            continue;
        if (flags != NULL) *flags = r->flags;
        count++;
    }
    return count;
}

static size_t count_roots(const void *block, uint32_t kind, const char *part_of_label, uint32_t *flags)
{
    return count_roots_of(object_of(block), kind, part_of_label, flags);
}

static size_t count_all_roots(const void *block)
{
    const uint64_t ordinal = (uint64_t)(object_of(block) - view.objects);
    size_t count = 0;
    for (size_t i = 0; i < view.root_count; i++)
        count += view.roots[i].target == ordinal;
    return count;
}

/* ---- objects and references ---- */

/* The label of the first of them, which stands for all. */
static void check_label(const hsn_block *b, const view_reference *r, uintptr_t at)
{
    const view_label label = view_label_of(&view, r);
    char name[32];
    snprintf(name, sizeof name, "+%zu", (size_t)(at - b->address));
    cr_assert_eq(label.kind, b->size <= 4096 ? HSC_LABEL_FIELD : HSC_LABEL_ELEMENT);
    if (b->size <= 4096)
        cr_assert_str_eq(view_string(&view, label.name), name);
    else
        cr_assert_eq(r->index, (at - b->address) / 8);
}

static void check_references(const hsn_block *b)
{
    const view_object *object = view_find(&view, b->sequence);
    cr_assert_not_null(object);
    cr_assert_eq(object->size_bytes, b->size);
    size_t at_most = 0;
    for (uintptr_t at = b->address; at + 8 <= b->address + b->size; at += 8) {
        const hsn_block *target = fake_holder(*(const uintptr_t *)at);
        if (target == NULL || target == b) continue;
        at_most++;
        bool is_first = true;
        for (uintptr_t i = b->address; i < at; i += 8)
            is_first &= fake_holder(*(const uintptr_t *)i) != target;
        if (!is_first) continue;
        const view_reference *r = NULL;
        for (size_t i = 0; i < object->count && r == NULL; i++)
            if (view.objects[view.references[object->first + i].target].id == target->sequence)
                r = &view.references[object->first + i];
        cr_assert_not_null(r);
        check_label(b, r, at);
    }
    cr_assert_leq(object->count, at_most);
}

Test(walk, says_of_a_random_heap_what_a_look_at_each_word_says)
{
    enum { BLOCKS = 600 };
    test_random rng = {test_seed(11)};
    uint64_t bytes = 0;
    for (size_t i = 0; i < BLOCKS; i++) {
        const uint64_t size = i == 300                    ? 3 * MIB
                              : test_below(&rng, 20) == 0 ? test_below(&rng, 6000)
                                                          : test_below(&rng, 100);
        add(size, 0);
        bytes += size;
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        const hsn_block *b = fake_block(i);
        for (uint64_t w = 0; w < b->size / 8 && w < 60; w++) {
            const hsn_block *target = fake_block(test_below(&rng, BLOCKS));
            /* here and there in the large one */
            const uint64_t at = b->size > MIB ? test_below(&rng, b->size / 8) : w;
            if (test_below(&rng, 2) == 0)
                ((uintptr_t *)b->address)[at] = target->address + test_below(&rng, target->size + 2);
        }
    }
    walk_world();
    cr_assert(view.info->is_complete);
    cr_assert_eq(view.info->objects, BLOCKS);
    cr_assert_eq(view.info->bytes, bytes);
    cr_assert_eq(view.info->identity, HSD_IDENTITY_EXACT);
    cr_assert_eq(view.info->facts, HSC_FACT_CONSERVATIVE | HSC_FACT_MANUAL);
    cr_assert_eq(view.loss_count, 0);
    for (size_t i = 0; i < BLOCKS; i++)
        if (fake_block(i)->size <= MIB) check_references(fake_block(i));
    const hsn_block *large = fake_block(300);
    size_t hits = 0;
    for (uint64_t w = 0; w < large->size / 8; w++) {
        const uintptr_t word = ((const uintptr_t *)large->address)[w];
        if (word == 0 || fake_holder(word) == NULL || fake_holder(word) == large) continue;
        hits++;
        cr_assert(refers((void *)large->address, (void *)word));
    }
    cr_assert_gt(hits, 10);
}

Test(walk, of_an_empty_table_is_a_capture)
{
    walk_world();
    cr_assert_eq(view.info->objects, 0);
    cr_assert(view.info->is_complete);
}

Test(walk, holds_nothing_by_its_own_memory)
{
    for (size_t i = 0; i < 2000; i++)
        add(i % 100 == 0 ? 700000 : 24, 0);
    walk_world();
    cr_assert_eq(view.root_count, 0);
    cr_assert_eq(view.info->references, 0);
}

Test(walk, passes_over_what_cannot_be_read)
{
    uintptr_t *first = add(10 * HSN_PAGE, 0), *second = add(64, 0);
    const uintptr_t middle = ((uintptr_t)first + 4 * HSN_PAGE) & ~(uintptr_t)(HSN_PAGE - 1);
    first[0] = (uintptr_t)second;
    mprotect((void *)middle, HSN_PAGE, PROT_NONE);
    uintptr_t *third = add(64, 0);
    *(uintptr_t *)(middle + HSN_PAGE) = (uintptr_t)third;
    walk_world();
    cr_assert(refers(first, second));
    cr_assert(refers(first, third));
    mprotect((void *)middle, HSN_PAGE, PROT_READ | PROT_WRITE);
}

/* ---- roots ---- */

static void *volatile held_by_a_variable;
static struct {
    long other[3];
    void *volatile inside;
} variable_with_fields;
static void *volatile initialised_data = (void *)&initialised_data;

Test(walk, variables_of_modules_are_roots)
{
    void *direct = add(24, 0), *inside = add(40, 0), *data = add(40, 0), *leaked = add(16, 0);
    held_by_a_variable = direct;
    variable_with_fields.inside = (char *)inside + 5;
    initialised_data = data;
    walk_world();
    char wanted[64];
    uint32_t flags = 9;
    Dl_info info;
    cr_assert_neq(dladdr((void *)&held_by_a_variable, &info), 0);
    snprintf(wanted, sizeof wanted, "{variable} test_walk_walk+0x%zx{",
             (size_t)((uintptr_t)&held_by_a_variable - (uintptr_t)info.dli_fbase));
    cr_assert_eq(count_roots(direct, HSC_ROOT_GLOBAL, wanted, &flags), 1);
    cr_assert_eq(flags, 0);
    snprintf(wanted, sizeof wanted, "+0x%zx{",
             (size_t)((uintptr_t)&variable_with_fields.inside - (uintptr_t)info.dli_fbase));
    cr_assert_eq(count_roots(inside, HSC_ROOT_GLOBAL, wanted, NULL), 1);
    cr_assert_eq(count_roots(data, HSC_ROOT_GLOBAL, "{variable} ", NULL), 1);
    cr_assert_eq(count_all_roots(leaked), 0);
}

static void *long_row[1000];

Test(walk, a_long_row_of_pointers_has_one_label_behind_its_first)
{
    for (size_t i = 0; i < 1000; i++)
        long_row[i] = add(16, 0);
    walk_world();
    size_t labels = 0;
    for (uint32_t i = 1; i < view.string_limit; i++)
        labels += strncmp(view_string(&view, i), "{variable} test_walk_walk", 25) == 0;
    cr_assert_geq(labels, 60);
    cr_assert_leq(labels, 80);
    for (size_t i = 0; i < 1000; i++)
        cr_assert_eq(count_roots(long_row[i], HSC_ROOT_GLOBAL, "{variable}", NULL), 1);
}

/* Memory that lies like a thread's: a guard, a stack, thread-locals at its top. */
static unsigned char *make_stack(size_t size, bool has_guard)
{
    unsigned char *memory = mmap(NULL, size + 3 * HSN_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *stack = memory + 2 * HSN_PAGE; /* an unreadable page on either side */
    cr_assert_eq(mprotect(stack, size, PROT_READ | PROT_WRITE), 0);
    if (!has_guard) cr_assert_eq(mprotect(memory, 2 * HSN_PAGE, PROT_READ), 0);
    return stack;
}

static void place(unsigned char *memory, size_t offset, const void *pointer)
{
    memcpy(memory + offset, &pointer, sizeof pointer);
}

/* Roots of one block by the words of one frame. */
#if defined(__x86_64__)
enum { WORDS_OF_A_FRAME = 4 };
#else
enum { WORDS_OF_A_FRAME = 1 };
#endif

/* The label of a word of a frame; machines other than x86-64 say no more than the frame. */
static const char *of_word(char text[128], unsigned below, unsigned above, const char *frame)
{
#if defined(__x86_64__)
    snprintf(text, 128, "{local} %u %u %s", below, above, frame);
#else
    (void)below, (void)above;
    snprintf(text, 128, "%s", frame);
#endif
    return text;
}

Test(walk, a_thread_holds_what_its_frames_registers_and_locals_point_to)
{
    enum { SIZE = 16 * HSN_PAGE, SP = 8 * HSN_PAGE };
    unsigned char *stack = make_stack(SIZE, true);
    void *inner = add(24, 0), *outer = add(24, 0), *both = add(24, 0), *red = add(24, 0), *stale = add(24, 0),
         *reg = add(24, 0), *local = add(24, 0), *unframed = add(24, 0), *variable = add(24, 0), *cached = add(24, 0),
         *copied = add(24, 0);
    place(stack, SP + 8, inner);
    place(stack, SP + 256 + 8, outer);
    for (size_t i = 0; i < 6; i++)
        place(stack, SP + 256 + 64 + 16 * i, copied);
    place(stack, SP + 24, copied);
    place(stack, SP + 16, both);
    place(stack, SP + 256 + 16, both);
    place(stack, SP - 128, red);
    place(stack, SP - 136, stale);
    place(stack, SP + 512 + 8, unframed);
    place(stack, SIZE - 64, local);
    place(stack, SIZE - 120, variable);
    place(stack, SIZE - 112, local);  /* behind the module's last variable */
    place(stack, SIZE - 208, cached); /* variables of a library, the second of what the program has in its own, too */
    place(stack, SIZE - 200, variable);
    /* Four modules: a library, one whose variables begin 16 bytes before that, and two that lie about where theirs are.
     */
    const uintptr_t in_library = (uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    cr_assert_neq(in_library, 0);
    world.tls_parts[0] = (hsn_tls_part){.initial = in_library, .below = 208, .size = 16};
    world.tls_parts[1] = (hsn_tls_part){.initial = (uintptr_t)&walk_in_child, .below = 136, .size = 24};
    world.tls_parts[2] = (hsn_tls_part){.initial = (uintptr_t)&walk_in_child, .below = 264, .size = 200};
    world.tls_parts[3] = (hsn_tls_part){.initial = (uintptr_t)&walk_in_child, .below = 64, .size = 72};
    world.tls_part_count = 4;
    threads[0] = (hsn_thread){.tid = 7,
                              .name = "worker",
                              .is_stopped = true,
                              .stack_pointer = (uintptr_t)stack + SP,
                              .register_count = 3,
                              .frame_count = 2,
                              .stack = {(uintptr_t)stack, (uintptr_t)stack + SIZE},
                              .tls = {(uintptr_t)stack + SIZE - 256, (uintptr_t)stack + SIZE}};
    threads[0].registers[1] = (uintptr_t)reg + 3;
    threads[0].registers[2] = threads[0].frames[0] = (uintptr_t)&walk_in_child + 4; /* the program counter */
    threads[0].frames[1] = (uintptr_t)&walk_world + 4;
    threads[0].frame_tops[0] = (uintptr_t)stack + SP + 256;
    threads[0].frame_tops[1] = (uintptr_t)stack + SP + 512;
    world.thread_count = 1;
    walk_world();
    uint32_t flags = 0;
    Dl_info info;
    cr_assert_neq(dladdr((void *)&walk_world, &info), 0);
    char first[64], second[64], text[128];
    snprintf(first, sizeof first, "stack of worker: test_walk_walk+0x%zx{",
             (size_t)((uintptr_t)&walk_in_child + 4 - (uintptr_t)info.dli_fbase));
    snprintf(second, sizeof second, "stack of worker: test_walk_walk+0x%zx{",
             (size_t)((uintptr_t)&walk_world + 3 - (uintptr_t)info.dli_fbase));
    cr_assert_eq(count_roots(inner, HSC_ROOT_STACK, of_word(text, 248, 8, first), &flags), 1);
    cr_assert_eq(flags, HSC_ROOT_SECONDARY);
    cr_assert_eq(count_roots(red, HSC_ROOT_STACK, first, NULL), 1, "below the stack pointer is no variable");
    cr_assert_eq(count_roots(outer, HSC_ROOT_STACK, of_word(text, 248, 8, second), NULL), 1);
    cr_assert_eq(count_roots(both, HSC_ROOT_STACK, of_word(text, 240, 16, second), NULL), 1);
    cr_assert_eq(count_all_roots(both), 1, "the frame outside says it");
    cr_assert_eq(count_roots(copied, HSC_ROOT_STACK, of_word(text, 192, 64, second), NULL), 1);
    cr_assert_eq(count_all_roots(copied), WORDS_OF_A_FRAME, "the variable may be any of them");
    cr_assert_eq(count_roots(reg, HSC_ROOT_REGISTER, first, NULL), 1);
    char of_module[64];
    snprintf(of_module, sizeof of_module, "{thread-local} test_walk_walk+0x%zx{",
             (size_t)((uintptr_t)&walk_in_child + 16 - (uintptr_t)info.dli_fbase));
    cr_assert_eq(count_roots(variable, HSC_ROOT_THREAD, of_module, &flags), 1);
    cr_assert_eq(flags, 0);
    cr_assert_eq(count_all_roots(variable), 1, "the program's own says it");
    cr_assert_eq(count_roots(cached, HSC_ROOT_THREAD, "{thread-local} libc.so.6+0x", &flags), 1);
    cr_assert_eq(flags, HSC_ROOT_SECONDARY, "a variable of the program would say it");
    cr_assert_eq(count_roots(local, HSC_ROOT_THREAD, "thread-locals of worker", &flags), 1);
    cr_assert_eq(flags, 0);
    cr_assert_eq(count_roots(unframed, HSC_ROOT_STACK, "stack of worker", NULL), 1);
    cr_assert_eq(count_all_roots(stale), 0);
    cr_assert_eq(view.thread_count, 1);
    cr_assert_str_eq(view_string(&view, view.threads[0].name), "worker");
    cr_assert_eq(view.frame_count, 2);
    for (size_t i = 0; i < view.root_count; i++)
        if (view.roots[i].thread == 1 && view.roots[i].frame != 0) cr_assert_leq(view.roots[i].frame, 2);
}

/* It waits in the C library, which saved registers of its caller. */
Test(walk, what_the_c_library_has_on_a_stack_is_of_the_program_around_it)
{
    enum { SIZE = 16 * HSN_PAGE, SP = 8 * HSN_PAGE };
    unsigned char *stack = make_stack(SIZE, true);
    void *saved = add(24, 0), *own = add(24, 0), *start = add(24, 0);
    place(stack, SP + 8, saved);
    place(stack, SP + 256 + 8, own);
    place(stack, SP + 512 + 8, start);
    threads[0] = (hsn_thread){.tid = 7,
                              .name = "server",
                              .is_stopped = true,
                              .stack_pointer = (uintptr_t)stack + SP,
                              .frame_count = 3,
                              .stack = {(uintptr_t)stack, (uintptr_t)stack + SIZE}};
    threads[0].frames[0] = threads[0].frames[2] = (uintptr_t)dlsym(RTLD_DEFAULT, "getppid") + 4;
    threads[0].frames[1] = (uintptr_t)&walk_world + 4;
    for (size_t i = 0; i < 3; i++)
        threads[0].frame_tops[i] = (uintptr_t)stack + SP + 256 * (i + 1);
    threads[0].frame_tops[2] = (uintptr_t)stack + SIZE;
    world.thread_count = 1;
    walk_world();
    char text[128];
    cr_assert_eq(count_roots(saved, HSC_ROOT_STACK, "stack of server: test_walk_walk+0x", NULL), 1);
    cr_assert_eq(count_roots(own, HSC_ROOT_STACK, of_word(text, 248, 8, "stack of server: test_walk_walk+0x"), NULL),
                 1);
    cr_assert_eq(count_roots(start, HSC_ROOT_STACK, "stack of server: libc.so", NULL), 1);
}

Test(walk, a_thread_that_did_not_stop_holds_all_that_is_on_its_stack)
{
    enum { SIZE = 4 * HSN_PAGE };
    unsigned char *stack = make_stack(SIZE, true);
    void *deep = add(24, 0);
    place(stack, 64, deep);
    threads[0] = (hsn_thread){.tid = 7, .stack = {(uintptr_t)stack, (uintptr_t)stack + SIZE}};
    world.thread_count = 1;
    world.missed_threads = 1;
    walk_world();
    cr_assert_eq(count_roots(deep, HSC_ROOT_STACK, "stack of ?", NULL), 1);
    cr_assert_eq(view_loss(&view, "threads that did not stop in time"), 1);
}

Test(walk, other_memory_keeps_alive_but_old_stacks_and_free_memory_do_not)
{
    enum { SIZE = 64 * HSN_PAGE };
    unsigned char *arena = make_stack(SIZE, false), *old_stack = make_stack(SIZE, true),
                  *agent = make_stack(SIZE, false);
    void *in_arena = add(24, 0), *in_old_stack = add(24, 0), *in_freed = add(24, 0), *of_agent = add(24, 0);
    unsigned char *freed = heap + heap_used + 512; /* between live blocks */
    heap_used += 2048;
    add(24, 0);
    place(arena, 4000, in_arena);
    place(arena, 4008, (char *)in_arena + 1);
    place(old_stack, 4000, in_old_stack);
    place(freed, (size_t)(-(uintptr_t)freed & 7), in_freed);
    place(agent, 800, of_agent);
    excluded[1] = (hsn_range){(uintptr_t)agent, (uintptr_t)agent + SIZE};
    world.excluded_count = 2;
    walk_world();
    uint32_t flags = 0;
    cr_assert_eq(count_roots(in_arena, HSC_ROOT_RUNTIME, "(anonymous memory)", &flags), 1);
    cr_assert_eq(flags, HSC_ROOT_SECONDARY);
    cr_assert_eq(count_all_roots(in_old_stack), 0);
    cr_assert_eq(count_all_roots(in_freed), 0);
    cr_assert_eq(count_all_roots(of_agent), 0);
}

/* Only what grows tells whether it is much, so all of it counts: this program, the test's, maps some itself. */
Test(walk, memory_that_is_mapped_past_malloc_is_one_object_of_external_bytes)
{
    enum { SIZE = 128 * HSN_PAGE };
    make_stack(SIZE, false);
    memset(make_stack(SIZE, false), 1, SIZE);
    add(24, 0);
    world.tells_mapped = true;
    walk_world();
    const view_object *mapped = view_find(&view, UINT64_MAX / 2);
    cr_assert_not_null(mapped);
    cr_expect_str_eq(view_type(&view, mapped->type), "memory of mmap");
    cr_expect_eq(view.info->objects, 2);
    cr_expect(view.info->bytes == 24 && view.info->native_bytes >= SIZE);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "(anonymous memory)", (uint64_t)(mapped - view.objects)), 1);
}

static unsigned char *volatile mapped_head;

/* A pool keeps the list of its pieces in the pieces: the variable leads to the last, which is small. */
Test(walk, memory_that_is_mapped_is_held_by_the_variable_that_leads_there)
{
    enum { SIZE = 128 * HSN_PAGE, SMALL = 4 * HSN_PAGE };
    Dl_info info;
    char wanted[128];
    unsigned char *large = make_stack(SIZE, false);
    mapped_head = make_stack(SMALL, false);
    memset(large, 1, SIZE);
    memset((void *)mapped_head, 1, SMALL);
    place((unsigned char *)mapped_head, 800, large + 64);
    add(24, 0);
    world.tells_mapped = true;
    walk_world();
    cr_assert_neq(dladdr((void *)&mapped_head, &info), 0);
    snprintf(wanted, sizeof wanted, "{variable} test_walk_walk+0x%zx{",
             (size_t)((uintptr_t)&mapped_head - (uintptr_t)info.dli_fbase));
    const view_object *held = view_find(&view, UINT64_MAX / 2 + 1 + (uintptr_t)&mapped_head / sizeof mapped_head);
    cr_assert_not_null(held);
    cr_expect_str_eq(view_type(&view, held->type), "memory of mmap");
    cr_expect_eq(count_roots_of(held, HSC_ROOT_GLOBAL, wanted, NULL), 1);
    cr_expect_eq(count_roots_of(held, HSC_ROOT_RUNTIME, "(anonymous memory)", NULL), 0);
    cr_expect(view.info->native_bytes >= SIZE + SMALL);
    mapped_head = NULL;
}

/* More than a few variables lead there: nobody holds it. Words in a row are one. */
static volatile uintptr_t many[48];

Test(walk, memory_that_is_mapped_is_an_object_for_each_stack_that_mapped_it)
{
    enum { SIZE = 128 * HSN_PAGE };
    const uintptr_t frame = (uintptr_t)&walk_in_child + 9, one = (uintptr_t)memset(make_stack(SIZE, false), 1, SIZE),
                    two = (uintptr_t)memset(make_stack(SIZE, false), 1, SIZE);
    const uint32_t stack = fake_stack(&frame, 1);
    for (size_t i = 0; i < 24; i++)
        many[2 * i] = i < 12 ? one : two;
    hsn_mmaps_note(one, one + SIZE, stack);
    hsn_mmaps_note(two + SIZE / 2, two + SIZE, stack);
    world.tells_mapped = true;
    walk_world();
    const view_object *known = view_find(&view, UINT64_MAX / 2 - stack), *rest = view_find(&view, UINT64_MAX / 2);
    cr_assert(known != NULL && rest != NULL && known->native_bytes == SIZE + SIZE / 2 && known->site != 0);
    cr_expect(rest->native_bytes >= SIZE / 2 && rest->native_bytes < SIZE + SIZE / 2 && rest->site == 0);
    cr_expect_eq(view_count_roots(&view, HSC_ROOT_RUNTIME, "(anonymous memory)", (uint64_t)(known - view.objects)), 1);
}

Test(walk, what_the_loader_allocates_is_a_root)
{
    Dl_info info;
    const uintptr_t loader = (uintptr_t)dlsym(RTLD_DEFAULT, "_dl_catch_exception");
    cr_assert_neq(dladdr((void *)dlsym(RTLD_DEFAULT, "__tls_get_addr"), &info), 0);
    (void)loader;
    const uintptr_t frame = (uintptr_t)info.dli_saddr + 4;
    void *block = add(24, fake_stack(&frame, 1)), *other = add(24, 0);
    walk_world();
    cr_assert_eq(count_roots(block, HSC_ROOT_RUNTIME, "(dynamic loader)", NULL), 1);
    cr_assert_eq(count_all_roots(other), 0);
}

/* ---- the rest ---- */

Test(walk, in_sampled_mode_a_block_stands_for_many)
{
    const uintptr_t frame = (uintptr_t)&walk_in_child + 4;
    const uint32_t stack = fake_stack(&frame, 1);
    for (int i = 0; i < 10; i++) /* each stands for 1 / (1 - exp(-64 / 65536)) = 1024.5 */
        add(64, stack);
    add(8 * MIB, stack);
    world.sample_bytes = 65536;
    walk_world();
    cr_assert_eq(view.info->facts, HSC_FACT_SAMPLED | HSC_FACT_NO_REFERENCES | HSC_FACT_NO_ROOTS);
    cr_assert_eq(view.info->roots, 0);
    cr_assert_geq(view.info->objects, 10240 + 1);
    cr_assert_leq(view.info->objects, 10250 + 1);
    cr_assert_eq(view.info->bytes, (view.info->objects - 1) * 64 + 8 * MIB);
    size_t of_first = 0;
    for (size_t i = 0; i < view.object_count; i++) {
        cr_assert_eq(view_find(&view, view.objects[i].id), &view.objects[i], "ids are unique");
        cr_assert_neq(view.objects[i].site, 0);
        of_first += (view.objects[i].id & 0xffffffff) == 1;
    }
    cr_assert(of_first == 1024 || of_first == 1025, "%zu", of_first);
    cr_assert_not_null(view_find(&view, 11));
}

Test(walk, metrics_and_losses_are_written)
{
    add(100, 0);
    fake_add(UINT64_C(1) << 50, 8, 0);
    world.foreign_blocks = 3;
    world.lost_blocks = 2;
    walk_world();
    cr_assert_eq(view.info->metrics, 8);
    cr_assert_eq(view_loss(&view, "frees of blocks that were never seen"), 3);
    cr_assert_eq(view_loss(&view, "blocks past the limit of the table"), 2);
    cr_assert_eq(view_loss(&view, "blocks at impossible addresses"), 1);
    cr_assert_str_eq(view.info->runtime, "native");
    cr_assert_not_null(strstr(view.info->producer, " native, table 2"));
}

Test(walk, ends_when_nobody_takes_the_capture)
{
    for (int i = 0; i < 100000; i++)
        add(16, 0);
    path = "/dev/full";
    cr_assert_eq(walk_in_child(), 1);
}
