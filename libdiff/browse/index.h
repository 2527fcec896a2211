/*
 * The index of one side: what lies on disk and how it is found (libdiff/DESIGN.md, "The index of the viewer").
 *
 *      rows        by node      id, bytes, place, type, owner, edge                  rows.c      as the census comes by
 *      spans       by place     bytes and objects of all places before, node         held.c
 *      parents     by place     dominator                                            held.c
 *      children    lists        of nodes, by retained bytes; few are not listed      held.c, children.c
 *      by_type     lists        of nodes, by retained bytes                          held.c
 *      referents   by node      blocks of the walk, with names                       lists.c
 *      referrers   by node      blocks, without names                                referrers.c
 *      ways        by node      the node before it on a shortest path                ways.c      these two while the diff compares
 *      by_id       nodes of objects in the order of their ids                        lookup.c
 *      partners    by node      of objects, on the other side                        lookup.c
 *      sites       by number    allocation sites, and the texts that they name       stacks.c    when the first stack is asked for
 *
 * Nodes and places are those of walk/side/side.h and walk/tree.h; place 0 is above all roots. What a place retains is
 * the difference of two spans, so nothing adds up at the time of a question.
 */
#ifndef HSD_BROWSE_INDEX_H
#define HSD_BROWSE_INDEX_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/node.h"
#include "base/worker.h"
#include "browse/column.h"
#include "browse/lists.h"
#include "browse/weak.h"
#include "graph/blocks.h"
#include "walk/keep.h"
#include "walk/side/side.h"

typedef struct hsd_browse_row { /* 24 bytes and two numbers of nodes */
    uint64_t id;
    hsd_node first, end; /* place; first 0 = not reached */
    uint32_t bytes;      /* HSD_ROW_MANY: more than fit */
    uint32_t type;       /* common type; of a root its name */
    uint32_t edge;       /* walk/edges.h, HSD_TREE_INDIRECT */
    uint32_t owner;      /* number of the root's name | HSD_ROW_* */
} hsd_browse_row;

#define HSD_ROW_MANY    UINT32_MAX
#define HSD_ROW_OWNER   UINT32_C(0x00ffffff) /* more than HSD_MAX_ROOT_NAMES */
#define HSD_ROW_IS_ROOT UINT32_C(0x80000000)
#define HSD_ROW_COUNTS  UINT32_C(0x40000000)

typedef struct hsd_browse_span { /* 8 bytes and two numbers of nodes; one more than there are places */
    uint64_t bytes_before;
    hsd_node objects_before;
    hsd_node node;
} hsd_browse_span;

/* Nodes that immediately dominate more than that have them in a list. */
#define HSD_FEW_CHILDREN 128u

typedef struct hsd_long_children { /* 8 bytes and two numbers of nodes; ascending by place */
    hsd_node count, place;         /* of the node that dominates them */
    uint64_t begin;                /* in children */
} hsd_long_children;

/* Very long ways are walked in strides of so many. */
#define HSD_ANCHOR_STEP 1024u

#define HSD_NODE_NONE HSD_NODE_MAX

#define HSD_INDEX_ARRAYS 14u
#define HSD_STACK_ARRAYS 3u /* of these: sites, strings, texts */

typedef struct hsd_index {
    hsd_side_walk *walk;
    hsd_temp_space *space;
    hsd_reporter *reporter;
    uint64_t memory_bytes; /* while it is built */
    bool is_there;
    bool has_graph;         /* referents, referrers, ways are there */
    atomic_bool is_stopped; /* nobody wants it any more */
    hsd_worker worker;      /* what is done beside the diff */

    hsd_column_file row_file; /* until the walk is over */
    union {                   /* what an index has no need of is not open */
        struct {
            hsd_paged rows, spans, parents, children, long_children, by_type, by_id, partners;
            hsd_paged ways;                  /* node before + 1; 0 = a root, or not reached */
            hsd_paged way_anchors;           /* of nodes on long ways: anchor above + 1; 0 = none */
            hsd_paged sites, strings, texts; /* browse/stacks.h */
            /* by place, of nodes deep in the tree: the nearest place above whose depth HSD_ANCHOR_STEP divides; 0 =
             * none */
            hsd_paged anchors;
        };
        hsd_paged arrays[HSD_INDEX_ARRAYS]; /* the same */
    };
    uint64_t long_children_count;
    hsd_node place_count;  /* one past the last */
    uint64_t *type_begins; /* in by_type: of each common type, and the end */
    bool ids_ascend;       /* with their ordinals: then by_id is not there */
    uint64_t last_id;      /* while they are seen */
    uint64_t bytes_or;     /* of all live sizes: what they are multiples of */
    uint64_t live_bytes;   /* sum of them, saturating */
    uint64_t id_count;
    bool has_partners;
    /* ordinals, before and after as HSD_TWO; borrowed while the index is built; NULL = none */
    const hsd_temp *pairs;
    uint64_t pair_count;
    bool is_after;       /* this is the index of after */
    hsd_lists referents; /* borrowed from the walk, with its directory */
    hsd_lists referrers;
    hsd_weak weak;       /* references that are not in the graph */
    bool has_stacks;     /* sites, strings, texts are there */
    uint64_t page_bytes; /* of each array, once it is asked */
} hsd_index;

