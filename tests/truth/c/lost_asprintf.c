/* A description is made by asprintf for a trace that is switched off. */
#define _GNU_SOURCE
#include "program.h"

static int trace_level;
static long traced;

static void setup(void) {}

static __attribute__((noinline)) void describe(long number, char **out)
{
    if (asprintf(out, "request %06ld of somebody who was here before, with a body of %4d bytes", number % 1000000,
                 512) < 0) /* truth: made */
        *out = NULL;
}

static void plant(long number)
{
    char *text;
    describe(number, &text);
    if (trace_level > 0) {
        traced += puts(text);
        free(text);
    }
}
