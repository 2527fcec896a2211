/*
 * A way from a node up to its end, of any length, with its middle left out: by anchors (browse/index.h) a way of ten
 * million steps costs ten thousand reads and not ten million.
 */
#ifndef HSD_BROWSE_WAYS_UP_H
#define HSD_BROWSE_WAYS_UP_H

#include <hsdiff/browse.h>

#include "base/node.h"

#define HSD_WAY_HALF (HSD_BROWSE_MOST / 2)

typedef struct hsd_way_up {
    hsd_node (*above)(void *context, hsd_node item);     /* HSD_NODE_NONE = the end */
    hsd_node (*anchor_of)(void *context, hsd_node item); /* an item above, HSD_ANCHOR_STEP above if this one is an
                                                          * anchor itself; HSD_NODE_NONE = none */
    void *context;
    uint64_t most;                   /* steps that a sound index can have: what is not is cut there */
    uint64_t total;                  /* items */
    uint32_t count;                  /* of items: total, or HSD_BROWSE_MOST with a gap behind HSD_WAY_HALF */
    hsd_node items[HSD_BROWSE_MOST]; /* from the end to where it began */
} hsd_way_up;

void hsd_way_up_walk(hsd_way_up *way, hsd_node begin);

#endif
