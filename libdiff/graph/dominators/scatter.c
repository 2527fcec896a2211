/*
 * Predecessors of core nodes, into buckets (dominators/core.c). Numbers of targets are looked up some references ahead
 * of their use: first what the index needs is fetched, then the number, which is there when the reference's turn comes.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/core.h"

#define LISTS_AHEAD   8u
#define FOUND_AHEAD   4u /* of these, whose targets have their index already */
#define FORWARD_AHEAD 16

void hsd_buckets_begin(hsd_dominators *d, hsd_bucket *buckets, uint32_t count, uint32_t shift, hsd_node lo, hsd_node hi)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t begin = lo + ((uint64_t)i << shift), end = lo + ((uint64_t)(i + 1) << shift);
        memset(&buckets[i], 0, sizeof buckets[i]);
        hsd_tape_init(&buckets[i].tape, &d->reel);
        buckets[i].lo = (hsd_node)begin;
        buckets[i].hi = (hsd_node)hsd_min_u64(end, hi);
    }
}

hsd_status hsd_numbering_plan_buckets(hsd_dominators *d, hsd_error *err)
{
    const uint64_t items = 2 * hsd_max_u64(d->forward_count + d->back_count, d->core_count);
    const uint64_t wanted = hsd_min_u64(items / hsd_dominators_bucket_items(d) + 1, d->limits.max_buckets);
    while (((uint64_t)(d->core_count - 1) >> d->bucket_shift) + 1 > wanted)
        d->bucket_shift++;
    d->bucket_count = (uint32_t)((d->core_count - 1) >> d->bucket_shift) + 1;
    d->buckets = calloc(d->bucket_count, sizeof *d->buckets);
    if (d->buckets == NULL) return hsd_fail_nomem(err, "the buckets of the dominators");
    hsd_buckets_begin(d, d->buckets, d->bucket_count, d->bucket_shift, 0, d->core_count);
    return HSD_OK;
}

/* Which of the references that lead back are scattered, and where to. */
typedef struct share {
    hsd_numbering *n;
    hsd_bucket *buckets;
    uint32_t from, until; /* chunks of their tape */
    bool has_forward;     /* and, before them, those that lead forward */
    bool is_last;         /* no window comes after this one */
} share;

static inline __attribute__((always_inline)) bool peek_forward(const hsd_tape_reader *reader, size_t ahead,
                                                               hsd_node *node)
{
    hsd_two later;
    if ((size_t)(reader->end - reader->at) <= ahead * HSD_TWO_BYTES) return false;
    memcpy(&later, reader->at + ahead * HSD_TWO_BYTES, HSD_TWO_BYTES);
    *node = hsd_two_second(later);
    return true;
}

static inline __attribute__((always_inline)) hsd_status scatter_forward(const share *part, bool has_ranks,
                                                                        hsd_error *err)
{
    hsd_numbering *n = part->n;
    hsd_dominators *d = n->d;
    hsd_status status = HSD_OK;
    hsd_tape_reader reader;
    hsd_two entry;
    hsd_node later;
    uint64_t done = 0;
    hsd_tape_read(&reader, &d->forward, HSD_TAPE_FORWARD, part->is_last);
    while (status == HSD_OK && hsd_tape_get_two(&reader, &entry)) {
        if (has_ranks && peek_forward(&reader, 2 * FORWARD_AHEAD, &later)) hsd_numbering_prefetch_rank(n, later);
        if (peek_forward(&reader, FORWARD_AHEAD, &later))
            hsd_numbering_prefetch(n, hsd_numbering_index(n, later, has_ranks), has_ranks);
        if ((++done & HSD_DOMINATORS_TICK) == 0) status = hsd_dominators_tick(d, 1, done, d->forward_count, err);
        const hsd_node index = hsd_numbering_index(n, hsd_two_second(entry), has_ranks);
        if (!hsd_numbering_has(n, index, has_ranks)) continue;
        const hsd_node target = hsd_flat_get_node(&n->number_of, index - n->begin, true);
        hsd_bucket_put_forward(&d->buckets[target >> d->bucket_shift], target, hsd_two_first(entry));
    }
    hsd_tape_close(&reader);
    return status;
}

