/*
 * The Python agent: walks all objects of the interpreters in this process, under the GIL, and writes them as it goes.
 *
 *      agent.c     hspy_capture: the interpreter is found, the collector stopped, a walk begun and ended
 *      api.c       what the interpreter exports        layouts.c   where its structures have what      python.h   what is the same in all versions
 *      dicts.c     entries of dicts and of instances   texts.c     characters of a str
 *      walk.c      lists of the collector, the queue of what it does not follow, one object after the other
 *      plans.c     what is known of a type: its name, its named members, how its objects are sized and read
 *      edges.c     what an object refers to, by name    structures.c  what fields of CPython itself are called
 *      sizes.c     its bytes, as sys.getsizeof says
 *      roots.c     modules, interpreter state, what C holds    frames.c    threads and their frames
 *      names.c     types, labels and strings, each once; which keys may be told
 *      visited.c   the set of objects that were met, and the references to each
 *
 * No code of the program runs: objects are read where they lie, and asked for what they refer to by tp_traverse of
 * their type, which is C and made for a collector. Memory while it lasts: 11 to 32 bytes an object for the set, 8 for
 * each that waits in the queue, and names.
 */
#ifndef HSPY_AGENT_H
#define HSPY_AGENT_H

#include "agent/agent.h"
#include "hspy.h"
#include "python.h"

/* ---- visited.c ---- */

typedef struct big_count {
    uint64_t key;
    int64_t more;
} big_count;

typedef struct visited {
    uint64_t *slots;
    size_t capacity, count;
    big_count *big;
    size_t big_count, big_room;
} visited;

/* `expected` objects, as far as that is known. */
bool visited_open(visited *set, uint64_t expected);
/* The slot of an object, put in when it is new; NULL without memory. Valid until the next call. */
uint64_t *visited_slot(visited *set, const py_object *object, bool *is_new);
/* Has the processor bring what visited_slot of this object will look at. */
void visited_fetch(const visited *set, const py_object *object);
/* So many more references to it; fewer, with what it counts itself. False without memory. */
bool visited_add(visited *set, uint64_t *slot, int64_t references);
/* The references that were found, less those that it counts itself: negative, if somebody holds it that was not found.
 */
int64_t visited_balance(const visited *set, uint64_t slot);
/* True the first time. */
bool visited_write(uint64_t *slot);
bool visited_is_written(uint64_t slot);
py_object *visited_object(uint64_t slot);
void visited_close(visited *set);

/* ---- names.c ---- */

enum { NAME_BYTES = 512, NAMES_KEYS_MAX = 65536, KEY_BYTES_MAX = 64, KEY_CACHE = 1 << 14 };

/* Labels that are there from the start. */
enum {
    LABEL_NONE,
    LABEL_ELEMENT,
    LABEL_KEY,
    LABEL_VALUE,
    LABEL_CLASS,
    LABEL_DICT,
    LABEL_WEAK,
    LABEL_CONTENT,
    LABEL_COPIED,
    LABEL_FIRST_FREE
};

typedef enum name_kind {
    NAME_STRING = 1,
    NAME_TYPE,
    NAME_FUNCTION_TYPE,
    NAME_CODE_TYPE,
    NAME_PART_TYPE, /* types */
    NAME_FIELD,
    NAME_GLOBAL,
    NAME_VALUE,
    NAME_VARIABLE,
    NAME_INTERNAL /* labels */
} name_kind;

typedef struct key_label { /* what a str was as a key, by its address */
    const py_object *key;
    uint32_t label, kind;
} key_label;

typedef struct names {
    hsc_writer *writer;
    hsa_texts texts;
    key_label *keys;
    size_t key_count;
    uint32_t next_string, next_type, next_label;
    bool failed;
} names;

bool names_open(names *all, hsc_writer *writer);
/* The number of this text, defined when it is new; 0 without memory. Kinds of types share their numbers, and so do
 * those of labels. */
uint32_t names_put(names *all, name_kind kind, const char *text, size_t size);
/* The label of an entry whose key this is: NAME_FIELD, NAME_GLOBAL or NAME_VALUE. It says the key if that is an
 * identifier that Python has interned, as names in source are; else it is `fallback`. */
