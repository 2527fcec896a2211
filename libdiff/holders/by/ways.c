/*
 * Which places and tops refer to which tops. References are read once, in the order of their sources. The tree does not
 * have all objects: a folded part is where its owner is, and what it refers to counts for that one. A pseudo object is
 * a top without bytes of each fork from within which it is referred to; for each it is looked through once, and there
 * tells of that fork's tops alone.
 *
 * What is known of sources comes in their order. Tops come in any: where groups do not fit in memory references wait in
 * a sorter, with what is known of their sources, until the tops are gone through in the order of nodes. That is two
 * words a reference to a top, written and read, in place of a page or more. The bits that said who is a source say then
 * who is a top: a slot says the first, and is read in order.
 */
#include "holders/by/told.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/worker.h"
#include <hscapture/hscapture.h>

#define PROGRESS_STEPS 0xffffu
#define LATELY_BITS    10u

typedef struct source { /* what is looked through, and what is asked of it for each reference */
    hsd_node group;
    hsd_node place, place_group; /* the nearest place above it; 0 = none */
    uint8_t look, place_fork;    /* of the group, and of the place's */
} source;

typedef struct refer {
    hsd_by_search *s;
    source from;
    hsd_worklist parts;  /* folded ones of the object at hand */
    hsd_worklist pseudo; /* groups of those that were just met */
    hsd_sorter *later;   /* references to tops; NULL: they are looked at at once */
    uint8_t *is_top;     /* with `later`: one bit a node that the tree has and that is asked for; borrowed */
    /* that were put lately, and need not be again; 0 = none */
    hsd_two pairs[1u << LATELY_BITS], seeds[1u << LATELY_BITS];
} refer;

/* True if the tree does not have the node; `word` is its group's. */
static bool is_hidden(const refer *r, hsd_node node, hsd_node word)
{
    if (hsd_bit_get(r->s->is_plain, node)) return false;
    if (r->later != NULL) return !hsd_bit_get(r->is_top, node);
    return (word & HSD_BY_TOP) == 0 || (hsd_by_look(r->s, HSD_BY_GROUP(word)) & HSD_BY_LOOK_PSEUDO);
}

/* The group of the next fork outward in which a group lies; 0 = in none. A pseudo object is a top of each. */
hsd_node hsd_by_group_above(hsd_by_search *s, hsd_node group)
{
    const uint8_t look = hsd_by_look(s, group);
    return look & HSD_BY_LOOK_PSEUDO ? 0 : s->forks[look & HSD_BY_LOOK_FORK].group;
}

hsd_node hsd_by_climb_from(const hsd_by_search *s, hsd_node group, uint8_t *look, uint32_t fork)
{
    HSD_ASSERT(fork < s->fork_count);
    for (uint32_t steps = 0; group != 0 && steps <= HSD_BY_FORKS; steps++) {
        const hsd_by_fork *above = &s->forks[*look & HSD_BY_LOOK_FORK];
        if ((*look & HSD_BY_LOOK_FORK) == fork) return group;
        group = *look & HSD_BY_LOOK_PSEUDO ? 0 : above->group;
        *look = above->look;
    }
    return 0;
}

/* The group of a fork in which another one lies; 0 = in none. */
hsd_node hsd_by_climb(hsd_by_search *s, hsd_node group, uint32_t fork)
{
    uint8_t look = group != 0 ? hsd_by_look(s, group) : 0;
    return hsd_by_climb_from(s, group, &look, fork);
}

/* Many objects of a group refer to the same few. Neither groups nor places are 0. */
static hsd_status put_once(hsd_sorter *sorter, hsd_two *lately, hsd_node from, hsd_node top, hsd_error *err)
{
    const uint64_t mixed = (uint64_t)from << 32 ^ from ^ top;
    const hsd_two pair = hsd_two_of(from, top);
    hsd_two *slot = &lately[mixed * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LATELY_BITS)];
    if (pair == *slot) return HSD_OK;
    *slot = pair;
    return hsd_sorter_put(sorter, (const uint64_t[HSD_TWO_WORDS]){HSD_TWO(from, top)}, err);
}

/* `about` is what the source's slot says of it. */
static source source_of(const hsd_by_search *s, hsd_node group, uint32_t about, hsd_node place)
{
    source from = {.group = group, .look = (uint8_t)about, .place = place};
    if (place == 0) return from;
    uint8_t look = from.look;
    from.place_fork = (uint8_t)(about >> HSD_BY_ABOUT_FORK_SHIFT & HSD_BY_LOOK_FORK);
    from.place_group = hsd_by_climb_from(s, group, &look, from.place_fork);
    return from;
}

