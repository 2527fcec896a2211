/*
 * The tables of any model as OpenMetrics: a family of gauges for each column that is a number, whose samples have the
 * texts of the row as labels; then how many rows are left out, what these add up to, and what all of them do.
 *
 *      hsdiff_top_type_bytes{type="Session"} 171861606
 *      hsdiff_top_other_types 12
 *      hsdiff_top_other_types_bytes 20480
 *      hsdiff_top_all_types_bytes 605159424
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/write/cells.h"
#include "report/write/openmetrics.h"
#include "report/write/write.h"

#define NAME_CHARS 96

/* Labels of one row, written. Rows may read alike: `again` tells them apart. */
typedef struct named_row {
    hsd_buffer labels;
    size_t again;
} named_row;

typedef struct gauges {
    hsd_out *out;
    const hsd_model *model;
    const hsd_part *part;
    hsd_cells cells;
    char noun[32]; /* "top" of hsdiff.top/1 */
    named_row *rows;
} gauges;

/* ---- labels ---- */

static void add_label(gauges *g, named_row *row, const hsd_column *column, const hsd_scope *scope)
{
    hsd_buffer text = {0};
    hsd_out *out = g->out;
    if (out->status == HSD_OK) out->status = hsd_cell_append(&text, column, scope, out->err);
    const char *parts[] = {row->labels.size > 0 ? "," : "{", column->key, "=\""};
    for (size_t i = 0; i < 3 && out->status == HSD_OK; i++)
        out->status = hsd_buffer_append(&row->labels, parts[i], strlen(parts[i]), out->err);
    if (out->status == HSD_OK)
        out->status =
            hsd_escape_append(&row->labels, HSD_ESCAPE_OPENMETRICS, (const char *)text.data, text.size, out->err);
    if (out->status == HSD_OK) out->status = hsd_buffer_append(&row->labels, "\"", 1, out->err);
    hsd_buffer_release(&text);
}

static void name_row(gauges *g, size_t i)
{
    const hsd_scope scope = hsd_sheet_row(g->model, &g->part->sheet, i);
    named_row *row = &g->rows[i];
    for (size_t k = 0; k < g->cells.count; k++)
        if (hsd_cell_is_text(g->cells.columns[k])) add_label(g, row, g->cells.columns[k], &scope);
    for (size_t k = 0; k < i; k++)
        row->again += g->rows[k].labels.size == row->labels.size &&
                      memcmp(g->rows[k].labels.data, row->labels.data, row->labels.size) == 0;
}

/* ---- families ---- */

/* "hsdiff_top_type_bytes". */
static void begin_family(const gauges *g, char name[NAME_CHARS], const char *what, const char *noun,
                         const hsd_column *column, const char *help)
{
    char text[160], unit_free[8] = "";
    const bool is_bytes = column && column->kind == HSD_KIND_BYTES;
    snprintf(name, NAME_CHARS, "hsdiff_%s_%s%s%s%s", g->noun, what, noun, column ? "_" : unit_free,
             column ? column->key : unit_free);
    snprintf(text, sizeof text, "%s%s%s%s.", g->part->title, column ? ": " : "", column ? column->title : "", help);
    hsd_metrics_family(g->out, name, is_bytes ? "bytes" : NULL, text);
}

static void put_rows(const gauges *g, const hsd_column *column)
{
    char name[NAME_CHARS];
    int64_t value;
    begin_family(g, name, "", g->part->one, column, "");
    for (size_t i = 0; i < g->part->sheet.rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(g->model, &g->part->sheet, i);
        if (!hsd_cell_value(column, &scope, &value)) continue;
        hsd_out_text(g->out, name);
        hsd_out_bytes(g->out, g->rows[i].labels.data, g->rows[i].labels.size);
        if (g->rows[i].again > 0) hsd_out_format(g->out, ",again=\"%zu\"", g->rows[i].again + 1);
        hsd_out_format(g->out, "} %lld\n", (long long)value);
    }
}

/* What the others, or all, add up to. */
static void put_sum(const gauges *g, const char *what, const hsd_column *column, const void *row, const char *help)
{
    const hsd_scope scope = {.result = g->model->result, .row = row, .is_rest = true};
    char name[NAME_CHARS];
    int64_t value;
    if (!hsd_cell_value(column, &scope, &value)) return;
    begin_family(g, name, what, g->part->many, column, help);
    hsd_metrics_sample(g->out, name, NULL, 0, value);
}

static void put_families(const gauges *g)
{
    const hsd_sheet *sheet = &g->part->sheet;
    char name[NAME_CHARS];
    for (size_t i = 0; i < g->cells.count; i++) {
        const hsd_column *column = g->cells.columns[i];
        if (hsd_cell_is_text(column) || column->kind == HSD_KIND_SHARE) continue;
        put_rows(g, column);
        if (sheet->others) put_sum(g, "other_", column, sheet->others, ", of all rows without gauges of their own");
        if (sheet->total) put_sum(g, "all_", column, sheet->total, ", of all rows");
    }
    begin_family(g, name, "other_", g->part->many, NULL, ": rows without gauges of their own");
    hsd_metrics_sample_count(g->out, name, NULL, 0, sheet->other_count);
}

static void put_table(hsd_out *out, const hsd_model *model, const hsd_part *part)
{
    gauges g = {.out = out, .model = model, .part = part, .cells = hsd_cells_of(model, part)};
    const char *noun = strchr(model->schema, '.') + 1;
    snprintf(g.noun, sizeof g.noun, "%.*s", (int)strcspn(noun, "/"), noun);
    g.rows = calloc(part->sheet.rows.count + 1, sizeof *g.rows);
    if (!g.rows) {
        if (out->status == HSD_OK)
            out->status = hsd_fail(out->err, HSD_E_NOMEM, "no memory for a report of %zu rows", part->sheet.rows.count);
        return;
    }
    for (size_t i = 0; i < part->sheet.rows.count && out->status == HSD_OK; i++)
        name_row(&g, i);
    if (out->status == HSD_OK) put_families(&g);
    for (size_t i = 0; i < part->sheet.rows.count; i++)
        hsd_buffer_release(&g.rows[i].labels);
    free(g.rows);
}

static void put_all(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    (void)options;
    for (size_t i = 0; i < model->part_count; i++)
        if (model->parts[i].kind == HSD_PART_TABLE && !model->parts[i].sheet.is_unknown)
            put_table(out, model, &model->parts[i]);
    hsd_metrics_end(out);
}

HSD_WRITES_ONE(top, openmetrics, HSD_IN_GAUGES, put_all)
HSD_WRITES_ONE(paths, openmetrics, HSD_IN_GAUGES, put_all)
