/*
 * Pairs of numbers: the first second of each in an array, all others in a hash table. See pair_table.h.
 */
#include "import/pair_table.h"

#include <stdlib.h>

#include "base/check.h"

static hsd_status put_other(hsd_pair_table *table, uint64_t key, uint32_t *number, hsd_error *err)
{
    const uint32_t before = table->others.count;
    uint32_t row;
    HSD_TRY(hsd_id_table_put(&table->others, key, &row, err));
    if (table->others.count > before) {
        HSD_TRY(hsd_import_grow((void **)&table->numbers, &table->number_room, row, sizeof *table->numbers, err));
        table->numbers[row] = ++table->count;
    }
    *number = table->numbers[row];
    return HSD_OK;
}

hsd_status hsd_pair_table_put(hsd_pair_table *table, uint32_t first, uint32_t second, uint32_t *number, hsd_error *err)
{
    if (first >= table->first_room)
        HSD_TRY(hsd_import_grow((void **)&table->firsts, &table->first_room, first, sizeof *table->firsts, err));
    hsd_pair_first *known = &table->firsts[first];
    if (known->number != 0 && known->second != second)
        return put_other(table, (uint64_t)first << 32 | second, number, err);
    if (known->number == 0) *known = (hsd_pair_first){.second = second, .number = ++table->count};
    *number = known->number;
    return HSD_OK;
}

uint64_t hsd_pair_table_memory(const hsd_pair_table *table)
{
    return table->first_room * sizeof *table->firsts + table->number_room * sizeof *table->numbers +
           hsd_id_table_memory(&table->others);
}

void hsd_pair_table_release(hsd_pair_table *table)
{
    free(table->firsts);
    free(table->numbers);
    hsd_id_table_release(&table->others);
    *table = (hsd_pair_table){0};
}
