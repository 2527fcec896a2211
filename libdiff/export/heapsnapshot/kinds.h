/*
 * What types and labels of the capture become. DevTools classes what is of the types object and native by its name, and
 * everything else by its type alone, so a type of the capture is a class where it can be:
 *
 *      type of the capture                               type of the node        name of the node
 *      "(string)", "(array)", "Function" … of V8         as it was in V8         what the object is called
 *      string, function, proto … of Lua                  string, closure, code   the value, or what the object is called
 *      thread, userdata … of Lua                         native                  the type
 *      any other                                         object                  the type
 *      a node that is no object                          native, of no size      the type; readers take synthetic ones for groups of roots
 *
 *      label of the capture              edge
 *      field, static, value by name      property
 *      the same without a name           element         the name is data: items are counted
 *      element                           element
 *      variable                          context
 *      internal, class, key              internal; hidden without a name
 *      any that is weak                  weak, whose name is always a string
 *
 * Soft references are edges like strong ones: in both places they hold.
 */
#ifndef HSD_EXPORT_HEAPSNAPSHOT_KINDS_H
#define HSD_EXPORT_HEAPSNAPSHOT_KINDS_H

#include "export/heapsnapshot/names.h"
#include "format/tables.h"

/* In the order of the header (heapsnapshot.c). */
typedef enum hsd_snap_node {
    HSD_SNAP_NODE_HIDDEN,
    HSD_SNAP_NODE_ARRAY,
    HSD_SNAP_NODE_STRING,
    HSD_SNAP_NODE_OBJECT,
    HSD_SNAP_NODE_CODE,
    HSD_SNAP_NODE_CLOSURE,
    HSD_SNAP_NODE_REGEXP,
    HSD_SNAP_NODE_NUMBER,
    HSD_SNAP_NODE_NATIVE,
    HSD_SNAP_NODE_SYNTHETIC,
    HSD_SNAP_NODE_CONCATENATED,
    HSD_SNAP_NODE_SLICED,
    HSD_SNAP_NODE_SYMBOL,
    HSD_SNAP_NODE_BIGINT,
    HSD_SNAP_NODE_SHAPE,
    HSD_SNAP_NODE_WASM
} hsd_snap_node;

typedef enum hsd_snap_edge {
    HSD_SNAP_EDGE_CONTEXT,
    HSD_SNAP_EDGE_ELEMENT,
    HSD_SNAP_EDGE_PROPERTY,
    HSD_SNAP_EDGE_INTERNAL,
    HSD_SNAP_EDGE_HIDDEN,
    HSD_SNAP_EDGE_SHORTCUT,
    HSD_SNAP_EDGE_WEAK
} hsd_snap_edge;

/* Instead of a name: */
#define HSD_SNAP_BY_INDEX UINT32_MAX       /* the reference's index */
#define HSD_SNAP_BY_COUNT (UINT32_MAX - 1) /* how many like it the object has before */

typedef struct hsd_snap_kind { /* of a type */
    uint8_t node;              /* hsd_snap_node */
    bool is_class;             /* the type is the name */
    uint32_t name;             /* number of the type's name … */
    uint32_t detached_name;    /* … and of that without "Detached " in front, which DevTools adds */
} hsd_snap_kind;

typedef struct hsd_snap_relation { /* of a label */
    uint8_t edge;                  /* hsd_snap_edge */
    uint32_t name;                 /* number, or HSD_SNAP_BY_INDEX */
} hsd_snap_relation;

typedef struct hsd_snap_kinds {
    bool is_v8; /* it was made from a snapshot of V8: its own groups of roots are nodes of it */
    bool is_lua;
    /* of V8: its arrays are no parts, as DevTools has it where nothing hangs from node 0 but groups */
    bool has_no_user_roots;
    bool has_detached; /* some objects of the embedder are detached, so all others are attached */
    hsd_type_names type_names;
    hsd_type_table types;
    hsd_label_table labels;
    hsd_snap_kind *kinds;         /* by common number of the type */
    hsd_snap_relation *relations; /* by place of the label */
} hsd_snap_kinds;

/* Loads the tables of the capture. HSD_E_NOMEM; release it then, too. */
hsd_status hsd_snap_kinds_open(hsd_snap_kinds *kinds, hsd_capture *capture, hsd_snap_names *names, hsd_error *err);

static inline hsd_snap_kind hsd_snap_kind_of(const hsd_snap_kinds *kinds, uint32_t type)
{
    return kinds->kinds[hsd_type_common(&kinds->types, type)];
}

/* Labels that were never defined are strong and nameless. */
static inline hsd_snap_relation hsd_snap_relation_of(const hsd_snap_kinds *kinds, uint32_t label)
{
    const uint32_t at = hsd_id_map_get(&kinds->labels.index, label);
    return at == HSD_ID_NONE ? (hsd_snap_relation){HSD_SNAP_EDGE_HIDDEN, HSD_SNAP_BY_INDEX} : kinds->relations[at];
}

/* A group of roots of V8's own: the exporter makes them anew from the roots. */
bool hsd_snap_is_group(const hsd_snap_kinds *kinds, const hsd_object *object);

void hsd_snap_kinds_release(hsd_snap_kinds *kinds);

#endif
