/*
 * The planner: whatever the captures and the budget, what is alive at once is never more than the
 * budget. The sums are made here anew from the stages that plan.h lists.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/node.h"
#include "walk/plan/plan.h"

#define MIB(n) ((uint64_t)(n) << 20)

/* A figure, and what it is where numbers of nodes have 64 bits. */
#define OR_WIDE(narrow, wide) (HSD_NODE_BITS == 32 ? (narrow) : (wide))

static uint64_t state = 12345;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t draw_wide(unsigned bits) { return draw() >> (64 - (1 + draw() % bits)); }

static uint64_t largest(const uint64_t *sums, size_t count)
{
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = hsd_max_u64(most, sums[i]);
    return most;
}

static bool has_tree(const hsd_plan *plan, const hsd_plan_capture *c)
{
    return plan->has_holders && c->tree_words > 0 && c->has_graph;
}

static uint64_t walk_peak(const hsd_plan_side *s, const hsd_plan_capture *c, bool keeps_graph)
{
    const bool is_joined = c->needs_join && (c->has_graph || c->has_parts) && c->block_bytes == 0;
    const uint64_t idle = s->idle_adjacency_bytes + s->idle_name_bytes;
    const uint64_t sums[] = {
        s->reader_bytes + s->id_sort_bytes + s->reference_sort_bytes,
        is_joined ? 0 : s->reader_bytes + s->build_bytes + s->name_bytes,
        is_joined ? 0 : s->reader_bytes + s->edge_sort_bytes,
        s->reader_bytes + s->id_serve_bytes + s->reference_sort_bytes + s->source_sort_bytes,
        s->id_serve_bytes + s->reference_sort_bytes + s->source_serve_bytes,
        is_joined ? s->id_serve_bytes + s->reference_serve_bytes + s->edge_sort_bytes : 0,
        s->ordinal_bytes > 0 ? s->reader_bytes + s->ordinal_bytes + s->build_bytes + s->name_bytes : 0,
        s->id_serve_bytes + s->edge_serve_bytes + s->build_bytes + s->name_bytes,
        c->has_parts ? s->adjacency_bytes + s->idle_name_bytes + s->part_bytes : 0,
        c->has_parts
            ? s->reader_bytes + s->adjacency_bytes + s->idle_name_bytes + s->owner_serve_bytes + s->folded_bytes
            : 0,
        s->dominator_bytes + s->idle_name_bytes + s->place_sort_bytes + s->owner_tell_bytes + s->folded_bytes,
        s->idle_adjacency_bytes + s->name_bytes + s->link_bytes + s->place_link_bytes + s->folded_bytes +
            s->owner_tree_bytes + s->owner_tell_bytes,
        s->owner_tree_bytes == 0 ? 0
                                 : s->idle_adjacency_bytes + s->idle_name_bytes + s->owner_bytes + s->place_link_bytes +
                                       s->link_serve_bytes + s->folded_bytes,
        s->adjacency_bytes + s->idle_name_bytes + s->owner_bytes + s->place_walk_bytes + s->link_walk_bytes +
            s->folded_bytes,
        s->reader_bytes + s->owner_serve_bytes + s->owner_tell_bytes + s->place_serve_bytes + s->link_serve_bytes +
            s->folded_bytes + s->identity_sort_bytes + s->tree_sort_bytes + (keeps_graph ? idle : 0)};
    return s->bits_bytes + largest(sums, HSD_ARRAY_LEN(sums));
}

/* What comes after the walks. */
static uint64_t end_peak(const hsd_plan *plan, const hsd_plan_request *r)
{
    const hsd_plan_side *last = &plan->sides[r->capture_count - 1];
    const bool keeps_graph = has_tree(plan, &r->captures[r->capture_count - 1]);
    uint64_t left = plan->growth_bytes;
    for (unsigned i = 0; i < r->capture_count; i++) {
        const hsd_plan_side *s = &plan->sides[i];
        left += s->identity_serve_bytes + s->tree_serve_bytes + s->kept_bytes + s->type_bytes;
    }
    if (!keeps_graph) return left;
    return left + hsd_max_u64(last->idle_adjacency_bytes + last->idle_name_bytes,
                              last->adjacency_bytes + last->name_bytes + last->path_bytes);
}

