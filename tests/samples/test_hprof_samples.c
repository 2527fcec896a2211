/*
 * Real HPROF files of other people's JVMs, where they are at hand: ../shared/samples beside the project. A
 * fresh clone has none of them and skips this.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/capture_view.h"
#include <hsdiff/import.h>

/* The sample's path; NULL, with a word on it, when it is not there. */
static const char *sample(const char *name)
{
    static char path[1024];
    const char *project = getenv("HSD_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/../shared/samples/%s", project == NULL ? "." : project, name);
    if (access(path, R_OK) == 0) return path;
    fprintf(stderr, "skipped: no sample %s\n", name);
    return NULL;
}

static bool import(const char *path, const hsd_import_options *options, uint64_t memory, hsd_import_result *result,
                   capture_view *view)
{
    const hsd_run run = {.memory_bytes = memory};
    hsd_error err;
    int out = -1;
    hsd_error_init(&err);
    const hsd_status status = hsd_import_temp(path, options, &run, &out, result, &err);
    cr_assert(status == HSD_OK, "%s: %s", path, err.text);
    if (view == NULL) return close(out) == 0;
    return view_open_fd(view, out);
}

typedef struct known_sample {
    const char *name;
    uint64_t objects;
    const char *runtime;
} known_sample;

static const known_sample known[] = {
    {"sun_jdk5_64bit.hprof", 3864, "HotSpot 1.5.0_12"},
    {"openjdk_jdk11_04_x64.hprof.gz", 187949, "HotSpot 11.0.4"},
    {"java_pid1884.0001.hprof.gz", 11941, "HotSpot 11.0.4"},
};

Test(hprof_samples, have_the_objects_they_are_known_for)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const hsd_import_options full = {.compression = 1};
        const hsd_import_options summary = {.compression = 1, .summary_only = true};
        hsd_import_result whole, totals;
        capture_view view;
        const char *path = sample(known[i].name);
        if (path == NULL) continue;
        cr_assert(import(path, &full, UINT64_C(16) << 20, &whole, &view));
        cr_expect(whole.objects == known[i].objects && whole.is_complete, "%s: %llu", known[i].name,
                  (unsigned long long)whole.objects);
        cr_expect_str_eq(view.info->runtime, known[i].runtime);
        view_close(&view);
        cr_assert(import(path, &summary, UINT64_C(16) << 20, &totals, NULL));
        cr_expect(totals.objects == whole.objects && totals.bytes == whole.bytes, "%s", known[i].name);
    }
}

Test(hprof_samples, of_the_agent_hold_two_dumps_of_one_process)
{
    static const char *const names[] = {"oracle_jdk7_21_hprofagent.hprof",
                                        "sun_jdk6_31_hprofagent_compressedOops.hprof"};
    for (size_t i = 0; i < 2; i++) {
        const char *path = sample(names[i]);
        if (path == NULL) continue;
        capture_view views[2];
        for (unsigned dump = 0; dump < 2; dump++) {
            const hsd_import_options options = {.compression = 1, .dump_number = dump + 1};
            hsd_import_result result;
            cr_assert(import(path, &options, 0, &result, &views[dump]));
            cr_expect(views[dump].info->identity == HSD_IDENTITY_EXACT && views[dump].info->is_complete);
        }
        cr_expect(memcmp(views[0].info->domain, views[1].info->domain, 16) == 0);
        size_t kept = 0;
        for (size_t k = 0; k < views[0].object_count; k++) {
            const view_object *before = &views[0].objects[k], *after = view_find(&views[1], before->id);
            if (after == NULL) continue;
            kept++;
            cr_expect_str_eq(view_type(&views[1], after->type), view_type(&views[0], before->type));
        }
        cr_expect(kept > views[0].object_count / 2, "%s: %zu kept", names[i], kept);
        view_close(&views[0]);
        view_close(&views[1]);
    }
}

Test(hprof_samples, of_the_agent_on_32_bit_are_read)
{
    const char *path = sample("hprof-agent-32.hprof");
    const hsd_import_options options = {.compression = 1};
    hsd_import_result result;
    capture_view view;
    if (path == NULL) return;
    cr_assert(import(path, &options, 0, &result, &view));
    cr_expect(result.is_complete && view.loss_count == 0);
    size_t with_site = 0;
    for (size_t i = 0; i < view.object_count; i++)
        with_site += view.objects[i].site != 0;
    cr_expect(with_site > 0);
    view_close(&view);
}
