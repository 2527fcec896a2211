/*
 * Importing snapshots of tracemalloc: see importing.h.
 *
 *      bench_import_tracemalloc [OBJECTS | FILE]
 *
 * Without a file a snapshot of OBJECTS traces is made, as Python 3.14 writes it: each of 20,000 stacks of three frames
 * again and again.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "importing.h"

enum { STACKS = 20000, FILES = 200, FIRST_FILE = 12, BATCH = 1000 /* items that Python appends at once */ };

static const char begin[] = "\x80\x05\x8c\x0btracemalloc\x94\x8c\x08Snapshot\x94\x93\x94)\x81\x94}\x94("
                            "\x8c\x06traces\x94h\x00\x8c\x07_Traces\x94\x93\x94)\x81\x94}\x94"
                            "\x8c\x07_traces\x94]\x94(",
                  end[] = "esb\x8c\x0ftraceback_limit\x94K\x03ub.";

static void put(FILE *file, const char *bytes, size_t size) { fwrite(bytes, 1, size, file); }

static void put_number(FILE *file, char instruction, uint32_t number, int size)
{
    fputc(instruction, file);
    for (int i = 0; i < size; i++)
        fputc((int)(number >> 8 * i & 0xff), file);
}

/* The frame is kept in the memo. */
static void put_frame(FILE *file, uint32_t line, uint32_t path)
{
    put_number(file, 'j', FIRST_FILE + path, 4);
    put_number(file, 'M', line, 2);
    put(file, "\x86\x94", 2);
}

/* The texts of all files come first, so that their places in the memo are known. */
static uint32_t put_files(FILE *file)
{
    char name[64];
    for (uint32_t i = 0; i < FILES; i++) {
        const int size = snprintf(name, sizeof name, "/srv/shop/package_%03" PRIu32 "/module.py", i);
        put_number(file, '\x8c', (uint32_t)size, 1);
        put(file, name, (size_t)size);
        put(file,
            "\x94"
            "0",
            2);
    }
    return FIRST_FILE + FILES;
}

static void make_snapshot(FILE *file, uint64_t objects)
{
    uint32_t *stacks = calloc(STACKS, sizeof *stacks), memo;
    put(file, begin, sizeof begin - 2); /* the mark comes behind the files */
    memo = put_files(file);
    fputc('(', file);
    for (uint64_t i = 0; i < objects; i++) {
        const uint32_t stack = (uint32_t)((i * 2654435761u) % STACKS);
        put(file, "(K\x00", 3);
        put_number(file, 'M', 64 + (uint32_t)(i % 1000), 2);
        if (stacks[stack] == 0) {
            for (uint32_t k = 0; k < 3; k++)
                put_frame(file, 1 + (stack / FILES + 7 * k) % 60000, (stack + k) % FILES);
            memo += 3;
            put(file, "\x87\x94", 2);
            stacks[stack] = memo++;
        } else {
            put_number(file, 'j', stacks[stack], 4);
        }
        put(file, "K\x03t\x94", 4);
        memo++;
        if (i % BATCH == BATCH - 1) put(file, "e(", 2);
    }
    put(file, end, sizeof end - 1);
    free(stacks);
    if (fflush(file) != 0) exit(1);
}

/* Half a million without an argument: the traces stay in memory (100 bytes each), which all benchmarks of imports have
 * equally little of. */
int main(int argc, char **argv)
{
    static char usual[] = "500000";
    char *words[] = {argv[0], usual, NULL};
    return bench_import_main(argc > 1 ? argc : 2, argc > 1 ? argv : words, "import_tracemalloc", make_snapshot);
}
