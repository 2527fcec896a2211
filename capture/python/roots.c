/*
 * Where a heap of Python hangs. Modules by their names, whose globals start owners of their own (`app.cache.SESSIONS`);
 * what the interpreter keeps; and what C holds: an object whose refcount is greater than the references that were
 * found. Only the first and a few tables of the interpreter are primary.
 */
#include <stdio.h>
#include <string.h>

#include "python_agent.h"
#include "structures.h"

enum { CALLBACK_WORDS = 3, CALLBACKS_MAX = 1 << 20, WORD = 8 };
/* of modules that the program made: a server has its script so, a library what it has in C; more are data */
enum { MADE_MOST = 64, SEARCHES_MOST = 256 };
enum { GLOBALS_MAX = 2048 }; /* of a module that is looked through for each of its classes */

void root(walk *w, hsc_root_kind kind, uint32_t flags, const char *label, py_object *target)
{
    if (!walk_meet(w, target, true)) return;
    hsc_root(w->writer, &(hsc_root_record){.kind = kind,
                                           .flags = flags,
                                           .label = names_put(&w->names, NAME_STRING, label, strlen(label)),
                                           .target = (uint64_t)(uintptr_t)target});
}

static void secondary_root(walk *w, hsc_root_kind kind, const char *label, const py_object *target)
{
    hsc_root(w->writer, &(hsc_root_record){.kind = kind,
                                           .flags = HSC_ROOT_SECONDARY,
                                           .label = names_put(&w->names, NAME_STRING, label, strlen(label)),
                                           .target = (uint64_t)(uintptr_t)target});
}

/* ---- modules ---- */

/* What parts of a name have been looked for in all of sys.modules: siblings stand side by side. */
typedef struct parents {
    const py_object *modules, *known;
    char name[NAME_BYTES];
    uint32_t searches;
} parents;

static const py_object *find_parent(const walk *w, parents *p, const char *name, size_t size)
{
    if (size < sizeof p->name && (strlen(p->name) != size || memcmp(p->name, name, size) != 0)) {
        memcpy(p->name, name, size);
        p->name[size] = '\0';
        p->searches++;
        p->known = py_dict_find(&w->py, p->modules, p->name);
    }
    return p->known;
}

/* "upload" of "/srv/plugins/upload.py" and of "/srv/plugins/upload/__init__.py", as import calls what it finds there.
 */
static bool is_of_file(const char *name, size_t size, const char *path)
{
    const char *end = path + strlen(path), *last = strrchr(path, '/');
    if (last == NULL) return true;
    if (strncmp(last, "/__init__.", 10) == 0) {
        end = last;
        while (last > path && *--last != '/') {
        }
        if (*last != '/') return true;
    } else {
        end = last + strcspn(last, ".");
    }
    last++;
    return (size_t)(end - last) == size && memcmp(last, name, size) == 0;
}

/*
 * Whether the program made a name for this module and put it there, where `import` would have left a __spec__, the name
 * of the file and the module in its package. Such modules come one for each plugin, template or upload.
 */
static bool is_made(const walk *w, parents *p, const py_object *key, const py_object *module)
{
    char path[NAME_BYTES];
    size_t size;
    const char *name = py_ascii(&w->py, key, &size), *dot = NULL;
    if (name == NULL || !py_is_subtype(module->type, w->py.types.module)) return false;
    if (size == 8 && memcmp(name, "__main__", 8) == 0) return false;
    const py_object *globals = ((const py_module *)module)->dict;
    const py_object *spec = py_dict_find(&w->py, globals, "__spec__"), *file;
    if (spec == NULL || spec == w->py.none) return true;
    for (size_t i = 0; i < size; i++)
        if (name[i] == '.') dot = name + i;
    const char *last = dot == NULL ? name : dot + 1;
    const size_t last_size = size - (size_t)(last - name);
    if (dot != NULL && last_size < sizeof path && p->searches < SEARCHES_MOST) {
        const py_object *parent = find_parent(w, p, name, (size_t)(dot - name));
        if (parent == NULL) return true;
        memcpy(path, last, last_size);
        path[last_size] = '\0';
        const py_object *names =
            py_is_subtype(parent->type, w->py.types.module) ? ((const py_module *)parent)->dict : NULL;
        if (names != NULL && ((const py_dict *)names)->used <= GLOBALS_MAX && py_dict_find(&w->py, names, path) == NULL)
            return true;
    }
    file = py_dict_find(&w->py, globals, "__file__");
    if (file == NULL || file->type != w->py.types.text) return false;
    path[py_utf8(&w->py, file, path, sizeof path - 1)] = '\0';
    return !is_of_file(last, last_size, path);
}

