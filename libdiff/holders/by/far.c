/*
 * How far little leads: a variable that holds the last node of a list or a tree refers to that one alone, and holds
 * all. So a place that tells little is followed from top to top, breadth first, MOST_LOOKED_AT tops far.
 *
 * Where groups do not fit in memory many places are followed at once, one step at a time: which tops they have come to
 * is sorted, what these refer to is read in order, and sorted again by place. What a place comes to is the same, top
 * for top: breadth first what is found in one step comes behind all that was there.
 */
#include "holders/by/by.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"

#define MOST_LOOKED_AT 128u
#define MOST_STEPS     (1u << 20) /* of all places */

#define SEEN_BITS 9u /* twice MOST_LOOKED_AT and more */

typedef struct look { /* from one place: groups that are reached from it, in the order of their distance */
    hsd_node place;
    uint32_t count, steps;
    hsd_node turn; /* of the places; what was seen in another turn is forgotten */
    bool is_asked; /* it tells little */
    hsd_node list[MOST_LOOKED_AT];
    struct {
        hsd_node top, turn;
    } seen[1u << SEEN_BITS]; /* a hash table of the list */
} look;

/* The slot of a group, or the free one where it belongs. */
static uint32_t find_seen(const look *l, hsd_node top)
{
    uint32_t at = (uint32_t)top * UINT32_C(0x9e3779b1) >> (32 - SEEN_BITS); /* the low half tells enough apart */
    while (l->seen[at].turn == l->turn && l->seen[at].top != top)
        at = (at + 1) & ((1u << SEEN_BITS) - 1);
    return at;
}

static void put_seen(look *l, uint32_t slot, hsd_node top)
{
    if (l->count == MOST_LOOKED_AT) return;
    l->seen[slot].top = top;
    l->seen[slot].turn = l->turn;
    l->list[l->count++] = top;
}

static void look_at_joint_way(look *l, hsd_node top)
{
    const uint32_t slot = find_seen(l, top);
    if (l->seen[slot].turn != l->turn) put_seen(l, slot, top);
}

/* Groups and what they tell, where all of it is in memory: one look after the other has nothing to ask then. What was
 * seen is told by a stamp a group in place of the hash table; it takes a part of what the pairs had. */
typedef struct far_plain {
    const hsd_by_group *groups; /* NULL: not all is */
    const hsd_by_top *tops;
    const uint64_t *starts;
    const hsd_node *targets;
    hsd_node *stamps; /* the last turn in which a group was seen; of branches, which no look goes to, the largest */
} far_plain;

static hsd_status open_plain(const hsd_by_search *s, far_plain *out, hsd_error *err)
{
    const uint64_t groups = (uint64_t)s->group_count + 1;
    const far_plain p = {hsd_paged_plain_front(&s->groups, groups * sizeof(hsd_by_group)),
                         hsd_paged_plain_front(&s->tops, groups * sizeof(hsd_by_top)), hsd_paged_plain(&s->starts),
                         hsd_paged_plain(&s->targets), NULL};
    *out = (far_plain){NULL};
    if (p.groups == NULL || p.tops == NULL || p.starts == NULL || p.targets == NULL) return HSD_OK;
    *out = p;
    out->stamps = calloc(groups, sizeof *out->stamps);
    if (out->stamps == NULL) return hsd_fail_nomem(err, "what holds together");
    for (hsd_node i = 0; i < groups; i++)
        if (p.groups[i].flags & HSD_BY_IS_BRANCH) out->stamps[i] = HSD_NODE_MAX;
    return HSD_OK;
}

static void look_on_plainly(const far_plain *p, look *l, hsd_node group)
{
    const hsd_node *at = p->targets + p->starts[group], *end = p->targets + p->starts[group + 1];
    uint32_t count = l->count;
    for (; at < end && count < MOST_LOOKED_AT; at++) {
        const hsd_node top = HSD_BY_GROUP(*at);
        if (p->stamps[top] >= l->turn) continue;
        p->stamps[top] = l->turn;
        l->list[count++] = top;
    }
    l->count = count;
}