_Static_assert(offsetof(hsd_index, anchors) == offsetof(hsd_index, arrays[HSD_INDEX_ARRAYS - 1]),
               "all arrays are in the list");

static inline hsd_node hsd_index_node_count(const hsd_index *index) { return index->walk->node_count; }
/* Bits that numbers up to `most` have. */
static inline unsigned hsd_index_bits(uint64_t most) { return most == 0 ? 1 : 64 - (unsigned)__builtin_clzll(most); }

static inline bool hsd_index_is_object(const hsd_index *index, hsd_node node)
{
    return node < index->walk->object_count;
}

/* ---- building, each in its file ---- */

/* Rows as nodes are seen: the keeper of the walk. */
hsd_status hsd_index_see(void *index, const hsd_seen *seen, hsd_error *err);

hsd_status hsd_index_rows(hsd_index *index, hsd_error *err); /* rows */
/* spans, parents, children, by_type; frees the tree of the walk */
hsd_status hsd_index_held(hsd_index *index, hsd_error *err);
hsd_status hsd_index_referrers(hsd_index *index, hsd_error *err); /* referents, referrers */
hsd_status hsd_index_ways(hsd_index *index, hsd_error *err);      /* ways */
hsd_status hsd_index_ids(hsd_index *index, hsd_error *err);       /* by_id; nothing where ids ascend */

hsd_status hsd_index_partners(hsd_index *index, hsd_error *err); /* partners, where there are pairs */

/* An array that one sort makes (sorted.c). */
typedef struct hsd_sorted {
    unsigned record_words, key_words;                                      /* of the sorter */
    uint32_t record_bytes;                                                 /* of the array */
    hsd_status (*read)(void *context, hsd_sorter *sorter, hsd_error *err); /* puts what there is */
    /* of each, in order */
    hsd_status (*write)(void *context, const uint64_t *record, hsd_column_file *file, hsd_error *err);
    /* behind the last; NULL = nothing */
    hsd_status (*end)(void *context, hsd_column_file *file, hsd_error *err);
} hsd_sorted;

/* `out` has the least memory that it can have. */
hsd_status hsd_index_sort(hsd_index *index, const hsd_sorted *how, void *context, hsd_paged *out, hsd_error *err);

/* What needs nothing but the graph of the walk, which remains the walk's: referents, referrers, ways. */
hsd_status hsd_index_graph(hsd_index *index, hsd_error *err);

/* The same on a thread of its own, as soon as the side is walked, where `memory_bytes` are worth it: walk/keep.h.
 * hsd_index_wait returns once it is over, with what it failed with; nothing happens where nothing was begun. */
hsd_status hsd_index_begin(void *index, uint64_t memory_bytes, hsd_error *err);
hsd_status hsd_index_wait(void *index, hsd_error *err);

/* All that is not there yet. Failures name the capture. */
hsd_status hsd_index_build(hsd_index *index, hsd_error *err);

/* hsd_progress, or HSD_E_CANCELLED of an index that was stopped. */
hsd_status hsd_index_progress(hsd_index *index, const char *what, uint64_t done, uint64_t total, hsd_error *err);

/* From now on it is asked: `memory_bytes` for all pages, or the least that they can have. */
hsd_status hsd_index_serve(hsd_index *index, uint64_t memory_bytes, hsd_error *err);

/* `parts` sixteenths of the memory that there is to build with. */
static inline uint64_t hsd_index_share(const hsd_index *index, unsigned parts)
{
    return index->memory_bytes / 16 * parts;
}

/* From now on so many bytes for the blocks of a graph and for its names, or the least that they can have: enough to
 * read in order. */
hsd_status hsd_graph_bound(hsd_adjacency *graph, uint64_t bytes, uint64_t name_bytes, hsd_error *err);

void hsd_index_release(hsd_index *index);

/* ---- looking (look.c). Failures stick to the arrays: hsd_index_check ---- */

hsd_browse_row hsd_index_row(hsd_index *index, hsd_node node);
hsd_browse_span hsd_index_span(hsd_index *index, hsd_node place);
hsd_long_children hsd_index_long_children(hsd_index *index, uint64_t i);
hsd_status hsd_index_check(const hsd_index *index, hsd_error *err);

/* What the node at first … end - 1 immediately dominates, by retained bytes, largest first; of 0 … place_count what is
 * below all roots. */
typedef struct hsd_children {
    uint64_t count, begin;
    bool is_listed;
    hsd_node few[HSD_FEW_CHILDREN];
} hsd_children;

void hsd_index_children(hsd_index *index, hsd_node first, hsd_node end, hsd_children *out);
hsd_node hsd_index_child(hsd_index *index, const hsd_children *children, uint64_t i); /* its node */

/* The node with that id; HSD_NODE_NONE. */
hsd_node hsd_index_find(hsd_index *index, uint64_t id);

#endif
