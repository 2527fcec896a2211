/*
 * Which places and tops refer to which tops. References are read once, in the order of their sources. The tree does not
 * have all objects: a folded part is where its owner is, and what it refers to counts for that one. A pseudo object is
 * a top without bytes of each fork from within which it is referred to; for each it is looked through once, and there
 * tells of that fork's tops alone.
 *
 * What is known of sources comes in their order. Tops come in any: where groups do not fit in memory references wait in
 * a sorter, with what is known of their sources, until the tops are gone through in the order of nodes. That is two
 * words a reference to a top, written and read, in place of a page or more.
 */
#include "holders/holders_by.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>

#define PROGRESS_STEPS 0xffffu
#define LATELY_BITS    10u

/* What is asked of the group of a source. */
#define SOURCE_SHIFT 4u
enum {
    SOURCE_IS_BRANCH = HSD_BY_LOOK_BRANCH >> SOURCE_SHIFT,
    SOURCE_IS_SELF = HSD_BY_LOOK_SELF >> SOURCE_SHIFT,
    SOURCE_IS_PRIMARY = HSD_BY_LOOK_PRIMARY >> SOURCE_SHIFT,
    SOURCE_IS_PSEUDO = HSD_BY_LOOK_PSEUDO >> SOURCE_SHIFT
};

typedef struct source { /* what is looked through, and what is asked of it for each reference */
    uint32_t group;
    uint32_t place, place_group; /* the nearest place above it; 0 = none */
    uint8_t fork, place_fork;    /* of the groups */
    uint8_t flags;
} source;

typedef struct refer {
    hsd_by_search *s;
    source from;
    hsd_worklist parts;  /* folded ones of the object at hand */
    hsd_worklist pseudo; /* groups of those that were just met */
    hsd_sorter *later;   /* references to tops; NULL: they are looked at at once */
    uint8_t *is_top;     /* with `later`: one bit a node that the tree has and that is asked for */
    /* that were put lately, and need not be again; 0 = none */
    uint64_t pairs[1u << LATELY_BITS], seeds[1u << LATELY_BITS];
} refer;

/* True if the tree does not have the node; `word` is its group's. */
static bool is_hidden(hsd_by_search *s, uint32_t node, uint32_t word)
{
    if (hsd_bit_get(s->is_plain, node)) return false;
    return (word & HSD_BY_TOP) == 0 || (hsd_by_look(s, HSD_BY_GROUP(word)) & HSD_BY_LOOK_PSEUDO);
}

/* The group of the next fork outward in which a group lies; 0 = in none. A pseudo object is a top of each. */
uint32_t hsd_by_group_above(hsd_by_search *s, uint32_t group)
{
    const uint8_t look = hsd_by_look(s, group);
    return look & HSD_BY_LOOK_PSEUDO ? 0 : s->forks[look & HSD_BY_LOOK_FORK].group;
}

/* The group of a fork in which another one lies; 0 = in none. */
uint32_t hsd_by_climb(hsd_by_search *s, uint32_t group, uint32_t fork)
{
    HSD_ASSERT(fork < s->fork_count);
    for (uint32_t steps = 0; group != 0 && steps <= HSD_BY_FORKS; steps++) {
        if ((hsd_by_look(s, group) & HSD_BY_LOOK_FORK) == fork) return group;
        group = hsd_by_group_above(s, group);
    }
    return 0;
}

/* Many objects of a group refer to the same few. Neither groups nor places are 0. */
static hsd_status put_once(hsd_sorter *sorter, uint64_t *lately, uint32_t from, uint32_t top, hsd_error *err)
{
    const uint64_t pair = (uint64_t)from << 32 | top;
    uint64_t *slot = &lately[(pair ^ pair >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LATELY_BITS)];
    if (pair == *slot) return HSD_OK;
    *slot = pair;
    return hsd_sorter_put(sorter, &pair, err);
}

static uint8_t fork_of(hsd_by_search *s, uint32_t group) { return hsd_by_look(s, group) & HSD_BY_LOOK_FORK; }
static uint8_t source_flags(uint8_t look) { return look >> SOURCE_SHIFT; }

