/*
 * The sorter as a whole: any records, any memory, any number of threads, the same sequence as qsort
 * gives; and whatever fails comes back as an error.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "sort/sorter.h"
#include "support/fault.h"
#include "unit/io/scratch.h"
#include "unit/sort/records.h"

static hsd_temp_space space;

static void prepare(void)
{
    hsd_fault_reset();
    scratch_make();
    hsd_temp_space_init(&space, scratch);
}

TestSuite(sorter, .init = prepare, .fini = scratch_remove);

static hsd_sorter_config config_of(unsigned words, size_t memory_bytes, bool use_thread)
{
    return (hsd_sorter_config){
        .record_words = words, .key_words = 1, .memory_bytes = memory_bytes, .use_thread = use_thread, .space = &space};
}

static hsd_status put_all(hsd_sorter *sorter, const uint64_t *records, size_t count, unsigned words, hsd_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (i % 1000 == 0) cr_assert_eq(hsd_sorter_count(sorter), i);
        HSD_TRY(hsd_sorter_put(sorter, records + i * words, err));
    }
    return HSD_OK;
}

static void check_all(hsd_sorter *sorter, const uint64_t *expected, size_t count, unsigned words)
{
    const uint64_t *record = NULL;
    cr_assert_eq(hsd_sorter_count(sorter), count);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(hsd_sorter_next(sorter, &record, NULL), HSD_OK);
        if (memcmp(record, expected + i * words, words * sizeof *record) != 0) cr_assert_fail("record %zu", i);
    }
    cr_assert_eq(hsd_sorter_next(sorter, &record, NULL), HSD_END);
    cr_assert_eq(hsd_sorter_next(sorter, &record, NULL), HSD_END);
}

/* Every other time one record, else as many as lie together. */
static void check_some(hsd_sorter *sorter, const uint64_t *expected, size_t count, unsigned words)
{
    const uint64_t *records = NULL;
    size_t some, seen = 0;
    while (seen < count) {
        if (seen % 2 == 0) {
            some = 1;
            cr_assert_eq(hsd_sorter_next(sorter, &records, NULL), HSD_OK);
        } else {
            some = 0;
            cr_assert_eq(hsd_sorter_next_some(sorter, &records, &some, NULL), HSD_OK);
        }
        cr_assert(some >= 1 && some <= count - seen, "%zu of %zu after %zu", some, count, seen);
        if (memcmp(records, expected + seen * words, some * words * sizeof *records) != 0)
            cr_assert_fail("records %zu to %zu", seen, seen + some);
        seen += some;
    }
    cr_assert_eq(hsd_sorter_next_some(sorter, &records, &some, NULL), HSD_END);
    cr_assert_eq(hsd_sorter_next(sorter, &records, NULL), HSD_END);
}

