/*
 * Step 3, the predecessors: buckets of core nodes, the last one first, each sorted by node in memory.
 *
 *      bucket fits               decode, count, place: two passes over what is in memory
 *      too many predecessors     written anew into up to 64 smaller buckets, of which the last comes next
 *      ... of one single node    go past in pieces, in the order in which they came
 *
 * Pending buckets wait on a small stack; a bucket can be divided only as often as its range has bits.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators_semi.h"

#define SPLIT_BITS  6u
#define MAX_PENDING (32u / SPLIT_BITS + 1) * (1u << SPLIT_BITS)

typedef struct raw_item {
    uint32_t slot, source, group;
} raw_item;

typedef struct sorter {
    hsd_dominators *d;
    hsd_semi semi;
    hsd_pages raw_pages, item_pages, slot_pages;
    raw_item *raw;
    hsd_predecessor *items;
    uint32_t *counts, *starts, *forward; /* by slot */
    uint32_t max_slots;
    hsd_bucket *pending; /* the last one comes next */
    uint32_t pending_count;
} sorter;

/* ---- reading a bucket ---- */

typedef struct bucket_reader {
    hsd_tape_reader reader;
    hsd_bucket *bucket;
    uint64_t forward_left, back_left;
    uint32_t source, group;
} bucket_reader;

static void read_bucket(bucket_reader *r, hsd_bucket *bucket)
{
    memset(r, 0, sizeof *r);
    hsd_tape_read(&r->reader, &bucket->tape, HSD_TAPE_FORWARD, true);
    r->bucket = bucket;
    r->forward_left = bucket->forward_count;
    r->back_left = bucket->back_count;
}

static bool next_forward(bucket_reader *r, uint32_t *slot, uint32_t *source)
{
    if (r->forward_left == 0 || !hsd_tape_has_more(&r->reader)) return false;
    r->forward_left--;
    const uint8_t *at = hsd_tape_varint(r->reader.at, slot);
    r->reader.at = hsd_tape_varint(at, source);
    return true;
}

static inline bool next_back(bucket_reader *r, raw_item *item)
{
    uint32_t step, folded;
    if (r->back_left == 0 || !hsd_tape_has_more(&r->reader)) return false;
    r->back_left--;
    const uint8_t *at = hsd_tape_varint(r->reader.at, &item->slot);
    at = hsd_tape_varint(at, &step);
    r->reader.at = hsd_tape_varint(at, &folded);
    item->source = r->source += step;
    item->group = r->group = hsd_unfold_difference(folded, r->group);
    return true;
}

/* The bucket was read to its end, or the reel has failed. */
static hsd_status end_bucket(sorter *s, bucket_reader *r, hsd_error *err)
{
    hsd_tape_close(&r->reader);
    hsd_tape_release(&r->bucket->tape);
    return hsd_reel_check(&s->d->reel, err);
}

/* ---- a bucket that fits ---- */

/* Counts and the place of each node's first item, nodes descending. */
static void count_items(sorter *s, uint32_t slots, uint32_t items)
{
    memset(s->counts, 0, slots * sizeof *s->counts);
    for (uint32_t i = 0; i < items; i++)
        s->counts[s->raw[i].slot]++;
    uint32_t start = 0;
    for (uint32_t slot = slots; slot-- > 0;) {
        s->starts[slot] = start;
        start += s->counts[slot];
    }
}

static hsd_status take_whole(sorter *s, hsd_bucket *bucket, hsd_error *err)
{
    const uint32_t slots = bucket->hi - bucket->lo;
    bucket_reader r;
    uint32_t slot, source, items = 0;
    read_bucket(&r, bucket);
    memset(s->forward, 0xff, slots * sizeof *s->forward);
    while (next_forward(&r, &slot, &source)) {
        if (source < s->forward[slot]) s->forward[slot] = source;
    }
    while (next_back(&r, &s->raw[items]))
        items++;
    HSD_TRY(end_bucket(s, &r, err));
    count_items(s, slots, items);
    for (uint32_t i = 0; i < items; i++) {
        const raw_item *raw = &s->raw[i];
        s->items[s->starts[raw->slot]++] = (hsd_predecessor){raw->source, raw->group};
    }
    memset(s->items + items, 0, HSD_SEMI_AHEAD * sizeof *s->items);
    const hsd_sorted sorted = {bucket->lo, bucket->hi, s->items, s->counts, s->forward};
    hsd_semi_settle(&s->semi, &sorted);
    return HSD_OK;
}

