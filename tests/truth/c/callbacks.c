/* Handlers are registered with a context of their own for each client, and never removed. */
#include "program.h"

struct handler {
    void (*call)(void *);
    void *context;
};
struct context {
    long client;
    char *name;
    char buffer[96];
};

static struct handler *handlers;
static size_t handler_count, handler_room;

static void setup(void) {}

static void on_event(void *context) { ((struct context *)context)->client++; }

static __attribute__((noinline)) void register_handler(void (*call)(void *), void *context)
{
    if (handler_count == handler_room) handlers = realloc(handlers, (handler_room += 1000) * sizeof *handlers);
    handlers[handler_count++] = (struct handler){call, context};
}

static __attribute__((noinline)) struct context *make_context(long client)
{
    struct context *c = calloc(1, sizeof *c); /* truth: made */
    c->client = client;
    c->name = strdup("client of the news");
    return c;
}

static void plant(long number) { register_handler(on_event, make_context(number)); }
