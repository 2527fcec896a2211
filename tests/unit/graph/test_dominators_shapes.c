/*
 * Dominators of graphs that are large enough to page, spill and divide buckets under real budgets: the same
 * answer for every budget, the known answer for shapes that break naive walks, and every way to fail.
 */
#include "dominators_kit.h"

enum { MANY = 120000 };

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(dominators_shapes, .init = setup);

static kit_graph graph_of(hsd_node objects, hsd_node roots, hsd_node secondary)
{
    return (kit_graph){.nodes = objects + roots, .roots = {objects, objects + roots - secondary, objects + roots}};
}

/* The dominator of each node: a node, or HSD_NODE_MAX for the super-root. */
static hsd_node *dominators_of(const kit_answer *answer)
{
    hsd_node *node_at = calloc(answer->told + 1, sizeof *node_at);
    hsd_node *dominators = calloc(answer->nodes, sizeof *dominators);
    for (hsd_node node = 0; node < answer->nodes; node++)
        node_at[answer->of_node[node].first] = node;
    node_at[0] = HSD_NODE_MAX;
    for (hsd_node node = 0; node < answer->nodes; node++)
        dominators[node] = node_at[answer->of_node[node].parent];
    free(node_at);
    return dominators;
}

/* Finds the answer in the least memory and in enough, which must agree, and returns it. */
static hsd_node *dominators_in_any_memory(kit_graph *g)
{
    hsd_adjacency *a = kit_build(g, UINT64_C(64) << 20, &space);
    const uint64_t references = hsd_adjacency_edge_count(a);
    const uint64_t least = hsd_dominators_least_bytes(g->nodes, references);
    const uint64_t useful = hsd_dominators_useful_bytes(g->nodes, references);
    space.bytes_peak = 0;
    kit_answer full = kit_find(a, g->roots, useful, NULL, &space);
    cr_assert(!full.stats.was_paged);
    cr_assert_eq(full.stats.faults, 0);
    cr_assert_eq(space.bytes_peak, 0, "no file is touched");
    kit_answer tight = kit_find(a, g->roots, least, NULL, &space);
    kit_check_same(&full, &tight);
    kit_check_intervals(&full);
    hsd_node *dominators = dominators_of(&full);
    kit_release(&full);
    kit_release(&tight);
    hsd_adjacency_free(a);
    cr_assert_eq(space.bytes_now, 0);
    free(g->edges);
    return dominators;
}

/* ---- shapes ---- */

Test(dominators_shapes, of_a_list_are_its_own_order)
{
    kit_graph g = graph_of(MANY, 1, 0);
    kit_add(&g, MANY, 0);
    for (hsd_node i = 0; i + 1 < MANY; i++)
        kit_add(&g, i, i + 1);
    hsd_node *d = dominators_in_any_memory(&g);
    cr_assert(d[MANY] == HSD_NODE_MAX && d[0] == MANY);
    for (hsd_node i = 1; i < MANY; i++)
        cr_assert_eq(d[i], i - 1);
    free(d);
}

Test(dominators_shapes, of_a_scattered_cycle_with_references_both_ways)
{
    kit_graph g = graph_of(MANY, 1, 0);
    kit_add(&g, MANY, 0);
    for (hsd_node i = 0; i < MANY; i++) {
        const hsd_node one = (hsd_node)((uint64_t)i * 7919 % MANY);
        const hsd_node next = (hsd_node)((uint64_t)(i + 1) * 7919 % MANY);
        kit_add(&g, one, next);
        if (i + 1 < MANY) kit_add(&g, next, one);
    }
    hsd_node *d = dominators_in_any_memory(&g);
    cr_assert_eq(d[0], MANY);
    for (hsd_node i = 1; i < MANY; i++) {
        cr_assert_eq(d[(uint64_t)i * 7919 % MANY], (uint64_t)(i - 1) * 7919 % MANY, "%" HSD_PRI_NODE, i);
    }
    free(d);
}

