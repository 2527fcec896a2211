/* Objects come from slabs of 64 and are never put back. */
#include "program.h"

enum { A_SLAB = 64 };

struct packet {
    struct packet *next_free;
    char bytes[88];
};
struct slab {
    struct slab *earlier;
    struct packet packets[A_SLAB];
};

static struct slab *packet_slabs;
static struct packet *free_packets;

static void setup(void) {}

static __attribute__((noinline)) void add_slab(void)
{
    struct slab *s = calloc(1, sizeof *s); /* truth: made */
    s->earlier = packet_slabs;
    packet_slabs = s;
    for (int i = 0; i < A_SLAB; i++) {
        s->packets[i].next_free = free_packets;
        free_packets = &s->packets[i];
    }
}

static void plant(long number)
{
    if (free_packets == NULL) add_slab();
    struct packet *p = free_packets;
    free_packets = p->next_free;
    memset(p, (int)number & 15, sizeof *p);
}
