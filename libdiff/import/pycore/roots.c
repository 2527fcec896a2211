/*
 * Where a heap of Python hangs, as capture/python/roots.c tells it: modules by their names, what the interpreter keeps,
 * tasks of asyncio, and what C holds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "import/pycore/pycore.h"

enum { CALLBACK_WORDS = 3, CALLBACKS_MAX = 1 << 20, WORD = 8, SET_ENTRY = 16, TASKS_MAX = 1 << 26 };
/* Of a module that is looked through for each of its classes; of a core, which may lie; lookups of modules. */
enum { GLOBALS_MAX = 2048, GLOBALS_READ = 4096, INTERPRETERS_READ = 16, LOOKUPS_MAX = 1 << 14 };

static void write_root(pycore *c, const hsc_root_record *record)
{
    hsd_error err;
    if (c->import->options->summary_only || hsd_pywalk_is_over(c)) return;
    const hsc_status status = hsc_root(c->import->writer, record);
    hsd_error_init(&err);
    if (status != HSC_OK && hsd_import_writer_status(c->import, status, &err) != HSD_OK)
        (void)hsd_pycore_failed(c, &err);
}

static void put_pyroot(pycore *c, hsc_root_kind kind, uint32_t flags, const char *label, uint64_t target)
{
    const hsc_root_record record = {.kind = kind,
                                    .flags = flags,
                                    .label = hsd_pytables_put(c, NAME_STRING, label, strlen(label)),
                                    .target = target};
    write_root(c, &record);
}

void hsd_pyroots_put(pycore *c, hsc_root_kind kind, uint32_t flags, const char *label, uint64_t target)
{
    if (hsd_pywalk_meet(c, target, true)) put_pyroot(c, kind, flags, label, target);
}

/* ---- modules ---- */

/* "module app.cache", and of another interpreter than the main one "module app.cache (interpreter 2)". */
static void module_root(pycore *c, uint64_t key, uint64_t module, int64_t interpreter)
{
    char label[PY_NAME_BYTES] = "module ";
    const size_t prefix = strlen(label);
    size_t size = prefix + hsd_pyvalues_utf8(c, key, label + prefix, PY_NAME_BYTES / 2);
    label[size] = '\0';
    if (interpreter != 0)
        size += (size_t)snprintf(label + size, sizeof label - size, " (interpreter %" PRId64 ")", interpreter);
    const pytype *type = hsd_pyplans_of_object(c, module);
    if (type == NULL) return;
    put_pyroot(c, HSC_ROOT_GLOBAL, 0, label, module);
    hsd_pywalk_write(c, module, ROLE_NONE, 0);
    if (type->kind != KIND_MODULE) return;
    hsd_pywalk_write(c, py_word(c, module + MODULE_DICT), ROLE_MODULE_DICT,
                     hsd_pytables_put(c, NAME_STRING, label + prefix, size - prefix));
}

void hsd_pyroots_modules(pycore *c, uint64_t interpreter)
{
    const uint64_t modules = py_word(c, interpreter + c->at.interp_modules);
    uint64_t key, value;
    if (!py_is(hsd_pyplans_of_object(c, modules), PY_IS_DICT)) return;
    for (pyentries all = hsd_pyvalues_dict(c, modules);
         hsd_pyvalues_next(c, &all, &key, &value) && !hsd_pywalk_is_over(c);)
        if (value != py_symbol(c, PY_NONE)) module_root(c, key, value, hsd_pycore_interpreter_number(c, interpreter));
}

/* ---- classes ---- */

