/* Pages from the system: zeroed, there when touched, gone when given back. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/pages.h"
#include "base/touch.h"
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

Test(pages, that_are_touched_are_as_they_were)
{
    hsd_pages pages;
    cr_assert(hsd_pages_take(&pages, 16 * 4096));
    unsigned char *bytes = pages.data;
    memset(bytes + 5000, 7, 10000);
    hsd_touch(bytes + 1, 0);
    hsd_touch(bytes + 4097, 4095); /* no whole page */
    hsd_touch(bytes + 1, pages.size - 2);
    for (size_t i = 0; i < pages.size; i++)
        cr_assert_eq(bytes[i], i >= 5000 && i < 15000 ? 7 : 0);
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

#define MIB ((size_t)1 << 20)

static bool is_zero(const hsd_pages *pages)
{
    const unsigned char *bytes = pages->data;
    for (size_t i = 0; i < pages->size; i++)
        if (bytes[i] != 0) return false;
    return true;
}

Test(pages, that_are_kept_come_back_zeroed)
{
    hsd_pages a, b;
    hsd_pages_keep(MIB);
    cr_assert(hsd_pages_take(&a, MIB / 2));
    void *const where = a.data;
    memset(a.data, 7, a.size);
    hsd_pages_give(&a);
    cr_assert(hsd_pages_take(&b, MIB / 2));
    cr_assert_eq(b.data, where);
    cr_assert(is_zero(&b));
    hsd_pages_give(&b);
    cr_assert(hsd_pages_take(&a, MIB / 4));
    cr_assert_neq(a.data, where, "it is larger than what was asked for");
    hsd_pages_give(&a);
    hsd_pages_keep_no_more();
}

Test(pages, that_nobody_wants_zeroed_come_back_as_they_were)
{
    hsd_pages a, b;
    hsd_pages_keep(MIB);
    cr_assert(hsd_pages_take_any(&a, MIB / 2));
    void *const where = a.data;
    memset(a.data, 7, a.size);
    hsd_pages_give(&a);
    cr_assert(hsd_pages_take_any(&b, MIB / 2));
    cr_assert_eq(b.data, where);
    const unsigned char *bytes = b.data;
    cr_assert(bytes[0] == 7 && bytes[b.size - 1] == 7, "clearing makes pages resident that nobody needs");
    hsd_pages_give(&b);
    cr_assert(hsd_pages_take(&a, MIB / 2));
    cr_assert_eq(a.data, where);
    cr_assert(is_zero(&a), "who wants zeros gets them");
    hsd_pages_give(&a);
    hsd_pages_keep_no_more();
}

Test(pages, that_were_shrunk_are_kept_as_what_they_are)
{
    hsd_pages a, b;
    hsd_pages_keep(4 * MIB);
    cr_assert(hsd_pages_take(&a, 2 * MIB));
    void *const where = a.data;
    hsd_pages_shrink(&a, MIB);
    memset(a.data, 7, a.size);
    hsd_pages_give(&a);
    cr_assert(hsd_pages_take(&b, 2 * MIB));
    cr_assert_neq(b.data, where);
    cr_assert(hsd_pages_take(&a, MIB));
    cr_assert_eq(a.data, where);
    memset(a.data, 7, a.size);
    hsd_pages_give(&a);
    hsd_pages_give(&b);
    hsd_pages_keep_no_more();
}

Test(pages, no_more_are_kept_than_may_be)
{
    hsd_pages three[3], again[3];
    size_t touched;
    hsd_pages_keep(MIB);
    hsd_pages_keep(2 * MIB);
    for (int i = 0; i < 3; i++)
        cr_assert(hsd_pages_take(&three[i], MIB));
    for (int i = 0; i < 3; i++) {
        memset(three[i].data, 7, three[i].size);
        again[i] = three[i];
        hsd_pages_give(&three[i]);
    }
    hsd_pages_keep_no_more(); /* one of two keepers */
    for (int i = 0; i < 3; i++)
        cr_assert(hsd_pages_take(&three[i], MIB));
    cr_assert(three[0].data == again[1].data && three[1].data == again[0].data, "the last comes first");
    for (int i = 0; i < 3; i++)
        hsd_pages_give(&three[i]);
    hsd_pages_keep_no_more();
    hsd_pages_keep(MIB);
    cr_assert_not(hsd_pages_take_used(&three[0], 4096, &touched));
    cr_assert(hsd_pages_take(&three[0], 8 * MIB));
    hsd_pages_give(&three[0]);
    cr_assert_not(hsd_pages_take_used(&three[0], 4096, &touched), "what is large goes");
    hsd_pages_keep_no_more();
}

Test(pages, of_which_the_front_was_used_come_back_as_they_are)
{
    hsd_pages a, b;
    size_t touched = 0;
    hsd_pages_keep(MIB);
    cr_assert(hsd_pages_take_sparse(&a, 32 * MIB));
    void *const where = a.data;
    memset(a.data, 7, 4096);
    hsd_pages_give_used(&a, 4096);
    cr_assert_null(a.data);
    cr_assert(hsd_pages_take(&b, 4096), "zeroed ones are not cut from it");
    cr_assert_neq(b.data, where);
    hsd_pages_give(&b);
    cr_assert_not(hsd_pages_take_used(&a, 33 * MIB, &touched));
    cr_assert(hsd_pages_take_used(&a, MIB, &touched));
    cr_assert(a.data == where && a.size == 32 * MIB && touched == 4096);
    hsd_pages_give_used(&a, 2 * MIB);
    cr_assert_not(hsd_pages_take_used(&a, MIB, &touched), "more was touched than may be kept");
    hsd_pages_keep_no_more();
}
