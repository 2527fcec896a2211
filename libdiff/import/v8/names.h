/*
 * Everything whose name is not known yet. In a heap snapshot names are numbers of strings, and the
 * strings come last. So whatever needs one (a type, a label, the name of a function) gets an entry
 * here, at its first appearance, with a number of its own in the capture; and when the strings pass by
 * at the end, each is handed to the entries that wait for it.
 *
 *      node  type closure, name #123   ->  entry {NAME, #123}          string 124 of the capture
 *      edge  property #77              ->  entry {FIELD, #77}  label 9
 *      …
 *      string #77 = "sessions"         ->  string 78 = "sessions", label 9 = .sessions
 *
 * The number of entries grows with the program (its classes, fields, functions), and has a fixed
 * limit for heaps in which data poses as names.
 */
#ifndef HSD_IMPORT_V8_NAMES_H
#define HSD_IMPORT_V8_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

typedef enum hsd_v8_wait {
    HSD_V8_WAIT_TYPE,         /* class of objects */
    HSD_V8_WAIT_NATIVE,       /* class of embedder objects */
    HSD_V8_WAIT_DETACHED,     /* the same, detached: "Detached " goes before */
    HSD_V8_WAIT_FIELD,        /* label of a property */
    HSD_V8_WAIT_VARIABLE,     /* label of a context's variable */
    HSD_V8_WAIT_BLOCK,        /* label of a block's variable; see blocks.h */
    HSD_V8_WAIT_INTERNAL,     /* label of V8's own */
    HSD_V8_WAIT_CELL,         /* the same, from a node of V8's; owner = entry of its WAIT_SOURCE, + 1 */
    HSD_V8_WAIT_SHORTCUT,     /* label of a second way to something */
    HSD_V8_WAIT_WEAK,         /* label of a weak reference of an object */
    HSD_V8_WAIT_MODULE_FIELD, /* label of a property of what may be a module; owner = entry of its class, + 1 */
    HSD_V8_WAIT_MODULE_TWICE, /* label of V8's own to what a property leads to as well; likewise */
    HSD_V8_WAIT_NAME,         /* name of objects: functions, code, hidden nodes */
    /* From here on each is put by hand, not found again. */
    HSD_V8_WAIT_GLOBAL_FIELD,   /* label of a property of a global object; owner = which */
    HSD_V8_WAIT_SCOPE_VARIABLE, /* label of a variable of a module or script; owner = which */
    HSD_V8_WAIT_EXPORT,         /* label of what an ES module exports; owner = which */
    HSD_V8_WAIT_CELLS,          /* label of items of a list of an ES module's cells; owner = which */
    HSD_V8_WAIT_TABLE,          /* label of items of an array, which may be a WeakMap's table */
    HSD_V8_WAIT_GLOBAL,         /* class of a global object; owner = which */
    HSD_V8_WAIT_SCRIPT,         /* path of a script; owner = its file */
    HSD_V8_WAIT_FILENAME,       /* path of what may be a module; owner = which. Only its number is wanted */
    HSD_V8_WAIT_FUNCTION,       /* name of a function; owner = which */
    HSD_V8_WAIT_ROOT,           /* name of a group of roots; owner = which */
    HSD_V8_WAIT_SOURCE,         /* name of a kind of V8's nodes */
    HSD_V8_WAIT_PROOF,          /* a name that proves a structure; number = bit set of proofs */
    HSD_V8_WAIT_TRACE,          /* a function that allocated, or its script */
    HSD_V8_WAIT_CHOICE,         /* a name that a block's variable may have; owner = which of which */
    HSD_V8_WAIT_CONSTRUCTED     /* class of what a place constructs; owner = which. Only its number is wanted */
} hsd_v8_wait;