static uint64_t peak_of(const hsd_plan *plan, const hsd_plan_request *r)
{
    const hsd_plan_side *a = &plan->sides[0], *b = &plan->sides[1];
    const bool keeps_graph = has_tree(plan, &r->captures[r->capture_count - 1]);
    const uint64_t first = walk_peak(a, &r->captures[0], keeps_graph && r->capture_count == 1);
    uint64_t walks = first;
    if (r->capture_count == 2) {
        const uint64_t second = walk_peak(b, &r->captures[1], keeps_graph);
        walks = plan->is_side_by_side ? first + second
                                      : hsd_max_u64(first, a->identity_serve_bytes + a->tree_serve_bytes + second);
    }
    return plan->table_bytes + hsd_max_u64(walks, end_peak(plan, r));
}

#define SORTER_LEAST (UINT64_C(256) << 10)

static void check_sorter(bool is_used, uint64_t sort_bytes, uint64_t serve_bytes)
{
    cr_assert_eq(is_used, sort_bytes >= SORTER_LEAST);
    cr_assert_eq(is_used, serve_bytes >= SORTER_LEAST);
    cr_assert_leq(serve_bytes, sort_bytes);
}

#define PAGED_LEAST (UINT64_C(256) << 10)

static void check_tree(const hsd_plan_side *s, const hsd_plan_capture *c, bool is_there, bool keeps_graph)
{
    const uint64_t nodes = hsd_min_u64(c->objects, UINT64_C(1) << 40), few = nodes / 2000;
    check_sorter(is_there, s->place_sort_bytes, s->place_serve_bytes);
    check_sorter(is_there, s->tree_sort_bytes, s->tree_serve_bytes);
    cr_assert_eq(is_there, s->dominator_bytes >= nodes / 4 + (1 << 20));
    cr_assert_eq(is_there, s->link_serve_bytes >= few * 4 + PAGED_LEAST);
    cr_assert_leq(s->link_serve_bytes, s->link_bytes);
    cr_assert_eq(is_there, s->idle_name_bytes >= few / 4 + PAGED_LEAST);
    cr_assert_leq(s->idle_name_bytes, s->name_bytes);
    cr_assert_eq(is_there, s->idle_adjacency_bytes >= few + PAGED_LEAST);
    cr_assert_leq(s->idle_adjacency_bytes, s->adjacency_bytes);
    cr_assert_eq(is_there, s->kept_bytes >= nodes / 8 + 64);
    cr_assert_eq(keeps_graph, s->type_bytes >= few + PAGED_LEAST);
    cr_assert_eq(keeps_graph, s->path_bytes >= nodes / 8 + PAGED_LEAST);
}

static void check_side(const hsd_plan *plan, const hsd_plan_side *s, const hsd_plan_capture *c, bool is_last)
{
    const bool has_blocks = c->has_graph || c->has_parts, is_joined = has_blocks && c->needs_join;
    const uint64_t nodes = hsd_min_u64(c->objects, UINT64_C(1) << 40);
    const bool is_ahead = s->reader_bytes != HSD_PLAN_READER_BYTES;
    cr_assert_eq(s->reader_bytes, HSD_PLAN_READER_BYTES + (is_ahead ? HSD_PLAN_AHEAD_BYTES : 0));
    cr_assert(!is_ahead || s->has_room_ahead);
    check_sorter(is_joined, s->id_sort_bytes, s->id_serve_bytes);
    check_sorter(is_joined, s->reference_sort_bytes, s->reference_serve_bytes);
    check_sorter(is_joined && c->has_edges, s->source_sort_bytes, s->source_serve_bytes);
    check_sorter(has_blocks, s->edge_sort_bytes, s->edge_serve_bytes);
    check_sorter(c->identity_words > 0, s->identity_sort_bytes, s->identity_serve_bytes);
    cr_assert_eq(has_blocks, s->owner_bytes >= nodes / 1000 + nodes / 8 + (192 << 10));
    cr_assert_eq(has_blocks, s->build_bytes >= 1 << 20);
    cr_assert_leq(s->build_bytes, s->adjacency_bytes);
    cr_assert_eq(c->has_parts, s->part_bytes >= nodes / 1000 + nodes / 8 + (192 << 10));
    cr_assert_eq(c->has_parts, s->folded_bytes >= SORTER_LEAST);
    cr_assert_leq(s->owner_serve_bytes, s->owner_bytes);
    cr_assert_eq(has_blocks, s->owner_serve_bytes >= nodes / 1000 + (16 << 10));
    check_tree(s, c, has_tree(plan, c), has_tree(plan, c) && is_last);
}

