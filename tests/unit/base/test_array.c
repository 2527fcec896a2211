/* Arrays that grow, and the one wording of a failed allocation. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "support/fault.h"

TestSuite(array, .init = hsd_fault_reset);

Test(array, the_next_capacity_is_twice_the_last_and_never_too_small)
{
    cr_assert_eq(hsd_array_next(0, 1, 16), 16);
    cr_assert_eq(hsd_array_next(16, 17, 16), 32);
    cr_assert_eq(hsd_array_next(16, 100, 16), 100);
    cr_assert_eq(hsd_array_next(16, 16, 64), 16, "what suffices stays");
    cr_assert_eq(hsd_array_next(UINT64_MAX - 1, UINT64_MAX, 16), UINT64_MAX);
}

Test(array, grows_and_keeps_what_it_has_with_capacities_of_both_widths)
{
    struct {
        uint64_t *items;
        uint32_t count, capacity;
    } narrow = {0};
    struct {
        uint16_t *items;
        size_t count, capacity;
    } wide = {0};
    for (uint32_t i = 0; i < 5000; i++) {
        cr_assert_eq(HSD_ARRAY_GROW(narrow.items, narrow.capacity, narrow.count + 1, 3, "numbers", NULL), HSD_OK);
        cr_assert_eq(HSD_ARRAY_GROW(wide.items, wide.capacity, wide.count + 1, 7, "numbers", NULL), HSD_OK);
        narrow.items[narrow.count++] = i;
        wide.items[wide.count++] = (uint16_t)i;
        cr_assert(narrow.capacity >= narrow.count && wide.capacity >= wide.count);
    }
    for (uint32_t i = 0; i < 5000; i++)
        cr_assert(narrow.items[i] == i && wide.items[i] == i);
    cr_assert(narrow.capacity == 6144 && wide.capacity == 7168);
    free(narrow.items);
    free(wide.items);
}

Test(array, new_items_are_zeroed_where_that_is_asked_for)
{
    uint32_t *items = NULL, capacity = 0;
    for (uint32_t wanted = 1; wanted < 400; wanted += 3) {
        const uint32_t had = capacity;
        cr_assert_eq(HSD_ARRAY_GROW_ZEROED(items, capacity, wanted, 2, "numbers", NULL), HSD_OK);
        for (uint32_t i = had; i < capacity; i++)
            cr_assert_eq(items[i], 0);
        memset(items, 0xff, capacity * sizeof *items);
    }
    free(items);
}

Test(array, a_number_that_does_not_fit_is_no_small_allocation)
{
    uint64_t *items = NULL;
    uint32_t narrow = 0;
    size_t wide = 0;
    hsd_error err;
    hsd_error_init(&err);
    volatile uint64_t past_32_bits = (uint64_t)UINT32_MAX + 1, past_64_bits = UINT64_MAX / sizeof *items + 1,
                      all = UINT64_MAX;
    cr_assert_eq(HSD_ARRAY_GROW(items, narrow, past_32_bits, 16, "a hostile table", &err), HSD_E_NOMEM);
    cr_assert_str_eq(err.text, "out of memory for a hostile table");
    cr_assert_eq(HSD_ARRAY_GROW(items, wide, past_64_bits, 16, "a hostile table", &err), HSD_E_NOMEM);
    cr_assert_eq(HSD_ARRAY_GROW(items, wide, all, 16, "a hostile table", &err), HSD_E_NOMEM);
    cr_assert(items == NULL && narrow == 0 && wide == 0);
}

Test(array, a_failed_allocation_leaves_it_as_it_was)
{
    uint32_t *items = NULL, capacity = 0;
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(HSD_ARRAY_GROW(items, capacity, 1, 4, "numbers", &err), HSD_OK);
    items[3] = 7;
    uint32_t *const was = items;
    hsd_fault_arm(HSD_FAULT_MALLOC, hsd_fault_calls(HSD_FAULT_MALLOC) + 1, false, ENOMEM);
    cr_assert_eq(HSD_ARRAY_GROW(items, capacity, 5, 4, "numbers", &err), HSD_E_NOMEM);
    hsd_fault_reset();
    cr_assert_str_eq(err.text, "out of memory for numbers");
    cr_assert(items == was && capacity == 4 && items[3] == 7);
    free(items);
}

Test(fail, out_of_memory_says_for_what)
{
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_fail_nomem(&err, "the rows of the series"), HSD_E_NOMEM);
    cr_assert_str_eq(err.text, "out of memory for the rows of the series");
    cr_assert_eq(hsd_fail_nomem(NULL, "anything"), HSD_E_NOMEM);
}
