/*
 * Columns and cells of tables for people.
 */
#include "report/write/cells.h"

#include <stdio.h>
#include <string.h>

#include "report/words/number.h"

static void gather(hsd_cells *cells, const hsd_column *columns, const hsd_model *model)
{
    const hsd_scope nothing = {.result = model->result};
    for (const hsd_column *column = columns; column->kind != HSD_KIND_END; column++) {
        if (!hsd_column_is_in(column, model->format) || (column->has && !column->has(&nothing))) continue;
        if (column->kind == HSD_KIND_SPREAD)
            gather(cells, column->columns, model);
        else if (cells->count < HSD_CELLS_MOST)
            cells->columns[cells->count++] = column;
    }
}

hsd_cells hsd_cells_of(const hsd_model *model, const hsd_part *part)
{
    hsd_cells cells = {.count = 0};
    gather(&cells, part->columns, model);
    return cells;
}

bool hsd_cell_is_text(const hsd_column *column)
{
    return column->kind == HSD_KIND_TEXT || column->kind == HSD_KIND_STRING || column->kind == HSD_KIND_WORDS ||
           column->kind == HSD_KIND_HEX;
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
    else if (value.kind == HSD_KIND_SHARE)
        write_share(out, value.share.part, value.share.whole);
    return out;
}

char *hsd_others_name(char out[HSD_OTHERS_CHARS], const hsd_part *part)
{
    char count[HSD_NUMBER_CHARS];
    snprintf(out, HSD_OTHERS_CHARS, "%s other %s", hsd_format_count(count, part->sheet.other_count),
             part->sheet.other_count == 1 ? part->one : part->many);
    return out;
}
