/*
 * Producer's numbers to dense ones: an array for the keys a counting producer uses, a hash table for
 * the rest. The array grows only while at least every fourth of its places is in use, so a capture
 * that uses the numbers 1 and 2^31 - 1 costs a handful of bytes.
 */
#include "base/id_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/fail.h"

#define FIRST_DENSE 1024u

static uint32_t slot_of(const hsd_id_map *map, uint32_t key)
{
    return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (map->slot_count - 1);
}

static hsd_status grow_dense(hsd_id_map *map, uint32_t wanted, hsd_error *err)
{
    uint32_t *grown = realloc(map->dense, (size_t)wanted * sizeof *grown);
    if (grown == NULL) return hsd_fail_nomem(err, "a table of numbers");
    for (uint32_t key = map->dense_count; key < wanted; key++) {
        grown[key] = hsd_id_map_find_sparse(map, key);
        map->dense_used += grown[key] != HSD_ID_NONE;
    }
    map->dense = grown;
    map->dense_count = wanted;
    return HSD_OK;
}

static void put_slot(hsd_id_map *map, uint32_t key, uint32_t value)
{
    uint32_t slot = slot_of(map, key);
    while (map->slots[slot] != 0 && (uint32_t)(map->slots[slot] >> 32) != key) {
        slot = (slot + 1) & (map->slot_count - 1);
    }
    if (map->slots[slot] == 0) map->slots_used++;
    map->slots[slot] = (uint64_t)key << 32 | (value + 1);
}

static hsd_status grow_slots(hsd_id_map *map, hsd_error *err)
{
    const uint32_t old_count = map->slot_count;
    uint64_t *old = map->slots;
    const uint32_t wanted = old_count == 0 ? 64 : old_count * 2;
    uint64_t *slots = calloc(wanted, sizeof *slots);
    if (slots == NULL) return hsd_fail_nomem(err, "a table of numbers");
    map->slots = slots;
    map->slot_count = wanted;
    map->slots_used = 0;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] != 0) put_slot(map, (uint32_t)(old[i] >> 32), (uint32_t)old[i] - 1);
    }
    free(old);
    return HSD_OK;
}

hsd_status hsd_id_map_put(hsd_id_map *map, uint32_t key, uint32_t value, hsd_error *err)
{
    HSD_ASSERT(value < HSD_ID_NONE);
    const uint64_t fair = FIRST_DENSE + 4 * ((uint64_t)map->dense_used + map->slots_used);
    if (key >= map->dense_count && key < fair && key < (UINT32_C(1) << 30)) {
        HSD_TRY(grow_dense(map, key < FIRST_DENSE ? FIRST_DENSE : key + key / 2, err));
    }
    if (key < map->dense_count) {
        map->dense_used += map->dense[key] == HSD_ID_NONE;
        map->dense[key] = value;
        return HSD_OK;
    }
    if ((map->slots_used + 1) * UINT64_C(4) > map->slot_count * UINT64_C(3)) HSD_TRY(grow_slots(map, err));
    put_slot(map, key, value);
    return HSD_OK;
}

uint32_t hsd_id_map_find_sparse(const hsd_id_map *map, uint32_t key)
{
    HSD_ASSERT(map->slots_used <= map->slot_count);
    if (map->slot_count == 0) return HSD_ID_NONE;
    for (uint32_t slot = slot_of(map, key); map->slots[slot] != 0; slot = (slot + 1) & (map->slot_count - 1)) {
        if ((uint32_t)(map->slots[slot] >> 32) == key) return (uint32_t)map->slots[slot] - 1;
    }
    return HSD_ID_NONE;
}

size_t hsd_id_map_memory(const hsd_id_map *map)
{
    return (size_t)map->dense_count * sizeof *map->dense + (size_t)map->slot_count * sizeof *map->slots;
}

void hsd_id_map_release(hsd_id_map *map)
{
    free(map->dense);
    free(map->slots);
    memset(map, 0, sizeof *map);
}
