/*
 * The walk over the tree of after for what holds together: numbers of branches and tops; and forks, and names of
 * branches.
 */
#include "holders/by/by.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"

#define LEAST_OF_FIVE 4u /* of what the place above tells: so many fifths name one of many */

enum {
    KEPT = 1,
    HOLDS = 2,
    IS_ROOT = 4,
    NO_REFERENCE = 8,
    IS_NAMED = 16,
    IS_FIRST = 32,
    IS_SUPER = 64,
    IS_OF_NEW = 128,
    IS_DULL = 256, /* held by what lost nothing to a set */
    IS_IN_CODE = 512
};

static hsd_status walk_joint_tree(hsd_by_search *s, int side, const hsd_tree_visitor *visitor, void *root,
                                  hsd_error *err)
{
    return hsd_tree_walk(s->growth->pair->sides[side].tree, visitor, root, s->growth->memory_bytes / 16,
                         &s->growth->pair->space, err);
}

/* What a node is to holders: the same as in the walk that credited. Of the super-root all but roots are apart: where
 * they have a reference it is from a pseudo object, which the tree does not have. */
static uint32_t flags_of(const hsd_by_search *s, int side, const hsd_tree_node *node)
{
    const hsd_growth *growth = s->growth;
    if (node->flags & HSD_TREE_IS_ROOT)
        return IS_ROOT | (growth->is_common_root[growth->pair->root_number[side][node->type]] ? KEPT | HOLDS : 0u);
    uint32_t flags = node->edge == HSD_TREE_INDIRECT ? NO_REFERENCE : 0;
    if (!hsd_bit_get(growth->pair->is_kept[side], node->node)) return flags;
    flags |= KEPT;
    return hsd_growth_holds(growth, side, node->node, node->type, hsd_growth_edge_of(growth, node->edge))
               ? flags | HOLDS
               : flags;
}

/* New bytes here, or freed ones before, that are no program code (walk.c says what that is). */
static uint64_t own_bytes(const hsd_by_search *s, const hsd_tree_node *node, uint32_t above, uint32_t *flags)
{
    if (*flags & IS_ROOT) return 0;
    const bool is_code = hsd_growth_is_code(s->growth, node->type) || (above & IS_IN_CODE) != 0,
               is_new = (*flags & KEPT) == 0;
    if ((above & IS_IN_CODE) || hsd_growth_is_wholly_code(s->growth, node->type)) {
        *flags |= IS_IN_CODE;
        *flags &= ~(uint32_t)HOLDS;
    }
    *flags |= is_code ? above & IS_OF_NEW : is_new ? IS_OF_NEW : 0u;
    return is_new && (*flags & IS_OF_NEW) ? node->bytes : 0;
}

static uint32_t choice_of(const hsd_by_search *s, int side, const hsd_tree_node *node)
{
    if ((node->flags & HSD_TREE_IS_ROOT) == 0) return hsd_growth_chosen_at(&s->chosen, side, node->node);
    return hsd_id_map_get(&s->chosen.by_root, s->growth->pair->root_number[side][node->type]);
}

/* ---- forks ---- */

/* The heaviest stay. */
static void keep_fork(hsd_by_search *s, const hsd_by_fork *fork)
{
    uint32_t at = s->fork_count;
    while (at > 0 && s->forks[at - 1].bytes < fork->bytes)
        at--;
    if (at == HSD_BY_FORKS) return;
    if (s->fork_count < HSD_BY_FORKS) s->fork_count++;
    for (uint32_t i = s->fork_count - 1; i > at; i--)
        s->forks[i] = s->forks[i - 1];
    s->forks[at] = *fork;
}

static uint32_t choice_of_fork(const hsd_by_search *s, uint64_t fork_of)
{
    if (fork_of == HSD_FORK_OF_ALL) return s->chosen.all;
    if (fork_of & HSD_FORK_OF_ROOT) return hsd_id_map_get(&s->chosen.by_root, (uint32_t)fork_of);
    return hsd_growth_chosen_at(&s->chosen, AFTER, (hsd_node)fork_of);
}

/* Of holders that are asked for; they come in the order in which the walk left them. */
hsd_status hsd_by_find_forks(hsd_by_search *s, hsd_error *err)
{
    const uint64_t *record;
    hsd_status status;
    while ((status = hsd_sorter_next(s->growth->forks, &record, err)) == HSD_OK) {
        const uint32_t choice = choice_of_fork(s, record[1]);
        if (choice >= s->holder_count) continue;
        const bool is_own = (record[3] & 1) != 0 || s->growth->choices[choice].by != HSD_HELD_BY_OBJECT;
        keep_fork(s, &(hsd_by_fork){
                         .choice = choice, .first = (hsd_node)(record[3] >> 1), .is_own = is_own, .bytes = record[2]});
    }
    return status == HSD_END ? HSD_OK : status;
}

