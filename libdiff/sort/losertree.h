/*
 * The tree that picks the smallest of many records and is told what replaces it. Knows records and
 * leaves; where the records come from is its caller's business. Internal to sort/.
 */
#ifndef HSD_SORT_LOSERTREE_H
#define HSD_SORT_LOSERTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"

typedef struct hsd_loser {
    uint64_t key; /* first word of the leaf's record; UINT64_MAX when it has none */
    uint64_t leaf;
} hsd_loser;

typedef struct hsd_losertree {
    hsd_loser *nodes;         /* nodes[0] is the winner, nodes[1..leaf_count-1] the losers */
    const uint64_t **records; /* of each leaf; NULL: it has no more */
    uint32_t leaf_count;
    unsigned words;
} hsd_losertree;

/* Bytes of memory for a tree of so many leaves. */
static inline size_t hsd_losertree_bytes(uint32_t leaf_count)
{
    return leaf_count * (sizeof(hsd_loser) + sizeof(const uint64_t *));
}

/* Over `memory` (borrowed, aligned to 8). All leaves are empty; at least one. */
void hsd_losertree_init(hsd_losertree *tree, uint32_t leaf_count, unsigned words, void *memory);

/* Gives a leaf its first record; after the last one call play. */
static inline void hsd_losertree_set(hsd_losertree *tree, uint32_t leaf, const uint64_t *record)
{
    HSD_ASSERT(leaf < tree->leaf_count);
    tree->records[leaf] = record;
}

/* Plays all matches: O(leaves). */
void hsd_losertree_play(hsd_losertree *tree);

/* The leaf with the smallest record; when that is NULL all leaves are empty. */
static inline uint32_t hsd_losertree_winner(const hsd_losertree *tree) { return (uint32_t)tree->nodes[0].leaf; }

/* The least first word of all leaves but the winner's, UINT64_MAX without one: who is second lost to the winner itself.
 */
static inline uint64_t hsd_losertree_second(const hsd_losertree *tree)
{
    uint64_t least = UINT64_MAX;
    for (uint64_t at = (tree->nodes[0].leaf + tree->leaf_count) / 2; at > 0; at /= 2)
        if (tree->nodes[at].key < least) least = tree->nodes[at].key;
    return least;
}

/* Slow path: order of two leaves whose first words are equal. */
bool hsd_losertree_is_less(const hsd_losertree *tree, uint64_t leaf, uint64_t than);

/*
 * Replaces the winner's record by the next one of its leaf (NULL: none) and plays its way up:
 * O(log leaves). The swap is arithmetic, since whether it happens cannot be predicted.
 */
static inline void hsd_losertree_replace(hsd_losertree *tree, const uint64_t *record)
{
    hsd_loser winner = tree->nodes[0];
    tree->records[winner.leaf] = record;
    winner.key = record != NULL ? record[0] : UINT64_MAX;
    for (uint64_t at = (winner.leaf + tree->leaf_count) / 2; at > 0; at /= 2) {
        hsd_loser *node = &tree->nodes[at];
        uint64_t swaps = node->key < winner.key;
        if (__builtin_expect(node->key == winner.key, 0)) swaps = hsd_losertree_is_less(tree, node->leaf, winner.leaf);
        const uint64_t mask = (uint64_t)0 - swaps;
        const uint64_t key = (node->key ^ winner.key) & mask;
        const uint64_t leaf = (node->leaf ^ winner.leaf) & mask;
        node->key ^= key;
        winner.key ^= key;
        node->leaf ^= leaf;
        winner.leaf ^= leaf;
    }
    tree->nodes[0] = winner;
}

#endif
