/*
 * A screen that parts of a model are put on, one below the other. A failure stays in its `out` and makes everything
 * after it do nothing.
 */
#ifndef HSD_REPORT_WRITE_TEXT_TABLE_H
#define HSD_REPORT_WRITE_TEXT_TABLE_H

#include "report/model/model.h"
#include "report/write/out.h"

typedef struct hsd_page {
    hsd_out *out;
    const hsd_report_options *options;
    hsd_escape_form form; /* HSD_ESCAPE_TERMINAL or HSD_ESCAPE_ASCII */
    bool has_just_said;   /* what stands last is a sentence */
    bool is_begun;        /* something stands on it: what comes next is parted from it by a blank line */
} hsd_page;

/* Parts what was printed from what comes, if both are there. Before each part of the screen. */
void hsd_page_part(hsd_page *page);

/* A table, where its rows are known. */
void hsd_text_put_table(hsd_page *page, const hsd_model *model, const hsd_part *part);

#endif
