/*
 * Every object with what it retains, one CSV record each, as they come: nothing is kept, so the list may be as
 * long as the heap is.
 */
#include <stdio.h>

#include "report/write/csv_name.h"
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
    char start[32], end[128], dominator[32] = "";
    const int start_size = snprintf(start, sizeof start, "0x%llx,", (unsigned long long)object->id);
    if (object->has_dominator) snprintf(dominator, sizeof dominator, "0x%llx", (unsigned long long)object->dominator);
    const int end_size =
        snprintf(end, sizeof end, ",%llu,%llu,%llu,%s\r\n", (unsigned long long)object->bytes,
                 (unsigned long long)object->retained_bytes, (unsigned long long)object->retained_objects, dominator);
    csv->row_count++;
    HSD_TRY(csv->write(csv->context, start, (size_t)start_size, err));
    HSD_TRY(hsd_csv_write_name(csv->write, csv->context, object->type, err));
    return csv->write(csv->context, end, (size_t)end_size, err);
}
