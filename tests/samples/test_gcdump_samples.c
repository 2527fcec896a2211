/*
 * Heap graphs that PerfView and dotnet-gcdump wrote, where they are at hand: ../shared/samples beside the project. A
 * fresh clone has none and skips this.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/capture_view.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

typedef struct known_sample {
    const char *name;
    uint64_t nodes, bytes; /* of the file: all nodes, and the sum of its sizes as its header has it */
    uint64_t objects;      /* without those that show roots */
    const char *runtime;
} known_sample;

static const known_sample known[] = {
    {"pv-test1.gcdump", 6482, 1009270, 6481, "JavaScript"},
    {"gca-test1.gcdump", 46645, 3339490, 44827, ".NET"},
    {"leakypage.gcdump", 19811, 1286952, 18048, ".NET"},
};

Test(gcdump_samples, have_the_nodes_and_bytes_they_are_known_for)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char path[1024];
        const char *project = getenv("HSD_SOURCE_DIR");
        const hsd_import_options options = {.compression = 1}, summary = {.compression = 1, .summary_only = true};
        const hsd_run run = {.memory_bytes = UINT64_C(16) << 20};
        hsd_import_result result, totals;
        capture_view view;
        hsd_error err;
        int out = -1;
        snprintf(path, sizeof path, "%s/../shared/samples/%s", project == NULL ? "." : project, known[i].name);
        if (access(path, R_OK) != 0) {
            fprintf(stderr, "skipped: no sample %s\n", known[i].name);
            continue;
        }
        hsd_error_init(&err);
        cr_assert(hsd_import_temp(path, &options, &run, &out, &result, &err) == HSD_OK, "%s", err.text);
        cr_assert(view_open_fd(&view, out));
        cr_expect(result.is_complete && result.objects == known[i].objects && result.bytes == known[i].bytes,
                  "%s: %llu, %llu", known[i].name, (unsigned long long)result.objects,
                  (unsigned long long)result.bytes);
        cr_expect(view.object_count == known[i].nodes && view.loss_count == 0 && view.root_count > 0);
        cr_expect_str_eq(view.info->runtime, known[i].runtime);
        for (size_t k = 0; k < view.object_count; k++)
            cr_expect(strstr(view_type(&view, view.objects[k].type), "(Bytes > ") == NULL,
                      "a size in the name of a type");
        view_close(&view);
        cr_assert(hsd_import_temp(path, &summary, &run, &out, &totals, &err) == HSD_OK, "%s", err.text);
        cr_expect(totals.objects == result.objects && totals.bytes == result.bytes);
        close(out);
    }
}
