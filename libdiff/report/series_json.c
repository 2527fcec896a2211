/*
 * JSON, schema hsdiff.series/1: the nouns of hsdiff.diff/1 with arrays, one value for each capture in their order,
 * and of each row the trend and the verdict, or with repeated captures the contrast. Tables are sorted by growth and
 * complete unless --top was given; "others" carries what is no row. Captures in cohorts are counted from 0, as the
 * arrays are. A table that is not known is null, and why_no_… says why. One row a line.
 */
#include "report/formats.h"
#include "report/json_pieces.h"
#include "report/out.h"
#include "report/series_json_pieces.h"

typedef struct json {
    hsd_out out;
    const hsd_series *series;
    const hsd_report_options *options;
} json;

static const char *const table_names[] = {
    [HSD_TABLE_TYPES] = "types", [HSD_TABLE_ROOTS] = "roots", [HSD_TABLE_HOLDERS] = "holders"};

#define TABLE_COUNT 3

static void put_head(json *j)
{
    const hsd_series *series = j->series;
    hsd_out_text(&j->out, "{\n  \"schema\": \"" HSD_SERIES_SCHEMA "\",\n  \"captures\": [");
    for (size_t i = 0; i < series->point_count; i++) {
        hsd_out_text(&j->out, i > 0 ? ",\n    {" : "\n    {");
        hsd_series_json_capture(&j->out, &series->points[i]);
        hsd_out_text(&j->out, "}");
    }
    hsd_out_text(&j->out, "\n  ],\n  ");
    hsd_series_json_facts(&j->out, series);
    hsd_json_texts(&j->out, ",\n  \"warnings\": ", series->warnings, series->warning_count);
    hsd_out_text(&j->out, ",\n  \"total\": {");
    hsd_series_json_numbers(&j->out, series, series->total.values, &series->total);
    hsd_out_text(&j->out, "},\n  \"unreached\": {");
    hsd_series_json_numbers(&j->out, series, series->unreached.values, &series->unreached);
    hsd_out_text(&j->out, "}");
}

static void put_table(json *j, hsd_report_table which, const hsd_series_pick *pick)
{
    const hsd_series_table *table = hsd_series_table_of(j->series, which);
    if (!table->is_known) {
        hsd_out_format(&j->out, ",\n  \"%s\": null,\n", table_names[which]);
        hsd_out_format(&j->out, "  \"why_no_%s\": ", table_names[which]);
        hsd_json_string(&j->out, "", table->why_not);
        return;
    }
    hsd_out_format(&j->out, ",\n  \"%s\": [", table_names[which]);
    for (size_t i = 0; i < pick->count; i++) {
        hsd_out_text(&j->out, i > 0 ? ",\n    {" : "\n    {");
        hsd_series_json_name(&j->out, which, pick->rows[i]);
        hsd_out_text(&j->out, ", ");
        hsd_series_json_numbers(&j->out, j->series, pick->rows[i]->values, pick->rows[i]);
        hsd_out_text(&j->out, "}");
    }
    hsd_out_text(&j->out, pick->count > 0 ? "\n  ]" : "]");
}

/* Where captures tell it; who allocated what heads it is `place`, and `frame` the same in parts. */
static void put_lost(json *j)
{
    const hsd_series_table *table = &j->series->lost;
    if (!table->is_known) return;
    hsd_out_text(&j->out, ",\n  \"lost\": [");
    for (size_t i = 0; i < table->row_count; i++) {
        hsd_out_text(&j->out, i > 0 ? ",\n    {" : "\n    {");
        hsd_series_json_lost(&j->out, &table->rows[i]);
        hsd_out_text(&j->out, ", ");
        hsd_series_json_numbers(&j->out, j->series, table->rows[i].values, &table->rows[i]);
        hsd_out_text(&j->out, "}");
    }
    hsd_out_text(&j->out, table->row_count > 0 ? "\n  ]" : "]");
}

