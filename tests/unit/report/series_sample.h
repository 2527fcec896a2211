/*
 * Hand-built series for the tests of their reports: the six captures of the manual, and others to change at will.
 * Everything points at static data; nothing is freed.
 */
#ifndef TESTS_UNIT_REPORT_SERIES_SAMPLE_H
#define TESTS_UNIT_REPORT_SERIES_SAMPLE_H

#include <stdio.h>

#include "report/formats.h"
#include "unit/report/sample.h"
#include <hsdiff/series.h>

#define SERIES_MOST    1000
#define NINE_O_CLOCK_S UINT64_C(1795165200) /* 2026-11-20 09:00:00Z */

/* Hours: one capture each, all of one process. */
static inline hsd_series sample_series(size_t count)
{
    static hsd_series_point points[SERIES_MOST];
    static char names[SERIES_MOST][32];
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "run/%zu.hs", i + 1);
        points[i] = (hsd_series_point){.label = sample_text(names[i] + 4),
                                       .side = sample_side(names[i], NINE_O_CLOCK_S + 3600 * i)};
    }
    hsd_series series = {
        .points = points, .point_count = count, .has_times = true, .is_one_process = true, .noise_bytes = 432640};
    series.types.is_known = series.roots.is_known = series.holders.is_known = true;
    series.cohorts.why_not = sample_text("the collector moves objects");
    return series;
}

/* Tenths of MiB as bytes. */
static inline uint64_t sample_tenths(unsigned tenths) { return (tenths * MIB + 5) / 10; }

/* A row of so many tenths of MiB, in objects of a hundred bytes. Trends are those of a straight line. */
static inline hsd_series_row sample_series_row(const char *name, const unsigned *tenths, size_t count,
                                               hsd_amount *values, hsd_verdict verdict)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (hsd_amount){sample_tenths(tenths[i]) / 100, sample_tenths(tenths[i])};
    const int64_t growth = (int64_t)(values[count - 1].bytes - values[0].bytes), steps = (int64_t)count - 1;
    return (hsd_series_row){.name = sample_text(name),
                            .flags = 1,
                            .values = values,
                            .trend = {.growth = growth,
                                      .per_step = growth / steps,
                                      .per_hour = growth / steps,
                                      .step_count = (uint32_t)steps,
                                      .up_count = verdict == HSD_VERDICT_EACH_STEP ? (uint32_t)steps : 2,
                                      .p_millionths = 8535,
                                      .verdict = verdict}};
}

/* The sums of rows and others of a table, as the heap. */
static inline hsd_series_row sample_series_total(const hsd_series_table *table, size_t count, hsd_amount *values,
                                                 hsd_verdict verdict)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = table->other_count > 0 ? table->others.values[i] : (hsd_amount){0, 0};
        for (size_t row = 0; row < table->row_count; row++)
            sample_add(&values[i], table->rows[row].values[i]);
    }
    const int64_t growth = (int64_t)(values[count - 1].bytes - values[0].bytes), steps = (int64_t)count - 1;
    return (hsd_series_row){.values = values,
                            .trend = {.growth = growth,
                                      .per_step = growth / steps,
                                      .per_hour = growth / steps,
                                      .step_count = (uint32_t)steps,
                                      .verdict = verdict}};
}

/* ---- the manual's screen ---- */

static inline void sample_shop_holders(hsd_series *series)
{
    static hsd_amount values[3][6];
    static hsd_series_row rows[2];
    static hsd_step path[3];
    static const unsigned sessions[] = {381, 561, 920, 1100, 1459, 1639}, rest[] = {3745, 4105, 4105, 4105, 4105, 4132};
    path[0] = sample_step("", "Application");
    path[1] = sample_step(".state", "Object");
    path[2] = sample_step(".sessions", "SessionCache");
    rows[0] = sample_series_row("SessionCache", sessions, 6, values[0], HSD_VERDICT_EACH_STEP);
    rows[0].root = sample_text("global.app");
    rows[0].path = path;
    rows[0].path_count = 3;
    series->holders.rows = rows;
    series->holders.row_count = 1;
    series->holders.others = sample_series_row("", rest, 6, values[1], HSD_VERDICT_LEVELLED);
    series->holders.other_count = 1203;
}

