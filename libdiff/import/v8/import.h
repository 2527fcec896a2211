/*
 * The V8 importer from inside: what its stages share.
 *
 *      header    layout.c     columns, types
 *      nodes     nodes.c      -> spool (spool.h), marks (marks.h)
 *      edges     edges.c      spool + edges -> objects with references of the capture
 *      traces    traces.c     -> allocation sites, where they were tracked
 *      locations locations.c  -> lines of functions
 *      strings   strings.c    -> names of types, labels, roots
 *
 * A snapshot is read once, from its first byte to its last, which is why everything that has a name
 * gets it late (names.h). Numbers of the capture:
 *
 *      strings   number in the snapshot + 1; the importer's own from 2^31-1 downwards
 *      types     number of the node type + 1; classes and functions from HSD_V8_FIRST_TYPE upwards
 *      labels    HSD_V8_LABEL_…; named ones from HSD_V8_FIRST_LABEL upwards
 */
#ifndef HSD_IMPORT_V8_IMPORT_H
#define HSD_IMPORT_V8_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "import/importer.h"
#include "import/json.h"
#include "import/v8/blocks.h"
#include "import/v8/declared.h"
#include "import/v8/feed.h"
#include "import/v8/files.h"
#include "import/v8/functions.h"
#include "import/v8/late.h"
#include "import/v8/layout.h"
#include "import/v8/marks.h"
#include "import/v8/modules.h"
#include "import/v8/names.h"
#include "import/v8/nodes.h"
#include "import/v8/originals.h"
#include "import/v8/roots.h"
#include "import/v8/scopes.h"
#include "import/v8/spool.h"
#include "import/v8/traces.h"
#include "import/v8/wishes.h"

/* ---- numbers of the importer's own ---- */

#define HSD_V8_TYPE_OTHER ((uint32_t)HSD_V8_MAX_TYPES + 2) /* classes past the limit */
#define HSD_V8_FIRST_TYPE ((uint32_t)HSD_V8_MAX_TYPES + 3)

enum {
    HSD_V8_LABEL_KEY = 1, /* a property whose name is data: an item */
    HSD_V8_LABEL_ELEMENT,
    HSD_V8_LABEL_SLOT,      /* of an array of V8's own: an item of a container */
    HSD_V8_LABEL_SLOT_WEAK, /* the same, which does not hold: the table of a WeakMap */
    HSD_V8_LABEL_INTERNAL,  /* V8's own, without a name */
    HSD_V8_LABEL_WEAK,
    HSD_V8_FIRST_LABEL
};

#define HSD_V8_STRING_TOP       UINT32_C(0x7fffffff)
#define HSD_V8_STRING_GLOBAL    (HSD_V8_STRING_TOP)     /* "global": roots that are global objects */
#define HSD_V8_STRING_ORPHANS   (HSD_V8_STRING_TOP - 1) /* "(V8 internal)", or what Bun does not tell */
#define HSD_V8_STRING_PAIR      (HSD_V8_STRING_TOP - 2) /* "WeakMap value" */
#define HSD_V8_STRING_INTERNAL  (HSD_V8_STRING_TOP - 3) /* "internal" */
#define HSD_V8_STRING_BLOCK     (HSD_V8_STRING_TOP - 4) /* "(block variable)" */
#define HSD_V8_STRING_PROCESS   (HSD_V8_STRING_TOP - 5) /* "process" */
#define HSD_V8_STRING_ANONYMOUS (HSD_V8_STRING_TOP - 6) /* "(anonymous)" */
#define HSD_V8_STRING_SYMBOL    (HSD_V8_STRING_TOP - 7) /* "<symbol>" */
#define HSD_V8_STRING_DOCUMENT  (HSD_V8_STRING_TOP - 8) /* "document": Blink's symbol for that of a window */
#define HSD_V8_STRING_GLOBALS   (HSD_V8_STRING_TOP - 64 - HSD_V8_MOST_GLOBALS)  /* + number of the global */
#define HSD_V8_STRING_SCOPES    (HSD_V8_STRING_GLOBALS - HSD_V8_MOST_SCOPES)    /* + number of the scope */
#define HSD_V8_STRING_BLOCKS    (HSD_V8_STRING_SCOPES - HSD_V8_MOST_SCOPES)     /* + number of the one that is inside */
#define HSD_V8_STRING_MODULES   (HSD_V8_STRING_BLOCKS - HSD_V8_MOST_MODULES)    /* + number of the module */
#define HSD_V8_STRING_FRAMES    (HSD_V8_STRING_MODULES - HSD_V8_MOST_FRAMES)    /* + number of the function that ran */
#define HSD_V8_STRING_CHOICES   (HSD_V8_STRING_FRAMES - HSD_V8_MOST_CHOICES)    /* + number of the choice */
#define HSD_V8_STRING_ORIGINALS (HSD_V8_STRING_CHOICES - HSD_V8_MOST_ORIGINALS) /* as many as were defined */
/* Strings of the snapshot from here on have no number in the capture. */
#define HSD_V8_MOST_STRINGS (HSD_V8_STRING_ORIGINALS - 1)

/* ---- the importer ---- */

typedef struct hsd_v8_totals { /* of one type, for a summary */
    uint64_t objects, bytes;
} hsd_v8_totals;

