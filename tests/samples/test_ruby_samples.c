/*
 * Heap dumps that Ruby 3.1 and 3.3 wrote, where they are at hand: ../shared/samples beside the project. A fresh clone
 * has none and skips this.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/capture_view.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

static bool open_sample(const char *name, hsd_import_result *result, capture_view *view)
{
    char path[1024];
    const char *project = getenv("HSD_SOURCE_DIR");
    const hsd_import_options options = {.compression = 1};
    const hsd_run run = {.memory_bytes = UINT64_C(8) << 20};
    hsd_error err;
    int out = -1;
    snprintf(path, sizeof path, "%s/../shared/samples/%s", project == NULL ? "." : project, name);
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: no sample %s\n", name);
        return false;
    }
    hsd_error_init(&err);
    cr_assert(hsd_import_temp(path, &options, &run, &out, result, &err) == HSD_OK, "%s", err.text);
    return view_open_fd(view, out);
}

/* As many objects as the file has lines, without those of roots. */
Test(ruby_samples, whole_heap_has_the_objects_it_is_known_for)
{
    hsd_import_result result;
    capture_view view;
    uint64_t objects, bytes;
    if (!open_sample("ruby-dump-1.json", &result, &view)) return;
    cr_expect(result.is_complete && result.objects == 14401 && view.loss_count == 0);
    view_total(&view, "(imemo iseq)", &objects, &bytes);
    cr_expect(objects > 500 && bytes > 500 * 40);
    cr_expect(view.root_count >= 426);
    view_close(&view);
}

Test(ruby_samples, part_of_a_heap_has_no_roots)
{
    hsd_import_result result;
    capture_view view;
    if (!open_sample("ruby-retained.heap", &result, &view)) return;
    cr_expect(result.objects == 28 && view.loss_count == 0 && view.root_count == 0);
    cr_expect((view.info->facts & HSC_FACT_NO_ROOTS) != 0);
    view_close(&view);
}
