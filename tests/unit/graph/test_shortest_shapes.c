/*
 * Shortest paths on large graphs: the same ways whatever the memory, on the shapes that break naive searches and where
 * calls fail.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "graph/quads.h"
#include "graph/shortest.h"
#include "graph/toward.h"
#include "shapes.h"
#include "support/fault.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(shortest_shapes, .init = setup);

enum { MANY = 120000 };

static uint32_t hash(uint32_t i) { return (uint32_t)((i * UINT64_C(0x9E3779B97F4A7C15)) >> 33); }

static uint32_t many_type(void *context, hsd_node node)
{
    (void)context;
    return hash((uint32_t)node) % 5;
}

static hsd_adjacency *many(shape_targets targets, uint64_t memory)
{
    hsd_adjacency *a;
    const hsd_node first = 0;
    const uint32_t none = 0;
    cr_assert_eq(hsd_adjacency_begin(&a, memory, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, memory, &err), HSD_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        hsd_node out[8];
        uint32_t names[8];
        const uint32_t count = targets(i, MANY, out);
        for (uint32_t j = 0; j < count; j++)
            names[j] = hash(i * 8 + j) % 3;
        cr_assert_eq(hsd_adjacency_add(a, i, out, names, count, &err), HSD_OK);
    }
    cr_assert_eq(hsd_adjacency_add(a, MANY, &first, &none, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, MANY + 1, &err), HSD_OK);
    return a;
}

static uint32_t scattered_list_targets(uint32_t i, uint32_t count, hsd_node *out) /* one cycle through all, far apart */
{
    out[0] = (uint32_t)((i + UINT64_C(77773)) % count);
    return 1;
}

static uint32_t random_targets(uint32_t i, uint32_t count, hsd_node *out)
{
    for (uint32_t j = 0; j < 6; j++)
        out[j] = hash(i * 6 + j) % count;
    return 6;
}

/* To neighbours, and one in eight anywhere. */
static uint32_t near_and_far_targets(uint32_t i, uint32_t count, hsd_node *out)
{
    for (uint32_t j = 0; j < 3; j++)
        out[j] =
            hash(i * 4 + j) % 8 == 0 ? hash(i * 4 + j + 7 * count) % count : (i + 1 + hash(i * 3 + j) % 300) % count;
    return 3;
}

static uint32_t star_targets(uint32_t i, hsd_node *out)
{
    if (i == 0) return 0; /* added below: longer than a block */
    out[0] = 1 + hash(i) % (MANY - 1);
    return 1;
}

static hsd_shortest find_with(hsd_adjacency *a, uint64_t memory, bool has_near_types)
{
    hsd_shortest shortest;
    const hsd_shortest_config config = {.roots = {MANY, MANY + 1, MANY + 1},
                                        .type_of = many_type,
                                        .has_near_types = has_near_types,
                                        .memory_bytes = memory,
                                        .space = &space};
    cr_assert_eq(hsd_shortest_find(&shortest, a, &config, &err), HSD_OK, "%s", err.text);
    return shortest;
}

static hsd_shortest find_in(hsd_adjacency *a, uint64_t memory) { return find_with(a, memory, false); }

/* Directly in memory, and in so little of it that readings are sorted in runs. */
static void expect_direct_ways(hsd_adjacency *a, hsd_shortest *wanted)
{
    const uint64_t bytes = hsd_shortest_useful_bytes(MANY + 1);
    const uint64_t memory[2] = {bytes + (UINT64_C(16) << 20),
                                bytes - (UINT64_C(3) * MANY * sizeof(hsd_quad) - (1 << 20))};
    for (int i = 0; i < 2; i++) {
        hsd_shortest direct = find_with(a, memory[i], true);
        for (uint32_t node = 0; node <= MANY; node++) {
            const hsd_way x = hsd_shortest_way(wanted, node), y = hsd_shortest_way(&direct, node);
            cr_assert(x.parent == y.parent && x.name == y.name, "node %u", node);
        }
        cr_assert_eq(direct.reached, wanted->reached);
        cr_assert_eq(direct.levels, wanted->levels);
        hsd_shortest_close(&direct);
    }
}

