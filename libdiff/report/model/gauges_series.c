/*
 * A series as gauges: of the last capture, of growth and its rate, and of each row its verdict as a state.
 *
 *      hsdiff_series_heap_bytes 605159424
 *      hsdiff_series_type_bytes{type="Session"} 171861606
 *      hsdiff_series_type_growth_per_hour_bytes{type="Session"} 26382172
 *      hsdiff_series_type_verdict{type="Session",verdict="each step"} 1
 *
 * Without times the rate is per step (…_growth_per_step_bytes). Of repeated captures bytes are the median after,
 * growth is between the medians, there is no rate, and the verdict is "significant" or "not significant". Tables have
 * the rows that grew or shrank most.
 */
#include "report/model/gauges.h"
#include "report/model/series_rows.h"

typedef struct series_gauges {
    hsd_model model;
    hsd_series_pick picks[HSD_TABLE_LOST + 1];
} series_gauges;

/* ---- columns ---- */

static const hsd_series *series_of(const hsd_scope *scope) { return scope->result; }
static const hsd_series_row *row_of(const hsd_scope *scope) { return scope->row; }
static bool is_contrast(const hsd_scope *scope) { return series_of(scope)->before_count > 0; }
static bool is_trend(const hsd_scope *scope) { return !is_contrast(scope); }
static bool is_timed(const hsd_scope *scope) { return is_trend(scope) && series_of(scope)->has_times; }
static bool is_stepped(const hsd_scope *scope) { return is_trend(scope) && !series_of(scope)->has_times; }

static hsd_amount last_of(const hsd_scope *scope) { return hsd_series_last(series_of(scope), row_of(scope)->values); }
static hsd_value last_bytes(const hsd_scope *scope) { return hsd_value_count(last_of(scope).bytes); }
static hsd_value last_objects(const hsd_scope *scope) { return hsd_value_count(last_of(scope).objects); }
static hsd_value growth_of(const hsd_scope *scope)
{
    return hsd_value_signed(hsd_series_growth(series_of(scope), row_of(scope)));
}

static hsd_value verdict_of(const hsd_scope *scope)
{
    const hsd_series_row *row = row_of(scope);
    if (is_contrast(scope)) return hsd_value_string(row->contrast.is_significant ? "significant" : "not significant");
    return hsd_value_string(hsd_verdict_word(row->trend.verdict));
}

static hsd_status place_of(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    return hsd_series_append_place(text, row_of(scope), err);
}

static const hsd_column live_gauges[] = {
    {"bytes", HSD_KIND_BYTES, HSD_AT(hsd_series_row, contrast.median_after), .has = is_contrast,
     .title = "Live bytes, median of the captures after"},
    {"bytes", HSD_KIND_BYTES, .get = last_bytes, .has = is_trend, .title = "Live bytes in the last capture"},
    {"objects", HSD_KIND_COUNT, .get = last_objects, .title = "Live objects in the last capture"},
    {"growth_bytes", HSD_KIND_SIGNED, .get = growth_of, .unit = "bytes", .title = "Growth of live bytes"},
    {"growth_per_hour_bytes", HSD_KIND_SIGNED, HSD_AT(hsd_series_row, trend.per_hour), .unit = "bytes", .has = is_timed,
     .title = "Trend of live bytes in an hour"},
    {"growth_per_step_bytes", HSD_KIND_SIGNED, HSD_AT(hsd_series_row, trend.per_step), .unit = "bytes",
     .has = is_stepped, .title = "Trend of live bytes in a step"},
    {"verdict", HSD_KIND_STRING, .get = verdict_of, .flags = HSD_AS_STATE,
     .title = "1 for the verdict that the label names"},
    {0},
};

static const hsd_column lost_gauges[] = {
    {"bytes", HSD_KIND_BYTES, HSD_AT(hsd_series_row, contrast.median_after), .has = is_contrast,
     .title = "Lost bytes, median of the captures after"},
    {"bytes", HSD_KIND_BYTES, .get = last_bytes, .has = is_trend, .title = "Lost bytes in the last capture"},
    {"objects", HSD_KIND_COUNT, .get = last_objects, .title = "Lost objects in the last capture"},
    {"growth_bytes", HSD_KIND_SIGNED, .get = growth_of, .unit = "bytes", .title = "Growth of lost bytes"},
    {"growth_per_hour_bytes", HSD_KIND_SIGNED, HSD_AT(hsd_series_row, trend.per_hour), .unit = "bytes", .has = is_timed,
     .title = "Trend of lost bytes in an hour"},
    {"growth_per_step_bytes", HSD_KIND_SIGNED, HSD_AT(hsd_series_row, trend.per_step), .unit = "bytes",
     .has = is_stepped, .title = "Trend of lost bytes in a step"},
    {"verdict", HSD_KIND_STRING, .get = verdict_of, .flags = HSD_AS_STATE,
     .title = "1 for the verdict that the label names"},
    {0},
};

