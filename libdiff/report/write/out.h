/*
 * Where a report's bytes gather before they go to the caller's function: a buffer with a sticky
 * error, so that the code that lays out a report reads as a layout and not as a chain of checks.
 */
#ifndef HSD_REPORT_OUT_H
#define HSD_REPORT_OUT_H

#include "base/buffer.h"
#include "report/words/escape.h"
#include <hsdiff/report.h>

typedef struct hsd_out {
    hsd_write_fn write;
    void *context;
    hsd_error *err;
    hsd_status status; /* first failure; everything after it does nothing */
    hsd_buffer buffer;
    bool in_paragraph;
    size_t paragraph_start; /* in the buffer, which is not passed on meanwhile */
    size_t line_columns;    /* of a terminal that is narrower than a paragraph usually is; 0 = none is known */
} hsd_out;

void hsd_out_init(hsd_out *out, hsd_write_fn write, void *context, hsd_error *err);

void hsd_out_bytes(hsd_out *out, const void *data, size_t size);
void hsd_out_text(hsd_out *out, const char *text);
void hsd_out_repeat(hsd_out *out, char c, size_t count);

/* Pieces of at most 256 bytes; nothing that depends on a locale. */
void hsd_out_format(hsd_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Foreign text, made harmless for the format that `form` names. */
void hsd_out_escaped(hsd_out *out, hsd_escape_form form, hsd_text text);

/* The same of what stands in sentences, which people read: addresses that nobody has named are there without build ids.
 */
void hsd_out_said(hsd_out *out, hsd_escape_form form, hsd_text text);

/* A foreign name, "(no name)" where it is empty; in Markdown a code span, shortened in the middle. */
void hsd_out_name(hsd_out *out, hsd_escape_form form, hsd_text name);

/*
 * What is written between the two is broken into lines of at most 80 columns, or as many as a narrower terminal has,
 * where it has blanks; each line but the first starts with `indent` blanks. A newline is added at the end.
 */
void hsd_out_begin_paragraph(hsd_out *out);
void hsd_out_end_paragraph(hsd_out *out, size_t indent);

/* How many columns such a line has at most. */
size_t hsd_out_columns(const hsd_out *out);

/* Passes the rest on, releases the buffer, returns the first failure. */
hsd_status hsd_out_finish(hsd_out *out);

#endif
