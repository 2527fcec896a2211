/*
 * Groups that tell each other, be it by others, have the same bits in the end: a set of them climbs as one. There is
 * one set a fork, as groups of one fork tell none of another.
 */
#ifndef HSD_HOLDERS_BY_JOINED_H
#define HSD_HOLDERS_BY_JOINED_H

#include "holders/by/told.h"

#define HSD_BY_SETS HSD_BY_FORKS

typedef struct hsd_by_joined {   /* a zeroed one is empty */
    uint64_t *bits;              /* one a group: it is of a set, and so is group 0; NULL: there are no sets */
    hsd_node *others;            /* of each word: how many before it are of none */
    hsd_node first[HSD_BY_SETS]; /* of each fork: the one that stands for all of its set; 0 = it has none */
    hsd_node other_count;
} hsd_by_joined;

static inline bool hsd_by_is_joined(const hsd_by_joined *joined, hsd_node group)
{
    return joined->bits != NULL && (joined->bits[group / 64] >> group % 64 & 1) != 0;
}

/* Where the bits of a group stand that is of no set, or stands for one: sets first, others in their order. Without
 * sets: at its number. */
static inline hsd_node hsd_by_joined_slot(const hsd_by_joined *joined, hsd_node group)
{
    if (joined->bits == NULL) return group;
    const uint64_t word = joined->bits[group / 64];
    if (word >> group % 64 & 1) {
        uint32_t fork = 0;
        while (fork + 1 < HSD_BY_SETS && joined->first[fork] != group)
            fork++;
        return fork;
    }
    const uint64_t before = ~word & ((UINT64_C(1) << group % 64) - 1);
    return joined->others[group / 64] + (uint32_t)__builtin_popcountll(before) + HSD_BY_SETS;
}

/* Slots in all, without sets of `groups` groups. */
static inline uint64_t hsd_by_joined_slots(const hsd_by_joined *joined, hsd_node groups)
{
    return joined->bits != NULL ? (uint64_t)joined->other_count + HSD_BY_SETS : (uint64_t)groups + 1;
}

/* The set of each fork of which a group that tells many is, as far as a few passes find it, and what groups tell once
 * sets are one each; or nothing, where they are small. One bit a group: what neither takes nor gives bits; what has the
 * mark of the first round, which has climbed. Forks are in memory. HSD_E_NOMEM; HSD_E_IO. */
hsd_status hsd_by_join(hsd_by_joined *joined, hsd_by_search *s, hsd_error *err);
void hsd_by_joined_release(hsd_by_joined *joined);

#endif
