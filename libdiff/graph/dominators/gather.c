/*
 * Step 2 by scans: predecessors of each place (dominators/scan.c). References, in the order of their sources, go into
 * buckets by target, and each bucket is sorted in memory: here, or, where there is room for it beside what raising
 * needs, right before its lists are raised, which so go onto no tape.
 *
 * Where places of all nodes do not fit in memory they are looked up in windows of the nodes: places go to a tape in the
 * order of nodes, which tells those of sources, and there is one pass over the blocks for each window of targets.
 * Predecessors go to lists by windows of places then (dominators/windows.h).
 */
#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/windows.h"

#define MOST_BUCKETS 512u
#define SPLIT_BITS   6u
#define MAX_PENDING  (HSD_NODE_BITS / SPLIT_BITS + 2) * (1u << SPLIT_BITS)
#define SHORT_LIST   HSD_LIST_ASCENDS /* which is sorted where it stands */
#define LEAST_WINDOW 4096u
#define LIST_BYTES   4u /* of a predecessor on `back`, as a rule less */
#define NARROW_SHIFT 16u

_Static_assert(HSD_NARROW_BUCKET == 1u << NARROW_SHIFT, "places of a bucket");

/* ---- references by target ---- */

typedef struct gather {
    hsd_dominators *d;
    hsd_paged place_array;
    hsd_node *place_of;       /* by node - begin, 0 = not reached */
    hsd_node begin, span;     /* nodes whose places are in memory */
    uint8_t *is_leaf;         /* one bit a place: it refers to nothing */
    hsd_node last, leaf_last; /* place of the list that was written last, on either tape */
    uint64_t item_limit;
    hsd_bucket *pending; /* the last one comes next */
    uint32_t pending_count;
    hsd_pages item_pages, slot_pages;
    hsd_two *raw;    /* slot, source */
    hsd_node *items; /* sources by slot */
    uint32_t *starts;
} gather;

static hsd_status fill_places(gather *g, hsd_error *err)
{
    hsd_dominators *d = g->d;
    hsd_tape_reader nodes;
    hsd_node node = 0;
    hsd_tape_read(&nodes, &d->node_of, HSD_TAPE_FORWARD, false);
    for (hsd_node place = 0; hsd_near_node_get(&nodes, &node); place++) {
        if (place == 0 || node - g->begin >= g->span) continue;
        g->place_of[node - g->begin] = place;
        if (hsd_adjacency_is_leaf(d->adjacency, node)) hsd_bit_set(g->is_leaf, place);
    }
    hsd_tape_close(&nodes);
    return hsd_reel_check(&d->reel, err);
}

/* In the second round a reference to a node of the first round holds nothing; to root nodes none does. */
static void scatter_part(gather *g, hsd_node source, const hsd_targets *targets)
{
    hsd_dominators *d = g->d;
    const hsd_root_nodes *roots = &d->config->roots;
    const hsd_node least = source < d->secondary ? 1 : d->secondary;
    for (uint32_t i = 0; i < targets->count; i++)
        if (targets->items[i] - g->begin < g->span) __builtin_prefetch(&g->place_of[targets->items[i] - g->begin]);
    for (uint32_t i = 0; i < targets->count; i++) {
        const hsd_node node = targets->items[i];
        const hsd_node target = node - g->begin < g->span ? g->place_of[node - g->begin] : 0;
        if (target < least || node - roots->begin < roots->end - roots->begin) continue;
        hsd_bucket_put_reference(&d->buckets[target >> d->bucket_shift], target, source);
    }
}

static void scatter_node(gather *g, hsd_node node, hsd_node source)
{
    hsd_adjacency *a = g->d->adjacency;
    hsd_targets targets;
    if (source == 0 || hsd_adjacency_is_leaf(a, node)) return;
    hsd_adjacency_get(a, node, &targets);
    for (;;) {
        scatter_part(g, source, &targets);
        if (!targets.has_more) return;
        hsd_adjacency_more(a, &targets);
    }
}

/* Places in the order of nodes: 0, or 1 + the difference to the last one that was not 0. */
typedef struct place_reader {
    hsd_tape_reader tape;
    hsd_node last;
} place_reader;

