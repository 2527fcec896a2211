/*
 * Steps 1 to 3 by scans, where the blocks do not fit in memory and a walk depth first would read a page for each node.
 * One number of four bytes a place is all that is touched at random; everything else is read and written in order.
 *
 *      search     any order in which each node comes behind one that refers to it: blocks are gone through in their order,
 *                 again and again, and what waits in a block is looked through while it is in memory (graph/frontier.h)
 *      gather     places of all nodes in memory; the references, in order of sources, go into buckets by target, and each
 *                 bucket is sorted in memory: the predecessors of each place, in order of places
 *      raise      above[place], in memory, is the nearest common ancestor of its predecessors so far; pass for pass over the
 *                 predecessors until nothing changes (Cooper, Harvey, Kennedy 2001): dominators_raise.c
 */
#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators_parts.h"
#include "graph/frontier.h"

#define MOST_BUCKETS  256u
#define LEAST_BUCKETS 16u
#define ITEM_BYTES    12u /* of a reference that is sorted, as read and as sorted */
#define SPLIT_BITS    6u
#define MAX_PENDING   (32u / SPLIT_BITS + 2) * (1u << SPLIT_BITS)
#define SHORT_LIST    32u /* which is sorted where it stands */

uint64_t hsd_dominators_array_bytes(uint64_t items) { return hsd_paged_full_bytes(items * 4); }

/* What places will need is free until they are told. */
uint64_t hsd_dominators_scan_spare(const hsd_dominators *d, uint64_t used_bytes)
{
    const uint64_t spare = hsd_dominators_spare(d, 0) + d->config->take_bytes;
    return spare > used_bytes ? spare - used_bytes : 0;
}

/* All of it will be touched, here and there. */
uint32_t *hsd_dominators_at_random(hsd_paged *array)
{
    HSD_ASSERT(array->is_flat);
    hsd_pages_expect_random(&(hsd_pages){array->frames, (size_t)array->frame_count * HSD_PAGE_BYTES});
    return (uint32_t *)(void *)array->frames;
}

/* Beside the array there are buckets that are written, and a bit a place. */
bool hsd_dominators_scans_fit(const hsd_dominators *d)
{
    const uint64_t places = (uint64_t)d->nodes + 1;
    const uint64_t beside = places / 8 + 4096 + LEAST_BUCKETS * (uint64_t)d->limits.chunk_bytes;
    return hsd_dominators_scan_spare(d, beside) >= hsd_dominators_array_bytes(places);
}

/* Half of the memory; the rest is for slots, and for parts that are written. */
uint32_t hsd_dominators_scan_items(const hsd_dominators *d)
{
    return (uint32_t)hsd_min_u64(hsd_max_u64(hsd_dominators_scan_spare(d, 0) / 2 / ITEM_BYTES, 64), UINT32_MAX / 2);
}

/* ---- search ---- */

typedef struct search {
    hsd_dominators *d;
    uint8_t *reached; /* one bit a node */
    hsd_frontier frontier;
} search;

static void place_node(search *s, uint32_t node)
{
    s->d->count++;
    hsd_tape_put_u32(&s->d->node_of, node);
}

/* What refers to nothing has its place at once. */
static hsd_status reach_node(search *s, uint32_t node, hsd_error *err)
{
    if (hsd_bit_get(s->reached, node)) return HSD_OK;
    hsd_bit_set(s->reached, node);
    if (!hsd_adjacency_is_leaf(s->d->adjacency, node)) return hsd_frontier_push(&s->frontier, node, err);
    place_node(s, node);
    return HSD_OK;
}

