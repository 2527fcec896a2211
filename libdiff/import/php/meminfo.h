/*
 * Dumps of php-meminfo, an extension of PHP (meminfo_dump): JSON with an item for each object and each slot that holds
 * another value.
 *
 *      header    numbers of the memory manager
 *      items     address: type, size; of a variable its name and the frame it is in; of an object its class and its
 *                number; of an object or an array its children, by property or key
 *
 *      meminfo  meminfo.c   the row of the registry, header and end
 *      item     item.c      items as they come, one pass
 *      tables   tables.c    types, names of variables, labels of properties and keys
 *
 * Almost JSON: what stands behind "object_handle" of an object without properties is a comma and the end of the item.
 *
 * The address of an object is its own. That of any other value is the address of the slot it lies in: of a variable, a
 * property, an element of an array. So an array that two variables share is two items with the same children, and
 * numbers, booleans and null are part of what they lie in.
 *
 * Keys of arrays are the program's data, as in Luau: one is told if it looks like a name and 16 arrays have it, or if a
 * class has a property of that name.
 */
#ifndef HSD_IMPORT_PHP_MEMINFO_H
#define HSD_IMPORT_PHP_MEMINFO_H

#include "import/importer.h"
#include "import/json.h"
#include "import/texts.h"

enum {
    MEMINFO_TEXT_BYTES = 512,   /* kept of a name */
    MEMINFO_KEY_BYTES = 60,     /* of a key that can be told */
    MEMINFO_FEW_ARRAYS = 16,    /* that must have it in common */
    MEMINFO_MAP_KEYS = 256,     /* what an array has beyond so many are no names */
    MEMINFO_LEAST_WORDS = 1024, /* properties and keys that get labels of their own */
    MEMINFO_MOST_WORDS = 65536
};

enum { MEMINFO_LABEL_ELEMENT = 1, MEMINFO_LABEL_ENTRY, MEMINFO_LABEL_FREE };

typedef struct meminfo_text {
    char data[MEMINFO_TEXT_BYTES];
    size_t size;
} meminfo_text;

/* One item, as far as it was read. */
typedef struct meminfo_item {
    hsc_object record; /* its type is 0 until it is known */
    meminfo_text symbol, frame;
    uint64_t children;
    bool has_type, is_object, is_map, is_root, is_begun;
} meminfo_item;

typedef struct meminfo {
    hsd_import *import;
    hsd_import_json json;
    meminfo_item item;
    hsd_names types, words; /* number of a word: its label - MEMINFO_LABEL_FREE */
    hsd_import_texts texts;
    uint32_t *seen; /* by word: arrays that have it, MEMINFO_FEW_ARRAYS for a property */
    uint32_t seen_room, words_most;
    bool is_cut;
} meminfo;

/* ---- item.c ---- */

/* Reads the items, and writes each. */
hsd_status hsd_meminfo_items(meminfo *m, hsd_error *err);

/* ---- tables.c ---- */

/* Behind hsd_import_begin: the labels that are always there. */
hsd_status hsd_meminfo_begin_tables(meminfo *m, hsd_error *err);
/* The type of the item: a class, or what a value is. */
hsd_status hsd_meminfo_put_type(meminfo *m, hsd_bytes name, bool is_class, uint32_t *number, hsd_error *err);
/* The label of a child, and which element it is. */
hsd_status hsd_meminfo_label(meminfo *m, hsd_bytes key, uint32_t *label, uint64_t *index, hsd_error *err);
/* The variable that the item is. */
hsd_status hsd_meminfo_write_root(meminfo *m, hsd_error *err);
/* Names of labels, when all has been read. */
hsd_status hsd_meminfo_name_labels(meminfo *m, hsd_error *err);

#endif
