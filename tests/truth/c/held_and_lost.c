/* Two leaks: a list that is held, and, more of it, buffers that are lost. */
#include "program.h"

struct visit {
    struct visit *next;
    char text[56];
};

struct visit *visit_list;
static long total;

static void setup(void) {}

static __attribute__((noinline)) struct visit *new_visit(void)
{
    return calloc(1, sizeof(struct visit)); /* truth: visit */
}

static __attribute__((noinline)) char *encode(long number)
{
    char *encoded = malloc(180); /* truth: encoded */
    memset(encoded, (int)number & 15, 180);
    return encoded;
}

static void plant(long number)
{
    struct visit *v = new_visit();
    v->next = visit_list;
    visit_list = v;
    total += encode(number)[9];
}
