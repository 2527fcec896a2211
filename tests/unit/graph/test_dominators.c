/*
 * Dominators against their definition on small random graphs: a node dominates another if the other is not
 * reached any more once the first is gone. Limits are so small that stack, tapes, buckets, hot nodes and
 * jumps are all reached with fifty nodes.
 */
#include "base/bits.h"
#include "dominators_kit.h"
#include "naive.h"

enum { MOST_NODES = 64 };

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

TestSuite(dominators, .init = setup);

/* ---- the definition ---- */

typedef struct definition {
    uint64_t targets[MOST_NODES]; /* bits */
    uint64_t primary, secondary;  /* root nodes */
    uint64_t first_round;         /* what is reached in it */
} definition;

/* What `from` reaches over nodes that are not in `gone`. */
static uint64_t reach(const definition *def, uint64_t from, uint64_t gone)
{
    uint64_t reached = from & ~gone, open = reached;
    while (open != 0) {
        const int node = __builtin_ctzll(open);
        open &= open - 1;
        const uint64_t fresh = def->targets[node] & ~reached & ~gone;
        reached |= fresh;
        open |= fresh;
    }
    return reached;
}

/* Everything live, in two rounds, without `gone`. */
static uint64_t reach_both(const definition *def, uint64_t gone)
{
    return reach(def, def->primary, gone) | reach(def, def->secondary, gone | def->first_round);
}

static definition define(const kit_graph *g)
{
    definition def = {0};
    for (hsd_node root = g->roots.begin; root < g->roots.end; root++) {
        if (root < g->roots.second)
            def.primary |= UINT64_C(1) << root;
        else
            def.secondary |= UINT64_C(1) << root;
    }
    for (uint64_t i = 0; i < g->edge_count; i++) {
        const hsd_node source = hsd_two_first(g->edges[i]);
        def.targets[source] |= UINT64_C(1) << hsd_two_second(g->edges[i]);
    }
    /* only the super-root refers to root nodes */
    for (hsd_node node = 0; node < MOST_NODES; node++)
        def.targets[node] &= ~(def.primary | def.secondary);
    def.first_round = reach(&def, def.primary, 0);
    return def;
}

static void check_definition(const kit_graph *g, const kit_answer *answer, unsigned long seed)
{
    const definition def = define(g);
    const uint64_t live = reach_both(&def, 0);
    for (hsd_node node = 0; node < g->nodes; node++) {
        const hsd_interval *place = &answer->of_node[node];
        cr_assert_eq(place->first != 0, live >> node & 1, "seed %lu node %" HSD_PRI_NODE, seed, node);
        if (place->first == 0) continue;
        const uint64_t lost = live & ~reach_both(&def, UINT64_C(1) << node);
        for (hsd_node other = 0; other < g->nodes; other++) {
            const hsd_node at = answer->of_node[other].first;
            const bool is_inside = at >= place->first && at < place->end;
            cr_assert_eq(is_inside, lost >> other & 1, "seed %lu: node %" HSD_PRI_NODE ", %" HSD_PRI_NODE, seed, node,
                         other);
        }
    }
}

/* ---- random graphs ---- */

static kit_graph random_graph(test_random *random)
{
    kit_graph g = {0};
    const hsd_node roots = (hsd_node)test_below(random, 7);
    const hsd_node objects = 1 + (hsd_node)test_below(random, MOST_NODES - 8);
    const hsd_node primary = (hsd_node)test_below(random, roots + 1);
    g.roots = (hsd_root_nodes){objects, objects + primary, objects + roots, 0, 0};
    g.nodes = objects + roots;
    const uint64_t density = 1 + test_below(random, 5);
    const uint64_t edges = test_below(random, objects * density);
    const hsd_node window = 1 + (hsd_node)test_below(random, objects);
    for (uint64_t i = 0; i < edges; i++) {
        const hsd_node source = (hsd_node)test_below(random, objects);
        hsd_node target = (hsd_node)test_below(random, objects);
        if (test_below(random, 2) == 0) target = (hsd_node)((source + test_below(random, window)) % objects);
        if (test_below(random, 40) == 0 && roots > 0) target = objects + (hsd_node)test_below(random, roots);
        kit_add(&g, source, target);
        if (test_below(random, 16) == 0) kit_add(&g, source, target);
        if (test_below(random, 16) == 0) kit_add(&g, source, source);
    }
    for (hsd_node root = g.roots.begin; root < g.roots.end; root++) {
        for (uint64_t i = test_below(random, 4); i > 0; i--) {
            kit_add(&g, root, (hsd_node)test_below(random, objects));
        }
    }
    return g;
}

