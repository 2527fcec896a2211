/* Watched sources: the digest is that of the whole input, whatever was read of it, and faults come through. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "io/checksum.h"
#include "io/source.h"
#include "support/fault.h"
#include "unit/io/scratch.h"

#define SIZE   ((size_t)100003)
#define WINDOW ((size_t)4096)

static uint8_t data[SIZE], wanted[HSD_DIGEST_BYTES];
static hsd_temp_space space;

static void prepare(void)
{
    hsd_digest digest;
    scratch_make();
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    scratch_write("data", data, SIZE);
    hsd_temp_space_init(&space, scratch);
    hsd_digest_begin(&digest);
    hsd_digest_add(&digest, data, SIZE);
    hsd_digest_get(&digest, wanted);
}

TestSuite(watch, .init = prepare, .fini = scratch_remove);

static hsd_watch *open_watched(hsd_source *source)
{
    hsd_watch *watch = NULL;
    cr_assert_eq(hsd_source_open_file(source, scratch_path("data"), WINDOW, NULL), HSD_OK);
    cr_assert_eq(hsd_watch_begin(&watch, source, NULL), HSD_OK);
    return watch;
}

/* What stands at an offset must be right although it is watched. */
static void look_at(hsd_source *source, uint64_t offset)
{
    cr_assert_eq(hsd_source_seek(source, offset, NULL), HSD_OK);
    cr_assert_eq(hsd_source_peek(source, 3, NULL), HSD_OK);
    cr_assert_eq(memcmp(source->at, data + offset, hsd_source_ahead(source)), 0);
}

static void expect_digest(hsd_watch *watch, bool is_known, const char *what)
{
    uint8_t digest[HSD_DIGEST_BYTES];
    bool known;
    cr_assert_eq(hsd_watch_finish(watch, digest, &known, NULL), HSD_OK);
    cr_assert_eq(known, is_known, "%s", what);
    if (known) cr_assert_arr_eq(digest, wanted, sizeof digest, "%s", what);
}

Test(watch, digest_of_a_file_is_that_of_all_of_it)
{
    static const uint64_t walks[][5] = {
        {0}, {50000}, {SIZE - 3, 10}, {90000, 20000, 90000, 0, 95000}, {5000, 10000, 9000, 15000, 4000}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(walks); i++) {
        hsd_source source;
        hsd_watch *watch = open_watched(&source);
        for (size_t j = 0; j < 5 && i > 0; j++)
            look_at(&source, walks[i][j]);
        expect_digest(watch, true, "a walk");
        hsd_source_close(&source);
    }
}

Test(watch, digest_counts_what_is_read_twice_once)
{
    hsd_source source;
    hsd_watch *watch = open_watched(&source);
    static uint8_t copy[SIZE];
    for (int pass = 0; pass < 3; pass++) {
        cr_assert_eq(hsd_source_rewind(&source, NULL), HSD_OK);
        cr_assert_eq(hsd_source_skip(&source, 7, NULL), HSD_OK);
        cr_assert_eq(hsd_source_copy(&source, copy, SIZE - 7, NULL), HSD_OK);
        cr_assert_eq(memcmp(copy, data + 7, SIZE - 7), 0);
        cr_assert_eq(hsd_source_peek(&source, 1, NULL), HSD_END);
    }
    expect_digest(watch, true, "three passes");
    hsd_source_close(&source);
}

/* The reading end of a pipe that holds the first `size` bytes and has ended. */
static int pipe_of(size_t size)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], data, size), (ssize_t)size);
    close(ends[1]);
    return ends[0];
}

