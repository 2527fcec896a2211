/*
 * --plain: a report as records for screen readers, cut and awk. One record a line, fields separated by one tab, the
 * first field says what the record is; exact numbers, nothing cut, aligned or drawn. A line "# ..." before each kind
 * names its fields. An amount is two fields, KEY_bytes and KEY_objects; a list is KEY_1, KEY_2, …
 */
#ifndef HSD_REPORT_WRITE_PLAIN_H
#define HSD_REPORT_WRITE_PLAIN_H

#include "report/write/write.h"

/* A result as records; all that the text of a result does with --plain. */
hsd_status hsd_plain_write(const hsd_reported *result, const hsd_report_options *options, hsd_write_fn write,
                           void *context, hsd_error *err);

#endif
