/*
 * Building compressed adjacency blocks, in order of sources. Reading them is in adjacency_read.c.
 *
 *      block (16 KiB)  first        first node of the block: a number of HSD_NODE_BYTES
 *                      u32 count    nodes in it, or LONG: parts of one node's long list
 *      ordinary        u16 at[count + 1]   where each node's list starts behind this table
 *                      lists        zigzag(first target - node), then gaps - 1, as varints
 *      LONG            u32 first part, u16 parts, u16 has_more; then of each part
 *                      u32 block and byte of the names, u16 items, u16 bytes, the list in the same coding; where it
 *                      has many targets that follow each other, behind each gap of 0 stands how many more follow it
 *
 * So a list of neighbours takes next to nothing, however long it is: 66,000 that follow each other 750 bytes.
 * Nodes are found through `locate`: for every 256th node the block that holds it; from there at most
 * a few steps along block_first. Names of references go into blocks of their own (graph/name_blocks.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/adjacency_state.h"
#include "graph/varint.h"

#define MAX_BLOCK_NODES 4096u
#define FEW_TARGETS     48u /* below it shifting is faster than counting (bench_graph) */

static uint64_t zigzag(int64_t value) { return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63); }

static bool take_readers(hsd_adjacency *a)
{
    a->items = malloc(HSD_ADJACENCY_PART_ITEMS * sizeof *a->items);
    a->item_names = calloc(HSD_ADJACENCY_PART_ITEMS, sizeof *a->item_names);
    a->far_list = malloc(HSD_BLOCK_BYTES + HSD_VARINT_MOST);
    return a->items != NULL && a->item_names != NULL && a->far_list != NULL;
}

static bool take_buffers(hsd_adjacency *a)
{
    a->gathered = malloc(HSD_ADJACENCY_PART_ITEMS * sizeof *a->gathered);
    a->sorting = malloc(HSD_ADJACENCY_PART_ITEMS * sizeof *a->sorting);
    a->at = malloc((MAX_BLOCK_NODES + 1) * sizeof *a->at);
    a->lists = malloc(HSD_BLOCK_BYTES + HSD_ADJACENCY_PART_ITEMS * HSD_VARINT_MOST);
    a->room = malloc(sizeof *a->room);
    if (a->room != NULL) hsd_adjacency_open_room(a->room);
    return take_readers(a) && a->room != NULL && a->gathered != NULL && a->sorting != NULL && a->at != NULL &&
           a->lists != NULL;
}

hsd_status hsd_adjacency_begin(hsd_adjacency **out, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err)
{
    *out = NULL;
    if (memory_bytes < HSD_BLOCKS_LEAST_BYTES) {
        return hsd_fail(err, HSD_E_OVER_BUDGET, "the reference graph needs at least 256 KiB");
    }
    hsd_adjacency *a = calloc(1, sizeof *a);
    if (a == NULL) return hsd_fail_nomem(err, "the reference graph");
    a->space = space;
    hsd_blocks_begin(&a->blocks, memory_bytes, space);
    if (!take_buffers(a)) {
        hsd_adjacency_free(a);
        return hsd_fail_nomem(err, "the reference graph");
    }
    *out = a;
    return HSD_OK;
}

hsd_status hsd_adjacency_with_names(hsd_adjacency *a, uint64_t memory_bytes, hsd_error *err)
{
    HSD_ASSERT(!a->is_finished && !a->has_source);
    if (a->is_finished || a->has_source || a->has_names) {
        return hsd_fail(err, HSD_E_MISUSE, "names were asked for after the first reference");
    }
    HSD_TRY(hsd_name_blocks_begin(&a->names, memory_bytes, a->space, err));
    a->has_names = true;
    return HSD_OK;
}

/* Sorted, distinct targets behind `out`; at most HSD_VARINT_MOST bytes each. */
static uint8_t *encode_list(uint8_t *out, hsd_node source, const hsd_two *pairs, uint32_t count)
{
    hsd_node last = hsd_two_first(pairs[0]);
    out = hsd_varint_put(out, zigzag((int64_t)last - (int64_t)source));
    for (uint32_t i = 1; i < count; i++) {
        const hsd_node target = hsd_two_first(pairs[i]);
        out = hsd_varint_put(out, target - last - 1);
        last = target;
    }
    return out;
}

