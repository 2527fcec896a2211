/*
 * The sweep over gaps between recognised neighbours: what it pairs and how sure it is, and that neither memory nor the
 * number of gaps changes that.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/mix.h"
#include "match/sweep.h"
#include "sequence_kit.h"
#include "support/fault.h"

static hsd_temp_space space;
static hsd_error err;
static hsd_sequence before, after;
static hsd_sweep_pairs made;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
    made = (hsd_sweep_pairs){0, 0, 0};
}

static void teardown(void)
{
    hsd_sequence_release(&before);
    hsd_sequence_release(&after);
}

TestSuite(sweep, .init = setup, .fini = teardown);

/* As hsd_recognise does where owners are not known. */
static hsd_status sweep_both(hsd_sequence *a, hsd_sequence *b, hsd_reporter *reporter, hsd_sweep_pairs *found,
                             hsd_error *failure)
{
    const hsd_status status = hsd_sweep_alike(a, b, reporter, found, failure);
    return status == HSD_OK ? hsd_sweep_types(a, b, reporter, found, failure) : status;
}

/* A letter is a kind of object: the capital one is of the same type and looks otherwise. */
static hsd_element letter(char c) { return (hsd_element){(uint32_t)c, (uint32_t)c + 1000, 5, (uint32_t)c & 31u}; }

static void put_text(hsd_sequence *s, const char *text)
{
    kit_sequence(s, (uint32_t)strlen(text), 1, KIT_PLENTY, &space);
    for (uint32_t i = 0; i < s->count; i++) {
        const hsd_element e = letter(text[i]);
        hsd_sequence_write(s, i, &e);
    }
}

static void anchor(uint32_t at_before, uint32_t at_after)
{
    hsd_sequence_pair(&before, at_before, &after, at_after, HSD_RUNG_STRUCTURE);
}

/* '|' stands for an object that was recognised, the first one of `before` for the first of `after`. */
static void put_both(const char *text_before, const char *text_after)
{
    put_text(&before, text_before);
    put_text(&after, text_after);
    for (uint32_t i = 0, j = 0; i < before.count && j < after.count; i++, j++) {
        while (i < before.count && text_before[i] != '|')
            i++;
        while (j < after.count && text_after[j] != '|')
            j++;
        if (i < before.count && j < after.count) anchor(i, j);
    }
}

/* Both sides say the same, pairs are of one type, and those that are counted are there. */
static void check_pairs(void)
{
    uint64_t count[HSD_RUNG_COUNT] = {0}, paired_after = 0;
    for (uint32_t i = 0; i < before.count; i++) {
        const hsd_node j = hsd_sequence_partner(&before, i);
        count[hsd_sequence_rung(&before, i)]++;
        if (j == HSD_NO_PARTNER) continue;
        cr_assert_eq(hsd_sequence_partner(&after, j), i, "position %u", i);
        cr_assert_eq(hsd_sequence_rung(&after, j), hsd_sequence_rung(&before, i));
    }
    for (uint32_t j = 0; j < after.count; j++)
        paired_after += hsd_sequence_partner(&after, j) != HSD_NO_PARTNER;
    cr_assert_eq(before.count - count[HSD_RUNG_NONE], paired_after);
    cr_assert_eq(count[HSD_RUNG_ORDER], made.order);
    cr_assert_eq(count[HSD_RUNG_CHANGED], made.changed);
    cr_assert_eq(count[HSD_RUNG_TWINS], made.twins);
}

static void sweep(void)
{
    cr_assert_eq(sweep_both(&before, &after, NULL, &made, &err), HSD_OK, "%s", err.text);
    check_pairs();
}

/* The rungs of `before`, a letter each: . none | recognised, o order, c changed, t twins. */
static void expect(const char *text_before, const char *text_after, const char *wanted)
{
    char got[64] = "";
    put_both(text_before, text_after);
    sweep();
    for (uint32_t i = 0; i < before.count; i++)
        got[i] = ".--|||||oct"[hsd_sequence_rung(&before, i)];
    cr_assert_str_eq(got, wanted, "%s and %s", text_before, text_after);
    teardown();
    made = (hsd_sweep_pairs){0, 0, 0};
}

Test(sweep, brings_what_lies_between_neighbours_into_line)
{
    expect("|pqrs|", "|prs|", "|o.oo|");
    expect("|pqrs|uvw|", "|prs|uw|", "|o.oo|o.o|");
    expect("|pqrs|", "|pqXrs|", "|oooo|");
    expect("||", "|abc|", "||");
    expect("|abc|", "||", "|...|");
    expect("||", "||", "||");
}

Test(sweep, counts_the_beginning_and_the_end_as_neighbours)
{
    expect("pqr|stu", "pr|su", "o.o|o.o");
    expect("pqr", "pr", "o.o");
    expect("abc", "xyz", "...");
    expect("", "abc", "");
    expect("abc", "", "...");
}

