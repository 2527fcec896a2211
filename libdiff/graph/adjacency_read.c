/*
 * Reading adjacency blocks: at random, one node or one block at a time, with names or without. The layout is
 * drawn in adjacency.c.
 */
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/work.h"
#include "graph/adjacency_state.h"
#include "graph/varint.h"

uint32_t hsd_adjacency_node_count(const hsd_adjacency *a) { return a->node_count; }
uint64_t hsd_adjacency_edge_count(const hsd_adjacency *a) { return a->edge_count; }
uint64_t hsd_adjacency_bytes(const hsd_adjacency *a) { return (uint64_t)a->blocks.count * HSD_BLOCK_BYTES; }

uint64_t hsd_adjacency_name_bytes(const hsd_adjacency *a)
{
    return a->has_names ? (uint64_t)a->names.blocks.count * HSD_BLOCK_BYTES : 0;
}

void hsd_adjacency_count_scan(const hsd_adjacency *a, bool with_names)
{
    hsd_work_did(HSD_COST_VARINTS, a->edge_count * (with_names ? 2 : 1));
    hsd_work_did(HSD_COST_READ, hsd_adjacency_bytes(a) + (with_names ? hsd_adjacency_name_bytes(a) : 0));
}

void hsd_adjacency_count_walk(const hsd_adjacency *a, uint64_t nodes)
{
    hsd_work_did(HSD_COST_VARINTS, a->edge_count);
    hsd_work_at_random(nodes, hsd_adjacency_bytes(a));
}

hsd_status hsd_adjacency_set_memory(hsd_adjacency *a, uint64_t memory_bytes, hsd_error *err)
{
    if (!a->is_finished) return hsd_fail(err, HSD_E_MISUSE, "the graph is not finished");
    if (a->is_view) return HSD_OK;
    return hsd_blocks_set_memory(&a->blocks, memory_bytes, err);
}

void hsd_adjacency_load(hsd_adjacency *a)
{
    if (a->is_finished && a->blocks.has_pages) hsd_paged_load(&a->blocks.pages);
}

hsd_status hsd_adjacency_set_name_memory(hsd_adjacency *a, uint64_t memory_bytes, hsd_error *err)
{
    if (!a->is_finished) return hsd_fail(err, HSD_E_MISUSE, "the graph is not finished");
    return a->has_names && !a->is_view ? hsd_blocks_set_memory(&a->names.blocks, memory_bytes, err) : HSD_OK;
}

bool hsd_adjacency_is_leaf(const hsd_adjacency *a, uint32_t node)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    return !hsd_bit_get(a->has_targets, node);
}

/* ---- blocks ---- */

uint32_t hsd_adjacency_block_of(const hsd_adjacency *a, uint32_t node)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    uint32_t block = a->locate[node >> HSD_LOCATE_SHIFT];
    while (block + 1 < a->blocks.count && a->block_first[block + 1] <= node && a->block_first[block] != node) {
        block++;
    }
    return block;
}

bool hsd_adjacency_is_resident(const hsd_adjacency *a) { return !a->blocks.has_pages; }

bool hsd_adjacency_is_all_resident(const hsd_adjacency *a)
{
    return !a->blocks.has_pages && !(a->has_names && a->names.blocks.has_pages);
}

uint32_t hsd_adjacency_block_count(const hsd_adjacency *a) { return a->blocks.count; }

uint64_t hsd_adjacency_reads(const hsd_adjacency *a) { return a->blocks.has_pages ? a->blocks.pages.transfers : 0; }

bool hsd_adjacency_is_block_near(const hsd_adjacency *a, uint32_t block)
{
    HSD_ASSERT(block < a->blocks.count);
    return hsd_blocks_is_near(&a->blocks, block);
}

void hsd_adjacency_bring_block(hsd_adjacency *a, uint32_t block, uint32_t *first, uint32_t *end)
{
    HSD_ASSERT(block < a->blocks.count);
    uint32_t count;
    const uint8_t *bytes = hsd_blocks_at(&a->blocks, block);
    memcpy(first, bytes, 4);
    memcpy(&count, bytes + 4, 4);
    *end = *first + (count == HSD_LONG_LIST ? 1 : count);
}

/* ---- lists ---- */

/* Nodes of an ordinary block, or 0 where only the block itself can tell. */
static uint32_t nodes_of(const hsd_adjacency *a, uint32_t block)
{
    if (block + 1 >= a->blocks.count) return 0;
    const uint32_t count = a->block_first[block + 1] - a->block_first[block];
    return count > 1 ? count : 0;
}

static int64_t unzigzag(uint64_t value) { return (int64_t)(value >> 1) ^ -(int64_t)(value & 1); }

static uint32_t decode_list(const uint8_t *in, const uint8_t *end, uint32_t source, uint32_t *items)
{
    uint64_t value;
    in = hsd_varint_get(in, &value);
    uint32_t target = (uint32_t)((int64_t)source + unzigzag(value));
    uint32_t count = 0;
    items[count++] = target;
    while (in < end) {
        in = hsd_varint_get(in, &value);
        target += (uint32_t)value + 1;
        items[count++] = target;
    }
    return count;
}

