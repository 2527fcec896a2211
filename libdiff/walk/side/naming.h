/*
 * Names of references from dominators by what their walk knows of core nodes (side/naming.c); side/dominators.c has the
 * other ways.
 */
#ifndef HSD_WALK_SIDE_NAMING_H
#define HSD_WALK_SIDE_NAMING_H

#include "walk/side/side.h"

/* True if it is worth asking dominators for core nodes. */
bool hsd_side_may_name_by_core(const hsd_side_walk *side);

/* True if then owners may be told in the order of nodes, too (graph/owner_tree.h): places are sorted, dominators may
 * say which nodes are core, and there is memory for what is left of it until objects are counted. */
bool hsd_side_may_tell_in_order(const hsd_side_walk *side);

/* Of places that are sorted, before hsd_places_finish was asked for links: names of all references from dominators, and
 * what tells owners, if that may be and can. HSD_END where nothing is known of core nodes, or too little memory is
 * there. */
hsd_status hsd_side_name_by_core(hsd_side_walk *side, hsd_error *err);

#endif
