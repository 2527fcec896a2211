/*
 * Values of many rows over the captures: a column for each capture, written as it comes, laid out by rows at the end.
 *
 *      add add add … end   a column: what has changed since the one before goes to a stream, as differences
 *      …
 *      lay_out             the stream again: each row of the columns counts for the row of the result that `target` says
 *
 * Which rows are kept can so be chosen when all is known, while memory holds two amounts a row whatever the number of
 * captures. The stream takes some bytes for each row that changed.
 */
#ifndef HSD_SERIES_COLUMNS_H
#define HSD_SERIES_COLUMNS_H

#include "series/stream.h"
#include <hsdiff/diff.h>

typedef struct hsd_column_row {
    hsd_amount now, last; /* of this column, of the one before */
} hsd_column_row;

typedef struct hsd_columns {
    hsd_stream stream;
    hsd_column_row *rows;
    uint32_t row_count, capacity;
    uint32_t count; /* columns that have ended */
} hsd_columns;

hsd_status hsd_columns_open(hsd_columns *columns, hsd_temp_space *space, hsd_error *err);

/* Makes rows up to `row` exist. */
hsd_status hsd_columns_reach(hsd_columns *columns, uint32_t row, hsd_error *err);

/* Adds to a row of the open column, which exists. */
static inline void hsd_columns_add(hsd_columns *columns, uint32_t row, hsd_amount amount)
{
    columns->rows[row].now.objects += amount.objects;
    columns->rows[row].now.bytes += amount.bytes;
}

/* Ends the open column and begins the next. O(rows). */
hsd_status hsd_columns_end(hsd_columns *columns, hsd_error *err);

/* The most bytes of each row of a result in any column. `target` has a row of the result for each row of the columns;
 * `most` is zeroed and has one for each row of the result. No more columns afterwards. O(rows * columns). */
hsd_status hsd_columns_most(hsd_columns *columns, const uint32_t *target, uint64_t *most, size_t most_count,
                            hsd_error *err);

/* All values: out[target * count of columns + column], zeroed before. */
hsd_status hsd_columns_lay_out(hsd_columns *columns, const uint32_t *target, hsd_amount *out, hsd_error *err);

/* Accepts a zeroed one. */
void hsd_columns_close(hsd_columns *columns);

#endif
