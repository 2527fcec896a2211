/*
 * The importer of pprof's heap profiles, on profiles that are known sample by sample, in every order and packing; and
 * what it refuses.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/import_bytes.h"
#include "support/pprof_profiles.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

static const hsd_import_options plain = {.compression = 1};

static hsd_status import(const void *data, size_t size, const hsd_import_options *options, uint64_t memory_bytes,
                         hsd_import_result *result, capture_view *view, hsd_error *err)
{
    const hsd_run run = {.memory_bytes = memory_bytes};
    return import_bytes(data, size, "profile", options, &run, result, view, err);
}

static void open_bytes(pprof_bytes bytes, const hsd_import_options *options, hsd_import_result *result,
                       capture_view *view)
{
    hsd_error err;
    cr_assert(import(bytes.data, bytes.size, options, UINT64_C(2) << 20, result, view, &err) == HSD_OK, "%s", err.text);
    free(bytes.data);
}

static void open_profile(const char *name, const hsd_import_options *options, hsd_import_result *result,
                         capture_view *view)
{
    open_bytes(pprof_profile_named(name), options, result, view);
}

static void expect_total(const capture_view *view, const char *type, uint64_t objects, uint64_t bytes)
{
    uint64_t found_objects, found_bytes;
    view_total(view, type, &found_objects, &found_bytes);
    cr_expect(found_objects == objects && found_bytes == bytes, "%s: %llu objects, %llu bytes", type,
              (unsigned long long)found_objects, (unsigned long long)found_bytes);
}

/* "main.fill main.go:31 < main.main main.go:12", innermost first; static. */
static const char *stack_of(const capture_view *view, uint32_t site)
{
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (unsigned depth = 0; site != 0 && depth < 64; depth++) {
        cr_assert(site < view->site_limit);
        const hsd_site *frame = &view->sites[site];
        const char *file = view_string(view, frame->file), *slash = strrchr(file, '/');
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", depth > 0 ? " < " : "",
                                 view_string(view, frame->function));
        if (file[0] != '\0')
            used += (size_t)snprintf(text + used, sizeof text - used, " %s:%u", slash == NULL ? file : slash + 1,
                                     frame->line);
        site = frame->parent;
    }
    return text;
}

/* Objects and bytes of a type at a stack. */
static hsd_site_total total_at(const capture_view *view, const char *type, const char *stack)
{
    hsd_site_total sum = {0};
    for (size_t i = 0; i < view->site_total_count; i++) {
        const hsd_site_total *total = &view->site_totals[i];
        if (strcmp(view_type(view, total->type), type) != 0 || strcmp(stack_of(view, total->site), stack) != 0)
            continue;
        sum.objects += total->objects;
        sum.bytes += total->bytes;
    }
    return sum;
}

static void expect_at(const capture_view *view, const char *type, const char *stack, uint64_t objects, uint64_t bytes)
{
    const hsd_site_total found = total_at(view, type, stack);
    cr_expect(found.objects == objects && found.bytes == bytes, "%s at %s: %llu objects, %llu bytes", type, stack,
              (unsigned long long)found.objects, (unsigned long long)found.bytes);
}

