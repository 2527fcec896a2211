/*
 * Threads and what their frames hold, as capture/python/frames.c tells it. Lines come from PyCode_Addr2Line of the
 * interpreter, which is interpreted.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "import/pycore/pycore.h"

enum { OWNED_BY_C = 3, FRAMES_MAX = 5000, THREADS_MAX = 100000, WORD = 8, LABEL_BYTES = 2 * PY_NAME_BYTES };

uint64_t hsd_pyframes_code(pycore *c, uint64_t frame)
{
    const uint64_t code = hsd_pyframes_plain(c, py_word(c, frame + c->at.frame_code));
    return code != 0 && py_type_of(c, code) == py_symbol(c, PY_CODE) ? code : 0;
}

static uint64_t tuple_size(pycore *c, uint64_t tuple)
{
    const int64_t size =
        tuple != 0 && py_type_of(c, tuple) == py_symbol(c, PY_TUPLE) ? (int64_t)py_word(c, tuple + AT_SIZE) : 0;
    return size <= 0 ? 0 : (uint64_t)size;
}

/* Up to 3.10 in three tuples, behind in one. */
static size_t name_tuples(pycore *c, uint64_t code, uint64_t tuples[3])
{
    tuples[0] = py_word(c, code + c->at.code_local_names);
    if (c->at.minor >= 11) return 1;
    tuples[1] = py_word(c, code + c->at.code_cell_names);
    tuples[2] = py_word(c, code + c->at.code_free_names);
    return 3;
}

uint64_t hsd_pyframes_variable_name(pycore *c, uint64_t code, uint64_t i)
{
    uint64_t tuples[3];
    const size_t all = name_tuples(c, code, tuples);
    for (size_t k = 0; k < all; k++) {
        const uint64_t count = tuple_size(c, tuples[k]);
        if (i < count) return py_word(c, tuples[k] + c->at.tuple_items + i * WORD);
        i -= count;
    }
    return 0;
}

static uint64_t variable_count(pycore *c, uint64_t code)
{
    uint64_t tuples[3], count = 0;
    const size_t all = name_tuples(c, code, tuples);
    for (size_t k = 0; k < all; k++)
        count = hsd_add_saturating(count, tuple_size(c, tuples[k]));
    return count;
}

/* How many words of its stack a frame has; of one that runs that stands in a register. */
static uint64_t stack_words(pycore *c, uint64_t frame, uint64_t code, uint64_t named)
{
    const layout *at = &c->at;
    const uint64_t most = hsd_add_saturating(named, hsd_pymemory_half(&c->memory, code + at->code_stack_size)),
                   first = frame + at->frame_variables, pointer = py_word(c, frame + at->frame_top);
    const int32_t number = (int32_t)hsd_pymemory_half(&c->memory, frame + at->frame_top);
    uint64_t top = named;
    if (at->minor < 10 || at->minor >= 14)
        top = pointer < first ? named : (pointer - first) / WORD;
    else if (at->minor == 10)
        top = named + (number > 0 ? (uint64_t)number : 0);
    else
        top = number > 0 ? (uint64_t)number : named;
    return top >= named && top <= most ? top : named;
}

pyvariables hsd_pyframes_variables(pycore *c, uint64_t frame)
{
    const uint64_t code = hsd_pyframes_code(c, frame);
    if (code == 0) return (pyvariables){.count = 0};
    const uint64_t named = variable_count(c, code), values = frame + c->at.frame_variables;
    const uint64_t there =
        hsd_pymemory_extent(&c->memory, values,
                            hsd_min_u64(stack_words(c, frame, code, named), UINT64_MAX / WORD) * WORD);
    return (pyvariables){values, there / WORD, named};
}

/* ---- texts ---- */

/* "app.serve", by the module whose globals it uses. */
static size_t frame_name(pycore *c, uint64_t frame, uint64_t code, char out[PY_NAME_BYTES])
{
    const uint64_t module = hsd_pyvalues_find(c, py_word(c, frame + c->at.frame_globals), "__name__");
    size_t size = hsd_pyvalues_utf8(c, module, out, PY_NAME_BYTES / 4);
    if (size > 0) out[size++] = '.';
    size += hsd_pyvalues_utf8(c, py_word(c, code + (c->at.code_qualname != 0 ? c->at.code_qualname : c->at.code_name)),
                              out + size, PY_NAME_BYTES / 4);
    out[size] = '\0';
    return size;
}

static size_t file_name(pycore *c, uint64_t code, char out[PY_NAME_BYTES])
{
    const size_t size = hsd_pyvalues_utf8(c, py_word(c, code + c->at.code_filename), out, PY_NAME_BYTES - 1);
    out[size] = '\0';
    return size;
}

