/*
 * The dominator tree of one side as a stream. The census gives every live object that counts, every label
 * node and every root node a record with its place; sorted by place they come parents before children, each subtree
 * in one run. So everything that is asked of the tree is one pass with a stack, and the stack spills: a list of
 * ten million objects is ten million deep.
 *
 * Objects that do not count (pseudo, folded into their owners) have no record, or one that is hidden; what they
 * dominate appears below the nearest node that has one and is seen.
 */
#ifndef HSD_WALK_TREE_H
#define HSD_WALK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/node.h"
#include "sort/sorter.h"
#include "walk/edges.h"
#include <hsdiff/status.h>

/*
 * Words of a record (key: the first):
 *      HSD_TREE_PLACE   first and end, HSD_TWO
 *      HSD_TREE_TYPE    HSD_TREE_IS_NODE | common type << 32 | name of the reference from the immediate dominator
 *                       (walk/edges.h; with HSD_EDGE_SOFT if the node is live softly), or HSD_TREE_INDIRECT; label and
 *                       root nodes: number of the root's name on this side << 32 | INDIRECT
 *      HSD_TREE_NODE    node, and other flags << HSD_TREE_BYTES_BITS | bytes, folded parts included, HSD_TWO
 *      HSD_TREE_WORDS   id of the object; 0 of a root. Only of a side that was walked with want_ids
 *
 * In front of a node with more bytes stands a record with its place whose second word is, without HSD_TREE_IS_NODE,
 * what is beyond HSD_TREE_BYTES_BITS.
 */
enum {
    HSD_TREE_PLACE,
    HSD_TREE_TYPE = HSD_TWO_WORDS,
    HSD_TREE_NODE,
    HSD_TREE_WORDS = HSD_TREE_NODE + HSD_TWO_WORDS,
    HSD_TREE_ID_WORDS,
};
#define HSD_TREE_KEY_WORDS 1u /* no two nodes have one first */
/* which are dense numbers, as hsd_sorter_next_dense asks, where no node has more bytes than its record holds */
#define HSD_TREE_FIRST_SHIFT (HSD_NODE_BITS == 32 ? 32u : 0u)
#define HSD_TREE_IS_NODE     (UINT64_C(1) << 63)
#define HSD_TREE_BYTES_BITS  (HSD_NODE_BITS - 2)
#define HSD_TREE_BYTES_MOST  (((hsd_node)1 << HSD_TREE_BYTES_BITS) - 1) /* that a record holds */
#define HSD_TREE_INDIRECT    UINT32_C(0x7fffffff)                       /* the dominator does not refer to it itself */
#define HSD_TREE_IS_ROOT     1u /* a label node or a root node: starts an owner */
#define HSD_TREE_IS_SOFT     2u /* live by soft references alone */
#define HSD_TREE_IS_HIDDEN   4u /* does not count; 0 bytes. Only of a side with a keeper (walk/keep.h) */

typedef struct hsd_tree_node {
    hsd_node first, end;
    uint32_t type; /* common type; of a root its name's number on this side */
    uint32_t edge;
    hsd_node node; /* of an object its ordinal */
    uint32_t flags;
    uint64_t bytes;
    uint64_t id; /* 0 without want_ids */
} hsd_tree_node;

static inline hsd_node hsd_tree_record_node(const uint64_t *record) { return hsd_words_first(record + HSD_TREE_NODE); }

static inline bool hsd_tree_is_node(const uint64_t *record) { return (record[HSD_TREE_TYPE] & HSD_TREE_IS_NODE) != 0; }

/* Of a record that is no node: bytes of the node that follows, beside those in its own. */
static inline uint64_t hsd_tree_more(const uint64_t *record) { return record[HSD_TREE_TYPE] << HSD_TREE_BYTES_BITS; }

static inline hsd_tree_node hsd_tree_read(const uint64_t *record)
{
    const uint32_t edge = (uint32_t)record[HSD_TREE_TYPE];
    const hsd_node rest = hsd_words_second(record + HSD_TREE_NODE);
    const uint32_t flags = (uint32_t)(rest >> HSD_TREE_BYTES_BITS);
    return (hsd_tree_node){
        .first = hsd_words_first(record + HSD_TREE_PLACE),
        .end = hsd_words_second(record + HSD_TREE_PLACE),
        .type = (uint32_t)((record[HSD_TREE_TYPE] & ~HSD_TREE_IS_NODE) >> 32),
        .edge = HSD_EDGE_NAME(edge),
        .bytes = rest & HSD_TREE_BYTES_MOST,
        .node = hsd_tree_record_node(record),
        .flags = (flags & HSD_TREE_IS_ROOT) | (edge & HSD_EDGE_SOFT ? HSD_TREE_IS_SOFT : 0) |
                 (flags & 2 ? HSD_TREE_IS_HIDDEN : 0),
    };
}

