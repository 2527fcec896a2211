/*
 * Step 3, the predecessors: buckets of core nodes, the last one first, each sorted by node in memory.
 *
 *      bucket fits               decode, count, place: two passes over what is in memory
 *      too many predecessors     written anew into up to 64 smaller buckets, of which the last comes next
 *      ... of one single node    go past in pieces, in the order in which they came
 *
 * Pending buckets wait on a small stack; a bucket can be divided only as often as its range has bits.
 *
 * A second thread sorts the next bucket while the first makes semidominators of the last one.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/semi.h"

#define SPLIT_BITS  6u
#define MAX_PENDING (HSD_NODE_BITS / SPLIT_BITS + 1) * (1u << SPLIT_BITS)

typedef struct raw_item {
    hsd_node slot, source, group;
} raw_item;

typedef struct sorter {
    hsd_dominators *d;
    hsd_semi semi;
    hsd_pages raw_pages, item_pages, slot_pages;
    raw_item *raw;
    hsd_node *starts;     /* by slot */
    hsd_sorted sorted[2]; /* the second only with a thread */
    hsd_node max_slots;
    hsd_bucket *pending; /* the last one comes next */
    uint32_t pending_count;
    uint32_t next_bucket; /* those below were not looked at yet */
    bool uses_thread;
    hsd_sorted *ahead; /* what the thread fills */
    hsd_worker worker;
} sorter;

/* ---- reading a bucket ---- */

typedef struct bucket_reader {
    hsd_tape_reader reader;
    hsd_bucket *bucket;
    uint64_t forward_left, back_left;
    hsd_node source, group;
} bucket_reader;

static void read_bucket(bucket_reader *r, hsd_bucket *bucket)
{
    memset(r, 0, sizeof *r);
    hsd_tape_read(&r->reader, &bucket->tape, HSD_TAPE_FORWARD, true);
    r->bucket = bucket;
    r->forward_left = bucket->forward_count;
    r->back_left = bucket->back_count;
}

static bool next_forward(bucket_reader *r, hsd_node *slot, hsd_node *source)
{
    if (r->forward_left == 0 || !hsd_tape_has_more(&r->reader)) return false;
    r->forward_left--;
    const uint8_t *at = hsd_tape_varint(r->reader.at, slot);
    r->reader.at = hsd_tape_varint(at, source);
    return true;
}

