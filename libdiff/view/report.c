/*
 * The page and the report, as report/html makes them, into memory.
 */
#include "view/report.h"

#include <string.h>

#include "report/write/html/html.h"

static hsd_status append_view_report(void *context, const void *data, size_t size, hsd_error *err)
{
    return hsd_buffer_append(context, data, size, err);
}

hsd_status hsd_view_make_page(hsd_buffer *page, hsd_buffer *policy, hsd_error *err)
{
    static const char frames[] = "; frame-ancestors 'none'";
    HSD_TRY(hsd_html_view_page(append_view_report, page, err));
    HSD_TRY(hsd_buffer_append(policy, hsd_html_view_policy, strlen(hsd_html_view_policy), err));
    return hsd_buffer_append(policy, frames, sizeof frames, err);
}

hsd_status hsd_view_pack_report(const hsd_diff *diff, const hsd_series *series, const hsd_report_options *options,
                                hsd_buffer *packed, hsd_error *err)
{
    return diff ? hsd_html_pack_diff(diff, options, append_view_report, packed, err)
                : hsd_html_pack_series(series, options, append_view_report, packed, err);
}
