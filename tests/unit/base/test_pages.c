/* Pages from the system: zeroed, there when touched, gone when given back. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/pages.h"
#include "support/fault.h"

Test(pages, are_whole_and_can_be_written)
{
    hsd_pages pages;
    cr_assert(hsd_pages_take(&pages, 10000));
    cr_assert_eq(pages.size, 12288);
    cr_assert_eq((size_t)pages.data % 4096, 0);
    memset(pages.data, 7, pages.size);
    hsd_pages_shrink(&pages, 5000);
    cr_assert_eq(pages.size, 8192);
    for (size_t i = 0; i < pages.size; i++)
        cr_assert_eq(((unsigned char *)pages.data)[i], 7);
    hsd_pages_shrink(&pages, 100000);
    cr_assert_eq(pages.size, 8192, "shrinking never grows");
    hsd_pages_give(&pages);
    cr_assert_null(pages.data);
    hsd_pages_give(&pages);
}

Test(pages, shrunk_to_nothing_are_given_back)
{
    hsd_pages pages;
    cr_assert(hsd_pages_take(&pages, 1 << 20));
    hsd_pages_shrink(&pages, 0);
    cr_assert(pages.data == NULL && pages.size == 0);
}

Test(pages, that_cannot_be_had_are_refused)
{
    hsd_pages pages;
    cr_assert_not(hsd_pages_take(&pages, 0));
    cr_assert_not(hsd_pages_take(&pages, SIZE_MAX));
    cr_assert_not(hsd_pages_take(&pages, PTRDIFF_MAX - 4095));
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_MALLOC, 1, false, ENOMEM);
    cr_assert_not(hsd_pages_take(&pages, 4096));
    hsd_fault_reset();
    cr_assert(pages.data == NULL && pages.size == 0);
}
