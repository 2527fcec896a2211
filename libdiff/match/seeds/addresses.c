/*
 * The rung of addresses: a walk of both sides beside each other. What stays in the same place is paired as it is met,
 * and taken back where the share in the end does not suffice. An address that is there twice on a side says nothing.
 *
 * Addresses are read in order, past the pages of their array, and nothing of one address depends on another. So where
 * all else is in memory two threads have half of the objects each:
 *
 *      a   . . . . . . . . | . . . . . . . .       the address in the middle of a, where it is first met
 *      b       . . . . . . | . . . . .             on either side
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/worker.h"
#include "match/join.h"
#include "match/seeds/seeds.h"
#include "match/strand.h"

#define PROGRESS_STEPS 0xffffu
#define HALVES_LEAST   65536u /* objects: of fewer one thread has all */

enum { WINDOW = 4096, PARTS = 2 };

typedef struct side {
    hsd_sequence *sequence;
    const hsd_element *plain; /* of all positions; NULL = not in memory */
    hsd_node start, at, end;  /* positions of this part; at the front */
    uint64_t address;
    bool is_one;              /* nothing else has this address */
    hsd_node first, read_end; /* positions whose addresses were read */
    uint64_t window[WINDOW];
} side;

typedef struct part {
    side a, b;
    hsd_join join;
    hsd_reporter *reporter;
    unsigned of;   /* so many parts */
    uint64_t same; /* stayed, whether they have a partner already or not */
} part;

/* ---- addresses of a side ---- */

static bool is_at_end(const side *s) { return s->at >= s->end; }

static hsd_status read_seed_addresses(hsd_sequence *s, hsd_node first, hsd_node count, uint64_t *out, hsd_error *err)
{
    return hsd_paged_peek(&s->addresses, (uint64_t)first * sizeof *out, out, (size_t)count * sizeof *out, err);
}

static inline hsd_status address_at(side *s, hsd_node position, uint64_t *out, hsd_error *err)
{
    if (__builtin_expect(position >= s->read_end, 0)) {
        s->first = position;
        s->read_end = (hsd_node)hsd_min_u64(s->end, (uint64_t)position + WINDOW);
        HSD_TRY(read_seed_addresses(s->sequence, position, s->read_end - position, s->window, err));
    }
    *out = s->window[position - s->first];
    return HSD_OK;
}

/* The front has this address. */
static inline hsd_status look_seed_address(side *s, uint64_t address, bool is_repeated, hsd_error *err)
{
    uint64_t next = ~address;
    if (s->at + 1 < s->end) HSD_TRY(address_at(s, s->at + 1, &next, err));
    s->address = address;
    s->is_one = !is_repeated && next != address;
    return HSD_OK;
}

static hsd_status begin_side(side *s, hsd_sequence *sequence, hsd_node start, hsd_node end, hsd_error *err)
{
    uint64_t address;
    s->sequence = sequence;
    s->plain = hsd_paged_plain(&sequence->elements);
    s->start = s->at = start;
    s->end = end;
    s->first = s->read_end = 0;
    if (start == end) return HSD_OK;
    HSD_TRY(address_at(s, start, &address, err));
    return look_seed_address(s, address, false, err);
}

static inline hsd_status advance_seed_address(side *s, hsd_error *err)
{
    const uint64_t last = s->address;
    uint64_t address;
    s->at++;
    if (is_at_end(s)) return HSD_OK;
    HSD_TRY(address_at(s, s->at, &address, err));
    return look_seed_address(s, address, address == last, err);
}

/* ---- a part ---- */

static const hsd_element *front_of(const side *s)
{
    return s->plain != NULL ? &s->plain[s->at] : hsd_sequence_at(s->sequence, s->at);
}

static bool look_alike(const side *a, const side *b)
{
    if (!a->is_one || !b->is_one) return false;
    const hsd_element *of_a = front_of(a), *of_b = front_of(b);
    return hsd_element_key(of_a) == hsd_element_key(of_b) && of_a->type == of_b->type;
}

/* Those that stayed go to its join. */
static hsd_status walk_seed_addresses(void *context, hsd_error *err)
{
    part *p = context;
    side *a = &p->a, *b = &p->b;
    while (!is_at_end(a) && !is_at_end(b)) {
        const hsd_node done = a->at - a->start;
        if ((done & PROGRESS_STEPS) == 0)
            HSD_TRY(hsd_progress(p->reporter, "comparing addresses", (uint64_t)done * p->of, a->sequence->count, err));
        if (a->address == b->address && look_alike(a, b)) {
            HSD_TRY(hsd_join_put(&p->join, a->at, b->at, err));
            p->same++;
        }
        const bool is_a = a->address <= b->address, is_b = b->address <= a->address;
        if (is_a) HSD_TRY(advance_seed_address(a, err));
        if (is_b) HSD_TRY(advance_seed_address(b, err));
    }
    return HSD_OK;
}

