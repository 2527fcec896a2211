/*
 * Columns on their way through a stream: for each row that changed how many rows after the last one that did, and both
 * differences; 0 ends the column.
 */
#include "series/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

hsd_status hsd_columns_open(hsd_columns *columns, hsd_temp_space *space, hsd_error *err)
{
    *columns = (hsd_columns){.row_count = 0};
    return hsd_stream_open(&columns->stream, space, err);
}

hsd_status hsd_columns_reach(hsd_columns *columns, uint32_t row, hsd_error *err)
{
    HSD_ASSERT(columns->row_count <= columns->capacity);
    if (row < columns->row_count) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(columns->rows, columns->capacity, (uint64_t)row + 1, 64, "the rows of the series", err));
    memset(&columns->rows[columns->row_count], 0, (row + 1 - columns->row_count) * sizeof *columns->rows);
    columns->row_count = row + 1;
    return HSD_OK;
}

static hsd_status put_change(hsd_columns *columns, uint32_t gap, const hsd_column_row *row, hsd_error *err)
{
    HSD_TRY(hsd_stream_put(&columns->stream, gap, err));
    HSD_TRY(hsd_stream_put_signed(&columns->stream, (int64_t)(row->now.objects - row->last.objects), err));
    return hsd_stream_put_signed(&columns->stream, (int64_t)(row->now.bytes - row->last.bytes), err);
}

hsd_status hsd_columns_end(hsd_columns *columns, hsd_error *err)
{
    uint32_t next = 0; /* one past the last row that was written */
    for (uint32_t i = 0; i < columns->row_count; i++) {
        hsd_column_row *row = &columns->rows[i];
        if (row->now.objects != row->last.objects || row->now.bytes != row->last.bytes) {
            HSD_TRY(put_change(columns, i + 1 - next, row, err));
            next = i + 1;
        }
        row->last = row->now;
        row->now = (hsd_amount){0, 0};
    }
    columns->count++;
    return hsd_stream_put(&columns->stream, 0, err);
}

/* ---- reading ---- */

static hsd_status begin_series_column(hsd_columns *columns, hsd_error *err)
{
    memset(columns->rows, 0, columns->row_count * sizeof *columns->rows);
    return hsd_stream_rewind(&columns->stream, err);
}

/* The next column's values are in `last` of all rows. */
static hsd_status next_series_column(hsd_columns *columns, hsd_error *err)
{
    uint32_t row = 0;
    for (;;) {
        uint64_t gap;
        int64_t objects, bytes;
        HSD_TRY(hsd_stream_need(&columns->stream, &gap, err));
        if (gap == 0) return HSD_OK;
        HSD_TRY(hsd_stream_need_signed(&columns->stream, &objects, err));
        HSD_TRY(hsd_stream_need_signed(&columns->stream, &bytes, err));
        row += (uint32_t)gap;
        if (row > columns->row_count)
            return hsd_fail(err, HSD_E_CORRUPT, "a temporary file has changed while it was in use");
        columns->rows[row - 1].last.objects += (uint64_t)objects;
        columns->rows[row - 1].last.bytes += (uint64_t)bytes;
    }
}

hsd_status hsd_columns_most(hsd_columns *columns, const uint32_t *target, uint64_t *most, size_t most_count,
                            hsd_error *err)
{
    uint64_t *sums = calloc(most_count + 1, sizeof *sums);
    if (sums == NULL) return hsd_fail_nomem(err, "the rows of the series");
    hsd_status status = begin_series_column(columns, err);
    for (uint32_t column = 0; column < columns->count && status == HSD_OK; column++) {
        status = next_series_column(columns, err);
        memset(sums, 0, most_count * sizeof *sums);
        for (uint32_t i = 0; i < columns->row_count; i++)
            sums[target[i]] += columns->rows[i].last.bytes;
        for (size_t i = 0; i < most_count; i++)
            most[i] = hsd_max_u64(most[i], sums[i]);
    }
    free(sums);
    return status;
}

hsd_status hsd_columns_lay_out(hsd_columns *columns, const uint32_t *target, hsd_amount *out, hsd_error *err)
{
    HSD_TRY(begin_series_column(columns, err));
    for (uint32_t column = 0; column < columns->count; column++) {
        HSD_TRY(next_series_column(columns, err));
        for (uint32_t i = 0; i < columns->row_count; i++) {
            hsd_amount *to = &out[(size_t)target[i] * columns->count + column];
            to->objects += columns->rows[i].last.objects;
            to->bytes += columns->rows[i].last.bytes;
        }
    }
    return HSD_OK;
}

void hsd_columns_close(hsd_columns *columns)
{
    hsd_stream_close(&columns->stream);
    free(columns->rows);
    memset(columns, 0, sizeof *columns);
}
