/*
 * ELF cores of CPython (gcore PID, or one that the kernel wrote), and the stages that they go through:
 *
 *      memory   memory.c    the core's segments, its notes, and the files that were mapped, read by address
 *      runtime  runtime.c   which CPython it is, where its symbols and structures are (symbols.c, capture/python/layouts.c)
 *      values   values.c    dicts, texts and instances as they lie in memory
 *      machine  machine.c, decode.c, execute.c   interprets a function of the program's: what a type's tp_traverse visits
 *      plans    plans.c     what is known of a type: its name (naming.c), its members, how its objects are read and sized
 *      walk     walk.c      lists of the collector, the queue of what they refer to, edges.c, sizes.c
 *      roots    roots.c, frames.c   modules, interpreter state, threads, what C holds
 *      tables   tables.c    types, labels, strings, each once
 *
 * It says what the agent in capture/python says of the same program while it runs. Nothing of the core is run: the
 * functions of C that know what an object of C refers to are interpreted, instruction by instruction, over the memory
 * that the core has; they can write to a stack of their own alone, and have a most of steps. Of a type whose function
 * cannot be interpreted, objects are looked through word by word, which is told.
 *
 * Every number of the core is taken as hostile: memory that is not there reads as 0, lists and texts have a most, and
 * all references together are no more than the core has room for.
 */
#ifndef HSD_IMPORT_PYCORE_H
#define HSD_IMPORT_PYCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "elf/elf.h"
#include "go/types/memory.h"
#include "import/id_table.h"
#include "import/importer.h"
#include "python/structures.h"

/* ---- memory.c ---- */

typedef struct pyfile { /* a file that was mapped */
    char *path;
    hsd_elf elf;
    goblocks blocks;
    bool is_tried, is_open;
} pyfile;

typedef struct pymapping {
    uint64_t begin, end, offset;
    uint32_t file;
} pymapping;

typedef struct pymemory {
    hsd_import *import;
    hsd_elf core;
    goblocks blocks;
    hsd_elf_segment *loads; /* of the core, by address */
    pymapping *mappings;    /* by address */
    pyfile *files;
    uint32_t load_count, mapping_count, mapping_room, file_count, file_room, last_load, open_files;
    uint64_t core_bytes; /* of the process that the core has */
    uint64_t pid, entry, random_address;
    char process_name[17];
    hsd_error failure; /* the first read that failed as a read */
    uint64_t missing;  /* words that were asked for and are not there */
} pymemory;

/* Are there notes of Python's files in this core? Where the source stands stays as it is. */
bool hsd_pycore_is_python(hsd_source *source);

hsd_status hsd_pymemory_open(pymemory *m, hsd_import *import, hsd_error *err);
void hsd_pymemory_close(pymemory *m);

/* False when not all of it is there. */
bool hsd_pymemory_read(pymemory *m, uint64_t address, void *out, size_t size);
/* How many of `size` bytes at the address are there, from the first on. */
uint64_t hsd_pymemory_extent(pymemory *m, uint64_t address, uint64_t size);
/* A number of memory, 0 where there is none. */
uint64_t hsd_pymemory_word(pymemory *m, uint64_t address);
uint32_t hsd_pymemory_half(pymemory *m, uint64_t address);
uint8_t hsd_pymemory_byte(pymemory *m, uint64_t address);
/* A text of C, cut to `room` - 1; its length. */
size_t hsd_pymemory_text(pymemory *m, uint64_t address, char *out, size_t room);
/* The mapped file, opened, and by how much its addresses were moved; NULL where it cannot be read or is another one. */
const hsd_elf *hsd_pymemory_file(pymemory *m, uint32_t file, uint64_t *bias);

/* ---- symbols.c ---- */

typedef struct pysymbol {
    const char *name;
    uint64_t address; /* 0 = not found */
} pysymbol;

/* Looks these up among what the file exports, and among all of its symbols where it has them. HSD_E_NOMEM, HSD_E_IO. */
hsd_status hsd_pysymbols_find(const hsd_elf *elf, uint64_t bias, pysymbol *wanted, size_t count, hsd_error *err);

/* ---- runtime.c ---- */

