/* When hsdiff watch captures again, what it lets go, and when it calls a growth proven. */
#include <criterion/criterion.h>
#include <string.h>

#include "watch/rules.h"

#define MOST 512

/* ---- the budget ---- */

Test(watch_rules, what_a_capture_costs_decides_when_the_next_may_come)
{
    cr_assert_eq(cli_watch_interval(1000, 0, 20), 1000);
    cr_assert_eq(cli_watch_interval(1000, 20, 20), 1000, "2 %% of the interval are within 2 %%");
    cr_assert_eq(cli_watch_interval(1000, 30, 20), 1500);
    cr_assert_eq(cli_watch_interval(1000, 30, 1000), 1000, "a budget of everything");
    cr_assert_eq(cli_watch_interval(1000, 3000, 1000), 3000);
    cr_assert_eq(cli_watch_interval(1, UINT64_MAX / 2, 1), UINT64_MAX);
}

/* ---- thinning ---- */

Test(watch_rules, first_and_last_stay)
{
    const uint64_t times[] = {0, 10, 20, 30};
    const bool first[] = {true, false, false, false}, all[] = {true, true, true, true};
    cr_assert_eq(cli_watch_thin(times, first, 4), 1);
    cr_assert_eq(cli_watch_thin(times, all, 4), 4);
    cr_assert_eq(cli_watch_thin(times, first, 1), 1);
    cr_assert_eq(cli_watch_thin(times, first, 2), 2, "there is nothing between them");
    cr_assert_eq(cli_watch_thin(times, first, 0), 0);
}

Test(watch_rules, the_closest_goes)
{
    const uint64_t times[] = {0, 100, 110, 120, 300, 500};
    const bool stays[] = {true, false, false, false, false, false};
    cr_assert_eq(cli_watch_thin(times, stays, 6), 2);
    const bool two_stay[] = {false, true, false, false, false, false};
    cr_assert_eq(cli_watch_thin(times, two_stay, 6), 2);
    const uint64_t warm[] = {0, 1, 200, 300};
    cr_assert_eq(cli_watch_thin(warm, two_stay, 4), 0, "what does not count goes first where it stands close");
}

/* A watch of any length, with `keep` at most: what is there at the end stands evenly, gaps within a factor of four, and
 * the first and the last are there. */
static void expect_even(size_t taken, size_t keep)
{
    uint64_t times[MOST] = {0};
    bool stays[MOST] = {true};
    size_t count = 0;
    for (size_t t = 0; t < taken; t++) {
        times[count++] = t;
        if (count <= keep) continue;
        const size_t out = cli_watch_thin(times, stays, count);
        cr_assert_lt(out, count);
        memmove(&times[out], &times[out + 1], (count - out - 1) * sizeof *times);
        count--;
    }
    cr_assert_eq(count, taken < keep ? taken : keep);
    cr_assert_eq(times[0], 0);
    cr_assert_eq(times[count - 1], taken - 1);
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 1; i + 1 < count; i++) { /* the last gap is still filling */
        const uint64_t gap = times[i] - times[i - 1];
        least = gap < least ? gap : least;
        most = gap > most ? gap : most;
    }
    cr_assert(count < 4 || most <= 4 * least, "%zu of %zu: gaps from %llu to %llu", keep, taken,
              (unsigned long long)least, (unsigned long long)most);
}

Test(watch_rules, what_stays_covers_the_whole_watch)
{
    for (size_t keep = 2; keep < 40; keep++)
        for (size_t taken = 1; taken < 500; taken += 7)
            expect_even(taken, keep);
}

/* ---- proof ---- */

static bool is_proven(const uint64_t *values, size_t count, uint64_t least)
{
    const hsd_trend trend = hsd_trend_of(values, NULL, count, 10);
    return cli_watch_is_proven(&trend, least);
}

Test(watch_rules, five_that_all_grow_are_no_chance)
{
    const uint64_t values[] = {1000, 2000, 3000, 4000, 5000, 6000};
    cr_assert_not(is_proven(values, 1, 1));
    cr_assert_not(is_proven(values, 4, 1));
    cr_assert(is_proven(values, 5, 1));
    cr_assert(is_proven(values, 6, 5000));
    cr_assert_not(is_proven(values, 6, 5001), "not as much as was asked");
}

Test(watch_rules, what_breathes_shrinks_or_fills_up_is_no_proof)
{
    const uint64_t breathes[] = {1000, 9000, 2000, 9000, 1000, 9000, 2000, 9000};
    const uint64_t shrinks[] = {9000, 8000, 7000, 6000, 5000, 4000};
    const uint64_t fills[] = {1000, 5000, 8000, 9000, 9000, 9000, 9000, 9000, 9000, 9000};
    const uint64_t steady[] = {1000, 1001, 1002, 1003, 1004, 1005};
    cr_assert_not(is_proven(breathes, 8, 1));
    cr_assert_not(is_proven(shrinks, 6, 1));
    cr_assert_not(is_proven(fills, 10, 1));
    cr_assert_not(is_proven(steady, 6, 1), "within the noise");
}

Test(watch_rules, a_step_back_now_and_then_hides_no_leak)
{
    const uint64_t values[] = {1000, 3000, 2500, 5000, 6000, 5500, 8000, 9000, 11000, 10500, 13000};
    cr_assert(is_proven(values, sizeof values / sizeof values[0], 5000));
}
