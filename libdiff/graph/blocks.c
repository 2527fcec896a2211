/*
 * Where blocks live. While they are written there is always one slab in memory, the newest; the older ones
 * are there too until the budget is used up, and from then on each goes to the file as soon as it is full.
 *
 *      fits          slab slab slab slab            read in place
 *      does not fit  file ···············  slab     finish: the last one follows, and pages read the file
 */
#include "graph/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/pages.h"

const uint8_t hsd_no_block[2 * HSD_BLOCK_BYTES];

static size_t slab_bytes(const hsd_blocks *b) { return (size_t)HSD_BLOCK_BYTES << b->slab_shift; }

static uint8_t *take_slab(const hsd_blocks *b)
{
    hsd_pages pages;
    return hsd_pages_take(&pages, slab_bytes(b)) ? pages.data : NULL;
}

static void give_slab(hsd_blocks *b, uint32_t slab)
{
    hsd_pages pages = {b->slabs[slab], slab_bytes(b)};
    hsd_pages_give(&pages);
    b->slabs[slab] = NULL;
}

void hsd_blocks_begin(hsd_blocks *b, uint64_t memory_bytes, hsd_temp_space *space)
{
    memset(b, 0, sizeof *b);
    b->memory_bytes = memory_bytes;
    b->slab_shift = memory_bytes >= HSD_LARGE_SLABS_FROM ? HSD_LARGE_SLAB_SHIFT : HSD_SLAB_SHIFT;
    b->space = space;
    b->file.fd = -1;
}

/* Moves a slab to the file; the last one may not be full. */
static hsd_status spill(hsd_blocks *b, uint32_t slab, hsd_error *err)
{
    const uint32_t blocks = (uint32_t)hsd_min_u64(b->count - (slab << b->slab_shift), UINT64_C(1) << b->slab_shift);
    const uint64_t offset = slab * (uint64_t)slab_bytes(b);
    HSD_TRY(hsd_temp_write(&b->file, offset, b->slabs[slab], (size_t)blocks * HSD_BLOCK_BYTES, err));
    give_slab(b, slab);
    return HSD_OK;
}

static hsd_status spill_all(hsd_blocks *b, hsd_error *err)
{
    if (!b->is_spilled) HSD_TRY(hsd_temp_open(&b->file, b->space, err));
    uint32_t slab = b->is_spilled ? b->slab_count - 1 : 0; /* then only the newest can be there */
    b->is_spilled = true;
    for (; slab < b->slab_count; slab++) {
        if (b->slabs[slab] != NULL) HSD_TRY(spill(b, slab, err));
    }
    return HSD_OK;
}

static hsd_status add_slab(hsd_blocks *b, hsd_error *err)
{
    if (b->count >= HSD_BLOCKS_MOST)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "the reference graph has more than 64 TiB");
    /* room for one more and for what its owner needs beside it */
    const bool is_over = (b->slab_count + UINT64_C(2)) * slab_bytes(b) > b->memory_bytes;
    if (b->slab_count > 0 && (is_over || b->is_spilled)) HSD_TRY(spill_all(b, err));
    HSD_TRY(HSD_ARRAY_GROW(b->slabs, b->slab_capacity, b->slab_count + 1, 16, "the reference graph", err));
    b->slabs[b->slab_count] = take_slab(b);
    if (b->slabs[b->slab_count] == NULL) return hsd_fail_nomem(err, "the reference graph");
    b->slab_count++;
    return HSD_OK;
}

hsd_status hsd_blocks_add(hsd_blocks *b, uint8_t **out, hsd_error *err)
{
    HSD_ASSERT(!b->has_pages);
    if (hsd_blocks_in_slab(b, b->count) == 0) HSD_TRY(add_slab(b, err));
    *out = b->slabs[b->slab_count - 1] + hsd_blocks_in_slab(b, b->count);
    b->count++;
    return HSD_OK;
}

/* Everything is in the file; pages read it. */
static hsd_status open_pages(hsd_blocks *b, hsd_error *err)
{
    HSD_TRY(spill_all(b, err));
    b->has_pages = true;
    return hsd_paged_open_file(&b->pages, &b->file, b->memory_bytes, err);
}

hsd_status hsd_blocks_finish(hsd_blocks *b, hsd_error *err)
{
    HSD_ASSERT(!b->has_pages);
    return b->is_spilled ? open_pages(b, err) : HSD_OK;
}

hsd_status hsd_blocks_set_memory(hsd_blocks *b, uint64_t memory_bytes, hsd_error *err)
{
    b->memory_bytes = memory_bytes;
    if (b->has_pages && hsd_paged_is_within(&b->pages, memory_bytes)) return HSD_OK;
    if (b->has_pages) {
        b->file = b->pages.file;
        b->pages.file.fd = -1;
        b->plain = NULL;
        hsd_paged_close(&b->pages);
    } else if (b->slab_count * (uint64_t)slab_bytes(b) <= memory_bytes || b->count == 0) {
        return HSD_OK;
    }
    return open_pages(b, err);
}

void hsd_blocks_load(hsd_blocks *b)
{
    if (!b->has_pages || b->plain != NULL) return;
    hsd_paged_load(&b->pages);
    b->plain = hsd_paged_plain(&b->pages);
}

hsd_status hsd_blocks_check(const hsd_blocks *b, hsd_error *err)
{
    return b->has_pages ? hsd_paged_check(&b->pages, err) : HSD_OK;
}

hsd_status hsd_blocks_open_view(hsd_blocks *view, const hsd_blocks *b, uint64_t memory_bytes, hsd_error *err)
{
    *view = *b;
    if (hsd_blocks_are_all_there(b)) return HSD_OK;
    const hsd_status status = hsd_paged_open_view(&view->pages, &b->pages, memory_bytes, err);
    view->has_pages = status == HSD_OK; /* nothing is to be closed, else */
    return status;
}

void hsd_blocks_close_view(hsd_blocks *view)
{
    if (!hsd_blocks_are_all_there(view)) hsd_paged_close(&view->pages);
}

void hsd_blocks_release(hsd_blocks *b)
{
    for (uint32_t slab = 0; slab < b->slab_count; slab++)
        give_slab(b, slab);
    free(b->slabs);
    if (b->has_pages)
        hsd_paged_close(&b->pages);
    else if (b->is_spilled)
        hsd_temp_close(&b->file);
    memset(b, 0, sizeof *b);
    b->file.fd = -1;
}
