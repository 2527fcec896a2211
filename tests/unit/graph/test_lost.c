/*
 * Heads of what is lost against their definition on random graphs: one for each group of lost objects that reach each
 * other and that no other lost object reaches.
 */
#include <criterion/criterion.h>

#include "base/bits.h"
#include "graph/lost.h"
#include "naive.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(lost, .init = setup);

typedef struct looked { /* a graph with its labels */
    naive_graph g;
    hsd_adjacency *a;
    hsd_owner_labels labels;
    hsd_node owners[NAIVE_MAX_NODES];
    uint8_t cycles[NAIVE_MAX_NODES / 8 + 1];
    bool reaches[NAIVE_MAX_NODES][NAIVE_MAX_NODES]; /* over one reference or more, from a lost object */
    bool found;
} looked;

static bool is_lost(const looked *l, hsd_node node) { return l->owners[node] == HSD_OWNER_NONE; }

static void fill_reaches(looked *l)
{
    for (uint32_t from = 0; from < l->g.objects; from++) {
        for (uint32_t e = 0; e < l->g.edge_count; e++) {
            const naive_edge *edge = &l->g.edges[e];
            if (edge->source == from && edge->target != from && is_lost(l, edge->target))
                l->reaches[from][edge->target] = true;
        }
        for (bool grew = true; grew;) {
            grew = false;
            for (uint32_t e = 0; e < l->g.edge_count; e++) {
                const naive_edge *edge = &l->g.edges[e];
                if (!l->reaches[from][edge->source] || l->reaches[from][edge->target] || !is_lost(l, edge->target))
                    continue;
                l->reaches[from][edge->target] = grew = true;
            }
        }
    }
}

static void look(looked *l, test_random *random)
{
    memset(l, 0, sizeof *l);
    l->g = naive_random(random);
    l->a = naive_to_adjacency(&l->g, UINT64_C(1) << 20, &space);
    const hsd_owners_config owners = {.roots = l->g.roots,
                                      .object_count = l->g.objects,
                                      .label_of_node = l->g.node_label,
                                      .memory_bytes = UINT64_C(1) << 20,
                                      .serve_bytes = UINT64_C(1) << 20,
                                      .is_wide = true,
                                      .space = &space};
    cr_assert_eq(hsd_owners_find(l->a, &owners, &l->labels, &err), HSD_OK);
    for (uint32_t node = 0; node < l->g.nodes; node++)
        l->owners[node] = hsd_owner_get(&l->labels, node);
    const hsd_lost_config config = {.object_count = l->g.objects,
                                    .node_count = l->g.roots.begin,
                                    .memory_bytes = UINT64_C(1) << 20,
                                    .space = &space};
    cr_assert_eq(hsd_lost_find(l->a, &config, &l->labels.wide, l->cycles, &l->found, &err), HSD_OK, "%s", err.text);
    fill_reaches(l);
}

static void forget(looked *l)
{
    hsd_owners_close(&l->labels);
    hsd_adjacency_free(l->a);
    naive_release(&l->g);
}

/* No other lost object reaches it but those that it reaches. */
static bool may_head(const looked *l, hsd_node node)
{
    for (uint32_t from = 0; from < l->g.objects; from++)
        if (from != node && is_lost(l, from) && l->reaches[from][node] && !l->reaches[node][from]) return false;
    return true;
}

static bool is_head(looked *l, uint32_t node)
{
    const hsd_node label = hsd_owner_get(&l->labels, node);
    return hsd_lost_is(label) && (hsd_lost_head(label) == node || hsd_lost_head(label) == HSD_LOST_ALONE);
}

/* Of those that reach each other exactly one heads. */
static uint32_t heads_beside(looked *l, uint32_t node)
{
    uint32_t heads = 0;
    for (uint32_t other = 0; other < l->g.objects; other++) {
        const bool is_beside =
            other == node || (is_lost(l, other) && l->reaches[node][other] && l->reaches[other][node]);
        heads += is_beside && is_head(l, other);
    }
    return heads;
}

