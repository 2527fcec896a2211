/*
 * Heap dumps of Luau (lua_memorydump, luaC_dump): one line an object, the main thread first, then roots, sizes and
 * names of memory categories. Several passes, for lines speak of what stands behind them, but only the last reads all
 * there is:
 *
 *      skim     skim.c     strings and the end: where "__mode" and its like lie, what the roots are, whether the dump is whole
 *      learn    learn.c    tables and functions: which tables are weak, which keys are names of fields, where functions stand
 *      (skim)              once more where tables say that they are weak: what their "__mode" is
 *      write    write.c    objects with their references
 *      (skim)              once more where weak tables have keys: which of them are strings, which the collector never takes out
 *
 *      text     text.c     lines and their tokens, straight from the window of the source
 *      object   object.c   one line, its keys in any order
 *      stack    stack.c    names for the slots of a thread
 *      tables   tables.c   numbers for strings, types and labels of the capture
 *      names    names.c    what they are called, when all is known
 *
 * Almost JSON. Names of functions and categories are printed as they are, quotes included. An object of a class has a
 * name without quotes and a list that is never closed; a vector of doubles has no value at all. A line may have any
 * length: a table of a million elements is one of 17 MB. What cannot be read is passed over up to the next line, and
 * counted. Sizes are 32 bits, and may be negative. Lists leave out what is no object, so that their places are not
 * those of the elements.
 *
 * Keys of tables are the program's data: one is told if it looks like a name and 16 tables
 * have it, or if it is that of a global variable, of the program or of one thread. Large tables are maps, whose keys
 * are no names.
 *
 * Luau never moves objects: addresses are ids, and may be used again. The process instance is told by where its main
 * thread and its registry lie.
 */
#ifndef HSD_IMPORT_LUAU_H
#define HSD_IMPORT_LUAU_H

#include <string.h>

#include "base/buffer.h"
#include "import/id_table.h"
#include "import/importer.h"
#include "import/texts.h"

enum {
    LUAU_CATEGORIES = 256,
    LUAU_TEXT_BYTES = 4096,    /* kept of any text */
    LUAU_NAME_BYTES = 60,      /* of a name of the program's */
    LUAU_KEYS_MOST = 65536,    /* keys that may become names of fields */
    LUAU_WANTED_MOST = 262144, /* those, global variables, and names of types */
    LUAU_FEW_TABLES = 16,      /* that must have a key in common */
    LUAU_MAP_BYTES = 32768,    /* tables of this size are maps */
    LUAU_STACK_MOST = 65536,   /* slots of a thread that get their names */
    LUAU_VECTOR_BYTES = 32     /* of three doubles; the least that a vector without a value takes */
};

typedef enum luau_kind {
    LUAU_UNKNOWN,
    LUAU_STRING,
    LUAU_TABLE,
    LUAU_FUNCTION,
    LUAU_USERDATA,
    LUAU_THREAD,
    LUAU_BUFFER,
    LUAU_PROTO,
    LUAU_UPVALUE,
    LUAU_CLASS,
    LUAU_OBJECT,
    LUAU_VECTOR,
    LUAU_KINDS
} luau_kind;

/* Lists of references, and single ones. */
typedef enum luau_edge {
    LUAU_ARRAY,
    LUAU_UPVALUES,
    LUAU_STACK,
    LUAU_CONSTANTS,
    LUAU_PROTOS,
    LUAU_MEMBERS,
    LUAU_MEMBER_NAMES,
    LUAU_STATICS,
    LUAU_ENV,
    LUAU_PROTO_OF,
    LUAU_METATABLE,
    LUAU_CLASS_OF,
    LUAU_SUPER,
    LUAU_VALUE,
    LUAU_INSTANCES,
    LUAU_OFFSETS,
    LUAU_EDGES
} luau_edge;

/* Strings of the capture: names of categories, by their numbers, in front of all others. */
enum { LUAU_STRING_CATEGORIES = 1, LUAU_STRING_FIRST = LUAU_STRING_CATEGORIES + LUAU_CATEGORIES };

