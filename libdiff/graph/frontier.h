/*
 * Nodes that wait to be expanded, served block by block of the adjacency instead of last in, first out:
 * the nodes of a block are expanded together while it is in the cache, or, when the graph is larger than
 * its memory, while it is in memory at all.
 *
 *      near   stack of nodes in blocks that are near: around the hand, or resident
 *      far    one bit a node, one counter a block; the hand goes round the blocks that have some, which
 *             a bitmap of blocks and a bitmap of its words find in a few steps, however few there are
 *
 * Last in, first out within what is near makes ways as long as the blocks are many: each node hangs from the one that
 * was served right before it. Who has to climb these ways lets nodes take turns: all that wait in a block are served
 * before what they push, which waits even if its block is near.
 *
 * A node that is pushed twice before it is served may be served once: what a walk does with a node must
 * depend on the node's state alone.
 */
#ifndef HSD_GRAPH_FRONTIER_H
#define HSD_GRAPH_FRONTIER_H

#include <stdint.h>

#include "graph/adjacency.h"
#include "graph/worklist.h"

typedef struct hsd_frontier {
    hsd_adjacency *adjacency;
    hsd_worklist near;
    uint64_t *far;        /* one bit a node */
    uint32_t *far_counts; /* nodes that wait in each block */
    uint64_t *blocks;     /* one bit a block: some node waits there */
    uint64_t *words;      /* one bit a word of `blocks` that is not 0 */
    uint32_t block_count;
    uint32_t hand;
    uint64_t far_total;
    bool takes_turns;
} hsd_frontier;

/* Bytes a frontier needs besides its stack: N/8 and little more than 4 a block. */
uint64_t hsd_frontier_fixed_bytes(const hsd_adjacency *adjacency);

/* The share of a walk's memory that a frontier does well with: an eighth, or what it needs at least. */
uint64_t hsd_frontier_share_bytes(const hsd_adjacency *adjacency, uint64_t memory_bytes);

/* At least 128 KiB of memory_bytes go to the stack. HSD_E_NOMEM. */
hsd_status hsd_frontier_open(hsd_frontier *frontier, hsd_adjacency *adjacency, uint64_t memory_bytes,
                             hsd_temp_space *space, hsd_error *err);

/* From now on nodes take turns. */
void hsd_frontier_take_turns(hsd_frontier *frontier);

hsd_status hsd_frontier_push(hsd_frontier *frontier, hsd_node node, hsd_error *err);

/* A node whose block is near; HSD_END when none waits. */
hsd_status hsd_frontier_pop_near(hsd_frontier *frontier, hsd_node *node, hsd_error *err);

/* Any node; HSD_END when nothing waits. */
hsd_status hsd_frontier_pop(hsd_frontier *frontier, hsd_node *node, hsd_error *err);

void hsd_frontier_close(hsd_frontier *frontier);

#endif
