/*
 * What climbs from group to group, by every way in which it is found, against its definition: random groups of several
 * forks, in memory, and in little of it, where bits climb in windows and groups that tell each other as one.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "holders/by/by.h"
#include "support/random.h"

#define MOST_GROUPS 3000u
#define MOST_PAIRS  (MOST_GROUPS * 6)
#define MOST_PLACES 200u
#define MOST_SEEDS  1000u

typedef struct model { /* from 1 */
    uint32_t group_count, place_count, pair_count, seed_count, fork_count;
    bool has_secondary;
    hsd_by_group groups[MOST_GROUPS + 1], wanted[MOST_GROUPS + 1];
    uint64_t wanted_direct[MOST_GROUPS + 1];
    hsd_by_place places[MOST_PLACES + 1];
    uint64_t pairs[MOST_PAIRS][HSD_TWO_WORDS], seeds[MOST_SEEDS][HSD_TWO_WORDS]; /* (from, word) */
    hsd_by_candidates candidates[HSD_BY_FORKS];
} model;

static hsd_error err;
static hsd_pair pair;
static hsd_growth growth = {.pair = &pair};

static void setup(void)
{
    hsd_error_init(&err);
    hsd_temp_space_init(&pair.space, NULL);
}

TestSuite(spread, .init = setup);

/* ---- models ---- */

static int compare_two(const void *a, const void *b)
{
    const hsd_two x = hsd_two_of(hsd_words_first(a), hsd_words_second(a)),
                  y = hsd_two_of(hsd_words_first(b), hsd_words_second(b));
    return (x > y) - (x < y);
}

static void make_group(model *m, test_random *random, uint32_t i)
{
    hsd_by_group *group = &m->groups[i];
    const uint64_t kind = test_below(random, 20);
    *group = (hsd_by_group){.fork = (uint8_t)(i % m->fork_count)};
    if (kind == 0) {
        group->flags = HSD_BY_IS_BRANCH | HSD_BY_IS_CLOSED;
        if (test_below(random, 2) == 0) group->mask = HSD_BY_SELF;
    } else if (kind < 3) {
        group->flags = HSD_BY_IS_CLOSED;
    } else if (kind == 3) {
        group->flags = HSD_BY_IS_PSEUDO;
    }
    if (m->has_secondary && test_below(random, 40) == 0) group->mask |= HSD_BY_PRIMARY;
}

/* Of one fork: from next to next in a ring of some length, or any to any. */
static void make_pair(model *m, test_random *random, uint64_t ring)
{
    const uint32_t from = 1 + (uint32_t)test_below(random, m->group_count);
    const uint64_t step = test_below(random, 4) != 0 ? 1 : test_below(random, m->group_count);
    uint64_t to = from + step * m->fork_count;
    if (step == 1 && (from / m->fork_count) % ring == 0)
        to = from > ring * m->fork_count ? from - ring * m->fork_count : from;
    if (to > m->group_count || to == from) return;
    hsd_node word = (hsd_node)to;
    if (m->has_secondary && (m->groups[from].flags & HSD_BY_IS_BRANCH) && test_below(random, 2) == 0)
        word |= HSD_BY_FOR_MARK_ALONE;
    hsd_words_set_two(m->pairs[m->pair_count++], from, word);
}

static void make_places(model *m, test_random *random)
{
    for (uint32_t i = 1; i <= m->place_count; i++) {
        const uint32_t group = 1 + (uint32_t)test_below(random, m->group_count);
        hsd_by_candidates *of = &m->candidates[m->groups[group].fork];
        m->places[i] = (hsd_by_place){.group = group, .named = test_below(random, 5) == 0 ? 0 : i};
        if (m->places[i].named != 0 && of->count < HSD_BY_CANDIDATES) of->list[of->count++].place = i;
    }
    for (uint32_t i = 0; i < m->seed_count; i++) {
        const uint32_t place = 1 + (uint32_t)test_below(random, m->place_count),
                       fork = m->groups[m->places[place].group].fork;
        const uint32_t of_fork = (m->group_count - 1) / m->fork_count;
        hsd_node top = (hsd_node)test_below(random, of_fork + 1) * m->fork_count + fork;
        if (top == 0 || top > m->group_count) top = m->places[place].group;
        hsd_words_set_two(m->seeds[i], place, top);
    }
    qsort(m->seeds, m->seed_count, sizeof *m->seeds, compare_two);
}

