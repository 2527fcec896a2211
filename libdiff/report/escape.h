/*
 * Names that come from a heap are text that an attacker may have chosen. One function makes them
 * harmless, hsd_escape of hsdiff/report.h, with one form for each place they can be printed in;
 * nothing else in the reports writes a foreign byte.
 */
#ifndef HSD_REPORT_ESCAPE_H
#define HSD_REPORT_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

#include <hsdiff/report.h>

/* True for characters that are not printed as they stand: control, direction, zero-width, unassigned
 * for interchange. */
bool hsd_escape_is_hidden(uint32_t code);

#endif
