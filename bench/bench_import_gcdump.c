/*
 * Importing heap graphs of .NET: the walk for a summary, and the whole import, on one core from the page cache. Beside them the bound that the
 * machine sets: reading the same bytes and nothing else.
 *
 *      bench_import_gcdump [OBJECTS | FILE.gcdump]      CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 *
 * Without a file a graph of OBJECTS (default 2,000,000) is made: sessions with a name, its characters and an array of others, 1.6 references an
 * object, as in a server's heap. "in pages" is with so little memory that the records are read from a temporary file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../tests/support/gcdump_writer.h"
#include "../tests/support/random.h"
#include "base/note.h"
#include <hsdiff/import.h>

#define REPEATS 3

enum { A_SESSION = 4, LINKS = 4 };

static const gw_type types[] = {{.name = "UNDEFINED", .size = -1},
                                {.name = "[.NET Roots]", .size = 0},
                                {.name = "Shop.Session", .size = 40, .module = "shop.dll"},
                                {.name = "System.String", .size = 22, .module = "System.Private.CoreLib.dll"},
                                {.name = "System.Byte[]", .size = 24, .module = "System.Private.CoreLib.dll"},
                                {.name = "Shop.Session[]", .size = 32, .module = "shop.dll"}};

/* Session k has nodes 4k + 1 to 4k + 4: itself, its name, bytes, friends. Node 0 is the root of them all. */
static void make_dump(FILE *file, uint32_t objects)
{
    const uint32_t sessions = objects / A_SESSION, count = sessions * A_SESSION + 1;
    test_random random = {1};
    gw_node *nodes = calloc(count, sizeof *nodes);
    uint32_t *links = calloc((size_t)count * 2 + sessions, sizeof *links), *next = links;
    if (nodes == NULL || links == NULL) exit(1);
    nodes[0] = (gw_node){.type = 1, .children = next, .count = sessions};
    for (uint32_t i = 0; i < sessions; i++) *next++ = 1 + i * A_SESSION;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t part = (i - 1) % A_SESSION;
        nodes[i] = (gw_node){.type = 2 + part, .address = UINT64_C(0x7f0000000000) + 32 * (uint64_t)i, .children = next};
        if (part == 1) nodes[i].size = 22 + 2 * (int32_t)test_below(&random, 30);
        nodes[i].count = part == 0 ? 3 : part == 3 ? (uint32_t)test_below(&random, LINKS) : 0;
        for (uint32_t k = 0; k < nodes[i].count; k++)
            *next++ = part == 0 ? i + 1 + k : 1 + (uint32_t)test_below(&random, sessions) * A_SESSION;
    }
    const gw_heap heap = {.version = 10, .types = types, .type_count = 6, .nodes = nodes, .node_count = count, .tool = "dotnet-gcdump"};
    gw_bytes bytes = gw_write(&heap);
    if (fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fflush(file) != 0) exit(1);
    free(bytes.data);
    free(nodes);
    free(links);
}

static void row(const char *shape, uint64_t items, uint64_t bytes, uint64_t ns)
{
    const double seconds = (double)ns * 1e-9;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("import_gcdump,%s,%ld KiB,%llu,%.4f,%.1f,%.0f\n", shape, use.ru_maxrss, (unsigned long long)items, seconds,
           (double)items / seconds * 1e-6, (double)bytes / seconds * 1e-6);
    fflush(stdout);
}

static uint64_t read_all(const char *path)
{
    static char block[1 << 20];
    uint64_t bytes = 0;
    ssize_t got;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    while ((got = read(fd, block, sizeof block)) > 0) bytes += (uint64_t)got;
    close(fd);
    return bytes;
}

static hsd_import_result import(const char *path, const hsd_import_options *options, uint64_t memory)
{
    const hsd_run run = {.memory_bytes = memory};
    hsd_import_result result;
    hsd_error err;
    int out = -1;
    hsd_error_init(&err);
    if (hsd_import_temp(path, options, &run, &out, &result, &err) != HSD_OK) {
        fprintf(stderr, "bench_import_gcdump: %s\n", err.text);
        exit(1);
    }
    close(out);
    return result;
}

static void measure(const char *path, const char *shape, const hsd_import_options *options, uint64_t memory)
{
    uint64_t best = UINT64_MAX;
    hsd_import_result result = {0};
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = hsd_now_ns();
        result = import(path, options, memory);
        const uint64_t took = hsd_now_ns() - start;
        best = took < best ? took : best;
    }
    row(shape, result.objects, result.input_bytes, best);
}

static void measure_bound(const char *path)
{
    uint64_t best = UINT64_MAX, bytes = 0;
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = hsd_now_ns();
        bytes = read_all(path);
        const uint64_t took = hsd_now_ns() - start;
        best = took < best ? took : best;
    }
    row("bound: read", 0, bytes, best);
}

int main(int argc, char **argv)
{
    char made[64] = "/var/tmp/hsd-bench-XXXXXX";
    const char *path = argc > 1 ? argv[1] : made;
    char *end = NULL;
    const unsigned long objects = argc > 1 ? strtoul(argv[1], &end, 10) : 2000000;
    const bool is_file = argc > 1 && *end != '\0';
    const uint64_t much = UINT64_C(256) << 20, little = UINT64_C(16) << 20;
    if (!is_file) {
        const int fd = mkstemp(made);
        FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
        if (file == NULL) return 1;
        make_dump(file, (uint32_t)objects);
        fclose(file);
        path = made;
    }
    printf("stage,shape,memory,items,seconds,M items/s,MB/s\n");
    measure_bound(path);
    measure(path, "summary", &(hsd_import_options){.summary_only = true, .compression = 1}, little);
    measure(path, "objects in pages; level 1", &(hsd_import_options){.compression = 1}, little);
    measure(path, "objects; level 1", &(hsd_import_options){.compression = 1}, much);
    measure(path, "objects; stored", &(hsd_import_options){.compression = 0}, much);
    if (!is_file) unlink(made);
    return 0;
}