static void take_source(refer *r, uint32_t group, uint32_t node)
{
    hsd_by_search *s = r->s;
    const uint64_t place = hsd_paged_get_u64(&s->place_of, hsd_by_slot(s, node));
    const uint8_t look = hsd_by_look(s, group);
    r->from = (source){.group = group,
                       .fork = look & HSD_BY_LOOK_FORK,
                       .flags = source_flags(look),
                       .place = (uint32_t)place,
                       .place_group = (uint32_t)(place >> 32)};
    if (place == 0) return;
    r->from.place_fork = r->from.place_group == group ? r->from.fork : fork_of(s, r->from.place_group);
}

/* hsd_by_climb from a group of which the fork is known. */
static uint32_t climb_from(refer *r, uint32_t group, uint32_t fork_of_group, bool is_pseudo, uint32_t fork)
{
    if (fork_of_group == fork) return group;
    return is_pseudo ? 0 : hsd_by_climb(r->s, r->s->forks[fork_of_group].group, fork);
}

static uint32_t climb_source(refer *r, uint32_t group, uint32_t fork)
{
    if (group != r->from.group) return hsd_by_climb(r->s, group, fork);
    return climb_from(r, group, r->from.fork, (r->from.flags & SOURCE_IS_PSEUDO) != 0, fork);
}

/* The nearest place above the source, if it lies in a group. */
static uint32_t place_in(refer *r, uint32_t fork, uint32_t group)
{
    if (r->from.place == 0 || r->from.place_group == group) return r->from.place;
    return climb_from(r, r->from.place_group, r->from.place_fork, false, fork) == group ? r->from.place : 0;
}

/* Out of a branch goes the mark of the first round, and that it is the holder itself. Where it is known what of them
 * will, no pair is needed. */
static bool is_told_at_once(refer *r, uint32_t from, uint32_t top)
{
    hsd_by_search *s = r->s;
    const uint8_t flags = from == r->from.group ? r->from.flags : source_flags(hsd_by_look(s, from));
    if ((flags & (SOURCE_IS_BRANCH | SOURCE_IS_SELF)) != SOURCE_IS_BRANCH) return false;
    if ((flags & SOURCE_IS_PRIMARY) == 0) return !s->has_secondary;
    if (hsd_by_look(s, top) & HSD_BY_LOOK_PRIMARY) return true;
    if (s->looks != NULL)
        s->looks[top] |= HSD_BY_LOOK_PRIMARY;
    else
        hsd_by_mask_or(s, top, HSD_BY_PRIMARY);
    return true;
}

static hsd_status put_pair(refer *r, uint32_t from, uint32_t top, bool is_told_by_place, hsd_error *err)
{
    if (is_told_at_once(r, from, top)) return HSD_OK;
    const uint8_t flags = from == r->from.group ? r->from.flags : source_flags(hsd_by_look(r->s, from));
    const bool is_from_branch = (flags & SOURCE_IS_BRANCH) != 0;
    const bool is_for_mark = is_told_by_place && is_from_branch;
    if (is_for_mark && !r->s->has_secondary) return HSD_OK;
    return put_once(r->s->pairs, r->pairs, from, is_for_mark ? top | HSD_BY_FOR_MARK_ALONE : top, err);
}

/* Of a branch that is referred to nothing is told but which groups do, for the mark of the first round. */
static hsd_status tell_place(hsd_by_search *s, uint32_t place, uint32_t top, hsd_error *err)
{
    const uint64_t record = (uint64_t)top << 32 | place;
    if (s->tells != NULL) return hsd_sorter_put(s->tells, &record, err);
    const uint64_t bytes = hsd_by_top_at(s, top)->bytes;
    if (bytes > 0) hsd_by_place_tell(s, place, bytes);
    return HSD_OK;
}

