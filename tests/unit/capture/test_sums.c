/* The sums of a baseline as the writer takes them: what it refuses, and that ordinary captures are left alone. */
#include <criterion/criterion.h>
#include <hscapture/hscapture.h>
#include <string.h>

#include "core/layout.h"
#include "unit/capture/memory_sink.h"

enum { ROOM = 16 << 20 };

static memory_sink sink;
static hsc_options options;
static const hsc_baseline sums = {.sums = HSC_SUMS_ROOTS};

static void set_up(void)
{
    sink = memory_sink_new(ROOM);
    hsc_options_init(&options);
    options.baseline = &sums;
    options.capture_id[0] = 1;
    options.taken_unix_ns = 1;
}

static void tear_down(void) { memory_sink_free(&sink); }

TestSuite(sums, .init = set_up, .fini = tear_down);

static hsc_writer *open_writer(void)
{
    hsc_writer *w = NULL;
    const hsc_sink s = memory_sink_of(&sink);
    cr_assert_eq(hsc_open(&w, &s, &options), HSC_OK);
    return w;
}

static void expect_failed(hsc_writer *w, hsc_status status, hsc_status expected, const char *words)
{
    cr_assert_eq(status, expected, "%s", hsc_error_text(w));
    cr_assert_not_null(strstr(hsc_error_text(w), words), "%s", hsc_error_text(w));
    cr_assert_eq(hsc_finish(w), expected, "failures stick");
    hsc_close(w);
}

static hsc_status add_type(hsc_writer *w, uint32_t type) { return hsc_sum_type(w, &(hsc_live_total){.type = type}); }
static hsc_status add_root(hsc_writer *w, uint32_t name) { return hsc_sum_root(w, &(hsc_root_total){.name = name}); }

static hsc_status add_place(hsc_writer *w, uint32_t parent, uint32_t name)
{
    return hsc_sum_place(w, &(hsc_place){.parent = parent, .name = name});
}

Test(sums, are_for_baselines)
{
    options.baseline = NULL;
    for (unsigned i = 0; i < 3; i++) {
        hsc_writer *w = open_writer();
        expect_failed(w,
                      i == 0   ? add_type(w, 1)
                      : i == 1 ? add_root(w, 1)
                               : add_place(w, 0, 0),
                      HSC_E_MISUSE, "no baseline");
    }
}

Test(sums, make_the_fact_of_a_baseline)
{
    hsc_writer *w = NULL;
    const hsc_sink s = memory_sink_of(&sink);
    options.baseline = NULL;
    options.facts = HSC_FACT_BASELINE;
    cr_assert_eq(hsc_open(&w, &s, &options), HSC_E_MISUSE);
    options.baseline = &sums;
    w = open_writer();
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    cr_assert_eq(sink.bytes[10], HSC_VERSION_MINOR_BASELINE);
}

Test(sums, leave_other_captures_at_the_first_version)
{
    options.baseline = NULL;
    hsc_writer *w = open_writer();
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    cr_assert_eq(sink.bytes[10], 0);
}

Test(sums, allow_no_graph)
{
    hsc_writer *w = open_writer();
    expect_failed(w, hsc_root(w, &(hsc_root_record){.target = 1}), HSC_E_MISUSE, "a root in a baseline");
    w = open_writer();
    expect_failed(w, hsc_edge(w, 1, 2, 0, 0), HSC_E_MISUSE, "an edge in a baseline");
    w = open_writer();
    hsc_begin_object(w, &(hsc_object){.id = 1});
    hsc_reference(w, 2, 0, 0);
    hsc_end_object(w);
    expect_failed(w, hsc_finish(w), HSC_E_MISUSE, "references in a baseline");
}

