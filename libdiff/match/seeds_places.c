/*
 * The rung of places. The type of an object has to come into the hash, and types are read in order of positions:
 *
 *      (name, position) by position ──► (name and type, position) by hash ──► walk of both sides
 *                                                                               │ (a, b), once for each root
 *      pairs ◄── (b, a) by b: those with one a only ◄── by a: those with one b only
 *
 * An object that one root takes for this one and another for that one is left to the rungs that know more, whichever
 * side is which.
 */
#include "base/mix.h"
#include "match/join.h"
#include "match/seeds_parts.h"

#define PLACE_SEED UINT64_C(0x706c6163650004)
#define PAIR_WORDS 2u
#define SORTERS 4u /* at a time; what is left is for the join */

static hsd_status new_sorter(const hsd_seeds_config *config, hsd_sorter **out, hsd_error *err)
{
    const hsd_sorter_config sorter = {
        .record_words = PAIR_WORDS,
        .key_words = 1,
        .memory_bytes = (size_t)(config->memory_bytes / (SORTERS + 2)),
        .codec = HSD_RUN_DELTA,
        .space = config->space,
        .reporter = config->reporter,
    };
    return hsd_sorter_new(out, &sorter, err);
}

static hsd_status put(hsd_sorter *sorter, uint64_t first, uint32_t second, hsd_error *err)
{
    return hsd_sorter_put(sorter, (const uint64_t[]){first, second}, err);
}

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
        hsd_sequence_read(sequence, (uint32_t)record[0], 1, &element);
        HSD_TRY(hsd_sorter_put(to, (const uint64_t[]){typed(record[1], &element), record[0]}, err));
    }
}

static hsd_status turn_places(hsd_sequence *sequence, hsd_sorter *turned, hsd_sorter **typed,
                              const hsd_seeds_config *config, hsd_error *err)
{
    HSD_TRY(turn(sequence->places, turned, err));
    HSD_TRY(new_sorter(config, typed, err));
    return add_types(sequence, turned, *typed, err);
}

/* `*typed` gets the places by name and type, also on failure. */
static hsd_status sort_places(hsd_sequence *sequence, hsd_sorter **typed, const hsd_seeds_config *config,
                              hsd_error *err)
{
    hsd_sorter *turned;
    HSD_TRY(new_sorter(config, &turned, err));
    const hsd_status status = turn_places(sequence, turned, typed, config, err);
    hsd_sorter_free(turned);
    return status;
}

/* ---- what roots agree on ---- */

static hsd_status propose(void *context, uint32_t at_a, uint32_t at_b, hsd_error *err)
{
    return put(context, at_a, at_b, err);
}

/* All proposals for one object of a. Where they disagree, no other object can have one of these of b either. */
static hsd_status turn_group(hsd_seed_stream *by_a, hsd_sorter *by_b, hsd_error *err)
{
    const uint64_t at_a = by_a->hash;
    const uint32_t first = by_a->position;
    bool is_one = true;
    do {
        if (by_a->position != first) {
            if (is_one) HSD_TRY(put(by_b, first, HSD_NO_POSITION, err));
            HSD_TRY(put(by_b, by_a->position, HSD_NO_POSITION, err));
            is_one = false;
        }
        HSD_TRY(hsd_seed_advance(by_a, err));
    } while (!by_a->is_at_end && by_a->hash == at_a);
    return is_one ? put(by_b, first, (uint32_t)at_a, err) : HSD_OK;
}

static hsd_status turn_proposals(hsd_sorter *proposals, hsd_sorter *by_b, hsd_error *err)
{
    hsd_seed_stream by_a = {.sorter = proposals};
    HSD_TRY(hsd_sorter_finish(proposals, 0, err));
    HSD_TRY(hsd_seed_advance(&by_a, err));
    while (!by_a.is_at_end) HSD_TRY(turn_group(&by_a, by_b, err));
    return hsd_sorter_finish(by_b, 0, err);
}

static hsd_status pair_agreed(hsd_join *join, hsd_sorter *agreed, hsd_error *err)
{
    hsd_seed_stream by_b = {.sorter = agreed};
    HSD_TRY(hsd_seed_advance(&by_b, err));
    while (!by_b.is_at_end) {
        const uint32_t at_b = (uint32_t)by_b.hash, at_a = by_b.position;
        bool is_one;
        HSD_TRY(hsd_seed_pass(&by_b, NULL, &is_one, err));
        if (is_one && at_a != HSD_NO_POSITION) HSD_TRY(hsd_join_put(join, at_a, at_b, err));
    }
    return hsd_join_finish(join, err);
}

/* ---- the rung ---- */

typedef struct work {
    hsd_sorter *in_a, *in_b;         /* places by name and type */
    hsd_sorter *proposals, *agreed;  /* (a, b), (b, a) */
    hsd_join join;
} work;

static hsd_status find(work *w, hsd_sequence *a, hsd_sequence *b, const hsd_seeds_config *config, hsd_error *err)
{
    const hsd_join_config into = {config->memory_bytes / (SORTERS + 2) * 2, config->space, config->reporter,
                                  HSD_RUNG_PLACE};
    HSD_TRY(sort_places(a, &w->in_a, config, err));
    HSD_TRY(sort_places(b, &w->in_b, config, err));
    HSD_TRY(new_sorter(config, &w->proposals, err));
    const hsd_seed_walk walk = {
        .a = w->in_a, .b = w->in_b, .found = propose, .context = w->proposals, .reporter = config->reporter};
    HSD_TRY(hsd_seeds_walk(&walk, err));
    HSD_TRY(new_sorter(config, &w->agreed, err));
    HSD_TRY(turn_proposals(w->proposals, w->agreed, err));
    HSD_TRY(hsd_join_begin(&w->join, a, b, &into, err));
    return pair_agreed(&w->join, w->agreed, err);
}

hsd_status hsd_seeds_places(hsd_sequence *a, hsd_sequence *b, const hsd_seeds_config *config, uint64_t *pairs,
                            hsd_error *err)
{
    work w = {0};
    *pairs = 0;
    if (a->places == NULL || b->places == NULL) return HSD_OK;
    const hsd_status status = find(&w, a, b, config, err);
    *pairs = w.join.pairs;
    hsd_join_release(&w.join);
    hsd_sorter_free(w.agreed);
    hsd_sorter_free(w.proposals);
    hsd_sorter_free(w.in_b);
    hsd_sorter_free(w.in_a);
    return status;
}
