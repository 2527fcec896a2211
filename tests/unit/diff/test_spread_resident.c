/*
 * The promise of memory where groups do not fit: what is asked of a group at random is some bits, so that what it takes
 * to list what groups tell, and to let masks climb, stays within memory_bytes. Means nothing under sanitizers.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holders/by/by.h"

#define GROUPS       UINT32_C(6000000)
#define FORKS        3u
#define MEMORY_BYTES (UINT64_C(5) << 20)
#define SLACK_BYTES  ((size_t)1 << 20) /* libc, arrays at their least */

static hsd_error err;
static hsd_pair pair;
static hsd_growth growth = {.pair = &pair};

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

static void open_array(hsd_paged *array, uint64_t bytes)
{
    cr_assert_eq(hsd_paged_open(array, bytes, hsd_paged_least_bytes(bytes), &pair.space, &err), HSD_OK, "%s", err.text);
}

static void put_one(hsd_sorter *sorter, hsd_node from, hsd_node to)
{
    const uint64_t record[HSD_TWO_WORDS] = {HSD_TWO(from, to)};
    if (to == 0 || to > GROUPS) return;
    cr_assert_eq(hsd_sorter_put(sorter, record, &err), HSD_OK);
}

/* Each tells the one before it in its fork and the one behind it. */
static void put_all(hsd_sorter **out, hsd_node count)
{
    const hsd_sorter_config config = {.record_words = HSD_TWO_WORDS,
                                      .key_words = HSD_TWO_WORDS,
                                      .space = &pair.space,
                                      .memory_bytes = HSD_SORT_MIN_BYTES};
    cr_assert_eq(hsd_sorter_new(out, &config, &err), HSD_OK);
    for (hsd_node i = 1; i <= count; i++) {
        put_one(*out, i, i > FORKS ? i - FORKS : 0);
        put_one(*out, i, i + FORKS);
    }
    cr_assert_eq(hsd_sorter_finish(*out, 0, &err), HSD_OK);
}

/* Each fork is a list of a third of all groups, of which the first are places that have a name, as many as there are
 * bits: so more than one window is to be expected. */
static void make_lists(hsd_by_search *s)
{
    open_array(&s->groups, ((uint64_t)GROUPS + 2) * sizeof(hsd_by_group));
    open_array(&s->tops, ((uint64_t)GROUPS + 2) * sizeof(hsd_by_top));
    open_array(&s->places, ((uint64_t)s->place_count + 1) * sizeof(hsd_by_place));
    for (uint32_t i = 1; i <= GROUPS; i++)
        hsd_by_group_write(s, i)->fork = (uint8_t)(i % FORKS);
    for (hsd_node i = 1; i <= s->place_count; i++) {
        hsd_by_candidates *of = &s->candidates[i % FORKS];
        *hsd_by_place_write(s, i) = (hsd_by_place){.group = i, .named = i};
        of->list[of->count++].place = i;
    }
    put_all(&s->pairs, GROUPS);
    put_all(&s->seeds, s->place_count);
}

static void close_lists(hsd_by_search *s)
{
    hsd_paged *arrays[] = {&s->groups, &s->tops, &s->places, &s->starts, &s->targets};
    for (size_t i = 0; i < HSD_ARRAY_LEN(arrays); i++)
        if (arrays[i]->space != NULL) hsd_paged_close(arrays[i]);
    hsd_sorter_free(s->pairs);
    hsd_sorter_free(s->seeds);
}

Test(spread_resident, groups_that_do_not_fit_take_no_more_than_the_memory)
{
    hsd_by_search s = {.growth = &growth,
                       .memory_bytes = MEMORY_BYTES,
                       .fork_count = FORKS,
                       .has_columns = true,
                       .group_count = GROUPS,
                       .group_room = GROUPS,
                       .place_count = FORKS * HSD_BY_CANDIDATES,
                       .candidates = calloc(HSD_BY_FORKS, sizeof *s.candidates)};
    hsd_error_init(&err);
    hsd_temp_space_init(&pair.space, NULL);
    cr_assert_not_null(s.candidates);
    make_lists(&s);
    const size_t before = status_of("VmRSS");
    cr_assert_eq(hsd_by_list_targets(&s, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_by_spread(&s, &err), HSD_OK, "%s", err.text);
    const size_t peak = status_of("VmHWM");
    cr_assert_leq(peak, before + MEMORY_BYTES + SLACK_BYTES, "%zu KiB more", (peak - before) >> 10);
    for (uint32_t i = 1; i <= GROUPS; i += 1000)
        cr_assert_eq(hsd_by_group_at(&s, i)->mask & HSD_BY_NAMED, (UINT64_C(1) << HSD_BY_CANDIDATES) - 1, "%u", i);
    close_lists(&s);
    free(s.candidates);
    cr_assert_eq(pair.space.bytes_now, 0);
}
