/*
 * Shortest paths to the objects that retain most, in a graph of which the walk over the dominator tree has told what
 * dominates them. Private to top.c.
 */
#ifndef HSD_TOP_TOP_PATHS_H
#define HSD_TOP_TOP_PATHS_H

#include "graph/shortest.h"
#include "top/top_walk.h"

/* To the entries and the accumulation. The caller closes *out after HSD_OK. */
hsd_status hsd_top_paths_find(hsd_shortest *out, const hsd_top_walk *walk, hsd_side_walk *side, hsd_error *err);

#endif
