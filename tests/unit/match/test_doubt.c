/*
 * Doubt among equals that lie in a row, held against its definition: a pair by order is uncertain when it, on either
 * side, is joined by equals of which each is next to the other to one that has no partner.
 */
#include <string.h>

#include "base/mix.h"
#include "match/doubt.h"
#include "sequence_kit.h"

static hsd_temp_space space;
static hsd_error err;
static hsd_sequence before, after;
static hsd_sweep_pairs made;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

static void teardown(void)
{
    hsd_sequence_release(&before);
    hsd_sequence_release(&after);
}

TestSuite(doubt, .init = setup, .fini = teardown);

static hsd_element kind(uint32_t number) { return (hsd_element){number, number + 1000, 5, 1}; }

static void write_kind(hsd_sequence *s, hsd_node at, uint32_t number)
{
    const hsd_element e = kind(number);
    hsd_sequence_write(s, at, &e);
}

static void open_both(hsd_node count_before, hsd_node count_after, uint64_t memory)
{
    teardown();
    made = (hsd_sweep_pairs){0, 0, 0};
    kit_sequence(&before, count_before, 1, memory, &space);
    kit_sequence(&after, count_after, 1, memory, &space);
    memset(before.is_shared, 0xff, count_before / 8 + 1); /* what the sweep has left there says nothing */
}

static void pair(hsd_node at_before, hsd_node at_after, hsd_rung rung)
{
    hsd_sequence_pair(&before, at_before, &after, at_after, rung);
    made.order += rung == HSD_RUNG_ORDER;
    made.changed += rung == HSD_RUNG_CHANGED;
    made.twins += rung == HSD_RUNG_TWINS;
}

static void doubt(void) { cr_assert_eq(hsd_doubt(&before, &after, &made, &err), HSD_OK, "%s", err.text); }

/* ---- by hand ---- */

static hsd_rung rung_of(char c)
{
    switch (c) {
    case '|': return HSD_RUNG_STRUCTURE;
    case 'c': return HSD_RUNG_CHANGED;
    case 't': return HSD_RUNG_TWINS;
    default: return HSD_RUNG_ORDER;
    }
}

/* Letters are kinds. How each is paired: `.` not; else the first such of before with the first such of after, and so
 * on. */
static void expect(const char *text_before, const char *how_before, const char *text_after, const char *how_after,
                   const char *wanted)
{
    char got[64] = "";
    hsd_node j = 0;
    open_both((hsd_node)strlen(text_before), (hsd_node)strlen(text_after), KIT_PLENTY);
    for (hsd_node i = 0; i < before.count; i++)
        write_kind(&before, i, (uint32_t)text_before[i]);
    for (hsd_node i = 0; i < after.count; i++)
        write_kind(&after, i, (uint32_t)text_after[i]);
    for (hsd_node i = 0; i < before.count; i++) {
        if (how_before[i] == '.') continue;
        while (how_after[j] == '.')
            j++;
        cr_assert_eq(how_before[i], how_after[j]);
        pair(i, j++, rung_of(how_before[i]));
    }
    doubt();
    for (hsd_node i = 0; i < before.count; i++)
        got[i] = ".--|||||oct"[hsd_sequence_rung(&before, i)];
    cr_assert_str_eq(got, wanted, "%s and %s", text_before, text_after);
}

Test(doubt, is_of_a_row_that_someone_left)
{
    expect("axxxxb", "oo.ooo", "axxxb", "ooooo", "ot.tto");
    expect("axxxxb", "ooooo.", "axxxx", "ooooo", "ooooo.");
    expect("xxx", ".oo", "xx", "oo", ".tt");
    expect("xxx", "oo.", "xx", "oo", "tt.");
    expect("", "", "", "", "");
}

Test(doubt, is_of_a_row_that_someone_joined)
{
    expect("axxxb", "ooooo", "axxxxb", "oo.ooo", "ottto");
    expect("xx", "oo", "xxx", ".oo", "tt");
    expect("ax", "oo", "axb", "oo.", "oo");
}

Test(doubt, does_not_reach_past_another_kind)
{
    expect("xxcx.", "oooo.", "xxcx", "oooo", "oooo.");
    expect("xxcxx", "ooco.", "xxCx", "ooco", "ooct.");
    expect("xxcxx", "o.coo", "xCxx", "ocoo", "t.coo");
    expect("xyxyxy", "oooo..", "xyxy", "oooo", "oooo..");
}

