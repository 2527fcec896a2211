/*
 * The second pass: both dominator trees once more, now that the holders are chosen, for what hangs below them. Without
 * identity there is no second pass: the nodes of the trie stand for their objects.
 */
#include "base/assert.h"
#include "holders/growth.h"
#include "holders/moves.h"

#include <string.h>

#include "base/check.h"
#include "base/worker.h"

#define ONE_IN 0x3fffu

typedef struct pass {
    hsd_growth *growth;
    const hsd_growth_chosen *chosen;
    hsd_growth_via *via; /* of after, where ways are asked for; else NULL */
    int side;
    uint64_t entered, total;
    hsd_moves moves; /* between hsd_below */
} pass;

_Static_assert(sizeof(hsd_below) == 24 + sizeof(hsd_trie_place), "states are compared by their bytes");

typedef struct pass_frame {
    uint32_t state; /* 0 = none */
    hsd_node node;
    hsd_tree_seam seam;
    bool is_sought;
    bool is_on_way;  /* it is wanted, or something below it is */
    hsd_below below; /* with no state, for which there was no room: the last, which few frames write */
} pass_frame;

/* The set that is `choice` stands for one that was found by itself, an object or a root of that number; where a set is
 * in the stead of its fork the fork is no such one. */
static bool is_joined(const hsd_growth *growth, uint32_t choice, hsd_held_by by, int side, hsd_node number)
{
    const hsd_choice *one = choice < growth->choice_count ? &growth->choices[choice] : NULL;
    if (one == NULL || one->set == 0) return false;
    return one->by != by || number != (by == HSD_HELD_BY_ROOT ? one->root : one->node[side]);
}

static void take_root(const pass *p, const hsd_tree_node *node, hsd_below_node *out)
{
    const hsd_growth *growth = p->growth;
    const uint32_t root = growth->pair->root_number[p->side][node->type];
    *out = (hsd_below_node){
        .edge = HSD_TRIE_INDIRECT,
        .type = root | HSD_TRIE_IS_ROOT,
        .can_hold = growth->is_common_root[root] != 0,
        .is_kept = growth->is_common_root[root] != 0,
        .set = HSD_NO_CHOICE,
        .choice = hsd_id_map_get(&p->chosen->by_root, root),
    };
    out->is_joined = is_joined(growth, out->choice, HSD_HELD_BY_ROOT, p->side, root);
}

/* The set that an object begins; 0 = none. Of before all objects alike begin the same. */
static uint32_t set_of_freed(const pass *p, uint32_t type, uint32_t edge, const hsd_below *above)
{
    if (!above->is_kept || above->is_in_set || above->is_joined) return 0;
    return hsd_growth_set_of_freed(p->growth, above->holder, type, above->is_super || edge == HSD_TREE_INDIRECT);
}

static uint32_t set_at(pass *p, const hsd_tree_node *node, const hsd_below *above)
{
    hsd_growth *growth = p->growth;
    if (growth->set_count == 0) return 0;
    if (p->side == AFTER) return *hsd_paged_at(&growth->set_of, node->node, HSD_FRAME_USED);
    return set_of_freed(p, node->type, node->edge, above);
}

/* Its choice. What is of none may hang below one of a set, and is not that one's. */
static uint32_t choice_of_set(const pass *p, uint32_t set, const hsd_below *above)
{
    const hsd_growth *growth = p->growth;
    if (set == 0) return HSD_NO_CHOICE;
    if (set != HSD_SET_REST && growth->sets[set - 1].choice != HSD_NO_CHOICE) return growth->sets[set - 1].choice;
    const uint32_t up = above->holder < growth->choice_count ? growth->choices[above->holder].set : 0;
    return above->is_in_set && up != 0 ? growth->sets[up - 1].rest : HSD_NO_CHOICE;
}

static hsd_trie_sum sum_of(const pass *p, bool is_kept)
{
    if (p->side == BEFORE) return is_kept ? HSD_TRIE_KEPT_BEFORE : HSD_TRIE_FREED;
    return is_kept ? HSD_TRIE_KEPT_AFTER : HSD_TRIE_NEW;
}