static uint32_t line_of(pycore *c, uint64_t frame, uint64_t code)
{
    const layout *at = &c->at;
    const uint32_t first_line = hsd_pymemory_half(&c->memory, code + at->code_first_line);
    uint64_t instruction, line;
    if (at->minor < 11) {
        instruction = hsd_pymemory_half(&c->memory, frame + at->frame_instruction) * (at->minor == 10 ? 2u : 1u);
    } else {
        const uint64_t where = py_word(c, frame + at->frame_instruction), first = code + at->code_instructions;
        if (where < first) return first_line;
        instruction = where - first;
    }
    if (py_symbol(c, PY_LINE_OF_CODE) == 0 ||
        !hsd_pymachine_call(c, py_symbol(c, PY_LINE_OF_CODE), code, instruction, &line))
        return first_line;
    return (int32_t)line > 0 ? (uint32_t)line : 0;
}

/* ---- names of threads: threading._active, {ident: Thread} ---- */

static uint64_t small_integer(pycore *c, uint64_t number)
{
    const uint64_t size = py_word(c, number + AT_SIZE), digits = c->at.minor < 12 ? size : size >> 3;
    uint64_t value = 0;
    if (!py_is(hsd_pyplans_of_object(c, number), PY_IS_LONG) || digits > 3) return 0;
    for (uint64_t i = digits; i-- > 0;)
        value = value << 30 | hsd_pymemory_half(&c->memory, number + 24 + i * 4);
    return value;
}

static uint64_t threads_of(pycore *c, uint64_t interpreter)
{
    const uint64_t globals = hsd_pyvalues_module(c, interpreter, "threading"),
                   active = globals == 0 ? 0 : hsd_pyvalues_find(c, globals, "_active");
    return active != 0 && py_type_of(c, active) == py_symbol(c, PY_DICT) ? active : 0;
}

static size_t thread_name(pycore *c, uint64_t interpreter, uint64_t thread, char out[PY_NAME_BYTES])
{
    const uint64_t ident = py_word(c, thread + c->at.thread_ident), active = threads_of(c, interpreter);
    uint64_t key, value;
    if (active != 0) {
        for (pyentries all = hsd_pyvalues_dict(c, active); hsd_pyvalues_next(c, &all, &key, &value);) {
            if (small_integer(c, key) != ident) continue;
            const size_t size = hsd_pyvalues_utf8(c, hsd_pyvalues_attribute(c, value, "_name"), out, 128);
            out[size] = '\0';
            if (size > 0) return size;
        }
    }
    return (size_t)snprintf(out, PY_NAME_BYTES, "(thread without a name)");
}

uint32_t hsd_pyframes_thread_label(pycore *c, uint64_t thread)
{
    char name[PY_NAME_BYTES];
    const size_t size = hsd_pyvalues_utf8(c, hsd_pyvalues_attribute(c, thread, "_name"), name, 128);
    return hsd_pytables_numbered(c, name, size, LABEL_VALUE);
}

/* Before the rest: its entries are by ident, which says nothing. */
static void write_threads(pycore *c, uint64_t interpreter)
{
    const uint64_t active = threads_of(c, interpreter);
    if (active != 0) hsd_pywalk_write(c, active, ROLE_THREADS, 0);
}

/* ---- roots ---- */

typedef struct pystack { /* the frame under way */
    uint32_t thread, depth;
} pystack;

static void note_status(pycore *c, hsc_status status)
{
    hsd_error err;
    hsd_error_init(&err);
    if (status != HSC_OK && hsd_import_writer_status(c->import, status, &err) != HSD_OK)
        (void)hsd_pycore_failed(c, &err);
}

static void stack_root(pycore *c, uint64_t target, const char *label, pystack at)
{
    if (!hsd_pywalk_meet(c, target, true) || c->import->options->summary_only) return;
    const hsc_root_record record = {.kind = HSC_ROOT_STACK,
                                    .flags = HSC_ROOT_SECONDARY,
                                    .label = hsd_pytables_put(c, NAME_STRING, label, strlen(label)),
                                    .target = target,
                                    .thread = at.thread,
                                    .frame = at.depth + 1};
    note_status(c, hsc_root(c->import->writer, &record));
}

static void variable_roots(pycore *c, uint64_t frame, uint64_t code, const char *function, pystack at)
{
    char label[LABEL_BYTES], name[128], file[PY_NAME_BYTES];
    const pyvariables all = hsd_pyframes_variables(c, frame);
    (void)file_name(c, code, file);
    const char *slash = strrchr(file, '/');
    for (uint64_t i = 0; i < all.count && !hsd_pywalk_is_over(c); i++) {
        const uint64_t value = hsd_pyframes_plain(c, py_word(c, all.values + i * WORD));
        if (value == 0) continue;
        name[i < all.named ? hsd_pyvalues_utf8(c, hsd_pyframes_variable_name(c, code, i), name, sizeof name - 1) : 0] =
            '\0';
        snprintf(label, sizeof label, "local %s of %s (%.100s:%d)", name[0] != '\0' ? name : "(value)", function,
                 slash == NULL ? file : slash + 1, (int)hsd_pymemory_half(&c->memory, code + c->at.code_first_line));
        stack_root(c, value, label, at);
    }
}

