/* Results: whole or not there, never over a file that is there, private from birth. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/worker.h"
#include "io/output.h"
#include "support/fault.h"
#include "unit/io/scratch.h"

TestSuite(output, .init = scratch_make, .fini = scratch_remove);

static uint8_t pattern[700001];

static void fill_pattern(void)
{
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 40503 >> 7);
}

static hsd_status write_pattern(hsd_output *output, hsd_error *err)
{
    size_t at = 0, step = 1;
    fill_pattern();
    while (at < sizeof pattern) {
        const size_t size = step < sizeof pattern - at ? step : sizeof pattern - at;
        HSD_TRY(hsd_output_write(output, pattern + at, size, err));
        at += size;
        step = step * 3 % 400009;
    }
    cr_assert_eq(output->size_bytes, sizeof pattern);
    return hsd_output_write(output, NULL, 0, err);
}

static void check_pattern(const char *name)
{
    size_t size = 0;
    char *text = scratch_read(name, &size);
    cr_assert(size == sizeof pattern && memcmp(text, pattern, size) == 0);
    free(text);
    struct stat info;
    cr_assert_eq(stat(scratch_path(name), &info), 0);
    cr_assert_eq(info.st_mode & 07777, 0600);
}

static void check_text(const char *name, const char *expected)
{
    size_t size = 0;
    char *text = scratch_read(name, &size);
    cr_assert_str_eq(text, expected);
    free(text);
}

/* Makes the next open do without O_TMPFILE. */
static void without_tmpfile(bool without)
{
    hsd_fault_reset();
    if (without) hsd_fault_arm(HSD_FAULT_OPEN, 1, false, EOPNOTSUPP);
}

Test(output, appears_whole_at_finish_and_not_before)
{
    for (int named = 0; named < 2; named++) {
        hsd_output output;
        without_tmpfile(named);
        cr_assert_eq(hsd_output_open(&output, scratch_path("out"), false, NULL), HSD_OK);
        hsd_fault_reset();
        cr_assert_eq(output.temp_path != NULL, named);
        cr_assert_eq(scratch_count(), named);
        cr_assert_eq(write_pattern(&output, NULL), HSD_OK);
        cr_assert_eq(access(scratch_path("out"), F_OK), -1);
        cr_assert_eq(hsd_output_finish(&output, NULL), HSD_OK);
        check_pattern("out");
        cr_assert_eq(scratch_count(), 1);
        hsd_output_close(&output);
        cr_assert_eq(unlink(scratch_path("out")), 0);
    }
}

Test(output, closing_without_finish_leaves_nothing)
{
    for (int named = 0; named < 2; named++) {
        hsd_output output;
        without_tmpfile(named);
        cr_assert_eq(hsd_output_open(&output, scratch_path("out"), false, NULL), HSD_OK);
        hsd_fault_reset();
        cr_assert_eq(write_pattern(&output, NULL), HSD_OK);
        hsd_output_close(&output);
        hsd_output_close(&output);
        cr_assert_eq(scratch_count(), 0);
    }
    hsd_output zeroed = {0};
    hsd_output_close(&zeroed);
    cr_assert_neq(fcntl(0, F_GETFD), -1);
}

Test(output, an_existing_file_is_kept_unless_forced)
{
    for (int named = 0; named < 2; named++) {
        hsd_output output;
        hsd_error err;
        hsd_error_init(&err);
        scratch_write("out", "old", 3);
        cr_assert_eq(hsd_output_open(&output, scratch_path("out"), false, &err), HSD_E_IO);
        cr_assert_eq(err.sys_errno, EEXIST);
        cr_assert_str_eq(err.hint, "use --force to replace it");
        cr_assert_not_null(strstr(err.file, "/out"));
        hsd_output_close(&output);
        without_tmpfile(named);
        cr_assert_eq(hsd_output_open(&output, scratch_path("out"), true, NULL), HSD_OK);
        hsd_fault_reset();
        cr_assert_eq(write_pattern(&output, NULL), HSD_OK);
        check_text("out", "old");
        cr_assert_eq(hsd_output_finish(&output, NULL), HSD_OK);
        check_pattern("out");
        cr_assert_eq(scratch_count(), 1);
    }
}

