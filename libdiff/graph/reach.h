/*
 * What strong references alone reach: a plain walk that leaves out those whose name carries a mark. Soft
 * references keep alive until memory is short; objects that only they reach are counted apart.
 */
#ifndef HSD_GRAPH_REACH_H
#define HSD_GRAPH_REACH_H

#include <stdint.h>

#include "base/note.h"
#include "graph/adjacency.h"
#include "graph/owners.h"

typedef struct hsd_reach_config {
    hsd_root_nodes roots;
    /* one bit an object: some of its references may be marked; others are not asked */
    const uint8_t *has_marked;
    hsd_node object_count;
    uint32_t mark;         /* references whose name has one of these bits are left out */
    uint64_t memory_bytes; /* for the frontier */
    hsd_temp_space *space;
    hsd_reporter *reporter;
} hsd_reach_config;

/* Sets the bit of every node that is reached in `reached`: one bit a node, label and root nodes too. From what has its
 * bit at the start nothing more is reached; else the caller zeroes them. Two rounds reach no more than one.
 * HSD_E_MISUSE, HSD_E_NOMEM, HSD_E_IO. */
hsd_status hsd_reach_find(hsd_adjacency *adjacency, const hsd_reach_config *config, uint8_t *reached, hsd_error *err);

#endif
