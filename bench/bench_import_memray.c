/*
 * Importing capture files of memray: see importing.h.
 *
 *      bench_import_memray [OBJECTS | FILE]
 *
 * Without a file one of OBJECTS allocations is made, by 2,000 functions at two depths; every second block is freed
 * again when fourteen others have followed.
 */
#include <inttypes.h>
#include <string.h>

#include "importing.h"

enum { FUNCTIONS = 2000, RECENT = 15 };

static void put_word(FILE *file, uint64_t word, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(word >> 8 * i & 0xff), file);
}

static void put_number(FILE *file, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        fputc((int)(number & 0x7f) | 0x80, file);
    fputc((int)number, file);
}

static void put_head(FILE *file)
{
    fwrite("memray", 1, 7, file);
    put_word(file, 12, 4), put_word(file, 0x030b00f0, 4), put_word(file, 0, 2);
    for (int i = 0; i < 4; i++)
        put_word(file, 1000, 8);
    fwrite("app.py", 1, 7, file);
    put_word(file, 42, 4), put_word(file, 1, 8), put_word(file, 0, 8), put_word(file, 1, 3);
}

static void put_functions(FILE *file)
{
    char names[64];
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        const int size =
            snprintf(names, sizeof names, "function_%" PRIu32 "%c/srv/shop/module_%" PRIu32 ".py", i, 0, i / 20);
        fputc(14, file);
        put_number(file, i + 1);
        fwrite(names, 1, (size_t)size + 1, file);
        put_number(file, 2), put_number(file, 3);
        fwrite("\xd7\x01\x02", 1, 3, file);
    }
    fputc(12, file), put_word(file, 1, 8);
}

static void make_file(FILE *file, uint64_t objects)
{
    put_head(file);
    put_functions(file);
    fputc(64, file), put_number(file, 1), put_number(file, 0);
    for (uint64_t i = 0; i < objects; i++) {
        fputc(64, file), put_number(file, 1 + i * 7919 % FUNCTIONS), put_number(file, 4);
        fputc(0xfe, file), put_number(file, 16), put_number(file, 100 + i % 400);
        fputc(16, file);
        if (i >= RECENT && i % 2 == 0) fputc(128 | (RECENT - 1) << 3 | 5, file);
    }
    fputc(1, file);
}

int main(int argc, char **argv) { return bench_import_main(argc, argv, "import_memray", make_file); }
