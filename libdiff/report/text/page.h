/*
 * A screen about one capture: the pieces that the text reports of top and of paths are made of. A failure stays
 * in page.out and makes everything after it do nothing.
 */
#ifndef HSD_REPORT_PAGE_H
#define HSD_REPORT_PAGE_H

#include "report/model/model.h"
#include "report/sentences/place.h"
#include "report/text/table.h"
#include "report/write/out.h"
#include <hsdiff/report.h>

typedef struct hsd_page {
    hsd_out out;
    const hsd_report_options *options;
    hsd_escape_form form; /* HSD_ESCAPE_TERMINAL or HSD_ESCAPE_ASCII */
    bool has_just_said;   /* what stands last is a sentence of a model */
    bool is_begun;        /* something stands on it: what comes next is parted from it by a blank line */
} hsd_page;

void hsd_page_init(hsd_page *page, const hsd_report_options *options, hsd_write_fn write, void *context,
                   hsd_error *err);

/* A page that takes over what `out` has, and gives it back. */
void hsd_page_begin(hsd_page *page, const hsd_report_options *options, hsd_out *out);
void hsd_page_finish(const hsd_page *page, hsd_out *out);

/* Parts what was printed from what comes, if both are there. Before each part of the screen. */
void hsd_page_part(hsd_page *page);

/* Name, time and size of the capture, and on a second line what it is of. */
void hsd_page_capture(hsd_page *page, const hsd_side *side);

/* "412.6 MiB", or exact with --bytes. */
char *hsd_page_size(const hsd_page *page, char out[HSD_NUMBER_CHARS], uint64_t bytes);

/* ---- tables ---- */

/* False when there is no memory for it. */
bool hsd_page_begin_table(hsd_page *page, hsd_table *table, size_t columns, size_t rows);

/* A row with the headings of all columns. */
void hsd_page_headings(hsd_page *page, hsd_table *table, const char *const *headings);

/* Sets a cell of the newest row: text of ours; a name, "(no name)" where it is empty; a size; a count. */
void hsd_page_put(hsd_page *page, hsd_table *table, size_t column, const char *text, hsd_paint paint);
void hsd_page_put_name(hsd_page *page, hsd_table *table, size_t column, hsd_text name);
void hsd_page_put_size(hsd_page *page, hsd_table *table, size_t column, uint64_t bytes);
void hsd_page_put_count(hsd_page *page, hsd_table *table, size_t column, uint64_t count);

/* Cuts names to the terminal, prints and releases the table. */
void hsd_page_end_table(hsd_page *page, hsd_table *table);

/* ---- plain: fields behind a tab ---- */

void hsd_page_field(hsd_page *page, hsd_text text);
void hsd_page_field_count(hsd_page *page, uint64_t value);

/* ---- what to type next ---- */

typedef struct hsd_next {
    const char *before, *after; /* around the input: "hsdiff paths", "--top all"; "" = nothing */
    hsd_text word;              /* foreign, quoted, between the two; size 0 = none */
    const char *why;
} hsd_next;

/* Nothing without options->before_command. */
void hsd_page_next(hsd_page *page, const hsd_next *list, size_t count);

#endif
