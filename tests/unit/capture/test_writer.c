/*
 * The calls of hscapture.h: each status is reached, failures stick, limits hold at their last value. What the bytes are
 * is the matter of tests/capture and tests/spec.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/layout.h"
#include "core/writer.h"
#include "unit/capture/memory_sink.h"

enum { ROOM = 4 << 20 };

static memory_sink sink;
static hsc_options options;

static void set_up(void)
{
    sink = memory_sink_new(ROOM);
    hsc_options_init(&options);
}

static void tear_down(void) { memory_sink_free(&sink); }

TestSuite(writer, .init = set_up, .fini = tear_down);

static hsc_writer *open_writer(void)
{
    hsc_writer *w = NULL;
    const hsc_sink s = memory_sink_of(&sink);
    cr_assert_eq(hsc_open(&w, &s, &options), HSC_OK);
    return w;
}

/* Closes a writer that must have failed so, and says why: every call returns the same from then on. */
static void expect_failed(hsc_writer *w, hsc_status status, const char *words)
{
    const uint64_t target = 1;
    cr_assert_not_null(strstr(hsc_error_text(w), words), "%s", hsc_error_text(w));
    const hsc_status all[] = {hsc_finish(w),
                              hsc_define_string(w, 1, "x", 1),
                              hsc_define_type(w, 1, "x", 1, 0),
                              hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, 0),
                              hsc_define_site(w, 1, 0, 0, 0, 0, 0),
                              hsc_define_thread(w, 1, 0),
                              hsc_frame(w, 1, 0, 0, 0, 0),
                              hsc_begin_object(w, &(hsc_object){.id = 1}),
                              hsc_reference(w, 1, 0, 0),
                              hsc_references(w, &target, NULL, NULL, 1),
                              hsc_value(w, "x", 1),
                              hsc_end_object(w),
                              hsc_edge(w, 1, 1, 0, 0),
                              hsc_root(w, &(hsc_root_record){.target = 1}),
                              hsc_count(w, 1, 1, 1),
                              hsc_metric(w, "x", "y", 1),
                              hsc_loss(w, "x", 1),
                              hsc_mark_incomplete(w, "x")};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        cr_assert_eq(all[i], status, "call %zu", i);
    cr_assert_not_null(strstr(hsc_error_text(w), words), "the first failure is kept");
    hsc_close(w);
}

static hsc_status open_status(void)
{
    hsc_writer *w = (hsc_writer *)&sink;
    const hsc_sink s = memory_sink_of(&sink);
    const hsc_status status = hsc_open(&w, &s, &options);
    if (status != HSC_OK) cr_assert_null(w);
    hsc_close(w);
    return status;
}

/* ---- opening ---- */

Test(writer, refuses_options_that_make_no_sense)
{
    cr_assert_eq(open_status(), HSC_OK);
    options.compression = 20;
    cr_assert_eq(open_status(), HSC_E_MISUSE);
    options.compression = -8;
    cr_assert_eq(open_status(), HSC_E_MISUSE);
    hsc_options_init(&options);
    options.memory_bytes = (64 << 10) - 1;
    cr_assert_eq(open_status(), HSC_E_MISUSE);
    hsc_options_init(&options);
    options.identity = HSC_IDENTITY_MOVING;
    cr_assert_eq(open_status(), HSC_OK);
    options.identity = (hsc_identity)(HSC_IDENTITY_MOVING + 1);
    cr_assert_eq(open_status(), HSC_E_MISUSE);
    hsc_options_init(&options);
    options.pointer_bytes = 5;
    cr_assert_eq(open_status(), HSC_E_MISUSE);
}

Test(writer, opens_at_every_level_in_the_least_memory)
{
    for (options.compression = -7; options.compression <= 19; options.compression++) {
        for (unsigned facts = 0; facts <= HSC_FACT_VALUES; facts += HSC_FACT_VALUES) {
            options.facts = facts;
            options.memory_bytes = 64 << 10;
            sink.size = 0;
            cr_assert_eq(open_status(), HSC_OK, "level %d", options.compression);
        }
    }
}

Test(writer, opens_in_any_amount_of_memory)
{
    for (size_t memory = 64 << 10; memory < (size_t)64 << 20; memory += memory / 3) {
        options.memory_bytes = memory;
        options.compression = memory % 2 == 0;
        sink.size = 0;
        cr_assert_eq(open_status(), HSC_OK, "%zu bytes", memory);
    }
}

