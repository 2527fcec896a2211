/*
 * Two groups of values: are they of one kind? Mann-Whitney looks at their order alone, so one wild capture among
 * repeated ones does not decide.
 */
#include <hsdiff/series.h>

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "series/chance.h"
#include "series/order.h"

static int compare_u64(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

typedef struct group { /* sorted */
    uint64_t values[HSD_SERIES_MOST];
    size_t count;
} group;

static void sort_group(group *out, const uint64_t *values, size_t count)
{
    out->count = count < HSD_SERIES_MOST ? count : HSD_SERIES_MOST;
    memcpy(out->values, values, out->count * sizeof *values);
    qsort(out->values, out->count, sizeof *values, compare_u64);
}

typedef struct standing { /* of the values of both groups in one order */
    uint64_t doubled;     /* twice the pairs of which the first group has the greater one, equal pairs once */
    uint64_t tied;        /* sum over runs of equal values: n^3 - n */
} standing;

static standing compare_contrast(const group *a, const group *b)
{
    standing s = {0, 0};
    for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
        const uint64_t value =
            j == b->count || (i < a->count && a->values[i] < b->values[j]) ? a->values[i] : b->values[j];
        const size_t i_first = i, j_first = j;
        while (i < a->count && a->values[i] == value)
            i++;
        while (j < b->count && b->values[j] == value)
            j++;
        const uint64_t in_a = i - i_first, in_b = j - j_first, run = in_a + in_b;
        s.doubled += in_a * (2 * j_first + in_b);
        s.tied += run * run * run - run;
    }
    return s;
}

static uint32_t chance_exact(const group *a, const group *b, uint64_t greater)
{
    hsd_arrangements all;
    hsd_arrangements_begin(&all);
    hsd_arrangements_add(&all, (uint32_t)a->count);
    hsd_arrangements_add(&all, (uint32_t)b->count);
    return hsd_arrangements_chance(&all, (uint32_t)greater);
}

static uint32_t chance_normal(const group *a, const group *b, const standing *s)
{
    const double n = (double)(a->count + b->count), pairs = (double)a->count * (double)b->count;
    const double off = ((double)s->doubled > pairs ? (double)s->doubled - pairs : pairs - (double)s->doubled) / 2 - 0.5;
    const double variance = pairs / 12 * (n + 1 - (double)s->tied / (n * (n - 1)));
    return off <= 0 || !(variance > 0) ? HSD_CHANCE_MOST_SURE : hsd_chance_normal(off * off / variance);
}

static uint32_t chance_of(const group *a, const group *b)
{
    if (a->count < 2 || b->count < 2) return HSD_CHANCE_MOST_SURE;
    const standing s = compare_contrast(a, b);
    if (s.tied == 0 && a->count + b->count <= HSD_CHANCE_VALUES) return chance_exact(a, b, s.doubled / 2);
    return chance_normal(a, b, &s);
}

static uint64_t spread_of(const group *g)
{
    return (hsd_value_at(g->values, g->count, 3) - hsd_value_at(g->values, g->count, 1)) / 2;
}

hsd_contrast hsd_contrast_of(const uint64_t *before, size_t before_count, const uint64_t *after, size_t after_count)
{
    group a, b;
    HSD_ASSERT(before_count >= 1 && after_count >= 1 && before_count <= HSD_SERIES_MOST &&
               after_count <= HSD_SERIES_MOST);
    sort_group(&a, before, before_count);
    sort_group(&b, after, after_count);
    hsd_contrast contrast = {
        .median_before = hsd_value_at(a.values, a.count, 2),
        .median_after = hsd_value_at(b.values, b.count, 2),
        .spread_before = spread_of(&a),
        .spread_after = spread_of(&b),
        .p_millionths = chance_of(&a, &b),
    };
    contrast.is_significant = contrast.p_millionths < HSD_CHANCE_SIGNIFICANT;
    return contrast;
}
