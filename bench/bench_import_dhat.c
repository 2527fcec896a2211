/*
 * Importing files of DHAT: see importing.h.
 *
 *      bench_import_dhat [STACKS | FILE]
 *
 * Without a file one is made with STACKS stacks, each the 18 outer frames of one of 3,000 and 8 of its own.
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
        fprintf(file, ",%" PRIu64, 1 + draw(&state, PLACES));
}

static void make_profile(FILE *file, uint64_t stacks)
{
    uint64_t state = 1;
    fputs("{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\"\n,\"bklt\":true,\"bkacc\":true\n,\"tu\":"
          "\"instrs\",\"Mtu\":\"Minstr\"\n,\"cmd\":\"./"
          "shop\"\n,\"pid\":3707\n,\"te\":2630198\n,\"tg\":2484942\n,\"pps\":\n ",
          file);
    for (uint64_t i = 0; i < stacks; i++) {
        const uint64_t objects = 1 + draw(&state, 50), bytes = objects * (16 + draw(&state, 100000));
        fprintf(file,
                "%s{\"tb\":%" PRIu64 ",\"tbk\":%" PRIu64 "\n  ,\"tl\":%" PRIu64 "\n  ,\"mb\":%" PRIu64
                ",\"mbk\":1\n  ,\"gb\":%" PRIu64 ",\"gbk\":1\n  ,\"eb\":%" PRIu64 ",\"ebk\":%" PRIu64
                "\n  ,\"rb\":0,\"wb\":%" PRIu64 "\n  ,\"acc\":[-48,0,4,8]\n  ,\"fs\":[1",
                i == 0 ? "[" : " ,", bytes * 2, objects * 2, bytes * 77, bytes, bytes, bytes, objects, bytes);
        put_frames(file, i + TRUNKS, OWN_FRAMES);
        put_frames(file, draw(&state, TRUNKS), TRUNK_FRAMES);
        fputs("]\n  }\n", file);
    }
    fputs(" ]\n,\"ftbl\":\n [\"[root]\"\n", file);
    for (int i = 0; i < PLACES; i++)
        fprintf(file, " ,\"0x%X: shop::part_%d::handle(int, char const*) (part_%d.cc:%d)\"\n", 0x109000 + i * 16, i,
                i % 500, i % 2000 + 1);
    fputs(" ]\n}\n", file);
    if (fflush(file) != 0) exit(1);
}

int main(int argc, char **argv)
{
    static char usual[] = "100000";
    char *words[] = {argv[0], usual, NULL};
    return bench_import_main(argc > 1 ? argc : 2, argc > 1 ? argv : words, "import_dhat", make_profile);
}
