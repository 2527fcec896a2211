/*
 * What hangs below the chosen holders. One step of a walk, whoever walks (within.c over the trees of both
 * sides, counts.c over the trie): a new or freed node is summed by type for the holder that it is
 * credited to, and every node below a holder with edges at its place there.
 *
 *      places     holder -> [*].value Session -> .buf Buffer        insides of containers left out (paths/path_text.h)
 *
 * Bytes of what is left out count where the container stands. Below a holder that hangs from another one, what is new
 * or freed is the lower one's growth: for the upper one it only counts among the objects before and after.
 */
#include "holders/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include <hscapture/hscapture.h>

#define DEEPEST_FIRST_ITEM 3u /* steps from the holder, itself counted */

static hsd_status put_chosen(hsd_growth_chosen *chosen, hsd_held_by by, uint32_t root, const hsd_node node[SIDE_COUNT],
                             uint32_t choice, hsd_error *err)
{
    if (by == HSD_HELD_BY_ALL) chosen->all = choice;
    if (by == HSD_HELD_BY_CODE) chosen->code = choice;
    if (by == HSD_HELD_BY_ROOT) HSD_TRY(hsd_id_map_put(&chosen->by_root, root, choice, err));
    for (int side = 0; by == HSD_HELD_BY_OBJECT && side < SIDE_COUNT; side++) {
        const uint32_t bit = (uint32_t)(node[side] % HSD_CHOSEN_BITS);
        chosen->may_be[side][bit / 64] |= UINT64_C(1) << bit % 64;
        *hsd_growth_chosen_place(chosen, side, node[side]) = (hsd_growth_chosen_node){node[side], choice};
    }
    return HSD_OK;
}

/* The choice that stands for one of another thread. */
static uint32_t choice_of(const hsd_growth *growth, const hsd_pooled *pooled)
{
    if (pooled->set != 0) return growth->sets[pooled->set - 1].choice;
    uint32_t i = 0;
    while (i < growth->choice_count &&
           (growth->choices[i].joined < 2 || growth->choices[i].pool_place != pooled->pool_place))
        i++;
    return i;
}

/* A root that stands for those of its pool is chosen with all of them. */
static hsd_status put_pool_roots(hsd_growth_chosen *chosen, const hsd_growth *growth, uint32_t first, uint32_t choice,
                                 hsd_error *err)
{
    for (uint32_t root = 0; root < growth->pair->roots.count; root++)
        if (growth->pool_of_root[root] == growth->pool_of_root[first])
            HSD_TRY(hsd_id_map_put(&chosen->by_root, root, choice, err));
    return HSD_OK;
}

/* Room for all that may be put. */
static hsd_status open_chosen(hsd_growth_chosen *chosen, const hsd_growth *growth, hsd_error *err)
{
    uint32_t places = 16;
    while (places < 2 * (growth->choice_count + growth->pooled_count))
        places *= 2;
    chosen->mask = places - 1;
    for (int side = 0; side < SIDE_COUNT; side++) {
        chosen->by_node[side] = malloc(places * sizeof *chosen->by_node[side]);
        if (chosen->by_node[side] == NULL) return hsd_fail_nomem(err, "the holders");
        for (uint32_t i = 0; i < places; i++)
            chosen->by_node[side][i] = (hsd_growth_chosen_node){.choice = HSD_NO_CHOICE};
    }
    return HSD_OK;
}

hsd_status hsd_growth_chosen_make(hsd_growth_chosen *chosen, const hsd_growth *growth, hsd_error *err)
{
    *chosen = (hsd_growth_chosen){.all = HSD_NO_CHOICE, .code = HSD_NO_CHOICE};
    HSD_TRY(open_chosen(chosen, growth, err));
    for (uint32_t i = 0; i < growth->choice_count; i++) {
        const hsd_choice *choice = &growth->choices[i];
        /* who is asked for the fork means what is left to it */
        if (choice->set != 0 && choice->fork == 0) continue;
        HSD_TRY(put_chosen(chosen, choice->by, choice->root, choice->node, i, err));
        if (choice->by == HSD_HELD_BY_ROOT && choice->joined > 1)
            HSD_TRY(put_pool_roots(chosen, growth, choice->root, i, err));
    }
    for (uint32_t i = 0; i < growth->pooled_count; i++) {
        const hsd_pooled *pooled = &growth->pooled[i];
        HSD_TRY(put_chosen(chosen, pooled->by, pooled->root, pooled->node, choice_of(growth, pooled), err));
    }
    return HSD_OK;
}

