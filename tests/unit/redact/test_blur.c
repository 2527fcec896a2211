/* Classes of sizes: what is said of them holds for every size. */
#include <criterion/criterion.h>

#include "redact/blur.h"
#include "support/random.h"

static void holds_for(uint64_t size)
{
    const uint64_t class = hsd_blur_size(size);
    cr_assert_leq(class, size);
    cr_assert(size - class <= size / 5, "%llu became %llu", (unsigned long long)size, (unsigned long long)class);
    cr_assert_eq(hsd_blur_size(class), class, "%llu", (unsigned long long)size);
    cr_assert_eq(hsd_size_bucket(class), hsd_size_bucket(size), "%llu", (unsigned long long)size);
    if (size > 0) cr_assert_leq(hsd_blur_size(size - 1), class, "%llu", (unsigned long long)size);
}

Test(blur, gives_four_classes_to_each_doubling)
{
    static const uint64_t classes[] = {8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128};
    size_t at = 0;
    for (uint64_t size = 8; size <= 128; size++) {
        if (at + 1 < sizeof classes / sizeof classes[0] && size == classes[at + 1]) at++;
        cr_assert_eq(hsd_blur_size(size), classes[at], "%llu", (unsigned long long)size);
    }
    cr_assert_eq(hsd_blur_size(1000), 896u);
}

Test(blur, takes_less_than_a_fifth_and_keeps_the_bucket)
{
    test_random random = {7};
    for (uint64_t size = 0; size < 70000; size++)
        holds_for(size);
    for (int i = 0; i < 100000; i++)
        holds_for(test_next(&random) >> test_below(&random, 64));
    holds_for(UINT64_MAX);
}
