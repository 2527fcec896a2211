/*
 * References of a node by their place in its list: any hundred of ten million are two or three blocks away. Of lists
 * that are longer than a part (graph/adjacency.h) a directory in memory says how many items stand before each part: 8
 * bytes for each block that such a list fills; and whether all have one name, as the elements of an array.
 */
#ifndef HSD_BROWSE_LISTS_H
#define HSD_BROWSE_LISTS_H

#include "base/node.h"
#include "graph/adjacency.h"

typedef struct hsd_long_list {
    hsd_node node;
    uint32_t parts;
    uint32_t name; /* of the first reference */
    bool is_alike; /* and of all others */
    uint64_t at;   /* of its parts in hsd_lists.ends */
} hsd_long_list;

typedef struct hsd_lists {
    hsd_adjacency *adjacency; /* owned */
    hsd_long_list *longs;     /* ascending by node */
    uint64_t *ends;           /* items up to the end of each part */
    size_t long_count, long_capacity, end_count, end_capacity;
} hsd_lists;

/* Nodes whose lists have more than one part, in ascending order, before anything is asked of them. */
hsd_status hsd_lists_add_long(hsd_lists *lists, hsd_node node, hsd_error *err);

/* How many references a node has. */
uint64_t hsd_lists_count(hsd_lists *lists, hsd_node node);

/* The references from `from` on as far as they stand in one part; count 0 past the last. Borrowed until the next call.
 * Failures stick to the adjacency. */
void hsd_lists_get(hsd_lists *lists, hsd_node node, uint64_t from, hsd_targets *out);

/* The name of a reference that is there, from `node` to `target`, the least if there are several: a block of the
 * node's. Of a long list whose names are not alike all parts are read, some 6 ms for a million. */
uint32_t hsd_lists_name(hsd_lists *lists, hsd_node node, hsd_node target);

void hsd_lists_release(hsd_lists *lists);

#endif
