/*
 * The records of a result, one JSON object a line (ndjson.h): what `--format ndjson` prints, and what a page carries along. A failure
 * stays in `out`.
 */
#ifndef HSD_REPORT_RECORDS_H
#define HSD_REPORT_RECORDS_H

#include "report/out.h"
#include <hsdiff/check.h>
#include <hsdiff/series.h>

/* Rows of each table at most; the rest of types, roots, holders and sites is a record "others". */
typedef struct hsd_records_most {
    size_t types, roots, holders;
    size_t sites; /* of a diff: where things were allocated */
    size_t tree;  /* of a diff: the heaviest places, never one without the place above it; 0 = no tree */
    size_t sizes; /* of a diff: types with their sizes */
    size_t ages;  /* of a series: types of cohorts */
} hsd_records_most;

/* That many of each, 0 = all; the tree whole or not at all. */
hsd_records_most hsd_records_of_top(size_t top, bool has_tree);

void hsd_diff_records(hsd_out *out, const hsd_diff *diff, hsd_sort_by sort_by, const hsd_records_most *most);
void hsd_series_records(hsd_out *out, const hsd_series *series, hsd_sort_by sort_by, const hsd_records_most *most);

/* The check alone, without what it judged. */
void hsd_check_records(hsd_out *out, const hsd_check *check);

#endif
