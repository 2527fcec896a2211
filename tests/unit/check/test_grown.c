/*
 * Whether values have grown too much: limits, the strictest of them, trends.
 */
#include "unit/check/kit.h"

#include "check/grown.h"

static hsd_rule rule;
static hsd_amount values[POINTS];
static uint64_t numbers[POINTS];

static hsd_grown grown_of(hsd_yardstick by, const uint64_t *bytes, size_t count)
{
    by.rule = &rule;
    by.value_count = count;
    by.numbers = numbers;
    for (size_t i = 0; i < count; i++)
        values[i] = (hsd_amount){bytes[i] / 10, bytes[i]};
    return hsd_grown_of(&by, values, values[0], NULL, false);
}

static hsd_grown two(uint64_t before, uint64_t after)
{
    return grown_of((hsd_yardstick){.is_bytes = true, .heap = 10000}, (const uint64_t[]){before, after}, 2);
}

static void limit(hsd_limit_unit unit, uint64_t amount) { rule.limits[rule.limit_count++] = (hsd_limit){unit, amount}; }

Test(grown, an_amount_may_be_added_and_no_more)
{
    limit(HSD_LIMIT_AMOUNT, 100);
    cr_assert_not(two(1000, 1100).leaks);
    const hsd_grown grown = two(1000, 1101);
    cr_assert(grown.leaks);
    cr_assert_eq(grown.found, 101);
    cr_assert_eq(grown.limit, 100);
    cr_assert_eq(grown.excess, 1);
    cr_assert_eq(grown.per_round, 101);
    cr_assert_eq(grown.round_count, 1);
    cr_assert_not(two(1000, 0).leaks);
}

Test(grown, nothing_may_be_added_to_a_limit_of_nothing)
{
    limit(HSD_LIMIT_AMOUNT, 0);
    cr_assert(two(1000, 1001).leaks);
    cr_assert_not(two(1000, 1000).leaks);
}

Test(grown, a_percentage_is_of_the_value_before_rounded_down)
{
    limit(HSD_LIMIT_PERCENT, 50000);
    cr_assert_eq(two(1999, 3000).limit, 99);
    cr_assert_not(two(1000, 1050).leaks);
    cr_assert(two(1000, 1051).leaks);
    cr_assert(two(0, 1).leaks); /* of nothing nothing may be added */
}

Test(grown, a_percentage_per_round_is_of_the_heap)
{
    limit(HSD_LIMIT_PERCENT_PER_ROUND, 10000);
    cr_assert_not(two(0, 100).leaks);
    const hsd_grown grown = two(0, 101);
    cr_assert(grown.leaks && grown.is_per_round);
    cr_assert_eq(grown.limit, 100);
}

Test(grown, every_limit_must_hold_and_the_strictest_is_told)
{
    limit(HSD_LIMIT_AMOUNT, 500);
    limit(HSD_LIMIT_PERCENT, 100000);
    cr_assert_eq(two(1000, 1050).limit, 100);
    cr_assert_eq(two(100000, 100100).limit, 500);
    cr_assert(two(1000, 1101).leaks);
    cr_assert(two(100000, 100501).leaks);
    cr_assert_eq(two(1000, 2000).excess, 900);
}

Test(grown, what_is_no_more_than_min_is_no_growth)
{
    limit(HSD_LIMIT_AMOUNT, 0);
    const uint64_t bytes[] = {1000, 1100};
    cr_assert_not(grown_of((hsd_yardstick){.is_bytes = true, .min_bytes = 100}, bytes, 2).leaks);
    cr_assert(grown_of((hsd_yardstick){.is_bytes = true, .min_bytes = 99}, bytes, 2).leaks);
    cr_assert(grown_of((hsd_yardstick){.is_bytes = false, .min_bytes = 99}, bytes, 2).leaks);
}

static hsd_yardstick of_series(void)
{
    return (hsd_yardstick){
        .is_bytes = true, .has_trend = true, .noise = 10, .one_off_bytes = UINT64_MAX, .heap = 100000};
}

