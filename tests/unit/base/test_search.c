/* Binary searches: against a look at each item, in arrays of every small length, with repeats. */
#include <criterion/criterion.h>

#include "base/search.h"

enum { MOST = 17 };

static uint32_t count_below(const uint32_t *items, uint32_t count, uint32_t key)
{
    uint32_t below = 0;
    for (uint32_t i = 0; i < count; i++)
        below += items[i] < key;
    return below;
}

Test(search, bounds_agree_with_counting)
{
    for (uint32_t repeats = 1; repeats <= 3; repeats++) {
        for (uint32_t count = 0; count <= MOST; count++) {
            uint32_t items[MOST], at;
            for (uint32_t i = 0; i < count; i++)
                items[i] = 2 * (i / repeats) + 1;
            for (uint32_t key = 0; key <= 2 * MOST + 2; key++) {
                HSD_LOWER_BOUND(at, 0, count, items[at], key);
                cr_assert_eq(at, count_below(items, count, key));
                HSD_UPPER_BOUND(at, 0, count, items[at], key);
                cr_assert_eq(at, count_below(items, count, key + 1));
            }
        }
    }
}

Test(search, looks_at_its_stretch_alone)
{
    const uint32_t items[] = {9, 9, 1, 2, 3, 0, 0};
    uint32_t at, none = 0;
    HSD_LOWER_BOUND(at, 2, 5, items[at], 2u);
    cr_assert_eq(at, 3);
    HSD_LOWER_BOUND(at, 2, 5, items[at], 7u);
    cr_assert_eq(at, 5, "none: the end of the stretch");
    HSD_LOWER_BOUND(at, 4, 4, items[at], none);
    cr_assert_eq(at, 4, "an empty stretch");
}

Test(search, finds_the_border_of_a_condition_among_all_numbers)
{
    uint64_t wide;
    HSD_PARTITION(wide, 0, UINT64_MAX, wide < UINT64_MAX - 5);
    cr_assert_eq(wide, UINT64_MAX - 5);
    HSD_PARTITION(wide, 32, UINT64_C(1) << 32, wide * wide < 1000000);
    cr_assert_eq(wide, 1000);
}