Test(doubt, leaves_pairs_by_anything_else)
{
    expect("xxxxx", "|oct.", "xxxx", "|oct", "|tct.");
    expect("xxx", "||.", "xx", "||", "||.");
}

/* Only one of type, structure and referrer differs: no row. */
Test(doubt, takes_only_what_nothing_tells_apart_for_equal)
{
    const hsd_element look[] = {{7, 8, 5, 1}, {7, 9, 5, 1}, {7, 9, 6, 1}, {7, 9, 6, 2}, {3, 9, 6, 2}};
    const hsd_rung wanted[] = {HSD_RUNG_ORDER, HSD_RUNG_ORDER, HSD_RUNG_ORDER, HSD_RUNG_TWINS, HSD_RUNG_NONE};
    open_both(5, 4, KIT_PLENTY);
    for (hsd_node i = 0; i < 5; i++)
        hsd_sequence_write(&before, i, &look[i]);
    for (hsd_node i = 0; i < 4; i++)
        hsd_sequence_write(&after, i, &look[i]);
    for (hsd_node i = 0; i < 4; i++)
        pair(i, i, HSD_RUNG_ORDER);
    doubt();
    for (hsd_node i = 0; i < 5; i++)
        cr_assert_eq(hsd_sequence_rung(&before, i), wanted[i], "position %" HSD_PRI_NODE, i);
}

/* ---- long rows ---- */

/* `length` equals from `first` on among others, the one at `gone` without a partner. */
static void check_row(hsd_node first, hsd_node length, hsd_node gone, uint64_t memory)
{
    const hsd_node count = first + length + 700;
    open_both(count, count - 1, memory);
    for (hsd_node at = 0; at < count; at++) {
        const bool is_in = at >= first && at < first + length;
        const hsd_node there = at - (at > gone);
        const uint32_t number = is_in ? 1 : 2 + (uint32_t)at;
        write_kind(&before, at, number);
        if (at == gone) continue;
        write_kind(&after, there, number);
        pair(at, there, HSD_RUNG_ORDER);
    }
    doubt();
    for (hsd_node at = 0; at < count; at++) {
        const bool is_in = at >= first && at < first + length;
        const hsd_rung wanted = at == gone ? HSD_RUNG_NONE : is_in ? HSD_RUNG_TWINS : HSD_RUNG_ORDER;
        cr_assert_eq(hsd_sequence_rung(&before, at), wanted,
                     "%" HSD_PRI_NODE " of %" HSD_PRI_NODE " from %" HSD_PRI_NODE, at, length, first);
    }
    cr_assert_eq(made.twins, length - 1);
    cr_assert_eq(made.order, count - length);
}

Test(doubt, goes_through_windows)
{
    static const hsd_node firsts[] = {0, 1, 500, 511, 512, 513}, lengths[] = {2, 12, 511, 512, 513, 1024, 1700};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
            check_row(firsts[i], lengths[j], firsts[i], KIT_PLENTY);
            check_row(firsts[i], lengths[j], firsts[i] + lengths[j] - 1, KIT_PLENTY);
            check_row(firsts[i], lengths[j], firsts[i] + lengths[j] / 2, KIT_PLENTY);
        }
    }
}

Test(doubt, reads_each_side_in_order)
{
    enum { MANY = 400000 };
    check_row(1000, MANY, MANY / 2, KIT_LEAST);
    hsd_paged *const arrays[] = {&before.elements, &after.elements, &before.partners,
                                 &after.partners,  &before.rungs,   &after.rungs};
    for (size_t i = 0; i < 6; i++)
        arrays[i]->faults = 0;
    doubt();
    for (size_t i = 0; i < 6; i++)
        cr_assert_leq(arrays[i]->faults, 3 * arrays[i]->page_count, "array %zu", i);
}

/* ---- any rows, by the definition ---- */

enum { MOST = 80 };

typedef struct snapshot {
    hsd_node count;
    uint32_t kind[MOST];
    hsd_node partner[MOST];
    hsd_rung rung[MOST];
} snapshot;

static snapshot look(hsd_sequence *s)
{
    snapshot shot = {.count = s->count};
    for (hsd_node at = 0; at < s->count; at++) {
        hsd_element e;
        hsd_sequence_read(s, at, 1, &e);
        shot.kind[at] = e.shape;
        shot.partner[at] = hsd_sequence_partner(s, at);
        shot.rung[at] = hsd_sequence_rung(s, at);
    }
    return shot;
}

