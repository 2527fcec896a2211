/*
 * Wavefronts. The diagonal of a place is (elements of before) - (elements of after) that lie in front of it. Wave c
 * holds, for every diagonal that cost c reaches, the furthest place on it; it comes from four earlier waves:
 *
 *      freed      wave c - freed,   diagonal - 1, one element of before further
 *      come       wave c - come,    diagonal + 1, one element of after further
 *      changed    wave c - changed, the diagonal itself, one of both
 *      other      wave c - other,   likewise
 *
 * and slides on while elements are the same. That the furthest place is enough, although an element cannot be
 * exchanged everywhere, follows from freed and come costing the same everywhere: whatever a nearer place could do
 * on other diagonals, the further one gets there for no more.
 *
 * A cell is 16 bits: the place in before and the move that led there. Two stretches need 140,000 cells at
 * most while `freed` is 1, since freeing all of before is always a way.
 */
#include "match/align.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

#define COST_LIMIT 1200
#define CELL_LIMIT (UINT32_C(384) << 10)
#define ABSENT     (-1)

typedef enum move { FROM_START, FROM_FREED, FROM_COME, FROM_CHANGED, FROM_OTHER } move;

typedef struct wave {
    int32_t lowest, highest; /* diagonals; empty if lowest > highest */
    uint32_t first_cell;
} wave;

struct hsd_aligner {
    uint32_t cell_count;
    wave waves[COST_LIMIT + 1];
    uint16_t cells[CELL_LIMIT];       /* (place in before + 1) << 3 | move; 0 = not reached */
    hsd_aligned path[HSD_ALIGN_MOST]; /* last pair first */
};

typedef struct point { /* where an alignment ends */
    int32_t cost, diagonal, before;
} point;

typedef struct task {
    hsd_aligner *aligner;
    const hsd_stretch *before, *after;
    const hsd_align_costs *costs;
} task;

hsd_aligner *hsd_aligner_new(void) { return malloc(sizeof(hsd_aligner)); }

void hsd_aligner_free(hsd_aligner *aligner) { free(aligner); }

/* ---- what two elements are to each other ---- */

static bool is_loose(const hsd_element *e)
{
    return e->referrer == HSD_REFERRER_NONE || e->referrer == HSD_REFERRER_MANY;
}

/* Both places are within the stretches. */
static bool may_be_changed(const task *t, int32_t x, int32_t y)
{
    const hsd_element *a = &t->before->elements[x], *b = &t->after->elements[y];
    if (a->shape != b->shape || a->type != b->type) return false;
    if (a->structure == b->structure && (is_loose(a) || is_loose(b))) return true;
    return !(t->before->is_shared[x] && t->after->is_shared[y]);
}

static bool may_be_other(const task *t, int32_t x, int32_t y)
{
    const hsd_element *a = &t->before->elements[x], *b = &t->after->elements[y];
    return a->type == b->type && !hsd_element_is_anchor(a) && !hsd_element_is_anchor(b);
}

/* ---- waves ---- */

static const uint16_t *cell_at(const hsd_aligner *a, int32_t cost, int32_t diagonal)
{
    const wave *w = &a->waves[cost];
    return &a->cells[w->first_cell + (uint32_t)(diagonal - w->lowest)];
}

/* Place in before that `cost` reaches on the diagonal, or ABSENT. */
static int32_t reached(const hsd_aligner *a, int32_t cost, int32_t diagonal)
{
    if (cost < 0) return ABSENT;
    const wave *w = &a->waves[cost];
    if (diagonal < w->lowest || diagonal > w->highest) return ABSENT;
    return (*cell_at(a, cost, diagonal) >> 3) - 1;
}

static void widen(const hsd_aligner *a, int64_t cost, uint32_t step_cost, int32_t shift, wave *w)
{
    if (step_cost == 0 || cost < step_cost) return;
    const wave *from = &a->waves[cost - step_cost];
    if (from->lowest > from->highest) return;
    if (from->lowest + shift < w->lowest) w->lowest = from->lowest + shift;
    if (from->highest + shift > w->highest) w->highest = from->highest + shift;
}

