/*
 * Any model as records.
 */
#include "report/write/plain.h"

#include <string.h>

#include "report/words/number.h"

#define FIELDS_MOST 24u
#define DEPTH_MOST  4u

/* Of an amount one of the two. */
typedef enum component { OBJECTS, BYTES } component;

/* A field: a column of the row, or of a record in it. No column: the field is always empty. */
typedef struct plain_field {
    const hsd_column *via[DEPTH_MOST], *column;
    size_t depth;
    component component;
} plain_field;

typedef struct plain_fields {
    plain_field list[FIELDS_MOST];
    size_t count;
} plain_fields;

typedef struct plain {
    hsd_out *out;
    const hsd_model *model;
    hsd_escape_form form;
} plain;

/* ---- from names to columns ---- */

static bool is_pair(const hsd_column *column)
{
    return column->kind == HSD_KIND_AMOUNT || column->kind == HSD_KIND_NET;
}

/* The first column of that key which is for --plain, or for any format. */
static bool find_column(plain_field *out, const hsd_column *columns, const char *key, size_t size)
{
    for (const hsd_column *column = columns; column->kind != HSD_KIND_END; column++) {
        const bool is_nested = column->kind == HSD_KIND_SPREAD && out->depth < DEPTH_MOST;
        if (column->in != 0 && (column->in & (HSD_IN_PLAIN | HSD_IN_CSV)) == 0) continue;
        if (is_nested) out->via[out->depth++] = column;
        if (is_nested && find_column(out, column->columns, key, size)) return true;
        if (is_nested) out->depth--;
        if (!column->key || strlen(column->key) != size || memcmp(column->key, key, size) != 0) continue;
        out->column = column;
        return true;
    }
    return false;
}

static bool ends_in(const char *key, size_t size, const char *end)
{
    return size > strlen(end) && memcmp(key + size - strlen(end), end, strlen(end)) == 0;
}

static plain_field find_field(const hsd_column *columns, const char *key, size_t size)
{
    static const struct {
        const char *end;
        component component;
    } ends[] = {{"_bytes", BYTES}, {"_objects", OBJECTS}};
    plain_field found = {.column = NULL};
    if (find_column(&found, columns, key, size)) return found;
    for (size_t i = 0; i < 2; i++) {
        plain_field pair = {.component = ends[i].component};
        if (ends_in(key, size, ends[i].end) && find_column(&pair, columns, key, size - strlen(ends[i].end)) &&
            is_pair(pair.column))
            return pair;
    }
    return (plain_field){.column = NULL};
}

/* "name before_bytes after_bytes" */
static plain_fields find_fields(const hsd_column *columns, const char *names)
{
    plain_fields found = {.count = 0};
    for (const char *at = names; *at && found.count < FIELDS_MOST;) {
        const size_t size = strcspn(at, " ");
        found.list[found.count++] = find_field(columns, at, size);
        at += size + (at[size] == ' ');
    }
    return found;
}

/* ---- the heading ---- */

/* The names; a list has as many as it has items. */
static void put_heading(const plain *p, const char *records, const char *names, const plain_fields *fields,
                        const void *row)
{
    const hsd_scope scope = {.result = p->model->result, .row = row};
    const char *at = names;
    if (!records) return;
    hsd_out_format(p->out, "# %s", records);
    for (size_t i = 0; i < fields->count; i++) {
        const size_t size = strcspn(at, " ");
        const hsd_column *column = fields->list[i].column;
        const bool is_list = column && column->kind == HSD_KIND_LIST;
        const size_t count = is_list ? hsd_column_value(column, &scope).items.count : 1;
        for (size_t k = 0; k < count; k++) {
            hsd_out_format(p->out, "\t%.*s", (int)size, at);
            if (is_list) hsd_out_format(p->out, "_%zu", k + 1);
        }
        at += size + (at[size] == ' ');
    }
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
        hsd_out_format(p->out, "%s%llu", i > 0 ? "\t" : "", (unsigned long long)hsd_column_value(columns, &item).count);
    }
}

static void put_count(const plain *p, uint64_t value) { hsd_out_format(p->out, "%llu", (unsigned long long)value); }
static void put_signed(const plain *p, int64_t value) { hsd_out_format(p->out, "%lld", (long long)value); }