static hsd_dominators_limits random_limits(test_random *random)
{
    return (hsd_dominators_limits){
        .is_resident = test_below(random, 2) == 0,
        .uses_flat = test_below(random, 2) == 0,
        .uses_scans = test_below(random, 3) != 0,
        .uses_windows = test_below(random, 2) == 0,
        .most_reads = test_below(random, 2), /* the walk is tried first */
        .is_dense = test_below(random, 3) == 0,
        .chunk_bytes = HSD_TAPE_MIN_CHUNK,
        .stack_items = 2 + 2 * (uint32_t)test_below(random, 4),
        .bucket_items = 1 + (uint32_t)test_below(random, 6),
        .max_buckets = 1 + (uint32_t)test_below(random, 4),
        .climb_steps = test_below(random, 2),
        .batch_items = test_below(random, 8) == 0 ? 4 : 1000,
        .window_nodes = (hsd_node)(test_below(random, 2) * (1 + test_below(random, 8))),
        .window_places = 1 + (hsd_node)test_below(random, MOST_NODES),
        .has_wide_starts = test_below(random, 2) == 0,
        .window_room = 1 + test_below(random, 2 * MOST_NODES),
        .order_way = (hsd_order_way)test_below(random, 3),
        .memory_bytes = UINT64_C(4) << 20,
        .floor_bytes = UINT64_C(512) << 10,
        .later_bytes = test_below(random, 3) == 0, /* all leaves the memory */
    };
}

Test(dominators, equal_their_definition_on_random_graphs)
{
    const uint64_t seed = test_seed(17);
    for (uint64_t i = 0; i < 6000; i++) {
        test_random random = {seed + i};
        kit_graph g = random_graph(&random);
        hsd_adjacency *a = kit_build(&g, UINT64_C(1) << 20, &space);
        const hsd_dominators_limits limits = random_limits(&random);
        kit_answer answer = kit_find(a, g.roots, UINT64_C(16) << 20, i % 4 == 3 ? NULL : &limits, &space);
        kit_check_intervals(&answer);
        check_definition(&g, &answer, (unsigned long)(seed + i));
        kit_release(&answer);
        hsd_adjacency_free(a);
        free(g.edges);
    }
    cr_assert_eq(space.bytes_now, 0, "temporary files are given back");
}

/* The immediate dominator; HSD_NODE_MAX = the super-root, or none. */
static hsd_node dominator_of(const kit_answer *answer, hsd_node node)
{
    const hsd_node parent = answer->of_node[node].parent;
    for (hsd_node above = 0; above < answer->nodes && parent != 0; above++) {
        if (answer->of_node[above].first == parent) return above;
    }
    return HSD_NODE_MAX;
}

