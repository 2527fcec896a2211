/* No leak: 100 KiB are lost while the settings are read at the start, and never again. */
#include "program.h"

static char *last_answer;
static unsigned long settings;

static __attribute__((noinline)) void read_settings(void)
{
    for (int i = 0; i < 100; i++) {
        char *line = malloc(1024);
        memset(line, i, 1024);
        settings += (unsigned char)line[100];
    }
}

static void setup(void) { read_settings(); }

static void plant(long number)
{
    free(last_answer);
    last_answer = malloc(100 + (size_t)number % 100);
    memset(last_answer, 'a', 100);
}