Test(writer, refuses_texts_that_info_cannot_hold)
{
    char text[1026];
    memset(text, 'p', sizeof text);
    text[1024] = '\0';
    options.producer = options.runtime = options.process_name = options.source_format = text;
    options.memory_bytes = 64 << 10;
    cr_assert_eq(open_status(), HSC_OK);
    text[1024] = 'p';
    text[1025] = '\0';
    cr_assert_eq(open_status(), HSC_E_LIMIT);
}

Test(writer, refuses_each_text_that_is_too_long)
{
    char text[1026];
    memset(text, 'p', sizeof text);
    text[1025] = '\0';
    const char **const texts[] = {&options.producer, &options.runtime, &options.process_name, &options.source_format};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i] = text;
        cr_assert_eq(open_status(), HSC_E_LIMIT, "text %zu", i);
        *texts[i] = NULL;
    }
    hsc_baseline baseline = {.why_no_places = text};
    options.baseline = &baseline;
    cr_assert_eq(open_status(), HSC_E_LIMIT);
}

/* Linked in place of the library's own: a compressor that needs more memory than any version of it does. */
static size_t more_workspace;
void __real_hsc_codec_make_plan(hsc_codec_plan *plan, int level, size_t memory_bytes);
void __wrap_hsc_codec_make_plan(hsc_codec_plan *plan, int level, size_t memory_bytes);

void __wrap_hsc_codec_make_plan(hsc_codec_plan *plan, int level, size_t memory_bytes)
{
    __real_hsc_codec_make_plan(plan, level, memory_bytes);
    plan->workspace_bytes += more_workspace;
}

/* A capture in what the compressor leaves, with texts that fill its INFO: whether there is enough for one; *raw_bytes:
 * how much of it is for payloads. */
static bool is_opened(size_t *raw_bytes)
{
    hsc_writer *w;
    const hsc_sink s = memory_sink_of(&sink);
    sink.size = 0;
    const hsc_status status = hsc_open(&w, &s, &options);
    cr_assert(status == HSC_OK || status == HSC_E_MISUSE, "%zu bytes more: %d", more_workspace, (int)status);
    if (status != HSC_OK) return false;
    *raw_bytes = w->blocks.raw_bytes;
    cr_assert_geq(w->blocks.raw_bytes, HSC_MOST_INFO_BYTES);
    cr_assert_geq(w->objects.memory_bytes, hsc_stage_least(options.facts != 0 ? HSC_MAX_VALUE_BYTES : 0));
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    return true;
}

Test(writer, opens_where_enough_is_left)
{
    char text[1025];
    memset(text, 'p', sizeof text);
    text[1024] = '\0';
    options.producer = options.runtime = options.process_name = options.source_format = text;
    options.memory_bytes = 64 << 10;
    for (unsigned facts = 0; facts <= HSC_FACT_VALUES; facts += HSC_FACT_VALUES) {
        size_t raw_bytes = 0;
        options.facts = facts;
        for (more_workspace = 0; is_opened(&raw_bytes); more_workspace += 800)
            continue;
        for (more_workspace -= 800; is_opened(&raw_bytes); more_workspace += 16)
            continue;
        if (facts == 0) cr_assert_eq(raw_bytes, HSC_MOST_INFO_BYTES, "no more than INFO takes is asked for");
        for (; more_workspace < 70000; more_workspace += 496)
            cr_assert_not(is_opened(&raw_bytes), "%zu bytes more", more_workspace);
    }
    more_workspace = 0;
}

Test(writer, refuses_to_open_into_nothing)
{
    hsc_writer *w;
    cr_assert_eq(hsc_open(&w, NULL, &options), HSC_E_MISUSE);
    cr_assert_eq(hsc_open(&w, &(hsc_sink){0}, &options), HSC_E_MISUSE);
    cr_assert_eq(hsc_open_fd(&w, -1, &options), HSC_E_MISUSE);
    cr_assert_eq(hsc_open_file(&w, "", &options), HSC_E_MISUSE);
    cr_assert_eq(hsc_open_file(&w, NULL, &options), HSC_E_MISUSE);
    const hsc_sink s = memory_sink_of(&sink);
    cr_assert_eq(hsc_open(&w, &s, NULL), HSC_E_MISUSE);
    cr_assert_null(w);
    cr_assert_str_eq(hsc_error_text(NULL), "the capture could not be opened");
    hsc_close(NULL);
}

