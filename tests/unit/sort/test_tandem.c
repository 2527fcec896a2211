/*
 * The tandem merge against a naive one: any number of streams, equal keys within a stream.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "sort/tandem.h"
#include "support/random.h"

enum { MAX_STREAMS = 9, MAX_RECORDS = 30, KEYS = 12, LONG_NUMBERS = 600000 };

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(tandem, .init = setup);

/* A finished sorter with `counts[key]` records of each key; even keys share their first word. */
static hsd_sorter *stream_of(const uint32_t counts[KEYS])
{
    const hsd_sorter_config config = {
        .record_words = 3, .key_words = 2, .memory_bytes = HSD_SORT_MIN_BYTES, .space = &space};
    hsd_sorter *sorter;
    cr_assert_eq(hsd_sorter_new(&sorter, &config, &err), HSD_OK);
    for (uint64_t key = 0; key < KEYS; key++) {
        for (uint32_t i = 0; i < counts[key]; i++) {
            const uint64_t record[3] = {key / 2, (key % 2) << 32 | i, i};
            cr_assert_eq(hsd_sorter_put(sorter, record, &err), HSD_OK);
        }
    }
    cr_assert_eq(hsd_sorter_finish(sorter, 0, &err), HSD_OK);
    return sorter;
}

/* Each key is served max(count) times, and a stream takes part in the first `count` of them. */
static void check(hsd_tandem *tandem, uint32_t streams, uint32_t counts[MAX_STREAMS][KEYS])
{
    const uint64_t *const *records;
    for (uint64_t key = 0; key < KEYS; key++) {
        uint32_t most = 0;
        for (uint32_t s = 0; s < streams; s++)
            most = counts[s][key] > most ? counts[s][key] : most;
        for (uint32_t i = 0; i < most; i++) {
            cr_assert_eq(hsd_tandem_next(tandem, &records, &err), HSD_OK);
            for (uint32_t s = 0; s < streams; s++) {
                cr_assert_eq(records[s] != NULL, i < counts[s][key], "stream %u key %lu", s, (unsigned long)key);
                if (records[s] == NULL) continue;
                cr_assert_eq(records[s][0], key / 2);
                cr_assert_eq(records[s][1] >> 32, key % 2);
                cr_assert_eq(records[s][2], i);
            }
        }
    }
    cr_assert_eq(hsd_tandem_next(tandem, &records, &err), HSD_END);
    cr_assert_eq(hsd_tandem_next(tandem, &records, &err), HSD_END);
}

Test(tandem, equals_a_naive_merge_for_any_number_of_streams)
{
    for (uint64_t i = 0; i < 300; i++) {
        test_random random = {test_seed(21) + i};
        const uint32_t streams = (uint32_t)test_below(&random, MAX_STREAMS + 1);
        uint32_t counts[MAX_STREAMS][KEYS];
        hsd_sorter *sorters[MAX_STREAMS];
        hsd_tandem *tandem;
        for (uint32_t s = 0; s < streams; s++) {
            for (int key = 0; key < KEYS; key++)
                counts[s][key] = (uint32_t)test_below(&random, 3);
            sorters[s] = stream_of(counts[s]);
        }
        cr_assert_eq(hsd_tandem_new(&tandem, sorters, streams, i % 2 == 0, &err), HSD_OK);
        check(tandem, streams, counts);
        hsd_tandem_free(tandem);
        for (uint32_t s = 0; s < streams; s++)
            hsd_sorter_free(sorters[s]);
    }
}

/* In runs: every step-th number from 0 on. */
static hsd_sorter *long_stream(uint64_t step)
{
    const hsd_sorter_config config = {
        .record_words = 2, .key_words = 2, .memory_bytes = HSD_SORT_MIN_BYTES, .space = &space};
    hsd_sorter *sorter;
    cr_assert_eq(hsd_sorter_new(&sorter, &config, &err), HSD_OK);
    for (uint64_t i = LONG_NUMBERS / step; i-- > 0;)
        cr_assert_eq(hsd_sorter_put(sorter, (const uint64_t[2]){i * step, 0}, &err), HSD_OK);
    cr_assert_eq(hsd_sorter_finish(sorter, 0, &err), HSD_OK);
    cr_assert_gt(hsd_sorter_stats_get(sorter).runs, 1);
    return sorter;
}

/* From the first record on, which was looked at before, or half of all until the merge is given up. */
static void merge_runs(hsd_sorter *const *sorters, uint64_t until)
{
    const uint64_t *const *records;
    hsd_tandem *tandem;
    for (int s = 0; s < 2; s++)
        cr_assert_eq(hsd_sorter_rewind(sorters[s], &err), HSD_OK);
    cr_assert_eq(hsd_tandem_new(&tandem, sorters, 2, true, &err), HSD_OK);
    for (uint64_t i = 0; i < until; i++) {
        if (i % 2 != 0 && i % 3 != 0) continue;
        cr_assert_eq(hsd_tandem_next(tandem, &records, &err), HSD_OK);
        cr_assert_eq(records[0] != NULL, i % 2 == 0, "number %lu", (unsigned long)i);
        cr_assert_eq(records[1] != NULL, i % 3 == 0, "number %lu", (unsigned long)i);
        for (int s = 0; s < 2; s++)
            if (records[s] != NULL) cr_assert_eq(records[s][0], i);
    }
    if (until == LONG_NUMBERS) cr_assert_eq(hsd_tandem_next(tandem, &records, &err), HSD_END);
    hsd_tandem_free(tandem);
}

Test(tandem, runs_that_are_read_ahead_come_whole_and_in_order)
{
    hsd_sorter *const sorters[2] = {long_stream(2), long_stream(3)};
    merge_runs(sorters, LONG_NUMBERS / 2);
    merge_runs(sorters, LONG_NUMBERS);
    for (int s = 0; s < 2; s++)
        hsd_sorter_free(sorters[s]);
}
