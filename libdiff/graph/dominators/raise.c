/*
 * Step 3 by scans: dominators from lists of predecessors, in the order of places (dominators/scan.c).
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
#include "graph/dominators/parts.h"

#define CLIMB_FACTOR 3u /* of the limit of steps, for each reference and place */
#define MOST_PASSES  40u
#define SHORT_LIST   HSD_LIST_ASCENDS /* which waits until it is known whether it may change */
#define UNKNOWN      HSD_NODE_MAX
#define AHEAD        128u
#define LONG_WAY     64u
#define MOST_SEEN    4096u

typedef struct ring_item {
    hsd_node source;
    hsd_node place; /* of the list that begins here, of `source` predecessors; 0 = a predecessor */
} ring_item;

typedef struct raise {
    hsd_dominators *d;
    hsd_paged above_array;
    hsd_node *above; /* by place; UNKNOWN in the first pass */
    hsd_pages seen_pages;
    uint8_t *seen; /* one bit a place: on a way up from the place at hand that was climbed */
    hsd_node seen_count, seen_list[MOST_SEEN];
    hsd_node steps; /* of the place at hand */
    uint64_t steps_left, changes;
    hsd_pages mark_pages; /* none where there is no memory for them */
    uint8_t *marks;       /* one bit a place, of the pass before; NULL in the first two */
    uint8_t *new_marks;   /* of this one; NULL in the first */
    /* reading */
    hsd_tape_reader reader;
    ring_item ring[AHEAD];
    uint64_t read, used;
    hsd_node left, last, read_place, read_count; /* of the list that is being read */
    /* writing, in the first pass: what may change yet */
    hsd_tape *open_of;    /* NULL in later ones, which read it */
    hsd_node noted_place; /* that was written last */
    hsd_node noted_end;   /* of all */
    hsd_pages noted_pages;
    uint8_t *noted; /* one bit a place: its list is written; NULL where there is no memory for that */
    hsd_node short_list[SHORT_LIST];
    hsd_node
        *bases; /* of each chunk that is written: the place before its first list; UNKNOWN = it begins within one */
    uint32_t base_count, base_capacity;
    bool has_bases; /* nothing was wanting for them */
} raise;

/* ---- marks ---- */

/* True if the dominator of a place may rise. */
static bool may_rise(const raise *r, hsd_node place)
{
    const hsd_node above = r->above[place];
    if (above == UNKNOWN) return false; /* it refers to nothing, and is looked at later */
    return hsd_bit_get(r->marks, above) || hsd_bit_get(r->new_marks, above);
}

/* `place` was right below `from`, and is below `to` now. */
static void mark_way(raise *r, hsd_node from, hsd_node to)
{
    for (hsd_node at = from; at != to; at = r->above[at], r->steps++)
        hsd_bit_set(r->new_marks, at);
}

/* Both sets of marks, if there is room. */
static void take_marks(raise *r)
{
    const size_t bytes = (size_t)r->d->count / 8 + 1;
    const uint64_t used = hsd_dominators_array_bytes(r->d->count) + r->seen_pages.size + r->noted_pages.size +
                          4 * (uint64_t)r->d->limits.chunk_bytes;
    if (r->mark_pages.data == NULL &&
        (hsd_dominators_scan_spare(r->d, used) < 2 * bytes || !hsd_pages_take(&r->mark_pages, 2 * bytes)))
        return;
    uint8_t *first = r->mark_pages.data, *second = first + bytes;
    uint8_t *next = r->new_marks == first ? second : first;
    r->marks = r->new_marks; /* NULL in the second pass: all is looked at */
    r->new_marks = next;
    memset(next, 0, bytes);
}

/* Whether a chunk has nothing that may rise; the next one tells where it ends. Most places below a marked one have no
 * list there: one predecessor is all that they have. */
static bool is_settled_chunk(const raise *r, uint32_t chunk)
{
    const hsd_node end = chunk + 1 < r->base_count ? r->bases[chunk + 1] : r->noted_end;
    if (chunk >= r->base_count || r->bases[chunk] == UNKNOWN || end == UNKNOWN) return false;
    for (hsd_node place = r->bases[chunk] + 1; place <= end; place++)
        if ((r->noted == NULL || hsd_bit_get(r->noted, place)) && may_rise(r, place)) return false;
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

static void note_place(raise *r, hsd_node place, hsd_node count)
{
    hsd_list_begin(r->open_of, place, &r->noted_place, count);
    if (r->noted != NULL) hsd_bit_set(r->noted, place);
}

/* What has one predecessor stays below it, and nothing is above the super-root. A list that is too long to wait until
 * that is known is kept. */
static void note_list(raise *r, hsd_node place, hsd_node count)
{
    hsd_node last = place;
    if (r->open_of == NULL || r->above[place] == 0 || count < 2 || count > SHORT_LIST) return;
    note_room(r, ((uint32_t)count + 2) * HSD_VARINT_MOST, true);
    note_place(r, place, count);
    for (hsd_node i = 0; i < count; i++) {
        hsd_list_put_source(r->open_of, r->short_list[i], last, hsd_list_is_folded(i, count));
        last = r->short_list[i];
    }
}

static void note_source(raise *r, hsd_node i, hsd_node count, hsd_node source, hsd_node last)
{
    if (r->open_of == NULL) return;
    if (count <= SHORT_LIST) {
        r->short_list[i] = source;
        return;
    }
    note_room(r, HSD_VARINT_MOST, false);
    hsd_list_put_source(r->open_of, source, last, true);
}

static bool read_one(raise *r, ring_item *item)
{
    if (r->left == 0) pass_settled_chunks(r);
    if (!hsd_tape_has_more(&r->reader)) return false;
    if (r->left == 0) {
        r->reader.at = hsd_list_begun(r->reader.at, &r->read_place, &r->read_count);
        r->left = r->read_count;
        r->last = r->read_place;
        *item = (ring_item){r->read_count, r->read_place};
        return true;
    }
    const bool is_folded = hsd_list_is_folded(r->read_count - r->left, r->read_count);
    r->left--;
    r->reader.at = hsd_list_source(r->reader.at, &r->last, r->last, is_folded);
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
        const hsd_node up = half->place != 0 ? 0 : r->above[half->source];
        if (up != UNKNOWN) __builtin_prefetch(&r->above[up]);
    }
    *out = r->ring[r->used++ % AHEAD];
    return true;
}

