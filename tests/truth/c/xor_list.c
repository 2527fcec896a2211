/* A list of two directions in one word a node: the addresses of both neighbours, xor'ed. */
#include "program.h"

struct item {
    uintptr_t neighbours;
    long number;
    char text[64];
};

struct item *newest_item, *oldest_item;

static void setup(void) {}

static __attribute__((noinline)) struct item *make_item(long number)
{
    struct item *i = calloc(1, sizeof *i); /* truth: made */
    i->number = number;
    return i;
}

static void plant(long number)
{
    struct item *i = make_item(number);
    i->neighbours = (uintptr_t)newest_item;
    if (newest_item != NULL)
        newest_item->neighbours ^= (uintptr_t)i;
    else
        oldest_item = i;
    newest_item = i;
}
