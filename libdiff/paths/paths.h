/*
 * Paths to the objects of a type, or to one object: what the parts of hsd_paths_run share. Private to paths.c,
 * path_ask.c, path_groups.c.
 *
 *      ask      which types or which object; names close to one that is not there             path_ask.c
 *      search   shortest paths over all of the graph, told in the order of their readings
 *      group    nodes whose paths read alike are one *group*; groups that read alike once the insides
 *               of containers are left out, and what leads back to one of the last steps leads
 *               nowhere, are one *row*                                                       path_groups.c
 *      count    a pass over the objects: how many in each row, how many bytes                  paths.c
 *
 * A group is five numbers in a paged array, whatever its size, and its parent comes before it: so all groups on the way
 * to what was asked for are found in one pass from the last to the first, and get their rows in one from the first to
 * the last.
 */
#ifndef HSD_PATHS_PATHS_H
#define HSD_PATHS_PATHS_H

#include "graph/paged.h"
#include "graph/shortest.h"
#include "paths/path_text.h"
#include "sort/sorter.h"
#include "walk/single.h"
#include <hsdiff/top.h>

/* ---- ask ---- */

/* What was asked for. */
typedef struct hsd_path_ask {
    uint8_t *is_type; /* by common type */
    hsd_node ordinal; /* of the object, with is_id */
    bool is_id;
} hsd_path_ask;

/* Finds the types or the object in an open capture. HSD_E_NOT_FOUND with what comes close. */
hsd_status hsd_path_ask_find(hsd_path_ask *ask, const hsd_side_walk *side, const hsd_paths_options *options,
                             hsd_error *err);

/* The failure when there is no object of these types. */
hsd_status hsd_path_ask_fail(const hsd_side_walk *side, const hsd_paths_options *options, hsd_error *err);

void hsd_path_ask_release(hsd_path_ask *ask);

/* True if the bytes of `name` fit the pattern: * stands for any bytes, ? for any one. */
bool hsd_glob_fits(const char *pattern, hsd_bytes name);

/* ---- group ---- */

/* Distinct readings beyond which further ones count as others. The shortest come first, so the longest do. */
#define HSD_MAX_PATH_PLACES (UINT32_C(1) << 18)

#define HSD_PATH_GROUP_BYTES (5 * HSD_NODE_BYTES)

typedef struct hsd_path_row_sum {
    hsd_node group; /* whose path is shown: the shortest; the first of these in the order of readings */
    uint32_t edge;  /* with is_id: name of the reference from there */
    uint64_t length;
    hsd_amount amount;
} hsd_path_row_sum;

typedef struct hsd_path_place { /* a reading, as a node of the tree of all readings */
    uint32_t parent, type;
    hsd_path_edge edge;
    uint32_t row; /* + 1; 0 = none */
} hsd_path_place;

typedef struct hsd_path_groups {
    hsd_side_walk *side;
    const uint8_t *is_asked; /* one bit a node: objects of the type; with is_id what refers to the object */
    bool is_id;
    hsd_node ordinal;

    hsd_paged records; /* five numbers a group */
    bool has_records;
    hsd_node count;
    uint8_t *is_on_way;                  /* one bit a group */
    hsd_reading last;                    /* the newest group's */
    hsd_node level_first, parents_first; /* groups of rank 0 in the level at hand and in the one before */
    hsd_sorter *asked;                   /* of two: node, group; with is_id group, name of the reference */

    hsd_path_place *places;
    uint32_t place_count, place_capacity;
    uint32_t *slots; /* hash table of place + 1 */
    uint32_t slot_count;

    hsd_path_row_sum *rows;
    uint32_t row_count, row_capacity;
    hsd_amount others; /* what found no room among the rows */
} hsd_path_groups;

/* Memory for the records and for the sorter. side, is_asked, is_id and ordinal are set. */
hsd_status hsd_path_groups_open(hsd_path_groups *groups, uint64_t record_bytes, uint64_t sort_bytes, hsd_error *err);

/* Takes a reading of the search: a hsd_reading_fn. */
hsd_status hsd_path_groups_take(void *groups, const hsd_reading *reading, hsd_error *err);

/* Ends the search: gives rows to all groups asked for. With is_id amounts are final (references that read so). */
hsd_status hsd_path_groups_make_rows(hsd_path_groups *groups, hsd_error *err);

/* Counts an object that was asked for and reached; `group` is its, from the sorter. */
void hsd_path_groups_count(hsd_path_groups *groups, hsd_node group, uint64_t bytes);

/* The first node of a group. */
hsd_node hsd_path_groups_node(hsd_path_groups *groups, hsd_node group);

void hsd_path_groups_release(hsd_path_groups *groups);

#endif
