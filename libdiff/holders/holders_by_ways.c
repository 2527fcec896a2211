/*
 * Which places and tops refer to which tops. References are read once, in the order of their sources. The tree does not
 * have all objects: a folded part is where its owner is, and what it refers to counts for that one. A pseudo object is
 * a top without bytes of each fork from within which it is referred to; for each it is looked through once, and there
 * tells of that fork's tops alone.
 *
 * What is known of sources comes in their order. Tops come in any: where groups do not fit in memory references wait in
 * a sorter, with what is known of their sources, until the tops are gone through in the order of nodes. That is two
 * words a reference to a top, written and read, in place of a page or more.
 */
#include "holders/holders_by.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>

#define PROGRESS_STEPS 0xffffu
#define LATELY_BITS    10u

/* What is asked of the group of a source. */
enum { SOURCE_IS_BRANCH = 1, SOURCE_IS_SELF = 2, SOURCE_IS_PRIMARY = 4, SOURCE_IS_PSEUDO = 8 };

typedef struct source { /* what is looked through, and what is asked of it for each reference */
    uint32_t group;
    uint32_t place, place_group; /* the nearest place above it; 0 = none */
    uint8_t fork, place_fork;    /* of the groups */
    uint8_t flags;
} source;

typedef struct refer {
    hsd_by_search *s;
    source from;
    hsd_worklist parts;  /* folded ones of the object at hand */
    hsd_worklist pseudo; /* groups of those that were just met */
    hsd_sorter *later;   /* references to tops; NULL: they are looked at at once */
    uint8_t *is_top;     /* with `later`: one bit a node that the tree has and that is asked for */
    /* that were put lately, and need not be again; 0 = none */
    uint64_t pairs[1u << LATELY_BITS], seeds[1u << LATELY_BITS];
} refer;

/* True if the tree does not have the node; `word` is its group's. */
static bool is_hidden(hsd_by_search *s, uint32_t node, uint32_t word)
{
    if (hsd_bit_get(s->is_plain, node)) return false;
    return (word & HSD_BY_TOP) == 0 || (hsd_by_group_at(s, HSD_BY_GROUP(word))->flags & HSD_BY_IS_PSEUDO);
}

/* The group of the next fork outward in which a group lies; 0 = in none. A pseudo object is a top of each. */
uint32_t hsd_by_group_above(hsd_by_search *s, uint32_t group)
{
    const hsd_by_group *at = hsd_by_group_at(s, group);
    return at->flags & HSD_BY_IS_PSEUDO ? 0 : s->forks[at->fork].group;
}

/* The group of a fork in which another one lies; 0 = in none. */
uint32_t hsd_by_climb(hsd_by_search *s, uint32_t group, uint32_t fork)
{
    HSD_ASSERT(fork < s->fork_count);
    for (uint32_t steps = 0; group != 0 && steps <= HSD_BY_FORKS; steps++) {
        if (hsd_by_group_at(s, group)->fork == fork) return group;
        group = hsd_by_group_above(s, group);
    }
    return 0;
}

/* Many objects of a group refer to the same few. Neither groups nor places are 0. */
static hsd_status put_once(hsd_sorter *sorter, uint64_t *lately, uint32_t from, uint32_t top, hsd_error *err)
{
    const uint64_t pair = (uint64_t)from << 32 | top;
    uint64_t *slot = &lately[(pair ^ pair >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LATELY_BITS)];
    if (pair == *slot) return HSD_OK;
    *slot = pair;
    return hsd_sorter_put(sorter, &pair, err);
}

static bool is_branch(hsd_by_search *s, uint32_t group) { return hsd_by_group_at(s, group)->flags & HSD_BY_IS_BRANCH; }

static uint8_t source_flags(const hsd_by_group *group)
{
    return (uint8_t)((group->flags & HSD_BY_IS_BRANCH ? SOURCE_IS_BRANCH : 0) |
                     (group->mask & HSD_BY_SELF ? SOURCE_IS_SELF : 0) |
                     (group->mask & HSD_BY_PRIMARY ? SOURCE_IS_PRIMARY : 0) |
                     (group->flags & HSD_BY_IS_PSEUDO ? SOURCE_IS_PSEUDO : 0));
}

