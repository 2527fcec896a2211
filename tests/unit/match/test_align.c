/*
 * The aligner against the definition of its costs: what it returns is an alignment, and no alignment that uses up one
 * of the stretches is cheaper.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "match/align.h"
#include "support/random.h"

enum { NEVER = 1 << 28 };

typedef struct side {
    hsd_element elements[HSD_ALIGN_MOST];
    bool is_shared[HSD_ALIGN_MOST];
    uint32_t count;
    bool goes_on;
} side;

static const hsd_align_costs first = {.freed = 1, .come = 15, .changed = 2, .other = 0};
static const hsd_align_costs second = {.freed = 3, .come = 3, .changed = 1, .other = 2};
static const hsd_align_costs no_change = {.freed = 1, .come = 15, .changed = 0, .other = 0};

static hsd_aligner *aligner;
static hsd_alignment out;
static side a, b;

static void setup(void)
{
    aligner = hsd_aligner_new();
    cr_assert_neq(aligner, NULL);
}

static void teardown(void) { hsd_aligner_free(aligner); }

TestSuite(align, .init = setup, .fini = teardown);

static void put(side *s, hsd_element e, bool is_shared)
{
    s->elements[s->count] = e;
    s->is_shared[s->count++] = is_shared;
}

/* Elements of one word: different in everything but the type. */
static void put_text(side *s, const char *text)
{
    s->count = 0;
    for (; *text != '\0'; text++)
        put(s, (hsd_element){(uint32_t)*text, (uint32_t)*text + 1000, 5, 1}, false);
}

static hsd_stretch stretch(const side *s) { return (hsd_stretch){s->elements, s->is_shared, s->count, !s->goes_on}; }

/* ---- the definition ---- */

static bool same(const hsd_element *x, const hsd_element *y)
{
    return x->structure == y->structure && x->referrer == y->referrer && x->type == y->type;
}

static bool changed(uint32_t x, uint32_t y)
{
    const hsd_element *p = &a.elements[x], *q = &b.elements[y];
    if (p->shape != q->shape || p->type != q->type) return false;
    const bool is_loose = p->referrer <= HSD_REFERRER_MANY || q->referrer <= HSD_REFERRER_MANY;
    return (p->structure == q->structure && is_loose) || !a.is_shared[x] || !b.is_shared[y];
}

static bool other(const hsd_element *x, const hsd_element *y)
{
    return x->type == y->type && x->structure != x->shape && y->structure != y->shape;
}

static uint32_t price(const hsd_align_costs *costs, uint32_t x, uint32_t y)
{
    uint32_t least = NEVER;
    if (same(&a.elements[x], &b.elements[y])) return 0;
    if (costs->changed != 0 && changed(x, y)) least = costs->changed;
    if (costs->other != 0 && other(&a.elements[x], &b.elements[y]) && costs->other < least) least = costs->other;
    return least;
}

static uint32_t table[HSD_ALIGN_MOST + 1][HSD_ALIGN_MOST + 1];

static void lower(uint32_t *value, uint32_t other)
{
    if (other < *value) *value = other;
}

/* The least cost of an alignment that uses up one stretch. */
static uint32_t least_cost(const hsd_align_costs *costs)
{
    uint32_t least = NEVER;
    for (uint32_t x = 0; x <= a.count; x++) {
        for (uint32_t y = 0; y <= b.count; y++) {
            uint32_t *here = &table[x][y];
            *here = x + y == 0 ? 0 : NEVER;
            if (x > 0) lower(here, table[x - 1][y] + costs->freed);
            if (y > 0) lower(here, table[x][y - 1] + costs->come);
            if (x > 0 && y > 0) lower(here, table[x - 1][y - 1] + price(costs, x - 1, y - 1));
            if (x == a.count || y == b.count) lower(&least, *here);
        }
    }
    return least;
}

