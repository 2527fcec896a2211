/*
 * Owners and sole owners of parts against their definitions, on random graphs and on the shapes that
 * break naive walks.
 */
#include <criterion/criterion.h>

#include "graph/frontier.h"
#include "graph/owners.h"
#include "naive.h"
#include "shapes.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(owners, .init = setup);

static hsd_status find(hsd_adjacency *a, hsd_root_nodes roots, uint32_t objects, const uint32_t *labels,
                       uint64_t memory, hsd_owner_labels *owners)
{
    const hsd_owners_config config = {
        .roots = roots, .object_count = objects, .label_of_node = labels, .memory_bytes = memory, .space = &space};
    return hsd_owners_find(a, &config, owners, &err);
}

Test(owners, equal_their_definition_on_random_graphs)
{
    const uint64_t seed = test_seed(11);
    for (uint64_t i = 0; i < 5000; i++) {
        test_random random = {seed + i};
        naive_graph g = naive_random(&random);
        hsd_adjacency *a = naive_to_adjacency(&g, UINT64_C(1) << 20, &space);
        hsd_owner_labels owners;
        uint32_t wanted[NAIVE_MAX_NODES];
        cr_assert_eq(find(a, g.roots, g.objects, g.node_label, UINT64_C(1) << 20, &owners), HSD_OK);
        naive_owners(&g, wanted);
        for (uint32_t node = 0; node < g.nodes; node++) {
            cr_assert_eq(hsd_owner_get(&owners, node), wanted[node], "seed %lu node %u: %lu, not %u",
                         (unsigned long)(seed + i), node, (unsigned long)hsd_owner_get(&owners, node), wanted[node]);
        }
        hsd_owners_close(&owners);
        hsd_adjacency_free(a);
        naive_release(&g);
    }
}

/* The labels are those of all references, whatever comes last; the bits are those of the unmarked ones. */
Test(owners, tell_what_marked_references_alone_reach)
{
    const uint64_t seed = test_seed(19);
    uint32_t by_marked = 0, from_secondary = 0;
    for (uint64_t i = 0; i < 5000; i++) {
        test_random random = {seed + i};
        naive_graph g = naive_random(&random);
        uint8_t *has_marked = calloc(g.objects / 8 + 1, 1), *found = calloc(g.nodes / 8 + 1, 1);
        uint32_t wanted[NAIVE_MAX_NODES];
        bool strong[NAIVE_MAX_NODES] = {false}, primary[NAIVE_MAX_NODES] = {false};
        hsd_owner_labels owners;
        naive_mark_edges(&g, &random, has_marked);
        hsd_adjacency *a = naive_to_adjacency(&g, UINT64_C(1) << 20, &space);
        const hsd_owners_config config = {.roots = g.roots,
                                          .object_count = g.objects,
                                          .label_of_node = g.node_label,
                                          .has_marked = has_marked,
                                          .mark = NAIVE_MARK,
                                          .unmarked_reach = found,
                                          .memory_bytes = UINT64_C(1) << 20,
                                          .space = &space};
        cr_assert_eq(hsd_owners_find(a, &config, &owners, &err), HSD_OK, "%s", err.text);
        naive_owners(&g, wanted);
        naive_strong(&g, strong);
        const hsd_node end = g.roots.end;
        g.roots.end = g.roots.second;
        naive_strong(&g, primary);
        g.roots.end = end;
        for (uint32_t node = 0; node < g.nodes; node++) {
            cr_assert_eq(hsd_owner_get(&owners, node), wanted[node], "seed %lu node %u", (unsigned long)(seed + i),
                         node);
            cr_assert_eq(found[node / 8] >> node % 8 & 1, strong[node], "seed %lu node %u", (unsigned long)(seed + i),
                         node);
            by_marked += wanted[node] != HSD_OWNER_NONE && !strong[node];
            from_secondary += strong[node] && !primary[node];
        }
        hsd_owners_close(&owners);
        hsd_adjacency_free(a);
        free(has_marked);
        free(found);
        naive_release(&g);
    }
    cr_assert(by_marked > 1000 && from_secondary > 1000, "%u by marked ones alone, %u from secondary roots", by_marked,
              from_secondary);
}