static void stamp(const far_plain *p, const look *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (p->stamps[l->list[i]] != HSD_NODE_MAX) p->stamps[l->list[i]] = l->turn;
}

/* Of what is reached, bytes; the list grows meanwhile. */
static uint64_t follow_plainly(const far_plain *p, look *l)
{
    uint64_t bytes = 0;
    uint32_t i = 0;
    stamp(p, l);
    for (; i < l->count; i++) {
        const hsd_node top = l->list[i];
        bytes = hsd_add_saturating(bytes, p->tops[top].bytes);
        if ((p->groups[top].flags & HSD_BY_IS_CLOSED) == 0 && l->count < MOST_LOOKED_AT) look_on_plainly(p, l, top);
    }
    l->steps += i;
    return bytes;
}

static void look_on(hsd_by_search *s, look *l, hsd_node group)
{
    const uint64_t end = hsd_paged_get_u64(&s->starts, (uint64_t)group + 1);
    for (uint64_t i = hsd_paged_get_u64(&s->starts, group); i < end && l->count < MOST_LOOKED_AT; i++) {
        const hsd_node top = HSD_BY_GROUP(hsd_paged_get_node(&s->targets, i));
        const uint32_t slot = find_seen(l, top);
        if (l->seen[slot].turn != l->turn && !(hsd_by_group_at(s, top)->flags & HSD_BY_IS_BRANCH))
            put_seen(l, slot, top);
    }
}

/* No place yet is 0. */
static void begin_look(hsd_by_search *s, look *l, hsd_node place)
{
    l->place = place;
    l->count = 0;
    l->turn++;
    l->is_asked = hsd_by_place_at(s, place)->told < hsd_by_least_told(s);
}

static uint64_t follow(hsd_by_search *s, look *l)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const hsd_by_group *group = hsd_by_group_at(s, l->list[i]);
        bytes = hsd_add_saturating(bytes, hsd_by_top_at(s, l->list[i])->bytes);
        l->steps++;
        if ((group->flags & HSD_BY_IS_CLOSED) == 0 && l->count < MOST_LOOKED_AT) look_on(s, l, l->list[i]);
    }
    return bytes;
}

/* What is reached from a place counts as if it were referred to from the beginning of its branch; where that goes on
 * and on it has enough to be named. */
static void tell_reached(hsd_by_search *s, const far_plain *plain, look *l)
{
    if (!l->is_asked) return;
    uint64_t bytes = plain->groups != NULL ? follow_plainly(plain, l) : follow(s, l);
    if (l->count == MOST_LOOKED_AT) bytes = hsd_max_u64(bytes, hsd_by_least_told(s));
    hsd_by_place *at = hsd_by_place_write(s, (hsd_node)hsd_by_place_at(s, l->place)->below);
    at->told = hsd_max_u64(at->told, bytes);
}

static hsd_status look_from_all(hsd_by_search *s, const far_plain *plain, hsd_error *err)
{
    const uint64_t *seed;
    look l = {.place = 0};
    hsd_status status;
    while ((status = hsd_sorter_next(s->seeds, &seed, err)) == HSD_OK && l.steps < MOST_STEPS) {
        const hsd_node place = hsd_words_first(seed);
        if (place != l.place) {
            tell_reached(s, plain, &l);
            begin_look(s, &l, place);
        }
        if (l.is_asked) look_at_joint_way(&l, hsd_words_second(seed));
    }
    if (status != HSD_OK && status != HSD_END) return status;
    tell_reached(s, plain, &l);
    return HSD_OK;
}

static hsd_status look_far_at_random(hsd_by_search *s, hsd_error *err)
{
    far_plain plain;
    HSD_TRY(open_plain(s, &plain, err));
    const hsd_status status = look_from_all(s, &plain, err);
    free(plain.stamps);
    return status;
}

/* ---- many at once ---- */

