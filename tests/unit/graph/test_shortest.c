/*
 * Shortest paths against their definition: of all paths with the fewest references, each written out, the one
 * that reads first. On random graphs, whatever the numbers of the nodes and the memory. On large
 * ones: test_shortest_shapes.c.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/bits.h"
#include "graph/shortest.h"
#include "support/random.h"

enum { MOST = 24, MOST_EDGES = 96 };

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(shortest, .init = setup);

/* ---- a small graph ---- */

typedef struct edge {
    hsd_node source, target;
    uint32_t name;
} edge;

typedef struct graph {
    uint32_t nodes, edge_count;
    hsd_root_nodes roots;
    edge edges[MOST_EDGES];
    uint32_t type[MOST];      /* of root nodes 0 */
    hsd_node root_rank[MOST]; /* of root node begin + i */
} graph;

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return (x->source > y->source) - (x->source < y->source);
}

static graph random_graph(test_random *random)
{
    static const uint32_t names[] = {0, 1, 2, 3, 4, UINT32_C(0x80000001), UINT32_C(0x80000003)};
    graph g = {0};
    const uint32_t objects = 1 + (uint32_t)test_below(random, 12);
    const uint32_t roots = (uint32_t)test_below(random, 5);
    const uint32_t name_count = 1 + (uint32_t)test_below(random, 7), types = 1 + (uint32_t)test_below(random, 4);
    g.nodes = objects + roots;
    const uint32_t primary = (uint32_t)test_below(random, roots + 1);
    g.roots = (hsd_root_nodes){objects, objects + primary, g.nodes, objects + (uint32_t)test_below(random, primary + 1),
                               objects + primary + (uint32_t)test_below(random, g.nodes - objects - primary + 1)};
    for (uint32_t i = 0; i < objects; i++)
        g.type[i] = (uint32_t)test_below(random, types);
    for (uint32_t i = 0; i < roots; i++)
        g.root_rank[i] = i;
    const uint32_t wanted = (uint32_t)test_below(random, 2 * objects + 8);
    for (; g.edge_count < wanted; g.edge_count++) {
        g.edges[g.edge_count] = (edge){(uint32_t)test_below(random, g.nodes), (uint32_t)test_below(random, objects),
                                       names[test_below(random, name_count)]};
        if (g.edges[g.edge_count].source >= objects) g.edges[g.edge_count].name = 0;
    }
    qsort(g.edges, g.edge_count, sizeof *g.edges, compare_edges);
    return g;
}

/* The same graph with other numbers: map[old] = new. Root nodes stay in their round. */
static graph shuffled(const graph *g, test_random *random, uint32_t *map)
{
    graph out = *g;
    const hsd_node spans[6] = {0,           g->roots.begin, g->roots.stacks, g->roots.second, g->roots.second_stacks,
                               g->roots.end};
    for (uint32_t i = 0; i < g->nodes; i++)
        map[i] = i;
    for (int span = 0; span < 5; span++) {
        for (hsd_node i = spans[span + 1]; i > spans[span] + 1; i--) {
            const hsd_node j = spans[span] + (hsd_node)test_below(random, i - spans[span]);
            const uint32_t swap = map[i - 1];
            map[i - 1] = map[j];
            map[j] = swap;
        }
    }
    for (uint32_t i = 0; i < g->nodes; i++)
        out.type[map[i]] = g->type[i];
    for (hsd_node i = g->roots.begin; i < g->roots.end; i++)
        out.root_rank[map[i] - g->roots.begin] = g->root_rank[i - g->roots.begin];
    for (uint32_t e = 0; e < g->edge_count; e++)
        out.edges[e] = (edge){map[g->edges[e].source], map[g->edges[e].target], g->edges[e].name};
    qsort(out.edges, out.edge_count, sizeof *out.edges, compare_edges);
    return out;
}

static hsd_adjacency *to_adjacency(const graph *g)
{
    hsd_adjacency *a;
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(1) << 20, &err), HSD_OK);
    for (uint32_t e = 0; e < g->edge_count; e++)
        cr_assert_eq(hsd_adjacency_add(a, g->edges[e].source, &g->edges[e].target, &g->edges[e].name, 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, g->nodes, &err), HSD_OK);
    return a;
}

/* ---- the definition ---- */

typedef struct reading { /* root rank, name, type, name, type … */
    hsd_node words[2 * MOST];
    uint32_t count; /* 0 = not reached */
    uint32_t round;
} reading;

