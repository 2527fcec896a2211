/* Runs on disk: what was written comes back, and what does not is noticed. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "sort/run.h"
#include "support/fault.h"
#include "support/random.h"
#include "unit/io/scratch.h"
#include "unit/sort/records.h"

static hsd_temp_space space;
static hsd_temp file;

static void prepare(void)
{
    scratch_make();
    hsd_temp_space_init(&space, scratch);
    cr_assert_eq(hsd_temp_open(&file, &space, NULL), HSD_OK);
}

static void clean(void)
{
    hsd_temp_close(&file);
    scratch_remove();
}

TestSuite(run, .init = prepare, .fini = clean);

static hsd_sorted_run write_run(const uint64_t *records, size_t count, unsigned words, hsd_run_codec codec,
                                size_t buffer_bytes)
{
    hsd_run_writer writer;
    hsd_sorted_run run;
    uint8_t coding[HSD_SORT_MAX_WORDS];
    void *buffer = malloc(buffer_bytes);
    hsd_run_writer_init(&writer, &file, buffer, buffer_bytes, words, codec);
    hsd_run_choose_coding(coding, records, count, words);
    hsd_run_writer_begin(&writer, coding);
    for (size_t at = 0; at < count;) { /* in pieces */
        const size_t step = hsd_min_u64(at % 37 + 1, count - at);
        cr_assert_eq(hsd_run_writer_put(&writer, records + at * words, step, NULL), HSD_OK);
        at += step;
    }
    cr_assert_eq(hsd_run_writer_put(&writer, NULL, 0, NULL), HSD_OK);
    cr_assert_eq(hsd_run_writer_finish(&writer, &run, NULL), HSD_OK);
    cr_assert_eq(run.record_count, count);
    free(buffer);
    return run;
}

static void check_run(const hsd_sorted_run *run, const uint64_t *records, size_t count, unsigned words,
                      size_t block_bytes)
{
    hsd_run_reader reader;
    void *memory = malloc(hsd_run_reader_bytes(block_bytes));
    const uint64_t *record = NULL;
    hsd_run_reader_init(&reader, run, words, memory, block_bytes);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(hsd_run_reader_next(&reader, &record, NULL), HSD_OK);
        cr_assert_eq(memcmp(record, records + i * words, words * sizeof *record), 0, "record %zu", i);
    }
    cr_assert_eq(hsd_run_reader_next(&reader, &record, NULL), HSD_END);
    cr_assert_eq(hsd_run_reader_next(&reader, &record, NULL), HSD_END);
    free(memory);
}

Test(run, reads_back_what_it_wrote)
{
    for (shape of = 0; of < SHAPES; of++) {
        for (unsigned words = 1; words <= HSD_SORT_MAX_WORDS; words++) {
            const size_t count = 3000 / words;
            uint64_t *records = records_make(of, count, words, words);
            uint64_t *sorted = records_sorted(records, count, words);
            const hsd_sorted_run coded = write_run(sorted, count, words, HSD_RUN_DELTA, 4096);
            const hsd_sorted_run raw = write_run(sorted, count, words, HSD_RUN_RAW, 4096 + 8);
            cr_assert_eq(raw.size_bytes, count * words * 8);
            cr_assert_leq(coded.size_bytes, count * (words * 8 + (words + 1) / 2));
            check_run(&coded, sorted, count, words, HSD_RUN_BLOCK_MIN_BYTES);
            check_run(&coded, sorted, count, words, 1 << 16);
            check_run(&raw, sorted, count, words, HSD_RUN_BLOCK_MIN_BYTES);
            check_run(&raw, sorted, count, words, HSD_RUN_BLOCK_MIN_BYTES + 8);
            free(records);
            free(sorted);
        }
    }
}

static hsd_run_pack pack;

static hsd_sorted_run write_packed(const uint64_t *records, size_t count, unsigned words, size_t buffer_bytes)
{
    hsd_run_writer writer;
    hsd_sorted_run run;
    uint8_t coding[HSD_SORT_MAX_WORDS];
    void *buffer = malloc(buffer_bytes);
    hsd_run_writer_init(&writer, &file, buffer, buffer_bytes, words, HSD_RUN_PACKED);
    hsd_run_writer_pack(&writer, &pack);
    hsd_run_choose_coding(coding, records, count, words);
    hsd_run_writer_begin(&writer, coding);
    for (size_t at = 0; at < count;) {
        const size_t step = hsd_min_u64(at % 37 + 1, count - at);
        cr_assert_eq(hsd_run_writer_put(&writer, records + at * words, step, NULL), HSD_OK);
        at += step;
    }
    cr_assert_eq(hsd_run_writer_finish(&writer, &run, NULL), HSD_OK);
    free(buffer);
    return run;
}

