/*
 * Heap dumps of PyHeap (.pyheap): objects of a CPython with what gc.get_referents says of each, in the order in which
 * its dumper came upon them. Big-endian, read in one pass:
 *
 *      header     a number that is always the same, version 1, a date, flags
 *      threads    frames with file, line, function, and the names and addresses of their variables
 *      names      of frequent attributes; then the attributes that every int, str, list … has
 *      objects    address, type, bytes, referents; attributes (name, address), unless it is of a frequent type; its repr
 *      types      address and name
 *
 * Types are numbered by their address and named at the end. A referent gets the name of the attribute that leads to the
 * same object. Attributes are what dir() says, those of the class with them: only those of a module count as
 * references, and each of them is an owner, "app.cache.SESSIONS". Of a repr nothing is kept but the name of a module.
 */
#ifndef HSD_IMPORT_PYHEAP_H
#define HSD_IMPORT_PYHEAP_H

#include "base/names.h"
#include "import/id_table.h"
#include "import/importer.h"

enum { PYHEAP_LABEL_NONE, PYHEAP_LABEL_FIRST };
/* Of an object, kept while it is read; what has more is written as it comes, without names. */
enum { PYHEAP_MOST_KEPT = 1 << 16, PYHEAP_MOST_NAMED = 256, PYHEAP_MOST_ATTRIBUTES = 4096 };

typedef struct pyheap_attribute {
    uint32_t name; /* of `names` */
    uint64_t target;
} pyheap_attribute;

typedef struct pyheap {
    hsd_import *import;
    hsd_source *source;
    hsd_names names;     /* of attributes */
    hsd_names strings;   /* of the capture, number - 1 */
    hsd_id_table fields; /* name -> label of a field; with bit 32 of a named root */
    uint32_t *frequent;  /* names by their index */
    hsd_id_table common; /* types without attributes of their own */
    hsd_id_table types;  /* address -> number */
    uint8_t *is_named;   /* by number of a type */
    uint64_t *referents;
    pyheap_attribute *attributes;
    uint32_t frequent_count, frequent_room, referent_room, attribute_room, type_room, label_count, thread_count;
    bool has_texts, is_cut;
} pyheap;

/* ---- read.c ---- */

hsd_status hsd_pyheap_number(pyheap *p, unsigned bytes, uint64_t *out, hsd_error *err);
/* A text whose size stands in front of it, in two bytes; what is behind `room` is passed over. */
hsd_status hsd_pyheap_text(pyheap *p, char *out, size_t room, size_t *size, hsd_error *err);
/* The name of an attribute, which may be an index of a frequent one. */
hsd_status hsd_pyheap_name(pyheap *p, uint32_t *name, hsd_error *err);
hsd_status hsd_pyheap_header(pyheap *p, hsd_error *err);
hsd_status hsd_pyheap_frequent(pyheap *p, hsd_error *err);
/* HSD_E_OVER_BUDGET when tables take more than they may. */
hsd_status hsd_pyheap_check_memory(const pyheap *p, hsd_error *err);

/* ---- write.c ---- */

hsd_status hsd_pyheap_threads(pyheap *p, hsd_error *err);
hsd_status hsd_pyheap_objects(pyheap *p, hsd_error *err);
hsd_status hsd_pyheap_types(pyheap *p, hsd_error *err);
/* What no record has named. */
hsd_status hsd_pyheap_name_rest(pyheap *p, hsd_error *err);

#endif
