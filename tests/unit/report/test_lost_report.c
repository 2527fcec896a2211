/*
 * What is lost, and what is not collected yet, in every format that shows growth: the same rows and sums, first where
 * it is most, with what came back to life; hostile names do no harm.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/report/sample.h"
#include "unit/report/says.h"

enum { REPORT_BYTES = 1 << 19 };

static hsd_site_frame frames[3];
static hsd_lost_row rows[2];
static hsd_type_row types[1];

/* 300 KiB lost before and `after` bytes after, live `live` more. */
static hsd_diff sample(uint64_t after, uint64_t live)
{
    types[0] = sample_type("Session", 1 << 20, (1 << 20) + live);
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    frames[0] = (hsd_site_frame){.function = sample_text("xmalloc"), .file = sample_text("/src/x.c"), .line = 3};
    frames[1] = (hsd_site_frame){.function = sample_text("push"), .file = sample_text("/src/a.c"), .line = 5};
    frames[2] = (hsd_site_frame){.function = sample_text("main"), .file = sample_text("/src/a.c"), .line = 9};
    diff.unreached_before = (hsd_amount){30, 300 << 10};
    diff.unreached_after = (hsd_amount){300, after};
    diff.before.unreached = diff.unreached_before;
    diff.after.unreached = diff.unreached_after;
    rows[0] = (hsd_lost_row){.type = sample_text("Node"),
                             .cycle = sample_text(""),
                             .place = sample_text("push (a.c:5)"),
                             .frames = frames,
                             .frame_count = 3,
                             .wanted = 1,
                             .before = {20, 200 << 10},
                             .after = {290, after - (100 << 10)},
                             .heads_before = {2, 100},
                             .heads_after = {20, 1000}};
    rows[1] = (hsd_lost_row){.type = sample_text("evil\x1b[31m,\"|"),
                             .cycle = sample_text("A and B"),
                             .place = sample_text(""),
                             .before = {10, 100 << 10},
                             .after = {10, 100 << 10}};
    return diff;
}

static hsd_diff lost(uint64_t after, uint64_t live)
{
    hsd_diff diff = sample(after, live);
    diff.lost = (hsd_lost){.is_known = true, .rows = rows, .row_count = 2};
    return diff;
}

static hsd_diff uncollected(uint64_t after, uint64_t live)
{
    hsd_diff diff = sample(after, live);
    rows[0].revived = (hsd_amount){7, 700};
    diff.uncollected =
        (hsd_lost){.is_known = true, .is_by_type = true, .knows_revived = true, .rows = rows, .row_count = 2};
    return diff;
}

static hsd_status take(void *context, const void *data, size_t size, hsd_error *err)
{
    char *report = context;
    const size_t used = strlen(report);
    (void)err;
    cr_assert_lt(used + size, REPORT_BYTES);
    memcpy(report + used, data, size);
    report[used + size] = '\0';
    return HSD_OK;
}

static const char *report(const hsd_diff *diff, const char *format, hsd_report_table table)
{
    static char text[REPORT_BYTES];
    const hsd_report_options options = {.use_utf8 = true, .width = 100, .table = table};
    hsd_error err;
    hsd_error_init(&err);
    text[0] = '\0';
    cr_assert_eq(hsd_report_format_find(format)->write_diff(diff, &options, take, text, &err), HSD_OK, "%s", err.text);
    cr_assert(strchr(text, '\x1b') == NULL, "an escape got through");
    return text;
}

static size_t place_of(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    cr_assert(at != NULL, "no \"%s\" in:\n%s", words, text);
    return (size_t)(at - text);
}

Test(lost_report, comes_first_in_markdown_where_it_is_most)
{
    hsd_diff diff = lost(3 << 20, 1000);
    const char *text = report(&diff, "markdown", HSD_TABLE_TYPES);
    cr_expect_eq(
        place_of(
            text,
            "**2.71 MiB more is lost, in 270 objects: no pointer to it is left.** It was allocated at `push (a.c:5)`."),
        0u);
    cr_expect_lt(place_of(text, "| Lost |"), place_of(text, "| Type |"));
    diff = lost(3 << 20, 8 << 20);
    text = report(&diff, "markdown", HSD_TABLE_TYPES);
    cr_expect_lt(place_of(text, "Live heap grew"), place_of(text, "more is lost"));
}