Test(writer, draws_an_id_of_its_own)
{
    hsc_close(open_writer());
    unsigned char first[16];
    memcpy(first, sink.bytes + 32, 16);
    sink.size = 0;
    hsc_close(open_writer());
    cr_assert_neq(memcmp(first, sink.bytes + 32, 16), 0);
    memset(options.capture_id, 7, 16);
    sink.size = 0;
    hsc_close(open_writer());
    cr_assert_eq(memcmp(options.capture_id, sink.bytes + 32, 16), 0);
}

/* Linked in place of the system's (--wrap): without randomness when a test says so. */
static bool has_no_randomness;
ssize_t __real_getrandom(void *bytes, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags);

ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags)
{
    if (!has_no_randomness) return __real_getrandom(bytes, size, flags);
    errno = ENOSYS;
    return -1;
}

Test(writer, finds_an_id_without_randomness_too)
{
    has_no_randomness = true;
    hsc_close(open_writer());
    unsigned char first[16];
    memcpy(first, sink.bytes + 32, 16);
    sink.size = 0;
    hsc_close(open_writer());
    cr_assert_neq(memcmp(first, sink.bytes + 32, 16), 0);
}

Test(writer, records_the_moment_unless_it_is_unknown)
{
    options.taken_unix_ns = 7;
    hsc_close(open_writer());
    const size_t with_moment = sink.size;
    options.taken_unix_ns = UINT64_MAX;
    sink.size = 0;
    hsc_close(open_writer());
    cr_assert_eq(sink.size, with_moment - 16);
    options.taken_unix_ns = 0; /* now */
    sink.size = 0;
    hsc_close(open_writer());
    cr_assert_eq(sink.size, with_moment);
}

Test(writer, writes_into_a_descriptor_that_stays_open)
{
    int pair[2];
    hsc_writer *w;
    unsigned char bytes[8192];
    cr_assert_eq(pipe(pair), 0);
    cr_assert_eq(hsc_open_fd(&w, pair[1], &options), HSC_OK);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    const uint64_t written = hsc_bytes_written(w);
    hsc_close(w);
    cr_assert_eq(write(pair[1], "x", 1), 1);
    cr_assert_eq((uint64_t)read(pair[0], bytes, sizeof bytes), written + 1);
    cr_assert_eq(memcmp(bytes, HSC_FILE_MAGIC, 8), 0);
    options.compression = 99;
    cr_assert_eq(hsc_open_fd(&w, pair[1], &options), HSC_E_MISUSE);
    cr_assert_eq(hsc_open_file(&w, "/tmp/never.hs", &options), HSC_E_MISUSE);
    hsc_options_init(&options);
    close(pair[1]);
    cr_assert_eq(hsc_open_fd(&w, pair[1], &options), HSC_E_IO);
    cr_assert_eq(errno, EBADF);
    close(pair[0]);
}

/* As in a program that has no standard input. */
Test(writer, writes_into_the_descriptor_zero)
{
    int pair[2];
    hsc_writer *w;
    unsigned char bytes[8192];
    cr_assert_eq(pipe(pair), 0);
    cr_assert_eq(dup2(pair[1], 0), 0);
    cr_assert_eq(hsc_open_fd(&w, 0, &options), HSC_OK);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    const uint64_t written = hsc_bytes_written(w);
    hsc_close(w);
    cr_assert_eq((uint64_t)read(pair[0], bytes, sizeof bytes), written);
    close(pair[0]);
    close(pair[1]);
}

/* ---- order of calls ---- */

Test(writer, an_object_must_be_ended)
{
    hsc_writer *w = open_writer();
    cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 1}), HSC_OK);
    cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 2}), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "inside an object");
    w = open_writer();
    hsc_begin_object(w, &(hsc_object){.id = 1});
    cr_assert_eq(hsc_finish(w), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "hsc_finish inside an object");
}

Test(writer, references_belong_to_objects)
{
    hsc_writer *w = open_writer();
    cr_assert_eq(hsc_reference(w, 1, 0, 0), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "outside an object");
    w = open_writer();
    const uint64_t target = 1;
    cr_assert_eq(hsc_references(w, &target, NULL, NULL, 1), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "outside an object");
    w = open_writer();
    cr_assert_eq(hsc_end_object(w), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "without an object");
}