static void make_model(model *m, test_random *random)
{
    memset(m, 0, sizeof *m);
    m->fork_count = 1 + (uint32_t)test_below(random, 4);
    m->group_count = 20 + (uint32_t)test_below(random, MOST_GROUPS - 20);
    m->place_count = 1 + (uint32_t)test_below(random, MOST_PLACES);
    m->seed_count = 1 + (uint32_t)test_below(random, MOST_SEEDS);
    m->has_secondary = test_below(random, 2) == 0;
    for (uint32_t i = 1; i <= m->group_count; i++)
        make_group(m, random, i);
    const uint64_t pairs = m->group_count * (1 + test_below(random, 5)),
                   ring = 2 + test_below(random, 1u << test_below(random, 10));
    for (uint64_t i = 0; i < pairs; i++)
        make_pair(m, random, ring);
    qsort(m->pairs, m->pair_count, sizeof *m->pairs, compare_two);
    make_places(m, random);
}

/* ---- the definition ---- */

static uint64_t told(const hsd_by_group *from, const hsd_by_group *to, hsd_node word, bool is_mark)
{
    if (is_mark) return from->mask & HSD_BY_PRIMARY;
    if ((word & HSD_BY_FOR_MARK_ALONE) || (to->flags & HSD_BY_IS_CLOSED)) return 0;
    if ((to->mask & HSD_BY_PRIMARY) && !(from->mask & HSD_BY_PRIMARY)) return 0;
    return from->mask & ~HSD_BY_PRIMARY & (from->flags & HSD_BY_IS_CLOSED ? HSD_BY_SELF : ~UINT64_C(0));
}

static void climb_to_the_end(model *m, bool is_mark)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < m->pair_count; i++) {
            const hsd_node word = hsd_words_second(m->pairs[i]);
            hsd_by_group *to = &m->wanted[HSD_BY_GROUP(word)];
            const uint64_t bits = told(&m->wanted[hsd_words_first(m->pairs[i])], to, word, is_mark);
            changed = changed || (to->mask | bits) != to->mask;
            to->mask |= bits;
        }
    }
}

static void sow_all(model *m)
{
    for (uint32_t i = 0; i < m->seed_count; i++) {
        const hsd_by_place *place = &m->places[hsd_words_first(m->seeds[i])];
        const hsd_node top = hsd_words_second(m->seeds[i]);
        hsd_by_group *to = &m->wanted[top];
        uint64_t bit = HSD_BY_REST;
        for (uint32_t k = 0; k < m->candidates[to->fork].count; k++)
            if (place->named != 0 && m->candidates[to->fork].list[k].place == place->named) bit = UINT64_C(1) << k;
        if (to->flags & HSD_BY_IS_CLOSED) continue;
        if ((to->mask & HSD_BY_PRIMARY) && !(m->wanted[place->group].mask & HSD_BY_PRIMARY)) continue;
        to->mask |= bit;
        if ((to->flags & HSD_BY_IS_PSEUDO) == 0) m->wanted_direct[top] |= bit;
    }
}

static void define(model *m)
{
    memcpy(m->wanted, m->groups, sizeof m->wanted);
    if (m->has_secondary) climb_to_the_end(m, true);
    sow_all(m);
    climb_to_the_end(m, false);
}

/* ---- as it is found ---- */

static void open_array(hsd_paged *array, uint64_t bytes)
{
    cr_assert_eq(hsd_paged_open(array, bytes, hsd_paged_least_bytes(bytes), &pair.space, &err), HSD_OK, "%s", err.text);
}

