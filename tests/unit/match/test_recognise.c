/*
 * The whole ladder on small sequences: each rung takes what the one above it left, either way round, in any memory, and
 * wherever the machine fails.
 */
#include <errno.h>
#include <string.h>

#include "match/recognise.h"
#include "sequence_kit.h"
#include "support/fault.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
}

static void teardown(void) { hsd_fault_reset(); }

TestSuite(recognise, .init = setup, .fini = teardown);

typedef struct thing {   /* an object; hashes that are 0 are not there */
    uint32_t kind, look; /* of one kind: one type and shape */
    uint64_t whole, name, key, place, address;
} thing;

typedef struct heap {
    hsd_node count;
    const thing *things;
} heap;

typedef struct outcome { /* of before and of after */
    hsd_sequence sides[2];
    hsd_recognised said;
} outcome;

/* ---- running ---- */

static hsd_element element_of(const thing *t)
{
    const uint32_t shape = t->kind * 3 + 7;
    const bool is_anchor = t->name != 0 || t->key != 0;
    return (hsd_element){shape, is_anchor ? shape : shape + 1000 + t->look, 5, t->kind % 10};
}

static uint64_t spread(uint64_t hash) { return hash * UINT64_C(0x9e3779b97f4a7c15); }

static void put_hash(hsd_sorter *sorter, uint64_t hash, hsd_node position)
{
    if (hash != 0) kit_put(sorter, spread(hash), position);
}

/* As it is before it is recognised. */
static void open_side(hsd_sequence *s, const heap *h, uint64_t memory)
{
    *s = (hsd_sequence){.count = h->count};
    hsd_sorter **const sorters[] = {&s->names, &s->keys, &s->places};
    kit_open(&s->elements, h->count * (uint64_t)sizeof(hsd_element), memory, &space);
    kit_open(&s->addresses, h->count * UINT64_C(8), memory, &space);
    kit_open(&s->positions, 4, memory, &space);
    for (size_t i = 0; i < 3; i++)
        *sorters[i] = kit_sorter(&space);
    cr_assert_eq(hsd_wholes_open(&s->wholes, &space, NULL), HSD_OK);
    for (hsd_node at = 0; at < h->count; at++) {
        const thing *t = &h->things[at];
        const hsd_element e = element_of(t);
        hsd_sequence_write(s, at, &e);
        hsd_paged_set_u64(&s->addresses, at, t->address);
        if (t->whole != 0) cr_assert_eq(hsd_wholes_put(&s->wholes, spread(t->whole), at, NULL), HSD_OK);
        put_hash(s->names, t->name, at);
        put_hash(s->keys, t->key, at);
        put_hash(s->places, t->place, at);
    }
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(hsd_sorter_finish(*sorters[i], 0, NULL), HSD_OK);
    cr_assert_eq(hsd_wholes_finish(&s->wholes, NULL), HSD_OK);
}

static void open_both(outcome *o, const heap *before, const heap *after, uint64_t memory)
{
    open_side(&o->sides[0], before, memory);
    open_side(&o->sides[1], after, memory);
}

static hsd_status try(outcome *o, uint64_t memory, bool is_reversed)
{
    const hsd_recognise_config config = {
        .memory_bytes = memory, .space = &space, .is_reversed = is_reversed, .at_once = is_reversed};
    return hsd_recognise(&o->sides[0], &o->sides[1], &config, &o->said, &err);
}

static void release(outcome *o)
{
    hsd_sequence_release(&o->sides[0]);
    hsd_sequence_release(&o->sides[1]);
    cr_assert_eq(space.bytes_now, 0);
}

/* ---- what must hold of any outcome ---- */

static bool are_equal(const thing *a, const thing *b)
{
    const hsd_element of_a = element_of(a), of_b = element_of(b);
    return memcmp(&of_a, &of_b, sizeof of_a) == 0;
}

