/*
 * The promise of memory: what a sorter makes resident stays within memory_bytes, whatever it is given;
 * a sorter that is given little holds little; serving from less gives the rest back. Means nothing
 * under sanitizers.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sort/sorter.h"
#include "unit/io/scratch.h"
#include "unit/sort/records.h"

TestSuite(resident, .init = scratch_make, .fini = scratch_remove);

#define SLACK_BYTES (1 << 20) /* libc, the stack of the worker */

/* A line of /proc/self/status, in bytes. */
static size_t status_of(const char *name)
{
    char line[256];
    unsigned long kibibytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), ": %lu kB", &kibibytes);
    fclose(file);
    return (size_t)kibibytes << 10;
}

static void put_random(hsd_sorter *sorter, size_t count, unsigned words)
{
    uint64_t state = 5, record[HSD_SORT_MAX_WORDS];
    for (size_t i = 0; i < count; i++) {
        for (unsigned w = 0; w < words; w++)
            record[w] = records_draw(&state);
        cr_assert_eq(hsd_sorter_put(sorter, record, NULL), HSD_OK);
    }
}

static void drain(hsd_sorter *sorter, size_t count)
{
    const uint64_t *record;
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(hsd_sorter_next(sorter, &record, NULL), HSD_OK);
    cr_assert_eq(hsd_sorter_next(sorter, &record, NULL), HSD_END);
}

static hsd_sorter *new_sorter(hsd_temp_space *space, unsigned words, size_t memory_bytes, bool use_thread)
{
    hsd_sorter *sorter = NULL;
    hsd_temp_space_init(space, scratch);
    const hsd_sorter_config config = {
        .record_words = words, .key_words = 1, .memory_bytes = memory_bytes, .use_thread = use_thread, .space = space};
    cr_assert_eq(hsd_sorter_new(&sorter, &config, NULL), HSD_OK);
    return sorter;
}

static void check_peak(unsigned words, size_t memory_bytes, size_t count, bool use_thread)
{
    hsd_temp_space space;
    const size_t before = status_of("VmRSS");
    hsd_sorter *sorter = new_sorter(&space, words, memory_bytes, use_thread);
    put_random(sorter, count, words);
    cr_assert_eq(hsd_sorter_finish(sorter, 0, NULL), HSD_OK);
    drain(sorter, count);
    cr_assert_gt(hsd_sorter_stats_get(sorter).runs, 0);
    cr_assert_leq(status_of("VmHWM") - before, memory_bytes + SLACK_BYTES);
    hsd_sorter_free(sorter);
}

Test(resident, the_peak_is_the_budget_without_a_thread) { check_peak(2, 16 << 20, 3000000, false); }
Test(resident, the_peak_is_the_budget_with_a_thread) { check_peak(2, 16 << 20, 3000000, true); }
Test(resident, the_peak_is_the_budget_for_wide_records) { check_peak(8, 8 << 20, 600000, true); }
Test(resident, the_peak_is_the_budget_when_it_is_tiny) { check_peak(2, 256 << 10, 600000, true); }

Test(resident, a_sorter_that_is_given_little_holds_little)
{
    hsd_temp_space space;
    const size_t before = status_of("VmRSS");
    hsd_sorter *sorter = new_sorter(&space, 2, (size_t)1 << 30, true);
    put_random(sorter, 1000, 2);
    cr_assert_eq(hsd_sorter_finish(sorter, 0, NULL), HSD_OK);
    drain(sorter, 1000);
    cr_assert_leq(status_of("VmHWM") - before, SLACK_BYTES);
    hsd_sorter_free(sorter);
}

Test(resident, serving_from_less_gives_the_rest_back)
{
    hsd_temp_space space;
    const size_t before = status_of("VmRSS");
    hsd_sorter *sorter = new_sorter(&space, 2, 32 << 20, false);
    put_random(sorter, 3000000, 2);
    cr_assert_geq(status_of("VmRSS") - before, 24 << 20);
    cr_assert_eq(hsd_sorter_finish(sorter, 1 << 20, NULL), HSD_OK);
    drain(sorter, 3000000);
    cr_assert_leq(status_of("VmRSS") - before, (1 << 20) + SLACK_BYTES);
    hsd_sorter_free(sorter);
    cr_assert_leq(status_of("VmRSS") - before, SLACK_BYTES);
}