Test(writer, edges_stand_outside_of_objects)
{
    hsc_writer *w = open_writer();
    hsc_begin_object(w, &(hsc_object){.id = 1});
    cr_assert_eq(hsc_edge(w, 1, 2, 0, 0), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "hsc_edge inside");
}

Test(writer, nothing_follows_the_end)
{
    hsc_writer *w = open_writer();
    cr_assert_eq(hsc_finish(w), HSC_OK);
    cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 1}), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "after hsc_finish");
    w = open_writer();
    cr_assert_eq(hsc_finish(w), HSC_OK);
    cr_assert_eq(hsc_finish(w), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "after hsc_finish");
    w = open_writer();
    hsc_finish(w);
    cr_assert_eq(hsc_mark_incomplete(w, "late"), HSC_E_MISUSE);
    hsc_close(w);
}

Test(writer, continuations_are_its_own)
{
    hsc_writer *w = open_writer();
    cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 1, .flags = HSC_OBJECT_CONTINUES}), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "HSC_OBJECT_CONTINUES");
    w = open_writer();
    /* the column of flags is in use now */
    hsc_begin_object(w, &(hsc_object){.id = 1, .flags = HSC_OBJECT_PSEUDO});
    hsc_end_object(w);
    cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 1, .flags = HSC_OBJECT_CONTINUES}), HSC_E_MISUSE);
    hsc_close(w);
}

Test(writer, values_need_their_fact_and_their_place)
{
    char value[4097] = {0};
    hsc_writer *w = open_writer();
    hsc_begin_object(w, &(hsc_object){.id = 1});
    cr_assert_eq(hsc_value(w, "x", 1), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "HSC_FACT_VALUES");
    options.facts = HSC_FACT_VALUES;
    w = open_writer();
    cr_assert_eq(hsc_value(w, "x", 1), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "outside an object");
    w = open_writer();
    hsc_begin_object(w, &(hsc_object){.id = 1});
    cr_assert_eq(hsc_value(w, value, 4096), HSC_OK);
    cr_assert_eq(hsc_value(w, "x", 1), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "twice");
    w = open_writer();
    hsc_begin_object(w, &(hsc_object){.id = 1});
    hsc_reference(w, 1, 0, 0);
    cr_assert_eq(hsc_value(w, "x", 1), HSC_E_MISUSE);
    expect_failed(w, HSC_E_MISUSE, "after a reference");
    w = open_writer();
    hsc_begin_object(w, &(hsc_object){.id = 1});
    cr_assert_eq(hsc_value(w, NULL, 0), HSC_OK, "a value of no bytes stands nowhere");
    hsc_end_object(w);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    w = open_writer();
    hsc_begin_object(w, &(hsc_object){.id = 1});
    cr_assert_eq(hsc_value(w, value, 4097), HSC_E_LIMIT);
    expect_failed(w, HSC_E_LIMIT, "4,096");
}

/* ---- limits ---- */

/* The call must give HSC_OK for the first and `status` for the second argument list. */
#define HOLDS(status, good, bad)                                                                                       \
    do {                                                                                                               \
        hsc_writer *w = open_writer();                                                                                 \
        cr_assert_eq(good, HSC_OK);                                                                                    \
        cr_assert_eq(bad, status);                                                                                     \
        cr_assert_eq(hsc_finish(w), status);                                                                           \
        cr_assert_neq(hsc_error_text(w)[0], '\0');                                                                     \
        hsc_close(w);                                                                                                  \
    } while (0)