Test(lost_report, says_which_function_of_the_program_asked_a_library)
{
    hsd_diff diff = lost(3 << 20, 1000);
    frames[1] = (hsd_site_frame){.function = sample_text("SSL_new"), .file = sample_text("")};
    frames[2] = (hsd_site_frame){.function = sample_text("handshake"), .file = sample_text("/src/a.c"), .line = 9};
    rows[0].place = sample_text("SSL_new");
    HOLDS(report(&diff, "markdown", HSD_TABLE_TYPES), "It was allocated at `SSL_new`, for `handshake (a.c:9)`.");
    SAYS(report(&diff, "text", HSD_TABLE_TYPES), "it was allocated at SSL_new, for handshake (a.c:9).");
    frames[2].line = 0; /* nobody knows */
    HOLDS(report(&diff, "markdown", HSD_TABLE_TYPES), "It was allocated at `SSL_new`.");
}

Test(lost_report, is_a_section_of_a_page_with_what_it_is_below_its_place)
{
    hsd_diff diff = lost(3 << 20, 1000);
    const char *text = report(&diff, "html", HSD_TABLE_TYPES);
    HOLDS(text,
          "<th scope=\"row\" class=\"name\">push (a.c:5)<ol class=\"frames\"><li>Node, with 270 objects below</li>"
          "</ol></th><td class=\"n\">200.0 KiB</td>");
    HOLDS(text, "<tr class=\"others\"><th scope=\"row\" class=\"name\">Others</th>");
    cr_expect_lt(place_of(text, "<section id=\"lost\""), place_of(text, "<section id=\"types\""));
    rows[0].place = sample_text("");
    HOLDS(report(&diff, "html", HSD_TABLE_TYPES), "class=\"name\">Node, with 270 objects below</th>");
    rows[0].after = rows[0].before; /* nothing grew */
    LACKS(report(&diff, "html", HSD_TABLE_TYPES), "<section id=\"lost\"");
    diff = uncollected(3 << 20, 0);
    HOLDS(report(&diff, "html", HSD_TABLE_TYPES),
          "Node<ol class=\"frames\"><li>7 of those before, 700 B, are live again</li></ol></th>");
}

Test(lost_report, is_a_table_of_csv)
{
    hsd_diff diff = lost(3 << 20, 0);
    const char *text = report(&diff, "csv", HSD_TABLE_LOST);
    HOLDS(text, "row,type,cycle,place,before_objects,before_bytes,after_objects,after_bytes,growth_objects,growth_"
                "bytes,before_heads,after_heads\r\n");
    HOLDS(text, "lost,Node,,push (a.c:5),20,204800,290,3043328,270,2838528,2,20\r\n");
    HOLDS(text, ",A and B,,10,102400,10,102400,0,0,0,0\r\n");
    diff = uncollected(3 << 20, 0);
    cr_expect_str_eq(strchr(report(&diff, "csv", HSD_TABLE_LOST), '\n'), "\n");
    HOLDS(report(&diff, "csv", HSD_TABLE_UNCOLLECTED), "uncollected,Node,20,204800,290,3043328,270,2838528,7,700\r\n");
}

Test(lost_report, has_gauges)
{
    const hsd_diff diff = lost(3 << 20, 0);
    const char *text = report(&diff, "openmetrics", HSD_TABLE_TYPES);
    HOLDS(text, "hsdiff_heap_lost_bytes{side=\"before\",type=\"Node\",site=\"push (a.c:5)\",cycle=\"\"} 204800\n");
    HOLDS(text, "hsdiff_heap_lost_objects{side=\"after\",type=\"Node\",site=\"push (a.c:5)\",cycle=\"\"} 290\n");
    HOLDS(text, "hsdiff_heap_other_lost 0\n");
    cr_expect(strstr(report(&diff, "openmetrics", HSD_TABLE_TYPES), "again") == NULL);
}

Test(lost_report, tells_rows_that_read_alike_apart)
{
    hsd_diff diff = lost(3 << 20, 0);
    rows[1] = rows[0];
    HOLDS(report(&diff, "openmetrics", HSD_TABLE_TYPES),
          "side=\"before\",type=\"Node\",site=\"push (a.c:5)\",cycle=\"\",again=\"2\"} 204800\n");
}

