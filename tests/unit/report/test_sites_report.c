/*
 * Growth by allocation site in all formats that show it: rows with their callers, what is left out adds up, hostile
 * names do no harm.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/allocators.h"
#include "report/model/site_rows.h"
#include "support/fault.h"
#include "unit/report/sample.h"
#include "unit/report/says.h"

static const hsd_report_options plain_text = {.use_utf8 = true, .width = 100};

enum { REPORT_BYTES = 1 << 19 };

static hsd_site_frame frames[8];
static hsd_site_row rows[3];
static hsd_type_row types[1];

static hsd_site_frame frame(const char *function, const char *file, uint32_t line)
{
    return (hsd_site_frame){.function = sample_text(function), .file = sample_text(file), .line = line};
}

static hsd_diff sample(void)
{
    types[0] = sample_type("48 B at main.fill", 1 << 20, 41 << 20);
    hsd_diff diff = sample_diff(types, 1, NULL, 0);
    diff.identity_is_known = false;
    diff.is_summary = diff.is_of_totals = diff.has_sites = true;
    frames[0] = frame("main.fill", "/src/main.go", 31);
    for (int i = 1; i < 6; i++)
        frames[i] = frame("main.caller", "/src/main.go", (uint32_t)i);
    frames[6] = frame("evil\x1b[31m", "", 0);
    rows[0] = (hsd_site_row){frames, 6, {.before = {0, 0}, .after = {100, 40 << 20}}, 0};
    rows[1] = (hsd_site_row){frames + 6, 1, {.before = {1, 1 << 19}, .after = {1, 1 << 20}}, 0};
    rows[2] = (hsd_site_row){NULL, 0, {.before = {5, 1 << 19}, .after = {0, 0}}, 0};
    diff.sites = rows;
    diff.site_count = 3;
    return diff;
}

static hsd_status take(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)err;
    char *report = context;
    const size_t used = strlen(report);
    cr_assert_lt(used + size, REPORT_BYTES);
    memcpy(report + used, data, size);
    report[used + size] = '\0';
    return HSD_OK;
}

static const char *write_as(const char *format, const hsd_diff *diff, const hsd_report_options *options)
{
    static char report[REPORT_BYTES];
    hsd_error err;
    hsd_error_init(&err);
    report[0] = '\0';
    cr_assert_eq(hsd_report_format_find(format)->write_diff(diff, options, take, report, &err), HSD_OK, "%s", err.text);
    return report;
}

Test(sites_report, shows_stacks_below_their_growth)
{
    const hsd_diff diff = sample();
    const char *report = write_as("text", &diff, &plain_text);
    HOLDS(report, "main.fill (main.go:31)");
    HOLDS(report, "  < main.caller (main.go:4)");
    LACKS(report, "< main.caller (main.go:5)");
    HOLDS(report, "  \xe2\x80\xa6 1 more");
    HOLDS(report, "evil\\x1b[31m");
    HOLDS(report, "(no stack)");
    SAYS(report, "sums by type and allocation site and no objects");
    LACKS(report, "WHAT KEEPS IT ALIVE");
}

/* SSL_new < libssl+0x12 … < handshake (ssl.c:5) < main < what starts it */
static hsd_diff of_library(void)
{
    hsd_diff diff = sample();
    frames[0] = frame("SSL_new", "", 0);
    for (int i = 1; i < 5; i++)
        frames[i] = frame("libssl.so.3+0x12", "", 0);
    frames[5] = frame("push<T>", "<pool.hpp>", 4);
    frames[6] = frame("handshake", "/src/ssl.c", 5);
    frames[7] = frame("__libc_start_call_main", "libc_start_call_main.h", 58);
    rows[0].frame_count = 8;
    rows[1].frame_count = 0;
    return diff;
}

Test(sites_report, shows_which_function_of_the_program_asked_a_library)
{
    const hsd_diff diff = of_library();
    const char *report = write_as("text", &diff, &plain_text);
    HOLDS(report, "  < libssl.so.3+0x12");
    HOLDS(report, "  \xe2\x80\xa6 3 more");
    HOLDS(report, "  < handshake (ssl.c:5)");
    LACKS(report, "__libc_start_call_main");
    LACKS(report, "pool.hpp");
    HOLDS(write_as("markdown", &diff, &plain_text), "3 more \xe2\x86\x90 `handshake (ssl.c:5)`");
}

