/*
 * A node whose references are about to be written, and what it is besides: what only all of its edges together
 * can tell.
 */
#ifndef HSD_IMPORT_V8_SOURCE_H
#define HSD_IMPORT_V8_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/v8/import.h"

typedef struct hsd_v8_source {
    hsd_v8_node node;
    hsd_v8_class class;
    uint32_t ordinal;
    uint32_t group;         /* of roots, or HSD_V8_NO_GROUP */
    uint32_t scope, global; /* or HSD_V8_NO_SCOPE */
    uint32_t function;      /* a closure's, or HSD_V8_NO_FUNCTION */
    uint32_t module;        /* a module, or what it exports by: its table, a cell; or HSD_V8_NO_MODULE */
    uint32_t exported;      /* by this cell: entry of its label; or HSD_V8_NO_ENTRY */
    uint32_t class_entry;   /* of what may be a CommonJS module: entry of its class, + 1; 0 = any other */
    uint32_t doubled;       /* of that: what a property and a reference of V8's own lead to; else UINT32_MAX */
    /* in the table of a module: target of the edge before, if that may be a string; else UINT32_MAX */
    uint32_t last_string;
    uint32_t kind;          /* V8's own: entry of its WAIT_SOURCE, + 1; 0 = any other */
    bool is_external;       /* its bytes are outside V8's heap */
    bool is_dictionary;     /* names of its properties are data */
    uint32_t block;         /* a context of one, or HSD_V8_NO_BLOCK */
    uint32_t last_variable; /* of it: the greatest number of a hidden edge */
    uint32_t weak_target;   /* of the edge before, if that was weak; else UINT32_MAX */
    uint32_t table_label;   /* of an array's items with new names, or 0 */
} hsd_v8_source;

/* The edges of a node that can be seen, as they stand in the list. */
typedef struct hsd_v8_view {
    const uint64_t *items;
    size_t count;
    bool is_whole; /* those are all */
} hsd_v8_view;

/* What a node is besides before it is known to be anything special: node, class and ordinal are to be put in. */
extern const hsd_v8_source hsd_v8_source_plain;

/* Looks at all edges: finds out what the node is, and notes what others need of it. */
hsd_status hsd_v8_source_recognise(hsd_v8 *v8, hsd_v8_source *source, const hsd_v8_view *view, hsd_error *err);

/* The object begins: its type, its name, its flags. */
hsd_status hsd_v8_source_begin(hsd_v8 *v8, const hsd_v8_source *source, hsd_error *err);

static inline bool hsd_v8_is_movable(const hsd_v8 *v8, uint32_t node)
{
    return hsd_v8_marks_get(&v8->marks, node) == HSD_V8_MARK_MOVABLE;
}

#endif
