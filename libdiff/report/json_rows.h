/*
 * Rows of a diff as fields of a JSON object: `"type": "Session", "before": {...}, ...`. The caller writes the braces.
 */
#ifndef HSD_REPORT_JSON_ROWS_H
#define HSD_REPORT_JSON_ROWS_H

#include "report/out.h"
#include "report/rank.h"

/* before, after, growth, new, freed, kept, resized; null where it is not known. */
void hsd_json_change(hsd_out *out, const hsd_diff *diff, const hsd_change *change);

/* A type or a root: its name and kind, its change, what it retains. */
void hsd_json_row(hsd_out *out, const hsd_diff *diff, const hsd_rank_row *row);

/* How objects were recognised; the warnings of the diff. */
void hsd_json_match(hsd_out *out, const hsd_diff *diff);

#endif
