/*
 * Adjacency blocks against plain lists: random graphs, the worst shapes, and hostile call orders.
 */
#include <criterion/criterion.h>

#include "naive.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(adjacency, .init = setup);

/* All targets of a node, parts put together. */
static uint32_t all_targets(hsd_adjacency *a, uint32_t node, uint32_t *out)
{
    hsd_targets targets;
    uint32_t count = 0;
    hsd_adjacency_get(a, node, &targets);
    for (;;) {
        memcpy(out + count, targets.items, targets.count * sizeof *out);
        count += targets.count;
        if (!targets.has_more) return count;
        hsd_adjacency_more(a, &targets);
    }
}

static void check_equal(const naive_graph *g, hsd_adjacency *a)
{
    uint32_t found[512];
    uint32_t e = 0;
    for (uint32_t node = 0; node < g->nodes; node++) {
        uint32_t wanted[512], wanted_count = 0;
        for (; e < g->edge_count && g->edges[e][0] == node; e++) {
            const uint32_t target = g->edges[e][1];
            if (target == node || (wanted_count > 0 && wanted[wanted_count - 1] == target)) continue;
            wanted[wanted_count++] = target;
        }
        cr_assert_eq(all_targets(a, node, found), wanted_count, "node %u", node);
        cr_assert_eq(memcmp(found, wanted, wanted_count * sizeof *found), 0, "node %u", node);
        cr_assert_eq(hsd_adjacency_is_leaf(a, node), wanted_count == 0, "node %u", node);
    }
}

Test(adjacency, equals_plain_lists_on_random_graphs)
{
    const uint64_t seed = test_seed(7);
    for (uint64_t i = 0; i < 2000; i++) {
        test_random random = {seed + i};
        naive_graph g = naive_random(&random);
        hsd_adjacency *a = naive_to_adjacency(&g, UINT64_C(1) << 20, &space);
        cr_assert_not_null(a, "seed %lu", (unsigned long)(seed + i));
        check_equal(&g, a);
        hsd_adjacency_free(a);
        naive_release(&g);
    }
}

/* `count` targets of one source, in falling order, between two ordinary nodes. */
static hsd_adjacency *star(uint32_t count, uint64_t memory)
{
    hsd_adjacency *a;
    const uint32_t one = 1;
    cr_assert_eq(hsd_adjacency_begin(&a, memory, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 0, &one, NULL, 1, &err), HSD_OK);
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t target = i + 2;
        cr_assert_eq(hsd_adjacency_add(a, 1, &target, NULL, 1, &err), HSD_OK);
    }
    cr_assert_eq(hsd_adjacency_add(a, 2, &one, NULL, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, count + 2, &err), HSD_OK, "%s", err.text);
    return a;
}

static void check_star(hsd_adjacency *a, uint32_t count)
{
    uint32_t *found = calloc(count + 1, sizeof *found);
    uint8_t *seen = calloc(count + 2, 1);
    cr_assert_eq(all_targets(a, 1, found), count);
    for (uint32_t i = 0; i < count; i++) seen[found[i]]++;
    for (uint32_t i = 2; i < count + 2; i++) cr_assert_eq(seen[i], 1, "target %u", i);
    cr_assert_eq(all_targets(a, 0, found), 1);
    cr_assert_eq(found[0], 1);
    cr_assert_eq(all_targets(a, 2, found), 1);
    cr_assert_eq(all_targets(a, 3, found), 0);
    cr_assert_eq(hsd_adjacency_check(a, &err), HSD_OK);
    free(found);
    free(seen);
}

Test(adjacency, stores_a_fan_out_of_any_size)
{
    for (uint32_t count = HSD_ADJACENCY_PART_ITEMS - 2; count < HSD_ADJACENCY_PART_ITEMS + 3; count++) {
        hsd_adjacency *a = star(count, UINT64_C(1) << 20);
        check_star(a, count);
        hsd_adjacency_free(a);
    }
    hsd_adjacency *a = star(1000000, UINT64_C(4) << 20);
    check_star(a, 1000000);
    hsd_adjacency_free(a);
}

/* A list 0 -> 1 -> 2 … with a second reference far away, larger than its memory. */
Test(adjacency, reads_the_same_through_pages_and_in_memory)
{
    enum { NODES = 1000000 };
    for (int spilled = 0; spilled < 2; spilled++) {
        hsd_adjacency *a;
        const uint64_t memory = spilled ? UINT64_C(1) << 20 : UINT64_C(64) << 20;
        cr_assert_eq(hsd_adjacency_begin(&a, memory, &space, &err), HSD_OK);
        for (uint32_t i = 0; i + 1 < NODES; i++) {
            const uint32_t targets[2] = {i + 1, (uint32_t)((i * UINT64_C(7919)) % NODES)};
            cr_assert_eq(hsd_adjacency_add(a, i, targets, NULL, 2, &err), HSD_OK);
        }
        cr_assert_eq(hsd_adjacency_finish(a, NODES, &err), HSD_OK, "%s", err.text);
        cr_assert_eq(space.bytes_now > 0, spilled == 1);
        for (uint64_t step = 0; step < 20000; step++) {
            const uint32_t i = (uint32_t)((step * 104729) % (NODES - 1));
            const uint32_t far = (uint32_t)((i * UINT64_C(7919)) % NODES);
            uint32_t found[4];
            const uint32_t count = all_targets(a, i, found);
            cr_assert_eq(count, far == i || far == i + 1 ? 1 : 2, "node %u", i);
            cr_assert(found[0] == i + 1 || found[1] == i + 1);
        }
        cr_assert_eq(hsd_adjacency_set_memory(a, UINT64_C(1) << 20, &err), HSD_OK);
        uint32_t found[4];
        cr_assert_eq(all_targets(a, 3, found), 2);
        cr_assert_eq(hsd_adjacency_check(a, &err), HSD_OK);
        hsd_adjacency_free(a);
        cr_assert_eq(space.bytes_now, 0);
    }
}

Test(adjacency, refuses_calls_in_the_wrong_order)
{
    hsd_adjacency *a;
    const uint32_t target = 5;
    cr_assert_eq(hsd_adjacency_begin(&a, 1, &space, &err), HSD_E_OVER_BUDGET);
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 3, &target, NULL, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 2, &target, NULL, 1, &err), HSD_E_MISUSE);
    cr_assert_eq(hsd_adjacency_set_memory(a, UINT64_C(1) << 20, &err), HSD_E_MISUSE);
    cr_assert_eq(hsd_adjacency_finish(a, 5, &err), HSD_E_MISUSE, "target 5 of 5 nodes");
    hsd_adjacency_free(a);
}

Test(adjacency, accepts_a_graph_of_nothing)
{
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, 0, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_edge_count(a), 0);
    hsd_adjacency_free(a);
}
