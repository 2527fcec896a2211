/*
 * What the JSON and the NDJSON of a series are made of: fields without the braces around them, each with ", " before
 * it but the first.
 */
#ifndef HSD_REPORT_SERIES_JSON_PIECES_H
#define HSD_REPORT_SERIES_JSON_PIECES_H

#include "report/out.h"
#include "report/series_rows.h"

#define HSD_SERIES_SCHEMA "hsdiff.series/1"

/* "path": …, all that a capture of hsdiff.diff/1 has, "label", "baseline", "summary", "metrics". */
void hsd_series_json_capture(hsd_out *out, const hsd_series_point *point);

/* "before_count", "warmup", "has_times", "one_process", "noise_bytes". */
void hsd_series_json_facts(hsd_out *out, const hsd_series *series);

/* "objects": […], "bytes": […]: one for each capture. */
void hsd_series_json_values(hsd_out *out, const hsd_series *series, const hsd_amount *values);

/* The values, "trend" and "verdict"; with repeated captures these are null and "contrast" is there. `row` NULL: of
 * `values`, whose trend is not known. */
void hsd_series_json_numbers(hsd_out *out, const hsd_series *series, const hsd_amount *values,
                             const hsd_series_row *row);

/* "type": …; "root": …, "kind": …; or "type", "root", "kind", "path" of a holder. */
void hsd_series_json_name(hsd_out *out, hsd_report_table table, const hsd_series_row *row);

/* "type": …, "cycle": …, "place": …, "frame": {…} of what is lost; what is not known is null. */
void hsd_series_json_lost(hsd_out *out, const hsd_series_row *row);

/* "first": n, "last": n: captures from 0. */
void hsd_series_json_cohort(hsd_out *out, const hsd_cohort *cohort);

/* "alive": [[{…}], [{…}, {…}], …]: for each cohort in whose last capture is counted, those that had come by then. */
void hsd_series_json_alive(hsd_out *out, const hsd_cohorts *cohorts, const hsd_cohort_row *row);

#endif