/* What does not shrink takes a header more for each frame, and nothing else. */
Test(run, that_is_packed_reads_back_what_it_wrote)
{
    for (shape of = 0; of < SHAPES; of++) {
        for (unsigned words = 1; words <= HSD_SORT_MAX_WORDS; words++) {
            const size_t count = 12000 / words;
            uint64_t *records = records_make(of, count, words, words);
            uint64_t *sorted = records_sorted(records, count, words);
            const hsd_sorted_run coded = write_run(sorted, count, words, HSD_RUN_DELTA, 4096);
            const hsd_sorted_run packed = write_packed(sorted, count, words, HSD_RUN_WRITER_PACKED_BYTES);
            const hsd_sorted_run wide = write_packed(sorted, count, words, 1 << 16);
            cr_assert_eq(packed.size_bytes, wide.size_bytes);
            cr_assert_leq(packed.size_bytes, coded.size_bytes + coded.size_bytes / 1000 + 8);
            check_run(&packed, sorted, count, words, HSD_RUN_BLOCK_PACKED_BYTES);
            check_run(&packed, sorted, count, words, 1 << 16);
            check_run(&wide, sorted, count, words, HSD_RUN_BLOCK_PACKED_BYTES + 8);
            hsd_run_pack_release(&pack); /* made anew when it is needed */
            check_run(&packed, sorted, count, words, 1 << 16);
            free(records);
            free(sorted);
        }
    }
    const hsd_sorted_run nothing = write_packed(NULL, 0, 3, 1 << 16);
    cr_assert_eq(nothing.size_bytes, 0);
    check_run(&nothing, NULL, 0, 3, 1 << 16);
    hsd_run_pack_release(&pack);
}

/* As a dominator tree has them: places ascend by one, few types and names, sizes that come again. */
Test(run, that_is_packed_takes_half_of_the_bytes_of_a_tree)
{
    enum { COUNT = 50000, WORDS = 3 };
    uint64_t *records = malloc(COUNT * WORDS * sizeof *records), state = 5;
    for (size_t i = 0; i < COUNT; i++) {
        const uint64_t kind = records_draw(&state) % 40;
        records[WORDS * i] = (uint64_t)i << 32 | (i + 1);
        records[WORDS * i + 1] = UINT64_C(1) << 63 | (kind * 7) << 32 | (kind * kind);
        records[WORDS * i + 2] = (uint64_t)(i * 2) << 32 | (24 + kind * 8);
    }
    const hsd_sorted_run coded = write_run(records, COUNT, WORDS, HSD_RUN_DELTA, 1 << 16);
    const hsd_sorted_run packed = write_packed(records, COUNT, WORDS, 1 << 16);
    cr_assert_leq(2 * packed.size_bytes, coded.size_bytes);
    check_run(&packed, records, COUNT, WORDS, 1 << 15);
    hsd_run_pack_release(&pack);
    free(records);
}