static void expect_object(looked *l, uint32_t node, unsigned long seed)
{
    const hsd_node label = hsd_owner_get(&l->labels, node);
    if (!is_lost(l, node)) {
        cr_assert_eq(label, l->owners[node], "seed %lu node %u", seed, node);
        return;
    }
    cr_assert(hsd_lost_is(label), "seed %lu node %u has no head", seed, node);
    const hsd_node head = is_head(l, node) ? node : hsd_lost_head(label);
    cr_assert(head == node || l->reaches[head][node], "seed %lu: %lu does not reach %u", seed, (unsigned long)head,
              node);
    cr_assert(may_head(l, head), "seed %lu: %lu hangs below another", seed, (unsigned long)head);
    cr_assert_eq(heads_beside(l, node), may_head(l, node) ? 1u : 0u, "seed %lu node %u", seed, node);
    if (is_head(l, node))
        cr_assert_eq(hsd_bit_get(l->cycles, node), l->reaches[node][node], "seed %lu head %u", seed, node);
    if (hsd_bit_get(l->cycles, node)) cr_assert(l->reaches[node][node], "seed %lu: %u is on no cycle", seed, node);
}

Test(lost, equals_its_definition_on_random_graphs)
{
    const uint64_t seed = test_seed(23);
    static looked l;
    uint32_t lost = 0, heads = 0, round = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        test_random random = {seed + i};
        bool is_any = false;
        look(&l, &random);
        for (uint32_t node = 0; node < l.g.objects; node++) {
            expect_object(&l, node, (unsigned long)(seed + i));
            is_any = is_any || is_lost(&l, node);
            lost += is_lost(&l, node);
            heads += is_head(&l, node);
            round += hsd_bit_get(l.cycles, node);
        }
        cr_assert_eq(l.found, is_any, "seed %lu", (unsigned long)(seed + i));
        forget(&l);
    }
    cr_assert(lost > 10000 && heads > 3000 && round > 300, "%u lost, %u heads, %u on cycles", lost, heads, round);
}

enum { MANY = 300000 };

/* A list that leads back to its first node, behind pages: one head, and the walk is as long as the list. */
Test(lost, goes_round_a_long_list_once)
{
    hsd_adjacency *a;
    hsd_paged labels;
    bool found;
    static uint8_t cycles[MANY / 8 + 1];
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(512) << 10, &space, &err), HSD_OK);
    for (uint32_t node = 0; node < MANY; node++) {
        const hsd_node next = (node + 1) % MANY;
        cr_assert_eq(hsd_adjacency_add(a, node, &next, NULL, 1, &err), HSD_OK);
    }
    cr_assert_eq(hsd_adjacency_finish(a, MANY, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_adjacency_set_memory(a, UINT64_C(512) << 10, &err), HSD_OK);
    cr_assert_eq(hsd_paged_open(&labels, MANY * HSD_NODE_BYTES, UINT64_C(512) << 10, &space, &err), HSD_OK);
    const hsd_lost_config config = {
        .object_count = MANY, .node_count = MANY, .memory_bytes = UINT64_C(256) << 10, .space = &space};
    cr_assert_eq(hsd_lost_find(a, &config, &labels, cycles, &found, &err), HSD_OK, "%s", err.text);
    cr_assert(found);
    for (uint32_t node = 0; node < MANY; node++)
        cr_assert_eq(hsd_paged_get_node(&labels, node), HSD_LOST | 0u, "node %u", node);
    cr_assert(hsd_bit_get(cycles, 0));
    cr_assert_not(hsd_bit_get(cycles, 1), "a way too long to be told has its head alone");
    hsd_paged_close(&labels);
    hsd_adjacency_free(a);
}

Test(lost, refuses_more_nodes_than_there_are)
{
    hsd_adjacency *a;
    hsd_paged labels;
    bool found;
    uint8_t cycles[1] = {0};
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(512) << 10, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, 2, &err), HSD_OK);
    cr_assert_eq(hsd_paged_open(&labels, 2 * HSD_NODE_BYTES, UINT64_C(512) << 10, &space, &err), HSD_OK);
    const hsd_lost_config config = {
        .object_count = 3, .node_count = 3, .memory_bytes = UINT64_C(256) << 10, .space = &space};
    cr_assert_eq(hsd_lost_find(a, &config, &labels, cycles, &found, &err), HSD_E_MISUSE);
    hsd_paged_close(&labels);
    hsd_adjacency_free(a);
}