/* One part of a long list; `bytes` is its block. */
static void read_long_part(hsd_adjacency *a, uint32_t block, const uint8_t *bytes, bool is_named, hsd_targets *out)
{
    hsd_long_header header;
    memcpy(&header, bytes, sizeof header);
    out->items = a->items;
    out->names = is_named ? a->item_names : NULL;
    out->count = header.items;
    out->has_more = header.has_more != 0;
    out->next_block = block + 1;
    if (header.items == 0) return;
    uint64_t value;
    const uint8_t *in = hsd_varint_get(bytes + sizeof header, &value);
    uint32_t target = (uint32_t)((int64_t)header.node + unzigzag(value));
    a->items[0] = target;
    for (uint32_t i = 1; i < header.items; i++) {
        in = hsd_varint_get(in, &value);
        target += (uint32_t)value + 1;
        a->items[i] = target;
    }
    if (is_named && a->has_names) {
        hsd_name_blocks_get_part(&a->names, header.names, a->item_names, header.items);
    }
}

/* Reads one list out of a block that is not in memory and was not asked for lately: where it stands, and then it. */
static bool get_far(hsd_adjacency *a, uint32_t block, uint32_t node, hsd_targets *out)
{
    const uint32_t count = nodes_of(a, block), place = node - a->block_first[block];
    if (count == 0 || place >= count || !hsd_blocks_is_far(&a->blocks, block, place)) return false;
    const uint32_t lists = HSD_BLOCK_HEADER_BYTES + (count + 1) * 2;
    uint16_t range[2];
    hsd_blocks_copy_far(&a->blocks, block, HSD_BLOCK_HEADER_BYTES + place * 2, range, sizeof range);
    *out = (hsd_targets){.items = a->items};
    if (range[0] >= range[1] || lists + range[1] > HSD_BLOCK_BYTES) return true;
    const uint32_t size = (uint32_t)range[1] - range[0];
    hsd_blocks_copy_far(&a->blocks, block, lists + range[0], a->far_list, size);
    out->count = decode_list(a->far_list, a->far_list + size, node, a->items);
    return true;
}

/* The targets of `node`, which is in `block`. */
static void get(hsd_adjacency *a, uint32_t block, uint32_t node, bool is_named, hsd_targets *out)
{
    const uint8_t *bytes = hsd_blocks_at(&a->blocks, block);
    const uint32_t first = a->block_first[block];
    uint32_t count = nodes_of(a, block); /* most blocks need not be asked */
    if (count == 0) memcpy(&count, bytes + 4, 4);
    if (count == HSD_LONG_LIST) {
        read_long_part(a, block, bytes, is_named, out);
        return;
    }
    *out = (hsd_targets){.items = a->items, .names = is_named ? a->item_names : NULL};
    const uint32_t place = node - first;
    if (place >= count) return; /* the block could not be read */
    uint16_t range[2];
    memcpy(range, bytes + HSD_BLOCK_HEADER_BYTES + (size_t)place * 2, sizeof range);
    if (range[0] == range[1]) return;
    const uint8_t *lists = bytes + HSD_BLOCK_HEADER_BYTES + ((size_t)count + 1) * 2;
    out->count = decode_list(lists + range[0], lists + range[1], node, a->items);
    if (is_named && a->has_names) {
        const uint32_t names = hsd_name_blocks_of(&a->names, node, a->names_from[block]);
        hsd_name_blocks_get(&a->names, names, node, a->item_names, out->count);
    }
}

void hsd_adjacency_expect(const hsd_adjacency *a, uint32_t node)
{
    HSD_ASSERT(a->is_finished);
    const uint32_t block = hsd_adjacency_block_of(a, node);
    const uint8_t *bytes = hsd_blocks_peek(&a->blocks, block);
    const uint32_t count = nodes_of(a, block);
    uint16_t begin;
    if (bytes == NULL || count == 0) return;
    memcpy(&begin, bytes + HSD_BLOCK_HEADER_BYTES + (size_t)(node - a->block_first[block]) * 2, sizeof begin);
    __builtin_prefetch(bytes + HSD_BLOCK_HEADER_BYTES + ((size_t)count + 1) * 2 + begin);
}

void hsd_adjacency_expect_place(const hsd_adjacency *a, uint32_t node)
{
    HSD_ASSERT(a->is_finished);
    const uint32_t block = hsd_adjacency_block_of(a, node);
    const uint8_t *bytes = hsd_blocks_peek(&a->blocks, block);
    if (bytes != NULL) __builtin_prefetch(bytes + HSD_BLOCK_HEADER_BYTES + (size_t)(node - a->block_first[block]) * 2);
}

void hsd_adjacency_get(hsd_adjacency *a, uint32_t node, hsd_targets *out)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    const uint32_t block = hsd_adjacency_block_of(a, node);
    if (hsd_blocks_is_near(&a->blocks, block) || !get_far(a, block, node, out)) get(a, block, node, false, out);
}

void hsd_adjacency_get_named(hsd_adjacency *a, uint32_t node, hsd_targets *out)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    get(a, hsd_adjacency_block_of(a, node), node, true, out);
}

void hsd_adjacency_more(hsd_adjacency *a, hsd_targets *targets)
{
    HSD_ASSERT(targets->has_more);
    const uint32_t block = targets->next_block;
    read_long_part(a, block, hsd_blocks_at(&a->blocks, block), targets->names != NULL, targets);
}

void hsd_adjacency_get_part(hsd_adjacency *a, uint32_t node, uint32_t part, hsd_targets *out)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    const uint32_t block = hsd_adjacency_block_of(a, node) + part;
    read_long_part(a, block, hsd_blocks_at(&a->blocks, block), true, out);
}

hsd_status hsd_adjacency_check(const hsd_adjacency *a, hsd_error *err)
{
    HSD_TRY(hsd_blocks_check(&a->blocks, err));
    return a->has_names ? hsd_blocks_check(&a->names.blocks, err) : HSD_OK;
}
