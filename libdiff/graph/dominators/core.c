/*
 * Step 2: numbers for the core nodes, and their predecessors into buckets (dominators/scatter.c).
 *
 *      by preorder      group of each place = its own number if it is core, else that of its parent; onto a tape
 *      by node          number of each core node, so that a target finds it
 *      forward, back    read once, in order of sources: (core node, source's place, source's group) goes to the
 *                       bucket of the core node
 *
 * The group of a parent is the last core node on the way to it. That way is a prefix of the one to the place before, so
 * a stack of the core nodes on the way is enough (graph/worklist.h).
 *
 * Sources come in order of their places, so their groups are read in sequence; only the look-up of targets is
 * random. Where a number of each node does not fit in memory there is one of each core node: a target finds it by its
 * *rank*, the core nodes before it, which bits of the walk and a count for each 64 nodes tell. Where these do not fit,
 * either, they are looked up in windows: a part of the ranks at a time has its numbers in memory, which the places tell
 * anew, and each window reads all references. First all windows for forward references, then for the others, since a
 * bucket wants them in this order; among the others it asks for none.
 *
 * In the second round a reference to a node of the first round holds nothing and is left out here. (Its target
 * then counts as core without need, which changes nothing.)
 *
 * With a second thread and one window, that thread gives nodes their numbers while the first finds the
 * groups; then each scatters half of the references, into buckets of its own, which become one.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/core.h"
#include "graph/worklist.h"

#define NODES_AHEAD   16
#define LEAST_PAGES   16u /* of numbers */
#define SHARED_CHUNKS 2u  /* of references that lead back: as many are worth a second thread */

/* ---- ranks ---- */

static hsd_status count_ranks(hsd_numbering *n, hsd_error *err)
{
    const uint64_t groups = ((uint64_t)n->d->nodes >> HSD_RANK_SHIFT) + 1;
    if (!hsd_pages_take(&n->rank_pages, (size_t)(groups * sizeof *n->ranks)))
        return hsd_fail_nomem(err, "the core nodes of the dominators");
    n->ranks = n->rank_pages.data;
    hsd_node count = 0;
    for (uint64_t group = 0; group < groups; group++) {
        n->ranks[group] = count;
        count += hsd_count_bits_u64(hsd_numbering_bits(n->d, 2 * group) | hsd_numbering_bits(n->d, 2 * group + 1) >> 1);
    }
    return HSD_OK;
}

/* ---- numbers ---- */

/* The last core node on the way to a place; those above it wait. */
typedef struct core_way {
    hsd_worklist above;
    hsd_node place, number;
} core_way;

/* Goes up to the last one on the way to `parent`. The super-root has place 0, so it stays. */
static inline hsd_status leave_for(core_way *way, hsd_node parent, hsd_error *err)
{
    while (way->place > parent) {
        HSD_TRY(hsd_worklist_pop(&way->above, &way->number, err));
        HSD_TRY(hsd_worklist_pop(&way->above, &way->place, err));
    }
    return HSD_OK;
}

static inline hsd_status enter(core_way *way, hsd_node place, hsd_node number, hsd_error *err)
{
    HSD_TRY(hsd_worklist_push(&way->above, way->place, err));
    HSD_TRY(hsd_worklist_push(&way->above, way->number, err));
    way->place = place;
    way->number = number;
    return HSD_OK;
}

/* Fetches what the number of a node that comes soon will need. */
static inline void expect_node(const hsd_numbering *n, const hsd_tape_reader *nodes, bool has_ranks)
{
    hsd_node later;
    if (has_ranks && hsd_tape_peek_node(nodes, 2 * NODES_AHEAD, &later) && later < n->d->nodes)
        hsd_numbering_prefetch_rank(n, later);
    if (!hsd_tape_peek_node(nodes, NODES_AHEAD, &later) || later >= n->d->nodes || !hsd_node_is_core(n->d, later))
        return;
    hsd_numbering_prefetch(n, hsd_numbering_index(n, later, has_ranks), has_ranks);
}

static inline void set_number(hsd_numbering *n, hsd_node node, hsd_node number, bool has_ranks)
{
    const hsd_node index = hsd_numbering_index(n, node, has_ranks);
    if (hsd_numbering_has(n, index, has_ranks)) hsd_flat_set_node(&n->number_of, index - n->begin, number, true);
}

/* `fills`: nodes get their numbers on the way. Counts in numbers of its own: who reads `d` meanwhile shares no line
 * with them. */