/* The nearest place above the source, if it lies in a group, which is one of `fork`. */
static hsd_node place_in(const refer *r, uint32_t fork, hsd_node group)
{
    if (r->from.place == 0 || r->from.place_group == group) return r->from.place;
    uint8_t look = r->from.place_fork;
    return hsd_by_climb_from(r->s, r->from.place_group, &look, fork) == group ? r->from.place : 0;
}

/* Out of a branch goes the mark of the first round, and that it is the holder itself. Where it is known what of them
 * will, no pair is needed. */
static bool is_told_at_once(refer *r, uint8_t from_look, hsd_node top, uint8_t top_look)
{
    hsd_by_search *s = r->s;
    if ((from_look & (HSD_BY_LOOK_BRANCH | HSD_BY_LOOK_SELF)) != HSD_BY_LOOK_BRANCH) return false;
    if ((from_look & HSD_BY_LOOK_PRIMARY) == 0) return !s->has_secondary;
    if (top_look & HSD_BY_LOOK_PRIMARY) return true;
    if (s->primary != NULL)
        hsd_bit_set(s->primary, top);
    else
        hsd_by_mask_or(s, top, HSD_BY_PRIMARY);
    return true;
}

/* `from` and `to` are groups, with their looks. */
static hsd_status put_pair(refer *r, hsd_node from, uint8_t from_look, hsd_node to, uint8_t to_look,
                           bool is_told_by_place, hsd_error *err)
{
    if (is_told_at_once(r, from_look, to, to_look)) return HSD_OK;
    const bool is_for_mark = is_told_by_place && (from_look & HSD_BY_LOOK_BRANCH);
    if (is_for_mark && !r->s->has_secondary) return HSD_OK;
    return put_once(r->s->pairs, r->pairs, from, is_for_mark ? to | HSD_BY_FOR_MARK_ALONE : to, err);
}

/* Of a branch that is referred to nothing is told but which groups do, for the mark of the first round. */
static hsd_status tell_place(hsd_by_search *s, hsd_node place, hsd_node top, hsd_error *err)
{
    if (s->tells != NULL) return hsd_sorter_put(s->tells, (const uint64_t[HSD_TWO_WORDS]){HSD_TWO(top, place)}, err);
    const uint64_t bytes = hsd_by_top_at(s, top)->bytes;
    if (bytes > 0) hsd_by_place_tell(s, place, bytes);
    return HSD_OK;
}

/* Of the source, of which a group is known in which it lies. */
static hsd_status see_top(refer *r, hsd_node group, uint8_t group_look, hsd_node top, uint8_t look, hsd_error *err)
{
    hsd_by_search *s = r->s;
    const uint32_t fork = look & HSD_BY_LOOK_FORK;
    const hsd_node from = hsd_by_climb_from(s, group, &group_look, fork);
    if (from == 0 || from == top) return HSD_OK;
    const hsd_node place = place_in(r, fork, from);
    HSD_TRY(put_pair(r, from, group_look, top, look, place != 0, err));
    if (place == 0 || (look & HSD_BY_LOOK_BRANCH)) return HSD_OK;
    HSD_TRY(tell_place(s, place, top, err));
    return put_once(s->seeds, r->seeds, place, top, err);
}

/* ---- references that wait ---- */

/* The words of a record: target, and source's group with flags of its look; then the place, with forks of its group and
 * of the source's. Groups and places are below HSD_BY_MOST_NUMBER. */
#define FLAG_SHIFT 4u
#define FORK_BITS  4u
#define FORK_MASK  ((UINT32_C(1) << FORK_BITS) - 1)

enum { LATER_PLACE = HSD_TWO_WORDS, LATER_WORDS };

_Static_assert(HSD_BY_FORKS <= 1u << FORK_BITS, "a fork must fit");
_Static_assert(HSD_BY_NUMBER_BITS + FORK_BITS <= HSD_NODE_BITS && HSD_BY_NUMBER_BITS + 2 * FORK_BITS <= 64,
               "a number must fit");

