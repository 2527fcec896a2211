/* Buffers of 256 bytes that are dropped, in a program of which no block refers to another one. */
#define LOAD_PLAIN
#include "program.h"

static long total;

static void setup(void) {}

static __attribute__((noinline)) char *read_packet(long number)
{
    char *packet = malloc(256); /* truth: read */
    memset(packet, (int)number, 256);
    return packet;
}

static void plant(long number) { total += read_packet(number)[17]; }