static uint64_t naive_undecidable(outcome *o, const heap heaps[2], int side)
{
    uint64_t count = 0;
    for (hsd_node i = 0; i < heaps[side].count; i++) {
        bool has_equal = false;
        if (hsd_sequence_partner(&o->sides[side], i) != HSD_NO_PARTNER) continue;
        for (hsd_node j = 0; j < heaps[1 - side].count && !has_equal; j++) {
            has_equal = hsd_sequence_partner(&o->sides[1 - side], j) == HSD_NO_PARTNER &&
                        are_equal(&heaps[side].things[i], &heaps[1 - side].things[j]);
        }
        count += has_equal;
    }
    return count;
}

static void check_pairs(outcome *o)
{
    uint64_t pairs[2][HSD_RUNG_COUNT] = {{0}};
    for (int side = 0; side < 2; side++) {
        for (hsd_node at = 0; at < o->sides[side].count; at++) {
            const hsd_node there = hsd_sequence_partner(&o->sides[side], at);
            const hsd_rung rung = hsd_sequence_rung(&o->sides[side], at);
            cr_assert_eq(rung == HSD_RUNG_NONE || rung == HSD_RUNG_UNDECIDED, there == HSD_NO_PARTNER);
            if (there == HSD_NO_PARTNER) continue;
            cr_assert_eq(hsd_sequence_partner(&o->sides[1 - side], there), at);
            cr_assert_eq(hsd_sequence_rung(&o->sides[1 - side], there), rung);
            pairs[side][rung]++;
        }
        for (int rung = 1; rung < HSD_RUNG_COUNT; rung++)
            cr_assert_eq(pairs[side][rung], o->said.pairs[rung], "rung %d", rung);
    }
}

static void check_given_back(const hsd_sequence *s)
{
    cr_assert_eq(s->elements.page_count + s->addresses.page_count, 0);
    cr_assert(s->is_shared == NULL && !hsd_wholes_are_open(&s->wholes) && s->names == NULL && s->keys == NULL &&
              s->places == NULL);
}

static outcome run(const heap *before, const heap *after, uint64_t memory, bool is_reversed)
{
    outcome o = {0};
    open_both(&o, before, after, memory);
    cr_assert_eq(try(&o, memory, is_reversed), HSD_OK, "%s", err.text);
    check_pairs(&o);
    for (int side = 0; side < 2; side++)
        check_given_back(&o.sides[side]);
    return o;
}

static void check_same(outcome *a, outcome *b, bool is_mirrored)
{
    cr_assert_arr_eq(a->said.pairs, b->said.pairs, sizeof a->said.pairs);
    for (int i = 0; i < 2; i++) {
        hsd_sequence *one = &a->sides[i], *other = &b->sides[is_mirrored ? 1 - i : i];
        cr_assert_eq(a->said.undecidable[i], b->said.undecidable[is_mirrored ? 1 - i : i]);
        for (hsd_node at = 0; at < one->count; at++) {
            cr_assert_eq(hsd_sequence_partner(one, at), hsd_sequence_partner(other, at), "position %" HSD_PRI_NODE, at);
            cr_assert_eq(hsd_sequence_rung(one, at), hsd_sequence_rung(other, at), "position %" HSD_PRI_NODE, at);
        }
    }
}

/* Whichever is before, the older one stays the older one; and in whatever memory. */
static outcome run_every_way(const heap *before, const heap *after)
{
    outcome o = run(before, after, KIT_PLENTY, false);
    for (int i = 0; i < 2; i++) {
        outcome mirrored = run(after, before, i == 0 ? KIT_PLENTY : KIT_LEAST, true);
        outcome again = run(before, after, KIT_LEAST, false);
        check_same(&o, &mirrored, true);
        check_same(&o, &again, false);
        hsd_sequence_release(&mirrored.sides[0]);
        hsd_sequence_release(&mirrored.sides[1]);
        hsd_sequence_release(&again.sides[0]);
        hsd_sequence_release(&again.sides[1]);
    }
    return o;
}

/* ---- by hand ---- */

#define COUNT_OF(things) (hsd_node)(sizeof(things) / sizeof *(things))

