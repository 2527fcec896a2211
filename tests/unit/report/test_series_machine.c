/*
 * A series for programs: the contract's fields, exact numbers, rows that add up, and what is not known. Other
 * programs' parsers read all of it in tests/cli.
 */
#include <criterion/criterion.h>

#include "unit/report/says.h"
#include "unit/report/series_sample.h"

static const hsd_report_options all = {.use_utf8 = true};

static hsd_series with_ages(void)
{
    hsd_series series = sample_shop();
    sample_ages(&series);
    return series;
}

static size_t count_of(const char *report, const char *text)
{
    size_t count = 0;
    for (const char *at = report; (at = strstr(at, text)); at += strlen(text))
        count++;
    return count;
}

/* ---- JSON ---- */

Test(series_json, keeps_the_contract)
{
    const hsd_series series = with_ages();
    char *report = sample_series_report("json", &series, &all);
    HOLDS(report,
          "{\n  \"schema\": \"hsdiff.series/1\",\n  \"answer\": \"The heap grew 164.5 MiB (+40%) over 5 steps. 76% of "
          "the growth "
          "hangs from global.app.state.sessions, which grew in each step. Growing in every step: 1 type. At this "
          "rate global.app.state.sessions alone adds 1 GiB in 40.7 h.\",\n  \"captures\": [\n    {\"path\": "
          "\"run/1.hs\", \"runtime\": ");
    HOLDS(report, ", \"label\": \"6.hs\", \"baseline\": false, \"summary\": false, \"metrics\": []}\n  ],\n");
    HOLDS(report,
          "\"before_count\": 0, \"warmup\": 0, \"has_times\": true, \"one_process\": true, \"noise_bytes\": 432640");
    HOLDS(report, "    {\"type\": \"Session\", \"objects\": [399507, 588251, 964689, 1153433, 1529872, 1718616], "
                  "\"bytes\": [39950746, 58825114, 96468992, 115343360, 152987238, 171861606], "
                  "\"trend\": {\"growth\": 131910860, \"per_step\": 26382172, \"per_hour\": 26382172, ");
    HOLDS(report, "\"steps\": 5, \"up\": 5, \"down\": 0, \"p\": 0.008535}, \"verdict\": \"each step\"}");
    HOLDS(report, "{\"root\": \"(shared)\", \"kind\": \"shared\", \"objects\": [");
    HOLDS(report,
          "{\"type\": \"SessionCache\", \"root\": \"global.app\", \"kind\": \"global\", \"path\": [{\"edge\": \"\", ");
    HOLDS(report, "\"holders\": {\"rows\": 1203, \"objects\": [");
    HOLDS(report, "\"cohorts\": {\"by_structure\": false,\n    \"cohorts\": [{\"first\": 0, \"last\": 0}, ");
    HOLDS(report, "\"retained_since\": {\"objects\": [1310720, ");
    LACKS(report, "contrast");
    free(report);
}

Test(series_json, carries_the_rest_in_others)
{
    const hsd_series series = with_ages();
    const hsd_report_options one = {.top = 1};
    char *report = sample_series_report("json", &series, &one);
    HOLDS(report, "\"types\": {\"rows\": 1208, \"objects\": [3926916, ");
    HOLDS(report, "433271604], \"trend\": null, \"verdict\": null}");
    LACKS(report, "LruNode");
    LACKS(report, "\"type\": \"Buffer\"");
    free(report);
}

Test(series_json, says_null_for_what_is_not_known)
{
    hsd_series series = sample_shop();
    series.has_times = false;
    series.roots = (hsd_series_table){.why_not = sample_text("no \"roots\"")};
    char *report = sample_series_report("json", &series, &all);
    HOLDS(report, "\"per_hour\": null");
    HOLDS(report, "\"roots\": null,\n  \"why_no_roots\": \"no \\\"roots\\\"\"");
    HOLDS(report, "\"cohorts\": null,\n  \"why_no_cohorts\": \"the collector moves objects\"");
    free(report);
}

Test(series_json, has_contrasts_of_repeated_captures)
{
    hsd_series series = sample_shop();
    series.before_count = 3;
    series.types.rows[0].contrast = (hsd_contrast){100, 40, 3, 4, 28571, true};
    char *report = sample_series_report("json", &series, &all);
    HOLDS(report,
          "\"trend\": null, \"verdict\": null, \"contrast\": {\"before\": {\"median\": 100, \"spread\": 3}, "
          "\"after\": {\"median\": 40, \"spread\": 4}, \"growth\": -60, \"p\": 0.028571, \"significant\": true}}");
    free(report);
}