static void take_source(refer *r, uint32_t group, uint32_t node)
{
    hsd_by_search *s = r->s;
    const uint32_t place = hsd_paged_get_u32(&s->place_of, node);
    const hsd_by_group *at = hsd_by_group_at(s, group);
    r->from = (source){.group = group, .fork = at->fork, .flags = source_flags(at), .place = place};
    if (place == 0) return;
    r->from.place_group = hsd_by_place_at(s, place)->group;
    r->from.place_fork = r->from.place_group == group ? r->from.fork : hsd_by_group_at(s, r->from.place_group)->fork;
}

/* hsd_by_climb from a group of which the fork is known. */
static uint32_t climb_from(refer *r, uint32_t group, uint32_t fork_of_group, bool is_pseudo, uint32_t fork)
{
    if (fork_of_group == fork) return group;
    return is_pseudo ? 0 : hsd_by_climb(r->s, r->s->forks[fork_of_group].group, fork);
}

static uint32_t climb_source(refer *r, uint32_t group, uint32_t fork)
{
    if (group != r->from.group) return hsd_by_climb(r->s, group, fork);
    return climb_from(r, group, r->from.fork, (r->from.flags & SOURCE_IS_PSEUDO) != 0, fork);
}

/* The nearest place above the source, if it lies in a group. */
static uint32_t place_in(refer *r, uint32_t fork, uint32_t group)
{
    if (r->from.place == 0 || r->from.place_group == group) return r->from.place;
    return climb_from(r, r->from.place_group, r->from.place_fork, false, fork) == group ? r->from.place : 0;
}

/* Out of a branch goes the mark of the first round, and that it is the holder itself. Where it is known what of them
 * will, no pair is needed. */
static bool is_told_at_once(refer *r, uint32_t from, uint32_t top)
{
    hsd_by_search *s = r->s;
    const uint8_t flags = from == r->from.group ? r->from.flags : source_flags(hsd_by_group_at(s, from));
    if ((flags & (SOURCE_IS_BRANCH | SOURCE_IS_SELF)) != SOURCE_IS_BRANCH) return false;
    if ((flags & SOURCE_IS_PRIMARY) == 0) return !s->has_secondary;
    if ((hsd_by_group_at(s, top)->mask & HSD_BY_PRIMARY) == 0)
        hsd_by_group_or(s, top, offsetof(hsd_by_group, mask), HSD_BY_PRIMARY);
    return true;
}

static hsd_status put_pair(refer *r, uint32_t from, uint32_t top, bool is_told_by_place, hsd_error *err)
{
    if (is_told_at_once(r, from, top)) return HSD_OK;
    const bool is_from_branch = from == r->from.group ? (r->from.flags & SOURCE_IS_BRANCH) != 0 : is_branch(r->s, from);
    const bool is_for_mark = is_told_by_place && is_from_branch;
    if (is_for_mark && !r->s->has_secondary) return HSD_OK;
    return put_once(r->s->pairs, r->pairs, from, is_for_mark ? top | HSD_BY_FOR_MARK_ALONE : top, err);
}

/* Of a branch that is referred to nothing is told but which groups do, for the mark of the first round. */
static hsd_status see_known_top(refer *r, uint32_t group, uint32_t top, const hsd_by_group *to, hsd_error *err)
{
    hsd_by_search *s = r->s;
    const uint64_t bytes = to->bytes;
    const uint8_t fork = to->fork, flags = to->flags;
    const uint32_t from = climb_source(r, group, fork);
    if (from == 0 || from == top) return HSD_OK;
    const uint32_t place = place_in(r, fork, from);
    HSD_TRY(put_pair(r, from, top, place != 0, err));
    if (place == 0 || (flags & HSD_BY_IS_BRANCH)) return HSD_OK;
    if (bytes > 0) hsd_by_place_tell(s, place, bytes);
    return put_once(s->seeds, r->seeds, place, top, err);
}

static hsd_status see_top(refer *r, uint32_t group, uint32_t top, hsd_error *err)
{
    const hsd_by_group to = *hsd_by_group_at(r->s, top);
    return see_known_top(r, group, top, &to, err);
}

