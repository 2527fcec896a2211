/*
 * Files that the log profiler of Mono 6.8 wrote, where they are at hand: ../shared/samples beside the project. A fresh
 * clone has none and skips this.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/capture_view.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

static bool open_sample(const char *name, unsigned shot, hsd_import_result *result, capture_view *view)
{
    char path[1024];
    const char *project = getenv("HSD_SOURCE_DIR");
    const hsd_import_options options = {.compression = 1, .dump_number = shot};
    const hsd_run run = {.memory_bytes = UINT64_C(8) << 20};
    hsd_error err;
    int out = -1;
    snprintf(path, sizeof path, "%s/../shared/samples/%s", project == NULL ? "." : project, name);
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: no sample %s\n", name);
        return false;
    }
    hsd_error_init(&err);
    cr_assert(hsd_import_temp(path, &options, &run, &out, result, &err) == HSD_OK, "%s: %s", name, err.text);
    return view_open_fd(view, out);
}

Test(mlpd_samples, one_shot_has_what_mprof_report_counts)
{
    hsd_import_result result;
    capture_view view;
    if (!open_sample("hs2.mlpd", 0, &result, &view)) return;
    cr_expect(result.is_complete && result.objects == 23778 && result.bytes == 1104408 && view.loss_count == 0);
    view_close(&view);
}

Test(mlpd_samples, two_shots_have_their_roots_and_objects_in_common)
{
    hsd_import_result result;
    capture_view first, second;
    size_t common = 0, named = 0;
    if (!open_sample("roots.mlpd", 1, &result, &first)) return;
    cr_expect(result.objects == 23773 && first.root_count == 626);
    cr_assert(open_sample("roots.mlpd", 2, &result, &second));
    cr_expect(result.objects == 23775 && second.root_count == 633);
    for (size_t i = 0; i < first.object_count; i++)
        common += view_find(&second, first.objects[i].id) != NULL;
    cr_expect_eq(common, 23773);
    for (size_t i = 0; i < second.root_count; i++)
        named += second.roots[i].kind != HSC_ROOT_UNKNOWN;
    cr_expect_eq(named, 633);
    view_close(&first);
    view_close(&second);
}

Test(mlpd_samples, packed_file_is_read_as_any)
{
    hsd_import_result result;
    capture_view view;
    if (!open_sample("z.mlpd", 0, &result, &view)) return;
    cr_expect(result.is_complete && result.objects == 603 && view.root_count == 614 && view.loss_count == 0);
    view_close(&view);
}
