/*
 * What a CPython is, as far as it is the same from 3.8 to 3.14: the heads of objects, types, containers. The rest is in
 * layouts.h. Nothing of Python.h is needed: what is called is looked up by name in the process (python_api).
 */
#ifndef HSPY_PYTHON_H
#define HSPY_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layouts.h"

typedef struct py_type py_type;

typedef struct py_object {
    intptr_t refcount; /* from 3.12 on the low 32 bits alone */
    py_type *type;
} py_object;

typedef struct py_sized {
    py_object head;
    intptr_t size;
} py_sized;

typedef int (*py_visit)(py_object *, void *);

typedef struct py_member { /* PyMemberDef */
    const char *name;
    int type;
    intptr_t offset;
    int flags;
    const char *doc;
} py_member;

typedef struct py_method { /* PyMethodDef */
    const char *name;
    py_object *(*call)(py_object *, py_object *);
    int flags;
    const char *doc;
} py_method;

typedef struct py_getset { /* PyGetSetDef */
    const char *name;
    py_object *(*get)(py_object *, void *);
    void *set;
    const char *doc;
    void *closure;
} py_getset;

struct py_type {
    py_sized head;
    const char *name;
    intptr_t basic_bytes, item_bytes;
    void *dealloc, *vectorcall_offset, *getattr, *setattr, *as_async, *repr, *as_number, *as_sequence, *as_mapping,
        *hash, *call, *str, *getattro, *setattro, *as_buffer;
    unsigned long flags;
    const char *doc;
    int (*traverse)(py_object *, py_visit, void *);
    void *clear, *richcompare;
    intptr_t weaklist_offset;
    void *iter, *iternext;
    py_method *methods;
    py_member *members;
    py_getset *getset;
    py_type *base;
    py_object *dict;
    void *descr_get, *descr_set;
    intptr_t dict_offset;
    void *init, *alloc, *new, *free;
    int (*is_gc)(py_object *);
    py_object *bases, *mro, *cache, *subclasses, *weaklist;
};

enum { PY_IMMORTAL_MIN = 900000000 };
enum { PY_MEMBER_OBJECT = 6, PY_MEMBER_OBJECT_EX = 16 };
/* all bits but METH_CLASS, METH_STATIC and METH_COEXIST */
enum { PY_METHOD_NOARGS = 4, PY_METHOD_KINDS = 0x2ff & ~0x70 };

/* Flags of types. Those of inline values and managed words mean nothing before the version that is named. */
#define PY_INLINE_VALUES   (1UL << 2) /* 3.13 */
#define PY_MANAGED_WEAKREF (1UL << 3) /* 3.12 */
#define PY_MANAGED_DICT    (1UL << 4) /* 3.11 */
#define PY_HEAP_TYPE       (1UL << 9)
#define PY_HAS_GC          (1UL << 14)
#define PY_IS_LONG         (1UL << 24)
#define PY_IS_LIST         (1UL << 25)
#define PY_IS_TUPLE        (1UL << 26)
#define PY_IS_BYTES        (1UL << 27)
#define PY_IS_TEXT         (1UL << 28)
#define PY_IS_DICT         (1UL << 29)
#define PY_IS_EXCEPTION    (1UL << 30)
#define PY_IS_TYPE         (1UL << 31)

typedef struct py_gc_head { /* in front of each object that a collector follows; low bits of both words are flags */
    uintptr_t next, prev;
} py_gc_head;

typedef struct py_list {
    py_sized head;
    py_object **items;
    intptr_t allocated;
} py_list;

typedef struct py_dict {
    py_object head;
    intptr_t used;
    uint64_t version;
    unsigned char *keys;
    unsigned char *values; /* of a split table; what stands there is for dicts.c */
} py_dict;

typedef struct py_set_entry {
    py_object *key;
    intptr_t hash;
} py_set_entry;

typedef struct py_set {
    py_object head;
    intptr_t fill, used, mask;
    py_set_entry *table;
    intptr_t hash, finger;
    py_set_entry small[8];
} py_set;

typedef struct py_text { /* the head of a str */
    py_object head;
    intptr_t length, hash;
    uint32_t state;
} py_text;

typedef struct py_cell {
    py_object head;
    py_object *content;
} py_cell;

typedef struct py_bound { /* a bound method */
    py_object head;
    py_object *function, *self;
} py_bound;

typedef struct py_weak { /* a weak reference */
    py_object head;
    py_object *object, *callback;
} py_weak;

typedef struct py_module {
    py_object head;
    py_object *dict;
} py_module;

typedef struct py_method_descriptor {
    py_object head;
    py_type *type;
    py_object *name, *qualname;
    py_method *method;
} py_method_descriptor;

typedef struct py_builtin { /* a function of C */
    py_object head;
    py_method *method;
    py_object *self, *module;
} py_builtin;

typedef struct py_traceback {
    py_object head;
    py_object *next, *frame;
} py_traceback;

/* ---- what the interpreter exports ---- */

