/* The loser tree and the merge: always the smallest, whoever offers it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "sort/losertree.h"
#include "sort/merge.h"
#include "sort/runset.h"
#include "support/fault.h"
#include "unit/io/scratch.h"
#include "unit/sort/records.h"

/* ---- the tree */

Test(losertree, follows_the_worked_example)
{
    static const uint64_t first[] = {6, 2, 9, 4, 8, 3, 7, 5};
    const uint64_t losers[] = {3, 4, 5, 6, 9, 8, 7};
    uint64_t memory[32];
    hsd_losertree tree;
    cr_assert_leq(hsd_losertree_bytes(8), sizeof memory);
    hsd_losertree_init(&tree, 8, 1, memory);
    for (uint32_t i = 0; i < 8; i++)
        hsd_losertree_set(&tree, i, &first[i]);
    hsd_losertree_play(&tree);
    cr_assert_eq(hsd_losertree_winner(&tree), 1);
    for (int i = 0; i < 7; i++)
        cr_assert_eq(tree.nodes[i + 1].key, losers[i], "node %d", i + 1);
    static const uint64_t ten = 10;
    hsd_losertree_replace(&tree, &ten);
    cr_assert_eq(*tree.records[hsd_losertree_winner(&tree)], 3);
    cr_assert(tree.nodes[4].key == 10 && tree.nodes[2].key == 6 && tree.nodes[1].key == 4);
}

static uint64_t least_but(const hsd_losertree *tree, uint32_t winner)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < tree->leaf_count; i++)
        if (i != winner && tree->records[i] != NULL && *tree->records[i] < least) least = *tree->records[i];
    return least;
}

Test(losertree, picks_the_smallest_for_any_number_of_leaves)
{
    for (uint32_t leaves = 1; leaves < 70; leaves += leaves < 20 ? 1 : 7) {
        for (shape of = 0; of < SHAPES; of++) {
            enum { EACH = 40, WORDS = 2 };
            uint64_t *records = records_make(of, leaves * EACH, WORDS, leaves);
            uint64_t *expected = records_sorted(records, leaves * EACH, WORDS);
            uint64_t *lists[70];
            size_t at[70] = {0};
            void *memory = malloc(hsd_losertree_bytes(leaves));
            hsd_losertree tree;
            hsd_losertree_init(&tree, leaves, WORDS, memory);
            for (uint32_t i = 0; i < leaves; i++) {
                lists[i] = records_sorted(records + i * EACH * WORDS, EACH, WORDS);
                hsd_losertree_set(&tree, i, lists[i]);
            }
            hsd_losertree_play(&tree);
            for (size_t i = 0; i < leaves * EACH; i++) {
                const uint32_t winner = hsd_losertree_winner(&tree);
                cr_assert_eq(memcmp(tree.records[winner], expected + i * WORDS, WORDS * 8), 0);
                cr_assert_eq(hsd_losertree_second(&tree), least_but(&tree, winner));
                at[winner]++;
                hsd_losertree_replace(&tree, at[winner] < EACH ? lists[winner] + at[winner] * WORDS : NULL);
            }
            cr_assert_null(tree.records[hsd_losertree_winner(&tree)]);
            for (uint32_t i = 0; i < leaves; i++)
                free(lists[i]);
            free(memory);
            free(records);
            free(expected);
        }
    }
}

Test(losertree, the_largest_word_is_not_taken_for_the_end)
{
    static const uint64_t large[2] = {UINT64_MAX, UINT64_MAX}, less[2] = {UINT64_MAX, 3};
    uint64_t memory[32];
    hsd_losertree tree;
    hsd_losertree_init(&tree, 4, 2, memory);
    hsd_losertree_set(&tree, 2, large);
    hsd_losertree_set(&tree, 3, less);
    hsd_losertree_play(&tree);
    cr_assert_eq(hsd_losertree_winner(&tree), 3);
    hsd_losertree_replace(&tree, NULL);
    cr_assert_eq(hsd_losertree_winner(&tree), 2);
    hsd_losertree_replace(&tree, NULL);
    cr_assert_null(tree.records[hsd_losertree_winner(&tree)]);
}

/* ---- the merge and its passes */

static hsd_temp_space space;

static void prepare(void)
{
    scratch_make();
    hsd_temp_space_init(&space, scratch);
}

TestSuite(merge, .init = prepare, .fini = scratch_remove);

#define WRITE_BYTES ((size_t)8192)

typedef struct fixture {
    hsd_runset set;
    uint64_t *expected;
    size_t count;
    void *write_buffer, *memory;
} fixture;

static void open_runs(fixture *f, uint32_t runs, size_t each, size_t memory_bytes)
{
    f->write_buffer = malloc(WRITE_BYTES);
    f->memory = malloc(memory_bytes);
    f->count = runs * each;
    const hsd_runset_config config = {
        .words = 2, .space = &space, .write_buffer = f->write_buffer, .write_bytes = WRITE_BYTES, .capacity = runs + 3};
    hsd_runset_init(&f->set, &config);
}

