/*
 * The first pass over a side's dominator tree. Each frame gathers what is new (after) or freed (before) below
 * it and held by nothing between; when a node is left that can hold, that is its credit, else it goes on to the
 * node above. So nobody asks upwards, and a holder is told once, with its whole sum.
 *
 * Most nodes have nothing below them. They get no frame: what they add goes to the frame above at once.
 *
 * On the same way: forks (by/by.h), where after is walked; retained sizes by type and by root, for which a node
 * counts when none of its type (of its name) stands above it, so that each byte counts once; and the trie.
 */
#include "base/assert.h"
#include "holders/growth.h"

#include "base/check.h"
#include <hscapture/hscapture.h>

#define ONE_IN 0x3fffu

enum {
    IS_ROOT = 1,
    CAN_HOLD = 2,
    IS_TOPMOST = 4,
    IS_KEPT = 8,
    IS_APART = 16,
    IS_OF_NEW = 32,
    IS_RESIZED = 64,
    IS_OF_USE = 128, /* it could hold, if it were kept */
    IS_IN_CODE = 256 /* of a type that is code as a whole, or below one */
};

typedef struct frame {
    hsd_trie_place place;
    hsd_credit pending; /* not yet held */
    uint64_t bytes;     /* of all below, itself included */
    uint32_t type;      /* common type or common root */
    hsd_node node;
    uint32_t flags;
    uint32_t is_apart; /* its place says that it is reached by several ways */
    uint64_t below;    /* in a thread of a pool: what leads here from it */
    uint32_t pool;
    hsd_node first; /* place in the tree; 0 = the super-root */
    uint64_t of;    /* holder that its growth is credited to, as forks have it */
    /* of what is pending: below what this node has no reference to, and no fork below has */
    uint64_t apart;
    uint64_t told; /* of what is pending: what forks below have */
    hsd_kin kin;
    uint64_t kin_place; /* 0 = stands for itself */
} frame;

typedef struct seen_step { /* what hsd_kin_see will be told */
    hsd_kin_end end;
    uint32_t edge, count; /* times; 0 = nothing */
} seen_step;

#define SEEN 256u /* a power of two */

typedef struct walk {
    hsd_growth *growth;
    hsd_trie *trie;
    int side;
    bool is_again; /* credits alone: the rest was added up before */
    uint64_t entered, total;
    uint64_t apart_bytes;
    uint64_t least; /* bytes of a fork */
    uint64_t fork_count;
    seen_step seen[SEEN]; /* by type and edge: the same few lead to most objects, and the table is large */
} walk;

static uint64_t place_of(const frame *f) { return hsd_growth_place(hsd_trie_key(&f->place), f->is_apart); }

static void enter_root(walk *w, const hsd_tree_node *node, frame *f)
{
    hsd_growth *growth = w->growth;
    f->type = growth->pair->root_number[w->side][node->type];
    f->kin = hsd_kin_begin(f->type | HSD_TRIE_IS_ROOT);
    f->flags = IS_ROOT | (growth->is_common_root[f->type] ? CAN_HOLD | IS_KEPT : 0u);
    if (f->flags & CAN_HOLD) f->of = HSD_FORK_OF_ROOT | f->type;
    if (!w->is_again && hsd_retained_enter(&growth->by_root[w->side], f->type)) f->flags |= IS_TOPMOST;
}

/* A name below a thread of a pool, a variable of its own, is in that thread. */
static void enter_pool(const hsd_growth *growth, const frame *above, frame *f)
{
    if (growth->pool_of_root == NULL) return;
    f->pool = growth->pool_of_root[f->type];
    if (f->pool != 0 || above->pool == 0) return;
    f->pool = above->pool;
    f->below = hsd_mix(above->below, f->type | HSD_TRIE_IS_ROOT);
}

static hsd_trie_sum sum_of(const walk *w, bool is_kept)
{
    if (w->side == BEFORE) return is_kept ? HSD_TRIE_KEPT_BEFORE : HSD_TRIE_FREED;
    return is_kept ? HSD_TRIE_KEPT_AFTER : HSD_TRIE_NEW;
}