#define LOOKS_MOST    8192u
#define LOOKS_LEAST   2048u
#define ON_MOST       (4 * MOST_LOOKED_AT) /* of one top: what was seen, what is new, and each twice */
#define POSITION_BITS 16u

typedef struct far_look {
    hsd_node place, order; /* how many places came before */
    uint32_t count, next;  /* tops; those before were followed */
    hsd_node list[MOST_LOOKED_AT];
} far_look;

/* Words of what is found: look << 32 | position << 16 | number; the top. */
enum { FOUND_WHERE, FOUND_TOP, FOUND_WORDS };

_Static_assert(MOST_LOOKED_AT <= 1u << POSITION_BITS && LOOKS_MOST <= 1u << POSITION_BITS &&
                   ON_MOST <= 1u << POSITION_BITS,
               "a look, a position and a number must fit");

typedef struct far_looks {
    hsd_by_search *s;
    far_look *looks;
    hsd_pages pages;
    uint32_t count, most;
    look seen;          /* of the look at hand */
    hsd_sorter *wanted; /* (group, look << 16 | position) */
    hsd_sorter *found;  /* FOUND_… */
    hsd_sorter *tells;  /* (top, place) */
    hsd_node order;     /* of the last place that was begun */
    uint32_t steps;
    hsd_node seed_place, seed_top; /* of the seed that comes next */
    bool has_seed;
} far_looks;

/* The list of one look as a hash table, to which tops are added. */
static void open_far_look(far_looks *f, const far_look *one)
{
    f->seen.count = 0;
    f->seen.turn++;
    for (uint32_t i = 0; i < one->count; i++)
        look_at_joint_way(&f->seen, one->list[i]);
}

static void add_far_top(far_looks *f, far_look *one, hsd_node top)
{
    look_at_joint_way(&f->seen, top);
    if (f->seen.count > one->count) one->list[one->count++] = top;
}

static hsd_status want_on(far_looks *f, uint32_t number, bool *out, hsd_error *err)
{
    far_look *one = &f->looks[number];
    for (uint32_t i = one->next; i < one->count && one->count < MOST_LOOKED_AT; i++) {
        if (hsd_bit_get(f->s->closed, one->list[i])) continue;
        const uint64_t record[HSD_TWO_WORDS] = {HSD_TWO(one->list[i], number << POSITION_BITS | i)};
        *out = true;
        HSD_TRY(hsd_sorter_put(f->wanted, record, err));
    }
    one->next = one->count;
    return HSD_OK;
}

static hsd_status find_on(far_looks *f, hsd_node group, uint32_t looker, hsd_error *err)
{
    hsd_by_search *s = f->s;
    const uint64_t from = (uint64_t)(looker >> POSITION_BITS) << 32 | (looker & 0xffffu) << POSITION_BITS;
    const uint64_t end = hsd_paged_get_u64(&s->starts, (uint64_t)group + 1);
    uint32_t number = 0;
    for (uint64_t i = hsd_paged_get_u64(&s->starts, group); i < end && number < ON_MOST; i++) {
        const hsd_node top = HSD_BY_GROUP(hsd_paged_get_node(&s->targets, i));
        if (hsd_bit_get(s->branches, top)) continue;
        const uint64_t record[FOUND_WORDS] = {from | number++, top};
        HSD_TRY(hsd_sorter_put(f->found, record, err));
    }
    return HSD_OK;
}

static hsd_status find_all_on(far_looks *f, hsd_error *err)
{
    const uint64_t *record;
    hsd_status status = hsd_sorter_finish(f->wanted, 0, err);
    while (status == HSD_OK && (status = hsd_sorter_next(f->wanted, &record, err)) == HSD_OK)
        status = find_on(f, hsd_words_first(record), (uint32_t)hsd_words_second(record), err);
    if (status != HSD_END) return status;
    HSD_TRY(hsd_paged_check(&f->s->starts, err));
    return hsd_paged_check(&f->s->targets, err);
}

