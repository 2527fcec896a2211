/*
 * The formats of reports, as formats.h lists them.
 */
#include <string.h>

#include "base/check.h"
#include "base/options.h"
#include "report/formats.h"

/* A writer for callers outside: with options of its own, whatever version theirs are of. */
#define TAKES(format, result)                                                                                          \
    static hsd_status format##_##result(const hsd_##result *what, const hsd_report_options *options,                   \
                                        hsd_write_fn write, void *context, hsd_error *err)                             \
    {                                                                                                                  \
        hsd_report_options own;                                                                                        \
        HSD_TRY(HSD_TAKE_OPTIONS(hsd_report_options, config_path, &own, options, err));                                \
        return hsd_##format##_##result(what, &own, write, context, err);                                               \
    }
#define TAKES_ALL(format, summary)                                                                                     \
    TAKES(format, diff) TAKES(format, series) TAKES(format, check) TAKES(format, top) TAKES(format, paths)
#define TAKES_CHECKS(format, summary) TAKES(format, check)

HSD_FORMATS_OF_ALL(TAKES_ALL)
HSD_FORMATS_OF_CHECKS(TAKES_CHECKS)

#define ROW_OF_ALL(name, summary)    {#name, summary, name##_diff, name##_series, name##_check, name##_top, name##_paths},
#define ROW_OF_CHECKS(name, summary) {#name, summary, NULL, NULL, name##_check, NULL, NULL},

static const hsd_report_format formats[] = {HSD_FORMATS_OF_ALL(ROW_OF_ALL) HSD_FORMATS_OF_CHECKS(ROW_OF_CHECKS)};

const hsd_report_format *hsd_report_format_get(size_t i) { return i < HSD_ARRAY_LEN(formats) ? &formats[i] : NULL; }

const hsd_report_format *hsd_report_format_find(const char *name)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(formats); i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    return NULL;
}
