/*
 * The walks over the tree of after for what holds together: forks, numbers of branches and tops; and names of branches.
 */
#include "diff/holders_by.h"

#include "base/check.h"

#define LEAST_OF_FIVE 4u /* of a branch's references: so many fifths name a place */

enum { KEPT = 1, HOLDS = 2, IS_ROOT = 4, NO_REFERENCE = 8, IS_NAMED = 16, IS_FIRST = 32, IS_OF_NEW = 64 };

static hsd_status walk(hsd_by_search *s, const hsd_tree_visitor *visitor, void *root, hsd_error *err)
{
    return hsd_tree_walk(s->side->tree, visitor, root, s->growth->memory_bytes / 16, &s->growth->c->space, err);
}

/* What a node is to holders: the same as in the walk that credited. Of the super-root all but roots are apart: where they have a
 * reference it is from a pseudo object, which the tree does not have. */
static uint32_t flags_of(const hsd_by_search *s, const hsd_tree_node *node)
{
    const hsd_growth *growth = s->growth;
    if (node->flags & HSD_TREE_IS_ROOT)
        return IS_ROOT | (growth->is_common_root[growth->c->root_number[AFTER][node->type]] ? KEPT | HOLDS : 0u);
    uint32_t flags = node->edge == HSD_TREE_INDIRECT ? NO_REFERENCE : 0;
    if (!hsd_bit_get(s->side->is_kept, node->node)) return flags;
    flags |= KEPT;
    return hsd_growth_holds(growth, AFTER, node->node, node->type, hsd_growth_edge_of(growth, node->edge)) ? flags | HOLDS : flags;
}

/* New bytes here that are no program code (holders_walk.c says what that is). */
static uint64_t own_bytes(const hsd_by_search *s, const hsd_tree_node *node, uint32_t above, uint32_t *flags)
{
    if (*flags & IS_ROOT) return 0;
    const bool is_code = hsd_growth_is_code(s->growth, node->type), is_new = (*flags & KEPT) == 0;
    *flags |= is_code ? above & IS_OF_NEW : is_new ? IS_OF_NEW : 0u;
    return is_new && (*flags & IS_OF_NEW) ? node->bytes : 0;
}

static uint32_t choice_of(const hsd_by_search *s, const hsd_tree_node *node)
{
    if ((node->flags & HSD_TREE_IS_ROOT) == 0) return hsd_id_map_get(&s->chosen.by_node[AFTER], node->node);
    return hsd_id_map_get(&s->chosen.by_root, s->growth->c->root_number[AFTER][node->type]);
}

/* ---- forks ---- */

typedef struct fork_frame {
    uint32_t fork;   /* of the holder that growth here is credited to; HSD_BY_NO_FORK = none that is asked for */
    uint32_t first;
    uint32_t flags;
    uint32_t best_first;
    uint64_t pending;
    uint64_t apart;  /* of it: below what this node has no reference to */
    uint64_t best;   /* the most that any node of this holder has apart, and which */
} fork_frame;

static hsd_status enter_fork(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    hsd_by_search *s = context;
    const fork_frame *above = parent;
    fork_frame *f = here;
    (void)err;
    *f = (fork_frame){.fork = above->fork, .first = node->first, .flags = flags_of(s, node)};
    if (above->first == 0 && (f->flags & IS_ROOT) == 0) f->flags |= NO_REFERENCE;
    if (f->flags & HOLDS) {
        const uint32_t choice = choice_of(s, node);
        f->fork = choice < s->fork_count ? choice : HSD_BY_NO_FORK;
    }
    f->pending = own_bytes(s, node, above->flags, &f->flags);
    return HSD_OK;
}

/* Of equals the one above, which comes later: it is nearer to the holder. */
static void take_better(fork_frame *to, uint64_t bytes, uint32_t first)
{
    if (bytes < to->best) return;
    to->best = bytes;
    to->best_first = first;
}

static void end_fork(hsd_by_search *s, const fork_frame *f)
{
    if (f->fork == HSD_BY_NO_FORK) return;
    hsd_by_fork *fork = &s->forks[f->fork];
    if (f->best <= fork->bytes) return;
    fork->bytes = f->best;
    fork->first = f->best_first;
    fork->is_own = f->best_first == f->first;
}

static hsd_status leave_fork(void *context, void *here, void *parent, hsd_error *err)
{
    fork_frame *f = here, *above = parent;
    (void)err;
    if (f->flags & KEPT) take_better(f, f->apart, f->first);
    if (f->flags & HOLDS) {
        end_fork(context, f);
        return HSD_OK;
    }
    above->pending += f->pending;
    if ((f->flags & NO_REFERENCE) && (above->flags & KEPT)) above->apart += f->pending;
    take_better(above, f->best, f->best_first);
    return HSD_OK;
}

hsd_status hsd_by_find_forks(hsd_by_search *s, hsd_error *err)
{
    const hsd_tree_visitor visitor = {.context = s, .frame_bytes = sizeof(fork_frame), .enter = enter_fork, .leave = leave_fork};
    fork_frame root = {.fork = s->chosen.all < s->fork_count ? s->chosen.all : HSD_BY_NO_FORK, .flags = KEPT | HOLDS};
    HSD_TRY(walk(s, &visitor, &root, err));
    take_better(&root, root.apart, 0);
    end_fork(s, &root);
    return HSD_OK;
}

/* ---- numbers ---- */

typedef struct number_frame {
    uint32_t group;
    uint32_t fork;  /* that this node is; HSD_BY_NO_FORK = none */
    uint32_t flags;
    uint32_t place; /* the nearest that may name its branch */
    uint64_t pending;
} number_frame;

