/*
 * Trends: what a row of values does over the captures. Numbers first (steps, Theil-Sen slope, Mann-Kendall), then one
 * word.
 *
 *      ▁▁▁▁▁▁  steady      all values within the noise
 *      ▁▂▄▅▇█  each step   every step upwards, up to the last
 *      ▁▃▂▅▄█  growing     steps back, but more order than chance gives, and a slope that is more than noise
 *      ▁▅████  levelled    grew, and its last third brought next to nothing
 *      ▁█▂▇▁▂  no trend
 *
 * Levelled is asked before the words for growth. There are two ways to have levelled off:
 *
 *      by the end    the last third of the steps brought at most a tenth of their share, and what they moved to and fro is at most a
 *                    third of all growth (a sawtooth that happens to end low has not levelled off)
 *      by the half   from 10 values on: the last half of them lies within a fifth of the growth, and has no trend of its own; so a cache
 *                    that is full and breathes has levelled off, and a leak behind a burst has not
 */
#include <hsdiff/series.h>

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "series/chance.h"
#include "series/order.h"
#include "series/slopes.h"

#define EXACT_VALUES 10u
#define HOUR_NS      UINT64_C(3600000000000)

__extension__ typedef unsigned __int128 u128;

const char *hsd_verdict_name(hsd_verdict verdict)
{
    switch (verdict) {
    case HSD_VERDICT_STEADY: return "steady";
    case HSD_VERDICT_EACH_STEP: return "each step";
    case HSD_VERDICT_GROWING: return "growing";
    case HSD_VERDICT_LEVELLED: return "levelled";
    case HSD_VERDICT_NO_TREND: return "no trend";
    case HSD_VERDICT_SHRINKING: return "shrinking";
    }
    return "no trend";
}

typedef struct series { /* values, none past HSD_VALUE_MOST */
    uint64_t values[HSD_SERIES_MOST];
    size_t count;
} series;

static int64_t difference(uint64_t from, uint64_t to) { return (int64_t)(to - from); }

static int compare_u64(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static int compare_i64(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t range_of(const uint64_t *values, size_t count)
{
    uint64_t least = values[0], most = values[0];
    for (size_t i = 1; i < count; i++) {
        if (values[i] < least) least = values[i];
        if (values[i] > most) most = values[i];
    }
    return most - least;
}

/* ---- slopes ---- */

/* Value and place of a stretch of neighbours: medians of both. A place between two captures is in halves. */
static hsd_point point_of(const series *s, const uint64_t *times_ns, size_t first, size_t end)
{
    uint64_t sorted[HSD_SERIES_MOST / HSD_SLOPE_POINTS + 2];
    const size_t count = end - first;
    memcpy(sorted, s->values + first, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_u64);
    const uint64_t at =
        times_ns == NULL ? first + end - 1 : times_ns[first] + (times_ns[end - 1] - times_ns[first]) / 2;
    return (hsd_point){at, hsd_value_at(sorted, count, 2)};
}

static int64_t slope_over(const series *s, const uint64_t *times_ns)
{
    hsd_point points[HSD_SLOPE_POINTS];
    const size_t count = s->count < HSD_SLOPE_POINTS ? s->count : HSD_SLOPE_POINTS;
    for (size_t i = 0; i < count; i++)
        points[i] = point_of(s, times_ns, i * s->count / count, (i + 1) * s->count / count);
    return hsd_slope_of(points, count, times_ns == NULL ? 2 : HOUR_NS);
}

/* ---- Mann-Kendall ---- */

/* Sorts by merging, and counts the pairs of which the greater came first. */
static uint64_t sort_counting(uint64_t *values, uint64_t *spare, size_t count)
{
    uint64_t inversions = 0;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            const size_t middle = first + width < count ? first + width : count;
            const size_t end = first + 2 * width < count ? first + 2 * width : count;
            for (size_t i = first, j = middle, to = first; to < end; to++) {
                const bool takes_second = i == middle || (j < end && values[j] < values[i]);
                if (takes_second) inversions += middle - i;
                spare[to] = takes_second ? values[j++] : values[i++];
            }
        }
        memcpy(values, spare, count * sizeof *values);
    }
    return inversions;
}

