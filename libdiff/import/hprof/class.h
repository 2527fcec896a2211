/*
 * The classes of an HPROF dump: what CLASS_DUMP and LOAD_CLASS say, by class id. Everything here
 * grows with the number of classes and their fields, never with objects.
 */
#ifndef HSD_IMPORT_HPROF_CLASS_H
#define HSD_IMPORT_HPROF_CLASS_H

#include "import/hprof/names.h"

typedef struct hprof_field { /* of an instance: own fields of one class, in the order of the dump */
    uint32_t name;           /* number of the string */
    uint8_t type;
} hprof_field;

typedef struct hprof_static { /* a static field, or an entry of the constant pool (name 0) */
    uint64_t value;           /* of a reference; other types: 0 */
    uint32_t name;
    uint8_t type;
} hprof_static;

typedef struct hprof_class {
    uint64_t id, super_id, loader, signers, domain;
    uint64_t first_instance; /* in the file; 0 = it has none */
    uint32_t name;           /* number of the string, 0 = no LOAD_CLASS */
    uint32_t serial;
    uint32_t instance_bytes;            /* as the dump says */
    uint32_t first_field, first_static; /* in the pools */
    uint32_t field_count, static_count;
    bool has_dump;
    bool is_sticky;    /* a root of kind STICKY_CLASS: held by the VM itself */
    bool is_lasting;   /* its loader goes with the program: its statics are roots (loader.c) */
    bool is_permanent; /* and so does the class: it is a root, too */
} hprof_class;

/* What the scan counts, apart from the class so that the hot loop touches one cache line. */
typedef struct hprof_tally {
    uint64_t objects; /* instances */
    uint64_t nearest; /* smallest step from one of them to the next object of the file */
    uint32_t arrays;  /* number of its hprof_array_tally, 0 = none */
    uint64_t bytes;   /* sum of the instances' bytes in the dump */
} hprof_tally;

/* Arrays of one type. Padding depends on the length modulo the alignment of objects alone, so this is
 * enough for the exact sum of their sizes, before it is known how the JVM lays out arrays. */
#define HPROF_REMAINDERS 32u /* the largest alignment that is told apart */

typedef struct hprof_array_tally {
    uint64_t arrays[HPROF_REMAINDERS]; /* by length modulo HPROF_REMAINDERS */
    uint64_t elements;
} hprof_array_tally;

typedef struct hprof_classes {
    hsd_id_table table;   /* class id -> number */
    hprof_class *items;   /* by number, from 1 */
    hprof_tally *tallies; /* likewise */
    uint32_t capacity, tally_capacity;
    hprof_field *fields;
    hprof_static *statics;
    uint64_t field_count, static_count;
    uint32_t field_capacity, static_capacity;
    hprof_array_tally *arrays;
    uint32_t array_count, array_capacity;
    hsd_id_table serials; /* class serial -> number in serial_class */
    uint32_t *serial_class;
    uint32_t serial_capacity;
} hprof_classes;

/* The number of a class, made if it is new. */
hsd_status hsd_hprof_put_class(hprof_classes *classes, uint64_t id, uint32_t *number, hsd_error *err);

/* The class with this id, NULL = unknown. */
static inline hprof_class *hsd_hprof_class(const hprof_classes *classes, uint64_t id)
{
    const uint32_t number = hsd_id_table_find(&classes->table, id);
    return number == 0 ? NULL : &classes->items[number];
}

/* LOAD_CLASS. The last one of a class wins. */
hsd_status hsd_hprof_load_class(hprof_classes *classes, uint32_t serial, uint64_t id, uint32_t name, hsd_error *err);

/* The class with this serial, NULL = unknown. */
hprof_class *hsd_hprof_class_of_serial(const hprof_classes *classes, uint32_t serial);

/* Reads CLASS_DUMP behind the class id into the tables (the first of a class counts). HSD_END as in
 * hsd_hprof_next_sub. */
hsd_status hsd_hprof_read_class(hprof_classes *classes, hprof_names *names, hprof_reader *reader, uint64_t id,
                                hsd_error *err);

/* Moves over CLASS_DUMP behind the class id. */
hsd_status hsd_hprof_skip_class(hprof_reader *reader, hsd_error *err);

/* The superclass, NULL at the top or where it is unknown. */
static inline hprof_class *hsd_hprof_super(const hprof_classes *classes, const hprof_class *of)
{
    return of->super_id == 0 ? NULL : hsd_hprof_class(classes, of->super_id);
}

/* A chain of superclasses longer than this is taken for a cycle. */
#define HPROF_MAX_DEPTH 512u

/* True if `of` or a superclass of it has this name in dotted form. */
bool hsd_hprof_descends(const hprof_classes *classes, const hprof_names *names, const hprof_class *of,
                        const char *dotted_name);

/* True if the raw name of a class is this one, dotted or with slashes. */
bool hsd_hprof_is_class(const hprof_names *names, const hprof_class *of, const char *dotted_name);

/* The first class of that name; NULL if the dump has none. */
const hprof_class *hsd_hprof_class_named(const hprof_classes *classes, const hprof_names *names,
                                         const char *dotted_name);

/* True if the class itself declares an instance field of that name. */
bool hsd_hprof_declares(const hprof_classes *classes, const hprof_names *names, const hprof_class *of,
                        const char *field);

/* Finds out which classes go with the program (is_lasting), once names are known (loader.c). */
void hsd_hprof_sort_loaders(hprof_classes *classes, const hprof_names *names);

uint64_t hsd_hprof_classes_memory(const hprof_classes *classes);
void hsd_hprof_classes_release(hprof_classes *classes);

#endif