void hsd_growth_chosen_release(hsd_growth_chosen *chosen)
{
    hsd_id_map_release(&chosen->by_root);
    for (int side = 0; side < SIDE_COUNT; side++)
        free(chosen->by_node[side]);
}

/* An edge without a name: of several ways none is the node's own. */
static bool fold_unnamed(const hsd_growth *growth, hsd_path_fold *fold, uint32_t edge, uint32_t type, uint32_t *out)
{
    const bool is_internal = growth->pair->types.flags[type] & HSC_TYPE_INTERNAL;
    *out = fold->is_items ? HSD_TRIE_ANY : edge;
    const bool is_inside = is_internal && (fold->is_inside || edge == HSD_TRIE_INDIRECT);
    *fold = (hsd_path_fold){.is_inside = is_inside, .is_items = is_inside};
    return !is_inside;
}

bool hsd_growth_fold(const hsd_growth *growth, hsd_path_fold *fold, uint32_t edge, uint32_t type, uint32_t *out)
{
    const uint32_t name = edge == HSD_TRIE_ANY ? growth->item_edge : edge;
    if (name >= growth->pair->edges.count) return fold_unnamed(growth, fold, edge, type, out);
    hsd_path_edge shown;
    const bool is_shown = hsd_path_fold_step(fold, &growth->pair->edges, &growth->pair->types, name, type, &shown);
    *out = shown == HSD_PATH_EDGE_ITEM ? HSD_TRIE_ANY : shown;
    return is_shown;
}

/* ---- one step ---- */

static hsd_status begin_places(hsd_growth *growth, uint32_t choice, hsd_below *here, hsd_error *err)
{
    static const hsd_trie_place root;
    here->edged = choice;
    here->fold = (hsd_path_fold){false, false};
    /* no root has that edge */
    hsd_trie_step_into(growth->places, &root, HSD_TRIE_ANY, choice | HSD_TRIE_IS_ROOT, &here->place);
    return hsd_trie_add(growth->places, &here->place, HSD_TRIE_KEPT_AFTER, 0, 0, err);
}

static bool is_change_of(uint32_t sum) { return sum == HSD_TRIE_FREED || sum == HSD_TRIE_NEW; }

static hsd_status add_types(hsd_growth *growth, uint32_t holder, const hsd_below_node *node, hsd_error *err)
{
    for (uint32_t i = 0; i < node->count; i++) {
        const uint32_t sum = node->first + i;
        if (!is_change_of(sum) || node->sums[i].objects == 0) continue;
        const uint64_t key[2] = {(uint64_t)holder << 32 | node->type, sum};
        HSD_TRY(hsd_tally_add(growth->types, key, node->sums[i].objects, node->sums[i].bytes, err));
    }
    return HSD_OK;
}

/* Which sum an amount goes to for a holder that it is, or is not, credited to. */
static hsd_trie_sum credited_sum(hsd_trie_sum sum, bool is_credited)
{
    if (is_credited) return sum;
    return sum == HSD_TRIE_FREED || sum == HSD_TRIE_KEPT_BEFORE ? HSD_TRIE_KEPT_BEFORE : HSD_TRIE_KEPT_AFTER;
}

static hsd_status add_place(hsd_growth *growth, const hsd_below *here, const hsd_below_node *node, bool is_credited,
                            bool is_shown, hsd_error *err)
{
    for (uint32_t i = 0; i < node->count; i++) {
        const hsd_amount amount = node->sums[i];
        const hsd_trie_sum sum = credited_sum((hsd_trie_sum)(node->first + i), is_credited);
        if (amount.objects == 0) continue;
        HSD_TRY(hsd_trie_add(growth->places, &here->place, sum, is_shown ? amount.objects : 0, amount.bytes, err));
    }
    return HSD_OK;
}

static bool is_empty_place_below(const hsd_below_node *node)
{
    uint64_t objects = 0;
    for (uint32_t i = 0; i < node->count; i++)
        objects += node->sums[i].objects;
    return objects == 0;
}