static void expect(const heap *before, const heap *after, const char *wanted, uint64_t undecidable_before,
                   uint64_t undecidable_after)
{
    char got[64] = "";
    outcome o = run_every_way(before, after);
    for (hsd_node i = 0; i < before->count; i++)
        got[i] = ".--knaspoct-."[hsd_sequence_rung(&o.sides[0], i)];
    cr_assert_str_eq(got, wanted);
    cr_assert_eq(o.said.undecidable[0], undecidable_before);
    cr_assert_eq(o.said.undecidable[1], undecidable_after);
    release(&o);
}

Test(recognise, takes_each_rung_in_turn)
{
    const thing before[] = {
        {.kind = 1, .name = 1, .address = 1},  {.kind = 2, .key = 5, .address = 2},
        {.kind = 3, .whole = 3, .address = 3}, {.kind = 4, .whole = 4, .address = 4},
        {.kind = 4, .whole = 4, .address = 5}, {.kind = 5, .look = 1, .whole = 5, .address = 6},
        {.kind = 6, .whole = 6, .address = 7}, {.kind = 8, .whole = 8, .address = 9},
    };
    const thing after[] = {
        {.kind = 1, .name = 1, .address = 11},  {.kind = 2, .key = 5, .address = 12},
        {.kind = 3, .whole = 3, .address = 13}, {.kind = 4, .whole = 4, .address = 14},
        {.kind = 4, .whole = 4, .address = 15}, {.kind = 5, .look = 2, .whole = 25, .address = 16},
        {.kind = 6, .whole = 6, .address = 17}, {.kind = 9, .whole = 9, .address = 19},
    };
    const heap a = {COUNT_OF(before), before}, b = {COUNT_OF(after), after};
    expect(&a, &b, "nksoocs.", 0, 0);
}

/* The two lie where no order says anything, and neither looks as it did. */
Test(recognise, takes_what_a_root_refers_to)
{
    const thing before[] = {
        {.kind = 1, .name = 1}, {.kind = 2, .name = 2}, {.kind = 7, .place = 1}, {.kind = 7, .place = 2}};
    const thing after[] = {{.kind = 17, .place = 1, .address = 1},
                           {.kind = 8, .place = 2, .address = 2},
                           {.kind = 1, .name = 1, .address = 3},
                           {.kind = 2, .name = 2, .address = 4}};
    const heap a = {4, before}, b = {4, after};
    expect(&a, &b, "nnp.", 0, 0);
}

/* A name decides before a whole, a key before a name. */
Test(recognise, prefers_the_stronger_rung)
{
    const thing before[] = {{.kind = 1, .key = 1, .name = 1}, {.kind = 1, .key = 2, .name = 2, .whole = 9}};
    const thing after[] = {{.kind = 1, .key = 2, .name = 1, .whole = 9}, {.kind = 1, .key = 1, .name = 2}};
    const heap a = {2, before}, b = {2, after};
    outcome o = run_every_way(&a, &b);
    cr_assert_eq(hsd_sequence_partner(&o.sides[0], 0), 1);
    cr_assert_eq(hsd_sequence_rung(&o.sides[0], 0), HSD_RUNG_KEY);
    release(&o);
}

Test(recognise, takes_addresses_that_stayed)
{
    const thing before[] = {{.kind = 1, .address = 16}, {.kind = 1, .address = 32}, {.kind = 1, .address = 48}};
    const thing after[] = {{.kind = 1, .address = 16}, {.kind = 1, .address = 48}, {.kind = 1, .address = 64}};
    const heap a = {3, before}, b = {3, after};
    expect(&a, &b, "a.a", 1, 1);
}

/* Twins between two landmarks, and among them, behind the first `pinned_at`, one that nobody moves. */
static heap around_pinned(thing *things, hsd_node twins, hsd_node pinned_at, uint64_t moved_by)
{
    hsd_node count = 0;
    things[count++] = (thing){.kind = 3, .whole = 3, .address = 1024 - moved_by};
    for (hsd_node i = 0; i <= twins; i++) {
        if (i == pinned_at) things[count++] = (thing){.kind = 2, .whole = 2, .address = 8192};
        const uint64_t behind =
            i >= pinned_at ? 8192 + moved_by / 64 + 32 * (i - pinned_at + 1) : 2048 - moved_by + 32 * i;
        things[count++] = (thing){.kind = i < twins ? 1 : 4, .whole = i < twins ? 0 : 4, .address = behind};
    }
    return (heap){count, things};
}

