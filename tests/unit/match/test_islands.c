/*
 * What stayed while all around it moved: held out, and back afterwards; and what is no such island.
 */
#include "match/islands.h"
#include "sequence_kit.h"

enum { COUNT = 240, AT = 120, PERIOD = 24, FIRST = 1000000 };

static hsd_temp_space space;
static hsd_error err;
static hsd_sequence older, newer;
static hsd_islands islands;

static void put(hsd_sequence *s, hsd_node at, uint64_t address, uint32_t kind)
{
    const hsd_element e = {kind, kind + 1000, 5, kind};
    hsd_paged_set_u64(&s->addresses, at, address);
    hsd_sequence_write(s, at, &e);
}

/* Twins on both sides, those of newer moved a little. */
static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
    islands = (hsd_islands){NULL, 0};
    kit_sequence(&older, COUNT, 1, KIT_PLENTY, &space);
    kit_sequence(&newer, COUNT, 1, KIT_PLENTY, &space);
    for (hsd_node i = 0; i < COUNT; i++) {
        put(&older, i, FIRST + (uint64_t)i * PERIOD, 7);
        put(&newer, i, FIRST - 8 + (uint64_t)i * PERIOD, 7);
    }
}

static void teardown(void)
{
    hsd_islands_free(&islands);
    hsd_sequence_release(&older);
    hsd_sequence_release(&newer);
}

TestSuite(islands, .init = setup, .fini = teardown);

/* Recognised, and in the same place. */
static void put_stayed(hsd_node at, hsd_rung rung)
{
    put(&newer, at, FIRST + (uint64_t)at * PERIOD, 7);
    hsd_sequence_pair(&older, at, &newer, at, rung);
}

