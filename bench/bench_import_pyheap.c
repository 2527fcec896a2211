/*
 * Importing heap dumps of PyHeap: see importing.h.
 *
 *      bench_import_pyheap [OBJECTS | FILE]
 *
 * Without a file a dump of OBJECTS is made: objects of a class with one attribute in a list.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "importing.h"

enum { LIST = 0x1000, FIRST = 0x100000, STEP = 64, KINDS = 2 };

static void put(FILE *file, uint64_t number, int bytes)
{
    while (bytes-- > 0)
        fputc((int)(number >> 8 * bytes & 0xff), file);
}

static void put_text(FILE *file, const char *text)
{
    put(file, strlen(text), 2);
    fputs(text, file);
}

static void put_object(FILE *file, uint64_t i)
{
    const uint64_t at = FIRST + i * STEP;
    put(file, at, 8);
    put(file, KINDS, 8);
    put(file, 48, 4);
    put(file, 1, 4);
    put(file, i == 0 ? LIST : at - STEP, 8);
    put(file, 1, 4);
    put_text(file, "before");
    put(file, i == 0 ? LIST : at - STEP, 8);
}

static void make_dump(FILE *file, uint64_t objects)
{
    put(file, 123000321, 8);
    put(file, 1, 4);
    put_text(file, "2026-11-27T12:00:00+00:00");
    put(file, 0, 8); /* no texts */
    put(file, 0, 4); /* threads */
    put(file, 0, 4); /* frequent names */
    put(file, 0, 4); /* and types */
    put(file, objects + 1, 4);
    put(file, LIST, 8);
    put(file, 1, 8);
    put(file, 88, 4);
    put(file, 0, 4);
    put(file, 0, 4);
    for (uint64_t i = 0; i < objects; i++)
        put_object(file, i);
    put(file, KINDS, 4);
    put(file, 1, 8);
    put_text(file, "list");
    put(file, KINDS, 8);
    put_text(file, "Order");
    put(file, 123000321, 8);
}

int main(int argc, char **argv) { return bench_import_main(argc, argv, "import_pyheap", make_dump); }
