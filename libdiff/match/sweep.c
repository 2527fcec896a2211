/*
 * The sweep: gaps in the order of `before`, each followed from its front and then from its back.
 *
 *      before   A [ . . . . . . . . . . . ] B      in front of place `half` of after, when after has many;
 *                 ----->           <-----          backward as far as the front did not get; where that breaks off (what is
 *                       - - - ->                   new lies at the end), the front goes on
 *      after    A'[ . . . . . . . . . . . ] B'
 *
 * Following: windows of both strands are aligned, the pairs written, and the next windows begin behind the last pair.
 * An open gap has an end where the strands stop being of the same stuff: where less than CREDIBLE percent of the
 * elements looked at are in equal pairs. The same holds in a closed gap unless both its ends are in sight; then the
 * walk from the front settles it. What is alike in one row behind the last pair stays, FRONT_LEAST and more.
 *
 * A walk that left out many elements may be out by a period (HSD_SWEEP_SURE), until it comes to a type that it has not
 * met for long: both sides are there together, whatever happened before. What else is uncertain is told at the end
 * (doubt.h).
 */
#include "match/sweep.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/fail.h"
#include "match/align.h"
#include "match/doubt.h"
#include "match/rejoin.h"
#include "match/strand.h"

#define STAGE       "recognising neighbours"
#define LONG_GAP    2000u /* of after: from here on the back half is followed from the back */
#define CREDIBLE    30u   /* percent */
#define FRONT_LEAST 8u    /* equals in a row behind the last pair, whatever comes behind them */
#define LONG_AGO    1024u /* pairs: longer than a period is thought to be */
#define SLOTS       256u
#define REJOINS     4u   /* of a walk */
#define REJOINED    50u  /* percent: what the strands have in common where they are said to meet again */
#define LEAST_THERE 16u  /* pairs */
#define MOST_LEFT   256u /* in a row that moved elsewhere: a walk goes on over them, as over what went */

static const hsd_align_costs alike_costs = {.freed = 1, .come = 15, .changed = 2, .other = 0};
static const hsd_align_costs type_costs = {.freed = 3, .come = 3, .changed = 1, .other = 2};

/* Positions between two recognised neighbours, on either side: first … end - 1. */
typedef struct gap {
    hsd_node before_first, before_end, after_first, after_end;
    bool is_closed;
    bool is_twin; /* both neighbours are uncertain themselves */
} gap;

/* What a walk knows of itself. */
typedef struct trail {
    uint64_t left_out; /* elements without a pair since it began, or since it was last sure of its way */
    uint64_t pairs;
    bool is_lost;        /* it began among twins */
    uint64_t met[SLOTS]; /* by type modulo SLOTS: number of the last pair; 0 = none */
} trail;

typedef struct sweep {
    hsd_sequence *before, *after;
    hsd_reporter *reporter;
    hsd_sweep_pairs *made;
    const hsd_align_costs *costs;
    bool is_first;
    bool is_settled;   /* the last walk saw its gap to both ends: the other walk would see the same */
    uint64_t progress; /* positions of before that are done, of both passes */
    hsd_aligner *aligner;
    hsd_rejoiner *rejoiner;
    trail front;                        /* of the walk from the front of the gap, which may go on */
    hsd_node front_before, front_after; /* where it stopped */
    bool front_goes_on;                 /* it got as far as it might */
    bool is_carried;                    /* all of its gap in before, and after goes on: so may it, behind what left */
    trail carried;
    hsd_node carried_before, carried_after; /* where it stands */
    bool is_through;                        /* the last walk did not break off */
    hsd_window window_before, window_after;
    hsd_alignment found;
} sweep;

/* ---- following two strands ---- */

/* True if the type was not met for long; where two share a slot, the last one speaks for both. */
static bool is_landmark(trail *t, uint32_t type)
{
    uint64_t *met = &t->met[type % SLOTS];
    const bool is_new = *met == 0 || t->pairs - *met > LONG_AGO;
    *met = t->pairs;
    return is_new;
}

static hsd_rung rung_of(const hsd_aligned *pair, const trail *t)
{
    if (t->left_out > HSD_SWEEP_SURE) return HSD_RUNG_TWINS;
    return pair->how != HSD_ALIGN_SAME ? HSD_RUNG_CHANGED : HSD_RUNG_ORDER;
}

static void count_pair(hsd_sweep_pairs *made, hsd_rung rung)
{
    made->order += rung == HSD_RUNG_ORDER;
    made->changed += rung == HSD_RUNG_CHANGED;
    made->twins += rung == HSD_RUNG_TWINS;
}

