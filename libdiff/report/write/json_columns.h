/*
 * A row as members of JSON: what the document and its lines have in common.
 */
#ifndef HSD_REPORT_WRITE_JSON_COLUMNS_H
#define HSD_REPORT_WRITE_JSON_COLUMNS_H

#include "report/model/model.h"
#include "report/write/json_writer.h"

/* The members of the open object that `format`, HSD_IN_DOCUMENT or HSD_IN_RECORDS, has of these columns. */
void hsd_json_put_columns(hsd_json_writer *json, const hsd_column *columns, const hsd_scope *scope, unsigned format);

/* The sentences of a part of kind SAID, on one line, as a terminal may show them. */
void hsd_json_put_said(hsd_json_writer *json, const char *key, const hsd_model *model, const hsd_part *part);

#endif
