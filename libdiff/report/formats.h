/*
 * What the registry of formats points at: the functions of each format, one or two files each. All have the shapes of
 * hsd_report_format (hsdiff/report.h).
 */
#ifndef HSD_REPORT_FORMATS_H
#define HSD_REPORT_FORMATS_H

#include <hsdiff/check.h>
#include <hsdiff/report.h>
#include <hsdiff/series.h>

#define HSD_WRITES_DIFF(name) \
    hsd_status name(const hsd_diff *diff, const hsd_report_options *options, hsd_write_fn write, void *context, hsd_error *err)
#define HSD_WRITES_SERIES(name) \
    hsd_status name(const hsd_series *series, const hsd_report_options *options, hsd_write_fn write, void *context, hsd_error *err)
#define HSD_WRITES_CHECK(name) \
    hsd_status name(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write, void *context, hsd_error *err)

HSD_WRITES_DIFF(hsd_text_diff);
HSD_WRITES_DIFF(hsd_json_diff);
HSD_WRITES_DIFF(hsd_csv_diff);
HSD_WRITES_DIFF(hsd_ndjson_diff);
HSD_WRITES_DIFF(hsd_markdown_diff);
HSD_WRITES_DIFF(hsd_openmetrics_diff);
HSD_WRITES_DIFF(hsd_html_diff);

HSD_WRITES_SERIES(hsd_text_series);
HSD_WRITES_SERIES(hsd_json_series);
HSD_WRITES_SERIES(hsd_ndjson_series);
HSD_WRITES_SERIES(hsd_csv_series);
HSD_WRITES_SERIES(hsd_markdown_series);
HSD_WRITES_SERIES(hsd_openmetrics_series);
HSD_WRITES_SERIES(hsd_html_series);

HSD_WRITES_CHECK(hsd_text_check);
HSD_WRITES_CHECK(hsd_json_check);
HSD_WRITES_CHECK(hsd_ndjson_check);
HSD_WRITES_CHECK(hsd_csv_check);
HSD_WRITES_CHECK(hsd_markdown_check);
HSD_WRITES_CHECK(hsd_openmetrics_check);
HSD_WRITES_CHECK(hsd_html_check);
HSD_WRITES_CHECK(hsd_junit_check);
HSD_WRITES_CHECK(hsd_sarif_check);
HSD_WRITES_CHECK(hsd_github_check);

#endif
