/*
 * Which groups a group tells, for what goes through groups in order again and again where little fits in memory: some
 * three bytes a group told, a third of what the arrays take, and chunks without a group that is asked for are not read.
 */
#ifndef HSD_HOLDERS_BY_TOLD_H
#define HSD_HOLDERS_BY_TOLD_H

#include "graph/tape.h"
#include "holders/by/by.h"

#define HSD_BY_TOLD_ITEMS 32u
#define HSD_BY_TOLD_MANY  4u

typedef struct hsd_by_told_many { /* a group that tells many others */
    uint64_t count;
    hsd_node group;
} hsd_by_told_many;

typedef struct hsd_by_told { /* a zeroed one may be closed */
    hsd_reel reel;
    hsd_tape tape;      /* records: group against the one before, number of words, each word against the one before, the
                           first against the group */
    hsd_node *chunk_of; /* of each chunk: the group of the record before it */
    uint32_t chunk_count, chunk_capacity;
    hsd_node last; /* group of the last record */
    hsd_tape_reader reader;
    hsd_node group; /* of the record at hand; HSD_NODE_MAX at the end */
    hsd_node asked; /* the last one that was looked for */
    uint32_t count;
    hsd_node words[HSD_BY_TOLD_ITEMS];
    hsd_by_told_many many[HSD_BY_FORKS][HSD_BY_TOLD_MANY]; /* see hsd_by_told_open; 0 = none */
} hsd_by_told;

/* Of all groups, from their pairs, which are sorted; fills starts and targets, too. It is found which groups of each
 * fork tell the most and are told themselves. HSD_E_NOMEM; HSD_E_IO. */
hsd_status hsd_by_told_open(hsd_by_told *told, hsd_by_search *s, hsd_error *err);
void hsd_by_told_close(hsd_by_told *told);

/* Likewise in steps: records of groups that ascend, several of one as they come, each of at most HSD_BY_TOLD_ITEMS. */
void hsd_by_told_begin(hsd_by_told *told, hsd_temp_space *space);
hsd_status hsd_by_told_put(hsd_by_told *told, hsd_node group, const hsd_node *words, uint32_t count, hsd_error *err);
hsd_status hsd_by_told_end(hsd_by_told *told, hsd_error *err);

/* Of two that are open, or closed. */
void hsd_by_told_swap(hsd_by_told *a, hsd_by_told *b);

/* The first record of all is at hand; hsd_by_told_next goes on until `group` is HSD_NODE_MAX. */
void hsd_by_told_rewind(hsd_by_told *told);

/* True if `group` tells anything: a record of it is at hand. Cheap for groups that ascend. */
bool hsd_by_told_find(hsd_by_told *told, hsd_node group);

/* The next record; true if it is of the same group. */
bool hsd_by_told_next(hsd_by_told *told);

/* The first failure. */
hsd_status hsd_by_told_check(const hsd_by_told *told, hsd_error *err);

#endif
