/* Heaps against a sorted copy: whatever is put in and taken out, of small items and of the largest. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/heap.h"
#include "support/random.h"

enum { MOST = 200 };

typedef struct item { /* of the largest size; the tail shows that all of it moves */
    uint64_t key, tail[HSD_HEAP_ITEM_MAX / 8 - 1];
} item;

static int compare_keys(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Keys are numbers of ranks, so that the context counts. */
static bool has_less(const void *context, const void *a, const void *b)
{
    const uint32_t *ranks = context;
    return ranks[*(const uint32_t *)a] < ranks[*(const uint32_t *)b];
}

static bool is_more(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const item *)a)->key > ((const item *)b)->key;
}

Test(heap, gives_the_first_of_what_is_in_it)
{
    const uint64_t seed = test_seed(3);
    for (uint64_t i = 0; i < 500; i++) {
        test_random random = {seed + i};
        uint32_t ranks[MOST], sorted[MOST], numbers[MOST], count = (uint32_t)test_below(&random, MOST);
        const hsd_heap heap = {numbers, sizeof *numbers, has_less, ranks};
        for (uint32_t n = 0; n < count; n++) {
            sorted[n] = ranks[n] = (uint32_t)test_below(&random, 100);
            numbers[n] = n;
            hsd_heap_up(heap, n);
        }
        qsort(sorted, count, sizeof *sorted, compare_keys);
        for (uint32_t taken = 0; count > 0; taken++) {
            cr_assert_eq(ranks[numbers[0]], sorted[taken], "seed %lu", (unsigned long)(seed + i));
            numbers[0] = numbers[--count];
            hsd_heap_down(heap, 0, count);
        }
    }
}

Test(heap, sorts_what_it_was_made_of)
{
    static item items[MOST];
    const uint64_t seed = test_seed(5);
    for (uint64_t i = 0; i < 500; i++) {
        test_random random = {seed + i};
        const uint32_t count = (uint32_t)test_below(&random, MOST);
        const hsd_heap heap = {items, sizeof *items, is_more, NULL};
        uint64_t sum = 0, found = 0;
        for (uint32_t n = 0; n < count; n++) {
            items[n].key = test_below(&random, 1000);
            for (size_t w = 0; w < HSD_HEAP_ITEM_MAX / 8 - 1; w++)
                items[n].tail[w] = items[n].key + w;
            sum += items[n].key * items[n].key;
        }
        hsd_heap_make(heap, count);
        hsd_heap_sort(heap, count);
        for (uint32_t n = 0; n < count; n++) {
            cr_assert(n == 0 || items[n - 1].key <= items[n].key, "seed %lu", (unsigned long)(seed + i));
            for (size_t w = 0; w < HSD_HEAP_ITEM_MAX / 8 - 1; w++)
                cr_assert_eq(items[n].tail[w], items[n].key + w);
            found += items[n].key * items[n].key;
        }
        cr_assert_eq(found, sum, "nothing came and went");
    }
}
