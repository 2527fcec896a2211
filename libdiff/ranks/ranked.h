/*
 * A diff by ranks: what each of them does, and its state between the steps. Private to libdiff/ranks:
 *
 *      ranks.c       the order of the steps, and who waits for whom
 *      told.c        what the rank that walked a side tells of it: names, sums, and the tree to rank 0
 *      recognised.c  objects are recognised by structure
 *      meeting.c     sums, bits and examples of all parts come to rank 0
 *      pairs.c       rank 0 asks all for pairs of objects that hold something
 *      replaced.c    objects at one address that are two: each rank finds suspects, who walked a side looks around them
 *      scatter.h     records from each rank to each
 *      together.h    what all agree on
 */
#ifndef HSD_RANKS_RANKED_H
#define HSD_RANKS_RANKED_H

#include "diff/compare.h"
#include "ranks/scatter.h"

typedef struct hsd_ranked {
    hsd_together together;
    hsd_comparison *c;
    hsd_scatter censuses; /* while sides are walked */
    hsd_sorter *parts[2]; /* what came of each census; then they are the sides' own */
    bool is_begun;        /* all ranks have begun with their parts */
    unsigned shares;      /* ranks that share the memory of a machine, of the one that has most */
    uint64_t phase_ns;    /* of the processor, when the phase began */
    bool asks_turn;       /* the ids are asked for the order of the captures */
    hsd_turn_lasts lasts[2];
} hsd_ranked;

static inline const hsd_ranks *hsd_ranked_ranks(const hsd_ranked *r) { return r->together.ranks; }
static inline bool hsd_ranked_is(const hsd_ranked *r, unsigned rank) { return r->together.ranks->rank == rank; }

/* The rank that walks a side: rank 0 the one whose graph is asked for paths. */
static inline unsigned hsd_ranked_walker(int side) { return side == AFTER ? 0 : 1; }

/* All ranks, with both graphs walked and no object counted: where ids say nothing, who is who. */
hsd_status hsd_ranked_recognise(hsd_ranked *r, hsd_error *err);

/* All ranks, after a side was walked: its names to all, its sums and its tree to rank 0. */
hsd_status hsd_ranked_tell_side(hsd_ranked *r, int side, hsd_error *err);

/* In place of hsd_replaced_find, all ranks: of the suspects of this part, which are two objects. */
hsd_status hsd_ranked_find_replaced(hsd_ranked *r, hsd_error *err);

/* All ranks, after they merged their parts. */
hsd_status hsd_ranked_meet(hsd_ranked *r, hsd_error *err);

/* hsd_pair_parts.find_pairs of rank 0, and what the others do meanwhile until rank 0 asks no more. */
hsd_status hsd_ranked_find_pairs(void *ranked, uint8_t *const is_part[2], hsd_sorter *pairs, hsd_error *err);
hsd_status hsd_ranked_serve(hsd_ranked *r, hsd_error *err);
hsd_status hsd_ranked_end(hsd_ranked *r, hsd_error *err); /* of rank 0: it asks no more */

#endif
