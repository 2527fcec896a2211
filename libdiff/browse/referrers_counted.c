/*
 * References of as many targets as memory has room for: one pass counts what refers to each target, so that it is known
 * where the list of each begins; one pass for each range of targets puts the sources there, in the order in which they
 * come.
 *
 *      counts      3 0 2 4 …
 *      begins      0 3 3 5 …     of a range; once all are put, those are the ends
 */
#include "base/check.h"
#include "base/fail.h"
#include "base/pages.h"
#include "browse/referrers.h"

#define MOST_RANGES 6u /* beyond, a sort; where the two cost the same was not measured */

typedef struct counted {
    hsd_turn *turn;
    hsd_node *counts;  /* by target: how many; in a range, where the next one goes */
    hsd_node *sources; /* of the range */
    hsd_pages count_pages, source_pages;
    uint64_t room;       /* of sources */
    hsd_node begin, end; /* of the range */
} counted;

/* ---- counting ---- */

/* How many sources a range may have; false if that would be too many ranges. */
static bool find_room(counted *c)
{
    const hsd_index *index = c->turn->index;
    const uint64_t edges = hsd_adjacency_edge_count(index->referents.adjacency);
    const uint64_t counts = ((uint64_t)hsd_index_node_count(index) + 1) * sizeof *c->counts,
                   all = hsd_index_share(index, 11);
    if (counts > all / 2) return false;
    c->room = (all - counts) / sizeof *c->sources;
    return edges <= c->room * (MOST_RANGES - 1) && edges <= HSD_NODE_MAX;
}

static hsd_status count_counted_referrer(void *context, hsd_node node, const hsd_targets *targets, hsd_error *err)
{
    hsd_node *counts = ((counted *)context)->counts;
    (void)node;
    (void)err;
    for (uint32_t i = 0; i < targets->count; i++)
        counts[targets->items[i]]++;
    return HSD_OK;
}

/* The end of the range of targets from `begin` on that there is room for; `begin` itself if its referrers are too many.
 */
static hsd_node range_end(const counted *c, hsd_node begin, uint64_t *total)
{
    const hsd_node all = hsd_index_node_count(c->turn->index);
    hsd_node end = begin;
    for (*total = 0; end < all && *total + c->counts[end] <= c->room; end++)
        *total += c->counts[end];
    return end;
}

static bool are_few_ranges(const counted *c)
{
    const hsd_node all = hsd_index_node_count(c->turn->index);
    hsd_node begin = 0;
    uint32_t ranges = 0;
    while (begin < all && ranges <= MOST_RANGES) {
        uint64_t total;
        const hsd_node end = range_end(c, begin, &total);
        if (end == begin) return false;
        begin = end;
        ranges++;
    }
    return ranges <= MOST_RANGES;
}

/* ---- putting ---- */

static hsd_status put_counted_referrer(void *context, hsd_node node, const hsd_targets *targets, hsd_error *err)
{
    const counted *c = context;
    const hsd_node begin = c->begin, size = c->end - c->begin;
    (void)err;
    for (uint32_t i = 0; i < targets->count; i++) {
        const hsd_node target = targets->items[i];
        if (target - begin < size) c->sources[c->counts[target]++] = node;
    }
    return HSD_OK;
}

static void begin_lists(counted *c)
{
    hsd_node sum = 0;
    for (hsd_node target = c->begin; target < c->end; target++) {
        const hsd_node items = c->counts[target];
        c->counts[target] = sum;
        sum += items;
    }
}

static hsd_status take_lists(counted *c, hsd_error *err)
{
    hsd_node from = 0;
    for (hsd_node target = c->begin; target < c->end; target++) {
        const hsd_node items = c->counts[target] - from;
        if (items > 0) HSD_TRY(hsd_turn_put(c->turn, target, c->sources + from, items, err));
        from += items;
    }
    return HSD_OK;
}

static hsd_status put_range(counted *c, hsd_error *err)
{
    begin_lists(c);
    HSD_TRY(hsd_turn_pass(c->turn, "indexing referrers", put_counted_referrer, c, err));
    return take_lists(c, err);
}

static hsd_status put_all_counted_referrers(counted *c, hsd_error *err)
{
    const hsd_node all = hsd_index_node_count(c->turn->index);
    const uint64_t edges = hsd_adjacency_edge_count(c->turn->index->referents.adjacency);
    if (!hsd_pages_take(&c->source_pages, (size_t)(hsd_min_u64(edges, c->room) + 1) * sizeof *c->sources))
        return hsd_fail_nomem(err, "the index of referrers");
    hsd_pages_expect_random(&c->source_pages);
    c->sources = c->source_pages.data;
    for (c->begin = 0; c->begin < all; c->begin = c->end) {
        uint64_t total;
        c->end = range_end(c, c->begin, &total);
        if (total > 0) HSD_TRY(put_range(c, err));
    }
    return HSD_OK;
}

/* ---- the whole ---- */

static hsd_status run_counted_referrer(counted *c, bool *is_done, hsd_error *err)
{
    if (!find_room(c)) return HSD_OK;
    if (!hsd_pages_take(&c->count_pages, ((size_t)hsd_index_node_count(c->turn->index) + 1) * sizeof *c->counts))
        return hsd_fail_nomem(err, "the index of referrers");
    hsd_pages_expect_random(&c->count_pages);
    c->counts = c->count_pages.data;
    HSD_TRY(hsd_turn_pass(c->turn, "indexing references", count_counted_referrer, c, err));
    *is_done = are_few_ranges(c);
    return *is_done ? put_all_counted_referrers(c, err) : HSD_OK;
}

hsd_status hsd_turn_counted(hsd_turn *turn, bool *is_done, hsd_error *err)
{
    counted c = {.turn = turn};
    *is_done = false;
    const hsd_status status = run_counted_referrer(&c, is_done, err);
    hsd_pages_give(&c.count_pages);
    hsd_pages_give(&c.source_pages);
    return status;
}
