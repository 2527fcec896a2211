/*
 * Steps 1 to 3 by scans, where the blocks do not fit in memory and a walk depth first would read a page for each node.
 * One number of four bytes a place is all that is touched at random; everything else is read and written in order.
 *
 *      search     any order in which each node comes behind one that refers to it: blocks are gone through in their order,
 *                 again and again, and what waits in a block is looked through while it is in memory (graph/frontier.h)
 *      gather     places of all nodes in memory; the references, in order of sources, go into buckets by target, and each
 *                 bucket is sorted in memory: the predecessors of each place, in order of places
 *      raise      above[place], in memory, is the nearest common ancestor of its predecessors so far; pass for pass over the
 *                 predecessors until nothing changes (Cooper, Harvey, Kennedy 2001)
 *
 * A dominator is looked through before what it dominates, whatever the order of the search, so above[place] < place,
 * and two ways up meet by always climbing from the later place. A pass only ever raises places and never past a
 * dominator, so what stands in the end are the immediate dominators. The first pass is exact for references that lead
 * forward; random graphs and real heaps take some three to eight passes. From the second on only places are looked at
 * that may change: they have several predecessors, and are not below the super-root yet. What refers to nothing is
 * above nothing, so it is looked at once, when all the rest is known. What rises from the second pass on leaves
 * *marks*: the places that it was below, and is not any more. Who has to rise for it in the next one, if anybody,
 * stands right below a marked place; others are passed over, and chunks of the tape that have none are not read.
 *
 * What a long list with many ways back costs is bounded: one place's ways up are climbed once each, and past so many
 * steps a reference, or MOST_PASSES, it is left to the walk depth first.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators_parts.h"
#include "graph/frontier.h"

#define CLIMB_FACTOR  3u /* of the limit of steps, for each reference and place */
#define MOST_PASSES   40u
#define MOST_BUCKETS  256u
#define LEAST_BUCKETS 16u
#define ITEM_BYTES    12u /* of a reference that is sorted, as read and as sorted */
#define SPLIT_BITS    6u
#define MAX_PENDING   (32u / SPLIT_BITS + 2) * (1u << SPLIT_BITS)
#define SHORT_LIST    32u
#define UNKNOWN       UINT32_MAX

static uint64_t array_bytes(uint64_t items) { return hsd_paged_full_bytes(items * 4); }

/* What places will need is free until they are told. */
static uint64_t scan_spare(const hsd_dominators *d, uint64_t used_bytes)
{
    const uint64_t spare = hsd_dominators_spare(d, 0) + d->config->take_bytes;
    return spare > used_bytes ? spare - used_bytes : 0;
}

/* Beside the array there are buckets that are written, and a bit a place. */
bool hsd_dominators_scans_fit(const hsd_dominators *d)
{
    const uint64_t places = (uint64_t)d->nodes + 1;
    const uint64_t beside = places / 8 + 4096 + LEAST_BUCKETS * (uint64_t)d->limits.chunk_bytes;
    return scan_spare(d, beside) >= array_bytes(places);
}

/* Half of the memory; the rest is for slots, and for parts that are written. */
uint32_t hsd_dominators_scan_items(const hsd_dominators *d)
{
    return (uint32_t)hsd_min_u64(hsd_max_u64(scan_spare(d, 0) / 2 / ITEM_BYTES, 64), UINT32_MAX / 2);
}

/* All of it will be touched, here and there. */
static uint32_t *array_at_random(hsd_paged *array)
{
    HSD_ASSERT(array->is_flat);
    hsd_pages_expect_random(&(hsd_pages){array->frames, (size_t)array->frame_count * HSD_PAGE_BYTES});
    return (uint32_t *)(void *)array->frames;
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
    const uint64_t blocks = scan_spare(d, d->state_pages.size + waiting) + d->limits.floor_bytes;
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
    const uint64_t spare = scan_spare(d, array_bytes(d->nodes) + g->leaf_pages.size);
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
    HSD_TRY(hsd_dominators_open(d, &g->place_array, hsd_max_u64(d->nodes, 1), 4, array_bytes(d->nodes), err));
    g->place_of = array_at_random(&g->place_array);
    if (!hsd_pages_take(&g->leaf_pages, (size_t)d->count / 8 + 1))
        return hsd_fail_nomem(err, "the predecessors of the dominators");
    g->is_leaf = g->leaf_pages.data;
    HSD_TRY(plan_buckets(g, err));
    HSD_TRY(fill_places(g, err));
    HSD_TRY(scatter_all(g, err));
    return hsd_reel_check(&d->reel, err);
}

/* ---- gather: each bucket in order ---- */

/* A list on `back` or `leaf_back`: the place against the one before it there, the number of predecessors, the first
 * against the place, each against the one before. */
