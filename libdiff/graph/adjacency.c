/*
 * Compressed adjacency blocks: built once in order of sources, read at random.
 *
 *      block (16 KiB)  u32 first    first node of the block
 *                      u32 count    nodes in it, or LONG: one part of one node's long list
 *      ordinary        u16 at[count + 1]   where each node's list starts behind this table
 *                      lists        zigzag(first target - node), then gaps - 1, as varints
 *      LONG            u32 items, u32 has_more, then the list in the same coding
 *
 * Nodes are found through `locate`: for every 256th node the block that holds it; from there at most
 * a few steps along block_first. Blocks stay in memory in slabs of 1 MiB while the budget lasts, and
 * move to a temporary file, read through a page cache, when it does not.
 */
#include "graph/adjacency.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/pages.h"

#define BLOCK_BYTES HSD_PAGE_BYTES
#define SLAB_BLOCKS 64u
#define SLAB_BYTES ((size_t)SLAB_BLOCKS * BLOCK_BYTES)
#define LONG_LIST UINT32_MAX
#define HEADER_BYTES 8u
#define LONG_HEADER_BYTES 16u
#define MAX_BLOCK_NODES 4096u
#define MAX_VARINT 5u
#define LOCATE_SHIFT 8

struct hsd_adjacency {
    hsd_temp_space *space;
    uint64_t memory_bytes;
    uint64_t edge_count;
    uint32_t node_count;

    uint8_t **slabs;       /* resident blocks */
    size_t slab_count, slab_capacity;
    hsd_temp file;         /* spilled blocks; moved into pages by finish */
    bool is_spilled;
    hsd_paged pages;       /* reading spilled blocks */
    bool has_pages;

    uint32_t *block_first; /* first node of each block */
    uint32_t block_count, block_capacity;
    uint32_t *locate;
    uint8_t *has_targets;  /* one bit a node */
    size_t bit_bytes;

    /* building */
    bool is_finished;
    uint32_t largest_target;
    uint32_t source;       /* whose targets are gathered */
    bool has_source;
    bool is_long;          /* parts of `source` were written already */
    uint32_t *gathered;    /* HSD_ADJACENCY_PART_ITEMS */
    uint32_t gathered_count;
    uint8_t *lists;        /* encoded lists of the open block */
    uint32_t list_bytes;
    uint16_t *at;          /* MAX_BLOCK_NODES + 1 */
    uint32_t open_first, open_count;
    uint32_t next_node;    /* nodes below have their place in a block */

    /* reading */
    uint32_t *items;       /* HSD_ADJACENCY_PART_ITEMS */
    uint32_t *names;       /* as many */
};

/* ---- coding ---- */

static uint8_t *put_varint(uint8_t *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

static inline const uint8_t *get_varint(const uint8_t *in, uint64_t *value)
{
    uint64_t byte = *in++;
    uint64_t result = byte & 0x7f;
    for (unsigned shift = 7; byte & 0x80; shift += 7) {
        byte = *in++;
        result |= (byte & 0x7f) << shift;
    }
    *value = result;
    return in;
}

static uint64_t zigzag(int64_t value) { return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63); }
static int64_t unzigzag(uint64_t value) { return (int64_t)(value >> 1) ^ -(int64_t)(value & 1); }

/* Sorted, distinct targets behind `out`; at most MAX_VARINT bytes each. */
static uint8_t *encode_list(uint8_t *out, uint32_t source, const uint32_t *items, uint32_t count)
{
    out = put_varint(out, zigzag((int64_t)items[0] - (int64_t)source));
    for (uint32_t i = 1; i < count; i++) out = put_varint(out, items[i] - items[i - 1] - 1);
    return out;
}

static uint32_t decode_list(const uint8_t *in, const uint8_t *end, uint32_t source, uint32_t *items)
{
    uint64_t value;
    in = get_varint(in, &value);
    uint32_t target = (uint32_t)((int64_t)source + unzigzag(value));
    uint32_t count = 0;
    items[count++] = target;
    while (in < end) {
        in = get_varint(in, &value);
        target += (uint32_t)value + 1;
        items[count++] = target;
    }
    return count;
}

