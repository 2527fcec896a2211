/*
 * Which pairs by order are uncertain one by one: among equals that lie in a row, of which some have no partner, nobody
 * knows which of them those are.
 *
 *      before   … x x x x …      one x went, and any of the four may be it: all three pairs are HSD_RUNG_TWINS
 *      after    … x x x …
 */
#ifndef HSD_MATCH_DOUBT_H
#define HSD_MATCH_DOUBT_H

#include "match/sweep.h"

/* Makes such HSD_RUNG_ORDER pairs HSD_RUNG_TWINS, and moves their number in `made`. One pass over each side in order;
 * is_shared of both is lost. HSD_E_IO. */
hsd_status hsd_doubt(hsd_sequence *before, hsd_sequence *after, hsd_sweep_pairs *made, hsd_error *err);

#endif
