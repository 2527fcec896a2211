/*
 * A diff as Markdown and as OpenMetrics: what people read, sums that add up, what is not said where it is not known.
 */
#include <criterion/criterion.h>

#include "unit/report/check_sample.h"
#include "unit/report/says.h"

static hsd_type_row types[30];
static hsd_root_row roots[2];
static hsd_holder holders[2];
static hsd_growth_edge edges[2];
static hsd_step path[2];

static hsd_diff shop(void)
{
    types[0] = sample_type("Session", 38 * MIB, 164 * MIB);
    for (size_t i = 1; i < 30; i++)
        types[i] = sample_type(i == 1 ? "Buffer" : "small", 100 * i, 200 * i);
    roots[0] = sample_root("global.app", 38 * MIB, 164 * MIB);
    roots[1] = sample_root("(shared)", 0, 0);
    path[0] = sample_step("", "Application");
    path[1] = sample_step(".sessions", "SessionCache");
    edges[0] = sample_edge(1, "[*]", "Entry", 124846, 537156, (int64_t)(120 * MIB));
    edges[1] = sample_edge(2, ".key", "string", 124846, 124900, 100);
    holders[0] = sample_holder("global.app", path, 2, (int64_t)(126 * MIB));
    holders[0].edges = edges;
    holders[0].edge_count = 2;
    holders[1] = sample_holder("(roots)", NULL, 0, -100);
    hsd_diff diff = sample_diff(types, 30, roots, 2);
    sample_hold(&diff, holders, 2);
    return diff;
}

Test(markdown_diff, is_a_summary_that_people_read)
{
    hsd_diff diff = shop();
    char *report = sample_report("markdown", &diff, &(hsd_report_options){0});
    HOLDS(report, "**Live heap grew 126.0 MiB (+331%): 126.0 MiB new, 0 freed.**\n\n"
                  "All of the growth hangs from one place: `global.app.sessions: SessionCache`.\n\n`before.hs` 38.0 "
                  "MiB in 398,893 objects → ");
    HOLDS(report, "| Type | Before | After | Growth | % | Objects |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"
                  "| `Session` | 38.0 MiB | 164.0 MiB | +126.0 MiB | +332% | +1,321,206 |\n");
    HOLDS(report, "| 10 other types | ");
    HOLDS(report, "| **TOTAL** | 38.0 MiB | 164.1 MiB | +126.0 MiB | +331% | +1,321,641 |\n\n");
    HOLDS(report, "- `global.app.sessions: SessionCache` **+126.0 MiB** (100% of the growth)\n"
                  "  - `[*]: Entry` +120.0 MiB, 124,846 → 537,156 objects\n");
    LACKS(report, ".key");
    HOLDS(report, "\n1 other holder: -100 B.\n\n| Type |");
    free(report);
}

Test(markdown_diff, says_what_is_not_known)
{
    hsd_diff diff = shop();
    diff.has_holders = diff.identity_is_known = false;
    diff.why_no_holders = sample_text("the captures carry no references");
    char *report = sample_report("markdown", &diff, &(hsd_report_options){0});
    HOLDS(report, "**Live heap grew 126.0 MiB (+331%).**");
    HOLDS(report, "Holders are not known: the captures carry no references.\n\n| Root | Before");
    free(report);
    diff.is_partial = true;
    diff.after.info.is_complete = false;
    report = sample_report("markdown", &diff, &(hsd_report_options){0});
    HOLDS(report, "**A part of a capture is missing: the figures count what was read.**");
    HOLDS(report, "objects, incomplete.");
    free(report);
    report = sample_report("openmetrics", &diff, &(hsd_report_options){0});
    LACKS(report, "hsdiff_heap_new_bytes");
    LACKS(report, "hsdiff_heap_freed_bytes");
    free(report);
}

Test(openmetrics_diff, adds_up_with_what_is_left_out)
{
    hsd_diff diff = shop();
    char *report = sample_report("openmetrics", &diff, &(hsd_report_options){.top = 1});
    HOLDS(
        report,
        "# TYPE hsdiff_heap_bytes gauge\n# UNIT hsdiff_heap_bytes bytes\n# HELP hsdiff_heap_bytes Live bytes by type.\n"
        "hsdiff_heap_bytes{side=\"before\",type=\"Session\"} 39845888\n"
        "hsdiff_heap_bytes{side=\"after\",type=\"Session\"} 171966464\n");
    HOLDS(report, "hsdiff_heap_other_types_bytes{side=\"after\"} 87000\n");
    HOLDS(report, "hsdiff_heap_other_types 29\n");
    HOLDS(report, "hsdiff_heap_live_bytes{side=\"after\"} 172053464\n");
    HOLDS(report, "\n# EOF\n");
    free(report);
}