/* In front of it there was room for four more. */
Test(recognise, asks_no_order_of_what_is_pinned)
{
    enum { TWINS = 40 };
    thing before[TWINS + 3], after[TWINS + 3];
    const heap a = around_pinned(before, TWINS, 20, 0), b = around_pinned(after, TWINS, 24, 520);
    expect(&a, &b, "soooooooooooooooooooosoooooooooooooooooooos", 0, 0);
}

/* Behind the recognised on one side and in front of them on the other: nobody knows which. */
Test(recognise, counts_what_cannot_be_decided)
{
    const thing before[] = {{.kind = 1, .name = 1}, {.kind = 2, .name = 2}, {.kind = 4}, {.kind = 4}, {.kind = 5}};
    const thing after[] = {{.kind = 4, .address = 1},
                           {.kind = 4, .address = 2},
                           {.kind = 4, .address = 3},
                           {.kind = 6, .address = 4},
                           {.kind = 1, .name = 1, .address = 5},
                           {.kind = 2, .name = 2, .address = 6}};
    const heap a = {5, before}, b = {6, after};
    expect(&a, &b, "nn...", 2, 3);
}

Test(recognise, takes_what_is_not_there)
{
    const thing some[] = {
        {.kind = 1, .name = 1}, {.kind = 2, .whole = 7}, {.kind = 3, .place = 2}, {.kind = 4, .key = 4}};
    const heap nothing = {0, some}, four = {4, some};
    expect(&nothing, &nothing, "", 0, 0);
    expect(&nothing, &four, "", 0, 0);
    expect(&four, &nothing, "....", 0, 0);
}

/* ---- any heaps ---- */

/* Things of few kinds; the later heap has lost some, others were written to or gave way to new ones. */
static hsd_node fill(test_random *random, thing *before, thing *after, hsd_node count, bool moves)
{
    const uint32_t kinds = (uint32_t)test_below(random, 25) + 2;
    hsd_node left = 0;
    for (hsd_node i = 0; i < count; i++) {
        const uint32_t kind = (uint32_t)test_below(random, kinds), dice = (uint32_t)test_below(random, 40);
        const uint64_t whole = dice < 8 ? 1000 + test_below(random, count) : 1 + kind;
        before[i] = (thing){.kind = kind, .whole = whole, .address = 16 * (uint64_t)i};
        if (dice == 10) before[i].name = 1 + test_below(random, count);
        if (dice == 11) before[i].key = 1 + test_below(random, count);
        if (dice == 12) before[i].place = 1 + test_below(random, count);
        if (test_below(random, 10) == 0) continue;
        after[left] = before[i];
        if (test_below(random, 15) == 0) after[left] = (thing){.kind = kind, .look = 1, .whole = 500 + kind};
        if (test_below(random, 15) == 0) after[left].kind = (uint32_t)test_below(random, kinds);
        after[left].address = moves ? UINT64_C(1) << 40 | 16 * (uint64_t)i : 16 * (uint64_t)i;
        left++;
    }
    return left;
}

Test(recognise, is_the_same_every_way_round)
{
    enum { MOST = 200 };
    uint64_t pairs[HSD_RUNG_COUNT] = {0}, undecidable = 0;
    for (uint64_t seed = 1; seed < 150; seed++) {
        test_random random = {test_seed(seed)};
        thing before[MOST], after[MOST];
        heap heaps[2] = {{(hsd_node)test_below(&random, MOST), before}, {0, after}};
        heaps[1].count = fill(&random, before, after, heaps[0].count, test_below(&random, 2) == 0);
        outcome o = run_every_way(&heaps[0], &heaps[1]);
        for (int side = 0; side < 2; side++)
            cr_assert_eq(naive_undecidable(&o, heaps, side), o.said.undecidable[side], "seed %lu", (unsigned long)seed);
        for (int i = 0; i < HSD_RUNG_COUNT; i++)
            pairs[i] += o.said.pairs[i];
        undecidable += o.said.undecidable[0];
        release(&o);
    }
    for (int i = HSD_RUNG_KEY; i < HSD_RUNG_COUNT; i++)
        cr_assert_gt(pairs[i], 0, "rung %d", i);
    cr_assert_gt(undecidable, 0);
}

