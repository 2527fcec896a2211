/*
 * The formats of reports, as formats.h lists them.
 */
#include <string.h>

#include "base/check.h"
#include "report/formats.h"

#define ROW_OF_ALL(name, summary)                                                                                      \
    {#name, summary, hsd_##name##_diff, hsd_##name##_series, hsd_##name##_check, hsd_##name##_top, hsd_##name##_paths},
#define ROW_OF_CHECKS(name, summary) {#name, summary, NULL, NULL, hsd_##name##_check, NULL, NULL},

static const hsd_report_format formats[] = {HSD_FORMATS_OF_ALL(ROW_OF_ALL) HSD_FORMATS_OF_CHECKS(ROW_OF_CHECKS)};

const hsd_report_format *hsd_report_format_get(size_t i) { return i < HSD_ARRAY_LEN(formats) ? &formats[i] : NULL; }

const hsd_report_format *hsd_report_format_find(const char *name)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(formats); i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    return NULL;
}
