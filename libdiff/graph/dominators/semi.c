/*
 * Step 3: semidominators of the core nodes, the last one in preorder first.
 *
 * The semidominator of w is the least among its parent and, for each predecessor p: p itself if it comes before
 * w; else the least semidominator on the tree's path from p up to, not including, the first node r <= w. A
 * simple node's semidominator is its parent, so of a run of simple nodes on the path only the topmost could
 * matter, and what it would bring is r. Hence for a predecessor p > w:
 *
 *      min( semidominators of the core nodes x > w on the path,  r )
 *
 * The first comes from a forest of core nodes alone: `link` holds for each core node one further up and the
 * least semidominator on the way, that one not included; each climb halves the way of the next. The second needs
 * a walk over simple nodes, `up`, but only if r could be the least at all: r is no less than the core node y
 * of its group, and y's preorder is no less than its number. In a heap this look-up is rare.
 *
 *      links   two numbers a core node: further up, least semidominator on the way    touched by every climb
 *      cores   two numbers a core node: preorder, parent                              rarely
 *      up      a number a place: further up among simple nodes                        more rarely
 *
 * With everything in memory `up` begins empty and parents are read from their tape: nine of ten ways are a step or two,
 * and only one of more than SHORT_WAY is shortened, so most of the array never takes memory.
 *
 * Predecessors come bucket by bucket (dominators/buckets.c), sorted by node.
 */
#include "graph/dominators/semi.h"

#define SHORT_WAY 16u

typedef struct climb {
    hsd_node least; /* semidominator on the way */
    hsd_node top;   /* last core node > the one in work */
    hsd_node above; /* first core node <= the one in work */
} climb;

static inline hsd_node further_of(hsd_two link) { return hsd_two_second(link); }
static inline hsd_node least_of(hsd_two link) { return hsd_two_first(link); }
static inline hsd_two make_link(hsd_node further, hsd_node least) { return hsd_two_of(least, further); }
static inline hsd_node lesser(hsd_node a, hsd_node b) { return a < b ? a : b; }

/* From core node `x` > `node` up past all that are > `node`. A link that does not lead up is the garbage of a
 * failed read; the failure is known at the next check. */
static inline __attribute__((always_inline)) climb climb_links(hsd_semi *s, hsd_node x, hsd_node node, bool is_flat)
{
    climb c = {.least = HSD_NODE_MAX};
    hsd_two link = hsd_flat_get_two(&s->links, x, is_flat);
    for (;;) {
        const hsd_node next = further_of(link);
        c.least = lesser(c.least, least_of(link));
        if (next <= node || (!is_flat && next >= x)) return (climb){c.least, x, lesser(next, node)};
        const hsd_two link_of_next = hsd_flat_get_two(&s->links, next, is_flat);
        const hsd_node after = further_of(link_of_next);
        c.least = lesser(c.least, least_of(link_of_next));
        if (after <= node || (!is_flat && after >= next)) return (climb){c.least, next, lesser(after, node)};
        hsd_flat_set_two(&s->links, x, make_link(after, lesser(least_of(link), least_of(link_of_next))), is_flat);
        x = after;
        link = hsd_flat_get_two(&s->links, x, is_flat);
    }
}

static inline hsd_node up_of(hsd_semi *s, hsd_node x)
{
    const hsd_node shortened = hsd_flat_get_node(&s->up, x, true);
    return shortened != 0 ? shortened : hsd_tape_at_node(&s->d->parent_of, x);
}

static hsd_node climb_far(hsd_semi *s, hsd_node x, hsd_node place)
{
    while (x > place) {
        const hsd_node next = up_of(s, x);
        if (next <= place) return next;
        const hsd_node after = up_of(s, next);
        hsd_flat_set_node(&s->up, x, after, true);
        x = after;
    }
    return x;
}

static inline __attribute__((always_inline)) hsd_node climb_parents(hsd_semi *s, hsd_node x, hsd_node place)
{
    for (uint32_t i = 0; i < SHORT_WAY; i++) {
        if (x <= place) return x;
        x = hsd_tape_at_node(&s->d->parent_of, x);
    }
    return climb_far(s, x, place);
}

/* The first of `x` and the simple nodes above it that is no later than `place`. */
static inline __attribute__((always_inline)) hsd_node climb_group(hsd_semi *s, hsd_node x, hsd_node place, bool is_flat)
{
    if (is_flat) return climb_parents(s, x, place);
    while (x > place) {
        const hsd_node next = hsd_paged_get_node(&s->up, x);
        if (next <= place || next >= x) return next;
        const hsd_node after = hsd_paged_get_node(&s->up, next);
        if (after >= next) return after;
        hsd_paged_set_node(&s->up, x, after);
        x = after;
    }
    return x;
}

/* Fetches the first two links that predecessors yet to come will climb. */
static inline void expect(hsd_semi *s, const hsd_predecessor *items)
{
    const hsd_two *links = (const hsd_two *)(const void *)s->links.frames;
    __builtin_prefetch(&links[items[HSD_SEMI_AHEAD].group], 1);
    __builtin_prefetch(&links[further_of(hsd_flat_get_two(&s->links, items[HSD_SEMI_AHEAD / 2].group, true))], 1);
}

