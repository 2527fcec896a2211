/*
 * One side of a diff with little memory and with much, and on a machine whose memory or disk fails.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "side_kit.h"
#include "support/fault.h"
#include "walk/fold.h"
#include "walk/tree.h"

enum { LARGE = 100000, SPILLS = 40000, SMALL = 3000 };

TestSuite(side_memory, .init = kit_setup, .fini = kit_teardown);

static void check_same(kit_side *much, kit_side *little)
{
    const uint64_t *a, *b;
    cr_assert_eq(hsd_sorter_count(much->side.tree), hsd_sorter_count(little->side.tree));
    while (hsd_sorter_next(much->side.tree, &a, &kit_err) == HSD_OK) {
        cr_assert_eq(hsd_sorter_next(little->side.tree, &b, &kit_err), HSD_OK);
        cr_assert_eq(memcmp(a, b, HSD_TREE_WORDS * sizeof *a), 0);
    }
    const hsd_fold_side *one = much->side.counts, *other = little->side.counts;
    cr_assert_eq(one->root_count, other->root_count);
    cr_assert_eq(memcmp(one->live_by_root, other->live_by_root, one->root_count * sizeof *one->live_by_root), 0);
}

Test(side_memory, makes_the_same_tree_of_little_memory_and_of_much)
{
    for (int by_ordinal = 0; by_ordinal < 2; by_ordinal++) {
        kit_side little, much;
        kit_write_large(LARGE, by_ordinal);
        kit_open(&much, 64 << 20, false);
        kit_open(&little, 1 << 20, true);
        cr_assert_eq(kit_walk(&much), HSD_OK, "%s", kit_err.text);
        cr_assert_eq(kit_walk(&little), HSD_OK, "%s", kit_err.text);
        cr_assert_gt(hsd_sorter_count(much.side.tree), LARGE / 2);
        cr_assert_gt(much.side.soft.objects, 0);
        cr_assert_eq(hsd_sorter_stats_get(much.side.tree).runs, 0);
        cr_assert_gt(hsd_sorter_stats_get(little.side.tree).runs, 0);
        check_same(&much, &little);
        kit_release(&little);
        kit_release(&much);
        cr_assert_eq(kit_space.bytes_now, 0);
    }
}

/* Ids in memory, or too many for it; owners beside dominators, and objects read ahead: nothing depends on it. */
Test(side_memory, makes_the_same_tree_whichever_way_ids_are_found_and_on_two_threads)
{
    static const uint64_t ordinal_bytes[] = {4 << 20, 300 << 10, 0};
    for (int by_ordinal = 0; by_ordinal < 2; by_ordinal++) {
        kit_write_large(LARGE, by_ordinal);
        for (int i = 0; i < 3; i++) {
            kit_side one, other;
            kit_open(&one, 64 << 20, false);
            kit_open(&other, 64 << 20, false);
            other.request.plan.ordinal_bytes = ordinal_bytes[i];
            other.request.plan.has_room_ahead = other.request.use_thread = true;
            other.request.plan.owner_tree_bytes = 64 << 20;
            cr_assert_eq(kit_walk(&one), HSD_OK, "%s", kit_err.text);
            cr_assert_eq(kit_walk(&other), HSD_OK, "%s", kit_err.text);
            check_same(&one, &other);
            cr_assert_eq(other.side.soft.objects, one.side.soft.objects);
            cr_assert_eq(other.side.dangling, one.side.dangling);
            kit_release(&other);
            kit_release(&one);
            cr_assert_eq(kit_space.bytes_now, 0);
        }
    }
}

/* With a second thread, which places that are sorted have, too. */
static void give_thread(kit_side *kit)
{
    kit->request.use_thread = kit->request.plan.has_room_ahead = true;
    kit->request.plan.place_serve_bytes = 8 << 20;
}

Test(side_memory, makes_the_same_tree_of_sorted_places_that_are_read_ahead)
{
    kit_side one, other;
    kit_write_large(LARGE, false);
    kit_open(&one, 1 << 20, true);
    kit_open(&other, 1 << 20, true);
    give_thread(&other);
    cr_assert_eq(kit_walk(&one), HSD_OK, "%s", kit_err.text);
    cr_assert_eq(kit_walk(&other), HSD_OK, "%s", kit_err.text);
    cr_assert_eq(other.side.dangling, one.side.dangling);
    cr_assert_eq(other.side.soft.objects, one.side.soft.objects);
    check_same(&one, &other);
    kit_release(&other);
    kit_release(&one);
    cr_assert_eq(kit_space.bytes_now, 0);
}

#define BY_CORE_BYTES                                                                                                  \
    (UINT64_C(4) << 20) /* of links: as much lets names be found by core nodes (walk/side/naming.c)                    \
                         */

/* Names found by what dominators know of core nodes, all at once, in two windows, and with too little memory for that.
 */
