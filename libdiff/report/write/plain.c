/*
 * Any model as records.
 */
#include "report/write/plain.h"

#include "report/series_rows.h"

typedef struct plain {
    hsd_out *out;
    const hsd_model *model;
    hsd_escape_form form;
} plain;

static bool is_pair(const hsd_column *column) { return column->kind == HSD_KIND_AMOUNT || column->kind == HSD_KIND_NET; }

static bool is_there(const hsd_column *column, const hsd_scope *scope)
{
    return hsd_column_is_in(column, HSD_IN_PLAIN) && (!column->has || column->has(scope));
}

/* ---- the heading ---- */

static void put_names(const plain *p, const hsd_column *columns, const hsd_scope *scope)
{
    for (const hsd_column *column = columns; column->kind != HSD_KIND_END; column++) {
        if (!is_there(column, scope)) continue;
        if (column->kind == HSD_KIND_SPREAD) put_names(p, column->columns, scope);
        else if (is_pair(column)) hsd_out_format(p->out, "\t%s_bytes\t%s_objects", column->key, column->key);
        else if (column->kind != HSD_KIND_LIST) hsd_out_format(p->out, "\t%s", column->key);
        else
            for (size_t i = 0; i < hsd_column_value(column, scope).items.count; i++)
                hsd_out_format(p->out, "\t%s_%zu", column->key, i + 1);
    }
}

static void put_heading(const plain *p, const char *names, const hsd_column *columns, const void *row)
{
    const hsd_scope scope = {.result = p->model->result, .row = row};
    if (!names) return;
    hsd_out_format(p->out, "# %s", names);
    put_names(p, columns, &scope);
    hsd_out_text(p->out, "\n");
}

/* ---- fields ---- */

static void put_words(const plain *p, const hsd_column *column, const hsd_scope *scope)
{
    hsd_buffer text = {0};
    hsd_out *out = p->out;
    if (out->status == HSD_OK) out->status = column->words(&text, scope, out->err);
    hsd_out_escaped(out, p->form, (hsd_text){(const char *)text.data, text.size});
    hsd_buffer_release(&text);
}

static void put_items(const plain *p, const hsd_column *columns, const hsd_items *items, const hsd_scope *scope)
{
    for (size_t i = 0; i < items->count; i++) {
        const hsd_scope item = hsd_scope_item(items, i, scope);
        hsd_out_format(p->out, "\t%llu", (unsigned long long)hsd_column_value(columns, &item).count);
    }
}

static void put_field(const plain *p, const hsd_column *column, const hsd_scope *scope)
{
    const hsd_value value = hsd_column_value(column, scope);
    char number[HSD_NUMBER_CHARS];
    if (value.kind != HSD_KIND_LIST) hsd_out_text(p->out, "\t");
    switch ((unsigned)value.kind) { /* all others are empty */
    case HSD_KIND_TEXT: hsd_out_escaped(p->out, p->form, value.text); break;
    case HSD_KIND_WORDS: put_words(p, column, scope); break;
    case HSD_KIND_COUNT:
    case HSD_KIND_BYTES: hsd_out_format(p->out, "%llu", (unsigned long long)value.count); break;
    case HSD_KIND_SIGNED: hsd_out_format(p->out, "%lld", (long long)value.number); break;
    case HSD_KIND_FLAG: hsd_out_text(p->out, value.flag ? "yes" : "no"); break;
    case HSD_KIND_MILLIONTHS: hsd_out_text(p->out, hsd_format_p(number, (uint32_t)value.count)); break;
    case HSD_KIND_TIME:
    case HSD_KIND_HEX: hsd_out_text(p->out, value.hex); break;
    case HSD_KIND_AMOUNT: hsd_out_format(p->out, "%llu\t%llu", (unsigned long long)value.amount.bytes, (unsigned long long)value.amount.objects); break;
    case HSD_KIND_NET: hsd_out_format(p->out, "%lld\t%lld", (long long)value.net.bytes, (long long)value.net.objects); break;
    case HSD_KIND_LIST: put_items(p, column->columns, &value.items, scope); break;
    default:
        if (is_pair(column)) hsd_out_text(p->out, "\t");
    }
}

static void put_fields(const plain *p, const hsd_column *columns, const hsd_scope *scope)
{
    for (const hsd_column *column = columns; column->kind != HSD_KIND_END; column++) {
        if (!is_there(column, scope)) continue;
        if (column->kind != HSD_KIND_SPREAD) {
            put_field(p, column, scope);
            continue;
        }
        hsd_scope inner = hsd_scope_into(column, scope);
        if (scope->row && column->is_known && !column->is_known(scope)) inner.row = NULL;
        put_fields(p, column->columns, &inner);
    }
}

/* ---- records ---- */

static void put_text(const plain *p, const char *record, hsd_text text)
{
    hsd_out_format(p->out, "%s\t", record);
    hsd_out_escaped(p->out, p->form, text);
    hsd_out_text(p->out, "\n");
}

static void put_record(const plain *p, const char *record, const hsd_column *columns, const hsd_scope *scope)
{
    hsd_out_text(p->out, record);
    put_fields(p, columns, scope);
    hsd_out_text(p->out, "\n");
}

static void put_below(const plain *p, const hsd_below *below, const hsd_scope *row)
{
    if (!below->record) return;
    const hsd_value list = hsd_column_value(below->list, row);
    for (size_t i = 0; i < list.items.count; i++) {
        const hsd_scope item = hsd_scope_item(&list.items, i, row);
        put_record(p, below->record, below->list->columns, &item);
    }
}

static void put_rows(const plain *p, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    for (size_t i = 0; i < sheet->rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(p->model, sheet, i);
        if (part->columns->has && !part->columns->has(&scope)) continue;
        put_record(p, part->record, part->columns, &scope);
        for (size_t k = 0; k < 2; k++)
            put_below(p, &part->below[k], &scope);
    }
    if (sheet->other_count == 0) return;
    const hsd_scope others = hsd_sheet_others(p->model, sheet);
    put_record(p, part->others_record, part->columns, &others);
}

static void put_table(const plain *p, const hsd_part *part)
{
    if (part->sheet.is_unknown) {
        put_text(p, part->sheet.why_plain, part->sheet.why);
        return;
    }
    put_heading(p, part->names, part->columns, NULL);
    for (size_t k = 0; k < 2 && part->below[k].record; k++)
        put_heading(p, part->below[k].names, part->below[k].list->columns, NULL);
    put_rows(p, part);
}

static void put_all(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    const plain p = {out, model, options->use_utf8 ? HSD_ESCAPE_TERMINAL : HSD_ESCAPE_ASCII};
    for (size_t i = 0; i < model->part_count; i++) {
        const hsd_part *part = &model->parts[i];
        const hsd_scope scope = {.result = model->result, .row = part->row};
        if (part->kind == HSD_PART_TABLE) put_table(&p, part);
        for (size_t k = 0; k < part->text_count; k++)
            put_text(&p, part->record, part->texts[k]);
        if (part->kind != HSD_PART_RECORD) continue;
        put_heading(&p, part->names, part->columns, part->row);
        put_record(&p, part->record, part->columns, &scope);
    }
}

hsd_status hsd_plain_write(const hsd_reported *result, const hsd_report_options *options, hsd_write_fn write, void *context, hsd_error *err)
{
    return hsd_write_model(result, HSD_IN_PLAIN, put_all, options, write, context, err);
}
