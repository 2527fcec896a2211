/*
 * Holders as rows: how many there are, what those that are not shown add up to, and the words that all formats
 * use for them.
 */
#ifndef HSD_REPORT_HOLDER_ROWS_H
#define HSD_REPORT_HOLDER_ROWS_H

#include <hsdiff/report.h>

typedef struct hsd_holder_rest {
    uint64_t rows;
    hsd_holder sum; /* amounts alone */
} hsd_holder_rest;

/* All holders but the first `shown` that are rows of the result. */
/* The row of program code, which is the last; NULL without one. */
const hsd_holder *hsd_holders_code(const hsd_diff *diff);
bool hsd_root_is_code(hsd_text root);
/* where it is shown in any case */
hsd_holder_rest hsd_holders_rest_without_code(const hsd_diff *diff, size_t shown);

hsd_holder_rest hsd_holders_rest(const hsd_diff *diff, size_t shown);

/* How many holders are rows with --top `top`; 0 stands for `by_default`. */
size_t hsd_holders_shown(const hsd_diff *diff, size_t top, size_t by_default);

/* Rows and the rest. */
uint64_t hsd_holders_count(const hsd_diff *diff);

/*
 * True if all that grew, but for noise, is one array that was replaced by one twice as large, in the first holder, by
 * no more than 16 KiB, while the heap has no more objects than before, but for one in 64 of the places that it got:
 * room, as a container gets when it is full once, and what it was full of may be gone.
 */
bool hsd_growth_is_room(const hsd_diff *diff, uint64_t noise_bytes);

/*
 * True if what a holder grew by, but for noise, went meanwhile from many below it in the same types: items of a
 * container, of which some changed what they hold. Where addresses are used again a page that came is taken for one
 * that was there, and what it brought for another's: the pages lost it and their cache got it. Asked where the heap
 * kept its size; else it may hide what a cache below a leak lets go.
 */
bool hsd_holder_is_paid_below(const hsd_diff *diff, const hsd_holder *holder, uint64_t noise_bytes);

/*
 * True if most of what a holder grew by went meanwhile, in the same types, from what no one object held, while the
 * holder exchanged most of what it has: before a word that was left over led to a part of it, too, and now none does.
 */
bool hsd_holder_is_paid_by_nobody(const hsd_diff *diff, const hsd_holder *holder);

/* Of several that hold together so many are named in a line; the rest is counted. */
#define HSD_CO_HOLDERS_NAMED 3u

/* True if a line with their names does not say enough of those that hold together. */
bool hsd_holder_needs_shares(const hsd_holder *holder);

/* True for an element of a container, any of them: "[*]" and what follows it. */
bool hsd_edge_is_item(hsd_text edge);

/* True if what is new in a place is told by how many are there, but for a tenth: nothing went, and what was there is
 * still there. Of a table that was made anew some hang from another place by now, and then these two numbers say too
 * little. */
bool hsd_edge_adds_up(const hsd_growth_edge *edge);

/* True if the holder's way, of which no step is left out, begins as the other's does, `steps` far; the other has so
 * many. */
bool hsd_holder_goes_along(const hsd_holder *holder, const hsd_holder *other, size_t steps);

#endif
