/*
 * Arrays from the order of positions into that of ordinals, where neither order is near the other and the arrays do not
 * fit in memory: asked for one by one each item would cost a page of 16 KiB, to be read and, if it is written, to be
 * written. The other way go match/ordering.h.
 *
 * Ordinals are gone through again and again, each time for those whose positions lie in one window. What lies by
 * position has the window in memory, what lies by ordinal is gone through in order. So of W windows positions are read
 * W times, what lies by ordinal is read and written as often, and what lies by position is read once.
 */
#ifndef HSD_MATCH_PERMUTE_H
#define HSD_MATCH_PERMUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/note.h"
#include "graph/paged.h"

typedef struct hsd_permuted {
    hsd_paged *by_ordinal, *by_position;
    uint32_t item_bytes; /* a power of two, at most HSD_PAGE_BYTES */
} hsd_permuted;

typedef struct hsd_permute_config {
    hsd_paged *positions;  /* a number by ordinal; of those that have none it is `position_count` or more */
    hsd_node object_count; /* ordinals */
    hsd_node position_count;
    const char *name; /* of what goes on, for the progress */
    hsd_reporter *reporter;
} hsd_permute_config;

/* All arrays in one go. The more memory those by position have, the fewer windows; both must have been opened. Failures
 * of arrays, HSD_E_CANCELLED. */
hsd_status hsd_permute(const hsd_permute_config *config, const hsd_permuted *arrays, size_t count, hsd_error *err);

#endif
