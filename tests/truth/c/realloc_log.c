/* A log that is kept in one buffer, which grows by pages. */
#include "program.h"

enum { LINE = 64, STEP = 4096 };

static char *journal;
static size_t journal_used, journal_room;

static void setup(void) {}

static __attribute__((noinline)) void append_line(const char *line)
{
    if (journal_used + LINE > journal_room) {
        journal_room += STEP;
        journal = realloc(journal, journal_room); /* truth: grown */
    }
    memset(journal + journal_used, ' ', LINE);
    memcpy(journal + journal_used, line, strlen(line));
    journal_used += LINE;
}

static void plant(long number)
{
    char line[LINE];
    snprintf(line, sizeof line, "request %ld was served", number);
    append_line(line);
}
