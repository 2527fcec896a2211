/*
 * The rung of places. The type of an object has to come into the hash, and types are read in order of positions:
 *
 *      (name, position) by position ──► (name and type, position) by hash ──► walk of both sides
 *                                                                               │ (a, b), once for each root
 *                                            pairs that roots agree on (seeds/agree.c) ◄──
 */
#include "base/assert.h"
#include "base/mix.h"
#include "match/seeds/parts.h"

#define PLACE_SEED UINT64_C(0x706c6163650004)

/* ---- the type comes into the hash ---- */

/* (hash, position) -> (position, hash) */
static hsd_status turn(hsd_sorter *from, hsd_sorter *to, hsd_error *err)
{
    for (;;) {
        const uint64_t *record;
        const hsd_status status = hsd_sorter_next(from, &record, err);
        if (status == HSD_END) return hsd_sorter_finish(to, 0, err);
        HSD_TRY(status);
        HSD_TRY(hsd_sorter_put(to, (const uint64_t[]){record[1], record[0]}, err));
    }
}

/* Whatever stands at a place: of a type, and the same one as long as it has a name or a key. */
static uint64_t typed(uint64_t place, const hsd_element *element)
{
    const uint64_t hash = hsd_mix(hsd_mix(PLACE_SEED, place), element->type);
    return hsd_element_is_anchor(element) ? hsd_mix(hash, element->structure) : hash;
}

/* (position, hash) -> (hash with type, position) */
static hsd_status add_types(hsd_sequence *sequence, hsd_sorter *from, hsd_sorter *to, hsd_error *err)
{
    for (;;) {
        const uint64_t *record;
        const hsd_status status = hsd_sorter_next(from, &record, err);
        if (status == HSD_END) return hsd_sorter_finish(to, 0, err);
        HSD_TRY(status);
        hsd_element element;
        hsd_sequence_read(sequence, (hsd_node)record[0], 1, &element);
        HSD_TRY(hsd_sorter_put(to, (const uint64_t[]){typed(record[1], &element), record[0]}, err));
    }
}

static hsd_status turn_places(hsd_sequence *sequence, hsd_sorter *turned, hsd_sorter **typed,
                              const hsd_seeds_config *config, hsd_error *err)
{
    HSD_TRY(turn(sequence->places, turned, err));
    HSD_TRY(hsd_seed_sorter(config, 2, typed, err));
    return add_types(sequence, turned, *typed, err);
}

/* `*typed` gets the places by name and type, also on failure. */
static hsd_status sort_places(hsd_sequence *sequence, hsd_sorter **typed, const hsd_seeds_config *config,
                              hsd_error *err)
{
    hsd_sorter *turned;
    HSD_TRY(hsd_seed_sorter(config, 2, &turned, err));
    const hsd_status status = turn_places(sequence, turned, typed, config, err);
    hsd_sorter_free(turned);
    return status;
}

static hsd_status propose(void *context, hsd_node at_a, hsd_node at_b, hsd_error *err)
{
    return hsd_sorter_put(context, (const uint64_t[]){at_a, at_b}, err);
}

/* ---- the rung ---- */

typedef struct work {
    hsd_sorter *in_a, *in_b; /* places by name and type */
    hsd_sorter *proposals;   /* (a, b) */
} work;

static hsd_status find_seed_place(work *w, hsd_sequence *a, hsd_sequence *b, const hsd_seeds_config *config,
                                  uint64_t *pairs, hsd_error *err)
{
    HSD_TRY(sort_places(a, &w->in_a, config, err));
    HSD_TRY(sort_places(b, &w->in_b, config, err));
    HSD_TRY(hsd_seed_sorter(config, 2, &w->proposals, err));
    const hsd_seed_walk walk = {
        .a = w->in_a, .b = w->in_b, .found = propose, .context = w->proposals, .reporter = config->reporter};
    HSD_TRY(hsd_seeds_walk(&walk, err));
    return hsd_seeds_agree(a, b, w->proposals, HSD_RUNG_PLACE, config, pairs, err);
}

hsd_status hsd_seeds_places(hsd_sequence *a, hsd_sequence *b, const hsd_seeds_config *config, uint64_t *pairs,
                            hsd_error *err)
{
    HSD_ASSERT(config->memory_bytes >= HSD_SEEDS_LEAST_BYTES);
    HSD_ASSERT(a->places != NULL && b->places != NULL);
    work w = {0};
    *pairs = 0;
    if (a->places == NULL || b->places == NULL) return HSD_OK;
    const hsd_status status = find_seed_place(&w, a, b, config, pairs, err);
    hsd_sorter_free(w.proposals);
    hsd_sorter_free(w.in_b);
    hsd_sorter_free(w.in_a);
    return status;
}
