/*
 * A tournament. Every leaf holds the record that its run offers; every inner node remembers the loser of
 * the match played there, and the winner goes on. Eight runs, first offers 6 2 9 4 8 3 7 5:
 *
 *                                  2                     winner, nodes[0]
 *                                  |
 *                              nodes[1] 3                the other half's best lost to 2
 *                        /                   \
 *              nodes[2] 4                     nodes[3] 5
 *             /          \                   /          \
 *        nodes[4] 6   nodes[5] 9        nodes[6] 8   nodes[7] 7
 *         /    \       /    \            /    \       /    \
 *        6      2     9      4          8      3     7      5
 *     leaf 0    1     2      3          4      5     6      7
 *
 * 2 is taken. Its run, leaf 1, offers 10 next. Only the matches on leaf 1's way up are played again, each
 * against the loser that stands there:
 *
 *        nodes[4]   10 against 6    6 goes on, 10 stays
 *        nodes[2]    6 against 4    4 goes on,  6 stays
 *        nodes[1]    4 against 3    3 goes on,  4 stays        winner: 3
 *
 * Three matches for eight runs, and no look at siblings: that is the point of keeping losers. A node keeps
 * the first word of its record beside the number of the leaf, so a match is decided within the node;
 * only equal first words send it to the records. Leaves that have run dry carry the largest word and
 * lose against records that have it too. Leaf i plays first at node (i + leaf_count) / 2, which holds for
 * any number of leaves.
 */
#include "sort/losertree.h"

#include <stdbool.h>

#include "base/assert.h"
#include "sort/radix.h"

void hsd_losertree_init(hsd_losertree *tree, uint32_t leaf_count, unsigned words, void *memory)
{
    HSD_ASSERT(leaf_count >= 1 && words >= 1);
    HSD_ASSERT(((uintptr_t)memory & 7) == 0);
    *tree = (hsd_losertree){.nodes = memory, .leaf_count = leaf_count, .words = words};
    tree->records = (const uint64_t **)(void *)(tree->nodes + leaf_count);
    for (uint32_t leaf = 0; leaf < leaf_count; leaf++)
        tree->records[leaf] = NULL;
}

bool hsd_losertree_is_less(const hsd_losertree *tree, uint64_t leaf, uint64_t than)
{
    HSD_ASSERT(leaf < tree->leaf_count && than < tree->leaf_count);
    const uint64_t *a = tree->records[leaf], *b = tree->records[than];
    if (a == NULL || b == NULL) return a != NULL;
    return hsd_record_compare(a, b, tree->words) < 0;
}

static bool beats(const hsd_losertree *tree, hsd_loser a, hsd_loser b)
{
    return a.key != b.key ? a.key < b.key : hsd_losertree_is_less(tree, a.leaf, b.leaf);
}

/*
 * Leaves enter one after the other: each goes up until it meets a node where nobody has played yet, and
 * waits there; the second to come plays and the winner goes on. Only the last leaf reaches the top.
 */
void hsd_losertree_play(hsd_losertree *tree)
{
    HSD_ASSERT(tree->leaf_count >= 1);
    const uint64_t nobody = UINT64_MAX;
    for (uint32_t at = 0; at < tree->leaf_count; at++)
        tree->nodes[at].leaf = nobody;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        const uint64_t *record = tree->records[leaf];
        hsd_loser player = {.key = record != NULL ? record[0] : UINT64_MAX, .leaf = leaf};
        uint32_t at = (leaf + tree->leaf_count) / 2;
        for (; at > 0 && tree->nodes[at].leaf != nobody; at /= 2) {
            if (!beats(tree, tree->nodes[at], player)) continue;
            const hsd_loser swap = tree->nodes[at];
            tree->nodes[at] = player;
            player = swap;
        }
        tree->nodes[at] = player;
    }
}