/* One that is made is what sys.modules has, as an instance of a class is what a list has. */
static void made_root(walk *w, py_object *module)
{
    secondary_root(w, HSC_ROOT_RUNTIME, "sys.modules", module);
    walk_write(w, module, ROLE_NONE, 0);
    walk_write(w, ((const py_module *)module)->dict, ROLE_INSTANCE_DICT, 0);
}

/* "module app.cache", and of another interpreter than the main one "module app.cache (interpreter 2)". */
static void module_root(walk *w, py_object *key, py_object *module, int64_t interpreter)
{
    char label[NAME_BYTES] = "module ";
    const size_t prefix = strlen(label);
    size_t size = prefix + py_utf8(&w->py, key, label + prefix, NAME_BYTES / 2);
    label[size] = '\0';
    if (interpreter != 0)
        size += (size_t)snprintf(label + size, sizeof label - size, " (interpreter %lld)", (long long)interpreter);
    hsc_root(w->writer, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL,
                                           .label = names_put(&w->names, NAME_STRING, label, size),
                                           .target = (uint64_t)(uintptr_t)module});
    walk_write(w, module, ROLE_NONE, 0);
    if (!py_is_subtype(module->type, w->py.types.module)) return;
    py_object *dict = ((const py_module *)module)->dict;
    walk_write(w, dict, ROLE_MODULE_DICT, names_put(&w->names, NAME_STRING, label + prefix, size - prefix));
}

static bool has_many_made(const walk *w, const py_object *modules)
{
    parents p = {.modules = modules};
    py_object *key, *value;
    uint32_t made = 0;
    for (py_entries all = py_dict_entries(&w->py, (const py_dict *)modules); py_next_entry(&all, &key, &value);)
        made += value != w->py.none && is_made(w, &p, key, value);
    return made > MADE_MOST;
}

void roots_modules(walk *w, void *interpreter)
{
    py_object *modules = py_object_at(interpreter, w->py.at->interp_modules), *key, *value;
    if (modules == NULL || !py_is(modules->type, PY_IS_DICT)) return;
    const bool are_many = has_many_made(w, modules);
    w->has_many_made |= are_many;
    parents p = {.modules = modules};
    for (py_entries all = py_dict_entries(&w->py, (const py_dict *)modules); py_next_entry(&all, &key, &value);) {
        if (value == w->py.none) continue;
        if (are_many && is_made(w, &p, key, value))
            made_root(w, value);
        else
            module_root(w, key, value, w->py.interpreter_number(interpreter));
    }
}

/* ---- classes ---- */

/* Of several interpreters that have a module of that name it is the one whose __name__ this str is. */
static const py_object *find_globals(const walk *w, const py_object *module)
{
    char name[NAME_BYTES];
    const py_object *first = NULL;
    void *interpreter = w->py.first_interpreter();
    name[py_utf8(&w->py, module, name, sizeof name - 1)] = '\0';
    for (; interpreter != NULL; interpreter = w->py.next_interpreter(interpreter)) {
        const py_object *globals = walk_is_ours(w, interpreter) ? py_module_dict(&w->py, interpreter, name) : NULL;
        if (globals == NULL || !py_is(globals->type, PY_IS_DICT)) continue;
        if (py_dict_find(&w->py, globals, "__name__") == module) return globals;
        if (first == NULL) first = globals;
    }
    return first;
}

