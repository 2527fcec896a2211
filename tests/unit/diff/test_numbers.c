/*
 * Numbers of nodes as large as they get, in what the search for holders keeps of them: past 2^32 where they have 64
 * bits. Two that are alike in their last 32 bits are two.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "holders/by/joined.h"
#include "holders/by/told.h"
#include "support/random.h"

static hsd_error err;
static hsd_temp_space space;

static void setup(void)
{
    hsd_error_init(&err);
    hsd_temp_space_init(&space, NULL);
}

TestSuite(numbers, .init = setup);

/* ---- objects that were chosen ---- */

enum { CHOICES = 500, NEAR = 40 };

/* Some are alike but for what stands above their last bits. */
static hsd_node make_node(test_random *random)
{
    const hsd_node above = (hsd_node)test_below(random, 3) << (HSD_NODE_BITS - 24);
    return above + (hsd_node)test_below(random, NEAR);
}

static uint32_t define_choice(const hsd_growth *growth, int side, hsd_node node)
{
    uint32_t found = HSD_NO_CHOICE;
    for (uint32_t i = 0; i < growth->choice_count; i++)
        if (growth->choices[i].node[side] == node) found = i;
    return found;
}

Test(numbers, an_object_is_found_by_all_of_its_number)
{
    static hsd_choice choices[CHOICES];
    test_random random = {test_seed(77)};
    for (uint32_t count = 0; count <= CHOICES; count += 25) {
        const hsd_growth growth = {.choices = choices, .choice_count = count};
        hsd_growth_chosen *chosen = malloc(sizeof *chosen);
        for (uint32_t i = 0; i < count; i++)
            choices[i] = (hsd_choice){.by = HSD_HELD_BY_OBJECT, .node = {make_node(&random), make_node(&random)}};
        cr_assert_eq(hsd_growth_chosen_make(chosen, &growth, &err), HSD_OK, "%s", err.text);
        for (uint32_t i = 0; i < 500; i++) {
            const hsd_node node = make_node(&random);
            for (int side = 0; side < SIDE_COUNT; side++)
                cr_assert_eq(hsd_growth_chosen_at(chosen, side, node), define_choice(&growth, side, node));
        }
        hsd_growth_chosen_release(chosen);
        free(chosen);
    }
}

/* ---- what groups tell ---- */

enum { TELLERS = 3000 };

static hsd_node groups[TELLERS]; /* ascending */
static hsd_by_told told;

/* Of some it has several records, as they come. */
static uint32_t words_of(uint32_t i, hsd_node words[HSD_BY_TOLD_ITEMS])
{
    test_random random = {i + 1};
    const uint32_t count = 1 + (uint32_t)test_below(&random, HSD_BY_TOLD_ITEMS);
    for (uint32_t k = 0; k < count; k++) {
        words[k] = groups[test_below(&random, TELLERS)];
        if (test_below(&random, 4) == 0) words[k] |= HSD_BY_FOR_MARK_ALONE;
    }
    return count;
}

/* From few to the most there are. */
static void make_tellers(test_random *random)
{
    hsd_node last = 0;
    for (uint32_t i = 0; i < TELLERS; i++) {
        const hsd_node left = HSD_BY_MOST_NUMBER - last - (TELLERS - i);
        groups[i] = last += 1 + (hsd_node)(i % 100 == 99 ? test_below(random, left / 8) : test_below(random, 5));
    }
    cr_assert_leq(groups[TELLERS - 1], HSD_BY_MOST_NUMBER);
}

static void check_record(uint32_t i)
{
    hsd_node words[HSD_BY_TOLD_ITEMS];
    const uint32_t count = words_of(i, words);
    cr_assert(told.group == groups[i] && told.count == count);
    cr_assert_eq(memcmp(told.words, words, count * sizeof *words), 0, "group %" HSD_PRI_NODE, groups[i]);
}

Test(numbers, groups_tell_the_words_that_were_put)
{
    test_random random = {test_seed(78)};
    hsd_node words[HSD_BY_TOLD_ITEMS];
    make_tellers(&random);
    hsd_by_told_begin(&told, &space);
    for (uint32_t i = 0; i < TELLERS; i++) {
        const uint32_t count = words_of(i, words);
        cr_assert_eq(hsd_by_told_put(&told, groups[i], words, count, &err), HSD_OK, "%s", err.text);
    }
    cr_assert_eq(hsd_by_told_end(&told, &err), HSD_OK, "%s", err.text);
    hsd_by_told_rewind(&told);
    for (uint32_t i = 0; i < TELLERS; i++, hsd_by_told_next(&told))
        check_record(i);
    cr_assert_eq(told.group, HSD_NODE_MAX);
    for (uint32_t round = 0; round < 2000; round++) {
        const uint32_t i = (uint32_t)test_below(&random, TELLERS);
        cr_assert(hsd_by_told_find(&told, groups[i]));
        check_record(i);
        if (i + 1 == TELLERS || groups[i + 1] > groups[i] + 1) cr_assert_not(hsd_by_told_find(&told, groups[i] + 1));
    }
    cr_assert_eq(hsd_by_told_check(&told, &err), HSD_OK, "%s", err.text);
    hsd_by_told_close(&told);
    cr_assert_eq(space.bytes_now, 0);
}

/* ---- where bits of groups, and numbers of nodes, stand ---- */

enum { BITS = 1000 };

Test(numbers, slots_go_on_from_any_number)
{
    const hsd_node first = HSD_NODE_MAX / 2;
    uint64_t bits[BITS / 64 + 1] = {0};
    hsd_node before[BITS / HSD_BY_SLOT_NODES + 1], others[BITS / 64 + 1], slot = first, other = first;
    test_random random = {test_seed(79)};
    for (uint32_t i = 0; i < BITS; i++)
        if (test_below(&random, 3) == 0) bits[i / 64] |= UINT64_C(1) << i % 64;
    const hsd_by_search s = {.slot_bits = bits, .slots_before = before};
    const hsd_by_joined joined = {.bits = bits, .others = others};
    for (uint32_t i = 0; i < BITS; i++) {
        if (i % HSD_BY_SLOT_NODES == 0) before[i / HSD_BY_SLOT_NODES] = slot;
        if (i % 64 == 0) others[i / 64] = other;
        if (hsd_by_has_slot(&s, i))
            cr_assert_eq(hsd_by_slot(&s, i), slot++);
        else
            cr_assert_eq(hsd_by_joined_slot(&joined, i), HSD_BY_SETS + other++);
    }
}
