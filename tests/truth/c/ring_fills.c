/* A ring of the last 5,000 events, which gets full between the second and the third capture: it grew, and is no leak.
 */
#include "program.h"

enum { EVENTS = 7500 };

struct event {
    long number;
    char text[120];
};
static struct event **event_ring;

static void setup(void) { event_ring = calloc(EVENTS, sizeof *event_ring); }

static __attribute__((noinline)) struct event *make_event(long number)
{
    struct event *e = calloc(1, sizeof *e); /* truth: made */
    e->number = number;
    return e;
}

static void plant(long number)
{
    free(event_ring[number % EVENTS]);
    event_ring[number % EVENTS] = make_event(number);
}