/* What all have that go alike: no choice, and no set. */
static void fill_object(const pass *p, uint32_t type, uint32_t edge, bool is_kept, const hsd_amount *amount,
                        hsd_below_node *out)
{
    *out = (hsd_below_node){.edge = hsd_growth_edge_of(p->growth, edge),
                            .type = type,
                            .is_apart = edge == HSD_TREE_INDIRECT,
                            .is_kept = is_kept,
                            .choice = HSD_NO_CHOICE,
                            .set = HSD_NO_CHOICE,
                            .first = sum_of(p, is_kept),
                            .count = 1,
                            .sums = amount};
}

/* `amount` is what the node adds. */
static void take_object(pass *p, const hsd_tree_node *node, const hsd_below *above, const hsd_amount *amount,
                        hsd_below_node *out)
{
    hsd_growth *growth = p->growth;
    const bool is_kept = hsd_bit_get(growth->pair->is_kept[p->side], node->node);
    fill_object(p, node->type, node->edge, is_kept, amount, out);
    out->can_hold =
        is_kept && !above->is_in_code && hsd_growth_holds(growth, p->side, node->node, node->type, node->edge);
    if (!out->can_hold) {
        out->set = choice_of_set(p, set_at(p, node, above), above);
        return;
    }
    out->choice = hsd_growth_chosen_at(p->chosen, p->side, node->node);
    out->is_joined = is_joined(growth, out->choice, HSD_HELD_BY_OBJECT, p->side, node->node);
}

static inline hsd_status tell_progress(pass *p, hsd_error *err)
{
    if ((p->entered++ & ONE_IN) != 0) return HSD_OK;
    return hsd_progress(p->growth->pair->reporter, "following the growth", p->entered, p->total, err);
}

/* `amount` is what the node adds, for as long as it is asked for. */
static void take_node(pass *p, const hsd_tree_node *node, const hsd_below *above, const hsd_amount *amount,
                      hsd_below_node *out)
{
    if (node->flags & HSD_TREE_IS_ROOT)
        take_root(p, node, out);
    else
        take_object(p, node, above, amount, out);
}

/* ---- what many do alike (moves.h) ---- */

enum { IS_KEPT = 1, HOLDS_NOTHING = 2 }; /* tags of a move */
enum { IS_KNOWN = 1, CAN_HOLD = 2 };     /* flags */

static const hsd_below *below_of(const pass *p, const pass_frame *f)
{
    return f->state != 0 ? hsd_moves_state_at(&p->moves, f->state) : &f->below;
}

/* From now on the frame stands where `below` says. */
static void settle(pass *p, pass_frame *f)
{
    if (f->below.edged == HSD_NO_CHOICE) memset(&f->below.place, 0, sizeof f->below.place);
    f->state = hsd_moves_state(&p->moves, &f->below);
}

static void know_move(const pass *p, hsd_move *move)
{
    const hsd_below *above = hsd_moves_state_at(&p->moves, hsd_move_from(move));
    const bool can_hold = hsd_move_tags(move) == IS_KEPT && !above->is_in_code &&
                          hsd_growth_can_hold(p->growth, hsd_move_type(move), hsd_move_edge(move));
    move->flags = can_hold ? IS_KNOWN | CAN_HOLD : IS_KNOWN;
}

