/*
 * Writing heap snapshots: a server's heap, sessions with a name, a list and an entry each, once with targets by ordinal and small exact ids
 * (straight from the capture, ids by rule) and once with addresses (references joined, ids sorted); or a capture that is there.
 * Beside them the bound: reading all objects and references and nothing else.
 *
 *      bench_export_heapsnapshot [OBJECTS | FILE.hs]      CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 *
 * Seconds are of processor time, the least of three runs, so these are rates of a core; MB/s are of the bytes that are written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hscapture/hscapture.h>
#include <hsdiff/export.h>

enum { REPEATS = 3, OF_SESSION = 4 };

static char made[] = "/tmp/hsdiff-bench-XXXXXX";

static void need(bool is_good, const char *what)
{
    if (is_good) return;
    fprintf(stderr, "bench_export_heapsnapshot: %s\n", what);
    exit(1);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- the heap ---- */

static const char *const words[] = {"Session", "String", "Array", "Entry", "name", "cart", "next", "value"};

static void put(hsc_writer *w, bool by_ordinal, uint64_t number, uint32_t type, const uint64_t *targets, const uint32_t *labels, size_t count)
{
    uint64_t named[4];
    const uint64_t id = by_ordinal ? 2 * number + 1 : UINT64_C(0x7f0000000000) + number * 48;
    for (size_t i = 0; i < count; i++) named[i] = by_ordinal ? targets[i] : UINT64_C(0x7f0000000000) + targets[i] * 48;
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = 16 + 8 * (number % 7)});
    hsc_references(w, named, labels, NULL, count);
    hsc_end_object(w);
}

static void put_session(hsc_writer *w, bool by_ordinal, uint64_t at, uint64_t sessions, uint64_t *random)
{
    static const uint32_t of_session[] = {1, 2, 3}, of_entry[] = {4, 3}, of_list[] = {5, 5};
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t other = (*random >> 33) % sessions * OF_SESSION, next = (at + OF_SESSION) % (sessions * OF_SESSION);
    put(w, by_ordinal, at, 1, (uint64_t[]){at + 1, at + 2, other}, of_session, 3);
    put(w, by_ordinal, at + 1, 2, NULL, NULL, 0);
    put(w, by_ordinal, at + 2, 3, (uint64_t[]){at, other + 1}, of_list, 2);
    put(w, by_ordinal, at + 3, 4, (uint64_t[]){at, next + 3}, of_entry, 2);
}

static void make(const char *path, bool by_ordinal, uint64_t objects)
{
    const uint64_t sessions = objects / OF_SESSION;
    uint64_t random = 1;
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.identity = by_ordinal ? HSC_IDENTITY_EXACT : HSC_IDENTITY_ADDRESS;
    options.targets_are_ordinals = by_ordinal;
    unlink(path);
    need(hsc_open_file(&w, path, &options) == HSC_OK, "cannot write a capture to /tmp");
    for (uint32_t i = 0; i < 4; i++) hsc_define_type(w, i + 1, words[i], strlen(words[i]), 0);
    for (uint32_t i = 0; i < 4; i++) {
        hsc_define_string(w, i + 1, words[4 + i], strlen(words[4 + i]));
        hsc_define_label(w, i + 1, HSC_LABEL_FIELD, 0, i + 1);
    }
    hsc_define_label(w, 5, HSC_LABEL_ELEMENT, 0, 0);
    for (uint64_t i = 0; i < sessions; i++) put_session(w, by_ordinal, i * OF_SESSION, sessions, &random);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .target = by_ordinal ? 3 : UINT64_C(0x7f0000000000) + 3 * 48});
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

static void read_all(hsd_capture *capture)
{
    hsd_object_reader *reader;
    hsd_object object;
    hsd_error err;
    hsd_error_init(&err);
    need(hsd_object_reader_open(&reader, capture, HSD_WANT_ALL, &err) == HSD_OK, err.text);
    while (hsd_object_reader_next(reader, &object, &err) == HSD_OK) continue;
    hsd_object_reader_close(reader);
}

static double least(double best, double from)
{
    const double taken = seconds_now() - from;
    return taken < best ? taken : best;
}

static void measure(const char *path, const char *shape, uint64_t memory)
{
    static const hsd_export_options options = {.format = "heapsnapshot", .force = true};
    const hsd_run run = {.memory_bytes = memory, .threads = 1};
    hsd_export_result result = {0};
    hsd_capture *capture;
    hsd_error err;
    double reading = 1e9, exporting = 1e9;
    hsd_error_init(&err);
    need(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, &run, &err) == HSD_OK, err.text);
    for (int i = 0; i < REPEATS; i++) {
        double from = seconds_now();
        read_all(capture);
        reading = least(reading, from);
        from = seconds_now();
        need(hsd_export_file(NULL, capture, "/dev/null", &options, &run, &result, &err) == HSD_OK, err.text);
        exporting = least(exporting, from);
    }
    row("read", shape, memory, result.objects, reading, hsd_capture_get_info(capture)->file_bytes);
    row("export_heapsnapshot", shape, memory, result.objects, exporting, result.output_bytes);
    hsd_capture_close(capture);
}

static void measure_made(bool by_ordinal, uint64_t objects)
{
    make(made, by_ordinal, objects);
    measure(made, by_ordinal ? "ordinals" : "addresses", UINT64_C(1) << 30);
    measure(made, by_ordinal ? "ordinals" : "addresses", UINT64_C(64) << 20);
    unlink(made);
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
    measure_made(true, objects);
    measure_made(false, objects);
    return 0;
}
