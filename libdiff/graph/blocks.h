/*
 * A store of 16 KiB blocks, written once in order and then read at random: in memory, in slabs of 256 KiB
 * or 4 MiB, while they fit, in a temporary file behind a page cache when they do not. What is in a block is its owner's
 * business (graph/adjacency.h keeps references in one store and their names in another).
 */
#ifndef HSD_GRAPH_BLOCKS_H
#define HSD_GRAPH_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "graph/paged.h"
#include "io/temp.h"
#include <hsdiff/status.h>

#define HSD_BLOCK_BYTES        HSD_PAGE_BYTES
#define HSD_BLOCKS_LEAST_BYTES (UINT64_C(256) << 10) /* and a two-thousandth of the blocks */
#define HSD_SLAB_SHIFT         4u
#define HSD_SLAB_BLOCKS        (1u << HSD_SLAB_SHIFT)
#define HSD_LARGE_SLAB_SHIFT   8u /* or 256, which large pages can hold */
#define HSD_LARGE_SLABS_FROM   (UINT64_C(64) << 20)
#define HSD_BLOCKS_MOST        UINT32_C(0xffffff00) /* a little less than 64 TiB */

typedef struct hsd_blocks {
    uint32_t count;
    uint64_t memory_bytes;
    uint8_t **slabs; /* resident ones; NULL where one was spilled */
    uint32_t slab_count, slab_capacity;
    uint32_t slab_shift; /* slabs are large where there is memory for many of these */
    bool is_spilled;
    hsd_temp file;  /* spilled slabs, until pages take it over */
    bool has_pages; /* finished, and does not fit */
    hsd_paged pages;
    const uint8_t *plain; /* with has_pages: all blocks in their order, once they were loaded; else NULL */
    hsd_temp_space *space;
} hsd_blocks;

/* Never fails; nothing is taken before the first block. Below the least, a slab is taken all the same. */
void hsd_blocks_begin(hsd_blocks *blocks, uint64_t memory_bytes, hsd_temp_space *space);

/* The next block, zeroed, number blocks->count before the call. Borrowed until the next call: what is in
 * it by then is written. HSD_E_NOMEM, HSD_E_IO, HSD_E_UNSUPPORTED behind HSD_BLOCKS_MOST. */
hsd_status hsd_blocks_add(hsd_blocks *blocks, uint8_t **out, hsd_error *err);

/* From now on blocks are read. HSD_E_OVER_BUDGET, HSD_E_NOMEM, HSD_E_IO. */
hsd_status hsd_blocks_finish(hsd_blocks *blocks, hsd_error *err);

/* Bounds the memory of reading from now on; where blocks do not fit, all are dropped from it first. */
hsd_status hsd_blocks_set_memory(hsd_blocks *blocks, uint64_t memory_bytes, hsd_error *err);

/* Where all blocks have a place in memory: brings them there, and they stay until the memory is bounded anew. Failures
 * stick: hsd_blocks_check. */
void hsd_blocks_load(hsd_blocks *blocks);

/* True while all blocks are in memory, so that several threads may read them. */
static inline bool hsd_blocks_are_all_there(const hsd_blocks *blocks)
{
    return !blocks->has_pages || blocks->plain != NULL;
}

/* A zero block and zeros behind it, for reads that failed. */
extern const uint8_t hsd_no_block[2 * HSD_BLOCK_BYTES];

/* Where a block begins in its slab. */
static inline size_t hsd_blocks_in_slab(const hsd_blocks *blocks, uint32_t block)
{
    return (size_t)(block & ((UINT32_C(1) << blocks->slab_shift) - 1)) * HSD_BLOCK_BYTES;
}

/* A finished store's block, borrowed until the next call. Failures stick, and a block of zeros stands for
 * what could not be read: see hsd_blocks_check. */
static inline const uint8_t *hsd_blocks_at(hsd_blocks *blocks, uint32_t block)
{
    HSD_ASSERT(block < blocks->count);
    if (!blocks->has_pages) {
        return blocks->slabs[block >> blocks->slab_shift] + hsd_blocks_in_slab(blocks, block);
    }
    if (blocks->plain != NULL) return blocks->plain + ((uint64_t)block << HSD_PAGE_SHIFT);
    const uint8_t *page = hsd_paged_at(&blocks->pages, (uint64_t)block << HSD_PAGE_SHIFT, HSD_FRAME_USED);
    return __builtin_expect(blocks->pages.status != HSD_OK, 0) ? hsd_no_block : page;
}

/* True if reading the block costs no I/O now. */
static inline bool hsd_blocks_is_near(const hsd_blocks *blocks, uint32_t block)
{
    return !blocks->has_pages || blocks->pages.page_frame[block] != HSD_PAGE_ABSENT;
}

/* The block if it is in memory, else NULL; no I/O, and the block is not taken for used. */
static inline const uint8_t *hsd_blocks_peek(const hsd_blocks *blocks, uint32_t block)
{
    if (!blocks->has_pages) {
        return blocks->slabs[block >> blocks->slab_shift] + hsd_blocks_in_slab(blocks, block);
    }
    const uint32_t frame = blocks->pages.page_frame[block];
    return frame == HSD_PAGE_ABSENT ? NULL : blocks->pages.frames + ((uint64_t)frame << HSD_PAGE_SHIFT);
}

/* True if a few bytes of the block are better copied than the block brought: it is not in memory and nothing but
 * `item` was asked for there lately. It counts as asked for. */
static inline bool hsd_blocks_is_far(hsd_blocks *blocks, uint32_t block, uint32_t item)
{
    HSD_ASSERT(block < blocks->count);
    return !hsd_blocks_is_near(blocks, block) && !hsd_paged_should_bring(&blocks->pages, block, item);
}

/* Copies bytes of a block that is far; zeros where they could not be read. */
static inline void hsd_blocks_copy_far(hsd_blocks *blocks, uint32_t block, uint32_t at, void *out, uint32_t size)
{
    hsd_paged_read_alone(&blocks->pages, ((uint64_t)block << HSD_PAGE_SHIFT) + at, out, size);
}

/* A copy for another thread, over a finished store that neither changes nor is released before it is closed: what is in
 * memory both read, of a file it has pages of its own. */
hsd_status hsd_blocks_open_view(hsd_blocks *view, const hsd_blocks *blocks, uint64_t memory_bytes, hsd_error *err);
void hsd_blocks_close_view(hsd_blocks *view);

hsd_status hsd_blocks_check(const hsd_blocks *blocks, hsd_error *err);

/* A zeroed store is accepted. */
void hsd_blocks_release(hsd_blocks *blocks);

#endif
