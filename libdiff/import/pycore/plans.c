/*
 * What is known of a type, read once: its structure, how its objects are read and sized. What the capture says of it
 * (naming.c) is made when its first object is written.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "import/pycore/pycore.h"

enum { MOST_METHODS = 4096, METHOD_BYTES = 32, METHOD_CALL = 8, METHOD_FLAGS = 16, NO_ARGUMENTS = 4 };
enum { METHOD_KINDS = 0x2ff & ~0x70 }; /* all bits but METH_CLASS, METH_STATIC and METH_COEXIST */
#define MOST_BASIC (UINT64_C(1) << 32)

bool hsd_pyplans_is_called(const pytype *type, const char *name)
{
    return type->c_name != NULL && strcmp(type->c_name, name) == 0;
}

bool hsd_pyplans_is_subtype(pycore *c, const pytype *type, uint64_t of)
{
    uint64_t at = type->at;
    for (int depth = 0; at != 0 && depth < PY_BASES_MAX; depth++) {
        if (at == of) return true;
        at = depth == 0 ? type->base : py_word(c, at + TYPE_BASE);
    }
    return false;
}

bool hsd_pyplans_is_gc(pycore *c, const pytype *type, uint64_t object)
{
    uint64_t answer = 0;
    if (!py_is(type, PY_HAS_GC)) return false;
    if (type->is_gc == 0) return true;
    if (py_is(type, PY_IS_TYPE)) return (py_word(c, object + TYPE_FLAGS) & PY_HEAP_TYPE) != 0;
    return hsd_pymachine_call(c, type->is_gc, object, 0, &answer) && (uint32_t)answer != 0;
}

/* ---- how its objects are read ---- */

static bool is_proxy(const pytype *type)
{
    return hsd_pyplans_is_called(type, "weakproxy") || hsd_pyplans_is_called(type, "weakcallableproxy") ||
           hsd_pyplans_is_called(type, "weakref.ProxyType") || hsd_pyplans_is_called(type, "weakref.CallableProxyType");
}

static bool is_numpy_array(pycore *c, const pytype *type)
{
    char name[32];
    if (hsd_pyplans_is_called(type, "numpy.ndarray")) return true;
    uint64_t base = type->base;
    for (int depth = 0; base != 0 && depth < PY_BASES_MAX; depth++, base = py_word(c, base + TYPE_BASE)) {
        (void)hsd_pymemory_text(&c->memory, py_word(c, base + TYPE_NAME), name, sizeof name);
        if (strcmp(name, "numpy.ndarray") == 0) return true;
    }
    return false;
}

static pykind kind_of_flags(pycore *c, const pytype *type)
{
    if (py_is(type, PY_IS_DICT)) return KIND_DICT;
    if (py_is(type, PY_IS_LIST)) return KIND_LIST;
    if (py_is(type, PY_IS_TUPLE)) return KIND_TUPLE;
    if (py_is(type, PY_IS_TYPE)) return KIND_TYPE;
    if (py_is(type, PY_IS_EXCEPTION)) return KIND_EXCEPTION;
    if (hsd_pyplans_is_subtype(c, type, py_symbol(c, PY_SET)) ||
        hsd_pyplans_is_subtype(c, type, py_symbol(c, PY_FROZENSET)))
        return KIND_SET;
    if (hsd_pyplans_is_subtype(c, type, py_symbol(c, PY_MODULE))) return KIND_MODULE;
    if (hsd_pyplans_is_subtype(c, type, py_symbol(c, PY_WEAKREF)) || is_proxy(type)) return KIND_WEAK;
    if (!py_is(type, PY_HEAP_TYPE) && type->c_name != NULL && structure_has_variables(type->c_name))
        return KIND_VARIABLES;
    return is_numpy_array(c, type) ? KIND_ARRAY : KIND_PLAIN;
}

