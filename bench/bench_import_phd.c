/*
 * Importing portable heap dumps: see importing.h.
 *
 *      bench_import_phd [OBJECTS | FILE]
 *
 * Without a file one is made as OpenJ9 writes it: of 8 objects 5 are small ones of 40 classes with 2 references near
 * by, one is a byte array, one an array of 4 references, one an object with a reference to anywhere. A static field
 * leads to the first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "importing.h"

enum { CLASSES = 40, CLASS_BYTES = 128, STEP = 40 };
#define HEAP UINT64_C(0xe0000000)

static uint64_t last;

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static void put(FILE *file, uint64_t number, unsigned bytes)
{
    for (; bytes > 0; bytes--)
        putc((int)(number >> 8 * (bytes - 1) & 0xff), file);
}

static void text(FILE *file, const char *words)
{
    put(file, strlen(words), 2);
    fputs(words, file);
}

static uint64_t distance(uint64_t to, uint64_t from) { return (uint64_t)((int64_t)(to - from) >> 2); }

static void medium(FILE *file, uint64_t address, unsigned of, const uint64_t *targets, unsigned count)
{
    put(file, 0x40 | count << 3 | 1 << 2 | 2, 1);
    put(file, distance(address, last), 2);
    put(file, HEAP + of * CLASS_BYTES, 8);
    for (unsigned i = 0; i < count; i++)
        put(file, distance(targets[i], address), 4);
    last = address;
}

static void put_object(FILE *file, uint64_t number, uint64_t address, uint64_t count, uint64_t *state)
{
    const uint64_t near[4] = {address + STEP, address + 2 * STEP, address - STEP, address - 3 * STEP},
                   far = HEAP + CLASSES * CLASS_BYTES + draw(state, count) * STEP;
    switch (number % 8) {
    case 5:
        put(file, 0x20 | 4 << 2 | 1, 1);
        put(file, distance(address, last), 2);
        put(file, 20, 2);
        put(file, STEP / 4, 4);
        break;
    case 6:
        put(file, 8, 1);
        put(file, 1 | 1 << 6 | 2 << 4, 1);
        put(file, distance(address, last), 2);
        put(file, HEAP + 3 * CLASS_BYTES, 8);
        put(file, 4, 4);
        for (unsigned i = 0; i < 4; i++)
            put(file, distance(near[i], address), 4);
        put(file, 4, 4);
        put(file, 32 / 4, 4);
        break;
    case 7: medium(file, address, (unsigned)draw(state, CLASSES), &far, 1); break;
    default: medium(file, address, (unsigned)draw(state, CLASSES), near, 2); break;
    }
    last = address;
}

static void make_file(FILE *file, uint64_t objects)
{
    uint64_t state = 1, address = HEAP + CLASSES * CLASS_BYTES;
    char name[64];
    text(file, "portable heap dump");
    put(file, 6, 4);
    put(file, 5, 4);
    put(file, 1, 1);
    put(file, 2, 1);
    put(file, 2, 1);
    last = address - STEP;
    put(file, 4, 1); /* the first one says where the heap is */
    put(file, 3 << 6 | 1, 1);
    put(file, distance(last, 0), 8);
    put(file, HEAP, 8);
    put(file, 0, 4);
    for (uint64_t i = 0; i < objects; i++, address += STEP)
        put_object(file, i, address, objects, &state);
    for (unsigned i = 0; i < CLASSES; i++) {
        put(file, 6, 1);
        put(file, 3 << 6 | 2 << 4, 1);
        put(file, distance(HEAP + i * CLASS_BYTES, last), 8);
        last = HEAP + i * CLASS_BYTES;
        put(file, 24, 4);
        put(file, 0, 8);
        snprintf(name, sizeof name, "com/acme/shop/Part%u", i);
        text(file, name);
        put(file, i == 0, 4);
        if (i == 0) put(file, distance(HEAP + CLASSES * CLASS_BYTES, HEAP), 4);
    }
    put(file, 3, 1);
    if (fflush(file) != 0) exit(1);
}

int main(int argc, char **argv)
{
    static char usual[] = "12000000";
    char *words[] = {argv[0], usual, NULL};
    return bench_import_main(argc > 1 ? argc : 2, argc > 1 ? argv : words, "import_phd", make_file);
}