/* Targets of the list become their indexes, whose numbers are fetched. */
static inline __attribute__((always_inline)) void find_list(const hsd_numbering *n, hsd_back_list *list, bool has_ranks)
{
    for (uint32_t i = 0; i < list->count; i++) {
        list->targets[i] = hsd_numbering_index(n, list->targets[i], has_ranks);
        hsd_numbering_prefetch(n, list->targets[i], has_ranks);
    }
}

static inline __attribute__((always_inline)) void scatter_list(hsd_numbering *n, const hsd_back_list *list,
                                                               hsd_node group, hsd_bucket *buckets, bool has_ranks)
{
    const hsd_dominators *d = n->d;
    const hsd_node least = list->source < d->secondary ? 0 : d->core_secondary;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!hsd_numbering_has(n, list->targets[i], has_ranks)) continue;
        const hsd_node target = hsd_flat_get_node(&n->number_of, list->targets[i] - n->begin, true);
        if (target < least) continue;
        hsd_bucket_put_back(&buckets[target >> d->bucket_shift], target, list->source, group);
    }
}

/* Lists on their way, the last ones read first: read, then found, then used. */
typedef struct lists {
    hsd_tape_reader reader, groups;
    hsd_back_list ring[LISTS_AHEAD];
    uint64_t read, found, used;
    bool has_more;
} lists;

static inline __attribute__((always_inline)) void read_list(const hsd_numbering *n, lists *l, bool has_ranks)
{
    hsd_back_list *list = &l->ring[l->read % LISTS_AHEAD];
    l->has_more = hsd_back_get(&l->reader, &l->ring[(l->read + LISTS_AHEAD - 1) % LISTS_AHEAD], list);
    if (!l->has_more) return;
    l->read++;
    for (uint32_t i = 0; has_ranks && i < list->count; i++)
        hsd_numbering_prefetch_rank(n, list->targets[i]);
}

static inline __attribute__((always_inline)) hsd_status scatter_lists(const share *part, lists *l, bool has_ranks,
                                                                      hsd_error *err)
{
    hsd_numbering *n = part->n;
    hsd_dominators *d = n->d;
    for (;;) {
        hsd_node group;
        if (l->has_more) read_list(n, l, has_ranks);
        if (l->has_more && l->read - l->found < FOUND_AHEAD) continue;
        if (l->found < l->read) find_list(n, &l->ring[l->found++ % LISTS_AHEAD], has_ranks);
        if (l->has_more && l->read - l->used < LISTS_AHEAD) continue;
        if (l->used == l->read) return HSD_OK;
        const hsd_back_list *next = &l->ring[l->used++ % LISTS_AHEAD];
        if (!hsd_tape_seek_node(&l->groups, next->source, &group)) return hsd_reel_check(&d->reel, err);
        scatter_list(n, next, group, part->buckets, has_ranks);
        if ((l->used & HSD_DOMINATORS_TICK) == 0) HSD_TRY(hsd_dominators_tick(d, 1, next->source, d->count, err));
    }
}

static inline __attribute__((always_inline)) hsd_status scatter_back(const share *part, bool has_ranks, hsd_error *err)
{
    lists l = {.has_more = true};
    hsd_tape_read_chunks(&l.reader, &part->n->d->back, part->from, part->until, part->is_last);
    hsd_tape_read(&l.groups, &part->n->group_of, HSD_TAPE_FORWARD, false);
    const hsd_status status = scatter_lists(part, &l, has_ranks, err);
    hsd_tape_close(&l.reader);
    hsd_tape_close(&l.groups);
    return status;
}