static void expect_go(capture_view *view, const hsd_import_result *result)
{
    cr_expect(result->is_complete && result->objects == 1015 && result->bytes == 1010 * 48 + 3 * 1024 + 2 * 16);
    cr_expect_str_eq(view->info->runtime, "");
    cr_expect_str_eq(view->info->source_format, "pprof");
    cr_expect_eq(view->info->taken_unix_ns, UINT64_C(1700000000000000000));
    cr_expect_eq(view->info->facts, HSC_FACT_SAMPLED | HSC_FACT_NO_ROOTS | HSC_FACT_NO_REFERENCES);
    cr_expect(view->info->summary_objects == 1015 && view->object_count == 0 && view->loss_count == 0);
    expect_total(view, "48 B at main.fill", 1000, 48000);
    expect_total(view, "48 B at main.newSession", 10, 480);
    expect_total(view, "1024 B at main.fill", 3, 3072); /* runtime.growslice allocates for others */
    expect_total(view, "16 B objects", 2, 32);
    expect_total(view, "64 B at main.main", 0, 0);
    expect_at(view, "48 B at main.fill", "main.fill main.go:31 < main.main main.go:12", 1000, 48000);
    expect_at(view, "1024 B at main.fill",
              "runtime.growslice slice.go:200 < main.fill main.go:31 < main.main main.go:12", 3, 3072);
    expect_at(view, "48 B at main.newSession",
              "main.newSession main.go:7 < main.fill main.go:33 < main.main main.go:12", 10, 480);
    cr_expect_eq(view->site_total_count, 3, "samples of one stack and type are one sum, and what is freed is none");
}

Test(pprof, says_the_same_whatever_the_order_and_packing)
{
    for (int order = 0; order < PPROF_ORDERS; order++)
        for (int packing = 0; packing < 3; packing++) {
            hsd_import_result result;
            capture_view view;
            open_bytes(pprof_profile_in("go", (pprof_order)order, packing), &plain, &result, &view);
            expect_go(&view, &result);
            view_close(&view);
        }
}

Test(pprof, summary_is_types_alone)
{
    hsd_import_result result;
    capture_view view;
    const hsd_import_options summary = {.summary_only = true};
    open_profile("go", &summary, &result, &view);
    expect_total(&view, "48 B at main.fill", 1000, 48000);
    cr_expect(view.info->sites == 0 && view.site_total_count == 0 && view.info->version_minor == 0);
    view_close(&view);
}

Test(pprof, finds_columns_by_name)
{
    hsd_import_result result;
    capture_view view;
    open_profile("node", &plain, &result, &view);
    cr_expect(result.objects == 120 && result.bytes == 960000);
    expect_at(&view, "allocated at leak", "leak app.js:14 < (root)", 120, 960000);
    view_close(&view);
    open_profile("allocs", &plain, &result, &view);
    cr_expect(result.objects == 10 && result.bytes == 640);
    cr_expect((view.info->facts & HSC_FACT_SAMPLED) == 0, "no period");
    view_close(&view);
}

Test(pprof, names_addresses_as_those_that_can_be_resolved)
{
    hsd_import_result result;
    capture_view view;
    open_profile("native", &plain, &result, &view);
    expect_at(&view, "allocated at: libshop.so+0x2345{0011aaff}",
              "libshop.so+0x2345{0011aaff} < a_b_c+0x2010{abcdef01} < (unknown function)", 4, 4096);
    view_close(&view);
}

/* What exports of hsdiff have: the type goes before size and function, and one stack may have several. */
Test(pprof, takes_the_type_of_a_label)
{
    hsd_import_result result;
    capture_view view;
    pprof_writer w = {.packing = 1};
    pprof_put_string(&w, "");
    pprof_put_sample_type(&w, "inuse_objects", "count");
    pprof_put_sample_type(&w, "inuse_space", "bytes");
    const uint64_t function = pprof_put_function(&w, "fill", "main.c");
    const uint64_t location = pprof_put_location(&w, 0, 0, &(pprof_code_line){function, 9}, 1);
    const pprof_label session[] = {{.key = "type", .text = "Session"}, {.key = "bytes", .number = 48}},
                      order = {.key = "type", .text = "Order"}, unnamed = {.key = "type", .text = ""};
    pprof_put_sample(&w, &location, 1, (const int64_t[]){3, 144}, 2, session, 2);
    pprof_put_sample(&w, &location, 1, (const int64_t[]){2, 64}, 2, &order, 1);
    pprof_put_sample(&w, &location, 1, (const int64_t[]){1, 16}, 2, &unnamed, 1);
    open_bytes(pprof_finish(&w, PPROF_AS_NUMBERED), &plain, &result, &view);
    cr_expect(result.objects == 6 && result.bytes == 224);
    expect_at(&view, "Session", "fill main.c:9", 3, 144);
    expect_at(&view, "Order", "fill main.c:9", 2, 64);
    expect_at(&view, "allocated at fill", "fill main.c:9", 1, 16);
    view_close(&view);
}

