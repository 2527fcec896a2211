/*
 * A screen about one capture: the pieces that the text reports of top and of paths are made of. A failure stays
 * in page.out and makes everything after it do nothing.
 */
#ifndef HSD_REPORT_PAGE_H
#define HSD_REPORT_PAGE_H

#include "report/out.h"
#include "report/place.h"
#include "report/table.h"
#include <hsdiff/top_report.h>

typedef struct hsd_page {
    hsd_out out;
    const hsd_single_options *options;
    hsd_escape_form form; /* HSD_ESCAPE_TERMINAL or HSD_ESCAPE_ASCII */
    bool is_begun;        /* something stands on it: what comes next is parted from it by a blank line */
} hsd_page;

void hsd_page_init(hsd_page *page, const hsd_single_options *options, hsd_write_fn write,
                   void *context, hsd_error *err);

/* Parts what was printed from what comes, if both are there. Before each part of the screen. */
void hsd_page_part(hsd_page *page);

/* Name, time and size of the capture, and on a second line what it is of. */
void hsd_page_capture(hsd_page *page, const hsd_side *side);

/* What is live by soft references alone, and what is not counted. */
void hsd_page_left_out(hsd_page *page, const hsd_side *side, bool has_soft);

/* "412.6 MiB", or exact with --bytes. */
char *hsd_page_size(const hsd_page *page, char out[HSD_NUMBER_CHARS], uint64_t bytes);

/* ---- tables ---- */

/* False when there is no memory for it. */
bool hsd_page_begin_table(hsd_page *page, hsd_table *table, size_t columns, size_t rows);

/* A row with the headings of all columns. */
void hsd_page_headings(hsd_page *page, hsd_table *table, const char *const *headings);

/* Sets a cell of the newest row: text of ours; a name, "(no name)" where it is empty; a size; a count. */
void hsd_page_put(hsd_page *page, hsd_table *table, size_t column, const char *text,
                  hsd_paint paint);
void hsd_page_put_name(hsd_page *page, hsd_table *table, size_t column, hsd_text name);
void hsd_page_put_size(hsd_page *page, hsd_table *table, size_t column, uint64_t bytes);
void hsd_page_put_count(hsd_page *page, hsd_table *table, size_t column, uint64_t count);

/* Cuts names to the terminal, prints and releases the table. */
void hsd_page_end_table(hsd_page *page, hsd_table *table);

/* ---- plain: fields behind a tab ---- */

void hsd_page_field(hsd_page *page, hsd_text text);
void hsd_page_field_count(hsd_page *page, uint64_t value);

/* The warnings and the capture as records. */
void hsd_page_plain_head(hsd_page *page, const hsd_side *side, const hsd_text *warnings,
                         size_t warning_count);

/* ---- what to type next ---- */

typedef struct hsd_next {
    const char *before, *after; /* around the input: "hsdiff paths", "--top all"; "" = nothing */
    hsd_text word;              /* foreign, quoted, between the two; size 0 = none */
    const char *why;
} hsd_next;

/* Nothing without options->command. */
void hsd_page_next(hsd_page *page, const hsd_next *list, size_t count);

#endif
