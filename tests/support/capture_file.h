/*
 * For a suite about one capture: a file in a folder of its own, and an error.
 *
 *      TestSuite(name, .init = setup, .fini = teardown);
 */
#ifndef HSD_TESTS_CAPTURE_FILE_H
#define HSD_TESTS_CAPTURE_FILE_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <hsdiff/capture.h>

static char folder[] = "/tmp/hsdiff-test-XXXXXX";
static char path[64]; /* of the capture, which the test writes */
static hsd_error err;

static inline void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/heap.hs", folder);
    hsd_error_init(&err);
}

static inline void teardown(void)
{
    remove(path);
    rmdir(folder);
}

/* The whole one; the caller closes it. */
static inline hsd_capture *open_capture(const hsd_run *run)
{
    hsd_capture *capture;
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, run, &err), HSD_OK, "%s", err.text);
    return capture;
}

#endif