/* From 3.12 on C puts frames of its own between those of functions. */
static bool is_of_c(pycore *c, uint64_t frame)
{
    return c->at.minor >= 12 && (int8_t)hsd_pymemory_byte(&c->memory, frame + c->at.frame_owner) >= OWNED_BY_C;
}

static void frame_roots(pycore *c, uint64_t frame, pystack at)
{
    char function[PY_NAME_BYTES], file[PY_NAME_BYTES], label[LABEL_BYTES];
    const uint64_t code = hsd_pyframes_code(c, frame);
    if (code == 0 || is_of_c(c, frame)) return;
    const size_t size = frame_name(c, frame, code, function), file_size = file_name(c, code, file);
    if (!c->import->options->summary_only)
        note_status(c,
                    hsc_frame(c->import->writer, at.thread, at.depth, hsd_pytables_put(c, NAME_STRING, function, size),
                              hsd_pytables_put(c, NAME_STRING, file, file_size), line_of(c, frame, code)));
    snprintf(label, sizeof label, "frame of %s", function);
    if (c->at.minor < 11) {
        stack_root(c, frame, label, at);
        return;
    }
    const uint64_t held[] = {hsd_pyframes_plain(c, py_word(c, frame + c->at.frame_function)), code,
                             py_word(c, frame + c->at.frame_locals), py_word(c, frame + c->at.frame_object)};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        stack_root(c, held[i], label, at);
    variable_roots(c, frame, code, function, at);
}

static uint64_t first_frame(pycore *c, uint64_t thread)
{
    if (c->at.thread_cframe == 0) return py_word(c, thread + c->at.thread_frame);
    const uint64_t calls = py_word(c, thread + c->at.thread_cframe);
    return calls == 0 ? 0 : py_word(c, calls + c->at.thread_frame);
}

/* Exceptions that are being handled: up to 3.10 three words and the one around it, behind two. */
static void exception_roots(pycore *c, uint64_t thread, const char *label)
{
    const unsigned words = c->at.minor < 11 ? 3 : 1;
    uint64_t item = py_word(c, thread + c->at.thread_exc_info);
    for (int depth = 0; item != 0 && depth < FRAMES_MAX; item = py_word(c, item + words * WORD), depth++)
        for (unsigned i = 0; i < words; i++) {
            const uint64_t held = py_word(c, item + i * WORD);
            if (held != 0 && held != py_symbol(c, PY_NONE))
                hsd_pyroots_put(c, HSC_ROOT_THREAD, HSC_ROOT_SECONDARY, label, held);
        }
}

static void thread_roots(pycore *c, uint64_t interpreter, uint64_t thread, uint32_t number)
{
    char name[PY_NAME_BYTES], label[LABEL_BYTES];
    const size_t size = thread_name(c, interpreter, thread, name);
    if (!c->import->options->summary_only)
        note_status(c, hsc_define_thread(c->import->writer, number, hsd_pytables_put(c, NAME_STRING, name, size)));
    snprintf(label, sizeof label, "thread %s", name);
    hsd_pyroots_put(c, HSC_ROOT_THREAD, HSC_ROOT_SECONDARY, label, py_word(c, thread + c->at.thread_dict));
    hsd_pyroots_put(c, HSC_ROOT_THREAD, HSC_ROOT_SECONDARY, label, py_word(c, thread + c->at.thread_context));
    snprintf(label, sizeof label, "exception that thread %s handles", name);
    exception_roots(c, thread, label);
    uint32_t depth = 0;
    for (uint64_t frame = first_frame(c, thread); frame != 0 && depth < FRAMES_MAX && !hsd_pywalk_is_over(c);
         frame = py_word(c, frame + c->at.frame_previous))
        frame_roots(c, frame, (pystack){number, depth++});
}

void hsd_pyframes_of_threads(pycore *c, uint64_t interpreter)
{
    write_threads(c, interpreter);
    uint64_t thread = hsd_pycore_first_thread(c, interpreter);
    for (uint32_t i = 0; thread != 0 && i < THREADS_MAX && !hsd_pywalk_is_over(c); i++) {
        thread_roots(c, interpreter, thread, ++c->thread_count);
        thread = py_word(c, thread + c->links.next_thread);
    }
}
