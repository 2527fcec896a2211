/*
 * Sources of every kind give the same bytes for the same sequence of calls, and say the same when
 * there are none left.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/worker.h"
#include "io/source.h"
#include "support/fault.h"
#include "unit/io/scratch.h"

#define SIZE   ((size_t)100003)
#define WINDOW ((size_t)4096)

static uint8_t data[SIZE];
static hsd_temp_space space;

static void prepare(void)
{
    scratch_make();
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    scratch_write("data", data, SIZE);
    hsd_temp_space_init(&space, scratch);
}

TestSuite(source, .init = prepare, .fini = scratch_remove);

/* ---- every kind of source over the same bytes */

typedef struct dripping { /* gives few bytes at a time, fails at a given offset */
    size_t at, fail_at, step;
    int closed;
} dripping;

static hsd_status drip(void *context, void *to, size_t size, size_t *got, hsd_error *err)
{
    dripping *d = context;
    if (d->at >= d->fail_at) return hsd_fail_errno(err, EIO, "cannot read");
    size_t count = d->step < size ? d->step : size;
    if (count > SIZE - d->at) count = SIZE - d->at;
    memcpy(to, data + d->at, count);
    d->at += count;
    *got = count;
    return HSD_OK;
}

static hsd_status drip_again(void *context, hsd_error *err)
{
    (void)err;
    ((dripping *)context)->at = 0;
    return HSD_OK;
}

static void stop_dripping(void *context) { ((dripping *)context)->closed++; }

static const hsd_source_ops drip_ops = {.read = drip, .rewind = drip_again, .close = stop_dripping};

typedef struct opened {
    hsd_source source;
    dripping drip;
    hsd_worker writer;
    hsd_temp temp;
    int pipe_in;
} opened;

static hsd_status fill_pipe(void *context, hsd_error *err)
{
    (void)err;
    const opened *o = context;
    for (size_t at = 0; at < SIZE;) {
        const ssize_t count = write(o->pipe_in, data + at, at % 777 + 1 < SIZE - at ? at % 777 + 1 : SIZE - at);
        if (count <= 0) break;
        at += (size_t)count;
    }
    close(o->pipe_in);
    return HSD_OK;
}

enum { FROM_FILE, FROM_PIPE, FROM_MEMORY, FROM_CUSTOM, FROM_TEMP, FROM_SPOOLED_PIPE, FROM_SPOOLED_CUSTOM, KINDS };

static void open_pipe(opened *o)
{
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    if (ends[0] != STDIN_FILENO) close(ends[0]); /* the source before may have closed descriptor 0 */
    o->pipe_in = ends[1];
    hsd_worker_begin(&o->writer, fill_pipe, o, false);
    cr_assert_eq(hsd_source_open_file(&o->source, "-", WINDOW, NULL), HSD_OK);
}

static void open_kind(opened *o, int kind)
{
    memset(o, 0, sizeof *o);
    o->drip = (dripping){.fail_at = SIZE_MAX, .step = 11};
    if (kind == FROM_FILE) cr_assert_eq(hsd_source_open_file(&o->source, scratch_path("data"), WINDOW, NULL), HSD_OK);
    if (kind == FROM_MEMORY)
        cr_assert_eq(hsd_source_open_memory(&o->source, (hsd_bytes){data, SIZE}, "memory", NULL), HSD_OK);
    if (kind == FROM_PIPE || kind == FROM_SPOOLED_PIPE) open_pipe(o);
    if (kind == FROM_CUSTOM)
        cr_assert_eq(hsd_source_open_custom(&o->source, &drip_ops, &o->drip, "drip", WINDOW, true, NULL), HSD_OK);
    if (kind == FROM_TEMP) {
        cr_assert_eq(hsd_temp_open(&o->temp, &space, NULL), HSD_OK);
        cr_assert_eq(hsd_temp_write(&o->temp, 0, data, SIZE, NULL), HSD_OK);
        cr_assert_eq(hsd_source_open_temp(&o->source, &o->temp, "temporary", WINDOW, NULL), HSD_OK);
    }
    if (kind == FROM_SPOOLED_CUSTOM)
        cr_assert_eq(hsd_source_open_custom(&o->source, &drip_ops, &o->drip, "drip", WINDOW, false, NULL), HSD_OK);
    if (kind >= FROM_SPOOLED_PIPE) {
        cr_assert_eq(hsd_source_peek(&o->source, 100, NULL), HSD_OK); /* a probe looked first */
        cr_assert_eq(hsd_source_make_rewindable(&o->source, &space, NULL), HSD_OK);
    }
}