static hsd_sorter_stats check(const hsd_sorter_config *config, size_t serve_bytes, const uint64_t *records,
                              const uint64_t *expected, size_t count)
{
    hsd_sorter *sorter = NULL;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_sorter_new(&sorter, config, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(put_all(sorter, records, count, config->record_words, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_sorter_finish(sorter, serve_bytes, &err), HSD_OK, "%s", err.text);
    check_all(sorter, expected, count, config->record_words);
    cr_assert_eq(hsd_sorter_rewind(sorter, NULL), HSD_OK);
    check_all(sorter, expected, count, config->record_words);
    cr_assert_eq(hsd_sorter_words(sorter), config->record_words);
    const size_t rested = hsd_sorter_rest(sorter);
    cr_assert_eq(rested > 0, hsd_sorter_stats_get(sorter).runs > 0);
    cr_assert(rested <= config->memory_bytes && hsd_sorter_rest(sorter) == 0);
    cr_assert_eq(hsd_sorter_rewind(sorter, NULL), HSD_OK);
    check_some(sorter, expected, count, config->record_words);
    const hsd_sorter_stats stats = hsd_sorter_stats_get(sorter);
    cr_assert_eq(stats.records, count);
    hsd_sorter_free(sorter);
    cr_assert_eq(space.bytes_now, 0);
    return stats;
}

Test(sorter, gives_what_qsort_gives)
{
    uint64_t state = 4711;
    hsd_page_pool pool;
    hsd_page_pool_init(&pool, (size_t)2 << 20);
    for (int i = 0; i < 120; i++) {
        const shape of = (shape)(records_draw(&state) % SHAPES);
        const unsigned words = 1 + (unsigned)(records_draw(&state) % HSD_SORT_MAX_WORDS);
        const size_t count = records_draw(&state) % (i % 10 == 0 ? 120000 : 12000);
        hsd_sorter_config config = config_of(words, HSD_SORT_MIN_BYTES + records_draw(&state) % (4 << 20), i % 2);
        config.key_words = 1 + (unsigned)(records_draw(&state) % words);
        config.codec = records_draw(&state) % 4 == 0 ? HSD_RUN_RAW : HSD_RUN_DELTA;
        const size_t serve_bytes = i % 3 == 0 ? HSD_SORT_MIN_BYTES : 0;
        uint64_t *records = records_make(of, count, words, (uint64_t)i);
        uint64_t *expected = records_sorted(records, count, words);
        space.pool = i % 4 < 2 ? &pool : NULL; /* its pages are full of what others sorted */
        check(&config, serve_bytes, records, expected, count);
        free(records);
        free(expected);
    }
    cr_assert(pool.held_bytes > 0 && pool.held_bytes <= pool.most_bytes);
    hsd_page_pool_release(&pool);
}

Test(sorter, the_sequence_does_not_depend_on_order_memory_or_threads)
{
    enum { COUNT = 60000, WORDS = 3 };
    uint64_t *records = records_make(FEW_KEYS, COUNT, WORDS, 1);
    uint64_t *expected = records_sorted(records, COUNT, WORDS);
    const size_t memories[] = {HSD_SORT_MIN_BYTES, 1 << 20, 3 << 20, 64 << 20};
    for (size_t m = 0; m < HSD_ARRAY_LEN(memories); m++) {
        for (int use_thread = 0; use_thread < 2; use_thread++) {
            const hsd_sorter_config config = config_of(WORDS, memories[m], use_thread);
            check(&config, 0, records, expected, COUNT);
            records_shuffle(records, COUNT, WORDS, m);
        }
    }
    free(records);
    free(expected);
}

/* Packed runs are merged in passes, too, and served again and again. */
Test(sorter, packs_its_runs_where_it_is_asked_to)
{
    enum { COUNT = 900000, WORDS = 2 };
    uint64_t *records = records_make(ADDRESSES, COUNT, WORDS, 4);
    for (size_t i = 0; i < COUNT; i++)
        records[i * WORDS + 1] &= 0x30; /* which is worth packing */
    uint64_t *expected = records_sorted(records, COUNT, WORDS);
    for (int thread = 0; thread < 2; thread++) {
        uint64_t bytes[2];
        for (int packed = 0; packed < 2; packed++) {
            hsd_sorter *sorter = NULL;
            hsd_sorter_config config = config_of(WORDS, HSD_SORT_PACKED_BYTES, thread);
            config.codec = packed ? HSD_RUN_PACKED : HSD_RUN_DELTA;
            cr_assert_eq(hsd_sorter_new(&sorter, &config, NULL), HSD_OK);
            cr_assert_eq(put_all(sorter, records, COUNT, WORDS, NULL), HSD_OK);
            cr_assert_eq(hsd_sorter_finish(sorter, HSD_SORT_MIN_BYTES, NULL), HSD_OK);
            check_all(sorter, expected, COUNT, WORDS);
            cr_assert_gt(hsd_sorter_rest(sorter), 0);
            cr_assert_eq(hsd_sorter_rewind(sorter, NULL), HSD_OK);
            check_some(sorter, expected, COUNT, WORDS);
            const hsd_sorter_stats stats = hsd_sorter_stats_get(sorter);
            cr_assert_gt(stats.runs, 4);
            if (packed) cr_assert_gt(stats.merge_passes, 0);
            bytes[packed] = stats.temp_bytes / (stats.merge_passes + 1);
            hsd_sorter_free(sorter);
        }
        cr_assert_lt(bytes[1], bytes[0]);
    }
    free(records);
    free(expected);
}

/* Too little memory for what packs is no failure. */
Test(sorter, does_not_pack_with_little_memory)
{
    uint64_t *records = records_make(ADDRESSES, 90000, 2, 4), *expected = records_sorted(records, 90000, 2);
    hsd_sorter_config config = config_of(2, HSD_SORT_MIN_BYTES, false);
    config.codec = HSD_RUN_PACKED;
    const hsd_sorter_stats packed = check(&config, 0, records, expected, 90000);
    config.codec = HSD_RUN_DELTA;
    cr_assert_eq(packed.temp_bytes, check(&config, 0, records, expected, 90000).temp_bytes);
    free(records);
    free(expected);
}

Test(sorter, what_fits_stays_in_memory)
{
    enum { COUNT = 60000 };
    uint64_t *records = records_make(RANDOM, COUNT, 2, 1);
    uint64_t *expected = records_sorted(records, COUNT, 2);
    const hsd_sorter_config config = config_of(2, COUNT * 16 * 2 + (512 << 10), true);
    const hsd_sorter_stats stats = check(&config, 0, records, expected, COUNT);
    cr_assert(stats.runs == 0 && stats.merge_passes == 0 && stats.temp_bytes == 0 && !stats.was_in_order);
    cr_assert_eq(space.bytes_written, 0);
    free(records);
    free(expected);
}

Test(sorter, what_must_be_served_from_less_is_written)
{
    enum { COUNT = 60000 };
    uint64_t *records = records_make(RANDOM, COUNT, 2, 1);
    uint64_t *expected = records_sorted(records, COUNT, 2);
    const hsd_sorter_config config = config_of(2, 8 << 20, false);
    const hsd_sorter_stats stats = check(&config, HSD_SORT_MIN_BYTES, records, expected, COUNT);
    cr_assert(stats.runs == 1 && stats.fan_in == 1);
    const hsd_sorter_stats whole = check(&config, COUNT * 16 + (64 << 10), records, expected, COUNT);
    cr_assert_eq(whole.runs, 0);
    free(records);
    free(expected);
}

Test(sorter, input_in_order_is_one_run_and_is_not_sorted)
{
    enum { COUNT = 200000 };
    uint64_t *records = records_make(ORDERED, COUNT, 2, 1);
    for (int use_thread = 0; use_thread < 2; use_thread++) {
        const hsd_sorter_config config = config_of(2, 1 << 20, use_thread);
        const hsd_sorter_stats stats = check(&config, 0, records, records, COUNT);
        cr_assert(stats.was_in_order && stats.runs == 1 && stats.fan_in == 1 && stats.merge_passes == 0);
    }
    const hsd_sorter_config large = config_of(2, 64 << 20, false);
    cr_assert(check(&large, 0, records, records, COUNT).was_in_order);
    const hsd_sorter_config small = config_of(2, 1 << 20, false);
    records[COUNT] = 0; /* one record out of order */
    uint64_t *expected = records_sorted(records, COUNT, 2);
    cr_assert_not(check(&small, 0, records, expected, COUNT).was_in_order);
    free(records);
    free(expected);
}

Test(sorter, tiny_memory_means_many_passes_and_the_same_answer)
{
    enum { COUNT = 150000, WORDS = 8 };
    uint64_t *records = records_make(RANDOM, COUNT, WORDS, 1);
    uint64_t *expected = records_sorted(records, COUNT, WORDS);
    for (int use_thread = 0; use_thread < 2; use_thread++) {
        const hsd_sorter_config config = config_of(WORDS, HSD_SORT_MIN_BYTES, use_thread);
        const hsd_sorter_stats stats = check(&config, 0, records, expected, COUNT);
        cr_assert_gt(stats.runs, 80);
        cr_assert_geq(stats.merge_passes, 1);
        cr_assert_geq(stats.fan_in, 2);
        cr_assert_leq(space.bytes_peak, (uint64_t)COUNT * WORDS * 8 * 5 / 2);
    }
    free(records);
    free(expected);
}

Test(sorter, a_full_table_of_runs_is_merged_on_the_way)
{
    enum { COUNT = 700000, WORDS = 2 };
    uint64_t *records = records_make(REVERSED, COUNT, WORDS, 1);
    uint64_t *expected = records_sorted(records, COUNT, WORDS);
    const hsd_sorter_config config = config_of(WORDS, HSD_SORT_MIN_BYTES, true);
    const hsd_sorter_stats stats = check(&config, 0, records, expected, COUNT);
    cr_assert_gt(stats.runs, 140, "more than the table holds: %u", stats.runs);
    free(records);
    free(expected);
}

Test(sorter, of_nothing_serves_nothing)
{
    const hsd_sorter_config config = config_of(2, 1 << 20, true);
    const hsd_sorter_stats stats = check(&config, 0, NULL, NULL, 0);
    cr_assert(stats.runs == 0 && stats.was_in_order);
    hsd_sorter *sorter = NULL;
    cr_assert_eq(hsd_sorter_new(&sorter, &config, NULL), HSD_OK);
    hsd_sorter_free(sorter);
    hsd_sorter_free(NULL);
}

Test(sorter, can_be_left_at_any_time)
{
    uint64_t *records = records_make(RANDOM, 200000, 2, 1);
    const size_t stops[] = {0, 1, 30000, 70000, 130000, 200000};
    for (size_t i = 0; i < HSD_ARRAY_LEN(stops); i++) {
        hsd_sorter *sorter = NULL;
        const hsd_sorter_config config = config_of(2, 4 << 20, true);
        cr_assert_eq(hsd_sorter_new(&sorter, &config, NULL), HSD_OK);
        cr_assert_eq(put_all(sorter, records, stops[i], 2, NULL), HSD_OK);
        hsd_sorter_free(sorter);
        cr_assert_eq(space.bytes_now, 0);
    }
    free(records);
}

/* ---- what goes wrong */

Test(sorter, too_little_memory_names_what_suffices)
{
    hsd_sorter *sorter = NULL;
    hsd_error err;
    hsd_error_init(&err);
    hsd_sorter_config config = config_of(2, HSD_SORT_MIN_BYTES - 1, false);
    cr_assert_eq(hsd_sorter_new(&sorter, &config, &err), HSD_E_OVER_BUDGET);
    cr_assert_null(sorter);
    cr_assert_not_null(strstr(err.text, "262144 bytes suffice"));
    config.memory_bytes++;
    cr_assert_eq(hsd_sorter_new(&sorter, &config, NULL), HSD_OK);
    cr_assert_eq(hsd_sorter_finish(sorter, HSD_SORT_MIN_BYTES - 1, &err), HSD_E_OVER_BUDGET);
    cr_assert_eq(hsd_sorter_finish(sorter, HSD_SORT_MIN_BYTES, &err), HSD_OK, "it may be asked again");
    hsd_sorter_free(sorter);
}

Test(sorter, misuse_is_told)
{
    hsd_sorter *sorter = NULL;
    const uint64_t record[2] = {1, 2};
    const uint64_t *out;
    size_t some;
    hsd_sorter_config bad[] = {config_of(0, 1 << 20, false), config_of(HSD_SORT_MAX_WORDS + 1, 1 << 20, false),
                               config_of(2, 1 << 20, false), config_of(2, 1 << 20, false),
                               config_of(2, 1 << 20, false)};
    bad[2].key_words = 0;
    bad[3].key_words = 3;
    bad[4].space = NULL;
    for (size_t i = 0; i < HSD_ARRAY_LEN(bad); i++)
        cr_assert_eq(hsd_sorter_new(&sorter, &bad[i], NULL), HSD_E_MISUSE);
    const hsd_sorter_config config = config_of(2, 1 << 20, false);
    cr_assert_eq(hsd_sorter_new(&sorter, &config, NULL), HSD_OK);
    cr_assert_eq(hsd_sorter_put(sorter, record, NULL), HSD_OK);
    cr_assert_eq(hsd_sorter_next(sorter, &out, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_sorter_next_some(sorter, &out, &some, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_sorter_rewind(sorter, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_sorter_rest(sorter), 0);
    cr_assert_eq(hsd_sorter_finish(sorter, 0, NULL), HSD_OK);
    cr_assert_eq(hsd_sorter_put(sorter, record, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_sorter_finish(sorter, 0, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_sorter_next(sorter, &out, NULL), HSD_OK);
    cr_assert(out[0] == 1 && out[1] == 2);
    hsd_sorter_free(sorter);
}

/* One whole sort with a fault armed; what it returned, and whether the fault struck. */
static hsd_status sort_with_fault(hsd_fault_family family, uint64_t at, int error, bool use_thread,
                                  const uint64_t *records, const uint64_t *expected, size_t count, bool *struck)
{
    hsd_sorter *sorter = NULL;
    hsd_error err;
    const uint64_t *record = NULL;
    hsd_error_init(&err);
    hsd_fault_reset();
    hsd_fault_arm(family, at, true, error);
    const hsd_sorter_config config = config_of(2, HSD_SORT_MIN_BYTES + (use_thread ? 4 << 20 : 0), use_thread);
    hsd_status status = hsd_sorter_new(&sorter, &config, &err);
    if (status == HSD_OK) status = put_all(sorter, records, count, 2, &err);
    if (status == HSD_OK) status = hsd_sorter_finish(sorter, 0, &err);
    for (size_t i = 0; status == HSD_OK; i++) {
        status = hsd_sorter_next(sorter, &record, &err);
        if (status == HSD_OK) cr_assert_eq(memcmp(record, expected + i * 2, 16), 0);
        if (status == HSD_END) cr_assert_eq(i, count);
    }
    *struck = hsd_fault_strikes() > 0;
    hsd_fault_reset();
    if (status < 0 && sorter != NULL) { /* it fails the same way for ever */
        hsd_error again;
        hsd_error_init(&again);
        cr_assert_eq(hsd_sorter_next(sorter, &record, &again), status);
        cr_assert_str_eq(again.text, err.text);
        cr_assert_eq(hsd_sorter_put(sorter, records, &again), status);
        cr_assert_eq(hsd_sorter_rewind(sorter, &again), status);
        cr_assert_eq(hsd_sorter_finish(sorter, 0, NULL), status);
    }
    if (status < 0) cr_assert_neq(err.text[0], '\0');
    hsd_sorter_free(sorter);
    cr_assert_eq(space.bytes_now, 0);
    return status;
}

static void sweep(hsd_fault_family family, int error, hsd_status expected_status, bool use_thread)
{
    const size_t count = use_thread ? 400000 : 90000;
    uint64_t *records = records_make(RANDOM, count, 2, 8);
    uint64_t *expected = records_sorted(records, count, 2);
    bool struck = true;
    uint64_t strikes = 0;
    for (uint64_t at = 1; struck; at += at < 6 ? 1 : at / 3) {
        const hsd_status status = sort_with_fault(family, at, error, use_thread, records, expected, count, &struck);
        const bool is_harmless = family == HSD_FAULT_MALLOC && status == HSD_END; /* giving rows back */
        cr_assert(is_harmless || status == (struck ? expected_status : HSD_END), "%s call %d: %d",
                  hsd_fault_name(family), (int)at, (int)status);
        strikes += status < 0;
    }
    cr_assert_geq(strikes, family == HSD_FAULT_MALLOC ? 3 : 1);
    free(records);
    free(expected);
}

Test(sorter, every_failing_call_is_an_error)
{
    sweep(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, false);
    sweep(HSD_FAULT_OPEN, EACCES, HSD_E_IO, false);
    sweep(HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO, false);
    sweep(HSD_FAULT_PREAD, EIO, HSD_E_IO, false);
}

Test(sorter, every_failing_call_on_the_other_thread_is_an_error_too)
{
    sweep(HSD_FAULT_OPEN, EACCES, HSD_E_IO, true);
    sweep(HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO, true);
    sweep(HSD_FAULT_PREAD, EIO, HSD_E_IO, true);
}

Test(sorter, does_without_a_thread_that_cannot_be_had)
{
    uint64_t *records = records_make(RANDOM, 400000, 2, 8);
    uint64_t *expected = records_sorted(records, 400000, 2);
    bool struck = false;
    cr_assert_eq(sort_with_fault(HSD_FAULT_THREAD, 1, EAGAIN, true, records, expected, 400000, &struck), HSD_END);
    cr_assert(struck, "the case must use a thread to mean something");
    free(records);
    free(expected);
}

Test(sorter, a_full_disk_is_an_error_with_a_hint)
{
    if (!scratch_limit(256)) cr_skip_test("mounting a small file system is not allowed here");
    uint64_t *records = records_make(RANDOM, 100000, 2, 8);
    hsd_sorter *sorter = NULL;
    hsd_error err;
    hsd_error_init(&err);
    const hsd_sorter_config config = config_of(2, HSD_SORT_MIN_BYTES, false);
    cr_assert_eq(hsd_sorter_new(&sorter, &config, NULL), HSD_OK);
    cr_assert_eq(put_all(sorter, records, 100000, 2, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOSPC);
    cr_assert_not_null(strstr(err.hint, "--temp-dir"));
    hsd_sorter_free(sorter);
    free(records);
}

static bool stop_after(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)stage, (void)done, (void)total;
    return --*(int *)context > 0;
}

Test(sorter, can_be_cancelled)
{
    int left = 1;
    const hsd_run run = {.progress = stop_after, .progress_context = &left};
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    hsd_sorter *sorter = NULL;
    hsd_sorter_config config = config_of(2, HSD_SORT_MIN_BYTES, false);
    config.reporter = &reporter;
    uint64_t *records = records_make(RANDOM, 100000, 2, 8);
    cr_assert_eq(hsd_sorter_new(&sorter, &config, NULL), HSD_OK);
    cr_assert_eq(put_all(sorter, records, 100000, 2, NULL), HSD_E_CANCELLED);
    cr_assert_eq(hsd_sorter_finish(sorter, 0, NULL), HSD_E_CANCELLED);
    hsd_sorter_free(sorter);
    hsd_reporter_release(&reporter);
    free(records);
}
