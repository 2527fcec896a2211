/*
 * Parts of a model as text.
 */
#ifndef HSD_REPORT_WRITE_TEXT_TABLE_H
#define HSD_REPORT_WRITE_TEXT_TABLE_H

#include "report/model/model.h"
#include "report/text/page.h"

/* Warnings, a paragraph or a table; nothing for other parts. */
void hsd_text_put_part(hsd_page *page, const hsd_model *model, const hsd_part *part);

void hsd_text_put_table(hsd_page *page, const hsd_model *model, const hsd_part *part);

#endif
