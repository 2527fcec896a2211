/*
 * The formats of reports: to add one, write its functions and add its row here.
 */
#include <string.h>

#include "base/check.h"
#include "report/formats.h"

static const hsd_report_format formats[] = {
    {"text", "tables for people", hsd_text_diff, hsd_text_series, NULL},
    {"json", "everything, for programs; schemas hsdiff.diff/1, hsdiff.series/1, hsdiff.check/1", hsd_json_diff, hsd_json_series, NULL},
    {"csv", "one table (--table) for spreadsheets, RFC 4180", hsd_csv_diff, hsd_csv_series, NULL},
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