/* What the pairs cost, and what it costs to use up a stretch behind them. */
static uint32_t cost_of(const hsd_align_costs *costs)
{
    uint32_t cost = 0, x = 0, y = 0;
    for (uint32_t i = 0; i < out.count; i++) {
        const hsd_aligned *p = &out.pairs[i];
        cost += (p->before - x) * costs->freed + (p->after - y) * costs->come;
        cost += p->how == HSD_ALIGN_SAME ? 0 : p->how == HSD_ALIGN_CHANGED ? costs->changed : costs->other;
        x = p->before + 1u;
        y = p->after + 1u;
    }
    const uint32_t by_freed = (a.count - x) * costs->freed, by_come = (b.count - y) * costs->come;
    return cost + (by_freed < by_come ? by_freed : by_come);
}

/* ---- what holds for every alignment ---- */

static void check_pair(const hsd_align_costs *costs, const hsd_aligned *p)
{
    const hsd_element *x = &a.elements[p->before], *y = &b.elements[p->after];
    cr_assert(p->before < a.count && p->after < b.count);
    cr_assert_eq(x->type, y->type);
    cr_assert_eq(p->how == HSD_ALIGN_SAME, same(x, y), "the same is never called otherwise");
    if (p->how == HSD_ALIGN_CHANGED) cr_assert(costs->changed != 0 && changed(p->before, p->after));
    if (p->how == HSD_ALIGN_OTHER) cr_assert_neq(costs->other, 0);
}

static void check_alignment(const hsd_align_costs *costs)
{
    uint32_t count = 0, alike = 0;
    for (uint32_t i = 0; i < out.count; i++) {
        const hsd_aligned *p = &out.pairs[i];
        check_pair(costs, p);
        if (i > 0) cr_assert(p->before > p[-1].before && p->after > p[-1].after, "pair %u", i);
        alike += p->how == HSD_ALIGN_SAME;
        count++;
    }
    cr_assert_eq(out.same, alike);
    cr_assert(out.alike >= alike);
    cr_assert_eq(out.before, count == 0 ? 0 : out.pairs[count - 1].before + 1u);
    cr_assert_eq(out.after, count == 0 ? 0 : out.pairs[count - 1].after + 1u);
    cr_assert(out.covered >= out.before + out.after && out.covered <= a.count + b.count);
}

static void align(const hsd_align_costs *costs)
{
    const hsd_stretch before = stretch(&a), after = stretch(&b);
    hsd_align(aligner, &before, &after, costs, &out);
    check_alignment(costs);
}

/* ---- random stretches ---- */

static hsd_element random_element(test_random *random, uint32_t kinds)
{
    const uint32_t type = (uint32_t)test_below(random, 2), shape = (uint32_t)test_below(random, kinds);
    const uint32_t structure = (uint32_t)test_below(random, 2), referrer = (uint32_t)test_below(random, 4);
    return (hsd_element){type << 8 | shape, type << 16 | shape << 8 | structure, referrer, type};
}

/* `after` is `before` with some elements gone, some changed and some new. */
static void random_sides(test_random *random, uint32_t most)
{
    const uint32_t kinds = (uint32_t)test_below(random, 6) + 1, rate = (uint32_t)test_below(random, 40) + 2;
    const uint32_t wanted = (uint32_t)test_below(random, most + 1);
    a.count = b.count = 0;
    for (uint32_t i = 0; i < wanted; i++)
        put(&a, random_element(random, kinds), test_below(random, 2) == 0);
    for (uint32_t i = 0; i < wanted && b.count + 1 < most; i++) {
        const uint64_t fate = test_below(random, rate);
        if (fate == 0) continue;
        const hsd_element *e = &a.elements[i];
        put(&b, fate == 1 ? random_element(random, kinds) : *e, a.is_shared[i] || test_below(random, 2) == 0);
        if (test_below(random, 3 * rate) == 0) put(&b, random_element(random, kinds), false);
    }
}

static void check_against_the_definition(const hsd_align_costs *costs, uint64_t seed, uint32_t most, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        test_random random = {test_seed(seed) + (uint64_t)i};
        random_sides(&random, most);
        align(costs);
        const uint32_t least = least_cost(costs);
        cr_assert_lt(least, 1200, "the case is within the limits");
        cr_assert_eq(cost_of(costs), least, "round %d: %u elements and %u", i, a.count, b.count);
        cr_assert(out.is_complete);
    }
}

