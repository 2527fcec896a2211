/*
 * Which rows are shown and what the rest adds up to. The sum of what is shown and of the others must be
 * the total, for any top, any order and any table.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "report/model/rank.h"
#include "unit/report/sample.h"
#include <hscapture/hscapture.h>

enum { MAX_ROWS = 40 };

static hsd_type_row rows[MAX_ROWS];
static char names[MAX_ROWS][24];

static hsd_diff random_diff(uint64_t seed, size_t count)
{
    uint64_t state = seed * 2 + 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t sizes[2];
        for (size_t side = 0; side < 2; side++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sizes[side] = (state >> 33) % 5 * 1000; /* few values: many ties, zeros and unchanged rows */
        }
        snprintf(names[i], sizeof names[i], "T%zu", i * 7 % count);
        rows[i] = sample_type(names[i], sizes[0], sizes[1]);
    }
    return sample_diff(rows, count, NULL, 0);
}

static void expect_sums_to_total(const hsd_ranking *ranking, const hsd_change *total)
{
    hsd_change sum = ranking->others;
    for (size_t i = 0; i < ranking->shown; i++) {
        sample_add(&sum.before, ranking->rows[i].change->before);
        sample_add(&sum.after, ranking->rows[i].change->after);
        sample_add(&sum.new_, ranking->rows[i].change->new_);
        sample_add(&sum.freed, ranking->rows[i].change->freed);
        sample_add(&sum.kept, ranking->rows[i].change->kept);
    }
    cr_assert(memcmp(&sum.before, &total->before, sizeof sum.before) == 0);
    cr_assert(memcmp(&sum.after, &total->after, sizeof sum.after) == 0);
    cr_assert(memcmp(&sum.new_, &total->new_, sizeof sum.new_) == 0);
    cr_assert(memcmp(&sum.freed, &total->freed, sizeof sum.freed) == 0);
    cr_assert(memcmp(&sum.kept, &total->kept, sizeof sum.kept) == 0);
}

Test(rank, adds_up_for_any_top_and_order)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        const size_t count = seed % MAX_ROWS;
        hsd_diff diff = random_diff(seed, count);
        for (int sort = HSD_SORT_GROWTH; sort <= HSD_SORT_RETAINED; sort++)
            for (size_t top = 0; top <= count + 1; top += 1 + count / 5) {
                hsd_ranking ranking;
                cr_assert(hsd_ranking_init(&ranking, &diff, HSD_TABLE_TYPES, (hsd_sort_by)sort, top,
                                           seed & 1 ? 2000 : 0, false, NULL) == HSD_OK);
                cr_assert(ranking.shown <= top && ranking.count == count);
                expect_sums_to_total(&ranking, &diff.total);
                hsd_ranking_release(&ranking);
            }
    }
}

/* The order does not depend on the order in which rows come. */
Test(rank, is_a_total_order)
{
    hsd_diff diff = random_diff(7, MAX_ROWS);
    for (int sort = HSD_SORT_GROWTH; sort <= HSD_SORT_RETAINED; sort++) {
        hsd_ranking first, second;
        cr_assert(hsd_ranking_init(&first, &diff, HSD_TABLE_TYPES, (hsd_sort_by)sort, 10, 1, false, NULL) == HSD_OK);
        for (size_t i = 0; i < MAX_ROWS / 2; i++) {
            const hsd_type_row swapped = rows[i];
            rows[i] = rows[MAX_ROWS - 1 - i];
            rows[MAX_ROWS - 1 - i] = swapped;
        }
        hsd_text before[MAX_ROWS];
        for (size_t i = 0; i < first.shown; i++)
            before[i] = first.rows[i].name;
        cr_assert(hsd_ranking_init(&second, &diff, HSD_TABLE_TYPES, (hsd_sort_by)sort, 10, 1, false, NULL) == HSD_OK);
        cr_assert_eq(first.shown, second.shown);
        for (size_t i = 0; i < second.shown; i++)
            cr_expect(before[i].data == second.rows[i].name.data);
        hsd_ranking_release(&first);
        hsd_ranking_release(&second);
    }
}

static const char *order_of(hsd_sort_by sort, size_t top)
{
    static char order[64];
    hsd_type_row four[] = {sample_type("big", 100000, 200000), sample_type("gone", 90000, 0),
                           sample_type("new", 0, 50000), sample_type("same", 70000, 70000)};
    hsd_diff diff = sample_diff(four, 4, NULL, 0);
    hsd_ranking ranking;
    size_t used = 0;
    cr_assert(hsd_ranking_init(&ranking, &diff, HSD_TABLE_TYPES, sort, top, 0, false, NULL) == HSD_OK);
    for (size_t i = 0; i < ranking.shown; i++)
        used += (size_t)snprintf(order + used, sizeof order - used, "%s ", ranking.rows[i].name.data);
    hsd_ranking_release(&ranking);
    return order;
}

Test(rank, shows_the_largest_changes_growth_on_top)
{
    cr_expect_str_eq(order_of(HSD_SORT_GROWTH, 4), "big new same gone ");
    cr_expect_str_eq(order_of(HSD_SORT_GROWTH, 2), "big gone "); /* larger changes than new */
    cr_expect_str_eq(order_of(HSD_SORT_OBJECTS, 3), "big new gone ");
}

