/*
 * NDJSON, schema hsdiff.series/1: the same nouns as the JSON, a line each. Records: series, warning, capture (with
 * its number, from 0), total, unreached, type, root, holder, others (with "table"), unknown (a table that is not
 * there, and why), cohort and survivor.
 */
#include "report/formats.h"
#include "report/json_pieces.h"
#include "report/ndjson.h"
#include "report/records.h"
#include "report/series_json_pieces.h"

typedef struct records {
    hsd_out *out;
    const hsd_series *series;
    hsd_sort_by sort_by;
    const hsd_records_most *most;
} records;

static void begin(records *r, const char *record)
{
    hsd_ndjson_begin(r->out, HSD_SERIES_SCHEMA, record);
    hsd_out_text(r->out, ", ");
}

static void put_head(records *r)
{
    const hsd_series *series = r->series;
    begin(r, "series");
    hsd_json_count(r->out, "\"captures\": ", series->point_count);
    hsd_out_text(r->out, ", ");
    hsd_series_json_facts(r->out, series);
    hsd_ndjson_end(r->out);
    for (size_t i = 0; i < series->warning_count; i++)
        hsd_ndjson_text(r->out, HSD_SERIES_SCHEMA, "warning", series->warnings[i]);
    for (size_t i = 0; i < series->point_count; i++) {
        begin(r, "capture");
        hsd_json_count(r->out, "\"number\": ", i);
        hsd_out_text(r->out, ", ");
        hsd_series_json_capture(r->out, &series->points[i]);
        hsd_ndjson_end(r->out);
    }
}

static void put_sum(records *r, const char *record, const hsd_series_row *row)
{
    begin(r, record);
    hsd_series_json_numbers(r->out, r->series, row->values, row);
    hsd_ndjson_end(r->out);
}

/* ---- tables ---- */

static const char *const nouns[] = {
    [HSD_TABLE_TYPES] = "type", [HSD_TABLE_ROOTS] = "root", [HSD_TABLE_HOLDERS] = "holder"};

static void put_unknown(records *r, const char *table, hsd_text why_not)
{
    begin(r, "unknown");
    hsd_json_text(r->out, "\"table\": ", table);
    hsd_json_string(r->out, ", \"why\": ", why_not);
    hsd_ndjson_end(r->out);
}

static void put_rows(records *r, hsd_report_table which, const hsd_series_pick *pick)
{
    for (size_t i = 0; i < pick->count; i++) {
        begin(r, nouns[which]);
        hsd_series_json_name(r->out, which, pick->rows[i]);
        hsd_out_text(r->out, ", ");
        hsd_series_json_numbers(r->out, r->series, pick->rows[i]->values, pick->rows[i]);
        hsd_ndjson_end(r->out);
    }
    if (pick->other_count == 0) return;
    begin(r, "others");
    hsd_json_text(r->out, "\"table\": ", nouns[which]);
    hsd_json_count(r->out, ", \"rows\": ", pick->other_count);
    hsd_out_text(r->out, ", ");
    hsd_series_json_numbers(r->out, r->series, pick->others, pick->others_row);
    hsd_ndjson_end(r->out);
}

static void put_table(records *r, hsd_report_table which, size_t most)
{
    const hsd_series_table *table = hsd_series_table_of(r->series, which);
    hsd_series_pick pick;
    if (!table->is_known) {
        put_unknown(r, nouns[which], table->why_not);
        return;
    }
    if (r->out->status != HSD_OK) return;
    r->out->status = hsd_series_pick_init(&pick, r->series, which, r->sort_by, most, false, r->out->err);
    if (r->out->status != HSD_OK) return;
    put_rows(r, which, &pick);
    hsd_series_pick_release(&pick);
}

/* What is lost, where captures tell it. */
static void put_lost(records *r)
{
    const hsd_series_table *table = &r->series->lost;
    for (size_t i = 0; table->is_known && i < table->row_count && i < r->most->types; i++) {
        begin(r, "lost");
        hsd_series_json_lost(r->out, &table->rows[i]);
        hsd_out_text(r->out, ", ");
        hsd_series_json_numbers(r->out, r->series, table->rows[i].values, &table->rows[i]);
        hsd_ndjson_end(r->out);
    }
}

/* ---- ages ---- */

/* A cohort: which captures, and what was live of it at the end of each cohort from its own on. */
static void put_cohort(records *r, size_t born)
{
    const hsd_cohorts *cohorts = &r->series->cohorts;
    begin(r, "cohort");
    hsd_series_json_cohort(r->out, &cohorts->cohorts[born]);
    hsd_json_bool(r->out, ", \"by_structure\": ", cohorts->is_by_structure);
    hsd_out_text(r->out, ", \"alive\": [");
    for (size_t at = born; at < cohorts->cohort_count; at++)
        hsd_json_amount(r->out, at > born ? ", " : "", hsd_cohort_alive(cohorts, &cohorts->all, at, born));
    hsd_out_text(r->out, "]");
    hsd_ndjson_end(r->out);
}

static void put_survivor(records *r, const hsd_cohort_row *row)
{
    const hsd_survival survival = hsd_survival_of(&r->series->cohorts, row);
    begin(r, "survivor");
    hsd_json_string(r->out, "\"type\": ", row->name);
    hsd_json_amount(r->out, ", \"came\": ", survival.came);
    hsd_json_amount(r->out, ", \"stayed\": ", survival.stayed);
    hsd_ndjson_end(r->out);
}

static void put_ages(records *r)
{
    const hsd_cohorts *cohorts = &r->series->cohorts;
    if (!cohorts->are_known) {
        put_unknown(r, "cohort", cohorts->why_not);
        return;
    }
    for (size_t born = 0; born < cohorts->cohort_count; born++)
        put_cohort(r, born);
    for (size_t i = 0; i < cohorts->type_count && i < r->most->ages; i++)
        put_survivor(r, &cohorts->types[i]);
}

void hsd_series_records(hsd_out *out, const hsd_series *series, hsd_sort_by sort_by, const hsd_records_most *most)
{
    records r = {.out = out, .series = series, .sort_by = sort_by, .most = most};
    put_head(&r);
    put_sum(&r, "total", &series->total);
    put_sum(&r, "unreached", &series->unreached);
    put_table(&r, HSD_TABLE_TYPES, most->types);
    put_table(&r, HSD_TABLE_ROOTS, most->roots);
    put_table(&r, HSD_TABLE_HOLDERS, most->holders);
    put_lost(&r);
    put_ages(&r);
}

hsd_status hsd_ndjson_series(const hsd_series *series, const hsd_report_options *options, hsd_write_fn write,
                             void *context, hsd_error *err)
{
    const hsd_records_most most = hsd_records_of_top(options->top, false);
    hsd_out out;
    hsd_out_init(&out, write, context, err);
    hsd_series_records(&out, series, options->sort_by, &most);
    return hsd_out_finish(&out);
}
