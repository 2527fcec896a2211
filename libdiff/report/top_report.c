/*
 * Reports about one capture: which file prints which format.
 */
#include <hsdiff/top_report.h>

#include <stdio.h>

#include "report/top_formats.h"

hsd_status hsd_report_top(const hsd_top *top, const hsd_single_options *options, hsd_write_fn write,
                          void *context, hsd_error *err)
{
    switch (options->format) {
    case HSD_SINGLE_TEXT: return hsd_top_write_text(top, options, write, context, err);
    case HSD_SINGLE_JSON: return hsd_top_write_json(top, options, write, context, err);
    case HSD_SINGLE_CSV: return hsd_top_write_csv(top, options, write, context, err);
    }
    return hsd_fail(err, HSD_E_MISUSE, "there is no format %d", (int)options->format);
}

hsd_status hsd_report_paths(const hsd_paths *paths, const hsd_single_options *options,
                            hsd_write_fn write, void *context, hsd_error *err)
{
    switch (options->format) {
    case HSD_SINGLE_TEXT: return hsd_paths_write_text(paths, options, write, context, err);
    case HSD_SINGLE_JSON: return hsd_paths_write_json(paths, options, write, context, err);
    case HSD_SINGLE_CSV: return hsd_paths_write_csv(paths, options, write, context, err);
    }
    return hsd_fail(err, HSD_E_MISUSE, "there is no format %d", (int)options->format);
}

char *hsd_format_id(char out[HSD_NUMBER_CHARS], const hsd_capture_info *info, uint64_t id)
{
    if (info->identity == HSD_IDENTITY_EXACT)
        snprintf(out, HSD_NUMBER_CHARS, "@%llu", (unsigned long long)id);
    else
        snprintf(out, HSD_NUMBER_CHARS, "0x%llx", (unsigned long long)id);
    return out;
}