/* One node in 997 is wanted. */
static hsd_shortest_config config_of_some(uint8_t *wanted)
{
    hsd_shortest_config config = {.roots = {MANY, MANY + 1, MANY + 1},
                                  .type_of = many_type,
                                  .wanted = wanted,
                                  .memory_bytes = hsd_shortest_least_bytes(MANY + 1) + hsd_toward_bits_bytes(MANY + 1),
                                  .space = &space};
    memset(wanted, 0, MANY / 8 + 1);
    for (uint32_t node = 5; node < MANY; node += 997, config.wanted_count++)
        hsd_bit_set(wanted, node);
    return config;
}

/* Where some are wanted, it is found first what is on the way to them; with `more` memory all of that is gathered. */
static void expect_ways_to_some_in(hsd_adjacency *a, hsd_shortest *all, uint64_t more)
{
    static uint8_t wanted[MANY / 8 + 1], was_seen[MANY / 8 + 1];
    hsd_shortest_config config = config_of_some(wanted);
    hsd_shortest some;
    config.memory_bytes += more;
    cr_assert_eq(hsd_shortest_find(&some, a, &config, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(some.few_nodes != NULL, more > 0, "gathered");
    memset(was_seen, 0, sizeof was_seen);
    for (uint32_t node = 5; node < MANY; node += 997) {
        for (hsd_node at = node; at != HSD_WAY_NONE && !hsd_bit_get(was_seen, at);) {
            const hsd_way x = hsd_shortest_way(all, at), y = hsd_shortest_way(&some, at);
            cr_assert(x.parent == y.parent && x.name == y.name, "node %u, before %u", (unsigned)at, node);
            cr_assert_eq(hsd_shortest_type(&some, at), more > 0 ? many_type(NULL, at) : 0);
            hsd_bit_set(was_seen, at);
            at = x.parent;
        }
    }
    cr_assert_leq(some.reached, all->reached);
    hsd_shortest_close(&some);
}

static void expect_ways_to_some(hsd_adjacency *a, hsd_shortest *all)
{
    expect_ways_to_some_in(a, all, 0);
    expect_ways_to_some_in(a, all, UINT64_C(64) << 20);
}

static void expect_same_ways(hsd_adjacency *a, uint64_t reached, uint32_t levels)
{
    hsd_shortest roomy = find_in(a, hsd_shortest_useful_bytes(MANY + 1) + (UINT64_C(16) << 20));
    hsd_shortest tight = find_in(a, hsd_shortest_least_bytes(MANY + 1));
    cr_assert_eq(roomy.reached, reached, "%lu reached", (unsigned long)roomy.reached);
    cr_assert(levels == 0 || roomy.levels == levels, "%u levels", roomy.levels);
    for (uint32_t i = 0; i <= MANY; i++) {
        const hsd_way x = hsd_shortest_way(&roomy, i), y = hsd_shortest_way(&tight, i);
        cr_assert(x.parent == y.parent && x.name == y.name, "node %u", i);
    }
    cr_assert(roomy.spilled < tight.spilled || tight.spilled == 0);
    expect_direct_ways(a, &tight);
    expect_ways_to_some(a, &tight);
    hsd_shortest_close(&roomy);
    hsd_shortest_close(&tight);
}

static void check_shape(shape_targets targets, uint64_t reached, uint32_t levels)
{
    hsd_adjacency *a = many(targets, UINT64_C(512) << 10);
    expect_same_ways(a, reached, levels);
    hsd_adjacency_free(a);
}

Test(shortest_shapes, paths_survive_the_worst_shapes_in_little_memory)
{
    check_shape(list_targets, MANY + 1, MANY);
    check_shape(scattered_list_targets, MANY + 1, MANY + 1);
    check_shape(cycle_targets, MANY + 1, MANY + 1);
    check_shape(tree_targets, MANY, 0);
    check_shape(comb_targets, MANY, MANY / 2);
}

/* Levels one by one, and by sweeps: the same nodes lie on the way. `roots` are in up to four rounds. */
static void expect_same_on_way(hsd_adjacency *a, hsd_root_nodes roots, hsd_node avoided)
{
    static uint8_t wanted[MANY / 8 + 2];
    hsd_shortest_config config = config_of_some(wanted);
    uint8_t *by_levels, *by_sweeps;
    config.roots = roots;
    config.has_avoided = avoided != HSD_NODE_MAX;
    config.avoided = avoided;
    cr_assert_eq(hsd_toward_find(&by_levels, a, &config, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_sweeps_find(&by_sweeps, a, &config, &err), HSD_OK, "%s", err.text);
    uint32_t differ = 0;
    for (uint32_t node = 0; node < hsd_adjacency_node_count(a); node++)
        differ += hsd_bit_get(by_levels, node) != hsd_bit_get(by_sweeps, node);
    cr_assert_eq(differ, 0, "%u nodes", differ);
    free(by_levels);
    free(by_sweeps);
}

Test(shortest_shapes, sweeps_find_what_levels_find)
{
    static const shape_targets shapes[] = {random_targets, tree_targets, near_and_far_targets};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        hsd_adjacency *a = many(shapes[i], UINT64_C(512) << 10);
        expect_same_on_way(a, (hsd_root_nodes){.begin = MANY, .second = MANY + 1, .end = MANY + 1}, HSD_NODE_MAX);
        expect_same_on_way(a, (hsd_root_nodes){.begin = MANY, .second = MANY + 1, .end = MANY + 1}, 7);
        /* the last objects stand for roots of stacks, of secondary ones and of their stacks */
        expect_same_on_way(a, (hsd_root_nodes){MANY - 30, MANY - 10, MANY, MANY - 20, MANY - 5}, HSD_NODE_MAX);
        hsd_adjacency_free(a);
    }
}

/* A level lies all over the blocks where a few references lead far. */
Test(shortest_shapes, sweeps_read_blocks_less_often_than_levels_do)
{
    static uint8_t wanted[MANY / 8 + 1];
    hsd_adjacency *a = many(near_and_far_targets, UINT64_C(400) << 10);
    const hsd_shortest_config config = config_of_some(wanted);
    uint8_t *bits;
    cr_assert(!hsd_adjacency_is_resident(a));
    space.bytes_read = 0;
    cr_assert_eq(hsd_toward_find(&bits, a, &config, &err), HSD_OK, "%s", err.text);
    const uint64_t by_levels = space.bytes_read;
    free(bits);
    space.bytes_read = 0;
    cr_assert_eq(hsd_sweeps_find(&bits, a, &config, &err), HSD_OK, "%s", err.text);
    cr_assert_lt(space.bytes_read, by_levels / 4 * 3, "%lu, %lu", (unsigned long)space.bytes_read,
                 (unsigned long)by_levels);
    free(bits);
    hsd_adjacency_free(a);
}

/* One node a level, and its block is seldom in memory: lists are read, not blocks. */
Test(shortest_shapes, paths_through_a_scattered_list_read_lists_and_no_blocks)
{
    hsd_adjacency *a = many(scattered_list_targets, UINT64_C(400) << 10);
    cr_assert(!hsd_adjacency_is_resident(a));
    space.bytes_read = 0;
    hsd_shortest shortest = find_in(a, hsd_shortest_useful_bytes(MANY + 1));
    cr_assert_eq(shortest.reached, MANY + 1);
    cr_assert_lt(space.bytes_read, 64 * (uint64_t)MANY, "%lu bytes of %lu are read", (unsigned long)space.bytes_read,
                 (unsigned long)(hsd_adjacency_bytes(a) + hsd_adjacency_name_bytes(a)));
    hsd_shortest_close(&shortest);
    hsd_adjacency_free(a);
}

Test(shortest_shapes, paths_through_a_wide_random_graph_are_the_same_in_little_memory)
{
    hsd_adjacency *a = many(random_targets, UINT64_C(16) << 20);
    hsd_shortest tight = find_in(a, hsd_shortest_least_bytes(MANY + 1));
    cr_assert_gt(tight.spilled, 0);
    expect_same_ways(a, tight.reached, 0);
    hsd_shortest_close(&tight);
    hsd_adjacency_free(a);
}

/* Under few names, which make one kind of readings each, and under many. */
static void expect_star(uint32_t name_count)
{
    hsd_adjacency *a;
    hsd_node all[MANY - 1];
    uint32_t names[MANY - 1];
    for (uint32_t i = 0; i < MANY - 1; i++) {
        all[i] = i + 1;
        names[i] = hash(i) % name_count;
    }
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(16) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(16) << 20, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 0, all, names, MANY - 1, &err), HSD_OK);
    for (uint32_t i = 1; i < MANY; i++) {
        hsd_node out[1];
        cr_assert_eq(hsd_adjacency_add(a, i, out, NULL, star_targets(i, out), &err), HSD_OK);
    }
    const hsd_node first = 0;
    cr_assert_eq(hsd_adjacency_add(a, MANY, &first, NULL, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, MANY + 1, &err), HSD_OK);
    expect_same_ways(a, MANY + 1, 0);
    hsd_adjacency_free(a);
}

