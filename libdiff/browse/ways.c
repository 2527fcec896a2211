/*
 * A shortest path to every node: breadth first from the primary roots, then from the secondary ones over what is left
 * (graph/owners.h). Of several nodes before it a node has the first one. Nodes of a level are looked at in ascending
 * order, so that blocks are read in order, and the answer depends on the graph alone.
 *
 *      level    few nodes: a list, sorted          many: one bit a node, swept
 *
 * A deep graph has millions of levels of one node each: they cost no sweep.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "browse/index.h"

#define LEAST_LISTED   1024u
#define LISTED_PART    1024u /* more nodes than that part of all are swept: sorting them costs more */
#define PROGRESS_STEPS UINT64_C(0xffff)

typedef struct level {
    hsd_node *nodes; /* while they are few */
    uint64_t *bits;  /* one a node; all of the level once they are many */
    uint64_t count;
    bool is_swept;
} level;

typedef struct search {
    hsd_index *index;
    uint8_t *reached;
    level now, next;
    hsd_node room;  /* of nodes */
    uint64_t depth; /* of `now` */
    uint64_t done;
} search;

/* ---- levels ---- */

static void set_browse_way(uint64_t *bits, hsd_node node) { bits[node / 64] |= UINT64_C(1) << node % 64; }

static void put_browse_way(search *s, level *to, hsd_node node)
{
    if (!to->is_swept && to->count == s->room) {
        for (hsd_node i = 0; i < s->room; i++)
            set_browse_way(to->bits, to->nodes[i]);
        to->is_swept = true;
    }
    if (to->is_swept)
        set_browse_way(to->bits, node);
    else
        to->nodes[to->count] = node;
    to->count++;
}

static int compare_browse_way(const void *left, const void *right)
{
    const hsd_node a = *(const hsd_node *)left, b = *(const hsd_node *)right;
    return (a > b) - (a < b);
}

/* ---- anchors: only where paths are long ---- */

static hsd_status set_anchor(search *s, hsd_node parent, hsd_node node, hsd_error *err)
{
    hsd_paged *anchors = &s->index->way_anchors;
    hsd_node anchor;
    if (s->depth < HSD_ANCHOR_STEP) return HSD_OK;
    if (!hsd_array_is_open(anchors)) {
        const uint64_t bytes = (uint64_t)hsd_index_node_count(s->index) * sizeof(hsd_node);
        HSD_TRY(hsd_array_open(anchors, bytes, hsd_index_share(s->index, 2), s->index->space, err));
    }
    anchor = s->depth % HSD_ANCHOR_STEP == 0 ? parent + 1 : hsd_paged_get_node(anchors, parent);
    hsd_paged_set_node(anchors, node, anchor);
    return hsd_paged_check(anchors, err);
}

/* ---- the walk ---- */

static hsd_status reach_browse_way(search *s, hsd_node parent, hsd_node node, hsd_error *err)
{
    if (hsd_bit_get(s->reached, node)) return HSD_OK;
    hsd_bit_set(s->reached, node);
    hsd_paged_set_node(&s->index->ways, node, parent + 1);
    put_browse_way(s, &s->next, node);
    return set_anchor(s, parent, node, err);
}

static hsd_status check_browse_way(search *s, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&s->index->ways, err));
    HSD_TRY(hsd_adjacency_check(s->index->referents.adjacency, err));
    return hsd_index_progress(s->index, "indexing paths", s->done, hsd_index_node_count(s->index), err);
}

