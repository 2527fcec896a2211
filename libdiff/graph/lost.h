/*
 * What no root reaches, in order: which of these nodes *head* what is lost, and which hang below them. As valgrind and
 * LeakSanitizer do, one says of a lost list its first node and of all others that they are lost because of it.
 *
 *      a ──► b ──► c        heads: a, and one of x, y
 *      x ◄──► y ──► c       c hangs below one of them: the first that is asked, always the same
 *
 * Two walks over the nodes that are not reached, each node once in either:
 *
 *      1  in ascending order from every node that no walk before came to. What is begun from may have been reached later.
 *      2  in descending order from those that the first walk began from, if no walk before came to them: these are the heads.
 *
 * For each strongly connected component to which no other one leads the first walk begins in it exactly once, since
 * nothing else leads there. What it began from in any other component was begun before a component that leads there, or
 * it would have been reached; so in descending order that one comes first and reaches it. Hence the second walk begins
 * exactly once in each component that nothing leads to, and nowhere else. Nothing recurses, and two bits a node are all
 * that is kept beside the labels.
 */
#ifndef HSD_GRAPH_LOST_H
#define HSD_GRAPH_LOST_H

#include <stdint.h>

#include "base/note.h"
#include "graph/adjacency.h"
#include "graph/paged.h"

#define HSD_LOST (HSD_NODE_C(1) << (HSD_NODE_BITS - 1)) /* in a label: the rest is the ordinal of the head */
/* Instead of one: it is a head, and nothing hangs below it. Of millions of texts that were lost one by one nobody needs
 * to know which is which. */
#define HSD_LOST_ALONE (HSD_LOST - 1)

typedef struct hsd_lost_config {
    hsd_node object_count; /* at most HSD_LOST_ALONE; nodes below are objects, and only these head */
    hsd_node node_count;   /* nodes below are looked at: objects and label nodes, no root nodes */
    uint64_t memory_bytes; /* for the frontier */
    hsd_temp_space *space;
    hsd_reporter *reporter;
} hsd_lost_config;

/*
 * `labels` is what hsd_owners_find filled, wide. Every object that has HSD_OWNER_NONE gets HSD_LOST and its head, or
 * HSD_LOST_ALONE, instead, and *found says whether there was one. `cycles` (one bit a node, zeroed by the caller) gets
 * the bits of heads that something lost refers to, and of the nodes of a short way from such a head back to it: at
 * least its own, and no others where the way is long. A node that refers to itself alone is no cycle (the adjacency has
 * no such references). HSD_E_MISUSE, HSD_E_NOMEM, HSD_E_IO.
 *
 * O(nodes + references of lost nodes); where nothing is lost one pass over the labels.
 */
hsd_status hsd_lost_find(hsd_adjacency *adjacency, const hsd_lost_config *config, hsd_paged *labels, uint8_t *cycles,
                         bool *found, hsd_error *err);

static inline bool hsd_lost_is(hsd_node label) { return (label & HSD_LOST) != 0; }
static inline hsd_node hsd_lost_head(hsd_node label) { return label & ~HSD_LOST; }

#endif
