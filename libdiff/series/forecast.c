/*
 * When memory is full: where a limit is known, and it is sure what fills it, and how fast.
 *
 *      limit           what fills it                               known from
 *      as asked        the resident memory of the process,         process.rss of each capture
 *                      else its heap, live and lost
 *      of the heap     what is live in it                          heap.limit of each capture
 *      of a container  the resident memory of the process          process.limit and process.rss of each capture
 *
 * Of the two that nobody asked for the one is told that is reached first. A rate is sure where memory grew with an
 * order that chance alone gives in less than 5 of 100 cases, and still grows; it is not drawn out to more than FARTHEST
 * times as long as was watched.
 */
#include "series/forecast.h"

#include <string.h>

#include "base/check.h"

enum { CHANCE_MILLIONTHS = 50000, LEAST_CAPTURES = 5, FARTHEST = 30 };

#define NS_AN_HOUR UINT64_C(3600000000000)

static uint64_t taken(const hsd_series *series, size_t i) { return series->points[i].side.info.taken_unix_ns; }

/* 0 = the capture does not say. */
static uint64_t metric_of(const hsd_series_point *point, const char *name)
{
    for (size_t i = 0; i < point->metric_count; i++) {
        const hsd_profile_metric *metric = &point->metrics[i];
        if (metric->name.size == strlen(name) && memcmp(metric->name.data, name, metric->name.size) == 0)
            return metric->value;
    }
    return 0;
}

/* Of the captures that count; false if one of them does not say. */
static bool read_metric(const hsd_series *series, const char *name, uint64_t *values)
{
    for (size_t i = series->warmup; i < series->point_count; i++)
        if ((values[i] = metric_of(&series->points[i], name)) == 0) return false;
    return true;
}

/* 0 = it is not known, or was changed meanwhile. */
static uint64_t limit_by(const hsd_series *series, const char *metric)
{
    uint64_t limits[HSD_SERIES_MOST];
    if (!read_metric(series, metric, limits)) return 0;
    for (size_t i = series->warmup; i < series->point_count; i++)
        if (limits[i] != limits[series->warmup]) return 0;
    return limits[series->warmup];
}

static void read_heap(const hsd_series *series, bool with_lost, uint64_t *values)
{
    for (size_t i = series->warmup; i < series->point_count; i++) {
        values[i] = series->total.values[i].bytes;
        if (with_lost && series->lost.is_known)
            values[i] = hsd_add_saturating(values[i], series->unreached.values[i].bytes);
    }
}

static bool is_sure(const hsd_trend *trend)
{
    const bool grows = trend->verdict == HSD_VERDICT_EACH_STEP || trend->verdict == HSD_VERDICT_GROWING;
    return grows && trend->p_millionths < CHANCE_MILLIONTHS && trend->per_hour > 0;
}

/* Why nothing can be said of any rate; NULL = something can. */
static const char *why_no_rate(const hsd_series *series)
{
    hsd_series_mix mix;
    if (!series->has_times) return "the captures do not all say when they were taken, or do not stand in that order";
    if (series->point_count - series->warmup < LEAST_CAPTURES) return "that takes five captures that count, or more";
    hsd_series_mixes(series, series->warmup, &mix);
    return mix.starts > 0 ? "the captures are of several processes" : NULL;
}

/* The time at which what is in use at the last capture has grown to the limit. */
static hsd_status find_time(hsd_series *series, hsd_forecast *out, hsd_error *err)
{
    const size_t last = series->point_count - 1;
    const double hours = (double)(out->limit_bytes - out->used_bytes) / (double)out->per_hour,
                 watched = (double)(taken(series, last) - taken(series, series->warmup)) / (double)NS_AN_HOUR;
    if (hours > watched * FARTHEST)
        return hsd_series_format(series->store, &out->why_not, err,
                                 "by its growth that is farther off than %d times as long as was watched", FARTHEST);
    out->full_unix_ns = hsd_add_saturating(taken(series, last), (uint64_t)(hours * (double)NS_AN_HOUR));
    return HSD_OK;
}

static hsd_status judge_memory(hsd_series *series, const uint64_t *values, hsd_forecast *out, hsd_error *err)
{
    uint64_t times[HSD_SERIES_MOST];
    const size_t first = series->warmup, count = series->point_count - first;
    for (size_t i = 0; i < count; i++)
        times[i] = taken(series, first + i);
    out->used_bytes = values[series->point_count - 1];
    const char *why_not = why_no_rate(series);
    if (out->used_bytes >= out->limit_bytes) why_not = "more than that is in use already";
    if (why_not == NULL) {
        const hsd_trend trend = hsd_trend_of(values + first, times, count, series->noise_bytes);
        if (is_sure(&trend))
            out->per_hour = trend.per_hour;
        else
            why_not = "it does not surely grow";
    }
    if (why_not != NULL) return hsd_series_words(series->store, why_not, &out->why_not, err);
    return find_time(series, out, err);
}

static hsd_status forecast_of(hsd_series *series, uint64_t limit_bytes, const char *limit_name, const char *used_name,
                              const uint64_t *values, hsd_forecast *out, hsd_error *err)
{
    *out = (hsd_forecast){.limit_bytes = limit_bytes, .why_not = {"", 0}};
    HSD_TRY(hsd_series_words(series->store, limit_name, &out->limit_name, err));
    HSD_TRY(hsd_series_words(series->store, used_name, &out->used_name, err));
    return judge_memory(series, values, out, err);
}

static hsd_status forecast_asked(hsd_series *series, uint64_t limit_bytes, hsd_forecast *out, hsd_error *err)
{
    uint64_t values[HSD_SERIES_MOST];
    const bool is_resident = read_metric(series, "process.rss", values);
    if (!is_resident) read_heap(series, true, values);
    return forecast_of(series, limit_bytes, "", is_resident ? "process.rss" : "", values, out, err);
}

/* The end of the process: of its heap, or of what its container has. */
static hsd_status forecast_own(hsd_series *series, hsd_forecast *out, hsd_error *err)
{
    uint64_t values[HSD_SERIES_MOST];
    const uint64_t heap = limit_by(series, "heap.limit"), process = limit_by(series, "process.limit");
    hsd_forecast of_process;
    if (heap > 0) {
        read_heap(series, false, values);
        HSD_TRY(forecast_of(series, heap, "heap.limit", "", values, out, err));
    }
    if (process == 0 || !read_metric(series, "process.rss", values)) return HSD_OK;
    HSD_TRY(forecast_of(series, process, "process.limit", "process.rss", values, &of_process, err));
    const bool is_first =
        of_process.full_unix_ns > 0 && (out->full_unix_ns == 0 || of_process.full_unix_ns < out->full_unix_ns);
    if (is_first || heap == 0) *out = of_process;
    return HSD_OK;
}

hsd_status hsd_series_forecast(hsd_series *series, uint64_t limit_bytes, hsd_error *err)
{
    hsd_forecast *out = &series->forecast;
    *out = (hsd_forecast){.limit_bytes = limit_bytes, .limit_name = {"", 0}, .used_name = {"", 0}, .why_not = {"", 0}};
    if (series->before_count > 0) return HSD_OK;
    return limit_bytes > 0 ? forecast_asked(series, limit_bytes, out, err) : forecast_own(series, out, err);
}
