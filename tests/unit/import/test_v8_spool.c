/*
 * What waits in an import of a heap snapshot: nodes packed into bytes, queues that go to disk, marks, and
 * the table of names.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "import/v8/marks.h"
#include "import/v8/names.h"
#include "import/v8/nodes.h"
#include "import/v8/spool.h"
#include "support/random.h"

static hsd_error err;
static hsd_temp_space space;

static void setup(void)
{
    hsd_error_init(&err);
    hsd_temp_space_init(&space, NULL);
}

TestSuite(v8_spool, .init = setup);

static uint64_t of_any_length(test_random *random) { return test_next(random) >> test_below(random, 64); }

static hsd_v8_node random_node(test_random *random, uint64_t last_id)
{
    hsd_v8_node node = {
        .id = test_below(random, 2) == 0 ? last_id + 2 : of_any_length(random),
        .self_size = test_below(random, 2) == 0 ? test_below(random, 300) * 8 : of_any_length(random) >> 1,
        .name = (uint32_t)of_any_length(random),
        .edge_count = (uint32_t)of_any_length(random),
        .type = (uint8_t)test_below(random, 64),
        .state = (uint8_t)test_below(random, 3),
    };
    return node;
}

/* Writes `count` random nodes, reads them back `times` times. */
static void check_nodes(uint64_t memory_bytes, unsigned count, unsigned times)
{
    hsd_v8_spool spool;
    test_random random = {count};
    uint64_t last = 0;
    hsd_v8_spool_init(&spool, &space, memory_bytes);
    for (unsigned i = 0; i < count; i++) {
        const hsd_v8_node node = random_node(&random, last);
        cr_assert_eq(hsd_v8_spool_room(&spool, HSD_V8_NODE_BYTES, &err), HSD_OK);
        uint8_t *const end = hsd_v8_node_pack(spool.at, &node, last);
        cr_assert(end - spool.at <= (ptrdiff_t)HSD_V8_NODE_BYTES);
        spool.at = end;
        last = node.id;
    }
    for (unsigned t = 0; t < times; t++) {
        random.state = count;
        last = 0;
        cr_assert_eq(hsd_v8_spool_rewind(&spool, t + 1 < times, &err), HSD_OK);
        for (unsigned i = 0; i < count; i++) {
            const hsd_v8_node wanted = random_node(&random, last);
            hsd_v8_node node;
            cr_assert_eq(hsd_v8_spool_next(&spool, &err), HSD_OK);
            spool.at = hsd_v8_node_unpack(spool.at, &node, last);
            cr_assert(node.id == wanted.id && node.self_size == wanted.self_size && node.name == wanted.name &&
                          node.edge_count == wanted.edge_count && node.type == wanted.type &&
                          node.state == wanted.state,
                      "node %u of %u", i, count);
            last = node.id;
        }
        cr_assert_eq(hsd_v8_spool_next(&spool, &err), HSD_END);
    }
    hsd_v8_spool_release(&spool);
}

Test(v8_spool, gives_nodes_back_from_memory_and_from_disk)
{
    check_nodes(UINT64_C(1) << 30, 0, 1);
    check_nodes(UINT64_C(1) << 30, 1, 2);
    check_nodes(UINT64_C(1) << 30, 100000, 2);
    check_nodes(0, 100000, 2);
    check_nodes(3 * HSD_V8_SPOOL_CHUNK_BYTES, 100000, 1);
}

/* Of `count` numbers every so many is asked for; those between are passed over by the chunk. */
static void check_skipping(uint64_t memory_bytes, uint32_t count, uint32_t step, bool keeps)
{
    hsd_v8_spool spool;
    uint32_t next = 0, read = 0;
    hsd_v8_spool_init(&spool, &space, memory_bytes);
    for (uint32_t i = 0; i < count; i++) {
        spool.record = i;
        cr_assert_eq(hsd_v8_spool_room(&spool, sizeof i, &err), HSD_OK);
        memcpy(spool.at, &i, sizeof i);
        spool.at += sizeof i;
    }
    cr_assert_eq(hsd_v8_spool_rewind(&spool, keeps, &err), HSD_OK);
    for (uint32_t wanted = step / 2; wanted < count; wanted += step) {
        for (uint32_t found = UINT32_MAX; found != wanted; next++, read++) {
            next = hsd_v8_spool_skip(&spool, next, wanted);
            cr_assert_leq(next, wanted);
            cr_assert_eq(hsd_v8_spool_next(&spool, &err), HSD_OK);
            memcpy(&found, spool.at, sizeof found);
            spool.at += sizeof found;
            cr_assert_eq(found, next);
        }
    }
    cr_expect_leq(read, count);
    if (step > HSD_V8_SPOOL_CHUNK_BYTES) cr_expect_lt(read, count / 2, "%u of %u", read, count);
    hsd_v8_spool_release(&spool);
}

Test(v8_spool, passes_over_chunks_that_nobody_asks_for)
{
    const uint64_t all = UINT64_C(1) << 30;
    for (uint32_t step = 1; step < 700000; step = step * 5 + 2) {
        check_skipping(all, 400000, step, false);
        check_skipping(all, 400000, step, true);
        check_skipping(0, 400000, step, false);
    }
}

