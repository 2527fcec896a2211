/*
 * The three lowest ids among the new objects of a type, gathered while objects are merged: 24 bytes a type, a quarter
 * of what its sums take, and like them part of the planner's tables. What comes in which order does not matter.
 */
#ifndef HSD_DIFF_EXAMPLES_H
#define HSD_DIFF_EXAMPLES_H

#include <stdint.h>

#include <hsdiff/diff.h>

/* ascending; as many as were offered */
typedef struct hsd_examples {
    uint64_t ids[HSD_EXAMPLES];
} hsd_examples;

static inline uint32_t hsd_examples_count(uint64_t offered)
{
    return offered < HSD_EXAMPLES ? (uint32_t)offered : HSD_EXAMPLES;
}

/* Offers an id after `offered` others. Ids of one type are distinct. */
static inline void hsd_examples_offer(hsd_examples *examples, uint64_t offered, uint64_t id)
{
    uint64_t *ids = examples->ids;
    uint32_t at = hsd_examples_count(offered);
    if (at == HSD_EXAMPLES) {
        if (ids[at - 1] <= id) return;
        at--;
    }
    for (; at > 0 && ids[at - 1] > id; at--)
        ids[at] = ids[at - 1];
    ids[at] = id;
}

#endif
