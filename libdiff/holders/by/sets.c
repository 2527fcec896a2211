/*
 * Tops that the same candidates hold become a *set*: a choice of its own beside that of the fork, which keeps the rest.
 * Masks that have a candidate in common are one set, the heaviest first: what two maps hold, and a local variable now
 * and then, is what two maps hold. To it comes what those maps hold alone, their tables and entries: to a person it is
 * one thing that grows. Freed tops are of a set by their type, for the graph of before is gone: of the set that most
 * new ones of the type are of.
 */
#include "holders/by/by.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

#define MOST_MASKS      64u /* of a fork are looked at for sets of their own: the heaviest */
#define PART_OF_SET     20u /* one part in so many of a set is worth a name */
#define PART_TO_JOIN    4u  /* a mask with so much of a set brings its own candidates into it */
#define PART_DIRECT     4u  /* one part in so many of what it reaches it refers to itself */
#define PART_NOT_DIRECT 2u  /* and one that alone does so to all of a set but this part */
#define FEW             4u  /* candidates of a set are all told */
/* what a candidate holds alone is the set's, up to so many times what the set holds together */
#define MOST_ALONE 2u
/* the same where it is a node: what hangs from the root of a tree alone is the tree */
#define MOST_OF_STRUCTURE 4u

typedef struct heavy { /* a mask */
    uint64_t mask, bytes;
} heavy;

typedef struct cluster {
    uint64_t mask, bytes;
    uint64_t reached[HSD_BY_CANDIDATES], direct[HSD_BY_CANDIDATES];
    hsd_amount new_;
    uint32_t set; /* from 1; 0 = too little */
} cluster;

typedef struct fork_sets {
    heavy list[MOST_MASKS];
    uint32_t heavy_count;
    cluster clusters[HSD_MAX_SETS];
    uint32_t count;
} fork_sets;

typedef struct maker {
    hsd_by_search *s;
    fork_sets *of;    /* one a fork */
    hsd_tally *masks; /* (fork, mask) */
    hsd_tally *types; /* (choice << 32 | type, set) of new tops */
} maker;

static bool is_top_in_use(const hsd_by_group *group)
{
    return (group->flags & HSD_BY_IS_CLOSED) == 0 && group->objects > 0;
}

/* What the holder refers to by what it has no name for is its own. */
static uint64_t named_of(uint64_t mask) { return mask & HSD_BY_SELF ? 0 : mask & HSD_BY_NAMED; }

/* ---- masks ---- */

static hsd_status count_masks(maker *m, hsd_error *err)
{
    for (hsd_node i = 1; i <= m->s->group_count; i++) {
        const hsd_by_group *group = hsd_by_group_at(m->s, i);
        const uint64_t key[2] = {group->fork, named_of(group->mask)};
        if (is_top_in_use(group) && key[1] != 0)
            HSD_TRY(hsd_tally_add(m->masks, key, group->objects, hsd_by_top_at(m->s, i)->bytes, err));
    }
    HSD_TRY(hsd_by_groups_check(m->s, err));
    return hsd_tally_finish(m->masks, 0, err);
}

/* In order; of equals the one that came first. */
static void offer_mask(fork_sets *of, uint64_t mask, uint64_t bytes)
{
    uint32_t at = of->heavy_count;
    while (at > 0 && of->list[at - 1].bytes < bytes)
        at--;
    if (at == MOST_MASKS) return;
    if (of->heavy_count < MOST_MASKS) of->heavy_count++;
    memmove(&of->list[at + 1], &of->list[at], (of->heavy_count - at - 1) * sizeof of->list[0]);
    of->list[at] = (heavy){mask, bytes};
}

