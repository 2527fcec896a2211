/*
 * Masks climb: candidates leave their bits in the tops that they refer to, and these go on from top to top until
 * nothing changes. Which groups still have something to tell is a bit each, and they are gone through in their order:
 * with little memory groups and what they refer to are then read in order, and only those that are referred to at
 * random. Where groups do not fit in memory nothing is (by/climb.c).
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "holders/by/waiting.h"

#define PROGRESS_STEPS 0xffffu

/* ---- masks climb ---- */

/* Groups are gone through in their order, again and again, so what comes to one by several ways goes on together. */
typedef struct spread {
    hsd_by_search *s;
    hsd_by_waiting list;
    uint64_t bits; /* that climb now */
} spread;

/* Out of what is closed goes no candidate, into it nothing but the mark of the first round; and what has that takes
 * nothing from what has not. */
static uint64_t told_bits(const spread *sp, const hsd_by_group *from, const hsd_by_group *to)
{
    const uint64_t out = from->flags & HSD_BY_IS_CLOSED ? HSD_BY_PRIMARY | HSD_BY_SELF : ~UINT64_C(0),
                   bits = from->mask & out & sp->bits;
    if (to->flags & HSD_BY_IS_CLOSED) return bits & HSD_BY_PRIMARY;
    return (to->mask & HSD_BY_PRIMARY) && !(from->mask & HSD_BY_PRIMARY) ? 0 : bits;
}

static void tell_targets(spread *sp, hsd_node group)
{
    const hsd_by_group from = *hsd_by_group_at(sp->s, group);
    const uint64_t end = hsd_paged_get_u64(&sp->s->starts, (uint64_t)group + 1);
    for (uint64_t i = hsd_paged_get_u64(&sp->s->starts, group); i < end; i++) {
        const hsd_node word = hsd_paged_get_node(&sp->s->targets, i), top = HSD_BY_GROUP(word);
        const hsd_by_group *to = hsd_by_group_at(sp->s, top);
        const uint64_t bits = told_bits(sp, &from, to) & (word & HSD_BY_FOR_MARK_ALONE ? HSD_BY_PRIMARY : ~UINT64_C(0));
        if ((to->mask | bits) == to->mask) continue;
        hsd_by_mask_or(sp->s, top, bits);
        hsd_by_waiting_add(&sp->list, top);
    }
}

static hsd_status check_spread(const spread *sp, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&sp->s->starts, err));
    HSD_TRY(hsd_paged_check(&sp->s->targets, err));
    return hsd_by_groups_check(sp->s, err);
}

static hsd_status tick(const spread *sp, size_t group, hsd_error *err)
{
    HSD_TRY(check_spread(sp, err));
    return hsd_progress(sp->s->growth->pair->reporter, "finding what holds it together", group, sp->s->group_count,
                        err);
}

static hsd_status climb_all(spread *sp, uint64_t bits, hsd_error *err)
{
    sp->bits = bits;
    for (hsd_node i = 1; i <= sp->s->group_count; i++)
        if (hsd_by_group_at(sp->s, i)->mask & bits) hsd_by_waiting_add(&sp->list, i);
    uint64_t steps = 0;
    for (size_t at = 0;;) {
        size_t group = hsd_by_waiting_next(&sp->list, at);
        if (group == SIZE_MAX && at > 0) group = hsd_by_waiting_next(&sp->list, 0);
        if (group == SIZE_MAX) return check_spread(sp, err);
        hsd_by_waiting_remove(&sp->list, group);
        tell_targets(sp, (hsd_node)group);
        if ((++steps & PROGRESS_STEPS) == 0) HSD_TRY(tick(sp, group, err));
        at = group + 1;
    }
}

/* The bit of a place, or of the one that is named for it. */
static uint64_t bit_of(const hsd_by_candidates *of, hsd_node named)
{
    for (uint32_t i = 0; i < of->count && named != 0; i++)
        if (of->list[i].place == named) return UINT64_C(1) << i;
    return HSD_BY_REST;
}

void hsd_by_find_sower(hsd_by_search *s, hsd_node number, uint32_t fork, hsd_by_sower *out)
{
    if (out->number == number && out->fork == fork) return;
    const hsd_by_place from = *hsd_by_place_at(s, number);
    const hsd_node group = hsd_by_climb(s, from.group, fork);
    *out = (hsd_by_sower){.number = number, .fork = fork, .bit = bit_of(&s->candidates[fork], from.named)};
    out->is_primary = group != 0 && (hsd_by_look(s, group) & HSD_BY_LOOK_PRIMARY) != 0;
}

static void sow_one(hsd_by_search *s, hsd_by_sower *from, hsd_node place, hsd_node top)
{
    const hsd_by_group *to = hsd_by_group_at(s, top);
    const uint64_t mask = to->mask;
    const uint8_t fork = to->fork, flags = to->flags;
    if (flags & HSD_BY_IS_CLOSED) return;
    hsd_by_find_sower(s, place, fork, from);
    if ((mask & HSD_BY_PRIMARY) && !from->is_primary) return;
    hsd_by_mask_or(s, top, from->bit);
    if ((flags & HSD_BY_IS_PSEUDO) == 0) hsd_by_direct_or(s, top, from->bit);
}

/* Candidates leave their places, which come in ascending order. */
static hsd_status sow(hsd_by_search *s, hsd_error *err)
{
    const uint64_t *seed;
    hsd_two last = hsd_two_of(HSD_NODE_MAX, HSD_NODE_MAX);
    hsd_by_sower from = {.number = 0};
    hsd_status status;
    while ((status = hsd_sorter_next(s->seeds, &seed, err)) == HSD_OK) {
        const hsd_node place = hsd_words_first(seed), top = hsd_words_second(seed);
        if (hsd_two_of(place, top) != last) sow_one(s, &from, place, top);
        last = hsd_two_of(place, top);
    }
    if (status != HSD_END) return status;
    HSD_TRY(hsd_paged_check(&s->places, err));
    return hsd_by_groups_check(s, err);
}

static hsd_status climb_and_sow(spread *sp, hsd_error *err)
{
    if (sp->s->has_secondary) HSD_TRY(climb_all(sp, HSD_BY_PRIMARY, err));
    HSD_TRY(sow(sp->s, err));
    return climb_all(sp, ~HSD_BY_PRIMARY, err);
}

hsd_status hsd_by_spread(hsd_by_search *s, hsd_error *err)
{
    if (s->has_columns) return hsd_by_spread_by_columns(s, err);
    spread sp = {.s = s};
    hsd_status status = hsd_by_waiting_open(&sp.list, s->group_count, err);
    if (status == HSD_OK) status = climb_and_sow(&sp, err);
    hsd_by_waiting_close(&sp.list);
    return status;
}
