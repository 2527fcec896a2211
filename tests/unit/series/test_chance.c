/*
 * Chances by arithmetic against published tables and libm.
 */
#include <criterion/criterion.h>

#include <math.h>

#include "series/chance.h"

Test(chance, counts_arrangements_of_small_sets)
{
    hsd_arrangements all;
    hsd_arrangements_begin(&all);
    hsd_arrangements_add(&all, 2);
    hsd_arrangements_add(&all, 1);
    cr_assert(all.total == 3 && all.most == 2);
    cr_assert(all.with[0] == 1 && all.with[1] == 1 && all.with[2] == 1);
    hsd_arrangements_add(&all, 1); /* 2, 1, 1: 12 arrangements, 1 2 3 3 2 1 */
    const uint64_t wanted[] = {1, 2, 3, 3, 2, 1};
    cr_assert(all.total == 12 && all.most == 5);
    for (size_t i = 0; i < 6; i++)
        cr_assert_eq(all.with[i], wanted[i]);
}

Test(chance, knows_the_least_that_two_groups_can_give)
{
    cr_expect_eq(hsd_chance_least(3, 3), 100000u);
    cr_expect_eq(hsd_chance_least(4, 4), 28571u);
    cr_expect_eq(hsd_chance_least(5, 3), 35714u);
    cr_expect_eq(hsd_chance_least(1, 1), HSD_CHANCE_MOST_SURE);
    cr_expect_eq(hsd_chance_least(0, 9), HSD_CHANCE_MOST_SURE);
    cr_expect_eq(hsd_chance_least(500, 500), 2000u);
}

Test(chance, arrangements_of_the_largest_sets_add_up)
{
    hsd_arrangements all;
    uint64_t sum = 0;
    hsd_arrangements_begin(&all);
    hsd_arrangements_add(&all, 10);
    hsd_arrangements_add(&all, 10);
    for (uint32_t i = 0; i <= all.most; i++)
        sum += all.with[i];
    cr_assert(all.total == 184756 && sum == all.total && all.most == 100);
    hsd_arrangements_begin(&all);
    for (int i = 0; i < 10; i++)
        hsd_arrangements_add(&all, 1);
    sum = 0;
    for (uint32_t i = 0; i <= all.most; i++)
        sum += all.with[i];
    cr_assert(all.total == 3628800 && sum == all.total && all.most == 45);
}

Test(chance, the_middle_says_nothing_and_the_ends_most)
{
    hsd_arrangements all;
    hsd_arrangements_begin(&all);
    for (int i = 0; i < 5; i++)
        hsd_arrangements_add(&all, 1);
    cr_assert_eq(hsd_arrangements_chance(&all, 5), 1000000);
    cr_assert_eq(hsd_arrangements_chance(&all, 0), 16667); /* 2 of 120 */
    cr_assert_eq(hsd_arrangements_chance(&all, 10), 16667);
    cr_assert_eq(hsd_arrangements_chance(&all, 1), 83333); /* 10 of 120 */
}

Test(chance, the_normal_tail_is_that_of_libm)
{
    for (int i = 1; i < 8000; i++) {
        const double z = i / 1000.0;
        const double wanted = 1e6 * erfc(z / sqrt(2));
        const double got = hsd_chance_normal(z * z);
        cr_assert(fabs(got - wanted) <= 0.5001, "z %f: %f, not %f", z, got, wanted);
    }
    cr_assert_eq(hsd_chance_normal(0), 1000000);
    cr_assert_eq(hsd_chance_normal(1e9), 0);
    cr_assert_eq(hsd_chance_normal(1.959963984540054 * 1.959963984540054), 50000);
}