/* Memory of a new block whose first node is `first`. */
static hsd_status new_block(hsd_adjacency *a, hsd_node first, uint8_t **out, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(a->block_first, a->block_capacity, a->blocks.count + 1, 1024, "the reference graph", err));
    HSD_TRY(hsd_blocks_add(&a->blocks, out, err));
    a->block_first[a->blocks.count - 1] = first;
    return HSD_OK;
}

/* Makes room for the bit of `node`. */
static hsd_status reserve_bit(hsd_adjacency *a, hsd_node node, hsd_error *err)
{
    const size_t byte = node >> 3;
    if (byte < a->bit_bytes) return HSD_OK;
    return HSD_ARRAY_GROW_ZEROED(a->has_targets, a->bit_bytes, byte + 1, byte + 4096, "the reference graph", err);
}

/* Gives back what was reserved and not needed. */
static void trim_bits(hsd_adjacency *a)
{
    const size_t bytes = (size_t)a->node_count / 8 + 1;
    if (bytes == a->bit_bytes) return;
    uint8_t *trimmed = realloc(a->has_targets, bytes);
    if (trimmed == NULL) return;
    a->has_targets = trimmed;
    a->bit_bytes = bytes;
}

static hsd_status mark_has_targets(hsd_adjacency *a, hsd_node node, hsd_error *err)
{
    HSD_TRY(reserve_bit(a, node, err));
    hsd_bit_set(a->has_targets, node);
    return HSD_OK;
}

/* Writes the open block out. */
static hsd_status close_block(hsd_adjacency *a, hsd_error *err)
{
    if (a->open_count == 0) return HSD_OK;
    uint8_t *block;
    HSD_TRY(new_block(a, a->open_first, &block, err));
    a->at[a->open_count] = (uint16_t)a->list_bytes;
    memcpy(block, &a->open_first, HSD_NODE_BYTES);
    memcpy(block + HSD_NODE_BYTES, &a->open_count, 4);
    const size_t table = ((size_t)a->open_count + 1) * sizeof *a->at;
    memcpy(block + HSD_BLOCK_HEADER_BYTES, a->at, table);
    memcpy(block + HSD_BLOCK_HEADER_BYTES + table, a->lists, a->list_bytes);
    a->open_count = 0;
    a->list_bytes = 0;
    return HSD_OK;
}

