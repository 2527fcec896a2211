/*
 * Every object with what it retains, one CSV record each, as they come: nothing is kept, so the list may be as
 * long as the heap is.
 */
#include "base/check.h"
#include "report/write/csv_row.h"
#include <hsdiff/report.h>

static const char heading[] = "id,type,bytes,retained_bytes,retained_objects,dominator\r\n";

hsd_status hsd_retained_csv_begin(hsd_retained_csv *csv, hsd_write_fn write, void *context, hsd_error *err)
{
    *csv = (hsd_retained_csv){.write = write, .context = context};
    return write(context, heading, sizeof heading - 1, err);
}

hsd_status hsd_retained_csv_row(void *context, const hsd_retained *object, hsd_error *err)
{
    hsd_retained_csv *csv = context;
    hsd_csv_row row;
    hsd_csv_row_begin(&row, csv->write, csv->context);
    csv->row_count++;
    hsd_csv_row_put_id(&row, object->id);
    hsd_csv_row_put(&row, ',');
    HSD_TRY(hsd_csv_row_put_name(&row, object->type, err));
    const uint64_t counts[] = {object->bytes, object->retained_bytes, object->retained_objects};
    for (size_t i = 0; i < HSD_ARRAY_LEN(counts); i++) {
        hsd_csv_row_put(&row, ',');
        hsd_csv_row_put_count(&row, counts[i]);
    }
    hsd_csv_row_put(&row, ',');
    if (object->has_dominator) hsd_csv_row_put_id(&row, object->dominator);
    return hsd_csv_row_end(&row, err);
}
