/*
 * Seeds that stand alone. What is unique by its whole is nearly always the same object, but not a small one whose value
 * alone makes it unique: an Integer that was freed here and one of the same value that came there are two. Where a heap
 * kept its order, the two lie among strangers:
 *
 *      before   … A  x  B …        A, B and C, D are recognised, but not as each other
 *      after    … C  x' D …
 *
 * So a pair by HSD_RUNG_STRUCTURE whose nearest recognised neighbours are not each other's, neither in front nor
 * behind, is taken back. If it was right after all, its gap brings it back (match/sweep.h).
 */
#ifndef HSD_MATCH_CONFIRM_H
#define HSD_MATCH_CONFIRM_H

#include "base/note.h"
#include "match/sequence.h"

/* Fewer pairs with the right neighbour in front, and order says nothing: then all stay. Between two processes, 40% and
 * more of right pairs may stand alone; after a collection hardly any. */
#define HSD_CONFIRM_PERCENT 75u

/* `*dropped` is how many were taken back. Neighbours are those that were recognised before the call, whether they are
 * taken back or not: the same pairs go whichever side is older. Partners of `older` are read twice in order; on the
 * other side every gap is looked at twice, in order where the pairs are. HSD_E_IO, HSD_E_CANCELLED. */
hsd_status hsd_confirm(hsd_sequence *older, hsd_sequence *newer, hsd_reporter *reporter, uint64_t *dropped,
                       hsd_error *err);

#endif
