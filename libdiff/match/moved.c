/*
 * From each pair in both directions, up to the next unique one: so a position is met from two sides at most, and read
 * twice each time, to measure and to take back.
 */
#include "match/moved.h"

#include "base/check.h"
#include "match/strand.h"

#define ONE_IN 0xffffu

typedef struct moving {
    hsd_sequence *older, *newer;
    uint64_t dropped;
} moving;

typedef struct pace { /* where the walk is on both sides, and by how much what it meets has moved */
    int64_t at_older, at_newer;
    uint64_t distance;
    int step;
} pace;

static uint64_t moved_object_distance(const moving *m, hsd_node at_older, hsd_node at_newer)
{
    return hsd_paged_get_u64(&m->newer->addresses, at_newer) - hsd_paged_get_u64(&m->older->addresses, at_older);
}

/* Ids of V8 stand in the order of addresses and are odd: what lies between two says nothing. */
static bool is_address(hsd_sequence *s, hsd_node at) { return (hsd_paged_get_u64(&s->addresses, at) & 3) == 0; }

static bool is_open(hsd_sequence *s, hsd_node at)
{
    const hsd_rung rung = hsd_sequence_rung(s, at);
    return rung == HSD_RUNG_NONE || rung == HSD_RUNG_SAME_ADDRESS;
}

static bool look_alike(const moving *m, hsd_node at_older, hsd_node at_newer)
{
    const hsd_element *a = hsd_sequence_at(m->older, at_older), *b = hsd_sequence_at(m->newer, at_newer);
    return hsd_element_key(a) == hsd_element_key(b) && a->type == b->type;
}

/* As far as the ones before, but for a filler that came or went between them. */
static bool is_as_far(const pace *p, uint64_t distance)
{
    const uint64_t more = distance - p->distance;
    return more + HSD_MOVED_FILLER <= 2 * HSD_MOVED_FILLER;
}

/* To the next two that moved together; false where there are none. */
static bool go_on_moved_object(const moving *m, pace *p)
{
    p->at_older += p->step;
    p->at_newer += p->step;
    if (p->at_older < 0 || p->at_newer < 0 || p->at_older >= (int64_t)m->older->count ||
        p->at_newer >= (int64_t)m->newer->count)
        return false;
    const hsd_node x = (hsd_node)p->at_older, y = (hsd_node)p->at_newer;
    const uint64_t far = moved_object_distance(m, x, y);
    if (!is_open(m->older, x) || !is_open(m->newer, y) || !is_as_far(p, far) || !look_alike(m, x, y)) return false;
    p->distance = far;
    return true;
}

static void take_back(moving *m, hsd_sequence *s, hsd_node at)
{
    const hsd_node partner = hsd_sequence_partner(s, at);
    hsd_sequence *other = s == m->older ? m->newer : m->older;
    if (partner >= other->count) return; /* none, or an array failed: it says so at the end */
    hsd_sequence_unpair(s, at, other, partner);
    m->dropped++;
}

static void follow_moved_object(moving *m, hsd_node at, hsd_node partner, int step)
{
    const pace start = {(int64_t)at, (int64_t)partner, moved_object_distance(m, at, partner), step};
    uint64_t length = 0;
    if (start.distance == 0 || !is_address(m->older, at) || !is_address(m->newer, partner)) return;
    for (pace p = start; go_on_moved_object(m, &p);)
        length++;
    if (length < HSD_MOVED_LEAST) return;
    for (pace p = start; length > 0 && go_on_moved_object(m, &p); length--) {
        take_back(m, m->older, (hsd_node)p.at_older);
        take_back(m, m->newer, (hsd_node)p.at_newer);
    }
}

hsd_status hsd_moved(hsd_sequence *older, hsd_sequence *newer, hsd_reporter *reporter, uint64_t *dropped,
                     hsd_error *err)
{
    moving m = {older, newer, 0};
    uint32_t seen = 0;
    for (hsd_node at = 0; (at = hsd_next_with_rung(older, at, HSD_RUNG_STRUCTURE)) < older->count; at++) {
        if ((seen++ & ONE_IN) == 0) HSD_TRY(hsd_progress(reporter, "following what moved", at, older->count, err));
        const hsd_node partner = hsd_sequence_partner(older, at);
        if (partner >= newer->count) break; /* an array failed */
        follow_moved_object(&m, at, partner, -1);
        follow_moved_object(&m, at, partner, 1);
    }
    *dropped = m.dropped;
    HSD_TRY(hsd_sequence_check(older, err));
    return hsd_sequence_check(newer, err);
}
