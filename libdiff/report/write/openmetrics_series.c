/*
 * OpenMetrics of a series: gauges of the last capture, of growth and its rate, and of each row its verdict as a label
 * of a gauge that is 1.
 *
 *      hsdiff_series_heap_bytes 605159424
 *      hsdiff_series_type_bytes{type="Session"} 171861606
 *      hsdiff_series_type_growth_per_hour_bytes{type="Session"} 26382172
 *      hsdiff_series_type_verdict{type="Session",verdict="each step"} 1
 *
 * Without times the rate is per step (…_growth_per_step_bytes). Of repeated captures bytes are the median after,
 * growth is between the medians, there is no rate, and the verdict is "significant" or "not significant". Tables have
 * the rows that grew or shrank most, at most HSD_METRICS_MOST.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "report/model/series_rows.h"
#include "report/write/openmetrics.h"

#define LABELS_MOST 4 /* and a verdict */

/* A row and the labels that name it. Places of holders may read alike: `again` tells them apart. */
typedef struct named_row {
    const hsd_series_row *row;
    hsd_buffer place;
    char again[24];
    hsd_metric_label labels[LABELS_MOST];
    size_t label_count;
} named_row;

typedef struct sheet {
    hsd_out *out;
    const hsd_series *series;
    const char *noun; /* "type" */
    bool is_lost;
    named_row *rows;
    size_t count;
} sheet;

static const char *of(const sheet *s, const char *live, const char *lost) { return s->is_lost ? lost : live; }

static void begin_family(const sheet *s, char name[96], const char *what, const char *unit, const char *help)
{
    char text[160];
    snprintf(name, 96, "hsdiff_series_%s_%s", s->noun, what);
    if (s->is_lost)
        snprintf(text, sizeof text, "%s, by what heads it and who allocated that.", help);
    else if (s->count > 0 && s->rows[0].label_count > 0)
        snprintf(text, sizeof text, "%s, by %s.", help, s->noun);
    else
        snprintf(text, sizeof text, "%s.", help);
    hsd_metrics_family(s->out, name, unit, text);
}

static uint64_t last_bytes(const hsd_series *series, const hsd_series_row *row)
{
    return series->before_count > 0 ? row->contrast.median_after : hsd_series_last(series, row->values).bytes;
}

static void put_amounts(const sheet *s)
{
    char name[96];
    const bool is_contrast = s->series->before_count > 0;
    begin_family(s, name, "bytes", "bytes",
                 is_contrast
                     ? of(s, "Live bytes, median of the captures after", "Lost bytes, median of the captures after")
                     : of(s, "Live bytes in the last capture", "Lost bytes in the last capture"));
    for (size_t i = 0; i < s->count; i++)
        hsd_metrics_sample_count(s->out, name, s->rows[i].labels, s->rows[i].label_count,
                                 last_bytes(s->series, s->rows[i].row));
    begin_family(s, name, "objects", NULL,
                 of(s, "Live objects in the last capture", "Lost objects in the last capture"));
    for (size_t i = 0; i < s->count; i++)
        hsd_metrics_sample_count(s->out, name, s->rows[i].labels, s->rows[i].label_count,
                                 hsd_series_last(s->series, s->rows[i].row->values).objects);
    begin_family(s, name, "growth_bytes", "bytes", of(s, "Growth of live bytes", "Growth of lost bytes"));
    for (size_t i = 0; i < s->count; i++)
        hsd_metrics_sample(s->out, name, s->rows[i].labels, s->rows[i].label_count,
                           hsd_series_growth(s->series, s->rows[i].row));
}

static void put_rates(const sheet *s)
{
    char name[96];
    const bool has_times = s->series->has_times;
    if (s->series->before_count > 0) return;
    begin_family(s, name, has_times ? "growth_per_hour_bytes" : "growth_per_step_bytes", "bytes",
                 has_times ? of(s, "Trend of live bytes in an hour", "Trend of lost bytes in an hour")
                           : of(s, "Trend of live bytes in a step", "Trend of lost bytes in a step"));
    for (size_t i = 0; i < s->count; i++) {
        const hsd_trend *trend = &s->rows[i].row->trend;
        hsd_metrics_sample(s->out, name, s->rows[i].labels, s->rows[i].label_count,
                           has_times ? trend->per_hour : trend->per_step);
    }
}

static const char *verdict_of(const hsd_series *series, const hsd_series_row *row)
{
    if (series->before_count > 0) return row->contrast.is_significant ? "significant" : "not significant";
    return hsd_verdict_word(row->trend.verdict);
}

static void put_verdicts(const sheet *s)
{
    char name[96];
    begin_family(s, name, "verdict", NULL, "1 for the verdict that the label names");
    for (size_t i = 0; i < s->count; i++) {
        hsd_metric_label labels[LABELS_MOST + 1];
        const size_t count = s->rows[i].label_count;
        memcpy(labels, s->rows[i].labels, sizeof s->rows[i].labels);
        labels[count] = hsd_metrics_label("verdict", verdict_of(s->series, s->rows[i].row));
        hsd_metrics_sample(s->out, name, labels, count + 1, 1);
    }
}