/* Without identity everything passes for kept. */
static bool is_kept(const walk *w, hsd_node ordinal)
{
    const uint8_t *bits = w->growth->pair->is_kept[w->side];
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
    const bool is_code = hsd_growth_is_code(growth, node->type) || (above & IS_IN_CODE) != 0,
               is_new = (f->flags & IS_KEPT) == 0;
    if (growth->has_identity && ((above & IS_IN_CODE) || hsd_growth_is_wholly_code(growth, node->type)))
        f->flags |= IS_IN_CODE;
    f->flags |= is_code ? above & IS_OF_NEW : is_new ? IS_OF_NEW : 0u;
    if (is_new && is_code && (f->flags & IS_OF_NEW) == 0)
        add_amount(&growth->credit_of_code[w->side], own);
    else if (is_new)
        f->pending.amount = own;
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
    if (growth->has_identity && (f->flags & IS_IN_CODE) == 0 && hsd_growth_can_hold(growth, node->type, node->edge))
        f->flags |= kept ? IS_OF_USE | CAN_HOLD : IS_OF_USE;
    if (!w->is_again && hsd_retained_enter(&growth->by_type[w->side], f->type)) f->flags |= IS_TOPMOST;
    return kept;
}

/* What code alone holds and was resized. */
static void see_resized_code(const walk *w, const hsd_tree_node *node)
{
    w->growth->code_parts[w->side] += node->bytes;
    hsd_bit_set(w->growth->is_part[w->side], node->node);
}

/* By how much a part of a container grew, the container did. */
static void see_resized(const walk *w, const hsd_tree_node *node, frame *f)
{
    const uint8_t *is_resized = w->growth->pair->is_resized[w->side];
    if (is_resized == NULL || !w->growth->has_identity || !hsd_bit_get(is_resized, node->node)) return;
    f->flags |= IS_RESIZED;
    if ((f->flags & CAN_HOLD) || hsd_growth_is_code(w->growth, node->type)) return;
    if (f->flags & IS_IN_CODE) {
        see_resized_code(w, node);
        return;
    }
    f->pending.parts_bytes = node->bytes;
    hsd_bit_set(w->growth->is_part[w->side], node->node);
}

/* What a reference is to kin. */
static inline uint32_t kin_edge(const hsd_tree_node *node, uint32_t edge)
{
    return node->edge == HSD_EDGE_NAMELESS ? HSD_EDGE_NAMELESS : edge;
}

/* From outside is not by their own references. */
static inline uint32_t kin_step(const hsd_kin_end *end, uint32_t edge)
{
    return end->is_again ? edge : HSD_TRIE_INDIRECT;
}

static void give_step(const walk *w, const seen_step *seen)
{
    hsd_kin_steps *steps = &w->growth->steps[w->side];
    const hsd_kin_end *end = &seen->end;
    const uint32_t step = kin_step(end, seen->edge);
    if (seen->count == 0) return;
    hsd_kin_see(steps, end, step, hsd_kin_step_number(end, step), seen->count, end->is_again);
    if (step != seen->edge)
        hsd_kin_see(steps, end, seen->edge, hsd_kin_step_number(end, seen->edge), seen->count, false);
}

static void give_all_steps(const walk *w)
{
    for (uint32_t i = 0; i < SEEN; i++)
        give_step(w, &w->seen[i]);
}

/* Steps are seen in no order. */
static inline void see_step(walk *w, const hsd_kin_end *end, uint32_t edge)
{
    seen_step *seen = &w->seen[(end->type * 31 + edge) % SEEN];
    const bool is_same = seen->end.type == end->type && seen->edge == edge && seen->end.above == end->above &&
                         seen->end.is_again == end->is_again;
    if (!is_same || seen->count == UINT32_MAX) {
        give_step(w, seen);
        *seen = (seen_step){*end, edge, 0};
    }
    seen->count++;
}

/* The place among kin of what can hold. */
static inline uint64_t kin_place_of(const hsd_kin_end *end, uint32_t edge)
{
    return hsd_kin_place(end, hsd_kin_step_number(end, kin_step(end, edge)));
}

