/*
 * Joining by a walk over both.
 */
#include "sort/join.h"

#include "base/assert.h"

hsd_status hsd_sort_join(hsd_sorter *rows, hsd_sorter *records, hsd_join_fn take, void *context, uint64_t *missing,
                         hsd_error *err)
{
    HSD_ASSERT(rows != records && take != NULL);
    const uint64_t *row = NULL;
    const uint64_t *record;
    HSD_TRY(hsd_sorter_rewind(rows, err));
    hsd_status have_row = hsd_sorter_next(rows, &row, err);
    hsd_status have_record = hsd_sorter_next(records, &record, err);
    while (have_record == HSD_OK) {
        while (have_row == HSD_OK && row[0] < record[0])
            have_row = hsd_sorter_next(rows, &row, err);
        if (have_row < 0) return have_row;
        if (have_row == HSD_OK && row[0] == record[0])
            HSD_TRY(take(context, record, row, err));
        else
            (*missing)++;
        have_record = hsd_sorter_next(records, &record, err);
    }
    return have_record == HSD_END ? HSD_OK : have_record;
}
