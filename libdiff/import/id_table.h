/*
 * 64-bit ids of a file -> small numbers in order of arrival, from 1: the hash table of the
 * importers (classes, strings, frames, sites). Grows with the number of different keys. A zeroed one
 * is valid and empty.
 */
#ifndef HSD_IMPORT_ID_TABLE_H
#define HSD_IMPORT_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

typedef struct hsd_id_slot {
    uint64_t key;
    uint32_t number; /* 0 = empty */
    uint32_t unused;
} hsd_id_slot;

typedef struct hsd_id_table {
    hsd_id_slot *slots; /* a power of two of them, at most half full */
    uint64_t factor;    /* odd, drawn at random: nobody can prepare ids that collide */
    uint32_t shift;     /* 64 - log2 of the number of slots */
    uint32_t count;
} hsd_id_table;

/* The number of `key`, 0 if it has none. */
static inline uint32_t hsd_id_table_find(const hsd_id_table *table, uint64_t key)
{
    if (__builtin_expect(table->slots == NULL, 0)) return 0;
    const uint64_t mask = (UINT64_C(1) << (64 - table->shift)) - 1;
    uint64_t at = (key * table->factor) >> table->shift;
    while (table->slots[at].number != 0 && table->slots[at].key != key)
        at = (at + 1) & mask;
    return table->slots[at].number;
}

/* The number of `key`, the next free one (count after the call) if it is new. */
hsd_status hsd_id_table_put(hsd_id_table *table, uint64_t key, uint32_t *number, hsd_error *err);

uint64_t hsd_id_table_memory(const hsd_id_table *table);
void hsd_id_table_release(hsd_id_table *table);

/*
 * Makes room in a growing array of items of `size` bytes for index `count`. *items and *capacity are
 * those of the array; new items are zero.
 */
hsd_status hsd_import_grow(void **items, uint32_t *capacity, uint64_t count, size_t size, hsd_error *err);

#endif
