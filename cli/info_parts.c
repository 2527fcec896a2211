/*
 * Two passes over small tables: which types are parts, which are few, and how many objects there are of each.
 */
#include "info_parts.h"

#include <hscapture/hscapture.h>

#define MOST_TYPES 64u /* V8 has three */

typedef struct part_types {
    uint32_t ids[MOST_TYPES], count;
    uint64_t objects;
} part_types;

static void take_info_part(part_types *parts, hsd_record_kind kind, const hsd_record *record)
{
    if (kind == HSD_RECORD_TYPE) {
        if ((record->type.flags & HSC_TYPE_PART) != 0 && parts->count < MOST_TYPES)
            parts->ids[parts->count++] = record->type.id;
        return;
    }
    for (uint32_t i = 0; i < parts->count; i++)
        if (parts->ids[i] == record->type_total.type) parts->objects += record->type_total.objects;
}

static hsd_status read_table(part_types *parts, hsd_capture *capture, hsd_record_kind kind, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_status status = hsd_record_reader_open(&reader, capture, kind, err);
    if (status != HSD_OK) return status;
    for (;;) {
        hsd_record record;
        status = hsd_record_reader_next(reader, &record, err);
        if (status != HSD_OK) break;
        take_info_part(parts, kind, &record);
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

hsd_status cli_count_parts(hsd_capture *capture, uint64_t *out, hsd_error *err)
{
    part_types parts = {.count = 0};
    hsd_status status = read_table(&parts, capture, HSD_RECORD_TYPE, err);
    if (status == HSD_OK && parts.count > 0) status = read_table(&parts, capture, HSD_RECORD_TYPE_TOTAL, err);
    *out = parts.objects;
    return status;
}