static uint32_t fork_at(const hsd_by_search *s, uint32_t first)
{
    for (uint32_t i = 0; i < s->kept_count; i++)
        if (s->forks[s->kept[i]].first == first) return s->kept[i];
    return HSD_BY_NO_FORK;
}

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

static uint32_t new_group(hsd_by_search *s, uint32_t node, uint32_t fork, uint32_t flags)
{
    const uint32_t number = ++s->group_count;
    hsd_by_group *group = hsd_by_group_at(s, number, true);
    group->fork = (uint8_t)fork;
    if ((flags & NO_REFERENCE) == 0) group->flags = HSD_BY_IS_BRANCH;
    if (!s->has_secondary || node < s->side->root_span.begin || node >= s->side->root_span.second) return number;
    group->flags |= HSD_BY_IS_PRIMARY;
    group->mask = HSD_BY_PRIMARY;
    return number;
}

/* Tops, and where a mark climbs names that objects are roots by. */
static bool is_asked_for(const hsd_by_search *s, const number_frame *f)
{
    return (f->flags & IS_FIRST) && ((f->flags & NO_REFERENCE) || ((f->flags & IS_ROOT) && s->has_secondary));
}

/* What begins a branch names it, new as it may be. */
static void take_place(hsd_by_search *s, const hsd_tree_node *node, const number_frame *above, number_frame *f)
{
    const bool is_first = f->flags & IS_FIRST;
    const bool is_named_here = is_first ? is_named(s, node, above->fork) : (above->flags & IS_NAMED) || (f->flags & IS_ROOT);
    f->place = above->place;
    if (is_named_here) f->flags |= IS_NAMED;
    if (is_named_here && (is_first || (f->flags & (HOLDS | IS_ROOT)))) {
        f->place = ++s->place_count;
        *hsd_by_place_at(s, f->place, true) = (hsd_by_place){.node = node->node, .group = f->group, .above = above->place};
    }
    if (f->place != 0) hsd_paged_set_u32(&s->place_of, node->node, f->place);
}

static hsd_status enter_number(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    hsd_by_search *s = context;
    const number_frame *above = parent;
    number_frame *f = here;
    (void)err;
    *f = (number_frame){.group = above->group, .fork = fork_at(s, node->first), .flags = flags_of(s, node)};
    if (above->fork != HSD_BY_NO_FORK) {
        if (s->forks[above->fork].first == 0 && (f->flags & IS_ROOT) == 0) f->flags |= NO_REFERENCE;
        f->group = new_group(s, node->node, above->fork, f->flags);
        f->flags |= IS_FIRST;
    }
    if (f->fork != HSD_BY_NO_FORK) s->forks[f->fork].group = f->group;
    const bool is_asked = is_asked_for(s, f);
    if (!is_asked) hsd_bit_set(s->is_plain, node->node);
    if (f->group != 0) {
        hsd_paged_set_u32(&s->group_of, node->node, f->group | (is_asked ? HSD_BY_TOP : 0));
        take_place(s, node, above, f);
    }
    f->pending = own_bytes(s, node, above->flags, &f->flags);
    return HSD_OK;
}

static hsd_status leave_number(void *context, void *here, void *parent, hsd_error *err)
{
    hsd_by_search *s = context;
    const number_frame *f = here;
    number_frame *above = parent;
    (void)err;
    if (f->flags & HOLDS) return HSD_OK;
    above->pending += f->pending;
    if ((f->flags & (IS_FIRST | NO_REFERENCE)) == (IS_FIRST | NO_REFERENCE) && f->pending > 0) hsd_by_group_at(s, f->group, true)->bytes = f->pending;
    return HSD_OK;
}

hsd_status hsd_by_number(hsd_by_search *s, hsd_error *err)
{
    const hsd_tree_visitor visitor = {.context = s, .frame_bytes = sizeof(number_frame), .enter = enter_number, .leave = leave_number};
    number_frame root = {.fork = fork_at(s, 0), .flags = KEPT | HOLDS};
    HSD_TRY(walk(s, &visitor, &root, err));
    HSD_TRY(hsd_paged_check(&s->group_of, err));
    HSD_TRY(hsd_paged_check(&s->place_of, err));
    HSD_TRY(hsd_paged_check(&s->places, err));
    return hsd_paged_check(&s->groups, err);
}

/* ---- names ---- */

static void name_branch(hsd_by_search *s, const hsd_by_place *place)
{
    const hsd_by_group *group = hsd_by_group_at(s, place->group, false);
    if ((group->flags & HSD_BY_IS_BRANCH) == 0 || (group->flags & HSD_BY_IS_NAMED)) return;
    if ((uint64_t)place->count * 5 < (uint64_t)group->count * LEAST_OF_FIVE) return;
    hsd_by_group *named = hsd_by_group_at(s, place->group, true);
    named->name = place->node;
    named->flags |= HSD_BY_IS_NAMED;
}

/* From the last place to the first: what lies below one was there before it. */
hsd_status hsd_by_name(hsd_by_search *s, hsd_error *err)
{
    for (uint32_t i = s->place_count; i > 0; i--) {
        const hsd_by_place place = *hsd_by_place_at(s, i, false);
        if (place.count == 0) continue;
        name_branch(s, &place);
        if (place.above == 0) continue;
        hsd_by_place *above = hsd_by_place_at(s, place.above, true);
        above->count = (uint32_t)hsd_min_u64((uint64_t)above->count + place.count, UINT32_MAX);
    }
    HSD_TRY(hsd_paged_check(&s->places, err));
    return hsd_paged_check(&s->groups, err);
}
