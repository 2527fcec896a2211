/*
 * Adjacency blocks against plain lists: random graphs, the worst shapes, and hostile call orders.
 */
#include <criterion/criterion.h>

#include "graph/adjacency_state.h"
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
static uint32_t all_targets(hsd_adjacency *a, hsd_node node, hsd_node *out)
{
    hsd_targets targets;
    uint32_t count = 0;
    hsd_adjacency_get(a, node, &targets);
    for (;;) {
        cr_assert_null(targets.names);
        memcpy(out + count, targets.items, targets.count * sizeof *out);
        count += targets.count;
        if (!targets.has_more) return count;
        hsd_adjacency_more(a, &targets);
    }
}

static uint32_t all_names(hsd_adjacency *a, hsd_node node, hsd_node *out, uint32_t *names)
{
    hsd_targets targets;
    uint32_t count = 0;
    hsd_adjacency_get_named(a, node, &targets);
    for (;;) {
        memcpy(out + count, targets.items, targets.count * sizeof *out);
        memcpy(names + count, targets.names, targets.count * sizeof *names);
        count += targets.count;
        if (!targets.has_more) return count;
        hsd_adjacency_more(a, &targets);
    }
}

static void check_equal(const naive_graph *g, hsd_adjacency *a, bool has_names)
{
    hsd_node found[512];
    uint32_t names[512];
    uint32_t e = 0;
    for (uint32_t node = 0; node < g->nodes; node++) {
        hsd_node wanted[512];
        uint32_t wanted_names[512] = {0}, wanted_count = 0;
        for (; e < g->edge_count && g->edges[e].source == node; e++) {
            const hsd_node target = g->edges[e].target;
            if (target == node || (wanted_count > 0 && wanted[wanted_count - 1] == target)) continue;
            if (has_names) wanted_names[wanted_count] = g->edges[e].name; /* sorted: the least comes first */
            wanted[wanted_count++] = target;
        }
        cr_assert_eq(all_targets(a, node, found), wanted_count, "node %u", node);
        cr_assert_eq(memcmp(found, wanted, wanted_count * sizeof *found), 0, "node %u", node);
        cr_assert_eq(all_names(a, node, found, names), wanted_count, "node %u", node);
        cr_assert_eq(memcmp(found, wanted, wanted_count * sizeof *found), 0, "node %u", node);
        cr_assert_eq(memcmp(names, wanted_names, wanted_count * sizeof *names), 0, "names of node %u", node);
        cr_assert_eq(hsd_adjacency_is_leaf(a, node), wanted_count == 0, "node %u", node);
    }
}

/* References of one source as a list, or through hsd_adjacency_add. */
static void add_either(hsd_adjacency *a, bool is_list, hsd_node source, const hsd_node *targets, const uint32_t *names,
                       uint32_t count)
{
    hsd_lists_out *out = hsd_adjacency_lists(a);
    if (!is_list) {
        cr_assert_eq(hsd_adjacency_add(a, source, targets, names, count, &err), HSD_OK);
        return;
    }
    if (count == 0) return;
    if (out->end - out->at <= (ptrdiff_t)count) cr_assert_eq(hsd_adjacency_turn(a, &err), HSD_OK);
    *out->at++ = hsd_two_of(source, count);
    for (uint32_t i = 0; i < count; i++)
        *out->at++ = hsd_two_of(targets[i], names[i]);
}

/* The edges of each source in any order, some sources in several calls. */
static hsd_adjacency *add_shuffled(const naive_graph *g, test_random *random, bool has_names)
{
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    if (has_names) cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(1) << 20, &err), HSD_OK);
    if (test_below(random, 4) == 0) cr_assert_eq(hsd_adjacency_use_thread(a, &err), HSD_OK);
    for (uint32_t begin = 0, end; begin < g->edge_count; begin = end) {
        hsd_node targets[512];
        uint32_t names[512], count = 0;
        for (end = begin; end < g->edge_count && g->edges[end].source == g->edges[begin].source; end++) {
            const uint32_t at = (uint32_t)test_below(random, count + 1);
            targets[count] = targets[at];
            names[count++] = names[at];
            targets[at] = g->edges[end].target;
            names[at] = g->edges[end].name;
        }
        const uint32_t first = (uint32_t)test_below(random, count + 1);
        add_either(a, test_below(random, 3) > 0, g->edges[begin].source, targets, names, first);
        add_either(a, test_below(random, 3) > 0, g->edges[begin].source, targets + first, names + first, count - first);
    }
    cr_assert_eq(hsd_adjacency_finish(a, g->nodes, &err), HSD_OK, "%s", err.text);
    return a;
}