/* Everybody knows node 1, and half of all is known to two arrays. */
Test(dominators_shapes, of_fans_that_share)
{
    kit_graph g = graph_of(MANY, 1, 0);
    kit_add(&g, MANY, 0);
    kit_add(&g, MANY, 2);
    for (hsd_node i = 3; i < MANY; i++) {
        kit_add(&g, 0, i);
        if (i % 2 == 0) kit_add(&g, 2, i);
        kit_add(&g, i, 1);
    }
    hsd_node *d = dominators_in_any_memory(&g);
    cr_assert(d[0] == MANY && d[1] == MANY && d[2] == MANY);
    for (hsd_node i = 3; i < MANY; i++)
        cr_assert_eq(d[i], i % 2 == 0 ? MANY : 0, "%" HSD_PRI_NODE, i);
    free(d);
}

Test(dominators_shapes, of_a_tree_with_ways_back)
{
    kit_graph g = graph_of(MANY, 1, 0);
    kit_add(&g, MANY, 0);
    for (hsd_node i = 1; i < MANY; i++) {
        kit_add(&g, (i - 1) / 2, i);
        if (i > 2) kit_add(&g, i, (i - 3) / 4); /* the parent's parent */
    }
    hsd_node *d = dominators_in_any_memory(&g);
    for (hsd_node i = 1; i < MANY; i++)
        cr_assert_eq(d[i], (i - 1) / 2);
    free(d);
}

Test(dominators_shapes, of_a_comb_whose_teeth_know_the_next_ones)
{
    kit_graph g = graph_of(MANY, 1, 0);
    kit_add(&g, MANY, 0);
    for (hsd_node i = 0; i + 3 < MANY; i += 2) {
        kit_add(&g, i, i + 1);
        kit_add(&g, i, i + 2);
        kit_add(&g, i + 1, i + 3); /* which the spine holds too */
    }
    hsd_node *d = dominators_in_any_memory(&g);
    for (hsd_node i = 2; i + 1 < MANY; i += 2)
        cr_assert_eq(d[i], i - 2);
    for (hsd_node i = 3; i + 1 < MANY; i += 2)
        cr_assert_eq(d[i], 0, "%" HSD_PRI_NODE ": %" HSD_PRI_NODE, i, d[i]);
    cr_assert_eq(d[MANY - 1], MANY - 3, "no spine holds the last one");
    free(d);
}

/* Layers of 300: three of the one before refer to each. */
Test(dominators_shapes, of_layers_are_the_root)
{
    kit_graph g = graph_of(MANY, 1, 0);
    for (hsd_node i = 0; i < 300; i++)
        kit_add(&g, MANY, i);
    for (hsd_node i = 0; i + 300 < MANY; i++) {
        for (hsd_node j = 0; j < 3; j++)
            kit_add(&g, i, (i / 300 + 1) * 300 + (i + j * 7) % 300);
    }
    hsd_node *d = dominators_in_any_memory(&g);
    for (hsd_node i = 0; i < MANY; i++)
        cr_assert_eq(d[i], MANY, "%" HSD_PRI_NODE ": %" HSD_PRI_NODE, i, d[i]);
    free(d);
}

/* Climbs of the whole list for each element of the array at its end, unless they jump. */
Test(dominators_shapes, of_a_long_list_whose_end_holds_what_the_root_holds)
{
    const hsd_node half = MANY / 2;
    kit_graph g = graph_of(MANY, 1, 0);
    kit_add(&g, MANY, 0);
    for (hsd_node i = 0; i + 1 < half; i++) {
        kit_add(&g, i, i + 1);
        kit_add(&g, i + 1, i);
    }
    for (hsd_node i = half; i < MANY; i++) {
        kit_add(&g, half - 1, i);
        kit_add(&g, i % 3 == 0 ? i % half : MANY, i);
    }
    hsd_node *d = dominators_in_any_memory(&g);
    for (hsd_node i = 1; i < half; i++)
        cr_assert_eq(d[i], i - 1);
    for (hsd_node i = half; i < MANY; i++)
        cr_assert_eq(d[i], i % 3 == 0 ? i % half : MANY, "%" HSD_PRI_NODE, i);
    free(d);
}

