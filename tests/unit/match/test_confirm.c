/*
 * Taking back what stands alone, held against its definition: a pair by structure, of whose four neighbours neither the
 * two in front nor the two behind are each other's; and that this costs the same however the lonely ones lie.
 */
#include "base/mix.h"
#include "match/confirm.h"
#include "sequence_kit.h"

static hsd_temp_space space;
static hsd_error err;
static hsd_sequence older, newer;
static uint64_t dropped;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
    dropped = 77;
}

static void teardown(void)
{
    hsd_sequence_release(&older);
    hsd_sequence_release(&newer);
}

TestSuite(confirm, .init = setup, .fini = teardown);

static void open_both(hsd_node count_older, hsd_node count_newer, uint64_t memory)
{
    teardown();
    kit_sequence(&older, count_older, 1, memory, &space);
    kit_sequence(&newer, count_newer, 1, memory, &space);
}

static void pair(hsd_node at_older, hsd_node at_newer, hsd_rung rung)
{
    hsd_sequence_pair(&older, at_older, &newer, at_newer, rung);
}

static void confirm(void) { cr_assert_eq(hsd_confirm(&older, &newer, NULL, &dropped, &err), HSD_OK, "%s", err.text); }

/* `at` goes to `at`, from `first` on, `count` of them. */
static void pair_in_order(hsd_node first, hsd_node count)
{
    for (hsd_node at = first; at < first + count; at++)
        pair(at, at, HSD_RUNG_STRUCTURE);
}

static bool is_paired(hsd_node at) { return hsd_sequence_partner(&older, at) != HSD_NO_PARTNER; }

/* ---- single ones ---- */

enum { SOME = 40 };

/* A pair by `rung` that goes from between 9 and 11 of older to between 29 and 31 of newer. */
static void put_stranger(hsd_rung rung)
{
    open_both(SOME, SOME, KIT_PLENTY);
    pair_in_order(0, 10);
    pair_in_order(11, 19);
    pair_in_order(31, 9);
    pair(10, 30, rung);
}

Test(confirm, takes_back_what_lies_among_strangers)
{
    put_stranger(HSD_RUNG_STRUCTURE);
    confirm();
    cr_assert_eq(dropped, 1);
    cr_assert_not(is_paired(10));
    cr_assert_eq(hsd_sequence_partner(&newer, 30), HSD_NO_PARTNER);
    cr_assert_eq(hsd_sequence_rung(&older, 10), HSD_RUNG_NONE);
    cr_assert_eq(hsd_sequence_rung(&newer, 30), HSD_RUNG_NONE);
    confirm();
    cr_assert_eq(dropped, 0, "no other is lonely");
}

Test(confirm, never_takes_back_what_has_a_better_reason)
{
    static const hsd_rung firm[] = {HSD_RUNG_KEY, HSD_RUNG_NAME, HSD_RUNG_SAME_ADDRESS, HSD_RUNG_PLACE};
    for (size_t i = 0; i < sizeof firm / sizeof *firm; i++) {
        put_stranger(firm[i]);
        confirm();
        cr_assert_eq(dropped, 0);
        cr_assert_eq(hsd_sequence_partner(&older, 10), 30);
        cr_assert_eq(hsd_sequence_rung(&older, 10), firm[i]);
        cr_assert_eq(hsd_sequence_rung(&newer, 30), firm[i]);
    }
}

/* Two that went together have each other. */
Test(confirm, one_neighbour_suffices)
{
    open_both(SOME, SOME, KIT_PLENTY);
    pair_in_order(0, 10);
    pair_in_order(12, 18);
    pair_in_order(32, 8);
    pair(10, 30, HSD_RUNG_STRUCTURE);
    pair(11, 31, HSD_RUNG_STRUCTURE);
    confirm();
    cr_assert_eq(dropped, 0);
    for (hsd_node at = 0; at < SOME; at++)
        cr_assert_eq(is_paired(at), at < 30 || at >= 32);
}

/* What lies at an end has that end for a neighbour, if it lies there on both sides. */
Test(confirm, beginning_and_end_are_neighbours)
{
    open_both(SOME, SOME, KIT_PLENTY);
    pair_in_order(3, 30);
    pair(0, 1, HSD_RUNG_STRUCTURE);
    pair(39, 38, HSD_RUNG_STRUCTURE);
    confirm();
    cr_assert_eq(dropped, 0);
    open_both(SOME, SOME, KIT_PLENTY);
    pair_in_order(3, 30);
    pair(0, 38, HSD_RUNG_STRUCTURE);
    confirm();
    cr_assert_eq(dropped, 1);
    open_both(SOME, SOME, KIT_PLENTY);
    pair_in_order(3, 30);
    pair(39, 0, HSD_RUNG_STRUCTURE);
    confirm();
    cr_assert_eq(dropped, 1);
    cr_assert_not(is_paired(39));
}