static hsd_plan_capture draw_capture(void)
{
    hsd_plan_capture c = {.objects = draw_wide(44), .references = draw_wide(46), .has_graph = draw() % 4 != 0};
    if (draw() % 2 == 0) c.objects %= 20000000;
    if (draw() % 2 == 0) c.references = c.objects * (draw() % 6);
    c.needs_join = draw() % 2 == 0;
    c.has_edges = draw() % 4 == 0;
    c.has_parts = draw() % 3 == 0;
    c.identity_words = (unsigned)(draw() % 7);
    c.tree_words = draw() % 3 == 0 ? 0 : 4 + (unsigned)(draw() % 2);
    return c;
}

static hsd_plan_request draw_request(void)
{
    hsd_plan_request r = {.memory_bytes = draw_wide(44), .threads = 1 + (unsigned)(draw() % 4)};
    r.capture_count = 1 + (unsigned)(draw() % 2);
    r.captures[0] = draw_capture();
    r.captures[1] = draw() % 3 == 0 ? r.captures[0] : draw_capture();
    if (draw() % 2 == 0) r.memory_bytes = HSD_MEMORY_MIN_BYTES + draw() % MIB(2048);
    if (r.memory_bytes == 0) r.memory_bytes = 1;
    return r;
}

Test(plan, never_gives_away_more_than_the_budget)
{
    int made = 0, with_holders = 0, without = 0;
    for (int i = 0; i < 20000; i++) {
        const hsd_plan_request r = draw_request();
        hsd_plan plan;
        const uint64_t least = hsd_plan_least(&r);
        const hsd_status status = hsd_plan_make(&plan, &r, NULL);
        if (r.memory_bytes >= least) cr_assert_eq(status, HSD_OK, "case %d", i);
        if (r.memory_bytes + MIB(1) <= least) cr_assert_eq(status, HSD_E_OVER_BUDGET, "case %d", i);
        if (status != HSD_OK) continue;
        made++;
        with_holders += plan.has_holders;
        without += plan.holders_least_bytes > 0 && !plan.has_holders;
        cr_assert_leq(peak_of(&plan, &r), r.memory_bytes, "case %d", i);
        cr_assert_eq(peak_of(&plan, &r), plan.peak_bytes, "case %d", i);
        for (unsigned side = 0; side < 2; side++)
            cr_assert_leq(plan.end_bytes[side], r.memory_bytes, "case %d, side %u", i, side);
        for (unsigned side = 0; side < r.capture_count; side++)
            check_side(&plan, &plan.sides[side], &r.captures[side], side + 1 == r.capture_count);
    }
    cr_assert_gt(made, 5000);
    cr_assert(with_holders > 2000 && without > 40, "%d with holders, %d without", with_holders, without);
}

/* What the graph takes is known then, and no more than was thought. */
static void read_graph(hsd_plan_capture *c)
{
    c->block_bytes = 1 + draw() % (5 * c->references + 2 * c->objects + 1);
    c->block_name_bytes = draw() % (2 * c->references + 2 * c->objects + 1);
}

Test(plan, is_within_the_budget_when_it_is_made_anew_once_graphs_are_read)
{
    int made = 0, resident[2] = {0, 0};
    for (int i = 0; i < 20000; i++) {
        hsd_plan_request r = draw_request();
        hsd_plan before, plan;
        if (hsd_plan_make(&before, &r, NULL) != HSD_OK) continue;
        for (unsigned side = 0; side < r.capture_count; side++)
            if (r.captures[side].has_graph || r.captures[side].has_parts) read_graph(&r.captures[side]);
        if (hsd_plan_make(&plan, &r, NULL) != HSD_OK) continue;
        made++;
        cr_assert_leq(peak_of(&plan, &r), r.memory_bytes, "case %d", i);
        cr_assert_eq(peak_of(&plan, &r), plan.peak_bytes, "case %d", i);
        resident[0] += before.has_holders && before.sides[0].idle_adjacency_bytes == before.sides[0].adjacency_bytes;
        resident[1] += plan.has_holders && plan.sides[0].idle_adjacency_bytes == plan.sides[0].adjacency_bytes;
    }
    cr_assert_gt(made, 5000);
    cr_assert_gt(resident[1], resident[0]);
}