/* Of several interpreters that have a module of that name it is the one whose __name__ this str is. */
static uint64_t find_globals(pycore *c, uint64_t module)
{
    char name[PY_NAME_BYTES];
    uint64_t first = 0, interpreter = py_word(c, py_symbol(c, PY_RUNTIME) + c->links.first_interpreter);
    name[hsd_pyvalues_utf8(c, module, name, sizeof name - 1)] = '\0';
    for (int i = 0; i < INTERPRETERS_READ && interpreter != 0 && c->module_lookups < LOOKUPS_MAX; i++) {
        c->module_lookups++;
        const uint64_t globals = hsd_pyvalues_module(c, interpreter, name);
        if (globals != 0 && py_is(hsd_pyplans_of_object(c, globals), PY_IS_DICT)) {
            if (hsd_pyvalues_find(c, globals, "__name__") == module) return globals;
            if (first == 0) first = globals;
        }
        interpreter = hsd_pycore_next_interpreter(c, interpreter);
    }
    return first;
}

/* Classes of a module have its name from one str, and stand near each other. */
static uint64_t globals_of(pycore *c, uint64_t module)
{
    pymodule *known = &c->modules[(module >> 4) % PY_MODULE_CACHE];
    if (known->name != module) *known = (pymodule){module, find_globals(c, module)};
    return known->globals;
}

/* "Order.Line", and not "make.<locals>.Line". */
static bool is_inside_class(pycore *c, uint64_t class)
{
    char name[PY_NAME_BYTES];
    const uint64_t qualname = py_word(c, class + c->at.heap_qualname);
    if (qualname == 0) return true;
    name[hsd_pyvalues_utf8(c, qualname, name, sizeof name - 1)] = '\0';
    return strchr(name, '.') != NULL && strstr(name, "<locals>") == NULL;
}

bool hsd_pyroots_is_named(pycore *c, uint64_t class, const pytype *type)
{
    if (!py_is(type, PY_HEAP_TYPE)) return true;
    const uint64_t module = hsd_pyvalues_find(c, type->dict, "__module__");
    if (module == 0 || py_type_of(c, module) != py_symbol(c, PY_TEXT) || is_inside_class(c, class)) return true;
    const uint64_t globals = globals_of(c, module);
    uint64_t key, value;
    if (globals == 0 || py_word(c, globals + DICT_USED) > GLOBALS_MAX) return true;
    pyentries all = hsd_pyvalues_dict(c, globals);
    for (uint32_t i = 0; i < GLOBALS_READ && hsd_pyvalues_next(c, &all, &key, &value); i++)
        if (value == class) return true;
    return false;
}

/* ---- the interpreter ---- */

/* From 3.10 to 3.13 in an array of pointers to (function, args, kwargs); before in a module's state, behind in a list.
 * What a module has as well is the module's: logging.shutdown() is called at the end, and has all handlers. */
static void atexit_roots(pycore *c, uint64_t interpreter)
{
    const layout *at = &c->at;
    const uint64_t state = interpreter + at->interp_atexit;
    if (at->interp_atexit == 0) return;
    if (at->atexit_count == 0) {
        hsd_pyroots_put(c, HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "atexit", py_word(c, state + at->atexit_callbacks));
        return;
    }
    const uint64_t callbacks = py_word(c, state + at->atexit_callbacks);
    const int32_t count = (int32_t)hsd_pymemory_half(&c->memory, state + at->atexit_count);
    for (int32_t i = 0; callbacks != 0 && i < count && i < CALLBACKS_MAX; i++) {
        const uint64_t one = py_word(c, callbacks + (uint64_t)i * WORD);
        for (unsigned k = 0; one != 0 && k < CALLBACK_WORDS; k++)
            hsd_pyroots_put(c, HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "atexit", py_word(c, one + k * WORD));
        if (one == 0 && hsd_pywalk_is_over(c)) return;
    }
}

void hsd_pyroots_interpreter(pycore *c, uint64_t interpreter)
{
    const layout *at = &c->at;
    structure_field fields[STRUCTURE_FIELDS_MAX];
    const size_t count = structure_fields(at, STRUCTURE_INTERPRETER, fields);
    for (size_t i = 0; i < count; i++)
        if (fields[i].offset != 0)
            hsd_pyroots_put(c, HSC_ROOT_RUNTIME, fields[i].is_secondary ? HSC_ROOT_SECONDARY : 0, fields[i].name,
                            py_word(c, interpreter + fields[i].offset));
    const uint64_t collector =
        at->interp_gc != 0 ? interpreter + at->interp_gc : py_symbol(c, PY_RUNTIME) + at->runtime_gc;
    hsd_pyroots_put(c, HSC_ROOT_FINALIZER, 0, "gc.garbage", py_word(c, collector + at->gc_garbage));
    hsd_pyroots_put(c, HSC_ROOT_RUNTIME, 0, "gc.callbacks", py_word(c, collector + at->gc_callbacks));
    atexit_roots(c, interpreter);
}

