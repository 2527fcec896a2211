/*
 * What is allocated at a moment: blocks by their address in a hash table (open addressing, the block in its slot), and
 * mapped ranges in a list. A block at an address that is taken replaces the one there. An unmapping takes its part out
 * of every range that it meets, as memray counts it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/check.h"
#include "base/note.h"
#include "import/memray/memray.h"

enum { FIRST_LOG2 = 8, MOST_LOG2 = 31 };

static uint64_t slots_of(const mr_heap *heap) { return heap->slots == NULL ? 0 : UINT64_C(1) << (64 - heap->shift); }

static uint64_t home_of(const mr_heap *heap, uint64_t address) { return address * heap->factor >> heap->shift; }

static uint64_t find_block(const mr_heap *heap, uint64_t address)
{
    const uint64_t mask = slots_of(heap) - 1;
    uint64_t at = home_of(heap, address);
    while (heap->slots[at].node != 0 && heap->slots[at].address != address)
        at = (at + 1) & mask;
    return at;
}

/* Odd, and nobody can prepare addresses that collide. */
static uint64_t draw_heap_factor(const mr_heap *heap)
{
    uint64_t factor = 0;
    if (getrandom(&factor, sizeof factor, GRND_NONBLOCK) != (ssize_t)sizeof factor)
        factor = UINT64_C(0x9e3779b97f4a7c15) ^ hsd_now_ns() ^ (uint64_t)(uintptr_t)heap;
    return factor | 1;
}

static hsd_status grow_heap(mr_heap *heap, hsd_error *err)
{
    const uint32_t log2 = heap->slots == NULL ? FIRST_LOG2 : 64 - heap->shift + 1;
    const uint64_t old_count = slots_of(heap);
    if (log2 > MOST_LOG2)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this file has more than 1,610,612,736 blocks at once");
    mr_block *old = heap->slots, *slots = calloc((size_t)1 << log2, sizeof *slots);
    if (slots == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for an import");
    if (old == NULL) heap->factor = draw_heap_factor(heap);
    heap->slots = slots;
    heap->shift = 64 - log2;
    for (uint64_t i = 0; i < old_count; i++)
        if (old[i].node != 0) slots[find_block(heap, old[i].address)] = old[i];
    free(old);
    return HSD_OK;
}

static void note_bytes(mr_heap *heap, uint64_t added)
{
    heap->bytes = hsd_add_saturating(heap->bytes, added);
    heap->peak_bytes = hsd_max_u64(heap->peak_bytes, heap->bytes);
}

hsd_status hsd_mr_heap_add(mr_heap *heap, uint64_t address, uint64_t bytes, uint32_t node, hsd_error *err)
{
    if (heap->count >= slots_of(heap) / 4 * 3) HSD_TRY(grow_heap(heap, err));
    mr_block *block = &heap->slots[find_block(heap, address)];
    if (block->node == 0)
        heap->count++;
    else
        heap->bytes -= hsd_min_u64(heap->bytes, block->bytes);
    *block = (mr_block){.address = address, .bytes = bytes, .node = node + 1};
    note_bytes(heap, bytes);
    return HSD_OK;
}

/* What follows moves into the gap where it may stand there. */
static void close_gap(mr_heap *heap, uint64_t gap)
{
    const uint64_t mask = slots_of(heap) - 1;
    for (uint64_t at = (gap + 1) & mask; heap->slots[at].node != 0; at = (at + 1) & mask) {
        const uint64_t home = home_of(heap, heap->slots[at].address);
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        heap->slots[gap] = heap->slots[at];
        gap = at;
    }
    heap->slots[gap] = (mr_block){0};
}

void hsd_mr_heap_remove(mr_heap *heap, uint64_t address)
{
    if (heap->count == 0) return;
    const uint64_t at = find_block(heap, address);
    if (heap->slots[at].node == 0) return; /* of before memray's time */
    heap->bytes -= hsd_min_u64(heap->bytes, heap->slots[at].bytes);
    heap->count--;
    close_gap(heap, at);
}

/* ---- ranges ---- */

static hsd_status put_range(mr_heap *heap, mr_range range, hsd_error *err)
{
    if (heap->range_count == MR_MOST_RANGES)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this file has more than %d mapped ranges at once", MR_MOST_RANGES);
    HSD_TRY(hsd_import_grow((void **)&heap->ranges, &heap->range_room, heap->range_count, sizeof *heap->ranges, err));
    heap->ranges[heap->range_count++] = range;
    return HSD_OK;
}

hsd_status hsd_mr_heap_map(mr_heap *heap, uint64_t address, uint64_t bytes, uint32_t node, hsd_error *err)
{
    const uint64_t end = hsd_add_saturating(address, bytes);
    if (end == address) return HSD_OK;
    note_bytes(heap, end - address);
    return put_range(heap, (mr_range){address, end, node}, err);
}

hsd_status hsd_mr_heap_unmap(mr_heap *heap, uint64_t address, uint64_t bytes, hsd_error *err)
{
    const uint64_t end = hsd_add_saturating(address, bytes);
    const uint32_t count = heap->range_count;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const mr_range range = heap->ranges[i];
        const uint64_t from = hsd_max_u64(range.begin, address), to = hsd_min_u64(range.end, end);
        if (from >= to) {
            heap->ranges[kept++] = range;
            continue;
        }
        heap->bytes -= hsd_min_u64(heap->bytes, to - from);
        const mr_range left = {range.begin, from, range.node}, right = {to, range.end, range.node};
        if (left.begin < left.end) heap->ranges[kept++] = left;
        if (right.begin < right.end && left.begin < left.end) HSD_TRY(put_range(heap, right, err)); /* behind all */
        if (right.begin < right.end && left.begin == left.end) heap->ranges[kept++] = right;
    }
    const uint32_t added = heap->range_count - count;
    if (kept < count && added > 0) memmove(heap->ranges + kept, heap->ranges + count, added * sizeof *heap->ranges);
    heap->range_count = kept + added;
    return HSD_OK;
}

/* A table that is nearly full counts as what it takes when it grows, both copies, so that it is asked for before. */
uint64_t hsd_mr_heap_memory(const mr_heap *heap)
{
    const uint64_t slots = slots_of(heap), copies = heap->count > slots / 8 * 5 ? 3 : 1;
    return slots * copies * sizeof *heap->slots + heap->range_room * sizeof *heap->ranges;
}

void hsd_mr_heap_release(mr_heap *heap)
{
    free(heap->slots);
    free(heap->ranges);
}