Test(writer, numbers_of_tables_end_at_2_to_31_minus_1)
{
    const uint32_t most = HSC_MAX_TABLE_ID;
    HOLDS(HSC_E_LIMIT, hsc_define_string(w, most, "", 0), hsc_define_string(w, most + 1, "", 0));
    HOLDS(HSC_E_LIMIT, hsc_define_string(w, 1, "", 0), hsc_define_string(w, 0, "", 0));
    HOLDS(HSC_E_LIMIT, hsc_define_type(w, most, "", 0, 0), hsc_define_type(w, most + 1, "", 0, 0));
    HOLDS(HSC_E_LIMIT, hsc_define_label(w, most, HSC_LABEL_FIELD, 0, most),
          hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, most + 1));
    HOLDS(HSC_E_LIMIT, hsc_define_site(w, 1, most, most, most, ~0u, ~0u), hsc_define_site(w, 2, most + 1, 0, 0, 0, 0));
    HOLDS(HSC_E_LIMIT, hsc_define_site(w, 1, 0, 0, 0, 0, 0), hsc_define_site(w, 2, 0, 0, most + 1, 0, 0));
    HOLDS(HSC_E_LIMIT, hsc_define_thread(w, most, most), hsc_define_thread(w, 1, most + 1));
    HOLDS(HSC_E_LIMIT, hsc_frame(w, most, 0, most, most, 0), hsc_frame(w, 1, 0, most + 1, 0, 0));
    HOLDS(HSC_E_LIMIT, hsc_frame(w, most, 0, 0, 0, 0), hsc_frame(w, 0, 0, 0, 0, 0));
    HOLDS(HSC_E_LIMIT, hsc_edge(w, 1, 2, most, 0), hsc_edge(w, 1, 2, most + 1, 0));
    HOLDS(HSC_E_LIMIT, hsc_root(w, &(hsc_root_record){.label = most}),
          hsc_root(w, &(hsc_root_record){.label = most + 1}));
    HOLDS(HSC_E_LIMIT, hsc_root(w, &(hsc_root_record){.thread = most}),
          hsc_root(w, &(hsc_root_record){.thread = most + 1}));
    HOLDS(HSC_E_LIMIT, hsc_count(w, most, 1, 1), hsc_count(w, most + 1, 1, 1));
}

Test(writer, objects_name_tables_within_the_limit)
{
    const uint32_t most = HSC_MAX_TABLE_ID;
    const hsc_object good = {.type = most, .site = most, .name = most, .category = most};
    const hsc_object bad[] = {{.type = most + 1}, {.site = most + 1}, {.name = most + 1}, {.category = most + 1}};
    for (size_t i = 0; i < 4; i++)
        HOLDS(HSC_E_LIMIT, (hsc_begin_object(w, &good), hsc_end_object(w)), hsc_begin_object(w, &bad[i]));
    HOLDS(HSC_E_LIMIT, (hsc_begin_object(w, &good), hsc_reference(w, 1, most, 0)), hsc_reference(w, 1, most + 1, 0));
}

Test(writer, kinds_and_strengths_exist)
{
    HOLDS(HSC_E_MISUSE, hsc_define_label(w, 1, HSC_LABEL_CLASS, HSC_STRENGTH_SOFT, 0),
          hsc_define_label(w, 2, (hsc_label_kind)(HSC_LABEL_CLASS + 1), 0, 0));
    HOLDS(HSC_E_MISUSE, hsc_define_label(w, 1, HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, 0),
          hsc_define_label(w, 2, HSC_LABEL_FIELD, HSC_STRENGTH_MASK, 0));
    HOLDS(HSC_E_MISUSE, hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_REGISTER}),
          hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_KIND_COUNT}));
}

Test(writer, texts_end_at_64_KiB)
{
    char *text = malloc(65538);
    memset(text, 't', 65537);
    text[65537] = '\0';
    HOLDS(HSC_E_LIMIT, hsc_metric(w, text + 1, "", 1), hsc_metric(w, text, "", 1));
    HOLDS(HSC_E_LIMIT, hsc_define_string(w, 1, text, 65536), hsc_define_string(w, 2, text, 65537));
    HOLDS(HSC_E_LIMIT, hsc_define_type(w, 1, text, 65536, 0), hsc_define_type(w, 2, text, 65537, 0));
    HOLDS(HSC_E_LIMIT, hsc_metric(w, text + 2, "x", 1), hsc_metric(w, text + 1, "x", 1));
    HOLDS(HSC_E_LIMIT, hsc_metric(w, "", text + 1, 1), hsc_metric(w, "", text, 1));
    HOLDS(HSC_E_LIMIT, hsc_loss(w, text + 1, 1), hsc_loss(w, text, 1));
    free(text);
}

Test(writer, objects_end_at_their_limit)
{
    hsc_writer *w = open_writer();
    w->objects.ordinal = HSC_MAX_OBJECTS - 1; /* as if so many had been written */
    cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 1}), HSC_OK);
    cr_assert_eq(hsc_end_object(w), HSC_OK);
    w->objects.limit = w->objects.used; /* the block is full */
    cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 2}), HSC_E_LIMIT);
    expect_failed(w, HSC_E_LIMIT, "1,099,511,627,776");
}

/* ---- what it says of itself ---- */

