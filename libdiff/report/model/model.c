/*
 * Values of columns, rows of tables.
 */
#include "report/model/model.h"

#include <string.h>

#include "base/check.h"

/* ---- values ---- */

hsd_value hsd_value_text(hsd_text text) { return (hsd_value){.kind = HSD_KIND_TEXT, .text = text}; }
hsd_value hsd_value_count(uint64_t count) { return (hsd_value){.kind = HSD_KIND_COUNT, .count = count}; }
hsd_value hsd_value_signed(int64_t number) { return (hsd_value){.kind = HSD_KIND_SIGNED, .number = number}; }
hsd_value hsd_value_amount(hsd_amount amount) { return (hsd_value){.kind = HSD_KIND_AMOUNT, .amount = amount}; }
hsd_value hsd_value_net(int64_t objects, int64_t bytes)
{
    return (hsd_value){.kind = HSD_KIND_NET, .net = {objects, bytes}};
}
hsd_value hsd_value_share(uint64_t part, uint64_t whole)
{
    return (hsd_value){.kind = HSD_KIND_SHARE, .share = {part, whole}};
}
hsd_value hsd_value_growth(int64_t bytes) { return (hsd_value){.kind = HSD_KIND_GROWTH, .number = bytes}; }
hsd_value hsd_value_percent(uint64_t before, uint64_t after)
{
    return (hsd_value){.kind = HSD_KIND_PERCENT, .share = {before, after}};
}
hsd_value hsd_value_bytes(uint64_t bytes) { return (hsd_value){.kind = HSD_KIND_BYTES, .count = bytes}; }
hsd_value hsd_value_null(void) { return (hsd_value){.kind = HSD_KIND_NULL}; }

hsd_value hsd_value_string(const char *text)
{
    return hsd_value_text((hsd_text){text ? text : "", text ? strlen(text) : 0});
}

hsd_value hsd_value_items(const void *first, size_t count, size_t stride)
{
    return (hsd_value){.kind = HSD_KIND_LIST, .items = {first, count, stride, false}};
}

const char *hsd_root_kind_word(uint32_t kind)
{
    static const char *const words[] = {"unknown", "global",   "static",    "stack",   "thread",  "handle",
                                        "class",   "interned", "finalizer", "monitor", "runtime", "register"};
    return words[kind < HSD_ARRAY_LEN(words) ? kind : 0];
}

static hsd_value time_value(uint64_t ns)
{
    hsd_value value = {.kind = HSD_KIND_TIME};
    if (ns > 0) hsd_format_time(value.hex, ns);
    return value;
}

static hsd_value hex_value(const uint8_t *id)
{
    static const uint8_t none[16];
    hsd_value value = {.kind = HSD_KIND_HEX};
    if (memcmp(id, none, sizeof none) != 0) hsd_format_hex(value.hex, id);
    return value;
}

static hsd_value items_value(const hsd_column *column, const char *row)
{
    hsd_value value = {.kind = HSD_KIND_LIST,
                       .items = {.stride = column->stride, .are_pointers = (column->flags & HSD_OF_POINTERS) != 0}};
    memcpy(&value.items.first, row + column->at, sizeof value.items.first);
    memcpy(&value.items.count, row + column->count_at, sizeof value.items.count);
    return value;
}

#define READ(type) (*(const type *)(const void *)((const char *)row + column->at))

/* What stands in the row. */
static hsd_value value_at(const hsd_column *column, const void *row)
{
    switch (column->kind) {
    case HSD_KIND_TEXT: return hsd_value_text(READ(hsd_text));
    case HSD_KIND_STRING: return hsd_value_string(READ(const char *));
    case HSD_KIND_COUNT: return hsd_value_count(READ(uint64_t));
    case HSD_KIND_SIZE: return hsd_value_count(READ(size_t));
    case HSD_KIND_COUNT32: return hsd_value_count(READ(uint32_t));
    case HSD_KIND_BYTES:
    case HSD_KIND_ID: return (hsd_value){.kind = column->kind, .count = READ(uint64_t)};
    case HSD_KIND_SIGNED: return hsd_value_signed(READ(int64_t));
    case HSD_KIND_FLAG: return (hsd_value){.kind = HSD_KIND_FLAG, .flag = READ(bool)};
    case HSD_KIND_AMOUNT: return hsd_value_amount(READ(hsd_amount));
    case HSD_KIND_MILLIONTHS: return (hsd_value){.kind = HSD_KIND_MILLIONTHS, .count = READ(uint32_t)};
    case HSD_KIND_TIME: return time_value(READ(uint64_t));
    case HSD_KIND_HEX: return hex_value((const uint8_t *)row + column->at);
    case HSD_KIND_ROOT: return hsd_value_string(hsd_root_kind_word(READ(uint32_t)));
    case HSD_KIND_LIST: return items_value(column, row);
    case HSD_KIND_WORDS:
    case HSD_KIND_LABEL:
    case HSD_KIND_TOLD:
    case HSD_KIND_RECORD:
    case HSD_KIND_SPREAD: return (hsd_value){.kind = column->kind};
    case HSD_KIND_END:
    case HSD_KIND_ABSENT:
    case HSD_KIND_NULL:
    case HSD_KIND_NET:
    case HSD_KIND_SHARE:
    case HSD_KIND_FRACTION:
    case HSD_KIND_PERCENT:
    case HSD_KIND_GROWTH:
    case HSD_KIND_TREND: break;
    }
    return hsd_value_null();
}

