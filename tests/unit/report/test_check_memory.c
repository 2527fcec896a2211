/*
 * Checks, and the newer formats of a diff, without memory: whichever allocation fails, the report fails with
 * HSD_E_NOMEM, leaks nothing (the sanitizer looks) and never pretends to be complete.
 */
#include <criterion/criterion.h>
#include <errno.h>

#include "support/fault.h"
#include "unit/report/check_sample.h"

static hsd_status discard(void *context, const void *data, size_t size, hsd_error *err)
{
    (void)data, (void)err;
    *(size_t *)context += size;
    return HSD_OK;
}

/* One of check and diff is not NULL. Fails each allocation in turn. */
static void starve(const hsd_report_format *format, const hsd_check *check, const hsd_diff *diff,
                   const hsd_report_options *options)
{
    for (uint64_t at = 1;; at++) {
        hsd_error err;
        size_t size = 0;
        hsd_error_init(&err);
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = check ? format->write_check(check, options, discard, &size, &err)
                                        : format->write_diff(diff, options, discard, &size, &err);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert_eq(status, has_struck ? HSD_E_NOMEM : HSD_OK, "%s, allocation %llu", format->name,
                     (unsigned long long)at);
        if (!has_struck) {
            cr_expect_gt(at, 1, "%s allocates nothing", format->name);
            return;
        }
    }
}

Test(check_memory, fails_every_check_that_it_is_not_enough_for)
{
    static const hsd_site_frame frame = {{"handler", 7}, {"shop.js", 7}, 41, 7};
    static const hsd_site_growth site = {.frames = &frame, .frame_count = 1};
    static char long_name[1000];
    hsd_text problem = sample_text("base.hs is incomplete");
    hsd_check check = check_sample();
    hsd_report_options options = {.width = 60, .before_command = "base.hs", .after_command = "head.hs"};
    memset(long_name, 'n', sizeof long_name - 1);
    check_rules[2].name = sample_text(long_name);
    check_findings[0].sites = &site;
    check_findings[0].site_count = 1;
    check_rows[3].outcome = HSD_CHECK_UNKNOWN;
    check_rows[3].why_unknown = sample_text("identity is not known");
    check.problems = check.notes = &problem;
    check.problem_count = check.note_count = 1;
    check_count(&check);
    for (size_t i = 0; hsd_report_format_get(i); i++)
        starve(hsd_report_format_get(i), &check, NULL, &options);
    options.plain = true;
    starve(hsd_report_format_find("text"), &check, NULL, &options);
}

Test(check_memory, fails_every_diff_that_it_is_not_enough_for)
{
    static const char *const formats[] = {"ndjson", "markdown", "openmetrics", "html"};
    static hsd_root_row roots[1];
    static hsd_holder holders[1];
    static hsd_growth_edge edges[1];
    check_sample();
    roots[0] = sample_root("global.app", 0, 100 * MIB);
    hsd_diff diff = sample_diff(check_types, 1, roots, 1);
    edges[0] = sample_edge(1, "[*]", "Session", 1, 100, (int64_t)(100 * MIB));
    holders[0] = sample_holder("global.app", check_path, 2, (int64_t)(120 * MIB));
    holders[0].edges = edges;
    holders[0].edge_count = 1;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        starve(hsd_report_format_find(formats[i]), NULL, &diff, &(hsd_report_options){.tree = true});
        sample_hold(&diff, holders, 1);
        starve(hsd_report_format_find(formats[i]), NULL, &diff, &(hsd_report_options){.tree = true});
        diff.has_holders = false;
    }
}
