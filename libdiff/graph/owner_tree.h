/*
 * Owners from the dominator tree, without a walk over the references (graph/owners.h says what owners are).
 *
 * A node's owner is the last label or root node on every way to it. If there is one it dominates the node, and it is
 * the nearest of those that do. So what no label node dominates is shared, and below a node that has none further
 * below, all have the owner of their dominator. Owners are thus the same for whole intervals of places, but for the
 * children of *open* nodes: those with a label node further below, from which another way may lead to such a child. Of
 * them there are few, and the references to them are noted by whoever goes through all references anyway. Then labels
 * climb as in a walk, over these references alone, each from the interval that it comes out of.
 *
 * Where label nodes share a name, the ways from them must be told apart further above: what has two such below it is
 * open then, and so is the super-root. Where that makes too many references, or a name does hold what none of its label
 * nodes dominates, nothing is told, and somebody walks.
 *
 *      begin      once places are known: which dominators are open
 *      see        each reference but those from dominators; two threads, each into crossings of its own
 *      resolve    intervals and their owners
 *      tell       the owners of nodes
 *
 * Where places are not in memory, but come in the order of nodes:
 *
 *      begin              from those of label and root nodes
 *      order_see_place    each place: which dominators are open
 *      order_add          candidates, whose owners are not known from their places; order_begin
 *      order_see          each reference to a candidate; two threads, each with a view
 *      resolve, label     the owner of each place, whenever it comes
 */
#ifndef HSD_GRAPH_OWNER_TREE_H
#define HSD_GRAPH_OWNER_TREE_H

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/node.h"
#include "graph/owners.h"

#define HSD_OPEN_SHIFT 10u

typedef struct hsd_owner_tree_config {
    hsd_root_nodes roots;
    hsd_node node_count, object_count;
    const uint32_t *name_of_node; /* label less HSD_OWNER_FIRST of node object_count + i; borrowed until resolved */
    /* The place of a node's dominator, and whether a reference leads from there to it; asked when all were seen. NULL
     * where places come in the order of nodes */
    bool (*hangs)(void *context, hsd_node node, hsd_node *dominator);
    void *context;
    /* first and end of each node's place, two numbers in words (base/node.h), 0 of one that is not reached; those of
     * the second round come last. Borrowed until resolved */
    const uint64_t *spans;
    hsd_node first_node;   /* whose span is the first one: 0, or object_count; then places come in the order of nodes */
    uint64_t memory_bytes; /* for all of it but the marks, hsd_owner_tree_mark_bytes */
} hsd_owner_tree_config;

/* What an item takes in all: its places, those of its segments and their table, a label. */
#define HSD_OWNER_ITEM_BYTES (14u * HSD_NODE_BYTES)

/* One that waits between items: itself, and an arc. */
#define HSD_WAITING_BYTES (2u * HSD_TWO_BYTES)

/* What a reference that is noted takes in all, until owners are told: itself, an item, its segments, an arc. */
#define HSD_CROSSING_BYTES (12u * HSD_TWO_BYTES)

/* Which nodes are open, one bit a place, and what label nodes and root nodes take, of which there are few. */
static inline uint64_t hsd_owner_tree_mark_bytes(uint64_t nodes)
{
    return nodes / 8 + (nodes >> HSD_OPEN_SHIFT) / 8 + (UINT64_C(1) << 20);
}

typedef struct hsd_crossing {
    hsd_node source; /* its place */
    hsd_node target;
} hsd_crossing;

typedef struct hsd_crossings {
    const uint8_t *is_open;  /* one bit a place */
    const uint8_t *has_open; /* and one for each 2^HSD_OPEN_SHIFT: few, in the cache nearest to the processor */
    hsd_crossing *items;
    uint32_t count, capacity, most;
    bool is_full;
} hsd_crossings;

typedef struct hsd_owner_tree hsd_owner_tree;

/* NULL in `out` where it is not worth while. HSD_E_NOMEM. */
hsd_status hsd_owner_tree_begin(hsd_owner_tree **out, const hsd_owner_tree_config *config, hsd_error *err);

/* Crossings for one of two threads, 0 or 1; NULL where nothing need be seen. */
hsd_crossings *hsd_owner_tree_crossings(hsd_owner_tree *tree, uint32_t thread);

/* Slow path of the next one. */
void hsd_crossings_put(hsd_crossings *crossings, hsd_node source, hsd_node target);

/* A reference between nodes that are reached, and not from its target's dominator: the places of both of these. */
static inline void hsd_crossings_see(hsd_crossings *crossings, hsd_node dominator, hsd_node source, hsd_node target)
{
    HSD_ASSERT(dominator != source);
    if (hsd_bit_get(crossings->has_open, dominator >> HSD_OPEN_SHIFT) && hsd_bit_get(crossings->is_open, dominator))
        hsd_crossings_put(crossings, source, target);
}

/* Frees `tree` and makes it NULL where the owners cannot be told. HSD_E_NOMEM. */
hsd_status hsd_owner_tree_resolve(hsd_owner_tree **tree, hsd_error *err);

/* ---- places in the order of nodes, where they are not in memory (owner_order.c) ---- */

/* Which nodes are open, beside memory_bytes. */
static inline uint64_t hsd_owner_order_open_bytes(uint64_t nodes)
{
    return nodes / 8 + (nodes >> HSD_OPEN_SHIFT) / 8 + (UINT64_C(64) << 10);
}

/* Items in `memory_bytes`, of which a quarter is for references that wait. */
static inline uint64_t hsd_owner_order_items(uint64_t memory_bytes)
{
    return hsd_min_u64(memory_bytes / 4 * 3 / HSD_OWNER_ITEM_BYTES, UINT32_MAX / 4);
}

/* The place of each node that dominates something. */
void hsd_owner_order_see_place(hsd_owner_tree *tree, hsd_node first, hsd_node end);

/* Once all of them were seen: true if the node at that place, 0 of the super-root, has candidates among its children:
 * all to which two references or more lead. */
bool hsd_owner_order_has_candidates(const hsd_owner_tree *tree, hsd_node place);

/* The next candidate. HSD_E_NOMEM; HSD_END: they are too many. */
hsd_status hsd_owner_order_add(hsd_owner_tree *tree, hsd_node first, hsd_node end, hsd_node dominator, hsd_error *err);

/* No more of them. HSD_E_NOMEM. */
hsd_status hsd_owner_order_begin(hsd_owner_tree *tree, hsd_error *err);

/* A reference from the node at place `source` to candidate number `candidate`; true if the source is its dominator. One
 * of two threads, 0 or 1, each of which has a view. */
typedef struct hsd_owner_view {
    hsd_owner_tree *tree;
    uint32_t thread;
    hsd_node source; /* the last one, and its item */
    uint32_t item;
    hsd_crossing last; /* that was kept */
} hsd_owner_view;

bool hsd_owner_order_see(hsd_owner_view *view, hsd_node source, uint32_t candidate);

/* ---- what is told ---- */

/* The label of a node that is reached, from where its place begins. */
uint32_t hsd_owner_tree_label(const hsd_owner_tree *tree, hsd_node first);

/* What is left in memory once all is resolved. */
uint64_t hsd_owner_tree_bytes(const hsd_owner_tree *tree);

/* The labels of `count` nodes from their spans. */
void hsd_owner_tree_tell(const hsd_owner_tree *tree, const uint64_t *spans, uint32_t count, uint32_t *labels);

/* NULL is accepted. */
void hsd_owner_tree_free(hsd_owner_tree *tree);

#endif
