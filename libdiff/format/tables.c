/*
 * Loads the small tables of a capture. A number that is defined twice keeps its first meaning (the
 * format forbids it; verify says so), a number that is never defined has a documented default.
 */
#include "format/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Calls `take` for each record of a kind. */
static hsd_status for_each_format_table(hsd_capture *capture, hsd_record_kind kind,
                                        hsd_status (*take)(void *context, const hsd_record *record, hsd_error *err),
                                        void *context, hsd_error *err)
{
    hsd_record_reader *reader;
    HSD_TRY(hsd_record_reader_open(&reader, capture, kind, err));
    hsd_status status;
    for (;;) {
        hsd_record record;
        status = hsd_record_reader_next(reader, &record, err);
        if (status != HSD_OK) break;
        status = take(context, &record, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_bytes bytes_of(hsd_text text) { return (hsd_bytes){.data = (const uint8_t *)text.data, .size = text.size}; }

/* ---- types ---- */

static hsd_status number_type(hsd_type_names *names, hsd_bytes name, uint32_t flags, uint32_t *out, hsd_error *err)
{
    const uint32_t before = names->names.count;
    HSD_TRY(hsd_names_put(&names->names, name, out, err));
    if (names->names.count == before) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(names->flags, names->flag_capacity, *out + 1, 256, "the tables of a capture", err));
    names->flags[*out] = flags;
    return HSD_OK;
}

hsd_status hsd_type_names_init(hsd_type_names *names, hsd_error *err)
{
    static const char undefined[] = "(undefined type)";
    uint32_t number;
    memset(names, 0, sizeof *names);
    return number_type(names, (hsd_bytes){(const uint8_t *)undefined, sizeof undefined - 1}, 0, &number, err);
}

void hsd_type_names_release(hsd_type_names *names)
{
    hsd_names_release(&names->names);
    free(names->flags);
    memset(names, 0, sizeof *names);
}

typedef struct type_load {
    hsd_type_table *table;
    hsd_type_names *names;
} type_load;

static hsd_status grow_types(hsd_type_table *table, hsd_error *err)
{
    const uint64_t wanted = (uint64_t)table->capacity + 1;
    uint32_t capacity = table->capacity;
    HSD_TRY(HSD_ARRAY_GROW(table->common, capacity, wanted, 256, "the tables of a capture", err));
    return HSD_ARRAY_GROW(table->flags, table->capacity, wanted, 256, "the tables of a capture", err);
}

static hsd_status take_type(void *context, const hsd_record *record, hsd_error *err)
{
    const type_load *load = context;
    hsd_type_table *table = load->table;
    const hsd_type *type = &record->type;
    if (hsd_id_map_get(&table->index, type->id) != HSD_ID_NONE) return HSD_OK;
    if (table->count == table->capacity) HSD_TRY(grow_types(table, err));
    HSD_TRY(number_type(load->names, bytes_of(type->name), type->flags, &table->common[table->count], err));
    table->flags[table->count] = (uint8_t)type->flags;
    return hsd_id_map_put(&table->index, type->id, table->count++, err);
}

hsd_status hsd_type_table_load(hsd_type_table *table, hsd_capture *capture, hsd_type_names *names, hsd_error *err)
{
    type_load load = {.table = table, .names = names};
    memset(table, 0, sizeof *table);
    return for_each_format_table(capture, HSD_RECORD_TYPE, take_type, &load, err);
}

void hsd_type_table_release(hsd_type_table *table)
{
    hsd_id_map_release(&table->index);
    free(table->common);
    free(table->flags);
    memset(table, 0, sizeof *table);
}

/* ---- labels ---- */

static hsd_status take_label(void *context, const hsd_record *record, hsd_error *err)
{
    hsd_label_table *table = context;
    const hsd_label *label = &record->label;
    if (label->id == 0 || hsd_id_map_get(&table->index, label->id) != HSD_ID_NONE) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(table->labels, table->capacity, table->count + 1, 256, "the tables of a capture", err));
    table->labels[table->count] = *label;
    return hsd_id_map_put(&table->index, label->id, table->count++, err);
}

hsd_status hsd_label_table_load(hsd_label_table *table, hsd_capture *capture, hsd_error *err)
{
    memset(table, 0, sizeof *table);
    return for_each_format_table(capture, HSD_RECORD_LABEL, take_label, table, err);
}

void hsd_label_table_release(hsd_label_table *table)
{
    hsd_id_map_release(&table->index);
    free(table->labels);
    free(table->edges);
    memset(table, 0, sizeof *table);
}

/* ---- texts ---- */

hsd_status hsd_texts_want(hsd_texts *texts, uint32_t string, hsd_error *err)
{
    if (texts->names.count == 0) {
        uint32_t empty;
        HSD_TRY(hsd_names_put(&texts->names, (hsd_bytes){(const uint8_t *)"", 0}, &empty, err));
    }
    if (string == 0 || hsd_texts_has(texts, string)) return HSD_OK;
    texts->wanted++;
    return hsd_id_map_put(&texts->index, string, 0, err);
}

static hsd_status take_string(void *context, const hsd_record *record, hsd_error *err)
{
    hsd_texts *texts = context;
    const hsd_string *string = &record->string;
    uint32_t number;
    if (hsd_id_map_get(&texts->index, string->id) != 0) return HSD_OK;
    hsd_bytes text = bytes_of(string->text);
    if (texts->most_bytes > 0 && text.size > texts->most_bytes) text.size = texts->most_bytes;
    HSD_TRY(hsd_names_put(&texts->names, text, &number, err));
    return hsd_id_map_put(&texts->index, string->id, number, err);
}

hsd_status hsd_texts_load(hsd_texts *texts, hsd_capture *capture, hsd_error *err)
{
    if (texts->names.count == 0) return HSD_OK; /* nothing is wanted */
    return for_each_format_table(capture, HSD_RECORD_STRING, take_string, texts, err);
}

hsd_bytes hsd_texts_get(const hsd_texts *texts, uint32_t string)
{
    const uint32_t number = hsd_id_map_get(&texts->index, string);
    if (number == HSD_ID_NONE) return (hsd_bytes){(const uint8_t *)"", 0};
    return hsd_names_get(&texts->names, number);
}

void hsd_texts_release(hsd_texts *texts)
{
    hsd_id_map_release(&texts->index);
    hsd_names_release(&texts->names);
}
