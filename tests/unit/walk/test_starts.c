/*
 * Words against a look at each block: any sizes, at any allocator's alignment, from a block of no bytes to one over
 * many regions. The blocks' memory is never looked at, so they may lie anywhere.
 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "fake_table.h"
#include "native/walk/scan.h"
#include "support/random.h"

enum { BLOCKS = 700, WORDS = 6000, MIB = 1 << 20 };

static test_random rng;
static uint64_t seed;

static uint64_t any_size(void)
{
    switch (test_below(&rng, 12)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return test_below(&rng, 9 * MIB);
    case 3: return test_below(&rng, 40000);
    default: return test_below(&rng, 200);
    }
}

/* Blocks side by side and with gaps, in two places far apart. */
static void lay_blocks(uintptr_t alignment)
{
    uintptr_t at = UINT64_C(0x555500000000) + test_below(&rng, 4 * MIB) * 16;
    for (size_t i = 0; i < BLOCKS; i++) {
        if (i == BLOCKS / 2) at = UINT64_C(0x7f0000000000) - 3 * MIB;
        at = (at + alignment - 1) & ~(alignment - 1);
        const uint64_t size = any_size();
        fake_add(at, size, 0);
        at += size == 0 ? alignment : size;
        if (test_below(&rng, 4) == 0) at += test_below(&rng, 3 * MIB);
    }
}

static uintptr_t any_word(void)
{
    const hsn_block *b = fake_block(test_below(&rng, BLOCKS));
    switch (test_below(&rng, 8)) {
    case 0: return test_next(&rng);
    case 1: return b->address;
    case 2: return b->address + b->size;
    case 3: return b->address - 1 - test_below(&rng, 100);
    case 4: return b->address + (b->size == 0 ? 1 : b->size - 1);
    case 5: return b->address + b->size + test_below(&rng, 3 * MIB);
    default: return b->address + test_below(&rng, b->size + 1);
    }
}

static int by_address(const void *a, const void *b)
{
    const hsn_block *x = *(const hsn_block *const *)a, *y = *(const hsn_block *const *)b;
    return (x->address > y->address) - (x->address < y->address);
}

static void compare(uintptr_t alignment)
{
    hsn_starts starts;
    static const hsn_block *sorted[BLOCKS];
    static uintptr_t words[WORDS];
    static hsn_hit hits[HSN_HITS];
    fake_open(BLOCKS);
    lay_blocks(alignment);
    for (size_t i = 0; i < BLOCKS; i++)
        sorted[i] = fake_block(i);
    qsort(sorted, BLOCKS, sizeof sorted[0], by_address);
    for (size_t i = 0; i < WORDS; i++)
        words[i] = any_word();
    cr_assert(hsn_starts_open(&starts));
    cr_assert_eq(starts.count, BLOCKS);
    cr_assert_eq(starts.lost, 0);
    uintptr_t at = 0, start;
    for (size_t i = 0; i < BLOCKS; i++, at = start + 1) {
        cr_assert(hsn_starts_from(&starts, at, &start));
        cr_assert_eq(start, sorted[i]->address, "seed %#lx", seed);
    }
    cr_assert_not(hsn_starts_from(&starts, at, &start));
    hsn_range range = {(uintptr_t)words, (uintptr_t)(words + WORDS)};
    const uintptr_t *next = words;
    while (range.low < range.high) {
        const size_t count = hsn_scan(&starts, &range, hits);
        for (size_t i = 0; i < count; i++, next++) {
            const hsn_block *holder;
            while ((holder = fake_holder(*next)) == NULL)
                cr_assert_lt((uintptr_t)next++, hits[i].at, "%#lx is in a block, seed %#lx", next[-1], seed);
            cr_assert_eq(hits[i].at, (uintptr_t)next, "seed %#lx", seed);
            cr_assert_eq(sorted[hits[i].ordinal], holder, "%#lx, seed %#lx", *next, seed);
            cr_assert_eq(hits[i].is_inside, *next != holder->address);
        }
    }
    for (; next < words + WORDS; next++)
        cr_assert_null(fake_holder(*next), "%#lx, seed %#lx", *next, seed);
    hsn_starts_close(&starts);
    fake_close();
}

Test(starts, finds_what_a_look_at_each_block_finds)
{
    for (uint64_t i = 0; i < 8; i++) {
        rng.state = seed = test_seed(71) + i;
        compare(16);
        compare(8);
    }
}

Test(starts, of_an_empty_table_hold_nothing)
{
    hsn_starts starts;
    hsn_hit hits[HSN_HITS];
    uintptr_t words[3] = {1, 0x555500000000, 7}, start;
    fake_open(1);
    cr_assert(hsn_starts_open(&starts));
    hsn_range range = {(uintptr_t)words, (uintptr_t)(words + 3)};
    cr_assert_eq(hsn_scan(&starts, &range, hits), 0);
    cr_assert_eq(range.low, range.high);
    cr_assert_not(hsn_starts_from(&starts, 0, &start));
    hsn_starts_close(&starts);
    fake_close();
}

Test(starts, count_what_cannot_be)
{
    hsn_starts starts;
    fake_open(4);
    fake_add(0x1001, 8, 0);
    fake_add(UINT64_C(1) << 48, 8, 0);
    fake_add(0x2000, UINT64_C(1) << 60, 0);
    fake_add(0x3000, 8, 0);
    cr_assert(hsn_starts_open(&starts));
    cr_assert_eq(starts.count, 1);
    cr_assert_eq(starts.lost, 3);
    hsn_starts_close(&starts);
    fake_close();
}

Test(starts, ends_of_an_unaligned_range_are_left_alone)
{
    hsn_starts starts;
    hsn_hit hits[HSN_HITS];
    uintptr_t words[4] = {0x3000, 0x3000, 0x3000, 0x3000};
    fake_open(1);
    fake_add(0x3000, 8, 0);
    cr_assert(hsn_starts_open(&starts));
    hsn_range range = {(uintptr_t)words + 1, (uintptr_t)(words + 4) - 1};
    cr_assert_eq(hsn_scan(&starts, &range, hits), 2);
    cr_assert_eq(hits[0].at, (uintptr_t)&words[1]);
    cr_assert_eq(hits[1].at, (uintptr_t)&words[2]);
    hsn_starts_close(&starts);
    fake_close();
}
