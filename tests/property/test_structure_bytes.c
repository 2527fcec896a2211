/*
 * What is recognised by structure does not depend on the order of records, the memory or the threads: the same pairs in
 * the same order, and the same report. The heap is large enough that the smaller budgets spill, page and walk in turn.
 */
#include "structure_kit.h"

#include "base/node.h"
#include "support/sizes.h"

#define FIRST UINT64_C(0xcbf29ce484222325)

enum { ORDERS = 3, RUNS = 15 };

TestSuite(structure_bytes, .init = setup, .fini = teardown);

static uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

typedef struct answer {
    uint64_t pairs, report; /* hashes */
    bool has_holders;
} answer;

static uint64_t hash_of_pairs(const told *all)
{
    uint64_t hash = FIRST;
    for (size_t i = 0; i < all->count; i++) {
        const uint64_t words[3] = {all->pairs[i].before, all->pairs[i].after, (uint64_t)all->pairs[i].rung};
        hash = hash_of(hash, words, sizeof words);
    }
    return hash;
}

static answer run_once(const hsd_run *run)
{
    told all = {0};
    hsd_diff *diff = compare(run, &all);
    cr_assert(diff->is_by_structure);
    for (int rung = HSD_MATCH_STRUCTURE; rung < HSD_MATCH_RUNG_COUNT; rung++) {
        /* it is asked last: nothing is left */
        if (rung != HSD_MATCH_PLACE) cr_assert_gt(diff->match.rungs[rung].objects, 0);
    }
    /* of the files, which another order changes */
    diff->before.info.has_digest = diff->after.info.has_digest = false;
    text json = json_of(diff);
    const answer out = {hash_of_pairs(&all), hash_of(FIRST, json.bytes, json.size), diff->has_holders};
    free(json.bytes);
    told_free(&all);
    hsd_diff_free(diff);
    return out;
}

/* A budget with which nobody can say who holds what tells the same pairs all the same. */
static void check_same(answer wanted, const hsd_run *run, bool can_have_holders, uint64_t order)
{
    const unsigned long mib = (unsigned long)(run->memory_bytes >> 20);
    const answer found = run_once(run);
    cr_assert_eq(found.has_holders, can_have_holders, "memory %lu MiB", mib);
    cr_assert_eq(found.pairs, wanted.pairs, "order %lu, memory %lu MiB, threads %u", order, mib, run->threads);
    if (can_have_holders)
        cr_assert_eq(found.report, wanted.report, "order %lu, memory %lu MiB, threads %u", order, mib, run->threads);
}

static void write_both(const grove *before, const grove *after, uint64_t order)
{
    const grove_form form = {.identity = HSC_IDENTITY_MOVING, .order = order};
    const grove_form later = {.identity = HSC_IDENTITY_MOVING, .order = 2 * order, .moment = 1};
    cr_assert(grove_write(before, &form, before_path));
    cr_assert(grove_write(after, &later, after_path));
}

static void check_way(moved_way way)
{
    static const uint64_t mib[] = {6 * HSD_NODE_BYTES, 20, 8 * HSD_NODE_BYTES, 512, 16 * HSD_NODE_BYTES};
    const grove_plan plan = {.seed = 3, .groups = 12, .entries = 700, .churn = 6, .mutation = 6, .growth = 12};
    const unsigned runs = (unsigned)test_size(RUNS, RUNS / 5 * 2), runs_an_order = runs / ORDERS;
    test_random random = {7};
    grove before = grove_grow(&plan, 0), after = grove_grow(&plan, 1);
    answer wanted = {0, 0, false};
    grove_place(&before);
    grove_move(&after, &before, way, &random);
    for (unsigned i = 0; i < runs; i++) {
        const uint64_t order = i / runs_an_order;
        const hsd_run run = {.memory_bytes = mib[i % 5] << 20, .threads = 1 + i % 3};
        if (i % runs_an_order == 0) write_both(&before, &after, order);
        if (i == 0) wanted = run_once(&run);
        check_same(wanted, &run, mib[i % 5] != 20, order);
    }
    cr_log_info("%s: %u runs over %zu and %zu objects, 1 distinct hash", moved_way_name(way), runs, before.object_count,
                after.object_count);
    grove_free(&before);
    grove_free(&after);
}

Test(structure_bytes, of_a_heap_in_its_order) { check_way(MOVED_COMPACTED); }
Test(structure_bytes, of_a_heap_of_regions) { check_way(MOVED_REGIONS); }