/* The move of an object that is nothing by itself, no choice and no beginning of a set; NULL = it has none. */
static inline hsd_move *move_of(pass *p, const hsd_tree_node *node, const pass_frame *above)
{
    hsd_growth *growth = p->growth;
    const uint8_t *nothing = growth->holds_nothing[p->side];
    if (node->flags & HSD_TREE_IS_ROOT) return NULL;
    const bool is_kept = hsd_bit_get(growth->pair->is_kept[p->side], node->node);
    const uint32_t tags = !is_kept                                              ? 0u
                          : nothing != NULL && hsd_bit_get(nothing, node->node) ? IS_KEPT | HOLDS_NOTHING
                                                                                : IS_KEPT;
    if (is_kept && hsd_growth_chosen_at(p->chosen, p->side, node->node) != HSD_NO_CHOICE) return NULL;
    hsd_move *move = hsd_moves_at(&p->moves, above->state, node->type, node->edge, tags);
    if (move == NULL) return NULL;
    if (move->flags == 0) know_move(p, move);
    const bool may_begin_set = p->side == AFTER && growth->set_count > 0 && (move->flags & CAN_HOLD) == 0;
    return may_begin_set && *hsd_paged_at(&growth->set_of, node->node, HSD_FRAME_USED) != 0 ? NULL : move;
}

static inline void count_in_move(hsd_move *move, const hsd_tree_node *node)
{
    move->objects++;
    move->bytes += node->bytes;
}

/* What went each way is added up where it hangs. */
static hsd_status tell_moves(pass *p, hsd_error *err)
{
    const hsd_move *move;
    for (uint32_t at = 0; (move = hsd_moves_next(&p->moves, &at)) != NULL;) {
        const hsd_amount amount = {move->objects, move->bytes};
        const hsd_below *above = hsd_moves_state_at(&p->moves, hsd_move_from(move));
        hsd_below_node below;
        if (move->objects == 0) continue;
        fill_object(p, hsd_move_type(move), hsd_move_edge(move), hsd_move_tags(move) & IS_KEPT, &amount, &below);
        below.can_hold = (move->flags & CAN_HOLD) != 0;
        if (!below.can_hold && p->side == BEFORE && p->growth->set_count > 0)
            below.set = choice_of_set(p, set_of_freed(p, hsd_move_type(move), hsd_move_edge(move), above), above);
        HSD_TRY(hsd_below_leaf(p->growth, above, &below, err));
    }
    return HSD_OK;
}

/* ---- the walk ---- */

static hsd_status enter_inner_holder(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    pass *p = context;
    pass_frame *above = parent, *f = here;
    const hsd_amount amount = {1, node->bytes};
    hsd_below_node below;
    HSD_TRY(tell_progress(p, err));
    f->node = node->node;
    f->seam = hsd_tree_seam_below(node);
    f->is_sought = hsd_tree_is_sought(&above->seam, node);
    f->is_on_way = p->via != NULL && hsd_growth_is_wanted(p->via, node->node);
    hsd_move *move = move_of(p, node, above);
    if (move != NULL && move->to != 0) {
        count_in_move(move, node);
        f->state = move->to;
        return HSD_OK;
    }
    const hsd_below *state = below_of(p, above);
    take_node(p, node, state, &amount, &below);
    HSD_TRY(hsd_below_enter(p->growth, state, &below, &f->below, err));
    settle(p, f);
    if (move != NULL) move->to = f->state;
    return HSD_OK;
}

static hsd_status leave_inner_holder(void *context, void *here, void *parent, hsd_error *err)
{
    pass *p = context;
    const pass_frame *f = here;
    pass_frame *above = parent;
    if (!f->is_on_way) return HSD_OK;
    above->is_on_way = true;
    return hsd_growth_via_put(p->via, f->node, f->is_sought, err);
}

/* True of a node that no holder is above that asks for it, and that is none itself, nor the beginning of a set. */
static inline bool is_idle(const pass *p, const hsd_tree_node *node, const hsd_below *above)
{
    if (above->holder != HSD_NO_CHOICE || above->edged != HSD_NO_CHOICE || (node->flags & HSD_TREE_IS_ROOT))
        return false;
    if (p->side == AFTER && p->growth->set_count > 0) return false;
    if (above->code != HSD_NO_CHOICE && (above->is_in_code || hsd_growth_is_code(p->growth, node->type))) return false;
    return !hsd_growth_may_be_chosen(p->chosen, p->side, node->node);
}