Test(series_json, has_what_captures_measured)
{
    hsd_series series = sample_shop();
    const hsd_profile_metric rss = {sample_text("process.rss"), sample_text("bytes"), 4096};
    series.points[0].metrics = &rss;
    series.points[0].metric_count = 1;
    char *report = sample_series_report("json", &series, &all);
    HOLDS(report, "\"metrics\": [{\"name\": \"process.rss\", \"unit\": \"bytes\", \"value\": 4096}]");
    free(report);
}

/* ---- NDJSON ---- */

Test(series_ndjson, has_one_record_a_line)
{
    hsd_series series = with_ages();
    hsd_text warning = sample_text("beware");
    series.warnings = &warning;
    series.warning_count = 1;
    char *report = sample_series_report("ndjson", &series, &all);
    static const char *const records[] = {"answer", "series", "warning", "capture", "total",  "unreached",
                                          "type",   "root",   "holder",  "others",  "cohort", "survivor"};
    static const size_t counts[] = {1, 1, 1, 6, 1, 1, 3, 2, 1, 2, 6, 2};
    size_t lines = 0;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char head[80];
        snprintf(head, sizeof head, "{\"schema\": \"hsdiff.series/1\", \"record\": \"%s\", ", records[i]);
        cr_expect_eq(count_of(report, head), counts[i], "%s in:\n%s", records[i], report);
        lines += counts[i];
    }
    cr_expect_eq(count_of(report, "\n"), lines);
    HOLDS(report,
          "\"record\": \"survivor\", \"type\": \"Session\", \"came\": {\"objects\": 1048576, \"bytes\": 104857600}, "
          "\"stayed\": {\"objects\": 1048576, \"bytes\": 104857600}}\n");
    free(report);
}

Test(series_ndjson, says_what_is_not_known)
{
    hsd_series series = sample_shop();
    series.holders = (hsd_series_table){.why_not = sample_text("no references")};
    char *report = sample_series_report("ndjson", &series, &all);
    HOLDS(report, "\"record\": \"unknown\", \"table\": \"holder\", \"why\": \"no references\"}\n");
    HOLDS(report, "\"record\": \"unknown\", \"table\": \"cohort\", \"why\": \"the collector moves objects\"}\n");
    free(report);
}

/* ---- CSV ---- */

Test(series_csv, is_long)
{
    hsd_series series = sample_shop();
    series.points[1].label = sample_text("=1,2");
    series.points[2].side.info.taken_unix_ns = 0;
    char *report = sample_series_report("csv", &series, &all);
    cr_expect_eq(count_of(report, "\r\n"), 1 + 6 * 4);
    HOLDS(report, "table,name,root,path,capture,label,taken,objects,bytes\r\n"
                  "type,Session,,,1,1.hs,2026-11-20 09:00:00Z,399507,39950746\r\n"
                  "type,Session,,,2,\"'=1,2\",2026-11-20 10:00:00Z,588251,58825114\r\n"
                  "type,Session,,,3,3.hs,,964689,96468992\r\n");
    HOLDS(report, "\r\nothers,,,,6,6.hs,2026-11-20 14:00:00Z,2790260,279026074\r\n");
    free(report);
}

Test(series_csv, has_the_table_that_is_asked_for)
{
    const hsd_series series = sample_shop();
    const hsd_report_options holders = {.table = HSD_TABLE_HOLDERS}, roots = {.table = HSD_TABLE_ROOTS, .top = 1};
    char *report = sample_series_report("csv", &series, &holders);
    HOLDS(
        report,
        "\r\nholder,SessionCache,global.app,global.app.state.sessions,1,1.hs,2026-11-20 09:00:00Z,399507,39950746\r\n");
    free(report);
    report = sample_series_report("csv", &series, &roots);
    HOLDS(report, "\r\nroot,global.app,,,1,");
    HOLDS(report, "\r\nothers,,,,1,1.hs,2026-11-20 09:00:00Z,2790260,279026074\r\n");
    LACKS(report, "(shared)");
    free(report);
}

Test(series_csv, has_no_tree)
{
    const hsd_series series = sample_shop();
    const hsd_report_options tree = {.table = HSD_TABLE_TREE};
    hsd_error err;
    hsd_error_init(&err);
    cr_expect(hsd_csv_series(&series, &tree, sample_write, NULL, &err) == HSD_E_UNSUPPORTED);
    HOLDS(err.text, "--table");
}

/* ---- plain ---- */

