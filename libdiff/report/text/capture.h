/*
 * The head of a screen about one capture, and its foot: what to type next.
 */
#ifndef HSD_REPORT_TEXT_CAPTURE_H
#define HSD_REPORT_TEXT_CAPTURE_H

#include "report/write/out.h"
#include <hsdiff/report.h>

/* Name, time and size of the capture, and on a second line what it is of. */
void hsd_text_capture(hsd_out *out, const hsd_report_options *options, hsd_escape_form form, const hsd_side *side);

typedef struct hsd_next {
    const char *before, *after; /* around the input: "hsdiff paths", "--top all"; "" = nothing */
    hsd_text word;              /* foreign, quoted, between the two; size 0 = none */
    const char *why;
} hsd_next;

/* Nothing without options->before_command. */
void hsd_text_next(hsd_out *out, const hsd_report_options *options, const hsd_next *list, size_t count);

/* Appends that a foreign dump is better imported once. */
void hsd_text_suggest_import(const hsd_report_options *options, hsd_next *list, size_t *count);

#endif