Test(sites_report, counts_callers_in_front_of_the_programs_own)
{
    of_library();
    const hsd_callers callers = hsd_site_callers(frames, 8, 0, HSD_CALLERS_SHOWN);
    cr_expect(callers.first == 2 && callers.own == 6 && callers.before == 3 && callers.more == 3);
    const hsd_callers near = hsd_site_callers(frames, 8, 5, HSD_CALLERS_SHOWN);
    cr_expect(near.first == 1 && near.own == 0 && near.more == 0);
    const hsd_callers none = hsd_site_callers(frames, 5, 0, 3);
    cr_expect(none.first == 3 && none.own == 0 && none.before == 0 && none.more == 1);
    cr_expect(hsd_frames_own(frames, 5, 0) == 5);
    const hsd_callers start = hsd_site_callers(frames, 8, 7, 3);
    cr_expect(start.first == 0 && start.own == 0 && start.more == 0);
}

Test(sites_report, leaves_out_what_rust_has_around_main)
{
    frames[0] = frame("shop::make", "/src/main.rs", 3);
    frames[1] = frame("shop::main", "/src/main.rs", 19);
    frames[2] = frame("core::ops::function::FnOnce::call_once", "<function.rs>", 250);
    frames[3] = frame("std::rt::lang_start::{{closure}}", "<rt.rs>", 206);
    frames[4] = frame("<&dyn core::ops::function::Fn<(), Output = i32> + core::marker::Sync as X>::call_once", "", 0);
    frames[5] = frame("std::rt::lang_start_internal", "<rt.rs>", 175);
    frames[6] = frame("main", "", 0);
    frames[7] = frame("__libc_start_call_main", "libc_start_call_main.h", 58);
    const hsd_callers callers = hsd_site_callers(frames, 8, 0, HSD_CALLERS_SHOWN);
    cr_expect(callers.first == 1 && callers.own == 0 && callers.more == 0);
    frames[5] = frame("serve", "", 0); /* a main of C without debug information is the program's */
    const hsd_callers of_c = hsd_site_callers(frames, 7, 5, HSD_CALLERS_SHOWN);
    cr_expect(of_c.first == 1 && of_c.more == 0);
}

Test(sites_report, shows_callers_of_a_page_as_a_list)
{
    hsd_diff diff = sample();
    const char *report = write_as("html", &diff, &plain_text);
    HOLDS(report, "class=\"name\">main.fill (main.go:31)<ol class=\"frames\"><li>main.caller (main.go:1)</li>");
    HOLDS(report, "<li>main.caller (main.go:4)</li><li>1 more</li></ol></th><td class=\"n\">");
    HOLDS(report, "<td class=\"n up\">+40.0 MiB</td><td class=\"n\">[NEW]</td><td class=\"n up\">+100</td></tr>");
    HOLDS(report, "class=\"name\">(no stack)</th>");
    HOLDS(report, "evil\\x1b[31m</th>");
    diff.is_partial = true;
    diff.before.info.is_complete = false; /* then nothing is proven */
    HOLDS(write_as("html", &diff, &plain_text),
          "<td class=\"n\">?</td><td class=\"n\">?</td><td class=\"n\">?</td></tr>");
    diff.site_count = 0;
    HOLDS(write_as("html", &diff, &plain_text), "<p>No site has more or less than it had.</p>");
}

Test(sites_report, says_whose_place_is_next_where_a_runtime_allocates_for_itself)
{
    hsd_diff diff = sample();
    for (int i = 0; i < 6; i++)
        frames[i] = frame(i == 0 ? "runtime.malg" : "runtime.newproc", "/go/proc.go", 7);
    rows[1].change.after.bytes = 5 << 20;
    SAYS(write_as("text", &diff, &plain_text),
         "was allocated by Go's runtime for itself: runtime.malg (proc.go:7); of the program's own places 11% at evil");
    frames[5] = frame("main.plant", "/src/main.go", 3); /* somebody asked for it */
    SAYS(write_as("text", &diff, &plain_text), "was allocated at one place: runtime.malg (proc.go:7).");
}