static void put_pairs(const model *m, hsd_by_search *s)
{
    const hsd_sorter_config config = {.record_words = HSD_TWO_WORDS,
                                      .key_words = HSD_TWO_WORDS,
                                      .space = &pair.space,
                                      .memory_bytes = HSD_SORT_MIN_BYTES};
    cr_assert_eq(hsd_sorter_new(&s->pairs, &config, &err), HSD_OK);
    for (uint32_t i = 0; i < m->pair_count; i++)
        cr_assert_eq(hsd_sorter_put(s->pairs, m->pairs[i], &err), HSD_OK);
    cr_assert_eq(hsd_sorter_finish(s->pairs, 0, &err), HSD_OK);
    if (s->has_columns) cr_assert_eq(hsd_by_open_marks(s, &err), HSD_OK);
    cr_assert_eq(hsd_by_list_targets(s, &err), HSD_OK, "%s", err.text);
}

static void open_search(model *m, hsd_by_search *s, uint64_t memory, bool has_columns)
{
    const hsd_sorter_config config = {.record_words = HSD_TWO_WORDS,
                                      .key_words = HSD_TWO_WORDS,
                                      .space = &pair.space,
                                      .memory_bytes = HSD_SORT_MIN_BYTES};
    *s = (hsd_by_search){.growth = &growth,
                         .memory_bytes = memory,
                         .fork_count = m->fork_count,
                         .has_secondary = m->has_secondary,
                         .has_columns = has_columns,
                         .group_count = m->group_count,
                         .group_room = m->group_count,
                         .place_count = m->place_count,
                         .candidates = m->candidates};
    open_array(&s->groups, ((uint64_t)m->group_count + 2) * sizeof(hsd_by_group));
    open_array(&s->tops, ((uint64_t)m->group_count + 2) * sizeof(hsd_by_top));
    open_array(&s->places, ((uint64_t)m->place_count + 1) * sizeof(hsd_by_place));
    for (uint32_t i = 1; i <= m->group_count; i++)
        *hsd_by_group_write(s, i) = m->groups[i];
    for (uint32_t i = 1; i <= m->place_count; i++)
        *hsd_by_place_write(s, i) = m->places[i];
    put_pairs(m, s);
    cr_assert_eq(hsd_sorter_new(&s->seeds, &config, &err), HSD_OK);
    for (uint32_t i = 0; i < m->seed_count; i++)
        cr_assert_eq(hsd_sorter_put(s->seeds, m->seeds[i], &err), HSD_OK);
    cr_assert_eq(hsd_sorter_finish(s->seeds, 0, &err), HSD_OK);
}

static void close_search(hsd_by_search *s)
{
    hsd_paged *arrays[] = {&s->groups, &s->tops, &s->places, &s->starts, &s->targets};
    for (size_t i = 0; i < HSD_ARRAY_LEN(arrays); i++)
        if (arrays[i]->space != NULL) hsd_paged_close(arrays[i]);
    hsd_sorter_free(s->pairs);
    hsd_sorter_free(s->seeds);
}

static void check_spread(model *m, uint64_t memory, bool has_columns, uint64_t seed)
{
    hsd_by_search s;
    open_search(m, &s, memory, has_columns);
    cr_assert_eq(hsd_by_spread(&s, &err), HSD_OK, "%s", err.text);
    for (uint32_t i = 1; i <= m->group_count; i++) {
        const hsd_by_group *found = hsd_by_group_at(&s, i), *wanted = &m->wanted[i];
        cr_assert(found->mask == wanted->mask && hsd_by_top_at(&s, i)->direct == m->wanted_direct[i],
                  "seed %llu, memory %llu, group %u: %llx, not %llx", (unsigned long long)seed,
                  (unsigned long long)memory, i, (unsigned long long)found->mask, (unsigned long long)wanted->mask);
    }
    close_search(&s);
}

/* With as many bytes as there are groups the column has one byte a group, and there are eight windows; where most
 * groups tell each other they become one, and so does the window. */
Test(spread, equals_its_definition)
{
    model *m = malloc(sizeof *m);
    const uint64_t first = test_seed(31);
    for (uint64_t seed = first; seed < first + 300; seed++) {
        test_random random = {seed};
        make_model(m, &random);
        define(m);
        check_spread(m, UINT64_C(1) << 20, false, seed);
        for (uint64_t memory = m->group_count; memory < 32 * m->group_count; memory *= 2)
            check_spread(m, memory, true, seed);
    }
    cr_assert_eq(pair.space.bytes_now, 0);
    free(m);
}
