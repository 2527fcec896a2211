/*
 * Newline-delimited JSON: the frame of a record, and all records of a result.
 *
 *      {"schema": "hsdiff.diff/1", "record": "type", "type": "Session"}
 */
#ifndef HSD_REPORT_WRITE_NDJSON_H
#define HSD_REPORT_WRITE_NDJSON_H

#include "report/model/open.h"
#include "report/write/json_writer.h"

/* Both are text of ours. What is put into `json` between the two are members of the record. */
void hsd_ndjson_begin(hsd_json_writer *json, hsd_out *out, const char *schema, const char *record);
void hsd_ndjson_end(hsd_json_writer *json);

/* All records of a result, with so many rows of each table. A failure stays in `out`. */
void hsd_ndjson_put_result(hsd_out *out, const hsd_reported *subject, const hsd_report_options *options,
                           const hsd_most *most);

#endif
