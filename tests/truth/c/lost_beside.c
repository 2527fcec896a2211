/* Buffers of 256 bytes that are dropped, beside one small structure that lives. */
#define LOAD_PLAIN
#include "program.h"

struct node {
    struct node *next;
};
struct node *two_nodes;
static long total;

static void setup(void)
{
    two_nodes = calloc(1, sizeof *two_nodes);
    two_nodes->next = calloc(1, sizeof *two_nodes);
}

static __attribute__((noinline)) char *read_packet(long number)
{
    char *packet = malloc(256); /* truth: read */
    memset(packet, (int)number, 256);
    return packet;
}

static void plant(long number) { total += read_packet(number)[17]; }