/* What hsd_tree_read gives back, but for bytes above HSD_TREE_BYTES_MOST. */
static inline void hsd_tree_write(uint64_t record[HSD_TREE_WORDS], const hsd_tree_node *node)
{
    const hsd_node flags = (node->flags & HSD_TREE_IS_ROOT) | (node->flags & HSD_TREE_IS_HIDDEN ? 2 : 0);
    const hsd_node rest = flags << HSD_TREE_BYTES_BITS | (hsd_node)(node->bytes & HSD_TREE_BYTES_MOST);
    HSD_ASSERT(node->type < UINT32_C(1) << 31 && HSD_EDGE_NAME(node->edge) == node->edge);
    hsd_words_set_two(record + HSD_TREE_PLACE, node->first, node->end);
    record[HSD_TREE_TYPE] = HSD_TREE_IS_NODE | (uint64_t)node->type << 32 | node->edge |
                            (node->flags & HSD_TREE_IS_SOFT ? HSD_EDGE_SOFT : 0);
    hsd_words_set_two(record + HSD_TREE_NODE, node->node, rest);
}

/* The record that a node with more bytes has besides; false if it has none. */
static inline bool hsd_tree_write_more(uint64_t record[HSD_TREE_WORDS], const hsd_tree_node *node)
{
    if (node->bytes <= HSD_TREE_BYTES_MOST) return false;
    hsd_words_set_two(record + HSD_TREE_PLACE, node->first, node->end);
    record[HSD_TREE_TYPE] = node->bytes >> HSD_TREE_BYTES_BITS;
    hsd_words_set_two(record + HSD_TREE_NODE, node->node, 0);
    return true;
}

/* The name of the reference to a node becomes what `number_of` has for it. */
static inline void hsd_tree_renumber(uint64_t *record, const uint32_t *number_of)
{
    const uint32_t name = HSD_EDGE_NAME((uint32_t)record[HSD_TREE_TYPE]);
    if (hsd_tree_is_node(record) && name != HSD_TREE_INDIRECT)
        record[HSD_TREE_TYPE] += (uint64_t)number_of[name] - name;
}

/* Puts a record of either kind: of two for one node the sorter is told. */
static inline hsd_status hsd_tree_put(hsd_sorter *tree, const uint64_t *record, hsd_error *err)
{
    if (!hsd_tree_is_node(record)) hsd_sorter_repeat(tree);
    return hsd_sorter_put(tree, record, err);
}

/* What is known of the nodes below one whose records come: where the next of them begins if nothing is left out, and
 * that something was, so that those behind it may have another immediate dominator. Zeroed: that is so of all. */
typedef struct hsd_tree_seam {
    hsd_node next;
    bool has_gap;
} hsd_tree_seam;

static inline hsd_tree_seam hsd_tree_seam_below(const hsd_tree_node *node)
{
    return (hsd_tree_seam){.next = node->first + 1};
}

/* True if the node's immediate dominator is not surely the one above, or does not refer to it (graph/shortest.h,
 * hsd_shortest_via). Asked once of each node below, in their order. */
static inline bool hsd_tree_is_sought(hsd_tree_seam *above, const hsd_tree_node *node)
{
    above->has_gap |= node->first != above->next;
    above->next = node->end;
    return above->has_gap || node->edge == HSD_TREE_INDIRECT;
}

#define HSD_TREE_MOST_BITS 3u

/* What is done at each node. A frame is frame_bytes of the visitor's own, zeroed, for each node on the way from
 * the super-root; `parent` is the frame above (the super-root's has no node). Frames move: never keep a pointer. */
typedef struct hsd_tree_visitor {
    void *context;
    size_t frame_bytes; /* a multiple of 8, at most 256 */
    size_t rare_bytes;  /* of these, at the end, what few frames write: the cost model leaves it out */
    bool has_ids;       /* records have HSD_TREE_ID_WORDS */
    bool fills_frames;  /* enter sets all of a frame: it need not be zeroed */
    bool sees_hidden;   /* nodes with HSD_TREE_IS_HIDDEN, too */
    bool reads_ahead;   /* a thread is free: where memory_bytes suffice it merges records meanwhile */
    /* of one bit a node each, that visits will ask for: they are fetched ahead. The first ones; NULL = no more */
    const uint8_t *bits[HSD_TREE_MOST_BITS];
    hsd_status (*enter)(void *context, const hsd_tree_node *node, void *parent, void *frame, hsd_error *err);
    hsd_status (*leave)(void *context, void *frame, void *parent, hsd_error *err); /* NULL = nothing to do */
    /* Instead of both, for a node whose interval says that nothing hangs below it, which most are: it gets no frame.
     * NULL = it is entered and left as all others. */
    hsd_status (*leaf)(void *context, const hsd_tree_node *node, void *parent, hsd_error *err);
} hsd_tree_visitor;

/*
 * Walks a finished sorter of records from its first (it is rewound). `root` is the super-root's frame, prepared by
 * the caller and left with what the visits made of it. The stack keeps at most memory_bytes in memory (at
 * least 64 KiB) and the rest in a temporary file.
 */
hsd_status hsd_tree_walk(hsd_sorter *tree, const hsd_tree_visitor *visitor, void *root, uint64_t memory_bytes,
                         hsd_temp_space *space, hsd_error *err);

#endif
