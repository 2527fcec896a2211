/*
 * Values, records and lists of a row.
 */
#include "report/write/json_columns.h"

#include "report/write/write.h"

static void put_words(hsd_json_writer *json, const hsd_column *column, const hsd_scope *scope)
{
    hsd_buffer text = {0};
    hsd_out *out = json->out;
    if (out->status == HSD_OK) out->status = column->words(&text, scope, out->err);
    if (text.size == 0 && (column->flags & HSD_OR_NULL))
        hsd_json_put_null(json, column->key);
    else
        hsd_json_put_text(json, column->key, (hsd_text){(const char *)text.data, text.size});
    hsd_buffer_release(&text);
}

static void put_record(hsd_json_writer *json, const hsd_column *column, const hsd_scope *scope, unsigned format)
{
    const hsd_scope inner = hsd_scope_into(column, scope);
    if (!inner.row) {
        hsd_json_put_null(json, column->key);
        return;
    }
    hsd_json_open_object(json, column->key, HSD_JSON_INLINE);
    hsd_json_put_columns(json, column->columns, &inner, format);
    hsd_json_close(json);
}

/* ---- lists ---- */

static void put_value(hsd_json_writer *json, const hsd_column *column, const hsd_scope *scope, const hsd_value *value,
                      unsigned format);

/* {"process.rss": 64172032} */
static void put_map_entry(hsd_json_writer *json, const hsd_column *columns, const hsd_scope *item)
{
    const hsd_value key = hsd_column_value(&columns[0], item), value = hsd_column_value(&columns[1], item);
    hsd_json_put_count_of(json, key.text, value.count);
}

static void put_item(hsd_json_writer *json, const hsd_column *columns, const hsd_scope *item, unsigned format)
{
    const hsd_value first = hsd_column_value(columns, item);
    const bool is_bare = columns[0].key == NULL && columns[0].kind != HSD_KIND_SPREAD;
    if (first.kind == HSD_KIND_ABSENT) return;
    if (is_bare && columns[1].kind == HSD_KIND_END) {
        put_value(json, columns, item, &first, format);
        return;
    }
    if (is_bare)
        hsd_json_open_list(json, NULL, HSD_JSON_INLINE);
    else
        hsd_json_open_object(json, NULL, HSD_JSON_INLINE);
    hsd_json_put_columns(json, columns, item, format);
    hsd_json_close(json);
}

static void put_list(hsd_json_writer *json, const hsd_column *column, const hsd_scope *scope, const hsd_items *items,
                     unsigned format)
{
    const bool is_map = (column->flags & HSD_AS_MAP) != 0;
    const hsd_json_layout lines = (column->flags & HSD_CLOSED_BEHIND) ? HSD_JSON_BELOW : HSD_JSON_LINES,
                          layout =
                              (column->flags & HSD_ON_LINES) && format == HSD_IN_DOCUMENT ? lines : HSD_JSON_INLINE;
    if (is_map)
        hsd_json_open_object(json, column->key, layout);
    else
        hsd_json_open_list(json, column->key, layout);
    for (size_t i = 0; i < items->count; i++) {
        const hsd_scope item = hsd_scope_item(items, i, scope);
        if (is_map)
            put_map_entry(json, column->columns, &item);
        else
            put_item(json, column->columns, &item, format);
    }
    hsd_json_close(json);
}

/* ---- values ---- */

static void put_value(hsd_json_writer *json, const hsd_column *column, const hsd_scope *scope, const hsd_value *value,
                      unsigned format)
{
    const char *key = column->key;
    switch ((unsigned)value->kind) { /* all others are absent */
    case HSD_KIND_TEXT: hsd_json_put_text(json, key, value->text); break;
    case HSD_KIND_WORDS: put_words(json, column, scope); break;
    case HSD_KIND_COUNT:
    case HSD_KIND_BYTES: hsd_json_put_count(json, key, value->count); break;
    case HSD_KIND_SIGNED: hsd_json_put_signed(json, key, value->number); break;
    case HSD_KIND_FLAG: hsd_json_put_flag(json, key, value->flag); break;
    case HSD_KIND_ID: hsd_json_put_id(json, key, value->count); break;
    case HSD_KIND_AMOUNT: hsd_json_put_amount(json, key, value->amount); break;
    case HSD_KIND_NET: hsd_json_put_net(json, key, value->net.objects, value->net.bytes); break;
    case HSD_KIND_MILLIONTHS: hsd_json_put_millionths(json, key, (uint32_t)value->count); break;
    case HSD_KIND_TIME:
    case HSD_KIND_HEX: hsd_json_put_string(json, key, value->hex); break;
    case HSD_KIND_RECORD: put_record(json, column, scope, format); break;
    case HSD_KIND_LIST: put_list(json, column, scope, &value->items, format); break;
    case HSD_KIND_NULL: hsd_json_put_null(json, key); break;
    default: break;
    }
}

void hsd_json_put_columns(hsd_json_writer *json, const hsd_column *columns, const hsd_scope *scope, unsigned format)
{
    for (const hsd_column *column = columns; column->kind != HSD_KIND_END; column++) {
        if (!hsd_column_is_in(column, format)) continue;
        if (column->kind == HSD_KIND_SPREAD) {
            const hsd_scope inner = hsd_scope_into(column, scope);
            const bool is_there = inner.row && (!column->has || column->has(scope));
            if (is_there) hsd_json_put_columns(json, column->columns, &inner, format);
            continue;
        }
        const hsd_value value = hsd_column_value(column, scope);
        put_value(json, column, scope, &value, format);
    }
}

/* ---- sentences ---- */

/* Lines and paragraphs become one line. */
static void join_lines(hsd_buffer *text)
{
    size_t kept = 0;
    for (size_t i = 0; i < text->size; i++) {
        const uint8_t byte = text->data[i];
        const bool is_blank = byte == ' ' || byte == '\n';
        if (is_blank && (kept == 0 || text->data[kept - 1] == ' ')) continue;
        text->data[kept++] = is_blank ? ' ' : byte;
    }
    text->size = kept > 0 && text->data[kept - 1] == ' ' ? kept - 1 : kept;
}

void hsd_json_put_said(hsd_json_writer *json, const char *key, const hsd_model *model, const hsd_part *part)
{
    hsd_buffer text = {0};
    hsd_out *out = json->out;
    /* names are as long as in a file, whatever the terminal is that it goes to */
    hsd_report_options to_file = *model->options;
    to_file.width = 0;
    to_file.use_utf8 = true;
    hsd_model told = *model;
    told.options = &to_file;
    if (out->status == HSD_OK) out->status = hsd_part_words(&text, &told, part, HSD_ESCAPE_TERMINAL, out->err);
    join_lines(&text);
    hsd_json_put_text(json, key, (hsd_text){text.data != NULL ? (const char *)text.data : "", text.size});
    hsd_buffer_release(&text);
}