static void put_count(hsd_tape *tape, uint32_t count)
{
    tape->at = hsd_varint_put(hsd_tape_room(tape, HSD_VARINT_MOST), count);
}

static void begin_list(hsd_tape *tape, uint32_t place, uint32_t *last, uint32_t count)
{
    put_count(tape, place - *last);
    put_count(tape, count);
    *last = place;
}

static hsd_tape *begin_gathered(gather *g, uint32_t place, uint32_t count)
{
    const bool is_leaf = hsd_bit_get(g->is_leaf, place);
    hsd_tape *tape = is_leaf ? &g->d->leaf_back : &g->d->back;
    if (place > 0) begin_list(tape, place, is_leaf ? &g->leaf_last : &g->last, count); /* 0: the super-root */
    return tape;
}

static void put_source(hsd_tape *tape, uint32_t source, uint32_t last)
{
    tape->at = hsd_varint_put(hsd_tape_room(tape, HSD_VARINT_MOST), hsd_fold_difference(source, last));
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
        put_source(tape, items[i], last);
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
        put_source(tape, source, last);
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

/* ---- raise ---- */

#define AHEAD     128u
#define LONG_WAY  64u
#define MOST_SEEN 4096u

typedef struct ring_item {
    uint32_t source;
    uint32_t place; /* of the list that begins here, of `source` predecessors; 0 = a predecessor */
} ring_item;

typedef struct raise {
    hsd_dominators *d;
    hsd_paged above_array;
    uint32_t *above; /* by place; UNKNOWN in the first pass */
    hsd_pages seen_pages;
    uint8_t *seen; /* one bit a place: on a way up from the place at hand that was climbed */
    uint32_t seen_count, seen_list[MOST_SEEN];
    uint32_t steps; /* of the place at hand */
    uint64_t steps_left, changes;
    hsd_pages mark_pages; /* none where there is no memory for them */
    uint8_t *marks;       /* one bit a place, of the pass before; NULL in the first two */
    uint8_t *new_marks;   /* of this one; NULL in the first */
    /* reading */
    hsd_tape_reader reader;
    ring_item ring[AHEAD];
    uint64_t read, used;
    uint32_t left, last, read_place; /* of the list that is being read */
    /* writing, in the first pass: what may change yet */
    hsd_tape *open_of;    /* NULL in later ones, which read it */
    uint32_t noted_place; /* that was written last */
    uint32_t noted_end;   /* of all */
    uint32_t short_list[SHORT_LIST];
    uint32_t
        *bases; /* of each chunk that is written: the place before its first list; UNKNOWN = it begins within one */
    uint32_t base_count, base_capacity;
    bool has_bases; /* nothing was wanting for them */
} raise;

/* ---- marks ---- */

/* True if the dominator of a place may rise. */
static bool may_rise(const raise *r, uint32_t place)
{
    const uint32_t above = r->above[place];
    if (above == UNKNOWN) return false; /* it refers to nothing, and is looked at later */
    return hsd_bit_get(r->marks, above) || hsd_bit_get(r->new_marks, above);
}

/* `place` was right below `from`, and is below `to` now. */
static void mark_way(raise *r, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at != to; at = r->above[at], r->steps++)
        hsd_bit_set(r->new_marks, at);
}

/* Both sets of marks, if there is room. */
static void take_marks(raise *r)
{
    const size_t bytes = (size_t)r->d->count / 8 + 1;
    const uint64_t used = array_bytes(r->d->count) + r->seen_pages.size + 4 * (uint64_t)r->d->limits.chunk_bytes;
    if (r->mark_pages.data == NULL &&
        (scan_spare(r->d, used) < 2 * bytes || !hsd_pages_take(&r->mark_pages, 2 * bytes)))
        return;
    uint8_t *first = r->mark_pages.data, *second = first + bytes;
    uint8_t *next = r->new_marks == first ? second : first;
    r->marks = r->new_marks; /* NULL in the second pass: all is looked at */
    r->new_marks = next;
    memset(next, 0, bytes);
}

/* Whether a chunk has nothing that may rise; the next one tells where it ends. */
static bool is_settled_chunk(const raise *r, uint32_t chunk)
{
    const uint32_t end = chunk + 1 < r->base_count ? r->bases[chunk + 1] : r->noted_end;
    if (chunk >= r->base_count || r->bases[chunk] == UNKNOWN || end == UNKNOWN) return false;
    for (uint32_t place = r->bases[chunk] + 1; place <= end; place++)
        if (may_rise(r, place)) return false;
    return true;
}