Test(sites_report, says_where_most_was_allocated)
{
    hsd_diff diff = sample();
    SAYS(write_as("text", &diff, &plain_text), "All of the growth was allocated at one place: main.fill (main.go:31).");
    rows[0].frame_count = 0; /* what is not known is no place */
    LACKS(write_as("text", &diff, &plain_text), "was allocated at");
    rows[1].change.after.bytes = 5 << 20;
    SAYS(write_as("text", &diff, &plain_text),
         "The largest part of the growth, 11%, was allocated at one place: evil\\x1b[31m.");
    rows[1].change.after.bytes = 60 << 20;
    SAYS(write_as("text", &diff, &plain_text),
         "All of the growth and more was allocated at one place: evil\\x1b[31m; others shrank.");
    rows[1].change.after.bytes = 0;
    LACKS(write_as("text", &diff, &plain_text), "was allocated at");
    types[0] = sample_type("48 B at main.fill", 1 << 20, (1 << 20) + 1);
    diff = sample_diff(types, 1, NULL, 0);
    diff.is_summary = diff.is_of_totals = diff.has_sites = true;
    diff.sites = rows;
    diff.site_count = 3;
    LACKS(write_as("text", &diff, &plain_text), "was allocated at"); /* noise */
}

Test(sites_report, adds_up_what_is_left_out)
{
    hsd_diff diff = sample();
    const hsd_report_options top = {.use_utf8 = true, .width = 100, .top = 1};
    diff.other_site_count = 7;
    diff.other_sites = (hsd_change){.before = {0, 0}, .after = {7, 0}};
    const char *report = write_as("text", &diff, &top);
    HOLDS(report, "9 other sites");
    LACKS(report, "evil");
    diff.other_site_count = 0;
    diff.other_sites = (hsd_change){0};
    diff.site_count = 2;
    HOLDS(write_as("text", &diff, &top), "1 other site ");
}

Test(sites_report, is_a_table_of_json)
{
    hsd_diff diff = sample();
    const char *report = write_as("json", &diff, &plain_text);
    HOLDS(report, "  \"sites\": [\n    {\"frames\": [{\"function\": \"main.fill\", \"file\": \"/src/main.go\", "
                  "\"line\": 31, \"column\": 0}, ");
    HOLDS(report, "\"growth\": {\"objects\": 100, \"bytes\": 41943040}}");
    HOLDS(report, "{\"frames\": [], \"frame\": null, \"before\": {\"objects\": 5, \"bytes\": 524288}");
    HOLDS(report, "evil\\u001b[31m");
    LACKS(report, "other_sites");
    const hsd_report_options top = {.top = 2};
    HOLDS(write_as("json", &diff, &top), "\"other_sites\": {\"rows\": 1, \"before\": {\"objects\": 5, \"bytes\": "
                                         "524288}, \"after\": {\"objects\": 0, \"bytes\": 0}");
    diff.has_sites = false;
    LACKS(write_as("json", &diff, &plain_text), "\"sites\"");
}

/* New and freed of a site are not known, also where they are of single objects. */
Test(sites_report, has_no_columns_for_what_sites_do_not_know)
{
    hsd_diff diff = sample();
    const hsd_report_options wide = {.use_utf8 = true};
    diff.identity_is_known = true;
    diff.is_summary = diff.is_of_totals = false;
    const char *table = strstr(write_as("text", &diff, &wide), "\nSITE ");
    cr_assert(table);
    char heading[160];
    snprintf(heading, sizeof heading, "%.*s", (int)strcspn(table + 1, "\n"), table + 1);
    HOLDS(heading, "OBJECTS");
    LACKS(heading, "NEW");
    LACKS(heading, "FREED");
}

/* ---- which rows ---- */

static hsd_site_row row_of(uint64_t before, uint64_t after)
{
    return (hsd_site_row){.change = {.before = {before > 0, before}, .after = {after > 0, after}}};
}

Test(sites_report, picks_what_changed_most_either_way)
{
    hsd_site_row five[] = {row_of(0, 90), row_of(0, 10), row_of(7, 7), row_of(20, 10), row_of(80, 0)};
    const hsd_diff diff = {.sites = five, .site_count = 5, .other_site_count = 3, .other_sites = {.after = {3, 1}}};
    hsd_site_pick pick = hsd_sites_pick(&diff, 3, 0);
    cr_assert_eq(pick.count, 3);
    cr_expect_eq(hsd_site_pick_row(&pick, 0), &five[0]);
    cr_expect_eq(hsd_site_pick_row(&pick, 1), &five[1], "of two that changed as much the one that grew");
    cr_expect_eq(hsd_site_pick_row(&pick, 2), &five[4]);
    cr_expect_eq(pick.other_count, 5);
    cr_expect_eq(pick.others.before.bytes, 27);
    cr_expect_eq(pick.others.after.bytes, 18);
    cr_expect_eq(pick.others.after.objects, 5);
    cr_expect(pick.has_folded);
    pick = hsd_sites_pick(&diff, HSD_TOP_ALL, 1);
    cr_expect_eq(pick.count, 4);
    cr_expect_not(pick.has_folded, "the one that is left out did not change");
    pick = hsd_sites_pick(&diff, HSD_TOP_ALL, 0);
    cr_expect_eq(pick.count, 5);
    cr_expect_eq(pick.other_count, 3);
    pick = hsd_sites_pick(&diff, 10, 1000);
    cr_expect_eq(pick.count, 0);
}

