/*
 * Numbers of a producer to dense ones: counting, scattered, hostile.
 */
#include <criterion/criterion.h>

#include "base/id_map.h"
#include "support/random.h"

static hsd_error err;

Test(id_map, finds_what_was_put_whatever_the_numbers)
{
    enum { KEYS = 20000 };
    static uint32_t keys[KEYS];
    for (int shape = 0; shape < 3; shape++) {
        hsd_id_map map = {0};
        test_random random = {test_seed(3) + (uint64_t)shape};
        for (uint32_t i = 0; i < KEYS; i++) {
            keys[i] = shape == 0 ? i + 1 : shape == 1 ? (i + 1) * 200003u : (uint32_t)test_next(&random) >> 1 | 1;
            cr_assert_eq(hsd_id_map_put(&map, keys[i], i, &err), HSD_OK);
        }
        for (uint32_t i = 0; i < KEYS; i++) {
            const uint32_t found = hsd_id_map_get(&map, keys[i]);
            cr_assert(found == i || keys[found] == keys[i], "shape %d key %u", shape, keys[i]);
        }
        cr_assert_eq(hsd_id_map_get(&map, 0), HSD_ID_NONE);
        cr_assert_eq(hsd_id_map_get(&map, UINT32_MAX), HSD_ID_NONE);
        hsd_id_map_release(&map);
    }
}

Test(id_map, replaces_a_value)
{
    hsd_id_map map = {0};
    const uint32_t keys[] = {5, 2000000000};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(hsd_id_map_put(&map, keys[i], 1, &err), HSD_OK);
        cr_assert_eq(hsd_id_map_put(&map, keys[i], 2, &err), HSD_OK);
        cr_assert_eq(hsd_id_map_get(&map, keys[i]), 2);
    }
    hsd_id_map_release(&map);
}

Test(id_map, stays_small_when_numbers_leap_ahead)
{
    hsd_id_map map = {0};
    uint32_t key = 1000;
    for (uint32_t i = 0; i < 60 && key < 2000000000; i++, key += key / 3) {
        cr_assert_eq(hsd_id_map_put(&map, key, i, &err), HSD_OK);
    }
    cr_assert_leq(hsd_id_map_memory(&map), 64 << 10, "%zu bytes for 60 numbers", hsd_id_map_memory(&map));
    hsd_id_map_release(&map);
}
