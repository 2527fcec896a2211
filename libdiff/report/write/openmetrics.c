/*
 * Any model as OpenMetrics (openmetrics.io, version 1.0): a family of gauges for each column of a table that is a
 * number, whose samples have the texts of the row as labels, and for each text that is a state, whose samples are 1.
 * Where the model does not say it itself: how many rows are left out, what these add up to, and what all of them do.
 *
 *      hsdiff_top_type_bytes{type="Session"} 171861606
 *      hsdiff_series_type_verdict{type="Session",verdict="each step"} 1
 *      hsdiff_top_other_types_bytes 20480
 *      hsdiff_top_all_types_bytes 605159424
 *      hsdiff_top_other_types 12
 *
 * Values of labels have the marks of a terminal for what cannot be seen, so that two names differ wherever their bytes
 * do.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/write/cells.h"
#include "report/write/write.h"

#define NAME_CHARS 96
#define HELP_CHARS 192

/* Labels of one row, written. Rows may read alike: `again` tells them apart. */
typedef struct named_row {
    hsd_buffer labels; /* without braces */
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

static bool is_state(const hsd_column *column) { return (column->flags & HSD_AS_STATE) != 0; }
static bool is_label(const hsd_column *column) { return hsd_cell_is_text(column) && !is_state(column); }

/* ---- labels ---- */

static void add_label(hsd_out *out, hsd_buffer *labels, const hsd_column *column, const hsd_scope *scope)
{
    hsd_buffer text = {0};
    if (out->status == HSD_OK) out->status = hsd_cell_append(&text, column, scope, out->err);
    const char *parts[] = {labels->size > 0 ? "," : "", column->key, "=\""};
    for (size_t i = 0; i < 3 && out->status == HSD_OK; i++)
        out->status = hsd_buffer_append(labels, parts[i], strlen(parts[i]), out->err);
    if (out->status == HSD_OK)
        out->status = hsd_escape_append(labels, HSD_ESCAPE_OPENMETRICS, (const char *)text.data, text.size, out->err);
    if (out->status == HSD_OK) out->status = hsd_buffer_append(labels, "\"", 1, out->err);
    hsd_buffer_release(&text);
}

static void add_again(hsd_out *out, named_row *row)
{
    char text[40];
    const int size = snprintf(text, sizeof text, ",again=\"%zu\"", row->again + 1);
    if (row->again > 0 && out->status == HSD_OK)
        out->status = hsd_buffer_append(&row->labels, text, (size_t)size, out->err);
}

static void name_row(gauges *g, size_t i)
{
    const hsd_scope scope = hsd_sheet_row(g->model, &g->part->sheet, i);
    named_row *row = &g->rows[i];
    for (size_t k = 0; k < g->cells.count; k++)
        if (is_label(g->cells.columns[k])) add_label(g->out, &row->labels, g->cells.columns[k], &scope);
    for (size_t k = 0; k < i && row->labels.size > 0; k++)
        row->again += g->rows[k].labels.size == row->labels.size &&
                      memcmp(g->rows[k].labels.data, row->labels.data, row->labels.size) == 0;
}

static void name_rows(gauges *g)
{
    const size_t count = g->part->sheet.rows.count;
    for (size_t i = 0; i < count && g->out->status == HSD_OK; i++)
        name_row(g, i);
    for (size_t i = 0; i < count; i++)
        add_again(g->out, &g->rows[i]);
}

/* ---- families ---- */

/* "hsdiff_top_type_bytes", "hsdiff_top_other_types" without a column. */
static void begin_family(const gauges *g, char name[NAME_CHARS], const char *what, const char *noun,
                         const hsd_column *column, const char *help)
{
    const hsd_part *part = g->part;
    const char *unit = !column ? NULL : column->unit ? column->unit : column->kind == HSD_KIND_BYTES ? "bytes" : NULL;
    const char *key = column ? column->key : NULL;
    char text[HELP_CHARS];
    if (part->gauges) {
        snprintf(name, NAME_CHARS, "hsdiff_%s%s%s", part->gauges, key ? "_" : "", key ? key : "");
        snprintf(text, sizeof text, "%s%s", column->title, part->gauges_of ? part->gauges_of : "");
    } else {
        snprintf(name, NAME_CHARS, "hsdiff_%s_%s%s%s%s", g->noun, what, noun, key ? "_" : "", key ? key : "");
        snprintf(text, sizeof text, "%s%s%s%s", part->title, column ? ": " : "", column ? column->title : "", help);
    }
    hsd_out_format(g->out, "# TYPE %s gauge\n", name);
    if (unit) hsd_out_format(g->out, "# UNIT %s %s\n", name, unit);
    hsd_out_format(g->out, "# HELP %s %s.\n", name, text);
}

static void put_sample(hsd_out *out, const char *name, const hsd_buffer *labels, const hsd_value *value)
{
    hsd_out_text(out, name);
    if (labels && labels->size > 0) {
        hsd_out_text(out, "{");
        hsd_out_bytes(out, labels->data, labels->size);
        hsd_out_text(out, "}");
    }
    if (value->kind == HSD_KIND_SIGNED)
        hsd_out_format(out, " %" PRId64 "\n", value->number);
    else
        hsd_out_format(out, " %" PRIu64 "\n", value->count);
}

/* False for what is not known. */
static bool has_value(const hsd_value *value)
{
    return value->kind == HSD_KIND_SIGNED || value->kind == HSD_KIND_BYTES || value->kind == HSD_KIND_COUNT;
}

/* 1, with the text as the last label. */
static void put_state(const gauges *g, const char *name, const named_row *row, const hsd_column *column,
                      const hsd_scope *scope)
{
    const hsd_value one = hsd_value_count(1);
    hsd_buffer labels = {0};
    hsd_out *out = g->out;
    if (out->status == HSD_OK) out->status = hsd_buffer_append(&labels, row->labels.data, row->labels.size, out->err);
    add_label(out, &labels, column, scope);
    put_sample(out, name, &labels, &one);
    hsd_buffer_release(&labels);
}

static void put_rows(const gauges *g, const hsd_column *column)
{
    char name[NAME_CHARS];
    begin_family(g, name, "", g->part->one, column, "");
    for (size_t i = 0; i < g->part->sheet.rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(g->model, &g->part->sheet, i);
        const hsd_value value = hsd_column_value(column, &scope);
        if (is_state(column))
            put_state(g, name, &g->rows[i], column, &scope);
        else if (has_value(&value))
            put_sample(g->out, name, &g->rows[i].labels, &value);
    }
}

/* What the others, or all, add up to. */
static void put_sum(const gauges *g, const char *what, const hsd_column *column, const void *row, const char *help)
{
    const hsd_scope scope = {.result = g->model->result, .row = row, .is_rest = true};
    const hsd_value value = hsd_column_value(column, &scope);
    char name[NAME_CHARS];
    if (!has_value(&value)) return;
    begin_family(g, name, what, g->part->many, column, help);
    put_sample(g->out, name, NULL, &value);
}

static void put_families(const gauges *g)
{
    const hsd_sheet *sheet = &g->part->sheet;
    const hsd_value other_count = hsd_value_count(sheet->other_count);
    char name[NAME_CHARS];
    for (size_t i = 0; i < g->cells.count; i++) {
        const hsd_column *column = g->cells.columns[i];
        if (is_label(column) || column->kind == HSD_KIND_SHARE) continue;
        put_rows(g, column);
        if (sheet->others) put_sum(g, "other_", column, sheet->others, ", of all rows without gauges of their own");
        if (sheet->total) put_sum(g, "all_", column, sheet->total, ", of all rows");
    }
    if (g->part->gauges) return;
    begin_family(g, name, "other_", g->part->many, NULL, ": rows without gauges of their own");
    put_sample(g->out, name, NULL, &other_count);
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
    name_rows(&g);
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
    hsd_out_text(out, "# EOF\n");
}

HSD_WRITES_EVERY_RESULT(openmetrics, HSD_IN_GAUGES, put_all)
