/* No leak: buffers go back to a list of free ones and are taken from there. */
#include "program.h"

enum { BURST = 20 };

struct buffer {
    struct buffer *next;
    char bytes[248];
};
static struct buffer *free_buffers;

static void setup(void) {}

static struct buffer *get_buffer(void)
{
    struct buffer *b = free_buffers;
    if (b == NULL) return calloc(1, sizeof *b);
    free_buffers = b->next;
    return b;
}

static void put_buffer(struct buffer *b)
{
    b->next = free_buffers;
    free_buffers = b;
}

static void plant(long number)
{
    struct buffer *taken[BURST];
    for (int i = 0; i < BURST; i++)
        (taken[i] = get_buffer())->bytes[0] = (char)number;
    for (int i = 0; i < BURST; i++)
        put_buffer(taken[i]);
}