static hsd_status find_masks(maker *m, hsd_error *err)
{
    const uint64_t *key;
    hsd_amount sum;
    hsd_status status;
    HSD_TRY(count_masks(m, err));
    while ((status = hsd_tally_next(m->masks, &key, &sum, err)) == HSD_OK)
        offer_mask(&m->of[key[0]], key[1], sum.bytes);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- clusters of them ---- */

/* The one with most candidates in common. */
static cluster *cluster_of(fork_sets *of, uint64_t mask)
{
    cluster *best = NULL;
    int most = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        const int common = __builtin_popcountll(of->clusters[i].mask & mask);
        if (common <= most) continue;
        most = common;
        best = &of->clusters[i];
    }
    return best;
}

static void join_masks(fork_sets *of)
{
    for (uint32_t i = 0; i < of->heavy_count; i++) {
        const heavy *one = &of->list[i];
        cluster *to = cluster_of(of, one->mask);
        if (to != NULL) {
            if (one->bytes >= to->bytes / PART_TO_JOIN) to->mask |= one->mask;
            to->bytes += one->bytes;
        } else if (of->count < HSD_MAX_SETS) {
            of->clusters[of->count++] = (cluster){.mask = one->mask, .bytes = one->bytes};
        }
    }
}

static void add_top(fork_sets *of, const hsd_by_group *group, const hsd_by_top *top)
{
    uint64_t mask = named_of(group->mask);
    cluster *to = cluster_of(of, mask);
    if (to == NULL) return;
    to->new_.objects += group->objects;
    to->new_.bytes += top->bytes;
    for (; mask != 0; mask &= mask - 1) {
        const int bit = __builtin_ctzll(mask);
        to->reached[bit] += top->bytes;
        if (top->direct >> bit & 1) to->direct[bit] += top->bytes;
    }
}

static hsd_status add_tops(maker *m, hsd_error *err)
{
    for (uint32_t i = 0; i < m->s->fork_count; i++)
        join_masks(&m->of[i]);
    for (hsd_node i = 1; i <= m->s->group_count; i++) {
        const hsd_by_group *group = hsd_by_group_at(m->s, i);
        if (is_top_in_use(group)) add_top(&m->of[group->fork], group, hsd_by_top_at(m->s, i));
    }
    return hsd_by_groups_check(m->s, err);
}

/* ---- sets ---- */

/* A candidate of a set: it reaches a part of it that is worth a name; where those are many, by its own references. */
static bool is_told(const cluster *of, uint32_t bit, bool is_strict)
{
    if (of->reached[bit] == 0 || of->reached[bit] < of->new_.bytes / PART_OF_SET) return false;
    return !is_strict || of->direct[bit] >= of->reached[bit] / PART_DIRECT;
}

static uint32_t count_told(const hsd_by_candidates *candidates, const cluster *of, bool is_strict)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < candidates->count; i++)
        count += is_told(of, i, is_strict);
    return count;
}

/* Of many that reach it all, as in a heap where everything reaches everything, one alone refers to it itself. That one
 * is told where it refers to most of it: a cache of modules that also know each other. */
static bool has_most(const hsd_by_candidates *candidates, const cluster *of)
{
    for (uint32_t i = 0; i < candidates->count; i++)
        if (is_told(of, i, true)) return of->direct[i] >= of->new_.bytes - of->new_.bytes / PART_NOT_DIRECT;
    return false;
}

static hsd_status make_set(maker *m, uint32_t fork, cluster *from, hsd_error *err)
{
    hsd_growth *growth = m->s->growth;
    const hsd_by_candidates *candidates = &m->s->candidates[fork];
    const bool is_strict = count_told(candidates, from, false) > FEW;
    const uint32_t count = count_told(candidates, from, is_strict);
    hsd_growth_set *set = &growth->sets[growth->set_count];
    if (count == 0 || count > HSD_MAX_CO_HOLDERS) return HSD_OK; /* of no one in particular */
    if (count == 1 && is_strict && !has_most(candidates, from)) return HSD_OK;
    *set = (hsd_growth_set){.choice = m->s->forks[fork].choice,
                            .new_ = from->new_,
                            .together = from->new_.bytes,
                            .is_reached_elsewhere = count == 1 && is_strict};
    set->list = calloc((size_t)candidates->count + 1, sizeof *set->list);
    if (set->list == NULL) return hsd_fail_nomem(err, "what holds together");
    from->set = ++growth->set_count;
    for (uint32_t i = 0; i < candidates->count; i++) {
        const hsd_by_candidate *one = &candidates->list[i];
        if (!is_told(from, i, is_strict)) continue;
        set->list[set->count++] =
            (hsd_by){.node = one->node, .bytes = from->reached[i], .told = one->told, .place = one->place};
    }
    return HSD_OK;
}

