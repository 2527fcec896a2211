/*
 * Fixed records on their way to a temporary file, one behind the other, which is then read at random through a few
 * pages (graph/paged.h).
 */
#ifndef HSD_BROWSE_COLUMN_H
#define HSD_BROWSE_COLUMN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/node.h"
#include "graph/paged.h"
#include "io/temp.h"

typedef struct hsd_column_file { /* a zeroed one may be closed */
    hsd_temp file;
    uint8_t *buffer; /* HSD_COLUMN_BYTES */
    uint32_t used;
    uint32_t record_bytes; /* at most HSD_COLUMN_BYTES */
    uint64_t count;        /* records */
} hsd_column_file;

#define HSD_COLUMN_BYTES ((uint32_t)64 << 10)

hsd_status hsd_column_begin(hsd_column_file *column, uint32_t record_bytes, hsd_temp_space *space, hsd_error *err);

/* Slow path of hsd_column_put. */
hsd_status hsd_column_flush(hsd_column_file *column, hsd_error *err);

static inline hsd_status hsd_column_put(hsd_column_file *column, const void *record, hsd_error *err)
{
    if (__builtin_expect(column->used + column->record_bytes > HSD_COLUMN_BYTES, 0))
        HSD_TRY(hsd_column_flush(column, err));
    memcpy(column->buffer + column->used, record, column->record_bytes);
    column->used += column->record_bytes;
    column->count++;
    return HSD_OK;
}

static inline hsd_status hsd_column_put_node(hsd_column_file *column, hsd_node value, hsd_error *err)
{
    return hsd_column_put(column, &value, err);
}

/* The same of a column of bytes. */
hsd_status hsd_column_put_bytes(hsd_column_file *column, const void *data, size_t size, hsd_error *err);

/* Nothing follows: the file becomes an array that keeps memory_bytes, or the least that it can. */
hsd_status hsd_column_end(hsd_column_file *column, hsd_paged *out, uint64_t memory_bytes, hsd_error *err);

void hsd_column_close(hsd_column_file *column);

/* ---- arrays ---- */

/* hsd_paged_open with memory_bytes, or the least that it can have. */
hsd_status hsd_array_open(hsd_paged *array, uint64_t bytes, uint64_t memory_bytes, hsd_temp_space *space,
                          hsd_error *err);

/* From now on so much memory, or the least that it can have; nothing happens to one that is not open. */
hsd_status hsd_array_bound(hsd_paged *array, uint64_t memory_bytes, hsd_error *err);

/* A zeroed one may be closed. */
void hsd_array_close(hsd_paged *array);

static inline bool hsd_array_is_open(const hsd_paged *array) { return array->page_count > 0; }

/* Copies the i-th of records of `size` bytes, which lies across two pages where these are no multiple of its size. */
static inline void hsd_array_copy(hsd_paged *array, uint64_t i, void *out, uint32_t size)
{
    const uint64_t byte = i * size;
    const uint32_t front = HSD_PAGE_BYTES - (uint32_t)(byte & (HSD_PAGE_BYTES - 1));
    const uint32_t here = HSD_PAGE_BYTES % size == 0 || size <= front ? size : front;
    memcpy(out, hsd_paged_at(array, byte, HSD_FRAME_USED), here);
    if (here < size) memcpy((uint8_t *)out + here, hsd_paged_at(array, byte + here, HSD_FRAME_USED), size - here);
}

#endif
