/*
 * CSV by RFC 4180, one table to a file: a heading, one record a row, CRLF as the RFC has it, exact numbers; what is not
 * known is an empty field, and where a table is not known its heading stands alone. The last record of a table cut by
 * --top is "others", told from a name by its first column. An amount is two columns, KEY_objects and KEY_bytes; a
 * record in the record is its columns behind KEY_.
 */
#include <stdio.h>

#include "report/write/write.h"

#define PREFIX_BYTES 96

static bool is_nested(const hsd_column *column)
{
    return column->kind == HSD_KIND_RECORD || column->kind == HSD_KIND_SPREAD;
}
static bool is_pair(const hsd_column *column)
{
    return column->kind == HSD_KIND_AMOUNT || column->kind == HSD_KIND_NET;
}

static void put_comma(hsd_out *out, bool *is_first)
{
    if (!*is_first) hsd_out_text(out, ",");
    *is_first = false;
}

/* ---- the heading ---- */

static void put_headings(hsd_out *out, const hsd_column *columns, const char *prefix, bool *is_first)
{
    char inner[PREFIX_BYTES];
    for (const hsd_column *column = columns; column->kind != HSD_KIND_END; column++) {
        if (!hsd_column_is_in(column, HSD_IN_CSV)) continue;
        if (is_nested(column)) {
            snprintf(inner, sizeof inner, "%s%s%s", prefix, column->key ? column->key : "", column->key ? "_" : "");
            put_headings(out, column->columns, inner, is_first);
            continue;
        }
        put_comma(out, is_first);
        hsd_out_format(out, "%s%s%s", prefix, column->key, is_pair(column) ? "_objects" : "");
        if (is_pair(column)) hsd_out_format(out, ",%s%s_bytes", prefix, column->key);
    }
}

/* ---- records ---- */

static void put_words(hsd_out *out, const hsd_column *column, const hsd_scope *scope)
{
    hsd_buffer text = {0};
    if (out->status == HSD_OK) out->status = column->words(&text, scope, out->err);
    hsd_out_escaped(out, HSD_ESCAPE_CSV, (hsd_text){(const char *)text.data, text.size});
    hsd_buffer_release(&text);
}

static void put_field(hsd_out *out, const hsd_column *column, const hsd_scope *scope)
{
    const hsd_value value = hsd_column_value(column, scope);
    switch ((unsigned)value.kind) { /* all others are empty */
    case HSD_KIND_TEXT: hsd_out_escaped(out, HSD_ESCAPE_CSV, value.text); break;
    case HSD_KIND_WORDS: put_words(out, column, scope); break;
    case HSD_KIND_COUNT:
    case HSD_KIND_BYTES:
    case HSD_KIND_MILLIONTHS: hsd_out_format(out, "%llu", (unsigned long long)value.count); break;
    case HSD_KIND_SIGNED: hsd_out_format(out, "%lld", (long long)value.number); break;
    case HSD_KIND_FLAG: hsd_out_text(out, value.flag ? "yes" : "no"); break;
    case HSD_KIND_ID: hsd_out_format(out, "0x%llx", (unsigned long long)value.count); break;
    case HSD_KIND_TIME:
    case HSD_KIND_HEX: hsd_out_text(out, value.hex); break;
    case HSD_KIND_AMOUNT:
        hsd_out_format(out, "%llu,%llu", (unsigned long long)value.amount.objects,
                       (unsigned long long)value.amount.bytes);
        break;
    case HSD_KIND_NET:
        hsd_out_format(out, "%lld,%lld", (long long)value.net.objects, (long long)value.net.bytes);
        break;
    default:
        if (is_pair(column)) hsd_out_text(out, ",");
    }
}

static void put_fields(hsd_out *out, const hsd_column *columns, const hsd_scope *scope, bool *is_first)
{
    for (const hsd_column *column = columns; column->kind != HSD_KIND_END; column++) {
        if (!hsd_column_is_in(column, HSD_IN_CSV)) continue;
        if (is_nested(column)) {
            hsd_scope inner = hsd_scope_into(column, scope);
            if (scope->row && column->is_known && !column->is_known(scope)) inner.row = NULL;
            put_fields(out, column->columns, &inner, is_first);
            continue;
        }
        put_comma(out, is_first);
        put_field(out, column, scope);
    }
}

static void put_record(hsd_out *out, const hsd_part *part, const char *what, const hsd_scope *scope)
{
    bool is_first = part->first == NULL;
    if (part->first) hsd_out_text(out, what);
    put_fields(out, part->columns, scope, &is_first);
    hsd_out_text(out, "\r\n");
}

static void put_table(hsd_out *out, const hsd_model *model, const hsd_report_options *options)
{
    (void)options;
    if (model->part_count == 0) return;
    const hsd_part *part = &model->parts[0];
    const hsd_sheet *sheet = &part->sheet;
    bool is_first = part->first == NULL;
    if (part->first) hsd_out_text(out, part->first);
    put_headings(out, part->columns, "", &is_first);
    hsd_out_text(out, "\r\n");
    for (size_t i = 0; !sheet->is_unknown && i < sheet->rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(model, sheet, i);
        put_record(out, part, part->record, &scope);
    }
    if (sheet->is_unknown || sheet->other_count == 0) return;
    const hsd_scope others = hsd_sheet_others(model, sheet);
    put_record(out, part, "others", &others);
}

HSD_WRITES_EVERY_RESULT(csv, HSD_IN_CSV, put_table)