static hsd_status make_fork_sets(maker *m, uint32_t fork, hsd_error *err)
{
    for (uint32_t i = 0; i < m->of[fork].count; i++) {
        cluster *one = &m->of[fork].clusters[i];
        if (one->new_.bytes < m->s->least || one->new_.bytes == 0 || m->s->growth->set_count == HSD_MAX_SETS) continue;
        HSD_TRY(make_set(m, fork, one, err));
    }
    return HSD_OK;
}

/* ---- which top is of which ---- */

static hsd_status mark_top(maker *m, hsd_node node, const hsd_by_group *top, uint64_t bytes, hsd_error *err)
{
    hsd_by_search *s = m->s;
    const cluster *of = cluster_of(&m->of[top->fork], named_of(top->mask));
    const uint32_t set = of != NULL ? of->set : 0;
    const uint64_t key[2] = {(uint64_t)s->forks[top->fork].choice << 32 | hsd_paged_get_u32(&s->side->types_of, node),
                             set};
    *hsd_paged_at(&s->growth->set_of, node, HSD_FRAME_USED | HSD_FRAME_DIRTY) =
        (uint8_t)(set != 0 ? set : HSD_SET_REST);
    return hsd_tally_add(m->types, key, top->objects, bytes, err);
}

/* ---- the same where groups do not fit: sets of tops in memory, half a byte each where there are few, and types by top
 * ---- */

#define NO_SET_HERE(shift) ((1u << (4u << (shift))) - 1) /* no top in use */
#define FEW_SETS           15u

typedef struct set_column {
    uint8_t *sets; /* 4 << shift bits a group */
    unsigned shift;
    hsd_pages pages;
} set_column;

static uint32_t set_in_column(const set_column *c, hsd_node group)
{
    if (c->shift != 0) return c->sets[group];
    return (uint32_t)c->sets[group / 2] >> group % 2 * 4 & 15u;
}

static hsd_status mark_nodes(maker *m, const set_column *column, hsd_sorter *types, hsd_error *err)
{
    hsd_by_search *s = m->s;
    for (hsd_node node = 0; node < s->side->object_count; node++) {
        if (hsd_bit_get(s->is_plain, node)) continue;
        const hsd_node word = hsd_by_group_of(s, node), group = HSD_BY_GROUP(word);
        if ((word & HSD_BY_TOP) == 0) continue;
        const uint32_t set = set_in_column(column, group);
        if (set == NO_SET_HERE(column->shift)) continue;
        const uint64_t record[HSD_TWO_WORDS] = {HSD_TWO(group, hsd_paged_get_u32(&s->side->types_of, node))};
        *hsd_paged_at(&s->growth->set_of, node, HSD_FRAME_USED | HSD_FRAME_DIRTY) =
            (uint8_t)(set != 0 ? set : HSD_SET_REST);
        HSD_TRY(hsd_sorter_put(types, record, err));
    }
    return hsd_sorter_finish(types, 0, err);
}

