/*
 * Sums by key against a plain array, with few keys and with so many that the table empties itself often.
 */
#include <criterion/criterion.h>

#include "sort/tally.h"
#include "support/random.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(tally, .init = setup);

static void check(hsd_tally *tally, const hsd_amount *wanted, uint64_t keys)
{
    const uint64_t *key;
    hsd_amount sum;
    for (uint64_t k = 0; k < keys; k++) {
        if (wanted[k].objects == 0) continue;
        cr_assert_eq(hsd_tally_next(tally, &key, &sum, &err), HSD_OK);
        cr_assert_eq(key[0], k / 7, "key %lu", (unsigned long)k);
        cr_assert_eq(key[1], k % 7, "key %lu", (unsigned long)k);
        cr_assert_eq(sum.objects, wanted[k].objects, "key %lu", (unsigned long)k);
        cr_assert_eq(sum.bytes, wanted[k].bytes, "key %lu", (unsigned long)k);
    }
    cr_assert_eq(hsd_tally_next(tally, &key, &sum, &err), HSD_END);
    cr_assert_eq(hsd_tally_next(tally, &key, &sum, &err), HSD_END);
}

static void add_random(uint64_t keys, uint64_t adds, uint64_t serve_bytes)
{
    test_random random = {test_seed(keys)};
    hsd_tally *tally;
    hsd_amount *wanted = calloc(keys, sizeof *wanted);
    cr_assert_eq(hsd_tally_new(&tally, 2, 0, &space, NULL, &err), HSD_OK, "%s", err.text);
    for (uint64_t i = 0; i < adds; i++) {
        const uint64_t k = test_below(&random, keys), bytes = test_below(&random, 1000);
        wanted[k].objects += 1;
        wanted[k].bytes += bytes;
        cr_assert_eq(hsd_tally_add(tally, (const uint64_t[2]){k / 7, k % 7}, 1, bytes, &err), HSD_OK);
    }
    cr_assert_eq(hsd_tally_finish(tally, serve_bytes, &err), HSD_OK, "%s", err.text);
    check(tally, wanted, keys);
    cr_assert_eq(hsd_tally_rewind(tally, &err), HSD_OK);
    check(tally, wanted, keys);
    hsd_tally_free(tally);
    free(wanted);
}

Test(tally, of_few_keys_stays_in_memory)
{
    add_random(100, 5000, 0);
    cr_assert_eq(space.bytes_written, 0);
}

Test(tally, of_more_keys_than_fit_adds_up_all_the_same)
{
    add_random(100000, 300000, 1);
    cr_assert_gt(space.bytes_written, 0);
}

/* Two tallies that were filled apart are one. */
static void add_apart(uint64_t keys, uint64_t adds)
{
    test_random random = {test_seed(keys)};
    hsd_tally *tallies[2];
    hsd_amount *wanted = calloc(keys, sizeof *wanted);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(hsd_tally_new(&tallies[i], 2, 0, &space, NULL, &err), HSD_OK);
    for (uint64_t i = 0; i < adds; i++) {
        const uint64_t k = test_below(&random, keys);
        wanted[k].objects += 1;
        wanted[k].bytes += i;
        cr_assert_eq(hsd_tally_add(tallies[test_below(&random, 2)], (const uint64_t[2]){k / 7, k % 7}, 1, i, &err),
                     HSD_OK);
    }
    cr_assert_eq(hsd_tally_absorb(tallies[0], tallies[1], &err), HSD_OK, "%s", err.text);
    hsd_tally_free(tallies[1]);
    cr_assert_eq(hsd_tally_finish(tallies[0], 0, &err), HSD_OK, "%s", err.text);
    check(tallies[0], wanted, keys);
    hsd_tally_free(tallies[0]);
    free(wanted);
}

Test(tally, takes_in_another)
{
    add_apart(100, 5000);
    add_apart(50000, 150000);
    add_apart(1, 0);
}

Test(tally, of_nothing_is_empty)
{
    hsd_tally *tally;
    const uint64_t *key;
    hsd_amount sum;
    cr_assert_eq(hsd_tally_new(&tally, 1, 0, &space, NULL, &err), HSD_OK);
    cr_assert_eq(hsd_tally_finish(tally, 0, &err), HSD_OK);
    cr_assert_eq(hsd_tally_next(tally, &key, &sum, &err), HSD_END);
    hsd_tally_free(tally);
    hsd_tally_free(NULL);
}

Test(tally, cannot_spill_where_there_is_no_room_for_temporary_files)
{
    hsd_tally *tally;
    hsd_status status = HSD_OK;
    hsd_temp_space_init(&space, "/nonexistent");
    cr_assert_eq(hsd_tally_new(&tally, 1, 0, &space, NULL, &err), HSD_OK);
    for (uint64_t i = 0; i < 100000 && status == HSD_OK; i++)
        status = hsd_tally_add(tally, &i, 1, 1, &err);
    if (status == HSD_OK) status = hsd_tally_finish(tally, 1, &err);
    cr_assert_eq(status, HSD_E_IO);
    hsd_tally_free(tally);
}
