/* A window of positions at a time: what permute.h says, for one byte to a page an item. */
#include "match/permute.h"

#include <string.h>

#include "base/assert.h"
#include "base/check.h"

#define PROGRESS_MASK 0xfffffu

typedef struct permuting {
    const hsd_permute_config *config;
    const hsd_permuted *arrays;
    size_t count;
    uint64_t first, until; /* positions of the window */
} permuting;

/* As many positions as every array has in memory at once, in whole pages of each: of one that is larger than its memory
 * sixteen are there. */
static uint64_t window_of(const permuting *p)
{
    uint64_t window = UINT64_MAX;
    uint32_t least = HSD_PAGE_BYTES;
    for (size_t i = 0; i < p->count; i++) {
        const hsd_paged *array = p->arrays[i].by_position;
        if (array->frame_count < array->page_count)
            window = hsd_min_u64(window, hsd_paged_window(array, p->arrays[i].item_bytes));
        if (p->arrays[i].item_bytes < least) least = p->arrays[i].item_bytes;
    }
    const uint64_t page =
        HSD_PAGE_BYTES / least; /* the most items that a page has: that many of any array are whole pages */
    HSD_ASSERT(window >= page);
    return window / page * page;
}

static void move_item(const permuting *p, uint64_t ordinal, uint64_t position)
{
    for (size_t i = 0; i < p->count; i++) {
        const hsd_permuted *a = &p->arrays[i];
        const uint8_t *from = hsd_paged_at(a->by_position, position * a->item_bytes, HSD_FRAME_USED);
        memcpy(hsd_paged_at(a->by_ordinal, ordinal * a->item_bytes, HSD_FRAME_USED | HSD_FRAME_DIRTY), from,
               a->item_bytes);
    }
}

static hsd_status check_permuted(const permuting *p, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(p->config->positions, err));
    for (size_t i = 0; i < p->count; i++) {
        HSD_TRY(hsd_paged_check(p->arrays[i].by_ordinal, err));
        HSD_TRY(hsd_paged_check(p->arrays[i].by_position, err));
    }
    return HSD_OK;
}

static hsd_status move_window(const permuting *p, hsd_error *err)
{
    const hsd_permute_config *c = p->config;
    for (size_t i = 0; i < p->count; i++)
        hsd_paged_bring(p->arrays[i].by_position, p->first, p->until - p->first, p->arrays[i].item_bytes);
    for (hsd_node ordinal = 0; ordinal < c->object_count; ordinal++) {
        if ((ordinal & PROGRESS_MASK) == 0)
            HSD_TRY(hsd_progress(c->reporter, c->name, p->first, c->position_count, err));
        const hsd_node position = hsd_paged_get_node(c->positions, ordinal);
        if (position >= p->first && position < p->until) move_item(p, ordinal, position);
    }
    return check_permuted(p, err);
}

hsd_status hsd_permute(const hsd_permute_config *config, const hsd_permuted *arrays, size_t count, hsd_error *err)
{
    permuting p = {.config = config, .arrays = arrays, .count = count};
    const uint64_t all = config->position_count, window = all == 0 ? 1 : window_of(&p);
    for (p.first = 0; p.first < all; p.first = p.until) {
        p.until = hsd_min_u64(all, p.first + window);
        HSD_TRY(move_window(&p, err));
    }
    return HSD_OK;
}