/* Names as wide as they may be: one in four graphs has narrow ones. */
static void widen_names(naive_graph *g, unsigned kind)
{
    static const uint32_t factors[] = {1, 40, 10007, UINT32_C(0xC0000001)};
    for (uint32_t e = 0; e < g->edge_count; e++)
        g->edges[e].name *= factors[kind % 4];
    qsort(g->edges, g->edge_count, sizeof *g->edges, naive_compare_edges);
}

Test(adjacency, equals_plain_lists_on_random_graphs)
{
    const uint64_t seed = test_seed(7);
    for (uint64_t i = 0; i < 2000; i++) {
        test_random random = {seed + i};
        naive_graph g = naive_random(&random);
        widen_names(&g, (unsigned)(i / 2));
        const bool has_names = i % 2 == 0;
        hsd_adjacency *a = add_shuffled(&g, &random, has_names), *view;
        check_equal(&g, a, has_names);
        if (i % 4 >= 2) { /* into files, of which the view has pages of its own */
            const uint64_t page = hsd_paged_full_bytes(HSD_BLOCK_BYTES);
            cr_assert_eq(hsd_adjacency_set_memory(a, page, &err), HSD_OK);
            cr_assert_eq(hsd_adjacency_set_name_memory(a, page, &err), HSD_OK);
            cr_assert(!hsd_adjacency_is_all_resident(a) || g.edge_count == 0);
        }
        cr_assert_eq(hsd_adjacency_view_bytes(a) == 0, hsd_adjacency_is_all_resident(a));
        cr_assert_eq(hsd_adjacency_view(a, &view, &err), HSD_OK);
        check_equal(&g, view, has_names);
        hsd_adjacency_free(view);
        check_equal(&g, a, has_names);
        hsd_adjacency_free(a);
        naive_release(&g);
    }
}

/* `count` targets of one source, in falling order, between two ordinary nodes. */
static hsd_adjacency *star(uint32_t count, uint64_t memory)
{
    hsd_adjacency *a;
    const hsd_node one = 1;
    cr_assert_eq(hsd_adjacency_begin(&a, memory, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 0, &one, NULL, 1, &err), HSD_OK);
    for (uint32_t i = count; i-- > 0;) {
        const hsd_node target = i + 2;
        cr_assert_eq(hsd_adjacency_add(a, 1, &target, NULL, 1, &err), HSD_OK);
    }
    cr_assert_eq(hsd_adjacency_add(a, 2, &one, NULL, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, count + 2, &err), HSD_OK, "%s", err.text);
    return a;
}

static void check_star(hsd_adjacency *a, uint32_t count)
{
    hsd_node *found = calloc(count + 1, sizeof *found);
    uint8_t *seen = calloc(count + 2, 1);
    cr_assert_eq(all_targets(a, 1, found), count);
    for (uint32_t i = 0; i < count; i++)
        seen[found[i]]++;
    for (uint32_t i = 2; i < count + 2; i++)
        cr_assert_eq(seen[i], 1, "target %u", i);
    cr_assert_eq(all_targets(a, 0, found), 1);
    cr_assert_eq(found[0], 1);
    cr_assert_eq(all_targets(a, 2, found), 1);
    cr_assert_eq(all_targets(a, 3, found), 0);
    cr_assert_eq(hsd_adjacency_check(a, &err), HSD_OK);
    free(found);
    free(seen);
}

/* ---- by way of another thread ---- */

enum { FED_NODES = 60000, FED_FAN_OUT = 300000 };

