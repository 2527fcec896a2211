/*
 * Whether the captures themselves can be judged.
 */
#include "check/problems.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include <hscapture/hscapture.h>

#define PROBLEMS_MOST 16u

__attribute__((format(printf, 4, 5))) static hsd_status say(hsd_problem_lists *lists, bool is_problem, hsd_error *err,
                                                            const char *format, ...)
{
    hsd_check_list *list = is_problem ? &lists->problems : &lists->notes;
    char text[501];
    hsd_text copy;
    va_list arguments;
    if (list->count >= PROBLEMS_MOST) return HSD_OK;
    va_start(arguments, format);
    const int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size < 0) text[0] = '\0';
    HSD_TRY(hsd_check_copy(lists->store, (hsd_text){text, strlen(text)}, &copy, err));
    return hsd_check_add(lists->store, list, copy, err);
}

static const char *text_of(const char *text) { return text != NULL ? text : ""; }

/* ---- one capture ---- */

static hsd_status check_one(hsd_problem_lists *lists, const hsd_capture_info *info, bool allow_incomplete,
                            hsd_error *err)
{
    const char *path = text_of(info->path), *reason = text_of(info->incomplete_reason);
    if (!info->is_complete)
        HSD_TRY(say(lists, !allow_incomplete, err,
                    "%.160s is incomplete (%.200s): what it lacks can neither pass nor fail", path,
                    reason[0] != '\0' ? reason : "no end record"));
    if (info->lost == 0) return HSD_OK;
    const uint64_t objects = hsd_add_saturating(info->objects, info->summary_objects);
    const bool is_much = info->lost > objects / 1000;
    return say(lists, is_much && !allow_incomplete, err,
               "%.160s: the producer could not capture %" PRIu64 " thing%s; hsdiff info lists them", path, info->lost,
               info->lost == 1 ? "" : "s");
}

/* ---- two captures ---- */

/* "V8 11.3" and "V8 12.1" are of one family. */
static size_t family_size(const char *text)
{
    size_t size = strcspn(text, "0123456789");
    while (size > 0 && strchr(" -/v", text[size - 1]) != NULL)
        size--;
    return size;
}

static bool is_one_family(const char *a, const char *b)
{
    return family_size(a) == family_size(b) && memcmp(a, b, family_size(a)) == 0;
}

static hsd_status check_runtimes(hsd_problem_lists *lists, const hsd_capture_info *before,
                                 const hsd_capture_info *after, hsd_error *err)
{
    const char *a = text_of(before->runtime), *b = text_of(after->runtime);
    if (a[0] == '\0' || b[0] == '\0' || strcmp(a, b) == 0) return HSD_OK;
    if (!is_one_family(a, b))
        return say(lists, true, err, "%.160s is of another runtime (%.80s, %.80s): their objects do not compare",
                   text_of(after->path), a, b);
    return say(lists, false, err,
               "the version of the runtime differs (%.80s, %.80s): what one lays out in another way counts as growth",
               a, b);
}

static hsd_status check_pair(hsd_problem_lists *lists, const hsd_capture_info *before, const hsd_capture_info *after,
                             hsd_error *err)
{
    const char *a = text_of(before->source_format), *b = text_of(after->source_format);
    const size_t size = strcspn(a, " ");
    if (size != strcspn(b, " ") || memcmp(a, b, size) != 0)
        HSD_TRY(say(lists, true, err,
                    "%.160s is of another format (%.60s, %.60s): each has names and sizes of its own for one object",
                    text_of(after->path), a[0] != '\0' ? a : "hs", b[0] != '\0' ? b : "hs"));
    if (before->pointer_bytes != after->pointer_bytes && before->pointer_bytes > 0 && after->pointer_bytes > 0)
        HSD_TRY(say(lists, true, err,
                    "pointers have %u bytes in %.160s and %u in %.160s: objects differ in size for that alone",
                    before->pointer_bytes, text_of(before->path), after->pointer_bytes, text_of(after->path)));
    if (((before->facts ^ after->facts) & HSC_FACT_REDACTED) != 0)
        HSD_TRY(
            say(lists, true, err,
                "only one of %.160s and %.160s was redacted: its names are pseudonyms, and no place of the one is one "
                "of the other",
                text_of(before->path), text_of(after->path)));
    return check_runtimes(lists, before, after, err);
}

/* ---- one process ---- */

static bool is_earlier(const hsd_capture_info *a, const hsd_capture_info *b)
{
    return hsd_capture_same_process(a, b) && a->taken_unix_ns > 0 && a->taken_unix_ns < b->taken_unix_ns;
}