Test(dominators_shapes, of_as_many_roots_as_nodes)
{
    const hsd_node objects = MANY / 2;
    kit_graph g = graph_of(objects, MANY / 2, MANY / 4);
    for (hsd_node i = 0; i < objects; i++) {
        kit_add(&g, objects + i, i);
        kit_add(&g, objects + i, (i + 1) % objects);
    }
    hsd_node *d = dominators_in_any_memory(&g);
    const hsd_node primary = objects / 2; /* nodes that primary roots reach: 0 … primary */
    cr_assert_eq(d[0], objects);
    for (hsd_node i = 1; i < primary; i++)
        cr_assert_eq(d[i], HSD_NODE_MAX);
    cr_assert_eq(d[primary], objects + primary - 1, "a secondary root does not share it");
    for (hsd_node i = primary + 1; i < objects; i++)
        cr_assert_eq(d[i], HSD_NODE_MAX);
    free(d);
}

/* ---- large random graphs ---- */

static kit_graph random_heap(hsd_node objects, uint64_t seed)
{
    test_random random = {seed};
    kit_graph g = graph_of(objects, 40, 13);
    for (hsd_node i = 0; i < objects; i++) {
        const uint64_t back = 1 + test_below(&random, 500);
        kit_add(&g, i < 1000 ? objects + i % 40 : (hsd_node)(i - back), i);
        for (uint64_t count = test_below(&random, 5); count > 0; count--) {
            const uint64_t to = test_below(&random, 4);
            kit_add(&g, i, (hsd_node)test_below(&random, to < 2 ? 100 : to == 2 ? i + 1 : objects));
        }
    }
    return g;
}

/* The equations of data flow (Cooper, Harvey, Kennedy): the dominator of each node is the nearest common one of
 * all that refer to it. What was told must fulfil them. */
static void check_fixed_point(const kit_graph *g, const kit_answer *answer)
{
    const hsd_interval *of = answer->of_node;
    hsd_node *parent = calloc(answer->told + 1, sizeof *parent);
    for (hsd_node node = 0; node < g->nodes; node++)
        parent[of[node].first] = of[node].parent;
    hsd_node *meet = calloc(answer->told + 1, sizeof *meet); /* nearest common dominator of predecessors */
    memset(meet, 0xff, (answer->told + 1) * sizeof *meet);
    uint8_t *is_first_round = calloc(g->nodes, 1);
    hsd_node *starts = calloc(g->nodes + 1, sizeof *starts), *open = calloc(g->nodes, sizeof *open), count = 0;
    for (uint64_t e = 0; e < g->edge_count; e++)
        starts[hsd_two_first(g->edges[e]) + 1]++;
    for (hsd_node node = 0; node < g->nodes; node++)
        starts[node + 1] += starts[node];
    for (hsd_node root = g->roots.begin; root < g->roots.second; root++)
        is_first_round[open[count++] = root] = 1;
    while (count > 0) {
        const hsd_node node = open[--count];
        for (hsd_node e = starts[node]; e < starts[node + 1]; e++) {
            const hsd_node target = hsd_two_second(g->edges[e]);
            if (!is_first_round[target]) is_first_round[open[count++] = target] = 1;
        }
    }
    for (hsd_node root = g->roots.begin; root < g->roots.end; root++)
        meet[of[root].first] = 0;
    for (uint64_t e = 0; e < g->edge_count; e++) {
        const hsd_node source = hsd_two_first(g->edges[e]), target = hsd_two_second(g->edges[e]);
        if (of[source].first == 0 || source == target || is_first_round[target] > is_first_round[source]) continue;
        hsd_node *met = &meet[of[target].first], other = of[source].first;
        if (*met == HSD_NODE_MAX) *met = other;
        while (*met != other) {
            if (*met > other)
                *met = parent[*met];
            else
                other = parent[other];
        }
    }
    for (hsd_node first = 1; first <= answer->told; first++)
        cr_assert_eq(meet[first], parent[first]);
    free(parent), free(meet), free(is_first_round), free(starts), free(open);
}

