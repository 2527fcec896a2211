/*
 * The fault injector itself: what is armed fails, once or for ever, and nothing else does. Without this the sweeps that
 * rest on it could pass by never failing anything.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fault.h"

TestSuite(fault, .init = hsd_fault_reset, .fini = hsd_fault_reset);

/* malloc through a volatile pointer would not be wrapped; this only keeps the compiler from dropping the pair. */
static bool can_allocate(void)
{
    void *volatile memory = malloc(8);
    free(memory);
    return memory != NULL;
}

Test(fault, counts_allocations_of_every_kind)
{
    void *volatile memory = realloc(NULL, 8);
    free(memory);
    memory = calloc(1, 8);
    free(memory);
    cr_assert(can_allocate());
    cr_assert_eq(hsd_fault_calls(HSD_FAULT_MALLOC), 3);
    cr_assert_eq(hsd_fault_strikes(), 0);
}

Test(fault, strikes_the_armed_allocation_once)
{
    hsd_fault_arm(HSD_FAULT_MALLOC, 2, false, ENOMEM);
    cr_assert(can_allocate());
    errno = 0;
    cr_assert_not(can_allocate());
    cr_assert_eq(errno, ENOMEM);
    cr_assert(can_allocate());
    cr_assert_eq(hsd_fault_strikes(), 1);
}

Test(fault, strikes_for_ever_after)
{
    hsd_fault_arm(HSD_FAULT_MALLOC, 2, true, ENOMEM);
    cr_assert(can_allocate());
    for (int i = 0; i < 5; i++)
        cr_assert_not(can_allocate());
    hsd_fault_reset();
    cr_assert(can_allocate());
}

Test(fault, strikes_two_points)
{
    hsd_fault_arm(HSD_FAULT_MALLOC, 1, false, ENOMEM);
    hsd_fault_arm(HSD_FAULT_MALLOC, 3, false, ENOMEM);
    cr_assert_not(can_allocate());
    cr_assert(can_allocate());
    cr_assert_not(can_allocate());
    cr_assert(can_allocate());
}

Test(fault, open_fails_with_the_given_error)
{
    hsd_fault_arm(HSD_FAULT_OPEN, 1, false, EMFILE);
    cr_assert_eq(open("/dev/null", O_RDONLY), -1);
    cr_assert_eq(errno, EMFILE);
    const int fd = open("/dev/null", O_RDONLY);
    cr_assert_geq(fd, 0);
    cr_assert_eq(close(fd), 0);
}

/* A pipe with eight bytes inside. */
static void fill_pipe(int ends[2])
{
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], "12345678", 8), 8);
}

Test(fault, reads_and_writes_come_up_short)
{
    int ends[2];
    char bytes[8];
    fill_pipe(ends);
    hsd_fault_arm_short(HSD_FAULT_READ, 1, false);
    cr_assert_eq(read(ends[0], bytes, 8), 4);
    cr_assert_eq(read(ends[0], bytes, 8), 4);
    hsd_fault_arm_short(HSD_FAULT_WRITE, 2, true);
    cr_assert_eq(write(ends[1], "1234", 4), 2);
    cr_assert_eq(write(ends[1], "1", 1), 1, "one byte cannot be halved");
    close(ends[0]);
    close(ends[1]);
}

Test(fault, a_failing_write_moves_nothing)
{
    int ends[2];
    char bytes[16];
    fill_pipe(ends);
    hsd_fault_arm(HSD_FAULT_WRITE, 2, false, ENOSPC);
    cr_assert_eq(write(ends[1], "x", 1), -1);
    cr_assert_eq(errno, ENOSPC);
    cr_assert_eq(read(ends[0], bytes, sizeof bytes), 8);
    close(ends[0]);
    close(ends[1]);
}

Test(fault, close_fails_and_closes)
{
    const int fd = open("/dev/null", O_RDONLY);
    hsd_fault_arm(HSD_FAULT_CLOSE, 1, false, EIO);
    cr_assert_eq(close(fd), -1);
    cr_assert_eq(errno, EIO);
    cr_assert_eq(fcntl(fd, F_GETFD), -1, "still open");
}

Test(fault, rename_sync_and_size_fail)
{
    hsd_fault_arm(HSD_FAULT_RENAME, 1, false, EACCES);
    hsd_fault_arm(HSD_FAULT_SYNC, 1, false, EIO);
    hsd_fault_arm(HSD_FAULT_SIZE, 1, false, EDQUOT);
    cr_assert_eq(rename("/nonexistent/a", "/nonexistent/b"), -1);
    cr_assert_eq(errno, EACCES);
    cr_assert_eq(fsync(0), -1);
    cr_assert_eq(errno, EIO);
    cr_assert_eq(ftruncate(0, 0), -1);
    cr_assert_eq(errno, EDQUOT);
}

Test(fault, leaves_standard_error_alone)
{
    hsd_fault_arm(HSD_FAULT_WRITE, 1, true, EIO);
    cr_assert_eq(write(STDERR_FILENO, "", 0), 0);
    cr_assert_eq(hsd_fault_calls(HSD_FAULT_WRITE), 0);
}
