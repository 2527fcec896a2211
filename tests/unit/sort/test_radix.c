/* The in-memory sort against the standard's qsort. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sort/piles.h"
#include "sort/radix.h"
#include "sort/sorter.h"
#include "unit/sort/records.h"

static void check(shape of, size_t count, unsigned words, uint64_t seed)
{
    uint64_t *records = records_make(of, count, words, seed);
    uint64_t *expected = records_sorted(records, count, words);
    uint64_t *scratch = malloc((count * words + 1) * sizeof *scratch);
    hsd_radix_sort(records, scratch, count, words);
    cr_assert_eq(memcmp(records, expected, count * words * sizeof *records), 0, "%s, %zu records of %u words",
                 shape_name(of), count, words);
    cr_assert(hsd_radix_is_sorted(records, count, words));
    free(records);
    free(expected);
    free(scratch);
}

Test(radix, sorts_every_shape_of_every_width)
{
    static const size_t counts[] = {0, 1, 2, 3, 23, 24, 25, 26, 100, 1000, 20000};
    for (shape of = 0; of < SHAPES; of++)
        for (unsigned words = 1; words <= HSD_SORT_MAX_WORDS; words++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
                check(of, counts[i], words, i + words);
}

Test(radix, sorts_random_sizes)
{
    uint64_t state = 99;
    for (int i = 0; i < 300; i++)
        check((shape)(records_draw(&state) % SHAPES), records_draw(&state) % 3000,
              1 + (unsigned)(records_draw(&state) % HSD_SORT_MAX_WORDS), (uint64_t)i);
}

/* Each level of the sort meets one record that differs early and a rest that does not: 2^k, 2^(k-1) … */
Test(radix, records_made_to_annoy_end_in_the_merge_sort)
{
    enum { WORDS = 8, COUNT = 64 * WORDS };
    static uint64_t records[COUNT * WORDS], scratch[COUNT * WORDS];
    for (size_t i = 0; i < COUNT; i++)
        records[i * WORDS + i / 64] = UINT64_C(1) << (63 - i % 64);
    records_shuffle(records, COUNT, WORDS, 5);
    uint64_t *expected = records_sorted(records, COUNT, WORDS);
    hsd_radix_sort(records, scratch, COUNT, WORDS);
    cr_assert_eq(memcmp(records, expected, sizeof records), 0);
    free(expected);
    for (int bits = 1; bits < 12; bits++) { /* many records in each of the buckets that stay large */
        enum { MANY = 30000 };
        uint64_t *many = records_make(RANDOM, MANY, 2, (uint64_t)bits);
        uint64_t *room = malloc(MANY * 2 * sizeof *room);
        for (size_t i = 0; i < MANY; i++)
            many[i * 2] &= UINT64_MAX >> (many[i * 2 + 1] % 64);
        uint64_t *sorted = records_sorted(many, MANY, 2);
        hsd_radix_sort(many, room, MANY, 2);
        cr_assert_eq(memcmp(many, sorted, MANY * 2 * sizeof *many), 0);
        free(many);
        free(room);
        free(sorted);
    }
}

/* `sequences` that ascend, by turns that nobody foresees. */
static uint64_t *make_sequences(size_t count, unsigned words, unsigned sequences)
{
    uint64_t *records = calloc(count * words + 1, sizeof *records), next[8] = {0}, state = count + words;
    for (size_t i = 0; i < count; i++) {
        const unsigned which = (unsigned)(records_draw(&state) % sequences);
        next[which] += records_draw(&state) % 2;
        records[i * words] = ((uint64_t)(sequences - which) << 60) + next[which] / (words > 1 ? 3 : 1);
        if (words > 1) records[i * words + words - 1] = next[which] % 3;
    }
    return records;
}

Test(radix, a_few_sequences_are_merged)
{
    static const size_t counts[] = {1, 2, 5, 100, 20000};
    for (unsigned sequences = 1; sequences <= HSD_PILES_MOST + 1; sequences++)
        for (unsigned words = 1; words <= HSD_SORT_MAX_WORDS; words++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                const size_t count = counts[i], bytes = count * words * sizeof(uint64_t);
                uint64_t *records = make_sequences(count, words, sequences);
                uint64_t *expected = records_sorted(records, count, words), *scratch = malloc(bytes),
                         *as_were = malloc(bytes);
                memcpy(as_were, records, bytes);
                const bool is_sorted = hsd_piles_sort(records, scratch, count, words);
                cr_assert_eq(memcmp(records, is_sorted ? expected : as_were, bytes), 0);
                if (sequences <= HSD_PILES_MOST) cr_assert(is_sorted, "%u of %zu, %u words", sequences, count, words);
                if (sequences > HSD_PILES_MOST && count >= 100) cr_assert(!is_sorted);
                free(records);
                free(expected);
                free(scratch);
                free(as_were);
            }
}

Test(radix, tells_order_from_disorder)
{
    const uint64_t records[] = {1, 5, 1, 5, 1, 6, 2, 0};
    cr_assert(hsd_radix_is_sorted(records, 4, 2));
    cr_assert(hsd_radix_is_sorted(records, 0, 2) && hsd_radix_is_sorted(records, 1, 2));
    const uint64_t payload[] = {1, 6, 1, 5};
    cr_assert_not(hsd_radix_is_sorted(payload, 2, 2));
    cr_assert_lt(hsd_record_compare(records, records + 4, 2), 0);
    cr_assert_eq(hsd_record_compare(records, records + 2, 2), 0);
    cr_assert_gt(hsd_record_compare(records + 6, records, 2), 0);
    const uint64_t low[] = {0}, high[] = {UINT64_MAX};
    cr_assert_lt(hsd_record_compare(low, high, 1), 0, "the order is unsigned");
}
