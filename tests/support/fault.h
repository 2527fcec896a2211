/*
 * The machine that fails on request: the k-th allocation returns NULL, the k-th write finds the disk full. What links
 * hsd_fault (tests/support/CMakeLists.txt) has its calls to malloc, open, read, write and so on led through fault.c by
 * the linker
 * (--wrap), sanitizers or not; calls inside shared libraries are not led through it.
 *
 * A program is driven from outside by its environment, read at the first wrapped call:
 *
 *      HSD_FAULT_MALLOC_AT=17        the 17th allocation fails ("17,40": and the 40th)
 *      HSD_FAULT_MALLOC_FOREVER=1    and every one after it
 *      HSD_FAULT_IO_CALL=write       the family of calls that fails (hsd_fault_family below; "any" = all)
 *      HSD_FAULT_IO_AT=3             its third call ("3,5": and the fifth)
 *      HSD_FAULT_IO_FOREVER=1        and every one after it
 *      HSD_FAULT_ERRNO=ENOSPC        with this: EIO ENOSPC EDQUOT EINTR EAGAIN EMFILE EACCES EPIPE ENOMEM, or SHORT: half of the bytes
 *      HSD_FAULT_NO_LEAKS=1          the leak sanitizer does not look when the program ends, which is half of the time
 *      HSD_FAULT_COUNT_FILE=path     written at exit: "malloc 120", "write 7", … and "faults 1": how often it struck
 *
 * Or it is started once and runs thousands of times, for sweeps in which the start would take longer than the run:
 *
 *      HSD_FAULT_SERVE=folder        before main: for each line of standard input, "NAME=value NAME=value", the variables
 *                                    above, a child goes on to main with its streams in folder/out and folder/err; how
 *                                    it ended (as waitpid says it) is written to standard output as a line. A child that
 *                                    takes longer than a minute dies of SIGALRM.
 *
 * A test in the same process uses the functions instead. Standard error is never struck, so that a message can be seen.
 */
#ifndef HSD_TESTS_FAULT_H
#define HSD_TESTS_FAULT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum hsd_fault_family {
    HSD_FAULT_MALLOC, /* malloc calloc realloc strdup strndup aligned_alloc posix_memalign, anonymous mmap */
    HSD_FAULT_OPEN,   /* open openat mkostemp fopen fdopen, with and without 64 */
    HSD_FAULT_READ,   /* read readv fread */
    HSD_FAULT_PREAD,  /* pread */
    HSD_FAULT_WRITE,  /* write writev fwrite fputs fputc fflush */
    HSD_FAULT_PWRITE, /* pwrite */
    HSD_FAULT_SYNC,   /* fsync fdatasync */
    HSD_FAULT_RENAME, /* rename renameat renameat2 link linkat */
    HSD_FAULT_CLOSE,  /* close fclose: closed, and reported as failed */
    HSD_FAULT_SIZE,   /* ftruncate fallocate posix_fallocate */
    HSD_FAULT_SEEK,   /* lseek */
    HSD_FAULT_STAT,   /* stat fstat lstat fstatat */
    HSD_FAULT_MAP,    /* mmap of a file */
    HSD_FAULT_THREAD, /* pthread_create */
    HSD_FAULT_FAMILY_COUNT
} hsd_fault_family;

/* The short word of HSD_FAULT_IO_CALL and of the count file. */
const char *hsd_fault_name(hsd_fault_family family);

/* No faults, counters at 0. */
void hsd_fault_reset(void);

/* Lets call number `at` (from 1, counted since the last reset) of the family fail with an errno, which is not 0; with
 * `forever` all after it too. */
void hsd_fault_arm(hsd_fault_family family, uint64_t at, bool forever, int error);

/* The same for reads and writes that move half of the bytes asked for (at least one). */
void hsd_fault_arm_short(hsd_fault_family family, uint64_t at, bool forever);

/* Calls of a family since the last reset, those struck included; and how often a fault struck, of all families. */
uint64_t hsd_fault_calls(hsd_fault_family family);
uint64_t hsd_fault_strikes(void);

#endif
