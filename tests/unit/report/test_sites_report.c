/*
 * Growth by allocation site in text and JSON: rows with their callers, what is left out adds up, hostile names do no harm.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/report/sample.h"
#include "unit/report/says.h"

static const hsd_report_options plain_text = {.use_utf8 = true, .width = 100};

enum { REPORT_BYTES = 65536 };

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
    rows[0] = (hsd_site_row){frames, 6, {.before = {0, 0}, .after = {100, 40 << 20}}};
    rows[1] = (hsd_site_row){frames + 6, 1, {.before = {1, 1 << 19}, .after = {1, 1 << 20}}};
    rows[2] = (hsd_site_row){NULL, 0, {.before = {5, 1 << 19}, .after = {0, 0}}};
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
    HOLDS(report, "  \"sites\": [\n    {\"frames\": [{\"function\": \"main.fill\", \"file\": \"/src/main.go\", \"line\": 31, \"column\": 0}, ");
    HOLDS(report, "\"growth\": {\"objects\": 100, \"bytes\": 41943040}}");
    HOLDS(report, "{\"frames\": [], \"before\": {\"objects\": 5, \"bytes\": 524288}");
    HOLDS(report, "evil\\u001b[31m");
    LACKS(report, "other_sites");
    const hsd_report_options top = {.top = 2};
    HOLDS(write_as("json", &diff, &top), "\"other_sites\": {\"rows\": 1, \"before\": {\"objects\": 5, \"bytes\": 524288}, \"after\": {\"objects\": 0, \"bytes\": 0}");
    diff.has_sites = false;
    LACKS(write_as("json", &diff, &plain_text), "\"sites\"");
}
