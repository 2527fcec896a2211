/*
 * Importing heap dumps of Luau, on one core from the page cache: the summary, and the whole import. Beside them the bounds that the machine
 * sets: reading the same bytes, and looking for their newlines.
 *
 *      bench_import_luau [OBJECTS | FILE.json]      CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 *
 * Without a file a dump of OBJECTS (default 1,000,000) is made: tables of an id and a name in one list, whose line is as long as
 * it gets, each with a string of its own. 105 bytes an object, as of a real one.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/note.h"
#include <hsdiff/import.h>

enum { REPEATS = 3 };
#define FIRST UINT64_C(0x555d03500000)

static void make_dump(FILE *file, uint64_t objects)
{
    const uint64_t name = FIRST - 0x1000, list = FIRST - 0x2000, globals = FIRST - 0x3000, main_thread = FIRST - 0x4000;
    fprintf(file, "{\"objects\":{\n\"0x%" PRIx64 "\":{\"type\":\"thread\",\"cat\":0,\"size\":1232,\"env\":\"0x%" PRIx64 "\",\"stack\":[\"0x%" PRIx64
            "\"],\"stacknames\":[null]},\n", main_thread, globals, list);
    fprintf(file, "\"0x%" PRIx64 "\":{\"type\":\"table\",\"cat\":0,\"size\":80,\"pairs\":[]},\n", globals);
    fprintf(file, "\"0x%" PRIx64 "\":{\"type\":\"string\",\"cat\":0,\"size\":29,\"data\":\"name\"},\n", name);
    for (uint64_t i = 0; i < objects / 2; i++) {
        const uint64_t table = FIRST + i * 96, text = table + 56;
        fprintf(file, "\"0x%" PRIx64 "\":{\"type\":\"table\",\"cat\":0,\"size\":112,\"pairs\":[\"0x%" PRIx64 "\",\"0x%" PRIx64 "\"]},\n", table, name, text);
        fprintf(file, "\"0x%" PRIx64 "\":{\"type\":\"string\",\"cat\":0,\"size\":37,\"data\":\"name %" PRIu64 "\"},\n", text, i);
    }
    fprintf(file, "\"0x%" PRIx64 "\":{\"type\":\"table\",\"cat\":0,\"size\":8388656,\"array\":[", list);
    for (uint64_t i = 0; i < objects / 2; i++)
        fprintf(file, "%s\"0x%" PRIx64 "\"", i == 0 ? "" : ",", FIRST + i * 96);
    fprintf(file, "]},\n\"0\":{\"type\":\"userdata\",\"cat\":0,\"size\":0}\n},\"roots\":{\n\"mainthread\":\"0x%" PRIx64 "\",\"registry\":\"0x%" PRIx64
            "\"},\"stats\":{\n\"size\":1,\n\"categories\":{\n\"none\":{}\n}\n}}\n", main_thread, globals);
    if (fflush(file) != 0) exit(1);
}

static void row(const char *shape, uint64_t items, uint64_t bytes, uint64_t ns)
{
    const double seconds = (double)ns * 1e-9;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("import_luau,%s,%ld KiB,%llu,%.4f,%.1f,%.0f\n", shape, use.ru_maxrss, (unsigned long long)items, seconds,
           (double)items / seconds * 1e-6, (double)bytes / seconds * 1e-6);
    fflush(stdout);
}

static uint64_t read_all(const char *path, bool find_newlines, uint64_t *lines)
{
    static char block[1 << 20];
    uint64_t bytes = 0;
    ssize_t got;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *lines = 0;
    while ((got = read(fd, block, sizeof block)) > 0) {
        const char *at = block, *end = block + got;
        bytes += (uint64_t)got;
        while (find_newlines && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
            ++*lines;
            if (++at == end) break;
        }
    }
    close(fd);
    return bytes;
}

static void measure_bound(const char *path, const char *shape, bool find_newlines)
{
    uint64_t best = UINT64_MAX, bytes = 0, lines = 0;
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = hsd_now_ns();
        bytes = read_all(path, find_newlines, &lines);
        const uint64_t took = hsd_now_ns() - start;
        best = took < best ? took : best;
    }
    row(shape, lines, bytes, best);
}

static void measure(const char *path, const char *shape, const hsd_import_options *options)
{
    const hsd_run run = {.memory_bytes = UINT64_C(64) << 20};
    uint64_t best = UINT64_MAX;
    hsd_import_result result = {0};
    for (int i = 0; i < REPEATS; i++) {
        hsd_error err;
        int out = -1;
        hsd_error_init(&err);
        const uint64_t start = hsd_now_ns();
        if (hsd_import_temp(path, options, &run, &out, &result, &err) != HSD_OK) {
            fprintf(stderr, "bench_import_luau: %s\n", err.text);
            exit(1);
        }
        const uint64_t took = hsd_now_ns() - start;
        close(out);
        best = took < best ? took : best;
    }
    row(shape, result.objects, result.input_bytes, best);
}

int main(int argc, char **argv)
{
    char made[64] = "/var/tmp/hsd-bench-XXXXXX";
    const char *path = argc > 1 ? argv[1] : made;
    char *end = NULL;
    const unsigned long long objects = argc > 1 ? strtoull(argv[1], &end, 10) : 1000000;
    const bool is_file = argc > 1 && *end != '\0';
    if (!is_file) {
        const int fd = mkstemp(made);
        FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
        if (file == NULL) return 1;
        make_dump(file, objects);
        fclose(file);
        path = made;
    }
    printf("stage,shape,memory,items,seconds,M items/s,MB/s\n");
    measure_bound(path, "bound: read", false);
    measure_bound(path, "bound: read and find newlines", true);
    measure(path, "summary", &(hsd_import_options){.summary_only = true, .compression = 1});
    measure(path, "objects; level 1", &(hsd_import_options){.compression = 1});
    measure(path, "objects; stored", &(hsd_import_options){.compression = 0});
    if (!is_file) unlink(made);
    return 0;
}