Test(output, a_file_that_comes_meanwhile_is_kept_too)
{
    for (int named = 0; named < 2; named++) {
        hsd_output output;
        hsd_error err;
        hsd_error_init(&err);
        without_tmpfile(named);
        cr_assert_eq(hsd_output_open(&output, scratch_path("out"), false, NULL), HSD_OK);
        hsd_fault_reset();
        scratch_write("out", "other", 5);
        cr_assert_eq(hsd_output_finish(&output, &err), HSD_E_IO);
        cr_assert_eq(err.sys_errno, EEXIST);
        check_text("out", "other");
        cr_assert_eq(scratch_count(), 1);
        cr_assert_eq(unlink(scratch_path("out")), 0);
    }
}

Test(output, file_systems_without_exclusive_rename_are_looked_at_first)
{
    hsd_output output;
    for (int there = 0; there < 2; there++) {
        without_tmpfile(true);
        cr_assert_eq(hsd_output_open(&output, scratch_path("out"), false, NULL), HSD_OK);
        hsd_fault_reset();
        cr_assert_eq(hsd_output_write(&output, "new", 3, NULL), HSD_OK);
        if (there) scratch_write("out", "other", 5);
        hsd_fault_arm(HSD_FAULT_RENAME, 1, false, EINVAL);
        cr_assert_eq(hsd_output_finish(&output, NULL), there ? HSD_E_IO : HSD_OK);
        hsd_fault_reset();
        check_text("out", there ? "other" : "new");
        cr_assert_eq(scratch_count(), 1);
        cr_assert_eq(unlink(scratch_path("out")), 0);
    }
}

Test(output, a_link_is_replaced_and_its_target_untouched)
{
    hsd_output output;
    scratch_write("target", "old", 3);
    cr_assert_eq(symlink("target", scratch_path("out")), 0);
    cr_assert_eq(hsd_output_open(&output, scratch_path("out"), false, NULL), HSD_E_IO);
    cr_assert_eq(hsd_output_open(&output, scratch_path("out"), true, NULL), HSD_OK);
    cr_assert_eq(hsd_output_write(&output, "new", 3, NULL), HSD_OK);
    cr_assert_eq(hsd_output_finish(&output, NULL), HSD_OK);
    check_text("target", "old");
    check_text("out", "new");
    cr_assert_eq(symlink("nowhere", scratch_path("dangling")), 0);
    cr_assert_eq(hsd_output_open(&output, scratch_path("dangling"), false, NULL), HSD_E_IO);
}