/* ---- numbers ---- */

typedef struct number_frame {
    hsd_node group;
    uint32_t fork; /* that this node is; HSD_BY_NO_FORK = none */
    uint32_t flags;
    hsd_node places;                   /* on the way down, the nearest is the last */
    uint32_t place_type;               /* with a place */
    hsd_node place_group, place_first; /* its group, and the first place of that */
    hsd_node objects;                  /* pending, as the bytes are */
    uint32_t type;
    uint8_t look, place_fork; /* of the group, and the fork of the place's */
    uint8_t unused[2];
    uint64_t pending;
} number_frame;

/* True if the reference to a node has a name that tells it from others. */
static bool has_name(const hsd_by_search *s, const hsd_tree_node *node)
{
    const uint32_t edge = hsd_growth_edge_of(s->growth, node->edge);
    return edge != HSD_TRIE_ANY && edge != HSD_TRIE_INDIRECT;
}

/* True if a branch may name itself: a root, or a field of the holder's own. */
static bool is_named(const hsd_by_search *s, const hsd_tree_node *node, uint32_t fork)
{
    if (node->flags & HSD_TREE_IS_ROOT) return true;
    return s->forks[fork].is_own && has_name(s, node) &&
           hsd_growth_can_hold(s->growth, node->type, hsd_growth_edge_of(s->growth, node->edge));
}

static uint8_t group_flags(uint32_t flags)
{
    if ((flags & NO_REFERENCE) == 0) return HSD_BY_IS_BRANCH | HSD_BY_IS_CLOSED;
    return flags & HOLDS ? HSD_BY_IS_CLOSED : 0;
}

static hsd_node new_group(hsd_by_search *s, hsd_node node, uint32_t fork, uint32_t flags)
{
    const hsd_node number = ++s->group_count;
    hsd_by_group *group = hsd_by_group_write(s, number);
    group->fork = (uint8_t)fork;
    group->flags = group_flags(flags);
    if (!s->has_secondary || node < s->side->root_span.begin || node >= s->side->root_span.second) return number;
    group->flags |= HSD_BY_IS_PRIMARY;
    group->mask = HSD_BY_PRIMARY;
    return number;
}

/* What begins a branch names it, new as it may be. Below a top each holder has a name, but not the top itself where it
 * holds nothing. */
static bool is_place(const hsd_by_search *s, const hsd_tree_node *node, const number_frame *above, number_frame *f)
{
    const bool is_first = f->flags & IS_FIRST, is_top = f->flags & NO_REFERENCE;
    if (is_first ? is_top || is_named(s, node, above->fork) : (above->flags & IS_NAMED) || (f->flags & IS_ROOT))
        f->flags |= IS_NAMED;
    if ((f->flags & IS_NAMED) == 0) return false;
    return (f->flags & (HOLDS | IS_ROOT)) || (is_first && !is_top);
}

enum { MAY_BE_NAMED, IS_ONE_OF_MANY, IS_LIKE_ABOVE };

/* A list and a tree are one thing. An element, or what the insides of a container refer to: one like many. */
static uint32_t name_kind(const hsd_by_search *s, const hsd_tree_node *node, const number_frame *above,
                          const number_frame *f)
{
    if (f->flags & (IS_FIRST | IS_ROOT)) return MAY_BE_NAMED;
    if (above->places != 0 && above->place_type == node->type) return IS_LIKE_ABOVE;
    return !has_name(s, node) || (above->flags & (KEPT | HOLDS)) == KEPT ? IS_ONE_OF_MANY : MAY_BE_NAMED;
}

static hsd_by_place *way_at(hsd_by_search *s, hsd_node at)
{
    return (hsd_by_place *)(void *)hsd_paged_at(&s->way, (uint64_t)at * sizeof(hsd_by_place),
                                                HSD_FRAME_USED | HSD_FRAME_DIRTY);
}

/* The number of the last place of so many on the way down: it gets one now, and those above it before, if nobody asked
 * before. So numbers are in the order of the tree. */
