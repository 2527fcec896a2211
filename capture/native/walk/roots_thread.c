/*
 * What a thread holds: its stack from the stack pointer up, less the 128 bytes below it that a leaf function may use;
 * its registers, those of frames that wait too; its thread-locals, with the thread's own control block. A stack is full
 * of places that nobody cleared, so some of what it holds was held a moment ago.
 */
#include "native/walk/walk.h"

#include <string.h>

#include "native/cfi.h"
#include "native/registers.h"

enum { RED_ZONE = 128, MAX_VARIABLES = 1 << 16, LABEL_BYTES = HSN_NAME_BYTES + 128, LONG_RUN = 64 };

/* What is noted of a block that a thread holds: that it does, or in which frame, by its number, and how many words more
 * of that have been written, so many at most. */
enum { SEEN_ELSEWHERE = 1, SEEN_WORDS_BITS = 2, FRAME_WORDS = 1 << SEEN_WORDS_BITS };

/* Where a frame lies: between its stack pointer and the address above its return address. Other machines keep other
 * things above a frame (unwind.c), so there its words have no names of their own. */
#if defined(__x86_64__)
enum { KNOWS_FRAMES = true };
#else
enum { KNOWS_FRAMES = false };
#endif

typedef struct thread_roots {
    hsn_walker *k;
    const hsn_thread *thread;
    uint32_t number;
    char name[sizeof((hsn_thread *)0)->name + 1];
    size_t name_size;
} thread_roots;

static void know_name(thread_roots *t)
{
    while (t->name_size < sizeof t->thread->name && t->thread->name[t->name_size] != '\0')
        t->name_size++;
    memcpy(t->name, t->thread->name, t->name_size);
    if (t->name_size == 0) {
        t->name[0] = '?';
        t->name_size = 1;
    }
}

/* Behind what the label begins with. */
static uint32_t finish_label(const thread_roots *t, const char *text, char *at, uintptr_t address)
{
    at = hsn_put_text(at, t->name, t->name_size);
    if (address != 0) {
        at = hsn_put_text(at, ": ", 2);
        at += hsn_name_address(&t->k->modules, address, at);
    }
    return hsn_write_string(t->k, text, (size_t)(at - text));
}

/* "stack of worker: MODULE+0x…{…}", or without an address. */
static uint32_t write_label(const thread_roots *t, const char *what, uintptr_t address)
{
    char text[LABEL_BYTES];
    return finish_label(t, text, hsn_put_text(text, what, strlen(what)), address);
}

/* Inside the function that runs there: the innermost is where it is, others where they called. */
static uintptr_t frame_address(const hsn_thread *thread, size_t depth)
{
    const uintptr_t address = thread->frames[depth];
    for (size_t i = 0; depth == 0 && i < thread->register_count; i++)
        if (thread->registers[i] == address) return address;
    return address - 1;
}

static void write_root_record(const thread_roots *t, hsc_root_kind kind, bool is_secondary, uint32_t label,
                              uint32_t frame, uint32_t ordinal)
{
    hsc_root(t->k->w, &(hsc_root_record){.kind = kind,
                                         .label = label,
                                         .target = ordinal,
                                         .thread = t->number,
                                         .frame = frame,
                                         .flags = is_secondary ? HSC_ROOT_SECONDARY : 0});
}

/* One root for each block that this thread does not hold yet. */
static void write_root(const thread_roots *t, hsc_root_kind kind, bool is_secondary, uint32_t label, uint32_t frame,
                       uint32_t ordinal)
{
    uint32_t *seen = hsn_pairs_put(&t->k->seen, (uint64_t)ordinal + 1, 0);
    if (seen != NULL && *seen != 0) return;
    if (seen != NULL) *seen = SEEN_ELSEWHERE;
    write_root_record(t, kind, is_secondary, label, frame, ordinal);
}