/* What a walk depth first tells of marked references, whatever its limits; by scans it tells nothing. */
Test(dominators, tell_what_marked_references_alone_reach)
{
    const uint64_t seed = test_seed(18);
    uint32_t by_marked_alone = 0, told = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        test_random random = {seed + i};
        naive_graph g = naive_random(&random);
        uint8_t *has_marked = calloc(g.objects / 8 + 1, 1), *by_marked = calloc(g.nodes / 8 + 1, 1);
        bool strong[NAIVE_MAX_NODES] = {false};
        naive_mark_edges(&g, &random, has_marked);
        naive_strong(&g, strong);
        hsd_adjacency *a = naive_to_adjacency(&g, UINT64_C(1) << 20, &space);
        kit_answer answer = kit_answer_of(g.nodes);
        const hsd_dominators_config config = {.roots = g.roots,
                                              .memory_bytes = UINT64_C(16) << 20,
                                              .space = &space,
                                              .take = kit_take,
                                              .context = &answer,
                                              .has_marked = has_marked,
                                              .object_count = g.objects,
                                              .mark = NAIVE_MARK,
                                              .by_marked = by_marked};
        const hsd_dominators_limits limits = random_limits(&random);
        cr_assert_eq(hsd_dominators_find_within(a, &config, &limits, &answer.stats, &err), HSD_OK, "%s", err.text);
        for (hsd_node node = 0; answer.stats.tells_marked && node < g.nodes; node++) {
            const bool wanted = answer.of_node[node].first != 0 && !strong[node];
            cr_assert_eq(hsd_bit_get(by_marked, node), wanted, "seed %lu node %" HSD_PRI_NODE,
                         (unsigned long)(seed + i), node);
            by_marked_alone += wanted;
        }
        told += answer.stats.tells_marked;
        kit_answer plain = kit_find(a, g.roots, UINT64_C(16) << 20, NULL, &space);
        for (hsd_node node = 0; node < g.nodes; node++)
            cr_assert_eq(dominator_of(&answer, node), dominator_of(&plain, node), "seed %lu node %" HSD_PRI_NODE,
                         (unsigned long)(seed + i), node);
        kit_release(&plain);
        kit_release(&answer);
        hsd_adjacency_free(a);
        free(has_marked);
        free(by_marked);
        naive_release(&g);
    }
    cr_assert(told > 1000 && by_marked_alone > 1000, "%u told, %u nodes by marked ones alone", told, by_marked_alone);
    cr_assert_eq(space.bytes_now, 0, "temporary files are given back");
}

/* References of a narrow bucket, each against the one before: what is near takes a byte, and nothing more than two of
 * the slot, one that says how, and a far number. */
Test(dominators, references_of_a_narrow_bucket_come_back)
{
    static const hsd_node steps[] = {0,   1,   2,   3,   4,     30,    31,    63,     64,     65,
                                     127, 128, 255, 256, 0x7ff, 0x800, 0xfff, 0x1000, 0xffff, HSD_NODE_MAX / 2};
    enum { STEPS = sizeof steps / sizeof *steps };
    for (unsigned way = 0; way < 4; way++) {
        for (unsigned i = 0; i < STEPS * STEPS; i++) {
            const hsd_node from[2] = {0x8000, HSD_NODE_MAX / 2}; /* slot, source */
            const hsd_node by[2] = {steps[i % STEPS], steps[i / STEPS]};
            const hsd_node slot = (way & 1 ? from[0] - by[0] : from[0] + by[0]) & 0xffff,
                           source = way & 2 ? from[1] - by[1] : from[1] + by[1];
            uint8_t bytes[2 * HSD_VARINT_MOST];
            const hsd_node sources = hsd_fold_difference(source, from[1]);
            const uint8_t *end = hsd_narrow_put(bytes, sources, hsd_fold_difference(slot, from[0]), slot);
            hsd_node got[2] = {from[0], from[1]};
            cr_assert_eq(hsd_narrow_get(bytes, &got[0], &got[1]), end);
            cr_assert_eq(got[0], slot);
            cr_assert_eq(got[1], source);
            const hsd_node apart = slot > from[0] ? slot - from[0] : from[0] - slot;
            const bool is_near = by[1] == 0 && apart >= 1 && apart <= 64;
            cr_assert(is_near == (end - bytes == 1), "%" HSD_PRI_NODE ", %" HSD_PRI_NODE, by[0], by[1]);
            cr_assert_leq(end - bytes, 3 + HSD_TAPE_MOST_FAR);
        }
    }
}
