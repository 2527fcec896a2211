/*
 * Graphs, the answer about them, and the definition of that answer, for the tests of the dominators.
 */
#ifndef HSD_TESTS_DOMINATORS_KIT_H
#define HSD_TESTS_DOMINATORS_KIT_H

#include <stdatomic.h>

#include <criterion/criterion.h>

#include "graph/dominators/parts.h"
#include "support/random.h"

/* What was told of each node; `first` 0 = nothing. */
typedef struct kit_answer {
    hsd_node nodes;
    hsd_interval *of_node;
    _Atomic hsd_node told;
    hsd_dominators_stats stats;
} kit_answer;

static inline hsd_status kit_take(void *context, const hsd_interval *places, uint32_t count, hsd_error *err)
{
    kit_answer *answer = context;
    (void)err;
    for (const hsd_interval *place = places; place < places + count; place++) {
        cr_assert_lt(place->node, answer->nodes);
        cr_assert_eq(answer->of_node[place->node].first, 0, "node %" HSD_PRI_NODE " is told twice", place->node);
        answer->of_node[place->node] = *place;
    }
    atomic_fetch_add(&answer->told, count);
    return HSD_OK;
}

static inline kit_answer kit_answer_of(hsd_node nodes)
{
    return (kit_answer){.nodes = nodes, .of_node = calloc(nodes + 1, sizeof(hsd_interval))};
}

/* The answer for a graph, by the limits given, or by `memory` if they are NULL. */
static inline kit_answer kit_find(hsd_adjacency *a, hsd_root_nodes roots, uint64_t memory,
                                  const hsd_dominators_limits *limits, hsd_temp_space *space)
{
    hsd_error err;
    hsd_error_init(&err);
    kit_answer answer = kit_answer_of(hsd_adjacency_node_count(a));
    const hsd_dominators_config config = {.roots = roots,
                                          .memory_bytes = memory,
                                          .space = space,
                                          .take = kit_take,
                                          .context = &answer,
                                          .uses_thread = true,
                                          .takes_at_once = limits == NULL || limits->bucket_items % 2 == 0,
                                          .has_room_ahead = true};
    const hsd_status status = limits == NULL ? hsd_dominators_find(a, &config, &answer.stats, &err)
                                             : hsd_dominators_find_within(a, &config, limits, &answer.stats, &err);
    cr_assert_eq(status, HSD_OK, "%s", err.text);
    cr_assert_eq(answer.stats.reached, answer.told);
    return answer;
}

/* Places are 1 … told; children lie inside their parents, side by side, and fill them but for one place. */
static inline void kit_check_intervals(const kit_answer *answer)
{
    const hsd_node count = answer->told + 1;
    const hsd_interval **by_first = calloc(count, sizeof *by_first);
    uint64_t *inside = calloc(count, sizeof *inside);
    for (hsd_node node = 0; node < answer->nodes; node++) {
        const hsd_interval *place = &answer->of_node[node];
        if (place->first == 0) continue;
        cr_assert_lt(place->first, count);
        cr_assert(place->end > place->first && place->end <= count && place->parent < place->first);
        cr_assert_null(by_first[place->first], "two nodes at place %" HSD_PRI_NODE, place->first);
        by_first[place->first] = place;
        inside[place->parent] += place->end - place->first;
    }
    cr_assert_eq(inside[0], answer->told);
    for (hsd_node first = 1; first < count; first++) {
        const hsd_interval *place = by_first[first];
        cr_assert_eq(inside[first], place->end - first - 1);
        if (place->parent > 0) cr_assert(place->end <= by_first[place->parent]->end);
    }
    free(by_first);
    free(inside);
}

static inline void kit_release(kit_answer *answer) { free(answer->of_node); }

/* The node at each place; HSD_NODE_MAX at 0, the super-root's. */
static inline hsd_node *kit_nodes_by_place(const kit_answer *answer)
{
    hsd_node *nodes = calloc((size_t)answer->told + 1, sizeof *nodes);
    nodes[0] = HSD_NODE_MAX;
    for (hsd_node node = 0; node < answer->nodes; node++)
        if (answer->of_node[node].first != 0) nodes[answer->of_node[node].first] = node;
    return nodes;
}

/* Two answers are the same tree; children may stand in another order. */
static inline void kit_check_same(const kit_answer *one, const kit_answer *other)
{
    cr_assert_eq(one->told, other->told);
    hsd_node *ones = kit_nodes_by_place(one), *others = kit_nodes_by_place(other);
    for (hsd_node node = 0; node < one->nodes; node++) {
        const hsd_interval *a = &one->of_node[node], *b = &other->of_node[node];
        cr_assert_eq(a->end - a->first, b->end - b->first, "node %" HSD_PRI_NODE, node);
        if (a->first != 0) cr_assert_eq(ones[a->parent], others[b->parent], "node %" HSD_PRI_NODE, node);
    }
    free(ones);
    free(others);
}

/* A graph while it is built: references in any order, then sorted by source. */
typedef struct kit_graph {
    hsd_node nodes; /* root nodes are among them */
    hsd_root_nodes roots;
    hsd_two *edges; /* source, target */
    uint64_t edge_count, edge_capacity;
} kit_graph;

static inline void kit_add(kit_graph *g, hsd_node source, hsd_node target)
{
    if (g->edge_count == g->edge_capacity) {
        g->edge_capacity = g->edge_capacity == 0 ? 64 : g->edge_capacity * 2;
        g->edges = realloc(g->edges, g->edge_capacity * sizeof *g->edges);
    }
    g->edges[g->edge_count++] = hsd_two_of(source, target);
}

static inline int kit_compare(const void *a, const void *b)
{
    const hsd_two x = *(const hsd_two *)a, y = *(const hsd_two *)b;
    return (x > y) - (x < y);
}

static inline hsd_adjacency *kit_build(kit_graph *g, uint64_t memory, hsd_temp_space *space)
{
    hsd_adjacency *a;
    hsd_error err;
    hsd_error_init(&err);
    if (g->edge_count > 0) qsort(g->edges, g->edge_count, sizeof *g->edges, kit_compare);
    cr_assert_eq(hsd_adjacency_begin(&a, memory, space, &err), HSD_OK, "%s", err.text);
    for (uint64_t i = 0; i < g->edge_count; i++) {
        const hsd_node target = hsd_two_second(g->edges[i]);
        cr_assert_eq(hsd_adjacency_add(a, hsd_two_first(g->edges[i]), &target, NULL, 1, &err), HSD_OK, "%s", err.text);
    }
    cr_assert_eq(hsd_adjacency_finish(a, g->nodes, &err), HSD_OK, "%s", err.text);
    return a;
}

#endif
