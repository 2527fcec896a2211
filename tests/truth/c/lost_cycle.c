/* A parent and a child that refer to each other; both are dropped when the answer is sent. */
#include "program.h"

struct child;
struct parent {
    struct child *child;
    char text[40];
};
struct child {
    struct parent *parent;
    char text[32];
};

static long sum;

static void setup(void) {}

static __attribute__((noinline)) struct parent *make_family(long number)
{
    struct parent *p = calloc(1, sizeof *p); /* truth: made */
    p->child = calloc(1, sizeof *p->child);
    p->child->parent = p;
    p->text[0] = (char)number;
    return p;
}

static void plant(long number) { sum += make_family(number)->text[0]; }