Test(sums, ascend)
{
    hsc_writer *w = open_writer();
    cr_assert_eq(add_type(w, 2), HSC_OK);
    expect_failed(w, add_type(w, 2), HSC_E_MISUSE, "do not ascend");
    w = open_writer();
    cr_assert_eq(add_root(w, 2), HSC_OK);
    expect_failed(w, add_root(w, 1), HSC_E_MISUSE, "do not ascend");
    w = open_writer();
    expect_failed(w, add_type(w, 0), HSC_E_LIMIT, "the number of a type");
    w = open_writer();
    expect_failed(w, add_root(w, UINT32_C(1) << 31), HSC_E_LIMIT, "the number of a string");
    w = open_writer();
    cr_assert_eq(add_type(w, HSC_MAX_TABLE_ID), HSC_OK);
    cr_assert_eq(add_root(w, HSC_MAX_TABLE_ID), HSC_OK);
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
    w = open_writer();
    expect_failed(w, hsc_sum_root(w, &(hsc_root_total){.name = 1, .kind = HSC_ROOT_KIND_COUNT}), HSC_E_MISUSE,
                  "unknown kind");
}

Test(sums, form_a_tree_in_preorder)
{
    hsc_writer *w = open_writer();
    expect_failed(w, add_place(w, 0, 1), HSC_E_MISUSE, "not the heap");
    w = open_writer();
    expect_failed(w, add_place(w, 1, 0), HSC_E_MISUSE, "not the heap");
    w = open_writer();
    add_place(w, 0, 0);
    expect_failed(w, add_place(w, 0, 0), HSC_E_MISUSE, "without a name");
    w = open_writer();
    add_place(w, 0, 0);
    expect_failed(w, add_place(w, 1, 1), HSC_E_MISUSE, "preorder");
    w = open_writer();
    add_place(w, 0, 0);
    add_place(w, 0, 1);
    add_place(w, 0, 1);
    expect_failed(w, add_place(w, 1, 1), HSC_E_MISUSE, "preorder");
    w = open_writer();
    add_place(w, 0, 0);
    cr_assert_eq(hsc_sum_place(w, &(hsc_place){.name = HSC_MAX_TABLE_ID, .edge = HSC_MAX_TABLE_ID}), HSC_OK);
    hsc_close(w);
    w = open_writer();
    expect_failed(w, hsc_sum_place(w, &(hsc_place){.edge = UINT32_C(1) << 31}), HSC_E_LIMIT, "the number of");
}

Test(sums, end_at_their_limits)
{
    hsc_writer *w = open_writer();
    for (uint32_t i = 0; i <= HSC_MAX_PLACE_DEPTH; i++)
        cr_assert_eq(add_place(w, i == 0 ? 0 : i - 1, i == 0 ? 0 : 1), HSC_OK);
    expect_failed(w, add_place(w, HSC_MAX_PLACE_DEPTH, 1), HSC_E_LIMIT, "deeper than 255");
    w = open_writer();
    for (uint32_t i = 0; i < HSC_MAX_PLACES; i++)
        hsc_sum_place(w, &(hsc_place){.name = i == 0 ? 0 : 1});
    cr_assert_str_eq(hsc_error_text(w), "");
    expect_failed(w, add_place(w, 0, 1), HSC_E_LIMIT, "1,048,576");
}

Test(sums, open_in_the_least_memory_with_the_longest_texts)
{
    static char text[1025];
    const hsc_baseline longest = {.sums = 1,
                                  .why_no_places = text,
                                  .place_least_bytes = UINT64_MAX,
                                  .soft_objects = UINT64_MAX,
                                  .soft_bytes = UINT64_MAX,
                                  .dangling = UINT64_MAX};
    hsc_writer *w = NULL;
    const hsc_sink s = memory_sink_of(&sink);
    memset(text, 'x', 1024);
    options.producer = options.runtime = options.process_name = options.source_format = text;
    options.baseline = &longest;
    options.memory_bytes = 64 << 10;
    options.facts = HSC_FACT_VALUES;
    for (options.compression = -7; options.compression <= 19; options.compression++) {
        w = open_writer();
        hsc_close(w);
    }
    options.compression = 1;
    static char longer[1026];
    memset(longer, 'x', 1025);
    const hsc_baseline too_long = {.why_no_places = longer};
    options.baseline = &too_long;
    cr_assert_eq(hsc_open(&w, &s, &options), HSC_E_LIMIT);
}
