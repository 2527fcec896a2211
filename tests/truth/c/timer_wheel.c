/* Timeouts of requests in a wheel of 256 slots: those of requests that were answered are not cancelled, and lie an hour
 * ahead. */
#include "program.h"

enum { SLOTS = 256 };

struct timeout {
    struct timeout *next, **previous;
    void (*fire)(void *);
    void *request;
    unsigned long due;
};
struct request {
    long number;
    char url[72];
};

static struct {
    unsigned long now;
    struct timeout *slots[SLOTS];
} timeout_wheel;

static void setup(void) {}

static void give_up(void *request) { free(request); }

static __attribute__((noinline)) void set_timeout(struct request *request, unsigned long due)
{
    struct timeout *t = malloc(sizeof *t); /* truth: timeout */
    struct timeout **slot = &timeout_wheel.slots[due % SLOTS];
    *t = (struct timeout){.next = *slot, .previous = slot, .fire = give_up, .request = request, .due = due};
    if (*slot != NULL) (*slot)->previous = &t->next;
    *slot = t;
}

static __attribute__((noinline)) struct request *make_request(long number)
{
    struct request *r = calloc(1, sizeof *r); /* truth: request */
    r->number = number;
    return r;
}

static void plant(long number)
{
    timeout_wheel.now++;
    set_timeout(make_request(number), timeout_wheel.now + 3600000);
}