static hsd_site_row row_with(const hsd_site_frame *of, size_t count, size_t wanted, uint64_t after)
{
    hsd_site_row row = row_of(0, after);
    row.frames = of, row.frame_count = count, row.wanted = wanted;
    return row;
}

Test(sites_report, stacks_that_differ_below_who_wanted_the_memory_are_one)
{
    static const hsd_site_frame stack[] = {{.function = {"allocate", 8}, .file = {"new", 3}, .line = 9},
                                           {.function = {"fill", 4}, .file = {"a.cpp", 5}, .line = 12},
                                           {.function = {"main", 4}, .file = {"a.cpp", 5}, .line = 30}},
                                again[] = {{.function = {"fill", 4}, .file = {"a.cpp", 5}, .line = 12},
                                           {.function = {"main", 4}, .file = {"a.cpp", 5}, .line = 30}},
                                elsewhere[] = {{.function = {"fill", 4}, .file = {"a.cpp", 5}, .line = 13},
                                               {.function = {"main", 4}, .file = {"a.cpp", 5}, .line = 30}};
    const hsd_site_row five[] = {row_with(elsewhere, 2, 0, 70), row_with(stack, 3, 1, 50), row_with(again, 2, 0, 40),
                                 row_with(again, 1, 0, 30), row_with(NULL, 0, 0, 20)};
    hsd_site_row out[5];
    cr_assert_eq(hsd_sites_merge(five, 5, out), 4);
    cr_expect_eq(out[0].frames, stack, "together they grew most");
    cr_expect_eq(out[0].change.after.bytes, 90);
    cr_expect_eq(out[0].change.after.objects, 2);
    cr_expect_eq(out[1].frames, elsewhere, "another line is another site");
    cr_expect_eq(out[2].change.after.bytes, 30, "and so is one without its caller");
    cr_expect_eq(out[3].frame_count, 0);
    cr_expect_eq(hsd_sites_merge(five, 0, out), 0);
}

/* ---- the other formats ---- */

Test(sites_report, is_records_of_ndjson)
{
    hsd_diff diff = sample();
    const char *report = write_as("ndjson", &diff, &plain_text);
    HOLDS(report, "\n{\"schema\": \"hsdiff.diff/1\", \"record\": \"site\", \"frames\": [{\"function\": \"main.fill\", "
                  "\"file\": \"/src/main.go\", \"line\": 31, \"column\": 0}, ");
    HOLDS(report, "\"record\": \"site\", \"frames\": [], \"frame\": null, \"before\": {\"objects\": 5, \"bytes\": "
                  "524288}, \"after\": {\"objects\": 0, \"bytes\": 0}, \"growth\": "
                  "{\"objects\": -5, \"bytes\": -524288}}\n");
    HOLDS(report, "evil\\u001b[31m");
    LACKS(report, "others");
    const hsd_report_options top = {.top = 1};
    diff.other_site_count = 7;
    diff.other_sites = (hsd_change){.after = {7, 100}};
    HOLDS(write_as("ndjson", &diff, &top),
          "\"record\": \"others\", \"of\": \"site\", \"rows\": 9, \"before\": {\"objects\": 6, \"bytes\": 1048576}, "
          "\"after\": {\"objects\": 8, \"bytes\": 1048676}, \"growth\": {\"objects\": 2, \"bytes\": 100}}\n");
    HOLDS(write_as("ndjson", &diff, &plain_text), "\"of\": \"site\", \"rows\": 7, ");
    diff.has_sites = false;
    LACKS(write_as("ndjson", &diff, &plain_text), "\"site\"");
}

