/*
 * The order of a baseline's sums (FORMAT.md 6.17 to 6.19), held while their records are read one after the other: types
 * and strings ascend, places stand in preorder. What comes out of it is safe to index by: a place's parent was there
 * before it, and no place is deeper than HSC_MAX_PLACE_DEPTH.
 */
#ifndef HSD_FORMAT_SUMS_H
#define HSD_FORMAT_SUMS_H

#include <hsdiff/capture.h>

#include "format/block.h"

typedef struct hsd_sum_walk {
    uint32_t last_type, last_root;         /* numbers of the totals seen last */
    uint32_t places;                       /* seen: the number of the next */
    uint32_t depth;                        /* of the last one … */
    uint32_t way[HSC_MAX_PLACE_DEPTH + 1]; /* … and what it hangs from, by depth, itself included */
} hsd_sum_walk;                            /* zeroed: nothing seen yet */

/* Before the first record of a block of sums: its places must be the next. HSD_E_CORRUPT (4.10). */
hsd_status hsd_sum_begin(const hsd_sum_walk *walk, const hsd_block_header *header, hsd_fault *fault);

/* The next record of a block of type `type`, which is one of sums; a place gets its depth. HSD_E_CORRUPT (6.17
 * to 6.19, 10.10, 10.11); the walk is of no use then. */
hsd_status hsd_sum_step(hsd_sum_walk *walk, uint8_t type, hsd_record *record, hsd_fault *fault);

#endif
