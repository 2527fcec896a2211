/*
 * Which places are crowded: those with several holders of which none has most of what they grew by, added up whichever
 * way. What is small is left alone, and so is everything where crowds have a small part of all: the usual case is one
 * look at the sums.
 *
 * Kin (kin.h) are looked at likewise, all steps to one place together that lead to several kept objects. There
 * one has most from half on, but what all of them have is small: then most of the structure's growth is held above them
 * already, or elsewhere. Nodes that are reached by several ways are a crowd where they are two, be the first node what
 * has most of all: what leads into the structure holds it.
 */
#include "holders/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

#define PART_OF_CROWDS 20u    /* one part in so many of all that holders grew by is worth crediting once more */
#define PART_OF_ONE    100u   /* and of one crowd alone */
#define PART_OF_HEAP   4096u  /* less is not worth crediting anything once more */
#define PART_OF_PLACE  16384u /* and of one place to be among them */
#define MOST_OF_FIVE   4u     /* so many fifths are most of it: then that one is the holder */
#define LEAST_APART    16u    /* holders that are reached by several ways are alike only where they are many */
#define PART_OF_KIN    20u    /* what is a smaller part of all is small */
#define WAYS_IN        2      /* so many variables may lead into a structure: its first and its last */

enum { PLACES, KIN }; /* what a tally has sums of: the first word of its keys */

typedef struct best { /* of the holders of a place, or of kin, that one with the largest change */
    uint64_t of, place, bytes;
    bool is_node; /* of a place: a node of a structure that is reached from outside */
} best;

typedef struct crowds {
    hsd_growth *growth;
    best *best; /* ascending by place */
    uint32_t best_count;
    uint64_t all, bytes, largest; /* of all holders; of new crowds, and of one of them */
    uint32_t count;               /* of new crowds */
} crowds;

static int compare_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_best(const void *a, const void *b)
{
    const best *x = a, *y = b;
    int order = compare_u64(x->of, y->of);
    if (order == 0) order = compare_u64(x->place, y->place);
    if (order == 0) order = compare_u64(y->bytes, x->bytes);
    return order != 0 ? order : y->is_node - x->is_node;
}

static uint32_t type_of_step(const hsd_growth *growth, uint64_t place)
{
    const hsd_kin_count *before = hsd_kin_count_of(&growth->steps[BEFORE], hsd_kin_number(place)),
                        *after = hsd_kin_count_of(&growth->steps[AFTER], hsd_kin_number(place));
    return after->type != 0 ? after->type : before->type;
}

/* A node of a structure that is reached from outside. Where kin are the same on both sides, one side has them. */
static bool is_node(const hsd_growth *growth, const hsd_choice *choice, int side)
{
    const uint64_t kin = choice->kin[side] != 0 ? choice->kin[side] : choice->kin[!side];
    if (kin == 0 || !hsd_growth_is_apart(growth, kin)) return false;
    const uint32_t type = type_of_step(growth, kin);
    return type != 0 && growth->is_structure[type - 1];
}

/* One that is no choice has little. */
static hsd_status list_best(crowds *c, hsd_error *err)
{
    c->best = calloc((size_t)c->growth->choice_count * SIDE_COUNT * 2 + 1, sizeof *c->best);
    if (c->best == NULL) return hsd_fail_nomem(err, "the places of holders");
    for (uint32_t i = 0; i < c->growth->choice_count; i++) {
        const hsd_choice *choice = &c->growth->choices[i];
        for (int side = 0; choice->by == HSD_HELD_BY_OBJECT && side < SIDE_COUNT; side++) {
            const uint64_t bytes = hsd_choice_change(choice);
            if (choice->place[side] != 0)
                c->best[c->best_count++] = (best){PLACES, choice->place[side], bytes, is_node(c->growth, choice, side)};
            if (choice->kin[side] != 0) c->best[c->best_count++] = (best){KIN, choice->kin[side], bytes, false};
        }
    }
    qsort(c->best, c->best_count, sizeof *c->best, compare_best);
    return HSD_OK;
}

/* Keys come in ascending order. */
static best best_at(const crowds *c, const uint64_t *key, uint32_t *at)
{
    const best wanted = {key[0], key[1], UINT64_MAX, false};
    while (*at < c->best_count && compare_best(&c->best[*at], &wanted) < 0)
        (*at)++;
    return *at < c->best_count && c->best[*at].of == key[0] && c->best[*at].place == key[1]
               ? c->best[*at]
               : (best){key[0], key[1], 0, false};
}

static bool is_crowd(hsd_amount sum, const best *largest)
{
    const uint64_t least = (largest->place & 1) && !largest->is_node ? LEAST_APART : 2;
    return sum.objects >= least && largest->bytes < sum.bytes / 5 * MOST_OF_FIVE;
}

