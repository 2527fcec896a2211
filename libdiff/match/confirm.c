/*
 * Two passes: who is lonely, and how many pairs have the right neighbour in front; then, when that is the rule, the
 * lonely ones are taken back. Neighbours are those of the first pass: were a pair gone at once, whoever lay behind a
 * row of such would look past all of them.
 */
#include "match/confirm.h"

#include "base/check.h"
#include "match/strand.h"

#define STAGE  "confirming objects"
#define ONE_IN 0xffffu

typedef struct confirming {
    hsd_sequence *older, *newer;
    hsd_reporter *reporter;
    uint64_t pairs, fitting; /* in all; with the right neighbour in front */
} confirming;

/* The partner of the nearest recognised one in front, -1 for the beginning, is also nearest in front of the partner. */
static bool fits_in_front(const confirming *c, int64_t front, hsd_node partner)
{
    const int64_t wanted = front < 0 ? -1 : (int64_t)hsd_sequence_partner(c->older, (hsd_node)front);
    if (wanted == (int64_t)partner - 1) return true;
    return hsd_previous_paired(c->newer, partner) == wanted;
}

static bool fits_behind(const confirming *c, hsd_node at, hsd_node partner)
{
    const hsd_node next = hsd_next_paired(c->older, at + 1), there = hsd_next_paired(c->newer, partner + 1);
    if (next == c->older->count || there == c->newer->count) return next == c->older->count && there == c->newer->count;
    return hsd_sequence_partner(c->older, next) == there;
}

/* A lonely one keeps its partner until all are judged, so that it is a neighbour to whoever comes behind it, but in
 * `older` it has no rung any more. */
static void judge_confirmed_pair(confirming *c, hsd_node at, hsd_node partner, int64_t front)
{
    const bool fits = fits_in_front(c, front, partner);
    c->pairs++;
    c->fitting += fits;
    if (fits || hsd_sequence_rung(c->older, at) != HSD_RUNG_STRUCTURE || fits_behind(c, at, partner)) return;
    hsd_sequence_set_partner(c->older, at, partner, HSD_RUNG_NONE);
}

/* A partner that is no position of the other side was not read: then an array failed. */
static hsd_status check_both(const confirming *c, hsd_error *err)
{
    HSD_TRY(hsd_sequence_check(c->older, err));
    return hsd_sequence_check(c->newer, err);
}

static hsd_status judge_all(confirming *c, hsd_error *err)
{
    int64_t front = -1;
    for (hsd_node at = 0; at < c->older->count; at++) {
        const hsd_node partner = hsd_sequence_partner(c->older, at);
        if ((at & ONE_IN) == 0) HSD_TRY(hsd_progress(c->reporter, STAGE, at, 2 * (uint64_t)c->older->count, err));
        if (partner == HSD_NO_PARTNER) continue;
        if (partner >= c->newer->count) break;
        judge_confirmed_pair(c, at, partner, front);
        front = (int64_t)at;
    }
    return check_both(c, err);
}

/* Lonely ones are taken back, or all get their rung again. */
static hsd_status take_back(const confirming *c, uint64_t *dropped, hsd_error *err)
{
    const bool has_order = c->fitting * 100 >= c->pairs * HSD_CONFIRM_PERCENT;
    const uint64_t count = c->older->count;
    uint32_t seen = 0;
    for (hsd_node at = 0; (at = hsd_next_with_rung(c->older, at, HSD_RUNG_NONE)) < count; at++) {
        const hsd_node partner = hsd_sequence_partner(c->older, at);
        if ((seen++ & ONE_IN) == 0) HSD_TRY(hsd_progress(c->reporter, STAGE, count + at, 2 * count, err));
        if (partner == HSD_NO_PARTNER) continue;
        if (partner >= c->newer->count) break;
        if (has_order)
            hsd_sequence_unpair(c->older, at, c->newer, partner);
        else
            hsd_sequence_set_partner(c->older, at, partner, HSD_RUNG_STRUCTURE);
        *dropped += has_order;
    }
    return check_both(c, err);
}

hsd_status hsd_confirm(hsd_sequence *older, hsd_sequence *newer, hsd_reporter *reporter, uint64_t *dropped,
                       hsd_error *err)
{
    confirming c = {.older = older, .newer = newer, .reporter = reporter};
    *dropped = 0;
    HSD_TRY(judge_all(&c, err));
    return take_back(&c, dropped, err);
}
