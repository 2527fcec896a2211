/* No leak: a ring of the last 4,000 events, which is full before the first capture. */
#include "program.h"

enum { EVENTS = 4000 };

struct event {
    long number;
    char text[120];
};
static struct event *last_events[EVENTS];

static void setup(void) {}

static void plant(long number)
{
    struct event *e = calloc(1, sizeof *e);
    e->number = number;
    free(last_events[number % EVENTS]);
    last_events[number % EVENTS] = e;
}