static uint8_t *take_slab(void)
{
    hsd_pages pages;
    return hsd_pages_take(&pages, SLAB_BYTES) ? pages.data : NULL;
}

static void give_slab(uint8_t *slab)
{
    hsd_pages pages = {slab, SLAB_BYTES};
    hsd_pages_give(&pages);
}

/* ---- where blocks live ---- */

static hsd_status no_memory(hsd_error *err)
{
    return hsd_fail(err, HSD_E_NOMEM, "out of memory for the reference graph");
}

static hsd_status grow_u32(uint32_t **array, uint32_t *capacity, hsd_error *err)
{
    const uint32_t wanted = *capacity == 0 ? 1024 : *capacity * 2;
    uint32_t *grown = realloc(*array, (size_t)wanted * sizeof **array);
    if (grown == NULL) return no_memory(err);
    *array = grown;
    *capacity = wanted;
    return HSD_OK;
}

static hsd_status spill(hsd_adjacency *a, size_t slab, size_t bytes, hsd_error *err)
{
    const uint64_t offset = (uint64_t)slab * SLAB_BYTES;
    return hsd_temp_write(&a->file, offset, a->slabs[slab], bytes, err);
}

/* The budget is used up: all slabs but the newest go to the file. */
static hsd_status start_spilling(hsd_adjacency *a, hsd_error *err)
{
    HSD_TRY(hsd_temp_open(&a->file, a->space, err));
    a->is_spilled = true;
    for (size_t i = 0; i < a->slab_count; i++) {
        HSD_TRY(spill(a, i, SLAB_BYTES, err));
        give_slab(a->slabs[i]);
        a->slabs[i] = NULL;
    }
    return HSD_OK;
}

static hsd_status add_slab(hsd_adjacency *a, hsd_error *err)
{
    if (!a->is_spilled && (a->slab_count + 2) * SLAB_BYTES > a->memory_bytes && a->slab_count > 0) {
        HSD_TRY(start_spilling(a, err));
    } else if (a->is_spilled) {
        HSD_TRY(spill(a, a->slab_count - 1, SLAB_BYTES, err));
        give_slab(a->slabs[a->slab_count - 1]);
        a->slabs[a->slab_count - 1] = NULL;
    }
    if (a->slab_count == a->slab_capacity) {
        const size_t wanted = a->slab_capacity == 0 ? 16 : a->slab_capacity * 2;
        uint8_t **grown = realloc(a->slabs, wanted * sizeof *grown);
        if (grown == NULL) return no_memory(err);
        a->slabs = grown;
        a->slab_capacity = wanted;
    }
    a->slabs[a->slab_count] = take_slab();
    if (a->slabs[a->slab_count] == NULL) return no_memory(err);
    a->slab_count++;
    return HSD_OK;
}

/* Memory of a new block whose first node is `first`. */
static hsd_status new_block(hsd_adjacency *a, uint32_t first, uint8_t **out, hsd_error *err)
{
    if (a->block_count == a->block_capacity) {
        HSD_TRY(grow_u32(&a->block_first, &a->block_capacity, err));
    }
    if (a->block_count % SLAB_BLOCKS == 0) HSD_TRY(add_slab(a, err));
    *out = a->slabs[a->slab_count - 1] + (size_t)(a->block_count % SLAB_BLOCKS) * BLOCK_BYTES;
    a->block_first[a->block_count++] = first;
    return HSD_OK;
}

static const uint8_t *block_at(hsd_adjacency *a, uint32_t block)
{
    if (a->has_pages) {
        return hsd_paged_at(&a->pages, (uint64_t)block << HSD_PAGE_SHIFT, HSD_FRAME_USED);
    }
    return a->slabs[block / SLAB_BLOCKS] + (size_t)(block % SLAB_BLOCKS) * BLOCK_BYTES;
}

/* ---- building ---- */

