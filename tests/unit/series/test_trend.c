/*
 * Trends: the words for shapes that heaps have, the numbers against naive definitions.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/random.h"
#include <hsdiff/series.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NOISE    64u /* the shapes below are in KiB */

static hsd_trend trend_of(const uint64_t *values, size_t count) { return hsd_trend_of(values, NULL, count, NOISE); }

#define SHAPE(word, ...)                                                                                               \
    do {                                                                                                               \
        const uint64_t shape_[] = {__VA_ARGS__};                                                                       \
        const hsd_trend t_ = trend_of(shape_, COUNT(shape_));                                                          \
        cr_assert_str_eq(hsd_verdict_name(t_.verdict), word, "p %u, slope %ld: is %s", t_.p_millionths,                \
                         (long)t_.per_step, hsd_verdict_name(t_.verdict));                                             \
    } while (0)

/* ---- shapes ---- */

Test(trend, noise_is_steady)
{
    SHAPE("steady", 1000);
    SHAPE("steady", 1000, 1064);
    SHAPE("steady", 1000, 1010, 1020, 1030, 1040, 1050, 1060);
    SHAPE("steady", 5, 5, 5, 5);
}

Test(trend, two_captures_grow_or_shrink)
{
    SHAPE("growing", 1000, 1100);
    SHAPE("shrinking", 1100, 1000);
}

Test(trend, a_linear_leak_grows_in_each_step)
{
    SHAPE("each step", 1000, 1100, 1200);
    SHAPE("each step", 1000, 1100, 1200, 1300, 1400, 1500);
    SHAPE("each step", 1000, 1100, 1210, 1290, 1400, 1520, 1600);
}

Test(trend, knows_since_when_every_step_rises)
{
#define SINCE(value, ...)                                                                                              \
    do {                                                                                                               \
        const uint64_t shape_[] = {__VA_ARGS__};                                                                       \
        cr_expect_eq(trend_of(shape_, COUNT(shape_)).rises_since, value);                                              \
    } while (0)
    SINCE(2u, 1000, 1000, 1000, 1200, 1400, 1600);
    SINCE(3u, 1000, 900, 1100, 1000, 3000, 5000); /* to and fro is still, beside what came since */
    SINCE(2u, 1000, 1100, 1000, 2000, 3000);
    SINCE(0u, 1000, 1100, 1200);                   /* from the first on */
    SINCE(0u, 1000, 1000, 1000, 1000, 1000, 1600); /* one step */
    SINCE(0u, 1000, 2000, 2000, 3000, 4000, 5000); /* a quarter of it came before */
    SINCE(0u, 1000, 1000, 1100, 1200, 1200);       /* the last step does not */
    SINCE(0u, 1200, 1200, 1100, 1150, 1190);       /* less than at first */
#undef SINCE
}

Test(trend, a_linear_leak_with_noise_grows)
{
    SHAPE("growing", 1000, 1150, 1130, 1300, 1450, 1420, 1600);
    SHAPE("growing", 1000, 980, 1200, 1300, 1290, 1500, 1610, 1590, 1800, 1900, 1880, 2100);
}

Test(trend, three_or_four_values_with_a_step_back_prove_nothing)
{
    SHAPE("no trend", 1000, 1200, 1100);
    SHAPE("no trend", 1000, 1400, 1390, 1800);
}

Test(trend, a_cache_that_fills_to_its_limit_levels_off)
{
    SHAPE("levelled", 1000, 6000, 8500, 9750, 10000, 10000, 10000);
    SHAPE("levelled", 0, 5000, 7500, 8750, 9375, 9687, 9843, 9921, 9960);
    SHAPE("levelled", 0, 5000, 5000, 5000);
    SHAPE("levelled", 0, 5000, 5100);
    SHAPE("each step", 0, 5000, 7500, 8750, 9375); /* not there yet */
}