static hsd_status forward_by_node(const share *part, hsd_error *err) { return scatter_forward(part, false, err); }
static hsd_status forward_by_rank(const share *part, hsd_error *err) { return scatter_forward(part, true, err); }
static hsd_status back_by_node(const share *part, hsd_error *err) { return scatter_back(part, false, err); }
static hsd_status back_by_rank(const share *part, hsd_error *err) { return scatter_back(part, true, err); }

static hsd_status forward_share(const share *part, hsd_error *err)
{
    return part->n->has_ranks ? forward_by_rank(part, err) : forward_by_node(part, err);
}

static hsd_status back_share(const share *part, hsd_error *err)
{
    return part->n->has_ranks ? back_by_rank(part, err) : back_by_node(part, err);
}

static hsd_status scatter_share(void *context, hsd_error *err)
{
    const share *part = context;
    if (part->has_forward) HSD_TRY(forward_share(part, err));
    return back_share(part, err);
}

static share whole_share(hsd_numbering *n)
{
    return (share){
        .n = n, .buckets = n->d->buckets, .until = n->d->back.chunk_count, .has_forward = true, .is_last = true};
}

/* What the second thread wrote goes behind what the first one did. */
static void join_buckets(hsd_dominators *d, hsd_bucket *seconds)
{
    for (uint32_t i = 0; i < d->bucket_count; i++) {
        hsd_bucket *bucket = &d->buckets[i];
        hsd_tape_finish(&bucket->tape);
        hsd_tape_finish(&seconds[i].tape);
        hsd_tape_append(&bucket->tape, &seconds[i].tape);
        bucket->back_count += seconds[i].back_count;
        bucket->anew_count = seconds[i].back_count;
    }
}

/* Chunks of those that lead back which the first thread takes, beside all that lead forward. */
static uint32_t first_half(const hsd_dominators *d)
{
    const uint64_t half = (d->forward_count + d->back_count) / 2;
    const uint64_t first = half > d->forward_count ? half - d->forward_count : 0;
    return (uint32_t)(d->back.chunk_count * (double)first / (double)hsd_max_u64(d->back_count, 1));
}

static hsd_status scatter_halves(hsd_numbering *n, hsd_error *err)
{
    hsd_dominators *d = n->d;
    hsd_bucket *seconds = calloc(d->bucket_count, sizeof *seconds);
    if (seconds == NULL) return hsd_fail_nomem(err, "the buckets of the dominators");
    hsd_buckets_begin(d, seconds, d->bucket_count, d->bucket_shift, 0, d->core_count);
    share first = whole_share(n), second = whole_share(n);
    first.until = second.from = first_half(d);
    second.has_forward = false;
    second.buckets = seconds;
    const hsd_status status =
        hsd_run_both((hsd_job){scatter_share, &second}, (hsd_job){scatter_share, &first}, true, err);
    join_buckets(d, seconds);
    free(seconds);
    return status;
}

/* The first window is there when core nodes were numbered, and the last of the forward references is the first of the
 * others. */
static hsd_status scatter_windows(hsd_numbering *n, hsd_error *err)
{
    const uint32_t count = hsd_numbering_windows(n);
    share all = whole_share(n);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) HSD_TRY(hsd_numbering_fill_window(n, i, err));
        all.is_last = i + 1 == count;
        HSD_TRY(forward_share(&all, err));
    }
    for (uint32_t i = count; i-- > 0;) {
        if (i + 1 < count) HSD_TRY(hsd_numbering_fill_window(n, i, err));
        all.is_last = i == 0;
        HSD_TRY(back_share(&all, err));
    }
    return HSD_OK;
}

hsd_status hsd_numbering_scatter(hsd_numbering *n, hsd_error *err)
{
    hsd_dominators *d = n->d;
    HSD_TRY(n->uses_thread ? scatter_halves(n, err) : scatter_windows(n, err));
    for (uint32_t i = 0; i < d->bucket_count; i++)
        hsd_tape_finish(&d->buckets[i].tape);
    hsd_tape_release(&d->forward);
    hsd_tape_release(&d->back);
    return hsd_reel_check(&d->reel, err);
}
