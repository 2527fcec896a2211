/*
 * Joins of two sorted streams. A hash that belongs to one object only on either side makes a pair; a record that is
 * there twice is still one object.
 *
 * That two hashes are equal is taken as proof: a pair is wrong by accident once in 2^64 / (objects of a x objects of b),
 * 2^-18 for ten million on each side. So the types of a pair are equal too where the hash holds the type.
 */
#include "match/seeds.h"

#include "base/check.h"
#include "match/join.h"

#define PLACE_SEED UINT64_C(0x706c6163650004)
#define PAIR_WORDS 2u
#define PROGRESS_STEPS 0xffffu

/* ---- streams of (hash, position) ---- */

typedef struct stream {
    hsd_sorter *sorter;
    uint64_t hash; /* of the record at the front */
    uint32_t position;
    bool is_at_end;
} stream;

static hsd_status advance(stream *s, hsd_error *err)
{
    const uint64_t *record;
    const hsd_status status = hsd_sorter_next(s->sorter, &record, err);
    s->is_at_end = status != HSD_OK;
    if (s->is_at_end) return status == HSD_END ? HSD_OK : status;
    s->hash = record[0];
    s->position = (uint32_t)record[1];
    return HSD_OK;
}

/* Goes behind all records of the hash at the front; `shared` gets a bit for each if it is given. True in `is_one` if
 * all were of one object. */
static hsd_status pass_group(stream *s, uint8_t *shared, bool *is_one, hsd_error *err)
{
    const uint64_t hash = s->hash;
    const uint32_t first = s->position;
    *is_one = true;
    do {
        if (shared != NULL) shared[s->position >> 3] |= (uint8_t)(1u << (s->position & 7));
        if (s->position != first) *is_one = false;
        HSD_TRY(advance(s, err));
    } while (!s->is_at_end && s->hash == hash);
    return HSD_OK;
}

/* Both streams are at the same hash. */
static hsd_status join_group(hsd_join *join, stream *a, stream *b, bool mark_shared, hsd_error *err)
{
    const uint32_t at_a = a->position, at_b = b->position;
    bool is_one_a, is_one_b;
    HSD_TRY(pass_group(a, mark_shared ? join->a->is_shared : NULL, &is_one_a, err));
    HSD_TRY(pass_group(b, mark_shared ? join->b->is_shared : NULL, &is_one_b, err));
    return is_one_a && is_one_b ? hsd_join_put(join, at_a, at_b, err) : HSD_OK;
}

static hsd_status join_streams(hsd_join *join, stream *a, stream *b, bool mark_shared, hsd_error *err)
{
    const uint64_t total = hsd_sorter_count(a->sorter);
    HSD_TRY(advance(a, err));
    HSD_TRY(advance(b, err));
    for (uint64_t step = 0; !a->is_at_end && !b->is_at_end; step++) {
        if (a->hash < b->hash) HSD_TRY(advance(a, err));
        else if (a->hash > b->hash) HSD_TRY(advance(b, err));
        else HSD_TRY(join_group(join, a, b, mark_shared, err));
        if ((step & PROGRESS_STEPS) == 0)
            HSD_TRY(hsd_progress(join->config.reporter, "recognising objects", hsd_min_u64(step, total), total, err));
    }
    return hsd_join_finish(join, err);
}

/* ---- rungs of one hash ---- */

static hsd_join_config join_config(const hsd_seeds_config *config, uint64_t memory_bytes, hsd_rung rung)
{
    return (hsd_join_config){memory_bytes, config->space, config->reporter, rung};
}

static hsd_status join_sorters(hsd_sequence *a, hsd_sequence *b, hsd_sorter *in_a, hsd_sorter *in_b, bool mark_shared,
                               const hsd_join_config *config, uint64_t *pairs, hsd_error *err)
{
    hsd_join join = {0};
    stream from_a = {.sorter = in_a}, from_b = {.sorter = in_b};
    hsd_status status = hsd_join_begin(&join, a, b, config, err);
    if (status == HSD_OK) status = join_streams(&join, &from_a, &from_b, mark_shared, err);
    *pairs = join.pairs;
    hsd_join_release(&join);
    return status;
}

hsd_status hsd_seeds_unique(hsd_sequence *a, hsd_sequence *b, hsd_sorter *in_a, hsd_sorter *in_b, hsd_rung rung,
                            bool mark_shared, const hsd_seeds_config *config, uint64_t *pairs, hsd_error *err)
{
    const hsd_join_config join = join_config(config, config->memory_bytes, rung);
    *pairs = 0;
    if (in_a == NULL || in_b == NULL) return HSD_OK;
    return join_sorters(a, b, in_a, in_b, mark_shared, &join, pairs, err);
}

/* ---- places: the type of an object has to come into the hash ---- */

static hsd_status new_sorter(const hsd_seeds_config *config, hsd_sorter **out, hsd_error *err)
{
    const hsd_sorter_config sorter = {
        .record_words = PAIR_WORDS,
        .key_words = 1,
        .memory_bytes = (size_t)(config->memory_bytes / 4),
        .codec = HSD_RUN_DELTA,
        .space = config->space,
        .reporter = config->reporter,
    };
    return hsd_sorter_new(out, &sorter, err);
}

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
        const uint64_t hash = hsd_mix(hsd_mix(PLACE_SEED, record[1]), element.type);
        HSD_TRY(hsd_sorter_put(to, (const uint64_t[]){hash, record[0]}, err));
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
static hsd_status sort_places(hsd_sequence *sequence, hsd_sorter **typed, const hsd_seeds_config *config, hsd_error *err)
{
    hsd_sorter *turned;
    HSD_TRY(new_sorter(config, &turned, err));
    const hsd_status status = turn_places(sequence, turned, typed, config, err);
    hsd_sorter_free(turned);
    return status;
}

hsd_status hsd_seeds_places(hsd_sequence *a, hsd_sequence *b, const hsd_seeds_config *config, uint64_t *pairs,
                            hsd_error *err)
{
    const hsd_join_config join = join_config(config, config->memory_bytes / 2, HSD_RUNG_PLACE);
    hsd_sorter *in_a = NULL, *in_b = NULL;
    *pairs = 0;
    if (a->places == NULL || b->places == NULL) return HSD_OK;
    hsd_status status = sort_places(a, &in_a, config, err);
    if (status == HSD_OK) status = sort_places(b, &in_b, config, err);
    if (status == HSD_OK) status = join_sorters(a, b, in_a, in_b, false, &join, pairs, err);
    hsd_sorter_free(in_a);
    hsd_sorter_free(in_b);
    return status;
}
