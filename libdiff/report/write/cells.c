/*
 * Columns and cells of tables for people.
 */
#include "report/write/cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/words/number.h"
#include "report/words/sparkline.h"

static void gather_cell_writer(hsd_cells *cells, const hsd_column *columns, const hsd_model *model)
{
    const hsd_scope nothing = {.model = model, .result = model->result};
    for (const hsd_column *column = columns; column->kind != HSD_KIND_END; column++) {
        if (!hsd_column_is_in(column, model->format) || (column->has && !column->has(&nothing))) continue;
        if (column->kind == HSD_KIND_SPREAD)
            gather_cell_writer(cells, column->columns, model);
        else if (cells->count < HSD_CELLS_MOST)
            cells->columns[cells->count++] = column;
    }
}

hsd_cells hsd_cells_of(const hsd_model *model, const hsd_part *part)
{
    hsd_cells cells = {.count = 0};
    gather_cell_writer(&cells, part->columns, model);
    return cells;
}

bool hsd_cell_is_text(const hsd_column *column)
{
    return column->kind == HSD_KIND_TEXT || column->kind == HSD_KIND_STRING || column->kind == HSD_KIND_WORDS ||
           column->kind == HSD_KIND_HEX;
}

bool hsd_cell_is_left(const hsd_column *column)
{
    return hsd_cell_is_text(column) || column->kind == HSD_KIND_TREND || column->kind == HSD_KIND_TOLD ||
           (column->kind == HSD_KIND_LABEL && (column->flags & HSD_ON_RIGHT) == 0);
}

hsd_status hsd_cell_title(hsd_buffer *text, const hsd_column *column, const hsd_model *model, hsd_error *err)
{
    const hsd_scope scope = {.model = model, .result = model->result};
    if (column->heading) return column->heading(text, &scope, err);
    return column->title ? hsd_buffer_append(text, column->title, strlen(column->title), err) : HSD_OK;
}

hsd_status hsd_cell_append(hsd_buffer *text, const hsd_column *column, const hsd_scope *scope, hsd_error *err)
{
    const hsd_value value = hsd_column_value(column, scope);
    if (value.kind == HSD_KIND_WORDS) return column->words(text, scope, err);
    if (value.kind == HSD_KIND_TEXT) return hsd_buffer_append(text, value.text.data, value.text.size, err);
    return value.kind == HSD_KIND_HEX ? hsd_buffer_append(text, value.hex, strlen(value.hex), err) : HSD_OK;
}

static void write_share(char out[HSD_CELL_CHARS], uint64_t part, uint64_t whole)
{
    const unsigned percent = hsd_percent_of((int64_t)part, (int64_t)whole);
    if (percent == 0 && part > 0)
        snprintf(out, HSD_CELL_CHARS, "<1%%");
    else
        snprintf(out, HSD_CELL_CHARS, "%u%%", percent);
}

char *hsd_cell_number(char out[HSD_CELL_CHARS], const hsd_column *column, const hsd_scope *scope, bool is_exact)
{
    const hsd_value value = hsd_column_value(column, scope);
    out[0] = '\0';
    if (value.kind == HSD_KIND_BYTES && is_exact)
        hsd_format_exact(out, value.count);
    else if (value.kind == HSD_KIND_BYTES)
        hsd_format_bytes(out, value.count);
    else if (value.kind == HSD_KIND_COUNT)
        hsd_format_count(out, value.count);
    else if (value.kind == HSD_KIND_SIGNED)
        hsd_format_count_signed(out, value.number);
    else if (value.kind == HSD_KIND_GROWTH && is_exact)
        hsd_format_exact_signed(out, value.number);
    else if (value.kind == HSD_KIND_GROWTH)
        hsd_format_bytes_signed(out, value.number);
    else if (value.kind == HSD_KIND_SHARE)
        write_share(out, value.share.part, value.share.whole);
    else if (value.kind == HSD_KIND_FRACTION)
        hsd_format_share(out, value.share.part, value.share.whole);
    else if (value.kind == HSD_KIND_PERCENT)
        hsd_format_percent(out, value.share.part, value.share.whole);
    else if (value.kind == HSD_KIND_MILLIONTHS)
        hsd_format_p(out, (uint32_t)value.count);
    return out;
}

static hsd_status append_picture(hsd_buffer *text, const hsd_items *items, uint64_t noise, size_t columns,
                                 bool use_utf8, hsd_error *err)
{
    char picture[HSD_SPARKLINE_CHARS];
    uint64_t *bytes = calloc(items->count + 1, sizeof *bytes);
    if (!bytes) return hsd_fail(err, HSD_E_NOMEM, "no memory for a picture of %zu values", items->count);
    for (size_t i = 0; i < items->count; i++)
        bytes[i] = ((const hsd_amount *)items->first)[i].bytes;
    hsd_sparkline(picture, bytes, items->count, columns, noise, use_utf8);
    free(bytes);
    return hsd_buffer_append(text, picture, strlen(picture), err);
}

hsd_status hsd_cell_own(hsd_buffer *text, const hsd_column *column, const hsd_scope *scope, size_t columns,
                        bool use_utf8, hsd_error *err)
{
    char number[HSD_CELL_CHARS];
    const hsd_value value = hsd_column_value(column, scope);
    const bool is_there = value.kind != HSD_KIND_NULL && value.kind != HSD_KIND_ABSENT;
    const char *instead = is_there && column->instead ? column->instead(scope) : NULL;
    if (instead) return hsd_buffer_append(text, instead, strlen(instead), err);
    if (value.kind == HSD_KIND_LABEL) return column->words(text, scope, err);
    if (value.kind == HSD_KIND_TREND)
        return append_picture(text, &value.items, column->noise ? column->noise(scope) : 0, columns, use_utf8, err);
    hsd_cell_number(number, column, scope, scope->model->options->exact_bytes);
    return hsd_buffer_append(text, number, strlen(number), err);
}

char *hsd_others_name(char out[HSD_OTHERS_CHARS], const hsd_part *part)
{
    char count[HSD_NUMBER_CHARS];
    if (part->sheet.others_name) {
        snprintf(out, HSD_OTHERS_CHARS, "%s", part->sheet.others_name);
        return out;
    }
    snprintf(out, HSD_OTHERS_CHARS, "%s other %s", hsd_format_count(count, part->sheet.other_count),
             part->sheet.other_count == 1 ? part->one : part->many);
    return out;
}
