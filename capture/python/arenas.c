/*
 * The arenas that Python takes its small objects from: how many, and how much of them is in use. Python has no function
 * that says so in numbers; what sys._debugmallocstats() prints comes from a function of C, which writes to any stream
 * of stdio, here to one that keeps the four lines that matter. Nothing of Python runs, and no object is made.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "python_agent.h"

enum { LINE_BYTES = 128, BUFFER_BYTES = 1024 };

typedef struct arena_lines {
    char line[LINE_BYTES];
    size_t size;
    arena_counts *counts;
} arena_lines;

/* "=                 49,283,072" */
static uint64_t number_behind(const char *text)
{
    uint64_t value = 0;
    for (text = strchr(text, '='); text != NULL && *text != 0; text++)
        if (*text >= '0' && *text <= '9') value = value * 10 + (uint64_t)(*text - '0');
    return value;
}

static void take_line(arena_lines *lines)
{
    arena_counts *counts = lines->counts;
    const struct {
        const char *words;
        uint64_t *out;
    } known[] = {{"# arenas allocated current", &counts->arenas},
                 {"# arenas highwater mark", &counts->most_arenas},
                 {" bytes/arena", &counts->bytes},
                 {"# bytes in allocated blocks", &counts->used_bytes}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(lines->line, known[i].words) != NULL) *known[i].out = number_behind(lines->line);
}

static ssize_t take_text(void *context, const char *text, size_t size)
{
    arena_lines *lines = context;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '\n') {
            if (lines->size < LINE_BYTES - 1) lines->line[lines->size++] = text[i];
            continue;
        }
        lines->line[lines->size] = 0;
        take_line(lines);
        lines->size = 0;
    }
    return (ssize_t)size;
}

void count_arenas(const walk *w, arena_counts *out)
{
    char buffer[BUFFER_BYTES];
    arena_lines lines = {.counts = out};
    *out = (arena_counts){0};
    if (w->py.print_arenas == NULL) return;
    FILE *stream = fopencookie(&lines, "w", (cookie_io_functions_t){.write = take_text});
    if (stream == NULL) return;
    if (setvbuf(stream, buffer, _IOFBF, sizeof buffer) == 0) (void)w->py.print_arenas(stream);
    (void)fclose(stream);
}