static inline bool next_back(bucket_reader *r, raw_item *item)
{
    hsd_node step, folded;
    if (r->back_left == 0 || !hsd_tape_has_more(&r->reader)) return false;
    if (r->back_left == r->bucket->anew_count) r->source = r->group = 0;
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
static void count_items(sorter *s, hsd_node *counts, hsd_node slots, uint32_t items)
{
    memset(counts, 0, slots * sizeof *counts);
    for (uint32_t i = 0; i < items; i++)
        counts[s->raw[i].slot]++;
    hsd_node start = 0;
    for (hsd_node slot = slots; slot-- > 0;) {
        s->starts[slot] = start;
        start += counts[slot];
    }
}

static hsd_status sort_whole(sorter *s, hsd_bucket *bucket, hsd_sorted *sorted, hsd_error *err)
{
    const hsd_node slots = bucket->hi - bucket->lo;
    bucket_reader r;
    hsd_node slot, source;
    uint32_t items = 0;
    read_bucket(&r, bucket);
    memset(sorted->forward, 0xff, slots * sizeof *sorted->forward);
    while (next_forward(&r, &slot, &source)) {
        if (source < sorted->forward[slot]) sorted->forward[slot] = source;
    }
    while (next_back(&r, &s->raw[items]))
        items++;
    sorted->lo = bucket->lo;
    sorted->hi = bucket->hi;
    HSD_TRY(end_bucket(s, &r, err));
    count_items(s, sorted->counts, slots, items);
    for (uint32_t i = 0; i < items; i++) {
        const raw_item *raw = &s->raw[i];
        sorted->items[s->starts[raw->slot]++] = (hsd_predecessor){raw->source, raw->group};
    }
    memset(sorted->items + items, 0, HSD_SEMI_AHEAD * sizeof *sorted->items);
    return HSD_OK;
}

static void put_semis(const sorter *s, const hsd_sorted *sorted)
{
    for (hsd_node slot = sorted->hi - sorted->lo; slot-- > 0;)
        hsd_tape_put_node(&s->d->semi_of, sorted->counts[slot]);
}

/* ---- a bucket of one node ---- */

static hsd_status take_in_parts(sorter *s, hsd_bucket *bucket, hsd_sorted *part, hsd_error *err)
{
    bucket_reader r;
    hsd_node slot, source;
    bool is_first = true, is_last = false;
    read_bucket(&r, bucket);
    part->lo = bucket->lo;
    part->hi = bucket->hi;
    part->forward[0] = HSD_NODE_MAX;
    while (next_forward(&r, &slot, &source)) {
        if (source < part->forward[0]) part->forward[0] = source;
    }
    while (!is_last) {
        raw_item item;
        uint32_t items = 0;
        while (items < hsd_dominators_bucket_items(s->d) && next_back(&r, &item)) {
            part->items[items++] = (hsd_predecessor){item.source, item.group};
        }
        is_last = items == 0;
        memset(part->items + items, 0, HSD_SEMI_AHEAD * sizeof *part->items);
        part->counts[0] = items;
        hsd_semi_settle_hot(&s->semi, part, is_first, is_last);
        is_first = false;
    }
    put_semis(s, part);
    return end_bucket(s, &r, err);
}

/* ---- a bucket that is too large ---- */

static hsd_status divide(sorter *s, hsd_bucket *bucket, hsd_error *err)
{
    const hsd_node last = bucket->hi - bucket->lo - 1, lo = bucket->lo;
    hsd_node slot, source;
    uint32_t shift = 0;
    while (last >> shift >= 1u << SPLIT_BITS)
        shift++;
    const uint32_t count = (uint32_t)(last >> shift) + 1;
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

/* ---- all buckets ---- */

static bool fits_bucket(const sorter *s, const hsd_bucket *bucket)
{
    return bucket->back_count <= hsd_dominators_bucket_items(s->d);
}

/* Has the next bucket on the stack; false if none is left. */
static bool has_pending(sorter *s)
{
    hsd_dominators *d = s->d;
    if (s->pending_count > 0) return true;
    if (s->next_bucket == 0) return false;
    hsd_bucket *next = &d->buckets[--s->next_bucket];
    s->pending[s->pending_count++] = *next;
    memset(next, 0, sizeof *next);
    return true;
}

static hsd_status sort_pending(sorter *s, hsd_sorted *sorted, hsd_error *err)
{
    hsd_bucket bucket = s->pending[--s->pending_count];
    const hsd_status status = sort_whole(s, &bucket, sorted, err);
    hsd_tape_release(&bucket.tape);
    return status;
}

static hsd_status sort_ahead(void *context, hsd_error *err)
{
    sorter *s = context;
    return sort_pending(s, s->ahead, err);
}

/* The bucket on top goes past in pieces or becomes several. */
static hsd_status take_large(sorter *s, hsd_error *err)
{
    hsd_bucket bucket = s->pending[--s->pending_count];
    const hsd_status status =
        bucket.hi - bucket.lo > 1 ? divide(s, &bucket, err) : take_in_parts(s, &bucket, &s->sorted[0], err);
    hsd_tape_release(&bucket.tape);
    return status;
}

/* Goes on to the next bucket that is sorted in memory; HSD_END behind the last. */
static hsd_status sort_next(sorter *s, hsd_sorted *sorted, hsd_error *err)
{
    while (has_pending(s)) {
        if (fits_bucket(s, &s->pending[s->pending_count - 1])) return sort_pending(s, sorted, err);
        HSD_TRY(take_large(s, err));
    }
    return HSD_END;
}

/* Each page is written once and comes once; what is more was asked for at random. */
static bool reads_too_much(const sorter *s, hsd_node done)
{
    const hsd_paged *arrays[] = {&s->semi.links, &s->semi.cores, &s->semi.up};
    uint64_t reads = 0, once = 0;
    for (size_t i = 0; i < HSD_ARRAY_LEN(arrays); i++) {
        reads += arrays[i]->transfers + arrays[i]->elements;
        once += 3 * arrays[i]->page_count; /* what was read and written to goes out, too */
    }
    return hsd_dominators_reads_too_much(s->d, reads, once, done, s->d->core_count);
}

static hsd_status check_semi(sorter *s, const hsd_sorted *sorted, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&s->semi.links, err));
    HSD_TRY(hsd_paged_check(&s->semi.cores, err));
    HSD_TRY(hsd_paged_check(&s->semi.up, err));
    return hsd_dominators_tick(s->d, 2, s->d->core_count - sorted->lo, s->d->core_count, err);
}