static int compare_readings(const reading *a, const reading *b)
{
    const uint32_t shorter = a->count < b->count ? a->count : b->count;
    for (uint32_t i = 0; i < shorter; i++)
        if (a->words[i] != b->words[i]) return a->words[i] < b->words[i] ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

static bool is_better(const reading *a, const reading *b)
{
    if (b->count == 0) return true;
    return a->count != b->count ? a->count < b->count : compare_readings(a, b) < 0;
}

/* Goes every way from `node` that visits nothing twice. */
static void enumerate(const graph *g, hsd_node node, const reading *here, bool *on_way, hsd_node avoided, reading *best)
{
    if (is_better(here, &best[node]))
        best[node] = *here;
    else if (here->count > best[node].count)
        return;
    on_way[node] = true;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const edge *way = &g->edges[e];
        if (way->source != node || on_way[way->target] || way->target == avoided) continue;
        reading next = *here;
        next.words[next.count++] = way->name;
        next.words[next.count++] = g->type[way->target];
        enumerate(g, way->target, &next, on_way, avoided, best);
    }
    on_way[node] = false;
}

static void define_round(const graph *g, hsd_node begin, hsd_node end, uint32_t round, hsd_node avoided, reading *best)
{
    reading found[MOST] = {{{0}, 0, 0}};
    for (hsd_node root = begin; root < end; root++) {
        bool on_way[MOST] = {false};
        for (uint32_t i = 0; i < g->nodes; i++)
            on_way[i] = best[i].count > 0; /* those of the rounds before */
        const reading here = {{g->root_rank[root - g->roots.begin]}, 1, round};
        enumerate(g, root, &here, on_way, avoided, found);
    }
    for (uint32_t i = 0; i < g->nodes; i++)
        if (best[i].count == 0) best[i] = found[i];
}

static void define(const graph *g, hsd_node avoided, reading *best)
{
    memset(best, 0, MOST * sizeof *best);
    define_round(g, g->roots.begin, hsd_root_nodes_stacks(&g->roots), 0, avoided, best);
    define_round(g, hsd_root_nodes_stacks(&g->roots), g->roots.second, 1, avoided, best);
    define_round(g, g->roots.second, hsd_root_nodes_second_stacks(&g->roots), 2, avoided, best);
    define_round(g, hsd_root_nodes_second_stacks(&g->roots), g->roots.end, 3, avoided, best);
}

/* ---- what the search says ---- */

static uint32_t type_of(void *context, hsd_node node) { return ((const graph *)context)->type[node]; }

static hsd_shortest_config config_of(graph *g, uint64_t memory)
{
    return (hsd_shortest_config){.roots = g->roots,
                                 .rank_of_root = g->root_rank,
                                 .type_of = type_of,
                                 .type_context = g,
                                 .memory_bytes = memory,
                                 .space = &space};
}

static bool has_edge(const graph *g, hsd_node source, hsd_node target, uint32_t name)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].source == source && g->edges[e].target == target && g->edges[e].name == name) return true;
    return false;
}

static reading read_way(const graph *g, hsd_shortest *shortest, hsd_node node)
{
    reading backward = {{0}, 0, 0}, out = {{0}, 0, 0};
    hsd_way way = hsd_shortest_way(shortest, node);
    if (way.parent == HSD_WAY_NONE && node < g->roots.begin) return out;
    for (; way.parent != HSD_WAY_NONE; way = hsd_shortest_way(shortest, node)) {
        cr_assert(has_edge(g, way.parent, node, way.name), "%" HSD_PRI_NODE " -%u-> %" HSD_PRI_NODE, way.parent,
                  way.name, node);
        cr_assert_lt(backward.count, 2 * MOST - 2);
        backward.words[backward.count++] = g->type[node];
        backward.words[backward.count++] = way.name;
        node = way.parent;
    }
    cr_assert(node >= g->roots.begin && node < g->roots.end);
    out.round = node >= hsd_root_nodes_second_stacks(&g->roots) ? 3
                : node >= g->roots.second                       ? 2
                : node >= hsd_root_nodes_stacks(&g->roots)      ? 1
                                                                : 0;
    out.words[out.count++] = g->root_rank[node - g->roots.begin];
    for (uint32_t i = backward.count; i-- > 0;)
        out.words[out.count++] = backward.words[i];
    return out;
}

