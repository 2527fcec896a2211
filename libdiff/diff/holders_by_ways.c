/*
 * Which branches reach which tops. References are read once, in the order of their sources. The tree does not have all objects: a folded
 * part is where its owner is, and what it refers to counts for that one. A pseudo object is a top without bytes of each fork from within
 * which it is referred to; for each it is looked through once, and there tells of that fork's tops alone.
 */
#include "diff/holders_by.h"

#include <string.h>

#include "base/check.h"
#include <hscapture/hscapture.h>

#define PROGRESS_STEPS 0xffffu

typedef struct refer {
    hsd_by_search *s;
    hsd_worklist parts;   /* folded ones of the object at hand */
    hsd_worklist pseudo;  /* groups of those that were just met */
    uint64_t last;       /* pair */
} refer;

/* True if the tree does not have the node; `word` is its group's. */
static bool is_hidden(hsd_by_search *s, uint32_t node, uint32_t word)
{
    if (hsd_bit_get(s->is_plain, node)) return false;
    return (word & HSD_BY_TOP) == 0 || (hsd_by_group_at(s, HSD_BY_GROUP(word), false)->flags & HSD_BY_IS_PSEUDO);
}

/* The group of the next fork outward in which a group lies; 0 = in none. A pseudo object is a top of each. */
static uint32_t group_above(hsd_by_search *s, uint32_t group)
{
    const hsd_by_group *at = hsd_by_group_at(s, group, false);
    return at->flags & HSD_BY_IS_PSEUDO ? 0 : s->forks[at->fork].group;
}

/* The group of a fork in which another one lies; 0 = in none. */
static uint32_t climb(hsd_by_search *s, uint32_t group, uint32_t fork)
{
    for (uint32_t steps = 0; group != 0 && steps <= HSD_BY_HOLDERS; steps++) {
        if (hsd_by_group_at(s, group, false)->fork == fork) return group;
        group = group_above(s, group);
    }
    return 0;
}

static void tell_branch(hsd_by_search *s, uint32_t source, uint32_t branch, uint64_t bytes)
{
    hsd_by_group *group = hsd_by_group_at(s, branch, true);
    if ((group->flags & HSD_BY_IS_BRANCH) == 0) return;
    group->bytes = hsd_add_saturating(group->bytes, bytes);
    if (group->count < UINT32_MAX) group->count++;
    const uint32_t place = hsd_paged_get_u32(&s->place_of, source);
    if (place == 0) return;
    hsd_by_place *at = hsd_by_place_at(s, place, true);
    if (at->count < UINT32_MAX) at->count++;
}

/* The branch or top that refers to a top of the same fork; 0 = it is that top itself. A branch that is referred to is told nothing. */
static uint32_t tell_top(hsd_by_search *s, uint32_t source, uint32_t group, uint32_t top)
{
    const hsd_by_group *to = hsd_by_group_at(s, top, false);
    const bool is_branch = to->flags & HSD_BY_IS_BRANCH;
    const uint64_t bytes = to->bytes;
    const uint32_t from = climb(s, group, to->fork);
    if (from == 0 || from == top) return 0;
    if (!is_branch) tell_branch(s, source, from, bytes);
    return from;
}

static hsd_status see_top(refer *r, uint32_t source, uint32_t group, uint32_t top, hsd_error *err)
{
    const uint32_t from = tell_top(r->s, source, group, top);
    const uint64_t pair = (uint64_t)from << 32 | top;
    if (from == 0) return HSD_OK;
    if (pair == r->last) return HSD_OK;
    r->last = pair;
    return hsd_sorter_put(r->s->pairs, &pair, err);
}

static bool is_part(hsd_by_search *s, uint32_t node)
{
    return s->side->type_names->flags[hsd_paged_get_u32(&s->side->types_of, node)] & HSC_TYPE_PART;
}

/* A folded part has one owner, and is met by it and its other parts alone. A pseudo object of a part's type may be met by several:
 * then it is looked through again for each. */
static hsd_status meet_part(refer *r, uint32_t group, uint32_t target, hsd_error *err)
{
    hsd_paged_set_u32(&r->s->group_of, target, group);
    return hsd_worklist_push(&r->parts, target, err);
}

/* A pseudo object as a top of a fork; 0 = there are more than the capture says. */
static uint32_t find_pseudo(hsd_by_search *s, uint32_t first, uint32_t fork)
{
    while (first != 0) {
        const hsd_by_group *top = hsd_by_group_at(s, first, false);
        if (top->fork == fork) return first;
        first = top->next;
    }
    return 0;
}

static hsd_status new_pseudo(refer *r, uint32_t target, uint32_t first, uint32_t fork, uint32_t *out, hsd_error *err)
{
    hsd_by_search *s = r->s;
    if (s->group_count >= s->group_room) return HSD_OK;
    *out = ++s->group_count;
    hsd_by_group *top = hsd_by_group_at(s, *out, true);
    top->fork = (uint8_t)fork;
    top->flags = HSD_BY_IS_PSEUDO;
    top->name = target;
    top->next = first;
    hsd_paged_set_u32(&s->group_of, target, *out | HSD_BY_TOP);
    return hsd_worklist_push(&r->pseudo, *out, err);
}

