/*
 * The run over a series, one capture at a time:
 *
 *      open ─► hsd_profile_make ─┬─ point                        points.c
 *                  │             ├─ types, roots by name         table.c ───┐
 *                  │             ├─ places by path               holders.c ─┤ columns.c, then rows.c ─► tables
 *                  └─ objects ───┴─ ages                         cohorts.c ─► ages.c ─► cohorts
 *
 * The capture before is kept open only where a diff of the two must tell which object is which. Else two small captures
 * that follow each other are read at once where there are threads: the second tells nobody anything until the first is
 * through. Of an odd number the first three are, the third until both are: else the last one, alone, would leave half
 * of two processors idle. The first, since nothing else takes memory yet.
 *
 * A profile gets all of the memory. What stays beside it are names and two amounts for each row, at most 16 MiB
 * together (SHARE); values get theirs when the last profile is gone. Of small captures, which leave half of the memory
 * free, pages stay that one has left and the next one wants (KEPT_PART), and still do when a diff of two comes.
 */
#include <hsdiff/series.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/options.h"
#include "base/worker.h"
#include "series/cohorts.h"
#include "series/forecast.h"
#include "series/holders.h"
#include "series/points.h"
#include "series/rows.h"
#include "series/store.h"
#include "series/table.h"

/* Fixed, so that the answer does not depend on the budget: 16 MiB beside a profile, 24 MiB for values when the last one
 * is gone. */
#define SHARE (UINT64_C(2) << 20)

typedef struct series_run {
    hsd_series *series;
    const hsd_series_source *source;
    const hsd_series_options *options;
    const hsd_run *outer; /* of the caller */
    hsd_run run;          /* the same, with progress that says which capture */
    size_t at;            /* the capture that is open */
    hsd_temp_space space;
    hsd_named_table types, roots, lost;
    hsd_place_join places;
    hsd_aging aging;
    bool has_roots, has_places, has_lost; /* so far */
    hsd_capture *current, *previous;
    hsd_capture *ahead; /* the next one that was opened early; NULL = none is, or that failed */
    size_t ahead_at;    /* which it is */
    bool has_looked;    /* it was tried: */
    hsd_status ahead_status;
    hsd_error ahead_error;
    hsd_amount *totals, *unreached;
} series_run;

void hsd_series_forget_walked(hsd_series *series)
{
    hsd_walked_free(series->walked[1]);
    hsd_walked_free(series->walked[0]);
    series->walked[0] = series->walked[1] = NULL;
}

void hsd_series_free(hsd_series *series)
{
    if (series == NULL) return;
    hsd_series_forget_walked(series);
    hsd_diff_free(series->pair);
    hsd_series_store_free(series->store);
    free(series);
}

static bool tell_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    const series_run *r = context;
    char text[256];
    snprintf(text, sizeof text, "capture %zu of %zu: %s", r->at + 1, r->source->count, stage);
    return r->outer->progress(r->outer->progress_context, text, done, total);
}

/* ---- small captures ---- */

#define TOGETHER_LEAST   (UINT64_C(128) << 20) /* what a profile of nothing may plan with, and more */
#define TOGETHER_OBJECTS UINT64_C(1000000)
#define OBJECT_BYTES     200u
#define REFERENCE_BYTES  24u
#define KEPT_PART        16u              /* of the memory */
#define WALKED_OBJECTS   UINT64_C(262144) /* some 100 bytes each stay of what was walked */

static uint64_t memory_of(const series_run *r)
{
    return r->run.memory_bytes != 0 ? r->run.memory_bytes : hsd_run_default_memory();
}

/* It fits in such a part of the memory with plenty to spare: what it says depends on no budget. */
static bool is_small(const series_run *r, const hsd_capture *capture, uint32_t parts)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    if (info->objects == 0 || info->is_baseline || info->objects > TOGETHER_OBJECTS) return false;
    if (info->references > TOGETHER_OBJECTS * 16) return false;
    return TOGETHER_LEAST + info->objects * OBJECT_BYTES + info->references * REFERENCE_BYTES <= memory_of(r) / parts;
}

/* ---- one capture ---- */

/* Of small captures what was walked of the two that a diff would begin with and end with stays: the second is walked
 * behind the first, so that must be through. `at` is the capture, `through` how many are. */
