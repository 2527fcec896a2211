/*
 * The second pass: both dominator trees once more, now that the holders are chosen, for what hangs below them. Without
 * identity there is no second pass: the nodes of the trie stand for their objects.
 */
#include "base/assert.h"
#include "holders/growth.h"

#include "base/check.h"
#include "base/worker.h"

#define ONE_IN 0x3fffu

typedef struct pass {
    hsd_growth *growth;
    const hsd_growth_chosen *chosen;
    hsd_growth_via *via; /* of after, where ways are asked for; else NULL */
    int side;
    uint64_t entered, total;
} pass;

typedef struct pass_frame {
    hsd_below below;
    hsd_node node;
    hsd_tree_seam seam;
    bool is_sought;
    bool is_on_way; /* it is wanted, or something below it is */
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

/* The set that an object begins; 0 = none. */
static uint32_t set_at(pass *p, const hsd_tree_node *node, const hsd_below *above)
{
    hsd_growth *growth = p->growth;
    if (growth->set_count == 0) return 0;
    if (p->side == AFTER) return *hsd_paged_at(&growth->set_of, node->node, HSD_FRAME_USED);
    if (!above->is_kept || above->is_in_set || above->is_joined) return 0;
    return hsd_growth_set_of_freed(growth, above->holder, node->type,
                                   above->is_super || node->edge == HSD_TREE_INDIRECT);
}

/* Its choice. What is of none may hang below one of a set, and is not that one's. */
static uint32_t set_of(pass *p, const hsd_tree_node *node, const hsd_below *above)
{
    const hsd_growth *growth = p->growth;
    const uint32_t set = set_at(p, node, above);
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

/* `amount` is what the node adds. */
static void take_object(pass *p, const hsd_tree_node *node, const hsd_below *above, const hsd_amount *amount,
                        hsd_below_node *out)
{
    hsd_growth *growth = p->growth;
    const bool is_kept = hsd_bit_get(growth->pair->is_kept[p->side], node->node);
    const bool can_hold =
        is_kept && !above->is_in_code && hsd_growth_holds(growth, p->side, node->node, node->type, node->edge);
    out->edge = hsd_growth_edge_of(growth, node->edge);
    out->type = node->type;
    out->is_apart = node->edge == HSD_TREE_INDIRECT;
    out->can_hold = can_hold;
    out->is_kept = is_kept;
    out->choice = can_hold ? hsd_growth_chosen_at(p->chosen, p->side, node->node) : HSD_NO_CHOICE;
    out->is_joined = is_joined(growth, out->choice, HSD_HELD_BY_OBJECT, p->side, node->node);
    out->set = can_hold || growth->set_count == 0 ? HSD_NO_CHOICE : set_of(p, node, above);
    out->first = sum_of(p, is_kept);
    out->count = 1;
    out->sums = amount;
}

/* `amount` is what the node adds, for as long as it is asked for. */
static inline hsd_status take_node(pass *p, const hsd_tree_node *node, const hsd_below *above, const hsd_amount *amount,
                                   hsd_below_node *out, hsd_error *err)
{
    if ((p->entered++ & ONE_IN) == 0) {
        HSD_TRY(hsd_progress(p->growth->pair->reporter, "following the growth", p->entered, p->total, err));
    }
    if (node->flags & HSD_TREE_IS_ROOT)
        take_root(p, node, out);
    else
        take_object(p, node, above, amount, out);
    return HSD_OK;
}

static hsd_status enter_inner_holder(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    pass *p = context;
    pass_frame *above = parent, *f = here;
    const hsd_amount amount = {1, node->bytes};
    hsd_below_node below;
    f->node = node->node;
    f->seam = hsd_tree_seam_below(node);
    f->is_sought = hsd_tree_is_sought(&above->seam, node);
    f->is_on_way = p->via != NULL && hsd_growth_is_wanted(p->via, node->node);
    HSD_TRY(take_node(p, node, &above->below, &amount, &below, err));
    return hsd_below_enter(p->growth, &above->below, &below, &f->below, err);
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
    if (is_idle(p, node, &above->below)) return HSD_OK;
    HSD_TRY(take_node(p, node, &above->below, &amount, &below, err));
    return hsd_below_leaf(p->growth, &above->below, &below, err);
}

/* With a copy of its own of what is said of the side: those of both lie in one line of cache, and each walk counts. */
static hsd_status walk_tree(void *context, hsd_error *err)
{
    pass p = *(const pass *)context;
    hsd_growth *growth = p.growth;
    hsd_sorter *tree = growth->pair->sides[p.side].tree;
    HSD_TRY(hsd_growth_take_back(growth, p.side, err));
    const hsd_tree_visitor visitor = {.context = &p,
                                      .frame_bytes = sizeof(pass_frame),
                                      .fills_frames = true,
                                      .enter = enter_inner_holder,
                                      .leave = p.via != NULL ? leave_inner_holder : NULL,
                                      .leaf = enter_inner_leaf,
                                      .bits = {growth->pair->is_kept[p.side], growth->holds_nothing[p.side]}};
    pass_frame root = {.node = 0};
    p.total = hsd_sorter_count(tree);
    HSD_TRY(hsd_below_begin(growth, p.chosen, &root.below, err));
    HSD_TRY(hsd_tree_walk(tree, &visitor, &root, growth->memory_bytes / 16, &growth->pair->space, err));
    return hsd_growth_put_aside(growth, p.side, err);
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
