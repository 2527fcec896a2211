/*
 * Rows, captures and cohorts of a series, as all its reports see them.
 */
#include "report/model/series_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "report/sentences/held.h"
#include "report/sentences/place.h"
#include "report/words/number.h"
#include <hscapture/hscapture.h>

#define SECOND_NS UINT64_C(1000000000)
#define DAY_NS    (UINT64_C(86400) * SECOND_NS)
#define MINUTE_NS (UINT64_C(60) * SECOND_NS)

static uint64_t time_of(const hsd_series *series, size_t i) { return series->points[i].side.info.taken_unix_ns; }

/* ---- one row ---- */

hsd_amount hsd_series_first(const hsd_series *series, const hsd_amount *values)
{
    return values[series->warmup < series->point_count ? series->warmup : 0];
}

hsd_amount hsd_series_last(const hsd_series *series, const hsd_amount *values)
{
    return values[series->point_count - 1];
}

int64_t hsd_series_growth(const hsd_series *series, const hsd_series_row *row)
{
    if (series->before_count > 0) return (int64_t)(row->contrast.median_after - row->contrast.median_before);
    return (int64_t)(hsd_series_last(series, row->values).bytes - hsd_series_first(series, row->values).bytes);
}

bool hsd_series_has_trend(const hsd_series *series)
{
    return series->before_count == 0 && series->point_count >= (size_t)series->warmup + 3;
}

bool hsd_series_is_steady(const hsd_series *series, const hsd_amount *values)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = series->warmup; i < series->point_count; i++) {
        least = hsd_min_u64(least, values[i].bytes);
        most = hsd_max_u64(most, values[i].bytes);
    }
    return most < least || most - least <= series->noise_bytes;
}

#define HOURLY_NS (UINT64_C(600) * SECOND_NS)

bool hsd_series_is_hourly(const hsd_series *series)
{
    return series->has_times && time_of(series, series->point_count - 1) - time_of(series, 0) >= HOURLY_NS;
}

int64_t hsd_series_rate(const hsd_series *series, const hsd_trend *trend)
{
    return hsd_series_is_hourly(series) ? trend->per_hour : trend->per_step;
}

const char *hsd_verdict_word(hsd_verdict verdict)
{
    switch (verdict) {
    case HSD_VERDICT_STEADY: return "steady";
    case HSD_VERDICT_EACH_STEP: return "each step";
    case HSD_VERDICT_GROWING: return "growing";
    case HSD_VERDICT_LEVELLED: return "levelled";
    case HSD_VERDICT_NO_TREND: return "no trend";
    case HSD_VERDICT_SHRINKING: return "shrinking";
    }
    return "";
}

hsd_status hsd_series_append_holder(hsd_buffer *out, const hsd_series_row *row, hsd_error *err)
{
    const hsd_held held = {row->held, row->held_count, row->trend.growth};
    if (row->held_count > 0) return hsd_held_append(out, &held, ": ", "", err);
    const hsd_holder holder = {.type = row->name, .root = row->root, .path = row->path, .path_count = row->path_count};
    return hsd_holder_append(out, &holder, ": ", "", err);
}

hsd_status hsd_series_append_place(hsd_buffer *out, const hsd_series_row *row, hsd_error *err)
{
    const hsd_spot spot = {row->root, row->path, row->path_count, 0};
    return hsd_place_append(out, &spot, err);
}

/* ---- captures ---- */

/* Neighbours within one minute, or one second, of the clock. */
static bool are_near(const hsd_series *series, uint64_t unit_ns)
{
    for (size_t i = 1; i < series->point_count; i++)
        if (time_of(series, i) / unit_ns == time_of(series, i - 1) / unit_ns) return true;
    return false;
}

static bool needs_date(const hsd_series *series)
{
    return time_of(series, 0) / DAY_NS != time_of(series, series->point_count - 1) / DAY_NS;
}

/* "2026-11-20 09:00:00Z" from the character `from` on, without its seconds unless they are needed; "09:00:00.250Z"
 * where else two captures, as a test takes them one behind the other, would have one name. */
static void put_moment(char *out, size_t size, const hsd_series *series, size_t i, size_t from)
{
    char time[HSD_NUMBER_CHARS], thousandths[8] = "";
    hsd_format_time(time, time_of(series, i));
    const size_t length = strlen(time), end = length - (are_near(series, MINUTE_NS) ? 1 : 4);
    if (from > end) from = end;
    if (are_near(series, SECOND_NS))
        snprintf(thousandths, sizeof thousandths, ".%03u", (unsigned)(time_of(series, i) / 1000000u % 1000));
    snprintf(out, size, "%.*s%sZ", (int)(end - from), time + from, thousandths);
}