Test(trend, a_full_cache_that_breathes_levels_off)
{
    SHAPE("levelled", 1000, 6000, 9000, 9800, 10300, 9700, 10100, 10400, 9900, 10300, 10000, 10500);
    SHAPE("levelled", 1000, 9000, 10200, 9900, 10100, 9800, 10150, 9900, 10250, 9950, 10100, 10300);
}

Test(trend, a_leak_behind_a_burst_does_not_level_off)
{
    SHAPE("each step", 0, 5000, 5100, 5200, 5300, 5400, 5500, 5600, 5700, 5800);
    SHAPE("growing", 0, 5000, 5100, 5090, 5300, 5400, 5390, 5600, 5700, 5800, 5900, 6000);
}

Test(trend, one_step_levels_off_once_it_is_past)
{
    SHAPE("levelled", 1000, 1000, 1000, 5000, 5000, 5000, 5000);
    SHAPE("levelled", 1000, 5000, 5010, 4990, 5000, 5005);
    SHAPE("no trend", 1000, 1000, 1000, 1000, 1000, 5000);
}

Test(trend, a_sawtooth_has_no_trend)
{
    SHAPE("no trend", 1000, 2000, 3000, 1000, 2000, 3000, 1000, 2000, 3000);
    SHAPE("no trend", 1000, 2000, 3000, 1000, 2000, 3000, 1000, 2000);
    SHAPE("no trend", 2000, 1000, 3000, 2000, 1000, 3000, 2100);
    SHAPE("no trend", 1000, 3000, 1000, 3000, 1000, 3000, 1000, 3000, 1000, 3000, 1000, 3000);
}

Test(trend, a_sawtooth_that_climbs_grows)
{
    SHAPE("growing", 1000, 2000, 1500, 2500, 2000, 3000, 2500, 3500, 3000, 4000, 3500, 4500);
}

Test(trend, a_cache_that_is_full_from_the_start_has_no_trend)
{
    SHAPE("no trend", 10000, 10100, 9900, 10050, 9950, 10080, 9990);
}

Test(trend, a_leak_that_starts_late_grows)
{
    SHAPE("growing", 1000, 1000, 1000, 1000, 2000, 3000, 4000, 5000);
    SHAPE("growing", 1000, 1010, 990, 1000, 1005, 2000, 3000, 4000, 5000, 6000);
    SHAPE("growing", 1000, 1000, 1000, 1000, 1000, 1000, 2000, 3000, 4000, 5000, 6000, 7000);
}

Test(trend, one_spike_has_no_trend)
{
    SHAPE("no trend", 1000, 1000, 9000, 1000, 1000, 1010);
    SHAPE("no trend", 1000, 1000, 1000, 9000, 1200, 1000, 1010, 1000);
}

Test(trend, what_falls_shrinks)
{
    SHAPE("shrinking", 3000, 2000, 1000);
    SHAPE("shrinking", 2100, 2000, 2010, 1700, 1600, 1650, 1300, 1200);
    SHAPE("no trend", 3000, 1000, 2000);
}

/* ---- numbers ---- */

/* A buffer that something is always appended to, in KiB with so many objects. */
Test(trend, a_buffer_is_enlarged_when_it_is_full)
{
#define ENLARGED(times, more, ...)                                                                                     \
    do {                                                                                                               \
        const uint64_t shape_[] = {__VA_ARGS__};                                                                       \
        hsd_amount amounts_[COUNT(shape_)];                                                                            \
        for (size_t i_ = 0; i_ < COUNT(shape_); i_++)                                                                  \
            amounts_[i_] = (hsd_amount){3 + more * (i_ == 1), shape_[i_] << 10};                                       \
        cr_expect_eq(hsd_trend_enlarged(amounts_, COUNT(shape_)), times);                                              \
    } while (0)
    ENLARGED(2u, 0, 64, 128, 128, 256, 256, 256);
    ENLARGED(2u, 0, 64, 128, 128, 256, 256, 256, 256, 256, 256);
    ENLARGED(0u, 0, 64, 128, 128, 256, 256, 256, 256, 256, 256, 256); /* it would have been enlarged again */
    ENLARGED(3u, 0, 64, 96, 144, 145, 216);                           /* by half; a text beside it */
    ENLARGED(0u, 1, 64, 128, 128, 256, 256, 256);                     /* objects come and go */
    ENLARGED(0u, 0, 64, 128, 128, 128);
    ENLARGED(0u, 0, 64, 128, 100, 256, 256);
    ENLARGED(0u, 0, 64, 128, 140, 256, 256);
    ENLARGED(0u, 0, 64, 64, 64);
    ENLARGED(0u, 0, 64);
    ENLARGED(2u, 0, 0, 1, UINT64_MAX >> 10);
}