uint32_t names_key(names *all, const python *py, name_kind kind, const py_object *key, uint32_t fallback);
/* The label of an entry that has a name of the program's, in which a number is `*`: those of a pool are one. */
uint32_t names_numbered(names *all, char *text, size_t size, uint32_t fallback);

/* The text in place: digits and words that are digests read *, "plugin_12" and "plugin_9ac2f0" as "plugin_*". */
size_t names_without_numbers(char *text, size_t size);
void names_close(names *all);

/* ---- plans.c ---- */

typedef enum plan_kind {
    PLAN_PLAIN, /* members, instance dict, and what its traverse tells */
    PLAN_LEAF,  /* refers to nothing */
    PLAN_DICT,
    PLAN_LIST,
    PLAN_TUPLE,
    PLAN_SET,
    PLAN_FUNCTION,
    PLAN_METHOD,
    PLAN_CODE,
    PLAN_GENERATOR,
    PLAN_FRAME,
    PLAN_MODULE,
    PLAN_TYPE,
    PLAN_WEAK,
    PLAN_CELL,
    PLAN_EXCEPTION,
    PLAN_TRACEBACK,
    PLAN_VARIABLES, /* of a context: structure_has_variables() */
    PLAN_ARRAY
} plan_kind;

typedef enum plan_size { SIZE_PLAIN, SIZE_LIST, SIZE_DICT, SIZE_SET, SIZE_INTEGER, SIZE_TEXT, SIZE_CALL } plan_size;

typedef struct plan_member {
    uint32_t offset, label;
} plan_member;

typedef struct plan {
    py_type *type;
    plan_kind kind;
    plan_size size;
    py_method *size_method; /* of SIZE_CALL */
    const py_getset *stack; /* of greenlets: their gr_frame */
    uint32_t number;        /* of its objects' type */
    uint32_t name;          /* string: its own name */
    uint32_t member_count;
    bool is_exact;  /* dict, list, tuple, set itself, not a class made of it */
    bool is_mapped; /* mmap */
    bool has_rules; /* edges.c: names for what has none */
    plan_member *members;
} plan;

typedef struct plans {
    plan **table; /* by address of the type */
    size_t capacity, count;
    plan *last;
    bool failed;
} plans;

typedef struct walk walk;

bool plans_open(plans *all);
/* NULL without memory. */
plan *plans_of(walk *w, py_type *type);
void plans_close(plans *all);
/* "app.cache.Session", "dict"; the length. */
size_t plans_type_name(const python *py, const py_type *type, char out[NAME_BYTES]);
/* The type of one function, method, generator or frame, whose name is part of it. */
uint32_t plans_function_type(walk *w, const plan *p, const py_object *object);

/* ---- walk.c ---- */

enum { OUT_ROWS = 2048, CANDIDATES_MAX = 256, FUNCTION_CACHE = 4096, MODULE_CACHE = 256, PENDING = 32 };

typedef enum role {
    ROLE_NONE,
    ROLE_INSTANCE_DICT,
    ROLE_MODULE_DICT,
    ROLE_CLASS_DICT,
    ROLE_LOOSE_CLASS_DICT, /* of a class that its module does not have: roots_is_named */
    ROLE_THREADS           /* threading._active: written at once, and never in the queue */
} role;

typedef struct candidate {
    const py_object *target;
    uint32_t label;
    bool is_used, is_held;
} candidate;

typedef struct module_globals { /* by the str that its classes have as __module__ */
    const py_object *name, *globals;
} module_globals;

typedef struct function_label {                /* the type of functions of one code */
    const py_object *code, *qualname, *module; /* one code can be run in several modules */
    uint32_t kind, number;
} function_label;

struct walk {
    python py;
    hsc_writer *writer;
    visited seen;
    names names;
    plans plans;
    hsa_self self;
    hsa_metrics measured; /* before the capture took memory */
    uintptr_t *queue;     /* objects that wait, their role in the low bits */
    size_t waiting, queue_room;
    /* the last references, whose targets are looked up when their memory has come; as in the queue, and whether they
     * count */
    uintptr_t pending[PENDING];
    size_t pending_first, pending_count;
    /* references of the object that is being written, not given to the writer yet */
    uint64_t targets[OUT_ROWS], indexes[OUT_ROWS];
    uint32_t labels[OUT_ROWS];
    size_t out_count;
    candidate candidates[CANDIDATES_MAX];
    size_t candidate_count, candidates_left;
    function_label functions[FUNCTION_CACHE];
    module_globals modules[MODULE_CACHE];
    uint64_t started_ns;
    uint32_t generation_string[5], thread_count;
    uint64_t allocated_blocks; /* sys.getallocatedblocks() */
    bool is_collector_off;
    bool has_many_made; /* modules that the program made are so many that they are no roots */
    uint64_t held_objects, held_references, tracked, other_interpreters;
    uint32_t steps;      /* of walk_is_over */
    const char *failure; /* NULL, or why the walk ended early */
};

