/*
 * What is known of a type, found out once: its name by its module, its members that have names in C or as __slots__,
 * and how its objects are read and sized.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "python_agent.h"
#include "structures.h"

enum { FIRST_TYPES = 2048, MEMBERS_MAX = 128, BASES_MAX = 64 };

/* ---- names ---- */

static bool is_identity_module(const char *module, size_t size)
{
    return size == 8 && memcmp(module, "builtins", 8) == 0;
}

/* A class that Python code made keeps its module in its dict; one of C has it in its name. */
size_t plans_type_name(const python *py, const py_type *type, char out[NAME_BYTES])
{
    size_t size = 0;
    if (!py_is(type, PY_HEAP_TYPE))
        return (size_t)snprintf(out, NAME_BYTES, "%.400s", type->name == NULL ? "(unnamed type)" : type->name);
    const py_object *module = py_dict_find(py, type->dict, "__module__");
    size = py_utf8(py, module, out, NAME_BYTES / 2);
    if (is_identity_module(out, size)) size = 0;
    if (size > 0) out[size++] = '.';
    size += py_utf8(py, py_object_at(type, py->at->heap_qualname), out + size, NAME_BYTES - 1 - size);
    out[size] = '\0';
    return size;
}

/* The name of a module in that of a type: one for all modules that the program numbers, as each is another template,
 * plugin or upload of one kind. */
static size_t module_name(walk *w, const py_object *module, char *out, size_t room)
{
    const size_t size = py_utf8(&w->py, module, out, room);
    if (is_identity_module(out, size)) return 0;
    return size > 0 && roots_is_numbered(w, module) ? names_without_numbers(out, size) : size;
}