static bool was_seen(raise *r, hsd_node place)
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
    for (hsd_node i = 0; i < r->seen_count && r->seen_count <= MOST_SEEN; i++)
        hsd_bit_clear(r->seen, r->seen_list[i]);
    r->seen_count = 0;
}

/* The nearest common ancestor of `to` and `from`. Where ways get long each of their places is passed once: whatever was
 * seen leads to `to`, which only goes up meanwhile. */
static hsd_node meet(raise *r, hsd_node to, hsd_node from)
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
static void raise_place(raise *r, hsd_node place, hsd_node count)
{
    const hsd_node before = r->above[place];
    hsd_node above = before, last = place;
    r->steps = 0;
    if (r->open_of != NULL && count > SHORT_LIST) {
        note_room(r, 2 * HSD_VARINT_MOST, true);
        note_place(r, place, count);
    }
    const bool is_settled = r->marks != NULL && !may_rise(r, place);
    for (hsd_node i = 0; i < count; i++) {
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

/* HSD_END when it takes too long. */
static hsd_status raise_lists(raise *r, hsd_tape *lists_of, bool is_last, hsd_error *err)
{
    hsd_dominators *d = r->d;
    ring_item item;
    hsd_status status = HSD_OK;
    uint32_t lists = 0;
    r->read = r->used = 0;
    r->left = r->last = r->read_place = 0;
    hsd_tape_read(&r->reader, lists_of, HSD_TAPE_FORWARD, is_last);
    while (status == HSD_OK && next_ring_item(r, &item)) {
        if (item.place == 0 || item.place >= d->count) continue;
        raise_place(r, item.place, item.source);
        if (r->steps_left == 0) status = HSD_END;
        if ((++lists & HSD_DOMINATORS_TICK) == 0)
            status = status == HSD_OK ? hsd_dominators_tick(d, 2, item.place, d->count, err) : status;
    }
    hsd_tape_close(&r->reader);
    return status == HSD_OK ? hsd_reel_check(&d->reel, err) : status;
}

static hsd_status raise_bucket(void *context, hsd_error *err)
{
    raise *r = context;
    return raise_lists(r, &r->d->back, true, err);
}

/* The first pass, which notes what may change yet. */
static hsd_status raise_first(raise *r, hsd_error *err)
{
    hsd_dominators *d = r->d;
    r->open_of = &d->forward;
    HSD_TRY(d->sorts_late ? hsd_dominators_sort_buckets(d, raise_bucket, r, err) : raise_bucket(r, err));
    hsd_tape_finish(&d->forward);
    r->noted_end = r->noted_place;
    r->open_of = NULL;
    return HSD_OK;
}

/* If there is room, for marks, too. */
static void take_noted(raise *r)
{
    const uint64_t bytes = (uint64_t)r->d->count / 8 + 1;
    const uint64_t used =
        hsd_dominators_array_bytes(r->d->count) + r->seen_pages.size + 4 * (uint64_t)r->d->limits.chunk_bytes;
    if (hsd_dominators_scan_spare(r->d, used) >= 3 * bytes && hsd_pages_take(&r->noted_pages, (size_t)bytes))
        r->noted = r->noted_pages.data;
}

static hsd_status raise_until_done(raise *r, hsd_error *err)
{
    hsd_dominators *d = r->d;
    HSD_TRY(hsd_dominators_open(d, &r->above_array, d->count, HSD_NODE_BYTES, hsd_dominators_array_bytes(d->count),
                                err));
    if (!hsd_pages_take(&r->seen_pages, (size_t)d->count / 8 + 1))
        return hsd_fail_nomem(err, "the ways up of the dominators");
    take_noted(r);
    r->above = hsd_dominators_at_random(&r->above_array);
    r->seen = r->seen_pages.data;
    for (hsd_node place = 1; place < d->count; place++)
        r->above[place] = UNKNOWN;
    r->steps_left = CLIMB_FACTOR * d->limits.climb_steps * (hsd_adjacency_edge_count(d->adjacency) + d->count);
    r->has_bases = true;
    HSD_TRY(raise_first(r, err));
    for (d->stats.passes = 1; r->changes > 0; d->stats.passes++) {
        if (d->stats.passes == MOST_PASSES) return HSD_END;
        take_marks(r);
        r->changes = 0;
        HSD_TRY(raise_lists(r, &d->forward, false, err));
    }
    r->marks = r->new_marks = NULL;
    HSD_TRY(raise_lists(r, &d->leaf_back, true, err));
    hsd_pages *const idle[] = {&r->seen_pages, &r->noted_pages, &r->mark_pages};
    for (size_t i = 0; i < HSD_ARRAY_LEN(idle); i++)
        hsd_pages_give(idle[i]);
    return hsd_dominators_put(d, r->above, err);
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
    hsd_pages_give(&r->noted_pages);
    free(r->bases);
    free(r);
    hsd_tape_release(&d->back);
    hsd_tape_release(&d->forward);
    hsd_tape_release(&d->leaf_back);
    return status == HSD_OK ? closed : status;
}