/* Sorts each run's part of `all`, which it frees. */
static void fill_runs(fixture *f, uint32_t runs, size_t each, uint64_t *all)
{
    for (uint32_t i = 0; i < runs; i++) {
        all[i * each * 2] = 0; /* the first of each run is smaller than the last of the one before */
        uint64_t *sorted = records_sorted(all + i * each * 2, each, 2);
        cr_assert_eq(hsd_runset_add(&f->set, sorted, each, NULL), HSD_OK);
        free(sorted);
    }
    cr_assert_eq(hsd_runset_close_run(&f->set, NULL), HSD_OK);
    cr_assert_eq(f->set.count, runs);
    f->expected = records_sorted(all, f->count, 2);
    free(all);
}

/* `runs` runs of `each` records of 2 words; neighbours do not continue each other. */
static void make_runs(fixture *f, uint32_t runs, size_t each, uint64_t seed, size_t memory_bytes)
{
    open_runs(f, runs, each, memory_bytes);
    fill_runs(f, runs, each, records_make(RANDOM, f->count, 2, seed));
}

/* Runs that come in stretches of 37, `equal` first words alike: also across the ends of stretches, where the payload
 * decides. */
static void make_stretches(fixture *f, uint32_t runs, size_t each, uint64_t equal, size_t memory_bytes)
{
    open_runs(f, runs, each, memory_bytes);
    uint64_t *all = malloc(f->count * 16);
    for (size_t i = 0; i < f->count; i++) {
        const size_t run = i / each, at = i % each, place = (at / 37 * runs + run) * 37 + at % 37;
        all[2 * i] = place / equal;
        all[2 * i + 1] = place * UINT64_C(0x9e3779b97f4a7c15);
    }
    fill_runs(f, runs, each, all);
}

static void release(fixture *f)
{
    hsd_runset_release(&f->set);
    free(f->write_buffer);
    free(f->memory);
    free(f->expected);
    cr_assert_eq(space.bytes_now, 0);
}

static void check_merge(fixture *f, size_t memory_bytes)
{
    hsd_merge merge;
    const uint64_t *record;
    cr_assert_leq(f->set.count, hsd_merge_fan_in(memory_bytes, HSD_RUN_DELTA));
    cr_assert_eq(hsd_merge_open(&merge, f->set.runs, f->set.count, 2, f->memory, memory_bytes, NULL), HSD_OK);
    for (size_t i = 0; i < f->count; i++) {
        cr_assert_eq(hsd_merge_next(&merge, &record, NULL), HSD_OK);
        cr_assert_eq(memcmp(record, f->expected + i * 2, 16), 0, "record %zu", i);
    }
    cr_assert_eq(hsd_merge_next(&merge, &record, NULL), HSD_END);
    cr_assert_eq(hsd_merge_next(&merge, &record, NULL), HSD_END);
}

Test(merge, reads_all_runs_as_one)
{
    for (uint32_t runs = 1; runs < 40; runs += 6) {
        fixture f;
        make_runs(&f, runs, 500, runs, 1 << 20);
        check_merge(&f, 1 << 20);
        check_merge(&f, 1 << 20);
        release(&f);
    }
}

Test(merge, reads_stretches_of_runs_in_their_order)
{
    for (uint32_t runs = 1; runs < 20; runs += 3) {
        for (uint64_t equal = 1; equal < 60; equal = equal * 7) {
            fixture f;
            make_stretches(&f, runs, 1500, equal, 1 << 20);
            check_merge(&f, 1 << 20);
            check_merge(&f, 1 << 20);
            release(&f);
        }
    }
}

