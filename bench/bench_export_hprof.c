/*
 * Writing heap dumps of a JVM: nodes of a list with a name and a table each, by ordinal and by address; or a capture that is there. Beside
 * them the bound: reading all objects and references and nothing else.
 *
 *      bench_export_hprof [OBJECTS | FILE.hs]      CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 *
 * Seconds are of processor time, the least of three runs; MB/s are of the bytes that are written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hscapture/hscapture.h>
#include <hsdiff/export.h>

enum { REPEATS = 3, OF_NODE = 3, TABLE = 6 };

static char made[] = "/tmp/hsdiff-bench-XXXXXX";

static void need(bool is_good, const char *what)
{
    if (is_good) return;
    fprintf(stderr, "bench_export_hprof: %s\n", what);
    exit(1);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- the heap ---- */

static uint64_t id_of(bool by_ordinal, uint64_t number) { return by_ordinal ? number + 1 : UINT64_C(0x7f0000000000) + number * 64; }

static uint64_t name(bool by_ordinal, uint64_t number) { return by_ordinal ? number : id_of(false, number); }

static void put_node(hsc_writer *w, bool by_ordinal, uint64_t at, uint64_t objects)
{
    const uint64_t next = (at + OF_NODE) % objects;
    hsc_begin_object(w, &(hsc_object){.id = id_of(by_ordinal, at), .type = 1, .size_bytes = 48});
    for (uint32_t i = 1; i < OF_NODE; i++)
        hsc_reference(w, name(by_ordinal, at + i), i, 0);
    hsc_reference(w, name(by_ordinal, next), 3, 0);
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = id_of(by_ordinal, at + 1), .type = 2, .size_bytes = 24 + at % 5 * 8});
    hsc_end_object(w);
    hsc_begin_object(w, &(hsc_object){.id = id_of(by_ordinal, at + 2), .type = 3, .size_bytes = 16 + 4 * TABLE, .elements = TABLE});
    for (uint64_t i = 0; i < TABLE; i += 2)
        hsc_reference(w, name(by_ordinal, (at + i * OF_NODE) % objects), 4, i);
    hsc_end_object(w);
}

static void make(bool by_ordinal, uint64_t objects)
{
    static const char *const types[] = {"Node", "Text", "Node[]"}, *const names[] = {"name", "table", "next"};
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.identity = by_ordinal ? HSC_IDENTITY_EXACT : HSC_IDENTITY_ADDRESS;
    options.targets_are_ordinals = by_ordinal;
    unlink(made);
    need(hsc_open_file(&w, made, &options) == HSC_OK, "cannot write a capture to /tmp");
    for (uint32_t i = 0; i < 3; i++) {
        hsc_define_type(w, i + 1, types[i], strlen(types[i]), 0);
        hsc_define_string(w, i + 1, names[i], strlen(names[i]));
        hsc_define_label(w, i + 1, HSC_LABEL_FIELD, 0, i + 1);
    }
    hsc_define_label(w, 4, HSC_LABEL_ELEMENT, 0, 0);
    for (uint64_t at = 0; at + OF_NODE <= objects; at += OF_NODE)
        put_node(w, by_ordinal, at, objects);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = name(by_ordinal, 0)});
    need(hsc_finish(w) == HSC_OK, hsc_error_text(w));
    hsc_close(w);
}

/* ---- the measures ---- */

static void row(const char *stage, const char *shape, uint64_t memory, uint64_t items, double seconds, uint64_t bytes)
{
    printf("%s,%s,%llu,%llu,%.3f,%.2f,%.1f\n", stage, shape, (unsigned long long)memory, (unsigned long long)items, seconds,
           (double)items / seconds / 1e6, (double)bytes / seconds / 1e6);
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
    while (hsd_object_reader_next(reader, &object, &err) == HSD_OK) continue;
    hsd_object_reader_close(reader);
    return seconds_now() - from;
}

static double export_all(hsd_capture *capture, const hsd_run *run, hsd_export_result *result)
{
    static const hsd_export_options options = {.format = "hprof", .force = true};
    const double from = seconds_now();
    hsd_error err;
    hsd_error_init(&err);
    need(hsd_export_file(NULL, capture, "/dev/null", &options, run, result, &err) == HSD_OK, err.text);
    return seconds_now() - from;
}

static void measure(const char *path, const char *shape, uint64_t memory)
{
    const hsd_run run = {.memory_bytes = memory, .threads = 1};
    hsd_export_result result = {0};
    hsd_capture *capture;
    hsd_error err;
    double reading = 1e9, exporting = 1e9;
    hsd_error_init(&err);
    need(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, &run, &err) == HSD_OK, err.text);
    for (int i = 0; i < REPEATS; i++) {
        const double read = read_all(capture), exported = export_all(capture, &run, &result);
        if (read < reading) reading = read;
        if (exported < exporting) exporting = exported;
    }
    row("read", shape, memory, result.objects, reading, hsd_capture_get_info(capture)->file_bytes);
    row("export_hprof", shape, memory, result.objects, exporting, result.output_bytes);
    hsd_capture_close(capture);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    const uint64_t objects = argc > 1 ? strtoull(argv[1], &end, 10) : 2000000;
    printf("stage,shape,memory,items,seconds,M items/s,MB/s\n");
    if (end != NULL && *end != '\0') {
        measure(argv[1], "file", UINT64_C(1) << 30);
        return 0;
    }
    const int fd = mkstemp(made);
    need(fd >= 0, "cannot make a file in /tmp");
    close(fd);
    for (unsigned by_ordinal = 0; by_ordinal < 2; by_ordinal++) {
        make(by_ordinal != 0, objects / OF_NODE * OF_NODE);
        measure(made, by_ordinal != 0 ? "ordinals" : "addresses", UINT64_C(1) << 30);
        measure(made, by_ordinal != 0 ? "ordinals" : "addresses", UINT64_C(64) << 20);
    }
    unlink(made);
    return 0;
}