hsd_status hsd_adjacency_begin(hsd_adjacency **out, uint64_t memory_bytes, hsd_temp_space *space,
                               hsd_error *err)
{
    *out = NULL;
    if (memory_bytes < (UINT64_C(256) << 10)) {
        return hsd_fail(err, HSD_E_OVER_BUDGET, "the reference graph needs at least 256 KiB");
    }
    hsd_adjacency *a = calloc(1, sizeof *a);
    if (a == NULL) return no_memory(err);
    a->memory_bytes = memory_bytes;
    a->space = space;
    a->file.fd = -1;
    a->gathered = malloc(HSD_ADJACENCY_PART_ITEMS * sizeof *a->gathered);
    a->items = malloc(HSD_ADJACENCY_PART_ITEMS * sizeof *a->items);
    a->names = calloc(HSD_ADJACENCY_PART_ITEMS, sizeof *a->names);
    a->at = malloc((MAX_BLOCK_NODES + 1) * sizeof *a->at);
    a->lists = malloc(BLOCK_BYTES + HSD_ADJACENCY_PART_ITEMS * MAX_VARINT);
    if (a->gathered == NULL || a->items == NULL || a->names == NULL || a->at == NULL || a->lists == NULL) {
        hsd_adjacency_free(a);
        return no_memory(err);
    }
    *out = a;
    return HSD_OK;
}

/* Makes room for the bit of `node`. */
static hsd_status reserve_bit(hsd_adjacency *a, uint32_t node, hsd_error *err)
{
    const size_t byte = node >> 3;
    if (byte < a->bit_bytes) return HSD_OK;
    const size_t wanted = byte + 1 > a->bit_bytes * 2 ? byte + 4096 : a->bit_bytes * 2;
    uint8_t *grown = realloc(a->has_targets, wanted);
    if (grown == NULL) return no_memory(err);
    memset(grown + a->bit_bytes, 0, wanted - a->bit_bytes);
    a->has_targets = grown;
    a->bit_bytes = wanted;
    return HSD_OK;
}

static hsd_status mark_has_targets(hsd_adjacency *a, uint32_t node, hsd_error *err)
{
    HSD_TRY(reserve_bit(a, node, err));
    a->has_targets[node >> 3] = (uint8_t)(a->has_targets[node >> 3] | 1u << (node & 7));
    return HSD_OK;
}

/* Writes the open block out. */
static hsd_status close_block(hsd_adjacency *a, hsd_error *err)
{
    if (a->open_count == 0) return HSD_OK;
    uint8_t *block;
    HSD_TRY(new_block(a, a->open_first, &block, err));
    a->at[a->open_count] = (uint16_t)a->list_bytes;
    memcpy(block, &a->open_first, 4);
    memcpy(block + 4, &a->open_count, 4);
    const size_t table = ((size_t)a->open_count + 1) * sizeof *a->at;
    memcpy(block + HEADER_BYTES, a->at, table);
    memcpy(block + HEADER_BYTES + table, a->lists, a->list_bytes);
    a->open_count = 0;
    a->list_bytes = 0;
    return HSD_OK;
}

/* Gives `node` (the next one) the encoded list that stands behind the open block's lists. */
static hsd_status place(hsd_adjacency *a, uint32_t bytes, hsd_error *err)
{
    const uint32_t table = (a->open_count + 2) * (uint32_t)sizeof *a->at;
    if (a->open_count == MAX_BLOCK_NODES ||
        HEADER_BYTES + table + a->list_bytes + bytes > BLOCK_BYTES) {
        const uint32_t start = a->list_bytes;
        HSD_TRY(close_block(a, err));
        memmove(a->lists, a->lists + start, bytes);
    }
    if (a->open_count == 0) a->open_first = a->next_node;
    a->at[a->open_count++] = (uint16_t)a->list_bytes;
    a->list_bytes += bytes;
    a->next_node++;
    return HSD_OK;
}

/* Nodes up to `node` that nobody spoke of refer to nothing. */
static hsd_status place_empty_until(hsd_adjacency *a, uint32_t node, hsd_error *err)
{
    while (a->next_node < node) HSD_TRY(place(a, 0, err));
    return HSD_OK;
}

