/*
 * Reuse of addresses: counting step by step, and the estimate against heaps whose truth is known. A heap is made of
 * slots, pools of them with free lists, and types that live for different times; each object has a number of its own,
 * so that it is known which pairs of the two captures are two objects.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diff/reuse.h"
#include "support/fault.h"
#include "support/random.h"

static hsd_error err;

static void setup(void)
{
    hsd_error_init(&err);
    hsd_fault_reset();
}

TestSuite(reuse, .init = setup);

/* ---- a heap ---- */

enum { MOST_SLOTS = 12000, MOST_TYPES = 12, MOST_POOLS = 6, SITES = 4 };

typedef struct slot {
    uint64_t object; /* number of the object, 0 = free */
    uint64_t dies;
    hsd_reuse_object shown;
} slot;

typedef enum order { LAST_FIRST, FIRST_FIRST, ANY } order; /* which free slot is used next */

typedef struct heap_shape {
    uint32_t pools, types; /* types a pool */
    order order;
    bool has_sites, has_ages, has_sizes_of_its_own; /* sizes of objects say nothing about the slot */
    uint64_t first_weight; /* how much more often the first type of a pool comes than others do */
    uint64_t from;         /* when traces begin: objects made before have no mark */
} heap_shape;

typedef struct heap {
    heap_shape shape;
    test_random random;
    slot slots[MOST_POOLS][MOST_SLOTS];
    uint32_t used[MOST_POOLS]; /* slots ever used */
    uint32_t free[MOST_POOLS][MOST_SLOTS];
    uint32_t free_first[MOST_POOLS], free_count[MOST_POOLS];
    uint64_t mean_life[MOST_POOLS][MOST_TYPES], weight[MOST_POOLS][MOST_TYPES], weights[MOST_POOLS];
    uint64_t now, objects;
} heap;

static uint32_t take_free(heap *h, uint32_t pool)
{
    uint32_t *list = h->free[pool];
    const uint32_t first = h->free_first[pool], count = h->free_count[pool]--;
    uint32_t at = h->shape.order == LAST_FIRST ? count - 1 : 0;
    if (h->shape.order == ANY) at = (uint32_t)test_below(&h->random, count);
    at = (first + at) % MOST_SLOTS;
    const uint32_t taken = list[at];
    if (h->shape.order == FIRST_FIRST)
        h->free_first[pool] = (first + 1) % MOST_SLOTS;
    else
        list[at] = list[(first + count - 1) % MOST_SLOTS];
    return taken;
}

static uint32_t any_type(heap *h, uint32_t pool)
{
    uint64_t at = test_below(&h->random, h->weights[pool]);
    uint32_t type = 0;
    while (at >= h->weight[pool][type])
        at -= h->weight[pool][type++];
    return type;
}

/* Exponential without logarithms: each step of an eighth of the mean is survived with a chance of 7/8. */
static uint64_t any_life(heap *h, uint64_t mean)
{
    uint64_t life = 1 + test_below(&h->random, mean / 8 + 1);
    while (test_below(&h->random, 8) != 0)
        life += mean / 8 + 1;
    return life;
}

static void make_object(heap *h)
{
    const uint32_t pool = (uint32_t)test_below(&h->random, h->shape.pools), type = any_type(h, pool);
    if (h->free_count[pool] == 0 && h->used[pool] == MOST_SLOTS) return;
    slot *s = &h->slots[pool][h->free_count[pool] > 0 ? take_free(h, pool) : h->used[pool]++];
    const uint64_t site = h->shape.has_sites ? 1 + test_below(&h->random, SITES) * test_below(&h->random, 2) : 0;
    const uint64_t age = h->shape.has_ages ? 1 + h->now / 2000 : 0;
    s->object = ++h->objects;
    s->dies = h->now + any_life(h, h->mean_life[pool][type]);
    s->shown = (hsd_reuse_object){.type = 1 + pool * MOST_TYPES + type, .bytes = UINT64_C(40) << pool};
    if (h->now >= h->shape.from) s->shown.mark = (uint32_t)(site << 16 | age);
    if (h->shape.has_sizes_of_its_own) s->shown.bytes = 24 + (UINT64_C(8) << test_below(&h->random, 3 + type));
}

