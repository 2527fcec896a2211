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
    hsd_node start;         /* position of place 0 */
    bool is_backward;
    hsd_node count; /* places that may be paired */
    hsd_node whole; /* places that belong to the gap, at least `count` */
    hsd_node next;  /* the first place that is not decided yet */
} hsd_strand;

typedef struct hsd_window {
    hsd_element elements[HSD_ALIGN_MOST];
    bool is_shared[HSD_ALIGN_MOST];
} hsd_window;

static inline hsd_node hsd_strand_position(const hsd_strand *strand, hsd_node place)
{
    HSD_ASSERT(place < strand->whole || strand->whole == 0);
    return strand->is_backward ? strand->start - place : strand->start + place;
}

/* Reads the places from `next` on into the window, as many as fit. */
hsd_stretch hsd_strand_read(const hsd_strand *strand, hsd_window *window);

/* Nearest position with a partner: the first at or behind `from`, or count; the last in front of `end`, or -1. */
hsd_node hsd_next_paired(hsd_sequence *sequence, hsd_node from);
hsd_node hsd_next_unpaired(hsd_sequence *sequence, hsd_node from);                 /* the first without one, likewise */
hsd_node hsd_next_with_rung(hsd_sequence *sequence, hsd_node from, hsd_rung rung); /* with that one, or count */
int64_t hsd_previous_paired(hsd_sequence *sequence, hsd_node end);

/* One belongs to the other, or to what belongs to it: a pair of the one is no proof for the other, since both follow
 * from one value. False where owners are not known. */
bool hsd_are_kin(hsd_sequence *sequence, hsd_node a, hsd_node b);

#endif