Test(dominators_shapes, agree_with_their_references_on_large_random_graphs)
{
    for (uint64_t seed = test_seed(5), i = 0; i < 3; i++) {
        kit_graph g = random_heap(150000, seed + i);
        hsd_adjacency *a = kit_build(&g, UINT64_C(64) << 20, &space);
        kit_answer answer = kit_find(a, g.roots, UINT64_C(1) << 30, NULL, &space);
        kit_check_intervals(&answer);
        check_fixed_point(&g, &answer);
        kit_release(&answer);
        hsd_adjacency_free(a);
        free(g.edges);
    }
}

Test(dominators_shapes, do_not_depend_on_memory)
{
    kit_graph g = random_heap(300000, test_seed(99));
    hsd_adjacency *a = kit_build(&g, UINT64_C(64) << 20, &space);
    const uint64_t references = hsd_adjacency_edge_count(a);
    const uint64_t least = hsd_dominators_least_bytes(g.nodes, references);
    kit_answer full = kit_find(a, g.roots, hsd_dominators_useful_bytes(g.nodes, references), NULL, &space);
    for (uint64_t memory = least; memory < least * 8; memory += memory / 2) {
        kit_answer answer = kit_find(a, g.roots, memory, NULL, &space);
        cr_assert(memory > least || (answer.stats.was_paged && answer.stats.faults > 1000));
        kit_check_same(&full, &answer);
        kit_release(&answer);
    }
    kit_release(&full);
    hsd_adjacency_free(a);
    free(g.edges);
}

/* The same heap, the first object last: references lead back. */
static void mirror(kit_graph *g)
{
    for (uint64_t e = 0; e < g->edge_count; e++) {
        const hsd_node source = hsd_two_first(g->edges[e]), target = hsd_two_second(g->edges[e]), end = g->roots.begin;
        g->edges[e] = hsd_two_of(source < end ? end - 1 - source : source, target < end ? end - 1 - target : target);
    }
}

/* Scans that are tried first and a walk that is tried then, each given up somewhere on the way: the search, and the
 * walk or what is behind it. */
static void check_where_it_is_given_up(bool leads_back, uint32_t scanned_least, uint32_t walked_least)
{
    kit_graph g = random_heap(leads_back ? 300000 : 100000, test_seed(99));
    if (leads_back) mirror(&g);
    hsd_adjacency *a = kit_build(&g, UINT64_C(64) << 20, &space);
    const uint64_t references = hsd_adjacency_edge_count(a);
    const uint64_t least = hsd_dominators_least_bytes(g.nodes, references);
    kit_answer full = kit_find(a, g.roots, hsd_dominators_useful_bytes(g.nodes, references), NULL, &space);
    uint32_t scanned = 0, walked = 0;
    for (uint64_t memory = least; memory < (leads_back ? 2 * least : least + 1); memory += memory / 2) {
        static const uint64_t most_reads[] = {0, 1, 20000, UINT64_C(1) << 30};
        for (size_t i = 0; i < sizeof most_reads / sizeof most_reads[0]; i++) {
            hsd_dominators_limits limits = hsd_dominators_divide(a, memory);
            limits.most_reads = most_reads[i];
            limits.uses_scans = limits.uses_windows = most_reads[i] > 0;
            kit_answer answer = kit_find(a, g.roots, memory, &limits, &space);
            scanned += answer.stats.passes > 0;
            walked += answer.stats.passes == 0;
            kit_check_same(&full, &answer);
            kit_release(&answer);
        }
    }
    cr_assert(scanned >= scanned_least && walked >= walked_least, "%u by scans, %u walked", scanned, walked);
    kit_release(&full);
    hsd_adjacency_free(a);
    free(g.edges);
}

Test(dominators_shapes, do_not_depend_on_where_a_walk_is_given_up) { check_where_it_is_given_up(true, 2, 3); }

/* Each block is read once, layer for layer. */
Test(dominators_shapes, are_found_by_scans_first_where_references_lead_forward)
{
    check_where_it_is_given_up(false, 3, 1);
}

/* ---- failures ---- */

static hsd_status refuse(void *context, const hsd_interval *places, uint32_t count, hsd_error *error)
{
    const hsd_node *limit = context;
    for (hsd_node i = 0; i < count; i++)
        if (places[i].first >= *limit) return hsd_fail(error, HSD_E_MISUSE, "enough");
    return HSD_OK;
}