Test(series_plain, is_one_record_a_line)
{
    hsd_series series = with_ages();
    const hsd_report_options plain = {.use_utf8 = true, .plain = true, .top = 1, .width = 20};
    series.roots = (hsd_series_table){.why_not = sample_text("no roots")};
    char *report = sample_series_report("text", &series, &plain);
    HOLDS(report, "\ncapture\t2\t2.hs\trun/2.hs\t2026-11-20 10:00:00Z\t492935579\t4929354\t0\t0\t\tcomplete\n");
    HOLDS(report,
          "\ntype\tSession\t\t131910860\t1319109\t26382172\t26382172\t5\t5\t0\t0.009\teach step\t39950746\t58825114\t"
          "96468992\t115343360\t152987238\t171861606\n");
    HOLDS(report, "\nothers-type\t\t\t40579892\t405798\t\t\t\t\t\t\t\t392691712\t");
    HOLDS(report, "\nno-roots\tno roots\n");
    HOLDS(report, "\nholder\tSessionCache\tglobal.app.state.sessions\t131910860\t");
    HOLDS(report, "\ncohort\t\t2\t2\t6\t26298286\t262982\n");
    HOLDS(report, "\ncohort-type\tSession\t2\t2\t6\t26214400\t262144\n");
    HOLDS(report, "\nretained-since\t5\t26214400\t262144\n");
    free(report);
}

Test(series_plain, has_the_same_number_of_fields_in_all_rows)
{
    hsd_series series = with_ages();
    const hsd_report_options plain = {.plain = true, .top = 1};
    for (size_t before = 0; before <= 3; before += 3) {
        series.before_count = before;
        char *report = sample_series_report("text", &series, &plain);
        const char *line = strstr(report, "# total");
        size_t fields = 0;
        for (const char *end; (end = strchr(line, '\n')) && strncmp(line, "# cohort", 8) != 0; line = end + 1) {
            size_t tabs = 0;
            for (const char *c = line; c < end; c++)
                tabs += *c == '\t';
            if (fields == 0) fields = tabs;
            cr_expect_eq(tabs, fields, "%.*s", (int)(end - line), line);
        }
        cr_expect_eq(fields, 5u - 1 + 7 + 6);
        free(report);
    }
}

Test(series_plain, has_both_sides_of_repeated_captures)
{
    hsd_series series = sample_shop();
    const hsd_report_options plain = {.plain = true};
    series.before_count = 3;
    series.types.rows[0].contrast = (hsd_contrast){100, 40, 3, 4, 28571, true};
    char *report = sample_series_report("text", &series, &plain);
    HOLDS(report, "\t0\t0\tbefore\tcomplete\ncapture\t4\t");
    HOLDS(report, "\t1319109\t100\t3\t40\t4\t-60\t0.029\tsignificant\t39950746\t");
    free(report);
}

/* ---- Markdown ---- */

Test(series_markdown, answers_first)
{
    const hsd_series series = with_ages();
    char *report = sample_series_report("markdown", &series, &all);
    static const char head[] =
        "**The heap grew 164.5 MiB (+40%) over 5 steps. 76% of the growth hangs from "
        "`global.app.state.sessions`, which grew in each step.**\n\n"
        "6 captures, 09:00Z to 14:00Z (5h 00m), same process (`checkout-api`, pid 4121)\n\n"
        "Growing in every step: 1 type. At this rate `global.app.state.sessions` alone adds 1 GiB in 40.7 h.\n\n";
    cr_expect(strncmp(report, head, strlen(head)) == 0, "%s", report);
    HOLDS(report, "\n| `Session` | 38.1 MiB | 163.9 MiB | +125.8 MiB | +25.2 MiB | ▁▂▄▅▇█ | each step |\n");
    HOLDS(report, "\n| 1 other root | 266.1 MiB | 266.1 MiB | 0 |  | ▁▁▁▁▁▁ | steady |\n");
    HOLDS(report, "\n| `global.app.state.sessions: SessionCache` | 38.1 MiB |");
    HOLDS(report, "\n| `Session` | 100.0 MiB | 100.0 MiB | 1,048,576 | 100% |\n");
    free(report);
}

Test(series_markdown, fits)
{
    const hsd_series series = with_ages();
    const hsd_report_options small = {.max_bytes = 1200};
    char *report = sample_series_report("markdown", &series, &small);
    cr_expect_leq(strlen(report), 1200);
    HOLDS(report, "**The heap grew");
    free(report);
}

Test(series_markdown, contrasts_repeated_captures)
{
    hsd_series series = sample_shop();
    const hsd_report_options one = {.top = 1};
    series.before_count = 3;
    series.types.rows[0].contrast = (hsd_contrast){40 * MIB, 100 * MIB, MIB, MIB, 28571, true};
    char *report = sample_series_report("markdown", &series, &one);
    HOLDS(report, "\n| `Session` | 40.0 MiB ± 2.5% | 100.0 MiB ± 1.0% | +60.0 MiB | +150% | 0.029 |\n");
    HOLDS(report, "\n| 1,208 other types |  |  |  |  |  |\n");
    free(report);
}

