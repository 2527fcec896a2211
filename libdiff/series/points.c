/*
 * The captures of a series.
 */
#include "series/points.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- one ---- */

static hsd_status copy_string(hsd_series_store *store, const char **string, hsd_error *err)
{
    hsd_text copy;
    if (*string == NULL) return HSD_OK;
    HSD_TRY(hsd_series_words(store, *string, &copy, err));
    *string = copy.data;
    return HSD_OK;
}

static hsd_status copy_info(hsd_series_store *store, hsd_capture_info *info, hsd_error *err)
{
    const char **const strings[] = {&info->path,         &info->producer,      &info->runtime,
                                    &info->process_name, &info->source_format, &info->incomplete_reason,
                                    &info->why_no_places};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        HSD_TRY(copy_string(store, strings[i], err));
    return HSD_OK;
}

static hsd_status copy_metrics(hsd_series_store *store, const hsd_profile *profile, hsd_series_point *out,
                               hsd_error *err)
{
    void *memory;
    HSD_TRY(hsd_series_take(store, profile->metric_count * sizeof *out->metrics, &memory, err));
    hsd_profile_metric *metrics = memory;
    for (size_t i = 0; i < profile->metric_count; i++) {
        metrics[i].value = profile->metrics[i].value;
        HSD_TRY(hsd_series_text(store, profile->metrics[i].name, &metrics[i].name, err));
        HSD_TRY(hsd_series_text(store, profile->metrics[i].unit, &metrics[i].unit, err));
    }
    out->metrics = metrics;
    out->metric_count = profile->metric_count;
    return HSD_OK;
}

static const char *without_folders(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != 0 ? slash + 1 : path;
}

hsd_status hsd_point_fill(hsd_series_store *store, const hsd_profile *profile, const char *label, hsd_series_point *out,
                          hsd_error *err)
{
    *out = (hsd_series_point){
        .side = profile->side, .is_baseline = profile->is_baseline, .is_summary = profile->is_summary};
    HSD_TRY(copy_info(store, &out->side.info, err));
    const char *path = out->side.info.path != NULL ? out->side.info.path : "";
    HSD_TRY(hsd_series_words(store, label != NULL ? label : without_folders(path), &out->label, err));
    return copy_metrics(store, profile, out, err);
}

/* ---- all of them ---- */

static const hsd_capture_info *info_of(const hsd_series *series, size_t i) { return &series->points[i].side.info; }

/* Each has a time, and is later than the one before. */
static void compare_times(hsd_series *series)
{
    size_t wrong = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        if (info_of(series, i)->taken_unix_ns == 0) return;
        if (wrong == 0 && i > 0 && info_of(series, i)->taken_unix_ns <= info_of(series, i - 1)->taken_unix_ns)
            wrong = i;
    }
    series->has_times = wrong == 0;
    if (wrong == 0 || series->before_count > 0) return;
    const bool is_same = info_of(series, wrong)->taken_unix_ns == info_of(series, wrong - 1)->taken_unix_ns;
    hsd_series_warn_of(series->store,
                       "%.200s was taken %s %.200s, which stands before it: growth by the hour is not known%s",
                       info_of(series, wrong)->path, is_same ? "at the same time as" : "before",
                       info_of(series, wrong - 1)->path, is_same ? "" : ", and what grew may look as if it shrank");
}

static bool differ(const char *a, const char *b)
{
    return a != NULL && b != NULL && a[0] != 0 && b[0] != 0 && strcmp(a, b) != 0;
}

/* The first one that is not like the first of all. */
static void compare_runtimes(hsd_series *series)
{
    const hsd_capture_info *first = info_of(series, 0);
    for (size_t i = 1; i < series->point_count; i++) {
        const hsd_capture_info *info = info_of(series, i);
        const bool widths_differ =
            info->pointer_bytes != first->pointer_bytes && info->pointer_bytes != 0 && first->pointer_bytes != 0;
        if (!widths_differ && !differ(first->runtime, info->runtime)) continue;
        char widths[48] = "";
        if (widths_differ)
            snprintf(widths, sizeof widths, ", with pointers of %u and %u bytes", first->pointer_bytes,
                     info->pointer_bytes);
        hsd_series_warn_of(
            series->store,
            "%.150s and %.150s come from different runtimes (%.60s, %.60s%s): what one lays out or names in another "
            "way counts as growth",
            first->path, info->path, first->runtime != NULL ? first->runtime : "",
            info->runtime != NULL ? info->runtime : "", widths);
        return;
    }
}

static void compare_kinds(hsd_series *series)
{
    size_t summaries = 0, first = 0;
    for (size_t i = series->point_count; i-- > 0;) {
        if (!series->points[i].is_summary) continue;
        summaries++;
        first = i;
    }
    if (summaries == 0 || summaries == series->point_count) return;
    hsd_series_warn_of(
        series->store,
        "%.200s holds type totals alone%s: every object counts as live there, and garbage looks like growth",
        info_of(series, first)->path, summaries > 1 ? ", and so do others" : "");
}

