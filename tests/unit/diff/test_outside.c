/*
 * What lies outside the heap: external bytes of live objects, their own and those of their parts, and what captures
 * measured.
 */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TYPE_BUFFER = 1, TYPE_STORE, TYPE_PLAIN };

static char paths[2][40];
static hsd_diff *diff;
static hsd_error err;

static void setup(void)
{
    for (int side = 0; side < 2; side++) {
        snprintf(paths[side], sizeof paths[side], "/tmp/hsdiff-outside-XXXXXX");
        close(mkstemp(paths[side]));
    }
    hsd_error_init(&err);
}

static void teardown(void)
{
    hsd_diff_free(diff);
    for (int side = 0; side < 2; side++)
        remove(paths[side]);
}

TestSuite(outside, .init = setup, .fini = teardown);

static void define(hsc_writer *w, uint32_t type, const char *name, uint32_t flags)
{
    hsc_define_type(w, type, name, strlen(name), flags);
}

/* A list of so many buffers of 40 bytes, each with a store of 8 that owns 1,000; one more that is lost; one that owns
 * 500 itself. */
static void write_side(int side, uint32_t buffers)
{
    hsc_options options;
    hsc_writer *w;
    hsc_options_init(&options);
    options.identity = HSC_IDENTITY_EXACT;
    options.domain[0] = 1;
    remove(paths[side]);
    cr_assert_eq(hsc_open_file(&w, paths[side], &options), HSC_OK);
    define(w, TYPE_BUFFER, "Buffer", 0);
    define(w, TYPE_STORE, "Store", HSC_TYPE_PART);
    define(w, TYPE_PLAIN, "Plain", 0);
    for (uint32_t i = 0; i <= buffers; i++) {
        hsc_begin_object(w, &(hsc_object){.id = 100 + 2 * i, .type = TYPE_BUFFER, .size_bytes = 40});
        hsc_reference(w, 101 + 2 * i, 0, 0);
        hsc_end_object(w);
        hsc_begin_object(w,
                         &(hsc_object){.id = 101 + 2 * i, .type = TYPE_STORE, .size_bytes = 8, .native_bytes = 1000});
        hsc_end_object(w);
    }
    hsc_begin_object(w, &(hsc_object){.id = 1, .type = TYPE_PLAIN, .size_bytes = 16, .native_bytes = 500});
    for (uint32_t i = 0; i < buffers; i++)
        hsc_reference(w, 100 + 2 * i, 0, 0);
    hsc_end_object(w);
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1});
    hsc_metric(w, "process.rss", "bytes", 5000 + (uint64_t)side);
    hsc_metric(w, "gc.count", "count", 3);
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

static void compare(void)
{
    hsd_capture *before, *after;
    cr_assert_eq(hsd_capture_open(&before, paths[0], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_open(&after, paths[1], HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_diff_run(&diff, before, after, NULL, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(before);
    hsd_capture_close(after);
}

static const hsd_type_row *row_of(const char *name)
{
    for (size_t i = 0; i < diff->type_count; i++)
        if (strcmp(diff->types[i].name.data, name) == 0) return &diff->types[i];
    cr_assert_fail("no type %s", name);
    return NULL;
}

Test(outside, external_bytes_are_those_of_live_objects_and_their_parts)
{
    write_side(0, 2);
    write_side(1, 12);
    compare();
    const hsd_type_row *buffer = row_of("Buffer"), *plain = row_of("Plain");
    cr_expect_eq(buffer->external_before, 2000);
    cr_expect_eq(buffer->external_after, 12000, "what is lost does not count");
    cr_expect_eq(buffer->live.after.bytes, 12 * 1048, "they are part of the bytes");
    cr_expect_eq(plain->external_before, 500);
    cr_expect_eq(diff->external_before, 2500);
    cr_expect_eq(diff->external_after, 12500);
}

Test(outside, metrics_stand_by_name_on_both_sides)
{
    write_side(0, 1);
    write_side(1, 1);
    compare();
    cr_assert_eq(diff->before.metric_count, 2);
    cr_expect_str_eq(diff->before.metrics[0].name.data, "gc.count");
    cr_expect_str_eq(diff->before.metrics[1].name.data, "process.rss");
    cr_expect_eq(diff->before.metrics[1].value, 5000);
    cr_expect_eq(diff->after.metrics[1].value, 5001);
}
