/*
 * Reading adjacency blocks: at random, one node or one block at a time, with names or without. The layout is
 * drawn in adjacency.c.
 */
#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/search.h"
#include "base/work.h"
#include "graph/adjacency_state.h"
#include "graph/varint.h"

hsd_node hsd_adjacency_node_count(const hsd_adjacency *a) { return a->node_count; }
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
    if (a->is_finished && !a->is_view) hsd_blocks_load(&a->blocks);
}

void hsd_adjacency_load_names(hsd_adjacency *a)
{
    if (a->is_finished && !a->is_view && a->has_names) hsd_blocks_load(&a->names.blocks);
}

hsd_status hsd_adjacency_set_name_memory(hsd_adjacency *a, uint64_t memory_bytes, hsd_error *err)
{
    if (!a->is_finished) return hsd_fail(err, HSD_E_MISUSE, "the graph is not finished");
    return a->has_names && !a->is_view ? hsd_blocks_set_memory(&a->names.blocks, memory_bytes, err) : HSD_OK;
}

bool hsd_adjacency_is_leaf(const hsd_adjacency *a, hsd_node node)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    return !hsd_bit_get(a->has_targets, node);
}

uint64_t hsd_adjacency_with_targets(const hsd_adjacency *a, hsd_node first)
{
    HSD_ASSERT(a->is_finished && first < a->node_count);
    return hsd_bits_get_64(a->has_targets, first, a->node_count);
}

/* ---- blocks ---- */

static inline uint32_t block_of(const hsd_adjacency *a, hsd_node node)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    uint32_t block = a->locate[node >> HSD_LOCATE_SHIFT];
    while (block + 1 < a->blocks.count && a->block_first[block + 1] <= node && a->block_first[block] != node) {
        block++;
    }
    return block;
}

uint32_t hsd_adjacency_block_of(const hsd_adjacency *a, hsd_node node) { return block_of(a, node); }

bool hsd_adjacency_is_resident(const hsd_adjacency *a) { return !a->blocks.has_pages; }

bool hsd_adjacency_is_all_resident(const hsd_adjacency *a)
{
    return hsd_blocks_are_all_there(&a->blocks) && !(a->has_names && !hsd_blocks_are_all_there(&a->names.blocks));
}

uint32_t hsd_adjacency_block_count(const hsd_adjacency *a) { return a->blocks.count; }

hsd_node hsd_adjacency_first_of(const hsd_adjacency *a, uint32_t block)
{
    HSD_ASSERT(a->is_finished && block < a->blocks.count);
    return a->block_first[block];
}

uint64_t hsd_adjacency_reads(const hsd_adjacency *a)
{
    return a->blocks.has_pages ? a->blocks.pages.transfers + a->blocks.pages.elements : 0;
}

bool hsd_adjacency_is_block_near(const hsd_adjacency *a, uint32_t block)
{
    HSD_ASSERT(block < a->blocks.count);
    return hsd_blocks_is_near(&a->blocks, block);
}

void hsd_adjacency_bring_block(hsd_adjacency *a, uint32_t block, hsd_node *first, hsd_node *end)
{
    HSD_ASSERT(block < a->blocks.count);
    uint32_t count;
    const uint8_t *bytes = hsd_blocks_at(&a->blocks, block);
    memcpy(first, bytes, HSD_NODE_BYTES);
    memcpy(&count, bytes + HSD_NODE_BYTES, 4);
    *end = *first + (count == HSD_LONG_LIST ? 1 : count);
}

/* ---- lists ---- */

/* Nodes of an ordinary block, or 0 where only the block itself can tell. */
static uint32_t nodes_of(const hsd_adjacency *a, uint32_t block)
{
    if (block + 1 >= a->blocks.count) return 0;
    const uint32_t count = (uint32_t)(a->block_first[block + 1] - a->block_first[block]);
    return count > 1 ? count : 0;
}

static int64_t unzigzag(uint64_t value) { return (int64_t)(value >> 1) ^ -(int64_t)(value & 1); }

static uint32_t decode_list(const uint8_t *in, const uint8_t *end, hsd_node source, hsd_node *items)
{
    uint64_t value;
    in = hsd_varint_get(in, &value);
    hsd_node target = (hsd_node)((int64_t)source + unzigzag(value));
    uint32_t count = 0;
    items[count++] = target;
    while (in < end) {
        in = hsd_varint_get(in, &value);
        target += (hsd_node)value + 1;
        items[count++] = target;
    }
    return count;
}

