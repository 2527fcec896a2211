/*
 * What the files of the trie share: trie/trie.c takes what is added, trie/build.c makes nodes of it.
 */
#ifndef HSD_HOLDERS_TRIE_STATE_H
#define HSD_HOLDERS_TRIE_STATE_H

#include "base/node.h"
#include "graph/paged.h"
#include "holders/trie/trie.h"
#include "sort/tally.h"

/* Words of a key of the tally; those of one depth stand together. */
enum { HSD_TRIE_KEY_NODE, HSD_TRIE_KEY_ABOVE, HSD_TRIE_KEY_STEP, HSD_TRIE_KEY_SUM, HSD_TRIE_KEY_WORDS };

typedef struct hsd_trie_columns { /* one column a sum */
    hsd_node objects[HSD_TRIE_SUMS];
    uint64_t bytes[HSD_TRIE_SUMS];
} hsd_trie_columns;

typedef struct hsd_trie_stored {
    uint32_t parent, edge, type, depth;
    hsd_trie_columns own;
} hsd_trie_stored;

_Static_assert(sizeof(hsd_trie_stored) + sizeof(hsd_trie_columns) == HSD_TRIE_NODE_BYTES, "what a node takes");

/* So many stand in a page, that none lies across two; and of sums with all below, in an array of their own: what is
 * built has none yet. */
#define HSD_TRIE_NODES_IN_PAGE (HSD_PAGE_BYTES / sizeof(hsd_trie_stored))
#define HSD_TRIE_SUMS_IN_PAGE  (HSD_PAGE_BYTES / sizeof(hsd_trie_columns))

#define HSD_TRIE_RECENT  256u /* a power of two */
#define HSD_TRIE_LEAVING 8u   /* likewise */

typedef struct hsd_trie_recent { /* what is added to a key, and not in the tally yet */
    uint64_t key[HSD_TRIE_KEY_WORDS];
    hsd_amount sum;
} hsd_trie_recent;

struct hsd_trie {
    hsd_trie_config config;
    hsd_tally *tally; /* NULL once it is finished */
    /* by the key of the node: neighbours in a heap stand at few places, and seldom ask the tally; node 0 = empty */
    hsd_trie_recent recent[HSD_TRIE_RECENT];
    /* those on the way from there to the tally, whose places in it are being fetched; in turn */
    hsd_trie_recent leaving[HSD_TRIE_LEAVING];
    uint32_t leaving_at;
    bool is_cut;
    hsd_paged nodes; /* hsd_trie_stored */
    hsd_paged all;   /* hsd_trie_columns of each node, with all below */
    bool has_nodes;
    uint32_t count;
};

static inline hsd_trie_stored *hsd_trie_stored_at(hsd_trie *trie, uint32_t node, bool writes)
{
    const uint8_t state = writes ? HSD_FRAME_USED | HSD_FRAME_DIRTY : HSD_FRAME_USED;
    const uint64_t page = node / HSD_TRIE_NODES_IN_PAGE, at = node % HSD_TRIE_NODES_IN_PAGE * sizeof(hsd_trie_stored);
    return (hsd_trie_stored *)(void *)hsd_paged_at(&trie->nodes, page * HSD_PAGE_BYTES + at, state);
}

static inline hsd_trie_columns *hsd_trie_all_at(hsd_trie *trie, uint32_t node, bool writes)
{
    const uint8_t state = writes ? HSD_FRAME_USED | HSD_FRAME_DIRTY : HSD_FRAME_USED;
    const uint64_t page = node / HSD_TRIE_SUMS_IN_PAGE, at = node % HSD_TRIE_SUMS_IN_PAGE * sizeof(hsd_trie_columns);
    return (hsd_trie_columns *)(void *)hsd_paged_at(&trie->all, page * HSD_PAGE_BYTES + at, state);
}

/* Builds the nodes from the finished tally. */
hsd_status hsd_trie_build(hsd_trie *trie, hsd_error *err);

#endif
