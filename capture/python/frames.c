/*
 * Threads and what their frames hold. Up to 3.10 a frame is an object; behind it is a structure on a stack of the
 * thread, or in a generator or frame object. The variables of a function are roots by their name and its own, "local
 * orders of app.serve (server.py:40)"; they are secondary, as all that stands on a stack: what a program keeps
 * elsewhere is held by that.
 */
#include <stdio.h>
#include <string.h>

#include "python_agent.h"

enum { OWNED_BY_C = 3, FRAMES_MAX = 5000, THREADS_MAX = 100000, WORD = 8 };

py_object *frames_code(const python *py, const void *frame)
{
    py_object *code = frames_plain(py, py_object_at(frame, py->at->frame_code));
    return code != NULL && code->type == py->types.code ? code : NULL;
}

static size_t tuple_size(const python *py, const py_object *tuple)
{
    return tuple != NULL && tuple->type == py->types.tuple && ((const py_sized *)tuple)->size > 0
               ? (size_t)((const py_sized *)tuple)->size
               : 0;
}

static py_object *tuple_item(const python *py, const py_object *tuple, size_t i)
{
    return ((py_object *const *)((const char *)tuple + py->at->tuple_items))[i];
}

/* Up to 3.10 in three tuples, behind in one. */
py_object *frames_variable_name(const python *py, const py_object *code, size_t i)
{
    const uint32_t offsets[] = {py->at->code_local_names, py->at->code_cell_names,
                                py->at->minor < 11 ? py->at->code_free_names : 0};
    for (size_t k = 0; k < sizeof offsets / sizeof offsets[0]; k++) {
        const py_object *names = offsets[k] == 0 ? NULL : py_object_at(code, offsets[k]);
        const size_t count = tuple_size(py, names);
        if (i < count) return tuple_item(py, names, i);
        i -= count;
    }
    return NULL;
}

static size_t variable_count(const python *py, const py_object *code)
{
    const layout *at = py->at;
    size_t count = tuple_size(py, py_object_at(code, at->code_local_names));
    if (at->minor < 11)
        count += tuple_size(py, py_object_at(code, at->code_cell_names)) +
                 tuple_size(py, py_object_at(code, at->code_free_names));
    return count;
}

/* How many words of its stack a frame has; of one that runs that stands in a register. */
static size_t stack_words(const python *py, const void *frame, const py_object *code, size_t named)
{
    const layout *at = py->at;
    const size_t most = named + (size_t)py_int_at(code, at->code_stack_size);
    const char *first = (const char *)frame + at->frame_variables;
    size_t top = named;
    if (at->minor < 10)
        top = py_at(frame, at->frame_top) == NULL ? named
                                                  : (size_t)((const char *)py_at(frame, at->frame_top) - first) / WORD;
    else if (at->minor == 10)
        top = named + (py_int_at(frame, at->frame_top) > 0 ? (size_t)py_int_at(frame, at->frame_top) : 0);
    else if (at->minor < 14)
        top = py_int_at(frame, at->frame_top) > 0 ? (size_t)py_int_at(frame, at->frame_top) : named;
    else
        top = py_at(frame, at->frame_top) == NULL ? named
                                                  : (size_t)((const char *)py_at(frame, at->frame_top) - first) / WORD;
    return top >= named && top <= most ? top : named;
}

frame_variables frames_variables(const python *py, const void *frame)
{
    const py_object *code = frames_code(py, frame);
    if (code == NULL) return (frame_variables){.count = 0};
    const size_t named = variable_count(py, code);
    return (frame_variables){(py_object *const *)((const char *)frame + py->at->frame_variables),
                             stack_words(py, frame, code, named), named};
}

/* ---- texts ---- */

static const py_object *qualname_of(const python *py, const py_object *code)
{
    return py_object_at(code, py->at->code_qualname != 0 ? py->at->code_qualname : py->at->code_name);
}

/* "app.serve", by the module whose globals it uses. */
static size_t frame_name(const walk *w, const void *frame, const py_object *code, char out[NAME_BYTES])
{
    const py_object *globals = py_object_at(frame, w->py.at->frame_globals),
                    *module = py_dict_find(&w->py, globals, "__name__");
    size_t size = py_utf8(&w->py, module, out, NAME_BYTES / 4);
    if (size > 0) out[size++] = '.';
    size += py_utf8(&w->py, qualname_of(&w->py, code), out + size, NAME_BYTES / 4);
    out[size] = '\0';
    return size;
}

static size_t file_name(const walk *w, const py_object *code, char out[NAME_BYTES])
{
    const size_t size = py_utf8(&w->py, py_object_at(code, w->py.at->code_filename), out, NAME_BYTES - 1);
    out[size] = '\0';
    return size;
}

