/*
 * What is lost in a series: rows join by what heads it and who asked for that, written behind one another into one
 * name:
 *
 *      TYPE \0 CYCLE \0 PLACE \0 FUNCTION \0 FILE \0 LINE:COLUMN
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "base/buffer.h"
#include "series/table.h"

enum { TYPE, CYCLE, PLACE, FUNCTION, FILE_NAME, LINE, PART_COUNT };

static hsd_status put_series_lost_row(hsd_buffer *name, hsd_text text, hsd_error *err)
{
    HSD_TRY(hsd_buffer_append(name, text.data, text.size, err));
    return hsd_buffer_append(name, "", 1, err);
}

/* Who asked for it: the innermost function of the program, else who wanted the memory. */
static const hsd_site_frame *find_asker(const hsd_lost_row *row)
{
    const size_t own = hsd_frames_own(row->frames, row->frame_count, row->wanted);
    return &row->frames[own < row->frame_count ? own : row->wanted];
}

static hsd_status write_name(hsd_buffer *name, const hsd_lost_row *row, hsd_error *err)
{
    static const hsd_site_frame none = {.function = {"", 0}, .file = {"", 0}};
    const hsd_site_frame *frame = row->frame_count > 0 ? find_asker(row) : &none;
    char line[32];
    hsd_buffer_clear(name);
    HSD_TRY(put_series_lost_row(name, row->type, err));
    HSD_TRY(put_series_lost_row(name, row->cycle, err));
    HSD_TRY(put_series_lost_row(name, row->place, err));
    HSD_TRY(put_series_lost_row(name, frame->function, err));
    HSD_TRY(put_series_lost_row(name, frame->file, err));
    snprintf(line, sizeof line, "%u:%u", (unsigned)frame->line, (unsigned)frame->column);
    return hsd_buffer_append(name, line, strlen(line) + 1, err);
}

static hsd_status add_rows(hsd_named_table *table, const hsd_lost *lost, hsd_buffer *name, hsd_error *err)
{
    for (size_t i = 0; i < lost->row_count; i++) {
        HSD_TRY(write_name(name, &lost->rows[i], err));
        HSD_TRY(hsd_named_table_add(table, (hsd_text){(const char *)name->data, name->size}, (hsd_named){.flags = 0},
                                    lost->rows[i].after, err));
    }
    HSD_TRY(write_name(name, &lost->others, err));
    return hsd_named_table_add(table, (hsd_text){(const char *)name->data, name->size}, (hsd_named){.flags = 0},
                               lost->others.after, err);
}

/* As a baseline has it: what is unreached of each type. */
static hsd_status add_types(hsd_named_table *table, const hsd_profile *profile, hsd_buffer *name, hsd_error *err)
{
    for (size_t i = 0; i < profile->type_count; i++) {
        const hsd_top_type *type = &profile->types[i];
        const hsd_lost_row row = {.type = type->name, .cycle = {"", 0}, .place = {"", 0}};
        if (type->unreached.objects == 0) continue;
        HSD_TRY(write_name(name, &row, err));
        HSD_TRY(hsd_named_table_add(table, (hsd_text){(const char *)name->data, name->size}, (hsd_named){.flags = 0},
                                    type->unreached, err));
    }
    return HSD_OK;
}

hsd_status hsd_named_table_add_lost(hsd_named_table *table, const hsd_profile *profile, hsd_error *err)
{
    hsd_buffer name = {0};
    table->is_of_lost = true;
    const hsd_status status =
        table->is_by_type ? add_types(table, profile, &name, err) : add_rows(table, &profile->lost, &name, err);
    hsd_buffer_release(&name);
    return status == HSD_OK ? hsd_named_table_end(table, err) : status;
}

/* ---- rows ---- */

static hsd_status fill_frame(hsd_series_store *store, const hsd_text parts[PART_COUNT], hsd_series_row *row,
                             hsd_error *err)
{
    void *taken;
    char *column;
    if (parts[FUNCTION].size == 0 && parts[FILE_NAME].size == 0) return HSD_OK;
    HSD_TRY(hsd_series_take(store, sizeof(hsd_site_frame), &taken, err));
    hsd_site_frame *frame = taken;
    *frame = (hsd_site_frame){.function = parts[FUNCTION], .file = parts[FILE_NAME]};
    frame->line = (uint32_t)strtoul(parts[LINE].data, &column, 10);
    frame->column = (uint32_t)strtoul(column + 1, NULL, 10);
    row->frame = frame;
    return HSD_OK;
}

hsd_status hsd_named_table_name_lost(hsd_series_store *store, hsd_text name, hsd_series_row *row, hsd_error *err)
{
    hsd_text whole, parts[PART_COUNT];
    HSD_TRY(hsd_series_text(store, name, &whole, err));
    const char *at = whole.data, *end = whole.data + whole.size;
    for (size_t i = 0; i < PART_COUNT; i++) {
        parts[i] = (hsd_text){at, at < end ? strnlen(at, (size_t)(end - at)) : 0};
        if (at < end) at += parts[i].size + 1;
        if (at > end) at = end;
    }
    row->name = parts[TYPE];
    row->cycle = parts[CYCLE];
    row->place = parts[PLACE];
    return fill_frame(store, parts, row, err);
}
