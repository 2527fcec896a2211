/*
 * The first pass over a side's dominator tree. Each frame gathers what is new (after) or freed (before) below
 * it and held by nothing between; when a node is left that can hold, that is its credit, else it goes on to the
 * node above. So nobody asks upwards, and a holder is told once, with its whole sum.
 *
 * On the same way: retained sizes by type and by root, for which a node counts when none of its type (of its name)
 * stands above it, so that each byte counts once; and the trie.
 */
#include "diff/growth.h"

#include "base/check.h"
#include <hscapture/hscapture.h>

#define ONE_IN 0x3fffu

enum { IS_ROOT = 1, CAN_HOLD = 2, IS_TOPMOST = 4, IS_KEPT = 8, IS_APART = 16, IS_OF_NEW = 32 };

typedef struct frame {
    hsd_trie_place place;
    hsd_amount pending;  /* new or freed, and not yet held */
    uint64_t bytes;      /* of all below, itself included */
    uint32_t type;       /* common type or common root */
    uint32_t node;
    uint32_t flags;
    uint32_t is_apart;   /* its place says that it is reached by several ways */
    uint64_t below;      /* in a thread of a pool: what leads here from it */
    uint32_t pool;
    uint32_t unused;
} frame;

typedef struct walk {
    hsd_growth *growth;
    hsd_trie *trie;
    int side;
    bool is_again;       /* credits alone: the rest was added up before */
    uint64_t entered, total;
    uint64_t apart_bytes;
} walk;

static uint64_t place_of(const frame *f) { return hsd_growth_place(&f->place, f->is_apart ? HSD_TRIE_INDIRECT : HSD_TRIE_ANY); }

static void enter_root(walk *w, const hsd_tree_node *node, frame *f)
{
    hsd_growth *growth = w->growth;
    f->type = growth->c->root_number[w->side][node->type];
    f->flags = IS_ROOT | (growth->is_common_root[f->type] ? CAN_HOLD | IS_KEPT : 0u);
    if (!w->is_again && hsd_retained_enter(&growth->by_root[w->side], f->type)) f->flags |= IS_TOPMOST;
}

static hsd_trie_sum sum_of(const walk *w, bool is_kept)
{
    if (w->side == BEFORE) return is_kept ? HSD_TRIE_KEPT_BEFORE : HSD_TRIE_FREED;
    return is_kept ? HSD_TRIE_KEPT_AFTER : HSD_TRIE_NEW;
}

/* Without identity everything passes for kept. */
static bool is_kept(const walk *w, uint32_t ordinal)
{
    const uint8_t *bits = w->growth->c->sides[w->side].is_kept;
    return !w->growth->has_identity || hsd_bit_get(bits, ordinal);
}

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects += amount.objects;
    to->bytes += amount.bytes;
}

/* What is new or freed here: the node's own growth, or that of program code. */
static void take_change(walk *w, const hsd_tree_node *node, uint32_t above, frame *f)
{
    hsd_growth *growth = w->growth;
    const hsd_amount own = {1, node->bytes};
    const bool is_code = hsd_growth_is_code(growth, node->type), is_new = (f->flags & IS_KEPT) == 0;
    f->flags |= is_code ? above & IS_OF_NEW : is_new ? IS_OF_NEW : 0u;
    if (is_new && is_code && (f->flags & IS_OF_NEW) == 0) add_amount(&growth->credit_of_code[w->side], own);
    else if (is_new) f->pending = own;
}

static bool enter_object(walk *w, const hsd_tree_node *node, uint32_t above, frame *f)
{
    hsd_growth *growth = w->growth;
    const bool kept = is_kept(w, node->node);
    f->type = node->type;
    f->node = node->node;
    f->bytes = node->bytes;
    if (kept) f->flags |= IS_KEPT;
    take_change(w, node, above, f);
    if (node->edge == HSD_TREE_INDIRECT) f->flags |= IS_APART;
    if (kept && growth->has_identity && hsd_growth_can_hold(growth, node->type, node->edge)) f->flags |= CAN_HOLD;
    if (!w->is_again && hsd_retained_enter(&growth->by_type[w->side], f->type)) f->flags |= IS_TOPMOST;
    return kept;
}