Test(confirm, needs_pairs_and_positions_for_nothing)
{
    const hsd_node counts[][2] = {{0, 0}, {0, 9}, {9, 0}, {9, 9}, {1, 1}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        open_both(counts[i][0], counts[i][1], KIT_PLENTY);
        confirm();
        cr_assert_eq(dropped, 0);
    }
    pair(0, 0, HSD_RUNG_STRUCTURE);
    confirm();
    cr_assert(is_paired(0));
}

/* ---- when order says nothing ---- */

/* So many pairs, two of which changed places: these two and those behind them have another one in front. */
static void put_swap(hsd_node count)
{
    open_both(count, count, KIT_PLENTY);
    for (hsd_node at = 0; at < count; at++)
        pair(at, at == 3 ? 9 : at == 9 ? 3 : at, HSD_RUNG_STRUCTURE);
}

Test(confirm, asks_for_three_of_four)
{
    put_swap(16);
    confirm();
    cr_assert_eq(dropped, 2);
    cr_assert(!is_paired(3) && !is_paired(9));
    put_swap(15);
    confirm();
    cr_assert_eq(dropped, 0);
    cr_assert(is_paired(3) && is_paired(9));
}

Test(confirm, takes_nothing_back_from_what_was_shuffled)
{
    test_random random = {test_seed(3)};
    hsd_node order[1000];
    open_both(1000, 1000, KIT_PLENTY);
    for (hsd_node at = 0; at < 1000; at++)
        order[at] = at;
    kit_shuffle(&random, order, 1000);
    for (hsd_node at = 0; at < 1000; at++)
        pair(at, order[at], HSD_RUNG_STRUCTURE);
    confirm();
    cr_assert_eq(dropped, 0);
    for (hsd_node at = 0; at < 1000; at++) {
        cr_assert_eq(hsd_sequence_partner(&older, at), order[at]);
        cr_assert_eq(hsd_sequence_rung(&older, at), HSD_RUNG_STRUCTURE);
        cr_assert_eq(hsd_sequence_rung(&newer, order[at]), HSD_RUNG_STRUCTURE);
    }
}

/* ---- any pairs, by the definition ---- */

enum { MOST = 60 };

typedef struct snapshot {
    hsd_node count;
    hsd_node partner[MOST];
    hsd_rung rung[MOST];
} snapshot;

static snapshot look(hsd_sequence *s)
{
    snapshot shot = {.count = s->count};
    for (hsd_node at = 0; at < s->count; at++) {
        shot.partner[at] = hsd_sequence_partner(s, at);
        shot.rung[at] = hsd_sequence_rung(s, at);
    }
    return shot;
}

/* Position of the nearest pair on that side, an end being -1 or count. */
static int64_t nearest(const snapshot *s, int64_t at, int step)
{
    for (at += step; at >= 0 && at < (int64_t)s->count && s->partner[at] == HSD_NO_PARTNER;)
        at += step;
    return at;
}

static bool naive_fits(const snapshot *of, const snapshot *other, hsd_node at, int step)
{
    const int64_t here = nearest(of, (int64_t)at, step), there = nearest(other, (int64_t)of->partner[at], step);
    const bool is_end = here < 0 || here == (int64_t)of->count,
               is_end_there = there < 0 || there == (int64_t)other->count;
    return is_end || is_end_there ? is_end && is_end_there : (int64_t)of->partner[here] == there;
}

static bool naive_order(const snapshot *of, const snapshot *other)
{
    hsd_node pairs = 0, fitting = 0;
    for (hsd_node at = 0; at < of->count; at++) {
        if (of->partner[at] == HSD_NO_PARTNER) continue;
        pairs++;
        fitting += naive_fits(of, other, at, -1);
    }
    return 4 * fitting >= 3 * pairs;
}

static hsd_node check_side(const snapshot *of, const snapshot *other, const snapshot *now)
{
    hsd_node gone = 0;
    for (hsd_node at = 0; at < of->count; at++) {
        const bool is_lonely = of->rung[at] == HSD_RUNG_STRUCTURE && naive_order(of, other) &&
                               !naive_fits(of, other, at, -1) && !naive_fits(of, other, at, 1);
        cr_assert_eq(now->partner[at], is_lonely ? HSD_NO_PARTNER : of->partner[at], "position %" HSD_PRI_NODE, at);
        cr_assert_eq(now->rung[at], is_lonely ? HSD_RUNG_NONE : of->rung[at], "position %" HSD_PRI_NODE, at);
        gone += is_lonely;
    }
    return gone;
}

/* Mostly in order; one in `rate` goes anywhere; some gaps; some firm ones. */
static void put_random(test_random *random, hsd_node count, uint32_t rate, uint64_t memory)
{
    open_both(count, count + (hsd_node)test_below(random, 9), memory);
    for (hsd_node at = 0; at < count; at++) {
        const hsd_node there = (hsd_node)(test_below(random, rate) == 0 ? test_below(random, newer.count) : at);
        if (test_below(random, 5) == 0 || hsd_sequence_partner(&newer, there) != HSD_NO_PARTNER) continue;
        pair(at, there, test_below(random, 4) == 0 ? HSD_RUNG_SAME_ADDRESS : HSD_RUNG_STRUCTURE);
    }
}

