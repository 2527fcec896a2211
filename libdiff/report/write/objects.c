/*
 * The objects that changed, one CSV record each, as they come: nothing is kept, so the list may be as
 * long as the heaps are.
 */
#include "report/write/csv_row.h"
#include <hsdiff/report.h>

static const char heading[] = "change,id,type,bytes,before,after\r\n";

hsd_status hsd_objects_csv_begin(hsd_objects_csv *csv, hsd_write_fn write, void *context, hsd_error *err)
{
    *csv = (hsd_objects_csv){.write = write, .context = context};
    return write(context, heading, sizeof heading - 1, err);
}

static const char *change_of(const hsd_changed_object *object)
{
    if (object->state_before == 0) return "new";
    if (object->state_after == 0) return "freed";
    if (object->state_before != object->state_after) return object->state_after == 2 ? "reached" : "unreached";
    return "resized";
}

static const char *state_word(uint8_t state)
{
    static const char *const words[] = {"absent", "unreached", "live"};
    return words[state <= 2 ? state : 1];
}

hsd_status hsd_objects_csv_row(void *context, const hsd_changed_object *object, hsd_error *err)
{
    hsd_objects_csv *csv = context;
    hsd_csv_row row;
    hsd_csv_row_begin(&row, csv->write, csv->context);
    csv->row_count++;
    hsd_csv_row_put_word(&row, change_of(object));
    hsd_csv_row_put(&row, ',');
    hsd_csv_row_put_id(&row, object->id);
    hsd_csv_row_put(&row, ',');
    HSD_TRY(hsd_csv_row_put_name(&row, object->type, err));
    hsd_csv_row_put(&row, ',');
    hsd_csv_row_put_count(&row, object->state_after == 0 ? object->bytes_before : object->bytes_after);
    hsd_csv_row_put(&row, ',');
    hsd_csv_row_put_word(&row, state_word(object->state_before));
    hsd_csv_row_put(&row, ',');
    hsd_csv_row_put_word(&row, state_word(object->state_after));
    return hsd_csv_row_end(&row, err);
}