Test(series_markdown, has_no_trend_of_two)
{
    hsd_series series = sample_shop();
    series.point_count = 2;
    char *report = sample_series_report("markdown", &series, &all);
    HOLDS(report, "\n| Type | First | Last | Growth | % |\n");
    HOLDS(report, "\n| `Session` | 38.1 MiB | 56.1 MiB | +18.0 MiB | +47% |\n");
    free(report);
}

Test(series_markdown, makes_nothing_of_names)
{
    hsd_series series = sample_shop();
    hsd_text warning = sample_text("@everyone <b> of x");
    series.warnings = &warning;
    series.warning_count = 1;
    series.types.rows[0].name = sample_text("a`|@me <img> [x](y)");
    series.cohorts.why_not = sample_text("<script> moves");
    char *report = sample_series_report("markdown", &series, &all);
    HOLDS(report, "`@everyone` `<b>` of x\n");
    HOLDS(report, "\n| ``a`\\x7c@me <img> [x](y)`` |");
    HOLDS(report, "How old objects are is not known: `<script>` moves.");
    free(report);
}

/* ---- OpenMetrics ---- */

Test(series_openmetrics, gauges_the_last_capture)
{
    const hsd_series series = with_ages();
    char *report = sample_series_report("openmetrics", &series, &all);
    HOLDS(report, "\nhsdiff_series_captures 6\n");
    HOLDS(report, "\nhsdiff_series_heap_bytes 605133210\n");
    HOLDS(report, "\nhsdiff_series_heap_verdict{verdict=\"each step\"} 1\n");
    HOLDS(report, "\nhsdiff_series_type_bytes{type=\"Session\"} 171861606\n");
    HOLDS(report, "\nhsdiff_series_type_growth_per_hour_bytes{type=\"Session\"} 26382172\n");
    HOLDS(report, "\nhsdiff_series_type_verdict{type=\"LruNode\",verdict=\"levelled\"} 1\n");
    HOLDS(
        report,
        "\nhsdiff_series_holder_bytes{root=\"global.app\",place=\"global.app.state.sessions\",type=\"SessionCache\"} ");
    cr_expect_str_eq(report + strlen(report) - 6, "# EOF\n");
    free(report);
}

Test(series_openmetrics, goes_by_steps_without_times)
{
    hsd_series series = sample_shop();
    series.has_times = false;
    char *report = sample_series_report("openmetrics", &series, &all);
    HOLDS(report, "\nhsdiff_series_type_growth_per_step_bytes{type=\"Session\"} 26382172\n");
    LACKS(report, "per_hour");
    free(report);
}

Test(series_openmetrics, tells_places_apart_that_read_alike)
{
    static hsd_series_row rows[2];
    static const hsd_step one[] = {{.edge = {".b.c", 4}, .repeat = 1}},
                          two[] = {{.edge = {".b", 2}, .repeat = 1}, {.edge = {".c", 2}, .repeat = 1}};
    hsd_series series = sample_shop();
    rows[0] = rows[1] = series.holders.rows[0];
    rows[0].path = one;
    rows[0].path_count = 1;
    rows[1].path = two;
    rows[1].path_count = 2;
    series.holders.rows = rows;
    series.holders.row_count = 2;
    char *report = sample_series_report("openmetrics", &series, &all);
    HOLDS(report, "_holder_bytes{root=\"global.app\",place=\"global.app.b.c\",type=\"SessionCache\"} ");
    HOLDS(report, "_holder_bytes{root=\"global.app\",place=\"global.app.b.c\",type=\"SessionCache\",again=\"2\"} ");
    free(report);
}

Test(series_openmetrics, has_medians_of_repeated_captures)
{
    hsd_series series = sample_shop();
    series.before_count = 3;
    series.types.rows[0].contrast = (hsd_contrast){100, 40, 3, 4, 28571, true};
    char *report = sample_series_report("openmetrics", &series, &all);
    HOLDS(report, "\nhsdiff_series_type_bytes{type=\"Session\"} 40\n");
    HOLDS(report, "\nhsdiff_series_type_growth_bytes{type=\"Session\"} -60\n");
    HOLDS(report, "\nhsdiff_series_type_verdict{type=\"Session\",verdict=\"significant\"} 1\n");
    LACKS(report, "per_");
    free(report);
}