static void close_kind(opened *o)
{
    hsd_source_close(&o->source);
    hsd_source_close(&o->source);
    hsd_temp_close(&o->temp);
    if (o->writer.run != NULL) {
        close(STDIN_FILENO);
        hsd_worker_finish(&o->writer, NULL);
    }
    cr_assert_leq(o->drip.closed, 1);
}

static void check_ahead(const hsd_source *s, uint64_t offset)
{
    cr_assert_eq(hsd_source_offset(s), offset);
    cr_assert_eq(memcmp(s->at, data + offset, hsd_source_ahead(s)), 0, "at %llu", (unsigned long long)offset);
}

/* A walk of peeks, takes, copies and skips drawn at random, against the array. */
static void walk(hsd_source *s, uint64_t seed)
{
    uint64_t offset = hsd_source_offset(s);
    uint8_t copy[9000];
    while (offset < SIZE) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t want = (size_t)(seed >> 33) % (seed >> 60 == 3 ? 9000 : 300);
        const size_t left = SIZE - (size_t)offset;
        if ((seed >> 50) % 3 == 0) {
            const size_t peeked = want % WINDOW;
            cr_assert_eq(hsd_source_peek(s, peeked, NULL), peeked <= left ? HSD_OK : HSD_END);
            check_ahead(s, offset);
            want = peeked < left ? peeked : left;
            hsd_source_take(s, want);
        } else if ((seed >> 50) % 3 == 1) {
            if (want > left) want = left;
            cr_assert_eq(hsd_source_copy(s, copy, want, NULL), HSD_OK);
            cr_assert_eq(memcmp(copy, data + offset, want), 0);
        } else {
            if (want > left) want = left;
            cr_assert_eq(hsd_source_skip(s, want, NULL), HSD_OK);
        }
        offset += want;
        check_ahead(s, offset);
    }
    cr_assert_eq(hsd_source_peek(s, 1, NULL), HSD_END);
    cr_assert_eq(hsd_source_peek(s, 0, NULL), HSD_OK);
}

static void gives_the_same_bytes(int kind)
{
    opened o;
    open_kind(&o, kind);
    walk(&o.source, 7);
    if (o.source.can_rewind) {
        for (uint64_t seed = 1; seed < 4; seed++) {
            cr_assert_eq(hsd_source_rewind(&o.source, NULL), HSD_OK);
            cr_assert_eq(hsd_source_skip(&o.source, 1000 * seed, NULL), HSD_OK);
            walk(&o.source, seed);
        }
        cr_assert_eq(hsd_source_rewind(&o.source, NULL), HSD_OK);
        uint8_t whole[2000];
        cr_assert_eq(hsd_source_copy(&o.source, whole, sizeof whole, NULL), HSD_OK);
        cr_assert_eq(memcmp(whole, data, sizeof whole), 0);
        cr_assert_eq(hsd_source_rewind(&o.source, NULL), HSD_OK); /* half read, and from the start again */
        walk(&o.source, 9);
    } else {
        cr_assert_eq(kind, FROM_PIPE);
        hsd_error err;
        hsd_error_init(&err);
        cr_assert_eq(hsd_source_rewind(&o.source, &err), HSD_E_UNSUPPORTED);
        cr_assert_str_eq(err.file, "standard input");
    }
    close_kind(&o);
    cr_assert_eq(space.bytes_now, 0);
}

static void tells_its_end(int kind)
{
    opened o;
    hsd_error err;
    uint8_t copy[600];
    hsd_error_init(&err);
    open_kind(&o, kind);
    cr_assert_eq(hsd_source_skip(&o.source, SIZE - 500, NULL), HSD_OK);
    cr_assert_eq(hsd_source_peek(&o.source, 501, NULL), HSD_END);
    cr_assert_eq(hsd_source_ahead(&o.source), 500);
    check_ahead(&o.source, SIZE - 500);
    cr_assert_eq(hsd_source_copy(&o.source, copy, 600, &err), HSD_E_TRUNCATED);
    cr_assert_eq(err.offset_bytes, SIZE);
    cr_assert_str_eq(err.text, "the input ends here; 100 more bytes should follow");
    cr_assert_eq(hsd_source_skip(&o.source, 1, &err), HSD_E_TRUNCATED);
    cr_assert_eq(hsd_source_skip(&o.source, 0, &err), HSD_OK);
    cr_assert_eq(hsd_source_ahead(&o.source), 0);
    if (o.source.can_rewind) {
        cr_assert_eq(hsd_source_rewind(&o.source, NULL), HSD_OK);
        cr_assert_eq(hsd_source_skip(&o.source, UINT64_MAX, &err), HSD_E_TRUNCATED);
        cr_assert_eq(err.offset_bytes, SIZE);
        cr_assert_eq(hsd_source_ahead(&o.source), 0);
        cr_assert_eq(hsd_source_rewind(&o.source, NULL), HSD_OK);
        walk(&o.source, 3);
    }
    close_kind(&o);
}