typedef enum pyname {
    PY_TYPE,
    PY_OBJECT,
    PY_DICT,
    PY_LIST,
    PY_TUPLE,
    PY_SET,
    PY_FROZENSET,
    PY_TEXT,
    PY_BYTES,
    PY_BYTEARRAY,
    PY_INTEGER,
    PY_BOOLEAN,
    PY_REAL,
    PY_COMPLEX,
    PY_FUNCTION,
    PY_METHOD,
    PY_MODULE,
    PY_CODE,
    PY_GENERATOR,
    PY_COROUTINE,
    PY_ASYNC_GENERATOR,
    PY_FRAME,
    PY_CELL,
    PY_WEAKREF,
    PY_TRACEBACK,
    PY_BUILTIN,
    PY_NONE,
    PY_RUNTIME,
    PY_NEEDED, /* those above must be there */
    PY_VERSION = PY_NEEDED,
    PY_LINE_OF_CODE,
    PY_FREE_THREADED,
    PY_NAMES
} pyname;

typedef struct pylinks { /* offsets that the agent asks functions for */
    uint32_t first_interpreter, next_interpreter, number, first_thread, next_thread;
} pylinks;

/* ---- links.c ---- */

typedef enum pyanswer { /* functions that are answered without being interpreted */
                        ANSWER_NONE,
                        ANSWER_INT,       /* makes an int of Python's of its argument, which is what was asked for */
                        ANSWER_SIZE,      /* bytes of an object */
                        ANSWER_LENGTH,    /* strlen */
                        ANSWER_COMPARISON /* strcmp */
} pyanswer;

typedef struct pylink { /* of an address that is called */
    pyanswer answer;
    uint64_t target; /* where the loader would lead, with no answer */
} pylink;

/* ---- plans.c ---- */

enum {
    PY_NAME_BYTES = 512,
    PY_KEY_BYTES_MAX = 64,
    PY_KEYS_MAX = 65536,
    PY_MEMBERS_MAX = 128,
    PY_BASES_MAX = 64,
    PY_CANDIDATES_MAX = 256,
    PY_OUT_ROWS = 2048
};

/* Members of structures that are the same in all versions. */
enum {
    AT_REFCOUNT = 0,
    AT_TYPE = 8,
    AT_SIZE = 16,
    LIST_ITEMS = 24,
    LIST_ALLOCATED = 32,
    DICT_USED = 16,
    DICT_KEYS = 32,
    DICT_VALUES = 40,
    SET_USED = 24,
    SET_MASK = 32,
    SET_TABLE = 40,
    SET_SMALL = 64,
    TEXT_LENGTH = 16,
    CELL_CONTENT = 16,
    METHOD_FUNCTION = 16,
    METHOD_SELF = 24,
    WEAK_OBJECT = 16,
    WEAK_CALLBACK = 24,
    MODULE_DICT = 16,
    BUILTIN_METHOD = 16,
    BUILTIN_SELF = 24,
    TRACEBACK_NEXT = 16,
    TRACEBACK_FRAME = 24,
    TYPE_NAME = 24,
    TYPE_BASIC = 32,
    TYPE_ITEM = 40,
    TYPE_FLAGS = 168,
    TYPE_TRAVERSE = 184,
    TYPE_WEAKLIST = 208,
    TYPE_METHODS = 232,
    TYPE_MEMBERS = 240,
    TYPE_BASE = 256,
    TYPE_DICT = 264,
    TYPE_DICT_OFFSET = 288,
    TYPE_IS_GC = 328,
    TYPE_BASES = 336,
    TYPE_MRO = 344,
    TYPE_SUBCLASSES = 360,
    TYPE_BYTES = 376
};

#define PY_INLINE_VALUES   (UINT64_C(1) << 2) /* 3.13 */
#define PY_MANAGED_WEAKREF (UINT64_C(1) << 3) /* 3.12 */
#define PY_MANAGED_DICT    (UINT64_C(1) << 4) /* 3.11 */
#define PY_HEAP_TYPE       (UINT64_C(1) << 9)
#define PY_HAS_GC          (UINT64_C(1) << 14)
#define PY_IS_LONG         (UINT64_C(1) << 24)
#define PY_IS_LIST         (UINT64_C(1) << 25)
#define PY_IS_TUPLE        (UINT64_C(1) << 26)
#define PY_IS_TEXT         (UINT64_C(1) << 28)
#define PY_IS_DICT         (UINT64_C(1) << 29)
#define PY_IS_EXCEPTION    (UINT64_C(1) << 30)
#define PY_IS_TYPE         (UINT64_C(1) << 31)

