/* Rows of the first pass. See rows.h. */
#include "export/hprof/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"

#define FEW_SLOTS 16u /* are searched one by one */

hsd_status hsd_hout_grow(void **items, uint32_t *capacity, uint64_t count, size_t size, hsd_error *err)
{
    if (count < *capacity) return HSD_OK;
    const uint64_t wanted = hsd_max_u64(hsd_max_u64(count + 1, (uint64_t)*capacity * 2), 8);
    if (wanted > UINT32_MAX) return hsd_fail(err, HSD_E_UNSUPPORTED, "a table of more than %u entries", UINT32_MAX);
    return hsd_array_grow(items, size, capacity, sizeof *capacity, wanted, 0, true, "a table of a heap dump", err);
}

/* ---- the table ---- */

static uint32_t place_of(const hout_rows *rows, uint32_t type, uint64_t class_ordinal)
{
    uint32_t at = (uint32_t)(hsd_mix(hsd_mix(1, type), class_ordinal) & (rows->table_size - 1));
    for (;; at = (at + 1) & (rows->table_size - 1)) {
        const uint32_t number = rows->table[at];
        if (number == 0) return at;
        const hout_row *row = &rows->items[number - 1];
        if (row->type == type && row->class_ordinal == class_ordinal) return at;
    }
}

static hsd_status grow_table(hout_rows *rows, hsd_error *err)
{
    const uint32_t wanted = rows->table_size == 0 ? 256 : rows->table_size * 2;
    uint32_t *table = calloc(wanted, sizeof *table);
    if (table == NULL) return hsd_fail(err, HSD_E_NOMEM, "no memory for %u types", wanted);
    free(rows->table);
    rows->table = table;
    rows->table_size = wanted;
    for (uint32_t i = 0; i < rows->count; i++)
        rows->table[place_of(rows, rows->items[i].type, rows->items[i].class_ordinal)] = i + 1;
    return HSD_OK;
}

hsd_status hsd_hout_row(hout_rows *rows, uint32_t type, uint64_t class_ordinal, uint32_t *number, hsd_error *err)
{
    if (rows->count >= rows->table_size / 2) HSD_TRY(grow_table(rows, err));
    const uint32_t at = place_of(rows, type, class_ordinal);
    if (rows->table[at] == 0) {
        HSD_TRY(hsd_hout_grow((void **)&rows->items, &rows->capacity, rows->count, sizeof *rows->items, err));
        rows->items[rows->count] = (hout_row){.type = type,
                                              .class_ordinal = class_ordinal,
                                              .least = UINT64_MAX,
                                              .inside_offset = UINT32_MAX,
                                              .text_offset = UINT32_MAX};
        rows->table[at] = ++rows->count;
    }
    *number = rows->table[at] - 1;
    return HSD_OK;
}

/* ---- slots ---- */

static uint32_t slot_place(const hout_row *row, uint32_t name, uint32_t nth)
{
    uint32_t at = (uint32_t)(hsd_mix(hsd_mix(1, name), nth) & (row->slot_table_size - 1));
    for (;; at = (at + 1) & (row->slot_table_size - 1)) {
        const uint32_t number = row->slot_table[at];
        if (number == 0 || (row->slots[number - 1].name == name && row->slots[number - 1].nth == nth)) return at;
    }
}

uint32_t hsd_hout_search_slot(const hout_row *row, uint32_t name, uint32_t nth)
{
    if (row->slot_table != NULL) return row->slot_table[slot_place(row, name, nth)] - 1; /* none: 0 - 1 */
    for (uint32_t i = 0; i < row->slot_count; i++)
        if (row->slots[i].name == name && row->slots[i].nth == nth) return i;
    return UINT32_MAX;
}

void hsd_hout_forget_slots(hout_row *row)
{
    free(row->slot_table);
    row->slot_table = NULL;
    row->slot_table_size = 0;
}

static hsd_status index_slots(hout_rows *rows, hout_row *row, hsd_error *err)
{
    const uint32_t wanted = row->slot_table_size == 0 ? 4 * FEW_SLOTS : row->slot_table_size * 2;
    uint32_t *table = calloc(wanted, sizeof *table);
    if (table == NULL) return hsd_fail_nomem(err, "the names of a type");
    rows->slot_bytes += (wanted - row->slot_table_size) * sizeof *table;
    free(row->slot_table);
    row->slot_table = table;
    row->slot_table_size = wanted;
    for (uint32_t i = 0; i < row->slot_count; i++)
        table[slot_place(row, row->slots[i].name, row->slots[i].nth)] = i + 1;
    return HSD_OK;
}

hsd_status hsd_hout_put_slot(hout_rows *rows, hout_row *row, uint32_t name, uint32_t nth, uint32_t most, uint32_t *slot,
                             hsd_error *err)
{
    *slot = UINT32_MAX;
    if (row->slot_count >= most) return HSD_OK;
    const uint32_t before = row->slot_capacity;
    HSD_TRY(hsd_hout_grow((void **)&row->slots, &row->slot_capacity, row->slot_count, sizeof *row->slots, err));
    rows->slot_bytes += (uint64_t)(row->slot_capacity - before) * sizeof *row->slots;
    row->slots[row->slot_count] = (hout_slot){.name = name, .nth = nth, .offset = UINT32_MAX};
    *slot = row->slot_count++;
    if (row->slot_count <= FEW_SLOTS) return HSD_OK;
    if (row->slot_count * 2 > row->slot_table_size) return index_slots(rows, row, err);
    row->slot_table[slot_place(row, name, nth)] = row->slot_count;
    return HSD_OK;
}

hsd_status hsd_hout_join_rows(hout_rows *rows, hout_row *to, const hout_row *from, hsd_error *err)
{
    for (uint32_t i = 0; i < from->slot_count; i++) {
        const hout_slot *slot = &from->slots[i];
        uint32_t at = hsd_hout_find_slot(to, slot->name, slot->nth, i);
        if (at == UINT32_MAX) HSD_TRY(hsd_hout_put_slot(rows, to, slot->name, slot->nth, HOUT_MOST_SLOTS, &at, err));
        if (at != UINT32_MAX)
            to->slots[at].uses += slot->uses;
        else
            to->unnamed += slot->uses;
    }
    to->objects += from->objects;
    to->named += from->named;
    to->elements += from->elements;
    to->unnamed += from->unnamed;
    to->least = hsd_min_u64(to->least, from->least);
    to->most = hsd_max_u64(to->most, from->most);
    to->small_objects += from->small_objects;
    to->small_bytes += from->small_bytes;
    to->widest = hsd_max_u64(to->widest, from->widest);
    to->has_values |= from->has_values;
    return HSD_OK;
}

uint64_t hsd_hout_rows_memory(const hout_rows *rows)
{
    return rows->capacity * sizeof *rows->items + rows->table_size * sizeof *rows->table + rows->slot_bytes;
}

void hsd_hout_rows_release(hout_rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        hsd_hout_forget_slots(&rows->items[i]);
        free(rows->items[i].slots);
    }
    free(rows->items);
    free(rows->table);
    *rows = (hout_rows){0};
}
