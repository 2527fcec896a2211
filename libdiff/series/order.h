/*
 * Small statistics of sorted values: medians and quartiles in whole numbers, and how large a value may be.
 */
#ifndef HSD_SERIES_ORDER_H
#define HSD_SERIES_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Slopes and differences take halves and signs: values past this stick there. No heap comes near. */
#define HSD_VALUE_MOST (UINT64_MAX / 4)

static inline uint64_t hsd_value_bounded(uint64_t value) { return value < HSD_VALUE_MOST ? value : HSD_VALUE_MOST; }

/* What stands `quarters` of the way through sorted values, between two of them by their distance, rounded down. */
static inline uint64_t hsd_value_at(const uint64_t *sorted, size_t count, unsigned quarters)
{
    const size_t at = (count - 1) * quarters / 4, behind = (count - 1) * quarters % 4;
    if (behind == 0) return sorted[at];
    const uint64_t step = sorted[at + 1] - sorted[at];
    return sorted[at] + step / 4 * behind + step % 4 * behind / 4;
}

#endif
