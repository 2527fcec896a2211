/*
 * Columns: one buffer between who puts records and the file.
 */
#include "browse/column.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

hsd_status hsd_column_begin(hsd_column_file *column, uint32_t record_bytes, hsd_temp_space *space, hsd_error *err)
{
    HSD_ASSERT(record_bytes > 0 && record_bytes <= HSD_COLUMN_BYTES);
    memset(column, 0, sizeof *column);
    column->file.fd = -1;
    column->record_bytes = record_bytes;
    column->buffer = malloc(HSD_COLUMN_BYTES);
    if (column->buffer == NULL) return hsd_fail_nomem(err, "the index");
    return hsd_temp_open(&column->file, space, err);
}

hsd_status hsd_column_flush(hsd_column_file *column, hsd_error *err)
{
    HSD_ASSERT(column->buffer != NULL);
    const uint64_t end = column->count * column->record_bytes;
    const uint32_t used = column->used;
    column->used = 0;
    return used == 0 ? HSD_OK : hsd_temp_write(&column->file, end - used, column->buffer, used, err);
}

hsd_status hsd_column_put_bytes(hsd_column_file *column, const void *data, size_t size, hsd_error *err)
{
    const uint8_t *from = data;
    while (size > 0) {
        if (column->used == HSD_COLUMN_BYTES) HSD_TRY(hsd_column_flush(column, err));
        const uint32_t part = (uint32_t)hsd_min_u64(size, HSD_COLUMN_BYTES - column->used);
        memcpy(column->buffer + column->used, from, part);
        column->used += part;
        column->count += part;
        from += part;
        size -= part;
    }
    return HSD_OK;
}

/* Of a column without records the file is empty, and nobody reads the array's only page. */
hsd_status hsd_column_end(hsd_column_file *column, hsd_paged *out, uint64_t memory_bytes, hsd_error *err)
{
    HSD_TRY(hsd_column_flush(column, err));
    free(column->buffer);
    column->buffer = NULL;
    const hsd_status status =
        hsd_paged_open_file(out, &column->file, hsd_paged_bytes_within(column->file.size_bytes, memory_bytes), err);
    if (status != HSD_OK) memset(out, 0, sizeof *out);
    column->file.space = NULL;
    return status;
}

void hsd_column_close(hsd_column_file *column)
{
    free(column->buffer);
    if (column->file.space != NULL) hsd_temp_close(&column->file);
    memset(column, 0, sizeof *column);
}

hsd_status hsd_array_open(hsd_paged *array, uint64_t bytes, uint64_t memory_bytes, hsd_temp_space *space,
                          hsd_error *err)
{
    const hsd_status status = hsd_paged_open(array, bytes, hsd_paged_bytes_within(bytes, memory_bytes), space, err);
    if (status != HSD_OK) memset(array, 0, sizeof *array);
    return status;
}

hsd_status hsd_array_bound(hsd_paged *array, uint64_t memory_bytes, hsd_error *err)
{
    if (!hsd_array_is_open(array)) return HSD_OK;
    HSD_TRY(hsd_paged_shrink(array, memory_bytes, err));
    return hsd_paged_grow(array, memory_bytes, err);
}

void hsd_array_close(hsd_paged *array)
{
    if (hsd_array_is_open(array)) hsd_paged_close(array);
}
