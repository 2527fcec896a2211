/*
 * The formats of reports and what each of them can hold. A format that writes any model is one line here and one file
 * in write/ (write/write.h); what is written by hand for one result has the same name: hsd_FORMAT_RESULT, with the
 * shape of hsd_report_format.
 */
#ifndef HSD_REPORT_FORMATS_H
#define HSD_REPORT_FORMATS_H

#include <hsdiff/check.h>
#include <hsdiff/report.h>
#include <hsdiff/series.h>

/* Of every result. */
#define HSD_FORMATS_OF_ALL(FORMAT)                                                                                     \
    FORMAT(text, "tables for people")                                                                                  \
    FORMAT(json, "everything, for programs; schemas hsdiff.diff/1, hsdiff.series/1, hsdiff.check/1, hsdiff.top/1, "    \
                 "hsdiff.paths/1")                                                                                     \
    FORMAT(csv, "one table (--table) for spreadsheets, RFC 4180")                                                      \
    FORMAT(ndjson, "the same as json, one object a line, for stores of logs")                                          \
    FORMAT(markdown, "summary of a job, comment on a merge request")                                                   \
    FORMAT(openmetrics, "gauges, for Prometheus and GitLab")                                                           \
    FORMAT(html, "a page to look closer and to share: one file, no network")

/* Of a check alone: they say what failed. */
#define HSD_FORMATS_OF_CHECKS(FORMAT)                                                                                  \
    FORMAT(junit, "a check as test cases, one a rule")                                                                 \
    FORMAT(sarif, "a check as SARIF 2.1.0, one result a finding")                                                      \
    FORMAT(github, "a check as annotations of a GitHub workflow")

#define HSD_WRITER(format, result)                                                                                     \
    hsd_status hsd_##format##_##result(const hsd_##result *result, const hsd_report_options *options,                  \
                                       hsd_write_fn write, void *context, hsd_error *err);

#define HSD_WRITERS_OF_ALL(format, summary)                                                                            \
    HSD_WRITER(format, diff)                                                                                           \
    HSD_WRITER(format, series)                                                                                         \
    HSD_WRITER(format, check)                                                                                          \
    HSD_WRITER(format, top)                                                                                            \
    HSD_WRITER(format, paths)
#define HSD_WRITERS_OF_CHECKS(format, summary) HSD_WRITER(format, check)

HSD_FORMATS_OF_ALL(HSD_WRITERS_OF_ALL)
HSD_FORMATS_OF_CHECKS(HSD_WRITERS_OF_CHECKS)

#endif