static void hold(hsd_node wanted)
{
    hsd_islands_free(&islands);
    cr_assert_eq(hsd_islands_find(&islands, &older, &newer, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_islands_hold(&islands, &older, &newer), wanted);
}

static uint64_t come_back(hsd_rung rung)
{
    uint64_t lost[HSD_RUNG_COUNT] = {0};
    hsd_islands_return(&islands, &older, &newer, lost);
    return lost[rung];
}

Test(islands, hold_out_what_stayed_alone_and_give_it_back)
{
    put_stayed(AT, HSD_RUNG_STRUCTURE);
    hold(1);
    cr_assert_eq(hsd_sequence_partner(&older, AT), HSD_NO_PARTNER);
    cr_assert_eq(hsd_sequence_partner(&newer, AT), HSD_NO_PARTNER);
    cr_assert_eq(come_back(HSD_RUNG_STRUCTURE), 0);
    cr_assert_eq(hsd_sequence_partner(&older, AT), AT);
    cr_assert_eq(hsd_sequence_rung(&newer, AT), HSD_RUNG_STRUCTURE);
}

Test(islands, are_short_rows)
{
    for (hsd_node i = 0; i + 1 < HSD_ISLAND_LESS; i++)
        put_stayed(AT + i, HSD_RUNG_SAME_ADDRESS);
    hold(HSD_ISLAND_LESS - 1);
    cr_assert_eq(come_back(HSD_RUNG_SAME_ADDRESS), 0);
    put_stayed(AT - 1, HSD_RUNG_SAME_ADDRESS);
    hold(0);
    cr_assert_eq(hsd_sequence_partner(&older, AT), AT);
}

Test(islands, are_still_pairs)
{
    put_stayed(AT, HSD_RUNG_STRUCTURE);
    cr_assert_eq(hsd_islands_find(&islands, &older, &newer, NULL, &err), HSD_OK, "%s", err.text);
    hsd_sequence_unpair(&older, AT, &newer, AT);
    cr_assert_eq(hsd_islands_hold(&islands, &older, &newer), 0);
    cr_assert_eq(come_back(HSD_RUNG_STRUCTURE), 0);
    cr_assert_eq(hsd_sequence_partner(&older, AT), HSD_NO_PARTNER);
}

Test(islands, are_at_the_ends_too)
{
    put_stayed(0, HSD_RUNG_STRUCTURE);
    put_stayed(COUNT - 1, HSD_RUNG_STRUCTURE);
    hold(2);
}

/* One near it stayed as well, recognised or not, on either side; further off it does not matter. */
Test(islands, have_nobody_beside_them)
{
    put_stayed(AT, HSD_RUNG_STRUCTURE);
    put(&newer, AT + 2, FIRST + (uint64_t)(AT + 2) * PERIOD, 7);
    hold(0);
    put(&newer, AT + 2, FIRST + (uint64_t)(AT + 2) * PERIOD, 8); /* another one lies there */
    hold(1);
    come_back(HSD_RUNG_STRUCTURE);
    put(&newer, AT - 2, FIRST + (uint64_t)(AT - 2) * PERIOD, 7);
    hold(0);
    put(&newer, AT - 2, FIRST + (uint64_t)(AT - 2) * PERIOD + 8, 7);
    put(&newer, AT - HSD_ISLAND_SHORE - 1, FIRST + (uint64_t)(AT - HSD_ISLAND_SHORE - 1) * PERIOD, 7);
    hold(1);
}

Test(islands, are_nothing_that_moved)
{
    hsd_sequence_pair(&older, AT, &newer, AT, HSD_RUNG_STRUCTURE);
    hold(0);
}

Test(islands, are_nothing_whose_id_is_no_address)
{
    put_stayed(AT, HSD_RUNG_STRUCTURE);
    hsd_paged_set_u64(&older.addresses, AT, FIRST + AT * PERIOD + 1);
    hsd_paged_set_u64(&newer.addresses, AT, FIRST + AT * PERIOD + 1);
    put_stayed(0, HSD_RUNG_STRUCTURE);
    hsd_paged_set_u64(&older.addresses, 0, 0);
    hsd_paged_set_u64(&newer.addresses, 0, 0);
    hold(0);
}

Test(islands, that_order_took_for_others_are_counted)
{
    put_stayed(AT, HSD_RUNG_SAME_ADDRESS);
    hold(1);
    hsd_sequence_pair(&older, AT, &newer, AT + 1, HSD_RUNG_ORDER);
    cr_assert_eq(come_back(HSD_RUNG_SAME_ADDRESS), 1);
    cr_assert_eq(hsd_sequence_partner(&older, AT), AT + 1);
    cr_assert_eq(hsd_sequence_partner(&newer, AT), HSD_NO_PARTNER);
}

/* Where what stayed lies between what moved all over the heap, nothing is held. */
Test(islands, are_few)
{
    const hsd_node apart = 2 * HSD_ISLAND_SHORE, count = (HSD_ISLANDS_MOST + 1) * apart;
    teardown();
    kit_sequence(&older, count, 1, KIT_PLENTY, &space);
    kit_sequence(&newer, count, 1, KIT_PLENTY, &space);
    for (hsd_node i = 0; i < count; i++) {
        put(&older, i, FIRST + (uint64_t)i * PERIOD, 7);
        put(&newer, i, FIRST + (uint64_t)i * PERIOD + (i % apart == 0 ? 0 : 8), 7);
        if (i % apart == 0) hsd_sequence_pair(&older, i, &newer, i, HSD_RUNG_SAME_ADDRESS);
    }
    hold(0);
    cr_assert_eq(hsd_sequence_partner(&older, 0), 0);
    hsd_sequence_unpair(&older, 0, &newer, 0);
    hold(HSD_ISLANDS_MOST);
}

static bool refuse(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context;
    (void)stage;
    cr_assert_leq(done, total);
    return false;
}

Test(islands, stop_when_told_to)
{
    const hsd_run run = {.progress = refuse};
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    put_stayed(AT, HSD_RUNG_STRUCTURE);
    cr_assert_eq(hsd_islands_find(&islands, &older, &newer, &reporter, &err), HSD_E_CANCELLED);
    hsd_reporter_release(&reporter);
}

Test(islands, pass_on_what_arrays_could_not_read)
{
    put_stayed(AT, HSD_RUNG_STRUCTURE);
    newer.addresses.status = HSD_E_IO;
    hsd_error_init(&newer.addresses.error);
    hsd_fail(&newer.addresses.error, HSD_E_IO, "cannot read");
    cr_assert_eq(hsd_islands_find(&islands, &older, &newer, NULL, &err), HSD_E_IO);
}
