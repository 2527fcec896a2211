/*
 * References by their place in a list: short lists, lists of several parts, any piece of them, and one reference by its
 * target.
 */
#include <criterion/criterion.h>

#include "browse/lists.h"
#include "support/random.h"

enum { NODES = 20000, LONG = 9000, OTHER_LONG = 5000 };

static hsd_temp_space space;
static hsd_error err;

static void setup(void) { hsd_temp_space_init(&space, NULL); }

TestSuite(lists, .init = setup);

static uint32_t name_of(hsd_node target) { return (uint32_t)(target % 7); }

/* Node 0 refers to the first LONG, node 3 to OTHER_LONG, each other one to the next two. */
static uint32_t degree_of(hsd_node node)
{
    return node == 0 ? LONG : node == 3 ? OTHER_LONG : node + 2 < NODES ? 2 : 0;
}
static hsd_node target_of(hsd_node node, uint32_t i) { return node + 1 + i; }

static hsd_lists build(uint64_t memory)
{
    hsd_lists lists = {.long_count = 0};
    cr_assert_eq(hsd_adjacency_begin(&lists.adjacency, memory, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(lists.adjacency, memory, &err), HSD_OK);
    for (uint32_t node = 0; node < NODES; node++) {
        for (uint32_t i = 0; i < degree_of(node); i++) {
            const hsd_node target = target_of(node, i);
            const uint32_t name = name_of(target);
            cr_assert_eq(hsd_adjacency_add(lists.adjacency, node, &target, &name, 1, &err), HSD_OK);
        }
    }
    cr_assert_eq(hsd_adjacency_finish(lists.adjacency, NODES, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_lists_add_long(&lists, 0, &err), HSD_OK);
    cr_assert_eq(hsd_lists_add_long(&lists, 3, &err), HSD_OK);
    return lists;
}

static void check_from(hsd_lists *lists, uint32_t node, uint64_t from)
{
    uint64_t at = from;
    hsd_targets targets;
    for (hsd_lists_get(lists, node, at, &targets); targets.count > 0; hsd_lists_get(lists, node, at, &targets)) {
        for (uint32_t i = 0; i < targets.count; i++, at++) {
            cr_assert_eq(targets.items[i], target_of(node, (uint32_t)at), "node %u item %lu", node, at);
            cr_assert_eq(targets.names[i], name_of(targets.items[i]));
        }
    }
    cr_assert_eq(at, from < degree_of(node) ? degree_of(node) : from, "node %u from %lu", node, from);
}

Test(lists, give_any_piece_of_any_list)
{
    test_random random = {test_seed(1)};
    hsd_lists lists = build(UINT64_C(1) << 20);
    for (uint32_t node = 0; node < NODES; node++)
        cr_assert_eq(hsd_lists_count(&lists, node), degree_of(node));
    for (int step = 0; step < 300; step++) {
        check_from(&lists, step % 2 == 0 ? 0 : 3, test_below(&random, LONG + 100));
        check_from(&lists, (uint32_t)test_below(&random, NODES), test_below(&random, 4));
    }
    for (uint64_t edge = HSD_ADJACENCY_PART_ITEMS - 1; edge <= HSD_ADJACENCY_PART_ITEMS + 1; edge++)
        check_from(&lists, 0, edge);
    hsd_lists_release(&lists);
}

Test(lists, name_a_reference_by_its_target)
{
    hsd_lists lists = build(UINT64_C(1) << 20);
    for (uint32_t i = 0; i < LONG; i += 7)
        cr_assert_eq(hsd_lists_name(&lists, 0, target_of(0, i)), name_of(target_of(0, i)));
    for (uint32_t i = 0; i < OTHER_LONG; i++)
        cr_assert_eq(hsd_lists_name(&lists, 3, target_of(3, i)), name_of(target_of(3, i)));
    cr_assert_eq(hsd_lists_name(&lists, 7, 8), name_of(8));
    cr_assert_eq(hsd_lists_name(&lists, 7, 9), name_of(9));
    cr_assert_eq(hsd_lists_name(&lists, 7, 7), 0, "there is none");
    cr_assert_eq(hsd_lists_name(&lists, 0, LONG + 1), 0, "there is none");
    cr_assert_eq(hsd_lists_name(&lists, NODES - 1, 0), 0, "there is none");
    hsd_lists_release(&lists);
}

/* Of one target in several parts the least name is that of the reference, and a list of one name is not read. */
Test(lists, name_what_stands_in_several_parts)
{
    enum { PARTS = 4 };
    hsd_lists lists = {.long_count = 0};
    cr_assert_eq(hsd_adjacency_begin(&lists.adjacency, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(lists.adjacency, UINT64_C(1) << 20, &err), HSD_OK);
    for (uint32_t node = 0; node < 2; node++) {
        for (uint32_t i = 0; i < PARTS * HSD_ADJACENCY_PART_ITEMS; i++) {
            const hsd_node target = 2 + i % HSD_ADJACENCY_PART_ITEMS;
            const uint32_t name = node == 0 ? 5 : 9 - i / HSD_ADJACENCY_PART_ITEMS;
            cr_assert_eq(hsd_adjacency_add(lists.adjacency, node, &target, &name, 1, &err), HSD_OK);
        }
    }
    cr_assert_eq(hsd_adjacency_finish(lists.adjacency, NODES, &err), HSD_OK, "%s", err.text);
    for (uint32_t node = 0; node < 2; node++)
        cr_assert_eq(hsd_lists_add_long(&lists, node, &err), HSD_OK);
    cr_assert(lists.longs[0].is_alike && !lists.longs[1].is_alike);
    for (uint32_t target = 2; target < 2 + HSD_ADJACENCY_PART_ITEMS; target += 100) {
        cr_assert_eq(hsd_lists_name(&lists, 0, target), 5);
        cr_assert_eq(hsd_lists_name(&lists, 1, target), 9 - (PARTS - 1));
    }
    cr_assert_eq(lists.longs[1].parts, PARTS);
    hsd_lists_release(&lists);
}