static bool stop(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return false;
}

Test(dominators_shapes, end_with_the_status_of_whoever_takes_them)
{
    kit_graph g = random_heap(20000, 1);
    hsd_adjacency *a = kit_build(&g, UINT64_C(64) << 20, &space);
    hsd_node limit = 10000;
    hsd_dominators_config config = {
        .roots = g.roots, .memory_bytes = UINT64_C(64) << 20, .space = &space, .take = refuse, .context = &limit};
    cr_assert_eq(hsd_dominators_find(a, &config, NULL, &err), HSD_E_MISUSE);
    cr_assert_str_eq(err.text, "enough");
    hsd_dominators_limits limits = hsd_dominators_divide(a, config.memory_bytes);
    limits.batch_items = 500;
    config.uses_thread = config.has_room_ahead = true;
    hsd_error_init(&err);
    cr_assert_eq(hsd_dominators_find_within(a, &config, &limits, NULL, &err), HSD_E_MISUSE);
    cr_assert_str_eq(err.text, "enough");
    config.uses_thread = false;
    config.memory_bytes = hsd_dominators_least_bytes(g.nodes, hsd_adjacency_edge_count(a));
    cr_assert_eq(hsd_dominators_find(a, &config, NULL, &err), HSD_E_MISUSE);
    cr_assert_eq(space.bytes_now, hsd_adjacency_is_resident(a) ? 0 : hsd_adjacency_bytes(a));
    hsd_adjacency_free(a);
    free(g.edges);
}

Test(dominators_shapes, refuse_too_little_memory_and_wrong_roots)
{
    kit_graph g = random_heap(2000, 1);
    hsd_adjacency *a = kit_build(&g, UINT64_C(64) << 20, &space);
    const uint64_t least = hsd_dominators_least_bytes(g.nodes, hsd_adjacency_edge_count(a));
    hsd_node limit = HSD_NODE_MAX;
    hsd_dominators_config config = {
        .roots = g.roots, .memory_bytes = least - 1, .space = &space, .take = refuse, .context = &limit};
    cr_assert_eq(hsd_dominators_find(a, &config, NULL, &err), HSD_E_OVER_BUDGET);
    cr_assert(strstr(err.text, "need at least") != NULL);
    config.memory_bytes = least;
    cr_assert_eq(hsd_dominators_find(a, &config, NULL, &err), HSD_OK, "%s", err.text);
    config.roots.second = g.nodes + 1;
    cr_assert_eq(hsd_dominators_find(a, &config, NULL, &err), HSD_E_MISUSE);
    config.roots = (hsd_root_nodes){5, 3, 8, 0, 0};
    cr_assert_eq(hsd_dominators_find(a, &config, NULL, &err), HSD_E_MISUSE);
    config.roots = (hsd_root_nodes){g.nodes, g.nodes, g.nodes + 1, 0, 0};
    cr_assert_eq(hsd_dominators_find(a, &config, NULL, &err), HSD_E_MISUSE);
    hsd_adjacency_free(a);
    free(g.edges);
}

/* Rows of nodes, each referred to by some of the row before and, here and there, by later ones: what rises does so
 * late, and many places at once rise for it. */
static kit_graph rows_with_ways_back(hsd_node rows, hsd_node width, test_random *random)
{
    kit_graph g = {0};
    const hsd_node objects = rows * width;
    g.roots = (hsd_root_nodes){objects, objects + 2, objects + 2, 0, 0};
    g.nodes = objects + 2;
    kit_add(&g, objects, 0);
    kit_add(&g, objects + 1, objects - 1);
    for (hsd_node i = 1; i < objects; i++) {
        kit_add(&g, i % width == 0 ? i - width : i - 1, i);
        if (i > width && test_below(random, 3) == 0) kit_add(&g, i - 1 - (hsd_node)test_below(random, width), i);
        if (test_below(random, 50) == 0) kit_add(&g, i, (hsd_node)test_below(random, i)); /* a way back */
        if (test_below(random, 900) == 0)
            for (hsd_node k = 0; k < 300; k++) /* a list that is longer than a chunk */
                kit_add(&g, (hsd_node)test_below(random, objects), i);
    }
    return g;
}