/* ---- cohorts ---- */

static void put_cohort_row(json *j, const char *before, const hsd_cohort_row *row)
{
    hsd_json_string(&j->out, before, row->name);
    hsd_out_text(&j->out, ", ");
    hsd_series_json_alive(&j->out, &j->series->cohorts, row);
    hsd_out_text(&j->out, "}");
}

static void put_retained_since(json *j)
{
    const hsd_amount *since = j->series->cohorts.retained_since;
    if (!since) {
        hsd_out_text(&j->out, ",\n    \"retained_since\": null");
        return;
    }
    hsd_out_text(&j->out, ",\n    \"retained_since\": {");
    hsd_series_json_values(&j->out, j->series, since);
    hsd_out_text(&j->out, "}");
}

static void put_cohorts(json *j)
{
    const hsd_cohorts *cohorts = &j->series->cohorts;
    if (!cohorts->are_known) {
        hsd_json_string(&j->out, ",\n  \"cohorts\": null,\n  \"why_no_cohorts\": ", cohorts->why_not);
        return;
    }
    hsd_json_bool(&j->out, ",\n  \"cohorts\": {\"by_structure\": ", cohorts->is_by_structure);
    hsd_out_text(&j->out, ",\n    \"cohorts\": [");
    for (size_t i = 0; i < cohorts->cohort_count; i++) {
        hsd_out_text(&j->out, i > 0 ? ", {" : "{");
        hsd_series_json_cohort(&j->out, &cohorts->cohorts[i]);
        hsd_out_text(&j->out, "}");
    }
    hsd_out_text(&j->out, "],\n    \"all\": {");
    hsd_series_json_alive(&j->out, cohorts, &cohorts->all);
    hsd_out_text(&j->out, "},\n    \"types\": [");
    for (size_t i = 0; i < cohorts->type_count && (j->options->top == 0 || i < j->options->top); i++)
        put_cohort_row(j, i > 0 ? ",\n      {\"type\": " : "\n      {\"type\": ", &cohorts->types[i]);
    hsd_out_text(&j->out, "]");
    put_retained_since(j);
    hsd_out_text(&j->out, "}");
}

/* ---- */

static void put_others(json *j, const hsd_series_pick *picks)
{
    const char *separator = "\n    ";
    hsd_out_text(&j->out, ",\n  \"others\": {");
    for (int table = 0; table < TABLE_COUNT; table++) {
        if (picks[table].other_count == 0) continue;
        hsd_out_format(&j->out, "%s\"%s\": ", separator, table_names[table]);
        hsd_json_count(&j->out, "{\"rows\": ", picks[table].other_count);
        hsd_out_text(&j->out, ", ");
        hsd_series_json_numbers(&j->out, j->series, picks[table].others, picks[table].others_row);
        hsd_out_text(&j->out, "}");
        separator = ",\n    ";
    }
    hsd_out_text(&j->out, "}\n}\n");
}

hsd_status hsd_json_series(const hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                           void *context, hsd_error *err)
{
    json j = {.series = series, .options = options};
    hsd_series_pick picks[TABLE_COUNT] = {0};
    hsd_status status = HSD_OK;
    for (int table = 0; table < TABLE_COUNT && status == HSD_OK; table++)
        status = hsd_series_pick_init(&picks[table], series, (hsd_report_table)table, options->sort_by,
                                      options->top ? options->top : HSD_TOP_ALL, false, err);
    if (status == HSD_OK) {
        hsd_out_init(&j.out, write, context, err);
        put_head(&j);
        for (int table = 0; table < TABLE_COUNT; table++)
            put_table(&j, (hsd_report_table)table, &picks[table]);
        put_lost(&j);
        put_cohorts(&j);
        put_others(&j, picks);
        status = hsd_out_finish(&j.out);
    }
    for (int table = 0; table < TABLE_COUNT; table++)
        hsd_series_pick_release(&picks[table]);
    return status;
}
