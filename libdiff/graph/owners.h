/*
 * Strong reachability and owners in one pass: labels none -> r -> SHARED by worklist. Each node
 * changes at most twice, so at most 2 (nodes + edges) steps whatever the shape. The worklist spills
 * to disk; nothing recurses.
 *
 * A label node (see adjacency.h) always carries its own label: whatever label reaches it only makes it
 * live, and what it refers to gets the label of the node. So a static field owns what hangs from it
 * even when its class is reachable from everywhere.
 */
#ifndef HSD_GRAPH_OWNERS_H
#define HSD_GRAPH_OWNERS_H

#include <stdint.h>

#include "base/note.h"
#include "base/pages.h"
#include "graph/adjacency.h"
#include "graph/paged.h"

#define HSD_OWNER_NONE   UINT32_C(0) /* not reached */
#define HSD_OWNER_SHARED UINT32_C(1) /* reachable from two owners or more */
#define HSD_OWNER_FIRST  UINT32_C(2) /* owner labels are HSD_OWNER_FIRST + number, below 2^31 */

/*
 * Where walks begin: the root nodes begin … end - 1. Those from `second` on are *secondary* (FORMAT.md
 * §7.8): what they reach is live, but where a primary root reaches too they own and hold nothing. So every
 * walk goes in two rounds: from the primary roots; then from the secondary ones, over nodes that the first
 * round did not reach.
 *
 * Of the primary ones those from `stacks` on are of stacks and registers; 0 = none stand apart. Owners and dominators
 * make no difference, but a path begins at one only where no other primary root leads: what a static field holds is in
 * some frame's variable, too, while it is worked with, and the field is the place to look at. So it is among the
 * secondary ones, from `second_stacks` on.
 */
typedef struct hsd_root_nodes {
    hsd_node begin, second, end, stacks, second_stacks;
} hsd_root_nodes;

/* Where the round of other primary roots ends and that of stacks begins. */
static inline hsd_node hsd_root_nodes_stacks(const hsd_root_nodes *roots)
{
    return roots->stacks != 0 ? roots->stacks : roots->second;
}

/* Likewise of the secondary roots. */
static inline hsd_node hsd_root_nodes_second_stacks(const hsd_root_nodes *roots)
{
    return roots->second_stacks != 0 ? roots->second_stacks : roots->end;
}

typedef struct hsd_owners_config {
    hsd_root_nodes roots;
    hsd_node object_count;         /* nodes below are objects */
    const uint32_t *label_of_node; /* label of node object_count + i, label and root nodes; borrowed */
    /* Where some references are marked: what hsd_reach_find of graph/reach.h says of all roots, on the way. One bit an
     * object that may have marked references, which bits of a name are the mark, and one bit a node, zeroed by the
     * caller, for what is reached without them. NULL, 0, NULL where nobody asks. */
    const uint8_t *has_marked;
    uint32_t mark;
    uint8_t *unmarked_reach;
    /* Nothing is walked where this tells owners (graph/owner_tree.h), from the spans of all nodes; then has_marked is
     * NULL. NULL, NULL */
    const struct hsd_owner_tree *tree;
    const uint64_t *spans;
    uint64_t memory_bytes; /* for labels, worklist; the adjacency has its own */
    uint64_t serve_bytes;  /* that labels may have once they are found: narrow ones that fit in it stay as they are */
    bool is_wide;          /* none of them stays narrow: who asks writes numbers of nodes among them (graph/lost.h) */
    uint64_t block_bytes;  /* that the adjacency has: it also gets what labels leave; 0 = it stays as it is */
    hsd_temp_space *space;
    hsd_reporter *reporter;
} hsd_owners_config;

/* The label of each node, in as many bytes as the largest one needs where that much memory is there. */
typedef struct hsd_owner_labels {
    hsd_pages narrow; /* u8 or u16 a node, where `width` is 1 or 2 */
    uint32_t width;   /* bytes a node; HSD_NODE_BYTES = they are in `wide`, 0 = there are none */
    hsd_paged wide;   /* an hsd_node a node */
} hsd_owner_labels;

/* Fills `owners`, one label a node (label and root nodes too: HSD_OWNER_NONE or their own label), opened by the
 * call; the caller closes it. */
hsd_status hsd_owners_find(hsd_adjacency *adjacency, const hsd_owners_config *config, hsd_owner_labels *owners,
                           hsd_error *err);

/* A label; or of one that is lost what graph/lost.h says. */
static inline hsd_node hsd_owner_get(hsd_owner_labels *owners, hsd_node node)
{
    HSD_ASSERT(owners->width == HSD_NODE_BYTES || ((uint64_t)node + 1) * owners->width <= owners->narrow.size);
    if (owners->width == 1) return ((const uint8_t *)owners->narrow.data)[node];
    if (owners->width == 2) return ((const uint16_t *)owners->narrow.data)[node];
    return hsd_paged_get_node(&owners->wide, node);
}

/* First failure to read or write wide labels. */
hsd_status hsd_owners_check(const hsd_owner_labels *owners, hsd_error *err);

/* Keeps at most memory_bytes resident from now on, see hsd_paged_shrink; narrow labels stay. */
hsd_status hsd_owners_shrink(hsd_owner_labels *owners, uint64_t memory_bytes, hsd_error *err);

/* Accepts what is zeroed. */
void hsd_owners_close(hsd_owner_labels *owners);

/*
 * Sole owners among objects, for parts (FORMAT.md §7.3): every object that is no part owns itself;
 * a part belongs to the one object from which alone it is reached through parts, else to itself.
 * `is_part` has one bit an object. Fills `holder`: ordinal + 1 of the sole owner, an hsd_node a node;
 * 0 = none (not a part, shared, or never reached).
 */
typedef struct hsd_parts_config {
    hsd_node object_count;
    const uint8_t *is_part;
    uint64_t memory_bytes;
    hsd_temp_space *space;
    hsd_reporter *reporter;
} hsd_parts_config;

hsd_status hsd_parts_find(hsd_adjacency *adjacency, const hsd_parts_config *config, hsd_paged *holder, hsd_error *err);

#endif
