/*
 * A whole says something where an object without a partner has it: it makes a pair if both have none, and tells what
 * has none whether its equal is on the other side. Where few are left a filter, two bits for each hash, which others
 * may share, keeps most others from being sorted. What passes for nothing changes nothing.
 */
#include "match/seeds/wholes.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/worker.h"
#include "match/seeds/parts.h"
#include "match/strand.h"

#define BITS_EACH   16u /* of the filter, for each object without a partner; one in seventy of the others passes */
#define LEAST_EACH  4u
#define LEAST_BITS  16u /* its size, as a power of two */
#define MEMORY_PART 4u  /* of the memory, for each sorter; half of that for the filter */

typedef struct filter {
    uint8_t *bits; /* NULL: everything passes */
    unsigned shift;
} filter;

typedef struct side {
    hsd_sequence *sequence;
    filter *passes;
    const hsd_seeds_config *config;
    hsd_sorter *sorted;
} side;

static bool is_free(hsd_sequence *s, hsd_node position) { return hsd_sequence_partner(s, position) == HSD_NO_PARTNER; }

/* ---- the filter ---- */

/* Two bits for each hash, of words that do not go together. */
static uint64_t bit_of(const filter *f, uint64_t whole) { return whole * UINT64_C(0x9e3779b97f4a7c15) >> f->shift; }

static uint64_t other_bit_of(const filter *f, uint64_t whole)
{
    return (whole ^ whole >> 32) * UINT64_C(0xd6e8feb86659fd93) >> f->shift;
}

/* Threads of both sides do. */
static void set_shared_bit(const filter *f, uint64_t bit)
{
    __atomic_fetch_or(&f->bits[bit >> 3], (uint8_t)(1u << (bit & 7)), __ATOMIC_RELAXED);
}

static uint64_t count_free(hsd_sequence *s)
{
    uint64_t count = 0;
    for (hsd_node at = hsd_next_unpaired(s, 0); at < s->count; at = hsd_next_unpaired(s, at + 1))
        count++;
    return count;
}

static hsd_status add_free(void *context, uint64_t whole, hsd_node position, hsd_error *err)
{
    const side *s = context;
    (void)err;
    if (!is_free(s->sequence, position)) return HSD_OK;
    set_shared_bit(s->passes, bit_of(s->passes, whole));
    set_shared_bit(s->passes, other_bit_of(s->passes, whole));
    return HSD_OK;
}

static hsd_status add_side(void *context, hsd_error *err)
{
    side *s = context;
    return hsd_wholes_each(&s->sequence->wholes, add_free, s, err);
}

static bool passes(const filter *f, uint64_t whole)
{
    return f->bits == NULL || (hsd_bit_get(f->bits, bit_of(f, whole)) && hsd_bit_get(f->bits, other_bit_of(f, whole)));
}

/* None where most are left, or where it would let through too many. */
static hsd_status make_filter(filter *f, side sides[2], bool at_once, hsd_error *err)
{
    const uint64_t left = count_free(sides[0].sequence) + count_free(sides[1].sequence);
    const uint64_t all = (uint64_t)sides[0].sequence->count + sides[1].sequence->count;
    const uint64_t most = sides[0].config->memory_bytes / MEMORY_PART / 2 * 8;
    unsigned size = LEAST_BITS;
    while (UINT64_C(1) << size < left * BITS_EACH && UINT64_C(2) << size <= most)
        size++;
    if (left > all / 2 || UINT64_C(1) << size < left * LEAST_EACH) return HSD_OK;
    f->shift = 64 - size;
    f->bits = calloc((size_t)1 << (size - 3), 1);
    if (f->bits == NULL) return hsd_fail_nomem(err, "which objects are still looked for");
    return hsd_run_both((hsd_job){add_side, &sides[0]}, (hsd_job){add_side, &sides[1]}, at_once, err);
}

/* ---- what passes, in order ---- */

static hsd_status put_passing(void *context, uint64_t whole, hsd_node position, hsd_error *err)
{
    const side *s = context;
    if (!passes(s->passes, whole)) return HSD_OK;
    return hsd_sorter_put(s->sorted, (const uint64_t[]){whole, position}, err);
}

static hsd_status sort_side(void *context, hsd_error *err)
{
    side *s = context;
    const hsd_sorter_config config = {
        .record_words = 2,
        .key_words = 1,
        .memory_bytes = (size_t)hsd_max_u64(s->config->memory_bytes / MEMORY_PART, HSD_SORT_MIN_BYTES),
        .codec = HSD_RUN_DELTA,
        .space = s->config->space,
        .reporter = s->config->reporter,
    };
    HSD_TRY(hsd_sorter_new(&s->sorted, &config, err));
    HSD_TRY(hsd_wholes_each(&s->sequence->wholes, put_passing, s, err));
    return hsd_sorter_finish(s->sorted, 0, err);
}

static hsd_status sort_both(filter *f, side sides[2], bool at_once, hsd_error *err)
{
    const hsd_job a = {sort_side, &sides[0]}, b = {sort_side, &sides[1]};
    HSD_TRY(make_filter(f, sides, at_once, err));
    return hsd_run_both(a, b, at_once, err);
}

/* ---- the rung ---- */

static hsd_status find_nothing(void *context, hsd_node at_a, hsd_node at_b, hsd_error *err)
{
    (void)context, (void)at_a, (void)at_b, (void)err;
    return HSD_OK;
}

static hsd_status join_wholes(const side sides[2], const hsd_seeds_config *config, uint64_t *pairs, hsd_error *err)
{
    const hsd_seeds_config half = {config->memory_bytes / 2, config->space, config->reporter};
    hsd_sequence *a = sides[0].sequence, *b = sides[1].sequence;
    if (pairs != NULL)
        return hsd_seeds_unique(a, b, sides[0].sorted, sides[1].sorted, HSD_RUNG_STRUCTURE, true, &half, pairs, err);
    const hsd_seed_walk walk = {.a = sides[0].sorted,
                                .b = sides[1].sorted,
                                .shared_a = a->is_shared,
                                .shared_b = b->is_shared,
                                .found = find_nothing,
                                .reporter = config->reporter};
    return hsd_seeds_walk(&walk, err);
}

static hsd_status run_wholes(hsd_sequence *a, hsd_sequence *b, bool at_once, const hsd_seeds_config *config,
                             uint64_t *pairs, hsd_error *err)
{
    HSD_ASSERT(config->memory_bytes >= 2 * HSD_SEEDS_LEAST_BYTES);
    filter looked_for = {.bits = NULL};
    side sides[2] = {{a, &looked_for, config, NULL}, {b, &looked_for, config, NULL}};
    if (!hsd_wholes_are_open(&a->wholes) || !hsd_wholes_are_open(&b->wholes)) return HSD_OK;
    hsd_status status = sort_both(&looked_for, sides, at_once, err);
    free(looked_for.bits);
    if (status == HSD_OK) status = join_wholes(sides, config, pairs, err);
    for (int i = 0; i < 2; i++)
        hsd_sorter_free(sides[i].sorted);
    return status;
}

hsd_status hsd_seeds_wholes(hsd_sequence *a, hsd_sequence *b, bool at_once, const hsd_seeds_config *config,
                            uint64_t *pairs, hsd_error *err)
{
    *pairs = 0;
    return run_wholes(a, b, at_once, config, pairs, err);
}

hsd_status hsd_seeds_share_again(hsd_sequence *a, hsd_sequence *b, bool at_once, const hsd_seeds_config *config,
                                 hsd_error *err)
{
    return run_wholes(a, b, at_once, config, NULL, err);
}
