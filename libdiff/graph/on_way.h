/*
 * What lies on the way to wanted nodes (graph/toward.h), gathered in memory: where it is little, as it is as a rule, a
 * search by levels goes through this in place of the blocks, which each level would read once more. One pass over the
 * blocks, their names and the types gathers it, in the order of nodes.
 */
#ifndef HSD_GRAPH_ON_WAY_H
#define HSD_GRAPH_ON_WAY_H

#include "base/pages.h"
#include "graph/shortest.h"

typedef struct hsd_on_way {
    hsd_node *nodes; /* ascending; NULL: nothing was gathered */
    hsd_node count;
    uint64_t *begins; /* of each node's in targets and names; and the end */
    uint32_t *types;  /* what type_of says; whoever takes these and nodes sets NULL */
    hsd_node *targets;
    uint32_t *names;
    hsd_pages pages; /* targets, then names */
    uint64_t room;   /* for so many of them */
    uint64_t bytes;  /* what all of it takes, ways of HSD_ON_WAY_BYTES a node with it */
} hsd_on_way;

#define HSD_ON_WAY_BYTES (sizeof(hsd_way) + 2 * HSD_NODE_BYTES + 8 + 4)

/* References between nodes that have a bit. Nothing is gathered where that takes more than memory_bytes. HSD_E_NOMEM,
 * HSD_E_IO. */
hsd_status hsd_on_way_gather(hsd_on_way *on_way, hsd_adjacency *adjacency, const uint8_t *bits,
                             const hsd_shortest_config *config, uint64_t memory_bytes, hsd_error *err);

/* The number of a node in a list of ascending ones; `count` if it is none of them. */
hsd_node hsd_on_way_find(const hsd_node *nodes, hsd_node count, hsd_node node);

/* A zeroed one is accepted. */
void hsd_on_way_release(hsd_on_way *on_way);

#endif