/* Several batches: most nodes refer to few, one to more than a batch holds; each third list has no names. */
static hsd_adjacency *build_fed(bool uses_thread, bool has_names)
{
    test_random random = {test_seed(23)};
    hsd_adjacency *a;
    hsd_node *targets = malloc(FED_FAN_OUT * sizeof *targets);
    uint32_t *names = malloc(FED_FAN_OUT * sizeof *names);
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    if (has_names) cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(1) << 20, &err), HSD_OK);
    if (uses_thread) cr_assert_eq(hsd_adjacency_use_thread(a, &err), HSD_OK);
    for (uint32_t node = 0; node < FED_NODES; node++) {
        const uint32_t count = node == FED_NODES / 2 ? FED_FAN_OUT : (uint32_t)test_below(&random, 9);
        for (uint32_t i = 0; i < count; i++) {
            targets[i] = (uint32_t)test_below(&random, FED_NODES);
            names[i] = (uint32_t)test_below(&random, 50);
        }
        cr_assert_eq(hsd_adjacency_add(a, node, targets, node % 3 == 0 ? NULL : names, count, &err), HSD_OK);
    }
    cr_assert_eq(hsd_adjacency_finish(a, FED_NODES, &err), HSD_OK, "%s", err.text);
    free(targets);
    free(names);
    return a;
}

static void check_same_lists(hsd_adjacency *a, hsd_adjacency *b, uint32_t node)
{
    hsd_targets of_a, of_b;
    hsd_adjacency_get_named(a, node, &of_a);
    hsd_adjacency_get_named(b, node, &of_b);
    for (;;) {
        cr_assert_eq(of_a.count, of_b.count, "node %u", node);
        cr_assert_eq(of_a.has_more, of_b.has_more, "node %u", node);
        cr_assert_eq(memcmp(of_a.items, of_b.items, of_a.count * sizeof *of_a.items), 0, "node %u", node);
        cr_assert_eq(memcmp(of_a.names, of_b.names, of_a.count * sizeof *of_a.names), 0, "node %u", node);
        if (!of_a.has_more) return;
        hsd_adjacency_more(a, &of_a);
        hsd_adjacency_more(b, &of_b);
    }
}

Test(adjacency, is_the_same_when_another_thread_encodes_it)
{
    for (int has_names = 0; has_names < 2; has_names++) {
        hsd_adjacency *fed = build_fed(true, has_names), *plain = build_fed(false, has_names);
        cr_assert_eq(hsd_adjacency_edge_count(fed), hsd_adjacency_edge_count(plain));
        cr_assert_eq(hsd_adjacency_bytes(fed), hsd_adjacency_bytes(plain));
        cr_assert_eq(hsd_adjacency_name_bytes(fed), hsd_adjacency_name_bytes(plain));
        for (uint32_t node = 0; node < FED_NODES; node++)
            check_same_lists(fed, plain, node);
        hsd_adjacency_free(fed);
        hsd_adjacency_free(plain);
    }
}

Test(adjacency, tells_at_last_what_another_thread_could_not_encode)
{
    hsd_adjacency *a;
    const hsd_node target = 1;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_use_thread(a, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 5, &target, NULL, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 3, &target, NULL, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, 10, &err), HSD_E_MISUSE);
    cr_assert(strstr(err.text, "node 3 came out of order") != NULL, "%s", err.text);
    hsd_adjacency_free(a);
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_use_thread(a, &err), HSD_OK);
    for (uint32_t node = 0; node < FED_NODES; node++)
        cr_assert_eq(hsd_adjacency_add(a, node, &target, NULL, 1, &err), HSD_OK);
    hsd_adjacency_free(a); /* not finished, and a batch is being encoded */
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

/* ---- long lists of neighbours, and of what stands apart ---- */

