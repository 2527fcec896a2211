/*
 * Lists of references that are written where they are encoded from, and which nodes have some.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "graph/adjacency.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(adjacency_lists, .init = setup);

/* All targets of a node, parts put together. */
static uint32_t all_targets(hsd_adjacency *a, hsd_node node, hsd_node *out)
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

/* Lists that end with the room for them, and with a part, however long they are. */
Test(adjacency_lists, takes_lists_of_any_length)
{
    enum { MOST = 3 * HSD_ADJACENCY_PART_ITEMS };
    static const uint32_t lengths[] = {HSD_ADJACENCY_PART_ITEMS,    1, HSD_ADJACENCY_PART_ITEMS - 1, MOST, 2, 0,
                                       HSD_ADJACENCY_PART_ITEMS + 1};
    static hsd_node found[MOST];
    for (int uses_thread = 0; uses_thread < 2; uses_thread++) {
        hsd_adjacency *a;
        cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
        if (uses_thread) cr_assert_eq(hsd_adjacency_use_thread(a, &err), HSD_OK);
        hsd_lists_out *out = hsd_adjacency_lists(a);
        for (uint32_t node = 0; node < 700; node++) {
            uint32_t left = lengths[node % 7];
            while (left > 0) {
                const uint32_t count = left < HSD_ADJACENCY_PART_ITEMS ? left : HSD_ADJACENCY_PART_ITEMS;
                if (out->end - out->at <= (ptrdiff_t)count) cr_assert_eq(hsd_adjacency_turn(a, &err), HSD_OK);
                *out->at++ = hsd_two_of(node, count);
                for (uint32_t i = 0; i < count; i++)
                    *out->at++ = hsd_two_of(1000 + 2 * --left, 0);
            }
        }
        cr_assert_eq(hsd_adjacency_finish(a, 1000 + 2 * MOST, &err), HSD_OK, "%s", err.text);
        for (uint32_t node = 0; node < 700; node++) {
            const uint32_t count = lengths[node % 7];
            uint64_t sum = 0;
            cr_assert_eq(all_targets(a, node, found), count);
            for (uint32_t i = 0; i < count; i++)
                sum += found[i];
            cr_assert_eq(sum, count * UINT64_C(999) + (uint64_t)count * count, "node %u", node);
            const uint64_t bits = hsd_adjacency_with_targets(a, node / 64 * 64);
            cr_assert_eq(bits >> node % 64 & 1, count > 0, "node %u", node);
        }
        cr_assert_eq(hsd_adjacency_with_targets(a, (1000 + 2 * MOST) / 64 * 64), 0);
        hsd_adjacency_free(a);
    }
}