static pykind kind_of(pycore *c, const pytype *type)
{
    static const struct {
        pyname name;
        pykind kind;
    } rows[] = {{PY_TEXT, KIND_LEAF},
                {PY_BYTES, KIND_LEAF},
                {PY_INTEGER, KIND_LEAF},
                {PY_BOOLEAN, KIND_LEAF},
                {PY_REAL, KIND_LEAF},
                {PY_COMPLEX, KIND_LEAF},
                {PY_BYTEARRAY, KIND_LEAF},
                {PY_FUNCTION, KIND_FUNCTION},
                {PY_METHOD, KIND_METHOD},
                {PY_CODE, KIND_CODE},
                {PY_GENERATOR, KIND_GENERATOR},
                {PY_COROUTINE, KIND_GENERATOR},
                {PY_ASYNC_GENERATOR, KIND_GENERATOR},
                {PY_FRAME, KIND_FRAME},
                {PY_CELL, KIND_CELL},
                {PY_TRACEBACK, KIND_TRACEBACK}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (type->at == py_symbol(c, rows[i].name)) return rows[i].kind;
    return kind_of_flags(c, type);
}

/* ---- how they are sized ---- */

/* Types whose own __sizeof__ the agent asks; so that both say the same. */
static bool is_trusted(const char *name, bool is_heap)
{
    static const char *const modules[] = {"collections.", "_io.",       "array.",     "_struct.",   "re.",
                                          "_sre.",        "mmap.",      "_pickle.",   "xml.etree.", "_elementtree.",
                                          "pyexpat.",     "functools.", "itertools.", "decimal.",   "zlib.",
                                          "_lsprof.",     "_ctypes.",   "_asyncio.",  "numpy."};
    if (name[0] == '\0') return false;
    if (strchr(name, '.') == NULL) return !is_heap;
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        if (strncmp(name, modules[i], strlen(modules[i])) == 0) return true;
    return false;
}

static bool find_in_pyplan(pycore *c, uint64_t methods, uint64_t *function, uint64_t *flags)
{
    char name[16];
    for (int i = 0; methods != 0 && i < MOST_METHODS; i++, methods += METHOD_BYTES) {
        const uint64_t text = py_word(c, methods);
        if (text == 0) return false;
        (void)hsd_pymemory_text(&c->memory, text, name, sizeof name);
        if (strcmp(name, "__sizeof__") != 0) continue;
        *function = py_word(c, methods + METHOD_CALL);
        *flags = hsd_pymemory_half(&c->memory, methods + METHOD_FLAGS);
        return true;
    }
    return false;
}

/* The class that has the method, the nearest one above; 0: object. */
static uint64_t find_size_method(pycore *c, const pytype *type, uint64_t *function, uint64_t *flags)
{
    uint64_t at = type->at;
    for (int depth = 0; at != 0 && at != py_symbol(c, PY_OBJECT) && depth < PY_BASES_MAX; depth++) {
        if (find_in_pyplan(c, py_word(c, at + TYPE_METHODS), function, flags)) return at;
        at = py_word(c, at + TYPE_BASE);
    }
    return 0;
}

static void plan_size(pycore *c, pytype *type)
{
    uint64_t function = 0, flags = 0;
    const uint64_t owner = type->at == py_symbol(c, PY_BYTES) ? 0 : find_size_method(c, type, &function, &flags);
    char name[64];
    type->is_mapped = hsd_pyplans_is_called(type, "mmap.mmap");
    if (owner == 0) return;
    if (owner == py_symbol(c, PY_DICT)) {
        type->size = SIZE_DICT;
    } else if (owner == py_symbol(c, PY_LIST)) {
        type->size = SIZE_LIST;
    } else if (owner == py_symbol(c, PY_SET) || owner == py_symbol(c, PY_FROZENSET)) {
        type->size = SIZE_SET;
    } else if (owner == py_symbol(c, PY_INTEGER)) {
        type->size = SIZE_INTEGER;
    } else if (owner == py_symbol(c, PY_TEXT)) {
        type->size = SIZE_TEXT;
    } else if ((flags & METHOD_KINDS) == NO_ARGUMENTS) {
        (void)hsd_pymemory_text(&c->memory, py_word(c, owner + TYPE_NAME), name, sizeof name);
        if (!is_trusted(name, (py_word(c, owner + TYPE_FLAGS) & PY_HEAP_TYPE) != 0)) return;
        type->size = SIZE_CALL;
        type->size_function = function;
    }
}

/* ---- the table ---- */

static uint64_t field(const uint64_t *words, unsigned at) { return words[at / 8]; }

/* What claims to be a type is one if its own type makes types. */
static bool is_type(pycore *c, const uint64_t *words)
{
    const uint64_t meta = field(words, AT_TYPE);
    return meta % 8 == 0 && (py_word(c, meta + TYPE_FLAGS) & PY_IS_TYPE) != 0 && field(words, TYPE_BASIC) >= 16 &&
           field(words, TYPE_BASIC) < MOST_BASIC && field(words, TYPE_ITEM) < MOST_BASIC;
}

static bool read_type(pycore *c, uint64_t at, pytype *type)
{
    uint64_t words[TYPE_BYTES / 8];
    char name[PY_NAME_BYTES];
    if (at == 0 || at % 8 != 0 || !hsd_pymemory_read(&c->memory, at, words, sizeof words) || !is_type(c, words))
        return false;
    *type = (pytype){.at = at,
                     .flags = field(words, TYPE_FLAGS),
                     .basic = field(words, TYPE_BASIC),
                     .item = field(words, TYPE_ITEM),
                     .traverse = field(words, TYPE_TRAVERSE),
                     .is_gc = field(words, TYPE_IS_GC),
                     .base = field(words, TYPE_BASE),
                     .dict = field(words, TYPE_DICT),
                     .dict_offset = (int64_t)field(words, TYPE_DICT_OFFSET),
                     .weaklist_offset = (int64_t)field(words, TYPE_WEAKLIST)};
    if (hsd_pymemory_text(&c->memory, field(words, TYPE_NAME), name, 401) > 0) type->c_name = strdup(name);
    return true;
}

static pytype *add_pyplan(pycore *c, uint64_t at)
{
    hsd_error err;
    uint32_t number = 0;
    hsd_error_init(&err);
    hsd_status status = hsd_id_table_put(&c->type_ids, at, &number, &err);
    if (status == HSD_OK) status = hsd_import_grow((void **)&c->types, &c->type_room, number, sizeof *c->types, &err);
    pytype *type = status == HSD_OK ? calloc(1, sizeof *type) : NULL;
    if (type == NULL) {
        if (status == HSD_OK) hsd_fail_nomem(&err, "types");
        (void)hsd_pycore_failed(c, &err);
        return NULL;
    }
    if (!read_type(c, at, type)) {
        free(type);
        return NULL; /* remembered as none */
    }
    type->kind = kind_of(c, type);
    type->is_exact = at == py_symbol(c, PY_DICT) || at == py_symbol(c, PY_LIST) || at == py_symbol(c, PY_TUPLE) ||
                     at == py_symbol(c, PY_SET) || at == py_symbol(c, PY_FROZENSET);
    type->has_rules = hsd_pyedges_has_rules(c, type);
    plan_size(c, type);
    return c->types[number - 1] = type;
}

pytype *hsd_pyplans_of(pycore *c, uint64_t type)
{
    if (c->last_type != NULL && c->last_type->at == type) return c->last_type;
    const uint32_t number = hsd_id_table_find(&c->type_ids, type);
    if (number == 0) return add_pyplan(c, type);
    pytype *known = number - 1 < c->type_room ? c->types[number - 1] : NULL;
    if (known != NULL) c->last_type = known;
    return known;
}

pytype *hsd_pyplans_of_object(pycore *c, uint64_t object)
{
    return object == 0 || object % 8 != 0 ? NULL : hsd_pyplans_of(c, py_type_of(c, object));
}

void hsd_pyplans_close(pycore *c)
{
    for (uint32_t i = 0; i < c->type_ids.count && i < c->type_room; i++) {
        if (c->types[i] == NULL) continue;
        free(c->types[i]->members);
        free(c->types[i]->c_name);
        free(c->types[i]);
    }
    free(c->types);
    hsd_id_table_release(&c->type_ids);
}