static hsd_node put_place(hsd_tape *tape, hsd_node place, hsd_node last)
{
    const uint64_t stored = place == 0 ? 0 : (uint64_t)hsd_fold_difference(place, last) + 1;
    tape->at = hsd_varint_put(hsd_tape_room(tape, HSD_VARINT_MOST), stored);
    return place == 0 ? last : place;
}

static bool get_place(place_reader *reader, hsd_node *place)
{
    uint64_t stored;
    if (!hsd_tape_has_more(&reader->tape)) return false;
    reader->tape.at = hsd_varint_get(reader->tape.at, &stored);
    if (stored != 0) reader->last = hsd_unfold_difference((hsd_node)(stored - 1), reader->last);
    *place = stored != 0 ? reader->last : 0;
    return true;
}

/* Places of sources come from the tape where not all are in memory. */
static hsd_status scatter_all(gather *g, hsd_error *err)
{
    hsd_dominators *d = g->d;
    const bool is_whole = g->span == d->nodes;
    hsd_status status = HSD_OK;
    place_reader places = {.last = 0};
    hsd_node source;
    hsd_tape_read(&places.tape, &d->place_of, HSD_TAPE_FORWARD, (uint64_t)g->begin + g->span >= d->nodes);
    for (hsd_node node = 0; node < d->nodes && status == HSD_OK; node++) {
        if (is_whole)
            source = g->place_of[node];
        else if (!get_place(&places, &source))
            break;
        scatter_node(g, node, source);
        if ((node & HSD_DOMINATORS_TICK) == 0) status = hsd_dominators_tick(d, 1, node, d->nodes, err);
    }
    hsd_tape_close(&places.tape);
    return status == HSD_OK ? hsd_adjacency_check(d->adjacency, err) : status;
}

/* ---- a window of nodes after the other ---- */

static void begin_window(gather *g, hsd_node begin, hsd_node window)
{
    g->begin = begin;
    g->span = (hsd_node)hsd_min_u64(window, g->d->nodes - begin);
}

/* All places, in the order of nodes. */
static hsd_status put_places(gather *g, hsd_node window, hsd_error *err)
{
    hsd_dominators *d = g->d;
    hsd_node last = 0;
    for (uint64_t begin = 0; begin < d->nodes; begin += window) {
        begin_window(g, (hsd_node)begin, window);
        memset(g->place_of, 0, (size_t)g->span * sizeof *g->place_of);
        HSD_TRY(fill_places(g, err));
        for (hsd_node i = 0; i < g->span; i++)
            last = put_place(&d->place_of, g->place_of[i], last);
    }
    hsd_tape_finish(&d->place_of);
    return hsd_reel_check(&d->reel, err);
}

static hsd_status scatter_windows(gather *g, hsd_node window, hsd_error *err)
{
    hsd_dominators *d = g->d;
    place_reader places = {.last = 0};
    hsd_status status = HSD_OK;
    hsd_tape_read(&places.tape, &d->place_of, HSD_TAPE_FORWARD, false);
    for (uint64_t begin = 0; begin < d->nodes && status == HSD_OK; begin += window) {
        begin_window(g, (hsd_node)begin, window);
        for (hsd_node i = 0; i < g->span && get_place(&places, &g->place_of[i]); i++)
            continue;
        status = scatter_all(g, err);
    }
    hsd_tape_close(&places.tape);
    return status;
}

/* As many as let twice an average one be sorted at once. */
static uint64_t wanted_buckets(const gather *g)
{
    const uint64_t items = 2 * hsd_max_u64(hsd_adjacency_edge_count(g->d->adjacency), g->d->count);
    return hsd_min_u64(items / g->item_limit + 1, MOST_BUCKETS);
}

/* Nodes whose places are in memory at a time. */
static hsd_node places_at_a_time(const gather *g)
{
    const hsd_dominators *d = g->d;
    if (!d->limits.uses_windows) return d->nodes;
    const uint64_t beside = d->leaf_pages.size + wanted_buckets(g) * d->limits.chunk_bytes;
    const uint64_t fit = hsd_max_u64(hsd_dominators_scan_spare(d, beside) / 8 * 7 / HSD_NODE_BYTES, LEAST_WINDOW);
    return (hsd_node)hsd_min_u64(d->limits.window_nodes != 0 ? d->limits.window_nodes : fit, d->nodes);
}

static uint64_t buckets_by(const hsd_dominators *d, uint32_t shift) { return ((uint64_t)(d->count - 1) >> shift) + 1; }