/* Labels of the capture: those of edges are LUAU_LABEL_EDGES and the edge, those of keys stand behind all others. */
enum {
    LUAU_LABEL_EDGES = 1,
    LUAU_LABEL_KEY = LUAU_LABEL_EDGES + LUAU_EDGES,
    LUAU_LABEL_ENTRY,
    LUAU_LABEL_WEAK_KEY,
    LUAU_LABEL_WEAK_ENTRY,
    LUAU_LABEL_CALLED,
    LUAU_LABEL_GLOBAL,
    LUAU_LABEL_REGISTERED,
    LUAU_LABEL_FREE
};

/* What is in front of everything else in a line, and what is there once. 0 = not there. */
typedef struct luau_line {
    luau_kind kind;
    uint64_t address, size_bytes;
    uint32_t category;          /* LUAU_CATEGORIES: not told */
    bool is_wrapped;            /* the size was negative: it is modulo 2^32 */
    bool is_cut, is_long;       /* the input ends inside it; it is longer than the window */
    uint64_t edges[LUAU_EDGES]; /* of those that are no lists */
    hsd_bytes name, source;     /* in lu->name_text and lu->source_text */
    hsd_bytes data;             /* of a string, its first bytes: until the next line */
    uint64_t data_bytes, data_hash, line;
} luau_line;

/* Strings that are wanted: keys, names of types. */
#define LUAU_USE_KEY      0x1u /* of any table */
#define LUAU_USE_GLOBAL   0x2u /* of the table of globals */
#define LUAU_USE_REGISTRY 0x4u
#define LUAU_USE_NAME     0x8u /* value of __type or __name */
typedef struct luau_wanted {
    uint64_t address;
    uint32_t seen; /* tables that have it for a key, up to LUAU_FEW_TABLES */
    uint32_t uses;
    uint32_t string;                  /* of the capture, 0 = it may not be told, or is no string */
    uint32_t field, global, registry; /* labels, 0 = not used */
} luau_wanted;

/* What a table says that is a metatable: addresses of strings and tables. */
typedef struct luau_meta {
    uint64_t table, mode, type, name, index;
    bool weak_keys, weak_values;
} luau_meta;

typedef struct luau_proto {
    uint32_t source; /* string of the capture */
    uint64_t line;
} luau_proto;

/* A key in a table whose keys are weak. */
typedef struct luau_weak_key {
    uint32_t label;
    bool is_string;
} luau_weak_key;

/* No padding: it is compared as bytes. */
typedef struct luau_type {
    uint64_t address; /* the string that names it, a prototype, a class; 0 = by kind alone */
    uint32_t kind;
    uint32_t name; /* of a function: string of the capture */
} luau_type;

typedef struct luau_category {
    uint32_t name;  /* string; 0 = none */
    int64_t stated; /* bytes by the allocator, modulo 2^32 */
    bool is_stated, is_used;
    uint64_t objects_bytes;
} luau_category;

typedef struct luau {
    hsd_import *import;
    hsd_source *source;
    const uint8_t *at, *end; /* of the line: what is ahead of it, up to its newline or the end of the window */
    luau_line line;
    uint8_t name_text[LUAU_TEXT_BYTES], source_text[LUAU_TEXT_BYTES], data_text[LUAU_TEXT_BYTES];

    /* what the first skim learns */
    uint64_t end_offset; /* of what can be read */
    uint64_t main_thread, registry, globals;
    uint64_t mode_key, type_key, name_key, index_key; /* strings "__mode", "__type" … */
    bool is_whole, has_roots, has_size;
    int64_t stated_bytes;
    luau_category categories[LUAU_CATEGORIES];

    /* address -> row + 1 */
    hsd_id_table wanted, metas, protos, classes, modes, weak_keys, global_values, long_tables, environments;
    luau_wanted *wanted_rows;
    luau_meta *meta_rows;
    luau_proto *proto_rows;
    uint32_t *class_names; /* strings of the capture */
    uint8_t *mode_flags;   /* of strings that are a "__mode": 1 weak keys, 2 weak values */
    luau_weak_key *weak_key_rows;
    uint32_t *variable_labels;
    uint64_t *global_keys; /* by what name a table is a global */
    uint64_t *long_metatables;
    uint32_t wanted_room, meta_room, proto_room, class_room, mode_room, weak_key_room, global_room, long_room,
        variable_room;
    uint32_t weak_keys_most;
    bool has_enough_keys;

    hsd_import_texts strings;
    hsd_names types, variables, internals; /* texts and keys of types -> number - 1 */
    hsd_buffer internal_roots;             /* u64 each: strings that the machine itself holds */
    uint32_t next_label;
    bool is_object_open;
    hsd_buffer stack, labels; /* of the thread that is being read: u64 and u32 each */
    uint64_t objects, object_bytes, unreadable;
} luau;