/* Settles what is sorted while the next bucket, if it is one that fits, is sorted into `other`. */
static hsd_status settle_and_sort(sorter *s, const hsd_sorted *sorted, hsd_sorted *other, bool *is_sorted,
                                  hsd_error *err)
{
    *is_sorted = s->uses_thread && has_pending(s) && fits_bucket(s, &s->pending[s->pending_count - 1]);
    s->ahead = other;
    if (*is_sorted) hsd_worker_begin_again(&s->worker, sort_ahead, s);
    hsd_semi_settle(&s->semi, sorted);
    if (*is_sorted) HSD_TRY(hsd_worker_finish(&s->worker, err));
    put_semis(s, sorted);
    return check_semi(s, sorted, err);
}

static hsd_status take_all(sorter *s, hsd_error *err)
{
    hsd_dominators *d = s->d;
    hsd_sorted *sorted = &s->sorted[0], *other = &s->sorted[s->uses_thread ? 1 : 0];
    s->next_bucket = d->bucket_count;
    hsd_status status = sort_next(s, sorted, err);
    while (status == HSD_OK) {
        bool is_sorted;
        if (reads_too_much(s, d->core_count - sorted->hi)) return HSD_END;
        status = settle_and_sort(s, sorted, other, &is_sorted, err);
        if (status == HSD_OK && !is_sorted) status = sort_next(s, other, err);
        hsd_sorted *const done = sorted;
        sorted = other;
        other = done;
    }
    if (status != HSD_END) return status;
    hsd_tape_finish(&d->semi_of);
    return hsd_reel_check(&d->reel, err);
}

/* ---- the step ---- */

static hsd_status fill_up(void *context, hsd_error *err)
{
    hsd_semi *semi = context;
    hsd_tape_reader parents;
    hsd_node parent;
    hsd_tape_read(&parents, &semi->d->parent_of, HSD_TAPE_FORWARD, false);
    for (hsd_node place = 0; hsd_tape_get_node(&parents, &parent); place++) {
        hsd_flat_set_node(&semi->up, place, parent, false);
    }
    hsd_tape_close(&parents);
    return hsd_reel_check(&semi->d->reel, err);
}

static hsd_status fill_cores(void *context, hsd_error *err)
{
    hsd_semi *semi = context;
    hsd_tape_reader cores;
    hsd_core_node core = {0};
    hsd_tape_read(&cores, &semi->d->core_of, HSD_TAPE_FORWARD, false);
    for (hsd_node node = 0; hsd_core_get(&cores, &core, node); node++) {
        hsd_paged_set_two(&semi->links, node, hsd_two_of(0, core.core_parent));
        hsd_paged_set_two(&semi->cores, node, hsd_two_of(core.parent, core.place));
    }
    hsd_tape_close(&cores);
    return hsd_reel_check(&semi->d->reel, err);
}

