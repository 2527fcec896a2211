/*
 * Names that come from a heap are text that an attacker may have chosen. One function makes them
 * harmless, hsd_escape of hsdiff/report.h, with one form for each place they can be printed in;
 * nothing else in the reports writes a foreign byte.
 */
#ifndef HSD_REPORT_ESCAPE_H
#define HSD_REPORT_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include <hsdiff/report.h>

/* Appends the escaped text and leaves room for a NUL behind it. */
hsd_status hsd_escape_append(hsd_buffer *out, hsd_escape_form form, const char *text, size_t size, hsd_error *err);

/* True for characters that are not printed as they stand: control, direction, zero-width, unassigned
 * for interchange. */
bool hsd_escape_is_hidden(uint32_t code);

#endif