static void sort_small(uint32_t *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t item = items[i];
        uint32_t j = i;
        for (; j > 0 && items[j - 1] > item; j--) items[j] = items[j - 1];
        items[j] = item;
    }
}

static int compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the gathered targets, drops duplicates and the source itself. */
static void tidy_gathered(hsd_adjacency *a)
{
    uint32_t *items = a->gathered;
    if (a->gathered_count <= 24) sort_small(items, a->gathered_count);
    else qsort(items, a->gathered_count, sizeof *items, compare_u32);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->gathered_count; i++) {
        if (items[i] == a->source || (kept > 0 && items[kept - 1] == items[i])) continue;
        items[kept++] = items[i];
    }
    a->gathered_count = kept;
    a->edge_count += kept;
    if (kept > 0 && items[kept - 1] > a->largest_target) a->largest_target = items[kept - 1];
}

static hsd_status write_long_part(hsd_adjacency *a, bool has_more, hsd_error *err)
{
    HSD_TRY(place_empty_until(a, a->source, err));
    HSD_TRY(close_block(a, err));
    tidy_gathered(a);
    if (a->gathered_count == 0 && has_more) return HSD_OK;
    uint8_t *block;
    HSD_TRY(new_block(a, a->source, &block, err));
    const uint32_t header[4] = {a->source, LONG_LIST, a->gathered_count, has_more};
    memcpy(block, header, sizeof header);
    if (a->gathered_count > 0) {
        encode_list(block + LONG_HEADER_BYTES, a->source, a->gathered, a->gathered_count);
        HSD_TRY(mark_has_targets(a, a->source, err));
    }
    a->gathered_count = 0;
    a->is_long = true;
    return HSD_OK;
}

/* The gathered source is complete. */
static hsd_status end_source(hsd_adjacency *a, hsd_error *err)
{
    if (!a->has_source) return HSD_OK;
    a->has_source = false;
    if (a->is_long) {
        HSD_TRY(write_long_part(a, false, err));
        a->is_long = false;
        a->next_node = a->source + 1;
        return HSD_OK;
    }
    tidy_gathered(a);
    HSD_TRY(place_empty_until(a, a->source, err));
    if (a->gathered_count == 0) return HSD_OK;
    uint8_t *start = a->lists + a->list_bytes;
    const uint8_t *end = encode_list(start, a->source, a->gathered, a->gathered_count);
    a->gathered_count = 0;
    HSD_TRY(mark_has_targets(a, a->source, err));
    return place(a, (uint32_t)(end - start), err);
}

hsd_status hsd_adjacency_with_names(hsd_adjacency *a, uint64_t memory_bytes, hsd_error *err)
{
    if (a->is_finished || a->has_source) return hsd_fail(err, HSD_E_MISUSE, "names come before references");
    if (memory_bytes < (UINT64_C(256) << 10)) {
        return hsd_fail(err, HSD_E_OVER_BUDGET, "the names of references need at least 256 KiB");
    }
    return HSD_OK;
}

hsd_status hsd_adjacency_add(hsd_adjacency *a, uint32_t source, const uint32_t *targets,
                             const uint32_t *names, uint64_t count, hsd_error *err)
{
    (void)names;
    if (count == 0) return HSD_OK;
    if (a->is_finished || source < a->next_node || (a->has_source && source < a->source)) {
        return hsd_fail(err, HSD_E_MISUSE, "references of node %u came out of order", source);
    }
    if (!a->has_source || source != a->source) {
        HSD_TRY(end_source(a, err));
        a->source = source;
        a->has_source = true;
    }
    for (;;) {
        const uint32_t room = HSD_ADJACENCY_PART_ITEMS - a->gathered_count;
        const uint32_t part = (uint32_t)hsd_min_u64(count, room);
        memcpy(a->gathered + a->gathered_count, targets, part * sizeof *targets);
        a->gathered_count += part;
        count -= part;
        if (count == 0) return HSD_OK;
        targets += part;
        HSD_TRY(write_long_part(a, true, err));
    }
}