/* Writes what was found and goes on behind it. */
static void take_pairs(sweep *s, hsd_strand *before, hsd_strand *after, trail *t)
{
    uint32_t place_before = 0, place_after = 0;
    for (uint32_t i = 0; i < s->found.count; i++) {
        const hsd_aligned *pair = &s->found.pairs[i];
        t->left_out += pair->before - place_before + (pair->after - place_after);
        t->pairs++;
        if (is_landmark(t, s->window_before.elements[pair->before].type) && !t->is_lost) t->left_out = 0;
        const hsd_rung rung = rung_of(pair, t);
        hsd_sequence_pair(s->before, hsd_strand_position(before, before->next + pair->before), s->after,
                          hsd_strand_position(after, after->next + pair->after), rung);
        count_pair(s->made, rung);
        place_before = pair->before + 1u;
        place_after = pair->after + 1u;
    }
    before->next += s->found.before;
    after->next += s->found.after;
}

static bool is_credible(const hsd_alignment *found)
{
    return 200 * (uint64_t)found->alike >= (uint64_t)CREDIBLE * found->covered;
}

/* Leaves of what was found what stands in one row with the last pair, and is alike: true where that is enough to go by
 * itself. */
static bool keep_front(hsd_alignment *found)
{
    uint32_t front = 0;
    while (front < found->count && found->pairs[front].before == front && found->pairs[front].after == front &&
           found->pairs[front].how == HSD_ALIGN_SAME)
        front++;
    found->count = found->before = found->after = front;
    return front >= FRONT_LEAST;
}

static trail begin_trail(const gap *g)
{
    return (trail){.left_out = g->is_twin ? HSD_SWEEP_SURE + 1 : 0, .is_lost = g->is_twin};
}

/* Neither strand goes on from here: on, then, to where they are of the same stuff again, if there is such a place. What
 * fits into a window was seen. */
static bool rejoin(sweep *s, hsd_strand *before, hsd_strand *after, trail *t)
{
    const hsd_node at_before = before->next, at_after = after->next;
    const bool is_long = before->count - at_before > HSD_ALIGN_MOST || after->count - at_after > HSD_ALIGN_MOST;
    const hsd_node skipped = is_long ? hsd_rejoin(s->rejoiner, before, after) : 0;
    if (skipped > 0) {
        const hsd_stretch a = hsd_strand_read(before, &s->window_before), b = hsd_strand_read(after, &s->window_after);
        hsd_align(s->aligner, &a, &b, s->costs, &s->found);
        if (s->found.count >= LEAST_THERE && 200 * (uint64_t)s->found.alike >= (uint64_t)REJOINED * s->found.covered) {
            t->left_out += skipped;
            return true;
        }
    }
    before->next = at_before;
    after->next = at_after;
    return false;
}

static hsd_status follow_match_sweep(sweep *s, hsd_strand *before, hsd_strand *after, const gap *g, trail *t,
                                     hsd_error *err)
{
    const bool is_whole = g->is_closed && after->count == after->whole;
    unsigned rejoins = 0;
    s->is_settled = false;
    s->is_through = true;
    while (before->next < before->count && after->next < after->count) {
        const hsd_stretch a = hsd_strand_read(before, &s->window_before), b = hsd_strand_read(after, &s->window_after);
        hsd_align(s->aligner, &a, &b, s->costs, &s->found);
        s->is_settled = s->found.is_complete && a.is_all && b.is_all && is_whole;
        s->is_through = s->found.is_complete || (s->found.count > 0 && is_credible(&s->found));
        const bool is_believed = s->found.count > 0 && (s->is_settled || is_credible(&s->found));
        if (!is_believed && !keep_front(&s->found)) {
            if (rejoins++ == REJOINS || !rejoin(s, before, after, t)) break;
            s->is_through = true;
        }
        take_pairs(s, before, after, t);
        HSD_TRY(hsd_progress(s->reporter, STAGE, s->progress, 2 * (uint64_t)s->before->count, err));
    }
    return HSD_OK;
}

/* ---- a gap ---- */

static hsd_status follow_front(sweep *s, const gap *g, hsd_error *err)
{
    const hsd_node size_before = g->before_end - g->before_first, size_after = g->after_end - g->after_first;
    const bool is_halved = g->is_closed && size_after > LONG_GAP;
    hsd_strand before = {.sequence = s->before, .start = g->before_first, .count = size_before, .whole = size_before};
    hsd_strand after = {.sequence = s->after,
                        .start = g->after_first,
                        .count = is_halved ? size_after / 2 : size_after,
                        .whole = size_after};
    s->front = begin_trail(g);
    HSD_TRY(follow_match_sweep(s, &before, &after, g, &s->front, err));
    s->front_before = before.start + before.next;
    s->front_after = after.start + after.next;
    s->front_goes_on = is_halved && s->is_through;
    return HSD_OK;
}