static void put_value(const plain *p, const plain_field *field, const hsd_scope *scope)
{
    const hsd_value value = hsd_column_value(field->column, scope);
    const bool is_bytes = field->component == BYTES;
    char number[HSD_NUMBER_CHARS];
    switch ((unsigned)value.kind) { /* all others are empty */
    case HSD_KIND_TEXT: hsd_out_escaped(p->out, p->form, value.text); break;
    case HSD_KIND_WORDS: put_words(p, field->column, scope); break;
    case HSD_KIND_COUNT:
    case HSD_KIND_BYTES: put_count(p, value.count); break;
    case HSD_KIND_SIGNED: put_signed(p, value.number); break;
    case HSD_KIND_FLAG: hsd_out_text(p->out, value.flag ? "yes" : "no"); break;
    case HSD_KIND_MILLIONTHS: hsd_out_text(p->out, hsd_format_p(number, (uint32_t)value.count)); break;
    case HSD_KIND_TIME:
    case HSD_KIND_HEX: hsd_out_text(p->out, value.hex); break;
    case HSD_KIND_AMOUNT: put_count(p, is_bytes ? value.amount.bytes : value.amount.objects); break;
    case HSD_KIND_NET: put_signed(p, is_bytes ? value.net.bytes : value.net.objects); break;
    case HSD_KIND_LIST: put_items(p, field->column->columns, &value.items, scope); break;
    default: break;
    }
}

static void put_field(const plain *p, const plain_field *field, const hsd_scope *row)
{
    hsd_scope scopes[DEPTH_MOST + 1] = {*row};
    hsd_out_text(p->out, "\t");
    if (!field->column) return;
    for (size_t i = 0; i < field->depth; i++) {
        const bool is_known = scopes[i].row && (!field->via[i]->is_known || field->via[i]->is_known(&scopes[i]));
        scopes[i + 1] = hsd_scope_into(field->via[i], &scopes[i]);
        if (!is_known) scopes[i + 1].row = NULL;
    }
    put_value(p, field, &scopes[field->depth]);
}

/* ---- records ---- */

static void put_text(const plain *p, const char *record, hsd_text text)
{
    hsd_out_format(p->out, "%s\t", record);
    hsd_out_escaped(p->out, p->form, text);
    hsd_out_text(p->out, "\n");
}

static void put_record(const plain *p, const char *record, const plain_fields *fields, const hsd_scope *scope)
{
    hsd_out_text(p->out, record);
    for (size_t i = 0; i < fields->count; i++)
        put_field(p, &fields->list[i], scope);
    hsd_out_text(p->out, "\n");
}

static void put_below(const plain *p, const hsd_below *below, const hsd_scope *row)
{
    if (!below->record || !below->plain) return;
    const plain_fields fields = find_fields(below->list->columns, below->plain);
    const hsd_value list = hsd_column_value(below->list, row);
    for (size_t i = 0; i < list.items.count; i++) {
        const hsd_scope item = hsd_scope_item(&list.items, i, row);
        put_record(p, below->record, &fields, &item);
    }
}

/* A row without its first field is none. */
static bool is_absent(const plain_field *first, const hsd_scope *row)
{
    return first->column && first->depth == 0 && hsd_column_value(first->column, row).kind == HSD_KIND_ABSENT;
}

static void put_table(const plain *p, const hsd_part *part)
{
    const hsd_sheet *sheet = &part->sheet;
    const plain_fields fields = find_fields(part->columns, part->plain);
    if (sheet->is_unknown) {
        put_text(p, sheet->why_plain, sheet->why);
        return;
    }
    put_heading(p, part->names, part->plain, &fields, NULL);
    for (size_t k = 0; k < 2 && part->below[k].names; k++) {
        const plain_fields below = find_fields(part->below[k].list->columns, part->below[k].plain);
        put_heading(p, part->below[k].names, part->below[k].plain, &below, NULL);
    }
    for (size_t i = 0; i < sheet->rows.count; i++) {
        const hsd_scope scope = hsd_sheet_row(p->model, sheet, i);
        if (is_absent(&fields.list[0], &scope)) continue;
        put_record(p, part->record, &fields, &scope);
        for (size_t k = 0; k < 2; k++)
            put_below(p, &part->below[k], &scope);
    }
    if (sheet->other_count == 0) return;
    const hsd_scope others = hsd_sheet_others(p->model, sheet);
    put_record(p, part->others_record, &fields, &others);
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
        const plain_fields fields = find_fields(part->columns, part->plain);
        put_heading(&p, part->names, part->plain, &fields, part->row);
        put_record(&p, part->record, &fields, &scope);
    }
}

hsd_status hsd_plain_write(const hsd_reported *result, const hsd_report_options *options, hsd_write_fn write,
                           void *context, hsd_error *err)
{
    return hsd_write_model(result, HSD_IN_PLAIN, put_all, options, write, context, err);
}