typedef enum pykind {
    KIND_PLAIN, /* members, instance dict, and what its traverse tells */
    KIND_LEAF,  /* refers to nothing */
    KIND_DICT,
    KIND_LIST,
    KIND_TUPLE,
    KIND_SET,
    KIND_FUNCTION,
    KIND_METHOD,
    KIND_CODE,
    KIND_GENERATOR,
    KIND_FRAME,
    KIND_MODULE,
    KIND_TYPE,
    KIND_WEAK,
    KIND_CELL,
    KIND_EXCEPTION,
    KIND_TRACEBACK,
    KIND_VARIABLES, /* of a context: structure_has_variables() */
    KIND_ARRAY
} pykind;

typedef enum pysizing { SIZE_PLAIN, SIZE_LIST, SIZE_DICT, SIZE_SET, SIZE_INTEGER, SIZE_TEXT, SIZE_CALL } pysizing;

typedef struct pymember {
    uint32_t offset, label;
} pymember;

typedef struct pytype { /* of the program, as it was read, and how its objects are */
    uint64_t at, flags, basic, item, traverse, is_gc, base, dict, size_function;
    int64_t dict_offset, weaklist_offset;
    pykind kind;
    pysizing size;
    char *c_name; /* tp_name */
    uint32_t number;
    uint32_t member_count;
    bool is_exact;  /* dict, list, tuple, set itself, not a class made of it */
    bool is_mapped; /* mmap */
    bool has_rules; /* edges.c */
    bool is_opaque; /* its traverse could not be interpreted */
    pymember *members;
} pytype;

/* ---- tables.c ---- */

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

typedef enum pynaming {
    NAME_STRING,
    NAME_TYPE,
    NAME_FUNCTION_TYPE,
    NAME_CODE_TYPE,
    NAME_PART_TYPE,
    NAME_FIELD,
    NAME_GLOBAL,
    NAME_VALUE,
    NAME_VARIABLE,
    NAME_KINDS
} pynaming;

typedef struct pytables {
    hsd_names texts[NAME_KINDS];
    uint32_t *numbers[NAME_KINDS], rooms[NAME_KINDS]; /* by number of the text */
    uint32_t next_string, next_type, next_label, key_count;
} pytables;

/* ---- the whole ---- */

typedef enum pyrole {
    ROLE_NONE,
    ROLE_INSTANCE_DICT,
    ROLE_MODULE_DICT,
    ROLE_CLASS_DICT,
    ROLE_LOOSE_CLASS_DICT, /* of a class that its module does not have */
    ROLE_THREADS
} pyrole;

#define PY_MODULE_CACHE 256u

typedef struct pymodule { /* by the str that its classes have as __module__ */
    uint64_t name, globals;
} pymodule;

typedef struct pyvisit { /* what is known of an object that was met */
    uint64_t at;
    int64_t balance; /* references found, less those that it counts */
    uint8_t role;
    bool is_written, waits;
} pyvisit;

typedef struct pycandidate {
    uint64_t target;
    uint32_t label;
    bool is_used, is_held;
} pycandidate;

typedef struct pylist { /* addresses that grow */
    uint64_t *at;
    uint32_t count, room;
} pylist;

typedef struct pycore {
    hsd_import *import;
    pymemory memory;
    layout at; /* of its version, moved to where this build has it */
    pylinks links;
    pysymbol symbols[PY_NAMES];
    char version[32];
    uint64_t interpreter; /* the first one */
    uint64_t general_lookup;
    bool can_interpret;        /* its machine is one that machine.c knows */
    struct pymachine *machine; /* NULL: none was needed yet */
    /* links.c */
    uint32_t python_file;
    hsd_names exports; /* of that file */
    uint64_t *export_addresses;
    hsd_id_table link_ids;
    pylink *links_of_files;
    uint32_t export_room, link_room;
    /* plans.c */
    hsd_id_table type_ids;
    pytype **types, *last_type;
    uint32_t type_room;
    pytables tables;
    /* walk.c */
    hsd_id_table ids;
    pyvisit *visits; /* by number - 1 */
    uint32_t visit_room;
    pylist queue, told; /* those that wait; what a traverse has told */
    pycandidate candidates[PY_CANDIDATES_MAX];
    pymodule modules[PY_MODULE_CACHE];
    uint32_t module_lookups;
    size_t candidate_count, candidates_left;
    uint64_t targets[PY_OUT_ROWS], indexes[PY_OUT_ROWS]; /* of the object under way */
    uint32_t labels[PY_OUT_ROWS];
    size_t out_count;
    uint32_t generation_string[5], thread_count;
    uint64_t references, most_references, steps, most_steps, most_steps_of_call;
    uint64_t tracked, held_objects, held_references, opaque, unsized, strange, torn;
    hsd_error failure; /* of what cannot return one */
    bool has_failed;
} pycore;

