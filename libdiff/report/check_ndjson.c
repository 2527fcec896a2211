/*
 * A check as lines of JSON: what is wrong with the captures, the sum, the captures, each rule and each finding. Fields are those of
 * the document (check_json.c); a finding names its rule.
 */
#include "report/check_fields.h"
#include "report/check_words.h"
#include "report/formats.h"
#include "report/json_pieces.h"
#include "report/ndjson.h"
#include "report/records.h"

#define SCHEMA "hsdiff.check/1"

static void put_texts(hsd_out *out, const char *record, const hsd_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hsd_ndjson_text(out, SCHEMA, record, texts[i]);
}

static void put_side(hsd_out *out, const hsd_side *side, const char *which)
{
    hsd_ndjson_begin(out, SCHEMA, "capture");
    hsd_json_text(out, ", \"side\": ", which);
    hsd_json_side_fields(out, ", \"path\": ", side, false);
    hsd_ndjson_end(out);
}

static void put_captures(hsd_out *out, const hsd_check *check)
{
    if (check->diff) {
        put_side(out, &check->diff->before, "before");
        put_side(out, &check->diff->after, "after");
    }
    for (size_t i = 0; check->series && i < check->series->point_count; i++) {
        const hsd_series_point *point = &check->series->points[i];
        hsd_ndjson_begin(out, SCHEMA, "capture");
        hsd_json_string(out, ", \"label\": ", point->label);
        hsd_json_side_fields(out, ", \"path\": ", &point->side, false);
        hsd_ndjson_end(out);
    }
}

static void put_rule(hsd_out *out, const hsd_check_row *row)
{
    hsd_ndjson_begin(out, SCHEMA, "rule");
    hsd_out_text(out, ", ");
    hsd_check_put_rule(out, row);
    hsd_ndjson_end(out);
    for (size_t i = 0; i < row->finding_count; i++) {
        hsd_ndjson_begin(out, SCHEMA, "finding");
        hsd_json_string(out, ", \"rule\": ", row->rule->name);
        hsd_json_text(out, ", \"unit\": ", hsd_row_unit(row));
        hsd_out_text(out, ", ");
        hsd_check_put_finding(out, &row->findings[i]);
        hsd_ndjson_end(out);
    }
}

void hsd_check_records(hsd_out *out, const hsd_check *check)
{
    size_t warning_count;
    const hsd_text *warnings = hsd_check_warnings(check, &warning_count);
    hsd_ndjson_begin(out, SCHEMA, "check");
    hsd_out_text(out, ", ");
    hsd_check_put_sum(out, check);
    hsd_out_text(out, ", \"config\": {");
    hsd_check_put_config(out, check->config);
    hsd_out_text(out, "}");
    hsd_ndjson_end(out);
    put_texts(out, "problem", check->problems, check->problem_count);
    put_texts(out, "warning", warnings, warning_count);
    put_captures(out, check);
    for (size_t i = 0; i < check->row_count; i++)
        put_rule(out, &check->rows[i]);
    put_texts(out, "note", check->notes, check->note_count);
}

hsd_status hsd_ndjson_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write, void *context,
                            hsd_error *err)
{
    hsd_out out;
    (void)options;
    hsd_out_init(&out, write, context, err);
    hsd_check_records(&out, check);
    return hsd_out_finish(&out);
}
