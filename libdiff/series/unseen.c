/*
 * What a process grew by that none of its captures shows: memory that it maps itself, that a library keeps. Of each
 * step it is what resident memory grew by, less what the heap did, and less what the agent noted of it:
 *
 *      process.rss     34.4 -> 72.7 -> 110.9 MiB
 *      heap             6.1 ->  6.1 ->   6.1 MiB
 *      unseen               +38.2     +38.2
 *
 * It is told where it is there in every step, as leaks are, and is more than a tenth of the process, and than its heap
 * grew by. Only where what is dropped is free at once: a collector's garbage moves a process by more than that.
 */
#include <hsdiff/series.h>

#include <string.h>

#define LEAST_BYTES (INT64_C(1) << 20)
#define LEAST_SHARE 10 /* one part in so many of the process at first */

static bool find_metric(const hsd_series_point *point, const char *name, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < point->metric_count; i++) {
        const hsd_profile_metric *metric = &point->metrics[i];
        if (metric->name.size != strlen(name) || memcmp(metric->name.data, name, metric->name.size) != 0) continue;
        *out = metric->value > INT64_MAX ? INT64_MAX : (int64_t)metric->value;
        return true;
    }
    return false;
}

/* By how much more a capture has of a metric than the one before; 0 where one of both does not say. */
static int64_t grown_by(const hsd_series *series, size_t at, const char *name)
{
    int64_t before, after;
    const bool is_known =
        find_metric(&series->points[at - 1], name, &before) && find_metric(&series->points[at], name, &after);
    return is_known && after > before ? after - before : 0;
}

static int64_t larger_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* Reached and not, and what the runtime says: of Python what it has mapped for small objects. */
static int64_t heap_grown(const hsd_series *series, size_t at)
{
    static const char *const told[] = {"heap.used", "heap.committed", "python.arena_bytes"};
    const hsd_amount *live = series->total.values, *lost = series->unreached.values;
    int64_t most = (int64_t)(live[at].bytes - live[at - 1].bytes + lost[at].bytes - lost[at - 1].bytes);
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        most = larger_of(most, grown_by(series, at, told[i]));
    return larger_of(most, 0);
}

static bool frees_at_once(const hsd_series *series)
{
    int64_t ignored;
    if (series->lost.is_known) return true;
    for (size_t i = series->warmup; i < series->point_count; i++)
        if (!find_metric(&series->points[i], "python.gc_tracked", &ignored)) return false;
    return true;
}

bool hsd_series_find_unseen(const hsd_series *series, hsd_series_unseen *out)
{
    const size_t first = series->warmup, count = series->point_count;
    int64_t before, after, unseen = 0, heap = 0;
    if (!series->is_one_process || series->before_count > 0 || count < first + 2 || !frees_at_once(series))
        return false;
    for (size_t i = first; i + 1 < count; i++) {
        if (!find_metric(&series->points[i], "process.rss", &before) ||
            !find_metric(&series->points[i + 1], "process.rss", &after))
            return false;
        const int64_t known = heap_grown(series, i + 1), agent = grown_by(series, i + 1, "native.used");
        if (after - before - known - agent <= 0) return false;
        unseen += after - before - known - agent;
        heap += known;
    }
    (void)find_metric(&series->points[first], "process.rss", &before);
    if (unseen < larger_of(LEAST_BYTES, before / LEAST_SHARE) || unseen <= heap) return false;
    *out = (hsd_series_unseen){(uint64_t)before, (uint64_t)after, (uint64_t)unseen};
    return true;
}