Test(run, that_is_packed_and_damaged_ends)
{
    uint64_t *records = records_make(ADDRESSES, 9000, 2, 1), state = 9;
    uint64_t *sorted = records_sorted(records, 9000, 2);
    const hsd_sorted_run run = write_packed(sorted, 9000, 2, 1 << 16);
    void *memory = malloc(hsd_run_reader_bytes(HSD_RUN_BLOCK_PACKED_BYTES));
    hsd_run_reader reader;
    const uint64_t *record;
    hsd_status status;
    int noticed = 0;
    for (int i = 0; i < 500; i++) {
        uint8_t byte, changed = (uint8_t)records_draw(&state);
        const uint64_t at = run.offset_bytes + (i < 8 ? (uint64_t)i / 2 : records_draw(&state) % run.size_bytes);
        cr_assert_eq(hsd_temp_read(&file, at, &byte, 1, NULL), HSD_OK);
        cr_assert_eq(hsd_temp_write(&file, at, &changed, 1, NULL), HSD_OK);
        hsd_run_reader_init(&reader, &run, 2, memory, HSD_RUN_BLOCK_PACKED_BYTES);
        do
            status = hsd_run_reader_next(&reader, &record, NULL);
        while (status == HSD_OK);
        cr_assert(status == HSD_END || status == HSD_E_CORRUPT);
        noticed += status == HSD_E_CORRUPT;
        cr_assert_eq(hsd_temp_write(&file, at, &byte, 1, NULL), HSD_OK);
    }
    cr_assert_gt(noticed, 5);
    check_run(&run, sorted, 9000, 2, HSD_RUN_BLOCK_PACKED_BYTES);
    hsd_sorted_run shorter = run, longer = run, cut = run;
    shorter.record_count--;
    longer.record_count++;
    cut.size_bytes -= 3;
    const hsd_sorted_run others[] = {shorter, longer, cut};
    for (size_t i = 0; i < HSD_ARRAY_LEN(others); i++) {
        hsd_run_reader_init(&reader, &others[i], 2, memory, HSD_RUN_BLOCK_PACKED_BYTES);
        do
            status = hsd_run_reader_next(&reader, &record, NULL);
        while (status == HSD_OK);
        cr_assert_eq(status, HSD_E_CORRUPT, "run %zu", i);
    }
    hsd_run_pack_release(&pack);
    free(memory);
    free(records);
    free(sorted);
}

Test(run, of_nothing_is_a_run)
{
    const hsd_sorted_run run = write_run(NULL, 0, 3, HSD_RUN_DELTA, 4096);
    cr_assert_eq(run.size_bytes, 0);
    check_run(&run, NULL, 0, 3, HSD_RUN_BLOCK_MIN_BYTES);
}

Test(run, sorted_addresses_shrink_to_a_third)
{
    uint64_t *records = records_make(ADDRESSES, 20000, 2, 1);
    uint64_t *sorted = records_sorted(records, 20000, 2);
    const hsd_sorted_run run = write_run(sorted, 20000, 2, HSD_RUN_DELTA, 1 << 16);
    cr_assert_leq(run.size_bytes, 20000 * 16 / 3);
    cr_assert_eq(run.coding[0], HSD_WORD_DELTA);
    cr_assert_eq(run.coding[1], HSD_WORD_PLAIN);
    free(records);
    free(sorted);
}

Test(run, what_the_sample_did_not_see_is_still_stored)
{
    enum { COUNT = 5000 };
    uint64_t *records = malloc(COUNT * 2 * sizeof *records);
    for (size_t i = 0; i < COUNT; i++) { /* coding chosen by tame records, wild ones follow */
        records[2 * i] = i < 600 ? i : i == 600 ? UINT64_MAX / 2 : UINT64_MAX - COUNT + i;
        records[2 * i + 1] = i % 2 == 0 ? 0 : UINT64_MAX;
    }
    hsd_run_writer writer;
    hsd_sorted_run run;
    uint8_t buffer[HSD_RUN_WRITER_MIN_BYTES];
    const uint8_t halves = HSD_WORD_HALVES, high = halves | HSD_WORD_HALVES_HIGH_DELTA,
                  low = halves | HSD_WORD_HALVES_LOW_DELTA, both = high | low;
    const uint8_t codings[][HSD_SORT_MAX_WORDS] = {{0, 0},       {0, 1},           {1, 0},      {1, 1},
                                                   {halves, 0},  {halves, halves}, {high, low}, {low, high},
                                                   {both, both}, {both, 1}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(codings); i++) {
        hsd_run_writer_init(&writer, &file, buffer, sizeof buffer, 2, HSD_RUN_DELTA);
        hsd_run_writer_begin(&writer, codings[i]);
        cr_assert_eq(hsd_run_writer_put(&writer, records, COUNT, NULL), HSD_OK);
        cr_assert_eq(hsd_run_writer_finish(&writer, &run, NULL), HSD_OK);
        check_run(&run, records, COUNT, 2, HSD_RUN_BLOCK_MIN_BYTES);
    }
    free(records);
}

