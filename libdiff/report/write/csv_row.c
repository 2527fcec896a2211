/*
 * Names in records of CSV, and where these go.
 */
#include "report/write/csv_row.h"

#include "report/words/escape.h"

static hsd_status write_row(hsd_csv_row *row, hsd_error *err)
{
    const size_t size = row->size;
    row->size = 0;
    return size == 0 ? HSD_OK : row->write(row->context, row->text, size, err);
}

static hsd_status write_long_name(hsd_csv_row *row, hsd_text name, hsd_error *err)
{
    hsd_buffer whole = {0};
    HSD_TRY(write_row(row, err));
    hsd_status status = hsd_escape_append(&whole, HSD_ESCAPE_CSV, name.data, name.size, err);
    if (status == HSD_OK) status = row->write(row->context, whole.data, whole.size, err);
    hsd_buffer_release(&whole);
    return status;
}

hsd_status hsd_csv_row_put_name(hsd_csv_row *row, hsd_text name, hsd_error *err)
{
    HSD_ASSERT(row->size < HSD_CSV_REST_BYTES);
    const size_t room = sizeof row->text - HSD_CSV_REST_BYTES,
                 size = hsd_escape(HSD_ESCAPE_CSV, name.data, name.size, row->text + row->size, room);
    if (size >= room) return write_long_name(row, name, err);
    row->size += size;
    return HSD_OK;
}

hsd_status hsd_csv_row_end(hsd_csv_row *row, hsd_error *err)
{
    hsd_csv_row_put(row, '\r');
    hsd_csv_row_put(row, '\n');
    return write_row(row, err);
}
