/*
 * The report as one HTML file, and what the viewer takes of it.
 *
 *      head: Content-Security-Policy with the hashes of the one style and the one script, so nothing else runs or loads
 *      body: the answer, tables and paths as HTML, all of it written here and readable without a script
 *            the records of `--format ndjson --tree`, packed by gzip, in base64, for the script to show more of
 *            the script
 *
 * The file needs no network and no other file. Every foreign byte in it stands behind HSD_ESCAPE_XML or in base64.
 * The functions of the registry are hsd_html_diff, hsd_html_series, hsd_html_check (report/formats.h). All of them:
 * HSD_E_UNSUPPORTED in a build without zlib.
 */
#ifndef HSD_REPORT_HTML_HTML_H
#define HSD_REPORT_HTML_HTML_H

#include <hsdiff/report.h>
#include <hsdiff/series.h>

/* Of rows in a page; the rest is summed up. */
#define HSD_HTML_ROWS_MOST ((size_t)100000)

/* Of packed records; past it rows are left out until they fit. In base64 that is 9.4 MiB of a page of 10 MiB. */
#define HSD_HTML_PACKED_MOST ((size_t)7 << 20)

/* ---- for the viewer ---- */

/* The packed records of a page: gzip of NDJSON, at most HSD_HTML_PACKED_MOST bytes, which stand in memory meanwhile. */
hsd_status hsd_html_pack_diff(const hsd_diff *diff, const hsd_report_options *options, hsd_write_fn write,
                              void *context, hsd_error *err);
hsd_status hsd_html_pack_series(const struct hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                                void *context, hsd_error *err);

/* The page of the viewer: its script and style, no data; the script may ask the server that it came from, and no other.
 */
hsd_status hsd_html_view_page(hsd_write_fn write, void *context, hsd_error *err);

/* The policy that stands in that page, for a header. */
extern const char hsd_html_view_policy[];

#endif