static hsd_status count_types(maker *m, const set_column *column, hsd_sorter *types, hsd_error *err)
{
    hsd_by_search *s = m->s;
    const uint64_t *record;
    hsd_status status;
    while ((status = hsd_sorter_next(types, &record, err)) == HSD_OK) {
        const hsd_node number = hsd_words_first(record);
        const hsd_by_group *top = hsd_by_group_at(s, number);
        const uint64_t key[2] = {(uint64_t)s->forks[top->fork].choice << 32 | hsd_words_second(record),
                                 set_in_column(column, number)};
        HSD_TRY(hsd_tally_add(m->types, key, top->objects, hsd_by_top_at(s, number)->bytes, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status open_set_column(const maker *m, set_column *c, hsd_error *err)
{
    hsd_by_search *s = m->s;
    c->shift = s->growth->set_count < FEW_SETS ? 0 : 1;
    if (!hsd_pages_take(&c->pages, (((size_t)s->group_count + 1) << c->shift) / 2 + 1))
        return hsd_fail_nomem(err, "what holds together");
    c->sets = c->pages.data;
    for (hsd_node i = 1; i <= s->group_count; i++) {
        const hsd_by_group *top = hsd_by_group_at(s, i);
        const cluster *of = cluster_of(&m->of[top->fork], named_of(top->mask));
        const bool is_used = (top->flags & HSD_BY_IS_PSEUDO) == 0 && is_top_in_use(top);
        const uint32_t set = !is_used ? NO_SET_HERE(c->shift) : of != NULL ? of->set : 0;
        if (c->shift == 0)
            c->sets[i / 2] |= (uint8_t)(set << i % 2 * 4);
        else
            c->sets[i] = (uint8_t)set;
    }
    return HSD_OK;
}

static hsd_status mark_tops_by_columns(maker *m, hsd_error *err)
{
    set_column column = {.sets = NULL};
    hsd_sorter *types = NULL;
    HSD_TRY(hsd_by_sorter(m->s, HSD_TWO_WORDS, HSD_BY_SORTER, &types, err));
    hsd_status status = open_set_column(m, &column, err);
    if (status == HSD_OK) status = mark_nodes(m, &column, types, err);
    if (status == HSD_OK) status = count_types(m, &column, types, err);
    hsd_sorter_free(types);
    hsd_pages_give(&column.pages);
    return status;
}

static hsd_status mark_all_tops(maker *m, hsd_error *err)
{
    hsd_by_search *s = m->s;
    if (s->has_columns) return mark_tops_by_columns(m, err);
    for (hsd_node node = 0; node < s->side->object_count; node++) {
        if (hsd_bit_get(s->is_plain, node)) continue;
        const hsd_node word = hsd_by_group_of(s, node);
        if ((word & HSD_BY_TOP) == 0) continue;
        const hsd_by_group top = *hsd_by_group_at(s, HSD_BY_GROUP(word));
        if ((top.flags & HSD_BY_IS_PSEUDO) == 0 && is_top_in_use(&top))
            HSD_TRY(mark_top(m, node, &top, hsd_by_top_at(s, HSD_BY_GROUP(word))->bytes, err));
    }
    return HSD_OK;
}

static hsd_status mark_tops(maker *m, hsd_error *err)
{
    hsd_by_search *s = m->s;
    HSD_TRY(mark_all_tops(m, err));
    HSD_TRY(hsd_paged_check(&s->group_of, err));
    HSD_TRY(hsd_by_groups_check(s, err));
    HSD_TRY(hsd_paged_check(&s->side->types_of, err));
    HSD_TRY(hsd_paged_check(&s->growth->set_of, err));
    return hsd_tally_finish(m->types, 0, err);
}

static hsd_status take_types(maker *m, hsd_error *err)
{
    hsd_growth *growth = m->s->growth;
    const uint64_t *key;
    uint64_t last = UINT64_MAX, most = 0;
    hsd_amount sum;
    hsd_status status;
    while ((status = hsd_tally_next(m->types, &key, &sum, err)) == HSD_OK) {
        if (key[0] != last) most = 0;
        last = key[0];
        if (sum.bytes < most) continue;
        most = sum.bytes;
        uint8_t *of = growth->set_of_type[key[0] >> 32];
        if (of != NULL) of[(uint32_t)key[0]] = (uint8_t)key[1];
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status take_forks(maker *m, hsd_error *err)
{
    hsd_growth *growth = m->s->growth;
    for (uint32_t i = 0; i < growth->set_count; i++) {
        const uint32_t choice = growth->sets[i].choice;
        if (growth->choices[choice].fork != 0) continue;
        growth->set_of_type[choice] = calloc((size_t)growth->pair->types.names.count + 1, 1);
        if (growth->set_of_type[choice] == NULL) return hsd_fail_nomem(err, "what holds together");
        growth->choices[choice].fork = choice + 1;
    }
    return HSD_OK;
}

/* ---- choices ---- */

/* A node of what the set has: its tops are of the same type. */
static uint64_t most_alone(const hsd_growth *growth, const hsd_growth_set *set, const hsd_choice *one)
{
    const uint8_t *set_of_type = set->choice < HSD_BY_HOLDERS ? growth->set_of_type[set->choice] : NULL;
    const bool is_node =
        set_of_type != NULL && one->by == HSD_HELD_BY_OBJECT && set_of_type[one->type] == set - growth->sets + 1;
    return is_node ? MOST_OF_STRUCTURE : MOST_ALONE;
}

/* What a choice that is a candidate, or insides of one, holds alone. It may have lost that: where a word that was left
 * over leads to half of what a variable has, new ones are of both and the freed ones were the variable's. */
static bool is_alone(const hsd_by_search *s, const hsd_growth_set *set, const hsd_by *by, uint32_t choice)
{
    const hsd_choice *one = &s->growth->choices[choice];
    if (one->fork != 0 || one->set != 0 || one->joined > 1) return false;
    if (by->bytes < set->together / 2 || hsd_choice_change(one) / most_alone(s->growth, set, one) > set->together)
        return false;
    if (one->by == HSD_HELD_BY_OBJECT && one->node[AFTER] == by->node) return true;
    return one->by == HSD_HELD_BY_OBJECT && one->new_.objects == 0 && one->freed.objects == 0 &&
           s->choice_places[choice] == by->place;
}

static uint32_t root_of(const hsd_by_search *s, hsd_node node)
{
    if (node < s->side->object_count) return HSD_ROOT_SHARED;
    return s->growth->pair->root_number[AFTER][s->side->name_of_node[node - s->side->object_count]];
}

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects += amount.objects;
    to->bytes += amount.bytes;
}

static void take_joint_set(hsd_growth *growth, uint32_t number, hsd_by *by, uint32_t choice)
{
    hsd_growth_set *set = &growth->sets[number - 1];
    hsd_choice *one = &growth->choices[choice];
    add_amount(&set->new_, one->new_);
    add_amount(&set->freed, one->freed);
    set->resized_bytes += one->resized_bytes;
    by->own += hsd_choice_growth(one);
    by->is_own = true;
    one->set = number;
}

/* True if the choice is that of a root that is a candidate. */
static bool is_root_alone(const hsd_by_search *s, const hsd_growth_set *set, const hsd_by *by, uint32_t choice)
{
    const hsd_choice *one = &s->growth->choices[choice];
    if (one->by != HSD_HELD_BY_ROOT || one->fork != 0 || one->set != 0 || one->joined > 1 ||
        by->node < s->side->object_count)
        return false;
    return by->bytes >= set->together / 2 && hsd_choice_change(one) / MOST_ALONE <= set->together &&
           one->root == root_of(s, by->node);
}

/* Of the candidates of two sets those that are fewer say more. */
static bool is_better(const hsd_growth_set *a, const hsd_growth_set *b)
{
    if (b == NULL || a->count != b->count) return b == NULL || a->count < b->count;
    return a->together > b->together;
}

static void take_alone(hsd_by_search *s, uint32_t choice)
{
    hsd_growth *growth = s->growth;
    hsd_growth_set *best = NULL;
    hsd_by *by = NULL;
    for (uint32_t i = 0; i < growth->set_count; i++) {
        hsd_growth_set *set = &growth->sets[i];
        for (uint32_t k = 0; k < set->count && set->count > 1 && set->choice != HSD_NO_CHOICE; k++) {
            if (!is_alone(s, set, &set->list[k], choice) && !is_root_alone(s, set, &set->list[k], choice)) continue;
            if (!is_better(set, best)) continue;
            best = set;
            by = &set->list[k];
        }
    }
    if (best != NULL) take_joint_set(growth, (uint32_t)(best - growth->sets) + 1, by, choice);
}

/* What is the set's is no more the fork's. */
static void leave_fork(hsd_growth *growth, hsd_growth_set *set)
{
    hsd_choice *fork = &growth->choices[set->choice];
    fork->new_.objects -= set->new_.objects;
    fork->new_.bytes -= set->new_.bytes;
    fork->freed.objects -= set->freed.objects;
    fork->freed.bytes -= set->freed.bytes;
}

/* One that lost as much as it got is none; nor where the fork did, whose freed objects are only shared out by their
 * types. */
static bool is_worth_a_row(const hsd_by_search *s, const hsd_growth_set *set)
{
    const hsd_choice *fork = &s->growth->choices[set->choice];
    if (set->new_.bytes <= set->freed.bytes) return false;
    const uint64_t net = set->new_.bytes - set->freed.bytes;
    return net >= s->least && hsd_choice_net(fork) >= 0 && (uint64_t)hsd_choice_net(fork) >= net / 2;
}

/* Choices that a set stands for are found again as those that a pool does. */
static hsd_status leave_choices(hsd_growth *growth, hsd_error *err)
{
    uint32_t kept = 0;
    if (growth->pooled == NULL) growth->pooled = calloc((size_t)growth->choice_count + 1, sizeof *growth->pooled);
    if (growth->pooled == NULL) return hsd_fail_nomem(err, "what holds together");
    for (uint32_t i = 0; i < growth->choice_count; i++) {
        const hsd_choice one = growth->choices[i];
        if (one.set == 0)
            growth->choices[kept++] = one;
        else
            growth->pooled[growth->pooled_count++] =
                (hsd_pooled){one.by, one.root, {one.node[BEFORE], one.node[AFTER]}, .set = one.set};
    }
    growth->choice_count = kept;
    return HSD_OK;
}

static uint32_t find_rest(const hsd_growth *growth, uint32_t fork)
{
    for (uint32_t i = 0; i < growth->choice_count; i++)
        if (growth->choices[i].fork == fork) return i;
    return HSD_NO_CHOICE;
}

static bool is_nothing(const hsd_choice *choice)
{
    return choice->new_.objects == 0 && choice->freed.objects == 0 && choice->resized_bytes == 0;
}

/* Where nothing is left to the fork, its first set is in its stead. */
static uint32_t key_of(hsd_growth *growth, uint32_t fork)
{
    const uint32_t at = find_rest(growth, fork);
    if (at == HSD_NO_CHOICE || growth->choices[at].set != 0 || !is_nothing(&growth->choices[at])) return 0;
    growth->choices[at] = growth->choices[--growth->choice_count];
    return fork;
}

static void put_choice(hsd_growth *growth, uint32_t number, const hsd_choice *fork)
{
    const hsd_growth_set *set = &growth->sets[number - 1];
    hsd_choice choice = *fork;
    choice.new_ = set->new_;
    choice.freed = set->freed;
    choice.resized_bytes = set->resized_bytes;
    choice.pool_place = 0;
    choice.joined = 0;
    choice.fork = key_of(growth, fork->fork);
    choice.set = number;
    growth->choices[growth->choice_count++] = choice;
}

static hsd_status put_choices(hsd_by_search *s, hsd_error *err)
{
    hsd_growth *growth = s->growth;
    hsd_choice forks[HSD_MAX_SETS];
    for (uint32_t i = 0; i < growth->set_count; i++) {
        hsd_growth_set *set = &growth->sets[i];
        forks[i] = growth->choices[set->choice];
        if (!is_worth_a_row(s, set))
            set->choice = HSD_NO_CHOICE;
        else
            leave_fork(growth, set);
    }
    for (uint32_t i = 0; i < growth->choice_count; i++)
        take_alone(s, i);
    HSD_TRY(leave_choices(growth, err));
    for (uint32_t i = 0; i < growth->set_count; i++)
        if (growth->sets[i].choice != HSD_NO_CHOICE) put_choice(growth, i + 1, &forks[i]);
    hsd_growth_choose_order(growth);
    for (uint32_t i = 0; i < growth->choice_count; i++)
        if (growth->choices[i].set != 0) growth->sets[growth->choices[i].set - 1].choice = i;
    for (uint32_t i = 0; i < growth->set_count; i++)
        growth->sets[i].rest = find_rest(growth, forks[i].fork);
    return HSD_OK;
}

/* ---- the whole ---- */

static hsd_status open_all_joint_sets(maker *m, hsd_error *err)
{
    hsd_growth *growth = m->s->growth;
    hsd_pair *pair = growth->pair;
    const uint64_t bytes = (uint64_t)m->s->side->object_count + 1;
    m->of = calloc(HSD_BY_FORKS, sizeof *m->of);
    if (m->of == NULL) return hsd_fail_nomem(err, "what holds together");
    HSD_TRY(hsd_paged_open(&growth->set_of, bytes, hsd_max_u64(growth->memory_bytes / 16, hsd_paged_least_bytes(bytes)),
                           &pair->space, err));
    HSD_TRY(hsd_tally_new(&m->masks, 2, growth->memory_bytes / 32, &pair->space, pair->reporter, err));
    return hsd_tally_new(&m->types, 2, growth->memory_bytes / 32, &pair->space, pair->reporter, err);
}

/* What is freed of a set is freed of its fork. */
static bool has_freed(const hsd_growth *growth)
{
    for (uint32_t i = 0; i < growth->set_count; i++)
        if (growth->choices[growth->sets[i].choice].freed.objects > 0) return true;
    return false;
}

static hsd_status run_joint_set(maker *m, hsd_error *err)
{
    hsd_growth *growth = m->s->growth;
    HSD_TRY(open_all_joint_sets(m, err));
    HSD_TRY(find_masks(m, err));
    HSD_TRY(add_tops(m, err));
    for (uint32_t i = 0; i < m->s->fork_count; i++)
        HSD_TRY(make_fork_sets(m, i, err));
    if (growth->set_count == 0) return HSD_OK;
    HSD_TRY(take_forks(m, err));
    HSD_TRY(mark_tops(m, err));
    HSD_TRY(take_types(m, err));
    if (has_freed(growth)) HSD_TRY(hsd_by_find_freed(m->s, err));
    return put_choices(m->s, err);
}

hsd_status hsd_by_make_sets(hsd_by_search *s, hsd_error *err)
{
    maker m = {.s = s};
    const hsd_status status = run_joint_set(&m, err);
    hsd_tally_free(m.masks);
    hsd_tally_free(m.types);
    free(m.of);
    return status;
}

uint32_t hsd_growth_set_of_freed(const hsd_growth *growth, uint32_t holder, uint32_t type, bool is_apart)
{
    if (holder >= growth->choice_count || !is_apart) return 0;
    const uint32_t fork = growth->choices[holder].fork;
    return fork == 0 || growth->set_of_type[fork - 1] == NULL ? 0 : growth->set_of_type[fork - 1][type];
}
