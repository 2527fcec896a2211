/* The cost model: what was counted, times what one of each takes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/note.h"
#include "base/work.h"
#include "base/worker.h"

static hsd_costs costs_of(hsd_cost cost, double ns)
{
    hsd_costs costs = {.machine = "a machine"};
    costs.ns[cost] = ns;
    return costs;
}

/* ---- counting */

Test(work, at_random_counts_by_the_size_of_what_is_accessed)
{
    const hsd_work before = hsd_work_done;
    hsd_work_at_random(3, 512 << 10);
    hsd_work_at_random(5, (512 << 10) + 1);
    hsd_work_at_random(7, 8 << 20);
    hsd_work_at_random(11, (8 << 20) + 1);
    hsd_work now = hsd_work_done;
    hsd_work_take_off(&now, &before);
    cr_assert_eq(now.did[HSD_COST_NEAR], 3);
    cr_assert_eq(now.did[HSD_COST_MIDDLE], 12);
    cr_assert_eq(now.did[HSD_COST_FAR], 11);
}

static hsd_status do_work(void *context, hsd_error *err)
{
    (void)err;
    hsd_work_did(HSD_COST_READ, 100);
    if (context != NULL) hsd_work_told.did[HSD_COST_READ] += 40; /* a stage on that thread was told of it */
    return HSD_OK;
}

Test(work, of_a_worker_is_that_of_whoever_waits_for_it_once)
{
    for (int is_inline = 0; is_inline < 2; is_inline++) {
        const uint64_t before = hsd_work_done.did[HSD_COST_READ];
        hsd_worker worker;
        hsd_worker_begin(&worker, do_work, NULL, is_inline);
        cr_assert_eq(hsd_worker_finish(&worker, NULL), HSD_OK);
        cr_assert_eq(hsd_worker_finish(&worker, NULL), HSD_OK);
        cr_assert_eq(hsd_work_done.did[HSD_COST_READ] - before, 100);
    }
    const hsd_work before = hsd_work_done;
    hsd_worker worker;
    hsd_worker_begin(&worker, do_work, &worker, false);
    cr_assert_eq(hsd_worker_finish(&worker, NULL), HSD_OK);
    if (worker.work.did[HSD_COST_READ] == 60) /* there was a thread to be had */
        cr_assert_eq(hsd_work_done.did[HSD_COST_READ] - before.did[HSD_COST_READ], 60);
    cr_assert_gt(hsd_work_done.helped_ns, before.helped_ns);
}

static hsd_status count_up(void *context, hsd_error *err)
{
    unsigned *count = context;
    hsd_work_did(HSD_COST_READ, 100);
    hsd_work_told.did[HSD_COST_READ] += 40;
    return ++*count % 5 == 0 ? hsd_fail(err, HSD_E_IO, "the fifth of five") : HSD_OK;
}

Test(work, of_a_worker_that_stays_is_told_after_each_piece)
{
    hsd_worker worker = {0};
    hsd_error err;
    unsigned count = 0;
    hsd_error_init(&err);
    hsd_worker_end(&worker);
    for (unsigned life = 0; life < 2; life++) {
        for (unsigned i = 1; i <= 1000; i++) {
            const hsd_work before = hsd_work_done;
            hsd_worker_begin_again(&worker, count_up, &count);
            cr_assert_eq(hsd_worker_finish(&worker, &err), i % 5 == 0 ? HSD_E_IO : HSD_OK);
            cr_assert_eq(count, life * 1000 + i);
            if (worker.stays) cr_assert_eq(hsd_work_done.did[HSD_COST_READ] - before.did[HSD_COST_READ], 60);
        }
        cr_assert_str_eq(err.text, "the fifth of five");
        hsd_worker_end(&worker);
        hsd_worker_end(&worker);
    }
}

/* ---- the bound, and its words */

Test(work, a_bound_is_the_sum_of_counts_times_costs)
{
    hsd_costs costs = costs_of(HSD_COST_FAR, 10);
    hsd_work work = {0};
    cr_assert_eq(hsd_work_bound_ns(&work, &costs), 0);
    costs.ns[HSD_COST_READ] = 0.5;
    work.did[HSD_COST_FAR] = 1000;
    work.did[HSD_COST_READ] = 400;
    work.did[HSD_COST_SORTED] = 77; /* which costs nothing here */
    cr_assert_eq(hsd_work_bound_ns(&work, &costs), 10200);
    work.did[HSD_COST_FAR] = UINT64_MAX;
    costs.ns[HSD_COST_FAR] = 1e9;
    cr_assert_eq(hsd_work_bound_ns(&work, &costs), UINT64_C(1000000000000000000));
}

Test(work, is_described_by_its_largest_parts)
{
    char text[HSD_WORK_CHARS];
    hsd_costs costs = costs_of(HSD_COST_FAR, 10);
    hsd_work work = {0};
    hsd_work_describe(text, &work, &costs);
    cr_assert_str_empty(text);
    costs.ns[HSD_COST_WRITTEN] = 1;
    costs.ns[HSD_COST_READ] = 1;
    work.did[HSD_COST_FAR] = 22500000;
    work.did[HSD_COST_WRITTEN] = 382000000;
    work.did[HSD_COST_READ] = 1000; /* less than a tenth */
    hsd_work_describe(text, &work, &costs);
    cr_assert_str_eq(text, "382 MB written, 22 M at random");
    work.did[HSD_COST_FAR] = 1250000;
    work.did[HSD_COST_READ] = work.did[HSD_COST_WRITTEN] = 9000000; /* as large: in the order of the limits */
    hsd_work_describe(text, &work, &costs);
    cr_assert_str_eq(text, "1.2 M at random, 9.0 MB read, 9.0 MB written");
}

