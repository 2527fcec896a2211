/*
 * The objects that changed, one CSV record each, as they come: nothing is kept, so the list may be as
 * long as the heaps are.
 */
#include <stdio.h>
#include <string.h>

#include "report/write/csv_name.h"
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
    char start[64], end[64];
    const uint64_t bytes = object->state_after == 0 ? object->bytes_before : object->bytes_after;
    const int start_size =
        snprintf(start, sizeof start, "%s,0x%llx,", change_of(object), (unsigned long long)object->id);
    const int end_size = snprintf(end, sizeof end, ",%llu,%s,%s\r\n", (unsigned long long)bytes,
                                  state_word(object->state_before), state_word(object->state_after));
    csv->row_count++;
    HSD_TRY(csv->write(csv->context, start, (size_t)start_size, err));
    HSD_TRY(hsd_csv_write_name(csv->write, csv->context, object->type, err));
    return csv->write(csv->context, end, (size_t)end_size, err);
}
