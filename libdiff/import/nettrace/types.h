/*
 * The types of a .NET heap: ids of the runtime -> numbers of the capture, in order of arrival, and their names, which
 * come when they come, often behind the objects. Also the static fields, whose labels are made of the names of types.
 */
#ifndef HSD_IMPORT_NETTRACE_TYPES_H
#define HSD_IMPORT_NETTRACE_TYPES_H

#include <stdbool.h>

#include "base/arena.h"
#include "import/id_table.h"
#include "import/importer.h"
#include "import/nettrace/read.h"

typedef struct nettrace_type {
    hsd_bytes name;          /* size 0: not told */
    uint64_t objects, bytes; /* for a summary */
} nettrace_type;

typedef struct nettrace_static {
    uint32_t type; /* of what the field holds */
    bool is_thread_local;
    hsd_bytes field;
} nettrace_static;

typedef struct nettrace_types {
    hsd_id_table numbers; /* id -> number */
    nettrace_type *types;
    uint32_t capacity;
    nettrace_static *statics; /* from 1 */
    uint32_t static_count, static_capacity;
    hsd_arena texts;
    hsd_buffer scratch;
    uint64_t memory_bytes; /* for all of it */
} nettrace_types;

/* The number of a type id, a new one if it was not seen before. */
hsd_status hsd_nettrace_types_put(nettrace_types *types, uint64_t id, uint32_t *number, hsd_error *err);

/* The name of a type as the runtime writes it, in UTF-16. The first one counts. */
hsd_status hsd_nettrace_types_name(nettrace_types *types, uint64_t id, hsd_bytes units, hsd_error *err);

/* A static field: *number is that of its label among the static fields, from 1. */
hsd_status hsd_nettrace_types_static(nettrace_types *types, uint64_t type_id, hsd_bytes field_units,
                                     bool is_thread_local, uint32_t *number, hsd_error *err);

/* Writes names of types and labels of static fields (string `first_string` + number), and the totals of a summary. */
hsd_status hsd_nettrace_types_write(nettrace_types *types, hsd_import *import, uint32_t first_string, hsd_error *err);

void hsd_nettrace_types_release(nettrace_types *types);

/*
 * A name of the runtime in the words of C#: `System.Collections.Generic.List`1[Shop.Cart`1+Line[System.Int32]]` becomes
 * `System.Collections.Generic.List<Shop.Cart.Line<System.Int32>>`; arrays stay as they are. Appends to `out`.
 */
hsd_status hsd_nettrace_pretty(hsd_buffer *out, hsd_bytes name, hsd_error *err);

/* UTF-16, little-endian, as UTF-8; what is no character becomes U+FFFD. Appends to `out`. */
hsd_status hsd_nettrace_utf8(hsd_buffer *out, hsd_bytes units, hsd_error *err);

#endif