/* Chunks in front of the reader, which stands between two lists. */
static void pass_settled_chunks(raise *r)
{
    hsd_tape_reader *reader = &r->reader;
    if (r->marks == NULL || !r->has_bases || reader->at != reader->end) return;
    while (reader->turned < reader->tape->chunk_count && is_settled_chunk(r, reader->turned)) {
        r->read_place = ++reader->turned < r->base_count ? r->bases[reader->turned] : r->noted_end;
        reader->at = reader->end;
    }
}

/* ---- what may change yet ---- */

/* Room in one chunk for a list, or for a part of a long one. */
static void note_room(raise *r, uint32_t bytes, bool is_between)
{
    hsd_tape *tape = r->open_of;
    hsd_tape_room(tape, bytes);
    while (r->has_bases && r->base_count < tape->chunk_count) {
        if (HSD_ARRAY_GROW(r->bases, r->base_capacity, (uint64_t)r->base_count + 1, 64, "dominators", NULL) == HSD_OK)
            r->bases[r->base_count++] = is_between ? r->noted_place : UNKNOWN;
        else
            r->has_bases = false;
    }
}

/* What has one predecessor stays below it, and nothing is above the super-root. A list that is too long to wait until
 * that is known is kept. */
static void note_list(raise *r, uint32_t place, uint32_t count)
{
    uint32_t last = place;
    if (r->open_of == NULL || r->above[place] == 0 || count < 2 || count > SHORT_LIST) return;
    note_room(r, (count + 2) * HSD_VARINT_MOST, true);
    begin_list(r->open_of, place, &r->noted_place, count);
    for (uint32_t i = 0; i < count; i++) {
        put_source(r->open_of, r->short_list[i], last);
        last = r->short_list[i];
    }
}

static void note_source(raise *r, uint32_t i, uint32_t count, uint32_t source, uint32_t last)
{
    if (r->open_of == NULL) return;
    if (count <= SHORT_LIST) {
        r->short_list[i] = source;
        return;
    }
    note_room(r, HSD_VARINT_MOST, false);
    put_source(r->open_of, source, last);
}

static bool read_one(raise *r, ring_item *item)
{
    uint32_t number;
    if (r->left == 0) pass_settled_chunks(r);
    if (!hsd_tape_has_more(&r->reader)) return false;
    r->reader.at = hsd_tape_varint(r->reader.at, &number);
    if (r->left == 0) {
        r->read_place += number;
        if (!hsd_tape_has_more(&r->reader)) return false;
        r->reader.at = hsd_tape_varint(r->reader.at, &number);
        r->left = number;
        r->last = r->read_place;
        *item = (ring_item){number, r->read_place};
        return true;
    }
    r->left--;
    r->last = hsd_unfold_difference(number, r->last);
    *item = (ring_item){r->last < r->d->count ? r->last : 0, 0};
    return true;
}

/* Reads some way ahead, and fetches what a climb will look at first. */
static bool next_ring_item(raise *r, ring_item *out)
{
    while (r->read - r->used < AHEAD && read_one(r, &r->ring[r->read % AHEAD])) {
        const ring_item *item = &r->ring[r->read++ % AHEAD];
        if (item->place == 0) __builtin_prefetch(&r->above[item->source]);
    }
    if (r->read == r->used) return false;
    if (r->read - r->used > AHEAD / 2) {
        const ring_item *half = &r->ring[(r->used + AHEAD / 2) % AHEAD];
        const uint32_t up = half->place != 0 ? 0 : r->above[half->source];
        if (up != UNKNOWN) __builtin_prefetch(&r->above[up]);
    }
    *out = r->ring[r->used++ % AHEAD];
    return true;
}

static bool was_seen(raise *r, uint32_t place)
{
    if (hsd_bit_get(r->seen, place)) return true;
    hsd_bit_set(r->seen, place);
    if (r->seen_count < MOST_SEEN) r->seen_list[r->seen_count] = place;
    r->seen_count++;
    return false;
}

static void forget_seen(raise *r)
{
    if (r->seen_count > MOST_SEEN) memset(r->seen, 0, r->seen_pages.size);
    for (uint32_t i = 0; i < r->seen_count && r->seen_count <= MOST_SEEN; i++)
        hsd_bit_clear(r->seen, r->seen_list[i]);
    r->seen_count = 0;
}

/* The nearest common ancestor of `to` and `from`. Where ways get long each of their places is passed once: whatever was
 * seen leads to `to`, which only goes up meanwhile. */
static uint32_t meet(raise *r, uint32_t to, uint32_t from)
{
    while (from != to) {
        if (from > to) {
            if (++r->steps > LONG_WAY && was_seen(r, from)) return to;
            from = r->above[from];
        } else {
            r->steps++;
            to = r->above[to];
        }
    }
    return to;
}