static void sweep(heap *h)
{
    for (uint32_t pool = 0; pool < h->shape.pools; pool++) {
        for (uint32_t i = 0; i < h->used[pool]; i++) {
            slot *s = &h->slots[pool][i];
            if (s->object == 0 || s->dies > h->now) continue;
            s->object = 0;
            h->free[pool][(h->free_first[pool] + h->free_count[pool]++) % MOST_SLOTS] = i;
        }
    }
}

/* Makes `count` objects; a collection after each 500. */
static void run(heap *h, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        make_object(h);
        if (++h->now % 500 == 0) sweep(h);
    }
    sweep(h);
}

static heap *new_heap(uint64_t seed, const heap_shape *shape)
{
    heap *h = calloc(1, sizeof *h);
    cr_assert_not_null(h);
    h->shape = *shape;
    h->random = (test_random){seed};
    for (uint32_t pool = 0; pool < shape->pools; pool++) {
        for (uint32_t t = 0; t < shape->types; t++) {
            h->mean_life[pool][t] = UINT64_C(100) << test_below(&h->random, 9);
            h->weight[pool][t] = 10 + test_below(&h->random, 90);
            if (t == 0 && shape->first_weight > 0) h->weight[pool][t] = h->weight[pool][t] * shape->first_weight;
            h->weights[pool] += h->weight[pool][t];
        }
    }
    return h;
}

/* ---- two captures of it ---- */

typedef struct truth {
    uint64_t seen, unseen, kept;
} truth;

static void add_truth(truth *sum, const slot *before, const slot *after)
{
    if (before->object == 0 || after->object == 0) return;
    const bool is_alike = hsd_reuse_is_alike(&before->shown, &after->shown);
    if (before->object == after->object)
        sum->kept++;
    else if (is_alike)
        sum->unseen++;
    else
        sum->seen++;
}

static void take(hsd_reuse *reuse, uint64_t id, const hsd_reuse_object *before, const hsd_reuse_object *after)
{
    if (hsd_reuse_take(reuse, id, before, after, &err) == HSD_OK) return; /* assertions are slow */
    cr_assert_fail("%s", err.text);
}

/* As the merge does it: what is of two types comes in two steps. */
static void show(hsd_reuse *reuse, uint64_t id, const slot *before, const slot *after)
{
    const hsd_reuse_object *a = before->object != 0 ? &before->shown : NULL;
    const hsd_reuse_object *b = after->object != 0 ? &after->shown : NULL;
    if (a == NULL || b == NULL || a->type == b->type) {
        take(reuse, id, a, b);
    } else if (a->type < b->type) {
        take(reuse, id, a, NULL);
        take(reuse, id, NULL, b);
    } else {
        take(reuse, id, NULL, b);
        take(reuse, id, a, NULL);
    }
}

static hsd_reuse_sums compare(heap *before, heap *after, truth *known)
{
    hsd_reuse *reuse;
    hsd_reuse_sums sums;
    cr_assert_eq(hsd_reuse_new(&reuse, &err), HSD_OK);
    memset(known, 0, sizeof *known);
    for (uint32_t pool = 0; pool < before->shape.pools; pool++) {
        for (uint32_t i = 0; i < after->used[pool] || i < before->used[pool]; i++) {
            const slot *a = &before->slots[pool][i], *b = &after->slots[pool][i];
            add_truth(known, a, b);
            show(reuse, (uint64_t)pool * MOST_SLOTS + i, a, b);
        }
    }
    cr_assert_eq(hsd_reuse_estimate(reuse, &sums, &err), HSD_OK);
    hsd_reuse_free(reuse);
    cr_assert_eq(sums.seen, known->seen);
    cr_assert_eq(sums.pairs, known->kept + known->unseen);
    cr_assert_leq(sums.unseen, sums.pairs);
    return sums;
}

static void check_mirror(heap *before, heap *after, const hsd_reuse_sums *sums)
{
    truth known;
    const hsd_reuse_sums back = compare(after, before, &known);
    cr_assert_eq(back.seen, sums->seen);
    cr_assert_eq(back.unseen, sums->unseen);
    cr_assert_eq(back.untold, sums->untold);
}

