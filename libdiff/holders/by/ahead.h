/*
 * What will be asked about what holds together, found by the walk that credits: it has each node of the tree of after
 * in its hands anyhow. What hangs apart from a fork is asked about, all else is plain (by/marks.c); and whether a node
 * is a fork is known once it is left. Until then what hangs apart from it waits on a stack, where that of one node lies
 * together as soon as all below it were left.
 */
#ifndef HSD_HOLDERS_BY_AHEAD_H
#define HSD_HOLDERS_BY_AHEAD_H

#include "base/bits.h"
#include "holders/growth.h"

typedef struct hsd_by_ahead {
    uint8_t *is_plain; /* one bit a node; NULL = it is not looked for */
    hsd_node *waiting;
    uint32_t count, capacity, most;
    bool has_secondary;
} hsd_by_ahead;

/* Where two walks are at once, so that marks can be found beside the match; without memory for it they are later. */
void hsd_by_ahead_begin(hsd_by_ahead *ahead, const hsd_growth *growth);
void hsd_by_ahead_wait(hsd_by_ahead *ahead, hsd_node node);

/* Of a node below a fork: tops, and where a mark climbs names that objects are roots by. Of the super-root all but
 * roots are tops. */
static inline bool hsd_by_may_be_asked(const hsd_tree_node *node, bool is_super_above, bool has_secondary)
{
    if (node->flags & HSD_TREE_IS_ROOT) return has_secondary;
    return is_super_above || node->edge == HSD_TREE_INDIRECT;
}

static inline void hsd_by_ahead_see(hsd_by_ahead *ahead, const hsd_tree_node *node, bool is_super_above)
{
    if (ahead->is_plain == NULL) return;
    if (hsd_by_may_be_asked(node, is_super_above, ahead->has_secondary))
        hsd_by_ahead_wait(ahead, node->node);
    else
        hsd_bit_set(ahead->is_plain, node->node);
}

/* A node is left; `first` is what `count` was once it had been seen. */
static inline void hsd_by_ahead_leave(hsd_by_ahead *ahead, uint32_t first, bool is_fork)
{
    if (ahead->is_plain == NULL) return;
    for (uint32_t i = first; i < ahead->count && !is_fork; i++)
        hsd_bit_set(ahead->is_plain, ahead->waiting[i]);
    ahead->count = first;
}

void hsd_by_ahead_end(hsd_by_ahead *ahead); /* a zeroed one is accepted */

#endif