/* ---- text.c. HSD_END: the line is not what it should be ---- */

/* The next line, behind the one that is being read; HSD_END behind the last. */
hsd_status hsd_luau_next_line(luau *lu, hsd_error *err);

/* Slow path of hsd_luau_look. */
hsd_status hsd_luau_more(luau *lu, size_t want, hsd_error *err);

/* `want` bytes are ahead, if the line has as many. */
static inline hsd_status hsd_luau_look(luau *lu, size_t want, hsd_error *err)
{
    return (size_t)(lu->end - lu->at) >= want || !lu->line.is_long ? HSD_OK : hsd_luau_more(lu, want, err);
}

/* Past this byte, or these words, if they stand here. */
static inline bool hsd_luau_take(luau *lu, char byte)
{
    if (lu->at == lu->end || *lu->at != (uint8_t)byte) return false;
    lu->at++;
    return true;
}
static inline bool hsd_luau_take_bytes(luau *lu, const char *words, size_t size)
{
    if ((size_t)(lu->end - lu->at) < size || memcmp(lu->at, words, size) != 0) return false;
    lu->at += size;
    return true;
}
#define HSD_LUAU_TAKE(lu, words) hsd_luau_take_bytes((lu), (words), sizeof(words) - 1)

/* "0x7f…" or "7F…" with its quotes: where it ends, NULL for anything else. */
const uint8_t *hsd_luau_address_at(const uint8_t *at, const uint8_t *end, uint64_t *address);
static inline bool hsd_luau_take_address(luau *lu, uint64_t *address)
{
    const uint8_t *behind = hsd_luau_address_at(lu->at, lu->end, address);
    if (behind != NULL) lu->at = behind;
    return behind != NULL;
}
bool hsd_luau_take_number(luau *lu, int64_t *number);

/* Where a text ends: at the next quote; at one that is followed by the next key or the end of the line; by the next of
 * a list or its end. */
typedef enum luau_ending { LUAU_AT_QUOTE, LUAU_BEFORE_KEY, LUAU_BEFORE_ITEM } luau_ending;

/* A text in quotes, its first bytes into `into`. */
hsd_status hsd_luau_read_text(luau *lu, luau_ending ending, uint8_t into[LUAU_TEXT_BYTES], hsd_bytes *text,
                              hsd_error *err);
/* The data of a string. */
hsd_status hsd_luau_read_data(luau *lu, hsd_error *err);
hsd_status hsd_luau_skip_value(luau *lu, hsd_error *err);

/* ---- object.c ---- */

/* Who reads lines. Functions may be NULL; without `item` lists are passed over. */
typedef struct luau_visit {
    hsd_status (*begin)(luau *lu, hsd_error *err); /* before the first list, or at its end */
    hsd_status (*pair)(luau *lu, uint64_t key, uint64_t value, hsd_error *err); /* 0: no object */
    hsd_status (*item)(luau *lu, luau_edge list, uint64_t target, hsd_error *err);
    hsd_status (*names)(luau *lu, hsd_error *err); /* at the list of names for the stack */
    hsd_status (*end)(luau *lu, hsd_error *err);
} luau_visit;