/* What neither end has paired, from where the front stopped. */
static hsd_status follow_middle(sweep *s, const gap *g, hsd_error *err)
{
    const hsd_node size_before = hsd_next_paired(s->before, s->front_before) - s->front_before;
    const hsd_node size_after = hsd_next_paired(s->after, s->front_after) - s->front_after;
    hsd_strand before = {.sequence = s->before, .start = s->front_before, .count = size_before, .whole = size_before};
    hsd_strand after = {.sequence = s->after, .start = s->front_after, .count = size_after, .whole = size_after};
    return follow_match_sweep(s, &before, &after, g, &s->front, err);
}

/* As far as the front left it. */
static hsd_status follow_back(sweep *s, const gap *g, hsd_error *err)
{
    const int64_t paired_before = hsd_previous_paired(s->before, g->before_end);
    const int64_t paired_after = hsd_previous_paired(s->after, g->after_end);
    hsd_strand before = {.sequence = s->before,
                         .start = g->before_end - 1,
                         .is_backward = true,
                         .count = g->before_end - (hsd_node)(paired_before + 1),
                         .whole = g->before_end - g->before_first};
    hsd_strand after = {.sequence = s->after,
                        .start = g->after_end - 1,
                        .is_backward = true,
                        .count = g->after_end - (hsd_node)(paired_after + 1),
                        .whole = g->after_end - g->after_first};
    trail t = begin_trail(g);
    return follow_match_sweep(s, &before, &after, g, &t, err);
}

static int64_t end_of(const hsd_sequence *s) { return (int64_t)s->count; }

/* Position on the other side of a recognised neighbour; the beginning is -1, the end the other one's count. */
static int64_t other_side(sweep *s, int64_t at)
{
    if (at < 0) return -1;
    return at < end_of(s->before) ? (int64_t)hsd_sequence_partner(s->before, (hsd_node)at) : end_of(s->after);
}

static bool is_twin(sweep *s, int64_t at)
{
    return at >= 0 && at < end_of(s->before) && hsd_sequence_rung(s->before, (hsd_node)at) == HSD_RUNG_TWINS;
}

/* The strand behind the left neighbour on both sides. */
static hsd_status sweep_front(sweep *s, int64_t left, const gap *g, hsd_error *err)
{
    s->is_settled = s->front_goes_on = false;
    s->front_before = g->before_first;
    s->front_after = g->after_first;
    if (left < 0 && !g->is_closed) return HSD_OK;
    return g->after_end > g->after_first ? follow_front(s, g, err) : HSD_OK;
}

/* The strand in front of the right neighbour. In an open gap it lies elsewhere than the left one's. */
static hsd_status sweep_back(sweep *s, int64_t right, int64_t right_after, const gap *g, hsd_error *err)
{
    gap back = *g;
    if (!g->is_closed) {
        if (right == end_of(s->before)) return HSD_OK;
        back.after_end = (hsd_node)right_after;
        back.after_first = (hsd_node)(hsd_previous_paired(s->after, back.after_end) + 1);
    }
    return back.after_end > back.after_first ? follow_back(s, &back, err) : HSD_OK;
}

/* ---- over what moved elsewhere ---- */

/* A walk that used up its gap in before, and not in after: what stands behind it in before moved elsewhere, and behind
 * that the strand may go on. */
static void carry(sweep *s, const gap *g)
{
    const bool is_used_up = s->front_before == g->before_end && s->front_after < g->after_end;
    s->is_carried = is_used_up && s->is_through;
    if (!s->is_carried) return;
    s->carried = s->front;
    s->carried_before = s->front_before;
    s->carried_after = s->front_after;
}

/* Both strands from where the carried walk stands on are of the same stuff. */
static bool fits_carried(sweep *s, hsd_strand *before, hsd_strand *after)
{
    const hsd_stretch a = hsd_strand_read(before, &s->window_before), b = hsd_strand_read(after, &s->window_after);
    hsd_align(s->aligner, &a, &b, s->costs, &s->found);
    return s->found.count >= LEAST_THERE && 200 * (uint64_t)s->found.alike >= (uint64_t)REJOINED * s->found.covered;
}

/* What the neighbours of this gap know nothing of may go on with what the last walk came to, in front of those that
 * left. */
