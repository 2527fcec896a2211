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

static void check_labels(const naive_graph *g, const found *f, uint64_t seed)
{
    uint32_t wanted[NAIVE_MAX_NODES];
    naive_owners(g, wanted);
    for (uint32_t node = 0; node < g->nodes; node++)
        cr_assert_eq(f->labels[node], wanted[node], "seed %lu node %u: %u, not %u", (unsigned long)seed, node,
                     f->labels[node], wanted[node]);
}

/* Label nodes of one name open the super-root; with a name each, most of them are told without a crossing. */
static void check_random(uint64_t seed, bool has_own_names)
{
    uint32_t without = 0, told = 0;
    for (uint64_t i = 0; i < 5000; i++) {
        test_random random = {seed + i};
        naive_graph g = naive_random(&random);
        found f;
        for (hsd_node node = g.objects; has_own_names && node < g.nodes; node++)
            g.node_label[node - g.objects] = HSD_OWNER_FIRST + (uint32_t)(node - g.objects);
        hsd_adjacency *a = naive_to_adjacency(&g, UINT64_C(1) << 20, &space);
        find(&g, a, &f);
        if (f.is_told) check_labels(&g, &f, seed + i);
        told += f.is_told;
        without += f.crossings == 0;
        hsd_adjacency_free(a);
        naive_release(&g);
    }
    cr_assert(has_own_names ? told == 5000 : told > 4000, "%u of 5000 told", told);
    cr_assert(without > 100 && without < 4900, "%u of 5000 without crossings", without);
}

Test(owner_tree, tells_owners_of_random_graphs) { check_random(test_seed(31), false); }
Test(owner_tree, tells_owners_where_each_has_a_name) { check_random(test_seed(32), true); }
