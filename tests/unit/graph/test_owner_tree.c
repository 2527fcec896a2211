/*
 * Owners from the dominator tree against their definition.
 */
#include <criterion/criterion.h>

#include "dominators_kit.h"
#include "graph/owner_tree.h"
#include "naive.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(owner_tree, .init = setup);

typedef struct found {
    uint32_t labels[NAIVE_MAX_NODES];
    bool is_told;
    uint32_t crossings;
} found;

/* All references of what is reached, every other one seen by the other thread. */
static void see_all(hsd_adjacency *a, const kit_answer *answer, hsd_owner_tree *tree, found *f)
{
    uint32_t seen = 0;
    for (hsd_node node = 0; node < answer->nodes; node++) {
        hsd_targets targets;
        if (answer->of_node[node].first == 0) continue;
        hsd_adjacency_get(a, node, &targets);
        for (uint32_t i = 0; i < targets.count; i++, seen++) {
            hsd_crossings *crossings = hsd_owner_tree_crossings(tree, seen % 2);
            const hsd_interval *target = &answer->of_node[targets.items[i]];
            if (crossings == NULL) return;
            if (target->parent == answer->of_node[node].first) continue;
            hsd_crossings_see(crossings, target->parent, answer->of_node[node].first, target->node);
            f->crossings = crossings->count;
        }
    }
}

typedef struct held {
    const kit_answer *answer;
    const naive_graph *g;
} held;

static bool hangs(void *context, hsd_node node, hsd_node *dominator)
{
    const held *h = context;
    *dominator = h->answer->of_node[node].parent;
    for (uint32_t e = 0; e < h->g->edge_count; e++) {
        const naive_edge *edge = &h->g->edges[e];
        if (edge->target == node && *dominator != 0 && h->answer->of_node[edge->source].first == *dominator)
            return true;
    }
    return false;
}

static void find(const naive_graph *g, hsd_adjacency *a, found *f)
{
    kit_answer answer = kit_find(a, g->roots, UINT64_C(64) << 20, NULL, &space);
    uint64_t *spans = calloc(g->nodes + 1, sizeof *spans * HSD_TWO_WORDS);
    uint32_t *names = calloc(g->nodes + 1, sizeof *names);
    held from = {&answer, g};
    hsd_owner_tree *tree;
    memset(f, 0, sizeof *f);
    for (hsd_node node = 0; node < g->nodes; node++)
        hsd_words_set_two(spans + node * HSD_TWO_WORDS, answer.of_node[node].first, answer.of_node[node].end);
    for (hsd_node node = g->objects; node < g->nodes; node++)
        names[node - g->objects] = g->node_label[node - g->objects] - HSD_OWNER_FIRST;
    const hsd_owner_tree_config config = {.roots = g->roots,
                                          .node_count = g->nodes,
                                          .object_count = g->objects,
                                          .name_of_node = names,
                                          .hangs = hangs,
                                          .context = &from,
                                          .spans = spans,
                                          .memory_bytes = UINT64_C(64) << 20};
    cr_assert_eq(hsd_owner_tree_begin(&tree, &config, &err), HSD_OK, "%s", err.text);
    cr_assert_not_null(tree);
    see_all(a, &answer, tree, f);
    cr_assert_eq(hsd_owner_tree_resolve(&tree, &err), HSD_OK, "%s", err.text);
    f->is_told = tree != NULL;
    if (f->is_told) hsd_owner_tree_tell(tree, spans, (uint32_t)g->nodes, f->labels);
    hsd_owner_tree_free(tree);
    free(answer.of_node);
    free(spans);
    free(names);
}

/* ---- places in the order of nodes ---- */

static uint32_t count_sources(const naive_graph *g, const kit_answer *answer, hsd_node node)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const bool is_again =
            e > 0 && g->edges[e].source == g->edges[e - 1].source && g->edges[e].target == g->edges[e - 1].target;
        count += g->edges[e].target == node && !is_again && answer->of_node[g->edges[e].source].first != 0;
    }
    return count;
}

/* As candidates are numbered in the end: `number` of each node, NO_CANDIDATE = it is none. False: they are too many. */
#define NO_CANDIDATE UINT32_MAX

static bool add_candidates(const naive_graph *g, const kit_answer *answer, hsd_owner_tree *tree, uint32_t *number)
{
    uint32_t count = 0;
    for (hsd_node node = 0; node < g->objects; node++) {
        const hsd_interval *place = &answer->of_node[node];
        number[node] = NO_CANDIDATE;
        if (place->first == 0 || count_sources(g, answer, node) < 2) continue;
        if (!hsd_owner_order_has_candidates(tree, place->parent)) continue;
        const hsd_status status = hsd_owner_order_add(tree, place->first, place->end, place->parent, &err);
        if (status == HSD_END) return false;
        cr_assert_eq(status, HSD_OK, "%s", err.text);
        number[node] = count++;
    }
    cr_assert_eq(hsd_owner_order_begin(tree, &err), HSD_OK, "%s", err.text);
    return true;
}