/* One of a crowd holds nothing. */
static void leave_crowd(walk *w, frame *f)
{
    if (!hsd_growth_is_crowded(w->growth, place_of(f))) return;
    f->flags &= ~(uint32_t)CAN_HOLD;
    hsd_bit_set(w->growth->holds_nothing[w->side], f->node);
}

static hsd_status enter(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    walk *w = context;
    const frame *above = parent;
    frame *f = here;
    hsd_growth *growth = w->growth;
    if ((w->entered++ & ONE_IN) == 0) {
        HSD_TRY(hsd_progress(growth->c->reporter, "finding what holds the growth", w->entered, w->total, err));
    }
    if (node->flags & HSD_TREE_IS_ROOT) {
        enter_root(w, node, f);
        if (growth->pool_of_root != NULL) f->pool = growth->pool_of_root[f->type];
        f->place = hsd_trie_step_to(w->trie, &above->place, HSD_TRIE_INDIRECT, f->type | HSD_TRIE_IS_ROOT);
        return w->is_again ? HSD_OK : hsd_trie_add(w->trie, &f->place, sum_of(w, true), 0, 0, err);
    }
    const bool kept = enter_object(w, node, above->flags, f);
    const uint32_t edge = hsd_growth_edge_of(growth, node->edge);
    f->place = hsd_trie_step_to(w->trie, &above->place, edge, f->type);
    f->is_apart = edge == HSD_TRIE_INDIRECT;
    f->pool = above->pool;
    if (f->pool != 0) f->below = hsd_mix(above->below, (uint64_t)edge << 32 | f->type);
    if ((f->flags & CAN_HOLD) && growth->crowded_count > 0) leave_crowd(w, f);
    return w->is_again ? HSD_OK : hsd_trie_add(w->trie, &f->place, sum_of(w, kept), 1, node->bytes, err);
}

static hsd_status credit_object(const walk *w, const frame *f, hsd_error *err)
{
    const uint64_t record[] = {f->node, f->pending.objects, f->pending.bytes, place_of(f), hsd_growth_pool_place(f->pool, f->below)};
    return hsd_sorter_put(w->growth->credits[w->side], record, err);
}

static hsd_status leave(void *context, void *here, void *parent, hsd_error *err)
{
    walk *w = context;
    const frame *f = here;
    frame *above = parent;
    hsd_growth *growth = w->growth;
    const bool is_root = f->flags & IS_ROOT;
    if (!w->is_again) hsd_retained_leave(&(is_root ? growth->by_root : growth->by_type)[w->side], f->type, f->flags & IS_TOPMOST, f->bytes);
    above->bytes += f->bytes;
    if (f->pending.objects == 0) return HSD_OK;
    if ((f->flags & (CAN_HOLD | IS_APART)) == IS_APART && (above->flags & IS_KEPT)) w->apart_bytes += f->pending.bytes;
    if ((f->flags & CAN_HOLD) == 0) add_amount(&above->pending, f->pending);
    else if (is_root) add_amount(&growth->credit_of_root[w->side][f->type], f->pending);
    else return credit_object(w, f, err);
    return HSD_OK;
}

static hsd_status run(walk *w, hsd_error *err)
{
    hsd_growth *growth = w->growth;
    hsd_sorter *tree = growth->c->sides[w->side].tree;
    const hsd_tree_visitor visitor = {.context = w, .frame_bytes = sizeof(frame), .enter = enter, .leave = leave};
    frame root = {.flags = IS_KEPT};
    w->total = hsd_sorter_count(tree);
    HSD_TRY(hsd_tree_walk(tree, &visitor, &root, growth->memory_bytes / 8, &growth->c->space, err));
    growth->credit_of_all[w->side] = root.pending;
    if (w->side == AFTER) growth->apart_bytes = w->apart_bytes;
    return growth->has_identity ? hsd_sorter_finish(growth->credits[w->side], 0, err) : HSD_OK;
}

hsd_status hsd_growth_walk(hsd_growth *growth, int side, hsd_trie *trie, hsd_error *err)
{
    walk w = {.growth = growth, .trie = trie, .side = side};
    return run(&w, err);
}

hsd_status hsd_growth_walk_again(hsd_growth *growth, int side, hsd_error *err)
{
    walk w = {.growth = growth, .trie = growth->trie, .side = side, .is_again = true};
    return run(&w, err);
}