static void choose_walked(series_run *r, hsd_capture *capture, size_t at, size_t through, hsd_profile_options *how)
{
    const uint32_t first = r->options->warmup;
    const bool is_first = at == first, is_last = at + 1 == r->source->count && first < through;
    if (!r->options->asks_pair || !r->aging.is_on || how->no_places || !(is_first || is_last)) return;
    if (!is_small(r, capture, 2) || hsd_capture_get_info(capture)->objects > WALKED_OBJECTS) return;
    if (is_last && r->series->walked[0] == NULL) return;
    how->walked = &r->series->walked[is_last];
    if (is_last) how->behind = r->series->walked[0];
}

static hsd_status make_profile(series_run *r, hsd_profile **out, hsd_error *err)
{
    hsd_profile_options how = {.struct_bytes = sizeof how,
                               .no_places = r->options->no_places,
                               .summary_only = r->options->summary_only,
                               .partial = r->options->partial};
    if (r->aging.is_on) {
        how.each = hsd_aging_each;
        how.each_context = &r->aging;
    }
    choose_walked(r, r->current, r->at, r->at, &how);
    const hsd_status status = hsd_profile_make(out, r->current, &how, &r->run, err);
    if (status != HSD_E_UNSUPPORTED || how.each == NULL) return status;
    hsd_aging_stop(&r->aging, "%s holds sums and no objects", hsd_capture_get_info(r->current)->path);
    hsd_series_forget_walked(r->series);
    how.each = NULL;
    how.walked = NULL;
    how.behind = NULL;
    return hsd_profile_make(out, r->current, &how, &r->run, err);
}

static hsd_status add_roots(series_run *r, const hsd_profile *profile, bool is_behind, hsd_error *err)
{
    hsd_series_table *table = &r->series->roots;
    if (!r->has_roots) return HSD_OK;
    if (profile->has_roots || !is_behind) return hsd_named_table_add_roots(&r->roots, profile, err);
    r->has_roots = false;
    if (r->options->summary_only)
        return hsd_series_words(r->series->store, "type totals alone were asked for", &table->why_not, err);
    return hsd_series_format(r->series->store, &table->why_not, err, "%s %s", profile->side.info.path,
                             profile->is_summary ? "holds type totals alone" : "carries no roots or no references");
}

static hsd_status add_lost_series(series_run *r, const hsd_profile *profile, bool is_behind, hsd_error *err)
{
    if (!r->has_lost) return HSD_OK;
    if (profile->lost.is_known && r->at == 0) r->lost.is_by_type = profile->lost.is_by_type;
    const bool is_alike = r->lost.is_by_type || !profile->lost.is_by_type;
    if ((profile->lost.is_known && is_alike) || !is_behind) return hsd_named_table_add_lost(&r->lost, profile, err);
    r->has_lost = false;
    if (!is_alike)
        return hsd_series_format(r->series->store, &r->series->lost.why_not, err,
                                 "%s is a baseline, which says what is lost by type alone: give it first",
                                 profile->side.info.path);
    return hsd_series_format(r->series->store, &r->series->lost.why_not, err,
                             "%s does not say that what no root reaches is lost: a collector may free it",
                             profile->side.info.path);
}

static hsd_status add_places(series_run *r, const hsd_profile *profile, bool is_behind, hsd_error *err)
{
    hsd_series_table *table = &r->series->holders;
    if (!r->has_places) return HSD_OK;
    if (profile->has_places || !is_behind) return hsd_place_join_add(&r->places, profile, is_behind, err);
    r->has_places = false;
    if (r->options->summary_only)
        return hsd_series_words(r->series->store, "type totals alone were asked for", &table->why_not, err);
    if (r->options->no_places)
        return hsd_series_words(r->series->store, "they were not asked for", &table->why_not, err);
    return hsd_series_format(r->series->store, &table->why_not, err, "%s: %.*s", profile->side.info.path,
                             (int)hsd_min_u64(profile->why_no_places.size, 300), profile->why_no_places.data);
}

