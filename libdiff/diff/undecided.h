/*
 * What cancels like with like. Of the objects that may be each other (match/undecided.h) as many as there are on both
 * sides, of one type, size and root, may be neither new nor freed: so much of both is undecided, and counts the same in
 * the rows of the type and of the root, and in the total. Private to compare.c.
 */
#ifndef HSD_DIFF_UNDECIDED_H
#define HSD_DIFF_UNDECIDED_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/diff.h>

/* Kinds of objects (type, size, root) that are told apart; of more, nothing is undecided: all is called new and freed.
 */
#define HSD_UNDECIDED_KINDS (UINT32_C(1) << 15)

typedef struct hsd_undecided_kind {
    uint32_t type, root; /* common numbers */
    uint64_t bytes;      /* of one */
    uint64_t objects[2]; /* before, after; 0 and 0 = no kind */
} hsd_undecided_kind;

typedef struct hsd_undecided_table { /* a zeroed one is empty */
    hsd_undecided_kind *kinds;       /* open addressing */
    uint32_t capacity, count;
    bool is_full;
} hsd_undecided_table;

/* An object of `side` (0 before, 1 after). HSD_E_NOMEM. */
hsd_status hsd_undecided_take(hsd_undecided_table *table, unsigned side, uint32_t type, uint32_t root, uint64_t bytes,
                              hsd_error *err);

/* The same of so many, counted elsewhere (libdiff/ranks). */
hsd_status hsd_undecided_add(hsd_undecided_table *table, const hsd_undecided_kind *kind, hsd_error *err);

/* More kinds than are told apart: nothing is undecided. */
void hsd_undecided_give_up(hsd_undecided_table *table);

/* What a kind has on both sides. */
hsd_amount hsd_undecided_of(const hsd_undecided_kind *kind);

void hsd_undecided_release(hsd_undecided_table *table);

#endif