Test(plan, the_number_it_names_suffices_and_is_the_least)
{
    for (int i = 0; i < 2000; i++) {
        hsd_plan_request r = draw_request();
        hsd_plan plan;
        r.memory_bytes = hsd_plan_least(&r);
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
        r.memory_bytes -= 1 << 20;
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_E_OVER_BUDGET);
    }
}

/* By structure, where what waits for the other side may grow by more than the budget does. */
Test(plan, what_suffices_does_so_with_more)
{
    int failed = 0, without = 0;
    for (int i = 0; i < 400; i++) {
        const uint64_t objects = draw_wide(24), references = objects * (1 + draw() % 5);
        const hsd_plan_capture c = {.objects = objects,
                                    .references = references,
                                    .has_graph = true,
                                    .needs_join = draw() % 2 == 0,
                                    .has_parts = draw() % 2 == 0,
                                    .has_structure = true,
                                    .strings = draw_wide(20),
                                    .identity_words = 3,
                                    .tree_words = 4};
        hsd_plan_request r = {.threads = 1 + (unsigned)(draw() % 2), .capture_count = 2, .captures = {c, c}};
        bool has_plan = false, has_holders = false;
        r.captures[1].objects += objects / 10;
        for (uint64_t mebibytes = 16; mebibytes < 80; mebibytes++) {
            hsd_plan plan;
            r.memory_bytes = MIB(mebibytes);
            const bool is_made = hsd_plan_make(&plan, &r, NULL) == HSD_OK;
            cr_assert(is_made || !has_plan, "case %d, %lu MiB", i, (unsigned long)mebibytes);
            cr_assert((is_made && plan.has_holders) || !has_holders, "case %d, %lu MiB", i, (unsigned long)mebibytes);
            if (is_made) cr_assert_leq(plan.peak_bytes, r.memory_bytes);
            has_plan = is_made;
            has_holders = is_made && plan.has_holders;
            failed += !is_made;
            without += is_made && !has_holders;
        }
    }
    cr_assert(failed > 200 && without > 200, "%d failed, %d without holders", failed, without);
}

Test(plan, holders_are_there_from_the_number_on_that_it_names)
{
    int dropped = 0;
    for (int i = 0; i < 3000; i++) {
        hsd_plan_request r = draw_request();
        hsd_plan plan;
        const bool is_asked = (r.captures[0].has_graph && r.captures[0].tree_words > 0) ||
                              (r.capture_count == 2 && r.captures[1].has_graph && r.captures[1].tree_words > 0);
        if (hsd_plan_make(&plan, &r, NULL) != HSD_OK) continue;
        cr_assert_eq(plan.holders_least_bytes > 0, is_asked, "case %d", i);
        if (!is_asked) cr_assert_not(plan.has_holders);
        if (!is_asked) continue;
        if (r.memory_bytes >= plan.holders_least_bytes) cr_assert(plan.has_holders, "case %d", i);
        if (r.memory_bytes + MIB(1) <= plan.holders_least_bytes) cr_assert_not(plan.has_holders, "case %d", i);
        r.memory_bytes = plan.holders_least_bytes;
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK, "case %d", i);
        cr_assert(plan.has_holders, "case %d", i);
        r.memory_bytes -= 1 << 20;
        if (hsd_plan_make(&plan, &r, NULL) != HSD_OK) continue;
        cr_assert_not(plan.has_holders, "case %d", i);
        dropped++;
    }
    cr_assert_gt(dropped, 100);
}

/* What does not fit with holders is planned as if nobody had asked for them. */
Test(plan, without_holders_nothing_of_theirs_is_left)
{
    int compared = 0;
    for (int i = 0; i < 3000; i++) {
        hsd_plan_request r = draw_request();
        hsd_plan plan, bare;
        r.memory_bytes = hsd_plan_least(&r);
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
        if (plan.has_holders) continue;
        r.captures[0].tree_words = r.captures[1].tree_words = 0;
        cr_assert_eq(hsd_plan_make(&bare, &r, NULL), HSD_OK);
        cr_assert_eq(memcmp(plan.sides, bare.sides, sizeof plan.sides), 0, "case %d", i);
        cr_assert_eq(bare.holders_least_bytes, 0);
        cr_assert_eq(plan.growth_bytes, 0);
        compared += plan.holders_least_bytes > 0;
    }
    cr_assert_gt(compared, 500);
}

