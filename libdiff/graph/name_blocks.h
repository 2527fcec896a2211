/*
 * Names of references, beside the blocks of references (graph/adjacency.h): for each node the list of names of
 * its targets, in the order of the targets. Objects of one type have the same fields, so most lists are like one
 * before them, and a list that is in its block already costs two bytes.
 *
 *      block (16 KiB)  0x00
 *                      lists        u8 width, names of that many bytes (1, 2 or 4)
 *                                   u8 width | 0x80, one name: all are this one
 *                      … free …
 *                      u16 at[]     backwards from the end: where the list of node first + i starts; 0 = none
 *
 * Parts of long lists have no place in the table: who stored them knows block and byte (hsd_name_place).
 */
#ifndef HSD_GRAPH_NAME_BLOCKS_H
#define HSD_GRAPH_NAME_BLOCKS_H

#include "graph/blocks.h"

typedef struct hsd_name_place {
    uint32_t block;
    uint32_t at;
} hsd_name_place;

typedef struct hsd_name_blocks {
    hsd_blocks blocks;
    hsd_node *block_first; /* first node of each block */
    uint32_t block_capacity;

    /* building */
    uint8_t *open;       /* the newest block; NULL before the first */
    uint32_t open_count; /* nodes in it */
    uint32_t open_end;   /* its lists end here */
    hsd_node next_node;  /* nodes below have their place */
    uint16_t *seen;      /* lists of the open block by a hash of their bytes */
} hsd_name_blocks;

/* The most names of one list. */
#define HSD_NAMES_MOST 2048u

/* HSD_E_OVER_BUDGET below HSD_BLOCKS_LEAST_BYTES, HSD_E_NOMEM. */
hsd_status hsd_name_blocks_begin(hsd_name_blocks *names, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err);

/* Stores the second halves of `pairs` (1 to HSD_NAMES_MOST) as the names of `node`, which must not be smaller than
 * any before it. */
hsd_status hsd_name_blocks_put(hsd_name_blocks *names, hsd_node node, const hsd_two *pairs, uint32_t count,
                               hsd_error *err);

/* Stores a list that belongs to no node and tells its place. */
hsd_status hsd_name_blocks_put_part(hsd_name_blocks *names, const hsd_two *pairs, uint32_t count, hsd_name_place *place,
                                    hsd_error *err);

/* Ends building. */
hsd_status hsd_name_blocks_finish(hsd_name_blocks *names, hsd_error *err);

/* The block with the names of `node`, at or behind block `from`. */
static inline uint32_t hsd_name_blocks_of(const hsd_name_blocks *names, hsd_node node, uint32_t from)
{
    while (from + 1 < names->blocks.count && names->block_first[from + 1] <= node)
        from++;
    return from;
}

/* The `count` names of a node in block `block`, which has some. */
void hsd_name_blocks_get(hsd_name_blocks *names, uint32_t block, hsd_node node, uint32_t *out, uint32_t count);
void hsd_name_blocks_get_part(hsd_name_blocks *names, hsd_name_place place, uint32_t *out, uint32_t count);

/* The first of these, of a block that is not in memory without the rest of it; `room` is one of HSD_BLOCK_BYTES. */
void hsd_name_blocks_get_alone(hsd_name_blocks *names, uint32_t block, hsd_node node, uint32_t *out, uint32_t count,
                               uint8_t *room);

/* A zeroed one is accepted. */
void hsd_name_blocks_release(hsd_name_blocks *names);

#endif