/* For each group of nodes the block in which its first one is. */
static hsd_status build_locate(hsd_adjacency *a, hsd_error *err)
{
    const uint32_t groups = (a->node_count >> LOCATE_SHIFT) + 1;
    a->locate = malloc((size_t)groups * sizeof *a->locate);
    if (a->locate == NULL) return no_memory(err);
    uint32_t block = 0;
    for (uint32_t group = 0; group < groups; group++) {
        const uint64_t node = (uint64_t)group << LOCATE_SHIFT;
        while (block + 1 < a->block_count && a->block_first[block + 1] <= node) block++;
        /* the first of the blocks that start with this very node: a long list has several */
        while (block > 0 && a->block_first[block - 1] == a->block_first[block]) block--;
        a->locate[group] = block;
    }
    return HSD_OK;
}

static void free_building(hsd_adjacency *a)
{
    free(a->gathered);
    free(a->lists);
    free(a->at);
    a->gathered = NULL;
    a->lists = NULL;
    a->at = NULL;
}

/* The last slab follows the others into the file, which is read through pages from now on. */
static hsd_status move_to_pages(hsd_adjacency *a, hsd_error *err)
{
    const uint32_t in_last = (a->block_count - 1) % SLAB_BLOCKS + 1;
    HSD_TRY(spill(a, a->slab_count - 1, (size_t)in_last * BLOCK_BYTES, err));
    give_slab(a->slabs[a->slab_count - 1]);
    a->slabs[a->slab_count - 1] = NULL;
    HSD_TRY(hsd_paged_open_file(&a->pages, &a->file, a->memory_bytes, err));
    a->has_pages = true;
    return HSD_OK;
}

hsd_status hsd_adjacency_finish(hsd_adjacency *a, uint32_t node_count, hsd_error *err)
{
    if (a->is_finished) return hsd_fail(err, HSD_E_MISUSE, "the graph is finished already");
    HSD_TRY(end_source(a, err));
    if (a->next_node > node_count || (a->edge_count > 0 && a->largest_target >= node_count)) {
        return hsd_fail(err, HSD_E_MISUSE, "a reference names node %u of %u",
                        a->largest_target >= node_count ? a->largest_target : a->next_node - 1,
                        node_count);
    }
    a->node_count = node_count;
    HSD_TRY(place_empty_until(a, node_count, err));
    HSD_TRY(close_block(a, err));
    HSD_TRY(reserve_bit(a, node_count, err));
    HSD_TRY(build_locate(a, err));
    if (a->is_spilled) HSD_TRY(move_to_pages(a, err));
    free_building(a);
    a->is_finished = true;
    return HSD_OK;
}

hsd_status hsd_adjacency_set_memory(hsd_adjacency *a, uint64_t memory_bytes, hsd_error *err)
{
    if (!a->is_finished) return hsd_fail(err, HSD_E_MISUSE, "the graph is not finished");
    a->memory_bytes = memory_bytes;
    if (!a->has_pages) {
        if (a->slab_count * SLAB_BYTES <= memory_bytes || a->block_count == 0) return HSD_OK;
        HSD_TRY(start_spilling(a, err));
    } else {
        a->file = a->pages.file;
        a->pages.file.fd = -1;
        hsd_paged_close(&a->pages);
        a->has_pages = false;
    }
    HSD_TRY(hsd_paged_open_file(&a->pages, &a->file, memory_bytes, err));
    a->has_pages = true;
    return HSD_OK;
}

hsd_status hsd_adjacency_set_name_memory(hsd_adjacency *a, uint64_t memory_bytes, hsd_error *err)
{
    (void)memory_bytes;
    if (!a->is_finished) return hsd_fail(err, HSD_E_MISUSE, "the graph is not finished");
    return HSD_OK;
}

/* ---- reading ---- */

uint32_t hsd_adjacency_node_count(const hsd_adjacency *a) { return a->node_count; }
uint64_t hsd_adjacency_edge_count(const hsd_adjacency *a) { return a->edge_count; }
uint64_t hsd_adjacency_bytes(const hsd_adjacency *a) { return (uint64_t)a->block_count * BLOCK_BYTES; }