/* A list of `count` targets: runs of `run` that follow each other, `apart` between them. */
static hsd_adjacency *runs(uint32_t count, uint32_t run, uint32_t apart, hsd_node *targets)
{
    hsd_adjacency *a;
    uint32_t *names = calloc(count, sizeof *names), target = 7;
    for (uint32_t i = 0; i < count; i++, target += i % run == 0 ? apart : 1) {
        targets[i] = target;
        names[i] = target % 300;
    }
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(1) << 20, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 2, targets, names, count, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 3, targets, names, 3, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, target + 1, &err), HSD_OK, "%s", err.text);
    free(names);
    return a;
}

/* Each part by itself, too, from the last one to the first. */
static void check_runs(hsd_adjacency *a, const hsd_node *targets, uint32_t count)
{
    const uint32_t parts = (count + HSD_ADJACENCY_PART_ITEMS - 1) / HSD_ADJACENCY_PART_ITEMS;
    hsd_node *found = calloc(count, sizeof *found);
    uint32_t *names = calloc(count, sizeof *names);
    cr_assert_eq(all_names(a, 2, found, names), count);
    cr_assert_eq(memcmp(found, targets, count * sizeof *found), 0);
    for (uint32_t part = parts; part-- > 0;) {
        hsd_targets got;
        const uint32_t from = part * HSD_ADJACENCY_PART_ITEMS;
        hsd_adjacency_get_part(a, 2, part, &got);
        cr_assert_eq(got.count, part + 1 < parts ? HSD_ADJACENCY_PART_ITEMS : count - from);
        cr_assert_eq(got.has_more, part + 1 < parts);
        for (uint32_t i = 0; i < got.count; i++)
            cr_assert(got.items[i] == targets[from + i] && got.names[i] == targets[from + i] % 300);
    }
    cr_assert_eq(all_targets(a, 3, found), 3);
    cr_assert_eq(hsd_adjacency_check(a, &err), HSD_OK);
    free(found);
    free(names);
}

Test(adjacency, stores_long_lists_in_what_their_gaps_take)
{
    static const struct {
        uint32_t run, apart;
        double bytes; /* a reference, at most; blocks are whole */
    } kinds[] = {{UINT32_MAX, 1, 0.02}, {1000, 90, 0.03}, {3, 5, 1.2}, {1, 2, 1.2}, {1, 200, 2.8}};
    enum { COUNT = 100000 };
    hsd_node *targets = calloc(COUNT, sizeof *targets);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (uint32_t count = i == 0 ? 4095 : COUNT; count <= (i == 0 ? 4099 : COUNT); count++) {
            hsd_adjacency *a = runs(count, kinds[i].run, kinds[i].apart, targets);
            check_runs(a, targets, count);
            hsd_adjacency_free(a);
        }
        hsd_adjacency *a = runs(COUNT, kinds[i].run, kinds[i].apart, targets);
        const double empty = (double)targets[COUNT - 1] * 4.001; /* 4,096 nodes without a list are a block */
        cr_assert_leq((double)hsd_adjacency_bytes(a) - empty, COUNT * kinds[i].bytes + 4 * 16384, "kind %zu: %.2f", i,
                      ((double)hsd_adjacency_bytes(a) - empty) / COUNT);
        hsd_adjacency_free(a);
    }
    free(targets);
}

/* ---- names of many nodes and of long lists, in little memory and in much ---- */

/* Of target `target` of node `node`, by kind of list: alike, narrow, wide, as wide as can be. */
static uint32_t name_of(uint32_t node, hsd_node number)
{
    const uint32_t target = (uint32_t)number;
    switch (node / 3 % 4) {
    case 0: return node % 1000;
    case 1: return target % 200;
    case 2: return target % 50000;
    default: return target * UINT32_C(2654435761);
    }
}

enum { NODES = 200000, FAN_EVERY = 20011, FAN = 5000 };

static uint32_t targets_of(uint32_t node, hsd_node *targets)
{
    const uint32_t count = node % FAN_EVERY == 0 ? FAN + node % 3 : node % 7;
    for (uint32_t i = 0; i < count; i++)
        targets[i] = (uint32_t)((node + 1 + i * UINT64_C(7919)) % NODES);
    return count;
}