static inline uint64_t py_word(pycore *c, uint64_t address) { return hsd_pymemory_word(&c->memory, address); }
static inline uint64_t py_symbol(const pycore *c, pyname name) { return c->symbols[name].address; }
static inline uint64_t py_type_of(pycore *c, uint64_t object) { return py_word(c, object + AT_TYPE); }
static inline bool py_is(const pytype *type, uint64_t flag) { return type != NULL && (type->flags & flag) != 0; }

/* Notes the first failure of what cannot return one; false. */
bool hsd_pycore_failed(pycore *c, const hsd_error *err);
/* What was noted, and whether a read has failed. */
hsd_status hsd_pycore_check(pycore *c, hsd_error *err);

hsd_status hsd_pycore_find_runtime(pycore *c, hsd_error *err);
uint64_t hsd_pycore_first_thread(pycore *c, uint64_t interpreter);
uint64_t hsd_pycore_next_interpreter(pycore *c, uint64_t interpreter);
int64_t hsd_pycore_interpreter_number(pycore *c, uint64_t interpreter);

/* ---- values.c ---- */

typedef struct pyentries {
    uint64_t next; /* of the keys table */
    uint64_t left, stride;
    uint64_t values;   /* of a split table, in the order of the keys; 0: none */
    bool is_text_only; /* its keys are all str */
} pyentries;

pyentries hsd_pyvalues_dict(pycore *c, uint64_t dict);
/* Of an instance that has its attributes behind or beside it, without a dict. */
pyentries hsd_pyvalues_inline(pycore *c, uint64_t object, const pytype *type);
bool hsd_pyvalues_next(pycore *c, pyentries *entries, uint64_t *key, uint64_t *value);
/* The instance's own dict, 0 if it has none. */
uint64_t hsd_pyvalues_instance_dict(pycore *c, uint64_t object, const pytype *type);
/* By the text of a str; 0. */
uint64_t hsd_pyvalues_find(pycore *c, uint64_t dict, const char *key);
uint64_t hsd_pyvalues_attribute(pycore *c, uint64_t object, const char *name);
/* The globals of a module of sys.modules. */
uint64_t hsd_pyvalues_module(pycore *c, uint64_t interpreter, const char *name);
/* A str as UTF-8, cut to the room; its length. */
size_t hsd_pyvalues_utf8(pycore *c, uint64_t text, char *out, size_t room);
/* The characters of a compact ASCII str of at most `room`; false for any other. */
bool hsd_pyvalues_ascii(pycore *c, uint64_t text, char *out, size_t room, size_t *size);
bool hsd_pyvalues_is_interned(pycore *c, uint64_t text);
/* Bytes of a keys table, if it belongs to this dict alone, and of its values. */
uint64_t hsd_pyvalues_dict_bytes(pycore *c, uint64_t dict);

/* ---- links.c ---- */

/* Of all files that were mapped, as far as they can be read. */
hsd_status hsd_pylinks_read(pycore *c, hsd_error *err);
bool hsd_pylinks_find(const pycore *c, uint64_t address, pylink *out);
void hsd_pylinks_close(pycore *c);

/* ---- machine.c ---- */

/* Told of what the function hands to the visitor that it was given. */
typedef bool (*pyvisitor)(void *context, uint64_t target);

/* Interprets a tp_traverse over an object. False: it could not be. */
bool hsd_pymachine_traverse(pycore *c, uint64_t function, uint64_t object, pyvisitor visit, void *context);
/* A function of C of two arguments: what it returns, or, where that is an int of Python's, its value. */
bool hsd_pymachine_call(pycore *c, uint64_t function, uint64_t first, uint64_t second, uint64_t *result);
void hsd_pymachine_close(pycore *c);

/* ---- plans.c, naming.c ---- */