/* Classes of a module have its name from one str, and stand near each other. */
static const py_object *globals_of(walk *w, const py_object *module)
{
    module_globals *known = &w->modules[((uintptr_t)module >> 4) % MODULE_CACHE];
    if (known->name != module) *known = (module_globals){module, find_globals(w, module)};
    return known->globals;
}

bool roots_is_numbered(walk *w, const py_object *name)
{
    char text[NAME_BYTES];
    if (name == NULL || name->type != w->py.types.text) return false;
    const size_t size = py_utf8(&w->py, name, text, sizeof text);
    size_t at = 0;
    while (at < size && (text[at] < '0' || text[at] > '9'))
        at++;
    if (at == size) return false;
    if (size >= 11 && memcmp(text, "namedtuple_", 11) == 0) return false; /* the module of __new__ of a namedtuple */
    const py_object *globals = globals_of(w, name);
    if (globals == NULL) return true;
    const py_object *spec = w->has_many_made ? py_dict_find(&w->py, globals, "__spec__") : name;
    return spec == NULL || spec == w->py.none;
}

/* "Order.Line", and not "make.<locals>.Line". */
static bool is_inside_class(const walk *w, const py_type *type)
{
    char name[NAME_BYTES];
    const py_object *qualname = py_object_at(type, w->py.at->heap_qualname);
    if (qualname == NULL) return true;
    name[py_utf8(&w->py, qualname, name, sizeof name - 1)] = '\0';
    return strchr(name, '.') != NULL && strstr(name, "<locals>") == NULL;
}

bool roots_is_named(walk *w, const py_type *type)
{
    if (!py_is(type, PY_HEAP_TYPE)) return true;
    const py_object *module = py_dict_find(&w->py, type->dict, "__module__");
    if (module == NULL || module->type != w->py.types.text || is_inside_class(w, type)) return true;
    if (roots_is_numbered(w, module)) return false;
    const py_object *globals = globals_of(w, module);
    py_object *key, *value;
    if (globals == NULL) return true;
    if (((const py_dict *)globals)->used > GLOBALS_MAX) return true;
    for (py_entries all = py_dict_entries(&w->py, (const py_dict *)globals); py_next_entry(&all, &key, &value);)
        if (value == (const py_object *)type) return true;
    return false;
}

/* ---- the interpreter ---- */

/* From 3.10 to 3.13 in an array of pointers to (function, args, kwargs); before in a module's state, behind in a list.
 * What a module has as well is the module's: logging.shutdown() is called at the end, and has all handlers. */
static void atexit_roots(walk *w, void *interpreter)
{
    const layout *at = w->py.at;
    if (at->interp_atexit == 0) return;
    char *state = (char *)interpreter + at->interp_atexit;
    if (at->atexit_count == 0) {
        root(w, HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "atexit", py_object_at(state, at->atexit_callbacks));
        return;
    }
    void **callbacks = py_at(state, at->atexit_callbacks);
    const int count = py_int_at(state, at->atexit_count);
    for (int i = 0; callbacks != NULL && i < count && i < CALLBACKS_MAX; i++)
        for (uint32_t k = 0; callbacks[i] != NULL && k < CALLBACK_WORDS; k++)
            root(w, HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY, "atexit", py_object_at(callbacks[i], k * WORD));
}