static int line_of(const walk *w, const void *frame, py_object *code)
{
    const layout *at = w->py.at;
    if (at->minor < 11)
        return w->py.code_line(code, py_int_at(frame, at->frame_instruction) * (at->minor == 10 ? 2 : 1));
    const char *at_instruction = py_at(frame, at->frame_instruction),
               *first = (const char *)code + at->code_instructions;
    return at_instruction < first ? py_int_at(code, at->code_first_line)
                                  : w->py.code_line(code, (int)(at_instruction - first));
}

/* ---- names of threads: threading._active, {ident: Thread} ---- */

static uint64_t small_integer(const python *py, const py_object *number)
{
    const uintptr_t size = (uintptr_t)((const py_sized *)number)->size;
    const size_t digits = py->at->minor < 12 ? (size_t)size : (size_t)size >> 3;
    const uint32_t *digit = (const uint32_t *)(const void *)((const char *)number + sizeof(py_sized));
    uint64_t value = 0;
    if (!py_is(number->type, PY_IS_LONG) || digits > 3) return 0;
    for (size_t i = digits; i-- > 0;)
        value = value << 30 | digit[i];
    return value;
}

static py_object *threads_of(const walk *w, void *interpreter)
{
    const py_object *dict = py_module_dict(&w->py, interpreter, "threading");
    return dict == NULL ? NULL : py_dict_find(&w->py, dict, "_active");
}

static size_t thread_name(const walk *w, void *interpreter, void *thread, char out[NAME_BYTES])
{
    const uint64_t ident = (uint64_t)(uintptr_t)py_at(thread, w->py.at->thread_ident);
    const py_object *active = threads_of(w, interpreter);
    py_object *key, *value;
    if (active != NULL && active->type == w->py.types.dict) {
        for (py_entries all = py_dict_entries(&w->py, (const py_dict *)active); py_next_entry(&all, &key, &value);) {
            if (small_integer(&w->py, key) != ident) continue;
            const size_t size = py_utf8(&w->py, py_attribute(&w->py, value, "_name"), out, 128);
            out[size] = '\0';
            if (size > 0) return size;
        }
    }
    return (size_t)snprintf(out, NAME_BYTES, "(thread without a name)");
}

uint32_t frames_thread_label(walk *w, const py_object *thread)
{
    char name[NAME_BYTES];
    const size_t size = py_utf8(&w->py, py_attribute(&w->py, thread, "_name"), name, 128);
    return names_numbered(&w->names, name, size, LABEL_VALUE);
}

/* Before the rest: its entries are by ident, which says nothing. */
static void write_threads(walk *w, void *interpreter)
{
    py_object *active = threads_of(w, interpreter);
    if (active != NULL && active->type == w->py.types.dict) walk_write(w, active, ROLE_THREADS, 0);
}

/* ---- roots ---- */

static void stack_root(walk *w, py_object *target, const char *label, uint32_t thread, uint32_t depth)
{
    if (!walk_meet(w, target, true)) return;
    hsc_root(w->writer, &(hsc_root_record){.kind = HSC_ROOT_STACK,
                                           .flags = HSC_ROOT_SECONDARY,
                                           .label = names_put(&w->names, NAME_STRING, label, strlen(label)),
                                           .target = (uint64_t)(uintptr_t)target,
                                           .thread = thread,
                                           .frame = depth + 1});
}

/* "local orders of app.serve (server.py:40)" */
static void variable_label(const walk *w, const py_object *code, const char *function, const char *name, size_t size,
                           char label[2 * NAME_BYTES])
{
    char file[NAME_BYTES];
    (void)file_name(w, code, file);
    const char *slash = strrchr(file, '/');
    snprintf(label, 2 * NAME_BYTES, "local %.*s of %s (%.100s:%d)", size > 0 ? (int)size : 7,
             size > 0 ? name : "(value)", function, slash == NULL ? file : slash + 1,
             py_int_at(code, w->py.at->code_first_line));
}

/* ---- coroutines ---- */

/*
 * What a thread runs by a loop, asyncio.run(main()), has its variables in coroutines, where main() of a program without
 * one has them on the stack: they are called alike. A coroutine is on no stack while it waits, so its variables come
 * before those that are, also while it runs.
 */

static void coroutine_root(walk *w, py_object *target, const char *label, bool is_counted)
{
    if (!walk_meet(w, target, is_counted)) return;
    hsc_root(w->writer, &(hsc_root_record){.kind = HSC_ROOT_THREAD,
                                           .flags = HSC_ROOT_SECONDARY,
                                           .label = names_put(&w->names, NAME_STRING, label, strlen(label)),
                                           .target = (uint64_t)(uintptr_t)target});
}

