/*
 * What benchmarks of importers measure: bounds and imports, by processor time. See importing.h.
 */
#include "importing.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "import/gzip.h"
#include "io/source.h"

#define REPEATS       3
#define USUAL_OBJECTS UINT64_C(2000000)
#define USUAL_MEMORY  (UINT64_C(128) << 20)

typedef struct amount {
    uint64_t items, bytes;
} amount;

static const char pattern[] = "/var/tmp/hsd-bench-XXXXXX";
static char made[sizeof pattern];

/* Of all threads: what a core does in that time. */
static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void die(const hsd_error *err)
{
    fprintf(stderr, "bench: %s\n", err->text);
    exit(1);
}

const char *bench_made(bench_make_fn make, uint64_t objects)
{
    memcpy(made, pattern, sizeof pattern);
    const int fd = mkstemp(made);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (file == NULL) exit(1);
    make(file, objects);
    if (fclose(file) != 0) exit(1);
    return made;
}

void bench_forget(const char *path) { unlink(path); }

void bench_begin(void) { printf("stage,shape,memory,items,seconds,M items/s,MB/s\n"); }

static void print_row(const char *stage, const char *shape, amount done, uint64_t ns)
{
    struct rusage use;
    const double seconds = (double)ns * 1e-9;
    getrusage(RUSAGE_SELF, &use);
    printf("%s,%s,%ld KiB,%" PRIu64 ",%.4f,%.2f,%.0f\n", stage, shape, use.ru_maxrss, done.items, seconds,
           (double)done.items / seconds * 1e-6, (double)done.bytes / seconds * 1e-6);
    fflush(stdout);
}

/* ---- bounds ---- */

static bool is_gzip(const char *path)
{
    unsigned char magic[2] = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && magic[0] == 0x1f && magic[1] == 0x8b;
    close(fd);
    return is;
}

static uint64_t drain(hsd_source *source, hsd_error *err)
{
    hsd_status status;
    while ((status = hsd_source_peek(source, 1, err)) == HSD_OK)
        hsd_source_take(source, hsd_source_ahead(source));
    if (status < 0) die(err);
    return hsd_source_offset(source);
}

/* Through the sources that importers read from, so that what they add to read(2) and to zlib is in it. */
static uint64_t read_all(const char *path, bool unpack)
{
    hsd_source file, unpacked;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_source_open_file(&file, path, 0, &err) != HSD_OK) die(&err);
    if (!unpack) {
        const uint64_t bytes = drain(&file, &err);
        hsd_source_close(&file);
        return bytes;
    }
    if (hsd_gzip_open(&unpacked, &file, 0, false, &err) != HSD_OK) die(&err);
    const uint64_t bytes = drain(&unpacked, &err);
    hsd_source_close(&unpacked);
    hsd_source_close(&file);
    return bytes;
}

static uint64_t bound_row(const char *stage, const char *shape, const char *path, bool unpack)
{
    uint64_t best = UINT64_MAX, bytes = 0;
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = processor_ns();
        bytes = read_all(path, unpack);
        const uint64_t took = processor_ns() - start;
        best = took < best ? took : best;
    }
    print_row(stage, shape, (amount){0, bytes}, best);
    return bytes;
}

/* ---- imports ---- */

static amount import(const char *path, const hsd_import_options *options, uint64_t memory_bytes)
{
    const hsd_run run = {.memory_bytes = memory_bytes, .threads = 1};
    hsd_import_result result;
    hsd_error err;
    int out = -1;
    hsd_error_init(&err);
    if (hsd_import_temp(path, options, &run, &out, &result, &err) != HSD_OK) die(&err);
    close(out);
    return (amount){result.objects, result.input_bytes};
}

static void import_row(const char *stage, const char *shape, const char *path, const hsd_import_options *options,
                       uint64_t memory_bytes, uint64_t bytes)
{
    uint64_t best = UINT64_MAX;
    amount done = {0, 0};
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = processor_ns();
        done = import(path, options, memory_bytes);
        const uint64_t took = processor_ns() - start;
        best = took < best ? took : best;
    }
    if (bytes != 0) done.bytes = bytes;
    print_row(stage, shape, done, best);
}

void bench_import_row(const char *stage, const char *shape, const char *path, const hsd_import_options *options,
                      uint64_t memory_bytes)
{
    import_row(stage, shape, path, options, memory_bytes, is_gzip(path) ? read_all(path, true) : 0);
}

void bench_import(const char *stage, const char *path)
{
    uint64_t bytes = bound_row(stage, "bound: read", path, false);
    if (is_gzip(path)) bytes = bound_row(stage, "bound: unpack", path, true);
    import_row(stage, "summary", path, &(hsd_import_options){.summary_only = true, .compression = 1}, USUAL_MEMORY,
               bytes);
    import_row(stage, "objects; level 1", path, &(hsd_import_options){.compression = 1}, USUAL_MEMORY, bytes);
    import_row(stage, "objects; stored", path, &(hsd_import_options){.compression = 0}, USUAL_MEMORY, bytes);
}

int bench_import_main(int argc, char **argv, const char *stage, bench_make_fn make)
{
    char *end = NULL;
    const uint64_t objects = argc > 1 ? strtoull(argv[1], &end, 10) : USUAL_OBJECTS;
    const bool is_file = argc > 1 && *end != '\0';
    const char *path = is_file ? argv[1] : bench_made(make, objects);
    bench_begin();
    bench_import(stage, path);
    if (!is_file) bench_forget(path);
    return 0;
}