static hsd_status put_later(refer *r, hsd_node target, hsd_error *err)
{
    const source *f = &r->from;
    const uint64_t record[LATER_WORDS] = {HSD_TWO(target, f->group << FORK_BITS | f->look >> FLAG_SHIFT),
                                          ((uint64_t)f->place << FORK_BITS | f->place_fork) << FORK_BITS |
                                              (f->look & FORK_MASK)};
    return hsd_sorter_put(r->later, record, err);
}

static source source_of_later(const hsd_by_search *s, const uint64_t *record)
{
    const hsd_node group = hsd_words_second(record);
    const uint64_t place = record[LATER_PLACE];
    const uint32_t look = ((uint32_t)group & FORK_MASK) << FLAG_SHIFT | ((uint32_t)place & FORK_MASK),
                   place_fork = (uint32_t)(place >> FORK_BITS) & FORK_MASK;
    return source_of(s, group >> FORK_BITS, look | place_fork << HSD_BY_ABOUT_FORK_SHIFT,
                     (hsd_node)(place >> 2 * FORK_BITS));
}

/* Who is a source is known by its slot from now on, and its bit says whether it is a top. */
static void mark_tops_for_sources(hsd_by_search *s)
{
    for (hsd_node node = 0; node < s->side->node_count; node++) {
        if (!hsd_by_has_slot(s, node)) continue;
        if (!hsd_bit_get(s->is_plain, node) && (hsd_by_group_of(s, node) & HSD_BY_TOP))
            hsd_bit_set(s->is_source, node);
        else
            hsd_bit_clear(s->is_source, node);
    }
}

static hsd_status begin_later(refer *r, hsd_error *err)
{
    hsd_by_search *s = r->s;
    if (!s->has_columns) return HSD_OK;
    HSD_TRY(hsd_by_open_marks(s, err));
    mark_tops_for_sources(s);
    r->is_top = s->is_source;
    HSD_TRY(hsd_by_sorter(s, HSD_TWO_WORDS, HSD_BY_SORTER, &s->tells, err));
    return hsd_by_sorter(s, LATER_WORDS, HSD_BY_BIG_PART, &r->later, err);
}