static hsd_status take_found(far_looks *f, hsd_error *err)
{
    const uint64_t *record;
    uint32_t last = UINT32_MAX;
    hsd_status status = hsd_sorter_finish(f->found, 0, err);
    while (status == HSD_OK && (status = hsd_sorter_next(f->found, &record, err)) == HSD_OK) {
        const uint32_t number = (uint32_t)(record[FOUND_WHERE] >> 32);
        if (number != last) open_far_look(f, &f->looks[number]);
        last = number;
        add_far_top(f, &f->looks[number], (hsd_node)record[FOUND_TOP]);
    }
    return status == HSD_END ? HSD_OK : status;
}

/* One step of looks first … end - 1. */
static hsd_status step_far(far_looks *f, uint32_t first, uint32_t end, bool *has_more, hsd_error *err)
{
    *has_more = false;
    HSD_TRY(hsd_by_sorter(f->s, HSD_TWO_WORDS, HSD_BY_SORTER, &f->wanted, err));
    for (uint32_t i = first; i < end; i++)
        HSD_TRY(want_on(f, i, has_more, err));
    if (*has_more) {
        HSD_TRY(hsd_by_sorter(f->s, FOUND_WORDS, HSD_BY_SORTER, &f->found, err));
        HSD_TRY(find_all_on(f, err));
        hsd_sorter_free(f->wanted);
        f->wanted = NULL;
        HSD_TRY(take_found(f, err));
    }
    hsd_sorter_free(f->wanted);
    hsd_sorter_free(f->found);
    f->wanted = f->found = NULL;
    return HSD_OK;
}

static hsd_status follow_far(far_looks *f, uint32_t first, uint32_t end, hsd_error *err)
{
    for (bool has_more = true; has_more;)
        HSD_TRY(step_far(f, first, end, &has_more, err));
    return HSD_OK;
}

/* What is reached counts as in tell_reached; sums follow. */
static hsd_status tell_far(far_looks *f, const far_look *one, hsd_error *err)
{
    hsd_by_search *s = f->s;
    for (uint32_t i = 0; i < one->count; i++) {
        const uint64_t record[HSD_TWO_WORDS] = {HSD_TWO(one->list[i], one->place)};
        HSD_TRY(hsd_sorter_put(f->tells, record, err));
    }
    f->steps += one->count;
    if (one->count < MOST_LOOKED_AT) return HSD_OK;
    hsd_by_place *at = hsd_by_place_write(s, (hsd_node)hsd_by_place_at(s, one->place)->below);
    at->told = hsd_max_u64(at->told, hsd_by_least_told(s));
    return HSD_OK;
}

/* ---- batches ---- */

static hsd_status next_seed(far_looks *f, hsd_error *err)
{
    const uint64_t *seed;
    const hsd_status status = hsd_sorter_next(f->s->seeds, &seed, err);
    f->has_seed = status == HSD_OK;
    if (f->has_seed) {
        f->seed_place = hsd_words_first(seed);
        f->seed_top = hsd_words_second(seed);
    }
    return status == HSD_END ? HSD_OK : status;
}

/* All seeds of the next place; it becomes a look if it tells little. */
static hsd_status begin_far_look(far_looks *f, hsd_error *err)
{
    const hsd_node place = f->seed_place;
    const bool is_asked = hsd_by_place_at(f->s, place)->told < hsd_by_least_told(f->s);
    far_look *one = &f->looks[f->count];
    f->order++;
    if (is_asked) {
        *one = (far_look){.place = place, .order = f->order};
        open_far_look(f, one);
        f->count++;
    }
    while (f->has_seed && f->seed_place == place) {
        if (is_asked) add_far_top(f, one, f->seed_top);
        HSD_TRY(next_seed(f, err));
    }
    return HSD_OK;
}

static hsd_status fill_batch(far_looks *f, hsd_error *err)
{
    f->count = 0;
    while (f->has_seed && f->count < f->most)
        HSD_TRY(begin_far_look(f, err));
    return HSD_OK;
}

