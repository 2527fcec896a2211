/*
 * The list of blocks written so far: 12 bytes a block, in pieces that never move. It is one of the two
 * things that grow while a capture is written; a capture of 100 M objects has some 40,000 blocks, 0.5 MB.
 */
#ifndef HSC_INDEX_H
#define HSC_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

/* Offsets and first ordinals are sums of what stands here. */
typedef struct hsc_index_entry {
    uint32_t stored_bytes;
    uint32_t type_records; /* type << 24 | records (at most 65,536) */
    uint32_t objects;      /* that begin in the block */
} hsc_index_entry;

enum { HSC_INDEX_PIECE = 100 };

typedef struct hsc_index_piece {
    struct hsc_index_piece *next;
    hsc_index_entry entries[HSC_INDEX_PIECE];
} hsc_index_piece;

typedef struct hsc_index {
    hsc_index_piece *first, *last;
    uint64_t count;
    const hsc_allocator *allocator; /* borrowed; NULL = of libc */
} hsc_index;

/* False if the allocation of a piece failed. */
bool hsc_index_add(hsc_index *index, unsigned type, uint32_t records, uint32_t objects, uint32_t stored_bytes);
void hsc_index_release(hsc_index *index);

#endif