/* All from one to the other are equal. */
static bool are_in_a_row(const snapshot *s, hsd_node a, hsd_node b)
{
    for (hsd_node at = a < b ? a : b; at <= (a < b ? b : a); at++) {
        if (s->kind[at] != s->kind[a]) return false;
    }
    return true;
}

static bool has_leaver(const snapshot *s, hsd_node of)
{
    for (hsd_node at = 0; at < s->count; at++) {
        if (s->partner[at] == HSD_NO_PARTNER && are_in_a_row(s, of, at)) return true;
    }
    return false;
}

static hsd_node check_side(const snapshot *of, const snapshot *other, const snapshot *now)
{
    hsd_node doubted = 0;
    for (hsd_node at = 0; at < of->count; at++) {
        const bool is_doubted =
            of->rung[at] == HSD_RUNG_ORDER && (has_leaver(of, at) || has_leaver(other, of->partner[at]));
        cr_assert_eq(now->partner[at], of->partner[at]);
        cr_assert_eq(now->rung[at], is_doubted ? HSD_RUNG_TWINS : of->rung[at], "position %" HSD_PRI_NODE, at);
        doubted += is_doubted;
    }
    return doubted;
}

/* Rows of few kinds; pairs of any rung between any positions. */
static void put_random(test_random *random, hsd_node counts, uint64_t memory)
{
    hsd_sequence *const both[] = {&before, &after};
    const hsd_node stay = (hsd_node)test_below(random, 6) + 1, missing = (hsd_node)test_below(random, 20) + 2;
    open_both(counts, counts, memory);
    for (int i = 0; i < 2; i++) {
        uint32_t number = 0;
        for (hsd_node at = 0; at < counts; at++) {
            if (test_below(random, stay) == 0) number = (uint32_t)test_below(random, 3);
            write_kind(both[i], at, number);
        }
    }
    for (hsd_node at = 0; at < counts; at++) {
        const hsd_node there = test_below(random, 5) == 0 ? (hsd_node)test_below(random, counts) : at;
        if (test_below(random, missing) == 0 || hsd_sequence_partner(&after, there) != HSD_NO_PARTNER) continue;
        pair(at, there,
             test_below(random, 3) == 0 ? (hsd_rung)(HSD_RUNG_KEY + test_below(random, HSD_RUNG_COUNT - HSD_RUNG_KEY))
                                        : HSD_RUNG_ORDER);
    }
}

Test(doubt, does_what_its_definition_says)
{
    uint64_t all = 0;
    for (uint64_t seed = 1; seed < 3000; seed++) {
        test_random random = {test_seed(seed)};
        put_random(&random, (hsd_node)test_below(&random, MOST), KIT_PLENTY);
        const snapshot of_before = look(&before), of_after = look(&after);
        const hsd_sweep_pairs then = made;
        doubt();
        const snapshot now_before = look(&before), now_after = look(&after);
        const hsd_node doubted = check_side(&of_before, &of_after, &now_before);
        cr_assert_eq(check_side(&of_after, &of_before, &now_after), doubted);
        cr_assert_eq(made.order, then.order - doubted);
        cr_assert_eq(made.twins, then.twins + doubted);
        cr_assert_eq(made.changed, then.changed);
        all += doubted;
    }
    cr_assert_gt(all, 3000);
}

static uint64_t sum_of_random(uint64_t memory)
{
    enum { MANY = 200000 };
    test_random random = {test_seed(9)};
    put_random(&random, MANY, memory);
    doubt();
    uint64_t sum = made.twins;
    for (hsd_node at = 0; at < MANY; at++)
        sum = hsd_mix(sum, hsd_sequence_rung(&before, at) * UINT64_C(16) + hsd_sequence_rung(&after, at));
    return sum;
}

Test(doubt, does_the_same_in_any_memory)
{
    const uint64_t in_little = sum_of_random(KIT_LEAST);
    cr_assert_gt(made.twins, 1000);
    cr_assert_eq(in_little, sum_of_random(KIT_PLENTY));
}

/* ---- failing ---- */

Test(doubt, passes_on_what_its_arrays_could_not_read)
{
    open_both(3, 3, KIT_PLENTY);
    after.elements.status = HSD_E_IO;
    hsd_error_init(&after.elements.error);
    hsd_fail(&after.elements.error, HSD_E_IO, "cannot read");
    cr_assert_eq(hsd_doubt(&before, &after, &made, &err), HSD_E_IO);
    cr_assert_str_eq(err.text, "cannot read");
}