Test(align, costs_the_least_that_is_possible)
{
    check_against_the_definition(&first, 1, 40, 20000);
    check_against_the_definition(&second, 2, 40, 20000);
    check_against_the_definition(&no_change, 3, 40, 20000);
}

Test(align, costs_the_least_that_is_possible_for_long_stretches_too)
{
    check_against_the_definition(&first, 4, HSD_ALIGN_MOST, 40);
    check_against_the_definition(&second, 5, 300, 40);
    check_against_the_definition(&no_change, 6, HSD_ALIGN_MOST, 40);
}

/* ---- single cases ---- */

static void expect_pairs(const char *before, const char *after, const char *wanted, const hsd_align_costs *costs)
{
    char got[HSD_ALIGN_MOST + 1] = "";
    put_text(&a, before);
    put_text(&b, after);
    align(costs);
    for (uint32_t i = 0; i < out.count; i++)
        got[i] = (char)a.elements[out.pairs[i].before].shape;
    cr_assert_str_eq(got, wanted, "%s and %s", before, after);
}

Test(align, finds_what_was_freed_and_what_came)
{
    expect_pairs("pqrs", "prs", "prs", &no_change);
    expect_pairs("abcdefgh", "cdgh", "cdgh", &no_change);
    expect_pairs("abcdef", "abcxdef", "abcdef", &second);
    expect_pairs("abc", "", "", &first);
    expect_pairs("", "abc", "", &first);
    expect_pairs("", "", "", &first);
    expect_pairs("abc", "xyz", "", &no_change);
}

Test(align, pairs_another_of_the_same_type_only_where_it_may)
{
    expect_pairs("abXcd", "abYcd", "abXcd", &second);
    cr_assert_eq(out.pairs[2].how, HSD_ALIGN_OTHER);
    cr_assert_eq(out.same, 4);
    b.elements[2].type = 2;
    align(&second);
    cr_assert_eq(out.count, 4);
}

/* Same shape; what was written to is not shared by its old and its new state. */
Test(align, takes_an_element_for_changed_only_if_it_can_have_been_written_to)
{
    static const struct {
        uint32_t structure, referrer;
        bool is_shared;
        bool is_changed;
    } cases[] = {{8, 5, false, true},
                 {8, 5, true, false},
                 {7, 6, true, false},
                 {7, 6, false, true},
                 {7, HSD_REFERRER_MANY, true, true},
                 {7, HSD_REFERRER_NONE, true, true},
                 {8, HSD_REFERRER_MANY, true, false}};
    static const hsd_align_costs cheap_change = {.freed = 3, .come = 3, .changed = 1, .other = 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        a.count = b.count = 0;
        put(&a, (hsd_element){3, 7, 5, 1}, true);
        put(&b, (hsd_element){3, cases[i].structure, cases[i].referrer, 1}, cases[i].is_shared);
        align(&cheap_change);
        cr_assert_eq(out.count, cases[i].is_changed, "case %zu", i);
        if (out.count > 0) cr_assert_eq(out.pairs[0].how, HSD_ALIGN_CHANGED, "case %zu", i);
    }
}

static void put_twins(side *s, uint32_t count)
{
    s->count = 0;
    while (s->count < count)
        put(s, (hsd_element){1, 1, HSD_REFERRER_MANY, 1}, true);
}

Test(align, pairs_twins_from_the_front)
{
    for (uint32_t less = 0; less <= HSD_ALIGN_MOST; less += 64) {
        put_twins(&a, HSD_ALIGN_MOST);
        put_twins(&b, HSD_ALIGN_MOST - less);
        align(&first);
        cr_assert(out.is_complete);
        cr_assert_eq(out.count, b.count);
        cr_assert_eq(out.same, b.count);
        cr_assert_eq(cost_of(&first), 0);
    }
}

