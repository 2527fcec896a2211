/* Pairs get numbers in order of arrival, and tables of ids keep them through every growth: each against a plain list.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "import/pair_table.h"
#include "support/fault.h"
#include "support/random.h"

Test(pair_table, numbers_pairs_as_they_come)
{
    enum { PUTS = 4000 };
    static struct {
        uint32_t first, second;
    } known[PUTS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        test_random random = {seed};
        hsd_pair_table table = {0};
        uint32_t count = 0;
        const uint32_t firsts = 1 + (uint32_t)test_below(&random, 300), seconds = 1 + (uint32_t)test_below(&random, 9);
        for (size_t i = 0; i < PUTS; i++) {
            const uint32_t first = (uint32_t)test_below(&random, firsts),
                           second = (uint32_t)test_below(&random, seconds);
            uint32_t wanted = 0, number = 0;
            while (wanted < count && (known[wanted].first != first || known[wanted].second != second))
                wanted++;
            if (wanted == count) {
                known[count].first = first;
                known[count++].second = second;
            }
            cr_assert_eq(hsd_pair_table_put(&table, first, second, &number, NULL), HSD_OK);
            cr_assert_eq(number, wanted + 1);
            cr_assert_eq(table.count, count);
        }
        cr_assert_gt(hsd_pair_table_memory(&table), 0);
        hsd_pair_table_release(&table);
        cr_assert(table.count == 0 && hsd_pair_table_memory(&table) == 0);
    }
}

Test(pair_table, takes_the_largest_numbers)
{
    hsd_pair_table table = {0};
    uint32_t number;
    cr_assert_eq(hsd_pair_table_put(&table, 0, UINT32_MAX, &number, NULL), HSD_OK);
    cr_assert_eq(number, 1);
    cr_assert_eq(hsd_pair_table_put(&table, 0, 0, &number, NULL), HSD_OK);
    cr_assert_eq(number, 2);
    cr_assert_eq(hsd_pair_table_put(&table, 0, UINT32_MAX, &number, NULL), HSD_OK);
    cr_assert_eq(number, 1);
    hsd_pair_table_release(&table);
}

/* Up to where it has pages of its own, and beyond. */
Test(pair_table, ids_outlive_every_growth_of_their_table)
{
    enum { IDS = 300000 };
    hsd_id_table table = {0};
    for (uint64_t i = 0; i < IDS; i++) {
        uint32_t number;
        cr_assert_eq(hsd_id_table_put(&table, i * 64 + 8, &number, NULL), HSD_OK);
        cr_assert_eq(number, i + 1);
    }
    for (uint64_t i = 0; i < IDS; i++)
        cr_assert_eq(hsd_id_table_find(&table, i * 64 + 8), i + 1);
    cr_assert_eq(hsd_id_table_find(&table, 7), 0);
    hsd_id_table_release(&table);
    hsd_id_table_release(&table);
}

Test(pair_table, says_when_memory_runs_out)
{
    for (uint64_t at = 1;; at++) {
        hsd_pair_table table = {0};
        hsd_status status = HSD_OK;
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, true, ENOMEM);
        for (uint32_t i = 0; i < 300 && status == HSD_OK; i++) {
            uint32_t number;
            status = hsd_pair_table_put(&table, i / 3, i, &number, NULL);
        }
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert_eq(status, has_struck ? HSD_E_NOMEM : HSD_OK);
        hsd_pair_table_release(&table);
        if (!has_struck) return;
    }
}