Test(pprof, sums_what_is_negative)
{
    hsd_import_result result;
    capture_view view;
    open_profile("difference", &plain, &result, &view);
    cr_expect(result.objects == 6 && result.bytes == 60 * 1024);
    expect_total(&view, "allocated at grow", 6, 60 * 1024);
    expect_total(&view, "allocated at shrink", 0, 0);
    cr_expect_eq(view_loss(&view, "stacks with less than nothing"), 1);
    view_close(&view);
}

Test(pprof, reads_what_is_not_there_as_nothing)
{
    hsd_import_result result;
    capture_view view;
    open_profile("odd", &plain, &result, &view);
    cr_expect_eq(view_loss(&view, "samples without a value for each sample type"), 2);
    cr_expect(view.info->summary_objects == (UINT64_C(1) << 63), "INT64_MAX, where a sum stays, and 1: %llu",
              (unsigned long long)view.info->summary_objects);
    view_close(&view);
}

/* ---- Fuchsia ---- */

Test(pprof, reads_one_process_of_several)
{
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    const pprof_bytes bytes = pprof_profile_named("fuchsia");
    cr_assert(import(bytes.data, bytes.size, &plain, UINT64_C(2) << 20, &result, NULL, &err) == HSD_E_UNSUPPORTED);
    cr_expect(strstr(err.text, "2 processes: 1 = shell (1170), 2 = cob?alt (1171)") != NULL, "%s", err.text);
    cr_expect(strstr(err.hint, "--dump") != NULL);
    const hsd_import_options second = {.dump_number = 2}, third = {.dump_number = 3};
    cr_assert(import(bytes.data, bytes.size, &third, UINT64_C(2) << 20, &result, NULL, &err) == HSD_E_UNSUPPORTED);
    open_bytes(bytes, &second, &result, &view);
    cr_expect(result.objects == 6 && result.bytes == 400 && view.info->pid == 1171);
    cr_expect_str_eq(view.info->process_name, "cob\x1b"
                                              "alt");
    cr_expect_str_eq(view.info->runtime, "Fuchsia");
    expect_at(&view, "allocated at shell::make", "malloc scudo.cc:3 < shell::make shell.cc:9", 6, 400);
    view_close(&view);
}

Test(pprof, takes_tagged_blocks_for_objects)
{
    static const uint8_t unknown[16];
    hsd_import_result result;
    capture_view view;
    open_profile("tags", &plain, &result, &view);
    cr_expect(result.objects == 5 && view.object_count == 3 && view.info->summary_objects == 2, "%zu",
              view.object_count);
    cr_expect(view.info->identity == HSD_IDENTITY_ADDRESS && memcmp(view.info->domain, unknown, 16) != 0);
    const view_object *block = view_find(&view, 0x2000);
    cr_assert(block != NULL && block->size_bytes == 4096);
    cr_expect_str_eq(view_type(&view, block->type), "4096 B at shell::make");
    cr_expect_str_eq(view_string(&view, block->category), "main[1171]");
    cr_expect_str_eq(stack_of(&view, block->site), "malloc scudo.cc:3 < shell::make shell.cc:9");
    expect_total(&view, "32 B at shell::make", 1, 32);
    expect_total(&view, "64 B at shell::make", 2, 128);
    view_close(&view);
}

