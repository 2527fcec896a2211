/*
 * JSON, schemas hsdiff.diff/1, hsdiff.series/1, hsdiff.check/1, hsdiff.top/1, hsdiff.paths/1: the contract that scripts
 * rely on. Names are fixed, fields may be added. Sizes and counts are exact integers; tables are complete unless --top
 * was given, and then "others" carries the rest. What is not known is null. One row a line, so that two reports can be
 * compared with diff(1).
 */
#include <stdio.h>

#include "report/write/json_columns.h"
#include "report/write/write.h"

static void put_texts(hsd_json_writer *json, const hsd_part *part)
{
    hsd_json_open_list(json, part->member, HSD_JSON_INLINE);
    for (size_t i = 0; i < part->text_count; i++)
        hsd_json_put_text(json, NULL, part->texts[i]);
    hsd_json_close(json);
}

static void put_record(hsd_json_writer *json, const hsd_model *model, const hsd_part *part)
{
    const hsd_scope scope = {.result = model->result, .row = part->row};
    if (part->kind == HSD_PART_FACTS) {
        if (part->is_one_line) hsd_json_one_line(json);
        hsd_json_put_columns(json, part->columns, &scope, HSD_IN_DOCUMENT);
        hsd_json_own_lines(json);
        return;
    }
    hsd_json_open_object(json, part->member, part->is_hanging ? HSD_JSON_HANGING : HSD_JSON_INLINE);
    hsd_json_put_columns(json, part->columns, &scope, HSD_IN_DOCUMENT);
    hsd_json_close(json);
}

static void put_others(hsd_json_writer *json, const hsd_model *model, const char *member, const hsd_sheet *sheet)
{
    const hsd_scope scope = hsd_sheet_others(model, sheet);
    hsd_json_open_object(json, member, HSD_JSON_INLINE);
    hsd_json_put_count(json, "rows", sheet->other_count);
    hsd_json_put_columns(json, sheet->other_columns, &scope, HSD_IN_DOCUMENT);
    hsd_json_close(json);
}

static void put_table(hsd_json_writer *json, const hsd_model *model, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    if (sheet->is_unknown) {
        hsd_json_put_null(json, part->member);
        if (sheet->why_member) hsd_json_put_text(json, sheet->why_member, sheet->why);
        return;
    }
    hsd_json_open_list(json, part->member, HSD_JSON_LINES);
    for (size_t i = 0; i < sheet->rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(model, sheet, i);
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
        hsd_json_put_columns(json, part->columns, &scope, HSD_IN_DOCUMENT);
        hsd_json_close(json);
    }
    hsd_json_close(json);
    if (sheet->others_in != HSD_OTHERS_BESIDE || sheet->other_count == 0) return;
    char member[64];
    snprintf(member, sizeof member, "other_%s", part->member);
    put_others(json, model, member, sheet);
}

/* ---- what is left out of tables ---- */

static bool is_among_others(const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    if (part->kind != HSD_PART_TABLE || sheet->is_unknown) return false;
    return sheet->others_in == HSD_OTHERS_ALWAYS || (sheet->others_in == HSD_OTHERS_TOGETHER && sheet->other_count > 0);
}

static void put_all_others(hsd_json_writer *json, const hsd_model *model)
{
    bool has_any = model->others_below;
    for (size_t i = 0; i < model->part_count; i++)
        has_any |= is_among_others(&model->parts[i]);
    if (!has_any) return;
    hsd_json_open_object(json, "others", model->others_below ? HSD_JSON_BELOW : HSD_JSON_HANGING);
    for (size_t i = 0; i < model->part_count; i++)
        if (is_among_others(&model->parts[i])) put_others(json, model, model->parts[i].member, &model->parts[i].sheet);
    hsd_json_close(json);
}

/* ---- */

static void put_document(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    hsd_json_writer json;
    (void)options;
    hsd_json_begin(&json, out);
    hsd_json_open_object(&json, NULL, HSD_JSON_LINES);
    hsd_json_put_string(&json, "schema", model->schema);
    for (size_t i = 0; i < model->part_count; i++) {
        const hsd_part *part = &model->parts[i];
        switch (part->kind) {
        case HSD_PART_FACTS:
        case HSD_PART_RECORD: put_record(&json, model, part); break;
        case HSD_PART_TEXTS: put_texts(&json, part); break;
        case HSD_PART_TABLE: put_table(&json, model, part); break;
        case HSD_PART_SAID: hsd_json_put_said(&json, part->member, model, part); break;
        case HSD_PART_ANSWER:
        case HSD_PART_RELATION:
        case HSD_PART_LINES:
        case HSD_PART_SENTENCE: break; /* people alone */
        }
    }
    put_all_others(&json, model);
    hsd_json_close(&json);
    hsd_out_text(out, "\n");
}

HSD_WRITES_EVERY_RESULT(json, HSD_IN_DOCUMENT, put_document)
