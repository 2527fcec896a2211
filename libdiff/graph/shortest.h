/*
 * Shortest paths from the roots, chosen by names and never by place: of all paths with the fewest references
 * the one whose (root, name, type, name, type …) comes first. Two captures of one program give the same paths,
 * wherever their objects lie.
 *
 * Breadth first, level by level. Every node of a level has a *rank*: equal for nodes whose paths read
 * alike, else in the order of their paths. So a way into a node is the smallest (rank of the source, name), and the
 * nodes of a level have ranks in the order of their (rank of the source, name, type). Primary roots first, those of
 * stacks behind the others: a node that they reach has its path from them, the rest from secondary ones, again those of
 * stacks last (graph/owners.h).
 *
 * A level is sorted, three times: its references by target, its nodes by reading, its ranks by node. So the
 * search reads blocks, ways and types in ascending order of nodes, and what does not fit is sorted in runs
 * (graph/quads.h): no step goes to the disk once a reference. Small levels are sorted where they stand, and a deep
 * graph costs what its nodes cost. Where everything is in memory readings alone are sorted.
 */
#ifndef HSD_GRAPH_SHORTEST_H
#define HSD_GRAPH_SHORTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/note.h"
#include "graph/adjacency.h"
#include "graph/owners.h"
#include "graph/paged.h"

/* One node as the search finds it, in the order of levels, ranks, nodes. */
typedef struct hsd_reading {
    hsd_node node;
    uint32_t level;       /* references behind the root node, which is 0 */
    hsd_node rank;        /* within the level and the round: equal = the paths read alike; 0, 1, 2 …; of a root node
                           * what rank_of_root says */
    hsd_node parent_rank; /* of the node before it, in the level before; its own for a root node */
    uint32_t name;        /* of the reference to it */
    uint32_t type;        /* what type_of says; 0 for a root node */
    /* 0: from primary roots, 1: from those of stacks, 2: from secondary ones, 3: from those of stacks */
    uint32_t round;
} hsd_reading;

typedef hsd_status (*hsd_reading_fn)(void *context, const hsd_reading *reading, hsd_error *err);

/*
 * What is known of the nodes on the ways to the wanted ones. Every path to a node leads through all that dominate it,
 * and where a dominator refers to the next one the shortest path takes that reference. So once the search has come to
 * all nodes of which this is not known, it looks at nothing but dominators.
 */
typedef struct hsd_shortest_via {
    const uint8_t *bits;    /* one bit a node: the wanted ones and all that dominate one */
    const hsd_node *sought; /* of these, in ascending order: their immediate dominator is none of the nodes, or does
                             * not refer to them, or is not among `bits` */
    size_t sought_count;
} hsd_shortest_via;

typedef struct hsd_shortest_config {
    hsd_root_nodes roots;         /* in the order of their names within each round */
    const hsd_node *rank_of_root; /* of root node begin + i: order of its name; equal for equal names; NULL:
                                   * the order of the nodes */
    uint32_t (*type_of)(void *context, hsd_node node); /* order of the type's name; NULL = all alike */
    void *type_context;
    bool has_near_types; /* type_of may be asked in any order */
    /* One bit a node: stop when all are reached, and without `take` know the ways to these alone. NULL = go through
     * all. */
    const uint8_t *wanted;
    uint64_t wanted_count;
    const hsd_shortest_via *via; /* with `wanted`, and with neither `take` nor `avoided`; NULL = not known */
    bool has_avoided;
    hsd_node avoided;    /* no path goes through this node, nor to it */
    hsd_reading_fn take; /* told of each node as it gets its rank; NULL = not wanted */
    void *take_context;
    uint64_t memory_bytes; /* arrays, levels and frontier; the adjacency has its own */
    /* What its blocks have, and where they do not fit will have again: while it is found what is on the way to the
     * wanted nodes they have what of memory_bytes nobody uses yet, too. 0 = they are left alone */
    uint64_t block_bytes;
    hsd_temp_space *space;
    hsd_reporter *reporter;
} hsd_shortest_config;

#define HSD_WAY_NONE HSD_NODE_MAX

/* The way to a node: the node before it and the name of the reference between. Of several nodes before it whose
 * paths read alike it is the first one. */
typedef struct hsd_way {
    hsd_node parent; /* HSD_WAY_NONE: a root node, or not reached */
    uint32_t name;
} hsd_way;

typedef struct hsd_shortest { /* the tree of ways: two numbers a node, paged; or those of few nodes alone */
    hsd_paged ways;
    hsd_node *few_nodes; /* ascending; NULL: ways are in `ways` */
    hsd_way *few_ways;
    uint32_t *few_types; /* what type_of said of them */
    hsd_node few_count;
    uint64_t reached;              /* nodes, root nodes included */
    uint32_t levels;               /* whose references were looked at, of both rounds */
    uint64_t expanded, references; /* nodes whose references were; and these */
    uint64_t spilled;              /* bytes that went to temporary files for want of memory, ways not counted */
} hsd_shortest;

/*
 * Finds the ways. The caller closes `shortest` after HSD_OK; until then only the ways keep memory. HSD_E_OVER_BUDGET
 * below the least; HSD_E_IO, HSD_E_NOMEM; what `take` returns other than HSD_OK ends the call and is returned.
 * While `take` runs it may read the adjacency.
 */
hsd_status hsd_shortest_find(hsd_shortest *shortest, hsd_adjacency *adjacency, const hsd_shortest_config *config,
                             hsd_error *err);

/* The way to one node; is it a root node or was it not reached, parent is HSD_WAY_NONE. */
hsd_way hsd_shortest_way(hsd_shortest *shortest, hsd_node node);

/* What type_of said of a node, if it was kept; else 0. */
uint32_t hsd_shortest_type(const hsd_shortest *shortest, hsd_node node);

/* The first failure of reading ways. */
hsd_status hsd_shortest_check(const hsd_shortest *shortest, hsd_error *err);

void hsd_shortest_close(hsd_shortest *shortest);

/* memory_bytes without which the search cannot be: bits of each node, tables, small areas. All is done in runs. */
uint64_t hsd_shortest_least_bytes(uint64_t nodes);

/* memory_bytes with which most levels are sorted in memory and all ways stay there. */
uint64_t hsd_shortest_useful_bytes(uint64_t nodes);

#endif