/* Where parents are in memory next to nothing of `up` is ever written. */
static void make_room_for_parents(hsd_dominators *d, const hsd_paged *up, uint64_t used)
{
    const uint64_t unused = hsd_tape_is_in_memory(&d->parent_of) ? (uint64_t)up->frame_count * HSD_PAGE_BYTES : 0;
    d->array_bytes -= unused;
    hsd_dominators_make_room(d, used, false);
    d->array_bytes += unused;
}

/* Every climb touches links, few touch cores, next to none goes up. */
static hsd_status open_arrays(sorter *s, hsd_error *err)
{
    hsd_dominators *d = s->d;
    hsd_semi *semi = &s->semi;
    const uint64_t buffers = s->raw_pages.size + s->item_pages.size + s->slot_pages.size;
    const uint64_t used = buffers + ((uint64_t)d->limits.chunk_bytes << SPLIT_BITS);
    uint64_t left = hsd_dominators_scan_spare(d, used);
    const uint64_t cores = hsd_paged_full_bytes((uint64_t)d->core_count * HSD_TWO_BYTES);
    const uint64_t links = hsd_min_u64(cores, left / 16 * 13);
    HSD_TRY(hsd_dominators_open(d, &semi->links, d->core_count, HSD_TWO_BYTES, links, err));
    left -= links;
    const uint64_t rest = hsd_min_u64(cores, left / 4 * 3);
    HSD_TRY(hsd_dominators_open(d, &semi->cores, d->core_count, HSD_TWO_BYTES, rest, err));
    HSD_TRY(hsd_dominators_open(d, &semi->up, d->count, HSD_NODE_BYTES, left - rest, err));
    make_room_for_parents(d, &semi->up, used);
    hsd_paged_touch(&semi->links);
    hsd_paged_touch(&semi->cores);
    semi->flat.links = d->limits.uses_flat && semi->links.is_flat;
    semi->flat.rest =
        d->limits.uses_flat && hsd_tape_is_in_memory(&d->parent_of) && semi->cores.is_flat && semi->up.is_flat;
    if (semi->flat.rest) return fill_cores(semi, err);
    return hsd_run_both((hsd_job){fill_up, semi}, (hsd_job){fill_cores, semi}, hsd_dominators_has_thread(d), err);
}

static hsd_status open_buffers(sorter *s, hsd_error *err)
{
    const hsd_dominators *d = s->d;
    const uint32_t items = hsd_dominators_bucket_items(d);
    s->uses_thread = hsd_dominators_has_thread(d) && d->bucket_count > 1;
    s->max_slots = (hsd_node)1 << d->bucket_shift;
    const size_t sets = s->uses_thread ? 2 : 1, set_items = (size_t)items + HSD_SEMI_AHEAD;
    s->pending = calloc(MAX_PENDING, sizeof *s->pending);
    if (s->pending == NULL || !hsd_pages_take_any(&s->raw_pages, ((size_t)items + 1) * sizeof *s->raw) ||
        !hsd_pages_take_any(&s->item_pages, sets * set_items * sizeof(hsd_predecessor)) ||
        !hsd_pages_take_any(&s->slot_pages, (size_t)s->max_slots * (1 + 2 * sets) * sizeof *s->starts)) {
        return hsd_fail_nomem(err, "the predecessors of the dominators");
    }
    s->raw = s->raw_pages.data;
    s->starts = s->slot_pages.data;
    for (size_t i = 0; i < sets; i++) {
        s->sorted[i].items = (hsd_predecessor *)s->item_pages.data + i * set_items;
        s->sorted[i].counts = s->starts + (1 + 2 * i) * s->max_slots;
        s->sorted[i].forward = s->sorted[i].counts + s->max_slots;
    }
    return HSD_OK;
}

static void close_buffers(sorter *s)
{
    hsd_worker_end(&s->worker);
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