static bool is_held(const thread_roots *t, uint32_t ordinal)
{
    const uint32_t *seen = hsn_pairs_put(&t->k->seen, (uint64_t)ordinal + 1, 0);
    return seen != NULL && *seen != 0;
}

/* A frame whose words have labels of their own: by those debug information tells which variable they are of. */
typedef struct stack_frame {
    uint32_t label;  /* of the whole */
    uint32_t number; /* 0 = no frame that is known */
    bool is_in_program;
    uintptr_t code; /* inside the function that runs there; 0 = words are called as the whole is */
    hsn_range range;
    /* where the last pointer was, how many stood in a row up to there, and its label */
    uintptr_t last;
    uint32_t run, last_label;
} stack_frame;

/* "{local} 120 40 stack of worker: MODULE+0x…{…}": one for each word, but for those behind the first of a long row,
 * which is an array, and past a limit. */
static uint32_t word_label(const thread_roots *t, stack_frame *frame, uintptr_t at)
{
    char text[LABEL_BYTES];
    if (frame->code == 0 || at < frame->range.low || at >= frame->range.high) return frame->label;
    frame->run = at == frame->last + sizeof at ? frame->run + 1 : 0;
    frame->last = at;
    if (frame->run > LONG_RUN) return frame->last_label;
    if (t->k->thread_variables >= MAX_VARIABLES) return frame->label;
    t->k->thread_variables++;
    char *out = hsn_put_text(text, "{local} ", 8);
    out = hsn_put_number(out, frame->range.high - at);
    *out++ = ' ';
    out = hsn_put_number(out, at - frame->range.low);
    out = hsn_put_text(out, " stack of ", 10);
    return frame->last_label = finish_label(t, text, out, frame->code);
}

/* "{register} 3 stack of worker: MODULE+0x…{…}": by its number in DWARF. */
static uint32_t register_label(const thread_roots *t, const stack_frame *frame, unsigned number)
{
    char text[LABEL_BYTES];
    if (number == HSN_NO_REGISTER || frame->code == 0 || t->k->thread_variables >= MAX_VARIABLES) return frame->label;
    t->k->thread_variables++;
    char *out = hsn_put_text(text, "{register} ", 11);
    out = hsn_put_number(out, number);
    return finish_label(t, text, hsn_put_text(out, " stack of ", 10), frame->code);
}

/*
 * Of a frame whose words are told apart not only the first that holds a block: a copy that the compiler put aside is of
 * no variable, and often stands in front of the one it was made of.
 */
static bool is_told(const thread_roots *t, const stack_frame *frame, uint32_t ordinal)
{
    uint32_t *seen = hsn_pairs_put(&t->k->seen, (uint64_t)ordinal + 1, 0);
    const uint32_t here = frame->code != 0 ? frame->number << SEEN_WORDS_BITS : SEEN_ELSEWHERE;
    const bool is_first = seen == NULL || *seen == 0;
    if (!is_first && (frame->code == 0 || *seen >> SEEN_WORDS_BITS != frame->number || *seen - here + 1 == FRAME_WORDS))
        return false;
    if (seen != NULL) *seen = is_first ? here : *seen + 1;
    return true;
}

static void write_stack_root(const thread_roots *t, hsc_root_kind kind, stack_frame *frame, const hsn_hit *hit)
{
    if (is_told(t, frame, hit->ordinal))
        write_root_record(t, kind, kind != HSC_ROOT_THREAD, word_label(t, frame, hit->at), frame->number, hit->ordinal);
}

/* What of `range` may be read. */
static void scan_range(const thread_roots *t, hsn_range range, hsc_root_kind kind, stack_frame *frame)
{
    hsn_hit hits[HSN_HITS];
    const hsn_maps *maps = &t->k->maps;
    for (size_t i = hsn_maps_from(maps, range.low); i < maps->count && maps->mappings[i].low < range.high; i++) {
        const hsn_mapping *m = &maps->mappings[i];
        if (!m->can_read) continue;
        hsn_range piece = {m->low > range.low ? m->low : range.low, m->high < range.high ? m->high : range.high};
        while (piece.low < piece.high) {
            const size_t count = hsn_scan(&t->k->starts, &piece, hits);
            for (size_t h = 0; h < count; h++)
                write_stack_root(t, kind, frame, &hits[h]);
        }
    }
}

