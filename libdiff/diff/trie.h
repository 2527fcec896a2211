/*
 * The type-path trie: the dominator trees of both sides, added up by what a person can read. A node is a
 * path root -> .edge Type -> .edge Type …, and has the sums of all objects that stand there: before, after, new,
 * freed, in objects and bytes, of its own and (after hsd_trie_finish) of all below it. Sums are exact.
 *
 * What keeps it small, without regard to the order of anything:
 *   repetition   a child with the edge and type of one of its nearest HSD_TRIE_LOOK_BACK ancestors is that ancestor: a
 *                linked list is one node, whatever its length
 *   fan-out      more than HSD_TRIE_FAN_OUT edges from one node to one type become one edge, [*]: an object used as a
 *                dictionary
 *   size         past HSD_MAX_TRIE_NODES the depth is halved until it fits: deeper objects count for their
 *                ancestor at the last depth, and the result says so
 */
#ifndef HSD_DIFF_TRIE_H
#define HSD_DIFF_TRIE_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/diff.h>

#define HSD_TRIE_LOOK_BACK 4u
#define HSD_TRIE_FAN_OUT 64u
#define HSD_MAX_TRIE_NODES 65536u
#define HSD_TRIE_MAX_DEPTH 64u
#define HSD_TRIE_ROOT 0u

typedef struct hsd_trie_sums {
    hsd_amount before, after, new_, freed;
    int64_t resized_bytes;
} hsd_trie_sums;

typedef struct hsd_trie_node {
    uint32_t parent;
    uint32_t edge;       /* diff/edges.h; HSD_TREE_INDIRECT; HSD_TRIE_ANY for [*] */
    uint32_t type;       /* common type, or common root number with is_root */
    uint32_t depth;
    bool is_root;        /* a root node or label node: a level of its own */
    hsd_trie_sums own;
    hsd_trie_sums all;   /* own and below; after finish */
} hsd_trie_node;

#define HSD_TRIE_ANY UINT32_C(0x7ffffffe)

typedef struct hsd_trie hsd_trie;

hsd_status hsd_trie_new(hsd_trie **out, hsd_error *err);

/* The child of `parent` for an edge and a type, made when there is none. Amortised O(1). */
hsd_status hsd_trie_child(hsd_trie *trie, uint32_t parent, uint32_t edge, uint32_t type, bool is_root,
                          uint32_t *out, hsd_error *err);

/* The node a number from hsd_trie_child stands for now: compaction and depth may have changed it. */
hsd_trie_node *hsd_trie_at(hsd_trie *trie, uint32_t node);

/* Brings the trie into its final form and adds up `all`. Numbers from before are no longer valid; nodes are now
 * 0 … count - 1 in preorder, children by growth, largest first, then by text; the caller's compare orders texts. */
typedef int (*hsd_trie_compare)(void *context, const hsd_trie_node *a, const hsd_trie_node *b);
hsd_status hsd_trie_finish(hsd_trie *trie, hsd_trie_compare compare, void *context, hsd_error *err);

uint32_t hsd_trie_count(const hsd_trie *trie);
uint32_t hsd_trie_depth_limit(const hsd_trie *trie); /* HSD_TRIE_MAX_DEPTH, or less when it had to be cut */
void hsd_trie_free(hsd_trie *trie);

#endif