/* The insides of containers are passed over: a tree of maps is a tree. */
static void find_kin(walk *w, uint32_t edge, frame *f)
{
    if ((f->flags & IS_OF_USE) == 0) return;
    const bool is_again_there = hsd_kin_step(&f->kin, f->type);
    if ((f->flags & CAN_HOLD) == 0) return;
    const hsd_kin_end end = hsd_kin_end_of(&f->kin, is_again_there);
    f->kin_place = kin_place_of(&end, edge);
    if (!w->is_again) see_step(w, &end, edge);
}

/* True of one of a crowd. */
static inline bool is_crowded(const hsd_growth *growth, uint64_t kin_place, uint64_t place)
{
    const uint64_t kin = hsd_growth_is_apart(growth, kin_place) ? kin_place : hsd_kin_family(kin_place);
    return (hsd_growth_are_kin(growth, kin_place) && hsd_growth_is_crowded(growth, kin)) ||
           hsd_growth_is_crowded(growth, place);
}

/* It holds nothing. */
static void leave_crowd(walk *w, frame *f)
{
    if (!is_crowded(w->growth, f->kin_place, place_of(f))) return;
    f->flags &= ~(uint32_t)CAN_HOLD;
    hsd_bit_set(w->growth->holds_nothing[w->side], f->node);
}

/* All but the place, which is stepped to. */
static inline void begin_frame(frame *f, const hsd_tree_node *node, const frame *above)
{
    f->pending = (hsd_credit){.parts_bytes = 0};
    f->bytes = 0;
    f->node = 0;
    f->type = f->flags = f->is_apart = 0;
    f->below = 0;
    f->pool = 0;
    f->first = node->first;
    f->of = above->of;
    f->apart = f->told = 0;
    f->kin = above->kin;
    f->kin_place = 0;
}

static inline hsd_status tell_progress(walk *w, hsd_error *err)
{
    if ((w->entered++ & ONE_IN) != 0) return HSD_OK;
    return hsd_progress(w->growth->pair->reporter, "finding what holds the growth", w->entered, w->total, err);
}

static hsd_status enter_holder_walk(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    walk *w = context;
    const frame *above = parent;
    frame *f = here;
    hsd_growth *growth = w->growth;
    HSD_TRY(tell_progress(w, err));
    begin_frame(f, node, above);
    if (node->flags & HSD_TREE_IS_ROOT) {
        enter_root(w, node, f);
        enter_pool(growth, above, f);
        hsd_trie_step_into(w->trie, &above->place, HSD_TRIE_INDIRECT, f->type | HSD_TRIE_IS_ROOT, &f->place);
        return w->is_again ? HSD_OK : hsd_trie_add(w->trie, &f->place, sum_of(w, true), 0, 0, err);
    }
    const bool kept = enter_object(w, node, above->flags, f);
    const uint32_t edge = hsd_growth_edge_of(growth, node->edge);
    hsd_trie_step_into(w->trie, &above->place, edge, f->type, &f->place);
    f->is_apart = node->edge == HSD_TREE_INDIRECT; /* a reference without a name is one */
    if (growth->has_identity) find_kin(w, kin_edge(node, edge), f);
    f->pool = above->pool;
    if (f->pool != 0) f->below = hsd_mix(above->below, (uint64_t)edge << 32 | f->type);
    if ((f->flags & CAN_HOLD) && growth->crowded_count > 0) leave_crowd(w, f);
    if (f->flags & CAN_HOLD) f->of = f->node;
    see_resized(w, node, f);
    return w->is_again ? HSD_OK : hsd_trie_add(w->trie, &f->place, sum_of(w, kept), 1, node->bytes, err);
}

static void add_credit(hsd_credit *to, const hsd_credit *credit)
{
    to->amount.objects += credit->amount.objects;
    to->amount.bytes += credit->amount.bytes;
    to->parts_bytes += credit->parts_bytes;
}

static hsd_status credit_object(const walk *w, const frame *f, hsd_error *err)
{
    const uint64_t record[HSD_CREDIT_WORDS] = {f->node,
                                               f->pending.amount.objects,
                                               f->pending.amount.bytes,
                                               place_of(f),
                                               hsd_growth_pool_place(f->pool, f->below),
                                               f->kin_place,
                                               f->pending.parts_bytes};
    return hsd_sorter_put(w->growth->credits[w->side], record, err);
}

