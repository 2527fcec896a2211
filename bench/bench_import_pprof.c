/*
 * Importing heap profiles of pprof, on one core from the page cache: the summary, and the whole import, of the bytes as
 * they are and of the same in gzip. Beside them the bounds that the machine sets: reading the bytes, and unpacking
 * them.
 *
 *      bench_import_pprof [SAMPLES | FILE]      CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 *
 * Without a file profiles of SAMPLES (default 300,000) are made, 24 frames deep, that fork as calls do: one of 20,000
 * different stacks, as many as large servers have, that come again with other sizes, and one in which each stack is
 * new: then four sites a sample are written. Items are samples; MB/s are of unpacked bytes, of processor time of all
 * threads.
 */
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "import/gzip.h"
#include "support/pprof_writer.h"
#include <hsdiff/import.h>

enum { REPEATS = 3, FUNCTIONS = 4000, DEPTH = 24 };

static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Stacks are the digits of their number, so that the outer frames are shared by many and the inner ones by few. */
static void make_profile(FILE *file, uint64_t samples, uint64_t stacks)
{
    pprof_writer w = {.packing = 1, .has_dense_ids = 1};
    static uint64_t locations[FUNCTIONS];
    char name[64];
    pprof_put_string(&w, "");
    pprof_put_sample_type(&w, "alloc_objects", "count");
    pprof_put_sample_type(&w, "alloc_space", "bytes");
    pprof_put_sample_type(&w, "inuse_objects", "count");
    pprof_put_sample_type(&w, "inuse_space", "bytes");
    pprof_put_period(&w, "space", "bytes", 524288);
    const uint64_t mapping = pprof_put_mapping(&w, 0x400000, 0x4000000, 0, "/bin/server", "");
    for (uint64_t i = 0; i < FUNCTIONS; i++) {
        snprintf(name, sizeof name, "example.com/shop/package%" PRIu64 ".(*Type).Function%" PRIu64, i % 50, i);
        const uint64_t function =
            pprof_put_function(&w, name, i % 2 == 0 ? "/src/shop/cache.go" : "/src/shop/orders.go");
        locations[i] = pprof_put_location(&w, mapping, 0x400000 + 64 * i, &(pprof_code_line){function, i % 900}, 1);
    }
    for (uint64_t i = 0; i < samples; i++) {
        uint64_t stack[DEPTH], left = i % stacks;
        for (size_t k = 0; k < DEPTH; k++, left /= 6)
            stack[k] = locations[(left % 6 + 31 * k + (k < 4 ? i % stacks % 700 : 0)) % FUNCTIONS];
        const int64_t in_use = i % 5 == 0 ? 0 : 3, size = 16 << i % 7,
                      values[] = {40, 40 * size, in_use, in_use * size};
        const pprof_label label = {.key = "bytes", .number = size};
        pprof_put_sample(&w, stack, DEPTH, values, 4, &label, 1);
    }
    const pprof_bytes bytes = pprof_finish(&w, PPROF_AS_NUMBERED);
    if (fwrite(bytes.data, 1, bytes.size, file) != bytes.size) exit(1);
    free(bytes.data);
}

static void row(const char *shape, uint64_t items, uint64_t bytes, uint64_t ns)
{
    const double seconds = (double)ns * 1e-9;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("import_pprof,%s,%ld KiB,%" PRIu64 ",%.4f,%.2f,%.0f\n", shape, use.ru_maxrss, items, seconds,
           (double)items / seconds * 1e-6, (double)bytes / seconds * 1e-6);
    fflush(stdout);
}

static void die(const hsd_error *err)
{
    fprintf(stderr, "bench_import_pprof: %s\n", err->text);
    exit(1);
}