/* "[*]", "[*].value" */
static bool is_item_edge(uint32_t edge)
{
    return edge == HSD_TRIE_ANY || (edge != HSD_TRIE_INDIRECT && (edge & HSD_PATH_EDGE_ITEM) != 0);
}

/*
 * An element of an element's own container is no element of the holder's: `[*]: Object` and, below its `.lines: Array`,
 * `[*]: Object` are orders and their lines, and not so many orders. Told of the first elements on the way alone: what
 * goes on so is a tree, whose places would be as many as the orders of its names.
 */
static bool is_item_of_item(const hsd_trie_place *place, uint32_t edge, uint32_t type)
{
    bool is_named = false;
    if (!is_item_edge(edge)) return false;
    for (uint32_t i = place->count; i > 0; i--) {
        const hsd_trie_step *step = &place->steps[i - 1];
        if (step->edge == edge && step->type == type)
            return is_named && place->depth - (place->count - i) <= DEEPEST_FIRST_ITEM;
        is_named |= !is_item_edge(step->edge);
    }
    return false;
}

static hsd_status step_place_below(hsd_growth *growth, const hsd_below *above, const hsd_below_node *node,
                                   uint32_t holder, hsd_below *here, hsd_error *err)
{
    uint32_t edge = HSD_TRIE_INDIRECT;
    bool is_shown = true;
    here->fold = above->fold;
    if (node->type & HSD_TRIE_IS_ROOT)
        here->fold = (hsd_path_fold){false, false};
    else
        is_shown = hsd_growth_fold(growth, &here->fold, node->edge, node->type, &edge);
    /* an element of the insides above would have a reference from them */
    if (node->is_apart) edge = HSD_TRIE_INDIRECT;
    if (is_shown) {
        if (is_item_of_item(&above->place, edge, node->type))
            here->place = hsd_trie_step_below(growth->places, &above->place, edge, node->type);
        else
            hsd_trie_step_into(growth->places, &above->place, edge, node->type, &here->place);
        if (is_empty_place_below(node))
            HSD_TRY(hsd_trie_add(growth->places, &here->place, HSD_TRIE_KEPT_AFTER, 0, 0, err));
    } else {
        here->place = above->place;
    }
    return add_place(growth, here, node, holder == above->edged, is_shown, err);
}

static uint64_t objects_of(const hsd_below_node *node, hsd_trie_sum sum)
{
    const uint32_t at = (uint32_t)sum - node->first;
    return at < node->count ? node->sums[at].objects : 0;
}

/* Single objects come or go; of a place the number does. */
static bool is_change(const hsd_growth *growth, const hsd_below_node *node)
{
    const uint64_t freed = objects_of(node, HSD_TRIE_FREED), new_ = objects_of(node, HSD_TRIE_NEW);
    return growth->has_identity ? freed + new_ > 0 : freed != new_;
}

/* Whose growth a node's own is; whether code below it belongs to what came or went. */
static uint32_t holder_of(const hsd_growth *growth, const hsd_below *above, const hsd_below_node *node, bool *is_of_new)
{
    const bool is_root = node->type & HSD_TRIE_IS_ROOT,
               is_code = !is_root && (above->is_in_code || hsd_growth_is_code(growth, node->type));
    *is_of_new = is_code ? above->is_of_new : !is_root && is_change(growth, node);
    return is_code && !*is_of_new ? above->code : above->holder;
}

/* What begins a set hangs from it and no more from the fork. */
static hsd_status enter_set(hsd_growth *growth, uint32_t choice, hsd_below *above, hsd_error *err)
{
    above->holder = choice;
    above->is_in_set = true;
    return choice < growth->edged_count ? begin_places(growth, choice, above, err) : HSD_OK;
}