static hsd_status add_profile(series_run *r, const hsd_profile *profile, hsd_error *err)
{
    const bool is_behind = r->at >= r->options->warmup;
    const char *label = r->source->labels != NULL ? r->source->labels[r->at] : NULL;
    HSD_TRY(hsd_point_fill(r->series->store, profile, label, &r->series->points[r->at], err));
    for (size_t i = 0; i < profile->warning_count; i++)
        hsd_series_warn(r->series->store, profile->warnings[i]);
    r->totals[r->at] = profile->side.live;
    r->unreached[r->at] = profile->side.unreached;
    HSD_TRY(hsd_named_table_add_types(&r->types, profile, err));
    HSD_TRY(add_roots(r, profile, is_behind, err));
    HSD_TRY(add_lost_series(r, profile, is_behind, err));
    return add_places(r, profile, is_behind, err);
}

static void note_temp_space(series_run *r, uint64_t besides)
{
    uint64_t *peak = &r->series->temp_bytes_peak;
    *peak = hsd_max_u64(*peak, hsd_max_u64(r->space.bytes_now + besides, r->space.bytes_peak));
}

static hsd_status begin_aging(series_run *r, hsd_capture *capture, hsd_error *err)
{
    const hsd_capture_info *last = r->at > 0 ? &r->series->points[r->at - 1].side.info : NULL;
    return hsd_aging_begin(&r->aging, (uint32_t)r->at, hsd_capture_get_info(capture), last, err);
}

static hsd_status end_aging(series_run *r, hsd_capture *previous, hsd_error *err)
{
    return hsd_aging_end(&r->aging, previous, r->current, r->options, &r->run, &r->series->points[r->at].order, err);
}

static hsd_status add_begun(series_run *r, hsd_error *err)
{
    hsd_profile *profile;
    HSD_TRY(make_profile(r, &profile, err));
    note_temp_space(r, profile->temp_bytes_peak);
    const hsd_status status = add_profile(r, profile, err);
    hsd_profile_free(profile);
    HSD_TRY(status);
    return end_aging(r, r->previous, err);
}

static hsd_status add_capture(series_run *r, hsd_error *err)
{
    HSD_TRY(begin_aging(r, r->current, err));
    return add_begun(r, err);
}

/* ---- two at once, or three ---- */

typedef struct told { /* a note that waits */
    hsd_note_level level;
    char text[1024];
} told;

/* The last of those that are read at once: on the thread that called, the first beside it, or two that are so read. */
typedef struct second {
    series_run *r;
    hsd_capture *capture;
    size_t at;           /* which it is */
    hsd_capture *beside; /* the second of three, to the third; NULL = there are two */
    hsd_worker worker;
    bool is_through;    /* what is beside it */
    hsd_run run, whole; /* of the second; that of the series */
    told *told;
    uint32_t told_count, told_capacity;
} second;

static bool stay_silent(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return true;
}

static void note_later(void *context, hsd_note_level level, const char *text)
{
    second *s = context;
    if (s->is_through) {
        s->r->outer->note(s->r->outer->note_context, level, text);
        return;
    }
    if (HSD_ARRAY_GROW(s->told, s->told_capacity, s->told_count + 1, 64, "notes", NULL) != HSD_OK) return;
    told *one = &s->told[s->told_count++];
    one->level = level;
    snprintf(one->text, sizeof one->text, "%s", text);
}

static hsd_status add_two(series_run *r, hsd_capture *capture, uint32_t parts, hsd_error *err);

/* Three have the memory in three parts already. */
static hsd_status add_first(void *context, hsd_error *err)
{
    second *s = context;
    return s->beside != NULL ? add_two(s->r, s->beside, 1, err) : add_capture(s->r, err);
}

/* Waits for what is beside it, and from here on all is as if it had only begun now. */
static hsd_status let_first_through(second *s, hsd_error *err)
{
    if (s->is_through) return HSD_OK;
    const hsd_status status = hsd_worker_finish(&s->worker, err);
    s->r->run = s->whole;
    HSD_TRY(status);
    s->is_through = true;
    for (uint32_t i = 0; i < s->told_count; i++)
        s->r->outer->note(s->r->outer->note_context, s->told[i].level, s->told[i].text);
    s->r->source->close(s->r->source->context, s->r->at, s->r->current);
    s->r->at = s->at;
    s->r->current = s->capture;
    return begin_aging(s->r, s->capture, err);
}

static hsd_status each_of_second(void *context, const hsd_profile *profile, uint32_t type, uint64_t id, uint64_t bytes,
                                 hsd_error *err)
{
    second *s = context;
    HSD_TRY(let_first_through(s, err));
    return s->r->aging.is_on ? hsd_aging_each(&s->r->aging, profile, type, id, bytes, err) : HSD_OK;
}