Test(trend, tells_steps)
{
    const uint64_t values[] = {100, 350, 300, 300, 900};
    const hsd_trend t = trend_of(values, COUNT(values));
    cr_assert(t.growth == 800 && t.step_count == 4 && t.up_count == 2 && t.down_count == 1);
    cr_assert(t.least_step == -50 && t.median_step == 125 && t.last_step == 600);
}

Test(trend, tells_growth_by_the_hour)
{
    const uint64_t hour = UINT64_C(3600000000000), start = UINT64_C(1700000000000000000);
    const uint64_t values[] = {1000, 3000, 4000, 8000},
                   times[] = {start, start + 2 * hour, start + 3 * hour, start + 7 * hour};
    cr_assert_eq(hsd_trend_of(values, times, 4, 0).per_hour, 1000);
    cr_assert_eq(hsd_trend_of(values, NULL, 4, 0).per_hour, 0);
}

Test(trend, survives_times_and_values_at_the_ends_of_their_range)
{
    const uint64_t values[] = {0, UINT64_MAX, 0, UINT64_MAX}, times[] = {0, 1, UINT64_MAX - 1, UINT64_MAX},
                   same[] = {7, 7, 7, 7};
    cr_assert_eq(hsd_trend_of(values, times, 4, 0).step_count, 3);
    cr_assert_eq(hsd_trend_of(values, same, 4, 0).up_count, 2);
}

static int compare_doubles(const void *left, const void *right)
{
    const long double a = *(const long double *)left, b = *(const long double *)right;
    return (a > b) - (a < b);
}

/* By its definition, with halves away from 0. Long doubles hold the small fractions of these tests well enough. */
static int64_t naive_slope(const uint64_t *values, const uint64_t *at, size_t count, uint64_t unit)
{
    static long double slopes[HSD_SERIES_MOST * 8];
    size_t pairs = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++)
            slopes[pairs++] =
                ((long double)values[j] - (long double)values[i]) * (long double)unit / (long double)(at[j] - at[i]);
    }
    qsort(slopes, pairs, sizeof *slopes, compare_doubles);
    const long double median = pairs % 2 != 0 ? slopes[pairs / 2] : (slopes[pairs / 2 - 1] + slopes[pairs / 2]) / 2;
    /* fractions of small numbers: no half is missed */
    const long double rounded = roundl(median * 1e6L) / 1e6L;
    return (int64_t)(rounded < 0 ? -floorl(0.5L - rounded) : floorl(rounded + 0.5L));
}

Test(trend, slopes_are_theil_sen)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        test_random random = {test_seed(1) + seed};
        uint64_t values[40], at[40], times[40];
        const size_t count = 2 + test_below(&random, 39);
        const uint64_t limit = 2 + test_below(&random, 2000);
        for (size_t i = 0; i < count; i++) {
            values[i] = test_below(&random, limit);
            at[i] = i;
            times[i] = (i == 0 ? 0 : times[i - 1]) + UINT64_C(1000000000) * (1 + test_below(&random, 100));
        }
        const hsd_trend t = hsd_trend_of(values, times, count, 0);
        cr_assert_eq(t.per_step, naive_slope(values, at, count, 1), "seed %lu: %ld", (unsigned long)seed,
                     (long)t.per_step);
        cr_assert_eq(t.per_hour, naive_slope(values, times, count, UINT64_C(3600000000000)), "seed %lu: %ld",
                     (unsigned long)seed, (long)t.per_hour);
    }
}