Test(lost_report, says_heads_only_where_they_are_known)
{
    hsd_diff diff = lost(3 << 20, 0);
    HOLDS(report(&diff, "json", HSD_TABLE_TYPES), "\"frame\": 1, \"before\": {\"objects\": 20, \"bytes\": 204800}");
    HOLDS(report(&diff, "json", HSD_TABLE_TYPES), "\"heads\": {\"before\": {\"objects\": 2, \"bytes\": 100}");
    diff.lost.is_by_type = true;
    HOLDS(report(&diff, "json", HSD_TABLE_TYPES), "\"heads\": null");
    HOLDS(report(&diff, "csv", HSD_TABLE_LOST), "270,2838528,,\r\n");
}

Test(lost_report, tells_what_is_not_collected_yet)
{
    const hsd_diff diff = uncollected(3 << 20, 1000);
    const char *text = report(&diff, "text", HSD_TABLE_TYPES);
    HOLDS(text, "NOT YET COLLECTED");
    SAYS(text, "7 of those before, 700 B, are live again");
    LACKS(text, "Unreached, not counted");
    text = report(&diff, "markdown", HSD_TABLE_TYPES);
    HOLDS(text, "| Not yet collected | Before |");
    HOLDS(text, "| `Node`, 7 of those before, 700 B, are live again | 200.0 KiB |");
    HOLDS(report(&diff, "json", HSD_TABLE_TYPES),
          "\"uncollected\": [\n    {\"type\": \"Node\", \"before\": {\"objects\": 20");
    HOLDS(report(&diff, "ndjson", HSD_TABLE_TYPES), "\"record\": \"uncollected\", \"type\": \"Node\"");
    HOLDS(report(&diff, "ndjson", HSD_TABLE_TYPES), "\"revived\": {\"objects\": 7, \"bytes\": 700}");
}

/* What comes and goes with each collection is a sentence. */
Test(lost_report, makes_no_table_of_little_garbage)
{
    hsd_diff diff = uncollected((300 << 10) + 1000, 0);
    LACKS(report(&diff, "text", HSD_TABLE_TYPES), "NOT YET COLLECTED");
    SAYS(report(&diff, "text", HSD_TABLE_TYPES), "Unreached, not counted");
    diff = uncollected(800 << 10, 32 << 20);
    LACKS(report(&diff, "text", HSD_TABLE_TYPES), "NOT YET COLLECTED");
    LACKS(report(&diff, "markdown", HSD_TABLE_TYPES), "Not yet collected");
}

/* A program of Python that has called gc.disable(): nobody would free it. */
Test(lost_report, says_that_a_collector_is_off)
{
    const hsd_profile_metric off = {sample_text("python.gc_disabled"), sample_text("count"), 1};
    hsd_diff diff = uncollected(3 << 20, 0);
    LACKS(report(&diff, "text", HSD_TABLE_TYPES), "gc.disable");
    diff.after.metrics = &off;
    diff.after.metric_count = 1;
    LACKS(report(&diff, "text", HSD_TABLE_TYPES), "gc.disable"); /* between the captures */
    diff.before.metrics = &off;
    diff.before.metric_count = 1;
    SAYS(report(&diff, "text", HSD_TABLE_TYPES), "waits to be collected, and the program has its collector off");
    diff = uncollected((300 << 10) + 1000, 0); /* no more than noise */
    diff.before.metrics = diff.after.metrics = &off;
    diff.before.metric_count = diff.after.metric_count = 1;
    LACKS(report(&diff, "text", HSD_TABLE_TYPES), "gc.disable");
}

Test(lost_report, says_what_only_finalizers_keep)
{
    hsd_root_row root = sample_root("(finalizers)", 1000, 90000);
    hsd_diff diff = sample(300 << 10, 1000);
    root.kind = 8; /* finalizer */
    diff.roots = &root;
    diff.root_count = 1;
    SAYS(report(&diff, "text", HSD_TABLE_TYPES), "Kept for finalizers alone, counted: 1000 B -> 87.9 KiB");
}