Test(merge, fan_in_grows_with_memory_and_stays_within)
{
    cr_assert_eq(hsd_merge_fan_in(0, HSD_RUN_DELTA), 1);
    cr_assert_eq(hsd_merge_fan_in((size_t)1 << 40, HSD_RUN_DELTA), HSD_MERGE_FAN_IN_MAX);
    for (size_t memory = 1 << 16; memory < 1 << 24; memory += 77777) {
        const uint32_t runs = hsd_merge_fan_in(memory, HSD_RUN_DELTA);
        cr_assert_leq(runs * ((4 << 10) + sizeof(hsd_run_reader) + hsd_losertree_bytes(1)), memory);
    }
    for (size_t memory = 1 << 16; memory < 1 << 24; memory += 77777)
        cr_assert_leq(hsd_merge_fan_in(memory, HSD_RUN_PACKED) * HSD_RUN_BLOCK_PACKED_BYTES, memory);
    cr_assert_leq(hsd_merge_useful_bytes(10), 10 * (260 << 10));
    hsd_merge merge;
    cr_assert_eq(hsd_merge_open(&merge, NULL, 0, 2, NULL, 1 << 20, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_merge_open(&merge, NULL, 1000, 2, NULL, 1 << 20, NULL), HSD_E_MISUSE);
}

Test(merge, passes_bring_the_number_of_runs_down)
{
    const size_t memory = 28 << 10; /* fan-in 4 */
    cr_assert_eq(hsd_merge_fan_in(memory, HSD_RUN_DELTA), 4);
    for (uint32_t runs = 1; runs < 40; runs++) {
        for (uint32_t target = 1; target <= 4; target++) {
            for (int keeps = 0; keeps < 2; keeps++) {
                fixture f;
                make_runs(&f, runs, 50, runs, memory);
                cr_assert_eq(hsd_runset_reduce(&f.set, target, keeps, f.memory, memory, NULL), HSD_OK);
                cr_assert(runs <= target ? f.set.count == runs : f.set.count <= target);
                if (runs > target && !keeps) cr_assert_eq(f.set.count, target);
                check_merge(&f, memory);
                release(&f);
            }
        }
    }
}

Test(merge, the_last_pass_writes_only_what_it_must)
{
    const size_t memory = 80 << 10;
    fixture f;
    make_runs(&f, 5, 2000, 1, memory);
    const uint64_t before = f.set.bytes_written;
    cr_assert_eq(hsd_runset_reduce(&f.set, 4, false, f.memory, memory, NULL), HSD_OK);
    cr_assert_eq(f.set.merge_passes, 1);
    cr_assert_leq(f.set.bytes_written - before, before / 2, "two runs of five");
    hsd_runset_trim(&f.set);
    check_merge(&f, memory);
    release(&f);
}

Test(merge, runs_that_go_on_become_one)
{
    uint64_t *records = records_make(ORDERED, 9000, 2, 1);
    char buffer[WRITE_BYTES];
    hsd_runset set;
    const hsd_runset_config config = {
        .words = 2, .space = &space, .write_buffer = buffer, .write_bytes = sizeof buffer, .capacity = 8};
    hsd_runset_init(&set, &config);
    for (size_t i = 0; i < 9; i++)
        cr_assert_eq(hsd_runset_add(&set, records + i * 2000, 1000, NULL), HSD_OK);
    cr_assert_eq(hsd_runset_add(&set, records, 0, NULL), HSD_OK);
    cr_assert_eq(hsd_runset_close_run(&set, NULL), HSD_OK);
    cr_assert_eq(hsd_runset_close_run(&set, NULL), HSD_OK);
    cr_assert(set.count == 1 && set.runs_written == 1 && set.runs[0].record_count == 9000);
    hsd_runset_release(&set);
    free(records);
}

Test(merge, every_failing_call_is_an_error_and_leaves_nothing)
{
    const size_t memory = 80 << 10;
    const hsd_fault_family families[] = {HSD_FAULT_PREAD, HSD_FAULT_PWRITE, HSD_FAULT_OPEN};
    for (size_t i = 0; i < HSD_ARRAY_LEN(families); i++) {
        for (uint64_t at = 1;; at++) {
            fixture f;
            hsd_error err;
            hsd_error_init(&err);
            make_runs(&f, 14, 300, 2, memory);
            hsd_fault_reset();
            hsd_fault_arm(families[i], at, true, EIO);
            const hsd_status status = hsd_runset_reduce(&f.set, 2, false, f.memory, memory, &err);
            const bool struck = hsd_fault_strikes() > 0;
            hsd_fault_reset();
            cr_assert_eq(status, struck ? HSD_E_IO : HSD_OK);
            if (struck) cr_assert_eq(err.sys_errno, EIO);
            release(&f);
            if (!struck) break;
            cr_assert_lt(at, 1000);
        }
    }
}

static bool stop_at_once(void *context, const char *stage, uint64_t done, uint64_t total)
{
    cr_assert_str_eq(stage, "merging sorted runs");
    cr_assert_leq(done, total);
    (*(int *)context)++;
    return false;
}

Test(merge, can_be_cancelled)
{
    int calls = 0;
    const hsd_run run = {.progress = stop_at_once, .progress_context = &calls};
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    fixture f;
    make_runs(&f, 5, 20000, 1, 80 << 10);
    f.set.config.reporter = &reporter;
    cr_assert_eq(hsd_runset_reduce(&f.set, 1, false, f.memory, 80 << 10, NULL), HSD_E_CANCELLED);
    cr_assert_eq(calls, 1);
    release(&f);
    hsd_reporter_release(&reporter);
}

Test(merge, too_little_memory_is_misuse)
{
    fixture f;
    make_runs(&f, 3, 10, 1, 80 << 10);
    cr_assert_eq(hsd_runset_reduce(&f.set, 0, false, f.memory, 80 << 10, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_runset_reduce(&f.set, 1, false, f.memory, 100, NULL), HSD_E_MISUSE);
    release(&f);
}
