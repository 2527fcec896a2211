/*
 * The model of a report: values of columns, what a format has of them, and that every format writes every result.
 */
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/open.h"
#include "report/write/cells.h"
#include "report/write/json_columns.h"
#include "unit/report/says.h"
#include "unit/report/top_sample.h"

typedef struct item {
    uint32_t weight;
} item;

typedef struct row {
    hsd_text name;
    const char *kind;
    uint64_t bytes;
    int64_t growth;
    hsd_amount amount;
    bool is_good;
    const item *items;
    size_t item_count;
} row;

static bool never(const hsd_scope *scope)
{
    (void)scope;
    return false;
}

static hsd_value number_of(const hsd_scope *scope) { return hsd_value_count(scope->index); }

static hsd_status twice(hsd_buffer *text, const hsd_scope *scope, hsd_error *err)
{
    const row *r = scope->row;
    HSD_TRY(hsd_buffer_append(text, r->name.data, r->name.size, err));
    return hsd_buffer_append(text, r->name.data, r->name.size, err);
}

static const hsd_column weight_column[] = {{NULL, HSD_KIND_COUNT32, HSD_AT(item, weight)}, {0}};
static const hsd_column pair_columns[] = {
    {NULL, HSD_KIND_COUNT, .get = number_of}, {NULL, HSD_KIND_COUNT32, HSD_AT(item, weight)}, {0}};
static const hsd_column inner_columns[] = {{"bytes", HSD_KIND_BYTES, HSD_AT(row, bytes)}, {0}};

static const hsd_column columns[] = {
    {"name", HSD_KIND_TEXT, HSD_AT(row, name)},
    {"kind", HSD_KIND_STRING, HSD_AT(row, kind), .flags = HSD_OR_NULL},
    {"hidden", HSD_KIND_TEXT, HSD_AT(row, name), .has = never},
    {"unknown", HSD_KIND_AMOUNT, HSD_AT(row, amount), .is_known = never},
    {"amount", HSD_KIND_AMOUNT, HSD_AT(row, amount), .flags = HSD_IF_ANY},
    {"growth", HSD_KIND_SIGNED, HSD_AT(row, growth)},
    {"good", HSD_KIND_FLAG, HSD_AT(row, is_good)},
    {"twice", HSD_KIND_WORDS, .words = twice},
    {"csv", HSD_KIND_COUNT, .in = HSD_IN_CSV, .get = number_of},
    {"inner", HSD_KIND_RECORD, .columns = inner_columns},
    {NULL, HSD_KIND_SPREAD, .columns = inner_columns},
    {"weights", HSD_KIND_LIST, HSD_LIST_AT(row, items, item_count, item), .columns = weight_column},
    {"pairs", HSD_KIND_LIST, HSD_LIST_AT(row, items, item_count, item), .columns = pair_columns},
    {0},
};

static const item items[] = {{7}, {9}};

static char *as_json(const row *r)
{
    sample_sink sink = {0};
    hsd_error err;
    hsd_out out;
    hsd_json_writer json;
    hsd_error_init(&err);
    hsd_out_init(&out, sample_write, &sink, &err);
    hsd_json_begin(&json, &out);
    hsd_json_open_object(&json, NULL, HSD_JSON_INLINE);
    hsd_json_put_columns(&json, columns, &(hsd_scope){.row = r}, HSD_IN_DOCUMENT);
    hsd_json_close(&json);
    cr_expect_eq(hsd_out_finish(&out), HSD_OK);
    return sink.text;
}

Test(model, takes_values_out_of_a_row)
{
    const row full = {{"Map", 3}, "type", 96, -4, {2, 96}, true, items, 2};
    char *text = as_json(&full);
    cr_expect_str_eq(
        text, "{\"name\": \"Map\", \"kind\": \"type\", \"unknown\": null, \"amount\": {\"objects\": 2, \"bytes\": 96}, "
              "\"growth\": -4, "
              "\"good\": true, \"twice\": \"MapMap\", \"inner\": {\"bytes\": 96}, \"bytes\": 96, \"weights\": [7, 9], "
              "\"pairs\": [[0, 7], [1, 9]]}");
    free(text);
}