static void decode_part(const uint8_t *in, hsd_node source, uint32_t count, hsd_node *items)
{
    uint64_t value;
    in = hsd_varint_get(in, &value);
    hsd_node target = (hsd_node)((int64_t)source + unzigzag(value));
    items[0] = target;
    for (uint32_t i = 1; i < count; i++) {
        in = hsd_varint_get(in, &value);
        target += (hsd_node)value + 1;
        items[i] = target;
    }
}

static void decode_runs(const uint8_t *in, hsd_node source, uint32_t count, hsd_node *items)
{
    uint64_t value;
    in = hsd_varint_get(in, &value);
    hsd_node target = (hsd_node)((int64_t)source + unzigzag(value));
    items[0] = target;
    for (uint32_t i = 1; i < count;) {
        in = hsd_varint_get(in, &value);
        target += (hsd_node)value + 1;
        items[i++] = target;
        if (value != 0) continue;
        in = hsd_varint_get(in, &value);
        for (const uint32_t end = i + (uint32_t)value; i < end; i++)
            items[i] = ++target;
    }
}

/* True if a part stands at this byte of a block; behind the last one there are zeros. */
static bool has_part(const uint8_t *bytes, uint32_t at)
{
    uint16_t items;
    if (at + sizeof(hsd_part_header) > HSD_BLOCK_BYTES) return false;
    memcpy(&items, bytes + at + offsetof(hsd_part_header, items), sizeof items);
    return items != 0;
}

/* One part of a long list, at byte `at` of its block; 0 = the first one there. */
static __attribute__((noinline)) void read_long_part(hsd_adjacency *a, uint32_t block, uint32_t at,
                                                     const uint8_t *bytes, bool is_named, hsd_targets *out)
{
    hsd_long_header header;
    hsd_part_header part;
    memcpy(&header, bytes, HSD_LONG_HEADER_BYTES);
    const uint32_t from = at != 0 ? at : HSD_LONG_HEADER_BYTES;
    *out = (hsd_targets){.items = a->items, .names = is_named ? a->item_names : NULL};
    if (header.parts == 0) return; /* or it could not be read */
    memcpy(&part, bytes + from, sizeof part);
    const uint32_t end = from + (uint32_t)sizeof part + (part.bytes & ~(uint32_t)HSD_PART_RUNS);
    const bool is_last = !has_part(bytes, end);
    out->count = part.items;
    out->has_more = !is_last || header.has_more != 0;
    out->next_block = is_last ? block + 1 : block;
    out->next_at = is_last ? 0 : end;
    const uint8_t *list = bytes + from + sizeof part;
    if ((part.bytes & HSD_PART_RUNS) != 0)
        decode_runs(list, header.node, part.items, a->items);
    else
        decode_part(list, header.node, part.items, a->items);
    if (is_named && a->has_names) hsd_name_blocks_get_part(&a->names, part.names, a->item_names, part.items);
}

