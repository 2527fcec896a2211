/*
 * Dominators where there are far more references than nodes. What is written down of references elsewhere, a few bytes
 * for each that is no edge of a tree, would be many times the blocks, where lists of neighbours take next to nothing.
 * Here nothing is: two numbers of each node are in memory, and the blocks are read again, pass for pass.
 *
 *      search       as by scans (dominators/scan.c): an order in which each node comes behind one that refers to it
 *      first pass   sources in that order: above[target] is the nearest common ancestor of all that referred to it so far.
 *                   Who refers to it first came before it, so every way up is known when it is climbed
 *      later ones   sources in the order of the blocks, until nothing rises
 *      order        as by scans
 *
 * It is the iteration of dominators/raise.c, which goes by targets, with the same end: a pass only ever raises places
 * and never past a dominator, and when for each reference what is right above the target is above the source, too, then
 * what is above a place dominates it. A complete graph of 66,000 nodes, 4.4 billion references: two passes.
 */
#include "base/check.h"
#include "base/fail.h"
#include "graph/dominators/parts.h"

#define CLIMB_FACTOR 3u /* of the limit of steps, for each reference and place */
#define MOST_PASSES  40u
#define DENSE        1024u /* references a node; with fewer a page a node costs more than lists of predecessors */
#define UNKNOWN      HSD_NODE_MAX

typedef struct dense {
    hsd_dominators *d;
    hsd_paged place_array, above_array;
    hsd_node *place_of; /* by node, 0 = not reached */
    hsd_node *above;    /* by place */
    uint64_t steps, changes;
} dense;

bool hsd_dominators_are_dense(const hsd_dominators *d)
{
    const uint64_t arrays = hsd_dominators_array_bytes(d->nodes) + hsd_dominators_array_bytes((uint64_t)d->nodes + 1);
    if (hsd_adjacency_edge_count(d->adjacency) / DENSE < d->nodes) return false;
    return hsd_dominators_scan_spare(d, arrays) > 0;
}

static hsd_node nearest_above(dense *s, hsd_node to, hsd_node from)
{
    while (from != to) {
        s->steps++;
        if (from > to)
            from = s->above[from];
        else
            to = s->above[to];
    }
    return to;
}

/* In the second round a reference to a node of the first round holds nothing; to root nodes none does. */
static void raise_targets(dense *s, hsd_node source, const hsd_targets *targets)
{
    const hsd_dominators *d = s->d;
    const hsd_node least = source < d->secondary ? 1 : d->secondary, beside = s->above[source];
    for (uint32_t i = 0; i < targets->count; i++) {
        const hsd_node target = s->place_of[targets->items[i]];
        if (target < least) continue;
        const hsd_node before = s->above[target];
        if (before == 0 || before == beside || before == source) continue;
        const hsd_node now = before == UNKNOWN ? source : nearest_above(s, before, source);
        s->above[target] = now;
        s->changes += now != before;
    }
}

static hsd_status raise_by(dense *s, hsd_node node, hsd_error *err)
{
    hsd_dominators *d = s->d;
    const hsd_node source = s->place_of[node];
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(d->adjacency, node)) return HSD_OK;
    hsd_adjacency_get(d->adjacency, node, &targets);
    for (uint32_t parts = 0;; parts++) {
        raise_targets(s, source, &targets);
        if (s->steps > CLIMB_FACTOR * d->limits.climb_steps * (hsd_adjacency_edge_count(d->adjacency) + d->count))
            return HSD_END;
        if ((parts & 0xff) == 0) HSD_TRY(hsd_dominators_tick(d, 2, source, d->count, err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(d->adjacency, &targets);
    }
}

/* Root nodes are right below the super-root. */
static hsd_status first_pass(dense *s, hsd_error *err)
{
    hsd_dominators *d = s->d;
    const hsd_root_nodes *roots = &d->config->roots;
    hsd_tape_reader nodes;
    hsd_status status = HSD_OK;
    hsd_node node = 0;
    for (hsd_node root = roots->begin; root < roots->end; root++)
        if (s->place_of[root] != 0) s->above[s->place_of[root]] = 0;
    hsd_tape_read(&nodes, &d->node_of, HSD_TAPE_FORWARD, false);
    for (hsd_node place = 0; status == HSD_OK && hsd_near_node_get(&nodes, &node); place++)
        if (place > 0) status = raise_by(s, node, err);
    hsd_tape_close(&nodes);
    return status;
}

static hsd_status later_pass(dense *s, hsd_error *err)
{
    for (hsd_node node = 0; node < s->d->nodes; node++)
        if (s->place_of[node] != 0) HSD_TRY(raise_by(s, node, err));
    return HSD_OK;
}

static hsd_status open_dense(dense *s, hsd_error *err)
{
    hsd_dominators *d = s->d;
    hsd_tape_reader nodes;
    hsd_node node = 0;
    const uint64_t items = hsd_max_u64(d->nodes, 1);
    HSD_TRY(hsd_dominators_open(d, &s->place_array, items, HSD_NODE_BYTES, hsd_dominators_array_bytes(items), err));
    HSD_TRY(hsd_dominators_open(d, &s->above_array, d->count, HSD_NODE_BYTES, hsd_dominators_array_bytes(d->count),
                                err));
    s->place_of = hsd_dominators_at_random(&s->place_array);
    s->above = hsd_dominators_at_random(&s->above_array);
    for (hsd_node place = 1; place < d->count; place++)
        s->above[place] = UNKNOWN;
    hsd_tape_read(&nodes, &d->node_of, HSD_TAPE_FORWARD, false);
    for (hsd_node place = 0; hsd_near_node_get(&nodes, &node); place++)
        if (place > 0) s->place_of[node] = place;
    hsd_tape_close(&nodes);
    const uint64_t arrays = hsd_dominators_array_bytes(items) + hsd_dominators_array_bytes(d->count);
    return hsd_adjacency_set_memory(d->adjacency, hsd_dominators_scan_spare(d, arrays) + d->limits.floor_bytes, err);
}

static hsd_status run_dense(dense *s, hsd_error *err)
{
    hsd_dominators *d = s->d;
    HSD_TRY(open_dense(s, err));
    HSD_TRY(first_pass(s, err));
    d->stats.passes = 1;
    do {
        if (++d->stats.passes == MOST_PASSES) return HSD_END;
        s->changes = 0;
        HSD_TRY(later_pass(s, err));
    } while (s->changes > 0);
    HSD_TRY(hsd_adjacency_check(d->adjacency, err));
    HSD_TRY(hsd_dominators_close(d, &s->place_array, err));
    HSD_TRY(hsd_adjacency_set_memory(d->adjacency, d->limits.floor_bytes, err));
    return hsd_dominators_put(d, s->above, err);
}

hsd_status hsd_dominators_raise_dense(hsd_dominators *d, hsd_error *err)
{
    dense s = {.d = d};
    hsd_status status = run_dense(&s, err);
    const hsd_status places = hsd_dominators_close(d, &s.place_array, status == HSD_OK ? err : NULL);
    if (status == HSD_OK) status = places;
    const hsd_status above = hsd_dominators_close(d, &s.above_array, status == HSD_OK ? err : NULL);
    if (status == HSD_OK) status = above;
    return status;
}
