/*
 * The join by name.
 */
#include "series/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/pool_name.h"

hsd_status hsd_named_table_open(hsd_named_table *table, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err)
{
    *table = (hsd_named_table){.memory_bytes = memory_bytes};
    HSD_TRY(hsd_columns_open(&table->columns, space, err));
    return hsd_columns_reach(&table->columns, HSD_NOT_TOLD_APART, err);
}

static hsd_status reach_facts(hsd_named_table *table, uint32_t name, hsd_error *err)
{
    return HSD_ARRAY_GROW_ZEROED(table->facts, table->facts_capacity, name + 1, 64, "the rows of the series", err);
}

/* Counted by what was asked for, so that it does not depend on how names are kept. */
static bool is_room_for(hsd_named_table *table, hsd_text name)
{
    uint64_t bytes = HSD_NAMED_ROW_BYTES + 2 * (uint64_t)name.size;
    table->is_full = table->is_full || bytes > table->memory_bytes;
    if (!table->is_full) table->memory_bytes -= bytes;
    return !table->is_full;
}

hsd_status hsd_named_table_row(hsd_named_table *table, hsd_text name, uint32_t *out, hsd_error *err)
{
    uint32_t number = hsd_names_find(&table->names, hsd_series_bytes(name));
    *out = HSD_NOT_TOLD_APART;
    if (number == HSD_NAME_NONE) {
        if (!is_room_for(table, name)) return HSD_OK;
        HSD_TRY(hsd_names_put(&table->names, hsd_series_bytes(name), &number, err));
        HSD_TRY(reach_facts(table, number, err));
    }
    *out = number + 1;
    return hsd_columns_reach(&table->columns, *out, err);
}

hsd_status hsd_named_table_add(hsd_named_table *table, hsd_text name, hsd_named facts, hsd_amount live, hsd_error *err)
{
    uint32_t row;
    if (live.objects == 0 && live.bytes == 0) return HSD_OK;
    HSD_TRY(hsd_named_table_row(table, name, &row, err));
    if (row == HSD_NOT_TOLD_APART)
        table->untold++;
    else
        table->facts[row - 1] = facts;
    hsd_columns_add(&table->columns, row, live);
    return HSD_OK;
}

hsd_status hsd_named_table_end(hsd_named_table *table, hsd_error *err)
{
    table->most_untold = hsd_max_u64(table->most_untold, table->untold);
    table->untold = 0;
    return hsd_columns_end(&table->columns, err);
}

hsd_status hsd_named_table_add_types(hsd_named_table *table, const hsd_profile *profile, hsd_error *err)
{
    for (size_t i = 0; i < profile->type_count; i++) {
        const hsd_top_type *type = &profile->types[i];
        HSD_TRY(hsd_named_table_add(table, type->name, (hsd_named){.flags = type->flags}, type->live, err));
    }
    return hsd_named_table_end(table, err);
}

hsd_status hsd_named_table_add_roots(hsd_named_table *table, const hsd_profile *profile, hsd_error *err)
{
    for (size_t i = 0; i < profile->root_count; i++) {
        const hsd_top_root *root = &profile->roots[i];
        char name[HSD_POOL_NAME_BYTES];
        HSD_TRY(hsd_named_table_add(table, hsd_pool_name(root->name, name),
                                    (hsd_named){.flags = root->kind, .is_shared = root->is_shared}, root->live, err));
    }
    return hsd_named_table_end(table, err);
}

uint32_t hsd_named_table_flags(const hsd_named_table *table, hsd_text name)
{
    const uint32_t number = hsd_names_find(&table->names, hsd_series_bytes(name));
    return number != HSD_NAME_NONE ? table->facts[number].flags : 0;
}

/* ---- the result ---- */

typedef struct naming {
    const hsd_named_table *table;
    hsd_series_store *store;
} naming;

static hsd_status name_row(void *context, uint32_t number, hsd_series_row *row, hsd_error *err)
{
    const naming *n = context;
    row->flags = n->table->facts[number].flags;
    row->is_shared = n->table->facts[number].is_shared;
    const hsd_text name = hsd_series_text_of(hsd_names_get(&n->table->names, number));
    if (n->table->is_of_lost) return hsd_named_table_name_lost(n->store, name, row, err);
    return hsd_series_text(n->store, name, &row->name, err);
}

hsd_status hsd_named_table_finish(hsd_named_table *table, hsd_series *series, hsd_series_table *out,
                                  uint64_t memory_bytes, hsd_error *err)
{
    naming n = {table, series->store};
    const uint32_t rows = table->columns.row_count;
    hsd_rows_source source = {.columns = &table->columns,
                              .target = malloc(rows * sizeof *source.target),
                              .candidate_count = rows - 1,
                              .memory_bytes = memory_bytes,
                              .untold_count = table->most_untold,
                              .name = name_row,
                              .context = &n};
    if (source.target == NULL) return hsd_fail_nomem(err, "the rows of the series");
    source.target[HSD_NOT_TOLD_APART] = rows - 1;
    for (uint32_t i = 1; i < rows; i++)
        source.target[i] = i - 1;
    const hsd_status status = hsd_rows_make(series, out, &source, err);
    free(source.target);
    return status;
}

void hsd_named_table_close(hsd_named_table *table)
{
    hsd_names_release(&table->names);
    hsd_columns_close(&table->columns);
    free(table->facts);
    memset(table, 0, sizeof *table);
}
