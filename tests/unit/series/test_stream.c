/*
 * Streams of numbers come back as they went, from the buffer or from the disk, as often as asked.
 */
#include <criterion/criterion.h>

#include <errno.h>

#include "series/list.h"
#include "series/stream.h"
#include "support/fault.h"
#include "support/random.h"

static hsd_error err;

static uint64_t number_at(test_random *random)
{
    static const uint64_t ends[] = {0, 1, 127, 128, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63};
    const uint64_t kind = test_below(random, 10);
    return kind == 0 ? ends[test_below(random, 7)] : test_next(random) >> (kind * 6);
}

static void check(uint64_t count, bool has_file)
{
    hsd_temp_space space;
    hsd_stream stream;
    hsd_temp_space_init(&space, "/tmp");
    cr_assert_eq(hsd_stream_open(&stream, &space, &err), HSD_OK);
    test_random random = {count};
    for (uint64_t i = 0; i < count; i++)
        cr_assert_eq(hsd_stream_put(&stream, number_at(&random), &err), HSD_OK);
    for (int reading = 0; reading < 3; reading++) {
        uint64_t got;
        cr_assert_eq(hsd_stream_rewind(&stream, &err), HSD_OK);
        random = (test_random){count};
        for (uint64_t i = 0; i < count && (reading != 1 || i < count / 2); i++) {
            cr_assert_eq(hsd_stream_get(&stream, &got, &err), HSD_OK, "number %lu", (unsigned long)i);
            cr_assert_eq(got, number_at(&random), "number %lu of %lu", (unsigned long)i, (unsigned long)count);
        }
        if (reading == 1) continue; /* half read, then again */
        cr_assert_eq(hsd_stream_get(&stream, &got, &err), HSD_END);
        cr_assert_eq(hsd_stream_need(&stream, &got, &err), HSD_E_CORRUPT);
    }
    cr_assert_eq(space.bytes_now > 0, has_file);
    hsd_stream_close(&stream);
    hsd_stream_close(&stream);
    cr_assert_eq(space.bytes_now, 0);
}

Test(stream, short_ones_stay_in_memory)
{
    check(0, false);
    check(1, false);
    check(5000, false);
}

Test(stream, long_ones_go_through_a_file)
{
    check(20000, true);
    check(300001, true);
}

Test(stream, signs_survive)
{
    static const int64_t numbers[] = {0, 1, -1, INT64_MAX, INT64_MIN, -64, 64};
    hsd_temp_space space;
    hsd_stream stream;
    hsd_temp_space_init(&space, "/tmp");
    cr_assert_eq(hsd_stream_open(&stream, &space, &err), HSD_OK);
    for (size_t i = 0; i < 7; i++)
        cr_assert_eq(hsd_stream_put_signed(&stream, numbers[i], &err), HSD_OK);
    cr_assert_eq(hsd_stream_rewind(&stream, &err), HSD_OK);
    for (size_t i = 0; i < 7; i++) {
        int64_t got;
        cr_assert_eq(hsd_stream_need_signed(&stream, &got, &err), HSD_OK);
        cr_assert_eq(got, numbers[i]);
    }
    hsd_stream_close(&stream);
}

Test(stream, lists_come_back_with_ids_at_the_ends_of_their_range)
{
    static const hsd_listed objects[] = {
        {0, 16, 1, 0}, {1, 0, 2, 999}, {UINT64_MAX - 1, UINT64_MAX, UINT32_MAX, 3}, {UINT64_MAX, 8, 0, 1}};
    hsd_temp_space space;
    hsd_list list;
    hsd_temp_space_init(&space, "/tmp");
    cr_assert_eq(hsd_list_open(&list, &space, &err), HSD_OK);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(hsd_list_put(&list, &objects[i], &err), HSD_OK);
    cr_assert_eq(hsd_list_rewind(&list, &err), HSD_OK);
    for (size_t i = 0; i < 4; i++) {
        cr_assert(list.has_head && list.head.id == objects[i].id && list.head.bytes == objects[i].bytes &&
                      list.head.type == objects[i].type && list.head.born == objects[i].born,
                  "object %zu", i);
        cr_assert_eq(hsd_list_next(&list, &err), HSD_OK);
    }
    cr_assert_not(list.has_head);
    hsd_list_close(&list);
}

Test(stream, tells_of_a_full_disk_and_of_no_memory)
{
    hsd_temp_space space;
    hsd_stream stream;
    hsd_status status = HSD_OK;
    hsd_temp_space_init(&space, "/tmp");
    hsd_fault_reset();
    hsd_fault_arm(HSD_FAULT_MALLOC, 1, false, ENOMEM);
    cr_assert_eq(hsd_stream_open(&stream, &space, &err), HSD_E_NOMEM);
    hsd_fault_reset();
    cr_assert_eq(hsd_stream_open(&stream, &space, &err), HSD_OK);
    hsd_fault_arm(HSD_FAULT_PWRITE, 1, true, ENOSPC);
    for (uint64_t i = 0; i < 100000 && status == HSD_OK; i++)
        status = hsd_stream_put(&stream, i, &err);
    hsd_fault_reset();
    cr_assert(status == HSD_E_IO && err.sys_errno == ENOSPC);
    hsd_stream_close(&stream);
}