/* ---- asyncio ---- */

/* Tasks that are not done, of all loops, and that nothing but C holds: a WeakSet, whose set has weak references. */
void hsd_pyroots_tasks(pycore *c, uint64_t interpreter)
{
    const uint64_t globals = hsd_pyvalues_module(c, interpreter, "asyncio.tasks");
    uint64_t tasks = globals == 0 ? 0 : hsd_pyvalues_find(c, globals, "_scheduled_tasks");
    if (tasks == 0 && globals != 0) tasks = hsd_pyvalues_find(c, globals, "_all_tasks");
    const uint64_t set = tasks == 0 ? 0 : hsd_pyvalues_attribute(c, tasks, "data");
    if (set == 0 || py_type_of(c, set) != py_symbol(c, PY_SET)) return;
    const uint64_t table = py_word(c, set + SET_TABLE), mask = py_word(c, set + SET_MASK);
    if (mask >= TASKS_MAX) return;
    const uint64_t count = hsd_pymemory_extent(&c->memory, table, (mask + 1) * SET_ENTRY) / SET_ENTRY;
    for (uint64_t i = 0; i < count && !hsd_pywalk_is_over(c); i++) {
        const uint64_t reference = py_word(c, table + i * SET_ENTRY);
        const pytype *type = hsd_pyplans_of_object(c, reference);
        if (type == NULL || py_word(c, table + i * SET_ENTRY + WORD) == UINT64_MAX ||
            !hsd_pyplans_is_subtype(c, type, py_symbol(c, PY_WEAKREF)))
            continue;
        const uint64_t task = py_word(c, reference + WEAK_OBJECT);
        if (task != 0 && task != py_symbol(c, PY_NONE) && hsd_pywalk_is_held(c, task))
            put_pyroot(c, HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "asyncio tasks", task);
    }
}

/* ---- what C holds ---- */

void hsd_pyroots_account(pycore *c, uint64_t object, const pytype *type, pyvisit *visit)
{
    bool is_immortal;
    const bool is_text = type != NULL && type->at == py_symbol(c, PY_TEXT);
    const uint64_t count = hsd_pywalk_refcount(c, py_word(c, object), &is_immortal);
    if (py_is(type, PY_IS_TYPE) && (py_word(c, object + TYPE_FLAGS) & PY_HEAP_TYPE) == 0)
        put_pyroot(c, HSC_ROOT_CLASS, HSC_ROOT_SECONDARY, "static types", object);
    else if (is_immortal)
        put_pyroot(c, is_text ? HSC_ROOT_INTERNED : HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY,
                   is_text ? "interned strings" : "immortal objects", object);
    else
        visit->balance -= (int64_t)(count & INT32_MAX);
}

static void held(pycore *c, uint64_t object, uint64_t references)
{
    const bool is_interned = py_type_of(c, object) == py_symbol(c, PY_TEXT) && hsd_pyvalues_is_interned(c, object);
    put_pyroot(c, is_interned ? HSC_ROOT_INTERNED : HSC_ROOT_HANDLE, HSC_ROOT_SECONDARY,
               is_interned ? "interned strings" : "held by C", object);
    if (is_interned) return;
    c->held_objects++;
    c->held_references += references;
}

void hsd_pyroots_held(pycore *c)
{
    for (uint32_t i = 0; i < c->ids.count && !hsd_pywalk_is_over(c); i++)
        if (c->visits[i].balance < 0) held(c, c->visits[i].at, (uint64_t)-c->visits[i].balance);
}