static hsd_node number_of_place(hsd_by_search *s, hsd_node places)
{
    hsd_node known = places, above = 0;
    while (known > 0 && (above = way_at(s, known)->above) == 0)
        known--;
    while (known < places) {
        hsd_by_place *waiting = way_at(s, ++known);
        hsd_by_place place = *waiting;
        place.above = above;
        above = waiting->above = ++s->place_count;
        if (place.below == 0) place.below = above;
        *hsd_by_place_write(s, above) = place;
    }
    return above;
}

/* The first of a group has a number whoever asks: it says whether the group is alike. */
static void new_place(hsd_by_search *s, const hsd_tree_node *node, const number_frame *above, number_frame *f)
{
    const bool is_first = above->places == 0 || f->place_group != f->group;
    f->places++;
    *way_at(s, f->places) = (hsd_by_place){.node = node->node,
                                           .group = f->group,
                                           .named = name_kind(s, node, above, f),
                                           .told = node->type, /* until what is alike is known */
                                           .below = is_first ? 0 : f->place_first};
    if (is_first) f->place_first = number_of_place(s, f->places);
    f->place_group = f->group;
    f->place_fork = f->look & HSD_BY_LOOK_FORK;
    f->place_type = f->flags & IS_ROOT ? UINT32_MAX : node->type;
}

static void take_place(hsd_by_search *s, const hsd_tree_node *node, const number_frame *above, number_frame *f)
{
    f->places = above->places;
    f->place_type = above->place_type;
    f->place_group = above->place_group;
    f->place_first = above->place_first;
    f->place_fork = above->place_fork;
    if (is_place(s, node, above, f)) new_place(s, node, above, f);
    if ((f->flags & (IS_FIRST | NO_REFERENCE | IS_NAMED)) != IS_FIRST) return;
    hsd_by_group_write(s, f->group)->mask |= HSD_BY_SELF;
    f->look |= HSD_BY_LOOK_SELF;
}

/* What hangs from a fork begins a group. Of the super-root all but roots are tops. */
static void begin_group(hsd_by_search *s, const hsd_tree_node *node, uint32_t fork, number_frame *f)
{
    if (s->forks[fork].first == 0 && (f->flags & IS_ROOT) == 0) f->flags |= NO_REFERENCE;
    f->group = new_group(s, node->node, fork, f->flags);
    f->look = hsd_by_look_of(hsd_by_group_at(s, f->group));
    f->flags |= IS_FIRST;
}

/* Tops, and what refers to them, with the place above it. */
static hsd_status put_numbers(hsd_by_search *s, hsd_node node, const number_frame *f, hsd_error *err)
{
    const bool is_source = hsd_bit_get(s->is_source, node), is_asked = !hsd_bit_get(s->is_plain, node);
    if (!is_source && !is_asked) return HSD_OK;
    const hsd_node word = f->group | (is_asked ? HSD_BY_TOP : 0);
    const bool has_place = is_source && f->places > 0;
    const uint32_t about = f->look | (has_place ? (uint32_t)f->place_fork << HSD_BY_ABOUT_FORK_SHIFT : 0) |
                           (is_source ? HSD_BY_ABOUT_SOURCE : 0);
    const hsd_node place = has_place ? number_of_place(s, f->places) : 0;
    if (s->by_node != NULL) {
        const uint64_t record[HSD_BY_NUMBERED_WORDS] = {HSD_TWO(node, word), HSD_TWO(about, place)};
        return hsd_sorter_put(s->by_node, record, err);
    }
    const hsd_node slot = hsd_by_slot(s, node);
    hsd_paged_set_node(&s->group_of, slot, word);
    hsd_paged_set_two(&s->place_of, slot, hsd_two_of(about, place));
    return HSD_OK;
}

static hsd_status enter_number(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    hsd_by_search *s = context;
    const number_frame *above = parent;
    number_frame *f = here;
    *f = (number_frame){.group = above->group,
                        .fork = hsd_by_fork_at(s, node->first),
                        .flags = flags_of(s, AFTER, node),
                        .look = above->look,
                        .type = node->type};
    if (above->fork != HSD_BY_NO_FORK) begin_group(s, node, above->fork, f);
    if (f->group != 0) {
        take_place(s, node, above, f);
        HSD_TRY(put_numbers(s, node->node, f, err));
    }
    if (f->fork != HSD_BY_NO_FORK) {
        s->forks[f->fork].group = f->group;
        s->forks[f->fork].look = f->look;
    }
    f->pending = own_bytes(s, node, above->flags, &f->flags);
    f->objects = (f->flags & (KEPT | IS_ROOT)) == 0 && (f->flags & IS_OF_NEW) != 0;
    return HSD_OK;
}

