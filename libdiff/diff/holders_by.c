/*
 * The order of the steps, who is a candidate, and what comes of it.
 */
#include "diff/holders_by.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/heap.h"

#define PART_OF_ALL    20u /* one part in so many of the growth is worth the search, and of what is held together a name */
#define PART_OF_HOLDER 2u  /* of a holder's */

typedef struct candidate {
    uint64_t told, count; /* bytes of tops that it refers to, and by how many references */
    uint32_t group, name;
} candidate;

typedef struct candidates { /* of one fork: a heap with the least on top, then in order */
    candidate list[HSD_BY_CANDIDATES + 1];
    uint32_t count;
    uint64_t bytes[64]; /* what each bit reaches */
    uint64_t all;
} candidates;

/* ---- candidates ---- */

static int compare(const candidate *a, const candidate *b)
{
    if (a->told != b->told) return a->told < b->told ? 1 : -1;
    return (a->count < b->count) - (a->count > b->count);
}

static bool comes_later(const void *context, const void *a, const void *b)
{
    (void)context;
    return compare(a, b) > 0;
}

static hsd_heap heap_of(candidates *c) { return (hsd_heap){c->list, sizeof c->list[0], comes_later, NULL}; }

static void offer(candidates *c, const candidate *one)
{
    if (c->count <= HSD_BY_CANDIDATES) {
        c->list[c->count] = *one;
        hsd_heap_up(heap_of(c), c->count++);
        return;
    }
    if (compare(one, &c->list[0]) >= 0) return;
    c->list[0] = *one;
    hsd_heap_down(heap_of(c), 0, c->count);
}

/* One more than there are bits was kept: what equals it is told apart by nothing, and has no bit either. */
static void cut(candidates *c)
{
    hsd_heap_sort(heap_of(c), c->count);
    if (c->count <= HSD_BY_CANDIDATES) return;
    const candidate least = c->list[c->count - 1];
    while (c->count > 0 && compare(&c->list[c->count - 1], &least) == 0) c->count--;
}

static bool is_branch_in_use(const hsd_by_group *group) { return (group->flags & HSD_BY_IS_BRANCH) && group->count > 0; }

static void set_bit(hsd_by_search *s, uint32_t branch, uint64_t bit)
{
    hsd_by_group *group = hsd_by_group_at(s, branch, true);
    group->mask = (group->mask & HSD_BY_PRIMARY) | bit;
}

static hsd_status choose(hsd_by_search *s, candidates *of, hsd_error *err)
{
    for (uint32_t i = 1; i <= s->group_count; i++) {
        hsd_by_group *group = hsd_by_group_at(s, i, false);
        if (!is_branch_in_use(group)) continue;
        const bool is_named = group->flags & HSD_BY_IS_NAMED;
        const candidate one = {group->bytes, group->count, i, group->name};
        if (is_named) offer(&of[group->fork], &one);
        set_bit(s, i, is_named ? HSD_BY_REST : HSD_BY_SELF);
    }
    for (uint32_t fork = 0; fork < s->fork_count; fork++) {
        cut(&of[fork]);
        for (uint32_t i = 0; i < of[fork].count; i++) set_bit(s, of[fork].list[i].group, UINT64_C(1) << i);
    }
    return hsd_paged_check(&s->groups, err);
}

/* ---- what comes of it ---- */

static void add_up(hsd_by_search *s, candidates *of)
{
    for (uint32_t i = 1; i <= s->group_count; i++) {
        const hsd_by_group *group = hsd_by_group_at(s, i, false);
        if ((group->flags & HSD_BY_IS_BRANCH) || group->bytes == 0) continue;
        candidates *to = &of[group->fork];
        to->all += group->bytes;
        for (uint64_t mask = group->mask & ~HSD_BY_PRIMARY; mask != 0; mask &= mask - 1) to->bytes[__builtin_ctzll(mask)] += group->bytes;
    }
}

