/*
 * Where the way to a block may begin. Variables of modules: what may be written of their files, and the zeroed memory
 * behind (.data, .bss). Threads (roots_thread.c). And all other private memory that malloc does not manage, since
 * programs map their own arenas and keep pointers there: what looks leaked without them is not; what is only mentioned
 * in the remains of such an arena looks held.
 *
 * Left out are the agent's own memory, free parts of malloc's heaps (heaps.c), and the stacks of threads that are gone,
 * which glibc keeps for the next ones: all full of addresses that hold nothing.
 */
#include "native/walk/walk.h"

#include <string.h>

enum {
    COPY_BYTES = 16 << 10,
    LONG_RUN = 64,
    MAX_VARIABLES = 1 << 16,
    OWN_STACK_BYTES = 512 << 10,
    THREAD_GUARD_BYTES = 64 << 10
};

#define THREAD_STACK_BYTES (UINT64_C(8) << 20)

/* ---- variables ---- */

typedef struct variables {
    hsn_walker *k;
    const hsn_module *module;
    uintptr_t last; /* where the last pointer was */
    uint32_t run;   /* pointers in a row up to there */
    uint32_t label, rest_label;
    uint32_t written; /* labels */
} variables;

uint32_t hsn_variable_label(hsn_walker *k, uintptr_t address)
{
    char text[HSN_NAME_BYTES + 16], *at = hsn_put_text(text, "{variable} ", 11);
    at += hsn_name_address(&k->modules, address, at);
    return hsn_write_string(k, text, (size_t)(at - text));
}

/* Of what is left of the module. */
static uint32_t write_rest_label(const variables *v)
{
    char text[HSN_NAME_BYTES + 16], *at = hsn_put_text(text, "(data of ", 9);
    at = hsn_put_text(at, v->module->name, v->module->name_size);
    *at++ = ')';
    return hsn_write_string(v->k, text, (size_t)(at - text));
}

/*
 * A label for each word, since only symbols tell where a variable ends; but one for all behind the first of a long row
 * of pointers, which is an array, and past a limit one for all that is left of the module.
 */
static uint32_t variable_label(variables *v, uintptr_t address)
{
    v->run = address == v->last + sizeof address ? v->run + 1 : 0;
    v->last = address;
    if (v->run > LONG_RUN) return v->label;
    if (v->written >= MAX_VARIABLES) {
        if (v->rest_label == 0) v->rest_label = write_rest_label(v);
        return v->rest_label;
    }
    v->written++;
    return v->label = hsn_variable_label(v->k, address);
}

/*
 * libc's variables hold malloc's lists, which point in front of free memory: at the last bytes of the block that lies
 * there. What an allocator itself holds it holds by its start.
 */
static void scan_copy(variables *v, uintptr_t address, const unsigned char *copy, size_t size)
{
    hsn_hit hits[HSN_HITS];
    hsn_range range = {(uintptr_t)copy, (uintptr_t)copy + size};
    while (range.low < range.high) {
        const size_t count = hsn_scan(&v->k->starts, &range, hits);
        for (size_t i = 0; i < count; i++) {
            const uintptr_t at = address + (hits[i].at - (uintptr_t)copy);
            if (v->module->is_allocator && hits[i].is_inside) continue;
            hsc_root(v->k->w, &(hsc_root_record){
                                  .kind = HSC_ROOT_GLOBAL, .label = variable_label(v, at), .target = hits[i].ordinal});
        }
    }
}

/* Piece by piece through a copy, since a file may be shorter than its mapping. */
static void scan_variables(variables *v, hsn_range range)
{
    _Alignas(16) unsigned char copy[COPY_BYTES];
    for (uintptr_t at = (range.low + 7) & ~(uintptr_t)7; at < range.high;) {
        const size_t left = range.high - at, size = left < sizeof copy ? left : sizeof copy;
        if (hsn_copy(copy, at, size)) scan_copy(v, at, copy, size);
        at += size;
    }
}