static hsd_adjacency *build_named(uint64_t memory, uint64_t name_memory)
{
    hsd_adjacency *a;
    static hsd_node targets[FAN + 3];
    static uint32_t names[FAN + 3];
    cr_assert_eq(hsd_adjacency_begin(&a, memory, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, name_memory, &err), HSD_OK);
    for (uint32_t node = 0; node < NODES; node++) {
        if (node > NODES / 2 && node < NODES * 3 / 4) continue; /* a gap of leaves, longer than any block */
        const uint32_t count = targets_of(node, targets);
        for (uint32_t i = 0; i < count; i++)
            names[i] = name_of(node, targets[i]);
        cr_assert_eq(hsd_adjacency_add(a, node, targets, names, count, &err), HSD_OK);
    }
    cr_assert_eq(hsd_adjacency_finish(a, NODES, &err), HSD_OK, "%s", err.text);
    return a;
}

static void check_node(hsd_adjacency *a, uint32_t node)
{
    static hsd_node targets[FAN + 3], found[FAN + 3];
    static uint32_t names[FAN + 3];
    const bool is_gap = node > NODES / 2 && node < NODES * 3 / 4;
    const uint32_t wanted = is_gap ? 0 : targets_of(node, targets);
    const uint32_t count = all_names(a, node, found, names);
    cr_assert_eq(count, wanted, "node %u", node); /* no target is its own source, none comes twice */
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(names[i], name_of(node, found[i]), "node %u", node);
    cr_assert_eq(all_targets(a, node, targets), wanted);
    cr_assert_eq(memcmp(targets, found, count * sizeof *found), 0);
}

/* A list as it is read without its block, against the plain one. */
static void check_alone(hsd_adjacency *a, uint32_t node)
{
    static hsd_node targets[FAN + 3];
    hsd_targets alone;
    if (node % FAN_EVERY == 0 || hsd_adjacency_is_leaf(a, node)) return;
    hsd_adjacency_get_named_alone(a, node, &alone);
    cr_assert_eq(alone.count, targets_of(node, targets), "node %u", node);
    for (uint32_t i = 0; i < alone.count; i++)
        cr_assert_eq(alone.names[i], name_of(node, alone.items[i]), "node %u", node);
}

static void check_named(hsd_adjacency *a)
{
    for (uint32_t node = 0; node < NODES; node++)
        check_node(a, node);
    for (uint64_t step = 0; step < 20000; step++) {
        check_node(a, (uint32_t)(step * 104729 % NODES));
        check_alone(a, (uint32_t)(step * 98947 % NODES));
    }
    cr_assert_eq(hsd_adjacency_check(a, &err), HSD_OK);
}

Test(adjacency, reads_the_same_names_through_pages_and_in_memory)
{
    static const uint64_t least = 512 << 10, much = 64 << 20;
    const uint64_t memory[][2] = {{least, least}, {least, much}, {much, least}, {much, much}};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
        hsd_adjacency *a = build_named(memory[i][0], memory[i][1]);
        cr_assert_eq(space.bytes_now > 0, i < 3);
        cr_assert_gt(hsd_adjacency_name_bytes(a), 0);
        check_named(a);
        hsd_adjacency_free(a);
        cr_assert_eq(space.bytes_now, 0);
    }
}

Test(adjacency, takes_another_memory_at_any_time)
{
    hsd_adjacency *a = build_named(UINT64_C(64) << 20, UINT64_C(64) << 20);
    static const uint64_t sizes[] = {512 << 10, 64 << 20, 640 << 10, 512 << 10};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        cr_assert_eq(hsd_adjacency_set_memory(a, sizes[i], &err), HSD_OK);
        cr_assert_not(hsd_adjacency_is_resident(a));
        cr_assert_eq(hsd_adjacency_set_name_memory(a, sizes[3 - i], &err), HSD_OK);
        for (uint32_t node = 0; node < NODES; node += 37)
            check_node(a, node);
    }
    cr_assert_eq(hsd_adjacency_check(a, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_set_memory(a, 1000, &err), HSD_E_OVER_BUDGET);
    hsd_adjacency_free(a);
    cr_assert_eq(space.bytes_now, 0);
}

