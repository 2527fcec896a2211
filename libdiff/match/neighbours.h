/*
 * A walk over all nodes of a graph in their order, in batches of targets: whoever reads something of each target can
 * have it fetched for the whole batch first, so that cache misses overlap.
 *
 * Targets are distinct. The adjacency drops duplicates only within a part of a long list, and which targets share a
 * part depends on the order in which they came; so for lists of several parts one bit a node says what was seen.
 */
#ifndef HSD_MATCH_NEIGHBOURS_H
#define HSD_MATCH_NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/adjacency.h"

#define HSD_NEIGHBOURS_PIECES 1024u
#define HSD_NEIGHBOURS_ENOUGH 1024u /* targets of a batch; the last piece may go beyond */

typedef struct hsd_piece { /* targets of one node; of a long list some */
    hsd_node node;
    uint32_t begin, end; /* in hsd_neighbours.targets */
    bool is_last;        /* no further piece of this node follows */
} hsd_piece;

typedef struct hsd_neighbours {
    hsd_adjacency *adjacency; /* borrowed; NULL = nothing refers to anything */
    hsd_paged seen;           /* one bit a node; all 0 but within a long list */
    hsd_node next, end;       /* nodes that follow */
    hsd_targets rest;         /* of the long list at hand */
    bool is_within;           /* a long list that is not at its end */
    uint32_t piece_count, target_count;
    hsd_piece pieces[HSD_NEIGHBOURS_PIECES];
    hsd_node targets[HSD_NEIGHBOURS_ENOUGH + HSD_ADJACENCY_PART_ITEMS];
} hsd_neighbours;

/* What the bits need: at least, and to be resident. 0 without an adjacency. */
uint64_t hsd_neighbours_least_bytes(uint64_t node_count);
uint64_t hsd_neighbours_full_bytes(uint64_t node_count);

/* HSD_E_OVER_BUDGET below the least, HSD_E_NOMEM. Zeroed ones may be closed. */
hsd_status hsd_neighbours_open(hsd_neighbours *neighbours, hsd_adjacency *adjacency, uint64_t memory_bytes,
                               hsd_temp_space *space, hsd_error *err);
void hsd_neighbours_close(hsd_neighbours *neighbours);

/* Nodes 0 … end - 1 from now on. */
void hsd_neighbours_start(hsd_neighbours *neighbours, hsd_node end);

/* Fills the next batch; every node has at least one piece. HSD_END behind the last node, HSD_E_IO. */
hsd_status hsd_neighbours_next(hsd_neighbours *neighbours, hsd_error *err);

#endif