static hsd_plan_request two(uint64_t memory, unsigned threads, uint64_t objects)
{
    const hsd_plan_capture c = {
        .objects = objects, .references = 3 * objects, .has_graph = true, .needs_join = true, .identity_words = 5};
    return (hsd_plan_request){.memory_bytes = memory, .threads = threads, .capture_count = 2, .captures = {c, c}};
}

Test(plan, the_bounds_that_were_promised_are_kept)
{
    const hsd_plan_request small = two(HSD_MEMORY_MIN_BYTES, 1, 1000000);
    cr_assert_eq(hsd_plan_least(&small), HSD_MEMORY_MIN_BYTES);
    const hsd_plan_request first = two(MIB(64), 2, 10000000);
    cr_assert_leq(hsd_plan_least(&first), MIB(64));
    const hsd_plan_request later = two(MIB(256), 2, 100000000);
    cr_assert_leq(hsd_plan_least(&later), MIB(256));
}

static hsd_plan_request with_holders(uint64_t memory, uint64_t objects, uint64_t references, unsigned captures)
{
    hsd_plan_request r = two(memory, 2, objects);
    r.capture_count = captures;
    for (unsigned i = 0; i < 2; i++) {
        r.captures[i].references = references;
        r.captures[i].tree_words = captures == 2 ? 4 : 5;
    }
    return r;
}

Test(plan, holders_fit_where_they_were_promised)
{
    static const struct {
        uint64_t memory, objects, references;
        unsigned captures;
    } promises[] = {{HSD_MEMORY_MIN_BYTES, 1000000, 3000000, 2},
                    {MIB(64), 10000000, 30000000, 2},
                    {MIB(256), 90000000, 327000000, 1},
                    {MIB(512), 50000000, 150000000, 2},
                    {MIB(256), 100000000, 300000000, 2}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(promises); i++) {
        hsd_plan plan;
        const hsd_plan_request r =
            with_holders(promises[i].memory, promises[i].objects, promises[i].references, promises[i].captures);
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
        cr_assert(plan.has_holders, "case %zu", i);
        cr_assert_leq(plan.holders_least_bytes, r.memory_bytes / 2 + MIB(8), "case %zu: %llu MiB", i,
                      (unsigned long long)(plan.holders_least_bytes >> 20));
    }
}

/* The figures of DESIGN.md, "Less memory". */
Test(plan, holders_need_as_little_as_the_design_says)
{
    static const struct {
        uint64_t objects, references, least_mib;
    } said[] = {{10000000, 30000000, 19}, {90000000, 327000000, OR_WIDE(96, 99)}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(said); i++) {
        hsd_plan plan;
        const hsd_plan_request r = with_holders(MIB(4096), said[i].objects, said[i].references, 2);
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
        cr_assert_eq(plan.holders_least_bytes, MIB(said[i].least_mib), "%llu bytes",
                     (unsigned long long)plan.holders_least_bytes);
    }
}

/* What ranks of a machine share: never more than a part, unless the answer needs it, and no more than a walk touches.
 */
Test(plan, processes_that_share_a_machine_have_a_part_of_its_memory)
{
    hsd_plan plan, alone;
    for (uint64_t mib = 16; mib <= 8192; mib += mib / 3) {
        hsd_plan_request r = with_holders(MIB(mib), 10000000, 30000000, 2);
        const hsd_status status = hsd_plan_make(&alone, &r, NULL);
        r.walks_apart = true;
        r.shares = 2;
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), status);
        if (status != HSD_OK) continue;
        cr_assert_eq(plan.has_holders, alone.has_holders, "the answer is that of one process with %llu MiB",
                     (unsigned long long)mib);
        cr_assert_eq(plan.holders_least_bytes, alone.holders_least_bytes);
        cr_assert_leq(plan.peak_bytes, plan.memory_bytes);
        const uint64_t least = plan.has_holders ? plan.holders_least_bytes : plan.memory_bytes;
        cr_assert_leq(plan.memory_bytes, hsd_max_u64(MIB(mib) / 2, least));
        cr_assert_leq(plan.memory_bytes, MIB(OR_WIDE(110, 220)), "%llu MiB",
                      (unsigned long long)(plan.memory_bytes >> 20));
    }
}