static void expect_equal(const reading *found, const reading *wanted, uint64_t seed, uint32_t node)
{
    cr_assert_eq(found->count, wanted->count, "seed %lu node %u: %u words, not %u", (unsigned long)seed, node,
                 found->count, wanted->count);
    cr_assert_eq(compare_readings(found, wanted), 0, "seed %lu node %u", (unsigned long)seed, node);
    cr_assert_eq(found->round, wanted->round, "seed %lu node %u", (unsigned long)seed, node);
}

static void expect_definition(graph *g, const hsd_shortest_config *config, uint64_t seed)
{
    hsd_shortest shortest;
    reading wanted[MOST];
    hsd_adjacency *a = to_adjacency(g);
    uint64_t reached = 0;
    define(g, config->has_avoided ? config->avoided : HSD_NODE_MAX, wanted);
    cr_assert_eq(hsd_shortest_find(&shortest, a, config, &err), HSD_OK, "%s", err.text);
    for (uint32_t node = 0; node < g->nodes; node++) {
        const reading found = read_way(g, &shortest, node);
        expect_equal(&found, &wanted[node], seed, node);
        reached += found.count > 0;
    }
    cr_assert_eq(shortest.reached, reached);
    hsd_shortest_close(&shortest);
    hsd_adjacency_free(a);
}

Test(shortest, paths_read_first_of_all_on_random_graphs)
{
    const uint64_t seed = test_seed(31);
    for (uint64_t i = 0; i < 4000; i++) {
        test_random random = {seed + i};
        graph g = random_graph(&random);
        hsd_shortest_config config = config_of(&g, UINT64_C(1) << 20);
        config.has_near_types = i % 2 == 0;
        expect_definition(&g, &config, seed + i);
    }
}

Test(shortest, paths_avoid_a_node_when_told)
{
    const uint64_t seed = test_seed(37);
    for (uint64_t i = 0; i < 1000; i++) {
        test_random random = {seed + i};
        graph g = random_graph(&random);
        hsd_shortest_config config = config_of(&g, UINT64_C(1) << 20);
        config.has_avoided = true;
        config.has_near_types = i % 2 == 0;
        config.avoided = (uint32_t)test_below(&random, g.roots.begin);
        expect_definition(&g, &config, seed + i);
    }
}

Test(shortest, paths_read_the_same_however_nodes_are_numbered)
{
    const uint64_t seed = test_seed(41);
    for (uint64_t i = 0; i < 2000; i++) {
        test_random random = {seed + i};
        uint32_t map[MOST];
        graph g = random_graph(&random), other = shuffled(&g, &random, map);
        const hsd_shortest_config config = config_of(&g, UINT64_C(1) << 20);
        const hsd_shortest_config other_config = config_of(&other, UINT64_C(1) << 20);
        hsd_adjacency *a = to_adjacency(&g), *b = to_adjacency(&other);
        hsd_shortest x, y;
        cr_assert_eq(hsd_shortest_find(&x, a, &config, &err), HSD_OK);
        cr_assert_eq(hsd_shortest_find(&y, b, &other_config, &err), HSD_OK);
        for (uint32_t node = 0; node < g.nodes; node++) {
            const reading here = read_way(&g, &x, node), there = read_way(&other, &y, map[node]);
            expect_equal(&there, &here, seed + i, node);
        }
        hsd_shortest_close(&x);
        hsd_shortest_close(&y);
        hsd_adjacency_free(a);
        hsd_adjacency_free(b);
    }
}

/* ---- ranks ---- */

typedef struct telling {
    const graph *g;
    const reading *wanted;
    hsd_reading last;
    uint32_t count;
    hsd_node rank_of[MOST];
} telling;

static const reading *wanted_of(const telling *t, const hsd_reading *r) { return &t->wanted[r->node]; }

static hsd_status take(void *context, const hsd_reading *r, hsd_error *error)
{
    telling *t = context;
    const reading *here = wanted_of(t, r);
    (void)error;
    cr_assert_eq(here->count, 1 + 2 * r->level);
    cr_assert_eq(here->round, r->round);
    if (t->count > 0 && t->last.level == r->level && t->last.round == r->round) {
        const int order = compare_readings(wanted_of(t, &t->last), here);
        cr_assert(order < 0 ? r->rank == t->last.rank + 1 : r->rank == t->last.rank && r->node > t->last.node);
    } else if (t->count > 0) {
        cr_assert(r->round > t->last.round || r->level == t->last.level + 1);
        cr_assert(r->level == 0 || r->rank == 0);
    }
    if (r->level > 0) {
        cr_assert_eq(r->type, t->g->type[r->node]);
        cr_assert_eq(r->name, here->words[here->count - 2]);
    }
    t->rank_of[r->node] = r->rank;
    t->last = *r;
    t->count++;
    return HSD_OK;
}