/* One place: `count` predecessors follow in the ring. */
static void raise_place(raise *r, uint32_t place, uint32_t count)
{
    const uint32_t before = r->above[place];
    uint32_t above = before, last = place;
    r->steps = 0;
    if (r->open_of != NULL && count > SHORT_LIST) {
        note_room(r, 2 * HSD_VARINT_MOST, true);
        begin_list(r->open_of, place, &r->noted_place, count);
    }
    const bool is_settled = r->marks != NULL && !may_rise(r, place);
    for (uint32_t i = 0; i < count; i++) {
        ring_item item;
        if (!next_ring_item(r, &item)) return;
        note_source(r, i, count, item.source, last);
        last = item.source;
        if (is_settled || above == 0 || (r->above[item.source] == UNKNOWN && item.source != 0)) continue;
        above = above == UNKNOWN ? item.source : meet(r, above, item.source);
    }
    if (r->seen_count > 0) forget_seen(r);
    if (above == UNKNOWN) above = 0; /* a root node */
    r->changes += above != before;
    if (above != before && r->new_marks != NULL) mark_way(r, before, above);
    r->above[place] = above;
    note_list(r, place, count);
    r->steps_left -= hsd_min_u64(r->steps, r->steps_left);
}

/* One pass. HSD_END when it takes too long. */
static hsd_status raise_all(raise *r, hsd_tape *lists_of, hsd_tape *open_of, bool is_last, hsd_error *err)
{
    hsd_dominators *d = r->d;
    ring_item item;
    hsd_status status = HSD_OK;
    uint32_t lists = 0;
    r->read = r->used = r->changes = 0;
    r->left = r->last = r->read_place = r->noted_place = 0;
    r->open_of = open_of;
    hsd_tape_read(&r->reader, lists_of, HSD_TAPE_FORWARD, is_last);
    while (status == HSD_OK && next_ring_item(r, &item)) {
        if (item.place == 0 || item.place >= d->count) continue;
        raise_place(r, item.place, item.source);
        if (r->steps_left == 0) status = HSD_END;
        if ((++lists & HSD_DOMINATORS_TICK) == 0)
            status = status == HSD_OK ? hsd_dominators_tick(d, 2, item.place, d->count, err) : status;
    }
    hsd_tape_close(&r->reader);
    if (open_of != NULL) {
        hsd_tape_finish(open_of);
        r->noted_end = r->noted_place;
    }
    return status == HSD_OK ? hsd_reel_check(&d->reel, err) : status;
}

static hsd_status raise_until_done(raise *r, hsd_error *err)
{
    hsd_dominators *d = r->d;
    HSD_TRY(hsd_dominators_open(d, &r->above_array, d->count, 4, array_bytes(d->count), err));
    if (!hsd_pages_take(&r->seen_pages, (size_t)d->count / 8 + 1))
        return hsd_fail_nomem(err, "the ways up of the dominators");
    r->above = array_at_random(&r->above_array);
    r->seen = r->seen_pages.data;
    for (uint32_t place = 1; place < d->count; place++)
        r->above[place] = UNKNOWN;
    r->steps_left = CLIMB_FACTOR * d->limits.climb_steps * (hsd_adjacency_edge_count(d->adjacency) + d->count);
    r->has_bases = true;
    HSD_TRY(raise_all(r, &d->back, &d->forward, true, err));
    for (d->stats.passes = 1; r->changes > 0; d->stats.passes++) {
        if (d->stats.passes == MOST_PASSES) return HSD_END;
        take_marks(r);
        HSD_TRY(raise_all(r, &d->forward, NULL, false, err));
    }
    r->marks = r->new_marks = NULL;
    HSD_TRY(raise_all(r, &d->leaf_back, NULL, true, err));
    for (uint32_t place = 0; place < d->count; place++)
        hsd_tape_put_u32(&d->dominator_of, r->above[place]);
    hsd_tape_finish(&d->dominator_of);
    return hsd_reel_check(&d->reel, err);
}

hsd_status hsd_dominators_raise(hsd_dominators *d, hsd_error *err)
{
    raise *r = calloc(1, sizeof *r);
    if (r == NULL) return hsd_fail_nomem(err, "the dominators");
    r->d = d;
    hsd_status status = raise_until_done(r, err);
    const hsd_status closed = hsd_dominators_close(d, &r->above_array, status == HSD_OK ? err : NULL);
    hsd_pages_give(&r->seen_pages);
    hsd_pages_give(&r->mark_pages);
    free(r->bases);
    free(r);
    hsd_tape_release(&d->back);
    hsd_tape_release(&d->forward);
    hsd_tape_release(&d->leaf_back);
    return status == HSD_OK ? closed : status;
}