static void read_pipe(bool to_its_end, bool spooled)
{
    hsd_source source;
    hsd_watch *watch;
    hsd_digest digest;
    const size_t size = 40000;
    const int fd = pipe_of(size);
    hsd_digest_begin(&digest);
    hsd_digest_add(&digest, data, size);
    hsd_digest_get(&digest, wanted);
    cr_assert_eq(hsd_source_open_fd(&source, fd, "pipe", WINDOW, NULL), HSD_OK);
    cr_assert_eq(hsd_source_peek(&source, 100, NULL), HSD_OK); /* a probe looked first */
    cr_assert_eq(hsd_watch_begin(&watch, &source, NULL), HSD_OK);
    if (spooled) cr_assert_eq(hsd_source_make_rewindable(&source, &space, NULL), HSD_OK);
    cr_assert_eq(hsd_source_skip(&source, size - 10, NULL), HSD_OK);
    if (spooled) cr_assert_eq(hsd_source_rewind(&source, NULL), HSD_OK);
    if (spooled) cr_assert_eq(hsd_source_skip(&source, size - 10, NULL), HSD_OK);
    if (to_its_end) cr_assert_eq(hsd_source_peek(&source, 11, NULL), HSD_END);
    expect_digest(watch, to_its_end, spooled ? "a spooled pipe" : "a pipe");
    hsd_source_close(&source);
    close(fd);
}

Test(watch, digest_of_a_pipe_is_known_when_its_end_was_seen)
{
    read_pipe(true, false);
    read_pipe(false, false);
    read_pipe(true, true);
    read_pipe(false, true);
}

Test(watch, digest_of_nothing)
{
    hsd_source source;
    hsd_watch *watch;
    hsd_digest digest;
    hsd_digest_begin(&digest);
    hsd_digest_get(&digest, wanted);
    const int fd = open("/dev/null", O_RDONLY);
    cr_assert_eq(hsd_source_open_fd(&source, fd, "nothing", WINDOW, NULL), HSD_OK);
    cr_assert_eq(hsd_watch_begin(&watch, &source, NULL), HSD_OK);
    expect_digest(watch, false, "nothing was read");
    cr_assert_eq(hsd_source_peek(&source, 1, NULL), HSD_END);
    expect_digest(watch, true, "the end was read");
    hsd_source_close(&source);
    close(fd);
}

/* ---- what goes wrong ---- */

Test(watch, refuses_what_it_cannot_follow)
{
    hsd_source source;
    hsd_watch *watch;
    cr_assert_eq(hsd_source_open_memory(&source, (hsd_bytes){data, SIZE}, "memory", NULL), HSD_OK);
    cr_assert_eq(hsd_watch_begin(&watch, &source, NULL), HSD_E_MISUSE);
    hsd_source_close(&source);
}

Test(watch, fails_without_memory)
{
    hsd_source source;
    hsd_watch *watch;
    cr_assert_eq(hsd_source_open_file(&source, scratch_path("data"), WINDOW, NULL), HSD_OK);
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_MALLOC, 1, false, ENOMEM);
    cr_assert_eq(hsd_watch_begin(&watch, &source, NULL), HSD_E_NOMEM);
    hsd_fault_reset();
    cr_assert_eq(hsd_source_peek(&source, 1, NULL), HSD_OK); /* it is as it was */
    hsd_source_close(&source);
}

/* One read fails: of the importer, or of a gap that only the digest needs. */
Test(watch, every_failed_read_is_told)
{
    bool is_done = false;
    for (uint64_t at = 1; !is_done; at++) {
        hsd_source source;
        uint8_t digest[HSD_DIGEST_BYTES];
        bool known;
        hsd_error err;
        hsd_error_init(&err);
        hsd_watch *watch = open_watched(&source);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_PREAD, at, false, EIO);
        hsd_status status = hsd_source_seek(&source, 60000, &err);
        if (status == HSD_OK) status = hsd_source_peek(&source, 1, &err);
        if (status == HSD_OK) status = hsd_watch_finish(watch, digest, &known, &err);
        is_done = hsd_fault_strikes() == 0;
        hsd_fault_reset();
        cr_assert_eq(status, is_done ? HSD_OK : HSD_E_IO, "read %d", (int)at);
        if (!is_done) cr_assert_eq(err.sys_errno, EIO);
        if (is_done) cr_assert_arr_eq(digest, wanted, sizeof digest);
        hsd_source_close(&source);
    }
}