/* Reads one list out of a block that is not in memory and was not asked for lately: where it stands, and then it. */
static bool get_far(hsd_adjacency *a, uint32_t block, hsd_node node, hsd_targets *out)
{
    const uint32_t count = nodes_of(a, block);
    const uint32_t place = (uint32_t)(node - a->block_first[block]);
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

/* Where the names of a node of `block` stand. */
static uint32_t names_block_of(const hsd_adjacency *a, uint32_t block, hsd_node node)
{
    return hsd_name_blocks_of(&a->names, node, a->names_from[block]);
}

/* The targets of `node`, which is in `block`. Compiled for each that asks: with names or without is known there. */
static inline __attribute__((always_inline)) void get(hsd_adjacency *a, uint32_t block, hsd_node node, bool is_named,
                                                      hsd_targets *out)
{
    const uint8_t *bytes = hsd_blocks_at(&a->blocks, block);
    const hsd_node first = a->block_first[block];
    uint32_t count = nodes_of(a, block); /* most blocks need not be asked */
    if (count == 0) memcpy(&count, bytes + HSD_NODE_BYTES, 4);
    if (count == HSD_LONG_LIST) {
        read_long_part(a, block, 0, bytes, is_named, out);
        return;
    }
    *out = (hsd_targets){.items = a->items, .names = is_named ? a->item_names : NULL};
    const hsd_node place = node - first;
    if (place >= count) return; /* the block could not be read */
    uint16_t range[2];
    memcpy(range, bytes + HSD_BLOCK_HEADER_BYTES + (size_t)place * 2, sizeof range);
    if (range[0] == range[1]) return;
    const uint8_t *lists = bytes + HSD_BLOCK_HEADER_BYTES + ((size_t)count + 1) * 2;
    out->count = decode_list(lists + range[0], lists + range[1], node, a->items);
    if (is_named && a->has_names)
        hsd_name_blocks_get(&a->names, names_block_of(a, block, node), node, a->item_names, out->count);
}

void hsd_adjacency_expect(const hsd_adjacency *a, hsd_node node)
{
    HSD_ASSERT(a->is_finished);
    const uint32_t block = block_of(a, node);
    const uint8_t *bytes = hsd_blocks_peek(&a->blocks, block);
    const uint32_t count = nodes_of(a, block);
    uint16_t begin;
    if (bytes == NULL || count == 0) return;
    memcpy(&begin, bytes + HSD_BLOCK_HEADER_BYTES + (size_t)(node - a->block_first[block]) * 2, sizeof begin);
    __builtin_prefetch(bytes + HSD_BLOCK_HEADER_BYTES + ((size_t)count + 1) * 2 + begin);
}

void hsd_adjacency_expect_place(const hsd_adjacency *a, hsd_node node)
{
    HSD_ASSERT(a->is_finished);
    const uint32_t block = block_of(a, node);
    const uint8_t *bytes = hsd_blocks_peek(&a->blocks, block);
    if (bytes != NULL) __builtin_prefetch(bytes + HSD_BLOCK_HEADER_BYTES + (size_t)(node - a->block_first[block]) * 2);
}

void hsd_adjacency_get(hsd_adjacency *a, hsd_node node, hsd_targets *out)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    const uint32_t block = block_of(a, node);
    if (hsd_blocks_is_near(&a->blocks, block) || !get_far(a, block, node, out)) get(a, block, node, false, out);
}

void hsd_adjacency_get_named(hsd_adjacency *a, hsd_node node, hsd_targets *out)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    get(a, block_of(a, node), node, true, out);
}

void hsd_adjacency_get_named_alone(hsd_adjacency *a, hsd_node node, hsd_targets *out)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    const uint32_t block = block_of(a, node);
    if (hsd_blocks_is_near(&a->blocks, block) || !get_far(a, block, node, out)) {
        get(a, block, node, true, out);
        return;
    }
    out->names = a->item_names;
    if (out->count > 0 && a->has_names)
        hsd_name_blocks_get_alone(&a->names, names_block_of(a, block, node), node, a->item_names, out->count,
                                  a->far_list);
}

void hsd_adjacency_more(hsd_adjacency *a, hsd_targets *targets)
{
    HSD_ASSERT(targets->has_more);
    const uint32_t block = targets->next_block, at = targets->next_at;
    read_long_part(a, block, at, hsd_blocks_at(&a->blocks, block), targets->names != NULL, targets);
}

/* The first part in a block of a long list. */
static uint32_t first_part_of(hsd_adjacency *a, uint32_t block)
{
    hsd_long_header header;
    memcpy(&header, hsd_blocks_at(&a->blocks, block), HSD_LONG_HEADER_BYTES);
    return header.first_part;
}

/* The byte of a part in its block. */
static uint32_t find_part(const uint8_t *bytes, uint32_t part)
{
    hsd_long_header header;
    uint32_t at = HSD_LONG_HEADER_BYTES;
    memcpy(&header, bytes, HSD_LONG_HEADER_BYTES);
    for (uint32_t i = header.first_part; i < part && has_part(bytes, at); i++) {
        hsd_part_header skipped;
        memcpy(&skipped, bytes + at, sizeof skipped);
        at += (uint32_t)sizeof skipped + (skipped.bytes & ~(uint32_t)HSD_PART_RUNS);
    }
    return at;
}

void hsd_adjacency_get_part(hsd_adjacency *a, hsd_node node, uint32_t part, hsd_targets *out)
{
    HSD_ASSERT(a->is_finished && node < a->node_count);
    uint32_t block = block_of(a, node), end, next;
    HSD_UPPER_BOUND(end, block, a->blocks.count, a->block_first[end], node);
    HSD_UPPER_BOUND(next, block + 1, end, first_part_of(a, next), part);
    block = next - 1;
    const uint8_t *bytes = hsd_blocks_at(&a->blocks, block);
    read_long_part(a, block, find_part(bytes, part), bytes, true, out);
}

hsd_status hsd_adjacency_check(const hsd_adjacency *a, hsd_error *err)
{
    HSD_TRY(hsd_blocks_check(&a->blocks, err));
    return a->has_names ? hsd_blocks_check(&a->names.blocks, err) : HSD_OK;
}