/* References that raise can sort at a time, beside its numbers of places, three bits each, and starts of lists. */
static uint64_t items_beside_raising(const hsd_dominators *d)
{
    const uint64_t starts = ((UINT64_C(1) << d->bucket_shift) + 1) * sizeof(uint32_t);
    const uint64_t used = hsd_dominators_array_bytes(d->count) + 3 * ((uint64_t)d->count / 8 + 1) + starts;
    return hsd_min_u64(hsd_dominators_scan_spare(d, used) / (HSD_SCAN_ITEM_BYTES + LIST_BYTES), d->limits.bucket_items);
}

/* The largest buckets of which nearly all can be sorted beside raising; false if these are more than there is room for.
 */
static bool plan_late_buckets(hsd_dominators *d, uint64_t room)
{
    const uint64_t references = hsd_adjacency_edge_count(d->adjacency);
    if (d->limits.uses_windows) return false;
    d->bucket_shift = NARROW_SHIFT;
    for (;; d->bucket_shift--) {
        const uint64_t items = items_beside_raising(d), buckets = buckets_by(d, d->bucket_shift);
        d->sorts_late = buckets <= room && items > 0 && buckets > (references + references / 8) / items;
        if (d->sorts_late || buckets > room || d->bucket_shift == 0) return d->sorts_late;
    }
}

static hsd_status plan_buckets(gather *g, hsd_error *err)
{
    hsd_dominators *d = g->d;
    const uint64_t array = hsd_dominators_array_bytes(places_at_a_time(g));
    const uint64_t spare = hsd_dominators_scan_spare(d, array + d->leaf_pages.size);
    const uint64_t room = hsd_min_u64(spare / d->limits.chunk_bytes, MOST_BUCKETS),
                   narrow = (uint64_t)(d->count - 1) / HSD_NARROW_BUCKET + 1;
    uint64_t wanted = hsd_max_u64(hsd_min_u64(wanted_buckets(g), room), 1);
    if (!d->limits.uses_windows && narrow <= room) wanted = hsd_max_u64(wanted, narrow);
    if (!plan_late_buckets(d, room)) {
        d->bucket_shift = 0;
        while (buckets_by(d, d->bucket_shift) > wanted)
            d->bucket_shift++;
    }
    d->bucket_count = (uint32_t)buckets_by(d, d->bucket_shift);
    d->buckets = calloc(d->bucket_count, sizeof *d->buckets);
    if (d->buckets == NULL) return hsd_fail_nomem(err, "the buckets of the dominators");
    hsd_buckets_begin(d, d->buckets, d->bucket_count, d->bucket_shift, 0, d->count);
    return HSD_OK;
}

static hsd_status scatter_references(gather *g, hsd_error *err)
{
    hsd_dominators *d = g->d;
    if (!hsd_pages_take(&d->leaf_pages, (size_t)d->count / 8 + 1))
        return hsd_fail_nomem(err, "the predecessors of the dominators");
    g->is_leaf = d->leaf_pages.data;
    const hsd_node window = places_at_a_time(g);
    const uint64_t items = hsd_max_u64(window, 1);
    HSD_TRY(hsd_dominators_open(d, &g->place_array, items, HSD_NODE_BYTES, hsd_dominators_array_bytes(items), err));
    g->place_of = hsd_dominators_at_random(&g->place_array);
    HSD_TRY(plan_buckets(g, err));
    if (window == d->nodes) {
        begin_window(g, 0, window);
        HSD_TRY(fill_places(g, err));
        HSD_TRY(scatter_all(g, err));
    } else {
        HSD_TRY(put_places(g, window, err));
        HSD_TRY(scatter_windows(g, window, err));
    }
    for (uint32_t i = 0; i < d->bucket_count; i++)
        hsd_tape_finish(&d->buckets[i].tape);
    return hsd_reel_check(&d->reel, err);
}

/* ---- each bucket in order ---- */

static hsd_tape *begin_gathered(gather *g, hsd_node place, hsd_node count)
{
    const bool is_leaf = hsd_bit_get(g->is_leaf, place);
    hsd_tape *tape = is_leaf ? &g->d->leaf_back : &g->d->back;
    if (place > 0) hsd_list_begin(tape, place, is_leaf ? &g->leaf_last : &g->last, count); /* 0: the super-root */
    return tape;
}