static void write_variables(hsn_walker *k)
{
    for (size_t i = 0; i < k->modules.count; i++) {
        const hsn_module *module = &k->modules.modules[i];
        if (module == k->modules.own) continue;
        variables v = {.k = k, .module = module};
        for (size_t m = hsn_maps_from(&k->maps, module->low);
             m < k->maps.count && k->maps.mappings[m].low < module->high; m++) {
            const hsn_mapping *mapping = &k->maps.mappings[m];
            if (!mapping->can_read || !mapping->can_write || mapping->is_shared) continue;
            hsn_range range = {mapping->low, mapping->high < module->high ? mapping->high : module->high}, piece,
                      touched;
            while (hsn_holes_next(&k->holes, &range, &piece)) {
                while (hsn_touched_next(mapping->kind == HSN_MAPPING_FILE ? -1 : k->pagemap, &piece, &touched))
                    scan_variables(&v, touched);
            }
        }
    }
}

/* ---- other memory ---- */

bool hsn_is_python(const hsn_walker *k)
{
    for (size_t i = 0; i < k->modules.count; i++) {
        const hsn_module *m = &k->modules.modules[i];
        if (m->name_size > 9 && memcmp(m->name, "libpython", 9) == 0) return true;
        if (m->name_size > 6 && memcmp(m->name, "python", 6) == 0 && m->name[6] >= '2' && m->name[6] <= '9')
            return true;
    }
    return false;
}

uint32_t hsn_other_label(hsn_walker *k)
{
    static const char plain[] = "(anonymous memory)",
                      python[] = "(memory of Python's objects; PYTHONMALLOC=malloc shows them)";
    if (k->other_label == 0)
        k->other_label = hsn_is_python(k) ? hsn_write_string(k, python, sizeof python - 1)
                                          : hsn_write_string(k, plain, sizeof plain - 1);
    return k->other_label;
}

/* By the name that the program gave it (prctl), else by what is likely: Python keeps its objects in memory that it maps
 * itself. */
static uint32_t other_label(hsn_walker *k, const hsn_mapping *m)
{
    static const char given[] = "[anon:";
    char text[HSN_NAME_BYTES];
    const size_t skipped = sizeof given - 1;
    if (m->path_size > skipped + 1 && memcmp(m->path, given, skipped) == 0) {
        const size_t size = m->path_size - skipped - 1, kept = size < HSN_NAME_BYTES / 2 ? size : HSN_NAME_BYTES / 2;
        char *at = hsn_put_text(text, "(anonymous memory: ", 19);
        at = hsn_put_text(at, m->path + skipped, kept);
        *at++ = ')';
        return hsn_write_string(k, text, (size_t)(at - text));
    }
    return hsn_other_label(k);
}

/* The label of a mapping, once: one that has no name has that of the others. */
typedef struct labels {
    const hsn_mapping *mapping; /* under way */
    uint32_t own, shared;
} labels;

static uint32_t label_of(hsn_walker *k, labels *l)
{
    uint32_t *label = l->mapping->path_size > 0 ? &l->own : &l->shared;
    if (*label == 0) *label = other_label(k, l->mapping);
    return *label;
}

static void scan_other(hsn_walker *k, hsn_range range, labels *l)
{
    hsn_hit hits[HSN_HITS];
    hsn_range touched;
    while (hsn_touched_next(k->pagemap, &range, &touched)) {
        k->other_bytes += touched.high - touched.low;
        hsn_know_touched(k, touched);
        while (touched.low < touched.high) {
            const size_t count = hsn_scan(&k->starts, &touched, hits);
            for (size_t i = 0; i < count; i++) {
                uint32_t *seen = hsn_pairs_put(&k->seen, (uint64_t)hits[i].ordinal + 1, 0);
                if (seen != NULL && *seen != 0) continue;
                if (seen != NULL) *seen = 1;
                hsc_root(k->w, &(hsc_root_record){.kind = HSC_ROOT_RUNTIME,
                                                  .label = label_of(k, l),
                                                  .target = hits[i].ordinal,
                                                  .flags = HSC_ROOT_SECONDARY});
            }
        }
    }
}

