/*
 * Two captures that go through the stages together, and the numbers that they share. The comparison (diff/compare.h) is
 * built round one; who holds the growth (holders/holders.h) asks nothing else.
 */
#ifndef HSD_WALK_PAIR_H
#define HSD_WALK_PAIR_H

#include "base/names.h"
#include "base/note.h"
#include "format/tables.h"
#include "io/temp.h"
#include "walk/edges.h"
#include "walk/plan/plan.h"
#include "walk/side/side.h"

enum { BEFORE, AFTER, SIDE_COUNT };

/* Where censuses lie in parts in several processes (libdiff/ranks), who merges them once more for holders: puts what
 * hsd_growth_pairs says of all parts into `pairs`. */
typedef struct hsd_pair_parts {
    void *context;
    hsd_status (*find_pairs)(void *context, uint8_t *const is_part[2], hsd_sorter *pairs, hsd_error *err);
} hsd_pair_parts;

typedef struct hsd_pair {
    hsd_reporter *reporter;
    hsd_temp_space space;
    hsd_page_pool pool; /* the space's, once the memory was divided */
    hsd_plan plan;
    hsd_walk_request requests[SIDE_COUNT]; /* of the sides, which only read them */
    hsd_side_walk sides[SIDE_COUNT];
    hsd_type_names types;
    hsd_edge_names edges;        /* empty without holders */
    const hsd_pair_parts *parts; /* NULL = the censuses are here */
    bool has_holders;            /* both sides have trees, and after keeps its graph */
    char why_no_holders[160];    /* a clause, for hsd_diff; empty with has_holders */

    /* once both were walked (hsd_compare_prepare) */
    hsd_names roots;                   /* names of owners on either side */
    uint32_t *root_number[SIDE_COUNT]; /* a side's number -> common number */
    uint8_t *root_kinds;               /* by common number */

    /* once they were compared by identity (hsd_compare_merge); NULL without */
    uint8_t *is_kept[SIDE_COUNT];    /* one bit an object of a side: live in both captures */
    uint8_t *is_resized[SIDE_COUNT]; /* one bit an object: it is kept and has another size; NULL = none has */
} hsd_pair;

/* Releases both sides and what they share; the space and the reporter are the caller's. A zeroed pair is accepted. */
void hsd_pair_release(hsd_pair *pair);

#endif