/* `slot` and `source` are those of the one before, 0 for the first. */
static bool next_item(hsd_tape_reader *reader, bool is_narrow, hsd_node *slot, hsd_node *source)
{
    hsd_node folded;
    if (!hsd_tape_has_more(reader)) return false;
    if (is_narrow) {
        reader->at = hsd_narrow_get(reader->at, slot, source);
        return true;
    }
    reader->at = hsd_tape_far(hsd_tape_varint(reader->at, slot), &folded);
    *source = hsd_unfold_difference(folded, *source);
    return true;
}

static void sort_short(hsd_node *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const hsd_node item = items[i];
        uint32_t at = i;
        for (; at > 0 && items[at - 1] > item; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* A long list in pieces. */
static void put_by_windows(gather *g, hsd_node place, hsd_node *items, uint32_t count)
{
    const bool is_leaf = hsd_bit_get(g->is_leaf, place);
    for (uint32_t i = 0; i < count; i += SHORT_LIST) {
        const uint32_t piece = (uint32_t)hsd_min_u64(count - i, SHORT_LIST);
        sort_short(items + i, piece);
        hsd_windows_put(g->d->windows, place, is_leaf, items + i, piece);
    }
}

static void put_list(gather *g, hsd_node place, hsd_node *items, uint32_t count)
{
    if (g->d->windows != NULL) {
        put_by_windows(g, place, items, count);
        return;
    }
    hsd_tape *tape = begin_gathered(g, place, count);
    hsd_node last = place;
    if (count <= SHORT_LIST) sort_short(items, count);
    for (uint32_t i = 0; i < count; i++) {
        hsd_list_put_source(tape, items[i], last, hsd_list_is_folded(i, count));
        last = items[i];
    }
}

static hsd_status open_slots(gather *g, hsd_node slots, hsd_error *err)
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
    const hsd_node slots = bucket->hi - bucket->lo;
    const bool is_narrow = hsd_bucket_is_narrow(bucket);
    uint32_t count = 0, start = 0;
    hsd_node slot = 0, source = 0;
    HSD_TRY(open_slots(g, slots, err));
    while (count < bucket->forward_count && next_item(reader, is_narrow, &slot, &source)) {
        g->raw[count++] = hsd_two_of(slot, source);
        g->starts[slot]++;
    }
    for (slot = 0; slot <= slots; slot++) {
        const uint32_t here = g->starts[slot];
        g->starts[slot] = start;
        start += here;
    }
    for (uint32_t i = 0; i < count; i++)
        g->items[g->starts[hsd_two_first(g->raw[i])]++] = hsd_two_second(g->raw[i]);
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
    const bool is_narrow = hsd_bucket_is_narrow(bucket);
    if (g->d->windows != NULL) {
        hsd_node only_slot = 0, item = 0;
        while (next_item(reader, is_narrow, &only_slot, &item)) {
            hsd_node only = item;
            put_by_windows(g, bucket->lo, &only, 1);
        }
        return HSD_OK;
    }
    hsd_tape *tape = begin_gathered(g, bucket->lo, (hsd_node)bucket->forward_count);
    const hsd_node count = (hsd_node)bucket->forward_count;
    hsd_node slot = 0, source = 0, last = bucket->lo;
    for (hsd_node i = 0; i < count && next_item(reader, is_narrow, &slot, &source); i++) {
        hsd_list_put_source(tape, source, last, hsd_list_is_folded(i, count));
        last = source;
    }
    return HSD_OK;
}

/* The parts wait with the first one on top. */
static void divide_references(gather *g, const hsd_bucket *bucket, hsd_tape_reader *reader)
{
    const hsd_node last = bucket->hi - bucket->lo - 1, lo = bucket->lo;
    const bool is_narrow = hsd_bucket_is_narrow(bucket);
    hsd_bucket parts[1u << SPLIT_BITS];
    hsd_node slot = 0, source = 0;
    uint32_t shift = 0;
    while (last >> shift >= 1u << SPLIT_BITS)
        shift++;
    const uint32_t count = (uint32_t)(last >> shift) + 1;
    hsd_buckets_begin(g->d, parts, count, shift, lo, bucket->hi);
    while (next_item(reader, is_narrow, &slot, &source))
        hsd_bucket_put_reference(&parts[slot >> shift], lo + slot, source);
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

/* A bucket, and the parts that it is divided into; what stands on `back` behind each is taken. */
static hsd_status sort_bucket(gather *g, uint32_t number, hsd_lists_fn take, void *context, hsd_error *err)
{
    hsd_dominators *d = g->d;
    g->pending[0] = d->buckets[number];
    g->pending_count = 1;
    memset(&d->buckets[number], 0, sizeof d->buckets[number]);
    while (g->pending_count > 0) {
        hsd_bucket bucket = g->pending[--g->pending_count];
        const hsd_status status = take_bucket(g, &bucket, err);
        hsd_tape_release(&bucket.tape);
        HSD_TRY(status);
        if (take == NULL) continue;
        hsd_reel *reel = d->back.reel;
        hsd_tape_finish(&d->back);
        HSD_TRY(take(context, err));
        hsd_tape_release(&d->back);
        hsd_tape_init(&d->back, reel);
        g->last = 0;
    }
    return hsd_dominators_tick(d, 1, d->nodes, d->nodes, err);
}

static hsd_status sort_buckets(gather *g, hsd_lists_fn take, void *context, hsd_error *err)
{
    hsd_dominators *d = g->d;
    if (!hsd_pages_take(&g->item_pages, (size_t)g->item_limit * HSD_SCAN_ITEM_BYTES))
        return hsd_fail_nomem(err, "the predecessors of the dominators");
    g->raw = g->item_pages.data;
    g->items = (hsd_node *)(g->raw + g->item_limit);
    for (uint32_t i = 0; i < d->bucket_count; i++)
        HSD_TRY(sort_bucket(g, i, take, context, err));
    hsd_tape_finish(&d->back);
    hsd_tape_finish(&d->leaf_back);
    if (d->windows != NULL) hsd_windows_end(d->windows);
    return hsd_reel_check(&d->reel, err);
}

static hsd_status begin_gathering(gather *g, hsd_error *err)
{
    g->pending = calloc(MAX_PENDING, sizeof *g->pending);
    return g->pending == NULL ? hsd_fail_nomem(err, "the predecessors of the dominators") : HSD_OK;
}

static void end_gathering(gather *g)
{
    for (uint32_t i = 0; i < g->pending_count; i++)
        hsd_tape_release(&g->pending[i].tape);
    free(g->pending);
    hsd_pages_give(&g->item_pages);
    hsd_pages_give(&g->slot_pages);
}

hsd_status hsd_dominators_sort_buckets(hsd_dominators *d, hsd_lists_fn take, void *context, hsd_error *err)
{
    gather g = {.d = d, .is_leaf = d->leaf_pages.data, .item_limit = items_beside_raising(d)};
    hsd_reel lists; /* of one bucket, in memory but for a long one */
    hsd_reel_init(&lists, false, d->limits.chunk_bytes, d->config->space);
    hsd_reel_set_room(&lists, g.item_limit * LIST_BYTES);
    hsd_tape_init(&d->back, &lists);
    hsd_status status = begin_gathering(&g, err);
    if (status == HSD_OK) status = sort_buckets(&g, take, context, err);
    if (status == HSD_OK) status = hsd_reel_check(&lists, err);
    end_gathering(&g);
    d->stats.faults += lists.transfers;
    hsd_tape_release(&d->back);
    hsd_tape_init(&d->back, &d->reel);
    hsd_reel_release(&lists);
    hsd_pages_give(&d->leaf_pages);
    return status;
}

hsd_status hsd_dominators_gather(hsd_dominators *d, hsd_error *err)
{
    gather g = {.d = d, .item_limit = d->limits.bucket_items};
    hsd_status status = begin_gathering(&g, err);
    if (status == HSD_OK) status = scatter_references(&g, err);
    const hsd_status closed = hsd_dominators_close(d, &g.place_array, status == HSD_OK ? err : NULL);
    if (status == HSD_OK) status = closed;
    if (status == HSD_OK && d->limits.uses_windows) status = hsd_windows_begin(d, err);
    if (status == HSD_OK && !d->sorts_late) status = sort_buckets(&g, NULL, NULL, err);
    end_gathering(&g);
    if (!d->sorts_late) hsd_pages_give(&d->leaf_pages);
    return status;
}