static inline hsd_series sample_shop(void)
{
    static hsd_amount values[6][6], unreached[6];
    static hsd_series_row types[3], roots[2];
    static const unsigned session[] = {381, 561, 920, 1100, 1459, 1639}, lru[] = {120, 326, 480, 480, 480, 480},
                          buffer[] = {964, 1153, 991, 1126, 964, 991}, others[] = {2661, 2661, 2661, 2661, 2661, 2661},
                          global[] = {1465, 2040, 2391, 2706, 2903, 3110};
    hsd_series series = sample_series(6);
    types[0] = sample_series_row("Session", session, 6, values[0], HSD_VERDICT_EACH_STEP);
    types[1] = sample_series_row("LruNode", lru, 6, values[1], HSD_VERDICT_LEVELLED);
    types[2] = sample_series_row("Buffer", buffer, 6, values[2], HSD_VERDICT_NO_TREND);
    series.types.rows = types;
    series.types.row_count = 3;
    series.types.others = sample_series_row("", others, 6, values[3], HSD_VERDICT_STEADY);
    series.types.other_count = 1206;
    roots[0] = sample_series_row("global.app", global, 6, values[4], HSD_VERDICT_EACH_STEP);
    roots[1] = sample_series_row("(shared)", others, 6, values[3], HSD_VERDICT_STEADY);
    roots[1].is_shared = true;
    series.roots.rows = roots;
    series.roots.row_count = 2;
    series.total = sample_series_total(&series.types, 6, values[5], HSD_VERDICT_EACH_STEP);
    series.unreached = (hsd_series_row){.values = unreached};
    for (size_t i = 0; i < 6; i++)
        series.points[i].side.live = values[5][i];
    sample_shop_holders(&series);
    return series;
}

/* ---- ages ---- */

/* One cohort for each capture: `came` MiB in each after the first, of which `stays` percent are there for good. */
static inline void sample_age(hsd_series *series, hsd_amount *alive, unsigned came, unsigned stays)
{
    const size_t count = series->cohorts.cohort_count;
    for (size_t at = 0; at < count; at++)
        for (size_t born = 0; born <= at; born++) {
            const uint64_t bytes = (born == 0 ? 400 : came) * MIB * (at > born ? stays : 100) / 100;
            alive[at * count + born] = (hsd_amount){bytes / 100, bytes};
        }
}

static inline void sample_ages(hsd_series *series)
{
    static hsd_cohort cohorts[HSD_COHORTS_MOST];
    static hsd_cohort_row types[2];
    static hsd_amount alive[3][HSD_COHORTS_MOST * HSD_COHORTS_MOST], since[SERIES_MOST];
    const size_t count = series->point_count < HSD_COHORTS_MOST ? series->point_count : HSD_COHORTS_MOST;
    for (size_t i = 0; i < count; i++)
        cohorts[i] = (hsd_cohort){(uint32_t)i, (uint32_t)(i + 1 < count ? i : series->point_count - 1)};
    series->cohorts =
        (hsd_cohorts){.are_known = true, .cohorts = cohorts, .cohort_count = count, .types = types, .type_count = 2};
    sample_age(series, alive[0], 44, 57);
    sample_age(series, alive[1], 25, 100);
    sample_age(series, alive[2], 19, 0);
    series->cohorts.all = (hsd_cohort_row){.alive = alive[0]};
    types[0] = (hsd_cohort_row){.name = sample_text("Session"), .alive = alive[1]};
    types[1] = (hsd_cohort_row){.name = sample_text("Buffer"), .alive = alive[2]};
    for (size_t i = 0; i < series->point_count; i++)
        since[i] = (hsd_amount){(series->point_count - 1 - i) * 262144, (series->point_count - 1 - i) * 25 * MIB};
    series->cohorts.retained_since = since;
}

/* ---- printing ---- */

typedef hsd_status (*sample_writer)(const hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                                    void *context, hsd_error *err);

static const struct {
    const char *name;
    sample_writer write;
} series_formats[] = {
    {"text", hsd_text_series}, {"json", hsd_json_series},         {"ndjson", hsd_ndjson_series},
    {"csv", hsd_csv_series},   {"markdown", hsd_markdown_series}, {"openmetrics", hsd_openmetrics_series},
    {"html", hsd_html_series},
};

#define SERIES_FORMATS (sizeof series_formats / sizeof series_formats[0])

static inline sample_writer sample_series_writer(const char *format)
{
    for (size_t i = 0; i < SERIES_FORMATS; i++)
        if (strcmp(series_formats[i].name, format) == 0) return series_formats[i].write;
    abort();
}

/* The report as a string; the caller frees it. */
static inline char *sample_series_report(const char *format, const hsd_series *series,
                                         const hsd_report_options *options)
{
    sample_sink sink = {0};
    hsd_error err;
    hsd_error_init(&err);
    sample_write(&sink, "", 0, &err);
    if (sample_series_writer(format)(series, options, sample_write, &sink, &err) != HSD_OK) abort();
    return sink.text;
}

#endif