Test(shortest, ranks_are_told_in_the_order_of_readings)
{
    const uint64_t seed = test_seed(43);
    for (uint64_t i = 0; i < 2000; i++) {
        test_random random = {seed + i};
        graph g = random_graph(&random);
        reading wanted[MOST];
        telling t = {.g = &g, .wanted = wanted};
        hsd_shortest_config config = config_of(&g, UINT64_C(1) << 20);
        hsd_adjacency *a = to_adjacency(&g);
        hsd_shortest shortest;
        define(&g, HSD_NODE_MAX, wanted);
        config.take = take;
        config.take_context = &t;
        cr_assert_eq(hsd_shortest_find(&shortest, a, &config, &err), HSD_OK);
        cr_assert_eq(t.count, shortest.reached);
        hsd_shortest_close(&shortest);
        hsd_adjacency_free(a);
    }
}

/* ---- stopping early, failing ---- */

Test(shortest, search_stops_when_all_that_is_wanted_is_reached)
{
    const uint64_t seed = test_seed(47);
    for (uint64_t i = 0; i < 1000; i++) {
        test_random random = {seed + i};
        graph g = random_graph(&random);
        reading wanted[MOST];
        uint8_t bits[MOST / 8 + 1] = {0};
        hsd_shortest_config config = config_of(&g, UINT64_C(1) << 20);
        hsd_adjacency *a = to_adjacency(&g);
        hsd_shortest shortest;
        define(&g, HSD_NODE_MAX, wanted);
        config.wanted = bits;
        config.has_near_types = i % 2 == 0;
        uint32_t deepest = 0;
        for (uint32_t node = 0; node < g.nodes; node++) {
            if (wanted[node].count == 0 || test_below(&random, 4) != 0) continue;
            bits[node / 8] = (uint8_t)(bits[node / 8] | 1u << node % 8);
            config.wanted_count++;
            if (wanted[node].round == 0 && wanted[node].count > deepest)
                deepest = wanted[node].count;
            else if (wanted[node].round > 0)
                deepest = UINT32_MAX;
        }
        cr_assert_eq(hsd_shortest_find(&shortest, a, &config, &err), HSD_OK);
        for (uint32_t node = 0; node < g.nodes; node++) {
            const reading found = read_way(&g, &shortest, node);
            if (bits[node / 8] >> node % 8 & 1) expect_equal(&found, &wanted[node], seed + i, node);
            if (node < g.roots.begin && wanted[node].round == 0) cr_assert(found.count <= deepest);
        }
        hsd_shortest_close(&shortest);
        hsd_adjacency_free(a);
    }
}

/* ---- what dominates the wanted ones ---- */

/* Which nodes the roots of begin … end reach over others than `without` and those of earlier rounds. */
static void reach_without(const graph *g, hsd_node begin, hsd_node end, hsd_node without, const bool *earlier,
                          bool *reached)
{
    for (uint32_t node = 0; node < g->nodes; node++)
        reached[node] = node >= begin && node < end && node != without;
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            const edge *way = &g->edges[e];
            if (!reached[way->source] || reached[way->target] || way->target == without || earlier[way->target])
                continue;
            reached[way->target] = goes_on = true;
        }
    }
}

typedef struct dominated { /* node d dominates node v, both of one round */
    bool by[MOST][MOST];
    uint32_t count[MOST];
} dominated;

static void dominate_round(const graph *g, hsd_node begin, hsd_node end, bool *earlier, dominated *out)
{
    bool all[MOST], left[MOST];
    reach_without(g, begin, end, HSD_NODE_MAX, earlier, all);
    for (uint32_t d = 0; d < g->nodes; d++) {
        if (!all[d]) continue;
        reach_without(g, begin, end, d, earlier, left);
        for (uint32_t v = 0; v < g->nodes; v++) {
            out->by[v][d] = all[v] && !left[v];
            out->count[v] += out->by[v][d];
        }
    }
    for (uint32_t node = 0; node < g->nodes; node++)
        earlier[node] |= all[node];
}

