/*
 * Records a batch ahead: what comes is what the sorter itself gives, with a thread, without one and where none can be
 * had; who stops early leaves nothing behind; and what fails on the other thread is an error here.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "sort/read_ahead.h"
#include "support/fault.h"
#include "unit/io/scratch.h"
#include "unit/sort/records.h"

#define WORDS 5u

static hsd_temp_space space;

static void prepare(void)
{
    hsd_fault_reset();
    scratch_make();
    hsd_temp_space_init(&space, scratch);
}

TestSuite(read_ahead, .init = prepare, .fini = scratch_remove);

static hsd_sorter *sorted(const uint64_t *records, size_t count, size_t memory_bytes)
{
    hsd_sorter *sorter = NULL;
    const hsd_sorter_config config = {
        .record_words = WORDS, .key_words = 1, .memory_bytes = memory_bytes, .space = &space};
    cr_assert_eq(hsd_sorter_new(&sorter, &config, NULL), HSD_OK);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(hsd_sorter_put(sorter, records + i * WORDS, NULL), HSD_OK);
    cr_assert_eq(hsd_sorter_finish(sorter, 0, NULL), HSD_OK);
    return sorter;
}

/* Reads `most` records or all; how it ended, and how many came. */
static hsd_status read_how(hsd_sorter *sorter, const uint64_t *expected, size_t most, const hsd_read_ahead_how *how,
                           size_t *seen, hsd_error *err)
{
    hsd_read_ahead ahead;
    const uint64_t *records;
    size_t count;
    *seen = 0;
    hsd_status status = hsd_read_ahead_begin(&ahead, sorter, how, err);
    while (status == HSD_OK && *seen < most) {
        status = hsd_read_ahead_next_some(&ahead, &records, &count, err);
        if (status != HSD_OK) break;
        cr_assert_geq(count, 1);
        cr_assert_eq(memcmp(records, expected + *seen * WORDS, count * WORDS * sizeof *records), 0);
        *seen += count;
    }
    if (status == HSD_END) cr_assert_eq(hsd_read_ahead_next_some(&ahead, &records, &count, err), HSD_END);
    hsd_read_ahead_end(&ahead);
    return status;
}

static hsd_status read_some(hsd_sorter *sorter, const uint64_t *expected, size_t most, bool with_thread, size_t *seen,
                            hsd_error *err)
{
    const hsd_read_ahead_how how = {.with_thread = with_thread, .memory_bytes = HSD_READ_AHEAD_BYTES};
    return read_how(sorter, expected, most, &how, seen, err);
}

static void check_count(size_t count, size_t memory_bytes, bool has_runs)
{
    uint64_t *records = records_make(RANDOM, count, WORDS, 8), *expected = records_sorted(records, count, WORDS);
    hsd_sorter *sorter = sorted(records, count, memory_bytes);
    size_t seen;
    cr_assert_eq(hsd_sorter_stats_get(sorter).runs > 0, has_runs);
    for (int i = 0; i < 3; i++) {
        const hsd_read_ahead_how how = {.with_thread = i != 1, .memory_bytes = HSD_READ_AHEAD_BYTES, .goes_on = i == 0};
        cr_assert_eq(read_how(sorter, expected, SIZE_MAX, &how, &seen, NULL), HSD_END);
        cr_assert_eq(seen, count);
        cr_assert_eq(read_some(sorter, expected, count / 3, i != 1, &seen, NULL), HSD_OK);
    }
    hsd_sorter_free(sorter);
    cr_assert_eq(space.bytes_now, 0);
    free(records);
    free(expected);
}

Test(read_ahead, gives_what_the_sorter_gives)
{
    const size_t batch = HSD_READ_AHEAD_BYTES / 2 / WORDS / sizeof(uint64_t);
    check_count(0, HSD_SORT_MIN_BYTES, false);
    check_count(1000, HSD_SORT_MIN_BYTES, false);
    check_count(batch, HSD_SORT_MIN_BYTES, true);
    check_count(batch + 1, HSD_SORT_MIN_BYTES, true);
    check_count(100000, HSD_SORT_MIN_BYTES, true);
    check_count(100000, (size_t)16 << 20, false);
}

