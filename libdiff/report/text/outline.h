/*
 * Which rows of a tree are shown: the heaviest, and all that stand above them, so that what is left is a tree still.
 */
#ifndef HSD_REPORT_OUTLINE_H
#define HSD_REPORT_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

typedef struct hsd_outline_row { /* in preorder; the first is as high as any */
    uint32_t depth;
    int64_t weight; /* its magnitude counts */
    bool is_shown;
} hsd_outline_row;

/*
 * Fills is_shown: at most `limit` rows, taken by weight, the earlier first among equals, while they weigh at least
 * `least` and fit together with what stands above them. O(n log n).
 */
hsd_status hsd_outline_choose(hsd_outline_row *rows, size_t count, size_t limit, uint64_t least, hsd_error *err);

#endif