static hsd_status make_second(second *s, uint32_t parts, hsd_profile **out, hsd_error *err)
{
    series_run *r = s->r;
    hsd_profile_options how = {
        .struct_bytes = sizeof how, .no_places = r->options->no_places, .partial = r->options->partial};
    if (r->aging.is_on) {
        how.each = each_of_second;
        how.each_context = s;
    }
    choose_walked(r, s->capture, s->at, r->at, &how);
    s->whole = r->run;
    r->run.threads = 1;
    r->run.memory_bytes = memory_of(r) / parts;
    s->run = r->run;
    if (r->run.progress != NULL) s->run.progress = stay_silent;
    if (r->run.note != NULL) s->run.note = note_later;
    s->run.note_context = s;
    hsd_worker_begin(&s->worker, add_first, s, false);
    return hsd_profile_make(out, s->capture, &how, &s->run, err);
}

/* What went wrong with the second alone is found again as if it had come alone. */
static hsd_status finish_second(second *s, hsd_profile *profile, hsd_status status, hsd_error *err)
{
    series_run *r = s->r;
    const bool has_told = s->is_through;
    HSD_TRY(let_first_through(s, err));
    if (status != HSD_OK) hsd_series_forget_walked(r->series);
    if (status != HSD_OK) return has_told ? status : add_begun(r, err);
    note_temp_space(r, profile->temp_bytes_peak);
    HSD_TRY(add_profile(r, profile, err));
    return end_aging(r, NULL, err);
}

/* Leaves the last one as the current one, or the one that failed; the others are closed. */
static hsd_status add_last(second *s, uint32_t parts, hsd_error *err)
{
    series_run *r = s->r;
    hsd_profile *profile = NULL;
    hsd_error why;
    hsd_error_init(&why);
    hsd_status status = make_second(s, parts, &profile, &why);
    if (status < 0 && s->is_through) *err = why;
    status = finish_second(s, profile, status, err);
    hsd_profile_free(profile);
    free(s->told);
    if (!s->is_through) r->source->close(r->source->context, s->at, s->capture);
    return status;
}

static hsd_status add_two(series_run *r, hsd_capture *capture, uint32_t parts, hsd_error *err)
{
    second s = {.r = r, .capture = capture, .at = r->at + 1};
    return add_last(&s, parts, err);
}

static hsd_status add_three(series_run *r, hsd_capture *middle, hsd_capture *last, hsd_error *err)
{
    second s = {.r = r, .capture = last, .at = r->at + 2, .beside = middle};
    return add_last(&s, 3, err);
}

/* ---- all captures ---- */

static void close_capture(series_run *r, hsd_capture **capture, size_t i)
{
    if (*capture != NULL) r->source->close(r->source->context, i, *capture);
    *capture = NULL;
}

static hsd_status open_capture(series_run *r, size_t i, hsd_capture **out, hsd_error *err)
{
    const hsd_status status = r->source->open(r->source->context, i, out, err);
    if (status != HSD_OK) {
        *out = NULL;
        if (r->source->labels != NULL) hsd_error_set_file(err, r->source->labels[i]);
    }
    return status;
}

static void open_ahead(series_run *r, size_t i)
{
    r->has_looked = true;
    r->ahead_at = i;
    hsd_error_init(&r->ahead_error);
    r->ahead_status = open_capture(r, i, &r->ahead, &r->ahead_error);
}

/* The one behind the current is opened early where both may be small; what fails there is told when its turn comes. */
static void look_ahead(series_run *r)
{
    const bool may_be =
        r->aging.wish != HSD_COHORTS_ALWAYS && !r->options->summary_only && r->at + 1 < r->source->count;
    if (may_be && hsd_worker_count(r->run.threads) >= 2 && is_small(r, r->current, 2)) open_ahead(r, r->at + 1);
}

static hsd_status open_next(series_run *r, hsd_error *err)
{
    if (!r->has_looked) return open_capture(r, r->at, &r->current, err);
    r->current = r->ahead;
    r->ahead = NULL;
    r->has_looked = false;
    if (r->ahead_status != HSD_OK) *err = r->ahead_error;
    return r->ahead_status;
}

