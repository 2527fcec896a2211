/*
 * One side of a gap, followed from one of its ends: a stretch of a sequence that is read forward or backward in
 * windows. Places are counted from that end: 0, 1, 2 …
 */
#ifndef HSD_MATCH_STRAND_H
#define HSD_MATCH_STRAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "match/align.h"
#include "match/sequence.h"

typedef struct hsd_strand {
    hsd_sequence *sequence; /* borrowed */
    uint32_t start;         /* position of place 0 */
    bool is_backward;
    uint32_t count; /* places that may be paired */
    uint32_t whole; /* places that belong to the gap, at least `count` */
    uint32_t next;  /* the first place that is not decided yet */
} hsd_strand;

typedef struct hsd_window {
    hsd_element elements[HSD_ALIGN_MOST];
    bool is_shared[HSD_ALIGN_MOST];
} hsd_window;

static inline uint32_t hsd_strand_position(const hsd_strand *strand, uint32_t place)
{
    HSD_ASSERT(place < strand->whole || strand->whole == 0);
    return strand->is_backward ? strand->start - place : strand->start + place;
}

/* Reads the places from `next` on into the window, as many as fit. */
hsd_stretch hsd_strand_read(const hsd_strand *strand, hsd_window *window);

/* Nearest position with a partner: the first at or behind `from`, or count; the last in front of `end`, or -1. */
uint32_t hsd_next_paired(hsd_sequence *sequence, uint32_t from);
uint32_t hsd_next_unpaired(hsd_sequence *sequence, uint32_t from);                 /* the first without one, likewise */
uint32_t hsd_next_with_rung(hsd_sequence *sequence, uint32_t from, hsd_rung rung); /* with that one, or count */
int64_t hsd_previous_paired(hsd_sequence *sequence, uint32_t end);

/* One belongs to the other, or to what belongs to it: a pair of the one is no proof for the other, since both follow
 * from one value. False where owners are not known. */
bool hsd_are_kin(hsd_sequence *sequence, uint32_t a, uint32_t b);

#endif