static hsd_status see_top(refer *r, uint32_t group, uint32_t top, hsd_error *err)
{
    hsd_by_search *s = r->s;
    const uint8_t look = hsd_by_look(s, top), fork = look & HSD_BY_LOOK_FORK;
    const uint32_t from = climb_source(r, group, fork);
    if (from == 0 || from == top) return HSD_OK;
    const uint32_t place = place_in(r, fork, from);
    HSD_TRY(put_pair(r, from, top, place != 0, err));
    if (place == 0 || (look & HSD_BY_LOOK_BRANCH)) return HSD_OK;
    HSD_TRY(tell_place(s, place, top, err));
    return put_once(s->seeds, r->seeds, place, top, err);
}

/* ---- references that wait ---- */

/* The words of a record: target, source's group, its flags; place, place's group, both forks. */
#define NUMBER_BITS HSD_BY_NUMBER_BITS
#define FORK_BITS   4u
#define NUMBER_MASK HSD_BY_MOST_NUMBER
#define FORK_MASK   ((UINT32_C(1) << FORK_BITS) - 1)

_Static_assert(HSD_BY_FORKS <= 1u << FORK_BITS, "a fork must fit");

static hsd_status put_later(refer *r, uint32_t target, hsd_error *err)
{
    const source *f = &r->from;
    const uint64_t record[2] = {(uint64_t)target << 32 | f->group << FORK_BITS | f->flags,
                                ((uint64_t)f->place << NUMBER_BITS | f->place_group) << 2 * FORK_BITS |
                                    f->fork << FORK_BITS | f->place_fork};
    return hsd_sorter_put(r->later, record, err);
}

static source source_of(const uint64_t *record)
{
    return (source){.group = (uint32_t)record[0] >> FORK_BITS,
                    .flags = (uint8_t)(record[0] & FORK_MASK),
                    .place = (uint32_t)(record[1] >> (NUMBER_BITS + 2 * FORK_BITS)),
                    .place_group = (uint32_t)(record[1] >> 2 * FORK_BITS) & NUMBER_MASK,
                    .fork = (uint8_t)(record[1] >> FORK_BITS & FORK_MASK),
                    .place_fork = (uint8_t)(record[1] & FORK_MASK)};
}

static hsd_status begin_later(refer *r, hsd_error *err)
{
    hsd_by_search *s = r->s;
    if (!s->has_columns) return HSD_OK;
    HSD_TRY(hsd_by_open_looks(s, NULL, err));
    HSD_TRY(hsd_by_sorter(s, 1, 1, &s->tells, err));
    r->is_top = calloc((size_t)s->side->node_count / 8 + 1, 1);
    if (r->is_top == NULL) return hsd_fail_nomem(err, "what holds together");
    for (uint32_t node = 0; node < s->side->node_count; node++)
        if (!hsd_bit_get(s->is_plain, node) && (hsd_by_group_of(s, node) & HSD_BY_TOP)) hsd_bit_set(r->is_top, node);
    return hsd_by_sorter(s, 2, 1, &r->later, err);
}