Test(plan, a_graph_stays_in_memory_where_there_is_enough_of_it)
{
    hsd_plan plan;
    hsd_plan_request r = with_holders(MIB(1024), 5000000, 25000000, 2);
    r.threads = 1;
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_not(plan.is_side_by_side);
    for (unsigned i = 0; i < 2; i++) {
        const hsd_plan_side *s = &plan.sides[i];
        cr_assert(s->build_bytes == s->adjacency_bytes && s->idle_adjacency_bytes == s->adjacency_bytes);
        cr_assert_eq(s->idle_name_bytes, s->name_bytes);
        cr_assert(s->link_bytes >= 8 * 5000000 && s->link_serve_bytes == s->link_bytes);
        cr_assert_geq(s->owner_bytes, 4 * 5000000);
    }
    r = with_holders(MIB(64), 5000000, 25000000, 2);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_lt(plan.sides[1].idle_adjacency_bytes, MIB(1));
    cr_assert_gt(plan.sides[1].adjacency_bytes, MIB(10));
}

Test(plan, places_that_are_sorted_tell_owners_from_little)
{
    hsd_plan plan;
    hsd_plan_request r = with_holders(MIB(OR_WIDE(256, 512)), 90000000, 300000000, 1);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    const hsd_plan_side *s = &plan.sides[0];
    cr_assert_eq(s->owner_tree_bytes, 0);
    cr_assert(s->owner_tell_bytes >= MIB(4) && s->owner_tell_bytes <= r.memory_bytes / 32);
    r = with_holders(MIB(1024), 5000000, 25000000, 1);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_eq(plan.sides[0].owner_tell_bytes, 0, "those in arrays have a share of their own");
}

Test(plan, two_walks_at_once_take_no_more_than_buys_speed)
{
    hsd_plan plan;
    hsd_plan_request r = with_holders(MIB(1024), 5200000, 15500000, 2);
    r.captures[0].needs_join = r.captures[1].needs_join = false;
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert(plan.is_side_by_side);
    cr_assert_leq(plan.peak_bytes, MIB(64 + 2 * OR_WIDE(205, 345)), "%llu MiB",
                  (unsigned long long)(plan.peak_bytes >> 20));
    for (int i = 0; i < 2; i++) {
        cr_assert_gt(plan.sides[i].owner_tree_bytes, 0, "owners come out of the tree");
        cr_assert(plan.sides[i].place_serve_bytes == plan.sides[i].place_link_bytes, "places stay in arrays");
        cr_assert_leq(plan.sides[i].dominator_bytes, MIB(OR_WIDE(110, 220)), "both have their most at the same time");
    }
    cr_assert_leq(plan.sides[1].path_bytes, MIB(OR_WIDE(100, 200)));
    if (HSD_NODE_BITS == 32) cr_assert_lt(plan.sides[1].idle_adjacency_bytes, plan.sides[1].adjacency_bytes);
    const hsd_plan at_most = plan;
    r.memory_bytes = MIB(64 * 1024);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_eq(memcmp(plan.sides, at_most.sides, sizeof plan.sides), 0, "more changes nothing");
    r = with_holders(MIB(1024), OR_WIDE(1000000, 500000), OR_WIDE(3000000, 1500000), 2);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert(plan.is_side_by_side && plan.sides[1].idle_adjacency_bytes == plan.sides[1].adjacency_bytes,
              "small graphs stay");
}