/* The address, kind, category and size of a line. HSD_END: it is no object that can be read. */
hsd_status hsd_luau_read_head(luau *lu, hsd_error *err);
/* The rest of it. */
hsd_status hsd_luau_read_keys(luau *lu, const luau_visit *visit, hsd_error *err);
/* Of a table whose line is in the window: its metatable, which is its last key. */
uint64_t hsd_luau_peek_metatable(const luau *lu);

/* ---- skim.c ---- */

/* Whether the line is one of a string. */
bool hsd_luau_is_string(const luau *lu);

typedef void (*luau_string_fn)(luau *lu, uint64_t address, hsd_bytes data);

/* Tells the strings of fewer than 256 bytes. */
hsd_status hsd_luau_skim(luau *lu, luau_string_fn tell, hsd_error *err);
/* The first time: what stands at the end as well. */
hsd_status hsd_luau_survey(luau *lu, hsd_error *err);

/* ---- learn.c ---- */

hsd_status hsd_luau_learn(luau *lu, hsd_error *err);
static inline const luau_meta *hsd_luau_meta_of(const luau *lu, uint64_t table)
{
    const uint32_t row = table == 0 ? 0 : hsd_id_table_find(&lu->metas, table);
    return row == 0 ? NULL : &lu->meta_rows[row - 1];
}
static inline luau_wanted *hsd_luau_wanted_of(const luau *lu, uint64_t string)
{
    const uint32_t row = hsd_id_table_find(&lu->wanted, string);
    return row == 0 ? NULL : &lu->wanted_rows[row - 1];
}

/* ---- tables.c ---- */

hsd_status hsd_luau_check_memory(const luau *lu, hsd_error *err);
hsd_status hsd_luau_put_string(luau *lu, hsd_bytes text, uint32_t *number, hsd_error *err);
static inline hsd_bytes hsd_luau_string_of(const luau *lu, uint32_t number)
{
    return number == 0 ? (hsd_bytes){(const uint8_t *)"", 0}
                       : hsd_names_get(&lu->strings.names, number - LUAU_STRING_FIRST);
}
hsd_status hsd_luau_put_words(luau *lu, const char *words, uint32_t *number, hsd_error *err);
/* Behind hsd_import_begin: strings that were met before, and the labels that are always there. */
hsd_status hsd_luau_begin_tables(luau *lu, hsd_error *err);
hsd_status hsd_luau_put_type(luau *lu, uint32_t *number, hsd_error *err);
/* The label of an entry of `table`. */
uint32_t hsd_luau_entry_label(luau *lu, uint64_t table, uint64_t key);
/* The label of a key in a table whose keys are weak. */
hsd_status hsd_luau_weak_key_label(luau *lu, uint64_t key, uint32_t *label, hsd_error *err);
/* The label of a slot of a stack, by what its name is. */
hsd_status hsd_luau_variable_label(luau *lu, hsd_bytes name, uint32_t *label, hsd_error *err);
/* "shop.luau:12" of the line, or 0. */
hsd_status hsd_luau_put_place(luau *lu, uint32_t *string, hsd_error *err);
/* Texts of programs without a file stand where the name of the file should be: they are not told. */
hsd_bytes hsd_luau_source_name(hsd_bytes source);
bool hsd_luau_is_name(hsd_bytes text, const char *also);

/* ---- names.c ---- */

/* Types, labels, categories, when all lines have been read. */
hsd_status hsd_luau_name_all(luau *lu, hsd_error *err);
hsd_status hsd_luau_write_metrics(luau *lu, hsd_error *err);

/* ---- stack.c ---- */

hsd_status hsd_luau_read_stack_names(luau *lu, hsd_error *err);

/* ---- write.c ---- */

hsd_status hsd_luau_write_objects(luau *lu, hsd_error *err);
hsd_status hsd_luau_write_roots(luau *lu, hsd_error *err);

#endif