/* Of a place that no holder with edges is above nothing is asked, and it is not filled. */
hsd_status hsd_below_enter(hsd_growth *growth, const hsd_below *above, const hsd_below_node *node, hsd_below *here,
                           hsd_error *err)
{
    hsd_below in_set;
    if (node->set != HSD_NO_CHOICE) {
        in_set = *above;
        HSD_TRY(enter_set(growth, node->set, &in_set, err));
        above = &in_set;
    }
    bool is_of_new;
    const uint32_t holder = holder_of(growth, above, node, &is_of_new);
    here->holder = above->holder;
    here->edged = above->edged;
    here->code = above->code;
    here->fold = above->fold;
    here->is_of_new = is_of_new;
    here->is_in_code = growth->has_identity && (node->type & HSD_TRIE_IS_ROOT) == 0 &&
                       (above->is_in_code || hsd_growth_is_wholly_code(growth, node->type));
    here->is_kept = node->is_kept;
    here->is_super = false;
    here->is_in_set = above->is_in_set;
    here->is_joined = above->is_joined;
    memset(here->unused, 0, sizeof here->unused);
    if (holder != HSD_NO_CHOICE) HSD_TRY(add_types(growth, holder, node, err));
    if (above->edged != HSD_NO_CHOICE) HSD_TRY(step_place_below(growth, above, node, holder, here, err));
    if (!node->can_hold) return HSD_OK;
    here->holder = node->choice;
    here->is_in_set = false;
    here->is_joined = node->is_joined;
    return node->choice < growth->edged_count ? begin_places(growth, node->choice, here, err) : HSD_OK;
}

/* Entered, and left at once. Apart from what leaves do as a rule, which so has none of it on the stack. */
static __attribute__((noinline)) hsd_status enter_leaf(hsd_growth *growth, const hsd_below *above,
                                                       const hsd_below_node *leaf, hsd_error *err)
{
    hsd_below here;
    return hsd_below_enter(growth, above, leaf, &here, err);
}

static __attribute__((noinline)) hsd_status step_to_leaf(hsd_growth *growth, const hsd_below *above,
                                                         const hsd_below_node *leaf, uint32_t holder, hsd_error *err)
{
    hsd_below here;
    return step_place_below(growth, above, leaf, holder, &here, err);
}

/* Where a leaf stands it is added up, and no place is made of that. */
static hsd_status add_leaf(hsd_growth *growth, const hsd_below *above, const hsd_below_node *leaf, uint32_t holder,
                           hsd_error *err)
{
    hsd_path_fold fold = above->fold;
    uint32_t edge;
    const bool is_shown = hsd_growth_fold(growth, &fold, leaf->edge, leaf->type, &edge);
    if (leaf->is_apart) edge = HSD_TRIE_INDIRECT;
    if (!is_shown) return add_place(growth, above, leaf, holder == above->edged, false, err);
    if (is_item_of_item(&above->place, edge, leaf->type) || is_empty_place_below(leaf))
        return step_to_leaf(growth, above, leaf, holder, err);
    for (uint32_t i = 0; i < leaf->count; i++) {
        const hsd_amount amount = leaf->sums[i];
        const hsd_trie_sum sum = credited_sum((hsd_trie_sum)(leaf->first + i), holder == above->edged);
        if (amount.objects == 0) continue;
        HSD_TRY(hsd_trie_add_below(growth->places, &above->place, edge, leaf->type, sum, amount.objects, amount.bytes,
                                   err));
    }
    return HSD_OK;
}

hsd_status hsd_below_leaf(hsd_growth *growth, const hsd_below *above, const hsd_below_node *leaf, hsd_error *err)
{
    bool is_of_new;
    const bool begins_places = leaf->can_hold && leaf->choice < growth->edged_count;
    if (leaf->set != HSD_NO_CHOICE || (leaf->type & HSD_TRIE_IS_ROOT) != 0 || begins_places)
        return enter_leaf(growth, above, leaf, err);
    const uint32_t holder = holder_of(growth, above, leaf, &is_of_new);
    if (holder != HSD_NO_CHOICE) HSD_TRY(add_types(growth, holder, leaf, err));
    return above->edged != HSD_NO_CHOICE ? add_leaf(growth, above, leaf, holder, err) : HSD_OK;
}

hsd_status hsd_below_begin(hsd_growth *growth, const hsd_growth_chosen *chosen, hsd_below *out, hsd_error *err)
{
    *out = (hsd_below){
        .holder = chosen->all, .code = chosen->code, .edged = HSD_NO_CHOICE, .is_kept = true, .is_super = true};
    return chosen->all < growth->edged_count ? begin_places(growth, chosen->all, out, err) : HSD_OK;
}
