#define _GNU_SOURCE /* wait4 */
/*
 * A series over captures of a heap that evolves: a few percent of the objects are replaced from one capture to the
 * next, and one type leaks. Each series runs in a process of its own, so that the peak of its memory is its own.
 *
 *      bench_series FOLDER [OBJECTS [CAPTURES]]     CSV: of 2, 10 and 100 captures, or of so many. Captures that are there already
 *                                                   are not written again
 *
 * The heap: a root for each of 64 registries, 1,000 buckets below each root's list, and leaves below buckets that refer
 * to each other. A leaf is what lives in a slot for 20 to 60 captures, then another one does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/note.h"
#include <hscapture/hscapture.h>
#include <hsdiff/series.h>

enum { ROOTS = 64, BUCKETS = 64000, TYPES = 400, LEAKED = TYPES + 1, BUCKET = TYPES + 2, LIST = TYPES + 3 };

static const char *folder;
static uint64_t slots = 1000000;

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static const char *path_of(uint64_t k)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/series-%llu-%03llu.hs", folder, (unsigned long long)slots, (unsigned long long)k);
    return path;
}

/* ---- writing ---- */

static uint64_t id_of_slot(uint64_t slot, uint64_t k)
{
    const uint64_t life = 20 + mix(slot) % 41;
    return 1000000 + ((k + mix(slot + 7) % life) / life * (slots * 2) + slot) * 2;
}

static uint64_t slots_at(uint64_t k) { return slots + slots / 100 * k; } /* the leak */

static void write_tables(hsc_writer *w)
{
    char name[32];
    for (uint32_t i = 1; i <= LIST; i++) {
        const int size = i == LEAKED   ? snprintf(name, sizeof name, "app.Leaked")
                         : i == BUCKET ? snprintf(name, sizeof name, "app.Bucket")
                         : i == LIST   ? snprintf(name, sizeof name, "app.Registry")
                                       : snprintf(name, sizeof name, "app.Type%u", i);
        hsc_define_type(w, i, name, (size_t)size, 0);
    }
    hsc_define_string(w, 1, "items", 5);
    hsc_define_string(w, 2, "other", 5);
    hsc_define_label(w, 1, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, 2, HSC_LABEL_FIELD, 0, 2);
    for (uint32_t r = 0; r < ROOTS; r++) {
        const int size = snprintf(name, sizeof name, "app.Root%u.items", r);
        hsc_define_string(w, 10 + r, name, (size_t)size);
        hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STATIC, .label = 10 + r, .target = 1 + r});
    }
}

static void put(hsc_writer *w, uint64_t id, uint32_t type, uint64_t bytes)
{
    hsc_begin_object(w, &(hsc_object){.id = id, .type = type, .size_bytes = bytes});
}

static void write_leaf(hsc_writer *w, uint64_t slot, uint64_t k)
{
    const uint64_t id = id_of_slot(slot, k), facts = mix(id), count = slots_at(k);
    put(w, id, slot >= slots ? LEAKED : 1 + (uint32_t)(facts % TYPES * (facts >> 20) % TYPES),
        16 + 8 * (facts >> 40) % 128);
    for (uint64_t i = 0; i < (facts & 3); i++)
        hsc_reference(w, id_of_slot((slot + 1 + (facts >> (8 * i)) % 200) % count, k), 2, 0);
    hsc_end_object(w);
}

