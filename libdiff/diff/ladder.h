/*
 * The ladder: what the objects of two captures are recognised by, decided from what the captures say of themselves.
 *
 *      exact      ids are unique in a process, and both are of one
 *      address    ids are addresses that stay while an object lives: id, type, and mark (walk/marks.h)
 *      structure  ids say nothing about each other: names, content, neighbourhood (match/recognise.h)
 *      counts     nothing can be recognised: growth by type and by root alone
 *
 * One table (ladder.c) holds all conditions. Private to diff.
 */
#ifndef HSD_DIFF_LADDER_H
#define HSD_DIFF_LADDER_H

#include "walk/side/side.h"

typedef enum hsd_basis { HSD_BASIS_EXACT, HSD_BASIS_ADDRESS, HSD_BASIS_STRUCTURE, HSD_BASIS_COUNTS } hsd_basis;

typedef struct hsd_ladder {
    hsd_basis basis;
    const char *reason; /* why not by ids, a clause; NULL with EXACT and ADDRESS */
    hsd_side_look look; /* what counts as alike; with STRUCTURE */
    bool is_reversed;   /* `after` was taken first, or comes first in an order that both ways agree on */
} hsd_ladder;

/* Both sides are open. */
hsd_ladder hsd_ladder_choose(const hsd_side_walk *before, const hsd_side_walk *after, hsd_match_by wanted);

#endif