/* The diagonals of a wave and its cells; false if there is no room for them. */
static bool open_wave(const task *t, int32_t cost)
{
    hsd_aligner *a = t->aligner;
    wave w = {INT32_MAX, INT32_MIN, a->cell_count};
    if (cost == 0) w.lowest = w.highest = 0;
    widen(a, cost, t->costs->changed, 0, &w);
    widen(a, cost, t->costs->other, 0, &w);
    widen(a, cost, t->costs->freed, 1, &w);
    widen(a, cost, t->costs->come, -1, &w);
    if (w.lowest < -(int32_t)t->after->count) w.lowest = -(int32_t)t->after->count;
    if (w.highest > (int32_t)t->before->count) w.highest = (int32_t)t->before->count;
    a->waves[cost] = w;
    if (w.lowest > w.highest) return true;
    const uint32_t width = (uint32_t)(w.highest - w.lowest) + 1;
    if (width > CELL_LIMIT - a->cell_count) return false;
    a->cell_count += width;
    return true;
}

/* ---- one wave ---- */

/* An earlier wave, as the next one looks at it. */
typedef struct source {
    const uint16_t *cells;
    int32_t lowest;
    uint32_t width; /* 0 = there is none */
} source;

typedef struct sources {
    source freed, come, changed, other;
} sources;

static source source_of(const hsd_aligner *a, int32_t cost, uint32_t step_cost)
{
    if (step_cost == 0 || cost < (int32_t)step_cost) return (source){NULL, 0, 0};
    const wave *w = &a->waves[cost - (int32_t)step_cost];
    if (w->lowest > w->highest) return (source){NULL, 0, 0};
    return (source){a->cells + w->first_cell, w->lowest, (uint32_t)(w->highest - w->lowest) + 1};
}

/* 1 + the place reached, or 0. */
static uint32_t look_aligned_pair(const source *from, int32_t diagonal)
{
    const uint32_t at = (uint32_t)(diagonal - from->lowest);
    return at < from->width ? from->cells[at] >> 3 : 0;
}

/* Are there elements behind the place that is one less than `next`, on both sides? */
static bool is_inside(const task *t, uint32_t next, int32_t diagonal)
{
    return next <= t->before->count && (int32_t)next - 1 - diagonal < (int32_t)t->after->count;
}

/* The cell of a diagonal before it slides: the best of all moves. */
static uint32_t best_move(const task *t, const sources *from, int32_t diagonal)
{
    uint32_t best = 0, how = FROM_START;
    uint32_t next = look_aligned_pair(&from->freed, diagonal - 1);
    if (next > 0 && next <= t->before->count) {
        best = next + 1;
        how = FROM_FREED;
    }
    next = look_aligned_pair(&from->come, diagonal + 1);
    if (next > best && (int32_t)next - 1 - diagonal <= (int32_t)t->after->count) {
        best = next;
        how = FROM_COME;
    }
    next = look_aligned_pair(&from->changed, diagonal);
    if (next > 0 && next + 1 > best && is_inside(t, next, diagonal) &&
        may_be_changed(t, (int32_t)next - 1, (int32_t)next - 1 - diagonal)) {
        best = next + 1;
        how = FROM_CHANGED;
    }
    next = look_aligned_pair(&from->other, diagonal);
    if (next > 0 && next + 1 > best && is_inside(t, next, diagonal) &&
        may_be_other(t, (int32_t)next - 1, (int32_t)next - 1 - diagonal)) {
        best = next + 1;
        how = FROM_OTHER;
    }
    return best << 3 | how;
}

/* On along a diagonal while elements are the same. */
static int32_t slide(const task *t, int32_t x, int32_t diagonal)
{
    const int32_t most_x = (int32_t)t->before->count, most_y = (int32_t)t->after->count;
    while (x < most_x && x - diagonal < most_y &&
           hsd_element_is_same(&t->before->elements[x], &t->after->elements[x - diagonal]))
        x++;
    return x;
}

/* What an alignment is worth that does not use up a stretch: pairs of any kind are, elements without one are not. */
static int32_t gain(point p) { return 2 * (2 * p.before - p.diagonal) - p.cost; }

/* Elements of both in front of the end. */
static uint32_t covered(point p) { return (uint32_t)(2 * p.before - p.diagonal); }

/* Runs one wave. `best` is what paid best so far; `end`, if true is returned, the furthest that uses up a stretch. */
static bool run_wave(const task *t, int32_t cost, point *best, point *end)
{
    hsd_aligner *a = t->aligner;
    const wave w = a->waves[cost];
    const sources from = {source_of(a, cost, t->costs->freed), source_of(a, cost, t->costs->come),
                          source_of(a, cost, t->costs->changed), source_of(a, cost, t->costs->other)};
    uint16_t *cell = a->cells + w.first_cell;
    bool is_used_up = false;
    for (int32_t diagonal = w.lowest; diagonal <= w.highest; diagonal++, cell++) {
        const uint32_t moved = cost == 0 ? 1u << 3 | FROM_START : best_move(t, &from, diagonal);
        *cell = 0;
        if (moved >> 3 == 0) continue;
        const point p = {cost, diagonal, slide(t, (int32_t)(moved >> 3) - 1, diagonal)};
        *cell = (uint16_t)((uint32_t)(p.before + 1) << 3 | (moved & 7));
        if (gain(p) > gain(*best)) *best = p;
        if (p.before < (int32_t)t->before->count && p.before - diagonal < (int32_t)t->after->count) continue;
        if (!is_used_up || covered(p) > covered(*end)) *end = p;
        is_used_up = true;
    }
    return is_used_up;
}