/* Of a node that half the heap refers to most ways end at the same core nodes, one after the other: what is not in
 * memory would be read from the file each time, since it is worth no page. */
static inline __attribute__((always_inline)) hsd_two core_at(hsd_semi *s, hsd_node node, hsd_core_known *known,
                                                             bool is_flat)
{
    if (is_flat) return hsd_flat_get_two(&s->cores, node, true);
    if (known->node != node) *known = (hsd_core_known){node, hsd_paged_get_two(&s->cores, node)};
    return known->core;
}

/* True if place `semi` is no later than core node `above`. */
static inline __attribute__((always_inline)) bool is_no_later(hsd_semi *s, hsd_node semi, hsd_node above, bool is_flat)
{
    return semi <= above || semi <= hsd_two_second(core_at(s, above, &s->known_above, is_flat));
}

/* The semidominator of core node `node` (`place` its preorder), as far as its predecessors items[0 … count - 1] and
 * `semi`, what is known of it, tell. */
static inline __attribute__((always_inline)) hsd_node consider(hsd_semi *s, hsd_node node, hsd_node place,
                                                               hsd_node semi, const hsd_predecessor *items,
                                                               hsd_node count, hsd_semi_flat flat)
{
    hsd_node last_group = 0;
    for (hsd_node i = 0; i < count; i++) {
        hsd_node above = items[i].group, from = items[i].source;
        if (flat.links) expect(s, items + i);
        if (above > node) {
            if (above == last_group) continue; /* the same way up: nothing new */
            last_group = above;
            const climb c = climb_links(s, above, node, flat.links);
            semi = lesser(semi, c.least);
            above = c.above;
            if (is_no_later(s, semi, above, flat.rest)) continue;
            from = hsd_two_first(core_at(s, c.top, &s->known_top, flat.rest));
        } else if (is_no_later(s, semi, above, flat.rest)) {
            continue;
        }
        semi = lesser(semi, climb_group(s, from, place, flat.rest));
    }
    return semi;
}

/* `node` is done: later climbs pass it. */
static inline __attribute__((always_inline)) void settle(hsd_semi *s, hsd_node node, hsd_node semi, bool is_flat)
{
    const hsd_two link = hsd_flat_get_two(&s->links, node, is_flat);
    hsd_flat_set_two(&s->links, node, make_link(further_of(link), semi), is_flat);
}

static inline __attribute__((always_inline)) void settle_all(hsd_semi *s, const hsd_sorted *sorted, hsd_semi_flat flat)
{
    const hsd_predecessor *items = sorted->items;
    for (hsd_node node = sorted->hi; node-- > sorted->lo;) {
        const hsd_node slot = node - sorted->lo;
        const hsd_node count = sorted->counts[slot];
        const hsd_two core = hsd_flat_get_two(&s->cores, node, flat.rest);
        hsd_node semi = lesser(hsd_two_first(core), sorted->forward[slot]);
        semi = consider(s, node, hsd_two_second(core), semi, items, count, flat);
        items += count;
        sorted->counts[slot] = node == 0 ? 0 : semi;
        settle(s, node, sorted->counts[slot], flat.links);
    }
}

static void settle_flat(hsd_semi *s, const hsd_sorted *sorted) { settle_all(s, sorted, (hsd_semi_flat){true, true}); }

static void settle_flat_links(hsd_semi *s, const hsd_sorted *sorted)
{
    settle_all(s, sorted, (hsd_semi_flat){true, false});
}

static void settle_paged(hsd_semi *s, const hsd_sorted *sorted)
{
    settle_all(s, sorted, (hsd_semi_flat){false, false});
}

void hsd_semi_settle(hsd_semi *s, const hsd_sorted *sorted)
{
    if (s->flat.links && s->flat.rest)
        settle_flat(s, sorted);
    else if (s->flat.links)
        settle_flat_links(s, sorted);
    else
        settle_paged(s, sorted);
}

void hsd_semi_settle_hot(hsd_semi *s, const hsd_sorted *part, bool is_first, bool is_last)
{
    const hsd_semi_flat flat = {true, true}, paged = {false, false};
    const hsd_node node = part->lo;
    const hsd_two core = hsd_paged_get_two(&s->cores, node);
    if (is_first) s->hot_semi = hsd_two_first(core);
    s->hot_semi = lesser(s->hot_semi, part->forward[0]);
    if (s->flat.links && s->flat.rest)
        s->hot_semi = consider(s, node, hsd_two_second(core), s->hot_semi, part->items, part->counts[0], flat);
    else
        s->hot_semi = consider(s, node, hsd_two_second(core), s->hot_semi, part->items, part->counts[0], paged);
    if (!is_last) return;
    part->counts[0] = node == 0 ? 0 : s->hot_semi;
    settle(s, node, part->counts[0], false);
}