static hsd_status expand_browse_way(search *s, hsd_node node, hsd_error *err)
{
    hsd_adjacency *graph = s->index->referents.adjacency;
    hsd_targets targets;
    if ((s->done++ & PROGRESS_STEPS) == 0) HSD_TRY(check_browse_way(s, err));
    if (hsd_adjacency_is_leaf(graph, node)) return HSD_OK;
    hsd_adjacency_get(graph, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            HSD_TRY(reach_browse_way(s, node, targets.items[i], err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(graph, &targets);
    }
}

static hsd_status sweep_browse_way(search *s, hsd_error *err)
{
    const hsd_node count = hsd_index_node_count(s->index);
    for (hsd_node word = 0; word <= count / 64; word++) {
        uint64_t bits = s->now.bits[word];
        s->now.bits[word] = 0;
        for (; bits != 0; bits &= bits - 1)
            HSD_TRY(expand_browse_way(s, word * 64 + (uint32_t)__builtin_ctzll(bits), err));
    }
    return HSD_OK;
}

static hsd_status expand_level(search *s, hsd_error *err)
{
    if (s->now.is_swept) return sweep_browse_way(s, err);
    if (s->now.count > 1) qsort(s->now.nodes, (size_t)s->now.count, sizeof *s->now.nodes, compare_browse_way);
    for (uint64_t i = 0; i < s->now.count; i++)
        HSD_TRY(expand_browse_way(s, s->now.nodes[i], err));
    return HSD_OK;
}

static hsd_status walk_from(search *s, hsd_node begin, hsd_node end, hsd_error *err)
{
    for (hsd_node root = begin; root < end; root++) {
        if (hsd_bit_get(s->reached, root)) continue;
        hsd_bit_set(s->reached, root);
        put_browse_way(s, &s->next, root);
    }
    for (s->depth = 0; s->next.count > 0; s->depth++) {
        const level now = s->now;
        s->now = s->next;
        s->next = now;
        HSD_TRY(expand_level(s, err));
        s->now.count = 0;
        s->now.is_swept = false;
    }
    return check_browse_way(s, err);
}

/* ---- the whole ---- */

static hsd_status open_all_browse_ways(search *s, hsd_error *err)
{
    hsd_index *index = s->index;
    const size_t bytes = (size_t)hsd_index_node_count(index) / 8 + 1;
    s->room = hsd_index_node_count(index) / LISTED_PART;
    if (s->room < LEAST_LISTED) s->room = LEAST_LISTED;
    s->reached = calloc(bytes, 1);
    s->now.bits = calloc(bytes / 8 + 1, sizeof *s->now.bits);
    s->next.bits = calloc(bytes / 8 + 1, sizeof *s->next.bits);
    s->now.nodes = malloc(s->room * sizeof *s->now.nodes);
    s->next.nodes = malloc(s->room * sizeof *s->next.nodes);
    if (s->reached == NULL || s->now.bits == NULL || s->next.bits == NULL || s->now.nodes == NULL ||
        s->next.nodes == NULL)
        return hsd_fail_nomem(err, "shortest paths");
    const uint64_t all = (uint64_t)hsd_index_node_count(index) * sizeof(hsd_node);
    HSD_TRY(hsd_array_open(&index->ways, all, hsd_index_share(index, 5), index->space, err));
    return hsd_graph_bound(index->referents.adjacency, hsd_index_share(index, 6), 0, err);
}

static hsd_status run_browse_way(search *s, hsd_error *err)
{
    const hsd_root_nodes *roots = &s->index->walk->root_span;
    HSD_TRY(open_all_browse_ways(s, err));
    HSD_TRY(walk_from(s, roots->begin, hsd_root_nodes_stacks(roots), err));
    HSD_TRY(walk_from(s, hsd_root_nodes_stacks(roots), roots->second, err));
    HSD_TRY(walk_from(s, roots->second, hsd_root_nodes_second_stacks(roots), err));
    HSD_TRY(walk_from(s, hsd_root_nodes_second_stacks(roots), roots->end, err));
    if (hsd_array_is_open(&s->index->way_anchors)) HSD_TRY(hsd_paged_shrink(&s->index->way_anchors, 0, err));
    return hsd_paged_shrink(&s->index->ways, 0, err);
}

static void release_level(level *l)
{
    free(l->nodes);
    free(l->bits);
}

hsd_status hsd_index_ways(hsd_index *index, hsd_error *err)
{
    search s = {.index = index};
    const hsd_status status = run_browse_way(&s, err);
    free(s.reached);
    release_level(&s.now);
    release_level(&s.next);
    return status;
}