bool hsd_adjacency_is_leaf(const hsd_adjacency *a, uint32_t node)
{
    return (a->has_targets[node >> 3] >> (node & 7) & 1) == 0;
}

static void read_long_part(hsd_adjacency *a, uint32_t block, const uint8_t *bytes, hsd_targets *out)
{
    uint32_t header[4];
    memcpy(header, bytes, sizeof header);
    out->items = a->items;
    out->names = NULL;
    out->count = header[2];
    out->has_more = header[3] != 0;
    out->next_block = block + 1;
    const uint8_t *in = bytes + LONG_HEADER_BYTES;
    uint64_t value;
    if (header[2] == 0) return;
    in = get_varint(in, &value);
    uint32_t target = (uint32_t)((int64_t)header[0] + unzigzag(value));
    a->items[0] = target;
    for (uint32_t i = 1; i < header[2]; i++) {
        in = get_varint(in, &value);
        target += (uint32_t)value + 1;
        a->items[i] = target;
    }
}

uint32_t hsd_adjacency_block_of(const hsd_adjacency *a, uint32_t node)
{
    uint32_t block = a->locate[node >> LOCATE_SHIFT];
    while (block + 1 < a->block_count && a->block_first[block + 1] <= node &&
           a->block_first[block] != node) {
        block++;
    }
    return block;
}

bool hsd_adjacency_is_resident(const hsd_adjacency *a) { return !a->has_pages; }
uint32_t hsd_adjacency_block_count(const hsd_adjacency *a) { return a->block_count; }

bool hsd_adjacency_is_block_near(const hsd_adjacency *a, uint32_t block)
{
    return !a->has_pages || a->pages.page_frame[block] != HSD_PAGE_ABSENT;
}

void hsd_adjacency_bring_block(hsd_adjacency *a, uint32_t block, uint32_t *first, uint32_t *end)
{
    uint32_t count;
    const uint8_t *bytes = block_at(a, block);
    memcpy(first, bytes, 4);
    memcpy(&count, bytes + 4, 4);
    *end = *first + (count == LONG_LIST ? 1 : count);
}

void hsd_adjacency_get(hsd_adjacency *a, uint32_t node, hsd_targets *out)
{
    const uint32_t block = hsd_adjacency_block_of(a, node);
    const uint8_t *bytes = block_at(a, block);
    uint32_t first, count;
    memcpy(&first, bytes, 4);
    memcpy(&count, bytes + 4, 4);
    if (count == LONG_LIST) {
        read_long_part(a, block, bytes, out);
        return;
    }
    uint16_t range[2];
    memcpy(range, bytes + HEADER_BYTES + (size_t)(node - first) * 2, sizeof range);
    const uint8_t *lists = bytes + HEADER_BYTES + ((size_t)count + 1) * 2;
    out->items = a->items;
    out->names = NULL;
    out->has_more = false;
    out->next_block = 0;
    out->count = range[0] == range[1]
                     ? 0
                     : decode_list(lists + range[0], lists + range[1], node, a->items);
}

void hsd_adjacency_get_named(hsd_adjacency *a, uint32_t node, hsd_targets *out)
{
    hsd_adjacency_get(a, node, out);
    out->names = a->names;
}

void hsd_adjacency_more(hsd_adjacency *a, hsd_targets *targets)
{
    const bool is_named = targets->names != NULL;
    read_long_part(a, targets->next_block, block_at(a, targets->next_block), targets);
    if (is_named) targets->names = a->names;
}

hsd_status hsd_adjacency_check(const hsd_adjacency *a, hsd_error *err)
{
    return a->has_pages ? hsd_paged_check(&a->pages, err) : HSD_OK;
}

void hsd_adjacency_free(hsd_adjacency *a)
{
    if (a == NULL) return;
    for (size_t i = 0; i < a->slab_count; i++) give_slab(a->slabs[i]);
    free(a->slabs);
    if (a->has_pages) hsd_paged_close(&a->pages);
    else if (a->is_spilled) hsd_temp_close(&a->file);
    free(a->block_first);
    free(a->locate);
    free(a->has_targets);
    free(a->items);
    free(a->names);
    free_building(a);
    free(a);
}
