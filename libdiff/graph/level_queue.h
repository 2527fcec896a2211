/*
 * The nodes of a search by levels in the order of their ranks, where the graph is in memory (graph/shortest.h): a
 * number a node for all levels together, since each node is in one of them.
 *
 *      nodes   … level at hand ………………… │ next level …
 *                  ▲ group at hand          ▲ its groups, as they are settled
 *
 * Who goes through a level in order comes to the nodes of the next one group by group, a *group* being nodes of one
 * rank. So what a group came to has its place behind all that the groups before it came to, and only within the group
 * it is sorted: by (name, type, node), where few names and types are told apart by counting, and more by sorting
 * (graph/quads.h).
 */
#ifndef HSD_GRAPH_LEVEL_QUEUE_H
#define HSD_GRAPH_LEVEL_QUEUE_H

#include "base/bits.h"
#include "graph/quads.h"

/* What follows is asked of each node that a group came to, in ascending order of nodes. */
typedef struct hsd_level_reading {
    uint32_t name, type;
    bool is_idle; /* the node is not to be looked at */
} hsd_level_reading;

typedef hsd_level_reading (*hsd_level_fn)(void *context, hsd_node node);

typedef struct hsd_level_queue {
    hsd_node *nodes;
    uint8_t *begins;  /* one bit an item of `nodes`: it is the first of its rank */
    uint8_t *fresh;   /* one bit a node: the group at hand came to it */
    uint8_t *kinds;   /* of fresh nodes, in their order: which of the readings of the group */
    hsd_node *listed; /* the first fresh nodes, and as many to sort them; more are found by their bits */
    hsd_node node_count;
    hsd_node head, tail; /* of the items: the next one, and behind the last one */
    uint64_t fresh_count;
    hsd_quads *quads; /* borrowed: sorts what has many readings */
    hsd_level_fn read;
    void *context;
} hsd_level_queue;

/* What a queue takes for so many nodes, at an address that is a multiple of HSD_NODE_BYTES. */
uint64_t hsd_level_queue_bytes(uint64_t nodes);

/* Lays it out in `memory`, which need not be zeroed. */
void hsd_level_queue_init(hsd_level_queue *queue, void *memory, hsd_node nodes, hsd_quads *quads, hsd_level_fn read,
                          void *context);

/* The group at hand came to the node before. */
static inline bool hsd_level_queue_has(const hsd_level_queue *queue, hsd_node node)
{
    return hsd_bit_get(queue->fresh, node);
}

#define HSD_LEVEL_LISTED ((uint32_t)4096)

/* It comes to it for the first time. */
static inline void hsd_level_queue_add(hsd_level_queue *queue, hsd_node node)
{
    hsd_bit_set(queue->fresh, node);
    if (queue->fresh_count < HSD_LEVEL_LISTED) queue->listed[queue->fresh_count] = node;
    queue->fresh_count++;
}

/* The group is over: what it came to goes behind all others. */
hsd_status hsd_level_queue_settle(hsd_level_queue *queue, hsd_error *err);

/* A node of the first level, in the order of their ranks. */
void hsd_level_queue_put(hsd_level_queue *queue, hsd_node node, bool begins_rank);

#endif