/* Scans pass over what cannot change, and over chunks without anything else. */
Test(dominators_shapes, scans_look_again_where_something_rose)
{
    hsd_node most_passes = 0, most_window_passes = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        test_random random = {test_seed(seed)};
        kit_graph g = rows_with_ways_back(20 + (hsd_node)seed * 11, 5 + (hsd_node)(seed * 7 % 40), &random);
        hsd_adjacency *a = kit_build(&g, UINT64_C(1) << 20, &space);
        hsd_dominators_limits limits = hsd_dominators_divide(a, UINT64_C(6) << 20);
        limits.is_resident = seed % 5 == 0;
        limits.uses_scans = true;
        limits.chunk_bytes = HSD_TAPE_MIN_CHUNK;
        limits.bucket_items = 100;
        limits.climb_steps = 100000;
        limits.order_way = (hsd_order_way)(seed % 3);
        kit_answer roomy = kit_find(a, g.roots, UINT64_C(64) << 20, NULL, &space);
        kit_answer scanned = kit_find(a, g.roots, UINT64_C(16) << 20, &limits, &space);
        cr_assert_gt(scanned.stats.passes, 0, "seed %lu: by scans", (unsigned long)seed);
        if (scanned.stats.passes > most_passes) most_passes = scanned.stats.passes;
        kit_check_intervals(&scanned);
        kit_check_same(&roomy, &scanned);
        kit_release(&scanned);
        limits.uses_windows = true;
        limits.uses_flat = seed % 2 == 0;
        limits.window_nodes = seed % 3 == 0 ? 0 : (hsd_node)seed * 13;
        limits.window_places = 1 + (hsd_node)(seed * 29 % g.nodes);
        limits.has_wide_starts = seed % 2 == 0;
        limits.window_room = limits.window_places * (1 + seed % 5);
        kit_answer windows = kit_find(a, g.roots, UINT64_C(16) << 20, &limits, &space);
        cr_assert_gt(windows.stats.passes, 0, "seed %lu: in windows", (unsigned long)seed);
        if (windows.stats.passes > most_window_passes) most_window_passes = windows.stats.passes;
        kit_check_intervals(&windows);
        kit_check_same(&roomy, &windows);
        kit_release(&windows);
        kit_release(&roomy);
        hsd_adjacency_free(a);
        free(g.edges);
    }
    cr_assert_geq(most_passes, 4, "marks were asked for");
    cr_assert_geq(most_window_passes, 4, "marks were asked for in windows");
}

/* Mostly to neighbours, as allocators leave it: served last in, first out, each node would hang from the one before,
 * and ways up would be as long as the heap. */
Test(dominators_shapes, ways_up_are_short_where_neighbours_refer_to_each_other)
{
    test_random random = {test_seed(7)};
    kit_graph g = graph_of(MANY, 1, 0);
    kit_add(&g, MANY, 0);
    for (hsd_node i = 0; i < MANY; i++) {
        for (uint32_t k = 0; k < 4; k++) {
            const hsd_node reach = test_below(&random, 8) != 0 ? 64 : MANY;
            kit_add(&g, i, (hsd_node)((i + MANY + test_below(&random, reach) - reach / 2) % MANY));
        }
    }
    hsd_adjacency *a = kit_build(&g, UINT64_C(1) << 20, &space);
    hsd_dominators_limits limits = hsd_dominators_divide(a, UINT64_C(6) << 20);
    limits.is_resident = false;
    limits.uses_scans = true;
    limits.chunk_bytes = HSD_TAPE_MIN_CHUNK;
    limits.bucket_items = 4096;
    limits.climb_steps = 1;
    kit_answer roomy = kit_find(a, g.roots, UINT64_C(64) << 20, NULL, &space);
    kit_answer scanned = kit_find(a, g.roots, UINT64_C(16) << 20, &limits, &space);
    cr_assert_gt(scanned.stats.passes, 0, "it did not give up");
    kit_check_same(&roomy, &scanned);
    kit_release(&scanned);
    kit_release(&roomy);
    hsd_adjacency_free(a);
    free(g.edges);
}