void roots_interpreter(walk *w, void *interpreter)
{
    const layout *at = w->py.at;
    structure_field fields[STRUCTURE_FIELDS_MAX];
    const size_t count = structure_fields(at, STRUCTURE_INTERPRETER, fields);
    for (size_t i = 0; i < count; i++)
        if (fields[i].offset != 0)
            root(w, HSC_ROOT_RUNTIME, fields[i].is_secondary ? HSC_ROOT_SECONDARY : 0, fields[i].name,
                 py_object_at(interpreter, fields[i].offset));
    const char *collector =
        at->interp_gc != 0 ? (const char *)interpreter + at->interp_gc : w->py.runtime + at->runtime_gc;
    root(w, HSC_ROOT_FINALIZER, 0, "gc.garbage", py_object_at(collector, at->gc_garbage));
    root(w, HSC_ROOT_RUNTIME, 0, "gc.callbacks", py_object_at(collector, at->gc_callbacks));
    atexit_roots(w, interpreter);
}

/* Is it counted more often than referred to, now that all that refers is known? */
static bool is_held_by_c(walk *w, const py_object *object)
{
    bool is_new;
    const uint64_t *slot = visited_slot(&w->seen, object, &is_new);
    return slot != NULL && visited_is_written(*slot) && visited_balance(&w->seen, *slot) < 0;
}

/* ---- asyncio ---- */

/*
 * Tasks that are not done, of all loops: a WeakSet, whose set has weak references. It keeps none of them: those that
 * are roots are counted more often than referred to (a loop that C has written), and what a coroutine waits for, a set,
 * a variable holds the others. One that nothing holds goes with the next collection.
 */
void roots_tasks(walk *w, void *interpreter)
{
    const py_object *globals = py_module_dict(&w->py, interpreter, "asyncio.tasks");
    const py_object *tasks = globals == NULL ? NULL : py_dict_find(&w->py, globals, "_scheduled_tasks");
    if (tasks == NULL && globals != NULL) tasks = py_dict_find(&w->py, globals, "_all_tasks");
    const py_set *set = tasks == NULL ? NULL : (const py_set *)py_attribute(&w->py, tasks, "data");
    if (set == NULL || set->head.type != w->py.types.set) return;
    for (intptr_t i = 0; i <= set->mask; i++) {
        const py_object *reference = set->table[i].key;
        if (reference == NULL || set->table[i].hash == -1 || !py_is_subtype(reference->type, w->py.types.weakref))
            continue;
        py_object *task = ((const py_weak *)reference)->object;
        if (task == NULL || task == w->py.none || !is_held_by_c(w, task)) continue;
        secondary_root(w, HSC_ROOT_RUNTIME, "asyncio tasks", task);
    }
}

/* ---- what C holds ---- */

static bool is_static_type(const py_object *object)
{
    return py_is(object->type, PY_IS_TYPE) && !py_is((const py_type *)object, PY_HEAP_TYPE);
}

void roots_account(walk *w, const py_object *object, uint64_t *slot)
{
    const bool is_text = object->type == w->py.types.text;
    if (is_static_type(object))
        secondary_root(w, HSC_ROOT_CLASS, "static types", object);
    else if (py_is_immortal(&w->py, object))
        secondary_root(w, is_text ? HSC_ROOT_INTERNED : HSC_ROOT_RUNTIME,
                       is_text ? "interned strings" : "immortal objects", object);
    else if (!visited_add(&w->seen, slot, -(int64_t)py_refcount(&w->py, object)))
        w->failure = "no memory for counts of references";
}

static void held(walk *w, const py_object *object, uint64_t references)
{
    const bool is_interned = object->type == w->py.types.text && py_is_interned(&w->py, object);
    secondary_root(w, is_interned ? HSC_ROOT_INTERNED : HSC_ROOT_HANDLE, is_interned ? "interned strings" : "held by C",
                   object);
    if (is_interned) return;
    w->held_objects++;
    w->held_references += references;
}

void roots_held(walk *w)
{
    for (size_t i = 0; i < w->seen.capacity; i++) {
        const uint64_t slot = w->seen.slots[i];
        const int64_t balance = slot == 0 ? 0 : visited_balance(&w->seen, slot);
        if (balance < 0) held(w, visited_object(slot), (uint64_t)-balance);
    }
}