#define OF_MONTH 5 /* characters of a time before its month, and before its clock */
#define OF_CLOCK 11

char *hsd_series_moment(char out[HSD_MOMENT_CHARS], const hsd_series *series, size_t i)
{
    if (series->has_times)
        put_moment(out, HSD_MOMENT_CHARS, series, i, needs_date(series) ? OF_MONTH : OF_CLOCK);
    else
        snprintf(out, HSD_MOMENT_CHARS, "capture %zu", i + 1);
    return out;
}

char *hsd_series_span(char out[HSD_SPAN_CHARS], const hsd_series *series, size_t first, size_t last)
{
    char a[HSD_MOMENT_CHARS], b[HSD_MOMENT_CHARS];
    if (series->has_times)
        snprintf(out, HSD_SPAN_CHARS, "%s to %s", hsd_series_moment(a, series, first),
                 hsd_series_moment(b, series, last));
    else
        snprintf(out, HSD_SPAN_CHARS, "captures %zu to %zu", first + 1, last + 1);
    return out;
}

char *hsd_series_long_span(char out[HSD_SPAN_CHARS], const hsd_series *series)
{
    char a[HSD_MOMENT_CHARS], b[HSD_MOMENT_CHARS];
    const size_t from = needs_date(series) ? 0 : OF_CLOCK;
    put_moment(a, sizeof a, series, 0, from);
    put_moment(b, sizeof b, series, series->point_count - 1, from);
    snprintf(out, HSD_SPAN_CHARS, "%s to %s", a, b);
    return out;
}

/* ---- tables ---- */

const hsd_series_table *hsd_series_table_of(const hsd_series *series, hsd_report_table table)
{
    switch (table) {
    case HSD_TABLE_TYPES: return &series->types;
    case HSD_TABLE_ROOTS: return &series->roots;
    case HSD_TABLE_HOLDERS: return &series->holders;
    case HSD_TABLE_LOST: return &series->lost;
    case HSD_TABLE_TREE:
    case HSD_TABLE_UNCOLLECTED:
    case HSD_TABLE_OBJECTS: break;
    }
    return NULL;
}

/* A row with its key; `place` is where the table has it. */
typedef struct candidate {
    const hsd_series_row *row;
    size_t place;
    int64_t key;
    bool is_shown;
} candidate;

/* Growth as millionths of what there was; what is new grew most. */
static int64_t share_key(uint64_t first, int64_t growth)
{
    __extension__ typedef __int128 i128;
    if (first == 0) return growth > 0 ? INT64_MAX : 0;
    const i128 share = (i128)growth * 1000000 / (i128)first;
    return share > INT64_MAX ? INT64_MAX : share < -INT64_MAX ? -INT64_MAX : (int64_t)share;
}

static int64_t key_of(const hsd_series *series, const hsd_series_row *row, hsd_sort_by sort_by)
{
    const hsd_amount first = hsd_series_first(series, row->values), last = hsd_series_last(series, row->values);
    const bool is_contrast = series->before_count > 0;
    if (sort_by == HSD_SORT_OBJECTS) return (int64_t)(last.objects - first.objects);
    if (sort_by == HSD_SORT_PERCENT)
        return share_key(is_contrast ? row->contrast.median_before : first.bytes, hsd_series_growth(series, row));
    return hsd_series_growth(series, row);
}

static bool moves(const hsd_series *series, const hsd_series_row *row)
{
    if (!hsd_series_has_trend(series)) return hsd_magnitude(hsd_series_growth(series, row)) >= series->noise_bytes;
    return row->trend.verdict != HSD_VERDICT_STEADY;
}

static int by_place(size_t a, size_t b) { return (a > b) - (a < b); }

static int by_magnitude(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    const uint64_t x = hsd_magnitude(a->key), y = hsd_magnitude(b->key);
    return x != y ? (x < y ? 1 : -1) : by_place(a->place, b->place);
}

static int by_key(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    return a->key != b->key ? (a->key < b->key ? 1 : -1) : by_place(a->place, b->place);
}

