/*
 * Theil-Sen: the median of the slopes of all pairs of points, which a few wild points do not move. Exact: slopes are
 * fractions of whole numbers, and the answer is their median rounded to nearest, halves away from 0.
 */
#ifndef HSD_SERIES_SLOPES_H
#define HSD_SERIES_SLOPES_H

#include <stddef.h>
#include <stdint.h>

/* So many points have their pairs looked at; more are first put together with their neighbours. */
#define HSD_SLOPE_POINTS 128u

typedef struct hsd_point {
    uint64_t at;    /* ascending */
    uint64_t value; /* at most INT64_MAX / 2 */
} hsd_point;

/*
 * The slope of at most HSD_SLOPE_POINTS points, in `unit`s of at (so 3,600 s for per hour with at in ns). 0 for fewer
 * than 2. Slopes past the range of the result stick at its ends. O(points^2), 300 KiB of stack.
 */
int64_t hsd_slope_of(const hsd_point *points, size_t count, uint64_t unit);

#endif
