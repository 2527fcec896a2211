/*
 * A heap dump that Go 1.19 wrote, where it is at hand: ../shared/samples beside the project. A fresh clone has none and
 * skips this.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/capture_view.h"
#include <hsdiff/import.h>

/* What the program itself counted when it wrote the dump: memstats has as many objects and bytes. */
Test(goheap_samples, have_the_objects_they_are_known_for)
{
    char path[1024];
    const char *project = getenv("HSD_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/../shared/samples/go1.19.8-d10k.heapdump", project == NULL ? "." : project);
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: no sample of Go\n");
        return;
    }
    const hsd_import_options options = {.compression = 1}, summary = {.compression = 1, .summary_only = true};
    const hsd_run run = {.memory_bytes = UINT64_C(16) << 20};
    hsd_import_result result, totals;
    capture_view view;
    hsd_error err;
    int out = -1;
    hsd_error_init(&err);
    cr_assert(hsd_import_temp(path, &options, &run, &out, &result, &err) == HSD_OK, "%s", err.text);
    cr_assert(view_open_fd(&view, out));
    cr_expect(result.objects == 33610 && result.bytes == 4181192 && result.is_complete && result.references > 34000);
    cr_expect_str_eq(view.info->runtime, "go1.19.8");
    view_close(&view);
    cr_assert(hsd_import_temp(path, &summary, &run, &out, &totals, &err) == HSD_OK, "%s", err.text);
    cr_expect(totals.objects == result.objects && totals.bytes == result.bytes);
    close(out);
}