static void seeks(int kind)
{
    opened o;
    hsd_error err;
    hsd_error_init(&err);
    open_kind(&o, kind);
    const uint64_t offsets[] = {50000, 49999, 10, 90000, 0, SIZE, SIZE - 1, 70000};
    for (size_t i = 0; i < HSD_ARRAY_LEN(offsets); i++) {
        cr_assert_eq(hsd_source_seek(&o.source, offsets[i], NULL), HSD_OK);
        cr_assert_eq(hsd_source_offset(&o.source), offsets[i]);
        const hsd_status status = hsd_source_peek(&o.source, 1, NULL);
        cr_assert_eq(status, offsets[i] == SIZE ? HSD_END : HSD_OK);
        check_ahead(&o.source, offsets[i]);
    }
    cr_assert_eq(hsd_source_seek(&o.source, SIZE + 1, &err), HSD_E_TRUNCATED);
    cr_assert_eq(hsd_source_seek(&o.source, UINT64_MAX, &err), HSD_E_TRUNCATED);
    cr_assert_eq(hsd_source_seek(&o.source, 5, NULL), HSD_OK);
    cr_assert_eq(hsd_source_peek(&o.source, 1, NULL), HSD_OK);
    check_ahead(&o.source, 5);
    close_kind(&o);
}

Test(source, gives_the_same_bytes_whatever_it_is)
{
    for (int kind = 0; kind < KINDS; kind++)
        gives_the_same_bytes(kind);
}

Test(source, tells_its_end_alike_whatever_it_is)
{
    for (int kind = 0; kind < KINDS; kind++)
        tells_its_end(kind);
}

Test(source, seeks_where_it_can)
{
    const int kinds[] = {FROM_FILE, FROM_MEMORY, FROM_SPOOLED_PIPE, FROM_SPOOLED_CUSTOM};
    for (size_t i = 0; i < HSD_ARRAY_LEN(kinds); i++)
        seeks(kinds[i]);
}

Test(source, that_can_only_be_read_in_order_refuses_to_seek)
{
    opened o;
    hsd_error err;
    hsd_error_init(&err);
    open_kind(&o, FROM_CUSTOM);
    cr_assert_eq(hsd_source_peek(&o.source, 10, NULL), HSD_OK);
    cr_assert_eq(hsd_source_seek(&o.source, 4, NULL), HSD_OK, "within the window it needs no seek");
    cr_assert_eq(hsd_source_seek(&o.source, 9000, &err), HSD_E_UNSUPPORTED);
    cr_assert_str_eq(err.file, "drip");
    close_kind(&o);
}

Test(source, knows_its_size_where_it_has_one)
{
    opened o;
    const struct {
        int kind;
        uint64_t total;
    } known[] = {{FROM_FILE, SIZE}, {FROM_MEMORY, SIZE}, {FROM_CUSTOM, 0}, {FROM_PIPE, 0}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(known); i++) {
        open_kind(&o, known[i].kind);
        cr_assert_eq(o.source.total_bytes, known[i].total);
        close_kind(&o);
    }
}

/* ---- what goes wrong */