/* ---- thread-locals ---- */

/* "{thread-local} MODULE+0x…{…}", by the place of the variable's initial value; past a limit all that are left have one
 * label. */
static uint32_t variable_label(const thread_roots *t, uintptr_t address, uint32_t plain)
{
    char text[LABEL_BYTES];
    if (t->k->thread_variables >= MAX_VARIABLES) return plain;
    t->k->thread_variables++;
    char *at = hsn_put_text(text, "{thread-local} ", 15);
    at += hsn_name_address(&t->k->modules, address, at);
    return hsn_write_string(t->k, text, (size_t)(at - text));
}

/* Is it of a library? What such a variable has of a thread is mostly what the thread had last: a cache in front of what
 * the program holds by a variable of its own, and then that one is said. */
static bool is_of_library(const thread_roots *t, const hsn_tls_part *part)
{
    const hsn_module *program = t->k->modules.program;
    return program != NULL && hsn_module_of(&t->k->modules, part->initial) != program;
}

static void scan_part(const thread_roots *t, const hsn_tls_part *part, bool is_secondary, uint32_t plain)
{
    hsn_hit hits[HSN_HITS];
    const uintptr_t begin = t->thread->tls.high - part->below;
    hsn_range range = {(begin + 7) & ~(uintptr_t)7, begin + part->size};
    const hsn_mapping *m = hsn_maps_find(&t->k->maps, begin);
    if (part->below > t->thread->tls.high - t->thread->tls.low || part->size > part->below) return;
    if (m == NULL || !m->can_read || part->size > m->high - begin) return;
    while (range.low < range.high) {
        const size_t count = hsn_scan(&t->k->starts, &range, hits);
        for (size_t i = 0; i < count; i++)
            if (!is_held(t, hits[i].ordinal))
                write_root(t, HSC_ROOT_THREAD, is_secondary,
                           variable_label(t, part->initial + (hits[i].at - begin), plain), 0, hits[i].ordinal);
    }
}

/* What lies in a variable is called by it; the rest is the thread's control block and what glibc keeps there. */
static void scan_locals(const thread_roots *t)
{
    const uint32_t plain = write_label(t, "thread-locals of ", 0);
    for (int of_libraries = 0; of_libraries < 2; of_libraries++)
        for (size_t i = 0; i < t->k->world->tls_part_count; i++) {
            const hsn_tls_part *part = &t->k->world->tls_parts[i];
            if (is_of_library(t, part) == (of_libraries != 0)) scan_part(t, part, of_libraries != 0, plain);
        }
    scan_range(t, t->thread->tls, HSC_ROOT_THREAD, &(stack_frame){.label = plain});
}

/* ---- the stack ---- */

/* The whole of it that is in use; where the pointer is not known, or points elsewhere, all of it. */
static hsn_range used_stack(const thread_roots *t)
{
    const hsn_thread *thread = t->thread;
    hsn_range stack = thread->stack;
    const uintptr_t from = thread->stack_pointer > RED_ZONE ? thread->stack_pointer - RED_ZONE : 0;
    if (stack.low == stack.high && thread->stack_pointer != 0) {
        const hsn_mapping *m = hsn_maps_find(&t->k->maps, thread->stack_pointer);
        if (m != NULL) stack = (hsn_range){m->low, m->high};
    }
    const bool is_on_it = thread->stack_pointer >= stack.low && thread->stack_pointer < stack.high;
    if (thread->is_stopped && is_on_it && from > stack.low) stack.low = from;
    const hsn_range tls = thread->tls; /* lies above the stack in one mapping */
    if (tls.low > stack.low && tls.low < stack.high) stack.high = tls.low;
    return stack;
}