Test(sweep, takes_one_of_the_same_type_for_changed_in_a_closed_gap)
{
    expect("|abcd|", "|abCd|", "|ooco|");
    expect("|c|", "|C|", "|c|");
    expect("|c|", "|D|", "|.|");
}

Test(sweep, calls_runs_of_another_length_twins)
{
    expect("|aaabcc|", "|aabcc|", "|tt.ooo|");
    expect("|aaab|", "|aaab|", "|oooo|");
    expect("|abbbc|deeef|", "|abbc|deef|", "|ott.o|ott.o|");
}

/* The regions were moved past each other: each is followed from the neighbour it lies behind. */
Test(sweep, follows_an_open_gap_from_its_ends)
{
    put_text(&before, "|abcdefgh|ijklmnop|");
    put_text(&after, "|ijklmnop|abcdefgh|");
    anchor(0, 9);
    anchor(9, 0);
    sweep();
    for (uint32_t i = 1; i < 9; i++)
        cr_assert_eq(hsd_sequence_partner(&before, i), 9 + i);
    for (uint32_t i = 10; i < 18; i++)
        cr_assert_eq(hsd_sequence_partner(&before, i), i - 9);
}

Test(sweep, does_not_follow_an_open_gap_where_nothing_agrees)
{
    put_text(&before, "|abcdefgh|abcdefgh|");
    put_text(&after, "|ABCDEFGH|ABCDEFGH|");
    anchor(0, 9);
    anchor(9, 0);
    sweep();
    cr_assert_eq(made.order + made.changed + made.twins, 0, "the same type is not enough there");
}

/* ---- long gaps ---- */

enum { LONG = 30000 };

static void put_kinds(hsd_sequence *s, const uint32_t *kinds, uint32_t count, uint64_t memory)
{
    kit_sequence(s, count, 1, memory, &space);
    for (uint32_t i = 0; i < count; i++) {
        const hsd_element e = {kinds[i], kinds[i] + LONG, 5, 1};
        hsd_sequence_write(s, i, &e);
    }
}

/* `after` is `before` without one in `rate`; `origin` says where each came from. */
static uint32_t thin_out(const uint32_t *kinds, uint32_t rate, uint64_t seed, uint32_t *left, uint32_t *origin)
{
    test_random random = {test_seed(seed)};
    uint32_t count = 0;
    for (uint32_t i = 0; i < LONG; i++) {
        if (test_below(&random, rate) == 0) continue;
        origin[count] = i;
        left[count++] = kinds[i];
    }
    return count;
}

static uint32_t kinds[LONG], left[LONG], origin[LONG];

static void thin_and_sweep(uint32_t rate, uint64_t seed)
{
    const uint32_t count = thin_out(kinds, rate, seed, left, origin);
    put_kinds(&before, kinds, LONG, KIT_PLENTY);
    put_kinds(&after, left, count, KIT_PLENTY);
    sweep();
}

Test(sweep, finds_every_one_of_different_objects_in_a_long_gap)
{
    for (uint32_t i = 0; i < LONG; i++)
        kinds[i] = i;
    thin_and_sweep(20, 1);
    for (uint32_t j = 0; j < after.count; j++)
        cr_assert_eq(hsd_sequence_partner(&after, j), origin[j], "at %u", j);
}

/* What is called ORDER among twins is mostly right, and no pair is lost. */
Test(sweep, is_sure_near_the_ends_of_many_twins_only)
{
    uint64_t right = 0;
    for (uint32_t i = 0; i < LONG; i++)
        kinds[i] = i % 7 < 3 ? i % 7 : 3;
    thin_and_sweep(10, 2);
    for (uint32_t j = 0; j < after.count; j++) {
        cr_assert(j < 100 || j > after.count - 100 || hsd_sequence_rung(&after, j) != HSD_RUNG_NONE, "position %u", j);
        right += hsd_sequence_rung(&after, j) == HSD_RUNG_ORDER && hsd_sequence_partner(&after, j) == origin[j];
    }
    cr_assert(made.order > 0 && made.twins > made.order);
    cr_assert_gt(right * 100, made.order * 80);
}

Test(sweep, is_sure_of_equals_when_none_went)
{
    memset(kinds, 0, sizeof kinds);
    put_kinds(&before, kinds, LONG, KIT_PLENTY);
    put_kinds(&after, kinds, LONG, KIT_PLENTY);
    sweep();
    cr_assert_eq(made.order, LONG);
    for (uint32_t i = 0; i < LONG; i++)
        cr_assert_eq(hsd_sequence_partner(&before, i), i);
}