/* ---- parts ---- */

/* The first position whose address is not below `address`, or count. */
static hsd_status first_not_below(hsd_sequence *s, uint64_t address, hsd_node *out, hsd_error *err)
{
    hsd_node least = 0, most = s->count;
    while (least < most) {
        const hsd_node middle = least + (most - least) / 2;
        uint64_t there;
        HSD_TRY(read_seed_addresses(s, middle, 1, &there, err));
        if (there < address)
            least = middle + 1;
        else
            most = middle;
    }
    *out = least;
    return HSD_OK;
}

static hsd_status begin_parts(part parts[PARTS], hsd_sequence *a, hsd_sequence *b, unsigned count, hsd_error *err)
{
    hsd_node end_a = a->count, end_b = b->count;
    if (count == PARTS) {
        uint64_t middle;
        HSD_TRY(read_seed_addresses(a, a->count / 2, 1, &middle, err));
        HSD_TRY(first_not_below(a, middle, &end_a, err));
        HSD_TRY(first_not_below(b, middle, &end_b, err));
        HSD_TRY(begin_side(&parts[1].a, a, end_a, a->count, err));
        HSD_TRY(begin_side(&parts[1].b, b, end_b, b->count, err));
    }
    HSD_TRY(begin_side(&parts[0].a, a, 0, end_a, err));
    return begin_side(&parts[0].b, b, 0, end_b, err);
}

static bool can_halve(const hsd_sequence *a, const hsd_sequence *b)
{
    return a->count >= HALVES_LEAST && hsd_paged_plain(&a->elements) != NULL && hsd_paged_plain(&b->elements) != NULL;
}

/* Too few stayed: that some have the same address was chance. What waits to be written is forgotten by the join. */
static hsd_status take_back(hsd_sequence *a, hsd_sequence *b, uint64_t *pairs, hsd_error *err)
{
    for (hsd_node at = hsd_next_paired(a, 0); *pairs > 0 && at < a->count; at = hsd_next_paired(a, at + 1)) {
        if (hsd_sequence_rung(a, at) != HSD_RUNG_SAME_ADDRESS) continue;
        hsd_sequence_unpair(a, at, b, hsd_sequence_partner(a, at));
        --*pairs;
    }
    HSD_TRY(hsd_sequence_check(a, err));
    return hsd_sequence_check(b, err);
}

static hsd_status pair_stayed(part parts[PARTS], hsd_sequence *a, hsd_sequence *b, bool at_once,
                              const hsd_seeds_config *config, uint64_t *pairs, hsd_error *err)
{
    const hsd_join_config into = {config->memory_bytes, config->space, config->reporter, HSD_RUNG_SAME_ADDRESS};
    const uint64_t smaller = hsd_min_u64(a->count, b->count);
    HSD_TRY(hsd_join_begin(&parts[0].join, a, b, &into, err));
    const bool are_two = at_once && can_halve(a, b) && hsd_join_make_plain(&parts[0].join);
    parts[1].join = parts[0].join; /* where there are two nothing waits in it */
    HSD_TRY(begin_parts(parts, a, b, are_two ? PARTS : 1, err));
    parts[0].reporter = parts[1].reporter = config->reporter;
    parts[0].of = parts[1].of = are_two ? PARTS : 1;
    HSD_TRY(are_two ? hsd_run_both((hsd_job){walk_seed_addresses, &parts[0]}, (hsd_job){walk_seed_addresses, &parts[1]},
                                   true, err)
                    : walk_seed_addresses(&parts[0], err));
    HSD_TRY(hsd_sequence_check(a, err));
    HSD_TRY(hsd_sequence_check(b, err));
    const uint64_t same = parts[0].same + parts[1].same;
    const bool has_moved = same == 0 || same * 100 < smaller * HSD_ADDRESS_SHARE;
    if (!has_moved) HSD_TRY(hsd_join_finish(&parts[0].join, err));
    *pairs = parts[0].join.pairs + parts[1].join.pairs;
    return has_moved ? take_back(a, b, pairs, err) : HSD_OK;
}

hsd_status hsd_seeds_addresses(hsd_sequence *a, hsd_sequence *b, bool at_once, const hsd_seeds_config *config,
                               uint64_t *pairs, hsd_error *err)
{
    HSD_ASSERT(config->memory_bytes >= HSD_SEEDS_LEAST_BYTES);
    *pairs = 0;
    part *parts = calloc(PARTS, sizeof *parts);
    if (parts == NULL) return hsd_fail_nomem(err, "the addresses of objects");
    const hsd_status status = pair_stayed(parts, a, b, at_once, config, pairs, err);
    hsd_join_release(&parts[0].join);
    free(parts);
    return status;
}