Test(rank, sorts_by_percent_and_by_name)
{
    cr_expect_str_eq(order_of(HSD_SORT_PERCENT, 4), "new big same gone ");
    cr_expect_str_eq(order_of(HSD_SORT_PERCENT, 1), "new ");
    cr_expect_str_eq(order_of(HSD_SORT_NAME, 4), "big gone new same ");
    cr_expect_str_eq(order_of(HSD_SORT_NAME, 3), "big gone new "); /* same did not change */
}

/* A list that is as long as it was and holds more is worth a row; what retains less stands last. */
Test(rank, sorts_by_what_is_retained)
{
    hsd_type_row some[] = {sample_type("grown", 100, 900), sample_type("keeper", 500, 500),
                           sample_type("lighter", 300, 300), sample_type("same", 70, 70)};
    some[0].retained_before = 100;
    some[0].retained_after = 900;
    some[1].retained_after = 5000;
    some[2].retained_before = 2000;
    hsd_diff diff = sample_diff(some, 4, NULL, 0);
    hsd_ranking ranking;
    cr_assert(hsd_ranking_init(&ranking, &diff, HSD_TABLE_TYPES, HSD_SORT_RETAINED, 20, 1000, false, NULL) == HSD_OK);
    cr_assert_eq(ranking.shown, 3);
    cr_expect_str_eq(ranking.rows[0].name.data, "keeper");
    cr_expect_str_eq(ranking.rows[1].name.data, "grown");
    cr_expect_str_eq(ranking.rows[2].name.data, "lighter");
    cr_expect(hsd_rank_row_retained_growth(&ranking.rows[2]) == -2000);
    hsd_ranking_release(&ranking);
}

Test(rank, folds_what_did_not_change)
{
    hsd_type_row three[] = {sample_type("a", 1, 1), sample_type("b", 100, 300), sample_type("c", 5, 5)};
    hsd_diff diff = sample_diff(three, 3, NULL, 0);
    hsd_ranking ranking;
    cr_assert(hsd_ranking_init(&ranking, &diff, HSD_TABLE_TYPES, HSD_SORT_GROWTH, HSD_TOP_ALL, 1, false, NULL) ==
              HSD_OK);
    cr_expect(ranking.shown == 1 && ranking.others_are_unchanged);
    cr_expect(ranking.others.before.bytes == 6);
    hsd_ranking_release(&ranking);
}

/* Ten came and ten went: worth a row when that is more than noise. */
Test(rank, folds_churn_that_is_noise)
{
    hsd_type_row two[] = {sample_type("churn", 10000, 10000), sample_type("grown", 100, 300)};
    two[0].live.new_ = two[0].live.freed = (hsd_amount){10, 1000};
    hsd_diff diff = sample_diff(two, 2, NULL, 0);
    hsd_ranking ranking;
    cr_assert(hsd_ranking_init(&ranking, &diff, HSD_TABLE_TYPES, HSD_SORT_GROWTH, HSD_TOP_ALL, 2001, false, NULL) ==
              HSD_OK);
    cr_expect(ranking.shown == 1 && !ranking.others_are_unchanged);
    hsd_ranking_release(&ranking);
    cr_assert(hsd_ranking_init(&ranking, &diff, HSD_TABLE_TYPES, HSD_SORT_GROWTH, HSD_TOP_ALL, 2000, false, NULL) ==
              HSD_OK);
    cr_expect(ranking.shown == 2);
    hsd_ranking_release(&ranking);
}

/* The runtime's own types are one sum below all others; code of the program itself is none of them. */
Test(rank, folds_types_of_the_runtime)
{
    hsd_type_row four[] = {sample_type("(compiled code)", 100, 9000), sample_type("Session", 100, 300),
                           sample_type("(object shape)", 50, 60), sample_type("function", 10, 20)};
    four[0].flags = four[2].flags = HSC_TYPE_CODE | HSC_TYPE_INTERNAL;
    four[3].flags = HSC_TYPE_CODE;
    hsd_diff diff = sample_diff(four, 4, NULL, 0);
    hsd_ranking ranking;
    char text[HSD_RANK_CODE_CHARS];
    cr_assert(hsd_ranking_init(&ranking, &diff, HSD_TABLE_TYPES, HSD_SORT_GROWTH, 1, 1, true, NULL) == HSD_OK);
    cr_expect(ranking.shown == 1 && ranking.count == 2 && ranking.code_count == 2);
    cr_expect_str_eq(ranking.rows[0].name.data, "Session");
    cr_expect(ranking.others.after.bytes == 20 && ranking.code.before.bytes == 150 && ranking.code.after.bytes == 9060);
    hsd_rank_code_text(&ranking, text);
    cr_expect_str_eq(text, "(runtime's own: 2 types)");
    hsd_ranking_release(&ranking);
    four[2].flags = 0;
    cr_assert(hsd_ranking_init(&ranking, &diff, HSD_TABLE_TYPES, HSD_SORT_GROWTH, 9, 1, true, NULL) == HSD_OK);
    hsd_rank_code_text(&ranking, text);
    cr_expect(ranking.code_count == 1 && text[0] == '\0', "one has a name");
    cr_expect_str_eq(ranking.rows[ranking.count].name.data, "(compiled code)");
    hsd_ranking_release(&ranking);
}