/* What an object tells, the coroutine or its frame, is counted there. */
static void coroutine_variables(walk *w, const void *frame, const py_object *code, bool is_counted)
{
    char label[2 * NAME_BYTES], name[128], function[NAME_BYTES];
    const frame_variables all = frames_variables(&w->py, frame);
    (void)frame_name(w, frame, code, function);
    for (size_t i = 0; i < all.named && i < all.count; i++) {
        py_object *value = frames_plain(&w->py, all.values[i]);
        if (value == NULL) continue;
        const bool is_cell = value->type == w->py.types.cell;
        const size_t size = py_utf8(&w->py, frames_variable_name(&w->py, code, i), name, sizeof name - 1);
        variable_label(w, code, function, name, size, label);
        if (is_counted || !is_cell) coroutine_root(w, value, label, is_counted);
        if (is_cell) coroutine_root(w, ((py_cell *)value)->content, label, false);
    }
}

/* The frame of a coroutine that waits; NULL of what is none, runs, or has ended. */
static const void *waiting_frame(const walk *w, const py_object *object)
{
    const layout *at = w->py.at;
    if (object == NULL || object->type != w->py.types.coroutine) return NULL;
    const char *head = (const char *)object;
    if (at->minor >= 11) return (signed char)head[at->generator_state] < 0 ? head + at->generator_frame : NULL;
    const py_object *frame = py_object_at(object, at->generator_frame);
    return frame != NULL && frame->type == w->py.types.frame ? frame : NULL;
}

/* Those of `own`, which is on a stack, and of what it awaits: that is the last on the stack of its frame. */
static void coroutine_roots(walk *w, const py_object *own)
{
    const void *frame;
    for (int depth = 0; (frame = waiting_frame(w, own)) != NULL && depth < FRAMES_MAX; depth++) {
        const py_object *code = frames_code(&w->py, frame);
        if (code == NULL) return;
        coroutine_variables(w, frame, code, false);
        const frame_variables all = frames_variables(&w->py, frame);
        own = all.count > all.named ? frames_plain(&w->py, all.values[all.count - 1]) : NULL;
    }
}

/* A coroutine that runs, or from 3.11 on a generator. */
static bool is_of_coroutine(const python *py, const void *frame, const py_object *code)
{
    enum { OWNED_BY_GENERATOR = 1, FLAGS_BEFORE_3_11 = 36, IS_COROUTINE = 0x80 };
    if (py->at->minor >= 11) return ((const char *)frame)[py->at->frame_owner] == OWNED_BY_GENERATOR;
    return (py_int_at(code, FLAGS_BEFORE_3_11) & IS_COROUTINE) != 0;
}

static void variable_roots(walk *w, const void *frame, const py_object *code, const char *function, uint32_t thread,
                           uint32_t depth)
{
    char label[2 * NAME_BYTES], name[128];
    const frame_variables all = frames_variables(&w->py, frame);
    const bool is_told = w->py.at->minor < 11, is_coroutine = is_of_coroutine(&w->py, frame, code);
    if (is_coroutine) coroutine_variables(w, frame, code, !is_told);
    for (size_t i = 0; i < all.count; i++) {
        const size_t size =
            i < all.named ? py_utf8(&w->py, frames_variable_name(&w->py, code, i), name, sizeof name - 1) : 0;
        py_object *value = frames_plain(&w->py, all.values[i]);
        coroutine_roots(w, value);
        if (is_told || (is_coroutine && i < all.named)) continue;
        variable_label(w, code, function, name, size, label);
        stack_root(w, value, label, thread, depth);
    }
}

/* From 3.12 on C puts frames of its own between those of functions. */
static bool is_of_c(const python *py, const void *frame)
{
    return py->at->minor >= 12 && ((const char *)frame)[py->at->frame_owner] >= OWNED_BY_C;
}

/* A frame that is an object holds the rest itself; its variables are told by it, and counted there. */
static void frame_roots(walk *w, void *frame, uint32_t thread, uint32_t depth)
{
    char function[NAME_BYTES], file[NAME_BYTES], label[2 * NAME_BYTES];
    py_object *code = frames_code(&w->py, frame);
    if (code == NULL || is_of_c(&w->py, frame)) return;
    const size_t size = frame_name(w, frame, code, function), file_size = file_name(w, code, file);
    const int line = line_of(w, frame, code);
    hsc_frame(w->writer, thread, depth, names_put(&w->names, NAME_STRING, function, size),
              names_put(&w->names, NAME_STRING, file, file_size), line > 0 ? (uint32_t)line : 0);
    snprintf(label, sizeof label, "frame of %s", function);
    if (w->py.at->minor < 11) {
        stack_root(w, frame, label, thread, depth);
        variable_roots(w, frame, code, function, thread, depth);
        return;
    }
    const layout *at = w->py.at;
    stack_root(w, frames_plain(&w->py, py_object_at(frame, at->frame_function)), label, thread, depth);
    stack_root(w, code, label, thread, depth);
    stack_root(w, py_object_at(frame, at->frame_locals), label, thread, depth);
    stack_root(w, py_object_at(frame, at->frame_object), label, thread, depth);
    variable_roots(w, frame, code, function, thread, depth);
}