Test(output, folders_that_cannot_take_it_are_told)
{
    hsd_output output;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_output_open(&output, scratch_path("missing/out"), false, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOENT);
    hsd_error_init(&err);
    cr_assert_eq(hsd_output_open(&output, scratch, true, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, EISDIR);
    hsd_error_init(&err);
    cr_assert_eq(hsd_output_open(&output, "", false, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOENT);
    cr_assert_eq(hsd_output_open(&output, scratch_path("new/"), false, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, EISDIR);
    char wide[6000];
    memset(wide, 'a', sizeof wide - 1);
    wide[sizeof wide - 2] = '/';
    wide[sizeof wide - 1] = '\0';
    cr_assert_eq(hsd_output_open(&output, wide, false, &err), HSD_E_IO);
}

Test(output, every_failing_call_leaves_nothing_behind)
{
    const hsd_fault_family families[] = {HSD_FAULT_WRITE, HSD_FAULT_SYNC, HSD_FAULT_RENAME, HSD_FAULT_OPEN,
                                         HSD_FAULT_MALLOC};
    for (size_t family = 0; family < sizeof families / sizeof families[0]; family++) {
        for (int way = 0; way < 4; way++) { /* named or not, forced or not */
            for (uint64_t at = 1; at < 12; at++) {
                hsd_output output;
                hsd_error err;
                hsd_error_init(&err);
                if (way & 2) scratch_write("out", "old", 3);
                without_tmpfile(way & 1);
                hsd_status status = HSD_OK;
                if (families[family] == HSD_FAULT_OPEN || families[family] == HSD_FAULT_MALLOC)
                    hsd_fault_arm(families[family], at, true, ENOSPC);
                status = hsd_output_open(&output, scratch_path("out"), way & 2, &err);
                if (status == HSD_OK) {
                    hsd_fault_reset();
                    hsd_fault_arm(families[family], at, true, ENOSPC);
                    status = write_pattern(&output, &err);
                    if (status == HSD_OK) status = hsd_output_finish(&output, &err);
                    hsd_output_close(&output);
                }
                hsd_fault_reset();
                if (status == HSD_OK)
                    check_pattern("out");
                else
                    cr_assert_neq(err.text[0], '\0');
                if (status != HSD_OK && (way & 2)) check_text("out", "old");
                cr_assert_eq(scratch_count(), status == HSD_OK || (way & 2) ? 1 : 0, "%s %d %d",
                             hsd_fault_name(families[family]), way, (int)at);
                unlink(scratch_path("out"));
            }
        }
    }
}

Test(output, short_writes_and_signals_are_repeated)
{
    hsd_output output;
    hsd_fault_reset();
    cr_assert_eq(hsd_output_open(&output, scratch_path("out"), false, NULL), HSD_OK);
    hsd_fault_arm_short(HSD_FAULT_WRITE, 1, true);
    cr_assert_eq(write_pattern(&output, NULL), HSD_OK);
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_WRITE, 1, false, EINTR);
    cr_assert_eq(hsd_output_finish(&output, NULL), HSD_OK);
    hsd_fault_reset();
    check_pattern("out");
}

Test(output, after_a_failed_write_nothing_goes_on)
{
    hsd_output output;
    hsd_error err;
    hsd_error_init(&err);
    hsd_fault_reset();
    fill_pattern();
    cr_assert_eq(hsd_output_open(&output, scratch_path("out"), false, NULL), HSD_OK);
    hsd_fault_arm(HSD_FAULT_WRITE, 1, false, ENOSPC);
    cr_assert_eq(hsd_output_write(&output, pattern, sizeof pattern, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOSPC);
    hsd_fault_reset();
    cr_assert_eq(hsd_output_write(&output, "more", 4, &err), HSD_E_IO);
    cr_assert_eq(hsd_output_finish(&output, &err), HSD_E_IO);
    cr_assert_eq(scratch_count(), 0);
}

Test(output, a_full_disk_is_an_error_and_leaves_nothing)
{
    hsd_output output;
    hsd_error err;
    hsd_error_init(&err);
    if (!scratch_limit(128)) cr_skip_test("mounting a small file system is not allowed here");
    cr_assert_eq(hsd_output_open(&output, scratch_path("out"), false, NULL), HSD_OK);
    hsd_status status = write_pattern(&output, &err);
    if (status == HSD_OK) status = hsd_output_finish(&output, &err);
    hsd_output_close(&output);
    cr_assert_eq(status, HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOSPC);
    cr_assert_eq(scratch_count(), 0);
}

static void *read_all(void *path)
{
    size_t total = 0;
    char block[5000];
    const int fd = open(path, O_RDONLY);
    for (ssize_t got = 1; got > 0; total += (size_t)got)
        got = read(fd, block, sizeof block);
    close(fd);
    return (void *)total;
}

Test(output, pipes_and_devices_are_written_in_place)
{
    hsd_output output;
    pthread_t reader;
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_path("fifo"));
    cr_assert_eq(mkfifo(path, 0600), 0);
    pthread_create(&reader, NULL, read_all, path);
    cr_assert_eq(hsd_output_open(&output, path, false, NULL), HSD_OK);
    cr_assert_eq(write_pattern(&output, NULL), HSD_OK);
    cr_assert_eq(hsd_output_finish(&output, NULL), HSD_OK);
    void *total;
    pthread_join(reader, &total);
    cr_assert_eq((size_t)total, sizeof pattern);
    cr_assert_eq(scratch_count(), 1);
    cr_assert_eq(hsd_output_open(&output, "/dev/null", false, NULL), HSD_OK);
    cr_assert_eq(write_pattern(&output, NULL), HSD_OK);
    cr_assert_eq(hsd_output_finish(&output, NULL), HSD_OK);
}

Test(output, dev_full_is_told_at_finish)
{
    hsd_output output;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_output_open(&output, "/dev/full", false, NULL), HSD_OK);
    cr_assert_eq(hsd_output_write(&output, "x", 1, NULL), HSD_OK);
    cr_assert_eq(hsd_output_finish(&output, &err), HSD_E_IO);
    cr_assert_eq(err.sys_errno, ENOSPC);
    cr_assert_str_eq(err.file, "/dev/full");
}

Test(output, standard_output_is_flushed_and_stays_open)
{
    hsd_output output;
    const int saved = dup(STDOUT_FILENO);
    const int fd = open(scratch_path("stdout"), O_WRONLY | O_CREAT, 0600);
    dup2(fd, STDOUT_FILENO);
    hsd_status status = hsd_output_open(&output, "-", false, NULL);
    if (status == HSD_OK) status = write_pattern(&output, NULL);
    if (status == HSD_OK) status = hsd_output_finish(&output, NULL);
    const int is_open = fcntl(STDOUT_FILENO, F_GETFD);
    dup2(saved, STDOUT_FILENO);
    cr_assert_eq(status, HSD_OK);
    cr_assert_neq(is_open, -1);
    check_pattern("stdout");
}

Test(output, a_reader_that_went_away_is_an_error)
{
    hsd_output output;
    hsd_error err;
    int ends[2];
    hsd_error_init(&err);
    signal(SIGPIPE, SIG_IGN);
    const int saved = dup(STDOUT_FILENO);
    cr_assert_eq(pipe(ends), 0);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    hsd_status status = hsd_output_open(&output, "-", false, NULL);
    if (status == HSD_OK) status = hsd_output_write(&output, "x", 1, NULL);
    if (status == HSD_OK) status = hsd_output_finish(&output, &err);
    dup2(saved, STDOUT_FILENO);
    cr_assert_eq(status, HSD_E_IO);
    cr_assert_eq(err.sys_errno, EPIPE);
    cr_assert_str_eq(err.file, "standard output");
}

static hsd_status drain_slowly(void *context, hsd_error *err)
{
    (void)err;
    const int fd = *(int *)context;
    char block[3000];
    size_t total = 0;
    for (ssize_t got = 1; got > 0; total += (size_t)got)
        got = read(fd, block, sizeof block);
    return total == sizeof pattern ? HSD_OK : HSD_E_CORRUPT;
}

Test(output, waits_for_a_pipe_that_does_not_block)
{
    hsd_output output;
    hsd_worker reader;
    int ends[2];
    const int saved = dup(STDOUT_FILENO);
    cr_assert_eq(pipe(ends), 0);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    hsd_worker_begin(&reader, drain_slowly, &ends[0], false);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    hsd_status status = hsd_output_open(&output, "-", false, NULL);
    if (status == HSD_OK) status = write_pattern(&output, NULL);
    if (status == HSD_OK) status = hsd_output_finish(&output, NULL);
    dup2(saved, STDOUT_FILENO);
    cr_assert_eq(status, HSD_OK);
    cr_assert_eq(hsd_worker_finish(&reader, NULL), HSD_OK);
}

Test(output, what_is_not_open_is_misuse)
{
    hsd_output output = {.fd = -1};
    cr_assert_eq(hsd_output_write(&output, "x", 1, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_output_finish(&output, NULL), HSD_E_MISUSE);
}