/* Tops in the order of nodes. */
static hsd_status see_later(refer *r, hsd_error *err)
{
    hsd_by_search *s = r->s;
    const uint64_t *record;
    uint32_t target = UINT32_MAX, top = 0;
    hsd_status status;
    if (r->later == NULL) return HSD_OK;
    HSD_TRY(hsd_sorter_finish(r->later, 0, err));
    while ((status = hsd_sorter_next(r->later, &record, err)) == HSD_OK) {
        if (target != (uint32_t)(record[0] >> 32)) {
            target = (uint32_t)(record[0] >> 32);
            top = HSD_BY_GROUP(hsd_by_group_of(s, target));
        }
        r->from = source_of(record);
        HSD_TRY(see_top(r, r->from.group, top, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* ---- */

static bool is_part(hsd_by_search *s, uint32_t node)
{
    return s->side->request->type_names->flags[hsd_paged_get_u32(&s->side->types_of, node)] & HSC_TYPE_PART;
}

/* A folded part has one owner, and is met by it and its other parts alone. A pseudo object of a part's type may be met
 * by several: then it is looked through again for each. */
static hsd_status meet_part(refer *r, uint32_t group, uint32_t target, hsd_error *err)
{
    hsd_paged_set_u32(&r->s->group_of, hsd_by_slot(r->s, target), group);
    return hsd_worklist_push(&r->parts, target, err);
}

/* A pseudo object as a top of a fork; 0 = there are more than the capture says. */
static uint32_t find_pseudo(hsd_by_search *s, uint32_t first, uint32_t fork)
{
    while (first != 0) {
        if (hsd_by_group_at(s, first)->fork == fork) return first;
        first = hsd_by_top_at(s, first)->next;
    }
    return 0;
}

static hsd_status new_pseudo(refer *r, uint32_t target, uint32_t first, uint32_t fork, uint32_t *out, hsd_error *err)
{
    hsd_by_search *s = r->s;
    if (s->group_count >= s->group_room) return HSD_OK;
    *out = ++s->group_count;
    if (s->looks != NULL) s->looks[*out] = (uint8_t)(fork | HSD_BY_LOOK_PSEUDO);
    hsd_by_group *group = hsd_by_group_write(s, *out);
    group->fork = (uint8_t)fork;
    group->flags = HSD_BY_IS_PSEUDO;
    hsd_by_top *top = hsd_by_top_write(s, *out);
    top->name = target;
    top->next = first;
    hsd_paged_set_u32(&s->group_of, hsd_by_slot(s, target), *out | HSD_BY_TOP);
    return hsd_worklist_push(&r->pseudo, *out, err);
}

/* Another object that the tree does not have: a top of each fork in which the source lies. */
static hsd_status see_pseudo(refer *r, uint32_t group, uint32_t target, hsd_error *err)
{
    hsd_by_search *s = r->s;
    for (uint32_t steps = 0; group != 0 && steps <= HSD_BY_FORKS; steps++) {
        const uint32_t fork = fork_of(s, group), first = HSD_BY_GROUP(hsd_by_group_of(s, target));
        uint32_t top = find_pseudo(s, first, fork);
        if (top == 0) HSD_TRY(new_pseudo(r, target, first, fork, &top, err));
        if (top != 0) HSD_TRY(see_top(r, group, top, err));
        group = hsd_by_group_above(s, group);
    }
    return HSD_OK;
}

static hsd_status see_joint_way(refer *r, uint32_t target, hsd_error *err)
{
    hsd_by_search *s = r->s;
    const uint32_t group = r->from.group;
    if (hsd_bit_get(s->is_plain, target)) return HSD_OK;
    if (r->later != NULL && hsd_bit_get(r->is_top, target)) return put_later(r, target, err);
    const uint32_t word = hsd_by_group_of(s, target);
    if (word == group) return HSD_OK;
    if (is_hidden(s, target, word))
        return is_part(s, target) ? meet_part(r, group, target, err) : see_pseudo(r, group, target, err);
    return see_top(r, group, HSD_BY_GROUP(word), err);
}

/* What `node` refers to, told of the source: the node itself, or the object that it is a part of. */
static hsd_status see_all(refer *r, uint32_t node, hsd_error *err)
{
    hsd_by_search *s = r->s;
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(s->side->adjacency, node)) return HSD_OK;
    hsd_adjacency_get(s->side->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            HSD_TRY(see_joint_way(r, targets.items[i], err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(s->side->adjacency, &targets);
    }
}

static hsd_status see_with_parts(refer *r, uint32_t group, uint32_t node, hsd_error *err)
{
    take_source(r, group, node);
    HSD_TRY(see_all(r, node, err));
    while (!hsd_worklist_is_empty(&r->parts)) {
        uint32_t part;
        HSD_TRY(hsd_worklist_pop(&r->parts, &part, err));
        HSD_TRY(see_all(r, part, err));
    }
    return HSD_OK;
}

static hsd_status see_node(refer *r, uint32_t node, hsd_error *err)
{
    if (!hsd_bit_get(r->s->is_source, node)) return HSD_OK;
    const uint32_t word = hsd_by_group_of(r->s, node);
    uint32_t group = HSD_BY_GROUP(word);
    if (group == 0 || is_hidden(r->s, node, word)) return HSD_OK;
    HSD_TRY(see_with_parts(r, group, node, err));
    while (!hsd_worklist_is_empty(&r->pseudo)) {
        HSD_TRY(hsd_worklist_pop(&r->pseudo, &group, err));
        HSD_TRY(see_with_parts(r, group, hsd_by_top_at(r->s, group)->name, err));
    }
    return HSD_OK;
}

static hsd_status check_joint_way(const hsd_by_search *s, uint32_t node, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&s->group_of, err));
    HSD_TRY(hsd_by_groups_check(s, err));
    HSD_TRY(hsd_paged_check(&s->place_of, err));
    HSD_TRY(hsd_paged_check(&s->places, err));
    HSD_TRY(hsd_paged_check(&s->side->types_of, err));
    HSD_TRY(hsd_adjacency_check(s->side->adjacency, err));
    return hsd_progress(s->growth->pair->reporter, "finding what holds it together", node, s->side->node_count, err);
}

hsd_status hsd_by_refer(hsd_by_search *s, hsd_error *err)
{
    refer r = {.s = s};
    r.parts.file.fd = r.pseudo.file.fd = -1;
    hsd_status status = hsd_worklist_open(&r.parts, 0, &s->growth->pair->space, err);
    if (status == HSD_OK) status = hsd_worklist_open(&r.pseudo, 0, &s->growth->pair->space, err);
    if (status == HSD_OK) status = begin_later(&r, err);
    for (uint32_t node = 0; node < s->side->node_count && status == HSD_OK; node++) {
        status = see_node(&r, node, err);
        if (status == HSD_OK && (node & PROGRESS_STEPS) == 0) status = check_joint_way(s, node, err);
    }
    if (status == HSD_OK) status = see_later(&r, err);
    hsd_worklist_close(&r.parts);
    hsd_worklist_close(&r.pseudo);
    hsd_sorter_free(r.later);
    free(r.is_top);
    if (status == HSD_OK && s->has_columns) status = hsd_by_close_looks(s, err);
    HSD_TRY(status);
    HSD_TRY(check_joint_way(s, s->side->node_count, err));
    HSD_TRY(hsd_sorter_finish(s->pairs, 0, err));
    HSD_TRY(hsd_sorter_finish(s->seeds, 0, err));
    return s->has_columns ? hsd_by_settle_tells(s, err) : HSD_OK;
}

/* ---- who refers to whom, by groups ---- */

/* Pairs come in the order of their first group; equal ones are one. */
static hsd_status list_targets(hsd_by_search *s, hsd_error *err)
{
    const uint64_t *pair;
    uint64_t last = UINT64_MAX, count = 0;
    uint32_t group = 0;
    hsd_status status;
    while ((status = hsd_sorter_next(s->pairs, &pair, err)) == HSD_OK) {
        if (*pair == last) continue;
        last = *pair;
        while (group <= (uint32_t)(*pair >> 32))
            hsd_paged_set_u64(&s->starts, group++, count);
        hsd_paged_set_u32(&s->targets, count++, (uint32_t)*pair);
    }
    if (status != HSD_END) return status;
    while (group <= s->group_count + 1)
        hsd_paged_set_u64(&s->starts, group++, count);
    HSD_TRY(hsd_paged_check(&s->starts, err));
    return hsd_paged_check(&s->targets, err);
}

hsd_status hsd_by_list_targets(hsd_by_search *s, hsd_error *err)
{
    hsd_temp_space *space = &s->growth->pair->space;
    const uint64_t starts = ((uint64_t)s->group_count + 2) * sizeof(uint64_t),
                   targets = (hsd_sorter_count(s->pairs) + 1) * sizeof(uint32_t);
    const uint64_t memory = s->has_columns ? 0 : s->memory_bytes / 16; /* they are read in order then */
    HSD_TRY(hsd_paged_open(&s->starts, starts, hsd_max_u64(memory, hsd_paged_least_bytes(starts)), space, err));
    HSD_TRY(hsd_paged_open(&s->targets, targets, hsd_max_u64(memory, hsd_paged_least_bytes(targets)), space, err));
    return list_targets(s, err);
}
