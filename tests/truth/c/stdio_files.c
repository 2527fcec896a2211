/* Files that are opened and never closed: libc's own list holds them. */
#include "program.h"

static long lines;

static void setup(void) {}

static __attribute__((noinline)) FILE *open_report(void) { return fopen("/dev/null", "w"); /* truth: opened */ }

static void plant(long number)
{
    FILE *report = open_report();
    if (report == NULL) exit(1);
    lines += fprintf(report, "request %ld\n", number);
    fflush(report);
}