static hsd_status look_through(search *s, uint32_t node, hsd_error *err)
{
    hsd_targets targets;
    place_node(s, node);
    hsd_adjacency_get(s->d->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            HSD_TRY(reach_node(s, targets.items[i], err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(s->d->adjacency, &targets);
    }
}

static hsd_status search_round(search *s, uint32_t begin, uint32_t end, hsd_error *err)
{
    hsd_dominators *d = s->d;
    uint32_t node;
    hsd_status status;
    for (uint32_t root = begin; root < end; root++) {
        hsd_bit_clear(s->reached, root);
        HSD_TRY(reach_node(s, root, err));
    }
    for (uint32_t steps = 0; (status = hsd_frontier_pop(&s->frontier, &node, err)) == HSD_OK; steps++) {
        HSD_TRY(look_through(s, node, err));
        if ((steps & HSD_DOMINATORS_TICK) == 0) HSD_TRY(hsd_dominators_tick(d, 0, d->count, d->nodes, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* Root nodes count as reached from the start, as in the walk depth first. */
static hsd_status search_all(search *s, hsd_error *err)
{
    hsd_dominators *d = s->d;
    const hsd_root_nodes *roots = &d->config->roots;
    for (uint32_t root = roots->begin; root < roots->end; root++)
        hsd_bit_set(s->reached, root);
    place_node(s, UINT32_MAX);
    HSD_TRY(search_round(s, roots->begin, roots->second, err));
    d->secondary = d->count;
    HSD_TRY(search_round(s, roots->second, roots->end, err));
    hsd_tape_finish(&d->node_of);
    HSD_TRY(hsd_adjacency_check(d->adjacency, err));
    return hsd_reel_check(&d->reel, err);
}

/* Blocks have all that the frontier leaves. */
hsd_status hsd_dominators_search(hsd_dominators *d, hsd_error *err)
{
    hsd_adjacency *a = d->adjacency;
    search s = {.d = d, .reached = d->states};
    const uint64_t waiting = hsd_frontier_fixed_bytes(a) + HSD_WORKLIST_LEAST_BYTES;
    const uint64_t blocks = hsd_dominators_scan_spare(d, d->state_pages.size + waiting) + d->limits.floor_bytes;
    d->count = 0;
    HSD_TRY(hsd_adjacency_set_memory(a, blocks, err));
    if (!hsd_adjacency_is_resident(a)) d->stats.was_paged = true;
    hsd_status status = hsd_frontier_open(&s.frontier, a, waiting, d->config->space, err);
    if (status == HSD_OK) status = search_all(&s, err);
    hsd_frontier_close(&s.frontier);
    d->stats.faults += hsd_adjacency_reads(a);
    hsd_pages_give(&d->state_pages);
    d->states = NULL;
    HSD_TRY(status);
    return hsd_adjacency_set_memory(a, d->limits.floor_bytes, err);
}

/* ---- gather: references by target ---- */

typedef struct gather {
    hsd_dominators *d;
    hsd_paged place_array;
    uint32_t *place_of; /* by node, 0 = not reached */
    hsd_pages leaf_pages;
    uint8_t *is_leaf;         /* one bit a place: it refers to nothing */
    uint32_t last, leaf_last; /* place of the list that was written last, on either tape */
    uint64_t item_limit;
    hsd_bucket *pending; /* the last one comes next */
    uint32_t pending_count;
    hsd_pages item_pages, slot_pages;
    uint64_t *raw;   /* slot << 32 | source */
    uint32_t *items; /* sources by slot */
    uint32_t *starts;
} gather;

static hsd_status fill_places(gather *g, hsd_error *err)
{
    hsd_dominators *d = g->d;
    hsd_tape_reader nodes;
    uint32_t node;
    hsd_tape_read(&nodes, &d->node_of, HSD_TAPE_FORWARD, false);
    for (uint32_t place = 0; hsd_tape_get_u32(&nodes, &node); place++) {
        if (place == 0) continue;
        g->place_of[node] = place;
        if (hsd_adjacency_is_leaf(d->adjacency, node)) hsd_bit_set(g->is_leaf, place);
    }
    hsd_tape_close(&nodes);
    return hsd_reel_check(&d->reel, err);
}

/* In the second round a reference to a node of the first round holds nothing; to root nodes none does. */
static void scatter_part(gather *g, uint32_t source, const hsd_targets *targets)
{
    hsd_dominators *d = g->d;
    const hsd_root_nodes *roots = &d->config->roots;
    const uint32_t least = source < d->secondary ? 1 : d->secondary;
    for (uint32_t i = 0; i < targets->count; i++)
        __builtin_prefetch(&g->place_of[targets->items[i]]);
    for (uint32_t i = 0; i < targets->count; i++) {
        const uint32_t node = targets->items[i], target = g->place_of[node];
        if (target < least || node - roots->begin < roots->end - roots->begin) continue;
        hsd_bucket_put_forward(&d->buckets[target >> d->bucket_shift], target, source);
    }
}

static hsd_status scatter_all(gather *g, hsd_error *err)
{
    hsd_dominators *d = g->d;
    for (uint32_t node = 0; node < d->nodes; node++) {
        const uint32_t source = g->place_of[node];
        if ((node & HSD_DOMINATORS_TICK) == 0) HSD_TRY(hsd_dominators_tick(d, 1, node, d->nodes, err));
        if (source == 0 || hsd_adjacency_is_leaf(d->adjacency, node)) continue;
        hsd_targets targets;
        hsd_adjacency_get(d->adjacency, node, &targets);
        for (;;) {
            scatter_part(g, source, &targets);
            if (!targets.has_more) break;
            hsd_adjacency_more(d->adjacency, &targets);
        }
    }
    for (uint32_t i = 0; i < d->bucket_count; i++)
        hsd_tape_finish(&d->buckets[i].tape);
    return hsd_adjacency_check(d->adjacency, err);
}

/* As many buckets as let twice an average one be sorted at once. */
static hsd_status plan_buckets(gather *g, hsd_error *err)
{
    hsd_dominators *d = g->d;
    const uint64_t items = 2 * hsd_max_u64(hsd_adjacency_edge_count(d->adjacency), d->count);
    const uint64_t spare = hsd_dominators_scan_spare(d, hsd_dominators_array_bytes(d->nodes) + g->leaf_pages.size);
    const uint64_t most = hsd_min_u64(spare / d->limits.chunk_bytes, MOST_BUCKETS);
    const uint64_t wanted = hsd_max_u64(hsd_min_u64(items / g->item_limit + 1, most), 1);
    d->bucket_shift = 0;
    while (((uint64_t)(d->count - 1) >> d->bucket_shift) + 1 > wanted)
        d->bucket_shift++;
    d->bucket_count = ((d->count - 1) >> d->bucket_shift) + 1;
    d->buckets = calloc(d->bucket_count, sizeof *d->buckets);
    if (d->buckets == NULL) return hsd_fail_nomem(err, "the buckets of the dominators");
    hsd_buckets_begin(d, d->buckets, d->bucket_count, d->bucket_shift, 0, d->count);
    return HSD_OK;
}

static hsd_status scatter_references(gather *g, hsd_error *err)
{
    hsd_dominators *d = g->d;
    HSD_TRY(hsd_dominators_open(d, &g->place_array, hsd_max_u64(d->nodes, 1), 4, hsd_dominators_array_bytes(d->nodes),
                                err));
    g->place_of = hsd_dominators_at_random(&g->place_array);
    if (!hsd_pages_take(&g->leaf_pages, (size_t)d->count / 8 + 1))
        return hsd_fail_nomem(err, "the predecessors of the dominators");
    g->is_leaf = g->leaf_pages.data;
    HSD_TRY(plan_buckets(g, err));
    HSD_TRY(fill_places(g, err));
    HSD_TRY(scatter_all(g, err));
    return hsd_reel_check(&d->reel, err);
}

/* ---- gather: each bucket in order ---- */

static hsd_tape *begin_gathered(gather *g, uint32_t place, uint32_t count)
{
    const bool is_leaf = hsd_bit_get(g->is_leaf, place);
    hsd_tape *tape = is_leaf ? &g->d->leaf_back : &g->d->back;
    if (place > 0) hsd_list_begin(tape, place, is_leaf ? &g->leaf_last : &g->last, count); /* 0: the super-root */
    return tape;
}

static bool next_item(hsd_tape_reader *reader, uint32_t *slot, uint32_t *source)
{
    if (!hsd_tape_has_more(reader)) return false;
    reader->at = hsd_tape_varint(hsd_tape_varint(reader->at, slot), source);
    return true;
}

static void sort_short(uint32_t *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t item = items[i];
        uint32_t at = i;
        for (; at > 0 && items[at - 1] > item; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static void put_list(gather *g, uint32_t place, uint32_t *items, uint32_t count)
{
    hsd_tape *tape = begin_gathered(g, place, count);
    uint32_t last = place;
    if (count <= SHORT_LIST) sort_short(items, count);
    for (uint32_t i = 0; i < count; i++) {
        hsd_list_put_source(tape, items[i], last);
        last = items[i];
    }
}

static hsd_status open_slots(gather *g, uint32_t slots, hsd_error *err)
{
    const size_t bytes = ((size_t)slots + 1) * sizeof *g->starts;
    if (g->slot_pages.size < bytes) {
        hsd_pages_give(&g->slot_pages);
        if (!hsd_pages_take(&g->slot_pages, bytes)) return hsd_fail_nomem(err, "the predecessors of the dominators");
    }
    g->starts = g->slot_pages.data;
    memset(g->starts, 0, bytes);
    return HSD_OK;
}

static hsd_status take_whole(gather *g, const hsd_bucket *bucket, hsd_tape_reader *reader, hsd_error *err)
{
    const uint32_t slots = bucket->hi - bucket->lo;
    uint32_t count = 0, slot, source, start = 0;
    HSD_TRY(open_slots(g, slots, err));
    while (count < bucket->forward_count && next_item(reader, &slot, &source)) {
        g->raw[count++] = (uint64_t)slot << 32 | source;
        g->starts[slot]++;
    }
    for (slot = 0; slot <= slots; slot++) {
        const uint32_t here = g->starts[slot];
        g->starts[slot] = start;
        start += here;
    }
    for (uint32_t i = 0; i < count; i++)
        g->items[g->starts[g->raw[i] >> 32]++] = (uint32_t)g->raw[i];
    start = 0;
    for (slot = 0; slot < slots; slot++) {
        put_list(g, bucket->lo + slot, g->items + start, g->starts[slot] - start);
        start = g->starts[slot];
    }
    return HSD_OK;
}

/* All are of one place, and may come in any order. */
static hsd_status take_one_place(gather *g, const hsd_bucket *bucket, hsd_tape_reader *reader)
{
    hsd_tape *tape = begin_gathered(g, bucket->lo, (uint32_t)bucket->forward_count);
    uint32_t slot, source, last = bucket->lo;
    for (uint64_t i = 0; i < bucket->forward_count && next_item(reader, &slot, &source); i++) {
        hsd_list_put_source(tape, source, last);
        last = source;
    }
    return HSD_OK;
}

/* The parts wait with the first one on top. */
static void divide_references(gather *g, const hsd_bucket *bucket, hsd_tape_reader *reader)
{
    const uint32_t last = bucket->hi - bucket->lo - 1, lo = bucket->lo;
    hsd_bucket parts[1u << SPLIT_BITS];
    uint32_t shift = 0, slot, source;
    while (last >> shift >= 1u << SPLIT_BITS)
        shift++;
    const uint32_t count = (last >> shift) + 1;
    hsd_buckets_begin(g->d, parts, count, shift, lo, bucket->hi);
    while (next_item(reader, &slot, &source))
        hsd_bucket_put_forward(&parts[slot >> shift], lo + slot, source);
    for (uint32_t i = count; i-- > 0;) {
        hsd_tape_finish(&parts[i].tape);
        g->pending[g->pending_count++] = parts[i];
    }
}

static hsd_status take_bucket(gather *g, hsd_bucket *bucket, hsd_error *err)
{
    hsd_tape_reader reader;
    hsd_status status = HSD_OK;
    hsd_tape_read(&reader, &bucket->tape, HSD_TAPE_FORWARD, true);
    if (bucket->forward_count <= g->item_limit)
        status = take_whole(g, bucket, &reader, err);
    else if (bucket->hi - bucket->lo == 1)
        status = take_one_place(g, bucket, &reader);
    else
        divide_references(g, bucket, &reader);
    hsd_tape_close(&reader);
    hsd_tape_release(&bucket->tape);
    return status == HSD_OK ? hsd_reel_check(&g->d->reel, err) : status;
}

static hsd_status sort_buckets(gather *g, hsd_error *err)
{
    hsd_dominators *d = g->d;
    if (!hsd_pages_take(&g->item_pages, (size_t)g->item_limit * ITEM_BYTES))
        return hsd_fail_nomem(err, "the predecessors of the dominators");
    g->raw = g->item_pages.data;
    g->items = (uint32_t *)(g->raw + g->item_limit);
    for (uint32_t i = 0; i < d->bucket_count; i++) {
        g->pending[0] = d->buckets[i];
        g->pending_count = 1;
        memset(&d->buckets[i], 0, sizeof d->buckets[i]);
        while (g->pending_count > 0) {
            hsd_bucket bucket = g->pending[--g->pending_count];
            const hsd_status status = take_bucket(g, &bucket, err);
            hsd_tape_release(&bucket.tape);
            HSD_TRY(status);
        }
        HSD_TRY(hsd_dominators_tick(d, 1, d->nodes, d->nodes, err));
    }
    hsd_tape_finish(&d->back);
    hsd_tape_finish(&d->leaf_back);
    return hsd_reel_check(&d->reel, err);
}

hsd_status hsd_dominators_gather(hsd_dominators *d, hsd_error *err)
{
    gather g = {.d = d, .item_limit = d->limits.bucket_items};
    g.pending = calloc(MAX_PENDING, sizeof *g.pending);
    hsd_status status = g.pending == NULL ? hsd_fail_nomem(err, "the predecessors of the dominators") : HSD_OK;
    if (status == HSD_OK) status = scatter_references(&g, err);
    const hsd_status closed = hsd_dominators_close(d, &g.place_array, status == HSD_OK ? err : NULL);
    if (status == HSD_OK) status = closed;
    if (status == HSD_OK) status = sort_buckets(&g, err);
    for (uint32_t i = 0; i < g.pending_count; i++)
        hsd_tape_release(&g.pending[i].tape);
    free(g.pending);
    hsd_pages_give(&g.item_pages);
    hsd_pages_give(&g.slot_pages);
    hsd_pages_give(&g.leaf_pages);
    return status;
}
