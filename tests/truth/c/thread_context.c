/* Lists in a structure that each thread has, one of them in a structure within. */
#include "program.h"

struct line {
    struct line *next;
    char text[88];
};

struct context {
    long lines_written;
    struct line *lines;
    struct {
        struct line *warnings;
    } other;
};

static __thread long calls;
static __thread struct context context;

static __attribute__((noinline)) struct line *new_line(struct line *next, long number)
{
    struct line *l = malloc(sizeof *l); /* truth: made */
    snprintf(l->text, sizeof l->text, "line %ld", number);
    l->next = next;
    return l;
}

static void setup(void) {}

static void plant(long number)
{
    calls++;
    context.lines = new_line(context.lines, number);
    if (number % 4 == 0) context.other.warnings = new_line(context.other.warnings, number);
    context.lines_written++;
}