/* Flags of an entry. */
#define HSD_V8_ENTRY_MOVABLE 0x1u  /* label: what it leads to is movable (marks.h); CELL: or V8's own */
#define HSD_V8_ENTRY_SEEN    0x2u  /* its string came */
#define HSD_V8_ENTRY_VALUE   0x4u  /* CELL: the string is "value"; SOURCE: it is "system / PropertyCell" */
#define HSD_V8_ENTRY_FOLD    0x8u  /* INTERNAL: leads into a container */
#define HSD_V8_ENTRY_PAIR    0x10u /* TABLE: the item is the value of a pair, which the key holds */
/* SOURCE: it is "system / SourceTextModule"; MODULE_FIELD: what the module exports */
#define HSD_V8_ENTRY_MODULE 0x20u
#define HSD_V8_ENTRY_WAITS  0x20u /* TYPE: its definition waits for source maps; see originals.h */
#define HSD_V8_ENTRY_CODED  0x40u /* FIELD: code mentions the name */
#define HSD_V8_ENTRY_HELD   0x80u /* FIELD, MODULE_FIELD: the text waits; see declared.h */

typedef struct hsd_v8_entry {
    uint32_t name;   /* number of the string in the snapshot */
    uint32_t number; /* type or label in the capture */
    uint32_t owner;
    uint32_t text; /* set when the string came: string in the capture, 0 = none */
    uint8_t wait;  /* hsd_v8_wait */
    uint8_t flags;
    uint8_t seen; /* FIELD: on how many objects, up to 255; `owner` is the first of them */
} hsd_v8_entry;

#define HSD_V8_NO_ENTRY UINT32_MAX

typedef struct hsd_v8_names {
    hsd_v8_entry *entries;
    uint32_t count, capacity;
    uint64_t *keys;   /* open addressing; 0 = empty */
    uint32_t *places; /* entry of the key */
    uint32_t slot_count, used;
    uint32_t next_type, next_label; /* numbers to be given next */
    uint64_t refused;               /* entries that the limit kept out */
} hsd_v8_names;

/* Most entries; types may have all of them, labels and names three quarters. */
#define HSD_V8_NAMES_LIMIT (UINT32_C(1) << 19)

/* Numbers below these are the importer's own: see import.h. */
hsd_status hsd_v8_names_init(hsd_v8_names *names, uint32_t first_type, uint32_t first_label, hsd_error *err);

static inline uint64_t hsd_v8_key(hsd_v8_wait wait, unsigned flags, uint32_t owner, uint32_t name)
{
    return (uint64_t)(owner << 8 | (uint32_t)wait << 2 | flags << 1 | 1u) << 32 | name;
}

static inline uint32_t hsd_v8_key_slot(uint64_t key, uint32_t slot_count)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & (slot_count - 1);
}

/* The entry of a key, or HSD_V8_NO_ENTRY. */
static inline uint32_t hsd_v8_names_find(const hsd_v8_names *names, uint64_t key)
{
    for (uint32_t slot = hsd_v8_key_slot(key, names->slot_count);; slot = (slot + 1) & (names->slot_count - 1)) {
        if (names->keys[slot] == key) return names->places[slot];
        if (names->keys[slot] == 0) return HSD_V8_NO_ENTRY;
    }
}

/*
 * The entry for these four, made if it is new: types and labels get their number. *out is
 * HSD_V8_NO_ENTRY when the limit is reached. `owner` must be below 2^23 here, flags 0 or MOVABLE.
 */
hsd_status hsd_v8_names_intern(hsd_v8_names *names, hsd_v8_wait wait, unsigned flags, uint32_t owner, uint32_t name,
                               uint32_t *out, hsd_error *err);

/* A new entry that is not looked for again. `number` 0: the next label. */
hsd_status hsd_v8_names_add(hsd_v8_names *names, hsd_v8_wait wait, uint32_t owner, uint32_t name, uint32_t number,
                            uint32_t *out, hsd_error *err);

/* Entries in ascending order of their strings: *order is an array of names->count, to be freed. */
hsd_status hsd_v8_names_order(const hsd_v8_names *names, uint32_t **order, hsd_error *err);

void hsd_v8_names_release(hsd_v8_names *names);

#endif
