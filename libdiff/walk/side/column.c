/*
 * A number for each ordinal on its way to a file that will be looked up at random.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "walk/side/build.h"

hsd_status hsd_side_column_open(hsd_side_column *column, hsd_temp *file, uint32_t width, uint64_t filler,
                                hsd_error *err)
{
    HSD_ASSERT(width == 4 || width == 8);
    *column =
        (hsd_side_column){.file = file, .width = width, .filler = filler, .buffer = malloc(HSD_SIDE_COLUMN_BYTES)};
    return column->buffer == NULL ? hsd_fail_nomem(err, "what is written of each object") : HSD_OK;
}

static hsd_status flush(hsd_side_column *column, hsd_temp_space *space, hsd_error *err)
{
    if (column->used == 0) return HSD_OK;
    if (column->written == 0) HSD_TRY(hsd_temp_open(column->file, space, err));
    HSD_TRY(hsd_temp_write(column->file, column->written, column->buffer, column->used, err));
    column->written += column->used;
    column->used = 0;
    return HSD_OK;
}

static hsd_status append_side_column(hsd_side_column *column, hsd_temp_space *space, uint64_t number, hsd_error *err)
{
    const uint32_t narrow = (uint32_t)number;
    if (column->used == HSD_SIDE_COLUMN_BYTES) HSD_TRY(flush(column, space, err));
    if (column->width == sizeof narrow)
        memcpy(column->buffer + column->used, &narrow, sizeof narrow);
    else
        memcpy(column->buffer + column->used, &number, sizeof number);
    column->used += column->width;
    return HSD_OK;
}

static uint64_t count_of(const hsd_side_column *column) { return (column->written + column->used) / column->width; }

hsd_status hsd_side_column_append(hsd_side_column *column, hsd_temp_space *space, uint64_t ordinal, uint64_t number,
                                  hsd_error *err)
{
    HSD_ASSERT(column->buffer == NULL || ordinal * column->width >= column->written);
    if (column->buffer == NULL) return HSD_OK;
    while (count_of(column) < ordinal)
        HSD_TRY(append_side_column(column, space, column->filler, err));
    return append_side_column(column, space, number, err);
}

hsd_status hsd_side_column_end(hsd_side_column *column, hsd_temp_space *space, uint64_t count, hsd_error *err)
{
    if (column->buffer == NULL) return HSD_OK;
    while (count_of(column) < count)
        HSD_TRY(append_side_column(column, space, column->filler, err));
    return flush(column, space, err);
}

void hsd_side_column_close(hsd_side_column *column)
{
    free(column->buffer);
    column->buffer = NULL;
}