typedef struct python_types {
    py_type *type, *object, *dict, *list, *tuple, *set, *frozenset, *text, *bytes, *bytearray, *integer, *boolean,
        *real, *complex, *function, *method, *module, *code, *generator, *coroutine, *async_generator, *frame, *cell,
        *weakref, *method_descriptor, *traceback, *builtin_function;
} python_types;

typedef struct python {
    /* the row of the version, then `fitted`: so a python stays where it is */
    const layout *at;
    layout fitted;
    python_types types;
    py_object *none;
    char *runtime; /* _PyRuntime */
    /* up to 3.10: how dicts look for keys that are no str; of an entry of tp_subclasses, whose keys are int */
    void *general_lookup;
    const char *version; /* "3.11.2 (main, …" */
    void *(*current_thread)(void);
    int (*has_lock)(void);
    void *(*modules)(void); /* sys.modules of the current interpreter */
    void *(*current_interpreter)(void);
    void *(*first_interpreter)(void);
    void *(*next_interpreter)(void *);
    int64_t (*interpreter_number)(void *);
    void *(*first_thread)(void *interpreter);
    void *(*next_thread)(void *);
    intptr_t (*dict_bytes)(py_object *); /* _PyDict_SizeOf */
    int (*code_line)(py_object *, int);  /* PyCode_Addr2Line */
    intptr_t (*long_value)(py_object *); /* PyLong_AsSsize_t */
    void (*release)(py_object *);        /* Py_DecRef */
    void (*clear_error)(void);
    int (*print_arenas)(void *stream); /* _PyObject_DebugMallocStats, or NULL: a FILE of stdio */
} python;

/* False with a sentence, when there is no CPython in this process, or none that the agent knows. */
bool python_find(python *py, char *error, size_t error_size);

/* With the lock held: finds out where this very build has what its version's row says. False with a sentence. */
bool python_fit(python *py, char *error, size_t error_size);

static inline void *py_at(const void *object, uint32_t offset)
{
    return *(void *const *)((const char *)object + offset);
}
static inline py_object *py_object_at(const void *object, uint32_t offset)
{
    return *(py_object *const *)((const char *)object + offset);
}
static inline int py_int_at(const void *object, uint32_t offset)
{
    return *(const int *)((const char *)object + offset);
}

static inline bool py_is(const py_type *type, unsigned long flag) { return (type->flags & flag) != 0; }

static inline bool py_is_subtype(const py_type *type, const py_type *of)
{
    for (; type != NULL; type = type->base)
        if (type == of) return true;
    return false;
}

/* Has it a head of the collector? */
static inline bool py_is_gc(const py_object *object)
{
    const py_type *type = object->type;
    return py_is(type, PY_HAS_GC) && (type->is_gc == NULL || type->is_gc((py_object *)object));
}

static inline py_gc_head *py_gc_of(const py_object *object) { return (py_gc_head *)object - 1; }
static inline bool py_is_tracked(const py_object *object) { return py_is_gc(object) && py_gc_of(object)->next != 0; }

/* From 3.12 on some objects live for ever and are not counted; in 3.11 those that are built in begin with a count that
 * is never reached otherwise. */
static inline bool py_is_immortal(const python *py, const py_object *object)
{
    return py->at->minor >= 12 ? (int32_t)object->refcount < 0 : object->refcount > PY_IMMORTAL_MIN;
}
static inline uint64_t py_refcount(const python *py, const py_object *object)
{
    return py->at->minor >= 12 ? (uint32_t)object->refcount : (uint64_t)object->refcount;
}

/* ---- dicts.c: entries of dicts, of shared keys, of inline values ---- */

typedef struct py_entries {
    const unsigned char *next; /* of the keys table */
    size_t left, stride;
    bool is_text_only;        /* its keys are all str: such a dict's traverse does not tell them */
    py_object *const *values; /* of a split table, in the order of the keys */
} py_entries;

py_entries py_dict_entries(const python *py, const py_dict *dict);
/* Of an instance that has its attributes behind or beside it, without a dict; `values` NULL: no entries. */
py_entries py_inline_entries(const python *py, const py_object *object);
/* The next that has a value. */
bool py_next_entry(py_entries *entries, py_object **key, py_object **value);
/* The instance's own dict, NULL if it has none. */
py_object *py_instance_dict(const python *py, const py_object *object);
/* By the text of an exact str. */
py_object *py_dict_find(const python *py, const py_object *dict, const char *key);

/* Of an instance, by its name. */
py_object *py_attribute(const python *py, const py_object *object, const char *name);
/* The globals of a module of sys.modules. */
py_object *py_module_dict(const python *py, const void *interpreter, const char *name);

/* ---- texts.c ---- */

/* The characters of a compact ASCII str; NULL for any other. */
const char *py_ascii(const python *py, const py_object *text, size_t *size);
/* Any str as UTF-8, cut to the buffer; the length. */
size_t py_utf8(const python *py, const py_object *text, char *out, size_t room);
bool py_is_interned(const python *py, const py_object *text);

#endif
