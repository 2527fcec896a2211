/*
 * Hand-built checks for the tests of reports: the four rules of the manual's screen over the diff of sample.h, and
 * rules, findings and a series to change at will. Everything points at static data; nothing is freed.
 */
#ifndef TESTS_UNIT_REPORT_CHECK_SAMPLE_H
#define TESTS_UNIT_REPORT_CHECK_SAMPLE_H

#include <hsdiff/check.h>

#include "unit/report/sample.h"

static inline hsd_rule check_rule(const char *name, hsd_subject subject, const char *pattern, hsd_measure measure,
                                  uint64_t limit, uint32_t line)
{
    return (hsd_rule){.name = sample_text(name),
                      .subject = subject,
                      .pattern = sample_text(pattern),
                      .measure = measure,
                      .limits = {{HSD_LIMIT_AMOUNT, limit}},
                      .limit_count = 1,
                      .line = line};
}

static inline hsd_check_row check_row(const hsd_rule *rule, hsd_check_outcome outcome, bool is_bytes, int64_t found,
                                      int64_t limit)
{
    const bool is_over = outcome == HSD_CHECK_FAIL || outcome == HSD_CHECK_WARN;
    return (hsd_check_row){.rule = rule,
                           .outcome = outcome,
                           .why_unknown = sample_text(""),
                           .is_bytes = is_bytes,
                           .found = found,
                           .limit = limit,
                           .over = is_over ? found - limit : 0};
}

static inline hsd_finding check_finding(const char *name, const char *root, const hsd_step *path, size_t path_count,
                                        int64_t growth, int64_t limit)
{
    return (hsd_finding){.name = sample_text(name),
                         .root = sample_text(root),
                         .path = path,
                         .path_count = path_count,
                         .before = 1000,
                         .after = 1000 + growth,
                         .growth = growth,
                         .limit = limit,
                         .per_round = growth,
                         .p_millionths = 1000000};
}

static inline void check_hold(hsd_check_row *row, hsd_finding *findings, size_t count)
{
    row->findings = findings;
    row->finding_count = count;
}

/* Counts the outcomes of its rows. */
static inline void check_count(hsd_check *check)
{
    check->failed = check->warned = check->passed = check->unknown = 0;
    for (size_t i = 0; i < check->row_count; i++) {
        const hsd_check_outcome outcome = check->rows[i].outcome;
        check->failed += outcome == HSD_CHECK_FAIL;
        check->warned += outcome == HSD_CHECK_WARN;
        check->passed += outcome == HSD_CHECK_OK;
        check->unknown += outcome == HSD_CHECK_UNKNOWN;
    }
}

static hsd_type_row check_types[1];
static hsd_diff check_diff;
static hsd_rule check_rules[4];
static hsd_check_row check_rows[4];
static hsd_finding check_findings[1];
static hsd_step check_path[2];
static hsd_check_config check_config;

/* The manual's screen: two rules fail, one warns, one holds. */
static inline hsd_check check_sample(void)
{
    check_types[0] = sample_type("Session", UINT64_C(432642457), UINT64_C(704538214));
    check_diff = sample_diff(check_types, 1, NULL, 0);
    check_diff.before.info.path = "base.hs";
    check_diff.after.info.path = "head.hs";
    check_rules[0] = check_rule("whole heap", HSD_SUBJECT_HEAP, "", HSD_MEASURE_BYTES, 16 * MIB, 5);
    check_rules[1] = check_rule("sessions are released", HSD_SUBJECT_TYPE, "Session", HSD_MEASURE_OBJECTS, 0, 9);
    check_rules[2] = check_rule("buffers", HSD_SUBJECT_TYPE, "Buffer", HSD_MEASURE_BYTES, 64 * MIB, 14);
    check_rules[2].level = HSD_LEVEL_WARN;
    check_rules[3] = check_rule("new event types", HSD_SUBJECT_HEAP, "", HSD_MEASURE_NEW_TYPES, 5, 19);
    check_rows[0] = check_row(&check_rules[0], HSD_CHECK_FAIL, true, 271895757, 16777216);
    check_rows[1] = check_row(&check_rules[1], HSD_CHECK_FAIL, false, 412310, 0);
    check_rows[2] = check_row(&check_rules[2], HSD_CHECK_WARN, true, 78223770, 67108864);
    check_rows[3] = check_row(&check_rules[3], HSD_CHECK_OK, false, 1, 5);
    check_path[0] = sample_step("", "Application");
    check_path[1] = sample_step(".sessions", "SessionCache");
    check_findings[0] = check_finding("Session", "global.app", check_path, 2, 412310, 0);
    check_hold(&check_rows[1], check_findings, 1);
    check_config = (hsd_check_config){.name = sample_text(".hsdiff.yml"), .one_off_bytes = UINT64_MAX};
    hsd_check check = {.config = &check_config, .rows = check_rows, .row_count = 4, .diff = &check_diff};
    check_count(&check);
    return check;
}

/* Judged by a series of six captures with one for warm-up instead. */
static inline void check_over_series(hsd_check *check)
{
    static hsd_series_point points[6];
    static hsd_amount live[6], unreached[6];
    static hsd_series series;
    static const char *const labels[] = {"1.hs", "2.hs", "3.hs", "4.hs", "5.hs", "6.hs"};
    for (size_t i = 0; i < 6; i++)
        points[i] =
            (hsd_series_point){.label = sample_text(labels[i]), .side = sample_side(labels[i], 1795166042 + 3600 * i)};
    series = (hsd_series){.points = points, .point_count = 6, .warmup = 1, .has_times = true};
    series.total.values = live;
    series.unreached.values = unreached;
    check->diff = NULL;
    check->series = &series;
    for (size_t i = 0; i < check->row_count; i++)
        for (size_t k = 0; k < check->rows[i].finding_count; k++) {
            hsd_finding *finding = &check->rows[i].findings[k];
            finding->round_count = finding->up_count = 4;
            finding->per_round = finding->growth / 4;
            finding->p_millionths = 16667;
        }
}

/* The report as a string; the caller frees it. */
static inline char *check_report(const char *format, const hsd_check *check, const hsd_report_options *options)
{
    sample_sink sink = {0};
    hsd_error err;
    hsd_error_init(&err);
    sample_write(&sink, "", 0, &err);
    if (hsd_report_format_find(format)->write_check(check, options, sample_write, &sink, &err) != HSD_OK) abort();
    return sink.text;
}

#endif