static void put_different(side *s, uint32_t count, uint32_t from)
{
    s->count = 0;
    while (s->count < count)
        put(s, (hsd_element){from + s->count, from + s->count, 5, from + s->count}, false);
}

Test(align, ends_where_nothing_is_the_same)
{
    for (uint32_t count = 1; count <= HSD_ALIGN_MOST; count *= 2) {
        put_different(&a, count, 1);
        put_different(&b, HSD_ALIGN_MOST, 100000);
        align(&first);
        cr_assert_eq(out.count, 0);
        align(&second);
        cr_assert_eq(out.count, 0);
    }
}

/* Everything freed but the last. */
Test(align, reaches_across_a_whole_stretch)
{
    static const hsd_align_costs dear_news = {.freed = 1, .come = 64, .changed = 0, .other = 0};
    put_different(&a, HSD_ALIGN_MOST, 1);
    put_different(&b, HSD_ALIGN_MOST, HSD_ALIGN_MOST);
    align(&dear_news);
    cr_assert_eq(out.count, 1);
    cr_assert_eq(out.pairs[0].before, HSD_ALIGN_MOST - 1);
    cr_assert(out.is_complete);
}

/* Using up neither within its limits, it gives what is sure: the front. */
Test(align, keeps_the_front_of_what_costs_too_much)
{
    static const hsd_align_costs dear = {.freed = 64, .come = 64, .changed = 0, .other = 0};
    put_different(&a, HSD_ALIGN_MOST, 1);
    put_different(&b, HSD_ALIGN_MOST, 1);
    for (uint32_t i = 100; i < HSD_ALIGN_MOST; i++)
        b.elements[i].structure += 100000;
    align(&dear);
    cr_assert_not(out.is_complete);
    cr_assert_eq(out.count, 100, "the front costs nothing");
    cr_assert_eq(out.same, 100);
}

/* ---- stretches that go on ---- */

Test(align, leaves_the_last_third_where_the_stretches_go_on)
{
    put_different(&a, HSD_ALIGN_MOST, 1);
    put_different(&b, HSD_ALIGN_MOST, 1);
    a.goes_on = b.goes_on = true;
    align(&first);
    cr_assert_not(out.is_complete);
    cr_assert_eq(out.count, HSD_ALIGN_MOST, "what costs nothing stays");
    b.elements[0].structure += 100000;
    b.elements[0].type += 100000;
    align(&first);
    cr_assert_eq(out.covered, 2 * HSD_ALIGN_MOST);
    cr_assert_eq(out.alike, HSD_ALIGN_MOST - 1);
    cr_assert(out.before + out.after <= out.covered * 2 / 3 + 2 && out.before + out.after > out.covered / 2);
    a.goes_on = false;
    align(&first);
    cr_assert(out.is_complete);
    cr_assert_eq(out.count, HSD_ALIGN_MOST - 1);
}

Test(align, gives_a_pair_of_the_last_third_when_there_is_no_other)
{
    put_different(&a, HSD_ALIGN_MOST, 1);
    put_different(&b, HSD_ALIGN_MOST, HSD_ALIGN_MOST - 9);
    a.goes_on = b.goes_on = true;
    align(&first);
    cr_assert_eq(out.pairs[0].before, HSD_ALIGN_MOST - 10);
    cr_assert_eq(out.pairs[0].after, 0);
    cr_assert_geq(out.count, 1);
}

Test(align, does_not_remember_the_last_call)
{
    static hsd_alignment once;
    test_random random = {test_seed(7)};
    random_sides(&random, 200);
    align(&second);
    once = out;
    for (int i = 0; i < 3; i++) {
        put_twins(&a, 17 * (uint32_t)(i + 1));
        put_different(&b, 100, 9);
        align(&first);
    }
    random = (test_random){test_seed(7)};
    random_sides(&random, 200);
    align(&second);
    cr_assert_eq(out.count, once.count);
    for (uint32_t i = 0; i < out.count; i++)
        cr_assert_eq(memcmp(&out.pairs[i], &once.pairs[i], 5), 0);
}
