/*
 * "sites" of hsdiff.diff/1: growth by allocation site, where captures have sites.
 */
#ifndef HSD_REPORT_JSON_SITES_H
#define HSD_REPORT_JSON_SITES_H

#include "report/out.h"
#include "report/site_rows.h"

/* Fields of a row: its frames, before, after, growth; of the rest: how many rows, and the same sums. */
void hsd_json_site(hsd_out *out, const hsd_site_row *row);
void hsd_json_site_rest(hsd_out *out, const hsd_site_pick *pick);

/* "frames": [...], with a comma and a blank behind it; "before", "after" and "growth" alone. */
void hsd_json_frames(hsd_out *out, const hsd_site_frame *frames, size_t count);
void hsd_json_growth(hsd_out *out, const hsd_change *change);

/* "sites": [...], and "other_sites": {...} where some are no rows. `top` rows, 0 = all that there are. */
void hsd_json_sites(hsd_out *out, const hsd_diff *diff, size_t top);

#endif
