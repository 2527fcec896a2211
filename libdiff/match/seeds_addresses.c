/*
 * The rung of addresses: two walks side by side, one that counts and, where the share suffices, one that pairs. An
 * address that is there twice on a side says nothing.
 */
#include "base/assert.h"
#include "base/check.h"
#include "match/join.h"
#include "match/seeds.h"

#define PROGRESS_STEPS 0xffffu

typedef struct side {
    hsd_sequence *sequence;
    uint64_t at; /* position of the front */
    uint64_t address;
    bool is_one; /* nothing else has this address */
} side;

static bool is_at_end(const side *s) { return s->at >= s->sequence->count; }

static uint64_t address_at(const side *s, uint64_t position)
{
    return hsd_paged_get_u64(&s->sequence->addresses, position);
}

static void look_seed_address(side *s, bool is_repeated)
{
    if (is_at_end(s)) return;
    s->address = address_at(s, s->at);
    s->is_one = !is_repeated && (s->at + 1 == s->sequence->count || address_at(s, s->at + 1) != s->address);
}

static void advance_seed_address(side *s)
{
    const uint64_t last = s->address;
    s->at++;
    look_seed_address(s, !is_at_end(s) && address_at(s, s->at) == last);
}

static bool look_alike(side *a, side *b)
{
    hsd_element of_a, of_b;
    if (!a->is_one || !b->is_one) return false;
    hsd_sequence_read(a->sequence, (uint32_t)a->at, 1, &of_a);
    hsd_sequence_read(b->sequence, (uint32_t)b->at, 1, &of_b);
    return hsd_element_key(&of_a) == hsd_element_key(&of_b) && of_a.type == of_b.type;
}

/* Counts those that stayed; `join` gets them if it is given. */
static hsd_status walk_seed_address(hsd_sequence *of_a, hsd_sequence *of_b, hsd_join *join, hsd_reporter *reporter,
                                    uint64_t *same, hsd_error *err)
{
    side a = {.sequence = of_a}, b = {.sequence = of_b};
    look_seed_address(&a, false);
    look_seed_address(&b, false);
    for (*same = 0; !is_at_end(&a) && !is_at_end(&b);) {
        if ((a.at & PROGRESS_STEPS) == 0)
            HSD_TRY(hsd_progress(reporter, "comparing addresses", a.at, of_a->count, err));
        if (a.address == b.address && look_alike(&a, &b)) {
            if (join != NULL) HSD_TRY(hsd_join_put(join, (uint32_t)a.at, (uint32_t)b.at, err));
            ++*same;
        }
        const bool is_a = a.address <= b.address, is_b = b.address <= a.address;
        if (is_a) advance_seed_address(&a);
        if (is_b) advance_seed_address(&b);
    }
    HSD_TRY(hsd_sequence_check(of_a, err));
    return hsd_sequence_check(of_b, err);
}

static hsd_status pair(hsd_sequence *a, hsd_sequence *b, hsd_join *join, const hsd_seeds_config *config, hsd_error *err)
{
    const hsd_join_config into = {config->memory_bytes, config->space, config->reporter, HSD_RUNG_SAME_ADDRESS};
    uint64_t same;
    HSD_TRY(hsd_join_begin(join, a, b, &into, err));
    HSD_TRY(walk_seed_address(a, b, join, config->reporter, &same, err));
    return hsd_join_finish(join, err);
}

hsd_status hsd_seeds_addresses(hsd_sequence *a, hsd_sequence *b, const hsd_seeds_config *config, uint64_t *pairs,
                               hsd_error *err)
{
    HSD_ASSERT(config->memory_bytes >= HSD_SEEDS_LEAST_BYTES);
    hsd_join join = {0};
    uint64_t same;
    *pairs = 0;
    HSD_TRY(walk_seed_address(a, b, NULL, config->reporter, &same, err));
    const uint64_t smaller = hsd_min_u64(a->count, b->count);
    if (same == 0 || same * 100 < smaller * HSD_ADDRESS_SHARE) return HSD_OK;
    const hsd_status status = pair(a, b, &join, config, err);
    *pairs = join.pairs;
    hsd_join_release(&join);
    return status;
}