static hsd_status keep(hsd_growth *growth, uint32_t choice, const candidates *of, hsd_error *err)
{
    hsd_growth_by *by = &growth->by[choice];
    const uint64_t self = of->bytes[__builtin_ctzll(HSD_BY_SELF)];
    if (of->all == 0 || self >= of->all - self) return HSD_OK;
    by->list = calloc((size_t)of->count + 1, sizeof *by->list);
    if (by->list == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for what holds together");
    for (uint32_t i = 0; i < of->count; i++) {
        if (of->bytes[i] < of->all / PART_OF_ALL || of->bytes[i] == 0) continue;
        by->list[by->count++] = (hsd_by){of->list[i].name, of->bytes[i], of->list[i].told};
    }
    by->bytes = of->all;
    return HSD_OK;
}

static hsd_status finish(hsd_by_search *s, candidates *of, hsd_error *err)
{
    add_up(s, of);
    HSD_TRY(hsd_paged_check(&s->groups, err));
    for (uint32_t i = 0; i < s->fork_count; i++) {
        if (s->forks[i].first != HSD_BY_NO_FORK) HSD_TRY(keep(s->growth, i, &of[i], err));
    }
    return HSD_OK;
}

/* ---- the steps ---- */

static hsd_status open_paged(hsd_by_search *s, hsd_paged *out, uint64_t bytes, hsd_error *err)
{
    const uint64_t memory = hsd_max_u64(s->growth->memory_bytes / 8, hsd_paged_least_bytes(bytes));
    return hsd_paged_open(out, bytes, memory, &s->growth->c->space, err);
}

static uint32_t room_for_groups(const hsd_side_walk *side)
{
    const uint64_t pseudo = hsd_min_u64(side->info->pseudo_objects, side->object_count);
    return (uint32_t)hsd_min_u64(side->node_count + pseudo * (HSD_BY_HOLDERS - 1), HSD_BY_TOP - 1);
}

static hsd_status open_all(hsd_by_search *s, hsd_error *err)
{
    hsd_side_walk *side = s->side;
    const uint64_t words = ((uint64_t)side->node_count + 1) * sizeof(uint32_t);
    const hsd_sorter_config config = {.record_words = 1, .key_words = 1, .space = &s->growth->c->space, .reporter = s->growth->c->reporter,
                                      .memory_bytes = hsd_max_u64(s->growth->memory_bytes / 8, HSD_SORT_MIN_BYTES)};
    if (side->keeper != NULL && side->keeper->search != NULL) HSD_TRY(side->keeper->search(side->keeper->context, err));
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->plan.adjacency_bytes, err));
    s->is_plain = calloc((size_t)side->node_count / 8 + 1, 1);
    if (s->is_plain == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for one bit a node");
    HSD_TRY(open_paged(s, &s->group_of, words, err));
    HSD_TRY(open_paged(s, &s->place_of, words, err));
    HSD_TRY(open_paged(s, &s->places, ((uint64_t)side->node_count + 1) * sizeof(hsd_by_place), err));
    s->group_room = room_for_groups(side);
    HSD_TRY(open_paged(s, &s->groups, ((uint64_t)s->group_room + 2) * sizeof(hsd_by_group), err));
    return hsd_sorter_new(&s->pairs, &config, err);
}

static void keep_forks(hsd_by_search *s)
{
    for (uint32_t i = 0; i < s->fork_count; i++) {
        hsd_by_fork *fork = &s->forks[i];
        if (fork->bytes == 0 || fork->bytes < s->growth->choices[i].new_.bytes / PART_OF_HOLDER) fork->first = HSD_BY_NO_FORK;
        if (fork->first != HSD_BY_NO_FORK) s->kept[s->kept_count++] = i;
    }
}

static hsd_status find(hsd_by_search *s, candidates *of, hsd_error *err)
{
    HSD_TRY(open_all(s, err));
    HSD_TRY(hsd_by_number(s, err));
    HSD_TRY(hsd_by_refer(s, err));
    HSD_TRY(hsd_by_name(s, err));
    hsd_paged_close(&s->place_of);
    hsd_paged_close(&s->places);
    HSD_TRY(choose(s, of, err));
    HSD_TRY(hsd_by_spread(s, err));
    return finish(s, of, err);
}

static hsd_status run(hsd_by_search *s, hsd_error *err)
{
    HSD_TRY(hsd_growth_chosen_make(&s->chosen, s->growth, err));
    HSD_TRY(hsd_by_find_forks(s, err));
    keep_forks(s);
    if (s->kept_count == 0) return HSD_OK;
    candidates *of = calloc(HSD_BY_HOLDERS, sizeof *of);
    if (of == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for what holds together");
    const hsd_status status = find(s, of, err);
    free(of);
    return status;
}

static bool is_worth_it(const hsd_growth *growth)
{
    const hsd_change *total = &growth->diff->total;
    const int64_t grown = hsd_change_bytes(total);
    const uint64_t all = grown > 0 ? (uint64_t)grown : total->new_.bytes;
    return growth->has_identity && growth->fill == NULL && growth->edged_count > 0 && growth->apart_bytes > 0 && growth->apart_bytes >= all / PART_OF_ALL;
}

hsd_status hsd_growth_find_by(hsd_growth *growth, hsd_error *err)
{
    if (!is_worth_it(growth)) return HSD_OK;
    hsd_by_search s = {.growth = growth, .side = &growth->c->sides[AFTER]};
    s.fork_count = (uint32_t)hsd_min_u64(growth->edged_count, HSD_BY_HOLDERS);
    s.has_secondary = s.side->root_span.begin < s.side->root_span.second && s.side->root_span.second < s.side->root_span.end;
    for (uint32_t i = 0; i < HSD_BY_HOLDERS; i++) s.forks[i] = (hsd_by_fork){.choice = i, .first = HSD_BY_NO_FORK};
    s.group_of.file.fd = s.place_of.file.fd = s.places.file.fd = s.groups.file.fd = -1;
    const hsd_status status = run(&s, err);
    hsd_growth_chosen_release(&s.chosen);
    free(s.is_plain);
    hsd_paged_close(&s.group_of);
    hsd_paged_close(&s.place_of);
    hsd_paged_close(&s.places);
    hsd_paged_close(&s.groups);
    hsd_sorter_free(s.pairs);
    return status;
}
