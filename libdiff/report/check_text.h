/*
 * The check as records, for --plain: what check_text.c prints instead of the screen.
 */
#ifndef HSD_REPORT_CHECK_TEXT_H
#define HSD_REPORT_CHECK_TEXT_H

#include "report/out.h"
#include <hsdiff/check.h>

/* Prints all of it; escapes by `form`. */
void hsd_check_plain(hsd_out *out, const hsd_check *check, hsd_escape_form form);

#endif
