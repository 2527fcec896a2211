/*
 * The rule of what a process grew by that no capture shows, which two captures and a series are asked by.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/unseen.h"

#define MIB (INT64_C(1) << 20)

static hsd_profile_metric metrics[2][4];
static size_t counts[2];

static void measure(const char *name, const char *unit, uint64_t before, uint64_t after)
{
    const uint64_t values[] = {before, after};
    for (size_t i = 0; i < 2; i++)
        metrics[i][counts[i]++] = (hsd_profile_metric){{name, strlen(name)}, {unit, strlen(unit)}, values[i]};
}

static void begin(uint64_t before_mib, uint64_t after_mib)
{
    counts[0] = counts[1] = 0;
    measure("process.rss", "bytes", before_mib << 20, after_mib << 20);
}

/* MiB that are told, of a process whose captures have so many more. */
static int64_t told(int64_t captured_mib)
{
    hsd_unseen unseen;
    const hsd_measured before = {metrics[0], counts[0]}, after = {metrics[1], counts[1]};
    if (!hsd_unseen_between(before, after, captured_mib * MIB, &unseen)) return -1;
    return hsd_unseen_is_told(&unseen) ? unseen.bytes / MIB : 0;
}

Test(unseen, is_what_neither_heap_nor_agent_has)
{
    begin(40, 60);
    cr_expect_eq(told(0), 20);
    cr_expect_eq(told(-3), 20, "a heap that shrank gave nothing");
    cr_expect_eq(told(9), 11);
    cr_expect_eq(told(10), 0, "as much as the heap");
    measure("native.used", "bytes", 0, 6 << 20);
    cr_expect_eq(told(0), 14);
    begin(40, 60);
    measure("native.used", "bytes", 6 << 20, 0);
    cr_expect_eq(told(0), 20, "what the agent gave back is no growth");
}

Test(unseen, each_metric_of_a_heap_counts_and_only_in_bytes)
{
    static const char *const names[] = {"heap.used", "heap.committed", "python.arena_bytes"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        begin(40, 60);
        measure(names[i], "bytes", 0, 8 << 20);
        cr_expect_eq(told(1), 12, "%s", names[i]);
        begin(40, 60);
        measure(names[i], "pages", 0, 8 << 20);
        cr_expect_eq(told(1), 19, "%s", names[i]);
    }
}

Test(unseen, is_told_from_a_tenth_and_a_mib_on)
{
    begin(40, 44);
    cr_expect_eq(told(0), 4);
    begin(41, 45);
    cr_expect_eq(told(0), 0);
    begin(2, 3);
    cr_expect_eq(told(0), 1);
    counts[0] = 0;
    cr_expect_eq(told(0), -1, "not measured before");
}

Test(unseen, does_not_wrap)
{
    begin(0, 0);
    metrics[0][0].value = UINT64_MAX;
    cr_expect_eq(told(0), 0);
    metrics[0][0].value = 0;
    metrics[1][0].value = UINT64_MAX;
    cr_expect_eq(told(INT64_MIN / MIB), INT64_MAX / MIB);
    metrics[0][0].value = UINT64_MAX;
    metrics[1][0].value = 0;
    measure("native.used", "bytes", 0, UINT64_MAX);
    cr_expect_eq(told(INT64_MAX / MIB), 0);
}