static hsd_capture *take_ahead(series_run *r)
{
    hsd_capture *ahead = r->ahead;
    r->ahead = NULL;
    r->has_looked = false;
    return ahead;
}

static bool begins_with_three(const series_run *r) { return r->source->count % 2 == 1 && r->source->count > 3; }

static bool may_be_three(const series_run *r, const hsd_capture *behind)
{
    return r->at == 0 && begins_with_three(r) && is_small(r, r->current, 3) && is_small(r, behind, 3);
}

static hsd_status add_next(series_run *r, hsd_error *err)
{
    if (!r->has_looked) look_ahead(r);
    if (r->ahead == NULL || !is_small(r, r->ahead, 2)) return add_capture(r, err);
    hsd_capture *behind = take_ahead(r);
    if (!may_be_three(r, behind)) return add_two(r, behind, 2, err);
    open_ahead(r, r->at + 2);
    if (r->ahead == NULL || !is_small(r, r->ahead, 3)) return add_two(r, behind, 2, err);
    return add_three(r, behind, take_ahead(r), err);
}

/* Captures of a series are alike as a rule. */
static void keep_pages(series_run *r)
{
    if (is_small(r, r->current, 2))
        hsd_series_keep_pages(r->series->store, (size_t)(memory_of(r) / KEPT_PART));
    else
        hsd_series_keep_no_pages(r->series->store);
}

static hsd_status go_through(series_run *r, hsd_error *err)
{
    hsd_status status = HSD_OK;
    for (r->at = 0; r->at < r->source->count && status == HSD_OK; r->at++) {
        status = open_next(r, err);
        if (status == HSD_OK) keep_pages(r);
        if (status == HSD_OK) status = add_next(r, err);
        if (status < 0 && r->current != NULL) hsd_error_set_file(err, hsd_capture_get_info(r->current)->path);
        close_capture(r, &r->previous, r->at - 1);
        const bool is_kept = r->aging.is_on && r->options->cohorts == HSD_COHORTS_ALWAYS;
        if (status == HSD_OK && is_kept)
            r->previous = r->current;
        else
            close_capture(r, &r->current, r->at);
        r->current = NULL;
    }
    close_capture(r, &r->previous, r->at - 1);
    close_capture(r, &r->ahead, r->ahead_at);
    return status;
}

/* ---- the result ---- */

static void judge_totals(series_run *r)
{
    hsd_series *series = r->series;
    const uint64_t first = r->totals[series->warmup].bytes;
    series->noise_bytes = r->options->noise_bytes != 0 ? r->options->noise_bytes : hsd_noise_of(first);
    series->total.values = r->totals;
    series->unreached.values = r->unreached;
    series->total.name = series->unreached.name = (hsd_text){"", 0};
    hsd_rows_judge(series, &series->total);
    hsd_rows_judge(series, &series->unreached);
}

/* Half of what is for values and names is for types, which every series has. */
static hsd_status make_tables(series_run *r, hsd_error *err)
{
    hsd_series *series = r->series;
    const uint64_t share = SHARE;
    series->types.is_known = true;
    series->roots.is_known = r->has_roots;
    series->holders.is_known = r->has_places;
    series->lost.is_known = r->has_lost;
    HSD_TRY(hsd_named_table_finish(&r->types, series, &series->types, 4 * share, err));
    if (r->has_places) HSD_TRY(hsd_place_join_finish(&r->places, &r->roots, series, &series->holders, 3 * share, err));
    if (r->has_roots) HSD_TRY(hsd_named_table_finish(&r->roots, series, &series->roots, share, err));
    if (r->has_lost) HSD_TRY(hsd_named_table_finish(&r->lost, series, &series->lost, share, err));
    return hsd_aging_finish(&r->aging, 4 * share, series->store, &series->cohorts, err);
}

static hsd_status finish_series(series_run *r, hsd_error *err)
{
    hsd_series *series = r->series;
    hsd_points_compare(series);
    judge_totals(r);
    HSD_TRY(make_tables(r, err));
    HSD_TRY(hsd_series_forecast(series, r->options->limit_bytes, err));
    hsd_series_warn_of_the_rest(series->store);
    series->warnings = series->store->warnings;
    series->warning_count = series->store->warning_count;
    if (series->walked[1] == NULL) hsd_series_forget_walked(series);
    note_temp_space(r, 0);
    return HSD_OK;
}