Test(sweep, calls_all_equals_twins_when_one_went)
{
    memset(kinds, 0, sizeof kinds);
    put_kinds(&before, kinds, LONG, KIT_PLENTY);
    put_kinds(&after, kinds, LONG - 1, KIT_PLENTY);
    sweep();
    cr_assert_eq(made.twins, LONG - 1);
    cr_assert_eq(made.order, 0);
}

/* Many alike of a few kinds, then others which are not those of the other side: what is new lies between. */
static uint32_t put_pattern(uint32_t *out, uint32_t times, uint32_t others, uint32_t first_other)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3 * times; i++)
        out[count++] = 1 + i % 3;
    for (uint32_t i = 0; i < others; i++)
        out[count++] = first_other + i;
    return count;
}

Test(sweep, goes_on_from_the_front_where_the_back_is_new)
{
    enum { TIMES = 9000, MORE = 700 };
    const uint32_t count = put_pattern(kinds, TIMES, 11, 100), more = put_pattern(left, TIMES + MORE, 476, 1000);
    put_kinds(&before, kinds, count, KIT_PLENTY);
    put_kinds(&after, left, more, KIT_PLENTY);
    sweep();
    for (uint32_t i = 0; i < 3 * TIMES; i++)
        cr_assert_eq(hsd_sequence_partner(&before, i), i, "at %u", i);
    for (uint32_t i = 3 * TIMES; i < count; i++)
        cr_assert_eq(hsd_sequence_partner(&before, i), HSD_NO_PARTNER, "at %u", i);
}

/* More nodes of a table than a window holds went in a row, and of each three behind them one more. */
Test(sweep, goes_on_behind_many_that_went)
{
    enum { WENT = 1500, TIMES = 400 };
    kinds[0] = left[0] = 1;
    for (uint32_t i = 0; i < WENT; i++)
        kinds[1 + i] = 2;
    for (uint32_t i = 0; i < 3 * TIMES; i++)
        kinds[1 + WENT + i] = 2 + i % 3; /* 2 is a node */
    for (uint32_t i = 0; i < 2 * TIMES; i++)
        left[1 + i] = 3 + i % 2;
    put_kinds(&before, kinds, 1 + WENT + 3 * TIMES, KIT_PLENTY);
    put_kinds(&after, left, 1 + 2 * TIMES, KIT_PLENTY);
    anchor(0, 0);
    sweep();
    for (uint32_t i = 0; i < 3 * TIMES; i++) {
        const hsd_node wanted = i % 3 == 0 ? HSD_NO_PARTNER : 1 + i / 3 * 2 + i % 3 - 1;
        cr_assert_eq(hsd_sequence_partner(&before, 1 + WENT + i), wanted, "at %u", i);
    }
    cr_assert_eq(made.order + made.twins, 2 * TIMES);
}

/* A row of threes in which `leaving` others stood that were moved to the end. All of before's threes are `times`. */
static void put_leaving(uint32_t times, uint32_t leaving)
{
    const uint32_t front = 3 * (times / 3), all = 3 * times;
    kinds[0] = left[0] = 1;
    for (uint32_t i = 0; i < all; i++)
        kinds[1 + i + (i < front ? 0 : leaving)] = left[1 + i] = 2 + i % 3;
    for (uint32_t i = 0; i < leaving; i++)
        kinds[1 + front + i] = left[1 + all + i] = 100 + i;
    put_kinds(&before, kinds, 1 + all + leaving, KIT_PLENTY);
    put_kinds(&after, left, 1 + all + leaving, KIT_PLENTY);
    anchor(0, 0);
    for (uint32_t i = 0; i < leaving; i++)
        anchor(1 + front + i, 1 + all + i);
}

Test(sweep, goes_on_over_what_moved_elsewhere)
{
    enum { TIMES = 900, LEAVING = 40 };
    put_leaving(TIMES, LEAVING);
    sweep();
    for (uint32_t i = 0; i < 3 * TIMES; i++)
        cr_assert_eq(hsd_sequence_partner(&before, 1 + i + (i < TIMES ? 0 : LEAVING)), 1 + i, "at %u: %" HSD_PRI_NODE,
                     i, hsd_sequence_partner(&before, 1 + i + (i < TIMES ? 0 : LEAVING)));
    cr_assert_eq(made.order, 3 * TIMES);
}

Test(sweep, goes_over_a_short_row_only)
{
    put_leaving(900, 300);
    sweep();
    cr_assert_eq(made.order + made.twins, 900);
}

/* ---- any neighbours, any memory ---- */

/* Few kinds, neighbours here and there, some of them moved elsewhere. */
/* The end of a row, behind which the two sides have nothing in common: garbage there, what is new here. */
static void put_row_and_others(uint32_t row, uint32_t others)
{
    kinds[0] = left[0] = 1;
    for (uint32_t i = 1; i <= row + others; i++) {
        kinds[i] = i <= row ? i % 3 : 1000 + i;
        left[i] = i <= row ? i % 3 : 9000 + i;
    }
    put_kinds(&before, kinds, row + others + 1, KIT_PLENTY);
    put_kinds(&after, left, row + others + 1, KIT_PLENTY);
    anchor(0, 0);
}

