/*
 * The parts of a diff that people read, as text and as Markdown, in their order; and the tables of its page, which has
 * an order of its own.
 */
#ifndef HSD_REPORT_MODEL_DIFF_SCREEN_H
#define HSD_REPORT_MODEL_DIFF_SCREEN_H

#include "report/model/growth_rows.h"
#include "report/model/holder_lines.h"

/* What the rows of these parts need, owned by the model. */
typedef struct hsd_diff_people {
    hsd_growth_table types, roots, sites, lost, uncollected;
    hsd_holder_lines holders;
} hsd_diff_people;

/* Appends them to a model of text, of Markdown or of HTML. */
hsd_status hsd_diff_add_screen(hsd_model *model, hsd_diff_people *people, const hsd_model_request *request);
hsd_status hsd_diff_add_markdown(hsd_model *model, hsd_diff_people *people, const hsd_model_request *request);
hsd_status hsd_diff_add_page(hsd_model *model, hsd_diff_people *people, const hsd_model_request *request);

/* What the first screen of a diff says before its tables, for a model of it or of a check. */
void hsd_diff_tell_answer(hsd_out *out, const hsd_diff *diff, const hsd_model *model, hsd_escape_form form);

void hsd_diff_people_release(hsd_diff_people *people);

#endif
