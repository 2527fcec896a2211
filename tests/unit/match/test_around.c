/*
 * Sums over targets in windows against a plain loop: one window, many, one node each; sources that refer to one target
 * again and again, and to none; a second round over the same references.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "match/around.h"
#include "support/random.h"

static hsd_temp_space space;

static void setup_around(void) { hsd_temp_space_init(&space, NULL); }

TestSuite(around, .init = setup_around);

typedef struct looking {
    hsd_node first, count, until; /* of the window; where the next one begins */
    hsd_node source;              /* seen last */
    uint64_t salt, ends;
    hsd_status fails;
} looking;

static uint64_t value_of(hsd_node node, hsd_node source, uint64_t salt)
{
    return (node + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (source + salt) * UINT64_C(0xd6e8feb86659fd93);
}

static hsd_status begin_window(void *context, hsd_node first, hsd_node count, hsd_error *err)
{
    looking *l = context;
    (void)err;
    cr_assert_eq(first, l->until, "windows follow each other");
    l->first = first;
    l->count = count;
    l->until = first + count;
    l->source = 0;
    return l->fails;
}

static uint64_t see_target(void *context, hsd_node source, hsd_node at)
{
    looking *l = context;
    cr_assert_lt(at, l->count);
    cr_assert_geq(source, l->source, "sources ascend");
    l->source = source;
    return value_of(l->first + at, source, l->salt);
}

static hsd_status end_window(void *context, hsd_node first, hsd_node count, hsd_error *err)
{
    looking *l = context;
    (void)err;
    cr_assert(first == l->first && count == l->count);
    l->ends++;
    return HSD_OK;
}

typedef struct references {
    hsd_node nodes;
    uint32_t count;
    hsd_node (*all)[2]; /* source, target; sources ascend */
} references;

static references random_references(hsd_node nodes, uint32_t most_each)
{
    test_random random = {test_seed(1)};
    references r = {.nodes = nodes, .all = calloc((size_t)nodes * most_each + 1, sizeof *r.all)};
    for (hsd_node source = 0; source < nodes; source++) {
        for (uint64_t left = source % 3 == 0 ? 0 : test_below(&random, most_each + 1); left > 0; left--) {
            r.all[r.count][0] = source;
            r.all[r.count++][1] = (hsd_node)(test_below(&random, 4) == 0 ? 7 % nodes : test_below(&random, nodes));
        }
    }
    return r;
}

static hsd_around *put_all(const references *r, uint64_t window_bytes, uint64_t tape_bytes)
{
    const hsd_around_config config = {.node_count = r->nodes,
                                      .window_bytes = window_bytes,
                                      .item_bytes = 16,
                                      .tape_bytes = tape_bytes,
                                      .space = &space};
    hsd_around *around;
    hsd_error err;
    cr_assert_eq(hsd_around_new(&around, &config, &err), HSD_OK, "%s", err.text);
    for (uint32_t i = 0; i < r->count; i++)
        hsd_around_put(around, r->all[i][0], r->all[i][1]);
    cr_assert_eq(hsd_around_finish(around, &err), HSD_OK, "%s", err.text);
    return around;
}

static void run_and_compare(hsd_around *around, const references *r, uint64_t salt, bool is_last)
{
    looking l = {.salt = salt};
    const hsd_around_round round = {.name = "looking",
                                    .is_last = is_last,
                                    .context = &l,
                                    .begin = begin_window,
                                    .see = see_target,
                                    .end = is_last ? end_window : NULL};
    hsd_error err;
    uint32_t at = 0;
    cr_assert_eq(hsd_around_run(around, &round, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(l.until, r->nodes, "all windows");
    for (hsd_node source = 0; source < r->nodes; source++) {
        uint64_t sum = 0;
        for (; at < r->count && r->all[at][0] == source; at++)
            sum += value_of(r->all[at][1], source, salt);
        if (is_last && source % 5 == 1) continue; /* not all are asked for */
        cr_assert_eq(hsd_around_next_sum(around, source), sum, "source %" HSD_PRI_NODE, source);
    }
    cr_assert_eq(hsd_around_check(around, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(l.ends, is_last ? (r->nodes + hsd_around_window(around) - 1) / hsd_around_window(around) : 0);
}

static void check_around(hsd_node nodes, uint32_t most_each, uint64_t window_bytes, uint64_t tape_bytes)
{
    references r = random_references(nodes, most_each);
    hsd_around *around = put_all(&r, window_bytes, tape_bytes);
    run_and_compare(around, &r, 1, false);
    run_and_compare(around, &r, 2, true);
    hsd_around_free(around);
    free(r.all);
    cr_assert_eq(space.bytes_now, 0);
}

Test(around, one_window) { check_around(5000, 9, 1 << 20, 1 << 20); }

Test(around, many_windows) { check_around(5000, 9, 16 * 300, 1 << 20); }

Test(around, many_windows_with_little_memory) { check_around(50000, 5, 16 * 1000, 0); }

Test(around, a_window_has_one_node_at_least)
{
    check_around(70, 30, 0, 1 << 16);
    check_around(1, 1, 0, 0);
}

Test(around, no_references)
{
    check_around(100, 0, 16 * 10, 1 << 16);
    references none = {0};
    hsd_around *around = put_all(&none, 1 << 16, 1 << 16);
    run_and_compare(around, &none, 0, true);
    hsd_around_free(around);
}

/* What a reference costs does not grow with the number of windows. */
Test(around, moves_as_much_whatever_the_windows)
{
    uint64_t moved[2];
    references r = random_references(100000, 9);
    for (int i = 0; i < 2; i++) {
        const uint64_t before = space.bytes_read + space.bytes_written;
        hsd_around *around = put_all(&r, i == 0 ? 16 * 30000 : 16 * 600, 1 << 20);
        run_and_compare(around, &r, 1, true);
        hsd_around_free(around);
        moved[i] = space.bytes_read + space.bytes_written - before;
    }
    cr_assert_leq(moved[1], 2 * UINT64_C(15) * r.count, "%llu bytes", (unsigned long long)moved[1]);
    cr_assert_lt(moved[1], 2 * moved[0]);
    free(r.all);
}

Test(around, tells_what_failed)
{
    references r = random_references(300, 5);
    looking l = {.fails = HSD_E_NOMEM};
    hsd_around *around = put_all(&r, 16 * 100, 1 << 16);
    const hsd_around_round round = {.name = "looking", .context = &l, .begin = begin_window, .see = see_target};
    hsd_error err;
    cr_assert_eq(hsd_around_run(around, &round, &err), HSD_E_NOMEM);
    hsd_around_free(around);
    free(r.all);
}