/* What no large block of malloc lies in. */
static void scan_between_blocks(hsn_walker *k, hsn_range range, labels *l)
{
    hsn_block block;
    uintptr_t start;
    while (range.low < range.high) {
        const bool is_block =
            hsn_starts_from(&k->starts, range.low, &start) && start < range.high && hsn_table_find(start, &block);
        scan_other(k, (hsn_range){range.low, is_block ? start : range.high}, l);
        if (!is_block) return;
        range.low = start + (block.size == 0 ? 1 : block.size);
    }
}

static void write_other_memory(hsn_walker *k)
{
    labels l = {0};
    hsn_pairs_clear(&k->seen);
    for (size_t i = 0; i < k->maps.count; i++) {
        const hsn_mapping *m = &k->maps.mappings[i];
        if (m->kind != HSN_MAPPING_ANONYMOUS || m->is_shared || !m->can_read || !m->can_write) continue;
        hsn_range range = {m->low, m->high}, piece, free_piece;
        const uint64_t before = k->other_bytes;
        l.mapping = m;
        l.own = 0;
        while (hsn_holes_next(&k->holes, &range, &piece)) {
            while (hsn_holes_next(&k->heaps, &piece, &free_piece))
                scan_between_blocks(k, free_piece, &l);
        }
        hsn_know_mapped(k, m, k->other_bytes - before);
    }
}

/* ---- what is no root ---- */

/* A guard page below is the mark of a thread's stack; those of running threads are scanned as such. */
static void leave_out_old_stacks(hsn_walker *k)
{
    for (size_t i = 1; i < k->maps.count; i++) {
        const hsn_mapping *guard = &k->maps.mappings[i - 1], *m = &k->maps.mappings[i];
        const bool is_guard = guard->high == m->low && guard->kind == HSN_MAPPING_ANONYMOUS && !guard->can_read &&
                              !guard->can_write && guard->high - guard->low <= THREAD_GUARD_BYTES;
        if (!is_guard || m->kind != HSN_MAPPING_ANONYMOUS || m->is_shared) continue;
        const uintptr_t end = m->low + THREAD_STACK_BYTES;
        hsn_holes_add(&k->holes, (hsn_range){m->low, m->high < end ? m->high : end});
    }
}

/* Where this very code runs. */
static void leave_out_own_stack(hsn_walker *k)
{
    const uintptr_t points[] = {(uintptr_t)__builtin_frame_address(0), (uintptr_t)__builtin_thread_pointer()};
    for (size_t i = 0; i < 2; i++) {
        const hsn_mapping *m = hsn_maps_find(&k->maps, points[i]);
        if (m == NULL || m->kind != HSN_MAPPING_ANONYMOUS) continue;
        const uintptr_t low = points[i] - OWN_STACK_BYTES, high = points[i] + OWN_STACK_BYTES;
        hsn_holes_add(&k->holes, (hsn_range){m->low > low ? m->low : low, m->high < high ? m->high : high});
    }
}

static void leave_out_modules(hsn_walker *k)
{
    for (size_t i = 0; i < k->modules.count; i++)
        hsn_holes_add(&k->holes, (hsn_range){k->modules.modules[i].low, k->modules.modules[i].high});
}

void hsn_write_roots(hsn_walker *k)
{
    const hsn_world *world = k->world;
    write_variables(k);
    for (size_t i = 0; i < world->thread_count; i++)
        hsn_write_thread(k, &world->threads[i], (uint32_t)i + 1);
    for (size_t i = 0; i < world->thread_count; i++) {
        hsn_holes_add(&k->holes, world->threads[i].stack);
        hsn_holes_add(&k->holes, world->threads[i].tls);
    }
    leave_out_modules(k);
    leave_out_own_stack(k);
    leave_out_old_stacks(k);
    write_other_memory(k);
}
