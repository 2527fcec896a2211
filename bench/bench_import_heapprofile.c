/*
 * Importing heap profiles as text: see importing.h.
 *
 *      bench_import_heapprofile [STACKS | FILE]
 *
 * Without a file a profile of STACKS stacks is made, as jemalloc writes it: each the 18 outer frames of one of 3,000
 * and 8 of its own.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "importing.h"

enum { PLACES = 60000, TRUNKS = 3000, TRUNK_FRAMES = 18, OWN_FRAMES = 8 };

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static void put_frames(FILE *file, uint64_t state, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(file, " 0x%" PRIx64, UINT64_C(0x55686ad6f000) + 37 * draw(&state, PLACES));
}

static void make_profile(FILE *file, uint64_t stacks)
{
    uint64_t state = 1;
    fputs("heap_v2/524288\n  t*: 1: 1 [0: 0]\n", file);
    for (uint64_t i = 0; i < stacks; i++) {
        const uint64_t objects = 1 + draw(&state, 50), bytes = objects * (16 + draw(&state, 100000));
        fputc('@', file);
        put_frames(file, i + TRUNKS, OWN_FRAMES);
        put_frames(file, draw(&state, TRUNKS), TRUNK_FRAMES);
        fprintf(file, "\n  t*: %" PRIu64 ": %" PRIu64 " [0: 0]\n", objects, bytes);
    }
    fputs("\nMAPPED_LIBRARIES:\n55686ad6e000-5568aad70000 r-xp 00000000 fe:00 5390493    /srv/shop\n", file);
    if (fflush(file) != 0) exit(1);
}

int main(int argc, char **argv)
{
    static char usual[] = "100000";
    char *words[] = {argv[0], usual, NULL};
    return bench_import_main(argc > 1 ? argc : 2, argc > 1 ? argv : words, "import_heapprofile", make_profile);
}
