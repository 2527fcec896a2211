/*
 * Importing files of Mono's log profiler, on one core from the page cache: the summary, and the whole import of one heap shot. Beside them the
 * bound that the machine sets: reading the same bytes and nothing else.
 *
 *      bench_import_mlpd [OBJECTS | FILE.mlpd [SHOT]]      CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 *
 * Without a file a shot of OBJECTS (default 2,000,000) is made: sessions that refer to a string each, 14 bytes an object in the file, as
 * in a real one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../tests/support/mlpd_writer.h"
#include "base/note.h"
#include <hsdiff/import.h>

enum { REPEATS = 3, BUFFER_OBJECTS = 4096 };

static void make_file(FILE *out, uint64_t objects)
{
    mlpd_file file;
    uint64_t address = UINT64_C(0x7f0000000000);
    mlpd_begin(&file, 3, 17, 8, "nodefaults,gc,gcmove,gcroot,heapshot=ondemand");
    mlpd_buffer(&file, 1, 1);
    mlpd_class_load(&file, UINT64_C(0x7e0000000100), "Shop.Session");
    mlpd_class_load(&file, UINT64_C(0x7e0000000200), "System.String");
    mlpd_heap_start(&file);
    for (uint64_t i = 0; i < objects; i += 2, address += 64) {
        mlpd_object(&file, address, UINT64_C(0x7e0000000100), 24, 1, &(mlpd_edge){16, address + 24}, 1);
        mlpd_object(&file, address + 24, UINT64_C(0x7e0000000200), 40, 1, NULL, 0);
        if (i % BUFFER_OBJECTS == 0) mlpd_buffer(&file, 1, i + 2);
    }
    mlpd_heap_end(&file);
    mlpd_end(&file);
    if (fwrite(file.data, 1, file.size, out) != file.size) exit(1);
    mlpd_release(&file);
}

static void row(const char *shape, uint64_t items, uint64_t bytes, uint64_t ns)
{
    const double seconds = (double)ns * 1e-9;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("import_mlpd,%s,%ld KiB,%llu,%.4f,%.1f,%.0f\n", shape, use.ru_maxrss, (unsigned long long)items, seconds,
           (double)items / seconds * 1e-6, (double)bytes / seconds * 1e-6);
    fflush(stdout);
}

static uint64_t read_all(const char *path)
{
    static char block[1 << 20];
    uint64_t bytes = 0;
    ssize_t got;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    while ((got = read(fd, block, sizeof block)) > 0)
        bytes += (uint64_t)got;
    close(fd);
    return bytes;
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
            fprintf(stderr, "bench_import_mlpd: %s\n", err.text);
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
    const unsigned long long objects = argc > 1 ? strtoull(argv[1], &end, 10) : 2000000;
    const bool is_file = argc > 1 && *end != '\0';
    const unsigned shot = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    if (!is_file) {
        const int fd = mkstemp(made);
        FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
        if (file == NULL) return 1;
        make_file(file, objects);
        fclose(file);
        path = made;
    }
    printf("stage,shape,memory,items,seconds,M items/s,MB/s\n");
    measure_bound(path);
    measure(path, "summary", &(hsd_import_options){.summary_only = true, .compression = 1, .dump_number = shot});
    measure(path, "objects; level 1", &(hsd_import_options){.compression = 1, .dump_number = shot});
    measure(path, "objects; stored", &(hsd_import_options){.compression = 0, .dump_number = shot});
    if (!is_file) unlink(made);
    return 0;
}