Test(shortest_shapes, paths_survive_one_node_that_refers_to_all)
{
    expect_star(3);
    expect_star(MANY);
}

/* 300 nodes refer to 400 each, the first of them under many names: groups that are listed, and larger ones. */
Test(shortest_shapes, paths_survive_groups_of_some_hundred_nodes)
{
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(16) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(16) << 20, &err), HSD_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        hsd_node out[400];
        uint32_t names[400], count = i < 300 ? 400 : 2;
        const uint32_t kinds = i < 100 ? 400 : 7;
        if (i == 0) count = 299;
        for (uint32_t j = 0; j < count; j++) {
            out[j] = i == 0 ? j + 1 : i < 300 ? i * 400 - 100 + j : hash(i * 2 + j) % MANY;
            names[j] = i == 0 ? 0 : hash(i + j) % kinds;
        }
        cr_assert_eq(hsd_adjacency_add(a, i, out, names, count, &err), HSD_OK);
    }
    const hsd_node first = 0;
    cr_assert_eq(hsd_adjacency_add(a, MANY, &first, NULL, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, MANY + 1, &err), HSD_OK);
    hsd_shortest tight = find_in(a, hsd_shortest_least_bytes(MANY + 1));
    expect_same_ways(a, tight.reached, 0);
    hsd_shortest_close(&tight);
    hsd_adjacency_free(a);
}