/* A profile that has no counts says of each block that it is one: of an object, and of what is in the sums alone. */
Test(pprof, counts_each_tagged_block_once_without_counts)
{
    static const hsd_import_options sums = {.summary_only = true};
    hsd_import_result result;
    capture_view view;
    open_profile("uncounted", &plain, &result, &view);
    cr_expect(result.objects == 4 && view.object_count == 3 && view.info->summary_objects == 1,
              "%llu: the block that has no address is none", (unsigned long long)result.objects);
    expect_total(&view, "64 B at shell::make", 2, 128);
    view_close(&view);
    open_profile("uncounted", &sums, &result, &view);
    cr_expect(result.objects == 4 && view.object_count == 0, "%llu", (unsigned long long)result.objects);
    expect_total(&view, "64 B at shell::make", 2, 128);
    expect_total(&view, "4096 B at shell::make", 1, 4096);
    view_close(&view);
}

/* ---- what is refused ---- */

static void refuses(const void *data, size_t size, hsd_status expected, const char *words)
{
    hsd_import_result result;
    hsd_error err;
    const hsd_status status = import(data, size, &plain, UINT64_C(2) << 20, &result, NULL, &err);
    cr_expect(status == expected, "%s: %s", hsd_status_name(status), err.text);
    cr_expect(strstr(err.text, words) != NULL, "%s", err.text);
}

Test(pprof, refuses_what_is_no_heap)
{
    const pprof_bytes bytes = pprof_profile_named("cpu");
    refuses(bytes.data, bytes.size, HSD_E_UNSUPPORTED, "samples (count), cpu (nanoseconds)");
    free(bytes.data);
}

Test(pprof, says_where_a_profile_ends_too_early)
{
    const pprof_bytes bytes = pprof_profile_in("go", PPROF_TABLES_FIRST, 1);
    hsd_import_result result;
    hsd_error err;
    for (size_t size = bytes.size - 60; size < bytes.size; size++) {
        const hsd_status status = import(bytes.data, size, &plain, UINT64_C(2) << 20, &result, NULL, &err);
        cr_expect(status == HSD_OK || status == HSD_E_TRUNCATED, "%zu: %s", size, err.text);
        if (status == HSD_E_TRUNCATED)
            cr_expect(err.offset_bytes == size, "%zu: %llu", size, (unsigned long long)err.offset_bytes);
    }
    free(bytes.data);
}

Test(pprof, says_how_much_memory_would_do)
{
    pprof_writer w = {0};
    pprof_put_sample_type(&w, "inuse_objects", "count");
    pprof_put_sample_type(&w, "inuse_space", "bytes");
    static char text[4000];
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 2000; i++) {
        snprintf(text, 12, "%011d", i);
        text[11] = 'x';
        pprof_put_string(&w, text);
    }
    const pprof_bytes bytes = pprof_finish(&w, PPROF_AS_NUMBERED);
    hsd_import_result result;
    hsd_error err;
    cr_expect(import(bytes.data, bytes.size, &plain, UINT64_C(2) << 20, &result, NULL, &err) == HSD_E_OVER_BUDGET, "%s",
              err.text);
    cr_expect(strstr(err.hint, "--memory") != NULL, "%s", err.hint);
    cr_expect(import(bytes.data, bytes.size, &plain, UINT64_C(256) << 20, &result, NULL, &err) == HSD_OK, "%s",
              err.text);
    free(bytes.data);
}

Test(pprof, is_known_by_its_fields)
{
    for (size_t i = 0; i < pprof_profile_count; i++) {
        const pprof_bytes bytes = pprof_profile_named(pprof_profiles[i].name);
        const char *found = hsd_import_probe(bytes.data, bytes.size);
        cr_expect(found != NULL && strcmp(found, "pprof") == 0, "%s: %s", pprof_profiles[i].name, found);
        free(bytes.data);
    }
    cr_expect_null(hsd_import_probe("\x0a\x04\x08\x01\x10\x02", 6), "too little to tell");
    cr_expect_null(hsd_import_probe("plain text, and a lot of it, that nobody takes for a profile", 60));
}
