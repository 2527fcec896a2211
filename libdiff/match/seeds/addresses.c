/*
 * The rung of addresses: a walk of both sides beside each other. What stays in the same place is paired as it is met,
 * and taken back where the share in the end does not suffice. An address that is there twice on a side says nothing.
 */
#include "base/assert.h"
#include "base/check.h"
#include "match/join.h"
#include "match/seeds/seeds.h"
#include "match/strand.h"

#define PROGRESS_STEPS 0xffffu

enum { WINDOW = 256 };

typedef struct side {
    hsd_sequence *sequence;
    hsd_node at; /* position of the front */
    uint64_t address;
    bool is_one;         /* nothing else has this address */
    hsd_node first, end; /* positions whose addresses were read */
    uint64_t window[WINDOW];
} side;

static bool is_at_end(const side *s) { return s->at >= s->sequence->count; }

static void fill_window(side *s, hsd_node position)
{
    s->first = position;
    s->end = (hsd_node)hsd_min_u64(s->sequence->count, (uint64_t)position + WINDOW);
    hsd_sequence_read_addresses(s->sequence, position, s->end - position, s->window);
}

static uint64_t address_at(side *s, hsd_node position)
{
    if (position >= s->end) fill_window(s, position);
    return s->window[position - s->first];
}

static void look_seed_address(side *s, uint64_t address, bool is_repeated)
{
    if (is_at_end(s)) return;
    s->address = address;
    s->is_one = !is_repeated && (s->at + 1 == s->sequence->count || address_at(s, s->at + 1) != address);
}

static void begin_side(side *s, hsd_sequence *sequence)
{
    *s = (side){.sequence = sequence};
    if (sequence->count > 0) look_seed_address(s, address_at(s, 0), false);
}

static void advance_seed_address(side *s)
{
    const uint64_t last = s->address;
    s->at++;
    if (is_at_end(s)) return;
    const uint64_t address = address_at(s, s->at);
    look_seed_address(s, address, address == last);
}

static bool look_alike(side *a, side *b)
{
    hsd_element of_a, of_b;
    if (!a->is_one || !b->is_one) return false;
    hsd_sequence_read(a->sequence, a->at, 1, &of_a);
    hsd_sequence_read(b->sequence, b->at, 1, &of_b);
    return hsd_element_key(&of_a) == hsd_element_key(&of_b) && of_a.type == of_b.type;
}

/* Those that stayed go to `join`; how many they are, whether they have a partner already or not. */
static hsd_status walk_seed_address(side *a, side *b, hsd_join *join, hsd_reporter *reporter, uint64_t *same,
                                    hsd_error *err)
{
    for (*same = 0; !is_at_end(a) && !is_at_end(b);) {
        if ((a->at & PROGRESS_STEPS) == 0)
            HSD_TRY(hsd_progress(reporter, "comparing addresses", a->at, a->sequence->count, err));
        if (a->address == b->address && look_alike(a, b)) {
            HSD_TRY(hsd_join_put(join, a->at, b->at, err));
            ++*same;
        }
        const bool is_a = a->address <= b->address, is_b = b->address <= a->address;
        if (is_a) advance_seed_address(a);
        if (is_b) advance_seed_address(b);
    }
    HSD_TRY(hsd_sequence_check(a->sequence, err));
    return hsd_sequence_check(b->sequence, err);
}

/* Too few stayed: that some have the same address was chance. What waits to be written is forgotten by the join. */
static hsd_status take_back(hsd_sequence *a, hsd_sequence *b, hsd_join *join, hsd_error *err)
{
    for (hsd_node at = hsd_next_paired(a, 0); join->pairs > 0 && at < a->count; at = hsd_next_paired(a, at + 1)) {
        if (hsd_sequence_rung(a, at) != HSD_RUNG_SAME_ADDRESS) continue;
        hsd_sequence_unpair(a, at, b, hsd_sequence_partner(a, at));
        join->pairs--;
    }
    HSD_TRY(hsd_sequence_check(a, err));
    return hsd_sequence_check(b, err);
}

static hsd_status pair(hsd_sequence *a, hsd_sequence *b, hsd_join *join, const hsd_seeds_config *config, hsd_error *err)
{
    const hsd_join_config into = {config->memory_bytes, config->space, config->reporter, HSD_RUNG_SAME_ADDRESS};
    const uint64_t smaller = hsd_min_u64(a->count, b->count);
    uint64_t same;
    side of_a, of_b;
    HSD_TRY(hsd_join_begin(join, a, b, &into, err));
    begin_side(&of_a, a);
    begin_side(&of_b, b);
    HSD_TRY(walk_seed_address(&of_a, &of_b, join, config->reporter, &same, err));
    if (same == 0 || same * 100 < smaller * HSD_ADDRESS_SHARE) return take_back(a, b, join, err);
    return hsd_join_finish(join, err);
}

hsd_status hsd_seeds_addresses(hsd_sequence *a, hsd_sequence *b, const hsd_seeds_config *config, uint64_t *pairs,
                               hsd_error *err)
{
    HSD_ASSERT(config->memory_bytes >= HSD_SEEDS_LEAST_BYTES);
    hsd_join join = {0};
    *pairs = 0;
    const hsd_status status = pair(a, b, &join, config, err);
    *pairs = join.pairs;
    hsd_join_release(&join);
    return status;
}