static inline __attribute__((always_inline)) hsd_status number_all(hsd_numbering *n, hsd_tape_reader *nodes,
                                                                   hsd_tape_reader *parents, core_way *way,
                                                                   bool has_ranks, bool fills, hsd_error *err)
{
    hsd_dominators *d = n->d;
    hsd_node last_place = 0, core_count = 0;
    for (hsd_node place = 0; place < d->count; place++) {
        hsd_node node, parent;
        if (!hsd_tape_get_node(nodes, &node) || !hsd_tape_get_node(parents, &parent)) break;
        if (fills) expect_node(n, nodes, has_ranks);
        HSD_TRY(leave_for(way, parent, err));
        if (place == d->secondary) d->core_secondary = core_count;
        if (place == 0 || hsd_node_is_core(d, node)) {
            const hsd_core_node core = {place, parent, way->number};
            const hsd_node number = core_count++;
            hsd_core_put(&d->core_of, &core, number, last_place);
            last_place = place;
            if (place > 0) HSD_TRY(enter(way, place, number, err));
            if (fills && place > 0) set_number(n, node, number, has_ranks);
        }
        hsd_tape_put_node(&n->group_of, way->number);
        if ((place & HSD_DOMINATORS_TICK) == 0) HSD_TRY(hsd_dominators_tick(d, 1, place, d->count, err));
    }
    if (d->secondary == d->count) d->core_secondary = core_count;
    hsd_tape_finish(&d->core_of);
    hsd_tape_finish(&n->group_of);
    return hsd_reel_check(&d->reel, err);
}

static hsd_status number_by_node(hsd_numbering *n, hsd_tape_reader *nodes, hsd_tape_reader *parents, core_way *way,
                                 hsd_error *err)
{
    return number_all(n, nodes, parents, way, false, true, err);
}

static hsd_status number_by_rank(hsd_numbering *n, hsd_tape_reader *nodes, hsd_tape_reader *parents, core_way *way,
                                 hsd_error *err)
{
    return number_all(n, nodes, parents, way, true, true, err);
}

static hsd_status number_shared(hsd_numbering *n, hsd_tape_reader *nodes, hsd_tape_reader *parents, core_way *way,
                                hsd_error *err)
{
    return number_all(n, nodes, parents, way, false, false, err);
}

/* Numbers of the indexes in the window, which the places tell in their order. */
static inline __attribute__((always_inline)) hsd_status fill_numbers(hsd_numbering *n, bool has_ranks, hsd_error *err)
{
    const hsd_dominators *d = n->d;
    hsd_tape_reader nodes;
    hsd_node node, number = 1;
    hsd_status status = HSD_OK;
    hsd_tape_read(&nodes, &n->d->node_of, HSD_TAPE_FORWARD, false);
    for (hsd_node place = 0; place < d->count && hsd_tape_get_node(&nodes, &node) && status == HSD_OK; place++) {
        expect_node(n, &nodes, has_ranks);
        if (place > 0 && hsd_node_is_core(d, node)) set_number(n, node, number++, has_ranks);
        if ((place & HSD_DOMINATORS_TICK) == 0) status = hsd_dominators_tick(n->d, 1, place, d->count, err);
    }
    hsd_tape_close(&nodes);
    return status;
}

static hsd_status fill_by_node(hsd_numbering *n, hsd_error *err) { return fill_numbers(n, false, err); }
static hsd_status fill_by_rank(hsd_numbering *n, hsd_error *err) { return fill_numbers(n, true, err); }

static hsd_status fill(void *context, hsd_error *err)
{
    hsd_numbering *n = context;
    return n->has_ranks ? fill_by_rank(n, err) : fill_by_node(n, err);
}

static hsd_status number_groups(void *context, hsd_error *err)
{
    hsd_numbering *n = context;
    hsd_tape_reader nodes, parents;
    core_way way = {.number = 0};
    const uint64_t all = 2 * (uint64_t)n->d->core_count * HSD_NODE_BYTES + 2 * HSD_NODE_BYTES;
    HSD_TRY(hsd_worklist_open(&way.above, n->d->limits.is_resident ? all : 0, n->d->config->space, err));
    hsd_tape_read(&nodes, &n->d->node_of, HSD_TAPE_FORWARD, false);
    hsd_tape_read(&parents, &n->d->parent_of, HSD_TAPE_FORWARD, false);
    const hsd_status status = n->uses_thread ? number_shared(n, &nodes, &parents, &way, err)
                              : n->has_ranks ? number_by_rank(n, &nodes, &parents, &way, err)
                                             : number_by_node(n, &nodes, &parents, &way, err);
    hsd_tape_close(&nodes);
    hsd_tape_close(&parents);
    hsd_worklist_close(&way.above);
    return status;
}

static hsd_status number(hsd_numbering *n, hsd_error *err)
{
    if (!n->uses_thread) return number_groups(n, err);
    return hsd_run_both((hsd_job){fill, n}, (hsd_job){number_groups, n}, true, err);
}

/* ---- windows ---- */

uint32_t hsd_numbering_windows(const hsd_numbering *n) { return (uint32_t)((n->indexes + n->window - 1) / n->window); }

static void take_window(hsd_numbering *n, uint32_t window)
{
    n->begin = (hsd_node)(window * n->window);
    n->span = (hsd_node)hsd_min_u64(n->window, n->indexes - n->begin);
}