static void see_in_order(hsd_adjacency *a, const kit_answer *answer, hsd_node objects, const uint32_t *number,
                         hsd_owner_tree *tree, found *f)
{
    hsd_owner_view views[2] = {{.tree = tree}, {.tree = tree, .thread = 1}};
    for (hsd_node node = 0; node < answer->nodes; node++) {
        hsd_targets targets;
        const hsd_node first = answer->of_node[node].first;
        if (first == 0) continue;
        hsd_adjacency_get(a, node, &targets);
        for (uint32_t i = 0; i < targets.count; i++) {
            const hsd_node target = targets.items[i];
            if (target >= objects || number[target] == NO_CANDIDATE) continue;
            cr_assert_eq(hsd_owner_order_see(&views[node % 2], first, number[target]),
                         answer->of_node[target].parent == first);
            f->crossings++;
        }
    }
}

/* Nothing is told where memory does not suffice. */
static void find_in_order(const naive_graph *g, hsd_adjacency *a, uint64_t memory_bytes, found *f)
{
    kit_answer answer = kit_find(a, g->roots, UINT64_C(64) << 20, NULL, &space);
    uint64_t *spans = calloc(g->nodes + 1, sizeof *spans * HSD_TWO_WORDS);
    uint32_t *names = calloc(g->nodes + 1, sizeof *names), *number = calloc(g->nodes + 1, sizeof *number);
    hsd_owner_tree *tree;
    memset(f, 0, sizeof *f);
    for (hsd_node node = g->objects; node < g->nodes; node++) {
        const hsd_interval *place = &answer.of_node[node];
        hsd_words_set_two(spans + (node - g->objects) * HSD_TWO_WORDS, place->first, place->end);
        names[node - g->objects] = g->node_label[node - g->objects] - HSD_OWNER_FIRST;
    }
    const hsd_owner_tree_config config = {.roots = g->roots,
                                          .node_count = g->nodes,
                                          .object_count = g->objects,
                                          .name_of_node = names,
                                          .spans = spans,
                                          .first_node = g->objects,
                                          .memory_bytes = memory_bytes};
    cr_assert_eq(hsd_owner_tree_begin(&tree, &config, &err), HSD_OK, "%s", err.text);
    for (hsd_node node = 0; tree != NULL && node < g->nodes; node++)
        hsd_owner_order_see_place(tree, answer.of_node[node].first, answer.of_node[node].end);
    if (tree != NULL && add_candidates(g, &answer, tree, number)) {
        see_in_order(a, &answer, g->objects, number, tree, f);
        cr_assert_eq(hsd_owner_tree_resolve(&tree, &err), HSD_OK, "%s", err.text);
        f->is_told = tree != NULL;
    }
    for (hsd_node node = 0; f->is_told && node < g->nodes; node++) {
        const hsd_node first = answer.of_node[node].first;
        f->labels[node] = first != 0 ? hsd_owner_tree_label(tree, first) : HSD_OWNER_NONE;
    }
    cr_assert(!f->is_told || hsd_owner_tree_bytes(tree) > 0);
    hsd_owner_tree_free(tree);
    free(answer.of_node);
    free(spans);
    free(names);
    free(number);
}

static void check_labels(const naive_graph *g, const found *f, uint64_t seed)
{
    uint32_t wanted[NAIVE_MAX_NODES];
    naive_owners(g, wanted);
    for (uint32_t node = 0; node < g->nodes; node++)
        cr_assert_eq(f->labels[node], wanted[node], "seed %lu node %u: %u, not %u", (unsigned long)seed, node,
                     f->labels[node], wanted[node]);
}

#define CASES 2000u

static const uint64_t in_memory = 0, plenty = UINT64_C(64) << 20;

/* Label nodes of one name open the super-root; with a name each, most of them are told without a crossing. With places
 * in the order of nodes `memory_bytes` of memory, or in_memory. */
static void check_random(uint64_t seed, bool has_own_names, uint64_t memory_bytes)
{
    uint32_t without = 0, told = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        test_random random = {seed + i};
        naive_graph g = naive_random(&random);
        found f;
        for (hsd_node node = g.objects; has_own_names && node < g.nodes; node++)
            g.node_label[node - g.objects] = HSD_OWNER_FIRST + (uint32_t)(node - g.objects);
        hsd_adjacency *a = naive_to_adjacency(&g, UINT64_C(1) << 20, &space);
        if (memory_bytes == in_memory)
            find(&g, a, &f);
        else
            find_in_order(&g, a, memory_bytes, &f);
        if (f.is_told) check_labels(&g, &f, seed + i);
        told += f.is_told;
        without += f.crossings == 0;
        hsd_adjacency_free(a);
        naive_release(&g);
    }
    if (memory_bytes != in_memory && memory_bytes != plenty) {
        cr_assert(told > CASES / 10 && told < CASES / 10 * 9, "%u told", told);
        return;
    }
    cr_assert(has_own_names ? told == CASES : told > CASES / 5 * 4, "%u told", told);
    cr_assert(without > CASES / 50 && without < CASES - CASES / 50, "%u without crossings", without);
}

Test(owner_tree, tells_owners_of_random_graphs) { check_random(test_seed(31), false, in_memory); }
Test(owner_tree, tells_owners_where_each_has_a_name) { check_random(test_seed(32), true, in_memory); }
Test(owner_tree, tells_owners_in_the_order_of_nodes) { check_random(test_seed(33), false, plenty); }
Test(owner_tree, tells_owners_in_order_where_each_has_a_name) { check_random(test_seed(34), true, plenty); }

/* For a dozen items, and few references. */
Test(owner_tree, tells_all_or_nothing_with_little_memory)
{
    check_random(test_seed(35), false, UINT64_C(16) * HSD_OWNER_ITEM_BYTES);
}