Test(source, files_that_cannot_be_read_are_named)
{
    hsd_source s;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_source_open_file(&s, scratch_path("missing"), 0, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOENT);
    cr_assert_not_null(strstr(err.file, "/missing"));
    hsd_source_close(&s);
    hsd_error_init(&err);
    cr_assert_eq(hsd_source_open_file(&s, scratch, 0, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, EISDIR);
    hsd_source_close(&s);
    cr_assert_eq(hsd_source_open_fd(&s, 9999, "gone", 0, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, EBADF);
}

Test(source, a_failing_read_is_told_with_file_and_offset)
{
    hsd_source s;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_source_open_file(&s, scratch_path("data"), WINDOW, NULL), HSD_OK);
    cr_assert_eq(hsd_source_skip(&s, 40960, NULL), HSD_OK);
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_PREAD, 1, true, EIO);
    cr_assert_eq(hsd_source_peek(&s, 4000, &err), HSD_E_IO);
    hsd_fault_reset();
    cr_assert(err.sys_errno == EIO && err.offset_bytes == 40960);
    cr_assert_not_null(strstr(err.file, "/data"));
    cr_assert_eq(hsd_source_peek(&s, 4000, NULL), HSD_OK, "the fault has passed");
    check_ahead(&s, 40960);
    hsd_source_close(&s);
}

Test(source, a_custom_source_that_fails_hands_its_error_on)
{
    for (size_t fail_at = 1; fail_at < 60000; fail_at += 5003) {
        dripping d = {.fail_at = fail_at, .step = 1000};
        hsd_source s;
        hsd_error err;
        hsd_error_init(&err);
        cr_assert_eq(hsd_source_open_custom(&s, &drip_ops, &d, "drip", WINDOW, false, NULL), HSD_OK);
        cr_assert_eq(hsd_source_make_rewindable(&s, &space, NULL), HSD_OK);
        cr_assert_eq(hsd_source_skip(&s, SIZE, &err), HSD_E_IO);
        cr_assert_str_eq(err.file, "drip");
        cr_assert_eq(hsd_source_rewind(&s, NULL), HSD_OK, "what was read before is safe");
        cr_assert_eq(hsd_source_skip(&s, fail_at, NULL), HSD_OK);
        hsd_source_close(&s);
        cr_assert_eq(d.closed, 1);
    }
}

Test(source, signals_and_short_reads_change_nothing)
{
    hsd_source s;
    hsd_fault_reset();
    cr_assert_eq(hsd_source_open_file(&s, scratch_path("data"), WINDOW, NULL), HSD_OK);
    hsd_fault_arm_short(HSD_FAULT_PREAD, 1, true);
    walk(&s, 21);
    hsd_fault_reset();
    cr_assert_eq(hsd_source_rewind(&s, NULL), HSD_OK);
    hsd_fault_arm(HSD_FAULT_PREAD, 3, false, EINTR);
    walk(&s, 22);
    hsd_fault_reset();
    hsd_source_close(&s);
    opened o;
    hsd_fault_arm(HSD_FAULT_READ, 2, false, EINTR);
    open_kind(&o, FROM_PIPE);
    walk(&o.source, 23);
    close_kind(&o); /* the writer's thread is gone */
    hsd_fault_reset();
}

Test(source, waits_for_a_pipe_that_does_not_block)
{
    int ends[2];
    hsd_source s;
    opened o = {0};
    cr_assert_eq(pipe(ends), 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    cr_assert_eq(hsd_source_open_fd(&s, ends[0], "pipe", WINDOW, NULL), HSD_OK);
    o.pipe_in = ends[1];
    hsd_worker_begin(&o.writer, fill_pipe, &o, false);
    walk(&s, 5);
    hsd_worker_finish(&o.writer, NULL);
    hsd_source_close(&s);
    cr_assert_eq(close(ends[0]), 0, "a descriptor that was lent is still open");
}

Test(source, begins_where_the_descriptor_stands)
{
    hsd_source s;
    const int fd = open(scratch_path("data"), O_RDONLY);
    cr_assert_eq(lseek(fd, 500, SEEK_SET), 500);
    cr_assert_eq(hsd_source_open_fd(&s, fd, "rest", 0, NULL), HSD_OK);
    cr_assert_eq(s.total_bytes, SIZE - 500);
    for (int round = 0; round < 2; round++) {
        cr_assert_eq(hsd_source_peek(&s, 100, NULL), HSD_OK);
        cr_assert(hsd_source_offset(&s) == 0 && memcmp(s.at, data + 500, 100) == 0);
        cr_assert_eq(hsd_source_rewind(&s, NULL), HSD_OK);
    }
    cr_assert_eq(hsd_source_seek(&s, UINT64_MAX - 100, NULL), HSD_E_TRUNCATED);
    cr_assert_eq(lseek(fd, 0, SEEK_CUR), 500, "the descriptor is where it was");
    hsd_source_close(&s);
    close(fd);
}

Test(source, every_failed_allocation_closes_what_was_opened)
{
    hsd_error err;
    for (uint64_t at = 1; at <= 2; at++) {
        hsd_source s;
        dripping d = {.fail_at = SIZE_MAX, .step = 10};
        hsd_error_init(&err);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const uint64_t closes = hsd_fault_calls(HSD_FAULT_CLOSE);
        cr_assert_eq(hsd_source_open_file(&s, scratch_path("data"), 0, &err), HSD_E_NOMEM);
        cr_assert_eq(hsd_fault_calls(HSD_FAULT_CLOSE), closes + 1);
        hsd_source_close(&s);
        hsd_fault_reset();
        cr_assert_eq(hsd_source_open_custom(&s, &drip_ops, &d, "drip", 0, false, NULL), HSD_OK);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, 1, false, ENOMEM);
        cr_assert_eq(hsd_source_make_rewindable(&s, &space, &err), HSD_E_NOMEM);
        hsd_source_close(&s);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, 1, false, ENOMEM);
        cr_assert_eq(hsd_source_open_custom(&s, &drip_ops, &d, "drip", 0, false, &err), HSD_E_NOMEM);
        cr_assert_eq(d.closed, 2);
    }
    hsd_fault_reset();
}

