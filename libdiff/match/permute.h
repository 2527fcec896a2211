/*
 * Arrays from the order of positions into that of ordinals, where neither order is near the other and the arrays do not
 * fit in memory: asked for one by one each item would cost a page of 16 KiB, to be read and, if it is written, to be
 * written. By windows of positions each is moved a few times, whatever their number (match/around.h). The other way go
 * match/ordering.h.
 */
#ifndef HSD_MATCH_PERMUTE_H
#define HSD_MATCH_PERMUTE_H

#include <stddef.h>
#include <stdint.h>

#include "base/note.h"
#include "graph/paged.h"

typedef struct hsd_permuted {
    hsd_paged *by_ordinal, *by_position;
    uint32_t item_bytes; /* 1, 2, 4 or 8 */
} hsd_permuted;

typedef struct hsd_permute_config {
    hsd_paged *positions;  /* a number by ordinal; of those that have none it is `position_count` or more */
    hsd_node object_count; /* ordinals; no fewer than positions */
    hsd_node position_count;
    uint64_t memory_bytes; /* beside what the arrays have, which are gone through in order; half a MiB is taken in any
                            * case */
    hsd_temp_space *space;
    const char *name; /* of what goes on, for the progress */
    hsd_reporter *reporter;
} hsd_permute_config;

/* All arrays; those by ordinal must have been opened. Failures of arrays, HSD_E_IO, HSD_E_NOMEM, HSD_E_CANCELLED. */
hsd_status hsd_permute(const hsd_permute_config *config, const hsd_permuted *arrays, size_t count, hsd_error *err);

#endif