/* The immediate dominator refers to the node. */
static bool is_referred(const graph *g, const dominated *d, uint32_t node)
{
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const hsd_node source = g->edges[e].source;
        if (g->edges[e].target == node && d->by[node][source] && d->count[source] + 1 == d->count[node]) return true;
    }
    return false;
}

Test(shortest, paths_are_the_same_where_it_is_known_what_dominates)
{
    const uint64_t seed = test_seed(53);
    for (uint64_t i = 0; i < 4000; i++) {
        test_random random = {seed + i};
        graph g = random_graph(&random);
        reading best[MOST];
        uint8_t wanted[MOST / 8 + 1] = {0}, on_way[MOST / 8 + 1] = {0};
        hsd_node sought[MOST];
        dominated d = {.count = {0}};
        bool earlier[MOST] = {false};
        hsd_shortest shortest;
        hsd_shortest_via via = {on_way, sought, 0};
        hsd_shortest_config config = config_of(&g, UINT64_C(1) << 20);
        define(&g, HSD_NODE_MAX, best);
        dominate_round(&g, g.roots.begin, g.roots.second, earlier, &d);
        dominate_round(&g, g.roots.second, g.roots.end, earlier, &d);
        for (uint32_t node = 0; node < g.nodes; node++) {
            if (best[node].count == 0 || test_below(&random, 4) != 0) continue;
            hsd_bit_set(wanted, node);
            config.wanted_count++;
            for (uint32_t other = 0; other < g.nodes; other++)
                if (d.by[node][other]) hsd_bit_set(on_way, other);
        }
        for (uint32_t node = 0; node < g.nodes; node++) {
            const bool is_unsure = test_below(&random, 8) == 0;
            if (hsd_bit_get(on_way, node) && (is_unsure || !is_referred(&g, &d, node)))
                sought[via.sought_count++] = node;
        }
        config.wanted = wanted;
        config.via = &via;
        config.has_near_types = i % 2 == 0;
        hsd_adjacency *a = to_adjacency(&g);
        cr_assert_eq(hsd_shortest_find(&shortest, a, &config, &err), HSD_OK, "%s", err.text);
        for (uint32_t node = 0; node < g.nodes; node++) {
            const reading found = read_way(&g, &shortest, node);
            if (hsd_bit_get(wanted, node)) expect_equal(&found, &best[node], seed + i, node);
        }
        hsd_shortest_close(&shortest);
        hsd_adjacency_free(a);
    }
}

Test(shortest, search_needs_its_least_memory_and_roots_among_the_nodes)
{
    test_random random = {5};
    graph g = random_graph(&random);
    hsd_shortest shortest;
    hsd_adjacency *a = to_adjacency(&g);
    hsd_shortest_config config = config_of(&g, hsd_shortest_least_bytes(g.nodes));
    cr_assert_eq(hsd_shortest_find(&shortest, a, &config, &err), HSD_OK, "%s", err.text);
    hsd_shortest_close(&shortest);
    config.memory_bytes--;
    cr_assert_eq(hsd_shortest_find(&shortest, a, &config, &err), HSD_E_OVER_BUDGET);
    config.memory_bytes++;
    config.roots.end = g.nodes + 1;
    cr_assert_eq(hsd_shortest_find(&shortest, a, &config, &err), HSD_E_MISUSE);
    hsd_adjacency_free(a);
}

static hsd_status refuse(void *context, const hsd_reading *r, hsd_error *error)
{
    (void)r;
    return (*(uint32_t *)context)-- > 0 ? HSD_OK : hsd_fail(error, HSD_E_CANCELLED, "enough");
}

Test(shortest, search_ends_with_what_take_returns)
{
    graph g = {.nodes = 4, .edge_count = 3, .roots = {3, 4, 4, 4}, .edges = {{0, 1, 1}, {1, 2, 1}, {3, 0, 0}}};
    hsd_adjacency *a = to_adjacency(&g);
    hsd_shortest_config config = config_of(&g, UINT64_C(1) << 20);
    config.take = refuse;
    for (uint32_t least = 0; least < 4; least++) {
        uint32_t left = least;
        hsd_shortest shortest;
        config.take_context = &left;
        cr_assert_eq(hsd_shortest_find(&shortest, a, &config, &err), HSD_E_CANCELLED);
    }
    hsd_adjacency_free(a);
}