/* All bytes of a file, unpacked if they are gzip. */
static uint64_t read_all(const char *path, bool is_gzip)
{
    hsd_source file, unpacked = {0};
    hsd_error err;
    hsd_status status;
    uint64_t bytes = 0;
    hsd_error_init(&err);
    if (hsd_source_open_file(&file, path, 0, &err) != HSD_OK) die(&err);
    if (is_gzip && hsd_gzip_open(&unpacked, &file, 0, false, &err) != HSD_OK) die(&err);
    hsd_source *top = is_gzip ? &unpacked : &file;
    while ((status = hsd_source_peek(top, 1, &err)) == HSD_OK) {
        bytes += hsd_source_ahead(top);
        hsd_source_take(top, hsd_source_ahead(top));
    }
    if (status < 0) die(&err);
    hsd_source_close(&unpacked);
    hsd_source_close(&file);
    return bytes;
}

static uint64_t measure_bound(const char *path, const char *shape, bool is_gzip)
{
    uint64_t best = UINT64_MAX, bytes = 0;
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = processor_ns();
        bytes = read_all(path, is_gzip);
        const uint64_t took = processor_ns() - start;
        best = took < best ? took : best;
    }
    row(shape, 0, bytes, best);
    return bytes;
}

static void measure(const char *path, const char *shape, uint64_t items, uint64_t bytes,
                    const hsd_import_options *options)
{
    const hsd_run run = {.memory_bytes = UINT64_C(256) << 20};
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < REPEATS; i++) {
        hsd_import_result result;
        hsd_error err;
        int out = -1;
        hsd_error_init(&err);
        const uint64_t start = processor_ns();
        if (hsd_import_temp(path, options, &run, &out, &result, &err) != HSD_OK) die(&err);
        const uint64_t took = processor_ns() - start;
        close(out);
        best = took < best ? took : best;
    }
    row(shape, items, bytes, best);
}

static void measure_all(const char *path, const char *what, uint64_t items, bool is_gzip)
{
    char shape[80];
    snprintf(shape, sizeof shape, "%s; bound: %s", what, is_gzip ? "unpack" : "read");
    const uint64_t bytes = measure_bound(path, shape, is_gzip);
    snprintf(shape, sizeof shape, "%s; summary", what);
    measure(path, shape, items, bytes, &(hsd_import_options){.summary_only = true, .compression = 1});
    snprintf(shape, sizeof shape, "%s; sites; level 1", what);
    measure(path, shape, items, bytes, &(hsd_import_options){.compression = 1});
}

/* PATH.gz beside PATH; false where there is no gzip. */
static bool pack(char *path)
{
    char program[] = "gzip", keep[] = "-k";
    char *const arguments[] = {program, keep, path, NULL};
    extern char **environ;
    pid_t child;
    int status = 1;
    return posix_spawnp(&child, program, NULL, NULL, arguments, environ) == 0 && waitpid(child, &status, 0) == child &&
           status == 0;
}

/* One of so many stacks, as it is and in gzip. */
static void measure_made(uint64_t samples, uint64_t stacks, const char *what)
{
    char made[] = "/var/tmp/hsd-pprof-XXXXXX", packed[64], shape[48];
    const int fd = mkstemp(made);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (file == NULL) exit(1);
    make_profile(file, samples, stacks);
    if (fclose(file) != 0) exit(1);
    snprintf(shape, sizeof shape, "%s; raw", what);
    measure_all(made, shape, samples, false);
    snprintf(packed, sizeof packed, "%s.gz", made);
    snprintf(shape, sizeof shape, "%s; gzip", what);
    if (pack(made)) measure_all(packed, shape, samples, true);
    unlink(packed);
    unlink(made);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    const uint64_t samples = argc > 1 ? strtoull(argv[1], &end, 10) : 300000;
    printf("stage,shape,memory,items,seconds,M items/s,MB/s\n");
    if (argc > 1 && *end != '\0') {
        const size_t size = strlen(argv[1]);
        measure_all(argv[1], "file", 0, size > 3 && strcmp(argv[1] + size - 3, ".gz") == 0);
        return 0;
    }
    measure_made(samples, 20000, "known stacks");
    measure_made(samples, UINT64_MAX, "new stacks");
    return 0;
}
