/*
 * The frame of a page and the pieces that its sections are made of. A failure stays in page.out and makes everything
 * after it do nothing. Text of ours goes out by hsd_out_text; what is foreign, or has foreign words in it, by the
 * functions here.
 */
#ifndef HSD_REPORT_HTML_PAGE_H
#define HSD_REPORT_HTML_PAGE_H

#include "base/buffer.h"
#include "report/write/out.h"

typedef struct hsd_html {
    hsd_out out;
    const hsd_report_options *options;
} hsd_html;

/* ---- the frame ---- */

/* All up to the first section, #answer, which is open then with its heading. `kind`: "diff", "series", "check";
 * `answer` is harmless text (hsd_html_prose), heading and title of the page, and released. */
void hsd_html_open(hsd_html *page, const char *kind, hsd_buffer *answer);

/* The same in pieces, for a heading that is written twice: <title> and its text stand between the first two, the text
 * of the heading and
 * </h1> behind the second. */
void hsd_html_begin_head(hsd_html *page);
void hsd_html_begin_body(hsd_html *page, const char *kind);

/* What stands below the heading in small: harmless text, which is released. */
void hsd_html_relation(hsd_html *page, hsd_buffer *text);
void hsd_html_end_answer(hsd_html *page);

/* The packed records, the script, the end. */
void hsd_html_close(hsd_html *page, const hsd_buffer *packed);

/* The end of a page without a script. */
void hsd_html_close_static(hsd_html *page);

/* A section with a heading of ours, and in it what a script may replace. */
void hsd_html_begin(hsd_html *page, const char *id, const char *heading);
void hsd_html_end(hsd_html *page);

/* A section that has nothing to show without a script; `what` is the object of a sentence. */
void hsd_html_empty(hsd_html *page, const char *id, const char *heading, const char *what);

/* ---- text ---- */

/* A name, cut in the middle when it is very long, "(no name)" where it is empty. */
void hsd_html_name(hsd_html *page, hsd_text name);

/* Text that is harmless on a terminal already (HSD_ESCAPE_TERMINAL), on one line, trimmed, cut when it is very long. */
void hsd_html_prose(hsd_html *page, const hsd_buffer *text);

/* Raw text with foreign words in it: escaped as a whole, cut when it is very long, then released. */
void hsd_html_raw(hsd_html *page, hsd_buffer *raw);

/* A paragraph of harmless text; nothing where there is none. The buffer is released. */
void hsd_html_paragraph(hsd_html *page, hsd_buffer *text);

/* ---- numbers ---- */

char *hsd_html_size(const hsd_html *page, char out[HSD_NUMBER_CHARS], uint64_t bytes);
char *hsd_html_growth(const hsd_html *page, char out[HSD_NUMBER_CHARS], int64_t bytes);

/* "up", "down", "same": the class of a growth. */
const char *hsd_html_sign(int64_t growth);

/* ---- tables ---- */

/* Headings of ours; the first is that of names. */
void hsd_html_begin_table(hsd_html *page, const char *const *headings, size_t count);
void hsd_html_begin_row(hsd_html *page, const char *class_name, hsd_text name);
void hsd_html_begin_sum(hsd_html *page, const char *class_name, const char *name); /* "others", "total" */
void hsd_html_cell(hsd_html *page, const char *number);                            /* of ours */
/* The same with a class more: a sign; NULL: none. */
void hsd_html_cell_text(hsd_html *page, const char *class_name, hsd_text number);
void hsd_html_end_row(hsd_html *page);
void hsd_html_end_table(hsd_html *page);

/* An entry of a list of facts; between the two goes its value. */
void hsd_html_begin_fact(hsd_html *page, const char *label);
void hsd_html_end_fact(hsd_html *page);

/* For hsd_out_init: appends to an hsd_buffer. */
hsd_status hsd_html_gather(void *buffer, const void *data, size_t size, hsd_error *err);

#endif