/* The place that was begun when the steps ended has its first top alone. */
static hsd_status tell_last(far_looks *f, uint32_t number, hsd_node order, hsd_error *err)
{
    if (number == f->count) { /* the first one of the next batch */
        f->count = 0;
        if (f->has_seed) HSD_TRY(begin_far_look(f, err));
        number = 0;
    }
    if (number >= f->count || f->looks[number].order != order) return HSD_OK; /* it was not asked */
    f->looks[number].count = 1;
    f->looks[number].next = 0;
    HSD_TRY(follow_far(f, number, number + 1, err));
    return tell_far(f, &f->looks[number], err);
}

static hsd_status look_far_in_batches(far_looks *f, hsd_error *err)
{
    HSD_TRY(next_seed(f, err));
    while (f->has_seed) {
        HSD_TRY(fill_batch(f, err));
        HSD_TRY(follow_far(f, 0, f->count, err));
        for (uint32_t i = 0; i < f->count; i++) {
            HSD_TRY(tell_far(f, &f->looks[i], err));
            if (f->steps >= MOST_STEPS) return tell_last(f, i + 1, f->looks[i].order + 1, err);
        }
        HSD_TRY(hsd_progress(f->s->growth->pair->reporter, "finding what holds it together", f->steps, MOST_STEPS,
                             err));
    }
    return HSD_OK;
}

static hsd_status tell_far_sums(far_looks *f, hsd_error *err)
{
    hsd_by_search *s = f->s;
    hsd_tally *sums = NULL;
    const uint64_t *place;
    hsd_amount sum;
    hsd_status status = hsd_by_sum_tells(s, &f->tells, &sums, err);
    while (status == HSD_OK && (status = hsd_tally_next(sums, &place, &sum, err)) == HSD_OK) {
        hsd_by_place *at = hsd_by_place_write(s, (hsd_node)hsd_by_place_at(s, (hsd_node)*place)->below);
        at->told = hsd_max_u64(at->told, sum.bytes);
    }
    hsd_tally_free(sums);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status open_far(far_looks *f, hsd_error *err)
{
    hsd_by_search *s = f->s;
    const uint64_t most = s->memory_bytes / 8 * 3 / sizeof *f->looks; /* four sorters have a tenth each */
    f->most = (uint32_t)hsd_max_u64(hsd_min_u64(most, LOOKS_MOST), LOOKS_LEAST);
    if (!hsd_pages_take(&f->pages, f->most * sizeof *f->looks)) return hsd_fail_nomem(err, "what holds together");
    f->looks = f->pages.data;
    return hsd_by_sorter(s, HSD_TWO_WORDS, HSD_BY_SORTER, &f->tells, err);
}

static hsd_status look_far_by_scans(hsd_by_search *s, hsd_error *err)
{
    far_looks *f = calloc(1, sizeof *f);
    if (f == NULL) return hsd_fail_nomem(err, "what holds together");
    f->s = s;
    hsd_status status = open_far(f, err);
    if (status == HSD_OK) status = look_far_in_batches(f, err);
    if (status == HSD_OK) status = tell_far_sums(f, err);
    hsd_sorter_free(f->wanted);
    hsd_sorter_free(f->found);
    hsd_sorter_free(f->tells);
    hsd_pages_give(&f->pages);
    free(s->branches); /* nobody asks for them again */
    s->branches = NULL;
    free(f);
    return status;
}

hsd_status hsd_by_look_far(hsd_by_search *s, hsd_error *err)
{
    HSD_TRY(s->has_columns ? look_far_by_scans(s, err) : look_far_at_random(s, err));
    for (hsd_node i = 1; i <= s->place_count; i++)
        hsd_by_place_write(s, i)->below = 0;
    HSD_TRY(hsd_paged_check(&s->places, err));
    HSD_TRY(hsd_paged_check(&s->starts, err));
    HSD_TRY(hsd_paged_check(&s->targets, err));
    HSD_TRY(hsd_by_groups_check(s, err));
    return hsd_sorter_rewind(s->seeds, err);
}