/* ---- references that wait ---- */

/* The words of a record: target, source's group, its flags; place, place's group, both forks. */
#define NUMBER_BITS 28u
#define FORK_BITS   4u
#define NUMBER_MASK ((UINT32_C(1) << NUMBER_BITS) - 1)
#define FORK_MASK   ((UINT32_C(1) << FORK_BITS) - 1)

_Static_assert(HSD_BY_FORKS <= 1u << FORK_BITS, "a fork must fit");

static hsd_status put_later(refer *r, uint32_t target, hsd_error *err)
{
    const source *f = &r->from;
    const uint64_t record[2] = {(uint64_t)target << 32 | f->group << FORK_BITS | f->flags,
                                ((uint64_t)f->place << NUMBER_BITS | f->place_group) << 2 * FORK_BITS |
                                    f->fork << FORK_BITS | f->place_fork};
    return hsd_sorter_put(r->later, record, err);
}

static source source_of(const uint64_t *record)
{
    return (source){.group = (uint32_t)record[0] >> FORK_BITS,
                    .flags = (uint8_t)(record[0] & FORK_MASK),
                    .place = (uint32_t)(record[1] >> (NUMBER_BITS + 2 * FORK_BITS)),
                    .place_group = (uint32_t)(record[1] >> 2 * FORK_BITS) & NUMBER_MASK,
                    .fork = (uint8_t)(record[1] >> FORK_BITS & FORK_MASK),
                    .place_fork = (uint8_t)(record[1] & FORK_MASK)};
}

/* Groups that fit are looked at at once. So are those of heaps too large for the words of a record. */
static bool should_wait(const hsd_by_search *s)
{
    const bool fits = s->groups.is_flat && s->group_of.is_flat && s->places.is_flat;
    return !fits && s->group_room < NUMBER_MASK && s->place_count < NUMBER_MASK;
}

static hsd_status begin_later(refer *r, hsd_error *err)
{
    hsd_by_search *s = r->s;
    const hsd_sorter_config config = {.record_words = 2,
                                      .key_words = 1,
                                      .space = &s->growth->pair->space,
                                      .reporter = s->growth->pair->reporter,
                                      .memory_bytes = hsd_max_u64(s->memory_bytes / 8, HSD_SORT_MIN_BYTES)};
    if (!should_wait(s)) return HSD_OK;
    r->is_top = calloc((size_t)s->side->node_count / 8 + 1, 1);
    if (r->is_top == NULL) return hsd_fail_nomem(err, "what holds together");
    for (uint32_t node = 0; node < s->side->node_count; node++)
        if (!hsd_bit_get(s->is_plain, node) && (hsd_paged_get_u32(&s->group_of, node) & HSD_BY_TOP))
            hsd_bit_set(r->is_top, node);
    return hsd_sorter_new(&r->later, &config, err);
}

