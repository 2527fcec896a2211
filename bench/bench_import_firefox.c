/*
 * Importing heap snapshots of Firefox, packed as it writes them and unpacked, on one core from the page cache. Beside them the bounds that the
 * machine sets: reading the same bytes, and unpacking them and nothing else. Figures count unpacked bytes.
 *
 *      bench_import_firefox [NODES | FILE.fxsnapshot]      CSV: stage,shape,memory,items,seconds,M items/s,MB/s
 *
 * Without a file a snapshot of NODES (default 1,000,000) is made: objects, strings, functions and shapes as in a page's heap, three references a
 * node.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../tests/support/firefox_writer.h"
#include "../tests/support/random.h"
#include "base/note.h"
#include "import/gzip.h"
#include "io/source.h"
#include "io/zip.h"
#include <hsdiff/import.h>

#define REPEATS     3
#define FIELDS      200
#define PIECE_BYTES ((size_t)1 << 20)

static void die(const hsd_error *err)
{
    fprintf(stderr, "bench_import_firefox: %s\n", err->text);
    exit(1);
}

/* ---- a snapshot ---- */

static hsd_status save(void *context, const void *data, size_t size, hsd_error *err)
{
    return fwrite(data, 1, size, context) == size ? HSD_OK : hsd_fail(err, HSD_E_IO, "cannot write");
}

static void make_nodes(firefox_writer *w, FILE *plain, hsd_zip *zip, uint64_t count)
{
    static const char *const classes[] = {"Object", "Function", "Array", "Call"};
    static char fields[FIELDS][24];
    test_random random = {1};
    hsd_error err;
    fw_edge edges[8];
    for (size_t i = 0; i < FIELDS; i++) snprintf(fields[i], sizeof fields[i], "field%zu", i);
    for (uint64_t i = 0; i < count; i++) {
        const unsigned kind = i == 0 ? 0 : (unsigned)test_below(&random, 4);
        const size_t some = i == 0 ? 4 : kind < 2 ? 3 + (size_t)test_below(&random, 5) : kind == 2 ? 1 : 0;
        for (size_t k = 0; k < some; k++)
            edges[k] = (fw_edge){UINT64_C(0x7f0000000000) + 32 * (1 + test_below(&random, count)), fields[test_below(&random, FIELDS)]};
        fw_put(w, &(fw_node){.id = UINT64_C(0x7f0000000000) + 32 * i, .type = i == 0 ? "JS::ubi::RootList" : kind < 2 ? "JSObject" : kind == 2 ? "js::Shape" : "JSString",
                             .size = 32 + 16 * kind, .class_name = i > 0 && kind < 2 ? classes[test_below(&random, 4)] : NULL, .coarse = kind == 3 ? 3 : 1,
                             .edges = edges, .edge_count = some});
        if (w->out.size < PIECE_BYTES && i + 1 < count) continue;
        if (fwrite(w->out.data, 1, w->out.size, plain) != w->out.size) exit(1);
        if (zip != NULL && hsd_zip_write(zip, w->out.data, w->out.size, &err) != HSD_OK) die(&err);
        w->out.size = 0;
    }
}

static void make_snapshot(FILE *plain, FILE *packed, uint64_t nodes)
{
    firefox_writer w;
    hsd_zip *zip = NULL;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_zip_is_known() && hsd_zip_new(&zip, HSD_ZIP_GZIP, save, packed, &err) != HSD_OK) die(&err);
    fw_begin(&w, UINT64_C(1700000000000000));
    make_nodes(&w, plain, zip, nodes);
    if (zip != NULL && hsd_zip_finish(zip, &err) != HSD_OK) die(&err);
    hsd_zip_free(zip);
    fw_free(&w);
}

/* ---- measuring ---- */

typedef struct measured {
    uint64_t items, bytes;
} measured;

