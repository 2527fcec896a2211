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

static bool is_known_series_point(const uint8_t *domain)
{
    static const uint8_t zero[16];
    return memcmp(domain, zero, sizeof zero) != 0;
}

/* Both say so: by their domains, or by number and start of the process. */
static bool are_one_process(const hsd_capture_info *a, const hsd_capture_info *b)
{
    if (a->pid != 0 && b->pid != 0 && a->pid != b->pid) return false;
    if (is_known_series_point(a->domain) && is_known_series_point(b->domain))
        return memcmp(a->domain, b->domain, sizeof a->domain) == 0;
    return a->pid != 0 && a->pid == b->pid && a->started_unix_ns != 0 && a->started_unix_ns == b->started_unix_ns;
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

/* The most captures in a row that are known to be of one process; the first of them in *from. */
static size_t longest_of_one_process(const hsd_series *series, size_t *from)
{
    size_t most = 1, first = 0;
    *from = 0;
    for (size_t i = 1; i < series->point_count; i++) {
        if (!are_one_process(info_of(series, i - 1), info_of(series, i))) first = i;
        if (i + 1 - first <= most) continue;
        most = i + 1 - first;
        *from = first;
    }
    return most;
}

static bool are_two_processes(const hsd_capture_info *a, const hsd_capture_info *b)
{
    const bool say_so = (is_known_series_point(a->domain) && is_known_series_point(b->domain)) ||
                        (a->pid != 0 && b->pid != 0 && a->started_unix_ns != 0 && b->started_unix_ns != 0);
    return say_so && !are_one_process(a, b);
}

/* A program that was started again grows from nothing: what leaks goes up and down with it. */
static void compare_processes(hsd_series *series)
{
    size_t starts = 0, from;
    for (size_t i = 1; i < series->point_count; i++)
        starts += !series->points[i - 1].is_baseline && are_two_processes(info_of(series, i - 1), info_of(series, i));
    const size_t most = longest_of_one_process(series, &from);
    if (starts == 0 || most < 2 || series->before_count > 0) return;
    hsd_series_warn_of(series->store,
                       "the program was started again %zu time%s among the captures, and grows from the start each "
                       "time: look at one process, at most at the %zu captures from %.200s to %.200s",
                       starts, starts == 1 ? "" : "s", most, info_of(series, from)->path,
                       info_of(series, from + most - 1)->path);
}

void hsd_points_compare(hsd_series *series)
{
    series->is_one_process = true;
    for (size_t i = 1; i < series->point_count; i++) {
        series->is_one_process = series->is_one_process && are_one_process(info_of(series, i - 1), info_of(series, i));
    }
    compare_times(series);
    compare_processes(series);
    compare_runtimes(series);
    compare_kinds(series);
}
