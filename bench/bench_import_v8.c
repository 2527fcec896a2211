/*
 * Importing V8 heap snapshots: the scan for a summary, and the whole import, on one core from the page cache.
 * Beside them what bounds them: reading the same bytes and nothing else, a plain loop over the digits of
 * the number lists, and the importer's own reader of number lists.
 *
 *      bench_import_v8 [NODES | FILE.heapsnapshot]     CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 *
 * Without a file a snapshot of NODES (default 2,000,000) is made with the layout of node 20. Its numbers are as
 * long as those of a real heap and as hard to foresee: a processor learns the pattern of a heap of equal
 * sessions, and the loop over digits then looks four times as fast as it is on the heap of a program.
 */
#define _GNU_SOURCE /* memmem */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/note.h"
#include "import/v8/numbers.h"
#include <hsdiff/import.h>

#define REPEATS      3
#define BATCH        ((size_t)8192)
#define NODE_WIDTH   7u
#define NAMES        600u /* of classes, fields, functions */
#define COMMON_TYPES 16u

/* ---- a snapshot ---- */

static const char header[] =
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_"
    "count\","
    "\"trace_node_id\",\"detachedness\"],\"node_types\":[[\"hidden\",\"array\",\"string\","
    "\"object\",\"code\","
    "\"closure\",\"regexp\",\"number\",\"native\",\"synthetic\",\"concatenated string\",\"sliced "
    "string\","
    "\"symbol\",\"bigint\",\"object "
    "shape\"],\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[[\"context\","
    "\"element\","
    "\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\"],\"string_or_number\",\"node\"]},";

/* Types of nodes and edges as often as in a server of node 20: object 3, string 2, array 1, closure 5, code 4,
 * number 7, object shape 14; property 2, internal 3, element 1, hidden 4, context 0, weak 6. */
static const uint8_t node_types[COMMON_TYPES] = {3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 1, 5, 5, 4, 7, 14};
static const uint8_t edge_types[COMMON_TYPES] = {2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 1, 1, 4, 0, 6};

/* The same random number for the same place, whenever it is asked for. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Below `limit`, small numbers as likely as large ones: as many digits as names and indexes have. */
static uint64_t of_any_size(uint64_t random, uint64_t limit) { return (random >> 8) % limit >> random % 16; }

static unsigned edges_of(uint64_t node) { return (unsigned)(mix(node) >> 32) % 7; }

static void put_node(FILE *file, uint64_t node, uint64_t strings)
{
    const uint64_t random = mix(node * 2 + 1);
    const unsigned type = node == 0 ? 9 : node_types[random % COMMON_TYPES];
    const uint64_t name = type == 2 ? NAMES + of_any_size(random, strings) : 1 + of_any_size(random, NAMES - 1);
    const unsigned size = node == 0 ? 0 : 16 + 8 * (unsigned)of_any_size(random >> 20, 64);
    fprintf(file, "%s%u,%" PRIu64 ",%" PRIu64 ",%u,%u,0,0\n", node == 0 ? "" : ",", type, name, node * 2 + 1, size,
            edges_of(node));
}

/* Most references lead to what was made just before or after. */
static void put_edge(FILE *file, bool is_first, uint64_t node, unsigned i, uint64_t nodes)
{
    const uint64_t random = mix(node << 8 | i), far = mix(random) % nodes, near = (node + random % 64) % nodes;
    const unsigned type = edge_types[random >> 24 & 15];
    const uint64_t to = (random >> 32 & 3) == 0 ? far : near;
    fprintf(file, "%s%u,%" PRIu64 ",%" PRIu64 "\n", is_first ? "" : ",", type, 1 + of_any_size(random >> 16, NAMES - 1),
            to * NODE_WIDTH);
}

static void make_snapshot(FILE *file, uint64_t nodes)
{
    const uint64_t strings = nodes / 8 + 1;
    uint64_t edges = 0, written = 0;
    for (uint64_t node = 0; node < nodes; node++)
        edges += edges_of(node);
    fprintf(file, "%s\"node_count\":%" PRIu64 ",\"edge_count\":%" PRIu64 ",\"trace_function_count\":0},\n\"nodes\":[",
            header, nodes, edges);
    for (uint64_t node = 0; node < nodes; node++)
        put_node(file, node, strings);
    fputs("],\n\"edges\":[", file);
    for (uint64_t node = 0; node < nodes; node++)
        for (unsigned i = 0; i < edges_of(node); i++)
            put_edge(file, written++ == 0, node, i, nodes);
    fputs("],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],"
          "\n\"strings\":[\"<dummy>\"",
          file);
    for (unsigned i = 1; i < NAMES; i++)
        fprintf(file, ",\n\"name%u\"", i);
    for (uint64_t i = 0; i < strings; i++)
        fprintf(file, ",\n\"user number %" PRIu64 "\"", i);
    fputs("]}", file);
    if (fflush(file) != 0 || ferror(file)) exit(1);
}

/* ---- measuring ---- */