Test(v8_spool, takes_no_more_memory_than_it_was_given)
{
    hsd_v8_spool spool;
    hsd_v8_spool_init(&spool, &space, 4 * HSD_V8_SPOOL_CHUNK_BYTES);
    for (unsigned i = 0; i < 100000; i++) {
        cr_assert_eq(hsd_v8_spool_room(&spool, 40, &err), HSD_OK);
        memset(spool.at, (int)i, 40);
        spool.at += 40;
    }
    cr_expect_leq(spool.memory_used + HSD_V8_SPOOL_CHUNK_BYTES, 4 * HSD_V8_SPOOL_CHUNK_BYTES);
    cr_expect_gt(space.bytes_now, 0);
    hsd_v8_spool_release(&spool);
    cr_expect_eq(space.bytes_now, 0);
}

Test(v8_spool, says_when_the_disk_refuses)
{
    hsd_v8_spool spool;
    hsd_temp_space nowhere;
    hsd_temp_space_init(&nowhere, "/nonexistent");
    hsd_v8_spool_init(&spool, &nowhere, 0);
    hsd_status status = HSD_OK;
    for (unsigned i = 0; i < 100000 && status == HSD_OK; i++) {
        status = hsd_v8_spool_room(&spool, 40, &err);
        if (status == HSD_OK) spool.at += 40;
    }
    cr_expect_eq(status, HSD_E_IO);
    hsd_v8_spool_release(&spool);
}

Test(v8_marks, hold_a_kind_and_two_bits_for_each_node)
{
    enum { COUNT = 200001 };
    hsd_v8_marks marks;
    test_random random = {3};
    uint8_t *expected = malloc(COUNT);
    cr_assert(expected != NULL);
    hsd_v8_marks_init(&marks, UINT64_C(1) << 20);
    for (unsigned i = 0; i < COUNT; i++) {
        expected[i] = (uint8_t)test_below(&random, 8);
        cr_assert_eq(hsd_v8_marks_put(&marks, (hsd_v8_mark)expected[i], &err), HSD_OK);
    }
    cr_assert_eq(hsd_v8_marks_seal(&marks, &err), HSD_OK);
    for (unsigned i = 0; i < COUNT; i += 3)
        hsd_v8_marks_await(&marks, i);
    for (unsigned i = 0; i < COUNT; i += 5)
        hsd_v8_marks_refer(&marks, i);
    for (unsigned i = 0; i < COUNT; i += 7)
        hsd_v8_marks_set(&marks, i, HSD_V8_MARK_DETACHED);
    for (unsigned i = 0; i < COUNT; i++) {
        cr_assert_eq(hsd_v8_marks_get(&marks, i), i % 7 == 0 ? HSD_V8_MARK_DETACHED : expected[i], "node %u", i);
        cr_assert_eq(hsd_v8_marks_is_awaited(&marks, i), i % 3 == 0);
        cr_assert_eq(hsd_v8_marks_is_referred(&marks, i), i % 5 == 0);
    }
    hsd_v8_marks_release(&marks);
    free(expected);
}

Test(v8_marks, name_the_memory_that_would_be_enough)
{
    hsd_v8_marks marks;
    hsd_status status = HSD_OK;
    hsd_v8_marks_init(&marks, 100000);
    while (status == HSD_OK)
        status = hsd_v8_marks_put(&marks, HSD_V8_MARK_CODE, &err);
    cr_expect_eq(status, HSD_E_OVER_BUDGET);
    cr_expect(strstr(err.hint, "--memory") != NULL, "%s", err.hint);
    cr_expect_leq(marks.capacity * 7 / 8, 100000u);
    hsd_v8_marks_release(&marks);
}

Test(v8_names, are_found_again_and_come_in_the_order_of_their_strings)
{
    enum { COUNT = 30000 };
    hsd_v8_names names;
    uint32_t *order;
    test_random random = {11};
    cr_assert_eq(hsd_v8_names_init(&names, 100, 200, &err), HSD_OK);
    for (unsigned round = 0; round < 2; round++) {
        random.state = 11;
        for (unsigned i = 0; i < COUNT; i++) {
            uint32_t entry;
            const hsd_v8_wait wait = i % 2 == 0 ? HSD_V8_WAIT_TYPE : HSD_V8_WAIT_CELL;
            const uint32_t name = (uint32_t)test_next(&random), owner = i % 2 == 0 ? 0 : i % 1000;
            cr_assert_eq(hsd_v8_names_intern(&names, wait, i % 4 == 1, owner, name, &entry, &err), HSD_OK);
            cr_assert_eq(entry, i);
            cr_assert_eq(names.entries[entry].number, (i % 2 == 0 ? 100 : 200) + i / 2);
        }
        cr_assert_eq(names.count, COUNT);
    }
    cr_assert_eq(hsd_v8_names_order(&names, &order, &err), HSD_OK);
    for (unsigned i = 1; i < COUNT; i++)
        cr_assert_leq(names.entries[order[i - 1]].name, names.entries[order[i]].name);
    free(order);
    hsd_v8_names_release(&names);
}

Test(v8_names, keep_room_for_types_when_data_poses_as_names)
{
    hsd_v8_names names;
    uint32_t entry = 0;
    cr_assert_eq(hsd_v8_names_init(&names, 1, 1, &err), HSD_OK);
    for (uint32_t name = 0; entry != HSD_V8_NO_ENTRY; name++)
        cr_assert_eq(hsd_v8_names_intern(&names, HSD_V8_WAIT_FIELD, 0, 0, name, &entry, &err), HSD_OK);
    cr_expect_eq(names.count, HSD_V8_NAMES_LIMIT / 4 * 3);
    cr_assert_eq(hsd_v8_names_intern(&names, HSD_V8_WAIT_TYPE, 0, 0, 7, &entry, &err), HSD_OK);
    cr_expect_neq(entry, HSD_V8_NO_ENTRY);
    cr_expect_eq(names.refused, 1);
    hsd_v8_names_release(&names);
}