Test(source, a_spool_without_a_folder_is_refused_and_the_source_lives_on)
{
    opened o;
    hsd_error err;
    hsd_temp_space nowhere;
    hsd_error_init(&err);
    hsd_temp_space_init(&nowhere, "/nonexistent");
    memset(&o, 0, sizeof o);
    o.drip = (dripping){.fail_at = SIZE_MAX, .step = 500};
    cr_assert_eq(hsd_source_open_custom(&o.source, &drip_ops, &o.drip, "drip", WINDOW, false, NULL), HSD_OK);
    cr_assert_eq(hsd_source_make_rewindable(&o.source, &nowhere, &err), HSD_E_IO);
    cr_assert_not(o.source.can_rewind);
    walk(&o.source, 4);
    hsd_source_close(&o.source);
}

Test(source, a_full_disk_stops_a_spool)
{
    opened o;
    hsd_error err;
    hsd_error_init(&err);
    if (!scratch_limit(32)) cr_skip_test("mounting a small file system is not allowed here");
    memset(&o, 0, sizeof o);
    o.drip = (dripping){.fail_at = SIZE_MAX, .step = 500};
    cr_assert_eq(hsd_source_open_custom(&o.source, &drip_ops, &o.drip, "drip", WINDOW, false, NULL), HSD_OK);
    cr_assert_eq(hsd_source_make_rewindable(&o.source, &space, NULL), HSD_OK);
    cr_assert_eq(hsd_source_skip(&o.source, SIZE, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOSPC);
    hsd_source_close(&o.source);
}

Test(source, misuse_is_told)
{
    opened o;
    open_kind(&o, FROM_FILE);
    cr_assert_eq(hsd_source_peek(&o.source, WINDOW + 1, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_source_make_rewindable(&o.source, &space, NULL), HSD_OK, "it can already");
    close_kind(&o);
    dripping d = {.fail_at = SIZE_MAX, .step = 100};
    hsd_source s;
    cr_assert_eq(hsd_source_open_custom(&s, &drip_ops, &d, "drip", 1, false, NULL), HSD_OK);
    cr_assert_eq(hsd_source_skip(&s, 10, NULL), HSD_OK);
    cr_assert_eq(hsd_source_make_rewindable(&s, &space, NULL), HSD_E_MISUSE);
    hsd_source_close(&s);
}

Test(source, nothing_is_a_source_too)
{
    hsd_source s;
    uint8_t byte;
    cr_assert_eq(hsd_source_open_memory(&s, (hsd_bytes){NULL, 0}, "nothing", NULL), HSD_OK);
    cr_assert_eq(hsd_source_peek(&s, 1, NULL), HSD_END);
    cr_assert_eq(hsd_source_copy(&s, &byte, 1, NULL), HSD_E_TRUNCATED);
    cr_assert_eq(hsd_source_rewind(&s, NULL), HSD_OK);
    hsd_source_close(&s);
    scratch_write("empty", "", 0);
    cr_assert_eq(hsd_source_open_file(&s, scratch_path("empty"), 0, NULL), HSD_OK);
    cr_assert_eq(hsd_source_peek(&s, 1, NULL), HSD_END);
    hsd_source_close(&s);
}