typedef struct kendall {
    int64_t score; /* pairs that rise, less those that fall */
    uint32_t p_millionths;
} kendall;

static kendall kendall_exact(const uint64_t *sorted, size_t count, uint64_t inversions)
{
    hsd_arrangements all;
    hsd_arrangements_begin(&all);
    for (size_t i = 0, equal; i < count; i += equal) {
        for (equal = 1; i + equal < count && sorted[i + equal] == sorted[i];)
            equal++;
        hsd_arrangements_add(&all, (uint32_t)equal);
    }
    return (kendall){(int64_t)all.most - 2 * (int64_t)inversions, hsd_arrangements_chance(&all, (uint32_t)inversions)};
}

static kendall kendall_normal(const uint64_t *sorted, size_t count, uint64_t inversions)
{
    /* 18 variances */
    uint64_t pairs = (uint64_t)count * (count - 1) / 2, spread = (uint64_t)count * (count - 1) * (2 * count + 5);
    for (size_t i = 0, equal; i < count; i += equal) {
        for (equal = 1; i + equal < count && sorted[i + equal] == sorted[i];)
            equal++;
        pairs -= (uint64_t)equal * (equal - 1) / 2;
        spread -= (uint64_t)equal * (equal - 1) * (2 * equal + 5);
    }
    const int64_t score = (int64_t)pairs - 2 * (int64_t)inversions;
    /* scores are whole: half a step of 2 is taken off */
    const double off = (double)(score < 0 ? -score : score) - 1;
    if (spread == 0 || off <= 0) return (kendall){score, HSD_CHANCE_MOST_SURE};
    return (kendall){score, hsd_chance_normal(off * off * 18 / (double)spread)};
}

static kendall kendall_of(const uint64_t *values, size_t count)
{
    uint64_t sorted[HSD_SERIES_MOST], spare[HSD_SERIES_MOST];
    memcpy(sorted, values, count * sizeof *sorted);
    const uint64_t inversions = sort_counting(sorted, spare, count);
    return count <= EXACT_VALUES ? kendall_exact(sorted, count, inversions) : kendall_normal(sorted, count, inversions);
}

/* ---- the word ---- */

static bool levelled_by_the_end(const series *s, const hsd_trend *t)
{
    const uint64_t growth = (uint64_t)t->growth, steps = t->step_count;
    const uint64_t tail = steps < 4 ? 1 : steps / 3 < 2 ? 2 : steps / 3;
    const uint64_t *end = s->values + (s->count - 1 - tail);
    const int64_t brought = difference(end[0], s->values[s->count - 1]);
    if (range_of(end, tail + 1) > growth / 3) return false;
    return brought <= 0 || (u128)brought * 10 * steps <= (u128)growth * tail;
}

static bool levelled_by_the_half(const series *s, const hsd_trend *t)
{
    const size_t half = s->count / 2;
    const uint64_t *end = s->values + (s->count - half);
    if (s->count < 10 || range_of(end, half) > (uint64_t)t->growth / 5) return false;
    return kendall_of(end, half).p_millionths >= HSD_CHANCE_SIGNIFICANT;
}

static bool has_levelled(const series *s, const hsd_trend *t, uint64_t noise)
{
    if (t->growth <= 0 || (uint64_t)t->growth <= noise || t->step_count < 2) return false;
    return levelled_by_the_end(s, t) || levelled_by_the_half(s, t);
}

/* More order than chance gives, and a slope that is more than noise. */
static bool is_significant(const hsd_trend *t, uint64_t noise)
{
    const uint64_t slope = t->per_step < 0 ? 0 - (uint64_t)t->per_step : (uint64_t)t->per_step;
    return t->p_millionths < HSD_CHANCE_SIGNIFICANT && slope > noise / t->step_count;
}