Test(work, is_described_by_four_parts_at_most_within_its_room)
{
    char text[HSD_WORK_CHARS];
    hsd_costs costs = {{0}, {0}};
    hsd_work work = {0};
    unsigned commas = 0;
    for (unsigned i = 0; i < HSD_COST_COUNT; i++) {
        costs.ns[i] = i < 6 ? 1 : 0;
        work.did[i] = UINT64_MAX - i * (UINT64_C(1) << 50);
    }
    hsd_work_describe(text, &work, &costs);
    for (const char *at = text; *at != '\0'; at++)
        commas += *at == ',';
    cr_assert_lt(strlen(text), sizeof text);
    cr_assert_eq(commas, 3, "%s", text);
}

/* ---- files of costs */

static size_t write_costs(char *text, size_t room, const char *without)
{
    size_t size = (size_t)snprintf(text, room, "# a comment\n\n  machine = a machine  \n");
    for (unsigned i = 0; i < HSD_COST_COUNT; i++)
        if (without == NULL || strcmp(hsd_cost_name((hsd_cost)i), without) != 0)
            size += (size_t)snprintf(text + size, room - size, "%s=%u.5\n", hsd_cost_name((hsd_cost)i), i);
    return size;
}

Test(costs, built_in_ones_have_a_name_and_a_number_each)
{
    const hsd_costs costs = hsd_costs_built_in();
    cr_assert_str_not_empty(costs.machine);
    for (unsigned i = 0; i < HSD_COST_COUNT; i++) {
        cr_assert_not_null(hsd_cost_name((hsd_cost)i));
        cr_assert(costs.ns[i] > 0 && costs.ns[i] < 1000);
    }
    cr_assert_null(hsd_cost_name(HSD_COST_COUNT));
}

Test(costs, are_read_back_from_a_file)
{
    char text[4096];
    hsd_costs costs = {{0}, {0}};
    const size_t size = write_costs(text, sizeof text, NULL);
    cr_assert_eq(hsd_costs_parse(&costs, text, size, NULL), HSD_OK);
    cr_assert_str_eq(costs.machine, "a machine");
    for (unsigned i = 0; i < HSD_COST_COUNT; i++)
        cr_assert_float_eq(costs.ns[i], i + 0.5, 1e-9);
    cr_assert_eq(hsd_costs_parse(&costs, text, size - 1, NULL), HSD_OK, "without the last newline");
}

static void expect_refused(const char *text, size_t size, const char *why)
{
    hsd_costs costs = {.machine = "as it was"};
    hsd_error err;
    hsd_error_init(&err);
    cr_assert_eq(hsd_costs_parse(&costs, text, size, &err), HSD_E_CORRUPT);
    cr_assert_not_null(strstr(err.text, why), "%s", err.text);
    cr_assert_str_eq(costs.machine, "as it was");
}

Test(costs, that_cannot_be_used_are_refused_with_their_line)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"\nrandom-far 3\n", "line 2 of the limits: neither"},
        {"random-fat = 3\n", "line 1 of the limits: no limit is called so"},
        {"sorted = 3\n sorted = 4\n", "line 2 of the limits: this limit is there twice"},
        {"sorted = three\n", "no number of nanoseconds"},
        {"sorted = 3x\n", "no number of nanoseconds"},
        {"sorted =\n", "no number of nanoseconds"},
        {"sorted = -1\n", "no number of nanoseconds"},
        {"sorted = nan\n", "no number of nanoseconds"},
        {"sorted = inf\n", "no number of nanoseconds"},
        {"sorted = 2e9\n", "no number of nanoseconds"},
        {"machine = a\nmachine = b\n", "line 2 of the limits: a second machine"},
        {"machine = a\033[2J\n", "not printable"},
        {"", "the limits lack \"memory-read\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_refused(wrong[i].text, strlen(wrong[i].text), wrong[i].why);
    char text[4096];
    expect_refused(text, write_costs(text, sizeof text, "random-far"), "the limits lack \"random-far\"");
    memset(text, '1', sizeof text);
    memcpy(text, "sorted = ", 9);
    expect_refused(text, sizeof text, "no number of nanoseconds");
    expect_refused(text, HSD_COSTS_MOST + 1, "more than");
}

Test(costs, a_long_name_of_a_machine_is_cut)
{
    char text[4096];
    hsd_costs costs;
    size_t size = write_costs(text, sizeof text, NULL);
    char *at = strstr(text, "a machine");
    memmove(at + 200, at, size - (size_t)(at - text));
    memset(at, 'x', 200);
    size += 200;
    cr_assert_eq(hsd_costs_parse(&costs, text, size, NULL), HSD_OK);
    cr_assert_eq(strlen(costs.machine), sizeof costs.machine - 1);
}
