/*
 * What the viewer serves as it is, made once: its page, and the records of its report.
 */
#ifndef HSD_VIEW_REPORT_H
#define HSD_VIEW_REPORT_H

#include "base/buffer.h"
#include <hsdiff/report.h>
#include <hsdiff/series.h>

/* The page, and the policy that goes with it as a header; both owned by the caller. Policies of headers, unlike those
 * of pages, can forbid frames. The policy is a string. */
hsd_status hsd_view_make_page(hsd_buffer *page, hsd_buffer *policy, hsd_error *err);

/* Records of NDJSON, gzip; of a diff or a series, the other is NULL. At most HSD_HTML_PACKED_MOST bytes. */
hsd_status hsd_view_pack_report(const hsd_diff *diff, const hsd_series *series, const hsd_report_options *options,
                                hsd_buffer *packed, hsd_error *err);

#endif