Test(sweep, keeps_a_row_of_equals_whatever_follows)
{
    put_row_and_others(60, 1500);
    sweep();
    cr_assert_eq(made.order, 60);
    for (uint32_t i = 1; i <= 60; i++)
        cr_assert_eq(hsd_sequence_partner(&before, i), i);
    teardown();
    made = (hsd_sweep_pairs){0, 0, 0};
    put_row_and_others(6, 1500);
    sweep();
    cr_assert_eq(made.order, 0, "that may be chance");
}

static uint64_t random_sweep(uint64_t seed, uint64_t memory)
{
    test_random random = {test_seed(seed)};
    const uint32_t variety = (uint32_t)test_below(&random, 30) + 1;
    for (uint32_t i = 0; i < LONG; i++)
        kinds[i] = (uint32_t)test_below(&random, variety);
    const uint32_t count = thin_out(kinds, (uint32_t)test_below(&random, 20) + 2, seed, left, origin);
    put_kinds(&before, kinds, LONG, memory);
    put_kinds(&after, left, count, memory);
    const uint32_t spacing = (uint32_t)test_below(&random, 300) + 2;
    for (uint32_t j = 0; j < count; j += 1 + (uint32_t)test_below(&random, spacing)) {
        const uint32_t i = test_below(&random, 10) == 0 ? (uint32_t)test_below(&random, LONG) : origin[j];
        if (hsd_sequence_partner(&before, i) == HSD_NO_PARTNER) anchor(i, j);
    }
    sweep();
    uint64_t sum = made.order;
    for (uint32_t i = 0; i < LONG; i++)
        sum = hsd_mix(sum, hsd_sequence_partner(&before, i) * UINT64_C(16) + hsd_sequence_rung(&before, i));
    teardown();
    made = (hsd_sweep_pairs){0, 0, 0};
    return sum;
}

Test(sweep, makes_the_same_pairs_in_any_memory)
{
    for (uint64_t seed = 1; seed < 12; seed++)
        cr_assert_eq(random_sweep(seed, KIT_LEAST), random_sweep(seed, KIT_PLENTY), "seed %lu", (unsigned long)seed);
}

/* Pages of elements are brought in a few times, not once a gap. */
Test(sweep, reads_its_gaps_a_fixed_number_of_times)
{
    enum { MANY = 400000 };
    uint32_t *equal = calloc(MANY, sizeof *equal);
    put_kinds(&before, equal, MANY, KIT_LEAST);
    put_kinds(&after, equal, MANY - MANY / 20, KIT_LEAST);
    before.elements.faults = after.elements.faults = before.partners.faults = after.partners.faults = 0;
    sweep();
    cr_assert_lt(before.elements.faults, 12 * before.elements.page_count);
    cr_assert_lt(after.elements.faults, 12 * after.elements.page_count);
    cr_assert_lt(before.partners.faults, 12 * before.partners.page_count);
    cr_assert_lt(after.partners.faults, 12 * after.partners.page_count);
    free(equal);
}

/* ---- failing ---- */

static bool refuse(void *context, const char *stage, uint64_t done, uint64_t total)
{
    cr_assert_str_eq(stage, "recognising neighbours");
    cr_assert_leq(done, total);
    ++*(int *)context;
    return false;
}

Test(sweep, stops_when_it_is_told_to)
{
    int calls = 0;
    const hsd_run run = {.progress = refuse, .progress_context = &calls};
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    put_both("pqr|stu", "pr|su");
    cr_assert_eq(sweep_both(&before, &after, &reporter, &made, &err), HSD_E_CANCELLED);
    cr_assert_eq(calls, 1);
    hsd_reporter_release(&reporter);
}

Test(sweep, says_when_there_is_no_memory)
{
    put_both("pqr|stu", "pr|su");
    for (uint32_t at = 1; at <= 2; at++) {
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = sweep_both(&before, &after, NULL, &made, &err);
        cr_assert_gt(hsd_fault_strikes(), 0);
        hsd_fault_reset();
        cr_assert_eq(status, HSD_E_NOMEM, "allocation %u", at);
    }
    sweep();
    cr_assert_eq(made.order, 4);
}

Test(sweep, passes_on_what_its_arrays_could_not_read)
{
    put_both("pqr|stu", "pr|su");
    before.elements.status = HSD_E_IO;
    hsd_error_init(&before.elements.error);
    hsd_fail(&before.elements.error, HSD_E_IO, "cannot read");
    cr_assert_eq(sweep_both(&before, &after, NULL, &made, &err), HSD_E_IO);
    cr_assert_str_eq(err.text, "cannot read");
}
