/*
 * Columns: what was put one behind the other is read at random, and a file that cannot be had or written is an error.
 */
#include <criterion/criterion.h>

#include "browse/column.h"

static hsd_temp_space space;
static hsd_error err;

static void setup(void) { hsd_temp_space_init(&space, NULL); }

TestSuite(column, .init = setup);

static void check(uint32_t count, uint64_t memory)
{
    hsd_column_file column;
    hsd_paged array;
    cr_assert_eq(hsd_column_begin(&column, sizeof(uint64_t), &space, &err), HSD_OK);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t value = i * 31;
        cr_assert_eq(hsd_column_put(&column, &value, &err), HSD_OK);
    }
    cr_assert_eq(column.count, count);
    cr_assert_eq(hsd_column_end(&column, &array, memory, &err), HSD_OK, "%s", err.text);
    hsd_column_close(&column);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = i * 7919 % count;
        cr_assert_eq(hsd_paged_get_u64(&array, at), at * 31);
    }
    cr_assert_eq(hsd_paged_check(&array, &err), HSD_OK);
    hsd_array_close(&array);
    cr_assert_not(hsd_array_is_open(&array));
    cr_assert_eq(space.bytes_now, 0);
}

Test(column, is_read_back_at_random)
{
    check(0, 0);
    check(1, 0);
    check(HSD_COLUMN_BYTES / 8, 0);
    check(HSD_COLUMN_BYTES / 8 + 1, 0);
    check(300000, 0);
    check(300000, UINT64_C(64) << 20);
}

/* Rows of a size that pages are no multiple of. */
Test(column, has_records_across_pages)
{
    enum { WORDS = 5, COUNT = 10000 };
    hsd_column_file column;
    hsd_paged array;
    cr_assert_eq(hsd_column_begin(&column, WORDS * sizeof(uint64_t), &space, &err), HSD_OK);
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t record[WORDS] = {i, ~i, i * 31, i << 32, i};
        cr_assert_eq(hsd_column_put(&column, record, &err), HSD_OK);
    }
    cr_assert_eq(hsd_column_end(&column, &array, 0, &err), HSD_OK, "%s", err.text);
    hsd_column_close(&column);
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t at = i * 7919 % COUNT, wanted[WORDS] = {at, ~at, at * 31, at << 32, at};
        uint64_t record[WORDS];
        hsd_array_copy(&array, at, record, sizeof record);
        cr_assert_arr_eq(record, wanted, sizeof record, "record %lu", at);
    }
    cr_assert_eq(hsd_paged_check(&array, &err), HSD_OK);
    hsd_array_close(&array);
}

Test(column, that_was_not_ended_gives_its_file_back)
{
    hsd_column_file column;
    cr_assert_eq(hsd_column_begin(&column, sizeof(hsd_node), &space, &err), HSD_OK);
    for (uint32_t i = 0; i < HSD_COLUMN_BYTES; i++)
        cr_assert_eq(hsd_column_put_node(&column, i, &err), HSD_OK);
    cr_assert_gt(space.bytes_now, 0);
    hsd_column_close(&column);
    cr_assert_eq(space.bytes_now, 0);
    hsd_column_close(&column);
}

Test(column, says_where_no_file_can_be)
{
    hsd_column_file column;
    hsd_temp_space_init(&space, "/nowhere/at/all");
    cr_assert_eq(hsd_column_begin(&column, sizeof(uint32_t), &space, &err), HSD_E_IO);
    cr_assert(strstr(err.text, "/nowhere/at/all") != NULL || strstr(err.file, "/nowhere/at/all") != NULL, "%s",
              err.text);
    hsd_column_close(&column);
}