static hsd_reuse_sums simulate(uint64_t seed, const heap_shape *shape, uint64_t first, uint64_t second, truth *known)
{
    heap *after = new_heap(seed, shape), *before = malloc(sizeof *before);
    cr_assert_not_null(before);
    run(after, first);
    memcpy(before, after, sizeof *before);
    run(after, second);
    const hsd_reuse_sums sums = compare(before, after, known);
    if (seed % 8 == 0) check_mirror(before, after, &sums);
    free(before);
    free(after);
    return sums;
}

/* Of the heaps with at least 100 unseen reuses, 95 in 100 are estimated within a factor of 2. */
static void check_many(const char *name, const heap_shape *shapes, uint32_t shape_count, uint64_t seeds)
{
    uint64_t asked = 0, good = 0;
    const uint64_t base = test_seed(1000);
    for (uint64_t seed = base; seed < base + seeds; seed++) {
        truth known;
        test_random random = {seed};
        const heap_shape *shape = &shapes[seed % shape_count];
        const uint64_t first = 10000 + test_below(&random, 20000), second = 1000 + test_below(&random, 30000);
        const hsd_reuse_sums sums = simulate(seed, shape, first, second, &known);
        if (known.unseen < 100) continue;
        asked++;
        good += sums.unseen <= 2 * known.unseen && 2 * sums.unseen >= known.unseen;
    }
    cr_assert_geq(asked, seeds * 3 / 4, "%s: too few heaps with unseen reuses: %lu", name, (unsigned long)asked);
    cr_assert_geq(good * 100, asked * 95, "%s: %lu of %lu within a factor of 2", name, (unsigned long)good,
                  (unsigned long)asked);
}

Test(reuse, is_estimated_within_a_factor_of_two)
{
    static const heap_shape shapes[] = {
        {.pools = 3, .types = 4, .order = LAST_FIRST},
        {.pools = 1, .types = 3, .order = FIRST_FIRST},
        {.pools = 4, .types = 6, .order = ANY},
        {.pools = 2, .types = 2, .order = LAST_FIRST},
        {.pools = 2, .types = 5, .order = LAST_FIRST, .first_weight = 8},
    };
    check_many("slabs", shapes, sizeof shapes / sizeof shapes[0], 200);
}

Test(reuse, is_estimated_where_sizes_are_not_those_of_slots)
{
    static const heap_shape shapes[] = {
        {.pools = 1, .types = 6, .order = LAST_FIRST, .has_sizes_of_its_own = true},
        {.pools = 1, .types = 4, .order = ANY, .has_sizes_of_its_own = true},
    };
    check_many("sizes", shapes, 2, 50);
}

Test(reuse, is_estimated_by_sites_too)
{
    static const heap_shape shapes[] = {
        {.pools = 2, .types = 2, .order = LAST_FIRST, .has_sites = true},
        {.pools = 3, .types = 3, .order = ANY, .has_sites = true, .from = 9000},
        {.pools = 2, .types = 3, .order = LAST_FIRST, .has_sites = true, .has_ages = true, .from = 12000},
    };
    check_many("sites", shapes, 3, 60);
}

/* ---- step by step ---- */

static hsd_reuse *reuse;

static void begin(void) { cr_assert_eq(hsd_reuse_new(&reuse, &err), HSD_OK); }

static hsd_reuse_sums finish(void)
{
    hsd_reuse_sums sums;
    cr_assert_eq(hsd_reuse_estimate(reuse, &sums, &err), HSD_OK, "%s", err.text);
    hsd_reuse_free(reuse);
    return sums;
}

static hsd_reuse_object object(uint32_t type, uint64_t bytes, uint32_t mark)
{
    return (hsd_reuse_object){.type = type, .bytes = bytes, .mark = mark};
}

Test(reuse, is_seen_where_another_object_is_at_an_address)
{
    const hsd_reuse_object a = object(1, 40, 0), b = object(2, 40, 0);
    const hsd_reuse_object c = object(1, 40, 0x10000), d = object(1, 40, 0x20000);
    begin();
    take(reuse, 0, &a, NULL); /* one step each, in either order */
    take(reuse, 0, NULL, &b);
    take(reuse, 8, NULL, &a);
    take(reuse, 8, &b, NULL);
    take(reuse, 16, &c, &d);   /* one step: the marks differ */
    take(reuse, 24, &a, &d);   /* nothing is said of the one */
    take(reuse, 32, &a, NULL); /* neighbours, not one address */
    take(reuse, 40, NULL, &b);
    take(reuse, 48, NULL, NULL);
    const hsd_reuse_sums sums = finish();
    cr_assert_eq(sums.seen, 3);
    cr_assert_eq(sums.pairs, 1);
}

