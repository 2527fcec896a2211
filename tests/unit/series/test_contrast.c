/*
 * Two groups of values: medians, spreads, and the chance of Mann-Whitney against all ways to deal the values out.
 */
#include <criterion/criterion.h>

#include <math.h>

#include "support/random.h"
#include <hsdiff/series.h>

Test(contrast, tells_medians_and_spreads)
{
    const uint64_t before[] = {50, 10, 20, 30, 40}, after[] = {103, 100, 101, 102};
    const hsd_contrast c = hsd_contrast_of(before, 5, after, 4);
    cr_assert(c.median_before == 30 && c.spread_before == 10); /* quartiles 20 and 40 */
    cr_assert_eq(c.median_after, 101);                         /* 101 and 102 */
    cr_assert_eq(c.spread_after, 1);                           /* 100.75 and 102.25, rounded down: 100 and 102 */
    cr_assert_eq(c.p_millionths, 15873);                       /* 2 of 126 */
    cr_assert(c.is_significant);
}

Test(contrast, one_value_says_nothing)
{
    const uint64_t before[] = {1, 2, 3, 4, 5, 6, 7, 8}, after[] = {1000};
    const hsd_contrast c = hsd_contrast_of(before, 8, after, 1);
    cr_assert(c.p_millionths == 1000000 && !c.is_significant && c.spread_after == 0);
}

Test(contrast, three_against_three_never_suffice)
{
    const uint64_t before[] = {1, 2, 3}, after[] = {10, 11, 12};
    const hsd_contrast c = hsd_contrast_of(before, 3, after, 3);
    cr_assert_eq(c.p_millionths, 100000);
    cr_assert_not(c.is_significant);
}

Test(contrast, equal_groups_do_not_differ)
{
    const uint64_t values[] = {7, 7, 7, 7, 7};
    const hsd_contrast c = hsd_contrast_of(values, 5, values, 5);
    cr_assert(c.p_millionths == 1000000 && !c.is_significant);
}

static double pairs_greater(const uint64_t *values, size_t count, uint32_t in_first)
{
    double u = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            if ((in_first >> i & 1) == 0 || (in_first >> j & 1) != 0) continue;
            u += values[i] > values[j] ? 1 : values[i] == values[j] ? 0.5 : 0;
        }
    }
    return u;
}

Test(contrast, small_chances_are_those_of_all_deals)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        test_random random = {test_seed(3) + seed};
        uint64_t values[12];
        const size_t a = 2 + test_below(&random, 5), b = 2 + test_below(&random, 5), count = a + b;
        for (size_t i = 0; i < count; i++)
            values[i] = 20 * i + test_below(&random, 20);
        for (size_t i = count; i > 1; i--) {
            const size_t other = test_below(&random, i);
            const uint64_t keep = values[i - 1];
            values[i - 1] = values[other];
            values[other] = keep;
        }
        const double middle = (double)(a * b) / 2, off = fabs(pairs_greater(values, count, (1u << a) - 1) - middle);
        uint64_t deals = 0, as_far = 0;
        for (uint32_t dealt = 0; dealt < 1u << count; dealt++) {
            if ((size_t)__builtin_popcount(dealt) != a) continue;
            deals++;
            as_far += fabs(pairs_greater(values, count, dealt) - middle) >= off;
        }
        const uint32_t wanted = (uint32_t)((as_far * 1000000 + deals / 2) / deals);
        const hsd_contrast c = hsd_contrast_of(values, a, values + a, b);
        cr_assert_eq(c.p_millionths, wanted, "seed %lu: %u, not %u", (unsigned long)seed, c.p_millionths, wanted);
    }
}

Test(contrast, ties_and_large_groups_go_by_the_normal_distribution)
{
    uint64_t before[15], after[15];
    for (size_t i = 0; i < 15; i++) {
        before[i] = 100 + i / 3;
        after[i] = 102 + i / 3;
    }
    /* runs of 3 3 6 6 6 3 3; pairs of which before has the greater: 3 of (3 + 3/2) for 102 … */
    const double u = 3 * 1.5 + 3 * (3 + 1.5) + 3 * (6 + 1.5), n = 30;
    const double ties = 4 * (27 - 3) + 3 * (216 - 6), variance = 225.0 / 12 * (n + 1 - ties / (n * (n - 1)));
    const double wanted = 1e6 * erfc((112.5 - u - 0.5) / sqrt(variance) / sqrt(2));
    const hsd_contrast c = hsd_contrast_of(before, 15, after, 15);
    cr_assert(fabs(c.p_millionths - wanted) <= 0.5001, "%u, not %f", c.p_millionths, wanted);
    const hsd_contrast back = hsd_contrast_of(after, 15, before, 15);
    cr_assert(back.p_millionths == c.p_millionths && c.is_significant);
}
