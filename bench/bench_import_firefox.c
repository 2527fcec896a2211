/*
 * Importing heap snapshots of Firefox, packed as it writes them and unpacked: see importing.h.
 *
 *      bench_import_firefox [NODES | FILE.fxsnapshot]
 *
 * Without a file a snapshot of NODES (default 1,000,000) is made: objects, strings, functions and shapes as in a page's
 * heap, three references a node.
 */
#include <stdlib.h>
#include <unistd.h>

#include "importing.h"
#include "io/zip.h"
#include "support/firefox_writer.h"
#include "support/random.h"

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
    for (size_t i = 0; i < FIELDS; i++)
        snprintf(fields[i], sizeof fields[i], "field%zu", i);
    for (uint64_t i = 0; i < count; i++) {
        const unsigned kind = i == 0 ? 0 : (unsigned)test_below(&random, 4);
        const size_t some = i == 0 ? 4 : kind < 2 ? 3 + (size_t)test_below(&random, 5) : kind == 2 ? 1 : 0;
        for (size_t k = 0; k < some; k++)
            edges[k] = (fw_edge){UINT64_C(0x7f0000000000) + 32 * (1 + test_below(&random, count)),
                                 fields[test_below(&random, FIELDS)]};
        fw_put(w, &(fw_node){.id = UINT64_C(0x7f0000000000) + 32 * i,
                             .type = i == 0      ? "JS::ubi::RootList"
                                     : kind < 2  ? "JSObject"
                                     : kind == 2 ? "js::Shape"
                                                 : "JSString",
                             .size = 32 + 16 * kind,
                             .class_name = i > 0 && kind < 2 ? classes[test_below(&random, 4)] : NULL,
                             .coarse = kind == 3 ? 3 : 1,
                             .edges = edges,
                             .edge_count = some});
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

/* A file for each form. */
static FILE *make_file(char *path)
{
    const int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (file == NULL) exit(1);
    return file;
}

int main(int argc, char **argv)
{
    char plain[] = "/var/tmp/hsd-bench-XXXXXX", packed[] = "/var/tmp/hsd-bench-XXXXXX";
    char *end = NULL;
    const unsigned long long nodes = argc > 1 ? strtoull(argv[1], &end, 10) : 1000000;
    bench_begin();
    if (argc > 1 && *end != '\0') {
        bench_import("import_firefox", argv[1]);
        return 0;
    }
    FILE *a = make_file(plain), *b = make_file(packed);
    make_snapshot(a, b, nodes);
    fclose(a);
    fclose(b);
    bench_import("import_firefox", plain);
    if (hsd_zip_is_known()) bench_import("import_firefox; gzip", packed);
    unlink(plain);
    unlink(packed);
    return 0;
}
