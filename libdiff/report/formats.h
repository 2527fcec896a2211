/*
 * The rows of the registry of formats: one for each file that implements one.
 */
#ifndef HSD_REPORT_FORMATS_H
#define HSD_REPORT_FORMATS_H

#include <hsdiff/report.h>

extern const hsd_report_format hsd_report_text, hsd_report_json, hsd_report_csv;

#endif
