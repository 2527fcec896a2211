/*
 * The planner's arithmetic (walk/plan/needs.c) against what the stages say of themselves: what a plan with the
 * least memory gives them is never below what they ask for, and what it calls useful is enough for all of it.
 */
#include <criterion/criterion.h>

#include "graph/dominators/dominators.h"
#include "graph/shortest.h"
#include "support/random.h"
#include "walk/places.h"
#include "walk/plan/plan.h"
#include "walk/side/side.h"
#include "walk/tree.h"

#define MIB(n) ((uint64_t)(n) << 20)

static hsd_plan_request draw(test_random *random)
{
    const uint64_t objects = test_below(random, UINT64_C(1) << (8 + test_below(random, 24)));
    const hsd_plan_capture c = {
        .objects = objects,
        .references = objects * test_below(random, 9) + test_below(random, 100),
        .has_graph = true,
        .needs_join = test_below(random, 2) == 0,
        .has_parts = test_below(random, 3) == 0,
        .identity_words = HSD_CENSUS_ID,
        .tree_words = HSD_TREE_WORDS,
    };
    return (hsd_plan_request){.threads = 1, .capture_count = 1 + (unsigned)test_below(random, 2), .captures = {c, c}};
}

static void check_least(const hsd_plan_side *side, const hsd_plan_capture *c, bool is_last)
{
    const uint64_t names = 2 * (c->objects + c->references), blocks = 5 * c->references + 2 * c->objects;
    cr_assert_geq(side->dominator_bytes, hsd_dominators_least_bytes(c->objects, c->references));
    cr_assert_geq(side->link_bytes, hsd_paged_least_bytes(8 * c->objects));
    cr_assert_geq(side->link_serve_bytes, hsd_paged_least_bytes(8 * c->objects));
    const uint64_t labels = HSD_NODE_BYTES * c->objects;
    cr_assert_geq(side->owner_bytes, hsd_paged_least_bytes(labels) + c->objects / 8 + (128 << 10));
    cr_assert_geq(side->owner_serve_bytes, hsd_paged_least_bytes(labels));
    cr_assert_geq(side->idle_name_bytes, hsd_paged_least_bytes(names));
    cr_assert_geq(side->idle_adjacency_bytes, hsd_paged_least_bytes(blocks));
    cr_assert_geq(side->idle_name_bytes, 256 << 10);
    cr_assert_geq(side->build_bytes, 256 << 10);
    if (!is_last) return;
    cr_assert_geq(side->type_bytes, hsd_paged_least_bytes(4 * c->objects));
    cr_assert_geq(side->path_bytes, hsd_shortest_least_bytes(c->objects));
}

Test(needs, the_least_plan_gives_every_stage_its_least)
{
    test_random random = {test_seed(23)};
    for (int i = 0; i < 3000; i++) {
        hsd_plan_request r = draw(&random);
        hsd_plan plan;
        r.memory_bytes = UINT64_C(1) << 50;
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
        r.memory_bytes = plan.holders_least_bytes;
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
        cr_assert(plan.has_holders);
        for (unsigned side = 0; side < r.capture_count; side++)
            check_least(&plan.sides[side], &r.captures[side], side + 1 == r.capture_count);
    }
}

Test(needs, unlimited_memory_keeps_everything_resident)
{
    test_random random = {test_seed(29)};
    for (int i = 0; i < 3000; i++) {
        hsd_plan_request r = draw(&random);
        hsd_plan plan;
        r.memory_bytes = UINT64_C(1) << 50;
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
        const hsd_plan_side *side = &plan.sides[r.capture_count - 1];
        const hsd_plan_capture *c = &r.captures[r.capture_count - 1];
        cr_assert_geq(side->dominator_bytes, hsd_dominators_useful_bytes(c->objects, c->references), "%lu %lu",
                      (unsigned long)c->objects, (unsigned long)c->references);
        cr_assert_geq(side->path_bytes, hsd_shortest_useful_bytes(c->objects));
        cr_assert_geq(side->link_bytes, hsd_paged_full_bytes(8 * c->objects));
        cr_assert_geq(side->link_serve_bytes, hsd_paged_full_bytes(8 * c->objects));
        const uint64_t places = hsd_paged_full_bytes(HSD_PLACES_NODE_BYTES * c->objects);
        const uint64_t parents = hsd_paged_full_bytes(HSD_NODE_BYTES * c->objects);
        cr_assert_geq(side->place_sort_bytes, hsd_paged_full_bytes(HSD_TWO_BYTES * c->objects) + parents);
        cr_assert_geq(side->place_link_bytes + side->link_bytes, places);
        cr_assert_geq(side->place_serve_bytes + side->link_serve_bytes, places);
        cr_assert_geq(side->type_bytes, hsd_paged_full_bytes(4 * c->objects));
        cr_assert_geq(side->owner_bytes / 8 * 7, hsd_paged_full_bytes(HSD_NODE_BYTES * c->objects));
        cr_assert_leq(side->dominator_bytes, hsd_dominators_useful_bytes(c->objects, c->references) * 5 / 4 + MIB(16),
                      "what lies idle is no use");
    }
}
