/*
 * Tables of growth: rows, what was folded, and the sum, so that they add up.
 */
#ifndef HSD_REPORT_HTML_TABLES_H
#define HSD_REPORT_HTML_TABLES_H

#include "report/write/html/page.h"
#include <hsdiff/series.h>

/* Of a partial capture, growth alone can be proven: what is not found may only be lost. What is not prints as "?". */
bool hsd_html_is_proven(const hsd_diff *diff, int64_t growth);

/* The cells of a row behind its name: before, after, growth, percent, objects. */
void hsd_html_change(hsd_html *page, const hsd_diff *diff, const hsd_change *change);

/* Types or roots of a diff, at most `most` rows or as --top says. */
void hsd_html_growth_table(hsd_html *page, const hsd_diff *diff, hsd_report_table table, size_t most);

/* Types, roots or holders of a series. */
void hsd_html_series_table(hsd_html *page, const hsd_series *series, hsd_report_table table, size_t most);

#endif
