/*
 * Seeds of fuzz_graph: programs (graph_program.h) of heaps that are mostly sound, in every form, so that mutations
 * spoil a graph that means something. Each is random by its number.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/graph_program.h"
#include "support/random.h"

enum { SEEDS = 32, SEEDS_IN_PLACE = 24, MAX_BYTES = 16384 };

typedef struct seed {
    test_random random;
    uint8_t bytes[MAX_BYTES];
    size_t size;
    uint16_t objects; /* ids and ordinals of the program: 0 .. objects - 1 */
} seed;

static uint16_t below(seed *s, unsigned limit) { return (uint16_t)test_below(&s->random, limit); }

static void put(seed *s, unsigned value) { s->bytes[s->size++] = (uint8_t)value; }

static void put_step(seed *s, unsigned what, unsigned a, unsigned b, unsigned c, unsigned d)
{
    put(s, what), put(s, a), put(s, a >> 8), put(s, b), put(s, b >> 8), put(s, c), put(s, d);
}

static unsigned target(seed *s) { return below(s, 30) == 0 ? 0xFFF0u + below(s, 16) : below(s, s->objects); }

/* Most types and labels are plain. */
static void put_head(seed *s, unsigned number)
{
    const bool is_moved = number >= SEEDS_IN_PLACE;
    const unsigned identity = is_moved || number % 8 == 7 ? 3 : number % 8 == 6 ? 0 : 1 + number % 2;
    for (int side = 0; side < 2; side++) {
        const unsigned form = number % 4 == 3 ? 0 : side == 0 ? number % 2 : number / 2 % 2;
        put(s, form | below(s, 2) * GRAPH_TABLES_LAST | below(s, 2) * GRAPH_COMPRESSED | GRAPH_HAS_DOMAIN |
                   identity << 4 | (is_moved && side == 1 ? GRAPH_IS_MOVED : 0));
        put(s, 0);
    }
    for (unsigned i = 0; i < GRAPH_TYPES; i++) {
        put(s, i < 5 ? 0 : i == 5 ? 1 : i == 6 ? number % 3 == 0 ? 2 : 0 : below(s, 8) & (number % 3 == 0 ? 7 : 5));
        put(s, i);
    }
    for (unsigned i = 0; i < GRAPH_LABELS; i++) {
        static const uint8_t flags[GRAPH_LABELS] = {0, 0, 0, 1, 2, 4, 8, 0x0E};
        put(s, i < 3 ? i : below(s, 8));
        put(s, flags[i]);
        put(s, i + 1);
    }
}

static void put_object(seed *s, unsigned id)
{
    const unsigned side = below(s, 8) == 0 ? GRAPH_ONLY_AFTER : below(s, 10) == 0 ? GRAPH_ONLY_BEFORE : 0;
    put_step(s, GRAPH_OBJECT | side, id, 8u * below(s, 200), 1u + below(s, GRAPH_TYPES), below(s, 12) == 0 ? 1 : 0);
    for (unsigned n = below(s, 4); n > 0; n--) {
        put_step(s, GRAPH_REFERENCE | side, target(s), 0, below(s, GRAPH_LABELS + 1), below(s, 4));
    }
    if (below(s, 15) == 0) put_step(s, GRAPH_REFERENCE | side, id, 0, 1, 0);
    if (below(s, 15) == 0) put_step(s, GRAPH_REPEAT | side, target(s), 0, below(s, GRAPH_LABELS), 5);
    if (below(s, 15) == 0) put_step(s, GRAPH_FAN | side, target(s), 0, below(s, GRAPH_LABELS), below(s, 100));
}

static void put_program(seed *s, unsigned number)
{
    s->objects = (uint16_t)(5 + below(s, number % 5 == 0 ? 300 : 40));
    put_head(s, number);
    for (unsigned r = 1 + below(s, 6); r > 0; r--) {
        put_step(s, GRAPH_ROOT, target(s), below(s, GRAPH_NAMES + 1), below(s, 12), below(s, 4) == 0);
    }
    for (unsigned id = 0; id < s->objects; id++)
        put_object(s, id);
    if (number % 3 == 0) put_step(s, GRAPH_CHAIN, s->objects, 1, 2, 60);
    for (unsigned e = number % 2 ? below(s, 20) : 0; e > 0; e--) {
        put_step(s, GRAPH_EDGE, target(s), target(s), below(s, GRAPH_LABELS + 1), 0);
    }
    if (number % 6 == 5) put_object(s, below(s, s->objects)); /* an id that stands there twice */
    if (number % 6 == 2) put_object(s, 0xFFFF);               /* the last id there is */
    /* of more bytes than can be */
    if (number % 8 == 4) put_step(s, GRAPH_OBJECT, 0xFFFE, 0xFF00u + below(s, 256), 1, 0);
    put_step(s, GRAPH_ROOT | GRAPH_ONLY_AFTER, target(s), 1, 2, 0);
}

int main(int argc, char **argv)
{
    static seed s;
    for (unsigned number = 0; argc == 2 && number < SEEDS; number++) {
        char path[1024];
        s = (seed){.random = {number + 1}};
        put_program(&s, number);
        snprintf(path, sizeof path, "%s/graph-%02u", argv[1], number);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(s.bytes, 1, s.size, file) != s.size || fclose(file) != 0) {
            perror(path);
            return 1;
        }
    }
    return argc == 2 ? 0 : 2;
}