/* The pointer is on another stack: that one from there to the end of its mapping, which no frame explains. */
static void scan_other_stack(const thread_roots *t, uint32_t label)
{
    const hsn_thread *thread = t->thread;
    const uintptr_t sp = thread->stack_pointer;
    if (sp == 0 || thread->stack.low == thread->stack.high || (sp >= thread->stack.low && sp < thread->stack.high))
        return;
    const hsn_mapping *m = hsn_maps_find(&t->k->maps, sp);
    if (m != NULL)
        scan_range(t, (hsn_range){sp - RED_ZONE > m->low ? sp - RED_ZONE : m->low, m->high}, HSC_ROOT_STACK,
                   &(stack_frame){.label = label});
}

/*
 * Where the values are that frames have in the registers which a function gives back as it got them: with the next
 * function inside that has put it on the stack, to use the register itself, else still in the register.
 */
typedef struct kept_registers {
    uintptr_t at[HSN_THREAD_FRAMES][HSN_KEPT]; /* 0 = not known */
} kept_registers;

enum { IN_REGISTER = 1 };

static void find_kept(const thread_roots *t, kept_registers *kept)
{
    const hsn_thread *thread = t->thread;
    uintptr_t now[HSN_KEPT];
    int32_t saved[HSN_KEPT];
    for (size_t i = 0; i < HSN_KEPT; i++)
        now[i] = IN_REGISTER;
    for (size_t depth = 0; depth < thread->frame_count; depth++) {
        const uintptr_t top = thread->frame_tops[depth];
        const bool is_known = KNOWS_FRAMES && top != 0 && hsn_cfi_saved(frame_address(thread, depth), saved);
        for (size_t i = 0; i < HSN_KEPT; i++) {
            const bool is_saved = is_known && saved[i] != 0;
            kept->at[depth][i] = is_saved ? now[i] : 0; /* what it does not touch is a caller's */
            if (is_saved) now[i] = top + (uintptr_t)((intptr_t)saved[i] * 8);
            if (!is_known) now[i] = 0;
        }
    }
}

static bool read_kept(const thread_roots *t, const hsn_range *stack, uintptr_t at, unsigned number, uintptr_t *value)
{
    const hsn_thread *thread = t->thread;
    for (size_t i = 0; at == IN_REGISTER && i < thread->register_count; i++)
        if (hsn_registers_number(i) == number) {
            *value = thread->registers[i];
            return true;
        }
    if (at < stack->low || at > stack->high - sizeof *value || at % sizeof *value != 0) return false;
    const hsn_mapping *m = hsn_maps_find(&t->k->maps, at);
    if (m == NULL || !m->can_read) return false;
    memcpy(value, (const void *)at, sizeof *value);
    return true;
}

/* What it has in registers, behind what lies in it. */
static void scan_kept(const thread_roots *t, const hsn_range *stack, const uintptr_t at[HSN_KEPT],
                      const stack_frame *frame)
{
    uintptr_t value;
    hsn_hit hit;
    for (size_t i = 0; frame->code != 0 && i < HSN_KEPT; i++)
        if (at[i] != 0 && read_kept(t, stack, at[i], hsn_kept_numbers[i], &value) &&
            hsn_scan_word(&t->k->starts, value, &hit) && is_told(t, frame, hit.ordinal))
            write_root_record(t, HSC_ROOT_STACK, true, register_label(t, frame, hsn_kept_numbers[i]), frame->number,
                              hit.ordinal);
}