Test(reuse, pairs_two_of_one_id_that_a_damaged_capture_holds_twice)
{
    const hsd_reuse_object a = object(1, 40, 0), b = object(2, 40, 0);
    begin();
    take(reuse, 7, &a, NULL);
    take(reuse, 7, &a, NULL);
    take(reuse, 7, NULL, &b);
    take(reuse, 7, NULL, &b);
    const hsd_reuse_sums sums = finish();
    cr_assert_eq(sums.seen, 1);
    cr_assert_eq(sums.pairs, 0);
}

Test(reuse, of_nothing_is_nothing)
{
    begin();
    const hsd_reuse_sums sums = finish();
    cr_assert(sums.pairs == 0 && sums.seen == 0 && sums.unseen == 0 && sums.untold == 0 && sums.is_told);
    hsd_reuse_free(NULL);
}

Test(reuse, is_0_between_a_capture_and_itself)
{
    begin();
    for (uint64_t i = 0; i < 5000; i++) {
        const hsd_reuse_object a = object((uint32_t)(i % 7), i % 300, (uint32_t)(i % 3 << 16));
        take(reuse, i, &a, &a);
    }
    const hsd_reuse_sums sums = finish();
    cr_assert_eq(sums.pairs, 5000);
    cr_assert(sums.seen == 0 && sums.unseen == 0 && sums.untold == 0 && sums.is_told);
}

/* Half is freed, half as much is new, in slots never used before. */
static void grow_elsewhere(uint64_t count, uint32_t types)
{
    for (uint64_t i = 0; i < count; i++) {
        const hsd_reuse_object a = object((uint32_t)(i % types), 48, 0);
        take(reuse, i, i >= count / 2 && i % 2 == 0 ? NULL : &a, i < count / 2 && i % 2 == 0 ? NULL : &a);
    }
}

Test(reuse, is_0_where_what_is_new_lies_elsewhere)
{
    begin();
    grow_elsewhere(4000, 5);
    const hsd_reuse_sums sums = finish();
    cr_assert(sums.seen == 0 && sums.unseen == 0 && sums.untold == 0 && sums.is_told);
}

Test(reuse, cannot_be_told_where_all_look_alike)
{
    begin();
    grow_elsewhere(4000, 1);
    const hsd_reuse_sums sums = finish();
    cr_assert_eq(sums.seen, 0);
    cr_assert_eq(sums.unseen, 0);
    cr_assert_eq(sums.untold, 2000);
    cr_assert_not(sums.is_told);
}

Test(reuse, of_one_kind_says_nothing_of_pools_of_many)
{
    const hsd_reuse_object big = object(9, 4096, 0);
    begin();
    grow_elsewhere(40000, 5);
    take(reuse, 50000, &big, NULL);
    take(reuse, 50001, &big, &big);
    take(reuse, 50002, NULL, &big);
    const hsd_reuse_sums sums = finish();
    cr_assert_eq(sums.untold, 1);
    cr_assert(sums.is_told);
}

/* One in a hundred is of another type: q is about 0.98. */
Test(reuse, of_nearly_one_kind_is_capped)
{
    begin();
    for (uint64_t i = 0; i < 10000; i++) {
        const hsd_reuse_object a = object(i % 100 == 0, 48, 0), b = object(i % 100 == 50, 48, 0);
        if (a.type == b.type) {
            take(reuse, i, &a, &b);
        } else {
            take(reuse, i, &a, NULL);
            take(reuse, i, NULL, &b);
        }
        take(reuse, i + 100000, i % 2 == 0 ? &a : NULL, i % 2 == 0 ? NULL : &a);
    }
    const hsd_reuse_sums sums = finish();
    cr_assert_eq(sums.seen, 200);
    cr_assert_leq(sums.unseen, 200 * 31);
    cr_assert_eq(sums.untold, sums.pairs);
    cr_assert_not(sums.is_told);
}

