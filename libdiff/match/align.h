/*
 * The alignment of two short stretches of elements: which of one are which of the other, in order, at the least cost.
 * Wavefronts over cost and diagonal (after Marco-Sola and others, 2021): O(cost x diagonals) steps, whatever the
 * lengths, and nothing where the two are equal.
 *
 *      same key and type                            0
 *      one fell out of `before`                     freed     cheap: collectors close the gap
 *      one came into `after`                        come      dear: what is new lies elsewhere
 *      same shape, other structure or referrer      changed   where it can have been written to
 *      same type                                    other
 *
 * It can have been written to if not both wholes are on the other side too, or if only its referrers differ and one
 * of these is none or several: then it was written to from outside.
 *
 * A pure function of its two stretches and costs: no memory but its own, no I/O.
 */
#ifndef HSD_MATCH_ALIGN_H
#define HSD_MATCH_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "match/element.h"

#define HSD_ALIGN_MOST 512u /* elements of a stretch */

typedef struct hsd_align_costs { /* 1 … 64; 0 = never. `freed` and `come` are never 0 */
    uint32_t freed, come, changed, other;
} hsd_align_costs;

typedef struct hsd_stretch {
    const hsd_element *elements;
    const bool *is_shared; /* its whole is on the other side too: it was not written to */
    uint32_t count;        /* at most HSD_ALIGN_MOST */
    bool is_all;           /* nothing follows behind it */
} hsd_stretch;

typedef enum hsd_align_how { HSD_ALIGN_SAME, HSD_ALIGN_CHANGED, HSD_ALIGN_OTHER } hsd_align_how;

typedef struct hsd_aligned {
    uint16_t before, after; /* places in the stretches; both ascend */
    uint8_t how;            /* hsd_align_how */
} hsd_aligned;

typedef struct hsd_alignment {
    hsd_aligned pairs[HSD_ALIGN_MOST];
    uint32_t count;
    uint32_t before, after;  /* elements up to and with the last pair: where to go on */
    uint32_t same;           /* of the pairs */
    uint32_t covered, alike; /* what was looked at: elements of both sides, and pairs of the same */
    bool is_complete;        /* one stretch was used up to its end, and that is all of it */
} hsd_alignment;

/* Nothing tells them apart. */
static inline bool hsd_element_is_same(const hsd_element *a, const hsd_element *b)
{
    return hsd_element_key(a) == hsd_element_key(b) && a->type == b->type;
}

typedef struct hsd_aligner hsd_aligner; /* working memory, 800 KiB */
hsd_aligner *hsd_aligner_new(void);     /* NULL: no memory */
void hsd_aligner_free(hsd_aligner *aligner);

/*
 * Aligns from the front, until one stretch is used up. Where neither is within the aligner's limits (a cost of 1,200
 * and 390,000 steps: enough for any stretches while `freed` is 1), `out` ends with what pays best. Unless it is
 * complete, the last third of what was looked at is left for the next call: what comes behind may change it. The front
 * that costs nothing always stays.
 */
void hsd_align(hsd_aligner *aligner, const hsd_stretch *before, const hsd_stretch *after, const hsd_align_costs *costs,
               hsd_alignment *out);

#endif
