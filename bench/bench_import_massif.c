/*
 * Importing files of massif: see importing.h.
 *
 *      bench_import_massif [STACKS | FILE]
 *
 * Without a file one is made with a tree of STACKS stacks, each of 24 frames, sixteen of which share the innermost
 * half.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "importing.h"

enum { FRAMES = 24, SHARED = 12, BRANCHES = 16, PLACES = 20000, BYTES = 96 };

static uint64_t place_of(uint64_t trunk, uint64_t branch, unsigned depth)
{
    return (trunk * 2654435761u + branch * 40503u + depth * 97u) % PLACES;
}

static void put_line(FILE *file, unsigned depth, unsigned children, uint64_t bytes, uint64_t place)
{
    fprintf(file,
            "%*sn%u: %" PRIu64 " 0x%" PRIX64 ": shop::part_%" PRIu64 "::handle(int, char const*) (part_%" PRIu64
            ".cc:%" PRIu64 ")\n",
            (int)depth, "", children, bytes, 0x109000 + place * 16, place, place % 500, place % 2000 + 1);
}

static void make_file(FILE *file, uint64_t stacks)
{
    const uint64_t trunks = stacks / BRANCHES + 1;
    fprintf(
        file,
        "desc: (none)\ncmd: ./shop\ntime_unit: i\n#-----------\nsnapshot=1\n#-----------\ntime=1\nmem_heap_B=%" PRIu64
        "\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\nn%" PRIu64 ": %" PRIu64 " (heap)\n",
        trunks * BRANCHES * BYTES, trunks, trunks * BRANCHES * BYTES);
    for (uint64_t trunk = 0; trunk < trunks; trunk++) {
        for (unsigned depth = 1; depth <= SHARED; depth++)
            put_line(file, depth, depth == SHARED ? BRANCHES : 1, BRANCHES * BYTES, place_of(trunk, 0, depth));
        for (uint64_t branch = 1; branch <= BRANCHES; branch++)
            for (unsigned depth = SHARED + 1; depth <= FRAMES; depth++)
                put_line(file, depth, depth < FRAMES, BYTES, place_of(trunk, branch, depth));
    }
    if (fflush(file) != 0) exit(1);
}

int main(int argc, char **argv)
{
    static char usual[] = "60000";
    char *words[] = {argv[0], usual, NULL};
    return bench_import_main(argc > 1 ? argc : 2, argc > 1 ? argv : words, "import_massif", make_file);
}
