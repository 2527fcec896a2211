/*
 * Importing files of heaptrack: see importing.h.
 *
 *      bench_import_heaptrack [COUNTS | FILE]
 *
 * Without a file one is made with 20,000 places, 40,000 stacks, 100,000 allocations of some size, and COUNTS lines that
 * make and free one of them, most of them of few.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "importing.h"

enum { PLACES = 20000, STACKS = 40000, ALLOCATIONS = 100000, COMMON = 500 };

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static void make_file(FILE *file, uint64_t counts)
{
    uint64_t state = 1;
    char name[64];
    fputs("v 10400 3\nX ./shop\nI 1000 5e2921\ns 4 shop\n", file);
    for (int i = 0; i < PLACES; i++) {
        const int size = snprintf(name, sizeof name, "shop::part_%d::handle(int, char const*)", i);
        fprintf(file, "s %x %s\ni %x 1 %x 0 0\n", size, name, 0x55aa0000 + i * 16, i + 2);
    }
    for (unsigned i = 0; i < STACKS; i++)
        fprintf(file, "t %" PRIx64 " %" PRIx64 "\n", 1 + draw(&state, PLACES),
                i == 0 ? 0 : i - draw(&state, i < 30 ? i : 30));
    for (unsigned i = 0; i < ALLOCATIONS; i++)
        fprintf(file, "a %" PRIx64 " %" PRIx64 "\n", 8 + draw(&state, 4000), 1 + draw(&state, STACKS));
    for (uint64_t i = 0; i < counts; i++)
        fprintf(file, "%c %" PRIx64 "\n", draw(&state, 20) < 11 ? '+' : '-',
                draw(&state, draw(&state, 10) < 8 ? COMMON : ALLOCATIONS));
    fputs("\n# strings: 20001\n# ips: 20000\n", file);
    if (fflush(file) != 0) exit(1);
}

int main(int argc, char **argv)
{
    static char usual[] = "20000000";
    char *words[] = {argv[0], usual, NULL};
    return bench_import_main(argc > 1 ? argc : 2, argc > 1 ? argv : words, "import_heaptrack", make_file);
}