Test(grown, of_a_series_what_grew_in_every_round_leaks)
{
    limit(HSD_LIMIT_AMOUNT, 500);
    const hsd_grown leak = grown_of(of_series(), (const uint64_t[]){1000, 1200, 1400, 1600, 1800}, 5);
    cr_assert(leak.leaks);
    cr_assert_eq(leak.growth, 800);
    cr_assert_eq(leak.per_round, 200);
    cr_assert_eq(leak.up_count, 4);
    cr_assert_eq(leak.round_count, 4);
    cr_assert_lt(leak.p_millionths, 100000);
    const hsd_grown breath = grown_of(of_series(), (const uint64_t[]){1000, 1400, 1300, 1600, 1800}, 5);
    cr_assert(!breath.leaks && breath.breathes);
    cr_assert_eq(breath.excess, 300);
}

static uint32_t late(const uint64_t *bytes, size_t count)
{
    hsd_yardstick by = of_series();
    by.value_count = count;
    for (size_t i = 0; i < count; i++)
        values[i] = (hsd_amount){0, bytes[i]};
    const hsd_trend trend = hsd_trend_of(bytes, NULL, count, by.noise);
    return hsd_grown_late(&by, values, &trend);
}

Test(grown, what_lay_still_and_grew_in_each_of_three_rounds_and_more_began_late)
{
    cr_expect_eq(late((const uint64_t[]){1000, 1000, 1000, 2000, 3000, 4000}, 6), 3);
    cr_expect_eq(late((const uint64_t[]){1000, 1000, 2000, 3000, 4000, 5000}, 6), 4);
    cr_expect_eq(late((const uint64_t[]){1000, 2000, 3000, 4000, 5000, 6000}, 6), 0,
                 "from the first round on: it fails");
    cr_expect_eq(late((const uint64_t[]){1000, 1000, 1000, 1000, 2000, 3000}, 6), 0, "two rounds are chance");
    cr_expect_eq(late((const uint64_t[]){1000, 1000, 1000, 1300, 1600, 1900}, 6), 0,
                 "auto asks for a three hundredth of the heap");
    cr_expect_eq(late((const uint64_t[]){1000, 3000, 3000, 4000, 5000, 6000}, 6), 0, "it did not lie still");
    cr_expect_eq(late((const uint64_t[]){1000, 1000, 2000, 3000, 4000, 4000}, 6), 0, "it has stopped");
}

static uint64_t steadily(const uint64_t *objects, size_t count)
{
    hsd_yardstick by = of_series();
    by.value_count = count;
    for (size_t i = 0; i < count; i++)
        values[i] = (hsd_amount){objects[i], objects[i] * 16};
    return hsd_grown_steadily(&by, values);
}

Test(grown, as_many_objects_in_each_round_are_no_chance)
{
    cr_expect_eq(steadily((const uint64_t[]){500, 600, 700}, 3), 100);
    cr_expect_eq(steadily((const uint64_t[]){500, 600, 701}, 3), 0, "two rounds have to bring the same");
    cr_expect_eq(steadily((const uint64_t[]){500, 599, 698}, 3), 0, "and a hundred");
    cr_expect_eq(steadily((const uint64_t[]){500, 560, 620, 681}, 4), 60);
    cr_expect_eq(steadily((const uint64_t[]){500, 560, 620, 690}, 4), 0, "three may differ by a twentieth");
    cr_expect_eq(steadily((const uint64_t[]){500, 540, 570, 605, 640}, 5), 30);
    cr_expect_eq(steadily((const uint64_t[]){500, 550, 580, 615, 650}, 5), 0, "four by a quarter");
    cr_expect_eq(steadily((const uint64_t[]){500, 540, 570, 570, 610}, 5), 0, "a round brought none");
    cr_expect_eq(steadily((const uint64_t[]){500, 540, 580, 560, 600}, 5), 0, "it went down");
    cr_expect_eq(steadily((const uint64_t[]){500, 900}, 2), 0, "one round says nothing");
    values[2].bytes = values[1].bytes;
    cr_expect_eq(hsd_grown_steadily(&(hsd_yardstick){.value_count = 3}, values), 0);
}

Test(grown, of_a_series_a_limit_per_round_is_held_against_the_least)
{
    limit(HSD_LIMIT_AMOUNT_PER_ROUND, 150);
    const hsd_grown leak = grown_of(of_series(), (const uint64_t[]){1000, 1200, 1400, 1600, 1800}, 5);
    cr_assert(leak.leaks && leak.is_per_round);
    cr_assert_eq(leak.found, 200);
    cr_assert_eq(leak.limit, 150);
    cr_assert_eq(leak.excess, 200); /* 50 in each of 4 rounds */
    cr_assert_not(grown_of(of_series(), (const uint64_t[]){1000, 1150, 1300, 1450, 1600}, 5).leaks);
    /* Neither one large round, nor a rate that one round does not keep. */
    cr_assert_not(grown_of(of_series(), (const uint64_t[]){1000, 1020, 1040, 1060, 2460}, 5).leaks);
    cr_assert_not(grown_of(of_series(), (const uint64_t[]){1000, 1200, 1400, 1540, 1740}, 5).leaks);
}