/* Gives `node` (the next one) the encoded list that stands behind the open block's lists. */
static hsd_status place(hsd_adjacency *a, uint32_t bytes, hsd_error *err)
{
    const uint32_t table = (a->open_count + 2) * (uint32_t)sizeof *a->at;
    if (a->open_count == MAX_BLOCK_NODES || HSD_BLOCK_HEADER_BYTES + table + a->list_bytes + bytes > HSD_BLOCK_BYTES) {
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
static hsd_status place_empty_until(hsd_adjacency *a, hsd_node node, hsd_error *err)
{
    while (a->next_node < node) {
        HSD_TRY(place(a, 0, err)); /* which sees that there is room for one more */
        const uint32_t used = HSD_BLOCK_HEADER_BYTES + a->list_bytes + (a->open_count + 1) * (uint32_t)sizeof *a->at;
        const uint32_t room = (HSD_BLOCK_BYTES - used) / (uint32_t)sizeof *a->at;
        const uint64_t most = hsd_min_u64(room, MAX_BLOCK_NODES - a->open_count);
        const uint32_t count = (uint32_t)hsd_min_u64(most, node - a->next_node);
        for (uint32_t i = 0; i < count; i++)
            a->at[a->open_count + i] = (uint16_t)a->list_bytes;
        a->open_count += count;
        a->next_node += count;
    }
    return HSD_OK;
}

/* ---- the targets of one source ---- */

static void sort_few(hsd_two *pairs, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const hsd_two pair = pairs[i];
        uint32_t j = i;
        for (; j > 0 && pairs[j - 1] > pair; j--)
            pairs[j] = pairs[j - 1];
        pairs[j] = pair;
    }
}

static bool are_sorted(const hsd_two *pairs, uint32_t count)
{
    uint32_t i = 1;
    while (i < count && pairs[i - 1] <= pairs[i])
        i++;
    return i >= count;
}

/* One round of a radix sort, by the byte at `shift`. */
static void sort_by_byte(const hsd_two *in, hsd_two *out, uint32_t count, unsigned shift)
{
    uint32_t starts[256] = {0};
    for (uint32_t i = 0; i < count; i++)
        starts[in[i] >> shift & 0xff]++;
    for (uint32_t sum = 0, i = 0; i < 256; i++) {
        const uint32_t items = starts[i];
        starts[i] = sum;
        sum += items;
    }
    for (uint32_t i = 0; i < count; i++)
        out[starts[in[i] >> shift & 0xff]++] = in[i];
}

/* Rounds for the bytes in which some pairs differ. */
static void sort_many(hsd_two *pairs, hsd_two *spare, uint32_t count)
{
    hsd_two all = pairs[0], any = pairs[0];
    hsd_two *in = pairs, *out = spare;
    for (uint32_t i = 1; i < count; i++) {
        all &= pairs[i];
        any |= pairs[i];
    }
    for (unsigned shift = 0; shift < 8 * HSD_TWO_BYTES; shift += 8) {
        if (((all ^ any) >> shift & 0xff) == 0) continue;
        sort_by_byte(in, out, count, shift);
        hsd_two *const sorted = out;
        out = in;
        in = sorted;
    }
    if (in != pairs) memcpy(pairs, in, count * sizeof *pairs);
}

static void sort_pairs(hsd_adjacency *a, hsd_two *pairs, uint32_t count)
{
    if (count <= FEW_TARGETS)
        sort_few(pairs, count);
    else if (!are_sorted(pairs, count))
        sort_many(pairs, a->sorting, count);
}

/* Sorts the targets of a source; drops the source itself and of references to one target all but the first name.
 * Returns how many are left. */
static uint32_t tidy_pairs(hsd_adjacency *a, hsd_node source, hsd_two *pairs, uint32_t count)
{
    uint32_t kept = 0;
    if (count > 1) sort_pairs(a, pairs, count);
    for (uint32_t i = 0; i < count; i++) {
        const hsd_node target = hsd_two_first(pairs[i]);
        if (target == source || (kept > 0 && hsd_two_first(pairs[kept - 1]) == target)) continue;
        pairs[kept++] = pairs[i];
    }
    a->edge_count += kept;
    if (kept > 0) a->largest_target = (hsd_node)hsd_max_u64(a->largest_target, hsd_two_first(pairs[kept - 1]));
    return kept;
}

/* A list of as many references as a part has fits a block, unless they are further apart than any graph is large. */
static hsd_status check_gathered(const hsd_adjacency *a, hsd_error *err)
{
    if (HSD_NODE_BITS == 32 || a->largest_target <= HSD_NODE_MAX >> 6) return HSD_OK;
    return hsd_fail(err, HSD_E_MISUSE, "a reference names node %" HSD_PRI_NODE, a->largest_target);
}

/* ---- long lists ---- */

/* True if most gaps of a part are 0, and come together. */
static bool has_runs(const hsd_two *pairs, uint32_t count)
{
    uint32_t zeros = 0, runs = 0;
    bool is_run = false;
    for (uint32_t i = 1; i < count; i++) {
        const bool follows = hsd_two_first(pairs[i]) - hsd_two_first(pairs[i - 1]) == 1;
        zeros += follows;
        runs += follows && !is_run;
        is_run = follows;
    }
    return zeros > 3 * runs; /* 1 byte and 2 at most for each run */
}

/* As encode_list, with gaps of 0 counted. */
static uint8_t *encode_runs(uint8_t *out, hsd_node source, const hsd_two *pairs, uint32_t count)
{
    hsd_node last = hsd_two_first(pairs[0]);
    out = hsd_varint_put(out, zigzag((int64_t)last - (int64_t)source));
    for (uint32_t i = 1; i < count;) {
        const hsd_node gap = hsd_two_first(pairs[i++]) - last - 1;
        uint32_t more = 0;
        out = hsd_varint_put(out, gap);
        while (gap == 0 && i + more < count && hsd_two_first(pairs[i + more]) - hsd_two_first(pairs[i + more - 1]) == 1)
            more++;
        if (gap == 0) out = hsd_varint_put(out, more);
        i += more;
        last = hsd_two_first(pairs[i - 1]);
    }
    return out;
}

/* The block that parts go to is as it will be read. */
static void close_long_block(hsd_adjacency *a, bool has_more)
{
    if (a->long_at == NULL) return;
    a->long_block.has_more = has_more;
    memcpy(a->long_at, &a->long_block, HSD_LONG_HEADER_BYTES);
    a->long_at = NULL;
}

static hsd_status open_long_block(hsd_adjacency *a, hsd_error *err)
{
    const uint32_t first = a->is_long ? a->long_block.first_part + a->long_block.parts : 0;
    close_long_block(a, true);
    a->long_block = (hsd_long_header){a->source, HSD_LONG_LIST, first, 0, 0};
    HSD_TRY(new_block(a, a->source, &a->long_at, err));
    a->long_end = HSD_LONG_HEADER_BYTES;
    a->is_long = true;
    return HSD_OK;
}

/* The gathered targets are one part. Its block is the newest until the list ends. */
static hsd_status put_long_part(hsd_adjacency *a, hsd_error *err)
{
    hsd_part_header part = {.items = (uint16_t)a->gathered_count};
    uint8_t *list = a->lists; /* free: no block of lists is open */
    const bool runs = has_runs(a->gathered, a->gathered_count);
    const uint8_t *end = runs ? encode_runs(list, a->source, a->gathered, a->gathered_count)
                              : encode_list(list, a->source, a->gathered, a->gathered_count);
    const uint32_t bytes = (uint32_t)(end - list);
    if (a->long_at == NULL || a->long_end + sizeof part + bytes > HSD_BLOCK_BYTES) HSD_TRY(open_long_block(a, err));
    if (a->has_names) HSD_TRY(hsd_name_blocks_put_part(&a->names, a->gathered, a->gathered_count, &part.names, err));
    part.bytes = (uint16_t)(bytes | (runs ? HSD_PART_RUNS : 0));
    memcpy(a->long_at + a->long_end, &part, sizeof part);
    memcpy(a->long_at + a->long_end + sizeof part, list, bytes);
    a->long_end += (uint32_t)sizeof part + bytes;
    a->long_block.parts++;
    return mark_has_targets(a, a->source, err);
}

static hsd_status write_long_part(hsd_adjacency *a, hsd_error *err)
{
    if (!a->is_long) {
        HSD_TRY(place_empty_until(a, a->source, err));
        HSD_TRY(close_block(a, err));
    }
    a->gathered_count = tidy_pairs(a, a->source, a->gathered, a->gathered_count);
    HSD_TRY(check_gathered(a, err));
    if (a->gathered_count > 0) HSD_TRY(put_long_part(a, err));
    a->gathered_count = 0;
    return HSD_OK;
}

/* The list of a source that is complete. */
static hsd_status put_list(hsd_adjacency *a, hsd_node source, hsd_two *pairs, uint32_t gathered, hsd_error *err)
{
    const uint32_t count = tidy_pairs(a, source, pairs, gathered);
    HSD_TRY(check_gathered(a, err));
    HSD_TRY(place_empty_until(a, source, err));
    if (count == 0) return HSD_OK;
    uint8_t *start = a->lists + a->list_bytes;
    const uint8_t *end = encode_list(start, source, pairs, count);
    if (a->has_names) HSD_TRY(hsd_name_blocks_put(&a->names, source, pairs, count, err));
    HSD_TRY(mark_has_targets(a, source, err));
    return place(a, (uint32_t)(end - start), err);
}

/* The gathered source is complete. */
static hsd_status end_source(hsd_adjacency *a, hsd_error *err)
{
    if (!a->has_source) return HSD_OK;
    a->has_source = false;
    if (a->is_long) {
        HSD_TRY(write_long_part(a, err));
        close_long_block(a, false);
        a->is_long = false;
        a->next_node = a->source + 1;
        return HSD_OK;
    }
    const uint32_t count = a->gathered_count;
    a->gathered_count = 0;
    return put_list(a, a->source, a->gathered, count, err);
}

static hsd_status start_source(hsd_adjacency *a, hsd_node source, hsd_error *err)
{
    if (a->is_finished || source < a->next_node || (a->has_source && source < a->source)) {
        return hsd_fail(err, HSD_E_MISUSE, "references of node %" HSD_PRI_NODE " came out of order", source);
    }
    HSD_TRY(end_source(a, err));
    a->source = source;
    a->has_source = true;
    return HSD_OK;
}

/* References of a source that more may come of. */
static hsd_status gather_adjacency(hsd_adjacency *a, hsd_node source, const hsd_two *pairs, uint64_t count,
                                   hsd_error *err)
{
    if (!a->has_source || source != a->source) HSD_TRY(start_source(a, source, err));
    for (;;) {
        const uint32_t space = HSD_ADJACENCY_PART_ITEMS - a->gathered_count;
        const uint32_t part = (uint32_t)hsd_min_u64(count, space);
        memcpy(a->gathered + a->gathered_count, pairs, part * sizeof *pairs);
        a->gathered_count += part;
        count -= part;
        if (count == 0) return HSD_OK;
        pairs += part;
        HSD_TRY(write_long_part(a, err));
    }
}

/* The list of a source that none is gathered of, and of which no more comes: where it stands. */
static hsd_status put_whole(hsd_adjacency *a, hsd_node source, hsd_two *pairs, uint32_t count, hsd_error *err)
{
    HSD_TRY(start_source(a, source, err));
    a->has_source = false;
    return put_list(a, source, pairs, count, err);
}

hsd_status hsd_adjacency_encode(hsd_adjacency *a, hsd_two *at, const hsd_two *end, hsd_error *err)
{
    while (at < end) {
        const hsd_node source = hsd_two_first(*at), count = hsd_two_second(*at);
        hsd_two *const pairs = at + 1;
        at = pairs + count;
        const bool ends = at < end && hsd_two_first(*at) != source && count <= HSD_ADJACENCY_PART_ITEMS;
        const bool begins = !a->has_source || a->source != source;
        if (ends && begins)
            HSD_TRY(put_whole(a, source, pairs, (uint32_t)count, err));
        else
            HSD_TRY(gather_adjacency(a, source, pairs, count, err));
    }
    return HSD_OK;
}

hsd_lists_out *hsd_adjacency_lists(hsd_adjacency *a)
{
    HSD_ASSERT(!a->is_finished);
    return &a->room->out;
}

hsd_status hsd_adjacency_turn(hsd_adjacency *a, hsd_error *err)
{
    if (a->feed != NULL) return hsd_adjacency_feed_turn(a, err);
    const hsd_two *end = a->room->out.at;
    hsd_adjacency_open_room(a->room);
    return hsd_adjacency_encode(a, a->room->pairs, end, err);
}

hsd_status hsd_adjacency_add(hsd_adjacency *a, hsd_node source, const hsd_node *targets, const uint32_t *names,
                             uint64_t count, hsd_error *err)
{
    HSD_ASSERT(!a->is_finished);
    HSD_ASSERT(count == 0 || targets != NULL);
    if (count == 0) return HSD_OK;
    if (a->is_finished) return hsd_fail(err, HSD_E_MISUSE, "the graph is finished already");
    hsd_lists_out *out = &a->room->out;
    for (uint64_t i = 0; i < count;) {
        if (out->end - out->at < 2) HSD_TRY(hsd_adjacency_turn(a, err));
        hsd_two *pair = out->at + 1;
        const uint64_t last = i + hsd_min_u64(count - i, (uint64_t)(out->end - pair));
        *out->at = hsd_two_of(source, (hsd_node)(last - i));
        for (; i < last; i++)
            *pair++ = hsd_two_of(targets[i], names != NULL && a->has_names ? names[i] : 0);
        out->at = pair;
    }
    return a->feed != NULL ? HSD_OK : hsd_adjacency_turn(a, err); /* a failure is told here and now */
}

/* For each group of nodes the block in which its first one is. */
static hsd_status build_locate(hsd_adjacency *a, hsd_error *err)
{
    const hsd_node groups = (a->node_count >> HSD_LOCATE_SHIFT) + 1;
    a->locate = malloc((size_t)groups * sizeof *a->locate);
    if (a->locate == NULL) return hsd_fail_nomem(err, "the reference graph");
    uint32_t block = 0;
    for (hsd_node group = 0; group < groups; group++) {
        const uint64_t node = (uint64_t)group << HSD_LOCATE_SHIFT;
        while (block + 1 < a->blocks.count && a->block_first[block + 1] <= node)
            block++;
        /* the first of the blocks that start with this very node: a long list has several */
        while (block > 0 && a->block_first[block - 1] == a->block_first[block])
            block--;
        a->locate[group] = block;
    }
    return HSD_OK;
}

/* For each block of references a block of names that is not behind the one of its first node. */
static hsd_status build_names_from(hsd_adjacency *a, hsd_error *err)
{
    a->names_from = malloc(((size_t)a->blocks.count + 1) * sizeof *a->names_from);
    if (a->names_from == NULL) return hsd_fail_nomem(err, "the reference graph");
    uint32_t from = 0;
    for (uint32_t block = 0; block < a->blocks.count; block++) {
        from = hsd_name_blocks_of(&a->names, a->block_first[block], from);
        a->names_from[block] = from;
    }
    return HSD_OK;
}

static void free_building(hsd_adjacency *a)
{
    free(a->room);
    free(a->gathered);
    free(a->sorting);
    free(a->lists);
    free(a->at);
    a->room = NULL;
    a->gathered = a->sorting = NULL;
    a->lists = NULL;
    a->at = NULL;
}

static hsd_status finish_names(hsd_adjacency *a, hsd_error *err)
{
    if (!a->has_names) return HSD_OK;
    HSD_TRY(hsd_name_blocks_finish(&a->names, err));
    return build_names_from(a, err);
}

hsd_status hsd_adjacency_finish(hsd_adjacency *a, hsd_node node_count, hsd_error *err)
{
    HSD_ASSERT(!a->is_finished);
    if (a->is_finished) return hsd_fail(err, HSD_E_MISUSE, "the graph is finished already");
    HSD_TRY(a->feed != NULL ? hsd_adjacency_feed_end(a, HSD_OK, err) : hsd_adjacency_turn(a, err));
    HSD_TRY(end_source(a, err));
    if (a->next_node > node_count || (a->edge_count > 0 && a->largest_target >= node_count)) {
        return hsd_fail(err, HSD_E_MISUSE, "a reference names node %" HSD_PRI_NODE " of %" HSD_PRI_NODE,
                        a->largest_target >= node_count ? a->largest_target : a->next_node - 1, node_count);
    }
    a->node_count = node_count;
    HSD_TRY(place_empty_until(a, node_count, err));
    HSD_TRY(close_block(a, err));
    HSD_TRY(reserve_bit(a, node_count, err));
    trim_bits(a);
    HSD_TRY(build_locate(a, err));
    HSD_TRY(hsd_blocks_finish(&a->blocks, err));
    HSD_TRY(finish_names(a, err));
    free_building(a);
    a->is_finished = true;
    return HSD_OK;
}

static uint64_t view_bytes(const hsd_blocks *blocks)
{
    return hsd_paged_least_bytes((uint64_t)blocks->count * HSD_BLOCK_BYTES);
}

uint64_t hsd_adjacency_view_bytes(const hsd_adjacency *a)
{
    const hsd_blocks *names = &a->names.blocks;
    return (hsd_blocks_are_all_there(&a->blocks) ? 0 : view_bytes(&a->blocks)) +
           (a->has_names && !hsd_blocks_are_all_there(names) ? view_bytes(names) : 0);
}

/* What a failure leaves open is nothing. */
static hsd_status open_views(const hsd_adjacency *a, hsd_adjacency *view, hsd_error *err)
{
    const hsd_blocks *names = &a->names.blocks;
    const hsd_status status = hsd_blocks_open_view(&view->blocks, &a->blocks, view_bytes(&a->blocks), err);
    view->names.blocks.has_pages = false;
    HSD_TRY(status);
    return a->has_names ? hsd_blocks_open_view(&view->names.blocks, names, view_bytes(names), err) : HSD_OK;
}

hsd_status hsd_adjacency_view(const hsd_adjacency *a, hsd_adjacency **out, hsd_error *err)
{
    HSD_ASSERT(a->is_finished);
    hsd_adjacency *view = malloc(sizeof *view);
    *out = NULL;
    if (view == NULL) return hsd_fail_nomem(err, "the reference graph");
    *view = *a;
    view->is_view = true;
    const bool has_readers = take_readers(view);
    const hsd_status status = open_views(a, view, err);
    if (!has_readers || status != HSD_OK) {
        hsd_adjacency_free(view);
        return status != HSD_OK ? status : hsd_fail_nomem(err, "the reference graph");
    }
    *out = view;
    return HSD_OK;
}

/* What views read, too. */
static void free_graph(hsd_adjacency *a)
{
    hsd_adjacency_feed_end(a, HSD_E_CANCELLED, NULL);
    hsd_blocks_release(&a->blocks);
    if (a->has_names) hsd_name_blocks_release(&a->names);
    free(a->block_first);
    free(a->locate);
    free(a->has_targets);
    free(a->names_from);
    free_building(a);
}

void hsd_adjacency_free(hsd_adjacency *a)
{
    if (a == NULL) return;
    if (a->is_view) {
        hsd_blocks_close_view(&a->blocks);
        hsd_blocks_close_view(&a->names.blocks);
    } else {
        free_graph(a);
    }
    free(a->items);
    free(a->far_list);
    free(a->item_names);
    free(a);
}