/* From the outermost frame in: a pointer that is passed down belongs to whoever had it first. */
static void scan_stack(const thread_roots *t, uint32_t plain, stack_frame *frames)
{
    const hsn_thread *thread = t->thread;
    const hsn_range stack = used_stack(t);
    kept_registers kept;
    find_kept(t, &kept);
    stack_frame rest = {.label = plain};
    uintptr_t top = stack.high;
    for (size_t depth = thread->frame_count; depth-- > 0;) {
        /* what lies above the end of the frame inside is this frame's */
        const uintptr_t below = depth == 0 ? stack.low : thread->frame_tops[depth - 1];
        const uintptr_t own_top = thread->frame_tops[depth];
        if (own_top >= stack.low && own_top < top && own_top != 0) {
            scan_range(t, (hsn_range){own_top, top}, HSC_ROOT_STACK, &rest);
            top = own_top;
        }
        if (below < stack.low || below >= top) continue;
        const uintptr_t sp = depth == 0 ? thread->stack_pointer : below;
        frames[depth].range = (hsn_range){sp, own_top == top ? top : sp};
        scan_range(t, (hsn_range){below, top}, HSC_ROOT_STACK, &frames[depth]);
        scan_kept(t, &stack, kept.at[depth], &frames[depth]);
        top = below;
    }
    scan_range(t, (hsn_range){stack.low, top}, HSC_ROOT_STACK, &rest);
    scan_other_stack(t, plain);
}

/* They are the variables of the innermost function of the program. */
static void scan_registers(const thread_roots *t, const stack_frame *frames)
{
    const bool is_known = t->thread->frame_count > 0 && frames[0].is_in_program;
    const uint32_t label = is_known ? frames[0].label : write_label(t, "registers of ", 0);
    for (size_t i = 0; t->thread->is_stopped && i < t->thread->register_count && i < HSN_REGISTERS; i++) {
        hsn_hit hit;
        if (!hsn_scan_word(&t->k->starts, t->thread->registers[i], &hit) || is_held(t, hit.ordinal)) continue;
        write_root(t, HSC_ROOT_REGISTER, true,
                   is_known ? register_label(t, &frames[0], hsn_registers_number(i)) : label, 0, hit.ordinal);
    }
}

/*
 * What a function of the C library has on the stack it has for who called it: where a thread waits, registers of the
 * program's function are saved there. So its frame is called by the frame of the program around it; the outermost,
 * which have none around them, by their own.
 */
static void know_frames(const thread_roots *t, uint32_t plain, stack_frame *frames)
{
    const hsn_thread *thread = t->thread;
    bool is_in_program = false;
    for (size_t depth = thread->frame_count; depth-- > 0;) {
        const uintptr_t address = frame_address(thread, depth);
        const hsn_module *module = hsn_module_of(&t->k->modules, address);
        /* it was stopped in a hook: its caller holds that */
        const bool is_own = module != NULL && module == t->k->modules.own;
        const bool is_of_system = module != NULL && module->is_of_system;
        const uint32_t outside = depth + 1 < thread->frame_count ? frames[depth + 1].label : plain;
        const bool is_inner = is_own || (is_of_system && is_in_program);
        frames[depth] = (stack_frame){.number = (uint32_t)depth + 1, .label = outside};
        if (!is_inner) frames[depth].label = write_label(t, "stack of ", address);
        if (KNOWS_FRAMES && !is_inner && !is_of_system) frames[depth].code = address;
        is_in_program |= !is_own && !is_of_system;
        frames[depth].is_in_program = is_in_program;
        hsc_frame(t->k->w, t->number, (uint32_t)depth, hsn_write_name(t->k, address), 0, 0);
    }
}

void hsn_write_thread(hsn_walker *k, const hsn_thread *thread, uint32_t number)
{
    thread_roots t = {.k = k, .thread = thread, .number = number};
    stack_frame frames[HSN_THREAD_FRAMES];
    hsn_pairs_clear(&k->seen);
    know_name(&t);
    hsc_define_thread(k->w, number, hsn_write_string(k, t.name, t.name_size));
    const uint32_t plain = write_label(&t, "stack of ", 0);
    know_frames(&t, plain, frames);
    scan_locals(&t);
    scan_stack(&t, plain, frames);
    scan_registers(&t, frames);
}
