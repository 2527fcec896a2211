/*
 * A name as a field of CSV.
 */
#include "report/write/csv_name.h"

#include "report/words/escape.h"

hsd_status hsd_csv_write_name(hsd_write_fn write, void *context, hsd_text name, hsd_error *err)
{
    char text[512];
    const size_t size = hsd_escape(HSD_ESCAPE_CSV, name.data, name.size, text, sizeof text);
    if (size < sizeof text) return write(context, text, size, err);
    hsd_buffer whole = {0};
    hsd_status status = hsd_escape_append(&whole, HSD_ESCAPE_CSV, name.data, name.size, err);
    if (status == HSD_OK) status = write(context, whole.data, whole.size, err);
    hsd_buffer_release(&whole);
    return status;
}
