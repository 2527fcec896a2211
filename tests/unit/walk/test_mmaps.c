/* Who mapped what, as the native agent keeps it (capture/native/mmaps.h). What a capture makes of it: test_walk.c. */
#include <criterion/criterion.h>

#include "native/mmaps.h"

Test(mmaps, what_is_mapped_anew_takes_the_place_of_what_was_there)
{
    enum { PAGE = 0x10000 };
    size_t count;
    hsn_mmaps_note(10 * PAGE, 20 * PAGE, 1);
    hsn_mmaps_note(20 * PAGE, 24 * PAGE, 1); /* one with the first */
    hsn_mmaps_note(30 * PAGE, 34 * PAGE, 2);
    hsn_mmaps_note(32 * PAGE, 40 * PAGE, 3);
    hsn_mmaps_note(5 * PAGE, 12 * PAGE, 4);
    const hsn_mapped_by *all = hsn_mmaps(&count);
    const hsn_mapped_by wanted[] = {
        {5 * PAGE, 12 * PAGE, 4}, {12 * PAGE, 24 * PAGE, 1}, {30 * PAGE, 32 * PAGE, 2}, {32 * PAGE, 40 * PAGE, 3}};
    cr_assert_eq(count, 4);
    for (size_t i = 0; i < count; i++)
        cr_expect(all[i].low == wanted[i].low && all[i].high == wanted[i].high && all[i].stack == wanted[i].stack,
                  "%zu: %#zx to %#zx by %u", i, (size_t)all[i].low, (size_t)all[i].high, all[i].stack);
    hsn_mmaps_note(15 * PAGE, 16 * PAGE, 6); /* two of the second are left */
    hsn_mmaps_note(14 * PAGE, 17 * PAGE, 1); /* and are one again */
    hsn_mmaps_note(33 * PAGE, 34 * PAGE, 7);
    hsn_mmaps_note(24 * PAGE, 30 * PAGE, 2);
    all = hsn_mmaps(&count);
    const hsn_mapped_by later[] = {{5 * PAGE, 12 * PAGE, 4},  {12 * PAGE, 24 * PAGE, 1}, {24 * PAGE, 32 * PAGE, 2},
                                   {32 * PAGE, 33 * PAGE, 3}, {33 * PAGE, 34 * PAGE, 7}, {34 * PAGE, 40 * PAGE, 3}};
    cr_assert_eq(count, 6);
    for (size_t i = 0; i < count; i++)
        cr_expect(all[i].low == later[i].low && all[i].high == later[i].high && all[i].stack == later[i].stack,
                  "%zu: %#zx to %#zx by %u", i, (size_t)all[i].low, (size_t)all[i].high, all[i].stack);
    hsn_mmaps_note(1 * PAGE, 50 * PAGE, 5);
    hsn_mmaps(&count);
    cr_expect_eq(count, 1);
    for (uintptr_t i = 0; i < HSN_MMAPS + 10; i++)
        hsn_mmaps_note((100 + 2 * i) * PAGE, (101 + 2 * i) * PAGE, 6);
    all = hsn_mmaps(&count);
    cr_expect_eq(count, HSN_MMAPS); /* the last are known */
    cr_expect_eq(all[count - 1].low, (100 + 2 * (HSN_MMAPS + 9)) * (uintptr_t)PAGE);
}
