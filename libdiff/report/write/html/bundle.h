/*
 * The scripts and styles that the pages carry, as bytes in the program: embed.cmake makes them from bundle/, which
 * web/build.mjs writes together with the sources that the policies name.
 */
#ifndef HSD_REPORT_HTML_BUNDLE_H
#define HSD_REPORT_HTML_BUNDLE_H

#include "base/buffer.h"
#include "web/bundle/csp.h"

extern const hsd_bytes hsd_html_report_js, hsd_html_report_css, hsd_html_view_js, hsd_html_view_css;

#endif