Test(trend, mirrors)
{
    for (uint64_t seed = 0; seed < 500; seed++) {
        test_random random = {test_seed(77) + seed};
        uint64_t values[60], mirror[60];
        const size_t count = 2 + test_below(&random, 59);
        for (size_t i = 0; i < count; i++) {
            values[i] = test_below(&random, 5000);
            mirror[i] = 10000 - values[i];
        }
        const hsd_trend a = trend_of(values, count), b = trend_of(mirror, count);
        cr_assert(a.per_step == -b.per_step && a.p_millionths == b.p_millionths && a.up_count == b.down_count);
    }
}

Test(trend, long_series_of_a_line_have_its_slope)
{
    for (size_t count = 100; count <= HSD_SERIES_MOST; count += 37) {
        uint64_t values[HSD_SERIES_MOST];
        for (size_t i = 0; i < count; i++)
            values[i] = 7 * i;
        values[count / 2] = 1000000; /* one wild one */
        const hsd_trend t = trend_of(values, count);
        cr_assert_eq(t.per_step, 7, "%zu captures: %ld", count, (long)t.per_step);
        cr_assert_eq(t.p_millionths, 0);
    }
}

/* ---- Mann-Kendall against all permutations ---- */

static int score_of(const uint64_t *values, size_t count)
{
    int score = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++)
            score += (values[j] > values[i]) - (values[j] < values[i]);
    }
    return score;
}

static uint64_t permutations, as_far;

static void permute(uint64_t *values, size_t fixed, size_t count, int limit)
{
    if (fixed == count) {
        permutations++;
        as_far += abs(score_of(values, count)) >= limit;
        return;
    }
    for (size_t i = fixed; i < count; i++) {
        const uint64_t keep = values[fixed];
        values[fixed] = values[i];
        values[i] = keep;
        permute(values, fixed + 1, count, limit);
        values[i] = values[fixed];
        values[fixed] = keep;
    }
}

Test(trend, small_chances_are_those_of_all_permutations)
{
    for (uint64_t seed = 0; seed < 150; seed++) {
        test_random random = {test_seed(5) + seed};
        uint64_t values[7];
        const size_t count = 2 + test_below(&random, 6);
        const uint64_t kinds = 2 + test_below(&random, 9);
        for (size_t i = 0; i < count; i++)
            values[i] = test_below(&random, kinds);
        const hsd_trend t = hsd_trend_of(values, NULL, count, 0);
        permutations = as_far = 0;
        permute(values, 0, count, abs(score_of(values, count)));
        const uint32_t wanted = (uint32_t)((as_far * 1000000 + permutations / 2) / permutations);
        cr_assert_eq(t.p_millionths, wanted, "seed %lu: %u, not %u", (unsigned long)seed, t.p_millionths, wanted);
    }
}

Test(trend, ten_values_in_order_are_the_rarest)
{
    uint64_t values[11];
    for (size_t i = 0; i < 11; i++)
        values[i] = i;
    cr_assert_eq(hsd_trend_of(values, NULL, 10, 0).p_millionths, 1);  /* 2 of 3,628,800, rounded */
    cr_assert_eq(hsd_trend_of(values, NULL, 11, 0).p_millionths, 26); /* z = 54 / sqrt(165) */
}

Test(trend, large_chances_correct_for_ties)
{
    const uint64_t values[] = {10, 10, 10, 20, 20, 30, 30, 30, 30, 40, 40, 50}; /* pairs 66 - 3 - 1 - 6 - 1 */
    const double variance = (12.0 * 11 * 29 - 3 * 2 * 11 - 2 * 1 * 9 - 4 * 3 * 13 - 2 * 1 * 9) / 18;
    const double wanted = 1e6 * erfc(54 / sqrt(variance) / sqrt(2));
    const hsd_trend t = hsd_trend_of(values, NULL, COUNT(values), 0);
    cr_assert(fabs(t.p_millionths - wanted) <= 0.5001, "%u, not %f", t.p_millionths, wanted);
}
