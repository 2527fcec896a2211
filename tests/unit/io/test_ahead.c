/* Sources that are read ahead: bytes, ends, errors and digests are those of the same source without a thread. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "io/checksum.h"
#include "io/source.h"
#include "support/fault.h"
#include "support/random.h"
#include "unit/io/scratch.h"

#define SIZE   (((size_t)4 << 20) + 12345)
#define WINDOW ((size_t)64 << 10)

static uint8_t data[SIZE];

static void prepare(void)
{
    scratch_make();
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    scratch_write("data", data, SIZE);
}

TestSuite(ahead, .init = prepare, .fini = scratch_remove);

static void open_ahead(hsd_source *source)
{
    cr_assert_eq(hsd_source_open_file(source, scratch_path("data"), WINDOW, NULL), HSD_OK);
    cr_assert_gt(hsd_source_read_ahead(source), 0);
}

static void expect_here(const hsd_source *source)
{
    const uint64_t offset = hsd_source_offset(source);
    cr_assert_eq(memcmp(source->at, data + offset, hsd_source_ahead(source)), 0, "at %llu", (unsigned long long)offset);
}

/* One step of somebody who reads, as a rule on. */
static void step(hsd_source *source, test_random *random)
{
    const uint64_t offset = hsd_source_offset(source), what = test_below(random, 100);
    const uint64_t at = what < 3 ? test_below(random, SIZE) : offset + test_below(random, 3 * WINDOW);
    const size_t want = 1 + (size_t)test_below(random, WINDOW);
    if (what < 20) {
        const hsd_status status = hsd_source_seek(source, at, NULL);
        cr_assert_eq(status, at <= SIZE ? HSD_OK : HSD_E_TRUNCATED);
    }
    const hsd_status status = hsd_source_peek(source, want, NULL);
    cr_assert_eq(status, hsd_source_offset(source) + want <= SIZE ? HSD_OK : HSD_END);
    expect_here(source);
    hsd_source_take(source, (size_t)test_below(random, hsd_source_ahead(source) + 1));
    if (status == HSD_END && what < 50) cr_assert_eq(hsd_source_rewind(source, NULL), HSD_OK);
}

Test(ahead, bytes_are_those_of_the_file_in_any_order)
{
    hsd_source source;
    test_random random = {test_seed(61)};
    open_ahead(&source);
    for (int i = 0; i < 3000; i++)
        step(&source, &random);
    hsd_source_close(&source);
}

Test(ahead, digest_is_that_of_all_of_it)
{
    uint8_t wanted[HSD_DIGEST_BYTES], digest[HSD_DIGEST_BYTES];
    hsd_digest whole;
    hsd_digest_begin(&whole);
    hsd_digest_add(&whole, data, SIZE);
    hsd_digest_get(&whole, wanted);
    for (uint64_t end = 0; end <= SIZE; end += SIZE / 3) {
        hsd_source source;
        hsd_watch *watch;
        bool is_known;
        cr_assert_eq(hsd_source_open_file(&source, scratch_path("data"), WINDOW, NULL), HSD_OK);
        cr_assert_eq(hsd_watch_begin(&watch, &source, NULL), HSD_OK);
        cr_assert_gt(hsd_source_read_ahead(&source), 0);
        while (hsd_source_offset(&source) < end) {
            cr_assert_eq(hsd_source_peek(&source, 1, NULL), HSD_OK);
            hsd_source_take(&source, hsd_source_ahead(&source));
        }
        hsd_source_wait(&source);
        cr_assert_eq(hsd_watch_finish(watch, digest, &is_known, NULL), HSD_OK);
        cr_assert(is_known);
        cr_assert_arr_eq(digest, wanted, sizeof digest);
        hsd_source_close(&source);
    }
}

/* How far a source comes before its k-th read fails. */
static uint64_t read_until_error(bool is_ahead, uint64_t k, hsd_error *err)
{
    hsd_source source;
    hsd_status status = HSD_OK;
    cr_assert_eq(hsd_source_open_file(&source, scratch_path("data"), WINDOW, NULL), HSD_OK);
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_PREAD, k, true, EIO);
    if (is_ahead) cr_assert_gt(hsd_source_read_ahead(&source), 0);
    hsd_error_init(err);
    while ((status = hsd_source_peek(&source, 1, err)) == HSD_OK) {
        expect_here(&source);
        hsd_source_take(&source, hsd_source_ahead(&source));
    }
    cr_assert_eq(status, HSD_E_IO);
    cr_assert_eq(hsd_source_peek(&source, 1, err), HSD_E_IO); /* it is asked again */
    const uint64_t offset = hsd_source_offset(&source);
    cr_assert_eq(err->offset_bytes, offset);
    hsd_source_close(&source);
    hsd_fault_reset();
    return offset;
}

Test(ahead, errors_are_told_where_their_bytes_are_asked_for)
{
    hsd_error plain, ahead;
    for (uint64_t k = 1; k < 6; k++) {
        const uint64_t offset = read_until_error(true, k, &ahead);
        read_until_error(false, k, &plain);
        cr_assert(k == 1 ? offset == 0 : offset > 0 && offset < SIZE);
        cr_assert_str_eq(plain.text, ahead.text);
    }
}

Test(ahead, reads_go_on_without_threads)
{
    hsd_source source;
    open_ahead(&source);
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_THREAD, 2, true, EAGAIN);
    for (uint64_t at = 0; at < SIZE; at += hsd_source_ahead(&source), source.at = source.end) {
        cr_assert_eq(hsd_source_peek(&source, 1, NULL), HSD_OK);
        expect_here(&source);
    }
    cr_assert_eq(hsd_source_peek(&source, 1, NULL), HSD_END);
    hsd_fault_reset();
    hsd_source_close(&source);
}

Test(ahead, short_inputs_are_left_alone)
{
    hsd_source source;
    scratch_write("short", data, 1000);
    cr_assert_eq(hsd_source_open_file(&source, scratch_path("short"), WINDOW, NULL), HSD_OK);
    cr_assert_eq(hsd_source_read_ahead(&source), 0);
    hsd_source_close(&source);
}
