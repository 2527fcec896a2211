/*
 * Interned names: bytes -> dense number, and back. Used for types, root labels and every other
 * table whose size is the number of distinct names, not of objects. Lookup by hash, open
 * addressing; names live in an arena and never move.
 */
#ifndef HSD_BASE_NAMES_H
#define HSD_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/buffer.h"
#include <hsdiff/status.h>

#define HSD_NAME_NONE UINT32_MAX

typedef struct hsd_names {
    hsd_arena arena;
    hsd_bytes *entries; /* index = number of the name */
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* hash table of number + 1; 0 = empty */
    uint32_t slot_count;
    uint64_t seed; /* of the hash, random; the numbers do not depend on it */
} hsd_names;

/*
 * The number of `name`, giving it the next free one if it is new. *out is < UINT32_MAX.
 * HSD_E_NOMEM, or HSD_E_UNSUPPORTED past 3 * 2^29 names. Amortised O(length).
 */
hsd_status hsd_names_put(hsd_names *names, hsd_bytes name, uint32_t *out, hsd_error *err);

/* The number of `name`, or HSD_NAME_NONE. */
uint32_t hsd_names_find(const hsd_names *names, hsd_bytes name);

/* The bytes of a number below names->count; NUL-terminated behind its size. */
static inline hsd_bytes hsd_names_get(const hsd_names *names, uint32_t number)
{
    HSD_ASSERT(number < names->count);
    return names->entries[number];
}

/* Bytes taken from the system. */
size_t hsd_names_memory(const hsd_names *names);

void hsd_names_release(hsd_names *names);

/* 64-bit hash of bytes, stable across runs and machines (own multiply-rotate mix, no third party). */
uint64_t hsd_hash_bytes(const void *data, size_t size, uint64_t seed);

#endif
