/*
 * "lost" of hsdiff.diff/1: what no root reaches where nothing but the program frees memory, by what heads it and where that was allocated.
 */
#ifndef HSD_REPORT_JSON_LOST_H
#define HSD_REPORT_JSON_LOST_H

#include "report/lost_rows.h"
#include "report/out.h"

/* Fields of a row; of the rest: how many rows, and the same sums. */
void hsd_json_lost_row(hsd_out *out, const hsd_lost_row *row);
void hsd_json_lost_rest(hsd_out *out, const hsd_lost_pick *pick);

/* "lost": [...], and "other_lost": {...} where some are no rows. `top` rows, 0 = all that there are. */
void hsd_json_lost(hsd_out *out, const hsd_diff *diff, size_t top);

#endif