static hsd_verdict judge_trend(const series *s, const hsd_trend *t, int64_t score, uint64_t noise)
{
    if (range_of(s->values, s->count) <= noise) return HSD_VERDICT_STEADY;
    if (t->step_count == 1) return t->growth > 0 ? HSD_VERDICT_GROWING : HSD_VERDICT_SHRINKING;
    if (has_levelled(s, t, noise)) return HSD_VERDICT_LEVELLED;
    if (t->up_count == t->step_count) return HSD_VERDICT_EACH_STEP;
    if (t->down_count == t->step_count) return HSD_VERDICT_SHRINKING;
    if (is_significant(t, noise) && score > 0 && t->per_step > 0) return HSD_VERDICT_GROWING;
    if (is_significant(t, noise) && score < 0 && t->per_step < 0) return HSD_VERDICT_SHRINKING;
    return HSD_VERDICT_NO_TREND;
}

/* ---- since when ---- */

static uint32_t lay_still_up_to(const series *s, int64_t growth)
{
    size_t since = s->count - 1;
    while (since > 0 && s->values[since - 1] < s->values[since])
        since--;
    if (growth <= 0 || since + 2 >= s->count) return 0;
    return difference(s->values[0], s->values[since]) <= growth / 10 ? (uint32_t)since : 0;
}

/* ---- the whole ---- */

static void fill_steps(hsd_trend *t, const series *s)
{
    int64_t steps[HSD_SERIES_MOST];
    const size_t count = t->step_count;
    for (size_t i = 0; i < count; i++) {
        steps[i] = difference(s->values[i], s->values[i + 1]);
        t->up_count += steps[i] > 0;
        t->down_count += steps[i] < 0;
    }
    t->last_step = steps[count - 1];
    qsort(steps, count, sizeof *steps, compare_i64);
    const int64_t lower = steps[(count - 1) / 2], upper = steps[count / 2];
    t->least_step = steps[0];
    t->median_step = lower + (int64_t)(((uint64_t)upper - (uint64_t)lower) / 2);
}

hsd_trend hsd_trend_of(const uint64_t *values, const uint64_t *times_ns, size_t count, uint64_t noise)
{
    series s = {.count = count < HSD_SERIES_MOST ? count : HSD_SERIES_MOST};
    HSD_ASSERT(count >= 1 && count <= HSD_SERIES_MOST);
    for (size_t i = 0; i < s.count; i++)
        s.values[i] = hsd_value_bounded(values[i]);
    hsd_trend t = {.growth = difference(s.values[0], s.values[s.count - 1]),
                   .step_count = (uint32_t)(s.count - 1),
                   .p_millionths = HSD_CHANCE_MOST_SURE,
                   .verdict = HSD_VERDICT_STEADY};
    if (range_of(s.values, s.count) == 0) return t; /* most rows of most series */
    fill_steps(&t, &s);
    t.rises_since = lay_still_up_to(&s, t.growth);
    t.per_step = slope_over(&s, NULL);
    if (times_ns != NULL) t.per_hour = slope_over(&s, times_ns);
    const kendall k = kendall_of(s.values, s.count);
    t.p_millionths = k.p_millionths;
    t.verdict = judge_trend(&s, &t, k.score, noise);
    return t;
}

/* ---- buffers ---- */

/* What is twice as long takes twice as long to fill, and rounds differ. */
static bool may_be_enlarged_again(size_t before, size_t last, size_t count)
{
    return count - 1 - last <= 2 * (last - before) + 1;
}

uint32_t hsd_trend_enlarged(const hsd_amount *values, size_t count)
{
    uint32_t times = 0;
    size_t before = 0, last = 0;
    for (size_t i = 1; i < count; i++) {
        const uint64_t was = values[i - 1].bytes, is = values[i].bytes;
        if (values[i].objects != values[0].objects || is < was - was / 16) return 0;
        if (is <= was || is - was <= was / 16) continue; /* texts beside it come and go */
        if (is - was < was / 4) return 0;
        times++;
        before = last;
        last = i;
    }
    return times >= 2 && may_be_enlarged_again(before, last, count) ? times : 0;
}
