/*
 * A pass over what is recognised: rows of pairs that stayed one beside the other, and what lies to either side of a
 * short one. They are listed first, and held out once all are known and confirmed (match/confirm.h).
 */
#include "match/islands.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "match/align.h"
#include "match/strand.h"

#define STAGE  "looking for what stayed alone"
#define ONE_IN 0xffffu

typedef struct charting {
    hsd_sequence *older, *newer;
    hsd_islands *islands;
    bool is_full;
} charting;

static uint64_t address_in(hsd_sequence *s, hsd_node at) { return hsd_paged_get_u64(&s->addresses, at); }

/* Ids of V8 are odd, and no addresses; 0 is none either. */
static bool has_stayed(const charting *c, hsd_node at, hsd_node partner)
{
    const uint64_t address = address_in(c->older, at);
    return address == address_in(c->newer, partner) && address != 0 && (address & 3) == 0;
}

/* Pairs from `at` on that stayed, one beside the other. */
static hsd_node row_of_stayed(const charting *c, hsd_node at, hsd_node partner)
{
    hsd_node length = 0;
    while (at + length < c->older->count && partner + length < c->newer->count &&
           hsd_sequence_partner(c->older, at + length) == partner + length &&
           has_stayed(c, at + length, partner + length))
        length++;
    return length;
}

static bool look_like_one(const charting *c, hsd_node at, hsd_node other)
{
    return hsd_element_is_same(hsd_sequence_at(c->older, at), hsd_sequence_at(c->newer, other));
}

/* Whether one of the next few from `at` and `other` on, by `step`, stayed where it was. */
static bool has_company(const charting *c, int64_t at, int64_t other, int step)
{
    const int64_t end_at = at + step * (int64_t)HSD_ISLAND_SHORE, end_other = other + step * (int64_t)HSD_ISLAND_SHORE;
    while (at != end_at && other != end_other && at >= 0 && other >= 0 && at < (int64_t)c->older->count &&
           other < (int64_t)c->newer->count) {
        const uint64_t here = address_in(c->older, (hsd_node)at), there = address_in(c->newer, (hsd_node)other);
        if (here == there && look_like_one(c, (hsd_node)at, (hsd_node)other)) return true;
        const bool is_nearer = (step > 0) == (here < there);
        if (here == there || is_nearer) at += step;
        if (here == there || !is_nearer) other += step;
    }
    return false;
}

static hsd_status list_row(charting *c, hsd_node at, hsd_node partner, hsd_node length, hsd_error *err)
{
    hsd_islands *islands = c->islands;
    if (islands->all == NULL) islands->all = calloc(HSD_ISLANDS_MOST, sizeof *islands->all);
    if (islands->all == NULL) return hsd_fail_nomem(err, "objects that stayed alone");
    c->is_full = length > HSD_ISLANDS_MOST - islands->count;
    for (hsd_node i = 0; i < length && !c->is_full; i++)
        islands->all[islands->count++] = (hsd_island){at + i, partner + i, hsd_sequence_rung(c->older, at + i), false};
    return HSD_OK;
}

static hsd_status chart(charting *c, hsd_reporter *reporter, hsd_error *err)
{
    uint32_t seen = 0;
    hsd_node at = 0;
    while (!c->is_full && (at = hsd_next_paired(c->older, at)) < c->older->count) {
        const hsd_node partner = hsd_sequence_partner(c->older, at);
        if ((seen++ & ONE_IN) == 0) HSD_TRY(hsd_progress(reporter, STAGE, at, c->older->count, err));
        if (partner >= c->newer->count) break; /* an array failed: it says so below */
        const hsd_node length = row_of_stayed(c, at, partner);
        if (length > 0 && length < HSD_ISLAND_LESS && !has_company(c, (int64_t)at - 1, (int64_t)partner - 1, -1) &&
            !has_company(c, (int64_t)at + (int64_t)length, (int64_t)partner + (int64_t)length, 1))
            HSD_TRY(list_row(c, at, partner, length, err));
        at += length > 0 ? length : 1;
    }
    HSD_TRY(hsd_sequence_check(c->older, err));
    return hsd_sequence_check(c->newer, err);
}

hsd_status hsd_islands_find(hsd_islands *islands, hsd_sequence *older, hsd_sequence *newer, hsd_reporter *reporter,
                            hsd_error *err)
{
    charting c = {older, newer, islands, false};
    const hsd_status status = chart(&c, reporter, err);
    if (c.is_full) hsd_islands_free(islands);
    return status;
}

uint32_t hsd_islands_hold(const hsd_islands *islands, hsd_sequence *older, hsd_sequence *newer)
{
    uint32_t held = 0;
    for (uint32_t i = 0; i < islands->count; i++) {
        hsd_island *one = &islands->all[i];
        one->is_held = hsd_sequence_partner(older, one->older) == one->newer;
        if (one->is_held) hsd_sequence_unpair(older, one->older, newer, one->newer);
        held += one->is_held;
    }
    return held;
}

void hsd_islands_return(hsd_islands *islands, hsd_sequence *older, hsd_sequence *newer, uint64_t lost[HSD_RUNG_COUNT])
{
    for (uint32_t i = 0; i < islands->count; i++) {
        const hsd_island *one = &islands->all[i];
        if (!one->is_held) continue;
        if (hsd_sequence_partner(older, one->older) == HSD_NO_PARTNER &&
            hsd_sequence_partner(newer, one->newer) == HSD_NO_PARTNER)
            hsd_sequence_pair(older, one->older, newer, one->newer, one->rung);
        else
            lost[one->rung]++;
    }
    hsd_islands_free(islands);
}

void hsd_islands_free(hsd_islands *islands)
{
    free(islands->all);
    *islands = (hsd_islands){NULL, 0};
}