static int by_name(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    const hsd_text x = a->row->name, y = b->row->name;
    const size_t size = x.size < y.size ? x.size : y.size;
    const int order = size > 0 ? memcmp(x.data, y.data, size) : 0;
    if (order != 0) return order;
    return x.size != y.size ? (x.size < y.size ? -1 : 1) : by_place(a->place, b->place);
}

static void add_to_others(hsd_series_pick *pick, const hsd_series_row *row, size_t point_count)
{
    for (size_t i = 0; i < point_count; i++) {
        pick->others[i].objects = hsd_add_saturating(pick->others[i].objects, row->values[i].objects);
        pick->others[i].bytes = hsd_add_saturating(pick->others[i].bytes, row->values[i].bytes);
    }
}

/* What the first `pick->count` candidates leave over. */
static void sum_others(hsd_series_pick *pick, const hsd_series *series, const hsd_series_table *table,
                       const candidate *candidates)
{
    for (size_t i = pick->count; i < table->row_count; i++)
        add_to_others(pick, candidates[i].row, series->point_count);
    if (table->other_count > 0) add_to_others(pick, &table->others, series->point_count);
    pick->other_count = table->row_count - pick->count + table->other_count;
    if (pick->count == table->row_count && table->other_count > 0) pick->others_row = &table->others;
}

/* Those that are shown to the front, in order. */
static size_t choose_series_row(candidate *candidates, size_t count, hsd_sort_by sort_by, size_t top)
{
    size_t shown = 0;
    qsort(candidates, count, sizeof *candidates, by_magnitude);
    for (size_t i = 0; i < count; i++) {
        if (!candidates[i].is_shown || shown == top) continue;
        const candidate one = candidates[i];
        candidates[i] = candidates[shown];
        candidates[shown++] = one;
    }
    qsort(candidates, shown, sizeof *candidates, sort_by == HSD_SORT_NAME ? by_name : by_key);
    return shown;
}

hsd_status hsd_series_pick_init(hsd_series_pick *pick, const hsd_series *series, hsd_report_table which,
                                hsd_sort_by sort_by, size_t top, bool moving, hsd_error *err)
{
    const hsd_series_table *table = hsd_series_table_of(series, which);
    *pick = (hsd_series_pick){0};
    candidate *candidates = calloc(table->row_count + 1, sizeof *candidates);
    pick->rows = calloc(table->row_count + 1, sizeof *pick->rows);
    pick->others = calloc(series->point_count, sizeof *pick->others);
    if (!candidates || !pick->rows || !pick->others) {
        free(candidates);
        hsd_series_pick_release(pick);
        return hsd_fail(err, HSD_E_NOMEM, "no memory for a report of %zu rows", table->row_count);
    }
    for (size_t i = 0; i < table->row_count; i++)
        candidates[i] = (candidate){.row = &table->rows[i],
                                    .place = i,
                                    .key = key_of(series, &table->rows[i], sort_by),
                                    .is_shown = !moving || moves(series, &table->rows[i])};
    pick->count = choose_series_row(candidates, table->row_count, sort_by, top);
    for (size_t i = 0; i < pick->count; i++)
        pick->rows[i] = candidates[i].row;
    sum_others(pick, series, table, candidates);
    free(candidates);
    return HSD_OK;
}

void hsd_series_pick_release(hsd_series_pick *pick)
{
    free(pick->rows);
    free(pick->others);
    *pick = (hsd_series_pick){0};
}

size_t hsd_series_count(const hsd_series_table *table, hsd_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < table->row_count; i++)
        count += table->rows[i].trend.verdict == verdict;
    return count;
}

static bool goes_on(const hsd_series_row *row)
{
    return row->trend.growth > 0 &&
           (row->trend.verdict == HSD_VERDICT_EACH_STEP || row->trend.verdict == HSD_VERDICT_GROWING);
}

/* A type, a root, or a holder of which is known who it is: its path begins at a root, or a diff has said who holds it.
 */
static bool names_somebody(const hsd_series_row *row)
{
    return !row->is_shared && !row->is_code && (row->held_count > 0 || !hsd_root_is_nobody(row->root));
}

/* What a runtime compiles while a program warms up is no leak. Where holders are known, code that somebody keeps is
 * told by them, and what is left of its types is blamed for nothing. */
static bool is_warm_up(const hsd_series *series, const hsd_series_table *table, const hsd_series_row *row)
{
    return table == &series->types && series->holders.is_known && (row->flags & HSC_TYPE_CODE) != 0;
}