/* Pairs of numbers of 32 bits: each half in its own way. */
Test(run, halves_of_words_are_stored_by_themselves)
{
    enum { COUNT = 20000 };
    test_random random = {.state = 7};
    uint64_t *records = malloc(COUNT * 3 * sizeof *records);
    for (uint64_t i = 0; i < COUNT; i++) {
        records[3 * i] = i << 32 | (i + 5);                             /* both go up */
        records[3 * i + 1] = (test_next(&random) & 0x3fffff) << 32 | 1; /* a number, and a flag */
        records[3 * i + 2] = i / 100 << 32 | (test_next(&random) & 0xffffff);
    }
    const hsd_sorted_run run = write_run(records, COUNT, 3, HSD_RUN_DELTA, 1 << 16);
    cr_assert_eq(run.coding[0], HSD_WORD_HALVES | HSD_WORD_HALVES_HIGH_DELTA | HSD_WORD_HALVES_LOW_DELTA);
    cr_assert_neq(run.coding[1] & HSD_WORD_HALVES, 0);
    cr_assert_leq(run.size_bytes, COUNT * (2 + 2 + 4 + 4) + 100);
    check_run(&run, records, COUNT, 3, HSD_RUN_BLOCK_MIN_BYTES);
    free(records);
}

/* Whatever the codings, and the words: one coder is the other's oracle, byte for byte. */
static void check_coders(const uint64_t *records, size_t count, unsigned words, const uint8_t *coding)
{
    enum { SLACK = 256 };
    const hsd_run_coder coders[2] = {hsd_run_coder_plain(words), hsd_run_coder_shuffled(words)};
    const size_t capacity = count * HSD_RUN_RECORD_MAX_BYTES + SLACK;
    uint8_t *bytes[2] = {malloc(capacity), malloc(capacity)};
    uint64_t *back = malloc((count + 1) * words * sizeof *back);
    size_t sizes[2];
    for (int i = 0; i < 2; i++) {
        uint64_t previous[HSD_SORT_MAX_WORDS] = {0};
        size_t done = count;
        memset(bytes[i], 0, capacity);
        sizes[i] = (size_t)(coders[i].encode(bytes[i], bytes[i] + capacity - SLACK, records, &done, previous, coding) -
                            bytes[i]);
        cr_assert_eq(done, count);
    }
    cr_assert_eq(sizes[0], sizes[1]);
    cr_assert_eq(memcmp(bytes[0], bytes[1], sizes[0]), 0, "%u words", words);
    for (int i = 0; i < 2; i++) {
        uint64_t previous[HSD_SORT_MAX_WORDS] = {0};
        const uint8_t *at = bytes[1 - i];
        const size_t half = coders[i].decode(&at, bytes[1 - i] + sizes[0], back, count / 2, previous, coding);
        cr_assert_eq(half, count / 2);
        cr_assert_eq(coders[i].decode(&at, bytes[1 - i] + sizes[0], back + half * words, count, previous, coding),
                     count - half);
        cr_assert_eq(at, bytes[1 - i] + sizes[0]);
        cr_assert_eq(memcmp(back, records, count * words * sizeof *back), 0, "%u words", words);
        cr_assert(count == 0 || memcmp(previous, records + (count - 1) * words, words * sizeof *previous) == 0);
    }
    free(bytes[0]);
    free(bytes[1]);
    free(back);
}

Test(run, both_coders_write_the_same_bytes)
{
    static const uint8_t codings[] = {HSD_WORD_PLAIN,
                                      HSD_WORD_DELTA,
                                      HSD_WORD_HALVES,
                                      HSD_WORD_HALVES | HSD_WORD_HALVES_HIGH_DELTA,
                                      HSD_WORD_HALVES | HSD_WORD_HALVES_LOW_DELTA,
                                      HSD_WORD_HALVES | HSD_WORD_HALVES_HIGH_DELTA | HSD_WORD_HALVES_LOW_DELTA};
    test_random random = {.state = 11};
    for (unsigned words = 1; words <= HSD_SORT_MAX_WORDS && hsd_run_coder_shuffled(words).encode != NULL; words++) {
        for (int round = 0; round < 60; round++) {
            uint8_t coding[HSD_SORT_MAX_WORDS];
            const size_t count = test_next(&random) % 400;
            uint64_t *records = malloc((count * words + 1) * sizeof *records);
            for (unsigned w = 0; w < HSD_SORT_MAX_WORDS; w++)
                coding[w] = codings[test_next(&random) % HSD_ARRAY_LEN(codings)];
            for (size_t i = 0; i < count * words; i++) { /* of every length, as a word and as halves */
                const uint64_t low = test_next(&random) >> test_next(&random) % 64;
                records[i] =
                    round % 2 == 0 ? low : test_next(&random) >> (32 + test_next(&random) % 32) << 32 | (uint32_t)low;
                if (test_next(&random) % 7 == 0) records[i] = 0;
            }
            check_coders(records, count, words, coding);
            free(records);
        }
    }
}