static void put_sheet(const sheet *s)
{
    put_amounts(s);
    put_rates(s);
    put_verdicts(s);
}

/* ---- labels ---- */

static bool same_text(hsd_text a, hsd_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool read_alike(const named_row *a, const named_row *b)
{
    const hsd_text x = {(const char *)a->place.data, a->place.size}, y = {(const char *)b->place.data, b->place.size};
    return same_text(x, y) && same_text(a->row->name, b->row->name) && same_text(a->row->root, b->row->root);
}

static void add_label(named_row *row, const char *key, hsd_text value)
{
    row->labels[row->label_count++] = (hsd_metric_label){key, value};
}

static void add_again(named_row *row, size_t again)
{
    snprintf(row->again, sizeof row->again, "%zu", again + 1);
    add_label(row, "again", (hsd_text){row->again, strlen(row->again)});
}

static void name_holder(sheet *s, size_t i)
{
    named_row *row = &s->rows[i];
    size_t again = 0;
    if (s->out->status == HSD_OK) s->out->status = hsd_series_append_place(&row->place, row->row, s->out->err);
    for (size_t k = 0; k < i; k++)
        again += read_alike(&s->rows[k], row);
    add_label(row, "root", row->row->root);
    add_label(row, "place", (hsd_text){(const char *)row->place.data, row->place.size});
    add_label(row, "type", row->row->name);
    if (again > 0) add_again(row, again);
}

/* By what heads it and who allocated that. */
static void name_lost(sheet *s, size_t i)
{
    named_row *row = &s->rows[i];
    size_t again = 0;
    if (s->out->status == HSD_OK)
        s->out->status = hsd_buffer_append(&row->place, row->row->place.data, row->row->place.size, s->out->err);
    for (size_t k = 0; k < i; k++)
        again += read_alike(&s->rows[k], row) && same_text(s->rows[k].row->cycle, row->row->cycle);
    add_label(row, "type", row->row->name);
    add_label(row, "site", row->row->place);
    add_label(row, "cycle", row->row->cycle);
    if (again > 0) add_again(row, again);
}

static void put_pick(sheet *s, hsd_report_table which, const hsd_series_pick *pick)
{
    s->count = pick->count;
    s->rows = calloc(pick->count + 1, sizeof *s->rows);
    if (!s->rows) {
        s->out->status = hsd_fail(s->out->err, HSD_E_NOMEM, "no memory for a report of %zu rows", pick->count);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        s->rows[i].row = pick->rows[i];
        if (which == HSD_TABLE_HOLDERS)
            name_holder(s, i);
        else if (which == HSD_TABLE_LOST)
            name_lost(s, i);
        else
            add_label(&s->rows[i], s->noun, pick->rows[i]->name);
    }
    put_sheet(s);
    for (size_t i = 0; i < s->count; i++)
        hsd_buffer_release(&s->rows[i].place);
    free(s->rows);
}

static void put_table(hsd_out *out, const hsd_series *series, const hsd_report_options *options, hsd_report_table which)
{
    static const char *const nouns[] = {"type", "root", "holder", "lost"};
    const size_t top = options->top && options->top < HSD_METRICS_MOST ? options->top : HSD_METRICS_MOST;
    sheet s = {.out = out, .series = series, .noun = nouns[which], .is_lost = which == HSD_TABLE_LOST};
    hsd_series_pick pick;
    if (!hsd_series_table_of(series, which)->is_known || out->status != HSD_OK) return;
    out->status = hsd_series_pick_init(&pick, series, which, options->sort_by, top, false, out->err);
    if (out->status != HSD_OK) return;
    put_pick(&s, which, &pick);
    hsd_series_pick_release(&pick);
}

static void put_captures(hsd_out *out, const hsd_series *series)
{
    hsd_metrics_family(out, "hsdiff_series_captures", NULL, "Captures of the series.");
    hsd_metrics_sample_count(out, "hsdiff_series_captures", NULL, 0, series->point_count);
}

static void put_unreached(hsd_out *out, const hsd_series *series)
{
    static const char name[] = "hsdiff_series_unreached_bytes";
    hsd_metrics_family(out, name, "bytes", "Bytes of the last capture that no root reaches.");
    hsd_metrics_sample_count(out, name, NULL, 0, hsd_series_last(series, series->unreached.values).bytes);
}

hsd_status hsd_openmetrics_series(const hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                                  void *context, hsd_error *err)
{
    hsd_out out;
    named_row total = {.row = &series->total};
    hsd_out_init(&out, write, context, err);
    put_captures(&out, series);
    put_sheet(&(sheet){.out = &out, .series = series, .noun = "heap", .rows = &total, .count = 1});
    put_unreached(&out, series);
    for (int table = HSD_TABLE_TYPES; table <= HSD_TABLE_LOST; table++)
        put_table(&out, series, options, (hsd_report_table)table);
    hsd_metrics_end(&out);
    return hsd_out_finish(&out);
}
