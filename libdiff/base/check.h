/*
 * Arithmetic on numbers that come from files. Every sum and product of such numbers goes through
 * these, so that a hostile length becomes an error and never a small allocation.
 */
#ifndef HSD_BASE_CHECK_H
#define HSD_BASE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False on overflow; *out is then unspecified. */
static inline bool hsd_add_u64(uint64_t a, uint64_t b, uint64_t *out) { return !__builtin_add_overflow(a, b, out); }

static inline bool hsd_mul_u64(uint64_t a, uint64_t b, uint64_t *out) { return !__builtin_mul_overflow(a, b, out); }

static inline bool hsd_add_size(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }

static inline bool hsd_mul_size(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }

/* For totals that are only ever shown: sticks at the largest value instead of wrapping. */
static inline uint64_t hsd_add_saturating(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t hsd_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t hsd_max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

#define HSD_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