typedef struct hsd_v8_heap { /* which of several heaps, and where its numbers begin in the capture; see heaps.h */
    uint32_t index;
    uint64_t thread; /* of Node: 0 = the main one, or not known */
    uint64_t first_object;
    uint32_t first_string, first_type, first_label;
    uint32_t workers; /* threads with heaps of their own, as the heaps before tell */
} hsd_v8_heap;

typedef struct hsd_v8 {
    hsd_import *import;
    hsd_v8_heap heap;
    hsd_source *source;
    hsd_import_json json;
    hsd_v8_layout layout;
    bool has_thread, has_header, has_nodes, has_edges, has_strings;
    bool is_bun; /* out of JavaScriptCore, in V8's form */

    hsd_v8_names names;
    hsd_v8_marks marks;
    hsd_v8_spool nodes;
    hsd_v8_roots roots;
    hsd_v8_files files;
    hsd_v8_functions functions;
    hsd_v8_scopes scopes;
    hsd_v8_modules modules;
    hsd_v8_blocks blocks;
    hsd_v8_wishes wishes;
    hsd_v8_declared declared;
    hsd_v8_late late;
    hsd_v8_traces traces;
    hsd_v8_originals originals;
    bool type_used[HSD_V8_MAX_TYPES + 2]; /* types made of node types: by number in the capture */
    uint32_t internal_count;              /* names of V8's own references, which have a limit too */
    uint32_t table_count;                 /* arrays that may be tables of WeakMaps, the same */
    uint32_t newest_name;                 /* the greatest number of a string that an edge had */
    uint32_t process;                     /* node: `process` of Node; 0 = not known */
    uint64_t edges_due;                   /* sum of edge_count */
    const hsd_v8_numbers *numbers;        /* the list that is being read; NULL = none */
    uint64_t dangling;                    /* references to nodes that are not there */
    bool has_detached;                    /* some embedder object says that it is detached */

    hsd_v8_totals *totals; /* summary_only: by type */
    uint32_t total_capacity;

    hsd_error cut; /* salvage: where the input ends, and inside what */
} hsd_v8;

/* ---- the stages ---- */

/* "nodes": into the spool, or into totals. */
hsd_status hsd_v8_read_nodes(hsd_v8 *v8, hsd_error *err);

/*
 * "edges": writes every object with its references, and puts aside the roots. `numbers` NULL: the
 * snapshot ends before; objects are written without references. An end inside the list comes back as
 * HSD_E_TRUNCATED, after all objects were written if the options say salvage.
 */
hsd_status hsd_v8_write_objects(hsd_v8 *v8, hsd_v8_numbers *numbers, hsd_error *err);

/* "locations": lines of functions. */
hsd_status hsd_v8_read_locations(hsd_v8 *v8, hsd_error *err);

/* "strings": hands each to what waits for it. */
hsd_status hsd_v8_read_strings(hsd_v8 *v8, hsd_error *err);

/* Types, labels, roots and totals, when all that will ever be known is known. */
hsd_status hsd_v8_write_tables(hsd_v8 *v8, hsd_error *err);

/* Files have their names: finds contexts of modules that are there several times. */
hsd_status hsd_v8_find_copies(hsd_v8 *v8, hsd_error *err);

/* Modules of the program as roots. */
hsd_status hsd_v8_write_module_roots(hsd_v8 *v8, hsd_error *err);

/* A class whose name came. */
hsd_status hsd_v8_define_class(hsd_v8 *v8, const hsd_v8_entry *entry, hsd_bytes text, hsd_error *err);

/* What was kept of an entry's text (originals.h); empty = nothing. A string of the capture of this text, 0 past the
 * limit. */
hsd_bytes hsd_v8_originals_kept(const hsd_v8_originals *originals, uint32_t entry);
hsd_status hsd_v8_originals_string(hsd_v8 *v8, hsd_bytes text, uint32_t *out, hsd_error *err);

/* The type of a node in the capture. */
hsd_status hsd_v8_type_of(hsd_v8 *v8, const hsd_v8_node *node, uint32_t *out, hsd_error *err);

/* An edge by its columns. Its target is an ordinal; dangling: there is no such node. */
typedef struct hsd_v8_reference {
    hsd_v8_edge kind;
    uint32_t name, target;
    bool is_dangling;
} hsd_v8_reference;

static inline hsd_v8_reference hsd_v8_reference_at(const hsd_v8 *v8, const uint64_t *item)
{
    const hsd_v8_layout *layout = &v8->layout;
    const uint64_t offset = item[layout->to_node];
    __extension__ typedef unsigned __int128 wide;
    const uint64_t target = (uint64_t)((wide)offset * layout->node_reciprocal >> 64);
    return (hsd_v8_reference){
        .kind = hsd_v8_edge_of(layout, item[layout->edge_type]),
        .name = (uint32_t)item[layout->edge_name],
        .target = (uint32_t)target,
        .is_dangling = offset > UINT32_MAX || target * layout->node_width != offset || target >= v8->marks.count,
    };
}

/* DevTools counts what has a size; the rest are nodes of the graph that are no objects. */
static inline bool hsd_v8_is_pseudo(const hsd_v8_node *node) { return node->self_size == 0; }

/* Where the reading stands in the input; of the thread that makes objects. */
uint64_t hsd_v8_offset(const hsd_v8 *v8);

/* One step of progress. */
hsd_status hsd_v8_progress(hsd_v8 *v8, hsd_error *err);

#endif
