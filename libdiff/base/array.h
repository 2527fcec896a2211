/*
 * Arrays that grow: a pointer, a count and a capacity that their owner keeps where it likes. The capacity is a uint32_t
 * or a size_t and counts items; an empty array is NULL and 0. Sums and products are checked, so a hostile number is
 * HSD_E_NOMEM and never a small allocation.
 *
 *      HSD_TRY(HSD_ARRAY_GROW(list->rows, list->capacity, list->count + 1, 64, "the rows", err));
 *      list->rows[list->count++] = row;
 *
 * Who has a budget asks hsd_array_next first, what the array would grow to, and refuses in words of its own.
 */
#ifndef HSD_BASE_ARRAY_H
#define HSD_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

/* The capacity that an array gets to hold `wanted` items: its own where that suffices, else twice that and at least
 * `first`, or `wanted` where that is more. */
static inline uint64_t hsd_array_next(uint64_t capacity, uint64_t wanted, uint64_t first)
{
    if (wanted <= capacity) return capacity;
    const uint64_t doubled = capacity > UINT64_MAX / 2 ? UINT64_MAX : 2 * capacity;
    const uint64_t next = doubled < first ? first : doubled;
    return next < wanted ? wanted : next;
}

/* Like HSD_ARRAY_GROW, of an array that only addresses tell of: `items` is that of the pointer, `capacity` that of a
 * number of `capacity_bytes` bytes, 4 or 8. New items are zeroed where `is_zeroed`, else undefined. */
hsd_status hsd_array_grow(void *items, size_t item_bytes, void *capacity, size_t capacity_bytes, uint64_t wanted,
                          uint64_t first, bool is_zeroed, const char *what, hsd_error *err);

/*
 * Room for `wanted` items in the array `items`, whose capacity is `capacity`; both are named twice and must have no
 * side effects. Grows as hsd_array_next says. HSD_E_NOMEM ("out of memory for <what>") leaves the array as it was.
 */
#define HSD_ARRAY_GROW(items, capacity, wanted, first, what, err)                                                      \
    ((wanted) <= (capacity)                                                                                            \
         ? HSD_OK                                                                                                      \
         : hsd_array_grow(&(items), sizeof *(items), &(capacity), sizeof(capacity), wanted, first, false, what, err))

/* The same, and what is new is zeroed. */
#define HSD_ARRAY_GROW_ZEROED(items, capacity, wanted, first, what, err)                                               \
    ((wanted) <= (capacity)                                                                                            \
         ? HSD_OK                                                                                                      \
         : hsd_array_grow(&(items), sizeof *(items), &(capacity), sizeof(capacity), wanted, first, true, what, err))

#endif
