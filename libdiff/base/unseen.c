/*
 * Growth of a process that its captures do not show.
 */
#include "base/unseen.h"

#include <string.h>

#include "base/check.h"

#define LEAST_BYTES (INT64_C(1) << 20)
#define LEAST_SHARE 10 /* one part in so many of the process before */

static bool is_word(hsd_text text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

bool hsd_measured_find(hsd_measured measured, const char *name, const char *unit, uint64_t *out)
{
    for (size_t i = 0; i < measured.count; i++) {
        const hsd_profile_metric *metric = &measured.metrics[i];
        if (!is_word(metric->unit, unit) || !is_word(metric->name, name)) continue;
        *out = metric->value;
        return true;
    }
    return false;
}

bool hsd_measured_frees_at_once(hsd_measured measured)
{
    uint64_t tracked;
    return hsd_measured_find(measured, "python.gc_tracked", "count", &tracked);
}

static int64_t larger_of(int64_t a, int64_t b) { return a > b ? a : b; }

static bool grown_bytes(hsd_measured before, hsd_measured after, const char *name, int64_t *out)
{
    uint64_t a, b;
    *out = 0;
    if (!hsd_measured_find(before, name, "bytes", &a) || !hsd_measured_find(after, name, "bytes", &b)) return false;
    *out = (int64_t)hsd_min_u64(b, INT64_MAX) - (int64_t)hsd_min_u64(a, INT64_MAX);
    return true;
}

static int64_t grown_heap(hsd_measured before, hsd_measured after, int64_t captured)
{
    static const char *const told[] = {"heap.used", "heap.committed", "python.arena_bytes"};
    int64_t most = larger_of(captured, 0), grown;
    for (size_t i = 0; i < HSD_ARRAY_LEN(told); i++)
        if (grown_bytes(before, after, told[i], &grown)) most = larger_of(most, grown);
    return most;
}

bool hsd_unseen_between(hsd_measured before, hsd_measured after, int64_t captured, hsd_unseen *out)
{
    int64_t resident, agent;
    *out = (hsd_unseen){0};
    if (!grown_bytes(before, after, "process.rss", &resident)) return false;
    (void)hsd_measured_find(before, "process.rss", "bytes", &out->resident);
    (void)grown_bytes(before, after, "native.used", &agent);
    out->heap = grown_heap(before, after, captured);
    if (__builtin_sub_overflow(resident, out->heap, &out->bytes) ||
        __builtin_sub_overflow(out->bytes, larger_of(agent, 0), &out->bytes))
        out->bytes = 0;
    return true;
}

bool hsd_unseen_is_told(const hsd_unseen *unseen)
{
    const int64_t share = (int64_t)hsd_min_u64(unseen->resident, INT64_MAX) / LEAST_SHARE;
    return unseen->bytes >= larger_of(LEAST_BYTES, share) && unseen->bytes > unseen->heap;
}