static hsd_status find_serving(hsd_adjacency *a, hsd_root_nodes roots, uint32_t objects, const uint32_t *labels,
                               uint64_t memory, uint64_t serve, bool is_wide, hsd_owner_labels *owners)
{
    const hsd_owners_config config = {.roots = roots,
                                      .object_count = objects,
                                      .label_of_node = labels,
                                      .memory_bytes = memory,
                                      .serve_bytes = serve,
                                      .is_wide = is_wide,
                                      .block_bytes = UINT64_C(1) << 20,
                                      .space = &space};
    return hsd_owners_find(a, &config, owners, &err);
}

/* Labels that were found in any of the ways, of a width, are those of the wide ones. */
static void expect_same(hsd_owner_labels *found, uint32_t width, hsd_owner_labels *wide, uint32_t nodes)
{
    cr_assert_eq(found->width, width, "%u bytes a node, not %u", found->width, width);
    for (uint32_t node = 0; node < nodes; node++)
        cr_assert_eq(hsd_owner_get(found, node), hsd_owner_get(wide, node), "node %u", node);
    cr_assert_eq(hsd_owners_check(found, &err), HSD_OK);
    cr_assert_eq(hsd_owners_shrink(found, 0, &err), HSD_OK);
    for (uint32_t node = 0; node < nodes; node += 97)
        cr_assert_eq(hsd_owner_get(found, node), hsd_owner_get(wide, node), "node %u", node);
    hsd_owners_close(found);
}

/* Owners of a graph of `nodes` nodes with as many labels, of which the largest takes `width` bytes; in little memory,
 * and where they may stay narrow. */
static void check_narrow(uint32_t labels, uint32_t width, uint64_t seed)
{
    enum { NODES = 200000, REFERENCES = 3 };
    const uint32_t objects = NODES - labels;
    test_random random = {seed};
    hsd_adjacency *a;
    uint32_t *label_of = calloc(labels, sizeof *label_of);
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    for (uint32_t node = 0; node < NODES; node++) {
        hsd_node targets[REFERENCES];
        for (int i = 0; i < REFERENCES; i++)
            targets[i] = (uint32_t)test_below(&random, i == 0 ? objects : (node < objects ? node + 1 : objects));
        const uint64_t count = node % 3 == 0 || node >= objects ? 1 + node % REFERENCES : 0;
        cr_assert_eq(hsd_adjacency_add(a, node, targets, NULL, count, &err), HSD_OK);
        if (node >= objects) label_of[node - objects] = HSD_OWNER_FIRST + node - objects;
    }
    cr_assert_eq(hsd_adjacency_finish(a, NODES, &err), HSD_OK);
    const hsd_root_nodes roots = {.begin = objects + labels / 4, .second = NODES - labels / 4, .end = NODES};
    const uint64_t tight =
        hsd_frontier_share_bytes(a, 0) + (UINT64_C(700) << 10); /* 781 KiB of labels or more do not fit */
    const uint64_t ample = UINT64_C(16) << 20, serve = (uint64_t)NODES * width;
    hsd_owner_labels wide, found;
    cr_assert_eq(find(a, roots, objects, label_of, ample, &wide), HSD_OK, "%s", err.text);
    cr_assert(wide.width == HSD_NODE_BYTES && wide.wide.is_flat);
    cr_assert_eq(find(a, roots, objects, label_of, tight + labels, &found), HSD_OK, "%s", err.text);
    cr_assert(!found.wide.is_flat);
    expect_same(&found, HSD_NODE_BYTES, &wide, NODES);
    /* narrow labels do not fit beside the array that they are written to, or not at all: they are packed */
    const uint64_t little = hsd_frontier_share_bytes(a, 0) + (UINT64_C(300) << 10);
    cr_assert_eq(find(a, roots, objects, label_of, little, &found), HSD_OK, "%s", err.text);
    expect_same(&found, HSD_NODE_BYTES, &wide, NODES);
    static const struct {
        bool is_tight, is_wide;
        uint32_t less; /* bytes than narrow labels take */
    } ways[] = {{false, false, 0}, {true, false, 0},  {false, true, 0},
                {true, true, 0},   {false, false, 1}, {true, false, 1}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const bool stays = !ways[i].is_wide && ways[i].less == 0;
        cr_assert_eq(find_serving(a, roots, objects, label_of, ways[i].is_tight ? tight + labels : ample,
                                  serve - ways[i].less, ways[i].is_wide, &found),
                     HSD_OK, "%s", err.text);
        expect_same(&found, stays ? width : HSD_NODE_BYTES, &wide, NODES);
    }
    hsd_owners_close(&wide);
    hsd_adjacency_free(a);
    free(label_of);
}

