/*
 * Joins of two sorted streams. A hash that belongs to one object only on either side makes a pair; a record that is
 * there twice is still one object.
 *
 * That two hashes are equal is taken as proof: some pair is wrong by accident once in 2^64 / (objects of a x objects
 * of b) diffs, 180,000 where each side has ten million. So the types of a pair are equal where the hash holds the type.
 */
#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "match/join.h"
#include "match/seeds/parts.h"

#define PROGRESS_STEPS 0xffffu

/* Hashes lie in no order of positions: the bits of those that come are brought near together. */
static hsd_status read_ahead(hsd_seed_stream *s, hsd_error *err)
{
    s->next = s->count = 0;
    while (s->count < HSD_SEEDS_AHEAD) {
        const uint64_t *record;
        const hsd_status status = hsd_sorter_next(s->sorter, &record, err);
        if (status == HSD_END) break;
        HSD_TRY(status);
        s->ahead[s->count].hash = record[0];
        s->ahead[s->count++].position = (hsd_node)record[1];
        if (s->shared != NULL) __builtin_prefetch(&s->shared[(hsd_node)record[1] >> 3], 1);
        if (s->sequence != NULL) hsd_paged_prefetch_node(&s->sequence->partners, (hsd_node)record[1]);
    }
    s->is_at_end = s->count == 0;
    return HSD_OK;
}

hsd_status hsd_seed_advance(hsd_seed_stream *s, hsd_error *err)
{
    if (s->next == s->count) HSD_TRY(read_ahead(s, err));
    if (s->is_at_end) return HSD_OK;
    s->hash = s->ahead[s->next].hash;
    s->position = s->ahead[s->next++].position;
    return HSD_OK;
}

hsd_status hsd_seed_pass(hsd_seed_stream *s, uint8_t *shared, bool *is_one, hsd_error *err)
{
    const uint64_t hash = s->hash;
    const hsd_node first = s->position;
    *is_one = true;
    do {
        if (shared != NULL) hsd_bit_set(shared, s->position);
        if (s->position != first) *is_one = false;
        HSD_TRY(hsd_seed_advance(s, err));
    } while (!s->is_at_end && s->hash == hash);
    return HSD_OK;
}

/* Both streams are at the same hash. */
static hsd_status join_group(const hsd_seed_walk *walk, hsd_seed_stream *a, hsd_seed_stream *b, hsd_error *err)
{
    const hsd_node at_a = a->position, at_b = b->position;
    bool is_one_a, is_one_b;
    HSD_TRY(hsd_seed_pass(a, walk->shared_a, &is_one_a, err));
    HSD_TRY(hsd_seed_pass(b, walk->shared_b, &is_one_b, err));
    return is_one_a && is_one_b ? walk->found(walk->context, at_a, at_b, err) : HSD_OK;
}

hsd_status hsd_seeds_walk(const hsd_seed_walk *walk, hsd_error *err)
{
    const uint64_t total = hsd_sorter_count(walk->a) + hsd_sorter_count(walk->b);
    hsd_seed_stream a = {.sorter = walk->a, .shared = walk->shared_a, .sequence = walk->sequence_a},
                    b = {.sorter = walk->b, .shared = walk->shared_b, .sequence = walk->sequence_b};
    HSD_TRY(hsd_seed_advance(&a, err));
    HSD_TRY(hsd_seed_advance(&b, err));
    for (uint64_t step = 0; !a.is_at_end && !b.is_at_end; step++) {
        if (a.hash < b.hash)
            HSD_TRY(hsd_seed_advance(&a, err));
        else if (a.hash > b.hash)
            HSD_TRY(hsd_seed_advance(&b, err));
        else
            HSD_TRY(join_group(walk, &a, &b, err));
        if ((step & PROGRESS_STEPS) == 0)
            HSD_TRY(hsd_progress(walk->reporter, "recognising objects", step, total, err));
    }
    return HSD_OK;
}

static hsd_status found(void *context, hsd_node at_a, hsd_node at_b, hsd_error *err)
{
    return hsd_join_put(context, at_a, at_b, err);
}

static hsd_status walk_into(hsd_join *join, hsd_seed_walk *walk, hsd_error *err)
{
    walk->found = found;
    walk->context = join;
    if (join->waiting == NULL) {
        walk->sequence_a = join->a;
        walk->sequence_b = join->b;
    }
    HSD_TRY(hsd_seeds_walk(walk, err));
    return hsd_join_finish(join, err);
}

hsd_status hsd_seeds_unique(hsd_sequence *a, hsd_sequence *b, hsd_sorter *in_a, hsd_sorter *in_b, hsd_rung rung,
                            bool mark_shared, const hsd_seeds_config *config, uint64_t *pairs, hsd_error *err)
{
    HSD_ASSERT(rung > HSD_RUNG_NONE && rung < HSD_RUNG_COUNT);
    HSD_ASSERT(config->memory_bytes >= HSD_SEEDS_LEAST_BYTES);
    const hsd_join_config into = {config->memory_bytes, config->space, config->reporter, rung};
    hsd_join join = {0};
    hsd_seed_walk walk = {.a = in_a, .b = in_b, .reporter = config->reporter};
    *pairs = 0;
    if (in_a == NULL || in_b == NULL) return HSD_OK;
    if (mark_shared) {
        walk.shared_a = a->is_shared;
        walk.shared_b = b->is_shared;
    }
    hsd_status status = hsd_join_begin(&join, a, b, &into, err);
    if (status == HSD_OK) status = walk_into(&join, &walk, err);
    *pairs = join.pairs;
    hsd_join_release(&join);
    return status;
}
