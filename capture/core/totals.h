/*
 * The counters behind the summaries at the end of a capture: by type and size bucket, by category, by
 * kind of root. The only table of the writer that grows with the program it looks at, and it grows with
 * the kinds of things in it, not with their number.
 */
#ifndef HSC_TOTALS_H
#define HSC_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

/* Key of an entry: axis << 40 | id << 8 | bucket. In the order of keys the entries stand as they are written. */
enum hsc_axis { HSC_AXIS_TYPE = 1, HSC_AXIS_CATEGORY = 2, HSC_AXIS_ROOT_KIND = 3 };
enum { HSC_NO_BUCKET = 255 }; /* objects that were only counted; other axes */

typedef struct hsc_total {
    uint64_t key; /* 0 = free */
    uint64_t count, bytes, native_bytes;
} hsc_total;

typedef struct hsc_totals {
    hsc_total *entries; /* open addressing; a power of two of them */
    size_t capacity, used;
    const hsc_allocator *allocator;
    hsc_total *recent[4]; /* by axis, the entry found last: objects of one type come in runs */
} hsc_totals;

static inline uint64_t hsc_total_key(enum hsc_axis axis, uint32_t id, unsigned bucket)
{
    return (uint64_t)axis << 40 | (uint64_t)id << 8 | bucket;
}

static inline enum hsc_axis hsc_total_axis(uint64_t key) { return (enum hsc_axis)(key >> 40); }
static inline uint32_t hsc_total_id(uint64_t key) { return (uint32_t)(key >> 8); }
static inline unsigned hsc_total_bucket(uint64_t key) { return (unsigned)(key & 0xFF); }

/* Log2 bucket of a size (FORMAT.md 6.14). */
static inline unsigned hsc_size_bucket(uint64_t size_bytes)
{
    return size_bytes == 0 ? 0 : 64u - (unsigned)__builtin_clzll(size_bytes);
}

/* What hsc_totals_init allocates. */
size_t hsc_totals_first_bytes(void);

/* False if memory ran out. The allocator (memory.h) is borrowed. */
bool hsc_totals_init(hsc_totals *totals, const hsc_allocator *allocator);

/* The entry of a key, new ones zeroed; NULL if the table had to grow and could not. Valid until the next call. */
hsc_total *hsc_totals_find(hsc_totals *totals, uint64_t key);

/* Moves the entries to the front, in the order of keys. Nothing may be found after that. */
void hsc_totals_sort(hsc_totals *totals);

void hsc_totals_release(hsc_totals *totals);

/* Sums stay at the largest number instead of passing it (FORMAT.md 1.5). */
static inline void hsc_add(uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum)) *sum = UINT64_MAX;
}

#endif