enum { MANY = 100000 };

static heap *many(void)
{
    test_random random = {test_seed(5)};
    thing *before = calloc(MANY, sizeof *before), *after = calloc(MANY, sizeof *after);
    heap *heaps = calloc(2, sizeof *heaps);
    heaps[0] = (heap){MANY, before};
    heaps[1] = (heap){fill(&random, before, after, MANY, true), after};
    return heaps;
}

static void free_many(heap *heaps)
{
    free((void *)(uintptr_t)heaps[0].things);
    free((void *)(uintptr_t)heaps[1].things);
    free(heaps);
}

Test(recognise, is_the_same_in_the_least_memory, .timeout = 300)
{
    heap *heaps = many();
    outcome o = run_every_way(&heaps[0], &heaps[1]);
    cr_assert_gt(o.said.pairs[HSD_RUNG_ORDER], 1000);
    release(&o);
    free_many(heaps);
}

/* From few pages, in memory for everything, and for all but addresses and owners. */
Test(recognise, is_the_same_where_the_most_stays, .timeout = 300)
{
    const uint64_t memory[] = {(uint64_t)MANY * 2 * 25 * 8 / 5, UINT64_C(64) << 20};
    heap *heaps = many();
    outcome o = run(&heaps[0], &heaps[1], KIT_LEAST, false);
    for (int i = 0; i < 4; i++) {
        outcome other = {0};
        open_both(&other, &heaps[i % 2], &heaps[1 - i % 2], KIT_LEAST);
        const uint64_t read = space.bytes_read;
        cr_assert_eq(try(&other, memory[i / 2], i % 2 != 0), HSD_OK, "%s", err.text);
        cr_assert_lt(space.bytes_read - read, (uint64_t)MANY * 2 * 60, "nearly everything is read once");
        check_same(&o, &other, i % 2 != 0);
        hsd_sequence_release(&other.sides[0]);
        hsd_sequence_release(&other.sides[1]);
    }
    release(&o);
    free_many(heaps);
}

/* ---- a machine that fails ---- */

/* Call 1, 1 + step, … fails, until none is struck any more; says how many were. */
static uint64_t fail_each(const heap heaps[2], hsd_fault_family family, int error, hsd_status wanted, uint64_t step)
{
    for (uint64_t at = 1;; at += step) {
        outcome o = {0};
        open_both(&o, &heaps[0], &heaps[1], KIT_LEAST);
        hsd_fault_reset();
        hsd_fault_arm(family, at, false, error);
        const hsd_status status = try(&o, KIT_LEAST, false);
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert(status == HSD_OK || (has_struck && status == wanted), "call %lu: %s", (unsigned long)at, err.text);
        if (status == HSD_OK) check_pairs(&o); /* whoever can do without does the same */
        release(&o);
        if (!has_struck) return at / step;
    }
}

Test(recognise, fails_cleanly_wherever_memory_runs_out, .timeout = 300)
{
    const thing some[] = {{.kind = 1, .name = 1},
                          {.kind = 2, .whole = 7},
                          {.kind = 3, .place = 2},
                          {.kind = 4, .key = 4},
                          {.kind = 5},
                          {.kind = 5},
                          {.kind = 6}};
    const heap heaps[2] = {{7, some}, {6, some}};
    cr_assert_gt(fail_each(heaps, HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM, 1), 20);
}

Test(recognise, fails_cleanly_wherever_files_fail, .timeout = 300)
{
    heap *heaps = many();
    cr_assert_gt(fail_each(heaps, HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO, 37), 5);
    cr_assert_gt(fail_each(heaps, HSD_FAULT_PREAD, EIO, HSD_E_IO, 197), 5);
    cr_assert_gt(fail_each(heaps, HSD_FAULT_OPEN, EMFILE, HSD_E_IO, 1), 2);
    free_many(heaps);
}
