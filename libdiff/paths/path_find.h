/*
 * Shortest paths in a side that was walked with want_tree and whose graph stays: graph/shortest.h, given the order of
 * the names of its types and owners. What comes out reads alike in two captures of one program (paths/path_text.h).
 */
#ifndef HSD_PATHS_PATH_FIND_H
#define HSD_PATHS_PATH_FIND_H

#include "graph/shortest.h"
#include "walk/side/side.h"

/* Order of names: of each number its place among all, from 1; owned by the caller (free). NULL: out of memory. */
uint32_t *hsd_name_ranks(const hsd_names *names);

/* What a search asks of a side. `graph`, `type_of` and memory are filled by begin; the rest is the caller's. */
typedef struct hsd_path_search {
    hsd_side_walk *side;
    uint32_t *type_ranks, *root_ranks;
    const uint32_t *types; /* of nodes, as plain memory; NULL: they are asked one by one */
    hsd_shortest_config config;
} hsd_path_search;

/* Divides the memory of the plan's step `paths`: the adjacency and its names get theirs. */
hsd_status hsd_path_search_begin(hsd_path_search *search, hsd_side_walk *side, hsd_error *err);
hsd_status hsd_path_search_run(hsd_path_search *search, hsd_shortest *out, hsd_error *err);
void hsd_path_search_release(hsd_path_search *search);

/* The three for one bit a node, `count` of which are set. The caller closes *out after HSD_OK. */
hsd_status hsd_path_find(hsd_shortest *out, hsd_side_walk *side, const uint8_t *wanted, uint64_t count, hsd_error *err);

#endif
