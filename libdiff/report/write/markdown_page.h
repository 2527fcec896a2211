/*
 * A document of Markdown that fits: a summary of a GitHub job, a comment on a merge request. It is written from the
 * most important part down, and what may be left out are whole entries of lists and rows of tables, the last ones
 * first; where some are left out a line says how many. It is kept in memory until it is complete, at most some times
 * max_bytes.
 *
 *      hsd_markdown_init(&doc, max_bytes, err);
 *      hsd_out_text(&doc.out, "**Live heap grew.**\n\n");              what is always there
 *      hsd_markdown_begin_rows(&doc, "type", "types");                  behind its headings
 *      if (hsd_markdown_row(&doc))                                     for each row, and a cell for each column:
 *          hsd_markdown_cell_name(&doc, name), hsd_markdown_cell(&doc, "+1.00 MiB"), …
 *      hsd_markdown_end(&doc);
 *      return hsd_markdown_finish(&doc, write, context, err);
 *
 * Names of foreign origin are code spans (HSD_ESCAPE_MARKDOWN): no link, no mention, no HTML comes of them.
 */
#ifndef HSD_REPORT_MARKDOWN_H
#define HSD_REPORT_MARKDOWN_H

#include "report/write/out.h"

#define HSD_MARKDOWN_USUAL_BYTES ((size_t)60000)

typedef struct hsd_markdown {
    hsd_out out; /* what is written into the document; its status is that of the whole */
    size_t max_bytes;
    hsd_buffer text;                 /* what out has passed on */
    hsd_buffer pieces;               /* where parts end: markdown.c */
    size_t closed_bytes;             /* in pieces */
    const char *one, *many;          /* of the list or table that is open */
    bool is_table, has_entry, stays; /* stays: the entry that is open */
    size_t entry_bytes;              /* of what is open: in its entries */
    uint64_t left;                   /* of what is open: entries that were not even kept */
} hsd_markdown;

/* max_bytes 0 = HSD_MARKDOWN_USUAL_BYTES. */
void hsd_markdown_init(hsd_markdown *doc, size_t max_bytes, hsd_error *err);

/*
 * A list, whose entries the caller writes whole ("- text\n", also several lines), or the rows of a table whose headings
 * the caller has written. `one` and `many` name an entry in the line about those left out. Neither within the other.
 */
void hsd_markdown_begin_list(hsd_markdown *doc, const char *one, const char *many);
void hsd_markdown_begin_rows(hsd_markdown *doc, const char *one, const char *many);

/* Begins the next entry. False if there is no room for it whatever else goes: it is counted, and must not be written.
 */
bool hsd_markdown_item(hsd_markdown *doc);
bool hsd_markdown_row(hsd_markdown *doc);

/* A row that is always there, such as the total behind all others. */
void hsd_markdown_last_row(hsd_markdown *doc);

/* The next cell of a row: text of ours without |; a name, shortened in the middle, "(no name)" where it is empty. */
void hsd_markdown_cell(hsd_markdown *doc, const char *text);
void hsd_markdown_cell_name(hsd_markdown *doc, hsd_text name);

/* Ends the list or table; a blank line follows, and what is written then is always there again. */
void hsd_markdown_end(hsd_markdown *doc);

/*
 * Leaves out what must be, writes the rest, releases the document, returns the first failure. HSD_E_MISUSE when
 * max_bytes has not even room for what is always there; the text names the number that suffices.
 */
hsd_status hsd_markdown_finish(hsd_markdown *doc, hsd_write_fn write, void *context, hsd_error *err);

/* Releases a document that is not to be written. */
void hsd_markdown_release(hsd_markdown *doc);

#endif