/* Nearly all refer to nearly all, some to what nothing else does: nothing is written down of references. */
Test(dominators_shapes, references_are_read_again_where_there_are_far_more_than_nodes)
{
    enum { OBJECTS = 1400, ALONE = 40 };
    for (uint64_t seed = 1; seed <= 2; seed++) {
        test_random random = {test_seed(seed)};
        kit_graph g = {.nodes = OBJECTS + ALONE + 2};
        g.roots = (hsd_root_nodes){OBJECTS + ALONE, OBJECTS + ALONE + 1, OBJECTS + ALONE + 2, 0, 0};
        for (hsd_node i = 0; i < OBJECTS; i++) {
            for (hsd_node k = 1; k < OBJECTS; k++) /* what is below 100 is not referred to from behind 700 */
                if (i < 700 || k >= 100) kit_add(&g, i, k);
            if (i < ALONE) kit_add(&g, i * 30, OBJECTS + i);
        }
        for (hsd_node root = g.roots.begin; root < g.roots.end; root++)
            kit_add(&g, root, (hsd_node)test_below(&random, OBJECTS));
        hsd_adjacency *a = kit_build(&g, UINT64_C(1) << 20, &space);
        kit_answer roomy = kit_find(a, g.roots, UINT64_C(256) << 20, NULL, &space);
        cr_assert_eq(roomy.stats.passes, 0);
        kit_answer again = kit_find(a, g.roots, UINT64_C(4) << 20, NULL, &space);
        cr_assert_geq(again.stats.passes, 2);
        kit_check_intervals(&again);
        kit_check_same(&roomy, &again);
        kit_release(&roomy);
        kit_release(&again);
        hsd_adjacency_free(a);
        free(g.edges);
    }
}

Test(dominators_shapes, can_be_cancelled)
{
    kit_graph g = random_heap(150000, 1);
    hsd_adjacency *a = kit_build(&g, UINT64_C(64) << 20, &space);
    hsd_node limit = HSD_NODE_MAX;
    const hsd_run run = {.progress = stop};
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    const hsd_dominators_config config = {.roots = g.roots,
                                          .memory_bytes = UINT64_C(1) << 30,
                                          .space = &space,
                                          .reporter = &reporter,
                                          .take = refuse,
                                          .context = &limit};
    cr_assert_eq(hsd_dominators_find(a, &config, NULL, &err), HSD_E_CANCELLED);
    hsd_reporter_release(&reporter);
    hsd_adjacency_free(a);
    free(g.edges);
}

/* Every file of every step in turn cannot be made. */
Test(dominators_shapes, say_when_there_is_no_room_on_disk)
{
    kit_graph g = random_heap(100000, 1);
    hsd_temp_space nowhere;
    hsd_temp_space_init(&nowhere, "/nonexistent-folder");
    hsd_adjacency *a = kit_build(&g, UINT64_C(64) << 20, &space);
    hsd_node limit = HSD_NODE_MAX;
    const uint64_t least = hsd_dominators_least_bytes(g.nodes, hsd_adjacency_edge_count(a));
    cr_assert_eq(hsd_adjacency_set_memory(a, UINT64_C(400) << 10, &err), HSD_OK);
    hsd_dominators_limits limits = hsd_dominators_divide(a, least);
    const hsd_dominators_config config = {
        .roots = g.roots, .memory_bytes = least, .space = &nowhere, .take = refuse, .context = &limit};
    cr_assert_eq(hsd_dominators_find_within(a, &config, &limits, NULL, &err), HSD_E_IO);
    cr_assert(strstr(err.text, "temporary file") != NULL, "%s", err.text);
    limits.is_resident = true; /* tapes need no file: arrays and the stack do */
    cr_assert_eq(hsd_dominators_find_within(a, &config, &limits, NULL, &err), HSD_E_IO);
    limits.stack_items = 4;
    cr_assert_eq(hsd_dominators_find_within(a, &config, &limits, NULL, &err), HSD_E_IO);
    hsd_adjacency_free(a);
    free(g.edges);
}
