/*
 * What waits in files where memory is little: bits come back as they went, however often, trees are read on, and a disk
 * that fails is told.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "holders/growth.h"
#include "support/fault.h"
#include "support/random.h"

enum { OBJECTS = 100003, RECORDS = 40000 };

static hsd_error err;
static hsd_pair pair;
static hsd_growth growth;
static uint8_t *wanted[SIDE_COUNT][2]; /* is_kept, holds_nothing */

static uint8_t *make_bits(test_random *random)
{
    uint8_t *bits = calloc(OBJECTS / 8 + 1, 1);
    for (uint32_t i = 0; i < OBJECTS; i++)
        if (test_below(random, 3) == 0) hsd_bit_set(bits, i);
    return bits;
}

static uint8_t *copy_bits(const uint8_t *bits)
{
    uint8_t *copy = malloc(OBJECTS / 8 + 1);
    memcpy(copy, bits, OBJECTS / 8 + 1);
    return copy;
}

/* Of two words, served from runs. */
static hsd_sorter *make_sorter(test_random *random)
{
    const hsd_sorter_config config = {
        .record_words = 2, .key_words = 1, .memory_bytes = HSD_SORT_MIN_BYTES, .space = &pair.space};
    hsd_sorter *sorter;
    cr_assert_eq(hsd_sorter_new(&sorter, &config, &err), HSD_OK);
    for (uint32_t i = 0; i < RECORDS; i++) {
        const uint64_t record[2] = {test_below(random, UINT32_MAX), i};
        cr_assert_eq(hsd_sorter_put(sorter, record, &err), HSD_OK);
    }
    cr_assert_eq(hsd_sorter_finish(sorter, 0, &err), HSD_OK);
    return sorter;
}

static void begin(bool has_nothing)
{
    test_random random = {test_seed(4711)};
    hsd_error_init(&err);
    memset(&pair, 0, sizeof pair);
    hsd_temp_space_init(&pair.space, NULL);
    growth = (hsd_growth){.pair = &pair, .is_tight = true};
    for (int side = 0; side < SIDE_COUNT; side++) {
        pair.sides[side].object_count = OBJECTS;
        pair.sides[side].census = make_sorter(&random);
        pair.sides[side].tree = make_sorter(&random);
        wanted[side][0] = make_bits(&random);
        wanted[side][1] = make_bits(&random);
        pair.is_kept[side] = copy_bits(wanted[side][0]);
        growth.holds_nothing[side] = has_nothing ? copy_bits(wanted[side][1]) : NULL;
    }
}

static void end(void)
{
    hsd_growth_release_aside(&growth);
    for (int side = 0; side < SIDE_COUNT; side++) {
        hsd_sorter_free(pair.sides[side].census);
        hsd_sorter_free(pair.sides[side].tree);
        free(pair.is_kept[side]);
        free(growth.holds_nothing[side]);
        free(wanted[side][0]);
        free(wanted[side][1]);
    }
    cr_assert_eq(pair.space.bytes_now, 0);
}

static void check_there(int side, bool has_nothing)
{
    cr_assert_eq(memcmp(pair.is_kept[side], wanted[side][0], OBJECTS / 8 + 1), 0);
    cr_assert_eq(growth.holds_nothing[side] != NULL, has_nothing);
    if (has_nothing) cr_assert_eq(memcmp(growth.holds_nothing[side], wanted[side][1], OBJECTS / 8 + 1), 0);
}

static void check_away(int side)
{
    cr_assert_null(pair.is_kept[side]);
    cr_assert_null(growth.holds_nothing[side]);
}

static void read_tree(int side)
{
    const uint64_t *record;
    uint64_t last = 0;
    uint32_t count = 0;
    cr_assert_eq(hsd_sorter_rewind(pair.sides[side].tree, &err), HSD_OK);
    for (; hsd_sorter_next(pair.sides[side].tree, &record, &err) == HSD_OK; count++) {
        cr_assert_leq(last, record[0]);
        last = record[0];
    }
    cr_assert_eq(count, RECORDS);
}

static void come_and_go(bool has_nothing)
{
    begin(has_nothing);
    cr_assert_eq(hsd_growth_clear(&growth, &err), HSD_OK, "%s", err.text);
    cr_assert_gt(growth.rested_bytes, 3 * 16384);
    for (int round = 0; round < 3; round++) {
        const uint64_t written = pair.space.bytes_written;
        for (int side = 0; side < SIDE_COUNT; side++) {
            check_away(side);
            cr_assert_eq(hsd_growth_take_back(&growth, side, &err), HSD_OK, "%s", err.text);
            check_there(side, has_nothing);
            read_tree(side);
            cr_assert_eq(hsd_growth_take_back(&growth, side, &err), HSD_OK);
            cr_assert_eq(hsd_growth_put_aside(&growth, side, &err), HSD_OK, "%s", err.text);
        }
        cr_assert_eq(pair.space.bytes_written, written, "bits are written once");
    }
    end();
}

Test(aside, bits_come_back_as_they_went)
{
    come_and_go(false);
    come_and_go(true);
}

Test(aside, nothing_goes_where_memory_is_ample)
{
    begin(true);
    growth.is_tight = false;
    cr_assert_eq(hsd_growth_clear(&growth, &err), HSD_OK);
    for (int side = 0; side < SIDE_COUNT; side++) {
        cr_assert_eq(hsd_growth_put_aside(&growth, side, &err), HSD_OK);
        check_there(side, true);
        cr_assert_eq(hsd_growth_take_back(&growth, side, &err), HSD_OK);
        check_there(side, true);
    }
    cr_assert_eq(growth.rested_bytes, 0);
    end();
}

/* There and back, with one call that fails. */
static hsd_status go_and_come(void)
{
    hsd_status status = hsd_growth_clear(&growth, &err);
    for (int side = 0; side < SIDE_COUNT && status == HSD_OK; side++)
        status = hsd_growth_take_back(&growth, side, &err);
    return status;
}

static void fail_each(hsd_fault_family family, int error, hsd_status want)
{
    uint32_t failed = 0;
    for (uint64_t at = 1;; at++) {
        begin(true);
        hsd_fault_reset();
        hsd_fault_arm(family, at, true, error);
        const hsd_status status = go_and_come();
        const bool has_struck = hsd_fault_strikes() > 0;
        hsd_fault_reset();
        cr_assert_eq(status, has_struck ? want : HSD_OK, "call %lu: %s", (unsigned long)at, err.text);
        failed += has_struck;
        end();
        if (!has_struck) break;
    }
    cr_assert_geq(failed, 2);
}

Test(aside, fails_cleanly_wherever_disk_or_memory_fails)
{
    fail_each(HSD_FAULT_OPEN, EMFILE, HSD_E_IO);
    fail_each(HSD_FAULT_PWRITE, ENOSPC, HSD_E_IO);
    fail_each(HSD_FAULT_PREAD, EIO, HSD_E_IO);
    fail_each(HSD_FAULT_MALLOC, ENOMEM, HSD_E_NOMEM);
}