/* Half a million references of one node, all named 9. */
static hsd_adjacency *build_star_of_one_name(void)
{
    hsd_adjacency *a;
    const uint32_t name = 9;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(64) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(64) << 20, &err), HSD_OK);
    for (hsd_node i = 1; i < 500000; i++)
        cr_assert_eq(hsd_adjacency_add(a, 0, &i, &name, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, 500000, &err), HSD_OK);
    return a;
}

/* Three references of each node, all of one name. */
static hsd_adjacency *build_alike(uint32_t names)
{
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(64) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(64) << 20, &err), HSD_OK);
    for (uint32_t node = 0; node + 3 < NODES; node++) {
        const hsd_node targets[3] = {node + 1, node + 2, node + 3};
        const uint32_t name = node * 7 % names;
        cr_assert_eq(hsd_adjacency_add(a, node, targets, (const uint32_t[3]){name, name, name}, 3, &err), HSD_OK);
    }
    cr_assert_eq(hsd_adjacency_finish(a, NODES, &err), HSD_OK);
    return a;
}

Test(adjacency, lists_of_names_alike_cost_two_bytes)
{
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(64) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(64) << 20, &err), HSD_OK);
    for (uint32_t node = 0; node + 3 < NODES; node++) {
        const hsd_node targets[3] = {node + 1, node + 2, node + 3};
        const uint32_t names[3] = {node % 5 * 3000, 70000, 7};
        cr_assert_eq(hsd_adjacency_add(a, node, targets, names, 3, &err), HSD_OK);
    }
    cr_assert_eq(hsd_adjacency_finish(a, NODES, &err), HSD_OK);
    cr_assert_lt(hsd_adjacency_name_bytes(a), 2 * NODES + NODES / 50 + HSD_PAGE_BYTES);
    hsd_adjacency_free(a);
    for (uint32_t wide = 0; wide < 2; wide++) { /* every name is new, but alike in its list: 1 + 1 or 2 bytes more */
        a = build_alike(wide == 0 ? 200 : 60000);
        cr_assert_lt(hsd_adjacency_name_bytes(a), (wide == 0 ? 3u : 5u) * NODES + 2 * HSD_PAGE_BYTES);
        hsd_adjacency_free(a);
    }
    a = build_star_of_one_name();
    cr_assert_eq(hsd_adjacency_name_bytes(a), HSD_PAGE_BYTES, "one list for all parts");
    hsd_adjacency_free(a);
}

/* A list that goes on where another ended, with zeros: what is free in a block reads like them. */
Test(adjacency, never_takes_the_room_behind_a_list_for_names)
{
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(64) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(64) << 20, &err), HSD_OK);
    for (uint32_t node = 0; node < NODES; node++) {
        const hsd_node targets[3] = {NODES, NODES + 1, NODES + 2};
        const uint32_t names[3] = {1 + node / 2 % 255, 1 + node / 512 % 255, 0};
        cr_assert_eq(hsd_adjacency_add(a, node, targets, names, 2 + node % 2, &err), HSD_OK);
    }
    cr_assert_eq(hsd_adjacency_finish(a, NODES + 3, &err), HSD_OK);
    for (uint32_t node = 0; node < NODES; node++) {
        hsd_node found[3];
        uint32_t names[3];
        cr_assert_eq(all_names(a, node, found, names), 2 + node % 2);
        cr_assert_eq(names[0], 1 + node / 2 % 255, "node %u", node);
        cr_assert_eq(names[1], 1 + node / 512 % 255, "node %u", node);
        if (node % 2) cr_assert_eq(names[2], 0, "node %u", node);
    }
    hsd_adjacency_free(a);
}