/* Another object that the tree does not have: a top of each fork in which `source` lies. */
static hsd_status see_pseudo(refer *r, uint32_t source, uint32_t group, uint32_t target, hsd_error *err)
{
    hsd_by_search *s = r->s;
    for (uint32_t steps = 0; group != 0 && steps <= HSD_BY_HOLDERS; steps++) {
        const uint32_t fork = hsd_by_group_at(s, group, false)->fork, first = HSD_BY_GROUP(hsd_paged_get_u32(&s->group_of, target));
        uint32_t top = find_pseudo(s, first, fork);
        if (top == 0) HSD_TRY(new_pseudo(r, target, first, fork, &top, err));
        if (top != 0) HSD_TRY(see_top(r, source, group, top, err));
        group = group_above(s, group);
    }
    return HSD_OK;
}

static hsd_status see(refer *r, uint32_t source, uint32_t group, uint32_t target, hsd_error *err)
{
    hsd_by_search *s = r->s;
    if (hsd_bit_get(s->is_plain, target)) return HSD_OK;
    const uint32_t word = hsd_paged_get_u32(&s->group_of, target);
    if (word == group) return HSD_OK;
    if (is_hidden(s, target, word)) return is_part(s, target) ? meet_part(r, group, target, err) : see_pseudo(r, source, group, target, err);
    return see_top(r, source, group, HSD_BY_GROUP(word), err);
}

/* What `node` refers to, told of `source`: the node itself, or the object that it is a part of. */
static hsd_status see_all(refer *r, uint32_t source, uint32_t group, uint32_t node, hsd_error *err)
{
    hsd_by_search *s = r->s;
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(s->side->adjacency, node)) return HSD_OK;
    hsd_adjacency_get(s->side->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++) HSD_TRY(see(r, source, group, targets.items[i], err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(s->side->adjacency, &targets);
    }
}

static hsd_status see_with_parts(refer *r, uint32_t group, uint32_t node, hsd_error *err)
{
    uint32_t part;
    hsd_status status;
    HSD_TRY(see_all(r, node, group, node, err));
    while ((status = hsd_worklist_pop(&r->parts, &part, err)) == HSD_OK) HSD_TRY(see_all(r, node, group, part, err));
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status see_node(refer *r, uint32_t node, hsd_error *err)
{
    hsd_status status;
    if (hsd_adjacency_is_leaf(r->s->side->adjacency, node)) return HSD_OK;
    const uint32_t word = hsd_paged_get_u32(&r->s->group_of, node);
    uint32_t group = HSD_BY_GROUP(word);
    if (group == 0 || is_hidden(r->s, node, word)) return HSD_OK;
    HSD_TRY(see_with_parts(r, group, node, err));
    while ((status = hsd_worklist_pop(&r->pseudo, &group, err)) == HSD_OK)
        HSD_TRY(see_with_parts(r, group, hsd_by_group_at(r->s, group, false)->name, err));
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status check(const hsd_by_search *s, uint32_t node, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&s->group_of, err));
    HSD_TRY(hsd_paged_check(&s->groups, err));
    HSD_TRY(hsd_paged_check(&s->place_of, err));
    HSD_TRY(hsd_paged_check(&s->places, err));
    HSD_TRY(hsd_paged_check(&s->side->types_of, err));
    HSD_TRY(hsd_adjacency_check(s->side->adjacency, err));
    return hsd_progress(s->growth->c->reporter, "finding what holds it together", node, s->side->node_count, err);
}

hsd_status hsd_by_refer(hsd_by_search *s, hsd_error *err)
{
    refer r = {.s = s};
    r.parts.file.fd = r.pseudo.file.fd = -1;
    hsd_status status = hsd_worklist_open(&r.parts, 0, &s->growth->c->space, err);
    if (status == HSD_OK) status = hsd_worklist_open(&r.pseudo, 0, &s->growth->c->space, err);
    for (uint32_t node = 0; node < s->side->node_count && status == HSD_OK; node++) {
        status = see_node(&r, node, err);
        if (status == HSD_OK && (node & PROGRESS_STEPS) == 0) status = check(s, node, err);
    }
    hsd_worklist_close(&r.parts);
    hsd_worklist_close(&r.pseudo);
    HSD_TRY(status);
    HSD_TRY(check(s, s->side->node_count, err));
    return hsd_sorter_finish(s->pairs, 0, err);
}

/* ---- masks climb ---- */

typedef struct spread {
    hsd_by_search *s;
    hsd_paged starts;  /* u64 a group, and one behind: its first target */
    hsd_paged targets; /* u32 a pair */
    hsd_worklist list;
    uint64_t bits;     /* that climb now */
} spread;

