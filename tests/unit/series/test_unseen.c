/*
 * What a process grew by that no capture shows: told where it came in every step, and not where a heap says it all, or
 * nobody knows.
 */
#include <criterion/criterion.h>

#include <string.h>

#include <hsdiff/series.h>

#define MIB  (UINT64_C(1) << 20)
#define MOST 4u

typedef struct kit {
    hsd_series series;
    hsd_series_point points[MOST];
    hsd_profile_metric metrics[MOST][3];
    hsd_amount total[MOST], unreached[MOST];
} kit;

static kit k;

/* Resident memory of each capture, in MiB; its heap is 6. */
static void begin(size_t count, const uint64_t *rss)
{
    memset(&k, 0, sizeof k);
    k.series = (hsd_series){.points = k.points, .point_count = count, .is_one_process = true};
    k.series.total.values = k.total;
    k.series.unreached.values = k.unreached;
    k.series.lost.is_known = true;
    for (size_t i = 0; i < count; i++) {
        k.total[i].bytes = 6 * MIB;
        k.points[i].metrics = k.metrics[i];
        k.points[i].metric_count = 1;
        k.metrics[i][0] =
            (hsd_profile_metric){.name = {"process.rss", 11}, .unit = {"bytes", 5}, .value = rss[i] * MIB};
    }
}

static void measure(const char *name, const char *unit, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        k.metrics[i][k.points[i].metric_count++] =
            (hsd_profile_metric){.name = {name, strlen(name)}, .unit = {unit, strlen(unit)}, .value = values[i] * MIB};
}

/* In MiB; 0 = nothing is told. */
static uint64_t told(void)
{
    hsd_series_unseen unseen = {0};
    return hsd_series_find_unseen(&k.series, &unseen) ? unseen.bytes / MIB : 0;
}

static const uint64_t leaking[] = {34, 72, 110}, even[] = {34, 35, 36};

Test(unseen, what_came_in_every_step_is_told)
{
    hsd_series_unseen unseen;
    begin(3, leaking);
    cr_assert(hsd_series_find_unseen(&k.series, &unseen));
    cr_expect_eq(unseen.bytes, 76 * MIB);
    cr_expect_eq(unseen.resident_before, 34 * MIB);
    cr_expect_eq(unseen.resident_after, 110 * MIB);
    begin(3, (const uint64_t[]){34, 72, 72});
    cr_expect_eq(told(), 0, "once is no leak");
    k.series.warmup = 1;
    cr_expect_eq(told(), 0);
    begin(3, even);
    cr_expect_eq(told(), 0, "less than a tenth");
    begin(3, (const uint64_t[]){80, 40, 20});
    cr_expect_eq(told(), 0, "it shrank");
    begin(4, (const uint64_t[]){10, 50, 60, 70});
    k.series.warmup = 1;
    cr_expect_eq(told(), 20, "the step out of the warm-up does not count");
}

Test(unseen, what_the_heap_or_the_agent_has_is_not)
{
    begin(3, leaking);
    for (size_t i = 0; i < 3; i++)
        k.total[i].bytes += 30 * i * MIB;
    cr_expect_eq(told(), 0, "the heap grew by more");
    begin(3, leaking);
    for (size_t i = 0; i < 3; i++)
        k.unreached[i].bytes = 38 * i * MIB;
    cr_expect_eq(told(), 0, "it is lost, and in the captures");
    begin(3, leaking);
    measure("native.used", "bytes", leaking, 3);
    cr_expect_eq(told(), 0, "it is what the agent notes");
    begin(3, leaking);
    measure("native.used", "bytes", even, 3);
    cr_expect_eq(told(), 74);
}

Test(unseen, nothing_is_told_where_nobody_knows)
{
    begin(3, leaking);
    k.points[1].metric_count = 0;
    cr_expect_eq(told(), 0, "not measured");
    begin(3, leaking);
    k.series.is_one_process = false;
    cr_expect_eq(told(), 0);
    begin(3, leaking);
    k.series.before_count = 1;
    cr_expect_eq(told(), 0, "two groups are no course of time");
    begin(1, leaking);
    cr_expect_eq(told(), 0);
    begin(3, leaking);
    k.series.lost.is_known = false;
    cr_expect_eq(told(), 0, "a collector breathes");
    measure("python.gc_tracked", "count", leaking, 3);
    cr_expect_eq(told(), 76, "and one that counts references does not");
    measure("python.arena_bytes", "bytes", leaking, 3);
    cr_expect_eq(told(), 0, "it is where Python keeps small objects");
}