/* One byte a label, two, and those of a number after all. */
Test(owners, are_the_same_in_narrow_labels)
{
    check_narrow(100, 1, test_seed(21));
    check_narrow(125, 1, test_seed(22));
    check_narrow(126, 1, test_seed(23));
    check_narrow(127, 2, test_seed(27));
    check_narrow(20000, 2, test_seed(24));
    check_narrow(32766, 2, test_seed(25));
    check_narrow(32767, HSD_NODE_BYTES, test_seed(28));
    check_narrow(40000, HSD_NODE_BYTES, test_seed(26));
}

Test(owners, of_parts_equal_their_definition_on_random_graphs)
{
    const uint64_t seed = test_seed(13);
    for (uint64_t i = 0; i < 5000; i++) {
        test_random random = {seed + i};
        naive_graph g = naive_random(&random);
        hsd_adjacency *a = naive_to_adjacency(&g, UINT64_C(1) << 20, &space);
        hsd_paged holder;
        const hsd_parts_config config = {
            .object_count = g.objects, .is_part = g.is_part, .memory_bytes = UINT64_C(1) << 20, .space = &space};
        cr_assert_eq(hsd_parts_find(a, &config, &holder, &err), HSD_OK, "%s", err.text);
        for (uint32_t node = 0; node < g.objects; node++) {
            const hsd_node wanted = naive_is_part(&g, node) ? naive_holder(&g, node) : 0;
            cr_assert_eq(hsd_paged_get_node(&holder, node), wanted, "seed %lu node %u", (unsigned long)(seed + i),
                         node);
        }
        hsd_paged_close(&holder);
        hsd_adjacency_free(a);
        naive_release(&g);
    }
}

enum { MANY = 300000 };

/* A shape; behind it two root nodes, to the first and the middle one. */
static hsd_adjacency *shape(shape_targets targets, uint64_t memory)
{
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, memory, &space, &err), HSD_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        hsd_node out[2];
        const uint32_t count = targets(i, MANY, out);
        cr_assert_eq(hsd_adjacency_add(a, i, out, NULL, count, &err), HSD_OK);
    }
    for (uint32_t i = 0; i < 2; i++) {
        const hsd_node target = i * (MANY / 2);
        cr_assert_eq(hsd_adjacency_add(a, MANY + i, &target, NULL, 1, &err), HSD_OK);
    }
    cr_assert_eq(hsd_adjacency_finish(a, MANY + 2, &err), HSD_OK);
    return a;
}

/* All of a shape hangs from its first object; a second root in the middle makes what lies behind it shared, unless
 * it is a secondary one. */