/* Every holder is in the sums of its places; of kin only some are. */
static hsd_status add_up_crowd(crowds *c, hsd_error *err)
{
    const uint64_t *key;
    hsd_amount sum;
    hsd_status status;
    while ((status = hsd_tally_next(c->growth->crowds, &key, &sum, err)) == HSD_OK && key[0] == PLACES)
        c->all = hsd_add_saturating(c->all, sum.bytes);
    if (status != HSD_END && status != HSD_OK) return status;
    for (uint32_t i = 0; i < c->growth->choice_count; i++) { /* roots */
        if (c->growth->choices[i].by != HSD_HELD_BY_OBJECT)
            c->all = hsd_add_saturating(c->all, hsd_choice_change(&c->growth->choices[i]));
    }
    return hsd_tally_rewind(c->growth->crowds, err);
}

/* At most half of its places are taken. */
static hsd_status make_set(hsd_growth *growth, hsd_error *err)
{
    uint32_t places = 16;
    while (places < 2 * growth->crowded_count)
        places *= 2;
    free(growth->crowded_set);
    growth->crowded_set = calloc(places, sizeof *growth->crowded_set);
    if (growth->crowded_set == NULL) return hsd_fail_nomem(err, "the places of holders");
    growth->crowded_mask = places - 1;
    for (uint32_t i = 0; i < growth->crowded_count; i++) {
        uint32_t at = hsd_growth_crowd_slot(growth, growth->crowded[i]);
        while (growth->crowded_set[at] != 0)
            at = (at + 1) & growth->crowded_mask;
        growth->crowded_set[at] = growth->crowded[i];
    }
    return HSD_OK;
}

/* Puts a crowd behind those that are known. */
static hsd_status put_crowd(crowds *c, uint64_t place, uint64_t bytes, hsd_error *err)
{
    c->bytes = hsd_add_saturating(c->bytes, bytes);
    c->largest = hsd_max_u64(c->largest, bytes);
    hsd_growth *growth = c->growth;
    HSD_TRY(HSD_ARRAY_GROW(growth->crowded, growth->crowded_capacity, (uint64_t)growth->crowded_count + c->count + 1,
                           16, "the places of holders", err));
    growth->crowded[growth->crowded_count + c->count++] = place;
    return HSD_OK;
}

/* ---- kin ---- */

typedef struct family { /* all kin of one place */
    uint64_t place;
    hsd_amount sum;
    uint64_t largest;
    uint64_t apart; /* the kin place of those reached from outside, where they are several; else 0 */
} family;

/* What both sides say of one step. */
typedef struct step_of_both {
    uint32_t number;
    const hsd_kin_count *before, *after;
} step_of_both;

/* All steps, those of after first, then what before alone has; `at` counts from 0. */
static bool next_step(const hsd_growth *growth, uint32_t *at, step_of_both *out)
{
    const hsd_kin_steps *before = &growth->steps[BEFORE], *after = &growth->steps[AFTER];
    while (++*at <= after->count + before->count) {
        const bool is_of_before = *at > after->count;
        const hsd_kin_count *own = is_of_before ? &before->counts[*at - after->count] : &after->counts[*at];
        *out = (step_of_both){own->number, hsd_kin_count_of(before, own->number), hsd_kin_count_of(after, own->number)};
        if (!is_of_before || out->after->type == 0) return true;
    }
    return false;
}

/* Of references that lead to a type: those by which several of its objects refer to one another, less those that lead
 * to few at all, but for what leads into a structure. */
static hsd_status find_structures(hsd_growth *growth, hsd_error *err)
{
    const uint32_t types = growth->pair->types.names.count;
    int32_t *balance = calloc((size_t)types + 1, sizeof *balance);
    growth->is_structure = calloc((size_t)types + 1, 1);
    if (balance == NULL || growth->is_structure == NULL) {
        free(balance);
        return hsd_fail_nomem(err, "the places of holders");
    }
    step_of_both step;
    for (uint32_t at = 0; next_step(growth, &at, &step);) {
        const uint32_t type = step.after->type != 0 ? step.after->type : step.before->type;
        if (step.before->is_apart || step.after->is_apart) continue;
        const bool are_again = (uint64_t)step.before->again + step.after->again >= HSD_KIN_LEAST;
        if (are_again) growth->is_structure[type - 1] = 1;
        balance[type - 1] += are_again ? 1 : (uint64_t)step.before->all + step.after->all < HSD_KIN_LEAST ? -1 : 0;
    }
    for (uint32_t i = 0; i < types; i++)
        growth->is_structure[i] = growth->is_structure[i] && balance[i] >= -WAYS_IN;
    free(balance);
    return HSD_OK;
}

/* From outside: nodes of a structure, or what nodes of one have each. */
static bool are_of_structure(const hsd_growth *growth, const hsd_kin_count *before, const hsd_kin_count *after)
{
    const hsd_kin_count *either = after->type != 0 ? after : before;
    return (either->type != 0 && growth->is_structure[either->type - 1]) ||
           (either->above != 0 && growth->is_structure[either->above - 1]);
}