static hsd_status leave_number(void *context, void *here, void *parent, hsd_error *err)
{
    hsd_by_search *s = context;
    const number_frame *f = here;
    number_frame *above = parent;
    if (f->flags & HOLDS) return HSD_OK;
    if ((f->flags & (IS_FIRST | NO_REFERENCE)) == (IS_FIRST | NO_REFERENCE) && f->objects > 0) {
        hsd_by_group *group = hsd_by_group_write(s, f->group);
        const uint64_t key = (uint64_t)group->fork << 32 | f->type;
        hsd_by_top_write(s, f->group)->bytes = f->pending;
        group->objects = f->objects;
        /* the fork above is asked for it, and none further up */
        return f->flags & (KEPT | IS_ROOT) ? HSD_OK : hsd_tally_add(s->grown, &key, f->objects, f->pending, err);
    }
    above->pending += f->pending;
    above->objects += f->objects;
    return HSD_OK;
}

/* True of an object that is a leaf, begins no group, and whose numbers nobody asks for: it is counted with the node
 * above. A kept one may be the first place of its group, which has a number whoever asks. */
static bool is_only_counted(const hsd_by_search *s, const hsd_tree_node *node, const number_frame *above, bool *is_kept)
{
    if (above->fork != HSD_BY_NO_FORK || (node->flags & HSD_TREE_IS_ROOT)) return false;
    if (hsd_bit_get(s->is_source, node->node) || !hsd_bit_get(s->is_plain, node->node)) return false;
    *is_kept = hsd_bit_get(s->growth->pair->is_kept[AFTER], node->node);
    return !*is_kept || (above->places != 0 && above->place_group == above->group);
}

static void count_leaf(const hsd_by_search *s, const hsd_tree_node *node, bool is_kept, number_frame *above)
{
    uint32_t flags = 0;
    if (is_kept) return;
    above->pending += own_bytes(s, node, above->flags, &flags);
    above->objects += (flags & IS_OF_NEW) != 0;
}

/* In no group, and none of a fork's own: of what hangs there nothing is asked. */
static hsd_status number_leaf(void *context, const hsd_tree_node *node, void *parent, hsd_error *err)
{
    const hsd_by_search *s = context;
    number_frame *above = parent;
    number_frame f;
    if (above->group == 0 && above->fork == HSD_BY_NO_FORK) return HSD_OK;
    bool is_kept;
    if (is_only_counted(s, node, above, &is_kept)) {
        count_leaf(s, node, is_kept, above);
        return HSD_OK;
    }
    HSD_TRY(enter_number(context, node, parent, &f, err));
    return leave_number(context, &f, parent, err);
}

hsd_status hsd_by_number(hsd_by_search *s, hsd_error *err)
{
    HSD_TRY(hsd_growth_take_back(s->growth, AFTER, err));
    const hsd_tree_visitor visitor = {.context = s,
                                      .frame_bytes = sizeof(number_frame),
                                      .fills_frames = true,
                                      .reads_ahead = s->growth->walks_at_once,
                                      .bits = {s->is_plain, s->is_source, s->growth->pair->is_kept[AFTER]},
                                      .enter = enter_number,
                                      .leave = leave_number,
                                      .leaf = number_leaf};
    const uint64_t way_bytes = ((uint64_t)s->side->node_count + 2) * sizeof(hsd_by_place);
    number_frame root = {.fork = hsd_by_fork_at(s, 0), .flags = KEPT | HOLDS};
    HSD_TRY(hsd_tally_new(&s->grown, 1, s->growth->memory_bytes / 32, &s->growth->pair->space,
                          s->growth->pair->reporter, err));
    HSD_TRY(hsd_paged_open(&s->way, way_bytes,
                           hsd_max_u64(s->growth->memory_bytes / 32, hsd_paged_least_bytes(way_bytes)),
                           &s->growth->pair->space, err));
    HSD_TRY(walk_joint_tree(s, AFTER, &visitor, &root, err));
    HSD_TRY(hsd_growth_put_aside(s->growth, AFTER, err));
    HSD_TRY(hsd_paged_check(&s->way, err));
    hsd_paged_close(&s->way);
    if (s->by_node != NULL) HSD_TRY(hsd_by_settle_numbers(s, err));
    HSD_TRY(hsd_paged_check(&s->group_of, err));
    HSD_TRY(hsd_paged_check(&s->place_of, err));
    HSD_TRY(hsd_paged_check(&s->places, err));
    return hsd_by_groups_check(s, err);
}