/* Reads all of a file, packed or not. */
static measured read_all(const char *path, const hsd_import_options *options)
{
    hsd_source file, unpacked = {0};
    hsd_source *top = &file;
    hsd_error err;
    hsd_status status;
    (void)options;
    hsd_error_init(&err);
    if (hsd_source_open_file(&file, path, 0, &err) != HSD_OK) die(&err);
    if (hsd_source_peek(&file, 64, &err) == HSD_OK && hsd_gzip_probe(file.at, hsd_source_ahead(&file))) {
        if (hsd_gzip_open(&unpacked, &file, 0, false, &err) != HSD_OK) die(&err);
        top = &unpacked;
    }
    while ((status = hsd_source_peek(top, 1, &err)) == HSD_OK) hsd_source_take(top, hsd_source_ahead(top));
    if (status < 0) die(&err);
    const measured done = {0, hsd_source_offset(top)};
    hsd_source_close(&unpacked);
    hsd_source_close(&file);
    return done;
}

static measured import(const char *path, const hsd_import_options *options)
{
    const hsd_run run = {.memory_bytes = UINT64_C(64) << 20};
    hsd_import_result result;
    hsd_error err;
    int out = -1;
    hsd_error_init(&err);
    if (hsd_import_temp(path, options, &run, &out, &result, &err) != HSD_OK) die(&err);
    close(out);
    return (measured){result.objects, 0};
}

static void measure(const char *shape, const char *path, measured (*what)(const char *, const hsd_import_options *), const hsd_import_options *options,
                    uint64_t bytes)
{
    uint64_t best = UINT64_MAX;
    measured done = {0};
    struct rusage use;
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = hsd_now_ns();
        done = what(path, options);
        const uint64_t took = hsd_now_ns() - start;
        best = took < best ? took : best;
    }
    getrusage(RUSAGE_SELF, &use);
    const double seconds = (double)best * 1e-9;
    printf("import_firefox,%s,%ld KiB,%llu,%.4f,%.1f,%.0f\n", shape, use.ru_maxrss, (unsigned long long)done.items, seconds,
           (double)done.items / seconds * 1e-6, (double)bytes / seconds * 1e-6);
    fflush(stdout);
}

static void measure_file(const char *path, const char *kind, uint64_t bytes)
{
    static const hsd_import_options summary = {.summary_only = true, .compression = 1}, packed = {.compression = 1}, stored = {0};
    char shape[64];
    snprintf(shape, sizeof shape, "bound: read%s", kind);
    measure(shape, path, read_all, NULL, bytes);
    snprintf(shape, sizeof shape, "summary%s", kind);
    measure(shape, path, import, &summary, bytes);
    snprintf(shape, sizeof shape, "objects%s; level 1", kind);
    measure(shape, path, import, &packed, bytes);
    snprintf(shape, sizeof shape, "objects%s; stored", kind);
    measure(shape, path, import, &stored, bytes);
}

int main(int argc, char **argv)
{
    char plain[64] = "/var/tmp/hsd-bench-XXXXXX", packed[64] = "/var/tmp/hsd-bench-XXXXXX";
    char *end = NULL;
    const unsigned long long nodes = argc > 1 ? strtoull(argv[1], &end, 10) : 1000000;
    puts("stage,shape,memory,items,seconds,M items/s,MB/s");
    if (argc > 1 && *end != '\0') {
        measure_file(argv[1], "", read_all(argv[1], NULL).bytes);
        return 0;
    }
    const int first = mkstemp(plain), second = mkstemp(packed);
    FILE *a = first < 0 ? NULL : fdopen(first, "wb"), *b = second < 0 ? NULL : fdopen(second, "wb");
    if (a == NULL || b == NULL) return 1;
    make_snapshot(a, b, nodes);
    fclose(a);
    fclose(b);
    const uint64_t bytes = read_all(plain, NULL).bytes;
    measure_file(plain, "", bytes);
    if (hsd_zip_is_known()) measure_file(packed, " and unpack", bytes);
    unlink(plain);
    unlink(packed);
    return 0;
}