/* NULL for what is no type (no failure), and without memory (a failure is noted). */
pytype *hsd_pyplans_of(pycore *c, uint64_t type);
/* The type of an object; NULL where there is none. */
pytype *hsd_pyplans_of_object(pycore *c, uint64_t object);
bool hsd_pyplans_is_subtype(pycore *c, const pytype *type, uint64_t of);
/* Has it a head of the collector? */
bool hsd_pyplans_is_gc(pycore *c, const pytype *type, uint64_t object);
bool hsd_pyplans_is_called(const pytype *type, const char *name);
void hsd_pyplans_close(pycore *c);

size_t hsd_pynaming_type(pycore *c, const pytype *type, char out[PY_NAME_BYTES]);
/* Names of what its objects have at fixed places. False with a failure noted. */
bool hsd_pynaming_members(pycore *c, pytype *type);
/* The number of the type of one function, method, generator or frame, whose name is part of it. */
uint32_t hsd_pynaming_function(pycore *c, const pytype *type, uint64_t object);

/* ---- tables.c ---- */

hsd_status hsd_pytables_open(pycore *c, hsd_error *err);
/* The number of this text, defined when it is new; 0 with a failure noted. */
uint32_t hsd_pytables_put(pycore *c, pynaming kind, const char *text, size_t size);
/* The label of an entry whose key this is, if the key may be told; else `fallback`. */
uint32_t hsd_pytables_key(pycore *c, pynaming kind, uint64_t key, uint32_t fallback);
/* The label of an entry that has a name of the program's, in which a number is `*`: those of a pool are one. */
uint32_t hsd_pytables_numbered(pycore *c, char *text, size_t size, uint32_t fallback);
void hsd_pytables_close(pycore *c);

/* ---- walk.c, edges.c, sizes.c ---- */

hsd_status hsd_pywalk_all(pycore *c, hsd_error *err);
bool hsd_pywalk_is_over(const pycore *c);
/* A reference of the object that is being written; a target of 0 is none. */
void hsd_pywalk_refer(pycore *c, uint64_t target, uint32_t label, uint64_t index, pyrole as, bool is_counted);
/* Meets an object for a root. False for 0, and for what is none. */
bool hsd_pywalk_meet(pycore *c, uint64_t object, bool is_counted);
/* Is it counted more often than referred to? Known once all is written. */
bool hsd_pywalk_is_held(const pycore *c, uint64_t object);
/* Writes it now, unless it is written, and then what waits. */
void hsd_pywalk_write(pycore *c, uint64_t object, pyrole as, uint32_t name);
uint64_t hsd_pywalk_refcount(const pycore *c, uint64_t word, bool *is_immortal);

void hsd_pyedges_of(pycore *c, pytype *type, uint64_t object, pyrole as);
bool hsd_pyedges_has_rules(pycore *c, const pytype *type);

typedef struct pysizes {
    uint64_t bytes, outside;
} pysizes;

pysizes hsd_pysizes_of(pycore *c, pytype *type, uint64_t object);

/* ---- roots.c, frames.c ---- */

void hsd_pyroots_modules(pycore *c, uint64_t interpreter);
void hsd_pyroots_interpreter(pycore *c, uint64_t interpreter);
void hsd_pyroots_tasks(pycore *c, uint64_t interpreter);
/* As the agent's roots_is_named. */
bool hsd_pyroots_is_named(pycore *c, uint64_t class, const pytype *type);
void hsd_pyroots_account(pycore *c, uint64_t object, const pytype *type, pyvisit *visit);
void hsd_pyroots_held(pycore *c);
void hsd_pyroots_put(pycore *c, hsc_root_kind kind, uint32_t flags, const char *label, uint64_t target);

void hsd_pyframes_of_threads(pycore *c, uint64_t interpreter);
/* The label of a Thread in threading._active: its name. */
uint32_t hsd_pyframes_thread_label(pycore *c, uint64_t thread);
/* The code object of a frame, 0 if there is none. */
uint64_t hsd_pyframes_code(pycore *c, uint64_t frame);

typedef struct pyvariables {
    uint64_t values, count, named; /* variables with names first, then the stack */
} pyvariables;

pyvariables hsd_pyframes_variables(pycore *c, uint64_t frame);
/* The str that names a variable, 0 behind the last. */
uint64_t hsd_pyframes_variable_name(pycore *c, uint64_t code, uint64_t i);
/* A reference as frames hold it: without the marks that later versions keep in it. */
static inline uint64_t hsd_pyframes_plain(const pycore *c, uint64_t word)
{
    return c->at.minor >= 14 ? word & ~UINT64_C(3) : word;
}

#endif
