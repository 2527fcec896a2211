/*
 * Pairs by address in what moved: rows of twins that went on by whole periods, with something unique that says so, and
 * all that is no such row.
 */
#include "match/moved.h"
#include "sequence_kit.h"

enum { PERIOD = 24, TWINS = 100, BY = 5 };

static hsd_temp_space space;
static hsd_error err;
static hsd_sequence older, newer;
static uint64_t dropped;

static void setup(void)
{
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
    dropped = 77;
}

static void teardown(void)
{
    hsd_sequence_release(&older);
    hsd_sequence_release(&newer);
}

TestSuite(moved, .init = setup, .fini = teardown);

static void put(hsd_sequence *s, hsd_node at, uint64_t address, uint32_t kind)
{
    const hsd_element e = {kind, kind + 1000, 5, kind};
    hsd_paged_set_u64(&s->addresses, at, address);
    hsd_sequence_write(s, at, &e);
}

/* Twins from the address on, and a landmark behind them. */
static void put_row(hsd_sequence *s, uint64_t address, hsd_node count)
{
    kit_sequence(s, count + 1, 1, KIT_PLENTY, &space);
    for (hsd_node i = 0; i < count; i++)
        put(s, i, address + (uint64_t)i * PERIOD, 7);
    put(s, count, address + (uint64_t)count * PERIOD, 9);
}

/* Whoever lie at one address are paired, and the landmarks. */
static void put_shifted(hsd_node count, hsd_node by)
{
    put_row(&older, 1000000, count);
    put_row(&newer, 1000000 - (uint64_t)by * PERIOD, count);
    for (hsd_node i = 0; i + by < count; i++)
        hsd_sequence_pair(&older, i, &newer, i + by, HSD_RUNG_SAME_ADDRESS);
    hsd_sequence_pair(&older, count, &newer, count, HSD_RUNG_STRUCTURE);
}

static void follow(void) { cr_assert_eq(hsd_moved(&older, &newer, NULL, &dropped, &err), HSD_OK, "%s", err.text); }

Test(moved, takes_back_twins_that_lie_where_others_lay)
{
    put_shifted(TWINS, BY);
    follow();
    cr_assert_eq(dropped, TWINS - BY);
    for (hsd_node i = 0; i < TWINS; i++) {
        cr_assert_eq(hsd_sequence_partner(&older, i), HSD_NO_PARTNER);
        cr_assert_eq(hsd_sequence_partner(&newer, i), HSD_NO_PARTNER);
    }
    cr_assert_eq(hsd_sequence_partner(&older, TWINS), TWINS);
}

Test(moved, leaves_what_stayed)
{
    put_shifted(TWINS, 0);
    follow();
    cr_assert_eq(dropped, 0);
    for (hsd_node i = 0; i <= TWINS; i++)
        cr_assert_eq(hsd_sequence_partner(&older, i), i);
}

Test(moved, takes_no_short_row_for_more_than_chance)
{
    put_shifted(HSD_MOVED_LEAST - 1, 1);
    follow();
    cr_assert_eq(dropped, 0);
    teardown();
    put_shifted(HSD_MOVED_LEAST, 1);
    follow();
    cr_assert_eq(dropped, HSD_MOVED_LEAST - 1);
}

/* Another one among them, or one that did not move along: the row ends there. */
Test(moved, goes_no_further_than_the_row)
{
    put_shifted(TWINS, BY);
    put(&older, 50, 1000000 + 50 * PERIOD, 8);
    follow();
    cr_assert_eq(hsd_sequence_partner(&older, 20), 20 + BY);
    cr_assert_eq(hsd_sequence_partner(&older, 51), HSD_NO_PARTNER);
    teardown();
    put_shifted(TWINS, BY);
    hsd_paged_set_u64(&older.addresses, 50, 1000000 + 50 * PERIOD + HSD_MOVED_FILLER + 8);
    follow();
    cr_assert_eq(hsd_sequence_partner(&older, 20), 20 + BY);
}

/* Gaps that were closed: each row of ten came nearer by a period than the one behind it. */
Test(moved, goes_over_gaps_that_were_closed)
{
    put_shifted(TWINS, 0);
    for (hsd_node i = 0; i < TWINS; i++)
        hsd_sequence_unpair(&older, i, &newer, i);
    for (hsd_node i = 0; i <= TWINS; i++)
        hsd_paged_set_u64(&newer.addresses, i, 1000000 - 90 * PERIOD + (uint64_t)(i + i / 10) * PERIOD);
    /* that these have not one address is no matter */
    hsd_sequence_pair(&older, 9, &newer, 90, HSD_RUNG_SAME_ADDRESS);
    follow();
    cr_assert_eq(dropped, 1);
}

Test(moved, leaves_ids_that_are_no_addresses)
{
    put_shifted(TWINS, BY);
    for (hsd_node i = 0; i <= TWINS; i++) {
        hsd_paged_set_u64(&older.addresses, i, hsd_paged_get_u64(&older.addresses, i) + 1);
        hsd_paged_set_u64(&newer.addresses, i, hsd_paged_get_u64(&newer.addresses, i) + 1);
    }
    follow();
    cr_assert_eq(dropped, 0);
}

static bool refuse(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context;
    (void)stage;
    cr_assert_leq(done, total);
    return false;
}

Test(moved, stops_when_it_is_told_to)
{
    const hsd_run run = {.progress = refuse};
    hsd_reporter reporter;
    hsd_reporter_init(&reporter, &run);
    put_shifted(TWINS, BY);
    cr_assert_eq(hsd_moved(&older, &newer, &reporter, &dropped, &err), HSD_E_CANCELLED);
    hsd_reporter_release(&reporter);
}

Test(moved, passes_on_what_its_arrays_could_not_read)
{
    put_shifted(TWINS, BY);
    newer.partners.status = HSD_E_IO;
    hsd_error_init(&newer.partners.error);
    hsd_fail(&newer.partners.error, HSD_E_IO, "cannot read");
    cr_assert_eq(hsd_moved(&older, &newer, NULL, &dropped, &err), HSD_E_IO);
}