static size_t type_name(walk *w, const py_type *type, char out[NAME_BYTES])
{
    const python *py = &w->py;
    if (!py_is(type, PY_HEAP_TYPE)) return plans_type_name(py, type, out);
    size_t size = module_name(w, py_dict_find(py, type->dict, "__module__"), out, NAME_BYTES / 2);
    if (size > 0) out[size++] = '.';
    size += py_utf8(py, py_object_at(type, py->at->heap_qualname), out + size, NAME_BYTES - 1 - size);
    out[size] = '\0';
    return size;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* "function app.handlers.on_event.<locals>.cb (handlers.py:31)". `module` may be NULL. */
static size_t function_name(walk *w, const char *what, const py_object *module, const py_object *qualname,
                            const py_object *code, char out[NAME_BYTES])
{
    char path[256];
    const python *py = &w->py;
    size_t size = (size_t)snprintf(out, NAME_BYTES, "%s ", what);
    const size_t before = size;
    size += module_name(w, module, out + size, NAME_BYTES / 4);
    if (size > before) out[size++] = '.';
    size += py_utf8(py, qualname, out + size, NAME_BYTES / 2 - size);
    path[py_utf8(py, py_object_at(code, py->at->code_filename), path, sizeof path - 1)] = '\0';
    return size + (size_t)snprintf(out + size, NAME_BYTES - size, " (%.100s:%d)", last_part(path),
                                   py_int_at(code, py->at->code_first_line));
}

typedef struct function_parts {
    const char *what;
    const py_object *module, *qualname, *code;
} function_parts;

static const py_object *code_qualname(const python *py, const py_object *code)
{
    return py_object_at(code, py->at->code_qualname != 0 ? py->at->code_qualname : py->at->code_name);
}

static const char *generator_word(const python *py, const py_type *type)
{
    if (type == py->types.coroutine) return "coroutine";
    return type == py->types.async_generator ? "async_generator" : "generator";
}

static const py_object *generator_code(const python *py, const py_object *generator)
{
    if (py->at->generator_code != 0) return py_object_at(generator, py->at->generator_code);
    return frames_code(py, (const char *)generator + py->at->generator_frame);
}

static function_parts parts_of_function(const python *py, const char *what, const py_object *function)
{
    const layout *at = py->at;
    return (function_parts){what, py_object_at(function, at->function_module),
                            py_object_at(function, at->function_qualname), py_object_at(function, at->function_code)};
}

static function_parts parts_of(const python *py, const plan *p, const py_object *object)
{
    function_parts parts = {.what = NULL};
    if (p->kind == PLAN_FUNCTION) return parts_of_function(py, "function", object);
    if (p->kind == PLAN_METHOD) {
        const py_object *function = ((const py_bound *)object)->function;
        if (function != NULL && function->type == py->types.function) return parts_of_function(py, "method", function);
        return parts;
    }
    if (p->kind == PLAN_GENERATOR) {
        const py_object *code = generator_code(py, object);
        return (function_parts){generator_word(py, p->type), NULL, py_object_at(object, py->at->generator_qualname),
                                code};
    }
    const void *frame = py->at->minor >= 11 ? py_at(object, py->at->frame_of_object) : object;
    parts = (function_parts){.what = "frame", .code = frame == NULL ? NULL : frames_code(py, frame)};
    if (parts.code != NULL) parts.qualname = code_qualname(py, parts.code);
    return parts;
}

uint32_t plans_function_type(walk *w, const plan *p, const py_object *object)
{
    char text[NAME_BYTES];
    const function_parts parts = parts_of(&w->py, p, object);
    if (parts.what == NULL || parts.code == NULL || parts.code->type != w->py.types.code || parts.qualname == NULL)
        return p->number;
    const uintptr_t mixed = ((uintptr_t)parts.code >> 4) ^ ((uintptr_t)parts.qualname >> 3) ^
                            ((uintptr_t)parts.module >> 5) ^ (uintptr_t)p->kind << 7;
    function_label *known = &w->functions[mixed & (FUNCTION_CACHE - 1)];
    if (known->code == parts.code && known->qualname == parts.qualname && known->module == parts.module &&
        known->kind == (uint32_t)p->kind)
        return known->number;
    const size_t size = function_name(w, parts.what, parts.module, parts.qualname, parts.code, text);
    const uint32_t number = names_put(&w->names, NAME_FUNCTION_TYPE, text, size < sizeof text ? size : sizeof text - 1);
    *known = (function_label){parts.code, parts.qualname, parts.module, (uint32_t)p->kind, number};
    return number;
}

/* ---- how its objects are read ---- */

static bool is_name(const py_type *type, const char *name)
{
    return type->name != NULL && strcmp(type->name, name) == 0;
}

static bool is_proxy(const py_type *type)
{
    return is_name(type, "weakproxy") || is_name(type, "weakcallableproxy") || is_name(type, "weakref.ProxyType") ||
           is_name(type, "weakref.CallableProxyType");
}

static bool is_numpy_array(const py_type *type)
{
    for (; type != NULL; type = type->base)
        if (is_name(type, "numpy.ndarray")) return true;
    return false;
}

static plan_kind kind_of_flags(const python *py, const py_type *type)
{
    if (py_is(type, PY_IS_DICT)) return PLAN_DICT;
    if (py_is(type, PY_IS_LIST)) return PLAN_LIST;
    if (py_is(type, PY_IS_TUPLE)) return PLAN_TUPLE;
    if (py_is(type, PY_IS_TYPE)) return PLAN_TYPE;
    if (py_is(type, PY_IS_EXCEPTION)) return PLAN_EXCEPTION;
    if (py_is_subtype(type, py->types.set) || py_is_subtype(type, py->types.frozenset)) return PLAN_SET;
    if (py_is_subtype(type, py->types.module)) return PLAN_MODULE;
    if (py_is_subtype(type, py->types.weakref) || is_proxy(type)) return PLAN_WEAK;
    if (!py_is(type, PY_HEAP_TYPE) && type->name != NULL && structure_has_variables(type->name)) return PLAN_VARIABLES;
    return is_numpy_array(type) ? PLAN_ARRAY : PLAN_PLAIN;
}

static plan_kind kind_of(const python *py, const py_type *type)
{
    const python_types *t = &py->types;
    if (type == t->text || type == t->bytes || type == t->integer || type == t->boolean || type == t->real ||
        type == t->complex || type == t->bytearray)
        return PLAN_LEAF;
    if (type == t->function) return PLAN_FUNCTION;
    if (type == t->method) return PLAN_METHOD;
    if (type == t->code) return PLAN_CODE;
    if (type == t->generator || type == t->coroutine || type == t->async_generator) return PLAN_GENERATOR;
    if (type == t->frame) return PLAN_FRAME;
    if (type == t->cell) return PLAN_CELL;
    if (type == t->traceback) return PLAN_TRACEBACK;
    return kind_of_flags(py, type);
}

/* ---- how they are sized ---- */

/* Types of C whose __sizeof__ is known to read their own fields and to do nothing else. */
static bool is_trusted(const py_type *type)
{
    static const char *const modules[] = {"collections.", "_io.",       "array.",     "_struct.",   "re.",
                                          "_sre.",        "mmap.",      "_pickle.",   "xml.etree.", "_elementtree.",
                                          "pyexpat.",     "functools.", "itertools.", "decimal.",   "zlib.",
                                          "_lsprof.",     "_ctypes.",   "_asyncio.",  "numpy."};
    if (type->name == NULL) return false;
    if (strchr(type->name, '.') == NULL) return !py_is(type, PY_HEAP_TYPE);
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        if (strncmp(type->name, modules[i], strlen(modules[i])) == 0) return true;
    return false;
}

/* The class that has the method, the nearest one above; NULL: object. */
static const py_type *find_size_method(const python *py, const py_type *type, py_method **method)
{
    for (int depth = 0; type != NULL && type != py->types.object && depth < BASES_MAX; type = type->base, depth++)
        for (py_method *m = type->methods; m != NULL && m->name != NULL; m++)
            if (strcmp(m->name, "__sizeof__") == 0) return *method = m, type;
    return NULL;
}

/* What is met by the million is computed here, the rest asked for. */
static void plan_size_of(const python *py, plan *p)
{
    const python_types *t = &py->types;
    const py_type *owner = p->type == t->bytes ? NULL : find_size_method(py, p->type, &p->size_method);
    p->is_mapped = is_name(p->type, "mmap.mmap");
    if (owner == NULL)
        p->size = SIZE_PLAIN;
    else if (owner == t->dict)
        p->size = SIZE_DICT;
    else if (owner == t->list)
        p->size = SIZE_LIST;
    else if (owner == t->set || owner == t->frozenset)
        p->size = SIZE_SET;
    else if (owner == t->integer)
        p->size = SIZE_INTEGER;
    else if (owner == t->text)
        p->size = SIZE_TEXT;
    else if ((p->size_method->flags & PY_METHOD_KINDS) == PY_METHOD_NOARGS && is_trusted(owner))
        p->size = SIZE_CALL;
}

/* ---- greenlets ---- */

/* Their frames are in no list of the collector, and no traverse tells of them: they are asked of the attribute that the
 * library made for debuggers, which is C. */
static const py_getset *stack_of(const py_type *type)
{
    for (int depth = 0; type != NULL && depth < BASES_MAX; type = type->base, depth++) {
        if (!is_name(type, "greenlet.greenlet")) continue;
        for (const py_getset *one = type->getset; one != NULL && one->name != NULL; one++)
            if (strcmp(one->name, "gr_frame") == 0) return one;
    }
    return NULL;
}

/* ---- members ---- */

static bool is_object(const py_member *m)
{
    return (m->type == PY_MEMBER_OBJECT || m->type == PY_MEMBER_OBJECT_EX) && m->offset > 0;
}

static void add_member(walk *w, plan_member rows[MEMBERS_MAX], uint32_t *count, const char *name, uint32_t offset)
{
    for (uint32_t i = 0; i < *count; i++)
        if (rows[i].offset == offset) return;
    if (offset == 0 || *count == MEMBERS_MAX) return;
    rows[(*count)++] = (plan_member){offset, names_put(&w->names, NAME_FIELD, name, strlen(name))};
}

static void type_members(walk *w, plan *p, plan_member rows[MEMBERS_MAX], uint32_t *count)
{
    int depth = 0;
    for (const py_type *type = p->type; type != NULL && depth < BASES_MAX; type = type->base, depth++)
        for (const py_member *m = type->members; m != NULL && m->name != NULL; m++)
            if (is_object(m) && m->offset != p->type->dict_offset)
                add_member(w, rows, count, m->name, (uint32_t)m->offset);
}

static void add_structure(walk *w, structure which, plan_member rows[MEMBERS_MAX], uint32_t *count)
{
    structure_field fields[STRUCTURE_FIELDS_MAX];
    const size_t field_count = structure_fields(w->py.at, which, fields);
    for (size_t i = 0; i < field_count; i++)
        add_member(w, rows, count, fields[i].name, fields[i].offset);
}

static void known_members(walk *w, plan *p, plan_member rows[MEMBERS_MAX], uint32_t *count)
{
#define ADD(name, type, field) add_member(w, rows, count, name, offsetof(type, field))
    if (p->kind == PLAN_FUNCTION) add_structure(w, STRUCTURE_FUNCTION, rows, count);
    if (p->kind == PLAN_EXCEPTION) add_structure(w, STRUCTURE_EXCEPTION, rows, count);
    if (p->kind == PLAN_GENERATOR) add_structure(w, STRUCTURE_GENERATOR, rows, count);
    if (p->kind == PLAN_CODE) add_structure(w, STRUCTURE_CODE, rows, count);
    if (p->kind == PLAN_TRACEBACK) {
        ADD("tb_next", py_traceback, next);
        ADD("tb_frame", py_traceback, frame);
    }
    if (p->kind == PLAN_METHOD) {
        ADD("__func__", py_bound, function);
        ADD("__self__", py_bound, self);
    }
    if (p->kind == PLAN_TYPE) {
        ADD("__mro__", py_type, mro);
        ADD("__bases__", py_type, bases);
    }
    if (py_is_subtype(p->type, w->py.types.builtin_function)) ADD("__self__", py_builtin, self);
#undef ADD
}

static bool plan_members(walk *w, plan *p)
{
    plan_member rows[MEMBERS_MAX];
    uint32_t count = 0;
    if (p->kind == PLAN_LEAF) return true;
    known_members(w, p, rows, &count);
    type_members(w, p, rows, &count);
    if (count == 0) return true;
    p->members = malloc(count * sizeof *p->members);
    if (p->members == NULL) return false;
    memcpy(p->members, rows, count * sizeof *rows);
    p->member_count = count;
    return true;
}

/* ---- the table ---- */

bool plans_open(plans *all)
{
    *all = (plans){.table = calloc(FIRST_TYPES, sizeof *all->table), .capacity = FIRST_TYPES};
    return all->table != NULL;
}

static plan **find_plan(plan **table, size_t capacity, const py_type *type)
{
    size_t at = (size_t)(((uintptr_t)type >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (capacity - 1);
    while (table[at] != NULL && table[at]->type != type)
        at = (at + 1) & (capacity - 1);
    return &table[at];
}

static bool grow(plans *all)
{
    const size_t capacity = all->capacity * 2;
    plan **table = calloc(capacity, sizeof *table);
    if (table == NULL) return false;
    for (size_t i = 0; i < all->capacity; i++)
        if (all->table[i] != NULL) *find_plan(table, capacity, all->table[i]->type) = all->table[i];
    free(all->table);
    all->table = table;
    all->capacity = capacity;
    return true;
}

static plan *make(walk *w, py_type *type)
{
    char text[NAME_BYTES];
    plan *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->type = type;
    p->kind = kind_of(&w->py, type);
    p->is_exact = type == w->py.types.dict || type == w->py.types.list || type == w->py.types.tuple ||
                  type == w->py.types.set || type == w->py.types.frozenset;
    p->has_rules = edges_has_rules(type);
    p->stack = p->kind == PLAN_PLAIN ? stack_of(type) : NULL;
    plan_size_of(&w->py, p);
    p->number = names_put(&w->names, p->kind == PLAN_CODE ? NAME_CODE_TYPE : NAME_TYPE, text, type_name(w, type, text));
    if (plan_members(w, p)) return p;
    free(p);
    return NULL;
}

plan *plans_of(walk *w, py_type *type)
{
    plans *all = &w->plans;
    if (all->last != NULL && all->last->type == type) return all->last;
    plan **slot = find_plan(all->table, all->capacity, type);
    if (*slot == NULL) {
        plan *made = (all->count + 1) * 2 > all->capacity && !grow(all) ? NULL : make(w, type);
        if (made == NULL) {
            all->failed = true;
            return NULL;
        }
        all->count++;
        slot = find_plan(all->table, all->capacity, type);
        *slot = made;
        walk_meet(w, (py_object *)type, false);
    }
    all->last = *slot;
    return *slot;
}

void plans_close(plans *all)
{
    for (size_t i = 0; i < all->capacity && all->table != NULL; i++) {
        if (all->table[i] == NULL) continue;
        free(all->table[i]->members);
        free(all->table[i]);
    }
    free(all->table);
    *all = (plans){.capacity = 0};
}
