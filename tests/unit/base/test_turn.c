/* What ids that are given in turn say of the order of two captures. */
#include <criterion/criterion.h>

#include <string.h>

#include "base/turn.h"

enum { OBJECTS = 1000 };

typedef struct heap {
    bool has[4 * OBJECTS]; /* by id */
} heap;

static heap earlier, later;

/* The later one lost each tenth object, and got as many anew as are told. */
static void make(unsigned came)
{
    memset(&earlier, 0, sizeof earlier);
    memset(&later, 0, sizeof later);
    for (unsigned i = 0; i < OBJECTS; i++) {
        earlier.has[2 * i + 1] = true;
        later.has[2 * i + 1] = i % 10 != 3;
    }
    for (unsigned i = 0; i < came; i++)
        later.has[2 * (OBJECTS + i) + 1] = true;
}

static hsd_order order_of(const heap *before, const heap *after, unsigned changed)
{
    hsd_turn turn = {0};
    for (unsigned id = 0; id < 4 * OBJECTS; id++) {
        const bool is_before = before->has[id], is_after = after->has[id];
        if (is_before && is_after && changed > 0 && id % 16 == 1) { /* another type */
            hsd_turn_take(&turn, id, true, false);
            hsd_turn_take(&turn, id, false, true);
            changed--;
        } else if (is_before || is_after) {
            hsd_turn_take(&turn, id, is_before, is_after);
        }
    }
    return hsd_turn_order(&turn);
}

Test(turn, the_higher_numbers_came_later)
{
    make(200);
    cr_assert_eq(order_of(&earlier, &later, 0), HSD_ORDER_AS_GIVEN);
    cr_assert_eq(order_of(&later, &earlier, 0), HSD_ORDER_REVERSED);
    cr_assert_eq(order_of(&earlier, &earlier, 0), HSD_ORDER_UNKNOWN);
    make(3); /* what the snapshot itself makes */
    cr_assert_eq(order_of(&later, &earlier, 0), HSD_ORDER_UNKNOWN);
}

Test(turn, objects_of_another_type_count_against_it)
{
    make(200);
    cr_assert_eq(order_of(&later, &earlier, 5), HSD_ORDER_REVERSED);
    cr_assert_eq(order_of(&earlier, &later, 5), HSD_ORDER_AS_GIVEN);
    cr_assert_eq(order_of(&later, &earlier, 20), HSD_ORDER_UNKNOWN);
    make(15);
    cr_assert_eq(order_of(&later, &earlier, 9), HSD_ORDER_UNKNOWN);
}

Test(turn, two_processes_contradict_each_other)
{
    make(200);
    for (unsigned i = 0; i < OBJECTS; i += 2)
        later.has[2 * i + 1] = i % 3 == 0;
    for (unsigned i = 1; i < OBJECTS; i += 5)
        earlier.has[2 * i + 1] = false;
    cr_assert_eq(order_of(&earlier, &later, 0), HSD_ORDER_CONTRADICTORY);
    cr_assert_eq(order_of(&later, &earlier, 0), HSD_ORDER_CONTRADICTORY);
}

/* Threads of one process: objects of the second have higher numbers than all of the first, whenever they came. */
Test(turn, each_heap_counts_for_itself)
{
    for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
        hsd_turn turn = {0};
        make(200);
        for (uint64_t thread = 0; thread < 3; thread++)
            for (uint64_t id = 0; id < 4 * OBJECTS; id++) {
                const bool is_in[2] = {earlier.has[id], later.has[id]};
                if (is_in[0] || is_in[1])
                    hsd_turn_take(&turn, thread << HSD_TURN_HEAP_SHIFT | id, is_in[is_reversed], is_in[!is_reversed]);
            }
        cr_assert_eq(hsd_turn_order(&turn), is_reversed ? HSD_ORDER_REVERSED : HSD_ORDER_AS_GIVEN);
    }
}

/* They are made of addresses, by each snapshot anew. */
Test(turn, even_numbers_say_nothing)
{
    hsd_turn turn = {0};
    for (uint64_t id = 1; id < 400; id += 2)
        hsd_turn_take(&turn, id, true, true);
    for (uint64_t id = 1000; id < 2000; id += 2)
        hsd_turn_take(&turn, id, true, false);
    cr_assert_eq(hsd_turn_order(&turn), HSD_ORDER_UNKNOWN);
    hsd_turn_take(&turn, 3001, true, true);
    cr_assert_eq(hsd_turn_order(&turn), HSD_ORDER_UNKNOWN);
}

Test(turn, few_objects_say_nothing)
{
    hsd_turn turn = {0};
    for (uint64_t id = 1; id < 180; id += 2)
        hsd_turn_take(&turn, id, true, true);
    for (uint64_t id = 201; id < 400; id += 2)
        hsd_turn_take(&turn, id, true, false);
    cr_assert_eq(hsd_turn_order(&turn), HSD_ORDER_UNKNOWN);
}