/* Whatever call of the family fails, it is an error or nobody needed it. */
static void sweep(hsd_fault_family family, int error, hsd_status expected_status)
{
    const size_t count = 60000;
    uint64_t *records = records_make(RANDOM, count, WORDS, 8), *expected = records_sorted(records, count, WORDS);
    bool struck = true;
    uint64_t strikes = 0;
    for (uint64_t at = 1; struck; at += at < 6 ? 1 : at / 3) {
        hsd_sorter *sorter = sorted(records, count, HSD_SORT_MIN_BYTES);
        hsd_error err;
        size_t seen;
        hsd_error_init(&err);
        hsd_fault_arm(family, at, true, error);
        const hsd_status status = read_some(sorter, expected, SIZE_MAX, true, &seen, &err);
        struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert_eq(status, struck ? expected_status : HSD_END);
        cr_assert(status == HSD_END ? seen == count : expected_status == HSD_END || err.text[0] != '\0');
        strikes += struck;
        hsd_sorter_free(sorter);
    }
    cr_assert_geq(strikes, 1);
    free(records);
    free(expected);
}

Test(read_ahead, what_fails_on_the_other_thread_is_an_error)
{
    sweep(HSD_FAULT_PREAD, EIO, HSD_E_IO);
    sweep(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM);
}

Test(read_ahead, does_without_a_thread_that_cannot_be_had) { sweep(HSD_FAULT_THREAD, EAGAIN, HSD_END); }

/* ---- dense numbers */

/* In no order, with numbers from `first` on; of each `one_in` that many in a row are there, and no others. */
static uint64_t *make_dense(size_t count, uint64_t first, uint64_t in_a_row, uint64_t one_in, unsigned shift)
{
    uint64_t *records = records_make(RANDOM, count, WORDS, 9);
    for (size_t i = 0; i < count; i++) {
        const uint64_t number = first + i / in_a_row * in_a_row * one_in + i % in_a_row;
        records[i * WORDS] = number << shift | (shift == 0 ? 0 : records[i * WORDS] >> (64 - shift));
    }
    records_shuffle(records, count, WORDS, 10);
    return records;
}

static void check_dense(uint64_t *records, size_t count, unsigned shift, size_t batch_bytes)
{
    uint64_t *expected = records_sorted(records, count, WORDS);
    hsd_sorter *sorter = sorted(records, count, HSD_SORT_MIN_BYTES);
    cr_assert_geq(hsd_sorter_stats_get(sorter).fan_in, 2);
    for (int i = 0; i < 4; i++) {
        const bool with_thread = i % 2 == 0;
        const hsd_read_ahead_how how = {.with_thread = with_thread,
                                        .is_dense = true,
                                        .shift = shift,
                                        .memory_bytes = batch_bytes * (with_thread ? 2 : 1)};
        size_t seen;
        cr_assert_eq(read_how(sorter, expected, SIZE_MAX, &how, &seen, NULL), HSD_END);
        cr_assert_eq(seen, count);
        cr_assert_eq(read_how(sorter, expected, count / 3, &how, &seen, NULL), HSD_OK);
    }
    hsd_sorter_free(sorter);
    cr_assert_eq(space.bytes_now, 0);
    free(records);
    free(expected);
}

Test(read_ahead, dense_numbers_come_in_order_whatever_is_missing)
{
    const size_t count = 40000, batch = (size_t)64 << 10;
    check_dense(make_dense(count, 1, 1, 1, 32), count, 32, batch);
    check_dense(make_dense(count, 0, 1, 1, 0), count, 0, batch);
    check_dense(make_dense(count, 5, 1, 3, 32), count, 32, batch);
    check_dense(make_dense(count, 5, 63, 2, 32), count, 32, batch);
    check_dense(make_dense(count, 5, 1000, 900, 32), count, 32, batch);
    check_dense(make_dense(count, UINT64_MAX - count + 1, 1, 1, 0), count, 0, batch);
    check_dense(make_dense(count, 1, 1, 1, 32), count, 32, (size_t)4 << 20); /* more than a window */
    check_dense(make_dense(count, 1, 1, 1, 32), count, 32, 4096);            /* too little: they are merged */
}

Test(read_ahead, two_with_one_dense_number_are_damage)
{
    const size_t count = 40000;
    uint64_t *records = make_dense(count, 1, 1, 1, 32);
    const hsd_read_ahead_how how = {.is_dense = true, .shift = 32, .memory_bytes = (size_t)64 << 10};
    records[0] = records[(count - 1) * WORDS]; /* in another run */
    hsd_sorter *sorter = sorted(records, count, HSD_SORT_MIN_BYTES);
    hsd_read_ahead ahead;
    const uint64_t *some;
    size_t many;
    hsd_status status = hsd_read_ahead_begin(&ahead, sorter, &how, NULL);
    while (status == HSD_OK)
        status = hsd_read_ahead_next_some(&ahead, &some, &many, NULL);
    cr_assert_eq(status, HSD_E_CORRUPT);
    hsd_read_ahead_end(&ahead);
    hsd_sorter_free(sorter);
    free(records);
}
