/*
 * Step 3 of the dominators in two halves: dominators/buckets.c brings predecessors in order,
 * dominators/semi.c makes semidominators of them. Private to these two.
 */
#ifndef HSD_GRAPH_DOMINATORS_SEMI_H
#define HSD_GRAPH_DOMINATORS_SEMI_H

#include "graph/dominators/parts.h"

/* Links that are fetched ahead of their use; so many items behind the last one may be looked at. */
#define HSD_SEMI_AHEAD 16u

typedef struct hsd_predecessor {
    hsd_node source; /* place */
    hsd_node group;  /* core node */
} hsd_predecessor;

/* Predecessors of the core nodes lo … hi - 1, of the last one first, each ascending by source. */
typedef struct hsd_sorted {
    hsd_node lo, hi;
    hsd_predecessor *items;
    hsd_node *counts;  /* of node lo + i; once it is settled, its semidominator */
    hsd_node *forward; /* least predecessor that comes before node lo + i; HSD_NODE_MAX = none */
} hsd_sorted;

/* Which arrays are used as plain ones. */
typedef struct hsd_semi_flat {
    bool links, rest;
} hsd_semi_flat;

/* What `cores` has of the node that was asked for last; 0 = nothing, or the super-root, which has zeros. */
typedef struct hsd_core_known {
    hsd_node node;
    hsd_two core;
} hsd_core_known;

typedef struct hsd_semi {
    hsd_dominators *d;
    hsd_paged links; /* two a core node: least semidominator on the way, further up */
    hsd_paged cores; /* two a core node: parent, preorder */
    hsd_paged up;    /* a number a place; 0 = its parent, as the tape has it, where that is in memory */
    hsd_core_known known_above, known_top;
    hsd_semi_flat flat;
    hsd_node hot_semi;
} hsd_semi;

/* The nodes of the next lower range; semidominators come in place of counts. Touches no tape but parents. */
void hsd_semi_settle(hsd_semi *semi, const hsd_sorted *sorted);

/* One node whose predecessors come in several parts; `counts` has its semidominator with the last. */
void hsd_semi_settle_hot(hsd_semi *semi, const hsd_sorted *part, bool is_first, bool is_last);

#endif
