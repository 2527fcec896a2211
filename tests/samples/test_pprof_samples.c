/*
 * Heap profiles of real programs, where they are at hand: ../shared/samples beside the project. A fresh clone has none
 * and skips this. Figures are those of a decoder that has nothing in common with this one.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/capture_view.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

static bool open_sample(const char *name, hsd_import_result *result, capture_view *view)
{
    char path[1024];
    const char *project = getenv("HSD_SOURCE_DIR");
    const hsd_import_options options = {.compression = 1};
    const hsd_run run = {.memory_bytes = UINT64_C(4) << 20};
    hsd_error err;
    int out = -1;
    snprintf(path, sizeof path, "%s/../shared/samples/%s", project == NULL ? "." : project, name);
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: no sample %s\n", name);
        return false;
    }
    hsd_error_init(&err);
    cr_assert(hsd_import_temp(path, &options, &run, &out, result, &err) == HSD_OK, "%s", err.text);
    cr_expect_str_eq(result->format, "pprof");
    return view_open_fd(view, out);
}

static void expect_heap(const char *name, const char *runtime, uint64_t objects, uint64_t bytes, size_t site_totals)
{
    hsd_import_result result;
    capture_view view;
    if (!open_sample(name, &result, &view)) return;
    cr_expect(result.is_complete && result.objects == objects && result.bytes == bytes, "%s: %llu objects, %llu bytes",
              name, (unsigned long long)result.objects, (unsigned long long)result.bytes);
    cr_expect(view.info->summary_objects == objects && view.info->summary_bytes == bytes);
    cr_expect_str_eq(view.info->runtime, runtime);
    cr_expect((view.info->facts & HSC_FACT_SAMPLED) != 0 && view.loss_count == 0);
    cr_expect(view.site_total_count == site_totals, "%s: %zu sums at sites", name, view.site_total_count);
    uint64_t at_sites = 0;
    for (size_t i = 0; i < view.site_total_count; i++)
        at_sites += view.site_totals[i].objects;
    cr_expect_eq(at_sites, objects, "%s: everything that is in use has a stack", name);
    view_close(&view);
}

/* Of 1,150 samples 121 are of something in use. */
Test(pprof_samples, go_that_is_packed_and_not)
{
    expect_heap("go-heap.pb", "Go", 22156072, 1602645059, 121);
    expect_heap("go-heap.pb.gz", "Go", 22156072, 1602645059, 121);
}

/* Of nine samples two have one stack. */
Test(pprof_samples, node) { expect_heap("nodejs-heap.pb.gz", "", 100498, 8357762, 8); }

/* Written anew by another encoder: of 4,661 samples 23 are of something in use, and some have no location. */
Test(pprof_samples, go_in_another_order) { expect_heap("alloc_objects.pb.gz", "Go", 74172, 14730706, 23); }

Test(pprof_samples, stacks_are_whole)
{
    hsd_import_result result;
    capture_view view;
    unsigned depth = 0, longest = 0;
    bool has_main = false;
    if (!open_sample("go-heap.pb", &result, &view)) return;
    for (size_t i = 0; i < view.site_total_count; i++) {
        depth = 0;
        for (uint32_t site = view.site_totals[i].site; site != 0; site = view.sites[site].parent, depth++)
            has_main = has_main || strcmp(view_string(&view, view.sites[site].function), "main.main") == 0;
        longest = depth > longest ? depth : longest;
    }
    cr_expect(has_main && longest > 20, "%u", longest);
    view_close(&view);
}
