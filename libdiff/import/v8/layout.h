/*
 * What the header of a heap snapshot says about its number lists: which column holds what, which
 * number means which type. Columns and types are found by name, never by place, because every
 * version of V8 has moved them.
 */
#ifndef HSD_IMPORT_V8_LAYOUT_H
#define HSD_IMPORT_V8_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "import/json.h"

#define HSD_V8_MAX_COLUMNS 32
#define HSD_V8_MAX_TYPES   63 /* of nodes, of edges */
#define HSD_V8_NO_COLUMN   HSD_V8_MAX_COLUMNS

/* Node types by what the importer does with them. */
typedef enum hsd_v8_class {
    HSD_V8_OTHER, /* a type this build has never heard of */
    HSD_V8_HIDDEN,
    HSD_V8_ARRAY,
    HSD_V8_STRING,
    HSD_V8_OBJECT,
    HSD_V8_CODE,
    HSD_V8_CLOSURE,
    HSD_V8_REGEXP,
    HSD_V8_NUMBER,
    HSD_V8_NATIVE,
    HSD_V8_SYNTHETIC,
    HSD_V8_CONCATENATED_STRING,
    HSD_V8_SLICED_STRING,
    HSD_V8_SYMBOL,
    HSD_V8_BIGINT,
    HSD_V8_OBJECT_SHAPE,
    HSD_V8_WASM_OBJECT,
    HSD_V8_CLASS_COUNT
} hsd_v8_class;

typedef enum hsd_v8_edge {
    HSD_V8_EDGE_OTHER,
    HSD_V8_EDGE_CONTEXT,
    HSD_V8_EDGE_ELEMENT,
    HSD_V8_EDGE_PROPERTY,
    HSD_V8_EDGE_INTERNAL,
    HSD_V8_EDGE_HIDDEN,
    HSD_V8_EDGE_SHORTCUT,
    HSD_V8_EDGE_WEAK,
    HSD_V8_EDGE_COUNT
} hsd_v8_edge;

typedef struct hsd_v8_layout {
    unsigned node_width, edge_width;
    uint64_t node_reciprocal; /* 2^64 / node_width, rounded up: an offset below 2^32 times it, shifted by
                               * 64, is the number of the node */
    /* Columns of a node; what else there may be is not looked at. */
    unsigned type, name, id, self_size, edge_count_column;
    unsigned detachedness; /* HSD_V8_NO_COLUMN: the file has none */
    unsigned trace;        /* number of its allocation stack, the same */
    /* Columns of an edge. */
    unsigned edge_type, edge_name, to_node;
    /* Columns of a location; all HSD_V8_NO_COLUMN if the file has none. */
    unsigned location_width, location_object, location_script, location_line, location_column;

    unsigned node_type_count, edge_type_count;
    uint8_t node_class[HSD_V8_MAX_TYPES + 1]; /* by the file's number of the type */
    uint8_t edge_kind[HSD_V8_MAX_TYPES + 1];
    char node_type_name[HSD_V8_MAX_TYPES + 1][32]; /* for types unknown to this build */

    uint64_t node_count, edge_count; /* as the header says; 0 = it does not */
    uint64_t trace_count;            /* functions that allocated; 0: allocations were not tracked */
    bool has_known_traces;           /* stacks have the columns that are known */
    uint64_t extra_native_bytes;
    bool has_extra_native_bytes;
} hsd_v8_layout;

/*
 * Reads the value of "snapshot". HSD_E_CORRUPT when it is no such header or a needed column is
 * missing, HSD_E_UNSUPPORTED when there are more columns or types than a snapshot can sensibly have.
 */
hsd_status hsd_v8_layout_read(hsd_v8_layout *layout, hsd_import_json *json, hsd_error *err);

/* The class of a type number of the file. */
static inline hsd_v8_class hsd_v8_class_of(const hsd_v8_layout *layout, uint64_t type)
{
    return type < layout->node_type_count ? (hsd_v8_class)layout->node_class[type] : HSD_V8_OTHER;
}

static inline hsd_v8_edge hsd_v8_edge_of(const hsd_v8_layout *layout, uint64_t type)
{
    return type < layout->edge_type_count ? (hsd_v8_edge)layout->edge_kind[type] : HSD_V8_EDGE_OTHER;
}

/* The name of a node class as V8 writes it: "object shape". */
const char *hsd_v8_class_name(hsd_v8_class class);

#endif
