/*
 * When memory is full: told where limit and rate are sure, and else why not.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "series/forecast.h"

#define HOUR_NS UINT64_C(3600000000000)
#define MIB     (UINT64_C(1) << 20)
#define MOST    8u

typedef struct kit { /* captures an hour apart */
    hsd_series series;
    hsd_series_point points[MOST];
    hsd_profile_metric metrics[MOST][3];
    hsd_amount total[MOST], unreached[MOST];
} kit;

static kit k;
static hsd_error err;

static void begin(size_t count, uint64_t first_mib, uint64_t step_mib)
{
    hsd_series_store_free(k.series.store);
    memset(&k, 0, sizeof k);
    k.series = (hsd_series){.points = k.points, .point_count = count, .has_times = true, .noise_bytes = MIB / 16};
    k.series.store = calloc(1, sizeof *k.series.store);
    k.series.total.values = k.total;
    k.series.unreached.values = k.unreached;
    for (size_t i = 0; i < count; i++) {
        k.points[i].side.info.taken_unix_ns = (1000 + i) * HOUR_NS;
        k.points[i].side.info.path = "";
        k.points[i].metrics = k.metrics[i];
        k.total[i].bytes = (first_mib + i * step_mib) * MIB;
    }
}

static void measure(const char *name, uint64_t first_mib, uint64_t step_mib)
{
    for (size_t i = 0; i < k.series.point_count; i++) {
        hsd_profile_metric *metric = &k.metrics[i][k.points[i].metric_count++];
        *metric = (hsd_profile_metric){.name = {name, strlen(name)}, .value = (first_mib + i * step_mib) * MIB};
    }
}

static const hsd_forecast *told(uint64_t limit_mib)
{
    cr_assert_eq(hsd_series_forecast(&k.series, limit_mib * MIB, &err), HSD_OK);
    return &k.series.forecast;
}

/* In hours behind the last capture; 0 = not told. */
static uint64_t hours_until(uint64_t limit_mib)
{
    const uint64_t full = told(limit_mib)->full_unix_ns,
                   last = k.points[k.series.point_count - 1].side.info.taken_unix_ns;
    return full == 0 ? 0 : (full - last) / HOUR_NS;
}

static void check_why_not(uint64_t limit_mib, const char *words)
{
    cr_expect_eq(hours_until(limit_mib), 0);
    cr_expect(strstr(k.series.forecast.why_not.data, words), "no '%s' in: %s", words, k.series.forecast.why_not.data);
}

Test(forecast, the_heap_is_drawn_out_to_what_was_asked)
{
    begin(6, 100, 10); /* 150 at the end */
    cr_expect_eq(hours_until(250), 10);
    cr_expect_eq(k.series.forecast.per_hour, (int64_t)(10 * MIB));
    cr_expect_eq(k.series.forecast.used_bytes, 150 * MIB);
    cr_expect_eq(k.series.forecast.used_name.size, 0);
    k.series.lost.is_known = true; /* what is lost takes memory, too */
    for (size_t i = 0; i < 6; i++)
        k.unreached[i].bytes = i * 10 * MIB;
    cr_expect_eq(hours_until(250), 2);
}

Test(forecast, what_is_resident_fills_a_container)
{
    begin(6, 100, 10);
    measure("process.rss", 200, 20);
    cr_expect_eq(hours_until(500), 10); /* 300 at the end */
    cr_expect_eq(k.series.forecast.used_bytes, 300 * MIB);
    cr_expect(strcmp(k.series.forecast.used_name.data, "process.rss") == 0);
    begin(6, 100, 10);
    measure("process.rss", 200, 0); /* the heap grows into pages that were there */
    check_why_not(500, "does not surely grow");
}

Test(forecast, a_heap_with_a_limit_of_its_own_needs_no_asking)
{
    begin(6, 100, 10);
    measure("heap.limit", 350, 0);
    cr_expect_eq(hours_until(0), 20);
    cr_expect(strcmp(k.series.forecast.limit_name.data, "heap.limit") == 0);
    cr_expect_eq(hours_until(250), 10, "what is asked is told");
    begin(6, 100, 10);
    cr_expect_eq(told(0)->limit_bytes, 0);
    measure("heap.limit", 350, 1); /* changed meanwhile */
    cr_expect_eq(told(0)->limit_bytes, 0);
}

Test(forecast, a_container_is_full_when_it_is_before_the_heap)
{
    begin(6, 100, 10); /* 150 at the end */
    measure("process.limit", 500, 0);
    cr_expect_eq(told(0)->limit_bytes, 0, "nobody measured what fills it");
    measure("process.rss", 200, 20); /* 300 */
    cr_expect_eq(hours_until(0), 10);
    cr_expect(strcmp(k.series.forecast.limit_name.data, "process.limit") == 0);
    cr_expect(strcmp(k.series.forecast.used_name.data, "process.rss") == 0);
    measure("heap.limit", 350, 0);
    cr_expect_eq(hours_until(0), 10, "the heap would be full ten hours later");
    begin(6, 100, 10);
    measure("process.limit", 500, 0);
    measure("process.rss", 200, 20);
    measure("heap.limit", 200, 0);
    cr_expect_eq(hours_until(0), 5);
    cr_expect(strcmp(k.series.forecast.limit_name.data, "heap.limit") == 0);
    begin(6, 100, 10);
    measure("process.limit", 500, 0);
    measure("process.rss", 400, 0);
    measure("heap.limit", 350, 0);
    cr_expect_eq(hours_until(0), 20, "the heap grows, and is full before the process that does not");
}

Test(forecast, nothing_is_told_that_is_not_sure)
{
    begin(4, 100, 10);
    check_why_not(250, "five captures");
    begin(6, 100, 10);
    k.series.warmup = 2;
    check_why_not(250, "five captures");
    begin(6, 100, 0);
    check_why_not(250, "does not surely grow");
    begin(6, 100, 10);
    k.total[5].bytes = k.total[4].bytes = k.total[3].bytes; /* a cache that is full */
    check_why_not(250, "does not surely grow");
    begin(6, 100, 10);
    check_why_not(140, "in use already");
    check_why_not(10000, "farther off than 30 times");
    k.series.has_times = false;
    check_why_not(250, "when they were taken");
    begin(6, 100, 10);
    for (size_t i = 0; i < 6; i++)
        memset(k.points[i].side.info.domain, i < 3 ? 1 : 2, 16);
    check_why_not(250, "several processes");
    begin(6, 100, 10);
    k.series.before_count = 3;
    cr_expect_eq(told(250)->limit_bytes, 250 * MIB);
    cr_expect_eq(k.series.forecast.full_unix_ns, 0);
}