static hsd_status follow_carried(sweep *s, gap *g, hsd_error *err)
{
    g->after_end = hsd_next_paired(s->after, s->carried_after);
    const hsd_node left_out = g->before_first - s->carried_before;
    g->before_end = hsd_next_paired(s->before, g->before_first);
    g->is_closed = false; /* these are no neighbours */
    const hsd_node size_before = g->before_end - g->before_first, size_after = g->after_end - s->carried_after;
    hsd_strand before = {.sequence = s->before, .start = g->before_first, .count = size_before, .whole = size_before};
    hsd_strand after = {.sequence = s->after, .start = s->carried_after, .count = size_after, .whole = size_after};
    if (left_out > MOST_LEFT || !fits_carried(s, &before, &after)) {
        s->is_carried = left_out <= MOST_LEFT && size_before < LEAST_THERE;
        return HSD_OK;
    }
    s->carried.left_out += left_out;
    s->front = s->carried;
    HSD_TRY(follow_match_sweep(s, &before, &after, g, &s->front, err));
    s->front_before = before.start + before.next;
    s->front_after = after.start + after.next;
    return HSD_OK;
}

/* ---- a gap with its neighbours ---- */

/* What lies between the recognised neighbours `left` and `right` of before. */
static hsd_status sweep_gap(sweep *s, int64_t left, int64_t right, hsd_error *err)
{
    const int64_t left_after = other_side(s, left), right_after = other_side(s, right);
    HSD_TRY(hsd_sequence_check(s->before, err));
    HSD_ASSERT(left_after < (int64_t)s->after->count && right_after <= (int64_t)s->after->count);
    const hsd_node behind = (hsd_node)(left_after + 1);
    gap g = {.before_first = (hsd_node)(left + 1),
             .before_end = (hsd_node)right,
             .after_first = behind,
             .after_end = hsd_next_paired(s->after, behind)};
    g.is_closed = (int64_t)g.after_end == right_after;
    g.is_twin = is_twin(s, left) && is_twin(s, right);
    if (!g.is_closed && !s->is_first) return HSD_OK;
    HSD_TRY(sweep_front(s, left, &g, err));
    if (!s->is_settled) HSD_TRY(sweep_back(s, right, right_after, &g, err));
    if (!s->is_settled && s->front_goes_on) HSD_TRY(follow_middle(s, &g, err));
    const bool has_own = s->front_before > g.before_first;
    if (!has_own && s->is_carried && s->is_first) HSD_TRY(follow_carried(s, &g, err));
    if (s->front_before > g.before_first) carry(s, &g);
    return HSD_OK;
}

/* ---- all gaps ---- */

static hsd_status sweep_all(sweep *s, hsd_error *err)
{
    const uint64_t passed = s->is_first ? 0 : s->before->count;
    for (hsd_node first = 0; (first = hsd_next_unpaired(s->before, first)) < s->before->count;) {
        const hsd_node end = hsd_next_paired(s->before, first);
        s->progress = passed + end;
        HSD_TRY(sweep_gap(s, (int64_t)first - 1, (int64_t)end, err));
        first = end;
    }
    HSD_TRY(hsd_sequence_check(s->before, err));
    return hsd_sequence_check(s->after, err);
}

static hsd_status sweep_with_aligner(sweep *s, hsd_error *err)
{
    s->aligner = hsd_aligner_new();
    s->rejoiner = hsd_rejoiner_new();
    if (s->aligner == NULL || s->rejoiner == NULL) return hsd_fail_nomem(err, "aligning the objects of two captures");
    return sweep_all(s, err);
}

static hsd_status run_match_sweep(hsd_sequence *before, hsd_sequence *after, bool is_first, hsd_reporter *reporter,
                                  hsd_sweep_pairs *made, hsd_error *err)
{
    sweep *s = calloc(1, sizeof *s);
    if (s == NULL) return hsd_fail_nomem(err, "aligning the objects of two captures");
    s->before = before;
    s->after = after;
    s->reporter = reporter;
    s->made = made;
    s->costs = is_first ? &alike_costs : &type_costs;
    s->is_first = is_first;
    const hsd_status status = sweep_with_aligner(s, err);
    hsd_aligner_free(s->aligner);
    hsd_rejoiner_free(s->rejoiner);
    free(s);
    return status;
}

hsd_status hsd_sweep_alike(hsd_sequence *before, hsd_sequence *after, hsd_reporter *reporter, hsd_sweep_pairs *made,
                           hsd_error *err)
{
    return run_match_sweep(before, after, true, reporter, made, err);
}

hsd_status hsd_sweep_types(hsd_sequence *before, hsd_sequence *after, hsd_reporter *reporter, hsd_sweep_pairs *made,
                           hsd_error *err)
{
    HSD_TRY(run_match_sweep(before, after, false, reporter, made, err));
    return hsd_doubt(before, after, made, err);
}
