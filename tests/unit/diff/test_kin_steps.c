/*
 * Steps of kin are told apart by all of their number, not by where it stands in the table; of too many those that share
 * its last bits are taken for one, whenever that is noticed.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "holders/kin.h"

enum { EDGE = 5 };

static hsd_kin_steps new_steps(void)
{
    void *memory = calloc(1, HSD_KIN_STEPS_BYTES);
    cr_assert_not_null(memory);
    return hsd_kin_steps_in(memory);
}

static void see(hsd_kin_steps *steps, uint32_t number, uint32_t type, bool is_again)
{
    const hsd_kin_end end = {.place = 1, .type = type, .is_again = is_again};
    hsd_kin_see(steps, &end, EDGE, number, 1, is_again);
}

static void check(const hsd_kin_steps *steps, uint32_t number, uint32_t type, uint32_t all, uint32_t again)
{
    const hsd_kin_count *count = hsd_kin_count_of(steps, number);
    cr_assert(count->type == type + 1 && count->all == all && count->again == again,
              "%u: type %u, %" HSD_PRI_NODE " of %" HSD_PRI_NODE " again", number, count->type, count->again,
              count->all);
}

Test(kin_steps, numbers_of_one_slot_are_two_steps)
{
    hsd_kin_steps steps = new_steps();
    see(&steps, 7, 3, true);
    see(&steps, 7 + HSD_KIN_STEPS, 9, false);
    see(&steps, 7, 3, false);
    see(&steps, HSD_KIN_NUMBERS - 1, 4, true); /* the last slot, and the first behind it */
    see(&steps, HSD_KIN_NUMBERS - 1 - HSD_KIN_STEPS, 6, true);
    check(&steps, 7, 3, 2, 1);
    check(&steps, 7 + HSD_KIN_STEPS, 9, 1, 0);
    check(&steps, HSD_KIN_NUMBERS - 1, 4, 1, 1);
    check(&steps, HSD_KIN_NUMBERS - 1 - HSD_KIN_STEPS, 6, 1, 1);
    cr_assert_eq(hsd_kin_count_of(&steps, 7 + 2 * HSD_KIN_STEPS)->type, 0);
    cr_assert_eq(steps.count, 4);
    free(steps.slots);
}

Test(kin_steps, as_many_are_counted_as_there_are_objects)
{
    hsd_kin_steps steps = new_steps();
    const hsd_kin_end end = {.place = 1, .type = 3};
    hsd_kin_see(&steps, &end, EDGE, 7, HSD_NODE_MAX - 1, false);
    hsd_kin_see(&steps, &end, EDGE, 7, 1, false);
    cr_assert_eq(hsd_kin_count_of(&steps, 7)->all, HSD_NODE_MAX);
    free(steps.slots);
}

static uint32_t number_of(uint32_t i) { return i * 601u % HSD_KIN_NUMBERS; }

/* In either order. */
static hsd_kin_steps many(uint32_t count, bool is_backwards)
{
    hsd_kin_steps steps = new_steps();
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = is_backwards ? count - 1 - i : i;
        see(&steps, number_of(at), at % 50, at % 3 == 0);
    }
    return steps;
}

Test(kin_steps, too_many_share_places_whatever_their_order)
{
    enum { COUNT = HSD_KIN_MOST + 20000 };
    hsd_kin_steps one = many(COUNT, false), other = many(COUNT, true), few = many(HSD_KIN_MOST, false);
    cr_assert(one.is_folded && other.is_folded && !few.is_folded);
    cr_assert(one.count == other.count && one.count <= HSD_KIN_STEPS);
    uint64_t all = 0;
    for (uint32_t i = 0; i < HSD_KIN_STEPS; i++) {
        const hsd_kin_count *a = hsd_kin_count_of(&one, i), *b = hsd_kin_count_of(&other, i + 3 * HSD_KIN_STEPS);
        cr_assert(a->type == b->type && a->all == b->all && a->again == b->again, "place %u", i);
        all += a->all;
    }
    cr_assert_eq(all, COUNT);
    free(one.slots);
    free(other.slots);
    free(few.slots);
}
