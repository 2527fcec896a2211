/*
 * Newline-delimited JSON: one object a line, each with "schema" and "record", so that a line means something where it
 * arrives without the others. Its members are those of the document (json.c); the rest of a table that is not whole is
 * a record "others".
 */
#include "report/write/ndjson.h"

#include "report/write/json_columns.h"
#include "report/write/write.h"

void hsd_ndjson_begin(hsd_json_writer *json, hsd_out *out, const char *schema, const char *record)
{
    hsd_json_begin(json, out);
    hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
    hsd_json_put_string(json, "schema", schema);
    hsd_json_put_string(json, "record", record);
}

void hsd_ndjson_end(hsd_json_writer *json)
{
    hsd_json_close(json);
    hsd_out_text(json->out, "\n");
}

static void put_text(hsd_out *out, const char *schema, const char *record, hsd_text text)
{
    hsd_json_writer json;
    hsd_ndjson_begin(&json, out, schema, record);
    hsd_json_put_text(&json, "text", text);
    hsd_ndjson_end(&json);
}

static void put_said(hsd_out *out, const hsd_model *model, const hsd_part *part)
{
    hsd_json_writer json;
    hsd_ndjson_begin(&json, out, model->schema, part->record);
    hsd_json_put_said(&json, "text", model, part);
    hsd_ndjson_end(&json);
}

static void put_record(hsd_out *out, const hsd_model *model, const char *record, const hsd_column *columns,
                       const hsd_scope *scope)
{
    hsd_json_writer json;
    hsd_ndjson_begin(&json, out, model->schema, record);
    hsd_json_put_columns(&json, columns, scope, HSD_IN_RECORDS);
    hsd_ndjson_end(&json);
}

static void put_below(hsd_out *out, const hsd_model *model, const hsd_below *below, const hsd_scope *row)
{
    if (!below->record) return;
    const hsd_value list = hsd_column_value(below->list, row);
    for (size_t i = 0; i < list.items.count; i++) {
        const hsd_scope item = hsd_scope_item(&list.items, i, row);
        put_record(out, model, below->record, below->list->columns, &item);
    }
}

/* ---- tables ---- */

static void put_unknown(hsd_out *out, const hsd_model *model, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    hsd_json_writer json;
    if (sheet->why_record) {
        put_text(out, model->schema, sheet->why_record, sheet->why);
        return;
    }
    hsd_ndjson_begin(&json, out, model->schema, "unknown");
    hsd_json_put_string(&json, "table", part->record);
    hsd_json_put_text(&json, "why", sheet->why);
    hsd_ndjson_end(&json);
}

static void put_others(hsd_out *out, const hsd_model *model, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    const hsd_scope scope = hsd_sheet_others(model, sheet);
    hsd_json_writer json;
    hsd_ndjson_begin(&json, out, model->schema, "others");
    hsd_json_put_string(&json, model->others_key, part->record);
    hsd_json_put_count(&json, "rows", sheet->other_count);
    hsd_json_put_columns(&json, sheet->other_columns, &scope, HSD_IN_RECORDS);
    hsd_ndjson_end(&json);
}

static void put_table(hsd_out *out, const hsd_model *model, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    if (sheet->is_unknown) {
        put_unknown(out, model, part);
        return;
    }
    for (size_t i = 0; i < sheet->rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(model, sheet, i);
        put_record(out, model, part->record, part->columns, &scope);
        put_below(out, model, &part->below[0], &scope);
    }
    if (sheet->other_count > 0 && sheet->other_columns) put_others(out, model, part);
}

static void put_model(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    (void)options;
    for (size_t i = 0; i < model->part_count; i++) {
        const hsd_part *part = &model->parts[i];
        const hsd_scope scope = {.result = model->result, .row = part->row};
        switch (part->kind) {
        case HSD_PART_FACTS:
        case HSD_PART_RECORD: put_record(out, model, part->record, part->columns, &scope); break;
        case HSD_PART_TEXTS:
            for (size_t k = 0; k < part->text_count; k++)
                put_text(out, model->schema, part->record, part->texts[k]);
            break;
        case HSD_PART_TABLE: put_table(out, model, part); break;
        case HSD_PART_SAID: put_said(out, model, part); break;
        case HSD_PART_ANSWER:
        case HSD_PART_RELATION:
        case HSD_PART_LINES:
        case HSD_PART_SENTENCE: break; /* people alone */
        }
    }
}

void hsd_ndjson_put_result(hsd_out *out, const hsd_reported *subject, const hsd_report_options *options,
                           const hsd_most *most)
{
    hsd_model *model = NULL;
    if (out->status == HSD_OK) out->status = hsd_model_open(&model, subject, options, most, HSD_IN_RECORDS, out->err);
    if (model) put_model(out, model, options);
    hsd_model_close(model);
}

HSD_WRITES_EVERY_RESULT(ndjson, HSD_IN_RECORDS, put_model)
