/*
 * What keeps the growth alive, for people: holders, and below each the references through which its growth hangs, as
 * rows with a depth: a table of text, a list of Markdown.
 */
#ifndef HSD_REPORT_MODEL_HOLDER_LINES_H
#define HSD_REPORT_MODEL_HOLDER_LINES_H

#include "report/model/holder_rows.h"
#include "report/model/model.h"
#include "report/model/open.h"

typedef struct hsd_holder_line {
    const hsd_holder *holder;
    const hsd_co_holder *by;     /* below it: one of those that hold it together, */
    const hsd_growth_edge *edge; /* or a reference */
} hsd_holder_line;

typedef struct hsd_holder_lines {
    hsd_holder_line *rows, others;
    size_t count;
    hsd_holder_rest rest;
} hsd_holder_lines;

/* Nothing where no holder says where the growth is, or none are known. */
hsd_status hsd_holder_lines_add(hsd_model *model, hsd_holder_lines *lines, const hsd_model_request *request);
void hsd_holder_lines_release(hsd_holder_lines *lines);

#endif
