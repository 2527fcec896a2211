/* Connections by their descriptor, in one array: the number is given out again only after a close, which is forgotten.
 */
#include "program.h"

enum { DESCRIPTORS = 65536 };

struct connection {
    int descriptor;
    char *input, *output;
    char peer[40];
};

struct connection *connections[DESCRIPTORS];
static int next_descriptor = 3;

static void setup(void) {}

static __attribute__((noinline)) struct connection *accept_connection(int descriptor)
{
    struct connection *c = calloc(1, sizeof *c); /* truth: made */
    c->descriptor = descriptor;
    c->input = malloc(128);
    c->output = malloc(64);
    return c;
}

static void plant(long number)
{
    connections[next_descriptor] = accept_connection(next_descriptor);
    connections[next_descriptor++]->peer[0] = (char)number;
}