/* ---- a bucket of one node ---- */

static hsd_status take_in_parts(sorter *s, hsd_bucket *bucket, hsd_error *err)
{
    bucket_reader r;
    uint32_t slot, source;
    bool is_first = true, is_last = false;
    read_bucket(&r, bucket);
    s->forward[0] = UINT32_MAX;
    while (next_forward(&r, &slot, &source)) {
        if (source < s->forward[0]) s->forward[0] = source;
    }
    while (!is_last) {
        raw_item item;
        uint32_t items = 0;
        while (items < s->d->limits.bucket_items && next_back(&r, &item)) {
            s->items[items++] = (hsd_predecessor){item.source, item.group};
        }
        is_last = items == 0;
        const hsd_sorted part = {bucket->lo, bucket->hi, s->items, &items, s->forward};
        hsd_semi_settle_hot(&s->semi, &part, is_first, is_last);
        is_first = false;
    }
    return end_bucket(s, &r, err);
}

/* ---- a bucket that is too large ---- */

static hsd_status divide(sorter *s, hsd_bucket *bucket, hsd_error *err)
{
    const uint32_t last = bucket->hi - bucket->lo - 1, lo = bucket->lo;
    uint32_t shift = 0, slot, source;
    while (last >> shift >= 1u << SPLIT_BITS)
        shift++;
    const uint32_t count = (last >> shift) + 1;
    hsd_bucket *parts = s->pending + s->pending_count;
    hsd_buckets_begin(s->d, parts, count, shift, lo, bucket->hi);
    s->pending_count += count;
    bucket_reader r;
    raw_item item;
    read_bucket(&r, bucket);
    while (next_forward(&r, &slot, &source))
        hsd_bucket_put_forward(&parts[slot >> shift], lo + slot, source);
    while (next_back(&r, &item)) {
        hsd_bucket_put_back(&parts[item.slot >> shift], lo + item.slot, item.source, item.group);
    }
    for (uint32_t i = 0; i < count; i++)
        hsd_tape_finish(&parts[i].tape);
    return end_bucket(s, &r, err);
}

static hsd_status take_bucket(sorter *s, hsd_bucket *bucket, hsd_error *err)
{
    const bool fits = bucket->back_count <= s->d->limits.bucket_items;
    if (!fits && bucket->hi - bucket->lo > 1) return divide(s, bucket, err);
    HSD_TRY(fits ? take_whole(s, bucket, err) : take_in_parts(s, bucket, err));
    HSD_TRY(hsd_paged_check(&s->semi.links, err));
    HSD_TRY(hsd_paged_check(&s->semi.cores, err));
    HSD_TRY(hsd_paged_check(&s->semi.up, err));
    return hsd_dominators_tick(s->d, 2, s->d->core_count - bucket->lo, s->d->core_count, err);
}

static hsd_status take_all(sorter *s, hsd_error *err)
{
    hsd_dominators *d = s->d;
    for (uint32_t i = d->bucket_count; i-- > 0;) {
        s->pending[0] = d->buckets[i];
        s->pending_count = 1;
        memset(&d->buckets[i], 0, sizeof d->buckets[i]);
        while (s->pending_count > 0) {
            hsd_bucket bucket = s->pending[--s->pending_count];
            const hsd_status status = take_bucket(s, &bucket, err);
            hsd_tape_release(&bucket.tape);
            HSD_TRY(status);
        }
    }
    hsd_tape_finish(&d->semi_of);
    return hsd_reel_check(&d->reel, err);
}

/* ---- the step ---- */

static hsd_status fill_up(hsd_semi *semi, hsd_error *err)
{
    hsd_tape_reader parents;
    uint32_t parent;
    hsd_tape_read(&parents, &semi->d->parent_of, HSD_TAPE_FORWARD, false);
    for (uint32_t place = 0; hsd_tape_get_u32(&parents, &parent); place++) {
        hsd_flat_set_u32(&semi->up, place, parent, false);
    }
    hsd_tape_close(&parents);
    return hsd_reel_check(&semi->d->reel, err);
}

