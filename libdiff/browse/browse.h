/*
 * What is behind hsd_browse: the walk that is kept, and an index for each side. Private to this folder; the public face
 * is hsdiff/browse.h.
 */
#ifndef HSD_BROWSE_BROWSE_H
#define HSD_BROWSE_BROWSE_H

#include <hsdiff/browse.h>

#include "base/arena.h"
#include "browse/index.h"
#include "diff/compare.h"
#include "top/top.h"
#include "walk/single.h"

struct hsd_browse {
    hsd_run run; /* of the walk: a part of the memory is kept back */
    hsd_reporter reporter;
    hsd_browse_options options;
    hsd_diff_options diff_options; /* of `options` */
    hsd_keep keep;
    uint64_t memory_bytes, cache_bytes;
    size_t side_count;
    hsd_comparison *comparison; /* of a pair */
    hsd_single *single;         /* of one capture */
    hsd_diff *diff;
    hsd_top *top;
    hsd_column_file pairs; /* of ordinals, before and after as HSD_TWO, until both have their partners */
    hsd_index indexes[SIDE_COUNT];
    char why_not[SIDE_COUNT][200];
    uint64_t index_bytes;
};

/* What an answer owns. Names are borrowed from the tables of the walk, which stay as long as the index. */
struct hsd_browse_store {
    hsd_arena arena;
};

/* The index of a side that can be browsed. */
hsd_status hsd_browse_side(hsd_browse *browse, size_t side, hsd_index **out, hsd_error *err);

/* The same, of a node that is there: its number fits. */
hsd_status hsd_browse_node_of(hsd_browse *browse, size_t side, hsd_browse_ref ref, hsd_index **out, hsd_node *node,
                              hsd_error *err);

/* Asks each index for its first failure. */
hsd_status hsd_browse_check(hsd_browse *browse, hsd_error *err);

/* A line: all of it but the edge. */
void hsd_browse_fill(hsd_browse *browse, size_t side, hsd_node node, hsd_browse_node *out);

/* The same with the edge from its dominator; roots have none. */
void hsd_browse_fill_held(hsd_browse *browse, size_t side, hsd_node node, hsd_browse_node *out);

/* The text of a reference's name; HSD_TREE_INDIRECT has none. */
hsd_text hsd_browse_edge(const hsd_index *index, uint32_t edge);

/* `size` zeroed bytes of an answer, in a store of its own which frees them; NULL where there is no memory. */
void *hsd_browse_answer_new(size_t size, struct hsd_browse_store **store);
void hsd_browse_store_free(struct hsd_browse_store *store);

/* A list with room for `room` nodes, at most HSD_BROWSE_MOST. */
hsd_status hsd_browse_list_new(hsd_browse_list **out, uint64_t from, size_t room, hsd_error *err);

/* Names of the first HSD_BROWSE_NAMED of these nodes; texts go into the arena. */
hsd_status hsd_browse_names(hsd_browse *browse, size_t side, hsd_browse_node *nodes, size_t count, hsd_arena *arena,
                            hsd_error *err);

/* The list is the answer, with its names, unless something could not be read. */
hsd_status hsd_browse_answer(hsd_browse *browse, size_t side, hsd_browse_list **out, hsd_browse_list *list,
                             hsd_error *err);

static inline hsd_text hsd_browse_text(hsd_bytes name) { return (hsd_text){(const char *)name.data, name.size}; }

#endif
