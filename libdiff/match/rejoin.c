/*
 * Rows are known by a sum over their elements that rolls along. That another row has the same sum costs a window that
 * does not fit, and no more: the walk judges what it finds there.
 */
#include "match/rejoin.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/mix.h"

#define SLOTS  2048u /* four for each element of a window */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define SEED   UINT64_C(0x72656a6f696e)

typedef struct hash_slots { /* 0 = empty */
    uint64_t all[SLOTS];
} hash_slots;

struct hsd_rejoiner {
    hash_slots kinds, rows; /* of the window that is looked for */
    uint64_t leaving;       /* what the element that leaves a row was multiplied by */
    hsd_window window;
};

typedef struct row { /* the last elements of the kinds that are looked for */
    uint64_t sum;
    uint64_t hashes[HSD_REJOIN_ROW];
    hsd_node places[HSD_REJOIN_ROW];
    uint64_t count; /* of all that came */
} row;

hsd_rejoiner *hsd_rejoiner_new(void)
{
    hsd_rejoiner *r = malloc(sizeof *r);
    if (r == NULL) return NULL;
    r->leaving = 1;
    for (unsigned i = 0; i < HSD_REJOIN_ROW; i++)
        r->leaving *= FACTOR;
    return r;
}

void hsd_rejoiner_free(hsd_rejoiner *rejoiner) { free(rejoiner); }

/* The slot of this hash, or the empty one where it would be. */
static uint64_t *slot_of(hash_slots *slots, uint64_t hash)
{
    uint32_t at = (uint32_t)(hash >> 32) % SLOTS;
    while (slots->all[at] != 0 && slots->all[at] != hash)
        at = (at + 1) % SLOTS;
    return &slots->all[at];
}

static void put_slot(hash_slots *slots, uint64_t hash) { *slot_of(slots, hash | 1) = hash | 1; }

static bool has_slot(hash_slots *slots, uint64_t hash) { return *slot_of(slots, hash | 1) != 0; }

static uint64_t hash_element(const hsd_element *e) { return hsd_mix(hsd_mix(SEED, hsd_element_key(e)), e->type); }

/* True once there are enough. */
static bool roll(const hsd_rejoiner *r, row *at, uint64_t hash, hsd_node place)
{
    const unsigned slot = (unsigned)(at->count % HSD_REJOIN_ROW);
    at->sum = at->sum * FACTOR + hash - (at->count < HSD_REJOIN_ROW ? 0 : at->hashes[slot] * r->leaving);
    at->hashes[slot] = hash;
    at->places[slot] = place;
    return ++at->count >= HSD_REJOIN_ROW;
}

/* What stands from `skipped` places behind the next one on. */
static hsd_stretch read_from(hsd_rejoiner *r, const hsd_strand *strand, hsd_node skipped)
{
    hsd_strand from = *strand;
    from.next += skipped;
    return hsd_strand_read(&from, &r->window);
}

/* The kinds and the rows of the next window; false if it has no row. */
static bool note_rows(hsd_rejoiner *r, const hsd_strand *strand)
{
    const hsd_stretch read = read_from(r, strand, 0);
    row at = {.count = 0};
    memset(&r->kinds, 0, sizeof r->kinds);
    memset(&r->rows, 0, sizeof r->rows);
    for (uint32_t i = 0; i < read.count; i++) {
        const uint64_t hash = hash_element(&read.elements[i]);
        put_slot(&r->kinds, hash);
        if (roll(r, &at, hash, i)) put_slot(&r->rows, at.sum);
    }
    return read.count >= HSD_REJOIN_ROW;
}

/* How far from the next place on one of the rows begins, whatever of other kinds is among it; HSD_NODE_MAX: none does
 * nearer than `limit`. */
static hsd_node look_for_rows(hsd_rejoiner *r, const hsd_strand *strand, hsd_node limit)
{
    const hsd_node left = (hsd_node)hsd_min_u64(strand->count - strand->next, limit);
    row at = {.count = 0};
    for (hsd_node skipped = 0; skipped < left;) {
        const hsd_stretch read = read_from(r, strand, skipped);
        for (uint32_t i = 0; i < read.count; i++) {
            const uint64_t hash = hash_element(&read.elements[i]);
            if (!has_slot(&r->kinds, hash) || !roll(r, &at, hash, skipped + i) || !has_slot(&r->rows, at.sum)) continue;
            return at.places[at.count % HSD_REJOIN_ROW];
        }
        skipped += read.count;
    }
    return HSD_NODE_MAX;
}

hsd_node hsd_rejoin(hsd_rejoiner *rejoiner, hsd_strand *before, hsd_strand *after)
{
    hsd_node in_before = HSD_NODE_MAX, in_after = HSD_NODE_MAX;
    if (note_rows(rejoiner, after)) in_before = look_for_rows(rejoiner, before, HSD_NODE_MAX);
    if (note_rows(rejoiner, before)) in_after = look_for_rows(rejoiner, after, in_before);
    hsd_strand *moved = in_after < in_before ? after : before;
    const hsd_node skipped = in_after < in_before ? in_after : in_before;
    if (skipped == HSD_NODE_MAX) return 0;
    moved->next += skipped;
    return skipped;
}