static void write_capture(uint64_t k)
{
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.producer = options.runtime = "bench_series";
    options.identity = HSC_IDENTITY_EXACT;
    options.pid = options.domain[0] = 1;
    options.taken_unix_ns = UINT64_C(1700000000000000000) + k * UINT64_C(60000000000);
    options.compression = 1;
    if (hsc_open_file(&w, path_of(k), &options) != HSC_OK) exit(1);
    write_tables(w);
    for (uint64_t r = 0; r < ROOTS; r++) {
        put(w, 1 + r, LIST, 64);
        for (uint64_t b = r; b < BUCKETS; b += ROOTS)
            hsc_reference(w, 1000 + b, 1, b / ROOTS);
        hsc_end_object(w);
    }
    for (uint64_t b = 0; b < BUCKETS; b++) {
        put(w, 1000 + b, BUCKET, 32);
        for (uint64_t slot = b; slot < slots_at(k); slot += BUCKETS)
            hsc_reference(w, id_of_slot(slot, k), 1, slot / BUCKETS);
        hsc_end_object(w);
    }
    for (uint64_t slot = 0; slot < slots_at(k); slot++)
        write_leaf(w, slot, k);
    if (hsc_finish(w) != HSC_OK) exit(1);
    hsc_close(w);
}

/* ---- measuring ---- */

static hsd_status open_capture(void *context, size_t i, hsd_capture **out, hsd_error *err)
{
    (void)context;
    return hsd_capture_open(out, path_of(i), HSD_DAMAGE_REFUSE, NULL, err);
}

static void close_capture(void *context, size_t i, hsd_capture *capture)
{
    (void)context, (void)i;
    hsd_capture_close(capture);
}

static void run(size_t count, uint64_t memory, hsd_cohort_wish wish)
{
    hsd_series *series;
    hsd_error err;
    hsd_error_init(&err);
    const hsd_series_source source = {.count = count, .open = open_capture, .close = close_capture};
    const hsd_series_options options = {.warmup = count > 3, .cohorts = wish};
    const uint64_t start = hsd_now_ns();
    if (hsd_series_run(&series, &source, &options, &(hsd_run){.memory_bytes = memory}, &err) != HSD_OK) {
        fprintf(stderr, "bench_series: %s: %s\n", err.file, err.text);
        exit(1);
    }
    const double seconds = (double)(hsd_now_ns() - start) * 1e-9;
    printf("series,%s,%llu MiB,%zu,%llu,%.2f,%.3f,%.1f,", wish == HSD_COHORTS_NEVER ? "sums" : "sums and ages",
           (unsigned long long)(memory >> 20), count, (unsigned long long)series->total.values[count - 1].objects,
           seconds, seconds / (double)count, (double)series->temp_bytes_peak / 1048576);
    fflush(stdout);
    fprintf(stderr, "%zu captures: %s, %zu types, %zu roots, %zu holders, leak %s, ages %s\n", count,
            hsd_verdict_name(series->total.trend.verdict), series->types.row_count, series->roots.row_count,
            series->holders.row_count, series->types.row_count > 0 ? series->types.rows[0].name.data : "",
            series->cohorts.are_known ? "known" : series->cohorts.why_not.data);
    hsd_series_free(series);
}

static void measure(size_t count, uint64_t memory, hsd_cohort_wish wish)
{
    struct rusage usage;
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        run(count, memory, wish);
        exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) exit(1);
    const double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    printf("%.2f,%.1f\n", cpu, (double)usage.ru_maxrss / 1024);
}

static void measure_all(size_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        if (access(path_of(k), R_OK) != 0) write_capture(k);
    }
    measure(count, UINT64_C(1) << 30, HSD_COHORTS_IF_CHEAP);
    measure(count, UINT64_C(1) << 30, HSD_COHORTS_NEVER);
    measure(count, UINT64_C(64) << 20, HSD_COHORTS_IF_CHEAP);
}

int main(int argc, char **argv)
{
    if (argc < 2) return fputs("usage: bench_series FOLDER [OBJECTS [CAPTURES]]\n", stderr), 2;
    folder = argv[1];
    if (argc > 2) slots = strtoull(argv[2], NULL, 10);
    printf("stage,shape,memory,captures,items,seconds,seconds a capture,temp MiB,CPU seconds,peak MiB\n");
    if (argc > 3) return measure_all(strtoull(argv[3], NULL, 10)), 0;
    measure_all(2);
    measure_all(10);
    measure_all(100);
    return 0;
}