Test(side_memory, makes_the_same_tree_whichever_way_references_are_named)
{
    static const uint64_t link_bytes[] = {BY_CORE_BYTES, UINT64_C(2490) << 10, UINT64_C(2) << 20};
    kit_side much;
    kit_write_large(SPILLS, true);
    kit_open(&much, 64 << 20, false);
    cr_assert_eq(kit_walk(&much), HSD_OK, "%s", kit_err.text);
    for (int i = 0; i < 4; i++) {
        kit_side little;
        kit_open(&little, 1 << 20, true);
        little.request.plan.link_bytes = link_bytes[i % 3];
        little.request.use_thread = i % 2 == 1;
        cr_assert_eq(kit_walk(&little), HSD_OK, "%s", kit_err.text);
        cr_assert_eq(hsd_sorter_rewind(much.side.tree, &kit_err), HSD_OK);
        check_same(&much, &little);
        kit_release(&little);
    }
    kit_release(&much);
    cr_assert_eq(kit_space.bytes_now, 0);
}

/* Owners come out of the tree where places are sorted, too, or are walked where there is too little memory for it. */
Test(side_memory, tells_owners_in_the_order_of_nodes_as_a_walk_does)
{
    static const struct {
        uint64_t link_bytes, tell_bytes;
        bool tells;
    } cases[] = {
        {UINT64_C(12) << 20, 1 << 20, true},   {UINT64_C(12) << 20, 1 << 20, true},
        {UINT64_C(2420) << 10, 1 << 20, true},                                       /* two windows */
        {UINT64_C(2420) << 10, 1 << 20, true}, {UINT64_C(12) << 20, 2 << 10, false}, /* what tells them is more */
        {UINT64_C(2340) << 10, 1 << 20, false}};
    kit_side much;
    kit_write_as(SPILLS, &(kit_large){.by_ordinal = true, .is_tree = true, .named_each = 100});
    kit_open(&much, 64 << 20, false);
    cr_assert_eq(kit_walk(&much), HSD_OK, "%s", kit_err.text);
    for (size_t i = 0; i < HSD_ARRAY_LEN(cases); i++) {
        kit_side little;
        kit_open(&little, 1 << 20, true);
        little.request.plan.link_bytes = cases[i].link_bytes;
        little.request.plan.owner_tell_bytes = cases[i].tell_bytes;
        little.request.use_thread = i % 2 == 1;
        cr_assert_eq(kit_begin(&little), HSD_OK, "%s", kit_err.text);
        cr_assert_eq(hsd_side_run_graph(&little.side, &kit_err), HSD_OK, "%s", kit_err.text);
        if (HSD_NODE_BITS == 32 || i < 2)
            cr_expect_eq(hsd_side_tells_in_order(&little.side), cases[i].tells, "case %zu", i);
        cr_assert_eq(hsd_side_run_census(&little.side, &kit_err), HSD_OK, "%s", kit_err.text);
        cr_assert_eq(hsd_sorter_rewind(much.side.tree, &kit_err), HSD_OK);
        check_same(&much, &little);
        kit_release(&little);
    }
    kit_release(&much);
    cr_assert_eq(kit_space.bytes_now, 0);
}

static uint64_t count_records(void)
{
    kit_side kit;
    kit_open(&kit, UINT64_C(1) << 20, true);
    cr_assert_eq(kit_walk(&kit), HSD_OK, "%s", kit_err.text);
    const uint64_t count = hsd_sorter_count(kit.side.tree);
    kit_release(&kit);
    return count;
}

/* Every `stride`th call of a family fails once. The walk ends with the error, or could do without: a table that could
 * not be made smaller. Returns how many calls were fatal. */
static uint64_t fail_each(hsd_fault_family family, int error, hsd_status wanted, uint64_t stride)
{
    const uint64_t records = count_records();
    for (uint64_t at = 1, fatal = 0;; at += stride) {
        kit_side kit;
        kit_open(&kit, UINT64_C(1) << 20, at % 2 == 0);
        if (at / stride % 3 == 0) give_thread(&kit);
        if (at % 4 == 0) kit.request.plan.link_bytes = BY_CORE_BYTES;
        hsd_fault_reset();
        hsd_fault_arm(family, at, false, error);
        const hsd_status status = kit_walk(&kit);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        if (!has_struck || status != wanted) {
            cr_assert_eq(status, HSD_OK, "call %lu: %d, %s", (unsigned long)at, status, kit_err.text);
            cr_assert_eq(hsd_sorter_count(kit.side.tree), records);
        }
        fatal += status == wanted;
        kit_release(&kit);
        cr_assert_eq(kit_space.bytes_now, 0);
        if (!has_struck) return fatal;
    }
}

Test(side_memory, walk_fails_cleanly_wherever_memory_fails)
{
    kit_write_large(SMALL, false);
    cr_assert_gt(fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, 1), 100);
    kit_write_large(SMALL, true);
    cr_assert_gt(fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, 3), 30);
}

Test(side_memory, walk_fails_cleanly_wherever_the_disk_fails)
{
    kit_write_large(SPILLS, false);
    cr_assert_gt(fail_each(HSD_FAULT_OPEN, EMFILE, HSD_E_IO, 1), 4);
    cr_assert_gt(fail_each(HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO, 3), 2);
    cr_assert_gt(fail_each(HSD_FAULT_PREAD, EIO, HSD_E_IO, 7), 2);
}