/* Two JVM dumps with one thread: what the first was labelled with would leave the second too little for its owners. */
Test(plan, a_side_that_waits_leaves_its_memory_to_the_other)
{
    hsd_plan plan;
    hsd_plan_request r = with_holders(MIB(OR_WIDE(1024, 2048)), 10000000, 22000000, 2);
    r.threads = 1;
    r.captures[0].has_structure = r.captures[1].has_structure = true;
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_leq(plan.peak_bytes, r.memory_bytes);
    for (int i = 0; i < 2; i++) {
        const hsd_plan_side *side = &plan.sides[i];
        cr_expect(side->waits_in_order && side->owner_tree_bytes > 0, "side %d", i);
        cr_expect_leq(hsd_plan_waiting(side, side->place_serve_bytes), MIB(2));
        cr_expect_gt(side->place_serve_bytes, MIB(32));
    }
    cr_expect_geq(plan.recognise_bytes, r.memory_bytes / 4 * OR_WIDE(3, 2), "%llu MiB",
                  (unsigned long long)(plan.recognise_bytes >> 20));
    for (int i = 0; i < 2; i++) {
        r.captures[i].objects = 200000;
        r.captures[i].references = 500000;
    }
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_expect(!plan.sides[0].waits_in_order && !plan.sides[1].waits_in_order, "what takes little stays");
    cr_expect_eq(hsd_plan_waiting(&plan.sides[0], MIB(32)), MIB(32));
}

Test(plan, walks_side_by_side_when_both_graphs_fit)
{
    hsd_plan plan;
    hsd_plan_request r = two(MIB(1024), 2, 5000000);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert(plan.is_side_by_side);
    cr_assert_str_eq(plan.reason, "both graphs fit in memory");
    cr_assert_eq(memcmp(&plan.sides[0], &plan.sides[1], sizeof plan.sides[0]), 0);
}

/* Places of so many objects are sorted. */
Test(plan, reads_ahead_where_a_thread_is_free_and_that_is_little_beside_the_rest)
{
    static const struct {
        uint64_t memory_bytes;
        unsigned threads, captures;
        bool is_ahead;
    } cases[] = {{MIB(512), 2, 1, true},  {MIB(256), 2, 1, true}, {MIB(512), 1, 1, false},
                 {MIB(100), 2, 1, false}, {MIB(512), 2, 2, true}, {MIB(512), 1, 2, false}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(cases); i++) {
        hsd_plan plan;
        hsd_plan_request r = two(cases[i].memory_bytes, cases[i].threads, 60000000);
        r.capture_count = cases[i].captures;
        r.captures[0].tree_words = r.captures[1].tree_words = 4;
        cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
        cr_assert(plan.has_holders && !plan.is_side_by_side);
        for (unsigned side = 0; side < r.capture_count; side++) {
            cr_expect_eq(plan.sides[side].has_room_ahead, cases[i].is_ahead, "case %zu", i);
            cr_expect_eq(plan.sides[side].reader_bytes,
                         HSD_PLAN_READER_BYTES + (cases[i].is_ahead ? HSD_PLAN_AHEAD_BYTES : 0));
        }
        cr_expect_leq(peak_of(&plan, &r), cases[i].memory_bytes);
    }
}

/* Two V8 snapshots with little memory; two heaps whose objects are recognised by structure would suffer. */
Test(plan, walks_side_by_side_when_enough_of_both_graphs_fits)
{
    hsd_plan plan;
    hsd_plan_request r = with_holders(MIB(OR_WIDE(512, 1024)), 20500000, 60000000, 2);
    r.captures[0].needs_join = r.captures[1].needs_join = false;
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert(plan.is_side_by_side);
    cr_assert_str_eq(plan.reason, "enough of both graphs fits in memory");
    cr_assert_leq(plan.peak_bytes, r.memory_bytes);
    r.memory_bytes = MIB(OR_WIDE(900, 1800));
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert(plan.is_side_by_side);
    cr_assert_leq(plan.peak_bytes, MIB(OR_WIDE(640, 1280)), "half of it is as good as most of it");
    r.memory_bytes = MIB(OR_WIDE(256, 512));
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_not(plan.is_side_by_side);
    r.memory_bytes = MIB(OR_WIDE(512, 1024));
    r.captures[0].has_structure = r.captures[1].has_structure = true;
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_not(plan.is_side_by_side);
}

Test(plan, walks_in_turn_when_they_do_not_and_says_why)
{
    hsd_plan plan;
    hsd_plan_request r = two(MIB(64), 2, 10000000);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_not(plan.is_side_by_side);
    cr_assert(plan.uses_sort_threads);
    cr_assert_str_eq(plan.reason, "both graphs do not fit in memory together");
    r = two(MIB(1024), 1, 1000);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_not(plan.is_side_by_side || plan.uses_sort_threads);
    cr_assert_str_eq(plan.reason, "there is one thread");
    r = two(MIB(32), 2, 1000);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_str_eq(plan.reason, "the budget is too small for two walks at once");
    r.capture_count = 1;
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_str_eq(plan.reason, "there is one capture");
}

