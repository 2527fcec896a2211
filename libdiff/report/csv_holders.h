/*
 * The tables of who holds it, as CSV: --table holders and --table tree; and of what no root reaches: --table lost and --table uncollected.
 */
#ifndef HSD_REPORT_CSV_HOLDERS_H
#define HSD_REPORT_CSV_HOLDERS_H

#include "report/out.h"
#include <hsdiff/report.h>

/* The first `shown` holders, and the rest in one row. */
void hsd_csv_holders(hsd_out *out, const hsd_diff *diff, size_t shown);

/* All rows in preorder, numbered from 0, each with the number of its parent. */
void hsd_csv_tree(hsd_out *out, const hsd_diff *diff);

/* csv_lost.c; top 0 = all. */
void hsd_csv_lost(hsd_out *out, const hsd_diff *diff, size_t top);
void hsd_csv_uncollected(hsd_out *out, const hsd_diff *diff, size_t top);

#endif