/* Where the alignment ends; true if one stretch is used up there. */
static bool find_end(const task *t, point *end)
{
    point best = {0, 0, 0};
    t->aligner->cell_count = 0;
    for (int32_t cost = 0; cost <= COST_LIMIT && open_wave(t, cost); cost++) {
        if (run_wave(t, cost, &best, end)) return true;
    }
    *end = best;
    return false;
}

/* ---- the way back ---- */

static void put_pair(hsd_aligner *a, uint32_t *count, int32_t x, int32_t diagonal, hsd_align_how how)
{
    a->path[(*count)++] = (hsd_aligned){(uint16_t)x, (uint16_t)(x - diagonal), (uint8_t)how};
}

/* One move back: from where a wave stood before it slid to the place that it came from. */
static point step_back(const task *t, point p, move how)
{
    const hsd_align_costs *costs = t->costs;
    switch (how) {
    case FROM_FREED:
        p.cost -= (int32_t)costs->freed;
        p.diagonal--;
        break;
    case FROM_COME:
        p.cost -= (int32_t)costs->come;
        p.diagonal++;
        break;
    case FROM_CHANGED: p.cost -= (int32_t)costs->changed; break;
    case FROM_OTHER: p.cost -= (int32_t)costs->other; break;
    case FROM_START: p.before = 0; return p;
    }
    p.before = reached(t->aligner, p.cost, p.diagonal);
    return p;
}

/* Writes all pairs in front of `end` into the path, last first. Returns how many. */
static uint32_t trace(const task *t, point end)
{
    hsd_aligner *a = t->aligner;
    uint32_t count = 0;
    for (point p = end;;) {
        const move how = (move)(*cell_at(a, p.cost, p.diagonal) & 7);
        const point from = step_back(t, p, how);
        const int32_t landed = from.before + (how != FROM_START && how != FROM_COME);
        for (int32_t x = p.before; x > landed; x--)
            put_pair(a, &count, x - 1, p.diagonal, HSD_ALIGN_SAME);
        if (how == FROM_START) return count;
        if (how == FROM_CHANGED) put_pair(a, &count, from.before, p.diagonal, HSD_ALIGN_CHANGED);
        if (how == FROM_OTHER) put_pair(a, &count, from.before, p.diagonal, HSD_ALIGN_OTHER);
        p = from;
    }
}

/* Copies the pairs up to `limit` elements of both, and at least one. */
static void keep_aligned_pair(const hsd_aligner *a, uint32_t count, uint32_t limit, hsd_alignment *out)
{
    for (uint32_t i = count; i-- > 0;) {
        const hsd_aligned pair = a->path[i];
        out->alike += pair.how == HSD_ALIGN_SAME;
        if ((uint32_t)pair.before + pair.after > limit && out->count > 0) continue;
        out->pairs[out->count++] = pair;
        out->same += pair.how == HSD_ALIGN_SAME;
        out->before = pair.before + 1u;
        out->after = pair.after + 1u;
    }
}

void hsd_align(hsd_aligner *aligner, const hsd_stretch *before, const hsd_stretch *after, const hsd_align_costs *costs,
               hsd_alignment *out)
{
    HSD_ASSERT(before->count <= HSD_ALIGN_MOST && after->count <= HSD_ALIGN_MOST && costs->freed > 0 &&
               costs->come > 0);
    const task t = {aligner, before, after, costs};
    point end;
    const bool is_used_up = find_end(&t, &end);
    const uint32_t end_before = (uint32_t)end.before, end_after = (uint32_t)(end.before - end.diagonal);
    out->count = out->before = out->after = out->same = out->alike = 0;
    out->covered = covered(end);
    out->is_complete =
        is_used_up && ((before->is_all && end_before == before->count) || (after->is_all && end_after == after->count));
    const uint32_t free_front = 2 * (uint32_t)reached(aligner, 0, 0);
    uint32_t limit = out->is_complete ? out->covered : out->covered * 2 / 3;
    if (limit < free_front) limit = free_front;
    keep_aligned_pair(aligner, trace(&t, end), limit, out);
}
