/*
 * The formats of reports: to add one, write its file and add its row here.
 */
#include <string.h>

#include "base/check.h"
#include "report/formats.h"

static const hsd_report_format *const formats[] = {
    &hsd_report_text,
    &hsd_report_json,
    &hsd_report_csv,
};

const hsd_report_format *hsd_report_format_get(size_t i)
{
    return i < HSD_ARRAY_LEN(formats) ? formats[i] : NULL;
}

const hsd_report_format *hsd_report_format_find(const char *name)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(formats); i++)
        if (strcmp(formats[i]->name, name) == 0) return formats[i];
    return NULL;
}
