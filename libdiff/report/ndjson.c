/*
 * The frame of a record of newline-delimited JSON.
 */
#include "report/ndjson.h"

#include "report/json_pieces.h"

void hsd_ndjson_begin(hsd_out *out, const char *schema, const char *record)
{
    hsd_out_format(out, "{\"schema\": \"%s\", \"record\": \"%s\"", schema, record);
}

void hsd_ndjson_end(hsd_out *out) { hsd_out_text(out, "}\n"); }

void hsd_ndjson_text(hsd_out *out, const char *schema, const char *record, hsd_text text)
{
    hsd_ndjson_begin(out, schema, record);
    hsd_json_string(out, ", \"text\": ", text);
    hsd_ndjson_end(out);
}