Test(run, a_file_that_changed_is_noticed)
{
    uint64_t *records = records_make(RANDOM, 3000, 2, 1);
    uint64_t *sorted = records_sorted(records, 3000, 2);
    const hsd_sorted_run run = write_run(sorted, 3000, 2, HSD_RUN_DELTA, 4096);
    void *memory = malloc(hsd_run_reader_bytes(4096));
    uint64_t state = 3;
    int noticed = 0;
    for (int i = 0; i < 500; i++) { /* whatever it finds, it stays within its memory and ends */
        uint8_t byte, changed = (uint8_t)records_draw(&state);
        const uint64_t at = run.offset_bytes + records_draw(&state) % run.size_bytes;
        cr_assert_eq(hsd_temp_read(&file, at, &byte, 1, NULL), HSD_OK);
        cr_assert_eq(hsd_temp_write(&file, at, &changed, 1, NULL), HSD_OK);
        hsd_run_reader reader;
        const uint64_t *record;
        hsd_status status;
        hsd_run_reader_init(&reader, &run, 2, memory, 4096);
        do
            status = hsd_run_reader_next(&reader, &record, NULL);
        while (status == HSD_OK);
        cr_assert(status == HSD_END || status == HSD_E_CORRUPT);
        noticed += status == HSD_E_CORRUPT;
        cr_assert_eq(hsd_temp_write(&file, at, &byte, 1, NULL), HSD_OK);
    }
    cr_assert_gt(noticed, 5);
    check_run(&run, sorted, 3000, 2, 4096);
    hsd_sorted_run shorter = run, longer = run;
    shorter.record_count--;
    longer.record_count++;
    hsd_run_reader reader;
    const uint64_t *record;
    hsd_status status = HSD_OK;
    hsd_run_reader_init(&reader, &shorter, 2, memory, 4096);
    while (status == HSD_OK)
        status = hsd_run_reader_next(&reader, &record, NULL);
    cr_assert_eq(status, HSD_E_CORRUPT);
    status = HSD_OK;
    hsd_run_reader_init(&reader, &longer, 2, memory, 4096);
    while (status == HSD_OK)
        status = hsd_run_reader_next(&reader, &record, NULL);
    cr_assert_eq(status, HSD_E_CORRUPT);
    cr_assert_eq(ftruncate(file.fd, 5000), 0);
    status = HSD_OK;
    hsd_run_reader_init(&reader, &run, 2, memory, 4096);
    while (status == HSD_OK)
        status = hsd_run_reader_next(&reader, &record, NULL);
    cr_assert_eq(status, HSD_E_CORRUPT);
    free(memory);
    free(records);
    free(sorted);
}

Test(run, failing_disks_are_told)
{
    uint64_t *records = records_make(ORDERED, 4000, 4, 1);
    for (int raw = 0; raw < 2; raw++) {
        hsd_run_writer writer;
        hsd_sorted_run run;
        hsd_error err;
        uint8_t buffer[HSD_RUN_WRITER_MIN_BYTES];
        const uint8_t coding[HSD_SORT_MAX_WORDS] = {0};
        for (uint64_t at = 1; at < 5; at++) {
            hsd_error_init(&err);
            hsd_fault_reset();
            hsd_fault_arm(HSD_FAULT_PWRITE, at, true, ENOSPC);
            hsd_run_writer_init(&writer, &file, buffer, sizeof buffer, 4, raw ? HSD_RUN_RAW : HSD_RUN_DELTA);
            hsd_run_writer_begin(&writer, coding);
            hsd_status status = hsd_run_writer_put(&writer, records, 4000, &err);
            if (status == HSD_OK) status = hsd_run_writer_finish(&writer, &run, &err);
            hsd_fault_reset();
            cr_assert_eq(status, HSD_E_IO);
            cr_assert_eq(err.sys_errno, ENOSPC);
        }
    }
    free(records);
}
