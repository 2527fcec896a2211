/*
 * Steps 1 to 3 by scans, where the blocks do not fit in memory and a walk depth first would read a page for each node.
 * One number of a place is all that is touched at random; everything else is read and written in order.
 *
 *      search     any order in which each node comes behind one that refers to it: blocks are gone through in their order,
 *                 again and again, and what waits in a block is looked through while it is in memory, what was there
 *                 first before what came by it, so that ways up are short (graph/frontier.h)
 *      gather     places of all nodes in memory; the references, in order of sources, go into buckets by target, and each
 *                 bucket is sorted in memory: the predecessors of each place, in order of places: dominators/gather.c
 *      raise      above[place], in memory, is the nearest common ancestor of its predecessors so far; pass for pass over the
 *                 predecessors until nothing changes (Cooper, Harvey, Kennedy 2001): dominators/raise.c
 *
 * Where a number of each place does not fit either: dominators/windows.h.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/parts.h"
#include "graph/frontier.h"

#define LEAST_BUCKETS 16u
#define TRIAL_TICK    0x3ffu /* nodes between two looks at what was read, as a mask */

uint64_t hsd_dominators_array_bytes(uint64_t items) { return hsd_paged_full_bytes(items * HSD_NODE_BYTES); }

/* What places will need is free until they are told. */
uint64_t hsd_dominators_scan_spare(const hsd_dominators *d, uint64_t used_bytes)
{
    const uint64_t spare = hsd_dominators_spare(d, 0) + d->config->take_bytes;
    return spare > used_bytes ? spare - used_bytes : 0;
}

/* All of it will be touched, here and there. */
hsd_node *hsd_dominators_at_random(hsd_paged *array)
{
    HSD_ASSERT(array->is_flat);
    hsd_pages_expect_random(&(hsd_pages){array->frames, (size_t)array->frame_count * HSD_PAGE_BYTES});
    return (hsd_node *)(void *)array->frames;
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
    return (uint32_t)hsd_min_u64(hsd_max_u64(hsd_dominators_scan_spare(d, 0) / 2 / HSD_SCAN_ITEM_BYTES, 64),
                                 UINT32_MAX / 2);
}

/* ---- search ---- */

typedef struct search {
    hsd_dominators *d;
    uint8_t *reached; /* one bit a node */
    hsd_node last;    /* of the place before */
    hsd_frontier frontier;
} search;

static void place_node(search *s, hsd_node node)
{
    s->d->count++;
    hsd_near_node_put(&s->d->node_of, node, s->last);
    s->last = node;
}

/* What refers to nothing has its place at once. */
static hsd_status reach_node(search *s, hsd_node node, hsd_error *err)
{
    if (hsd_bit_get(s->reached, node)) return HSD_OK;
    hsd_bit_set(s->reached, node);
    if (!hsd_adjacency_is_leaf(s->d->adjacency, node)) return hsd_frontier_push(&s->frontier, node, err);
    place_node(s, node);
    return HSD_OK;
}

static hsd_status look_through(search *s, hsd_node node, hsd_error *err)
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

/* More blocks were read than the nodes that were found would fill: what refers to each other does not lie in the order
 * of the search, and they will be read again. */
static bool comes_again(const search *s)
{
    const hsd_dominators *d = s->d;
    const uint64_t blocks = hsd_adjacency_block_count(d->adjacency);
    const double due = (double)blocks * (double)d->count / (double)d->nodes;
    return d->limits.is_trial && hsd_adjacency_reads(d->adjacency) > blocks / 8 + 8 + (uint64_t)due;
}

static hsd_status search_round(search *s, hsd_node begin, hsd_node end, hsd_error *err)
{
    hsd_dominators *d = s->d;
    hsd_node node;
    hsd_status status;
    for (hsd_node root = begin; root < end; root++) {
        hsd_bit_clear(s->reached, root);
        HSD_TRY(reach_node(s, root, err));
    }
    for (uint32_t steps = 0; (status = hsd_frontier_pop(&s->frontier, &node, err)) == HSD_OK; steps++) {
        HSD_TRY(look_through(s, node, err));
        if ((steps & TRIAL_TICK) == 0 && comes_again(s)) return HSD_END;
        if ((steps & HSD_DOMINATORS_TICK) == 0) HSD_TRY(hsd_dominators_tick(d, 0, d->count, d->nodes, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* Root nodes count as reached from the start, as in the walk depth first. */
static hsd_status search_all(search *s, hsd_error *err)
{
    hsd_dominators *d = s->d;
    const hsd_root_nodes *roots = &d->config->roots;
    for (hsd_node root = roots->begin; root < roots->end; root++)
        hsd_bit_set(s->reached, root);
    place_node(s, HSD_NODE_MAX);
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
    d->has_near_nodes = true;
    HSD_TRY(hsd_adjacency_set_memory(a, blocks, err));
    if (!hsd_adjacency_is_resident(a)) d->stats.was_paged = true;
    hsd_status status = hsd_frontier_open(&s.frontier, a, waiting, d->config->space, err);
    if (status == HSD_OK) hsd_frontier_take_turns(&s.frontier);
    if (status == HSD_OK) status = search_all(&s, err);
    hsd_frontier_close(&s.frontier);
    d->stats.faults += hsd_adjacency_reads(a);
    hsd_pages_give(&d->state_pages);
    d->states = NULL;
    HSD_TRY(status);
    return hsd_adjacency_set_memory(a, d->limits.floor_bytes, err);
}