const hsd_series_row *hsd_series_fastest(const hsd_series *series, const hsd_series_table *table)
{
    const hsd_series_row *fastest = NULL;
    int64_t most = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        const hsd_trend *trend = &table->rows[i].trend;
        const int64_t rate = hsd_series_rate(series, trend);
        if (trend->verdict != HSD_VERDICT_EACH_STEP || rate <= most || !names_somebody(&table->rows[i]) ||
            is_warm_up(series, table, &table->rows[i]))
            continue;
        most = rate;
        fastest = &table->rows[i];
    }
    return fastest;
}

static const hsd_series_row *most_of(const hsd_series *series, hsd_report_table which)
{
    const hsd_series_table *table = hsd_series_table_of(series, which);
    const hsd_series_row *most = NULL;
    for (size_t i = 0; i < table->row_count; i++) {
        const hsd_series_row *row = &table->rows[i];
        if (!goes_on(row) || !names_somebody(row) || is_warm_up(series, table, row)) continue;
        if (!most || row->trend.growth > most->trend.growth) most = row;
    }
    return most;
}

#define PART_WORTH_LEADING 4 /* of the growth of the heap: a quarter */

const char *hsd_code_clause(const hsd_side *side)
{
    const char *const runtime = side->info.runtime;
    return runtime != NULL && strcmp(runtime, "Go") == 0
               ? "the runtime's own: what Go keeps of threads, and of goroutines that have ended"
               : "program code: what the runtime compiled and noted meanwhile";
}

bool hsd_series_is_code(const hsd_series *series)
{
    const int64_t growth = series->total.trend.growth;
    const hsd_series_row *holder = most_of(series, HSD_TABLE_HOLDERS);
    int64_t code = 0;
    for (size_t i = 0; i < series->holders.row_count; i++)
        if (series->holders.rows[i].is_code) code += series->holders.rows[i].trend.growth;
    return growth > (int64_t)series->noise_bytes && code > growth / 2 &&
           (!holder || holder->trend.growth < growth / PART_WORTH_LEADING);
}

const hsd_series_row *hsd_series_leader(const hsd_series *series, hsd_report_table *table)
{
    const int64_t growth = series->total.trend.growth;
    static const hsd_report_table order[] = {HSD_TABLE_HOLDERS, HSD_TABLE_ROOTS, HSD_TABLE_TYPES};
    if (hsd_series_is_code(series)) return NULL;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const hsd_series_row *row = most_of(series, order[i]);
        if (!row || (order[i] != HSD_TABLE_TYPES && row->trend.growth < growth / PART_WORTH_LEADING)) continue;
        *table = order[i];
        return row;
    }
    return NULL;
}

size_t hsd_series_grows_since(const hsd_series *series, const hsd_series_row *row)
{
    return row->trend.rises_since > 0 ? series->warmup + row->trend.rises_since : 0;
}

/* ---- cohorts ---- */

hsd_amount hsd_cohort_alive(const hsd_cohorts *cohorts, const hsd_cohort_row *row, size_t at, size_t born)
{
    return row->alive[at * cohorts->cohort_count + born];
}

hsd_survival hsd_survival_of(const hsd_cohorts *cohorts, const hsd_cohort_row *row)
{
    hsd_survival sum = {{0, 0}, {0, 0}};
    const size_t last = cohorts->cohort_count - 1;
    for (size_t born = 1; born < last; born++) {
        const hsd_amount came = hsd_cohort_alive(cohorts, row, born, born),
                         stayed = hsd_cohort_alive(cohorts, row, last, born);
        sum.came.objects = hsd_add_saturating(sum.came.objects, came.objects);
        sum.came.bytes = hsd_add_saturating(sum.came.bytes, came.bytes);
        sum.stayed.objects = hsd_add_saturating(sum.stayed.objects, stayed.objects);
        sum.stayed.bytes = hsd_add_saturating(sum.stayed.bytes, stayed.bytes);
    }
    return sum;
}

bool hsd_series_lost_leads(const hsd_series *series)
{
    if (!series->lost.is_known) return false;
    const int64_t lost = (int64_t)(hsd_series_last(series, series->unreached.values).bytes -
                                   hsd_series_first(series, series->unreached.values).bytes);
    const int64_t live = (int64_t)(hsd_series_last(series, series->total.values).bytes -
                                   hsd_series_first(series, series->total.values).bytes);
    return lost > live && lost > 0 && (uint64_t)lost > series->noise_bytes;
}
