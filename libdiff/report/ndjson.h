/*
 * Records of newline-delimited JSON: one object a line, each with "schema" and "record", so that a line means something where it
 * arrives without the others. Fields in between are those of json_pieces.h.
 *
 *      hsd_ndjson_begin(out, "hsdiff.diff/1", "type");
 *      hsd_json_string(out, ", \"type\": ", name);
 *      hsd_ndjson_end(out);
 *
 *      {"schema": "hsdiff.diff/1", "record": "type", "type": "Session"}
 */
#ifndef HSD_REPORT_NDJSON_H
#define HSD_REPORT_NDJSON_H

#include "report/out.h"

/* Both are text of ours. */
void hsd_ndjson_begin(hsd_out *out, const char *schema, const char *record);
void hsd_ndjson_end(hsd_out *out);

/* A whole record {…, "text": …}: a warning, a note, a problem. */
void hsd_ndjson_text(hsd_out *out, const char *schema, const char *record, hsd_text text);

#endif
