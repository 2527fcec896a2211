/*
 * Importing heap graphs of .NET: see importing.h.
 *
 *      bench_import_gcdump [OBJECTS | FILE.gcdump]
 *
 * Without a file a graph of OBJECTS (default 2,000,000) is made: sessions with a name, its characters and an array of
 * others, 1.6 references an object, as in a server's heap. "in pages" is with so little memory that the records are
 * read from a temporary file.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "importing.h"
#include "support/gcdump_writer.h"
#include "support/random.h"

enum { A_SESSION = 4, LINKS = 4 };

static const gw_type types[] = {{.name = "UNDEFINED", .size = -1},
                                {.name = "[.NET Roots]", .size = 0},
                                {.name = "Shop.Session", .size = 40, .module = "shop.dll"},
                                {.name = "System.String", .size = 22, .module = "System.Private.CoreLib.dll"},
                                {.name = "System.Byte[]", .size = 24, .module = "System.Private.CoreLib.dll"},
                                {.name = "Shop.Session[]", .size = 32, .module = "shop.dll"}};

/* Session k has nodes 4k + 1 to 4k + 4: itself, its name, bytes, friends. Node 0 is the root of them all. */
static void make_dump(FILE *file, uint64_t objects)
{
    const uint32_t sessions = (uint32_t)(objects / A_SESSION), count = sessions * A_SESSION + 1;
    test_random random = {1};
    gw_node *nodes = calloc(count, sizeof *nodes);
    uint32_t *links = calloc((size_t)count * 2 + sessions, sizeof *links), *next = links;
    if (nodes == NULL || links == NULL) exit(1);
    nodes[0] = (gw_node){.type = 1, .children = next, .count = sessions};
    for (uint32_t i = 0; i < sessions; i++)
        *next++ = 1 + i * A_SESSION;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t part = (i - 1) % A_SESSION;
        nodes[i] =
            (gw_node){.type = 2 + part, .address = UINT64_C(0x7f0000000000) + 32 * (uint64_t)i, .children = next};
        if (part == 1) nodes[i].size = 22 + 2 * (int32_t)test_below(&random, 30);
        nodes[i].count = part == 0 ? 3 : part == 3 ? (uint32_t)test_below(&random, LINKS) : 0;
        for (uint32_t k = 0; k < nodes[i].count; k++)
            *next++ = part == 0 ? i + 1 + k : 1 + (uint32_t)test_below(&random, sessions) * A_SESSION;
    }
    const gw_heap heap = {
        .version = 10, .types = types, .type_count = 6, .nodes = nodes, .node_count = count, .tool = "dotnet-gcdump"};
    gw_bytes bytes = gw_write(&heap);
    if (fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fflush(file) != 0) exit(1);
    free(bytes.data);
    free(nodes);
    free(links);
}

int main(int argc, char **argv)
{
    const hsd_import_options level_1 = {.compression = 1};
    char *end = NULL;
    const uint64_t objects = argc > 1 ? strtoull(argv[1], &end, 10) : 2000000;
    const bool is_file = argc > 1 && *end != '\0';
    const char *path = is_file ? argv[1] : bench_made(make_dump, objects);
    bench_begin();
    bench_import("import_gcdump", path);
    bench_import_row("import_gcdump", "objects in pages; level 1", path, &level_1, UINT64_C(16) << 20);
    if (!is_file) bench_forget(path);
    return 0;
}