/* Pairs come in the order of their first group; equal ones are one. */
static hsd_status list_targets(spread *sp, hsd_error *err)
{
    hsd_by_search *s = sp->s;
    const uint64_t *pair;
    uint64_t last = UINT64_MAX, count = 0;
    uint32_t group = 0;
    hsd_status status;
    while ((status = hsd_sorter_next(s->pairs, &pair, err)) == HSD_OK) {
        if (*pair == last) continue;
        last = *pair;
        while (group <= (uint32_t)(*pair >> 32)) hsd_paged_set_u64(&sp->starts, group++, count);
        hsd_paged_set_u32(&sp->targets, count++, (uint32_t)*pair);
    }
    if (status != HSD_END) return status;
    while (group <= s->group_count + 1) hsd_paged_set_u64(&sp->starts, group++, count);
    HSD_TRY(hsd_paged_check(&sp->starts, err));
    return hsd_paged_check(&sp->targets, err);
}

/* Into branches climbs nothing but the mark of the first round, and what has that takes nothing from what has not. */
static uint64_t told_bits(const spread *sp, const hsd_by_group *to, uint64_t mask)
{
    if (to->flags & HSD_BY_IS_BRANCH) return mask & HSD_BY_PRIMARY & sp->bits;
    return (to->mask & HSD_BY_PRIMARY) && !(mask & HSD_BY_PRIMARY) ? 0 : mask & sp->bits;
}

static hsd_status tell_targets(spread *sp, uint32_t group, hsd_error *err)
{
    const uint64_t mask = hsd_by_group_at(sp->s, group, false)->mask;
    const uint64_t end = hsd_paged_get_u64(&sp->starts, (uint64_t)group + 1);
    for (uint64_t i = hsd_paged_get_u64(&sp->starts, group); i < end; i++) {
        const uint32_t top = hsd_paged_get_u32(&sp->targets, i);
        const hsd_by_group *to = hsd_by_group_at(sp->s, top, false);
        const uint64_t bits = told_bits(sp, to, mask);
        if ((to->mask | bits) == to->mask) continue;
        hsd_by_group_at(sp->s, top, true)->mask |= bits;
        HSD_TRY(hsd_worklist_push(&sp->list, top, err));
    }
    return HSD_OK;
}

static hsd_status run_dry(spread *sp, uint32_t from, hsd_error *err)
{
    hsd_status status;
    uint32_t group;
    HSD_TRY(tell_targets(sp, from, err));
    while ((status = hsd_worklist_pop(&sp->list, &group, err)) == HSD_OK) HSD_TRY(tell_targets(sp, group, err));
    return status == HSD_END ? HSD_OK : status;
}

/* Climbs from the branches with one of the flags. */
static hsd_status climb_from(spread *sp, uint32_t flags, uint64_t bits, hsd_error *err)
{
    sp->bits = bits;
    for (uint32_t i = 1; i <= sp->s->group_count; i++) {
        if (hsd_by_group_at(sp->s, i, false)->flags & flags) HSD_TRY(run_dry(sp, i, err));
    }
    HSD_TRY(hsd_paged_check(&sp->starts, err));
    HSD_TRY(hsd_paged_check(&sp->targets, err));
    return hsd_paged_check(&sp->s->groups, err);
}

static hsd_status climb_all(spread *sp, hsd_error *err)
{
    if (sp->s->has_secondary) HSD_TRY(climb_from(sp, HSD_BY_IS_PRIMARY, HSD_BY_PRIMARY, err));
    return climb_from(sp, HSD_BY_IS_BRANCH, ~HSD_BY_PRIMARY, err);
}

static hsd_status open_all(spread *sp, hsd_error *err)
{
    hsd_by_search *s = sp->s;
    hsd_temp_space *space = &s->growth->c->space;
    const uint64_t starts = ((uint64_t)s->group_count + 2) * sizeof(uint64_t), targets = (hsd_sorter_count(s->pairs) + 1) * sizeof(uint32_t);
    const uint64_t memory = s->growth->memory_bytes / 8;
    HSD_TRY(hsd_paged_open(&sp->starts, starts, hsd_max_u64(memory, hsd_paged_least_bytes(starts)), space, err));
    HSD_TRY(hsd_paged_open(&sp->targets, targets, hsd_max_u64(memory, hsd_paged_least_bytes(targets)), space, err));
    return hsd_worklist_open(&sp->list, memory / 4, space, err);
}

hsd_status hsd_by_spread(hsd_by_search *s, hsd_error *err)
{
    spread sp = {.s = s};
    sp.starts.file.fd = sp.targets.file.fd = sp.list.file.fd = -1;
    hsd_status status = open_all(&sp, err);
    if (status == HSD_OK) status = list_targets(&sp, err);
    if (status == HSD_OK) status = climb_all(&sp, err);
    hsd_paged_close(&sp.starts);
    hsd_paged_close(&sp.targets);
    hsd_worklist_close(&sp.list);
    return status;
}