hsd_status hsd_numbering_fill_window(hsd_numbering *n, uint32_t window, hsd_error *err)
{
    take_window(n, window);
    return fill(n, err);
}

/* ---- the step ---- */

/* As many numbers as fit beside so many bytes; all are in memory. */
static hsd_status open_window(hsd_numbering *n, uint64_t used_bytes, hsd_error *err)
{
    hsd_dominators *d = n->d;
    n->window = n->indexes;
    if (d->limits.window_nodes > 0) n->window = hsd_min_u64(d->limits.window_nodes, n->window);
    const uint64_t spare = hsd_dominators_scan_spare(d, used_bytes);
    const uint64_t pages = hsd_max_u64(spare / hsd_paged_full_bytes(0), LEAST_PAGES);
    n->window = hsd_min_u64(n->window, pages * (HSD_PAGE_BYTES / HSD_NODE_BYTES));
    const uint64_t bytes = hsd_paged_full_bytes(n->window * HSD_NODE_BYTES);
    HSD_TRY(hsd_dominators_open(d, &n->number_of, n->window, HSD_NODE_BYTES, bytes, err));
    HSD_ASSERT(n->number_of.is_flat);
    hsd_paged_touch(&n->number_of);
    take_window(n, 0);
    return HSD_OK;
}

/* True if each thread may have buckets of its own, and numbers of all core nodes beside them. */
static bool has_two_threads(const hsd_dominators *d, uint64_t used_bytes)
{
    if (!hsd_dominators_has_thread(d) || d->limits.window_nodes > 0 || d->back.chunk_count < SHARED_CHUNKS)
        return false;
    return d->limits.is_resident ||
           hsd_dominators_scan_spare(d, used_bytes) >= hsd_dominators_array_bytes(d->core_count);
}

static hsd_status open_arrays(hsd_numbering *n, hsd_error *err)
{
    hsd_dominators *d = n->d;
    const uint64_t buckets = (uint64_t)d->bucket_count * d->limits.chunk_bytes;
    const uint64_t ranks = (((uint64_t)d->nodes >> HSD_RANK_SHIFT) + 1) * HSD_NODE_BYTES;
    uint64_t used = d->state_pages.size + buckets;
    n->uses_thread = has_two_threads(d, used + buckets + ranks);
    if (n->uses_thread && !d->limits.is_resident) used += buckets;
    n->has_ranks = !d->limits.uses_flat || d->limits.window_nodes > 0 ||
                   hsd_dominators_array_bytes(d->nodes) > hsd_dominators_scan_spare(d, used);
    if (n->has_ranks) {
        HSD_TRY(count_ranks(n, err));
        used += n->rank_pages.size;
    }
    n->indexes = n->has_ranks ? d->core_count - 1 : d->nodes;
    if (n->indexes == 0) n->indexes = 1;
    HSD_TRY(open_window(n, used, err));
    hsd_tape_init(&n->group_of, &d->reel);
    hsd_dominators_make_room(d, used, false);
    return HSD_OK;
}

static hsd_status number_and_scatter(hsd_numbering *n, hsd_error *err)
{
    n->d->core_count = (hsd_node)hsd_dominators_core_nodes(n->d);
    HSD_TRY(hsd_numbering_plan_buckets(n->d, err));
    HSD_TRY(open_arrays(n, err));
    HSD_TRY(number(n, err));
    return hsd_numbering_scatter(n, err);
}

/* Four of a byte's eight bits. */
static uint64_t odd_bits(uint32_t byte)
{
    return (byte >> 1 & 1) | (byte >> 2 & 2) | (byte >> 3 & 4) | (byte >> 4 & 8);
}

static hsd_status keep_core_bits(hsd_dominators *d, hsd_error *err)
{
    hsd_pages *pages = d->config->core_bits;
    const uint64_t words = (uint64_t)d->nodes / 64 + 1;
    if (pages == NULL || d->limits.is_resident) return HSD_OK;
    if (!hsd_pages_take(pages, (size_t)words * sizeof(uint64_t)))
        return hsd_fail_nomem(err, "the core nodes of the dominators");
    uint64_t *bits = pages->data;
    for (uint64_t word = 0; word < words; word++)
        for (uint32_t i = 0; i < 16; i++)
            bits[word] |= odd_bits(d->states[word * 16 + i]) << 4 * i;
    d->kept_bytes = pages->size;
    return HSD_OK;
}

hsd_status hsd_dominators_number(hsd_dominators *d, hsd_error *err)
{
    hsd_numbering n = {.d = d};
    const hsd_status status = number_and_scatter(&n, err);
    const hsd_status closed = hsd_dominators_close(d, &n.number_of, status == HSD_OK ? err : NULL);
    hsd_tape_release(&n.group_of);
    hsd_pages_give(&n.rank_pages);
    if (status != HSD_OK || closed != HSD_OK) return status != HSD_OK ? status : closed;
    return keep_core_bits(d, err);
}
