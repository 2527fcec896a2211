/*
 * Graphs turned round, in one piece, in ranges and by sorting, against what a naive turn gives: each source once for
 * each target, lists of several parts known on both sides, and nothing left of a turn that was stopped.
 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "browse/referrers.h"
#include "support/random.h"

enum { NODES = 40000, MOST = 9000 };

static hsd_temp_space space;
static hsd_reporter reporter;
static hsd_error err;

static void setup(void)
{
    static const hsd_run run;
    hsd_temp_space_init(&space, NULL);
    hsd_reporter_init(&reporter, &run);
}

static void teardown(void) { hsd_reporter_release(&reporter); }

TestSuite(referrers, .init = setup, .fini = teardown);

typedef struct turned {
    hsd_walk_request request;
    hsd_side_walk walk;
    hsd_index index;
    uint64_t *words; /* target << 32 | source, ascending, each once: they are few */
    uint64_t count;
} turned;

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Most have few references, one in 2,000 thousands; half of all lead to the first 16 nodes, and some come twice, in
 * other parts. */
static uint32_t degree_of(test_random *random)
{
    return test_below(random, 2000) == 0 ? (uint32_t)test_below(random, MOST) : (uint32_t)test_below(random, 6);
}

static uint32_t target_of(test_random *random)
{
    return (uint32_t)test_below(random, test_below(random, 2) == 0 ? 16 : NODES);
}

static void add_node(turned *t, uint32_t node, test_random *random)
{
    const uint32_t degree = degree_of(random);
    for (uint32_t i = 0; i < degree; i++) {
        const hsd_node target = target_of(random);
        const uint32_t name = (uint32_t)(target % 5);
        cr_assert_eq(hsd_adjacency_add(t->walk.adjacency, node, &target, &name, 1, &err), HSD_OK);
        if (target != node) t->words[t->count++] = (uint64_t)target << 32 | node;
    }
}

static void make(turned *t, uint64_t memory, test_random *random)
{
    *t = (turned){.request = {.space = &space, .reporter = &reporter},
                  .walk = {.node_count = NODES, .object_count = NODES},
                  .index = {.space = &space, .reporter = &reporter, .memory_bytes = memory}};
    t->words = malloc((size_t)NODES * MOST / 10 * sizeof *t->words);
    cr_assert_not_null(t->words);
    cr_assert_eq(hsd_adjacency_begin(&t->walk.adjacency, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(t->walk.adjacency, UINT64_C(1) << 20, &err), HSD_OK);
    for (uint32_t node = 0; node < NODES; node++)
        add_node(t, node, random);
    cr_assert_eq(hsd_adjacency_finish(t->walk.adjacency, NODES, &err), HSD_OK, "%s", err.text);
    qsort(t->words, (size_t)t->count, sizeof *t->words, compare);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        if (kept == 0 || t->words[kept - 1] != t->words[i]) t->words[kept++] = t->words[i];
    }
    t->count = kept;
    t->walk.request = &t->request;
    t->index.walk = &t->walk;
    t->index.referents.adjacency = t->walk.adjacency;
}

static void release(turned *t)
{
    hsd_index_release(&t->index);
    hsd_adjacency_free(t->walk.adjacency);
    free(t->words);
}

/* The list of a target, piece by piece. */
static uint64_t check_list(turned *t, uint32_t target, uint64_t at)
{
    uint64_t seen = 0;
    const uint64_t total = hsd_lists_count(&t->index.referrers, target);
    while (seen < total) {
        hsd_targets targets;
        hsd_lists_get(&t->index.referrers, target, seen, &targets);
        cr_assert(targets.count > 0 && seen + targets.count <= total, "target %u: %u at %lu of %lu", target,
                  targets.count, seen, total);
        for (uint32_t i = 0; i < targets.count; i++, seen++) {
            cr_assert_eq(t->words[at + seen], (uint64_t)target << 32 | targets.items[i], "target %u, referrer %lu",
                         target, seen);
        }
    }
    cr_assert(at + seen == t->count || t->words[at + seen] >> 32 > target, "target %u has more than %lu referrers",
              target, seen);
    return at + seen;
}

static void check(turned *t)
{
    uint64_t at = 0;
    for (uint32_t target = 0; target < NODES; target++)
        at = check_list(t, target, at);
    cr_assert_eq(at, t->count);
    size_t longs = 0;
    for (uint32_t node = 0; node < NODES; node++) {
        hsd_targets targets;
        hsd_adjacency_get(t->walk.adjacency, node, &targets);
        longs += targets.has_more;
    }
    cr_assert_eq(t->index.referents.long_count, longs);
    cr_assert_gt(longs, 0);
    cr_assert_gt(t->index.referrers.long_count, 0);
}

/* Which way is taken, by asking for the first. */
static bool is_counted(turned *t)
{
    bool is_done;
    hsd_turn turn = {.index = &t->index, .last_source = HSD_NODE_NONE};
    cr_assert_eq(hsd_column_begin(&turn.longs, sizeof(hsd_node), &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_begin(&t->index.referrers.adjacency, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_turn_counted(&turn, &is_done, &err), HSD_OK, "%s", err.text);
    hsd_column_close(&turn.longs);
    hsd_lists_release(&t->index.referrers);
    free(t->index.referents.longs);
    free(t->index.referents.ends);
    t->index.referents = (hsd_lists){.adjacency = t->walk.adjacency};
    return is_done;
}

Test(referrers, are_those_of_a_naive_turn)
{
    static const struct {
        uint64_t memory;
        bool is_counted;
    } cases[] = {{UINT64_C(384) << 10, false},
                 {UINT64_C(480) << 10, true},
                 {UINT64_C(700) << 10, true},
                 {UINT64_C(64) << 20, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        turned t;
        test_random random = {test_seed(i + 1)};
        make(&t, cases[i].memory * HSD_NODE_BITS / 32, &random);
        cr_assert_eq(is_counted(&t), cases[i].is_counted, "%lu references in %lu bytes", t.count, cases[i].memory);
        cr_assert_eq(hsd_index_referrers(&t.index, &err), HSD_OK, "%s", err.text);
        check(&t);
        release(&t);
    }
}

Test(referrers, of_nothing_are_none)
{
    turned t = {.request = {.space = &space, .reporter = &reporter},
                .walk = {.node_count = 3, .object_count = 3},
                .index = {.space = &space, .reporter = &reporter, .memory_bytes = UINT64_C(8) << 20}};
    cr_assert_eq(hsd_adjacency_begin(&t.walk.adjacency, UINT64_C(1) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(t.walk.adjacency, UINT64_C(1) << 20, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(t.walk.adjacency, 3, &err), HSD_OK);
    t.walk.request = &t.request;
    t.index.walk = &t.walk;
    t.index.referents.adjacency = t.walk.adjacency;
    cr_assert_eq(hsd_index_referrers(&t.index, &err), HSD_OK, "%s", err.text);
    for (uint32_t node = 0; node < 3; node++)
        cr_assert_eq(hsd_lists_count(&t.index.referrers, node), 0);
    release(&t);
}

Test(referrers, end_soon_when_nobody_wants_them)
{
    turned t;
    test_random random = {test_seed(1)};
    make(&t, UINT64_C(64) << 20, &random);
    atomic_store(&t.index.is_stopped, true);
    cr_assert_eq(hsd_index_referrers(&t.index, &err), HSD_E_CANCELLED);
    release(&t);
}