/* A program that leaks shrinks where time runs backwards. */
static hsd_status check_order(hsd_problem_lists *lists, const hsd_capture_info *before, const hsd_capture_info *after,
                              hsd_order order, hsd_error *err)
{
    const bool is_by_ids = order == HSD_ORDER_REVERSED;
    if (!is_by_ids && !is_earlier(after, before)) return HSD_OK;
    return say(lists, true, err,
               "%.160s was taken before %.160s, which stands before it%s: the older one comes first (a shell sorts c10 "
               "before c9, and c09 before c10)",
               text_of(after->path), text_of(before->path), is_by_ids ? " (the ids of its objects are older)" : "");
}

static const hsd_capture_info *info_at(const hsd_series *series, size_t i) { return &series->points[i].side.info; }

/*
 * The program ended among the captures, and one that leaks has then let go of all: it grew not in every round. Where
 * each capture is of a process of its own, these are compared. A baseline is of a run before.
 */
static hsd_status check_processes(hsd_problem_lists *lists, const hsd_series *series, hsd_error *err)
{
    hsd_series_mix mix;
    if (!hsd_series_mixes(series, series->warmup, &mix)) return HSD_OK;
    const hsd_capture_info *before = info_at(series, mix.other - 1), *after = info_at(series, mix.other);
    char pids[80] = "";
    if (before->pid > 0 && after->pid > 0 && before->pid != after->pid)
        snprintf(pids, sizeof pids, " (pid %" PRIu64 " and %" PRIu64 ")", after->pid, before->pid);
    if (mix.again > 0)
        return say(lists, true, err,
                   "%.120s is of another process than %.120s%s, and %.120s of one from before it: what one process has "
                   "more than another is no growth; check the captures of one process at a time",
                   text_of(after->path), text_of(before->path), pids, text_of(info_at(series, mix.again)->path));
    return say(lists, true, err,
               "%.160s is of another process than %.160s%s: the program was started again in between, and what it had "
               "leaked is gone; check the captures of one process",
               text_of(after->path), text_of(before->path), pids);
}

/* ---- one capture, given twice ---- */

/* Profiles that do not say when they were taken are alike where a program rested; heaps never are. */
static bool is_one_of_its_kind(const hsd_capture_info *info) { return info->objects > 0 || info->taken_unix_ns > 0; }

/* Nothing happened between a capture and itself, so every rule would hold. */
static hsd_status check_contents(hsd_problem_lists *lists, const hsd_capture_info *before,
                                 const hsd_capture_info *after, bool *found, hsd_error *err)
{
    *found = hsd_capture_is_same(before, after) && is_one_of_its_kind(before);
    if (!*found) return HSD_OK;
    return say(
        lists, true, err,
        "%.160s has the same content as %.160s: nothing was captured in between, so nothing can fail; look whether the "
        "second one was taken, and whether a file of an earlier build lay there",
        text_of(after->path), text_of(before->path));
}

/* The first one that is given again. */
static hsd_status check_all_contents(hsd_problem_lists *lists, const hsd_series *series, hsd_error *err)
{
    bool found = false;
    for (size_t i = 1; i < series->point_count; i++)
        for (size_t k = 0; k < i && !found; k++)
            HSD_TRY(check_contents(lists, info_at(series, k), info_at(series, i), &found, err));
    return HSD_OK;
}

hsd_status hsd_problems_of_diff(hsd_problem_lists *lists, const hsd_diff *diff, bool allow_incomplete, hsd_error *err)
{
    const hsd_capture_info *before = &diff->before.info, *after = &diff->after.info;
    HSD_TRY(check_one(lists, before, allow_incomplete, err));
    HSD_TRY(check_one(lists, after, allow_incomplete, err));
    if (diff->is_partial && before->is_complete && after->is_complete)
        HSD_TRY(say(lists, !allow_incomplete, err,
                    "the diff knows lower bounds alone: what is missing can neither pass nor fail"));
    bool is_same;
    HSD_TRY(check_order(lists, before, after, diff->order, err));
    HSD_TRY(check_contents(lists, before, after, &is_same, err));
    return check_pair(lists, before, after, err);
}

hsd_status hsd_problems_of_series(hsd_problem_lists *lists, const hsd_series *series, bool allow_incomplete,
                                  hsd_error *err)
{
    const hsd_capture_info *first = &series->points[0].side.info;
    for (size_t i = 0; i < series->point_count; i++) {
        const hsd_capture_info *info = &series->points[i].side.info;
        HSD_TRY(check_one(lists, info, allow_incomplete, err));
        if (i > 0) HSD_TRY(check_pair(lists, first, info, err));
        if (i > 0) HSD_TRY(check_order(lists, info_at(series, i - 1), info, series->points[i].order, err));
    }
    HSD_TRY(check_all_contents(lists, series, err));
    return check_processes(lists, series, err);
}