Test(reuse, is_never_unseen_where_generations_are_known)
{
    begin();
    for (uint64_t i = 0; i < 3000; i++) {
        const hsd_reuse_object a = object(i % 3 == 0, 48, 1 + (uint32_t)(i % 5)), b = object(i % 2 == 0, 48, 100);
        take(reuse, i, &a, a.type == b.type ? &b : NULL);
        if (a.type != b.type) take(reuse, i, NULL, &b);
        take(reuse, i + 10000, &b, &b);
    }
    const hsd_reuse_sums sums = finish();
    cr_assert_eq(sums.seen, 3000);
    cr_assert_eq(sums.unseen, 0);
    cr_assert(sums.is_told);
}

/* More kinds than are kept: what is counted stays exact, the estimate goes down. */
Test(reuse, of_too_many_kinds_is_a_lower_bound)
{
    const uint32_t count = HSD_REUSE_KINDS + 5000;
    begin();
    for (uint32_t i = 0; i < count; i++) {
        const hsd_reuse_object a = object(i, 48, 0), b = object(i + 1, 48, 0);
        take(reuse, 2 * i, &a, NULL);
        take(reuse, 2 * i, NULL, &b);
        take(reuse, 2 * i + 1, &a, &a);
    }
    const hsd_reuse_sums sums = finish();
    cr_assert_eq(sums.seen, count);
    cr_assert_eq(sums.pairs, count);
    cr_assert_leq(sums.unseen, 1);
    cr_assert(sums.is_told);
}

Test(reuse, takes_the_greatest_numbers)
{
    const hsd_reuse_object a = object(UINT32_MAX, UINT64_MAX, UINT32_MAX), b = object(0, 0, 0);
    begin();
    take(reuse, UINT64_MAX, &a, NULL);
    take(reuse, UINT64_MAX, NULL, &b);
    take(reuse, 0, &b, &b);
    const hsd_reuse_sums sums = finish();
    cr_assert_eq(sums.seen, 1);
    cr_assert_eq(sums.pairs, 1);
}

static hsd_status count_kinds(void)
{
    hsd_reuse_sums sums;
    reuse = NULL;
    HSD_TRY(hsd_reuse_new(&reuse, &err));
    for (uint32_t i = 0; i < 300; i++) {
        const hsd_reuse_object a = object(i, 48, 0);
        HSD_TRY(hsd_reuse_take(reuse, i, &a, NULL, &err));
    }
    return hsd_reuse_estimate(reuse, &sums, &err);
}

/* Pairs that are known to be two count among what was seen, and are no longer estimated. */
Test(reuse, what_is_told_besides_is_not_estimated_again)
{
    hsd_reuse_sums sums;
    for (unsigned told = 0; told <= 60; told += 20) {
        cr_assert_eq(hsd_reuse_new(&reuse, &err), HSD_OK);
        for (uint64_t id = 0; id < 160; id++) {
            const hsd_reuse_object a = {.bytes = 48, .type = 1 + (uint32_t)(id % 2)},
                                   b = {.bytes = 48, .type = 1 + (uint32_t)(id / 2 % 2)};
            cr_assert_eq(hsd_reuse_take(reuse, id, &a, &b, &err), HSD_OK);
            if (id < told) hsd_reuse_tell(reuse);
        }
        cr_assert_eq(hsd_reuse_estimate(reuse, &sums, &err), HSD_OK);
        cr_assert_eq(sums.seen, 80 + told);
        cr_assert_eq(sums.pairs, 80 - told);
        cr_assert_eq(sums.unseen, 80 - told, "%u of 80 told: %u", told, (unsigned)sums.unseen);
        hsd_reuse_free(reuse);
        reuse = NULL;
    }
}

Test(reuse, survives_any_allocation_that_fails)
{
    cr_assert_eq(count_kinds(), HSD_OK);
    hsd_reuse_free(reuse);
    const uint64_t calls = hsd_fault_calls(HSD_FAULT_MALLOC);
    cr_assert_gt(calls, 5);
    for (uint64_t at = 1; at <= calls; at++) {
        hsd_fault_reset();
        hsd_fault_arm(HSD_FAULT_MALLOC, at, false, ENOMEM);
        const hsd_status status = count_kinds();
        const uint64_t strikes = hsd_fault_strikes();
        hsd_fault_reset();
        cr_assert(status == HSD_E_NOMEM || strikes == 0, "call %lu", (unsigned long)at);
        hsd_reuse_free(reuse);
    }
}