/* Who was resized itself is listed for its place. */
static bool is_nothing(const frame *f)
{
    return f->pending.amount.objects == 0 && f->pending.parts_bytes == 0 &&
           (f->flags & (CAN_HOLD | IS_RESIZED)) != (CAN_HOLD | IS_RESIZED);
}

/* What is apart below a fork is not asked for above it once more. */
static hsd_status end_fork(walk *w, frame *f, hsd_error *err)
{
    if (f->apart < w->least || f->apart == 0 || w->growth->forks == NULL) return HSD_OK;
    const uint64_t record[HSD_FORK_WORDS] = {w->fork_count++, f->of, f->apart,
                                             (uint64_t)f->first << 1 | ((f->flags & CAN_HOLD) != 0)};
    f->told += f->apart;
    return hsd_sorter_put(w->growth->forks, record, err);
}

/* What is pending below a node that does not hold goes up. All but roots hang apart from the super-root: where that has
 * a reference it is from a pseudo object, which the tree does not have. */
static void hand_up(walk *w, const frame *f, frame *above)
{
    add_credit(&above->pending, &f->pending);
    if (w->side != AFTER) return;
    above->told += f->told;
    if ((above->flags & IS_KEPT) == 0) return;
    if (f->flags & IS_APART) w->apart_bytes += f->pending.amount.bytes;
    if ((f->flags & IS_APART) || (above->first == 0 && (f->flags & IS_ROOT) == 0))
        above->apart += f->pending.amount.bytes - f->told;
}

static hsd_status leave_holder_walk(void *context, void *here, void *parent, hsd_error *err)
{
    walk *w = context;
    frame *f = here;
    frame *above = parent;
    hsd_growth *growth = w->growth;
    const bool is_root = f->flags & IS_ROOT;
    if (!w->is_again)
        hsd_retained_leave(&(is_root ? growth->by_root : growth->by_type)[w->side], f->type, f->flags & IS_TOPMOST,
                           f->bytes);
    above->bytes += f->bytes;
    if (is_nothing(f)) return HSD_OK;
    if (f->flags & IS_KEPT) HSD_TRY(end_fork(w, f, err));
    if ((f->flags & CAN_HOLD) == 0)
        hand_up(w, f, above);
    else if (is_root)
        add_credit(&growth->credit_of_root[w->side][f->type], &f->pending);
    else
        return credit_object(w, f, err);
    return HSD_OK;
}

/* ---- what has nothing below it ---- */

/* A kept one holds nothing itself: it is seen, and its crowd is told. */
static void see_kept_leaf(walk *w, const hsd_tree_node *node, uint32_t edge, const frame *above)
{
    const hsd_growth *growth = w->growth;
    if (!growth->has_identity || !hsd_growth_can_hold(growth, node->type, node->edge)) return;
    const hsd_kin_end end = hsd_kin_end_below(&above->kin, node->type);
    if (!w->is_again) {
        see_step(w, &end, kin_edge(node, edge));
        return;
    }
    const uint64_t kin_place = kin_place_of(&end, kin_edge(node, edge));
    const uint64_t key = hsd_trie_key_below(w->trie, &above->place, edge, node->type);
    if (is_crowded(growth, kin_place, hsd_growth_place(key, node->edge == HSD_TREE_INDIRECT)))
        hsd_bit_set(growth->holds_nothing[w->side], node->node);
}

/* A new or freed one: take_change and hand_up in one. */
static void hand_up_leaf(walk *w, const hsd_tree_node *node, frame *above)
{
    const hsd_amount own = {1, node->bytes};
    const bool is_apart = node->edge == HSD_TREE_INDIRECT;
    const bool is_code = hsd_growth_is_code(w->growth, node->type) || (above->flags & IS_IN_CODE) != 0;
    if (is_code && (above->flags & IS_OF_NEW) == 0) {
        add_amount(&w->growth->credit_of_code[w->side], own);
        return;
    }
    add_amount(&above->pending.amount, own);
    if (w->side != AFTER || (above->flags & IS_KEPT) == 0) return;
    if (is_apart) w->apart_bytes += node->bytes;
    if (is_apart || above->first == 0) above->apart += node->bytes;
}