/* 10 % of the heap of 100,000 for two captures, then 1, 0.3, 0.1 and 0.03 % in each round. */
Test(grown, auto_asks_less_of_each_round_the_more_there_are)
{
    static const int64_t limits[] = {0, 10000, 1000, 300, 100, 30, 30, 30, 30, 30};
    limit(HSD_LIMIT_AUTO, 0);
    for (size_t rounds = 1; rounds < POINTS; rounds++) {
        uint64_t within[POINTS], over[POINTS];
        for (size_t i = 0; i <= rounds; i++) {
            within[i] = 1000 + i * (uint64_t)limits[rounds];
            over[i] = 1000 + i * (uint64_t)(limits[rounds] + 1);
        }
        cr_assert_not(grown_of(of_series(), within, rounds + 1).leaks, "%zu rounds", rounds);
        const hsd_grown grown = grown_of(of_series(), over, rounds + 1);
        cr_assert_eq(grown.limit, limits[rounds]);
        cr_assert(grown.is_per_round && (rounds == 1 || grown.leaks), "%zu rounds", rounds);
    }
}

Test(grown, what_levelled_off_is_a_one_off)
{
    limit(HSD_LIMIT_AMOUNT, 500);
    const uint64_t cache[] = {1000, 4000, 6000, 6000, 6000, 6000};
    hsd_yardstick by = of_series();
    const hsd_grown levelled = grown_of(by, cache, 6);
    cr_assert(levelled.is_levelled && !levelled.leaks && !levelled.breathes);
    by.one_off_bytes = 4999;
    cr_assert(grown_of(by, cache, 6).leaks);
    by.one_off_bytes = 5000;
    cr_assert_not(grown_of(by, cache, 6).leaks);
}

Test(grown, growth_without_a_trend_is_spread_over_the_rounds)
{
    limit(HSD_LIMIT_AMOUNT_PER_ROUND, 100);
    hsd_yardstick by = of_series();
    by.has_trend = false;
    cr_assert_not(grown_of(by, (const uint64_t[]){0, 0, 0, 300}, 4).leaks);
    const hsd_grown grown = grown_of(by, (const uint64_t[]){0, 0, 0, 301}, 4);
    cr_assert(grown.leaks);
    cr_assert_eq(grown.found, 101);
}

Test(grown, a_trend_that_is_known_is_not_computed_again)
{
    limit(HSD_LIMIT_AMOUNT, 5);
    const hsd_trend trend = {.per_step = 42, .up_count = 1, .verdict = HSD_VERDICT_EACH_STEP, .p_millionths = 7};
    hsd_yardstick by = of_series();
    by.rule = &rule;
    by.value_count = 2;
    values[1].bytes = 100;
    const hsd_grown grown = hsd_grown_of(&by, values, values[0], &trend, true);
    cr_assert_eq(grown.per_round, 42);
    cr_assert_eq(grown.p_millionths, 7);
    cr_assert(grown.leaks);
}

Test(grown, nothing_wraps)
{
    limit(HSD_LIMIT_AMOUNT, 0);
    limit(HSD_LIMIT_PERCENT, 1000000);
    limit(HSD_LIMIT_AMOUNT_PER_ROUND, 0);
    const hsd_grown up = two(0, UINT64_MAX), down = two(UINT64_MAX, 0);
    cr_assert_eq(up.growth, INT64_MAX);
    cr_assert(up.leaks);
    cr_assert_eq(down.growth, -INT64_MAX);
    cr_assert_not(down.leaks);
    cr_assert_eq(hsd_int64_minus(INT64_MIN, 1), INT64_MIN);
    cr_assert_eq(hsd_int64_minus(INT64_MAX, -1), INT64_MAX);
    cr_assert_eq(hsd_int64_times(INT64_MAX, 2), INT64_MAX);
    cr_assert_eq(hsd_int64_times(INT64_MAX, -2), INT64_MIN);
    cr_assert_eq(hsd_int64_times(-3, 4), -12);
}
