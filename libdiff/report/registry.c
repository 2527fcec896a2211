/*
 * The formats of reports: to add one, write its functions and add its row here.
 */
#include <string.h>

#include "base/check.h"
#include "report/formats.h"

static const hsd_report_format formats[] = {
    {"text", "tables for people", hsd_text_diff, hsd_text_series, hsd_text_check},
    {"json", "everything, for programs; schemas hsdiff.diff/1, hsdiff.series/1, hsdiff.check/1", hsd_json_diff, hsd_json_series, hsd_json_check},
    {"csv", "one table (--table) for spreadsheets, RFC 4180", hsd_csv_diff, hsd_csv_series, hsd_csv_check},
    {"ndjson", "the same as json, one object a line, for stores of logs", hsd_ndjson_diff, hsd_ndjson_series, hsd_ndjson_check},
    {"markdown", "summary of a job, comment on a merge request", hsd_markdown_diff, hsd_markdown_series, hsd_markdown_check},
    {"openmetrics", "gauges, for Prometheus and GitLab", hsd_openmetrics_diff, hsd_openmetrics_series, hsd_openmetrics_check},
    {"html", "a page to look closer and to share: one file, no network", hsd_html_diff, hsd_html_series, hsd_html_check},
    {"junit", "a check as test cases, one a rule", NULL, NULL, hsd_junit_check},
    {"sarif", "a check as SARIF 2.1.0, one result a finding", NULL, NULL, hsd_sarif_check},
    {"github", "a check as annotations of a GitHub workflow", NULL, NULL, hsd_github_check},
};

const hsd_report_format *hsd_report_format_get(size_t i)
{
    return i < HSD_ARRAY_LEN(formats) ? &formats[i] : NULL;
}

const hsd_report_format *hsd_report_format_find(const char *name)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(formats); i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    return NULL;
}