typedef struct measure {
    uint64_t items, bytes;
} measure;

static void die(const hsd_error *err)
{
    fprintf(stderr, "bench_import_v8: %s\n", err->text);
    exit(1);
}

static void run(const char *shape, const char *path, measure (*work)(const char *path))
{
    struct rusage use;
    uint64_t best = UINT64_MAX;
    measure done = {0};
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = hsd_now_ns();
        done = work(path);
        const uint64_t took = hsd_now_ns() - start;
        best = took < best ? took : best;
    }
    const double seconds = (double)best * 1e-9;
    getrusage(RUSAGE_SELF, &use);
    printf("import_v8,%s,%ld KiB,%" PRIu64 ",%.4f,%.1f,%.0f\n", shape, use.ru_maxrss, done.items, seconds,
           (double)done.items / seconds * 1e-6, (double)done.bytes / seconds * 1e-6);
    fflush(stdout);
}

static measure read_bytes(const char *path)
{
    static char block[1 << 18];
    measure done = {0};
    ssize_t got;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    while ((got = read(fd, block, sizeof block)) > 0)
        done.bytes += (uint64_t)got;
    close(fd);
    return done;
}

/* What a digit at a time costs. */
static measure loop_over_digits(const char *path)
{
    static unsigned char block[1 << 18];
    measure done = {0};
    uint64_t value = 0, sum = 0;
    bool is_number = false;
    ssize_t got;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    while ((got = read(fd, block, sizeof block)) > 0) {
        done.bytes += (uint64_t)got;
        for (ssize_t i = 0; i < got; i++) {
            const unsigned digit = block[i] - (unsigned)'0';
            if (digit < 10) {
                value = value * 10 + digit;
                is_number = true;
            } else if (is_number) {
                sum += value;
                done.items++;
                value = 0;
                is_number = false;
            }
        }
    }
    close(fd);
    if (sum == 1) puts(""); /* keeps the loop from being left out */
    return done;
}

/* Moves behind `word`, which stands somewhere in front of a list. */
static void find_word(hsd_source *source, const char *word, hsd_error *err)
{
    const size_t length = strlen(word);
    for (;;) {
        if (hsd_source_peek(source, length, err) != HSD_OK) die(err);
        const uint8_t *found = memmem(source->at, hsd_source_ahead(source), word, length);
        if (found != NULL) {
            source->at = found + length;
            return;
        }
        source->at = source->end - (length - 1);
    }
}

static measure read_numbers(const char *path)
{
    static const char *const lists[] = {"\"nodes\":", "\"edges\":"};
    static uint64_t items[BATCH];
    measure done = {0};
    hsd_source source;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_source_open_file(&source, path, 0, &err) != HSD_OK) die(&err);
    for (size_t i = 0; i < 2; i++) {
        hsd_v8_numbers numbers;
        size_t count;
        find_word(&source, lists[i], &err);
        if (hsd_v8_numbers_begin(&numbers, &source, "numbers", &err) != HSD_OK) die(&err);
        while (!numbers.is_at_end)
            if (hsd_v8_numbers_read(&numbers, items, BATCH, &count, &err) != HSD_OK) die(&err);
        done.items += numbers.count;
    }
    done.bytes = hsd_source_offset(&source);
    hsd_source_close(&source);
    return done;
}

static measure import(const char *path, const hsd_import_options *options)
{
    const hsd_run small = {.memory_bytes = UINT64_C(128) << 20};
    hsd_import_result result;
    hsd_error err;
    int out = -1;
    hsd_error_init(&err);
    if (hsd_import_temp(path, options, &small, &out, &result, &err) != HSD_OK) die(&err);
    close(out);
    return (measure){result.objects, result.input_bytes};
}

static measure summarise(const char *path)
{
    return import(path, &(hsd_import_options){.summary_only = true, .compression = 1});
}
static measure import_packed(const char *path) { return import(path, &(hsd_import_options){.compression = 1}); }
static measure import_stored(const char *path) { return import(path, &(hsd_import_options){.compression = 0}); }

int main(int argc, char **argv)
{
    char made[64] = "/var/tmp/hsd-bench-XXXXXX";
    const char *path = argc > 1 ? argv[1] : made;
    char *end = NULL;
    const unsigned long long nodes = argc > 1 ? strtoull(argv[1], &end, 10) : 2000000;
    const bool is_file = argc > 1 && *end != '\0';
    if (!is_file) {
        const int fd = mkstemp(made);
        FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
        if (file == NULL) return 1;
        make_snapshot(file, nodes);
        fclose(file);
        path = made;
    }
    printf("stage,shape,memory,items,seconds,M items/s,MB/s\n");
    run("bound: read", path, read_bytes);
    run("bound: digit loop", path, loop_over_digits);
    run("numbers", path, read_numbers);
    run("summary", path, summarise);
    run("objects; level 1", path, import_packed);
    run("objects; stored", path, import_stored);
    if (!is_file) unlink(made);
    return 0;
}