/* ---- what is like that which came ---- */

#define PART_GROWN 8u /* of what is asked for in a fork: one part in so many is much of it */

static hsd_status mark_grown(hsd_by_search *s, hsd_tally *types, hsd_error *err)
{
    const uint64_t *key;
    hsd_amount sum;
    hsd_status status;
    for (uint32_t i = 0; i < s->fork_count; i++) {
        s->is_grown[i] = calloc((size_t)s->growth->pair->types.names.count / 8 + 1, 1);
        if (s->is_grown[i] == NULL) return hsd_fail_nomem(err, "what holds together");
    }
    while ((status = hsd_tally_next(types, &key, &sum, err)) == HSD_OK) {
        const uint32_t fork = (uint32_t)(key[0] >> 32);
        if (sum.bytes >= s->forks[fork].bytes / PART_GROWN) hsd_bit_set(s->is_grown[fork], (uint32_t)key[0]);
    }
    return status == HSD_END ? HSD_OK : status;
}

/* The first place of a group, if it is one of a holder. */
static void mark_alike(hsd_by_search *s, hsd_node number)
{
    const hsd_by_place place = *hsd_by_place_at(s, number);
    hsd_by_place_write(s, number)->told = 0;
    if (place.below != number || place.node >= s->side->object_count) return;
    hsd_by_group *group = hsd_by_group_write(s, place.group);
    if (!hsd_bit_get(s->is_grown[group->fork], place.told)) return;
    group->flags |= HSD_BY_IS_ALIKE;
    if ((group->flags & HSD_BY_IS_BRANCH) == 0) group->flags &= (uint8_t)~HSD_BY_IS_CLOSED;
}

hsd_status hsd_by_find_alike(hsd_by_search *s, hsd_error *err)
{
    HSD_TRY(hsd_tally_finish(s->grown, 0, err));
    HSD_TRY(mark_grown(s, s->grown, err));
    hsd_tally_free(s->grown);
    s->grown = NULL;
    for (hsd_node i = 1; i <= s->place_count; i++)
        mark_alike(s, i);
    HSD_TRY(hsd_paged_check(&s->places, err));
    return hsd_by_groups_check(s, err);
}

/* ---- names ---- */

static void add_below(hsd_by_search *s, hsd_node number)
{
    hsd_by_place *place = hsd_by_place_write(s, number);
    const uint64_t below = hsd_add_saturating(place->below, place->told);
    if (below == 0) return;
    place->below = below;
    if (place->above == 0) return;
    hsd_by_place *above = hsd_by_place_write(s, place->above);
    above->below = hsd_add_saturating(above->below, below);
}

/* Of a structure's own nodes none has a name but what the fork itself refers to. */
static hsd_node named_alike(hsd_by_search *s, hsd_node number, const hsd_by_place *place, uint8_t flags)
{
    const hsd_by_place *above = place->above != 0 ? hsd_by_place_at(s, place->above) : NULL;
    if (above != NULL && above->group == place->group) return above->named;
    return (flags & HSD_BY_IS_BRANCH) && place->below >= hsd_by_least_told(s) ? number : 0;
}

static hsd_node named_for(hsd_by_search *s, hsd_node number, const hsd_by_place *place)
{
    const uint8_t flags = hsd_by_group_at(s, place->group)->flags;
    if (flags & HSD_BY_IS_ALIKE) return named_alike(s, number, place, flags);
    if (place->above == 0) return place->below >= hsd_by_least_told(s) ? number : 0;
    const hsd_by_place *above = hsd_by_place_at(s, place->above);
    if (place->named == IS_LIKE_ABOVE) return above->named;
    if (place->below < (place->named == IS_ONE_OF_MANY ? above->below / 5 * LEAST_OF_FIVE : hsd_by_least_told(s)))
        return above->named;
    return number;
}

/* To the place that is named what all tell for which it is. */
static void tell_named(hsd_by_search *s, hsd_node number)
{
    const hsd_by_place *place = hsd_by_place_at(s, number);
    const uint64_t told = place->told;
    if (place->named == 0 || place->named == number || told == 0) return;
    hsd_by_place *named = hsd_by_place_write(s, place->named);
    named->told = hsd_add_saturating(named->told, told);
}

