/* Pages that go round: what was touched is had again, and no more lies idle than may. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/page_pool.h"
#include "support/fault.h"

#define MIB ((size_t)1 << 20)

Test(page_pool, hands_out_again_what_came_back)
{
    hsd_page_pool pool;
    hsd_lent_pages a, b;
    hsd_page_pool_init(&pool, 4 * MIB);
    cr_assert(hsd_page_pool_take(&pool, &a, MIB));
    cr_assert(a.pages.size >= MIB && (size_t)a.pages.data % 4096 == 0 && a.touched_bytes == 0);
    memset(a.pages.data, 7, MIB);
    unsigned char *const data = a.pages.data;
    hsd_page_pool_give(&pool, &a, MIB);
    cr_assert(a.pages.data == NULL && pool.held_bytes == MIB);
    cr_assert(hsd_page_pool_take(&pool, &b, MIB / 2));
    cr_assert(b.pages.data == data && b.touched_bytes == MIB, "the one with most pages");
    cr_assert_eq(pool.held_bytes, MIB, "they are resident all the same");
    hsd_page_pool_give(&pool, &b, 4096);
    cr_assert_eq(pool.held_bytes, MIB, "what was touched before still is");
    hsd_page_pool_release(&pool);
    cr_assert(pool.held_bytes == 0 && pool.idle_count == 0);
}

Test(page_pool, keeps_no_more_than_it_may)
{
    hsd_page_pool pool;
    hsd_lent_pages regions[3];
    hsd_page_pool_init(&pool, 2 * MIB);
    for (int i = 0; i < 3; i++)
        cr_assert(hsd_page_pool_take(&pool, &regions[i], MIB));
    for (int i = 0; i < 3; i++)
        hsd_page_pool_give(&pool, &regions[i], MIB);
    cr_assert(pool.idle_count == 2 && pool.held_bytes == 2 * MIB);
    cr_assert(hsd_page_pool_take(&pool, &regions[0], 8 * MIB));
    hsd_page_pool_give(&pool, &regions[0], 8 * MIB);
    cr_assert_leq(pool.held_bytes, 2 * MIB,
                  "8 MiB more are too many"); /* 1 MiB where it was one of the two that were kept */
    cr_assert_eq(pool.held_bytes, pool.idle_count * MIB);
    hsd_page_pool_release(&pool);
}

Test(page_pool, counts_what_is_lent_with_pages_in_it)
{
    hsd_page_pool pool;
    hsd_lent_pages a, b;
    hsd_page_pool_init(&pool, 2 * MIB);
    cr_assert(hsd_page_pool_take(&pool, &a, MIB));
    cr_assert(hsd_page_pool_take(&pool, &b, MIB));
    hsd_page_pool_give(&pool, &a, 2 * MIB > a.pages.size ? MIB : 2 * MIB);
    const size_t held = pool.held_bytes;
    cr_assert(hsd_page_pool_take(&pool, &a, 4096));
    cr_assert_eq(pool.held_bytes, held);
    hsd_page_pool_release(&pool);
    cr_assert_eq(pool.held_bytes, held, "it is still out there");
    hsd_page_pool_give(&pool, &a, 0);
    hsd_page_pool_give(&pool, &b, MIB);
    cr_assert(pool.held_bytes == 0 && pool.idle_count == 0, "a pool that was released keeps nothing");
}

Test(page_pool, shrunk_regions_come_back_smaller)
{
    hsd_page_pool pool;
    hsd_lent_pages a;
    hsd_page_pool_init(&pool, 4 * MIB);
    cr_assert(hsd_page_pool_take(&pool, &a, 2 * MIB));
    hsd_pages_shrink(&a.pages, MIB);
    hsd_page_pool_give(&pool, &a, MIB);
    cr_assert(hsd_page_pool_take(&pool, &a, 2 * MIB));
    cr_assert(a.pages.size >= 2 * MIB && a.touched_bytes == 0, "another one");
    hsd_page_pool_give(&pool, &a, 0);
    hsd_page_pool_release(&pool);
}

Test(page_pool, without_one_pages_are_new_and_go_at_once)
{
    hsd_lent_pages a;
    cr_assert(hsd_page_pool_take(NULL, &a, 10000));
    cr_assert_eq(a.pages.size, 12288);
    hsd_page_pool_give(NULL, &a, 10000);
    cr_assert_null(a.pages.data);
    hsd_page_pool_give(NULL, &a, 0);
    hsd_page_pool none = {0};
    hsd_page_pool_release(&none);
}

Test(page_pool, says_when_there_are_none)
{
    hsd_page_pool pool;
    hsd_lent_pages a;
    hsd_page_pool_init(&pool, MIB);
    cr_assert_not(hsd_page_pool_take(&pool, &a, SIZE_MAX));
    cr_assert_null(a.pages.data);
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_MALLOC, 1, true, ENOMEM);
    cr_assert_not(hsd_page_pool_take(&pool, &a, 4096));
    hsd_fault_reset();
    hsd_page_pool_release(&pool);
}

Test(page_pool, takes_what_another_one_left)
{
    hsd_page_pool first, second;
    hsd_lent_pages a;
    hsd_page_pool_init(&first, 4 * MIB);
    hsd_page_pool_init(&second, 4 * MIB);
    hsd_pages_keep(4 * MIB);
    cr_assert(hsd_page_pool_take(&first, &a, MIB));
    void *const where = a.pages.data;
    hsd_page_pool_give(&first, &a, MIB / 2);
    hsd_page_pool_release(&first);
    cr_assert(hsd_page_pool_take(&second, &a, MIB));
    cr_assert(a.pages.data == where && a.touched_bytes == MIB / 2 && second.held_bytes == MIB / 2);
    hsd_page_pool_give(&second, &a, 0);
    hsd_page_pool_release(&second);
    cr_assert(hsd_page_pool_take(NULL, &a, MIB));
    cr_assert(a.pages.data == where && a.touched_bytes == MIB / 2);
    hsd_page_pool_give(NULL, &a, 0);
    hsd_pages_keep_no_more();
}
