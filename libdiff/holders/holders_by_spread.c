/*
 * Masks climb: candidates leave their bits in the tops that they refer to, and these go on from top to top until
 * nothing changes. Which groups still have something to tell is a bit each, and they are gone through in their order:
 * with little memory groups and what they refer to are then read in order, and only those that are referred to at
 * random.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "holders/holders_by.h"

#define PROGRESS_STEPS 0xffffu

/* ---- groups that wait ---- */

#define LEVELS 4u

/* A set of groups: a bit each, and a bit for each word that is not 0, and so on. The next one is found in a few steps,
 * however few there are. */
typedef struct waiting {
    uint64_t *words[LEVELS];
    size_t count[LEVELS];
} waiting;

static hsd_status waiting_open(waiting *w, uint32_t groups, hsd_error *err)
{
    size_t bits = (size_t)groups + 1;
    for (unsigned level = 0; level < LEVELS; level++) {
        w->count[level] = bits / 64 + 1;
        w->words[level] = calloc(w->count[level], sizeof **w->words);
        if (w->words[level] == NULL) return hsd_fail_nomem(err, "what holds together");
        bits = w->count[level];
    }
    return HSD_OK;
}

static void waiting_close(waiting *w)
{
    for (unsigned level = 0; level < LEVELS; level++)
        free(w->words[level]);
}

static void waiting_add(waiting *w, size_t at)
{
    for (unsigned level = 0; level < LEVELS; level++, at /= 64) {
        uint64_t *word = &w->words[level][at / 64];
        const bool was_there = *word != 0;
        *word |= UINT64_C(1) << at % 64;
        if (was_there) return;
    }
}

static void waiting_remove(waiting *w, size_t at)
{
    for (unsigned level = 0; level < LEVELS; level++, at /= 64) {
        uint64_t *word = &w->words[level][at / 64];
        *word &= ~(UINT64_C(1) << at % 64);
        if (*word != 0) return;
    }
}

/* The first one at or behind `at`, or SIZE_MAX. */
static size_t waiting_next(const waiting *w, size_t at)
{
    unsigned level = 0;
    for (;;) {
        const size_t word = at / 64;
        if (word >= w->count[level]) return SIZE_MAX;
        const uint64_t bits = w->words[level][word] & UINT64_MAX << at % 64;
        at = bits != 0 ? word * 64 + (size_t)__builtin_ctzll(bits) : level + 1 < LEVELS ? word + 1 : (word + 1) * 64;
        if (bits != 0) break;
        if (level + 1 < LEVELS) level++;
    }
    while (level-- > 0)
        at = at * 64 + (size_t)__builtin_ctzll(w->words[level][at]);
    return at;
}

/* ---- masks climb ---- */

/* Groups are gone through in their order, again and again, so what comes to one by several ways goes on together. */
typedef struct spread {
    hsd_by_search *s;
    waiting list;
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

static void tell_targets(spread *sp, uint32_t group)
{
    const hsd_by_group from = *hsd_by_group_at(sp->s, group);
    const uint64_t end = hsd_paged_get_u64(&sp->s->starts, (uint64_t)group + 1);
    for (uint64_t i = hsd_paged_get_u64(&sp->s->starts, group); i < end; i++) {
        const uint32_t word = hsd_paged_get_u32(&sp->s->targets, i), top = HSD_BY_GROUP(word);
        const hsd_by_group *to = hsd_by_group_at(sp->s, top);
        const uint64_t bits = told_bits(sp, &from, to) & (word & HSD_BY_FOR_MARK_ALONE ? HSD_BY_PRIMARY : ~UINT64_C(0));
        if ((to->mask | bits) == to->mask) continue;
        hsd_by_group_or(sp->s, top, offsetof(hsd_by_group, mask), bits);
        waiting_add(&sp->list, top);
    }
}

static hsd_status check_spread(const spread *sp, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&sp->s->starts, err));
    HSD_TRY(hsd_paged_check(&sp->s->targets, err));
    return hsd_paged_check(&sp->s->groups, err);
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
    for (uint32_t i = 1; i <= sp->s->group_count; i++)
        if (hsd_by_group_at(sp->s, i)->mask & bits) waiting_add(&sp->list, i);
    uint64_t steps = 0;
    for (size_t at = 0;;) {
        size_t group = waiting_next(&sp->list, at);
        if (group == SIZE_MAX && at > 0) group = waiting_next(&sp->list, 0);
        if (group == SIZE_MAX) return check_spread(sp, err);
        waiting_remove(&sp->list, group);
        tell_targets(sp, (uint32_t)group);
        if ((++steps & PROGRESS_STEPS) == 0) HSD_TRY(tick(sp, group, err));
        at = group + 1;
    }
}