/* A top that holds and has no name is like any other: who refers to it holds what it refers to. */
static void open_top(hsd_by_search *s, const hsd_by_place *place)
{
    if (place->above != 0 && hsd_by_place_at(s, place->above)->group == place->group) return;
    hsd_by_group *group = hsd_by_group_write(s, place->group);
    if (group->flags & HSD_BY_IS_BRANCH) return;
    group->flags &= (uint8_t)~HSD_BY_IS_CLOSED;
    if (s->closed != NULL) hsd_bit_clear(s->closed, place->group);
}

static void name_one(hsd_by_search *s, hsd_node number)
{
    const hsd_by_place place = *hsd_by_place_at(s, number);
    const hsd_node named = named_for(s, number, &place);
    hsd_by_place_write(s, number)->named = named;
    if (named != number) open_top(s, &place);
}

/* What lies below a place comes behind it. */
hsd_status hsd_by_name(hsd_by_search *s, hsd_error *err)
{
    for (hsd_node i = s->place_count; i > 0; i--)
        add_below(s, i);
    for (hsd_node i = 1; i <= s->place_count; i++)
        name_one(s, i);
    for (hsd_node i = s->place_count; i > 0; i--)
        tell_named(s, i);
    HSD_TRY(hsd_by_groups_check(s, err));
    return hsd_paged_check(&s->places, err);
}

/* ---- what was freed ---- */

typedef struct freed_frame {
    uint32_t holder; /* choice */
    uint32_t flags;
    uint32_t set; /* that it is below; 0 = none */
    uint32_t unused;
} freed_frame;

/* True if sets are taken from what a choice holds. */
static bool is_asked_for_freed(const hsd_growth *growth, uint32_t choice)
{
    return choice < growth->choice_count && growth->choices[choice].fork != 0;
}

/* Below what is dull only a holder that sets are taken from matters, and those are few. */
static bool stays_dull(const hsd_by_search *s, const hsd_tree_node *node)
{
    return !is_asked_for_freed(s->growth, choice_of(s, BEFORE, node));
}

static hsd_status enter_freed(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    hsd_by_search *s = context;
    const freed_frame *above = parent;
    freed_frame *f = here;
    (void)err;
    if ((above->flags & IS_DULL) && stays_dull(s, node)) {
        *f = *above;
        return HSD_OK;
    }
    *f = (freed_frame){.holder = above->holder, .flags = flags_of(s, BEFORE, node), .set = above->set};
    if (above->flags & IS_SUPER) f->flags |= NO_REFERENCE;
    const uint64_t own = own_bytes(s, node, above->flags, &f->flags);
    if (f->flags & HOLDS) {
        f->holder = choice_of(s, BEFORE, node);
        f->set = 0;
        if (!is_asked_for_freed(s->growth, f->holder)) f->flags |= IS_DULL;
        return HSD_OK;
    }
    if (f->flags & IS_ROOT) return HSD_OK;
    if (f->set == 0 && (above->flags & KEPT))
        f->set = hsd_growth_set_of_freed(s->growth, f->holder, node->type, f->flags & NO_REFERENCE);
    if (f->set == 0 || (f->flags & (KEPT | IS_OF_NEW)) != IS_OF_NEW) return HSD_OK;
    hsd_growth_set *set = &s->growth->sets[f->set - 1];
    set->freed.objects++;
    set->freed.bytes += own;
    return HSD_OK;
}

/* Below what is dull it matters only for what is below it. */
static hsd_status see_freed_leaf(void *context, const hsd_tree_node *node, void *parent, hsd_error *err)
{
    const freed_frame *above = parent;
    freed_frame f;
    return above->flags & IS_DULL ? HSD_OK : enter_freed(context, node, parent, &f, err);
}

hsd_status hsd_by_find_freed(hsd_by_search *s, hsd_error *err)
{
    const hsd_growth *growth = s->growth;
    HSD_TRY(hsd_growth_take_back(s->growth, BEFORE, err));
    const hsd_tree_visitor visitor = {.context = s,
                                      .frame_bytes = sizeof(freed_frame),
                                      .fills_frames = true,
                                      .reads_ahead = growth->walks_at_once,
                                      .bits = {growth->pair->is_kept[BEFORE], growth->holds_nothing[BEFORE]},
                                      .enter = enter_freed,
                                      .leaf = see_freed_leaf};
    freed_frame root = {.holder = s->chosen.all, .flags = KEPT | HOLDS | IS_SUPER};
    HSD_TRY(walk_joint_tree(s, BEFORE, &visitor, &root, err));
    return hsd_growth_put_aside(s->growth, BEFORE, err);
}