/* ---- a machine that fails ---- */

static void fail_each_of(hsd_adjacency *a, hsd_shortest_config config, hsd_fault_family family, int error,
                         hsd_status wanted, uint64_t stride)
{
    for (uint64_t at = 1;; at += stride) {
        hsd_shortest shortest;
        hsd_fault_reset();
        hsd_fault_arm(family, at, false, error);
        const hsd_status status = hsd_shortest_find(&shortest, a, &config, &err);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        /* a chunk of a tape that cannot be given back is no failure (graph/tape.c) */
        const bool may_pass = has_struck && config.wanted != NULL && family == HSD_FAULT_MALLOC && status == HSD_OK;
        cr_assert(may_pass || status == (has_struck ? wanted : HSD_OK), "call %lu: %s", (unsigned long)at, err.text);
        if (status == HSD_OK) hsd_shortest_close(&shortest);
        if (!has_struck) return;
    }
}

static void fail_each(hsd_adjacency *a, hsd_fault_family family, int error, hsd_status wanted, uint64_t stride)
{
    static uint8_t some[MANY / 8 + 1];
    hsd_shortest_config config = config_of_some(some);
    fail_each_of(a, config, family, error, wanted, stride);
    config.memory_bytes += UINT64_C(64) << 20; /* what is on the way is gathered */
    fail_each_of(a, config, family, error, wanted, stride);
    config.memory_bytes -= UINT64_C(64) << 20;
    config.wanted = NULL;
    config.wanted_count = 0;
    fail_each_of(a, config, family, error, wanted, stride);
}

Test(shortest_shapes, search_fails_cleanly_wherever_memory_or_the_disk_fails)
{
    hsd_adjacency *a = many(random_targets, UINT64_C(16) << 20);
    fail_each(a, HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, 1);
    fail_each(a, HSD_FAULT_OPEN, EMFILE, HSD_E_IO, 1);
    fail_each(a, HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO, 97);
    fail_each(a, HSD_FAULT_PREAD, EIO, HSD_E_IO, 211);
    hsd_adjacency_free(a);
}
