/*
 * From columns to a table: which rows are kept, their values side by side, a verdict for each, their order.
 */
#ifndef HSD_SERIES_ROWS_H
#define HSD_SERIES_ROWS_H

#include "series/columns.h"
#include "series/store.h"

typedef struct hsd_rows_source {
    hsd_columns *columns;
    /* of each row of the columns: a candidate, or candidate_count = others. Changed */
    uint32_t *target;
    uint32_t candidate_count;
    uint64_t memory_bytes; /* for the rows; past it those that never had many bytes are folded into others */
    uint64_t untold_count; /* rows among the others that were never told apart */
    /* all but values and verdicts */
    hsd_status (*name)(void *context, uint32_t candidate, hsd_series_row *row, hsd_error *err);
    void *context;
} hsd_rows_source;

/* Fills the table, which is known. Points, warm-up, times and noise of the series are. O(rows * columns). */
hsd_status hsd_rows_make(hsd_series *series, hsd_series_table *table, const hsd_rows_source *source, hsd_error *err);

/* Trend, and with before_count contrast, of a row whose values are known. */
void hsd_rows_judge(const hsd_series *series, hsd_series_row *row);

/* As reports show them, by what they grew. */
void hsd_rows_order(const hsd_series *series, hsd_series_table *table);

#endif
