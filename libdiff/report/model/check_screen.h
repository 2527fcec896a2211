/*
 * The parts of a check that people read, as text and as Markdown.
 */
#ifndef HSD_REPORT_MODEL_CHECK_SCREEN_H
#define HSD_REPORT_MODEL_CHECK_SCREEN_H

#include "report/model/open.h"

/* A finding of a rule, or who holds what the whole heap grew by. */
typedef struct hsd_finding_line {
    const hsd_check_row *rule;
    const hsd_finding *finding; /* one of the two */
    const hsd_holder *holder;
} hsd_finding_line;

typedef struct hsd_check_people {
    hsd_finding_line *findings, *accepted;
    const hsd_check_row **unknown;
} hsd_check_people;

/* Appends them to a model of text or of Markdown. */
hsd_status hsd_check_add_screen(hsd_model *model);
hsd_status hsd_check_add_markdown(hsd_model *model, hsd_check_people *people, const hsd_model_request *request);
void hsd_check_people_release(hsd_check_people *people);

#endif