/* ---- processes ---- */

static hsd_processes processes_of(const hsd_series *series, size_t i, size_t k)
{
    return hsd_capture_processes(info_of(series, i), info_of(series, k));
}

/* Behind a baseline nothing is another one. */
static bool is_other(const hsd_series *series, size_t i)
{
    return !series->points[i - 1].is_baseline && processes_of(series, i - 1, i) == HSD_PROCESSES_TWO;
}

/* The first capture behind `i` that is of the same process; 0 = none. */
static size_t next_of_process(const hsd_series *series, size_t i)
{
    if (series->points[i].is_baseline) return 0;
    for (size_t k = i + 1; k < series->point_count; k++)
        if (!series->points[k].is_baseline && processes_of(series, i, k) == HSD_PROCESSES_ONE) return k;
    return 0;
}

static void find_longest_run(const hsd_series *series, size_t first, hsd_series_mix *mix)
{
    size_t from = first;
    mix->from = first;
    mix->most = 1;
    for (size_t i = first + 1; i < series->point_count; i++) {
        if (processes_of(series, i - 1, i) != HSD_PROCESSES_ONE) from = i;
        if (i + 1 - from <= mix->most) continue;
        mix->most = i + 1 - from;
        mix->from = from;
    }
}

bool hsd_series_mixes(const hsd_series *series, size_t first, hsd_series_mix *out)
{
    bool has_rounds = false;
    *out = (hsd_series_mix){0};
    for (size_t i = first + 1; i < series->point_count; i++) {
        if (!is_other(series, i)) continue;
        out->starts++;
        if (out->other == 0) out->other = i;
    }
    if (out->starts == 0) return false;
    for (size_t i = first; i + 1 < series->point_count; i++) {
        const size_t next = next_of_process(series, i);
        has_rounds = has_rounds || next > 0;
        if (i < out->other && next > out->other && (out->again == 0 || next < out->again)) out->again = next;
    }
    find_longest_run(series, first, out);
    return has_rounds;
}

/* A program that was started again grows from nothing: what leaks goes up and down with it. */
static void compare_processes(hsd_series *series)
{
    hsd_series_mix mix;
    if (series->before_count > 0 || !hsd_series_mixes(series, 0, &mix)) return;
    if (mix.again > 0)
        hsd_series_warn_of(series->store,
                           "captures of several processes are mixed: %.150s is of another one than %.150s, and %.150s "
                           "of one from before it; look at one process at a time",
                           info_of(series, mix.other)->path, info_of(series, mix.other - 1)->path,
                           info_of(series, mix.again)->path);
    else
        hsd_series_warn_of(series->store,
                           "the program was started again %zu time%s among the captures, and grows from the start each "
                           "time: look at one process, at most at the %zu captures from %.200s to %.200s",
                           mix.starts, mix.starts == 1 ? "" : "s", mix.most, info_of(series, mix.from)->path,
                           info_of(series, mix.from + mix.most - 1)->path);
}

/* Captures that do not say when they were taken, of a runtime that gives ids in turn. */
static void compare_orders(hsd_series *series)
{
    for (size_t i = 1; i < series->point_count; i++) {
        const hsd_order order = series->points[i].order;
        if (order == HSD_ORDER_UNKNOWN || order == HSD_ORDER_AS_GIVEN) continue;
        if (order == HSD_ORDER_REVERSED)
            hsd_series_warn_of(series->store,
                               "by the ids of its objects %.200s was taken before %.200s, which stands before it: what "
                               "grew may look as if it shrank",
                               info_of(series, i)->path, info_of(series, i - 1)->path);
        else
            hsd_series_warn_of(series->store,
                               "the ids of %.200s and %.200s contradict each other, as those of two processes, or of "
                               "one whose inspector was closed in between: what leaked may have gone with the first",
                               info_of(series, i - 1)->path, info_of(series, i)->path);
        return;
    }
}

/* The first one that is given again; of repeated captures each is one more witness. */
static void compare_contents(hsd_series *series)
{
    for (size_t i = 1; i < series->point_count; i++)
        for (size_t k = 0; k < i; k++) {
            if (!hsd_capture_is_same(info_of(series, k), info_of(series, i))) continue;
            hsd_series_warn_of(
                series->store,
                "%.200s has the same content as %.200s, as one capture that is given twice: nothing came in between",
                info_of(series, i)->path, info_of(series, k)->path);
            return;
        }
}

void hsd_points_compare(hsd_series *series)
{
    series->is_one_process = true;
    for (size_t i = 1; i < series->point_count; i++) {
        series->is_one_process = series->is_one_process && processes_of(series, i - 1, i) == HSD_PROCESSES_ONE;
    }
    compare_times(series);
    if (series->before_count == 0) compare_orders(series);
    compare_processes(series);
    compare_contents(series);
    compare_runtimes(series);
    compare_kinds(series);
}
