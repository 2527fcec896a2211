/*
 * The counters behind the summaries: against plain arrays, through growth, and in the order in which they are written.
 */
#include <criterion/criterion.h>
#include <stdint.h>

#include "core/totals.h"

enum { IDS = 700, BUCKETS = 5 };

Test(totals, count_what_arrays_count)
{
    static uint64_t counts[IDS][BUCKETS], bytes[IDS][BUCKETS];
    hsc_totals totals;
    cr_assert(hsc_totals_init(&totals, NULL));
    uint64_t state = 99;
    for (unsigned i = 0; i < 200000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t id = (uint32_t)(state >> 40) % IDS, bucket = (uint32_t)(state >> 33) % BUCKETS;
        hsc_total *total = hsc_totals_find(&totals, hsc_total_key(HSC_AXIS_TYPE, id * 3000017u, bucket));
        cr_assert_not_null(total);
        total->count++;
        total->bytes += id;
        counts[id][bucket]++;
        bytes[id][bucket] += id;
    }
    hsc_totals_sort(&totals);
    uint64_t last = 0;
    for (size_t i = 0; i < totals.used; i++) {
        const hsc_total *t = &totals.entries[i];
        const uint32_t id = hsc_total_id(t->key) / 3000017u;
        cr_assert_gt(t->key, last);
        cr_assert_eq(hsc_total_axis(t->key), HSC_AXIS_TYPE);
        cr_assert_eq(t->count, counts[id][hsc_total_bucket(t->key)]);
        cr_assert_eq(t->bytes, bytes[id][hsc_total_bucket(t->key)]);
        counts[id][hsc_total_bucket(t->key)] = 0;
        last = t->key;
    }
    for (size_t id = 0; id < IDS; id++) {
        for (size_t b = 0; b < BUCKETS; b++)
            cr_assert_eq(counts[id][b], 0);
    }
    hsc_totals_release(&totals);
}

/* So that a key is found soon. */
Test(totals, are_half_full_at_most)
{
    hsc_totals totals;
    cr_assert(hsc_totals_init(&totals, NULL));
    const size_t first = totals.capacity;
    for (uint32_t id = 0; id < 3000; id++) {
        cr_assert_not_null(hsc_totals_find(&totals, hsc_total_key(HSC_AXIS_TYPE, id, 1)));
        cr_assert_eq(totals.used, id + 1);
        cr_assert_leq(2 * totals.used, totals.capacity);
        cr_assert(totals.capacity == first || totals.capacity < 4 * totals.used, "nor emptier than need be");
    }
    hsc_totals_release(&totals);
}

Test(totals, keys_keep_their_parts)
{
    const uint64_t key = hsc_total_key(HSC_AXIS_ROOT_KIND, 0x7FFFFFFF, HSC_NO_BUCKET);
    cr_assert_eq(hsc_total_axis(key), HSC_AXIS_ROOT_KIND);
    cr_assert_eq(hsc_total_id(key), 0x7FFFFFFF);
    cr_assert_eq(hsc_total_bucket(key), HSC_NO_BUCKET);
}

Test(totals, buckets_are_powers_of_two)
{
    cr_assert_eq(hsc_size_bucket(0), 0);
    cr_assert_eq(hsc_size_bucket(1), 1);
    cr_assert_eq(hsc_size_bucket(2), 2);
    cr_assert_eq(hsc_size_bucket(3), 2);
    cr_assert_eq(hsc_size_bucket(4), 3);
    cr_assert_eq(hsc_size_bucket(UINT64_MAX), 64);
}

Test(totals, sums_stay_at_the_largest_number)
{
    uint64_t sum = UINT64_MAX - 5;
    hsc_add(&sum, 5);
    cr_assert_eq(sum, UINT64_MAX);
    hsc_add(&sum, 1);
    cr_assert_eq(sum, UINT64_MAX);
}