static hsd_status fill_cores(hsd_semi *semi, hsd_error *err)
{
    hsd_tape_reader cores;
    hsd_core_node core = {0};
    hsd_tape_read(&cores, &semi->d->core_of, HSD_TAPE_FORWARD, false);
    for (uint32_t node = 0; hsd_core_get(&cores, &core, node); node++) {
        hsd_paged_set_u64(&semi->links, node, core.core_parent);
        hsd_paged_set_u64(&semi->cores, node, (uint64_t)core.parent << 32 | core.place);
    }
    hsd_tape_close(&cores);
    return hsd_reel_check(&semi->d->reel, err);
}

/* Every climb touches links, few touch cores, next to none goes up. */
static hsd_status open_arrays(sorter *s, hsd_error *err)
{
    hsd_dominators *d = s->d;
    hsd_semi *semi = &s->semi;
    const uint64_t buffers = s->raw_pages.size + s->item_pages.size + s->slot_pages.size;
    uint64_t left = hsd_dominators_spare(d, buffers + ((uint64_t)d->limits.chunk_bytes << SPLIT_BITS));
    const uint64_t cores = hsd_paged_full_bytes((uint64_t)d->core_count * 8);
    const uint64_t links = hsd_min_u64(cores, left / 16 * 13);
    HSD_TRY(hsd_dominators_open(d, &semi->links, d->core_count, 8, links, err));
    left -= links;
    const uint64_t rest = hsd_min_u64(cores, left / 4 * 3);
    HSD_TRY(hsd_dominators_open(d, &semi->cores, d->core_count, 8, rest, err));
    HSD_TRY(hsd_dominators_open(d, &semi->up, d->count, 4, left - rest, err));
    semi->flat.links = d->limits.uses_flat && semi->links.is_flat;
    semi->flat.rest = d->limits.uses_flat && semi->cores.is_flat && semi->up.is_flat;
    HSD_TRY(fill_up(semi, err));
    return fill_cores(semi, err);
}

static hsd_status open_buffers(sorter *s, hsd_error *err)
{
    const uint32_t items = s->d->limits.bucket_items;
    s->max_slots = UINT32_C(1) << s->d->bucket_shift;
    s->pending = calloc(MAX_PENDING, sizeof *s->pending);
    if (s->pending == NULL || !hsd_pages_take(&s->raw_pages, ((size_t)items + 1) * sizeof *s->raw) ||
        !hsd_pages_take(&s->item_pages, ((size_t)items + HSD_SEMI_AHEAD) * sizeof *s->items) ||
        !hsd_pages_take(&s->slot_pages, (size_t)s->max_slots * 3 * sizeof *s->counts)) {
        return hsd_fail_nomem(err, "the predecessors of the dominators");
    }
    s->raw = s->raw_pages.data;
    s->items = s->item_pages.data;
    s->counts = s->slot_pages.data;
    s->starts = s->counts + s->max_slots;
    s->forward = s->starts + s->max_slots;
    return HSD_OK;
}

static void close_buffers(sorter *s)
{
    for (uint32_t i = 0; i < s->pending_count; i++)
        hsd_tape_release(&s->pending[i].tape);
    free(s->pending);
    hsd_pages_give(&s->raw_pages);
    hsd_pages_give(&s->item_pages);
    hsd_pages_give(&s->slot_pages);
}

hsd_status hsd_dominators_semi(hsd_dominators *d, hsd_error *err)
{
    sorter s = {.d = d, .semi = {.d = d}};
    hsd_status status = open_buffers(&s, err);
    if (status == HSD_OK) status = open_arrays(&s, err);
    if (status == HSD_OK) status = take_all(&s, err);
    hsd_paged *arrays[] = {&s.semi.links, &s.semi.cores, &s.semi.up};
    for (size_t i = 0; i < HSD_ARRAY_LEN(arrays); i++) {
        const hsd_status closed = hsd_dominators_close(d, arrays[i], status == HSD_OK ? err : NULL);
        if (status == HSD_OK) status = closed;
    }
    close_buffers(&s);
    return status;
}
