/*
 * Whom objects belong to: entries by their keys, what hangs below them however it was written to, and what is not
 * believed because it lies among strangers.
 */
#include "kin_kit.h"

TestSuite(kin, .init = kin_setup, .fini = kin_teardown);

enum { SEED = 1, ENTRY = 2, KEY = 3, RECORD = 4, LEAF = 5, ARRAY = 6 };

/* A heap of entries, each with a key that says which it is, a record and two leaves, between seeds: five records of a
 * sequence. `stamp` goes into records and leaves. */
static void put_entry(kin_heap *h, uint32_t number, uint32_t stamp)
{
    kin_put(h, SEED, number, KIN_NOBODY);
    const hsd_node entry = kin_put(h, ENTRY, 7, KIN_NOBODY);
    kin_put(h, KEY, number, entry);
    const hsd_node record = kin_put(h, RECORD, stamp + number, entry);
    kin_put(h, LEAF, stamp + 2 * number, record);
    kin_put(h, LEAF, stamp + 2 * number + 1, record);
}

enum { ENTRY_SIZE = 6 };

static void make_entries(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put_entry(&kin_older, i, 1000);
        if (i % 3 != 1) put_entry(&kin_newer, i, 5000); /* the others went, and what stays was written to */
    }
    kin_open(KIT_PLENTY);
    for (hsd_node i = 0, there = 0; i < count; i++) {
        if (i % 3 == 1) continue;
        kin_pair(i * ENTRY_SIZE, there * ENTRY_SIZE, HSD_RUNG_STRUCTURE);
        kin_pair(i * ENTRY_SIZE + 2, there * ENTRY_SIZE + 2, HSD_RUNG_STRUCTURE);
        there++;
    }
}

static void check_entries(hsd_node count)
{
    for (hsd_node at = 0; at < count * ENTRY_SIZE; at++) {
        const hsd_node number = at / ENTRY_SIZE, gone = (number + 1) / 3;
        const hsd_node wanted = number % 3 == 1 ? HSD_NO_PARTNER : at - gone * ENTRY_SIZE;
        cr_assert_eq(kin_partner(at), wanted, "object %" HSD_PRI_NODE " of entry %" HSD_PRI_NODE, at % ENTRY_SIZE,
                     number);
    }
}

Test(kin, all_below_a_key_that_stayed_is_known_whatever_was_written_to_it)
{
    make_entries(50);
    kin_run(KIN_MEMORY);
    check_entries(50);
    cr_assert_eq(kin_pairs, 4 * 33, "all but the seeds and the keys");
}

Test(kin, says_the_same_in_any_memory_and_either_way_round)
{
    make_entries(2000);
    kin_run(HSD_SEEDS_LEAST_BYTES);
    check_entries(2000);
    kin_swap();
    make_entries(2000);
    kin_run(KIN_MEMORY);
    check_entries(2000);
}

Test(kin, does_nothing_where_owners_are_not_known)
{
    make_entries(10);
    kin_forget_owners();
    kin_run(KIN_MEMORY);
    cr_assert_eq(kin_pairs, 0);
}

/* ---- what is not believed ---- */

static hsd_node owner_among_seeds(kin_heap *h, uint32_t look)
{
    kin_put(h, SEED, look, KIN_NOBODY);
    const hsd_node owner = kin_put(h, RECORD, look, KIN_NOBODY);
    kin_put(h, SEED, look + 1, KIN_NOBODY);
    return owner;
}

static void pair_seeds(hsd_node count)
{
    for (hsd_node at = 0; at < count; at++)
        kin_pair(at, at, HSD_RUNG_STRUCTURE);
}

Test(kin, what_was_replaced_lies_elsewhere_and_is_another)
{
    owner_among_seeds(&kin_older, 10);
    kin_put(&kin_older, LEAF, 100, 1);
    kin_put(&kin_older, SEED, 90, KIN_NOBODY);
    kin_put(&kin_older, SEED, 91, KIN_NOBODY);
    owner_among_seeds(&kin_newer, 10);
    kin_put(&kin_newer, SEED, 90, KIN_NOBODY);
    kin_put(&kin_newer, SEED, 91, KIN_NOBODY);
    kin_put(&kin_newer, LEAF, 200, 1);
    kin_open(KIT_PLENTY);
    pair_seeds(3);
    kin_pair(4, 3, HSD_RUNG_STRUCTURE);
    kin_pair(5, 4, HSD_RUNG_STRUCTURE);
    kin_run(KIN_MEMORY);
    cr_assert_eq(kin_pairs, 0);
    cr_assert_eq(kin_partner(3), HSD_NO_PARTNER);
}

Test(kin, a_value_that_two_have_in_turn_does_not_make_them_one)
{
    /* The text of a label came again: entry, text and characters vouch for each other, and lie among strangers. */
    kin_put(&kin_older, SEED, 1, KIN_NOBODY);
    const hsd_node old = kin_put(&kin_older, ENTRY, 7, KIN_NOBODY), text = kin_put(&kin_older, KEY, 50, old);
    kin_put(&kin_older, LEAF, 51, text);
    for (uint32_t i = 2; i < 6; i++)
        kin_put(&kin_older, SEED, i, KIN_NOBODY);
    for (uint32_t i = 1; i < 6; i++)
        kin_put(&kin_newer, SEED, i, KIN_NOBODY);
    const hsd_node new_ = kin_put(&kin_newer, ENTRY, 7, KIN_NOBODY), other = kin_put(&kin_newer, KEY, 50, new_);
    kin_put(&kin_newer, LEAF, 51, other);
    kin_open(KIT_PLENTY);
    kin_pair(0, 0, HSD_RUNG_STRUCTURE);
    for (hsd_node i = 1; i < 5; i++)
        kin_pair(i + 3, i, HSD_RUNG_STRUCTURE);
    kin_pair(text, other, HSD_RUNG_STRUCTURE);
    kin_pair(text + 1, other + 1, HSD_RUNG_STRUCTURE);
    kin_run(KIN_MEMORY);
    cr_assert_eq(kin_partner(old), HSD_NO_PARTNER);
}

Test(kin, an_array_that_changed_is_another_one)
{
    for (int i = 0; i < 2; i++) {
        kin_heap *h = i == 0 ? &kin_older : &kin_newer;
        owner_among_seeds(h, 10);
        kin_put(h, ARRAY, i == 0 ? 101 : 201, 1);
        kin_put(h, SEED, 90, KIN_NOBODY);
    }
    kin_open(KIT_PLENTY);
    pair_seeds(3);
    kin_pair(4, 4, HSD_RUNG_STRUCTURE);
    kin_run(KIN_MEMORY);
    cr_assert_eq(kin_pairs, 0);
}

Test(kin, of_several_of_a_type_equals_come_first_and_the_rest_only_in_equal_numbers)
{
    const uint32_t looks[2][3] = {{100, 102, 104}, {300, 104, 0}};
    for (int i = 0; i < 2; i++) {
        kin_heap *h = i == 0 ? &kin_older : &kin_newer;
        owner_among_seeds(h, 10);
        for (int j = 0; j < 3; j++)
            if (looks[i][j] != 0) kin_put(h, LEAF, looks[i][j], 1);
        kin_put(h, SEED, 90, KIN_NOBODY);
    }
    kin_open(KIT_PLENTY);
    pair_seeds(3);
    kin_pair(6, 5, HSD_RUNG_STRUCTURE);
    kin_run(KIN_MEMORY);
    cr_assert_eq(kin_pairs, 1, "two are left of which one went: nobody knows which");
    cr_assert_eq(kin_partner(5), 4);
}