Test(confirm, does_what_its_definition_says)
{
    uint64_t all = 0, in_vain = 0;
    for (uint64_t seed = 1; seed < 3000; seed++) {
        test_random random = {test_seed(seed)};
        put_random(&random, (hsd_node)test_below(&random, MOST - 10), (uint32_t)test_below(&random, 15) + 1,
                   KIT_PLENTY);
        const snapshot of_older = look(&older), of_newer = look(&newer);
        confirm();
        const snapshot now_older = look(&older), now_newer = look(&newer);
        cr_assert_eq(check_side(&of_older, &of_newer, &now_older), dropped);
        cr_assert_eq(check_side(&of_newer, &of_older, &now_newer), dropped, "whichever is older");
        all += dropped;
        in_vain += !naive_order(&of_older, &of_newer);
    }
    cr_assert(all > 500 && in_vain > 200, "%lu taken back, %lu without order", (unsigned long)all,
              (unsigned long)in_vain);
}

/* ---- many ---- */

enum { MANY = 300000 };

static uint64_t sum_of_random(uint64_t seed, uint64_t memory)
{
    test_random random = {test_seed(seed)};
    put_random(&random, MANY, 20, memory);
    confirm();
    uint64_t sum = dropped;
    cr_assert_gt(dropped, 1000);
    for (hsd_node at = 0; at < MANY; at++)
        sum = hsd_mix(sum, hsd_sequence_partner(&older, at) + hsd_sequence_rung(&older, at));
    for (hsd_node at = 0; at < newer.count; at++)
        sum = hsd_mix(sum, hsd_sequence_partner(&newer, at));
    return sum;
}

Test(confirm, does_the_same_in_any_memory)
{
    for (uint64_t seed = 1; seed < 4; seed++)
        cr_assert_eq(sum_of_random(seed, KIT_LEAST), sum_of_random(seed, KIT_PLENTY), "seed %lu", (unsigned long)seed);
}

/* Pages are brought in a few times, not once a pair. */
static void check_faults(void)
{
    hsd_paged *const arrays[] = {&older.partners, &newer.partners, &older.rungs, &newer.rungs};
    for (size_t i = 0; i < 4; i++)
        arrays[i]->faults = 0;
    confirm();
    for (size_t i = 0; i < 4; i++)
        cr_assert_lt(arrays[i]->faults, 8 * arrays[i]->page_count, "array %zu", i);
}

/* One in ten went to a region of its own, in their order or from its end on: none of them has a neighbour, and each
 * would see past all that were taken back, were those gone. */
static void put_movers(bool is_turned)
{
    const hsd_node movers = MANY, all = 10 * MANY;
    open_both(all, all, KIT_LEAST);
    for (hsd_node at = 0, stayed = 0, moved = 0; at < all; at++) {
        const bool moves = at % 10 == 5;
        const hsd_node place = is_turned ? movers - 1 - moved : moved;
        pair(at, moves ? all - movers + place : stayed, HSD_RUNG_STRUCTURE);
        moved += moves;
        stayed += !moves;
    }
}

Test(confirm, looks_at_no_gap_twice_however_lonely_ones_lie)
{
    for (int i = 0; i < 2; i++) {
        put_movers(i == 1);
        check_faults();
        cr_assert_eq(dropped, MANY);
        cr_assert_not(is_paired(5));
    }
}

/* A pair here and there, nothing between. */
Test(confirm, looks_at_long_gaps_a_fixed_number_of_times)
{
    open_both(10 * MANY, 10 * MANY, KIT_LEAST);
    for (hsd_node at = 1000; at < 10 * MANY; at += 70001)
        pair(at, at - (at & 511), HSD_RUNG_STRUCTURE);
    check_faults();
    cr_assert_eq(dropped, 0);
}

/* ---- failing ---- */

static bool refuse(void *context, const char *stage, uint64_t done, uint64_t total)
{
    cr_assert_str_eq(stage, "confirming objects");
    cr_assert_leq(done, total);
    ++*(int *)context;
    return false;
}

Test(confirm, stops_when_it_is_told_to)
{
    int calls = 0;
    const hsd_run run = {.progress = refuse, .progress_context = &calls};
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    put_swap(16);
    cr_assert_eq(hsd_confirm(&older, &newer, &reporter, &dropped, &err), HSD_E_CANCELLED);
    cr_assert_eq(calls, 1);
    hsd_reporter_release(&reporter);
}

static void fail_array(hsd_paged *array)
{
    array->status = HSD_E_IO;
    hsd_error_init(&array->error);
    hsd_fail(&array->error, HSD_E_IO, "cannot read");
    cr_assert_eq(hsd_confirm(&older, &newer, NULL, &dropped, &err), HSD_E_IO);
    cr_assert_str_eq(err.text, "cannot read");
}

Test(confirm, passes_on_what_its_arrays_could_not_read)
{
    put_swap(16);
    fail_array(&older.partners);
    put_swap(16);
    fail_array(&newer.rungs);
}
