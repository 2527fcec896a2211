/*
 * Binary search in anything that ascends: an array, a list on pages, numbers that are worked out. What is looked at is
 * an expression in `at`, so that a search costs what one by hand costs, and the numbers have the type of `at`.
 *
 *      uint32_t at;
 *      HSD_LOWER_BOUND(at, 0, list->count, list->rows[at].id, id);
 *      return at < list->count && list->rows[at].id == id ? &list->rows[at] : NULL;
 */
#ifndef HSD_BASE_SEARCH_H
#define HSD_BASE_SEARCH_H

#include <stdint.h>

/* Sets `at` to the first number of begin … end - 1 for which `is_before` is false, or to `end`: it must be true for
 * those in front of some number and false for all others. */
#define HSD_PARTITION(at, begin, end, is_before)                                                                       \
    do {                                                                                                               \
        uint64_t hsd_low_ = (begin), hsd_high_ = (end);                                                                \
        while (hsd_low_ < hsd_high_) {                                                                                 \
            (at) = (__typeof__(at))(hsd_low_ + (hsd_high_ - hsd_low_) / 2);                                            \
            if (is_before)                                                                                             \
                hsd_low_ = (uint64_t)(at) + 1;                                                                         \
            else                                                                                                       \
                hsd_high_ = (at);                                                                                      \
        }                                                                                                              \
        (at) = (__typeof__(at))hsd_low_;                                                                               \
    } while (0)

/* The first whose key is not less than `key`; `end` if there is none. */
#define HSD_LOWER_BOUND(at, begin, end, key_at, key) HSD_PARTITION(at, begin, end, (key_at) < (key))

/* The first whose key is greater than `key`; `end` if there is none. */
#define HSD_UPPER_BOUND(at, begin, end, key_at, key) HSD_PARTITION(at, begin, end, (key_at) <= (key))

#endif