static bool is_empty(const hsd_value *value)
{
    switch ((unsigned)value->kind) { /* all others are never empty */
    case HSD_KIND_TEXT: return value->text.size == 0;
    case HSD_KIND_COUNT:
    case HSD_KIND_BYTES:
    case HSD_KIND_ID:
    case HSD_KIND_MILLIONTHS: return value->count == 0;
    case HSD_KIND_AMOUNT: return value->amount.objects == 0;
    case HSD_KIND_TIME:
    case HSD_KIND_HEX: return value->hex[0] == '\0';
    case HSD_KIND_LIST: return value->items.count == 0;
    default: return false;
    }
}

hsd_value hsd_column_value(const hsd_column *column, const hsd_scope *scope)
{
    if (column->has && !column->has(scope)) return (hsd_value){.kind = HSD_KIND_ABSENT};
    if (!scope->row || (column->is_known && !column->is_known(scope))) return hsd_value_null();
    const hsd_value value = column->get ? column->get(scope) : value_at(column, scope->row);
    if ((column->flags & HSD_NULL_AT_MOST) != 0 && value.count == UINT64_MAX) return hsd_value_null();
    if ((column->flags & (HSD_IF_ANY | HSD_OR_NULL)) == 0 || !is_empty(&value)) return value;
    return (hsd_value){.kind = (column->flags & HSD_IF_ANY) ? HSD_KIND_ABSENT : HSD_KIND_NULL};
}

/* ---- rows ---- */

hsd_scope hsd_scope_into(const hsd_column *column, const hsd_scope *scope)
{
    const void *row = !scope->row ? NULL : column->into ? column->into(scope) : (const char *)scope->row + column->at;
    return (hsd_scope){.model = scope->model,
                       .result = scope->result,
                       .row = row,
                       .above = scope,
                       .index = scope->index,
                       .is_rest = scope->is_rest};
}

static const void *item_of(const hsd_items *items, size_t i)
{
    const char *item = (const char *)items->first + i * items->stride;
    if (!items->are_pointers) return item;
    const void *pointer;
    memcpy(&pointer, item, sizeof pointer);
    return pointer;
}

hsd_scope hsd_scope_item(const hsd_items *items, size_t i, const hsd_scope *scope)
{
    return (hsd_scope){
        .model = scope->model, .result = scope->result, .row = item_of(items, i), .above = scope, .index = i};
}

hsd_scope hsd_sheet_row(const hsd_model *model, const hsd_sheet *sheet, size_t i)
{
    return (hsd_scope){.model = model,
                       .result = model->result,
                       .row = sheet->row_at ? sheet->row_at(sheet, i) : item_of(&sheet->rows, i),
                       .index = i};
}

hsd_scope hsd_sheet_others(const hsd_model *model, const hsd_sheet *sheet)
{
    return (hsd_scope){
        .model = model, .result = model->result, .row = sheet->others, .index = sheet->rows.count, .is_rest = true};
}

/* ---- parts ---- */

#define TYPES_ON_SCREEN 20
#define ROOTS_ON_SCREEN 10

hsd_most hsd_most_of(const hsd_report_options *options, unsigned format)
{
    const size_t most = options->top > 0 ? options->top : HSD_TOP_ALL;
    hsd_most all = {most,          most,        most, .sites = most, .tree = options->tree ? HSD_TOP_ALL : 0,
                    .sizes = most, .ages = most};
    if ((format & HSD_IN_PEOPLE) != 0 && options->top == 0) {
        all.types = TYPES_ON_SCREEN;
        all.roots = ROOTS_ON_SCREEN;
    }
    if (format == HSD_IN_GAUGES && most > HSD_GAUGES_MOST) all.types = all.roots = all.holders = HSD_GAUGES_MOST;
    return all;
}

size_t hsd_model_rows(const hsd_model *model, size_t usual)
{
    const size_t top = model->options->top;
    return top > 0 && (model->format != HSD_AS_HTML || top < usual) ? top : usual;
}

void hsd_model_add(hsd_model *model, hsd_part part)
{
    if ((part.in & model->format) == 0) return;
    if (model->part_count < HSD_PARTS_MOST) model->parts[model->part_count++] = part;
}

uint64_t hsd_model_noise(const hsd_model *model) { return hsd_model_noise_of(model, model->result); }

uint64_t hsd_model_noise_of(const hsd_model *model, const hsd_diff *diff)
{
    return model->options->noise_bytes > 0 ? model->options->noise_bytes : hsd_noise_of(diff->total.before.bytes);
}