Test(turn, who_says_of_which_process_it_is_is_not_asked)
{
    hsd_capture_info a = {.identity = HSD_IDENTITY_EXACT, .source_format = "v8"}, b = a;
    cr_assert(hsd_turn_is_asked(&a, &b));
    b.source_format = "hprof 1.0.2";
    cr_assert_not(hsd_turn_is_asked(&a, &b));
    b = a;
    b.identity = HSD_IDENTITY_MOVING; /* Bun */
    cr_assert_not(hsd_turn_is_asked(&a, &b));
    b = a;
    a.pid = b.pid = 7;
    a.started_unix_ns = b.started_unix_ns = 1;
    cr_assert_not(hsd_turn_is_asked(&a, &b));
    b.pid = 8;
    cr_assert_not(hsd_turn_is_asked(&a, &b));
}

/* ---- in parts ---- */

enum { PARTS = 3, HEAPS = 4 };

/* Ids of several heaps, each of which ends somewhere else on either side. */
static bool has(const heap *one, unsigned at, unsigned which)
{
    const unsigned id = 2 * at + 1;
    return one->has[id] && (which % 2 == 0 || at < OBJECTS / 2);
}

static uint64_t id_of(unsigned at, unsigned which)
{
    return (uint64_t)which << HSD_TURN_HEAP_SHIFT | (2 * (uint64_t)at + 1);
}

static hsd_order order_of_parts(const heap *before, const heap *after, hsd_turn *sum)
{
    static hsd_turn_lasts lasts[2];
    memset(lasts, 0, sizeof lasts);
    *sum = (hsd_turn){0};
    for (unsigned i = 2 * OBJECTS * HEAPS; i-- > 0;) { /* in any order */
        if (has(before, i / HEAPS, i % HEAPS)) hsd_turn_lasts_take(&lasts[0], id_of(i / HEAPS, i % HEAPS));
        if (has(after, i / HEAPS, i % HEAPS)) hsd_turn_lasts_take(&lasts[1], id_of(i / HEAPS, i % HEAPS));
    }
    for (unsigned part = 0; part < PARTS; part++) {
        hsd_turn turn = {0};
        for (unsigned i = 0; i < 2 * OBJECTS * HEAPS; i++) {
            const bool is_before = has(before, i / HEAPS, i % HEAPS), is_after = has(after, i / HEAPS, i % HEAPS);
            if (i * 7 / 5 % PARTS == part && (is_before || is_after))
                hsd_turn_take_part(&turn, lasts, id_of(i / HEAPS, i % HEAPS), is_before, is_after);
        }
        for (unsigned word = 0; word < sizeof turn / sizeof(uint64_t); word++)
            ((uint64_t *)(void *)sum)[word] += ((uint64_t *)(void *)&turn)[word];
    }
    return hsd_turn_order(sum);
}

static hsd_order order_of_heaps(const heap *before, const heap *after, hsd_turn *turn)
{
    *turn = (hsd_turn){0};
    for (unsigned which = 0; which < HEAPS; which++)
        for (unsigned at = 0; at < 2 * OBJECTS; at++)
            if (has(before, at, which) || has(after, at, which))
                hsd_turn_take(turn, id_of(at, which), has(before, at, which), has(after, at, which));
    return hsd_turn_order(turn);
}

Test(turn, parts_add_up_to_the_whole)
{
    const heap *const pairs[][2] = {{&earlier, &later}, {&later, &earlier}, {&earlier, &earlier}};
    make(200);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        hsd_turn whole, sum;
        const hsd_order order = order_of_heaps(pairs[i][0], pairs[i][1], &whole);
        cr_assert_eq(order_of_parts(pairs[i][0], pairs[i][1], &sum), order);
        cr_assert_eq(sum.both, whole.both);
        for (int side = 0; side < 2; side++) {
            cr_assert_eq(sum.below[side], whole.below[side]);
            cr_assert_eq(sum.behind[side], whole.behind[side] + whole.over[side]);
        }
    }
}

Test(turn, more_heaps_than_are_told_apart_say_nothing)
{
    static hsd_turn_lasts lasts[2];
    hsd_turn turn = {0};
    for (uint64_t i = 0; i <= HSD_TURN_HEAPS; i++)
        hsd_turn_lasts_take(&lasts[0], i << HSD_TURN_HEAP_SHIFT | 1);
    cr_assert(lasts[0].is_full);
    hsd_turn_take_part(&turn, lasts, 1, true, true);
    cr_assert_eq(hsd_turn_order(&turn), HSD_ORDER_UNKNOWN);
    cr_assert_eq(turn.both, 0u);
}
