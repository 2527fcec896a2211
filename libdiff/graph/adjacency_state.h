/*
 * What a graph keeps, for the two files that implement graph/adjacency.h: adjacency.c builds,
 * adjacency_read.c reads.
 */
#ifndef HSD_GRAPH_ADJACENCY_STATE_H
#define HSD_GRAPH_ADJACENCY_STATE_H

#include "graph/adjacency.h"
#include "graph/blocks.h"
#include "graph/name_blocks.h"

#define HSD_LONG_LIST          UINT32_MAX
#define HSD_BLOCK_HEADER_BYTES 8u
#define HSD_LOCATE_SHIFT       8

/* Of a block with parts of one node's long list. */
typedef struct hsd_long_header {
    uint32_t node;
    uint32_t mark;       /* HSD_LONG_LIST */
    uint32_t first_part; /* of the list, that stands here */
    uint16_t parts;      /* that stand here */
    uint16_t has_more;   /* blocks of the same list */
} hsd_long_header;

/* In front of each part. */
typedef struct hsd_part_header {
    hsd_name_place names;
    uint16_t items;
    uint16_t bytes; /* of the list behind it; with HSD_PART_RUNS gaps of 0 are counted */
} hsd_part_header;

#define HSD_PART_RUNS UINT16_C(0x8000)

struct hsd_adjacency_feed; /* adjacency_feed.c */

struct hsd_adjacency {
    struct hsd_adjacency_feed *feed; /* NULL: nothing is encoded by another thread */
    uint32_t node_count;
    bool is_finished;
    bool has_names;

    hsd_blocks blocks;
    uint32_t *block_first; /* first node of each block */
    uint32_t block_capacity;
    uint32_t *locate;
    uint8_t *has_targets; /* one bit a node */
    size_t bit_bytes;
    hsd_name_blocks names;
    uint32_t *names_from; /* for each block a block of names, at or before the one of its first node */

    /* building; a thread that encodes writes here all the time, and who feeds it asks for `feed` alone, far above */
    hsd_temp_space *space;
    uint64_t edge_count;
    uint32_t largest_target;
    uint32_t source; /* whose targets are gathered */
    bool has_source;
    bool is_long;               /* parts of `source` were written already */
    hsd_long_header long_block; /* of the block that parts go to */
    uint8_t *long_at;           /* the block; NULL = none is open */
    uint32_t long_end;          /* bytes of it */
    uint64_t *gathered;         /* target << 32 | name, HSD_ADJACENCY_PART_ITEMS */
    uint64_t *sorting;          /* as many */
    uint32_t gathered_count;
    uint8_t *lists; /* encoded lists of the open block */
    uint32_t list_bytes;
    uint16_t *at; /* MAX_BLOCK_NODES + 1 */
    uint32_t open_first, open_count;
    uint32_t next_node; /* nodes below have their place in a block */

    bool is_view; /* blocks are those of another, which is resident */

    /* reading: HSD_ADJACENCY_PART_ITEMS each */
    uint32_t *items;
    uint32_t *item_names; /* all 0 in a graph without names */
    uint8_t *far_list;    /* HSD_BLOCK_BYTES: a list that was read alone */
};

/* hsd_adjacency_add, here and now. */
hsd_status hsd_adjacency_encode(hsd_adjacency *adjacency, uint32_t source, const uint32_t *targets,
                                const uint32_t *names, uint64_t count, hsd_error *err);

/* hsd_adjacency_add by way of the other thread. */
hsd_status hsd_adjacency_feed_add(hsd_adjacency *adjacency, uint32_t source, const uint32_t *targets,
                                  const uint32_t *names, uint64_t count, hsd_error *err);

/* Everything that was added is encoded, unless `status` is a failure, which is returned; the other thread is gone. */
hsd_status hsd_adjacency_feed_end(hsd_adjacency *adjacency, hsd_status status, hsd_error *err);

#endif
