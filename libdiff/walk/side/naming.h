/*
 * Names of references from dominators by what their walk knows of core nodes (side/naming.c); side/dominators.c has the
 * other ways.
 */
#ifndef HSD_WALK_SIDE_NAMING_H
#define HSD_WALK_SIDE_NAMING_H

#include "walk/side/side.h"

/* True if it is worth asking dominators for core nodes. */
bool hsd_side_may_name_by_core(const hsd_side_walk *side);

/* Of places that are sorted, before hsd_places_finish was asked for links: names of all references from dominators.
 * HSD_END where nothing is known of core nodes, or too little memory is there. */
hsd_status hsd_side_name_by_core(hsd_side_walk *side, hsd_error *err);

#endif
