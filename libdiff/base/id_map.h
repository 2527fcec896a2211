/*
 * Numbers chosen by a producer (types, labels, strings) -> small dense numbers. Producers usually
 * count from 1, and then this is one array look-up; scattered numbers go to a hash table. Grows with
 * the number of distinct keys, never with their values. A zeroed hsd_id_map is valid and empty.
 */
#ifndef HSD_BASE_ID_MAP_H
#define HSD_BASE_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

#define HSD_ID_NONE UINT32_MAX

typedef struct hsd_id_map {
    uint32_t *dense; /* key -> value, for keys below dense_count; HSD_ID_NONE = absent */
    uint32_t dense_count, dense_used;
    uint64_t *slots; /* key << 32 | value + 1; 0 = empty; open addressing */
    uint32_t slot_count, slots_used;
} hsd_id_map;

/* Sets key -> value (value < HSD_ID_NONE), replacing an older value. HSD_E_NOMEM. */
hsd_status hsd_id_map_put(hsd_id_map *map, uint32_t key, uint32_t value, hsd_error *err);

/* Slow path of hsd_id_map_get. */
uint32_t hsd_id_map_find_sparse(const hsd_id_map *map, uint32_t key);

/* The value of a key, or HSD_ID_NONE. */
static inline uint32_t hsd_id_map_get(const hsd_id_map *map, uint32_t key)
{
    return key < map->dense_count ? map->dense[key] : hsd_id_map_find_sparse(map, key);
}

size_t hsd_id_map_memory(const hsd_id_map *map);
void hsd_id_map_release(hsd_id_map *map);

#endif