Test(model, leaves_out_or_says_null_where_a_value_is_empty)
{
    const row empty = {{"", 0}, NULL, 0, 0, {0, 0}, false, NULL, 0};
    char *text = as_json(&empty);
    cr_expect_str_eq(text, "{\"name\": \"\", \"kind\": null, \"unknown\": null, \"growth\": 0, \"good\": false, "
                           "\"twice\": \"\", \"inner\": {\"bytes\": 0}, "
                           "\"bytes\": 0, \"weights\": [], \"pairs\": []}");
    free(text);
}

Test(model, has_no_values_where_there_is_no_row)
{
    const hsd_scope nothing = {.row = NULL};
    for (const hsd_column *column = columns; column->kind != HSD_KIND_END; column++) {
        const hsd_kind kind = hsd_column_value(column, &nothing).kind;
        cr_expect(kind == HSD_KIND_NULL || kind == HSD_KIND_ABSENT, "%s", column->key ? column->key : "");
    }
}

/* ---- tables for people ---- */

static const hsd_column people_columns[] = {
    {"name", HSD_KIND_TEXT, HSD_AT(row, name), .title = "Name"},
    {"bytes", HSD_KIND_BYTES, HSD_AT(row, bytes), .title = "Bytes"},
    {"hidden", HSD_KIND_COUNT, .title = "Hidden", .has = never, .get = number_of},
    {"csv", HSD_KIND_COUNT, .in = HSD_IN_CSV, .get = number_of},
    {"growth", HSD_KIND_SIGNED, HSD_AT(row, growth), .title = "Growth"},
    {0},
};

Test(model, has_the_columns_of_its_format_in_words)
{
    const hsd_model model = {.format = HSD_IN_PEOPLE};
    const hsd_part part = {.columns = people_columns, .one = "type", .many = "types", .sheet = {.other_count = 1204}};
    const row r = {{"Map", 3}, "type", 4096, -4, {2, 96}, true, NULL, 0};
    const hsd_cells cells = hsd_cells_of(&model, &part);
    char number[HSD_CELL_CHARS], name[HSD_OTHERS_CHARS];
    cr_assert_eq(cells.count, 3);
    cr_expect(hsd_cell_is_text(cells.columns[0]) && !hsd_cell_is_text(cells.columns[1]));
    cr_expect_str_eq(hsd_cell_number(number, cells.columns[1], &(hsd_scope){.row = &r}, false), "4.00 KiB");
    cr_expect_str_eq(hsd_cell_number(number, cells.columns[1], &(hsd_scope){.row = &r}, true), "4,096 B");
    cr_expect_str_eq(hsd_cell_number(number, cells.columns[2], &(hsd_scope){.row = &r}, false), "-4");
    cr_expect_str_eq(hsd_cell_number(number, cells.columns[1], &(hsd_scope){.row = NULL}, false), "");
    cr_expect_str_eq(hsd_others_name(name, &part), "1,204 other types");
}

/* ---- formats and results ---- */

Test(model, every_format_that_is_not_of_checks_has_every_result)
{
    size_t of_all = 0;
    for (size_t i = 0; hsd_report_format_get(i); i++) {
        const hsd_report_format *format = hsd_report_format_get(i);
        cr_expect(format->write_check != NULL, "%s", format->name);
        if (!format->write_diff) continue;
        of_all++;
        cr_expect(format->write_series && format->write_top && format->write_paths, "%s", format->name);
    }
    cr_expect_eq(of_all, 7);
}

Test(model, of_a_format_has_its_parts_alone)
{
    hsd_top_type types[] = {sample_top_type("Session", 30000, 90000), sample_top_type("Buffer", 60000, 60000)};
    hsd_top_root roots[] = {sample_top_root("global.sessions", 95000, 95000)};
    const hsd_top top = sample_top(types, 2, roots, 1);
    const hsd_report_options options = {.top = 1};
    const hsd_most most = hsd_most_of(&options, HSD_IN_CSV);
    hsd_model *model;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_model_open(&model, &(hsd_reported){.top = &top}, &options, &most, HSD_IN_CSV, &err), HSD_OK);
    cr_expect_eq(model->part_count, 1);
    cr_expect_eq(model->parts[0].sheet.rows.count, 1);
    cr_expect_eq(model->parts[0].sheet.other_count, 1);
    hsd_model_close(model);
    cr_assert_eq(hsd_model_open(&model, &(hsd_reported){.top = &top}, &options, &most, HSD_IN_DOCUMENT, &err), HSD_OK);
    cr_expect_eq(model->part_count, 6); /* answer, captures, warnings, types, roots, objects */
    hsd_model_close(model);
}