/* As the retained sizes see it. */
static inline void retain_leaf(hsd_retained_sums *sums, const hsd_tree_node *node)
{
    const bool is_topmost = hsd_retained_enter(sums, node->type);
    hsd_retained_leave(sums, node->type, is_topmost, node->bytes);
}

static bool is_resized(const walk *w, hsd_node node)
{
    const uint8_t *bits = w->growth->pair->is_resized[w->side];
    return bits != NULL && w->growth->has_identity && hsd_bit_get(bits, node);
}

/* As if something were below it. Apart from see_holder_leaf, which so has no frame on the stack. */
static __attribute__((noinline)) hsd_status see_as_node(walk *w, const hsd_tree_node *node, frame *above,
                                                        hsd_error *err)
{
    frame f;
    HSD_TRY(enter_holder_walk(w, node, above, &f, err));
    return leave_holder_walk(w, &f, above, err);
}

static hsd_status see_holder_leaf(void *context, const hsd_tree_node *node, void *parent, hsd_error *err)
{
    walk *w = context;
    frame *above = parent;
    if ((node->flags & HSD_TREE_IS_ROOT) || is_resized(w, node->node)) return see_as_node(w, node, above, err);
    HSD_TRY(tell_progress(w, err));
    const bool kept = is_kept(w, node->node);
    const uint32_t edge = hsd_growth_edge_of(w->growth, node->edge);
    above->bytes += node->bytes;
    if (kept)
        see_kept_leaf(w, node, edge, above);
    else
        hand_up_leaf(w, node, above);
    if (w->is_again) return HSD_OK;
    retain_leaf(&w->growth->by_type[w->side], node);
    return hsd_trie_add_below(w->trie, &above->place, edge, node->type, sum_of(w, kept), 1, node->bytes, err);
}

static hsd_status run_holder_walk(walk *w, hsd_error *err)
{
    hsd_growth *growth = w->growth;
    hsd_sorter *tree = growth->pair->sides[w->side].tree;
    const hsd_tree_visitor visitor = {
        .context = w,
        .frame_bytes = sizeof(frame),
        .fills_frames = true,
        .enter = enter_holder_walk,
        .leave = leave_holder_walk,
        .leaf = see_holder_leaf,
        .bits = {growth->has_identity ? growth->pair->is_kept[w->side] : NULL, growth->pair->is_resized[w->side]}};
    frame root = {.flags = IS_KEPT | CAN_HOLD, .of = HSD_FORK_OF_ALL};
    w->least = hsd_growth_grown_bytes(growth) / HSD_GROWTH_PART_OF_ALL;
    w->total = hsd_sorter_count(tree);
    HSD_TRY(hsd_tree_walk(tree, &visitor, &root, growth->memory_bytes / 8, &growth->pair->space, err));
    give_all_steps(w);
    growth->credit_of_all[w->side] = root.pending;
    if (w->side == AFTER) growth->apart_bytes = w->apart_bytes;
    if (!growth->has_identity) return HSD_OK;
    HSD_TRY(hsd_sorter_finish(growth->credits[w->side], 0, err));
    if (w->side == BEFORE) return HSD_OK;
    HSD_TRY(end_fork(w, &root, err));
    return hsd_sorter_finish(growth->forks, 0, err);
}

hsd_status hsd_growth_walk(hsd_growth *growth, int side, hsd_trie *trie, hsd_error *err)
{
    HSD_ASSERT(side == BEFORE || side == AFTER);
    walk w = {.growth = growth, .trie = trie, .side = side};
    return run_holder_walk(&w, err);
}

hsd_status hsd_growth_walk_again(hsd_growth *growth, int side, hsd_error *err)
{
    HSD_ASSERT(growth->has_identity);
    walk w = {.growth = growth, .trie = growth->trie, .side = side, .is_again = true};
    return run_holder_walk(&w, err);
}