/* Tops in the order of nodes. */
static hsd_status see_later(refer *r, hsd_error *err)
{
    hsd_by_search *s = r->s;
    const uint64_t *record;
    uint32_t target = UINT32_MAX, top = 0;
    hsd_by_group to = {.mask = 0};
    hsd_status status;
    if (r->later == NULL) return HSD_OK;
    HSD_TRY(hsd_sorter_finish(r->later, 0, err));
    while ((status = hsd_sorter_next(r->later, &record, err)) == HSD_OK) {
        if (target != (uint32_t)(record[0] >> 32)) {
            target = (uint32_t)(record[0] >> 32);
            top = HSD_BY_GROUP(hsd_paged_get_u32(&s->group_of, target));
            to = *hsd_by_group_at(s, top);
        }
        r->from = source_of(record);
        HSD_TRY(see_known_top(r, r->from.group, top, &to, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* ---- */

static bool is_part(hsd_by_search *s, uint32_t node)
{
    return s->side->request->type_names->flags[hsd_paged_get_u32(&s->side->types_of, node)] & HSC_TYPE_PART;
}

/* A folded part has one owner, and is met by it and its other parts alone. A pseudo object of a part's type may be met
 * by several: then it is looked through again for each. */
static hsd_status meet_part(refer *r, uint32_t group, uint32_t target, hsd_error *err)
{
    hsd_paged_set_u32(&r->s->group_of, target, group);
    return hsd_worklist_push(&r->parts, target, err);
}

/* A pseudo object as a top of a fork; 0 = there are more than the capture says. */
static uint32_t find_pseudo(hsd_by_search *s, uint32_t first, uint32_t fork)
{
    while (first != 0) {
        const hsd_by_group *top = hsd_by_group_at(s, first);
        if (top->fork == fork) return first;
        first = top->next;
    }
    return 0;
}

static hsd_status new_pseudo(refer *r, uint32_t target, uint32_t first, uint32_t fork, uint32_t *out, hsd_error *err)
{
    hsd_by_search *s = r->s;
    if (s->group_count >= s->group_room) return HSD_OK;
    *out = ++s->group_count;
    hsd_by_group *top = hsd_by_group_write(s, *out);
    top->fork = (uint8_t)fork;
    top->flags = HSD_BY_IS_PSEUDO;
    top->name = target;
    top->next = first;
    hsd_paged_set_u32(&s->group_of, target, *out | HSD_BY_TOP);
    return hsd_worklist_push(&r->pseudo, *out, err);
}

/* Another object that the tree does not have: a top of each fork in which the source lies. */
static hsd_status see_pseudo(refer *r, uint32_t group, uint32_t target, hsd_error *err)
{
    hsd_by_search *s = r->s;
    for (uint32_t steps = 0; group != 0 && steps <= HSD_BY_FORKS; steps++) {
        const uint32_t fork = hsd_by_group_at(s, group)->fork,
                       first = HSD_BY_GROUP(hsd_paged_get_u32(&s->group_of, target));
        uint32_t top = find_pseudo(s, first, fork);
        if (top == 0) HSD_TRY(new_pseudo(r, target, first, fork, &top, err));
        if (top != 0) HSD_TRY(see_top(r, group, top, err));
        group = hsd_by_group_above(s, group);
    }
    return HSD_OK;
}

static hsd_status see_joint_way(refer *r, uint32_t target, hsd_error *err)
{
    hsd_by_search *s = r->s;
    const uint32_t group = r->from.group;
    if (hsd_bit_get(s->is_plain, target)) return HSD_OK;
    if (r->later != NULL && hsd_bit_get(r->is_top, target)) return put_later(r, target, err);
    const uint32_t word = hsd_paged_get_u32(&s->group_of, target);
    if (word == group) return HSD_OK;
    if (is_hidden(s, target, word))
        return is_part(s, target) ? meet_part(r, group, target, err) : see_pseudo(r, group, target, err);
    return see_top(r, group, HSD_BY_GROUP(word), err);
}

/* What `node` refers to, told of the source: the node itself, or the object that it is a part of. */
static hsd_status see_all(refer *r, uint32_t node, hsd_error *err)
{
    hsd_by_search *s = r->s;
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(s->side->adjacency, node)) return HSD_OK;
    hsd_adjacency_get(s->side->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            HSD_TRY(see_joint_way(r, targets.items[i], err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(s->side->adjacency, &targets);
    }
}

static hsd_status see_with_parts(refer *r, uint32_t group, uint32_t node, hsd_error *err)
{
    take_source(r, group, node);
    HSD_TRY(see_all(r, node, err));
    while (!hsd_worklist_is_empty(&r->parts)) {
        uint32_t part;
        HSD_TRY(hsd_worklist_pop(&r->parts, &part, err));
        HSD_TRY(see_all(r, part, err));
    }
    return HSD_OK;
}

static hsd_status see_node(refer *r, uint32_t node, hsd_error *err)
{
    if (hsd_adjacency_is_leaf(r->s->side->adjacency, node)) return HSD_OK;
    const uint32_t word = hsd_paged_get_u32(&r->s->group_of, node);
    uint32_t group = HSD_BY_GROUP(word);
    if (group == 0 || is_hidden(r->s, node, word)) return HSD_OK;
    HSD_TRY(see_with_parts(r, group, node, err));
    while (!hsd_worklist_is_empty(&r->pseudo)) {
        HSD_TRY(hsd_worklist_pop(&r->pseudo, &group, err));
        HSD_TRY(see_with_parts(r, group, hsd_by_group_at(r->s, group)->name, err));
    }
    return HSD_OK;
}

static hsd_status check_joint_way(const hsd_by_search *s, uint32_t node, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&s->group_of, err));
    HSD_TRY(hsd_paged_check(&s->groups, err));
    HSD_TRY(hsd_paged_check(&s->place_of, err));
    HSD_TRY(hsd_paged_check(&s->places, err));
    HSD_TRY(hsd_paged_check(&s->side->types_of, err));
    HSD_TRY(hsd_adjacency_check(s->side->adjacency, err));
    return hsd_progress(s->growth->pair->reporter, "finding what holds it together", node, s->side->node_count, err);
}

hsd_status hsd_by_refer(hsd_by_search *s, hsd_error *err)
{
    refer r = {.s = s};
    r.parts.file.fd = r.pseudo.file.fd = -1;
    hsd_status status = hsd_worklist_open(&r.parts, 0, &s->growth->pair->space, err);
    if (status == HSD_OK) status = hsd_worklist_open(&r.pseudo, 0, &s->growth->pair->space, err);
    if (status == HSD_OK) status = begin_later(&r, err);
    for (uint32_t node = 0; node < s->side->node_count && status == HSD_OK; node++) {
        status = see_node(&r, node, err);
        if (status == HSD_OK && (node & PROGRESS_STEPS) == 0) status = check_joint_way(s, node, err);
    }
    if (status == HSD_OK) status = see_later(&r, err);
    hsd_worklist_close(&r.parts);
    hsd_worklist_close(&r.pseudo);
    hsd_sorter_free(r.later);
    free(r.is_top);
    HSD_TRY(status);
    HSD_TRY(check_joint_way(s, s->side->node_count, err));
    HSD_TRY(hsd_sorter_finish(s->pairs, 0, err));
    return hsd_sorter_finish(s->seeds, 0, err);
}

/* ---- who refers to whom, by groups ---- */

/* Pairs come in the order of their first group; equal ones are one. */
static hsd_status list_targets(hsd_by_search *s, hsd_error *err)
{
    const uint64_t *pair;
    uint64_t last = UINT64_MAX, count = 0;
    uint32_t group = 0;
    hsd_status status;
    while ((status = hsd_sorter_next(s->pairs, &pair, err)) == HSD_OK) {
        if (*pair == last) continue;
        last = *pair;
        while (group <= (uint32_t)(*pair >> 32))
            hsd_paged_set_u64(&s->starts, group++, count);
        hsd_paged_set_u32(&s->targets, count++, (uint32_t)*pair);
    }
    if (status != HSD_END) return status;
    while (group <= s->group_count + 1)
        hsd_paged_set_u64(&s->starts, group++, count);
    HSD_TRY(hsd_paged_check(&s->starts, err));
    return hsd_paged_check(&s->targets, err);
}

hsd_status hsd_by_list_targets(hsd_by_search *s, hsd_error *err)
{
    hsd_temp_space *space = &s->growth->pair->space;
    const uint64_t starts = ((uint64_t)s->group_count + 2) * sizeof(uint64_t),
                   targets = (hsd_sorter_count(s->pairs) + 1) * sizeof(uint32_t);
    const uint64_t memory = s->memory_bytes / 16;
    HSD_TRY(hsd_paged_open(&s->starts, starts, hsd_max_u64(memory, hsd_paged_least_bytes(starts)), space, err));
    HSD_TRY(hsd_paged_open(&s->targets, targets, hsd_max_u64(memory, hsd_paged_least_bytes(targets)), space, err));
    return list_targets(s, err);
}

/* ---- how far little leads ---- */

#define MOST_LOOKED_AT 128u
#define MOST_STEPS     (1u << 20) /* of all places */

#define SEEN_BITS 9u /* twice MOST_LOOKED_AT and more */

typedef struct look { /* from one place: groups that are reached from it, in the order of their distance */
    uint32_t place, count, steps;
    uint32_t turn; /* of the places; what was seen in another turn is forgotten */
    bool is_asked; /* it tells little */
    uint32_t list[MOST_LOOKED_AT];
    struct {
        uint32_t top, turn;
    } seen[1u << SEEN_BITS]; /* a hash table of the list */
} look;

/* The slot of a group, or the free one where it belongs. */
static uint32_t find_seen(const look *l, uint32_t top)
{
    uint32_t at = top * UINT32_C(0x9e3779b1) >> (32 - SEEN_BITS);
    while (l->seen[at].turn == l->turn && l->seen[at].top != top)
        at = (at + 1) & ((1u << SEEN_BITS) - 1);
    return at;
}

static void put_seen(look *l, uint32_t slot, uint32_t top)
{
    if (l->count == MOST_LOOKED_AT) return;
    l->seen[slot].top = top;
    l->seen[slot].turn = l->turn;
    l->list[l->count++] = top;
}

static void look_at_joint_way(look *l, uint32_t top)
{
    const uint32_t slot = find_seen(l, top);
    if (l->seen[slot].turn != l->turn) put_seen(l, slot, top);
}

static void look_on(hsd_by_search *s, look *l, uint32_t group)
{
    const uint64_t end = hsd_paged_get_u64(&s->starts, (uint64_t)group + 1);
    for (uint64_t i = hsd_paged_get_u64(&s->starts, group); i < end && l->count < MOST_LOOKED_AT; i++) {
        const uint32_t top = HSD_BY_GROUP(hsd_paged_get_u32(&s->targets, i)), slot = find_seen(l, top);
        if (l->seen[slot].turn != l->turn && !is_branch(s, top)) put_seen(l, slot, top);
    }
}

/* No place yet is 0. */
static void begin_look(hsd_by_search *s, look *l, uint32_t place)
{
    l->place = place;
    l->count = 0;
    l->turn++;
    l->is_asked = hsd_by_place_at(s, place)->told < hsd_by_least_told(s);
}

/* What is reached from a place counts as if it were referred to from the beginning of its branch; where that goes on
 * and on it has enough to be named. */
static void tell_reached(hsd_by_search *s, look *l)
{
    uint64_t bytes = 0;
    if (!l->is_asked) return;
    for (uint32_t i = 0; i < l->count; i++) {
        const hsd_by_group *group = hsd_by_group_at(s, l->list[i]);
        bytes = hsd_add_saturating(bytes, group->bytes);
        l->steps++;
        if ((group->flags & HSD_BY_IS_CLOSED) == 0 && l->count < MOST_LOOKED_AT) look_on(s, l, l->list[i]);
    }
    if (l->count == MOST_LOOKED_AT) bytes = hsd_max_u64(bytes, hsd_by_least_told(s));
    hsd_by_place *at = hsd_by_place_write(s, (uint32_t)hsd_by_place_at(s, l->place)->below);
    at->told = hsd_max_u64(at->told, bytes);
}

/* A variable that holds the last node of a list or a tree refers to that one alone, and holds all. */
hsd_status hsd_by_look_far(hsd_by_search *s, hsd_error *err)
{
    const uint64_t *seed;
    look l = {.place = 0};
    hsd_status status;
    while ((status = hsd_sorter_next(s->seeds, &seed, err)) == HSD_OK && l.steps < MOST_STEPS) {
        const uint32_t place = (uint32_t)(*seed >> 32);
        if (place != l.place) {
            tell_reached(s, &l);
            begin_look(s, &l, place);
        }
        if (l.is_asked) look_at_joint_way(&l, (uint32_t)*seed);
    }
    if (status != HSD_OK && status != HSD_END) return status;
    tell_reached(s, &l);
    for (uint32_t i = 1; i <= s->place_count; i++)
        hsd_by_place_write(s, i)->below = 0;
    HSD_TRY(hsd_paged_check(&s->places, err));
    HSD_TRY(hsd_paged_check(&s->starts, err));
    HSD_TRY(hsd_paged_check(&s->targets, err));
    HSD_TRY(hsd_paged_check(&s->groups, err));
    return hsd_sorter_rewind(s->seeds, err);
}
