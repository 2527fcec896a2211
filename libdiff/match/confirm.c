/*
 * Two passes: how many pairs have the right neighbour in front; and, when that is the rule, those that have none.
 */
#include "match/confirm.h"

#include "base/check.h"
#include "match/strand.h"

#define ONE_IN 0xffffu

typedef struct confirming {
    hsd_sequence *older, *newer;
    hsd_reporter *reporter;
} confirming;

/* The partner of the nearest recognised one in front, -1 for the beginning, is also nearest in front of the partner. */
static bool fits_in_front(const confirming *c, int64_t front, uint32_t partner)
{
    const int64_t wanted = front < 0 ? -1 : (int64_t)hsd_sequence_partner(c->older, (uint32_t)front);
    return hsd_previous_paired(c->newer, partner) == wanted;
}

static bool fits_behind(const confirming *c, uint32_t at, uint32_t partner)
{
    const uint32_t next = hsd_next_paired(c->older, at + 1), there = hsd_next_paired(c->newer, partner + 1);
    if (next == c->older->count || there == c->newer->count) return next == c->older->count && there == c->newer->count;
    return hsd_sequence_partner(c->older, next) == there;
}

static hsd_status is_in_order(const confirming *c, bool *out, hsd_error *err)
{
    uint64_t pairs = 0, fitting = 0;
    int64_t front = -1;
    for (uint32_t at = 0; at < c->older->count; at++) {
        const uint32_t partner = hsd_sequence_partner(c->older, at);
        if ((at & ONE_IN) == 0) HSD_TRY(hsd_progress(c->reporter, "confirming objects", at, c->older->count, err));
        if (partner == HSD_NO_PARTNER) continue;
        pairs++;
        fitting += fits_in_front(c, front, partner);
        front = at;
    }
    *out = fitting * 100 >= pairs * HSD_CONFIRM_PERCENT;
    return HSD_OK;
}

/* Whoever is taken back is no neighbour any more. */
static hsd_status drop_lonely(const confirming *c, uint64_t *dropped, hsd_error *err)
{
    int64_t front = -1;
    for (uint32_t at = 0; at < c->older->count; at++) {
        const uint32_t partner = hsd_sequence_partner(c->older, at);
        if ((at & ONE_IN) == 0) HSD_TRY(hsd_progress(c->reporter, "confirming objects", at, c->older->count, err));
        if (partner == HSD_NO_PARTNER) continue;
        const bool is_firm = hsd_sequence_rung(c->older, at) != HSD_RUNG_STRUCTURE || fits_in_front(c, front, partner) ||
                             fits_behind(c, at, partner);
        if (is_firm) {
            front = at;
            continue;
        }
        hsd_sequence_unpair(c->older, at, c->newer, partner);
        (*dropped)++;
    }
    return HSD_OK;
}

hsd_status hsd_confirm(hsd_sequence *older, hsd_sequence *newer, hsd_reporter *reporter, uint64_t *dropped,
                       hsd_error *err)
{
    const confirming c = {older, newer, reporter};
    bool has_order;
    *dropped = 0;
    HSD_TRY(is_in_order(&c, &has_order, err));
    return has_order ? drop_lonely(&c, dropped, err) : HSD_OK;
}