/* Tops in the order of nodes. */
static hsd_status see_later(refer *r, hsd_error *err)
{
    hsd_by_search *s = r->s;
    const uint64_t *record;
    hsd_node target = HSD_NODE_MAX, top = 0;
    uint8_t look = 0;
    hsd_status status;
    if (r->later == NULL) return HSD_OK;
    HSD_TRY(hsd_sorter_finish(r->later, 0, err));
    while ((status = hsd_sorter_next(r->later, &record, err)) == HSD_OK) {
        if (target != hsd_words_first(record)) {
            target = hsd_words_first(record);
            const hsd_node slot = hsd_by_slot(s, target);
            top = HSD_BY_GROUP(hsd_paged_get_node(&s->group_of, slot));
            look = (uint8_t)hsd_two_first(hsd_paged_get_two(&s->place_of, slot));
        }
        r->from = source_of_later(s, record);
        HSD_TRY(see_top(r, r->from.group, r->from.look, top, look, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* ---- */

static bool is_part(hsd_by_search *s, hsd_node node)
{
    return s->side->request->type_names->flags[hsd_paged_get_u32(&s->side->types_of, node)] & HSC_TYPE_PART;
}

/* A folded part has one owner, and is met by it and its other parts alone. A pseudo object of a part's type may be met
 * by several: then it is looked through again for each. */
static hsd_status meet_part(refer *r, hsd_node group, hsd_node target, hsd_error *err)
{
    hsd_paged_set_node(&r->s->group_of, hsd_by_slot(r->s, target), group);
    return hsd_worklist_push(&r->parts, target, err);
}

/* A pseudo object as a top of a fork; 0 = there are more than the capture says. */
static hsd_node find_pseudo(hsd_by_search *s, hsd_node first, uint32_t fork)
{
    while (first != 0) {
        if (hsd_by_group_at(s, first)->fork == fork) return first;
        first = hsd_by_top_at(s, first)->next;
    }
    return 0;
}

static hsd_status new_pseudo(refer *r, hsd_node target, hsd_node first, uint32_t fork, hsd_node *out, hsd_error *err)
{
    hsd_by_search *s = r->s;
    if (s->group_count >= s->group_room) return HSD_OK;
    *out = ++s->group_count;
    hsd_by_group *group = hsd_by_group_write(s, *out);
    group->fork = (uint8_t)fork;
    group->flags = HSD_BY_IS_PSEUDO;
    hsd_by_top *top = hsd_by_top_write(s, *out);
    top->name = target;
    top->next = first;
    hsd_paged_set_node(&s->group_of, hsd_by_slot(s, target), *out | HSD_BY_TOP);
    return hsd_worklist_push(&r->pseudo, *out, err);
}

/* Another object that the tree does not have: a top of each fork in which the source lies. */
static hsd_status see_pseudo(refer *r, hsd_node target, hsd_error *err)
{
    hsd_by_search *s = r->s;
    hsd_node group = r->from.group;
    uint8_t look = r->from.look;
    for (uint32_t steps = 0; group != 0 && steps <= HSD_BY_FORKS; steps++) {
        const uint32_t fork = look & HSD_BY_LOOK_FORK;
        const hsd_node first = HSD_BY_GROUP(hsd_by_group_of(s, target));
        hsd_node top = find_pseudo(s, first, fork);
        if (top == 0) HSD_TRY(new_pseudo(r, target, first, fork, &top, err));
        if (top != 0) HSD_TRY(see_top(r, group, look, top, (uint8_t)(fork | HSD_BY_LOOK_PSEUDO), err));
        group = look & HSD_BY_LOOK_PSEUDO ? 0 : s->forks[fork].group;
        look = s->forks[fork].look;
    }
    return HSD_OK;
}

static hsd_status see_joint_way(refer *r, hsd_node target, hsd_error *err)
{
    hsd_by_search *s = r->s;
    const hsd_node group = r->from.group;
    if (hsd_bit_get(s->is_plain, target)) return HSD_OK;
    if (r->later != NULL && hsd_bit_get(r->is_top, target)) return put_later(r, target, err);
    const hsd_node word = hsd_by_group_of(s, target);
    if (word == group) return HSD_OK;
    if (is_hidden(r, target, word))
        return is_part(s, target) ? meet_part(r, group, target, err) : see_pseudo(r, target, err);
    const hsd_node top = HSD_BY_GROUP(word);
    return see_top(r, group, r->from.look, top, hsd_by_look(s, top), err);
}

/* What `node` refers to, told of the source: the node itself, or the object that it is a part of. */
static hsd_status see_all(refer *r, hsd_node node, hsd_error *err)
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

/* What folded parts refer to counts for the source at hand. */
static hsd_status see_parts(refer *r, hsd_error *err)
{
    while (!hsd_worklist_is_empty(&r->parts)) {
        hsd_node part;
        HSD_TRY(hsd_worklist_pop(&r->parts, &part, err));
        HSD_TRY(see_all(r, part, err));
    }
    return HSD_OK;
}

static hsd_status see_pseudo_tops(refer *r, hsd_error *err)
{
    while (!hsd_worklist_is_empty(&r->pseudo)) {
        hsd_node group;
        HSD_TRY(hsd_worklist_pop(&r->pseudo, &group, err));
        r->from = (source){.group = group, .look = hsd_by_look_of(hsd_by_group_at(r->s, group))};
        HSD_TRY(see_all(r, hsd_by_top_at(r->s, group)->name, err));
        HSD_TRY(see_parts(r, err));
    }
    return HSD_OK;
}

static bool may_be_source(const refer *r, hsd_node node)
{
    return r->later == NULL ? hsd_bit_get(r->s->is_source, node) : hsd_by_has_slot(r->s, node);
}

/* True if the node is a source, which is at hand from now on. */
static bool take_source(refer *r, hsd_node node)
{
    if (!may_be_source(r, node)) return false;
    const hsd_node slot = hsd_by_slot(r->s, node), word = hsd_paged_get_node(&r->s->group_of, slot);
    if (HSD_BY_GROUP(word) == 0 || is_hidden(r, node, word)) return false;
    const hsd_two numbers = hsd_paged_get_two(&r->s->place_of, slot);
    const uint32_t about = (uint32_t)hsd_two_first(numbers);
    if ((about & HSD_BY_ABOUT_SOURCE) == 0) return false;
    r->from = source_of(r->s, HSD_BY_GROUP(word), about, hsd_two_second(numbers));
    return true;
}

static hsd_status see_node(refer *r, hsd_node node, hsd_error *err)
{
    if (!take_source(r, node)) return HSD_OK;
    HSD_TRY(see_all(r, node, err));
    HSD_TRY(see_parts(r, err));
    return see_pseudo_tops(r, err);
}

static hsd_status check_joint_way(const hsd_by_search *s, hsd_node node, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(&s->group_of, err));
    HSD_TRY(hsd_by_groups_check(s, err));
    HSD_TRY(hsd_paged_check(&s->place_of, err));
    HSD_TRY(hsd_paged_check(&s->places, err));
    HSD_TRY(hsd_paged_check(&s->side->types_of, err));
    HSD_TRY(hsd_adjacency_check(s->side->adjacency, err));
    return hsd_progress(s->growth->pair->reporter, "finding what holds it together", node, s->side->node_count, err);
}

static hsd_status finish_sorter(void *sorter, hsd_error *err) { return hsd_sorter_finish(sorter, 0, err); }

hsd_status hsd_by_refer(hsd_by_search *s, hsd_error *err)
{
    refer r = {.s = s};
    r.parts.file.fd = r.pseudo.file.fd = -1;
    hsd_status status = hsd_worklist_open(&r.parts, 0, &s->growth->pair->space, err);
    if (status == HSD_OK) status = hsd_worklist_open(&r.pseudo, 0, &s->growth->pair->space, err);
    if (status == HSD_OK) status = begin_later(&r, err);
    for (hsd_node node = 0; node < s->side->node_count && status == HSD_OK; node++) {
        status = see_node(&r, node, err);
        if (status == HSD_OK && (node & PROGRESS_STEPS) == 0) status = check_joint_way(s, node, err);
    }
    if (status == HSD_OK) status = see_later(&r, err);
    hsd_worklist_close(&r.parts);
    hsd_worklist_close(&r.pseudo);
    hsd_sorter_free(r.later);
    HSD_TRY(status);
    HSD_TRY(check_joint_way(s, s->side->node_count, err));
    HSD_TRY(hsd_run_both((hsd_job){finish_sorter, s->seeds}, (hsd_job){finish_sorter, s->pairs},
                         s->growth->walks_at_once, err));
    return s->has_columns ? hsd_by_settle_tells(s, err) : HSD_OK;
}

/* ---- who refers to whom, by groups ---- */

/* Pairs come in the order of their first group; equal ones are one. */
static hsd_status list_targets(hsd_by_search *s, hsd_error *err)
{
    const uint64_t *pair;
    hsd_two last = hsd_two_of(HSD_NODE_MAX, HSD_NODE_MAX);
    uint64_t count = 0;
    hsd_node group = 0;
    hsd_status status;
    while ((status = hsd_sorter_next(s->pairs, &pair, err)) == HSD_OK) {
        const hsd_node from = hsd_words_first(pair), top = hsd_words_second(pair);
        if (hsd_two_of(from, top) == last) continue;
        last = hsd_two_of(from, top);
        while (group <= from)
            hsd_paged_set_u64(&s->starts, group++, count);
        hsd_paged_set_node(&s->targets, count++, top);
    }
    if (status != HSD_END) return status;
    while (group <= s->group_count + 1)
        hsd_paged_set_u64(&s->starts, group++, count);
    HSD_TRY(hsd_paged_check(&s->starts, err));
    return hsd_paged_check(&s->targets, err);
}

static hsd_status list_told(hsd_by_search *s, hsd_error *err)
{
    s->told = calloc(1, sizeof *s->told);
    if (s->told == NULL) return hsd_fail_nomem(err, "what holds together");
    HSD_TRY(hsd_by_open_forks(s, err));
    return hsd_by_told_open(s->told, s, err);
}

hsd_status hsd_by_list_targets(hsd_by_search *s, hsd_error *err)
{
    hsd_temp_space *space = &s->growth->pair->space;
    const uint64_t starts = ((uint64_t)s->group_count + 2) * sizeof(uint64_t),
                   targets = (hsd_sorter_count(s->pairs) + 1) * HSD_NODE_BYTES;
    const uint64_t memory = s->has_columns ? 0 : s->memory_bytes / 16; /* little of them is asked for then */
    HSD_TRY(hsd_paged_open(&s->starts, starts, hsd_max_u64(memory, hsd_paged_least_bytes(starts)), space, err));
    HSD_TRY(hsd_paged_open(&s->targets, targets, hsd_max_u64(memory, hsd_paged_least_bytes(targets)), space, err));
    if (s->has_columns) HSD_TRY(hsd_paged_pack(&s->starts, 4, err));
    if (s->has_columns) HSD_TRY(hsd_paged_pack(&s->targets, 4, err));
    return s->has_columns ? list_told(s, err) : list_targets(s, err);
}
