/*
 * Pairs of numbers -> numbers in order of arrival, from 1: sites by caller and frame, sums by site and type. The first
 * number of a pair is a small one (a place in an array), and most have a single second beside them: that one stands in
 * the array, and only further ones go through a hash table. What comes new mostly lies next to what came before it, so
 * it costs no miss of the cache, where a hash table alone costs one or two. A zeroed one is valid and empty.
 */
#ifndef HSD_IMPORT_PAIR_TABLE_H
#define HSD_IMPORT_PAIR_TABLE_H

#include "import/id_table.h"

typedef struct hsd_pair_first {
    uint32_t second, number; /* number 0 = there is none yet */
} hsd_pair_first;

typedef struct hsd_pair_table {
    hsd_pair_first *firsts; /* by the first number of the pair */
    hsd_id_table others;    /* first << 32 | second of all but those -> row + 1 */
    uint32_t *numbers;      /* by that row */
    uint32_t first_room, number_room;
    uint32_t count;
} hsd_pair_table;

/* The number of a pair; the next free one (count after the call) if it is new. `first` is below 2^32 - 1, and an array
 * has room for it. */
hsd_status hsd_pair_table_put(hsd_pair_table *table, uint32_t first, uint32_t second, uint32_t *number, hsd_error *err);

uint64_t hsd_pair_table_memory(const hsd_pair_table *table);
void hsd_pair_table_release(hsd_pair_table *table);

#endif