Test(writer, counts_objects_and_bytes)
{
    hsc_writer *w = open_writer();
    for (uint64_t i = 0; i < 10; i++) {
        hsc_begin_object(w, &(hsc_object){.id = i});
        hsc_end_object(w);
    }
    cr_assert_eq(hsc_object_count(w), 10);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    cr_assert_eq(hsc_bytes_written(w), sink.size);
    cr_assert_str_eq(hsc_error_text(w), "");
    cr_assert_eq(hsc_system_error(w), 0);
    hsc_close(w);
}

Test(writer, keeps_the_system_error_of_its_sink)
{
    hsc_writer *w = open_writer();
    sink.fail_at = sink.calls + 1;
    sink.fail_with = ENOSPC;
    cr_assert_eq(hsc_finish(w), HSC_E_IO);
    cr_assert_eq(hsc_system_error(w), ENOSPC);
    expect_failed(w, HSC_E_IO, "No space left on device");
    sink.fail_at = 0;
    w = open_writer();
    sink.fail_at = sink.calls + 1;
    sink.fail_with = 9999;
    cr_assert_eq(hsc_finish(w), HSC_E_IO);
    expect_failed(w, HSC_E_IO, "9999");
}

Test(writer, cuts_a_long_reason)
{
    char reason[2000];
    memset(reason, 'r', sizeof reason);
    reason[1999] = '\0';
    hsc_writer *w = open_writer();
    cr_assert_eq(hsc_mark_incomplete(w, reason), HSC_OK);
    cr_assert_eq(strlen(w->reason), 511);
    cr_assert_eq(hsc_mark_incomplete(w, NULL), HSC_OK);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

/* ---- what goes out when ---- */

static size_t size_of_capture(int compression)
{
    static char text[20000];
    memset(text, 'x', sizeof text);
    options.compression = compression;
    sink.size = 0;
    hsc_writer *w = open_writer();
    cr_assert_eq(hsc_define_string(w, 1, text, sizeof text), HSC_OK);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    return sink.size;
}

Test(writer, compresses_where_it_is_told_to)
{
    cr_assert_geq(size_of_capture(0), 20000);
    for (int level = 1; level <= 19; level += 6)
        cr_assert_lt(size_of_capture(level), 2000, "level %d", level);
    cr_assert_lt(size_of_capture(-7), 2000);
}

/* A block of objects goes out when a value has no room, and not before. */
Test(writer, fills_the_room_for_values)
{
    char bytes[HSC_MAX_VALUE_BYTES] = "value";
    options.facts = HSC_FACT_VALUES;
    options.memory_bytes = 64 << 10;
    hsc_writer *w = open_writer();
    const size_t room = w->objects.value_capacity;
    cr_assert(room >= HSC_MAX_VALUE_BYTES && room % 8 == 0);
    for (size_t used = 0; used < room;) {
        const size_t size = room - used < 4000 ? room - used : 4000;
        cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 8 + used}), HSC_OK);
        cr_assert_eq(hsc_value(w, bytes, size), HSC_OK);
        cr_assert_eq(hsc_end_object(w), HSC_OK);
        used += size;
        cr_assert_eq(w->objects.value_used, used, "nothing went out");
    }
    cr_assert_eq(hsc_begin_object(w, &(hsc_object){.id = 4}), HSC_OK);
    cr_assert_eq(hsc_value(w, bytes, 1), HSC_OK);
    cr_assert_eq(w->objects.value_used, 1, "all before it did");
    cr_assert_eq(hsc_end_object(w), HSC_OK);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

Test(writer, widens_a_field_where_it_must)
{
    static const struct {
        uint64_t value;
        uint8_t width;
    } cases[] = {{0, 0}, {1, 4}, {UINT32_MAX, 4}, {UINT64_C(1) << 32, 8}, {UINT64_MAX, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t width[HSC_FIELDS] = {0};
        cr_assert(hsc_stage_widen(width, HSC_F_SIZE, cases[i].value));
        cr_assert_eq(width[HSC_F_SIZE], cases[i].width, "%zu", i);
        width[HSC_F_SIZE] = 8;
        cr_assert(hsc_stage_widen(width, HSC_F_SIZE, cases[i].value));
        cr_assert_eq(width[HSC_F_SIZE], 8, "never narrower");
    }
    uint8_t width[HSC_FIELDS] = {0};
    cr_assert(hsc_stage_widen(width, HSC_F_TYPE, HSC_MAX_TABLE_ID));
    cr_assert(!hsc_stage_widen(width, HSC_F_TYPE, (uint64_t)HSC_MAX_TABLE_ID + 1));
}