static hsd_status open_joins(series_run *r, hsd_error *err)
{
    const uint64_t share = SHARE;
    r->has_roots = r->has_places = r->has_lost = true;
    HSD_TRY(hsd_named_table_open(&r->types, 4 * share, &r->space, err));
    HSD_TRY(hsd_named_table_open(&r->roots, share, &r->space, err));
    HSD_TRY(hsd_named_table_open(&r->lost, share, &r->space, err));
    HSD_TRY(hsd_place_join_open(&r->places, 3 * share, &r->space, err));
    return hsd_aging_open(&r->aging, r->options, r->source->count, &r->types, &r->space, err);
}

static hsd_status take_points(series_run *r, hsd_error *err)
{
    hsd_series *series = r->series;
    const size_t count = r->source->count;
    void *points, *totals, *unreached;
    HSD_TRY(hsd_series_take(series->store, count * sizeof *series->points, &points, err));
    HSD_TRY(hsd_series_take(series->store, count * sizeof *r->totals, &totals, err));
    HSD_TRY(hsd_series_take(series->store, count * sizeof *r->unreached, &unreached, err));
    series->points = points;
    series->point_count = count;
    series->before_count = r->options->before_count;
    series->warmup = r->options->warmup;
    series->lost.why_not = (hsd_text){"", 0};
    series->types.why_not = series->roots.why_not = series->holders.why_not = (hsd_text){"", 0};
    r->totals = totals;
    r->unreached = unreached;
    return HSD_OK;
}

static hsd_status new_result(hsd_series **out, hsd_error *err)
{
    hsd_series *series = calloc(1, sizeof *series);
    if (series != NULL) series->store = calloc(1, sizeof *series->store);
    if (series == NULL || series->store == NULL) {
        free(series);
        return hsd_fail_nomem(err, "the result");
    }
    *out = series;
    return HSD_OK;
}

static hsd_status check_call(const hsd_series_source *source, const hsd_series_options *options, hsd_error *err)
{
    if (source->count < HSD_SERIES_LEAST || source->count > HSD_SERIES_MOST) {
        hsd_fail(err, HSD_E_MISUSE, "%zu %s no series: it takes %u to %u", source->count,
                 source->count == 1 ? "capture is" : "captures are", HSD_SERIES_LEAST, HSD_SERIES_MOST);
        hsd_error_set_hint(err, source->count < HSD_SERIES_LEAST
                                    ? "name two or more captures, the oldest first"
                                    : "name fewer captures: every tenth shows the same trend");
        return HSD_E_MISUSE;
    }
    if (options->before_count >= source->count)
        return hsd_fail(err, HSD_E_MISUSE, "no capture is left behind the %zu in front", options->before_count);
    if (options->warmup > source->count - HSD_SERIES_LEAST)
        return hsd_fail(err, HSD_E_MISUSE, "a warm-up of %u leaves fewer than %u captures of %zu", options->warmup,
                        HSD_SERIES_LEAST, source->count);
    return HSD_OK;
}

static hsd_status run_series(series_run *r, hsd_error *err)
{
    HSD_TRY(take_points(r, err));
    HSD_TRY(open_joins(r, err));
    HSD_TRY(go_through(r, err));
    return finish_series(r, err);
}

hsd_status hsd_series_run(hsd_series **out, const hsd_series_source *source, const hsd_series_options *options,
                          const hsd_run *run, hsd_error *err)
{
    static const hsd_run no_run;
    hsd_series_options own;
    series_run r = {.source = source, .options = &own, .outer = run != NULL ? run : &no_run};
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_series_options, partial, &own, options, err));
    HSD_TRY(check_call(source, r.options, err));
    HSD_TRY(new_result(&r.series, err));
    r.run = *r.outer;
    if (r.run.progress != NULL) {
        r.run.progress = tell_progress;
        r.run.progress_context = &r;
    }
    hsd_temp_space_of(&r.space, &r.run);
    const hsd_status status = run_series(&r, err);
    hsd_aging_close(&r.aging);
    hsd_place_join_close(&r.places);
    hsd_named_table_close(&r.roots);
    hsd_named_table_close(&r.lost);
    hsd_named_table_close(&r.types);
    if (status == HSD_OK)
        *out = r.series;
    else
        hsd_series_free(r.series);
    return status;
}