/* With nothing below it, it has no frame. */
static hsd_status enter_inner_leaf(void *context, const hsd_tree_node *node, void *parent, hsd_error *err)
{
    pass *p = context;
    pass_frame *above = parent;
    const hsd_amount amount = {1, node->bytes};
    hsd_below_node below;
    const bool is_sought = hsd_tree_is_sought(&above->seam, node);
    if (p->via != NULL && hsd_growth_is_wanted(p->via, node->node)) {
        above->is_on_way = true;
        HSD_TRY(hsd_growth_via_put(p->via, node->node, is_sought, err));
    }
    if (is_idle(p, node, below_of(p, above))) return HSD_OK;
    HSD_TRY(tell_progress(p, err));
    hsd_move *move = move_of(p, node, above);
    if (move != NULL) {
        count_in_move(move, node);
        return HSD_OK;
    }
    const hsd_below *state = below_of(p, above);
    take_node(p, node, state, &amount, &below);
    return hsd_below_leaf(p->growth, state, &below, err);
}

static hsd_status pass_over_tree(pass *p, hsd_error *err)
{
    hsd_growth *growth = p->growth;
    hsd_sorter *tree = growth->pair->sides[p->side].tree;
    const hsd_tree_visitor visitor = {.context = p,
                                      .frame_bytes = sizeof(pass_frame),
                                      .rare_bytes = sizeof(hsd_below),
                                      .fills_frames = true,
                                      .enter = enter_inner_holder,
                                      .leave = p->via != NULL ? leave_inner_holder : NULL,
                                      .leaf = enter_inner_leaf,
                                      .bits = {growth->pair->is_kept[p->side], growth->holds_nothing[p->side]}};
    pass_frame root = {.node = 0};
    p->total = hsd_sorter_count(tree);
    HSD_TRY(hsd_below_begin(growth, p->chosen, &root.below, err));
    settle(p, &root);
    HSD_TRY(hsd_tree_walk(tree, &visitor, &root, hsd_growth_walk_bytes(growth), &growth->pair->space, err));
    return tell_moves(p, err);
}

/* With a copy of its own of what is said of the side: those of both lie in one line of cache, and each walk counts. */
static hsd_status walk_tree(void *context, hsd_error *err)
{
    pass p = *(const pass *)context;
    HSD_TRY(hsd_growth_take_back(p.growth, p.side, err));
    hsd_moves_open(&p.moves, sizeof(hsd_below), hsd_growth_walk_bytes(p.growth));
    const hsd_status status = pass_over_tree(&p, err);
    hsd_moves_close(&p.moves);
    HSD_TRY(status);
    return hsd_growth_put_aside(p.growth, p.side, err);
}

static hsd_status walk_tree_and_search(void *context, hsd_error *err)
{
    const pass *p = context;
    HSD_TRY(walk_tree(context, err));
    return p->via != NULL ? hsd_growth_search(p->growth, p->via, err) : HSD_OK;
}

static hsd_status walk_both_inner_holders(hsd_growth *growth, hsd_growth *before, const hsd_growth_chosen *chosen,
                                          hsd_growth_via *via, hsd_error *err)
{
    pass p[SIDE_COUNT] = {
        {.growth = before, .chosen = chosen, .side = BEFORE},
        {.growth = growth, .chosen = chosen, .via = via->wanted_count > 0 ? via : NULL, .side = AFTER}};
    return hsd_run_both((hsd_job){walk_tree, &p[BEFORE]}, (hsd_job){walk_tree_and_search, &p[AFTER]}, growth != before,
                        err);
}

hsd_status hsd_growth_within(hsd_growth *growth, hsd_growth *before, hsd_growth_via *via, hsd_error *err)
{
    HSD_ASSERT(growth->has_identity);
    hsd_growth_chosen chosen;
    hsd_status status = hsd_growth_chosen_make(&chosen, growth, err);
    if (status == HSD_OK) status = walk_both_inner_holders(growth, before, &chosen, via, err);
    hsd_growth_chosen_release(&chosen);
    return status;
}