/* ---- arenas.c ---- */

typedef struct arena_counts {
    uint64_t arenas, most_arenas; /* now, and the most there were */
    uint64_t bytes, used_bytes;   /* of the arenas; of the blocks in them that are taken */
} arena_counts;

/* All 0 where Python has no arenas (PYTHONMALLOC=malloc). */
void count_arenas(const walk *w, arena_counts *out);

/* Writes all objects and roots. */
void walk_all(walk *w);
/* A reference of the object that is being written; NULL targets are none. Counted: it is one of those in the target's
 * refcount. */
void walk_refer(walk *w, py_object *target, uint32_t label, uint64_t index);
void walk_refer_role(walk *w, py_object *target, uint32_t label, role as);
void walk_refer_uncounted(walk *w, py_object *target, uint32_t label);
/* Meets an object for a root: it will be written, and a reference to it is counted if `is_counted`. False for NULL. */
bool walk_meet(walk *w, py_object *object, bool is_counted);
/* Writes it now, unless it is written, and then what waits. `name` is of ROLE_MODULE_DICT and ROLE_CLASS_DICT: the
 * owner of its entries. */
void walk_write(walk *w, py_object *object, role as, uint32_t name);
bool walk_is_over(walk *w);
/* May the structures of that interpreter be read? One with a lock of its own runs meanwhile. */
bool walk_is_ours(const walk *w, void *interpreter);

/* ---- edges.c, sizes.c, roots.c, frames.c ---- */

void edges_of(walk *w, const plan *p, py_object *object, role as);
void edges_flush(walk *w);
/* Are there names for what objects of a type refer to, by the types of both? */
bool edges_has_rules(const py_type *type);

typedef struct sizes {
    uint64_t bytes, outside;
} sizes;

sizes sizes_of(walk *w, const plan *p, py_object *object);

void roots_modules(walk *w, void *interpreter);
void roots_interpreter(walk *w, void *interpreter);
void roots_tasks(walk *w, void *interpreter);
/* Do a class's attributes have a place of their own, `app.cache.Session.all`? Where its module has the class, and so it
 * lasts. One that is made anew and anew is held by whatever keeps it, with all that it has. */
bool roots_is_named(walk *w, const py_type *type);

/* Whether a module of this name is one of many that the program makes, and numbers: no module of sys.modules is called
 * so, or one of the many there that are made. Of `name`, the str that functions and classes of it have. */
bool roots_is_numbered(walk *w, const py_object *name);
/* Of an object that is being written: what it counts itself is taken off its slot; what lives for ever is a root. */
void roots_account(walk *w, const py_object *object, uint64_t *slot);
/* At the end, when all references were found. */
void roots_held(walk *w);
void root(walk *w, hsc_root_kind kind, uint32_t flags, const char *label, py_object *target);

void frames_of_threads(walk *w, void *interpreter);
/* The label of a Thread in threading._active: its name. */
uint32_t frames_thread_label(walk *w, const py_object *thread);
/* The code object of a frame, NULL if there is none. */
py_object *frames_code(const python *py, const void *frame);

typedef struct frame_variables {
    py_object *const *values;
    size_t count, named; /* variables with names first, then the stack */
} frame_variables;

frame_variables frames_variables(const python *py, const void *frame);
/* References of a greenlet that is being written to what its frames hold while others run; `innermost` is its frame
 * object. */
void frames_of_greenlet(walk *w, py_object *innermost);
/* The str that names a variable, NULL behind the last. */
py_object *frames_variable_name(const python *py, const py_object *code, size_t i);
/* A reference as frames hold it: without the marks that later versions keep in it. */
static inline py_object *frames_plain(const python *py, const py_object *word)
{
    return py->at->minor >= 14 ? (py_object *)((uintptr_t)word & ~(uintptr_t)3) : (py_object *)word;
}

#endif