Test(sites_report, is_a_table_of_markdown)
{
    hsd_diff diff = sample();
    const char *report = write_as("markdown", &diff, &plain_text);
    HOLDS(report, "| Where it was allocated | Before | After | Growth | % | Objects |\n");
    HOLDS(report, "| `main.fill (main.go:31)` ← `main.caller (main.go:1)` ← `main.caller (main.go:2)` ← `main.caller "
                  "(main.go:3)` ← `main.caller (main.go:4)` ← 1 more "
                  "| 0 | 40.0 MiB | +40.0 MiB | [NEW] | +100 |\n");
    HOLDS(report, "| `evil\\x1b[31m` | 512.0 KiB |");
    HOLDS(report, "| (no stack) | 512.0 KiB | 0 | -512.0 KiB | [DEL] | -5 |\n| **TOTAL** |");
    const hsd_report_options top = {.top = 1};
    HOLDS(write_as("markdown", &diff, &top), "| 2 other sites | 1.00 MiB | 1.00 MiB | 0 |");
    diff.site_count = 0;
    LACKS(write_as("markdown", &diff, &plain_text), "allocated |");
}

Test(sites_report, is_a_table_of_the_page)
{
    hsd_diff diff = sample();
    const char *report = write_as("html", &diff, &plain_text);
    const char *table = strstr(report, "<section id=\"sites\"");
    cr_assert(table);
    LACKS(report, "<section id=\"holders\""); /* the answer has said why */
    cr_expect_lt(table, strstr(report, "<section id=\"types\""), "it is what such captures say best");
    HOLDS(
        table,
        "<th scope=\"row\" class=\"name\">main.fill (main.go:31)<ol class=\"frames\"><li>main.caller (main.go:1)</li>");
    HOLDS(table, "<li>main.caller (main.go:4)</li><li>1 more</li></ol></th><td class=\"n\">0</td><td class=\"n\">40.0 "
                 "MiB</td><td class=\"n up\">+40.0 MiB</td>");
    HOLDS(table, "evil\\x1b[31m</th>");
    HOLDS(table, "(no stack)</th>");
    const hsd_report_options top = {.top = 1};
    diff.site_count = 2;
    HOLDS(write_as("html", &diff, &top), "<tr class=\"others\"><th scope=\"row\" class=\"name\">1 other site</th>");
    rows[0].change.before = rows[0].change.after;
    diff.site_count = 1;
    HOLDS(write_as("html", &diff, &plain_text), "<p>No site has more or less than it had.</p>");
}

Test(sites_report, is_a_record_a_line)
{
    hsd_diff diff = sample();
    const hsd_report_options plain = {.use_utf8 = true, .plain = true},
                             top = {.use_utf8 = true, .plain = true, .top = 2};
    const char *report = write_as("text", &diff, &plain);
    HOLDS(report,
          "\n# site\tstack\tbefore_bytes\tafter_bytes\tgrowth_bytes\tbefore_objects\tafter_objects\tgrowth_objects\n"
          "site\tmain.fill (main.go:31) < main.caller (main.go:1) < ");
    HOLDS(report, " < main.caller (main.go:5)\t0\t41943040\t41943040\t0\t100\t100\nsite\tevil\\x1b[31m\t524288\t");
    HOLDS(report, "\nsite\t(no stack)\t524288\t0\t-524288\t5\t0\t-5\n");
    HOLDS(write_as("text", &diff, &top), "\nothers-site\t\t524288\t0\t-524288\t5\t0\t-5\n");
}

/* ---- failures ---- */

static hsd_status discard(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)context, (void)data, (void)size, (void)err;
    return HSD_OK;
}

Test(sites_report, fails_where_memory_is_not_enough)
{
    static const char *const formats[] = {"text", "json", "ndjson", "markdown", "html", "plain"};
    const hsd_diff diff = sample();
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const bool is_plain = strcmp(formats[i], "plain") == 0;
        const hsd_report_options options = {.use_utf8 = true, .width = 100, .plain = is_plain};
        const hsd_report_format *format = hsd_report_format_find(is_plain ? "text" : formats[i]);
        hsd_status status = HSD_E_NOMEM;
        uint64_t at = 0;
        while (status == HSD_E_NOMEM) {
            hsd_error err;
            hsd_error_init(&err);
            hsd_fault_reset();
            hsd_fault_arm(HSD_FAULT_MALLOC, ++at, false, ENOMEM);
            status = format->write_diff(&diff, &options, discard, NULL, &err);
            const bool has_struck = hsd_fault_strikes() > 0;
            hsd_fault_reset();
            cr_assert_eq(status, has_struck ? HSD_E_NOMEM : HSD_OK, "%s, allocation %llu", formats[i],
                         (unsigned long long)at);
        }
        cr_expect_gt(at, 2, "%s", formats[i]);
    }
}
