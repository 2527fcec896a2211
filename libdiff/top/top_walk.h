/*
 * One walk over the dominator tree of a capture by itself: what each type and root retains, which objects retain
 * most, and a list of what every object retains for who asks for it. Private to top.c.
 */
#ifndef HSD_TOP_TOP_WALK_H
#define HSD_TOP_TOP_WALK_H

#include "base/node.h"
#include "sort/sorter.h"
#include "walk/retained.h"
#include "walk/single.h"
#include <hsdiff/top.h>

typedef struct hsd_top_entry { /* an object and its subtree */
    uint64_t id, bytes, retained_bytes, retained_objects;
    hsd_node node;
    uint32_t type;
    hsd_node first, end; /* its place in the dominator tree */
} hsd_top_entry;

typedef struct hsd_top_way { /* what dominates an entry, or is one */
    uint64_t retained_bytes;
    hsd_node node, first, end;
    bool is_sought; /* maybe its immediate dominator does not refer to it */
} hsd_top_way;

typedef struct hsd_top_walk {
    hsd_retained_sums types, roots; /* by common type; by root's name on this side */
    /* the objects that retain most: a heap, the least on top; sorted by finish */
    hsd_top_entry *entries;
    size_t entry_count, entry_capacity;
    hsd_top_entry accumulation; /* as hsd_top has it; retains 0 bytes: there is none */
    hsd_sorter *list;           /* every object by id; NULL unless it was asked for */
    /* All that dominates an entry or the accumulation and more, these with it; NULL where it is too much */
    hsd_top_way *ways;
    size_t way_count, way_capacity;
    uint64_t least_bytes; /* what retains less dominates none of them */
} hsd_top_walk;

/*
 * Walks the tree of a capture that has one. Among equals the lesser id wins; links of a list and helpers of
 * containers are no entries, or there would be nothing else. Within the plan's growth_bytes; `most`
 * entries are kept besides.
 */
hsd_status hsd_top_walk_run(hsd_top_walk *walk, hsd_single *single, size_t most, bool wants_list, hsd_error *err);

/* Tells of every object by id. */
hsd_status hsd_top_walk_tell(hsd_top_walk *walk, const hsd_single *single, hsd_retained_fn take, void *context,
                             hsd_error *err);

/* Zeroed ones are accepted. */
void hsd_top_walk_release(hsd_top_walk *walk);

#endif