/* ---- greenlets ---- */

/* "watch.order": the function as well, for a greenlet has the variables of all that it has called. */
static uint32_t greenlet_label(walk *w, const py_object *code, size_t variable)
{
    char text[NAME_BYTES];
    const py_object *name = frames_variable_name(&w->py, code, variable);
    size_t size = py_utf8(&w->py, qualname_of(&w->py, code), text, NAME_BYTES / 2);
    if (name == NULL || size == 0) return LABEL_NONE;
    text[size++] = '.';
    size += py_utf8(&w->py, name, text + size, NAME_BYTES - 1 - size);
    return names_put(&w->names, NAME_FIELD, text, size);
}

static void greenlet_frame(walk *w, const void *frame, const py_object *code)
{
    const layout *at = w->py.at;
    walk_refer(w, frames_plain(&w->py, py_object_at(frame, at->frame_function)), LABEL_NONE, 0);
    walk_refer(w, frames_plain(&w->py, py_object_at(frame, at->frame_code)), LABEL_NONE, 0);
    walk_refer(w, py_object_at(frame, at->frame_locals), LABEL_NONE, 0);
    walk_refer(w, py_object_at(frame, at->frame_object), LABEL_NONE, 0);
    const frame_variables all = frames_variables(&w->py, frame);
    for (size_t i = 0; i < all.count; i++) {
        py_object *value = frames_plain(&w->py, all.values[i]);
        if (value != NULL) walk_refer(w, value, i < all.named ? greenlet_label(w, code, i) : LABEL_NONE, 0);
    }
}

void frames_of_greenlet(walk *w, py_object *innermost)
{
    walk_refer(w, innermost, names_put(&w->names, NAME_FIELD, "gr_frame", 8), 0);
    if (w->py.at->minor < 11) return; /* an object that tells all itself */
    const void *frame = py_at(innermost, w->py.at->frame_of_object);
    for (int depth = 0; frame != NULL && depth < FRAMES_MAX; frame = py_at(frame, w->py.at->frame_previous), depth++) {
        const py_object *code = frames_code(&w->py, frame);
        if (code != NULL && !is_of_c(&w->py, frame)) greenlet_frame(w, frame, code);
    }
}

/* ---- threads ---- */

static void *first_frame(const walk *w, void *thread)
{
    const layout *at = w->py.at;
    if (at->thread_cframe == 0) return py_at(thread, at->thread_frame);
    void *calls = py_at(thread, at->thread_cframe);
    return calls == NULL ? NULL : py_at(calls, at->thread_frame);
}

/* Exceptions that are being handled: up to 3.10 three words and the one around it, behind two. */
static void exception_roots(walk *w, void *thread, const char *label)
{
    const uint32_t words = w->py.at->minor < 11 ? 3 : 1;
    void *item = py_at(thread, w->py.at->thread_exc_info);
    for (int depth = 0; item != NULL && depth < FRAMES_MAX; item = py_at(item, words * WORD), depth++)
        for (uint32_t i = 0; i < words; i++) {
            py_object *held = py_object_at(item, i * WORD);
            if (held != NULL && held != w->py.none) root(w, HSC_ROOT_THREAD, HSC_ROOT_SECONDARY, label, held);
        }
}

static void thread_roots(walk *w, void *interpreter, void *thread, uint32_t number)
{
    char name[NAME_BYTES], label[2 * NAME_BYTES];
    const size_t size = thread_name(w, interpreter, thread, name);
    hsc_define_thread(w->writer, number, names_put(&w->names, NAME_STRING, name, size));
    snprintf(label, sizeof label, "thread %s", name);
    root(w, HSC_ROOT_THREAD, HSC_ROOT_SECONDARY, label, py_object_at(thread, w->py.at->thread_dict));
    root(w, HSC_ROOT_THREAD, HSC_ROOT_SECONDARY, label, py_object_at(thread, w->py.at->thread_context));
    snprintf(label, sizeof label, "exception that thread %s handles", name);
    exception_roots(w, thread, label);
    uint32_t depth = 0;
    for (void *frame = first_frame(w, thread); frame != NULL && depth < FRAMES_MAX && !walk_is_over(w);
         frame = py_at(frame, w->py.at->frame_previous))
        frame_roots(w, frame, number, depth++);
}

void frames_of_threads(walk *w, void *interpreter)
{
    write_threads(w, interpreter);
    void *thread = w->py.first_thread(interpreter);
    for (uint32_t i = 0; thread != NULL && i < THREADS_MAX && !walk_is_over(w); thread = w->py.next_thread(thread), i++)
        thread_roots(w, interpreter, thread, ++w->thread_count);
}