/* Of each step in one word: it is asked once an object. At most half of the places are taken. */
static hsd_status find_kin_steps(hsd_growth *growth, hsd_error *err)
{
    uint32_t places = 16;
    while (places < 2 * (growth->steps[BEFORE].count + growth->steps[AFTER].count))
        places *= 2;
    growth->kin_steps = calloc(places, sizeof *growth->kin_steps);
    if (growth->kin_steps == NULL) return hsd_fail_nomem(err, "the places of holders");
    growth->kin_mask = places - 1;
    growth->kin_numbers = (growth->steps[AFTER].is_folded ? HSD_KIN_STEPS : HSD_KIN_NUMBERS) - 1;
    step_of_both step;
    for (uint32_t at = 0; next_step(growth, &at, &step);) {
        const bool is_apart = step.before->is_apart || step.after->is_apart;
        const bool are_kin = is_apart ? are_of_structure(growth, step.before, step.after)
                                      : (uint64_t)step.before->again + step.after->again >= HSD_KIN_LEAST;
        growth->kin_steps[hsd_growth_kin_slot(growth, step.number)] = (step.number + 1) << HSD_KIN_FLAG_BITS |
                                                                      (is_apart ? HSD_KIN_IS_APART : 0) |
                                                                      (are_kin ? HSD_KIN_ARE_KIN : 0);
    }
    return HSD_OK;
}

static hsd_status close_family(crowds *c, const family *f, hsd_error *err)
{
    if (f->sum.objects < 2 || f->sum.bytes < c->all / PART_OF_PLACE) return HSD_OK;
    if (f->sum.bytes >= c->all / PART_OF_KIN && f->largest >= f->sum.bytes / 2) return HSD_OK;
    if (f->apart != 0) HSD_TRY(put_crowd(c, f->apart, 0, err));
    return put_crowd(c, f->place, f->sum.bytes, err);
}

static hsd_status see_kin(crowds *c, family *f, uint64_t place, hsd_amount sum, uint64_t largest, hsd_error *err)
{
    if (f->place != hsd_kin_family(place)) {
        HSD_TRY(close_family(c, f, err));
        *f = (family){.place = hsd_kin_family(place)};
    }
    const bool is_apart = hsd_growth_is_apart(c->growth, place);
    /* one is the top of the rest */
    if (!hsd_growth_are_kin(c->growth, place) || (is_apart && sum.objects < 2)) return HSD_OK;
    if (is_apart) f->apart = place;
    f->sum.objects += sum.objects;
    f->sum.bytes = hsd_add_saturating(f->sum.bytes, sum.bytes);
    if (largest > f->largest) f->largest = largest;
    return HSD_OK;
}

static hsd_status list_crowds(crowds *c, hsd_error *err)
{
    const uint64_t *key;
    hsd_amount sum;
    hsd_status status;
    family kin = {.place = 0};
    uint32_t at = 0;
    while ((status = hsd_tally_next(c->growth->crowds, &key, &sum, err)) == HSD_OK) {
        const best largest = best_at(c, key, &at);
        if (key[0] == KIN) {
            HSD_TRY(see_kin(c, &kin, key[1], sum, largest.bytes, err));
            continue;
        }
        if (sum.bytes < c->all / PART_OF_PLACE || !is_crowd(sum, &largest)) continue;
        HSD_TRY(put_crowd(c, key[1], sum.bytes, err));
    }
    return status == HSD_END ? close_family(c, &kin, err) : status;
}

static bool do_matter(const crowds *c)
{
    const hsd_change *total = &c->growth->diff->total;
    if (c->count == 0 || c->bytes < hsd_max_u64(total->before.bytes, total->after.bytes) / PART_OF_HEAP) return false;
    return c->bytes >= c->all / PART_OF_CROWDS || c->largest >= c->all / PART_OF_ONE;
}

static hsd_status take_bits(hsd_growth *growth, hsd_error *err)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        if (growth->holds_nothing[side] != NULL) continue;
        growth->holds_nothing[side] = calloc((size_t)growth->pair->sides[side].object_count / 8 + 1, 1);
        if (growth->holds_nothing[side] == NULL) return hsd_fail_nomem(err, "one bit an object");
    }
    return HSD_OK;
}

static hsd_status find_crowd(crowds *c, bool *out, hsd_error *err)
{
    hsd_growth *growth = c->growth;
    HSD_TRY(hsd_tally_finish(growth->crowds, growth->memory_bytes / 16, err));
    if (growth->is_structure == NULL) {
        for (int side = 0; side < SIDE_COUNT; side++) /* both alike */
            if (growth->steps[side].is_folded) hsd_kin_fold(&growth->steps[!side]);
        HSD_TRY(find_structures(growth, err));
        HSD_TRY(find_kin_steps(growth, err));
    }
    HSD_TRY(add_up_crowd(c, err));
    HSD_TRY(list_best(c, err));
    HSD_TRY(list_crowds(c, err));
    *out = do_matter(c);
    if (!*out) return HSD_OK;
    growth->crowded_count += c->count;
    HSD_TRY(make_set(growth, err));
    return take_bits(growth, err);
}

hsd_status hsd_growth_find_crowds(hsd_growth *growth, bool *out, hsd_error *err)
{
    HSD_ASSERT(growth->crowds != NULL);
    crowds c = {.growth = growth};
    const hsd_status status = find_crowd(&c, out, err);
    free(c.best);
    return status;
}
