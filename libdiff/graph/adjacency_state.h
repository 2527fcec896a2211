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
#define HSD_BLOCK_HEADER_BYTES (HSD_NODE_BYTES + 4)
#define HSD_LOCATE_SHIFT       8

/* Of a block with parts of one node's long list, where it has HSD_LONG_HEADER_BYTES. */
typedef struct hsd_long_header {
    hsd_node node;
    uint32_t mark;       /* HSD_LONG_LIST */
    uint32_t first_part; /* of the list, that stands here */
    uint16_t parts;      /* that stand here */
    uint16_t has_more;   /* blocks of the same list */
} hsd_long_header;

#define HSD_LONG_HEADER_BYTES (HSD_NODE_BYTES + 12)

/* In front of each part. */
typedef struct hsd_part_header {
    hsd_name_place names;
    uint16_t items;
    uint16_t bytes; /* of the list behind it; with HSD_PART_RUNS gaps of 0 are counted */
} hsd_part_header;

#define HSD_PART_RUNS UINT16_C(0x8000)

/* Apart from the graph: who writes lists is another thread than who encodes. */
typedef struct hsd_adjacency_room {
    hsd_lists_out out;
    hsd_two pairs[HSD_ADJACENCY_PART_ITEMS + 1]; /* where no other thread encodes */
} hsd_adjacency_room;

struct hsd_adjacency_feed; /* adjacency_feed.c */

struct hsd_adjacency {
    struct hsd_adjacency_feed *feed; /* NULL: nothing is encoded by another thread */
    hsd_node node_count;
    bool is_finished;
    bool has_names;

    hsd_blocks blocks;
    hsd_node *block_first; /* first node of each block */
    uint32_t block_capacity;
    uint32_t *locate;
    uint8_t *has_targets; /* one bit a node */
    size_t bit_bytes;
    hsd_name_blocks names;
    uint32_t *names_from; /* for each block a block of names, at or before the one of its first node */

    /* building; a thread that encodes writes here all the time, and who feeds it asks for `feed` alone, far above */
    hsd_temp_space *space;
    hsd_adjacency_room *room; /* of lists that wait to be encoded */
    uint64_t edge_count;
    hsd_node largest_target;
    hsd_node source; /* whose targets are gathered */
    bool has_source;
    bool is_long;               /* parts of `source` were written already */
    hsd_long_header long_block; /* of the block that parts go to */
    uint8_t *long_at;           /* the block; NULL = none is open */
    uint32_t long_end;          /* bytes of it */
    hsd_two *gathered;          /* target and name, HSD_ADJACENCY_PART_ITEMS */
    hsd_two *sorting;           /* as many */
    uint32_t gathered_count;
    uint8_t *lists; /* encoded lists of the open block */
    uint32_t list_bytes;
    uint16_t *at; /* MAX_BLOCK_NODES + 1 */
    hsd_node open_first;
    uint32_t open_count;
    hsd_node next_node; /* nodes below have their place in a block */

    bool is_view; /* blocks are those of another, which is resident */

    /* reading: HSD_ADJACENCY_PART_ITEMS each */
    hsd_node *items;
    uint32_t *item_names; /* all 0 in a graph without names */
    uint8_t *far_list;    /* HSD_BLOCK_BYTES: a list that was read alone */
};

/* Encodes lists as they stand in hsd_lists_out, which are sorted where they are. The last of them may go on in what
 * comes next. */
hsd_status hsd_adjacency_encode(hsd_adjacency *adjacency, hsd_two *lists, const hsd_two *end, hsd_error *err);

static inline void hsd_adjacency_open_room(hsd_adjacency_room *room)
{
    room->out = (hsd_lists_out){room->pairs, room->pairs + HSD_ADJACENCY_PART_ITEMS + 1};
}

/* hsd_adjacency_turn by way of the other thread. */
hsd_status hsd_adjacency_feed_turn(hsd_adjacency *adjacency, hsd_error *err);

/* Everything that was added is encoded, unless `status` is a failure, which is returned; the other thread is gone. */
hsd_status hsd_adjacency_feed_end(hsd_adjacency *adjacency, hsd_status status, hsd_error *err);

#endif