Test(adjacency, refuses_calls_in_the_wrong_order)
{
    hsd_adjacency *a;
    const hsd_node target = 5;
    cr_assert_eq(hsd_adjacency_begin(&a, 1, &space, &err), HSD_E_OVER_BUDGET);
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, 1, &err), HSD_E_OVER_BUDGET);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(1) << 20, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(1) << 20, &err), HSD_E_MISUSE);
    cr_assert_eq(hsd_adjacency_add(a, 3, &target, NULL, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 2, &target, NULL, 1, &err), HSD_E_MISUSE);
    cr_assert_eq(hsd_adjacency_set_memory(a, UINT64_C(1) << 20, &err), HSD_E_MISUSE);
    cr_assert_eq(hsd_adjacency_set_name_memory(a, UINT64_C(1) << 20, &err), HSD_E_MISUSE);
    cr_assert_eq(hsd_adjacency_finish(a, 5, &err), HSD_E_MISUSE, "target 5 of 5 nodes");
    hsd_adjacency_free(a);
}

Test(adjacency, says_so_when_blocks_cannot_be_written_or_read)
{
    hsd_temp_space nowhere;
    hsd_temp_space_init(&nowhere, "/nonexistent-folder");
    hsd_status status = HSD_OK;
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(512) << 10, &nowhere, &err), HSD_OK);
    for (uint32_t i = 0; i < NODES && status == HSD_OK; i++) {
        const hsd_node targets[2] = {i + 1, i * 7919 % NODES};
        status = hsd_adjacency_add(a, i, targets, NULL, 2, &err);
    }
    cr_assert_eq(status, HSD_E_IO);
    hsd_adjacency_free(a);
}

Test(adjacency, accepts_a_graph_of_nothing)
{
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, 0, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_edge_count(a), 0);
    cr_assert_eq(hsd_adjacency_name_bytes(a), 0);
    cr_assert_eq(hsd_adjacency_set_name_memory(a, 1, &err), HSD_OK, "there is nothing to keep");
    hsd_adjacency_free(a);
}

/* ---- numbers that do not fit 32 bits ---- */

#if HSD_NODE_BITS == 64

#define FAR UINT64_C(0x700000000)

/* What a graph of few nodes says of targets that are no nodes of it: lists are sorted, coded and read all the same.
 * Empty lists of all nodes between would be 64 MiB a billion. */
static void finish_far(hsd_adjacency *a, hsd_node nodes)
{
    a->largest_target = 0;
    cr_assert_eq(hsd_adjacency_finish(a, nodes, &err), HSD_OK, "%s", err.text);
}

enum { FAR_LISTS = 2000, FAR_FAN = 6000 };

/* Near and far targets, one apart or many, of any size up to 2^57. */
static hsd_node far_target(uint32_t node, uint32_t i)
{
    const hsd_node far = node % 5 == 4 ? UINT64_C(1) << (30 + node % 28) : FAR;
    const hsd_node step = node % 3 == 0 ? 1 : node % 3 == 1 ? 129 : UINT64_C(0x140000001);
    return far + node + (i / 2 + i % 2 * 4000) * step;
}

static uint32_t far_count(uint32_t node) { return node % 500 == 7 ? FAR_FAN : node % 9; }

static int compare_nodes(const void *a, const void *b)
{
    const hsd_node x = *(const hsd_node *)a, y = *(const hsd_node *)b;
    return (x > y) - (x < y);
}

static void check_far(hsd_adjacency *a)
{
    static hsd_node wanted[FAR_FAN], found[FAR_FAN];
    static uint32_t names[FAR_FAN];
    for (uint32_t node = 0; node < FAR_LISTS; node++) {
        const uint32_t count = far_count(node);
        for (uint32_t i = 0; i < count; i++)
            wanted[i] = far_target(node, i);
        cr_assert_eq(all_names(a, node, found, names), count, "node %u", node);
        for (uint32_t i = 0; i < count; i++)
            cr_assert_eq(names[i], (uint32_t)(found[i] >> 5), "node %u", node);
        qsort(found, count, sizeof *found, compare_nodes);
        qsort(wanted, count, sizeof *wanted, compare_nodes);
        cr_assert_eq(memcmp(found, wanted, count * sizeof *found), 0, "node %u", node);
        cr_assert_eq(all_targets(a, node, found), count);
    }
    cr_assert_eq(hsd_adjacency_check(a, &err), HSD_OK);
}

