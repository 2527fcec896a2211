/*
 * What a process grew by that none of its captures shows (base/unseen.h), over a series:
 *
 *      process.rss     34.4 -> 72.7 -> 110.9 MiB
 *      heap             6.1 ->  6.1 ->   6.1 MiB
 *      unseen               +38.2     +38.2
 *
 * It is told where it is there in every step, as leaks are, and where all of it together is worth a word. Only where
 * what is dropped is free at once: a collector's garbage moves a process by more than that.
 */
#include <hsdiff/series.h>

#include "base/unseen.h"

static hsd_measured measured_at(const hsd_series *series, size_t at)
{
    return (hsd_measured){series->points[at].metrics, series->points[at].metric_count};
}

static bool frees_at_once(const hsd_series *series)
{
    for (size_t i = series->warmup; i < series->point_count && !series->lost.is_known; i++)
        if (!hsd_measured_frees_at_once(measured_at(series, i))) return false;
    return true;
}

/* Reached and not. */
static int64_t captured_at(const hsd_series *series, size_t at)
{
    const hsd_amount *live = series->total.values, *lost = series->unreached.values;
    return (int64_t)(live[at].bytes - live[at - 1].bytes + lost[at].bytes - lost[at - 1].bytes);
}

bool hsd_series_find_unseen(const hsd_series *series, hsd_series_unseen *out)
{
    const size_t first = series->warmup, count = series->point_count;
    hsd_unseen sum = {0}, step;
    uint64_t after;
    if (!series->is_one_process || series->before_count > 0 || count < first + 2 || !frees_at_once(series))
        return false;
    for (size_t i = first + 1; i < count; i++) {
        if (!hsd_unseen_between(measured_at(series, i - 1), measured_at(series, i), captured_at(series, i), &step) ||
            step.bytes <= 0)
            return false;
        if (i == first + 1) sum.resident = step.resident;
        sum.bytes += step.bytes;
        sum.heap += step.heap;
    }
    if (!hsd_unseen_is_told(&sum) || !hsd_measured_find(measured_at(series, count - 1), "process.rss", "bytes", &after))
        return false;
    *out = (hsd_series_unseen){sum.resident, after, (uint64_t)sum.bytes};
    return true;
}
