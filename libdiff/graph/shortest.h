/*
 * Shortest paths from the roots, chosen by names and never by place: of all paths with the fewest references
 * the one whose (root, name, type, name, type …) comes first. Two captures of one program give the same paths,
 * wherever their objects lie.
 *
 * Breadth first, level by level. Every node of a level has a *rank*: equal for nodes whose paths read
 * alike, else in the order of their paths. A level's references to nodes not yet seen are sorted by (rank of
 * the source, name, type of the target); the first for each target is its way in, and the order of these
 * ways gives the ranks of the next level. Primary roots first: a node that they reach has its path from
 * them, the rest from secondary ones (graph/owners.h).
 *
 * Deep graphs have small levels, which are sorted in place and cost what their nodes cost.
 */
#ifndef HSD_GRAPH_SHORTEST_H
#define HSD_GRAPH_SHORTEST_H

#include <stdint.h>

#include "base/note.h"
#include "graph/adjacency.h"
#include "graph/owners.h"
#include "graph/paged.h"

typedef struct hsd_shortest_config {
    hsd_root_nodes roots;          /* in the order of their names within primary and secondary ones */
    const uint32_t *rank_of_root;  /* of root node begin + i: order of its name; equal for equal names; NULL:
                                    * the order of the nodes */
    uint32_t (*type_of)(void *context, uint32_t node); /* order of the type's name; NULL = all alike */
    void *type_context;
    const uint8_t *wanted;         /* one bit a node: stop when all are reached; NULL = go through all */
    uint64_t wanted_count;
    uint64_t memory_bytes;         /* arrays, levels and frontier; the adjacency has its own */
    hsd_temp_space *space;
    hsd_reporter *reporter;
} hsd_shortest_config;

/* The way to a node: the node before it and the name of the reference between. */
typedef struct hsd_way {
    uint32_t parent; /* HSD_WAY_NONE: a root node, or not reached */
    uint32_t name;
} hsd_way;

#define HSD_WAY_NONE UINT32_MAX

typedef struct hsd_shortest { /* the tree of ways: 8 bytes a node, paged */
    hsd_paged ways;
    uint64_t reached;
    uint32_t levels;
} hsd_shortest;

hsd_status hsd_shortest_find(hsd_shortest *shortest, hsd_adjacency *adjacency,
                             const hsd_shortest_config *config, hsd_error *err);

/* The way to one node; is it a root node or was it not reached, parent is HSD_WAY_NONE. */
hsd_way hsd_shortest_way(hsd_shortest *shortest, uint32_t node);

void hsd_shortest_close(hsd_shortest *shortest);

uint64_t hsd_shortest_least_bytes(uint64_t nodes);
uint64_t hsd_shortest_useful_bytes(uint64_t nodes);

#endif
