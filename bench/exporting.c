/*
 * The measures of exporters.
 */
#include "exporting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hsdiff/export.h>

enum { REPEATS = 3 };

typedef struct exporter {
    const char *format;
    bench_heap_fn make;
} exporter;

static char made[] = "/tmp/hsdiff-bench-XXXXXX";

static void need(bool is_good, const char *what)
{
    if (is_good) return;
    fprintf(stderr, "benchmark of an export: %s\n", what);
    exit(1);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void write_capture(const exporter *e, bool by_ordinal, uint64_t objects)
{
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.identity = by_ordinal ? HSC_IDENTITY_EXACT : HSC_IDENTITY_ADDRESS;
    options.targets_are_ordinals = by_ordinal;
    unlink(made);
    need(hsc_open_file(&w, made, &options) == HSC_OK, "cannot write a capture to /tmp");
    e->make(w, by_ordinal, objects);
    need(hsc_finish(w) == HSC_OK, hsc_error_text(w));
    hsc_close(w);
}

static void row(const char *stage, const char *shape, uint64_t memory, uint64_t items, double seconds, uint64_t bytes)
{
    printf("%s,%s,%llu,%llu,%.3f,%.2f,%.1f\n", stage, shape, (unsigned long long)memory, (unsigned long long)items,
           seconds, (double)items / seconds / 1e6, (double)bytes / seconds / 1e6);
    fflush(stdout);
}

static double read_all(hsd_capture *capture)
{
    const double from = seconds_now();
    hsd_object_reader *reader;
    hsd_object object;
    hsd_error err;
    hsd_error_init(&err);
    need(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err) == HSD_OK, err.text);
    while (hsd_object_reader_next(reader, &object, &err) == HSD_OK)
        continue;
    hsd_object_reader_close(reader);
    return seconds_now() - from;
}

static double export_all(const exporter *e, hsd_capture *capture, const hsd_run *run, hsd_export_result *result)
{
    const hsd_export_options options = {.format = e->format, .force = true};
    const double from = seconds_now();
    hsd_error err;
    hsd_error_init(&err);
    need(hsd_export_file(NULL, capture, "/dev/null", &options, run, result, &err) == HSD_OK, err.text);
    return seconds_now() - from;
}

static void measure(const exporter *e, const char *path, const char *shape, uint64_t memory)
{
    const hsd_run run = {.memory_bytes = memory, .threads = 1};
    char stage[64];
    hsd_export_result result = {0};
    hsd_capture *capture;
    hsd_error err;
    double reading = 1e9, exporting = 1e9;
    hsd_error_init(&err);
    need(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, &run, &err) == HSD_OK, err.text);
    for (int i = 0; i < REPEATS; i++) {
        const double read = read_all(capture), exported = export_all(e, capture, &run, &result);
        if (read < reading) reading = read;
        if (exported < exporting) exporting = exported;
    }
    snprintf(stage, sizeof stage, "export_%s", e->format);
    row("read", shape, memory, result.objects, reading, hsd_capture_get_info(capture)->file_bytes);
    row(stage, shape, memory, result.objects, exporting, result.output_bytes);
    hsd_capture_close(capture);
}

static void measure_made(const exporter *e, uint64_t objects)
{
    static const char *const shapes[] = {"addresses", "ordinals"};
    const int fd = mkstemp(made);
    need(fd >= 0, "cannot make a file in /tmp");
    close(fd);
    for (int by_ordinal = 1; by_ordinal >= 0; by_ordinal--) {
        write_capture(e, by_ordinal != 0, objects);
        measure(e, made, shapes[by_ordinal], UINT64_C(1) << 30);
        measure(e, made, shapes[by_ordinal], UINT64_C(64) << 20);
    }
    unlink(made);
}

int bench_export_main(int argc, char **argv, const char *format, bench_heap_fn make)
{
    const exporter e = {format, make};
    char *end = NULL;
    const uint64_t objects = argc > 1 ? strtoull(argv[1], &end, 10) : 2000000;
    printf("stage,shape,memory,items,seconds,M items/s,MB/s\n");
    if (end != NULL && *end != '\0')
        measure(&e, argv[1], "file", UINT64_C(1) << 30);
    else
        measure_made(&e, objects);
    return 0;
}