Test(adjacency, keeps_far_targets)
{
    static hsd_node targets[FAR_FAN];
    static uint32_t names[FAR_FAN];
    const hsd_node near = 0;
    for (int uses_thread = 0; uses_thread < 2; uses_thread++) {
        hsd_adjacency *a;
        cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(16) << 20, &space, &err), HSD_OK);
        cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(16) << 20, &err), HSD_OK);
        if (uses_thread) cr_assert_eq(hsd_adjacency_use_thread(a, &err), HSD_OK);
        for (uint32_t node = 0; node < FAR_LISTS; node++) {
            for (uint32_t i = 0; i < far_count(node); i++) {
                targets[i] = far_target(node, i);
                names[i] = (uint32_t)(targets[i] >> 5);
            }
            cr_assert_eq(hsd_adjacency_add(a, node, targets, names, far_count(node), &err), HSD_OK, "%s", err.text);
        }
        cr_assert_eq(hsd_adjacency_add(a, FAR_LISTS, &near, NULL, 1, &err), HSD_OK); /* the last far one is complete */
        cr_assert_eq(hsd_adjacency_feed_end(a, HSD_OK, &err), HSD_OK);
        cr_assert_gt(a->largest_target, UINT64_C(1) << 57);
        finish_far(a, FAR_LISTS + 1);
        check_far(a);
        cr_assert_eq(hsd_adjacency_set_memory(a, UINT64_C(300) << 10, &err), HSD_OK);
        cr_assert_eq(hsd_adjacency_set_name_memory(a, UINT64_C(300) << 10, &err), HSD_OK);
        check_far(a);
        hsd_adjacency_free(a);
    }
}

/* Nodes from `FAR` on, as if all before had their place already: bits of the whole range are needed, and zeros. */
Test(adjacency, keeps_far_sources)
{
    enum { COUNT = 20000, EVERY = 777 };
    static hsd_node targets[FAR_FAN], found[FAR_FAN];
    static const hsd_node from = UINT64_C(1) << 32;
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(16) << 20, &space, &err), HSD_OK);
    a->next_node = from;
    a->bit_bytes = (from + COUNT) / 8 + 1;
    a->has_targets = calloc(a->bit_bytes, 1);
    for (hsd_node i = 0; i < COUNT; i++) {
        const uint32_t count = i % EVERY == 0 ? FAR_FAN : (uint32_t)(i % 4);
        for (uint32_t t = 0; t < count; t++)
            targets[t] = i % 3 == 0 ? t : (from - 3 + 5 * t) % (from + COUNT);
        cr_assert_eq(hsd_adjacency_add(a, from + i, targets, NULL, count, &err), HSD_OK, "%s", err.text);
    }
    cr_assert_eq(hsd_adjacency_add(a, from - 1, targets, NULL, 1, &err), HSD_E_MISUSE);
    cr_assert_eq(hsd_adjacency_finish(a, from + COUNT - 1, &err), HSD_E_MISUSE);
    a->largest_target = from;
    cr_assert_eq(hsd_adjacency_finish(a, from + COUNT, &err), HSD_OK, "%s", err.text);
    for (hsd_node i = 0; i < COUNT; i++) {
        const uint32_t wanted = i % EVERY == 0 ? FAR_FAN : (uint32_t)(i % 4);
        const uint32_t count = all_targets(a, from + i, found);
        cr_assert_eq(hsd_adjacency_is_leaf(a, from + i), wanted == 0);
        cr_assert(count == wanted || (count + 1 == wanted && i < 5 * FAR_FAN), "no target is its own source");
        for (uint32_t t = 0; t < (count < 4 ? count : 4); t++)
            cr_assert_eq(found[t], i % 3 == 0 ? t : from - 3 + 5 * t);
    }
    cr_assert_eq(hsd_adjacency_node_count(a), from + COUNT);
    hsd_adjacency_free(a);
}

Test(adjacency, refuses_targets_that_no_graph_has)
{
    hsd_adjacency *a;
    const hsd_node target = UINT64_C(1) << 60;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_add(a, 0, &target, NULL, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, 1, &err), HSD_E_MISUSE);
    hsd_adjacency_free(a);
}

#endif
