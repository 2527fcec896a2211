/*
 * Ranges of roots against a list, and names of threads.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "ranges.h"

Test(ranges, are_found_by_every_address_in_them)
{
    enum { MANY = 5000 };
    static bool is_there[MANY];
    uint64_t state = 1234567;
    for (size_t step = 0; step < 40000; step++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const size_t i = state % MANY;
        const uintptr_t start = 0x10000 + i * 64;
        if (is_there[i])
            ranges_remove(start);
        else
            ranges_add(start, 8 + i % 56, (uint32_t)(i % 16), (const void *)i);
        is_there[i] = !is_there[i];
    }
    size_t count, wanted = 0;
    const root_range *sorted = ranges_sorted(&count);
    for (size_t i = 0; i < MANY; i++) {
        const uintptr_t start = 0x10000 + i * 64, size = 8 + i % 56;
        const root_range *first = range_of(sorted, count, start), *last = range_of(sorted, count, start + size - 1);
        wanted += is_there[i];
        cr_assert((first != NULL) == is_there[i] && first == last, "%zu", i);
        cr_assert(first == NULL || (first->key == (const void *)i && first->source == i % 16));
        cr_assert(range_of(sorted, count, start + size) == NULL || size == 64);
    }
    cr_expect_eq(count, wanted);
    cr_expect_eq(ranges_lost(), 0);
}

Test(threads, go_by_their_names_or_by_their_number)
{
    char text[128];
    threads_begin(1);
    threads_begin(2);
    threads_name(2, "worker \"a\"");
    threads_tell(1, true, text, sizeof text);
    cr_expect_str_eq(text, "thread 1");
    threads_tell(2, true, text, sizeof text);
    cr_expect_str_eq(text, "thread \"worker \"a\"\"");
    threads_tell(2, false, text, sizeof text);
    cr_expect_str_eq(text, "worker \"a\"");
    threads_end(1);
    threads_begin(3);
    threads_tell(3, true, text, sizeof text);
    cr_expect_str_eq(text, "thread 3");
    threads_tell(1, true, text, sizeof text);
    cr_expect_str_eq(text, "thread");
}
