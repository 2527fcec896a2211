/*
 * One capture as a profile walked it, kept for a diff with another one. A series adds up each of its captures, and
 * where something grows compares two of them: what was walked for the sums of these is what the diff would walk once
 * more.
 *
 *      first    walked by itself                                           types, names of references of its own
 *      second   opened behind it: types are numbered on, names anew        those of both, as hsd_pair has them
 *                               and with them in the tree of the first
 *      diff     takes both sides as they are                               (diff/diff.c)
 *
 * Where the two would not be numbered as a pair is, the second is walked by itself, and there is no pair.
 */
#ifndef HSD_WALK_WALKED_H
#define HSD_WALK_WALKED_H

#include "walk/single.h"

struct hsd_walked {
    hsd_single single;
    bool is_second; /* its tables are those of both */
};

/* Opens `next` behind the first, whose types it takes over. Where a type of both has flags of its own in each it is
 * left closed, and next->behind NULL. */
hsd_status hsd_walked_open_next(struct hsd_walked *first, hsd_single *next, hsd_error *err);

/* Names of references of both, once `next` is open and has a plan; next->behind is NULL where they are too many. */
hsd_status hsd_walked_number_edges(struct hsd_walked *first, hsd_single *next, hsd_error *err);

/* True if what was walked is what a diff by ids would walk, and lies in memory. */
bool hsd_walked_can_stay(const hsd_single *single);

#endif
