/*
 * Places in the dominator tree, served by node: what dominators tell in their own order is sorted, and each
 * node gets the name of the reference by which its immediate dominator holds it.
 */
#ifndef HSD_DIFF_PLACES_H
#define HSD_DIFF_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/paged.h"
#include "sort/sorter.h"

typedef struct hsd_places {
    hsd_sorter *by_node;  /* node << 32 | first, end << 32 | first of the immediate dominator */
    const uint64_t *next; /* the next record of by_node; NULL = none is left */
    hsd_paged links;      /* two u32 a node: first of the immediate dominator, name of the reference from it */
    bool has_links;
} hsd_places;

typedef struct hsd_placed {
    uint32_t first, end;
    uint32_t edge;   /* diff/edges.h, without HSD_EDGE_SOFT; HSD_TREE_INDIRECT */
    bool is_there;   /* the node is live */
} hsd_placed;

/* Begins to serve. */
hsd_status hsd_places_rewind(hsd_places *places, hsd_error *err);

/* The place of a node; nodes must be asked for in ascending order. */
hsd_status hsd_places_find(hsd_places *places, uint32_t node, hsd_placed *out, hsd_error *err);

/* NULL is accepted. */
void hsd_places_free(hsd_places *places);

#endif
