/*
 * Strong reachability against its definition: what the roots still reach when the marked references are taken out.
 */
#include <criterion/criterion.h>

#include "graph/reach.h"
#include "naive.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(reach, .init = setup);

Test(reach, equals_its_definition_on_random_graphs)
{
    const uint64_t seed = test_seed(17);
    uint32_t strong = 0, soft = 0;
    for (uint64_t i = 0; i < 5000; i++) {
        test_random random = {seed + i};
        naive_graph g = naive_random(&random);
        uint8_t *has_marked = calloc(g.objects / 8 + 1, 1), *found = calloc(g.nodes / 8 + 1, 1);
        bool wanted[NAIVE_MAX_NODES] = {false};
        naive_mark_edges(&g, &random, has_marked);
        hsd_adjacency *a = naive_to_adjacency(&g, UINT64_C(1) << 20, &space);
        const hsd_reach_config config = {.roots = g.roots,
                                         .has_marked = has_marked,
                                         .object_count = g.objects,
                                         .mark = NAIVE_MARK,
                                         .memory_bytes = UINT64_C(1) << 20,
                                         .space = &space};
        cr_assert_eq(hsd_reach_find(a, &config, found, &err), HSD_OK, "%s", err.text);
        naive_strong(&g, wanted);
        for (uint32_t node = 0; node < g.nodes; node++) {
            cr_assert_eq(found[node / 8] >> node % 8 & 1, wanted[node], "seed %lu node %u", (unsigned long)(seed + i),
                         node);
            strong += wanted[node];
        }
        for (uint32_t e = 0; e < g.edge_count; e++)
            soft += g.edges[e].name >= NAIVE_MARK && !wanted[g.edges[e].target];
        hsd_adjacency_free(a);
        free(has_marked);
        free(found);
        naive_release(&g);
    }
    cr_assert(strong > 10000 && soft > 1000, "%u reached, %u references to softly reached ones", strong, soft);
}

enum { MANY = 300000 };

/* A list with a fan at its end, all of it behind pages; every reference of one node in the middle is marked. */
Test(reach, goes_through_pages_and_long_lists)
{
    hsd_adjacency *a;
    const uint64_t memory = UINT64_C(512) << 10;
    uint8_t *bits = calloc(2 * (MANY / 8 + 1), 1), *found = bits + MANY / 8 + 1;
    cr_assert_eq(hsd_adjacency_begin(&a, memory, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, memory, &err), HSD_OK);
    for (uint32_t i = 0; i + 1 < MANY / 2; i++) {
        const hsd_node target = i + 1;
        const uint32_t name = i % 7;
        cr_assert_eq(hsd_adjacency_add(a, i, &target, &name, 1, &err), HSD_OK);
    }
    for (hsd_node i = MANY / 2; i < MANY; i++) { /* every third of the fan is marked */
        const uint32_t name = i % 3 == 0 ? NAIVE_MARK | 5 : 5;
        cr_assert_eq(hsd_adjacency_add(a, MANY / 2 - 1, &i, &name, 1, &err), HSD_OK);
    }
    const hsd_node first = 0;
    cr_assert_eq(hsd_adjacency_add(a, MANY, &first, NULL, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, MANY + 1, &err), HSD_OK);
    cr_assert_not(hsd_adjacency_is_resident(a));
    bits[(MANY / 2 - 1) / 8] = (uint8_t)(1u << (MANY / 2 - 1) % 8);
    hsd_reach_config config = {.roots = {MANY, MANY, MANY + 1},
                               .has_marked = bits,
                               .object_count = MANY,
                               .mark = NAIVE_MARK,
                               .memory_bytes = memory,
                               .space = &space};
    cr_assert_eq(hsd_reach_find(a, &config, found, &err), HSD_OK, "%s", err.text);
    for (uint32_t i = 0; i <= MANY; i++) {
        const bool is_strong = i < MANY / 2 || i == MANY || i % 3 != 0;
        cr_assert_eq(found[i / 8] >> i % 8 & 1, is_strong, "node %u", i);
    }
    config.roots.end++;
    cr_assert_eq(hsd_reach_find(a, &config, found, &err), HSD_E_MISUSE);
    hsd_adjacency_free(a);
    free(bits);
}
