/*
 * Which places are crowded: those with several holders of which none has most of what they grew by, added up whichever way. What is
 * small is left alone, and so is everything where crowds have a small part of all: the usual case is one look at the sums.
 */
#include "diff/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define PART_OF_CROWDS 20u   /* one part in so many of all that holders grew by is worth crediting once more */
#define PART_OF_PLACE  16384u /* and of one place to be among them */
#define MOST_OF_FIVE   4u    /* so many fifths are most of it: then that one is the holder */
#define LEAST_APART    16u   /* holders that are reached by several ways are alike only where they are many */

typedef struct best { /* of the holders of a place that one with the largest change */
    uint64_t place, bytes;
} best;

typedef struct crowds {
    hsd_growth *growth;
    best *best; /* ascending by place */
    uint32_t best_count;
    uint64_t all;
} crowds;

static hsd_status no_memory(hsd_error *err) { return hsd_fail(err, HSD_E_NOMEM, "out of memory for the places of holders"); }

static int compare_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_places(const void *a, const void *b) { return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b); }

static int compare_best(const void *a, const void *b)
{
    const best *x = a, *y = b;
    const int order = compare_u64(x->place, y->place);
    return order != 0 ? order : compare_u64(y->bytes, x->bytes);
}

bool hsd_growth_is_crowded(const hsd_growth *growth, uint64_t place)
{
    return bsearch(&place, growth->crowded, growth->crowded_count, sizeof place, compare_places) != NULL;
}

/* One that is no choice has little. */
static hsd_status list_best(crowds *c, hsd_error *err)
{
    c->best = calloc((size_t)c->growth->choice_count * SIDE_COUNT + 1, sizeof *c->best);
    if (c->best == NULL) return no_memory(err);
    for (uint32_t i = 0; i < c->growth->choice_count; i++) {
        const hsd_choice *choice = &c->growth->choices[i];
        const int64_t net = hsd_choice_net(choice);
        for (int side = 0; choice->by == HSD_HELD_BY_OBJECT && side < SIDE_COUNT; side++) {
            if (choice->place[side] == 0) continue;
            c->best[c->best_count++] = (best){choice->place[side], net < 0 ? 0 - (uint64_t)net : (uint64_t)net};
        }
    }
    qsort(c->best, c->best_count, sizeof *c->best, compare_best);
    return HSD_OK;
}

/* Places come in ascending order. */
static uint64_t best_at(const crowds *c, uint64_t place, uint32_t *at)
{
    while (*at < c->best_count && c->best[*at].place < place) (*at)++;
    return *at < c->best_count && c->best[*at].place == place ? c->best[*at].bytes : 0;
}

static bool is_crowd(uint64_t place, hsd_amount sum, uint64_t largest)
{
    const uint64_t least = place & 1 ? LEAST_APART : 2;
    return sum.objects >= least && largest < sum.bytes / 5 * MOST_OF_FIVE;
}

static hsd_status add_up(crowds *c, hsd_error *err)
{
    const uint64_t *key;
    hsd_amount sum;
    hsd_status status;
    while ((status = hsd_tally_next(c->growth->crowds, &key, &sum, err)) == HSD_OK) c->all = hsd_add_saturating(c->all, sum.bytes);
    if (status != HSD_END) return status;
    for (uint32_t i = 0; i < c->growth->choice_count; i++) { /* roots */
        const int64_t net = hsd_choice_net(&c->growth->choices[i]);
        if (c->growth->choices[i].by != HSD_HELD_BY_OBJECT) c->all = hsd_add_saturating(c->all, net < 0 ? 0 - (uint64_t)net : (uint64_t)net);
    }
    return hsd_tally_rewind(c->growth->crowds, err);
}

/* Puts the crowded places behind those that are known, and tells how much they have. */
static hsd_status list_crowds(crowds *c, uint64_t *bytes, uint32_t *count, hsd_error *err)
{
    hsd_growth *growth = c->growth;
    const uint64_t *key;
    hsd_amount sum;
    hsd_status status;
    uint32_t at = 0;
    *bytes = *count = 0;
    while ((status = hsd_tally_next(growth->crowds, &key, &sum, err)) == HSD_OK) {
        const uint64_t place = key[0];
        if (sum.bytes < c->all / PART_OF_PLACE || !is_crowd(place, sum, best_at(c, place, &at))) continue;
        uint64_t *grown = realloc(growth->crowded, ((size_t)growth->crowded_count + *count + 1) * sizeof *grown);
        if (grown == NULL) return no_memory(err);
        growth->crowded = grown;
        grown[growth->crowded_count + (*count)++] = place;
        *bytes = hsd_add_saturating(*bytes, sum.bytes);
    }
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status take_bits(hsd_growth *growth, hsd_error *err)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        if (growth->holds_nothing[side] != NULL) continue;
        growth->holds_nothing[side] = calloc((size_t)growth->c->sides[side].object_count / 8 + 1, 1);
        if (growth->holds_nothing[side] == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for one bit an object");
    }
    return HSD_OK;
}

static hsd_status find(crowds *c, bool *out, hsd_error *err)
{
    hsd_growth *growth = c->growth;
    uint64_t bytes;
    uint32_t count;
    HSD_TRY(hsd_tally_finish(growth->crowds, growth->memory_bytes / 16, err));
    HSD_TRY(add_up(c, err));
    HSD_TRY(list_best(c, err));
    HSD_TRY(list_crowds(c, &bytes, &count, err));
    *out = count > 0 && bytes >= c->all / PART_OF_CROWDS;
    if (!*out) return HSD_OK;
    growth->crowded_count += count;
    qsort(growth->crowded, growth->crowded_count, sizeof *growth->crowded, compare_places);
    return take_bits(growth, err);
}

hsd_status hsd_growth_find_crowds(hsd_growth *growth, bool *out, hsd_error *err)
{
    crowds c = {.growth = growth};
    const hsd_status status = find(&c, out, err);
    free(c.best);
    return status;
}