Test(plan, the_larger_capture_gets_the_larger_share)
{
    hsd_plan plan;
    hsd_plan_request r = two(MIB(1024), 2, 4000000);
    r.captures[1].objects *= 2;
    r.captures[1].references *= 2;
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert(plan.is_side_by_side);
    cr_assert_gt(plan.sides[1].owner_bytes, plan.sides[0].owner_bytes);
    cr_assert_leq(plan.sides[1].reference_sort_bytes, MIB(64), "more buys no speed");
}

Test(plan, small_captures_get_no_more_than_they_can_use)
{
    hsd_plan plan;
    const hsd_plan_request r = two(MIB(1024), 1, 1000);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_lt(plan.peak_bytes, MIB(64 + 8 + 8));
}

Test(plan, a_budget_that_is_too_small_names_one_that_suffices)
{
    hsd_plan plan;
    hsd_error err;
    hsd_error_init(&err);
    hsd_plan_request r = two(HSD_MEMORY_MIN_BYTES - 1, 1, 1000);
    cr_assert_eq(hsd_plan_make(&plan, &r, &err), HSD_E_OVER_BUDGET);
    cr_assert_str_eq(err.text, "a memory budget of 16383 KiB is too small: 16 MiB suffice");
    cr_assert_str_eq(err.hint, "--memory 16M");
    r = two(MIB(64), 1, 1000000000);
    cr_assert_eq(hsd_plan_make(&plan, &r, &err), HSD_E_OVER_BUDGET);
    unsigned long long named = 0;
    cr_assert_eq(sscanf(err.hint, "--memory %lluM", &named), 1);
    r.memory_bytes = MIB(named);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
}

Test(plan, no_budget_means_the_default)
{
    hsd_plan plan;
    const hsd_plan_request r = two(0, 2, 1000);
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_OK);
    cr_assert_eq(plan.memory_bytes, hsd_run_default_memory());
}

Test(plan, is_for_one_or_two_captures)
{
    hsd_plan plan;
    hsd_plan_request r = two(MIB(64), 1, 1000);
    r.capture_count = 0;
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_E_MISUSE);
    r.capture_count = 3;
    cr_assert_eq(hsd_plan_make(&plan, &r, NULL), HSD_E_MISUSE);
}

static void keep_text(void *context, hsd_note_level level, const char *text)
{
    char *texts = context;
    if (level == HSD_NOTE_DETAIL) snprintf(texts + strlen(texts), 1024 - strlen(texts), "%s\n", text);
}

static void explain(const hsd_plan_request *r, char *texts)
{
    const hsd_run run = {.note = keep_text, .note_context = texts};
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    hsd_plan plan;
    texts[0] = '\0';
    cr_assert_eq(hsd_plan_make(&plan, r, NULL), HSD_OK);
    hsd_plan_explain(&plan, &reporter);
    hsd_reporter_release(&reporter);
}

Test(plan, explains_itself_in_one_line)
{
    char text[1024];
    const hsd_plan_request r = two(MIB(64), 2, 10000000);
    explain(&r, text);
    cr_assert_not_null(strstr(text, "memory 64 MiB"));
    cr_assert_not_null(strstr(text, "walked in turn because both graphs do not fit in memory together"));
    cr_assert_eq(strchr(text, '\n'), text + strlen(text) - 1);
}

Test(plan, explains_holders_in_another)
{
    char text[1024];
    hsd_plan_request r = with_holders(MIB(64), 10000000, 30000000, 2);
    explain(&r, text);
    cr_assert_not_null(strstr(text, "\ndominators "));
    cr_assert_not_null(strstr(text, "; the graph leaves memory where it is not walked\n"));
    r = with_holders(MIB(1024), 5000000, 25000000, 1);
    explain(&r, text);
    cr_assert_not_null(strstr(text, "; the graph stays in memory\n"));
    r = with_holders(MIB(18), 10000000, 30000000, 2);
    explain(&r, text);
    cr_assert_not_null(strstr(text, "\nno dominators: they need "), "%s", text);
}