/* The bit of a place, or of the one that is named for it. */
static uint64_t bit_of(const hsd_by_candidates *of, uint32_t named)
{
    for (uint32_t i = 0; i < of->count && named != 0; i++)
        if (of->list[i].place == named) return UINT64_C(1) << i;
    return HSD_BY_REST;
}

typedef struct sower { /* a place, and what it leaves in a fork */
    uint32_t number, fork;
    bool is_primary;
    uint64_t bit;
} sower;

static void find_sower(hsd_by_search *s, uint32_t number, uint32_t fork, sower *out)
{
    if (out->number == number && out->fork == fork) return;
    const hsd_by_place from = *hsd_by_place_at(s, number);
    const uint32_t group = hsd_by_climb(s, from.group, fork);
    *out = (sower){.number = number, .fork = fork, .bit = bit_of(&s->candidates[fork], from.named)};
    out->is_primary = group != 0 && (hsd_by_group_at(s, group)->mask & HSD_BY_PRIMARY) != 0;
}

static void sow_one(hsd_by_search *s, sower *from, uint32_t place, uint32_t top)
{
    const hsd_by_group *to = hsd_by_group_at(s, top);
    const uint64_t mask = to->mask;
    const uint8_t fork = to->fork, flags = to->flags;
    if (flags & HSD_BY_IS_CLOSED) return;
    find_sower(s, place, fork, from);
    if ((mask & HSD_BY_PRIMARY) && !from->is_primary) return;
    hsd_by_group_or(s, top, offsetof(hsd_by_group, mask), from->bit);
    if ((flags & HSD_BY_IS_PSEUDO) == 0) hsd_by_group_or(s, top, offsetof(hsd_by_group, direct), from->bit);
}

/* Candidates leave their places, which come in ascending order. */
static hsd_status sow(hsd_by_search *s, hsd_error *err)
{
    const uint64_t *seed;
    uint64_t last = UINT64_MAX;
    sower from = {.number = 0};
    hsd_status status;
    while ((status = hsd_sorter_next(s->seeds, &seed, err)) == HSD_OK) {
        if (*seed != last) sow_one(s, &from, (uint32_t)(*seed >> 32), (uint32_t)*seed);
        last = *seed;
    }
    if (status != HSD_END) return status;
    HSD_TRY(hsd_paged_check(&s->places, err));
    return hsd_paged_check(&s->groups, err);
}

static hsd_status climb_and_sow(spread *sp, hsd_error *err)
{
    if (sp->s->has_secondary) HSD_TRY(climb_all(sp, HSD_BY_PRIMARY, err));
    HSD_TRY(sow(sp->s, err));
    return climb_all(sp, ~HSD_BY_PRIMARY, err);
}

hsd_status hsd_by_spread(hsd_by_search *s, hsd_error *err)
{
    spread sp = {.s = s};
    hsd_status status = waiting_open(&sp.list, s->group_count, err);
    if (status == HSD_OK) status = climb_and_sow(&sp, err);
    waiting_close(&sp.list);
    return status;
}
