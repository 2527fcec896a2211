/*
 * A check as JSON, schema hsdiff.check/1. Names are fixed, fields may be added, sizes are exact integers. Rules stand as in the
 * configuration; of the findings of a rule those that fail it come first. One rule or finding a line.
 */
#include "report/check_fields.h"
#include "report/check_words.h"
#include "report/formats.h"
#include "report/json_pieces.h"

static void put_point(hsd_out *out, const hsd_series_point *point)
{
    hsd_json_string(out, "    {\"label\": ", point->label);
    hsd_json_side_fields(out, ", \"path\": ", &point->side, false);
    hsd_out_text(out, "}");
}

static void put_captures(hsd_out *out, const hsd_check *check)
{
    hsd_out_text(out, "  \"captures\": [\n");
    if (check->diff) {
        hsd_json_side(out, &check->diff->before, check->diff->has_holders);
        hsd_out_text(out, ",\n");
        hsd_json_side(out, &check->diff->after, check->diff->has_holders);
    }
    for (size_t i = 0; check->series && i < check->series->point_count; i++) {
        if (i > 0) hsd_out_text(out, ",\n");
        put_point(out, &check->series->points[i]);
    }
    hsd_out_text(out, "\n  ],\n");
    if (check->series) hsd_json_count(out, "  \"warmup\": ", check->series->warmup);
    if (check->series) hsd_out_text(out, ",\n");
}

static void put_row(hsd_out *out, const hsd_check_row *row)
{
    hsd_out_text(out, "    {");
    hsd_check_put_rule(out, row);
    hsd_out_text(out, ", \"findings\": [");
    for (size_t i = 0; i < row->finding_count; i++) {
        hsd_out_text(out, i > 0 ? ",\n      {" : "\n      {");
        hsd_check_put_finding(out, &row->findings[i]);
        hsd_out_text(out, "}");
    }
    hsd_out_text(out, row->finding_count > 0 ? "\n    ]}" : "]}");
}

hsd_status hsd_json_check(const hsd_check *check, const hsd_report_options *options, hsd_write_fn write, void *context,
                          hsd_error *err)
{
    hsd_out out;
    size_t warning_count;
    const hsd_text *warnings = hsd_check_warnings(check, &warning_count);
    (void)options;
    hsd_out_init(&out, write, context, err);
    hsd_out_text(&out, "{\n  \"schema\": \"hsdiff.check/1\",\n  \"result\": {");
    hsd_check_put_sum(&out, check);
    hsd_out_text(&out, "},\n  \"config\": {");
    hsd_check_put_config(&out, check->config);
    hsd_out_text(&out, "},\n");
    put_captures(&out, check);
    hsd_json_texts(&out, "  \"problems\": ", check->problems, check->problem_count);
    hsd_json_texts(&out, ",\n  \"warnings\": ", warnings, warning_count);
    hsd_json_texts(&out, ",\n  \"notes\": ", check->notes, check->note_count);
    hsd_out_text(&out, ",\n  \"rules\": [");
    for (size_t i = 0; i < check->row_count; i++) {
        hsd_out_text(&out, i > 0 ? ",\n" : "\n");
        put_row(&out, &check->rows[i]);
    }
    hsd_out_text(&out, check->row_count > 0 ? "\n  ]\n}\n" : "]\n}\n");
    return hsd_out_finish(&out);
}