#define SPREAD(gauges)                                                                                                 \
    {                                                                                                                  \
        NULL, HSD_KIND_SPREAD, .columns = (gauges)                                                                     \
    }

static const hsd_column type_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name)},
    SPREAD(live_gauges),
    {0},
};
static const hsd_column root_columns[] = {
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name)},
    SPREAD(live_gauges),
    {0},
};
static const hsd_column holder_columns[] = {
    {"root", HSD_KIND_TEXT, HSD_AT(hsd_series_row, root)},
    {"place", HSD_KIND_WORDS, .words = place_of},
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name)},
    SPREAD(live_gauges),
    {0},
};
static const hsd_column lost_columns[] = {
    {"type", HSD_KIND_TEXT, HSD_AT(hsd_series_row, name)},
    {"site", HSD_KIND_TEXT, HSD_AT(hsd_series_row, place)},
    {"cycle", HSD_KIND_TEXT, HSD_AT(hsd_series_row, cycle)},
    SPREAD(lost_gauges),
    {0},
};

static hsd_value last_unreached(const hsd_scope *scope)
{
    return hsd_value_count(hsd_series_last(series_of(scope), series_of(scope)->unreached.values).bytes);
}

static const hsd_column capture_columns[] = {
    {"captures", HSD_KIND_SIZE, HSD_AT(hsd_series, point_count), .title = "Captures of the series"},
    {0},
};
static const hsd_column unreached_columns[] = {
    {"unreached_bytes", HSD_KIND_BYTES, .get = last_unreached,
     .title = "Bytes of the last capture that no root reaches"},
    {0},
};

/* ---- parts ---- */

typedef struct table {
    hsd_report_table table;
    const char *names, *of;
    const hsd_column *columns;
} table;

static hsd_status add_table(series_gauges *g, const hsd_series *series, const hsd_model_request *request,
                            const table *t)
{
    hsd_series_pick *pick = &g->picks[t->table];
    if (!hsd_series_table_of(series, t->table)->is_known) return HSD_OK;
    HSD_TRY(hsd_series_pick_init(pick, series, t->table, request->options->sort_by, request->most->types, false,
                                 request->err));
    hsd_model_add(&g->model, (hsd_part){.kind = HSD_PART_TABLE,
                                        .in = HSD_IN_GAUGES,
                                        .gauges = t->names,
                                        .gauges_of = t->of,
                                        .columns = t->columns,
                                        .sheet = {.rows = {pick->rows, pick->count, sizeof *pick->rows, true}}});
    return HSD_OK;
}

static void release_gauges_serie_model(hsd_model *model)
{
    series_gauges *g = (series_gauges *)(void *)model;
    for (size_t i = 0; i < sizeof g->picks / sizeof g->picks[0]; i++)
        hsd_series_pick_release(&g->picks[i]);
}

const size_t hsd_gauges_series_bytes = sizeof(series_gauges);

hsd_status hsd_gauges_series(hsd_model *model, const hsd_series *series, const hsd_model_request *request)
{
    static const table tables[] = {
        {HSD_TABLE_TYPES, "series_type", ", by type", type_columns},
        {HSD_TABLE_ROOTS, "series_root", ", by root", root_columns},
        {HSD_TABLE_HOLDERS, "series_holder", ", by holder", holder_columns},
        {HSD_TABLE_LOST, "series_lost", ", by what heads it and who allocated that", lost_columns}};
    series_gauges *g = (series_gauges *)(void *)model;
    model->schema = "hsdiff.series/1";
    model->result = series;
    model->release = release_gauges_serie_model;
    hsd_gauges_add(model, "series", capture_columns, series, 1, 0);
    hsd_gauges_add(model, "series_heap", live_gauges, &series->total, 1, 0);
    hsd_gauges_add(model, "series", unreached_columns, series, 1, 0);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        HSD_TRY(add_table(g, series, request, &tables[i]));
    return HSD_OK;
}