static void check_shape(shape_targets targets, uint64_t memory)
{
    static const uint32_t labels[2] = {5, 6};
    static const struct {
        hsd_root_nodes roots;
        uint32_t middle;
    } cases[] = {{{MANY, MANY + 1, MANY + 1, 0, 0}, 5},
                 {{MANY, MANY + 2, MANY + 2, 0, 0}, HSD_OWNER_SHARED},
                 {{MANY, MANY + 1, MANY + 2, 0, 0}, 5},
                 {{MANY + 1, MANY + 1, MANY + 2, 0, 0}, 6},
                 {{MANY, MANY, MANY + 2, 0, 0}, HSD_OWNER_SHARED},
                 {{MANY, MANY, MANY, 0, 0}, HSD_OWNER_NONE}};
    hsd_adjacency *a = shape(targets, memory);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hsd_owner_labels owners;
        cr_assert_eq(find(a, cases[i].roots, MANY, labels, memory, &owners), HSD_OK);
        cr_assert_eq(hsd_owner_get(&owners, MANY / 2), cases[i].middle, "case %zu", i);
        hsd_owners_close(&owners);
    }
    hsd_adjacency_free(a);
}

Test(owners, survive_the_worst_shapes_in_little_memory)
{
    check_shape(list_targets, UINT64_C(512) << 10);
    check_shape(cycle_targets, UINT64_C(512) << 10);
    check_shape(tree_targets, UINT64_C(512) << 10);
    check_shape(comb_targets, UINT64_C(512) << 10);
}

static uint32_t scattered_targets(uint32_t i, uint32_t count, hsd_node *out)
{
    out[0] = (i + 104729) % count; /* each in another block */
    return 1;
}

/* One node waits at a time, and its block is seldom in memory: a list is read, not the block. */
Test(owners, of_a_scattered_list_read_lists_and_no_blocks)
{
    static const uint32_t labels[2] = {5, 6};
    hsd_owner_labels owners;
    hsd_adjacency *a = shape(scattered_targets, UINT64_C(512) << 10);
    cr_assert(!hsd_adjacency_is_resident(a));
    space.bytes_read = 0;
    cr_assert_eq(find(a, (hsd_root_nodes){MANY, MANY + 1, MANY + 1, 0, 0}, MANY, labels, UINT64_C(512) << 10, &owners),
                 HSD_OK);
    cr_assert_eq(hsd_owner_get(&owners, MANY - 1), 5);
    cr_assert_lt(space.bytes_read, 64 * (uint64_t)MANY, "%lu bytes of %lu are read", (unsigned long)space.bytes_read,
                 (unsigned long)hsd_adjacency_bytes(a));
    hsd_owners_close(&owners);
    hsd_adjacency_free(a);
}

Test(owners, refuse_roots_that_are_no_nodes_and_labels_that_are_no_owners)
{
    static const uint32_t good[2] = {5, 6}, shared[2] = {5, HSD_OWNER_SHARED}, huge[2] = {UINT32_MAX, 5};
    static const hsd_root_nodes bad[] = {{MANY, MANY + 2, MANY + 3, 0, 0},
                                         {MANY + 1, MANY, MANY + 1, 0, 0},
                                         {MANY, MANY + 2, MANY + 1, 0, 0},
                                         {MANY - 1, MANY, MANY + 1, 0, 0}};
    const hsd_root_nodes roots = {MANY, MANY + 1, MANY + 2, 0, 0};
    hsd_adjacency *a = shape(list_targets, UINT64_C(4) << 20);
    hsd_owner_labels owners;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert_eq(find(a, bad[i], MANY, good, UINT64_C(4) << 20, &owners), HSD_E_MISUSE, "case %zu", i);
    }
    cr_assert_eq(find(a, roots, MANY, shared, UINT64_C(4) << 20, &owners), HSD_E_MISUSE);
    cr_assert_eq(find(a, roots, MANY, huge, UINT64_C(4) << 20, &owners), HSD_E_MISUSE);
    hsd_adjacency_free(a);
}
