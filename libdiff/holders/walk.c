/*
 * The first pass over a side's dominator tree. Each frame gathers what is new (after) or freed (before) below
 * it and held by nothing between; when a node is left that can hold, that is its credit, else it goes on to the
 * node above. So nobody asks upwards, and a holder is told once, with its whole sum.
 *
 * Most nodes have nothing below them. They get no frame: what they add goes to the frame above at once. Where a node
 * stands in the trie and among kin is a state (moves.h): worked out once, and told to both once for all that stand
 * there.
 *
 * On the same way: forks (by/by.h), where after is walked; retained sizes by type and by root, for which a node
 * counts when none of its type (of its name) stands above it, so that each byte counts once; and the trie.
 */
#include "base/assert.h"
#include "holders/by/ahead.h"
#include "holders/growth.h"
#include "holders/moves.h"

#include <string.h>

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
    IS_OF_USE = 128,  /* it could hold, if it were kept */
    IS_IN_CODE = 256, /* of a type that is code as a whole, or below one */
    IS_CROWDED = 512, /* it could hold, and its place is crowded */
    IS_KNOWN = 1024,  /* of a move */
    IS_FORK = 2048    /* found as it was left */
};

typedef struct position { /* all that is asked of a node by where those below it stand; without holes */
    hsd_trie_place place;
    hsd_kin kin;    /* zeroed behind its last */
    uint64_t below; /* in a thread of a pool: what leads here from it */
    uint32_t pool;
    uint32_t is_in_code; /* IS_IN_CODE, or 0 */
} position;

_Static_assert(sizeof(position) == sizeof(hsd_trie_place) + sizeof(hsd_kin) + 16, "states are compared by their bytes");

typedef struct frame {
    hsd_credit pending; /* not yet held */
    uint64_t bytes;     /* of all below, itself included */
    uint32_t type;      /* common type or common root */
    hsd_node node;
    uint32_t flags;
    uint32_t is_apart; /* its place says that it is reached by several ways */
    uint32_t state;    /* of its position; 0 = none */
    uint32_t waiting;  /* how many of those that wait stand above it, itself included */
    hsd_node first;    /* place in the tree; 0 = the super-root */
    uint64_t of;       /* holder that its growth is credited to, as forks have it */
    /* of what is pending: below what this node has no reference to, and no fork below has */
    uint64_t apart;
    uint64_t told;      /* of what is pending: what forks below have */
    uint64_t kin_place; /* 0 = stands for itself */
    position position;  /* with no state, for which there was no room: the last, which few frames write */
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
    hsd_moves moves;    /* between positions */
    hsd_by_ahead ahead; /* of after */
    /* of what has no move, by type and edge: the same few steps lead to most objects, and the table is large */
    seen_step seen[SEEN];
} walk;

static const position *position_of(const walk *w, const frame *f)
{
    return f->state != 0 ? hsd_moves_state_at(&w->moves, f->state) : &f->position;
}

static uint64_t place_of(const walk *w, const frame *f)
{
    return hsd_growth_place(hsd_trie_key(&position_of(w, f)->place), f->is_apart);
}

static void enter_root(walk *w, const hsd_tree_node *node, frame *f)
{
    hsd_growth *growth = w->growth;
    f->type = growth->pair->root_number[w->side][node->type];
    f->flags = IS_ROOT | (growth->is_common_root[f->type] ? CAN_HOLD | IS_KEPT : 0u);
    if (f->flags & CAN_HOLD) f->of = HSD_FORK_OF_ROOT | f->type;
    if (!w->is_again && hsd_retained_enter(&growth->by_root[w->side], f->type)) f->flags |= IS_TOPMOST;
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
    f->flags |= is_code ? above & IS_OF_NEW : is_new ? IS_OF_NEW : 0u;
    if (is_new && is_code && (f->flags & IS_OF_NEW) == 0)
        add_amount(&growth->credit_of_code[w->side], own);
    else if (is_new)
        f->pending.amount = own;
}

/* `standing` are its flags by where it stands. */
static void enter_object(walk *w, const hsd_tree_node *node, uint32_t above, bool is_kept, uint32_t standing, frame *f)
{
    f->type = node->type;
    f->node = node->node;
    f->bytes = node->bytes;
    f->flags = is_kept ? standing | IS_KEPT : standing;
    f->is_apart = node->edge == HSD_TREE_INDIRECT; /* a reference without a name is one */
    if (f->is_apart) f->flags |= IS_APART;
    take_change(w, node, above, f);
    if (!w->is_again && hsd_retained_enter(&w->growth->by_type[w->side], f->type)) f->flags |= IS_TOPMOST;
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

/* ---- where a node stands ---- */

/* What a reference is to kin. */
static inline uint32_t kin_edge(const hsd_growth *growth, uint32_t edge)
{
    return edge == HSD_EDGE_NAMELESS ? HSD_EDGE_NAMELESS : hsd_growth_edge_of(growth, edge);
}

/* From outside is not by their own references. */
static inline uint32_t kin_step(const hsd_kin_end *end, uint32_t edge)
{
    return end->is_again ? edge : HSD_TRIE_INDIRECT;
}

static void give_steps(const walk *w, const hsd_kin_end *end, uint32_t edge, hsd_node count)
{
    hsd_kin_steps *steps = &w->growth->steps[w->side];
    const uint32_t step = kin_step(end, edge);
    if (count == 0) return;
    hsd_kin_see(steps, end, step, hsd_kin_step_number(end, step), count, end->is_again);
    if (step != edge) hsd_kin_see(steps, end, edge, hsd_kin_step_number(end, edge), count, false);
}

static void give_all_steps(const walk *w)
{
    for (uint32_t i = 0; i < SEEN; i++)
        give_steps(w, &w->seen[i].end, w->seen[i].edge, w->seen[i].count);
}

/* Steps are seen in no order. */
static inline void see_step(walk *w, const hsd_kin_end *end, uint32_t edge)
{
    seen_step *seen = &w->seen[(end->type * 31 + edge) % SEEN];
    const bool is_same = seen->end.type == end->type && seen->edge == edge && seen->end.above == end->above &&
                         seen->end.is_again == end->is_again;
    if (!is_same || seen->count == UINT32_MAX) {
        give_steps(w, &seen->end, seen->edge, seen->count);
        *seen = (seen_step){*end, edge, 0};
    }
    seen->count++;
}

/* The place among kin of what can hold. */
static inline uint64_t kin_place_of(const hsd_kin_end *end, uint32_t edge)
{
    return hsd_kin_place(end, hsd_kin_step_number(end, kin_step(end, edge)));
}

/* A name below a thread of a pool, a variable of its own, is in that thread. */
static void enter_pool(const hsd_growth *growth, const position *above, uint32_t root, position *here)
{
    here->pool = 0;
    here->below = 0;
    if (growth->pool_of_root == NULL) return;
    here->pool = growth->pool_of_root[root];
    if (here->pool != 0 || above->pool == 0) return;
    here->pool = above->pool;
    here->below = hsd_mix(above->below, root | HSD_TRIE_IS_ROOT);
}

static void step_to_root(walk *w, const position *above, uint32_t root, position *here)
{
    hsd_trie_step_into(w->trie, &above->place, HSD_TRIE_INDIRECT, root | HSD_TRIE_IS_ROOT, &here->place);
    here->kin = hsd_kin_begin(root | HSD_TRIE_IS_ROOT);
    here->is_in_code = 0;
    enter_pool(w->growth, above, root, here);
}

/* It could hold, if it were kept. */
static bool is_of_use(const hsd_growth *growth, uint32_t is_in_code, uint32_t type, uint32_t edge)
{
    return growth->has_identity && is_in_code == 0 && hsd_growth_can_hold(growth, type, edge);
}

static uint32_t is_in_code(const hsd_growth *growth, const position *above, uint32_t type)
{
    if (!growth->has_identity) return 0;
    return above->is_in_code || hsd_growth_is_wholly_code(growth, type) ? IS_IN_CODE : 0;
}

static uint32_t edge_in_trie(const walk *w, const position *above, uint32_t type, uint32_t edge)
{
    return hsd_trie_edge_below(&w->growth->pair->types, &above->place, w->growth->item_edge, type, edge);
}

/* The insides of containers are passed over: a tree of maps is a tree. */
static void step_to_object(walk *w, const position *above, uint32_t type, uint32_t raw_edge, position *here)
{
    const hsd_growth *growth = w->growth;
    const uint32_t edge = hsd_growth_edge_of(growth, raw_edge);
    hsd_trie_step_into(w->trie, &above->place, edge_in_trie(w, above, type, raw_edge), type, &here->place);
    here->kin = above->kin;
    here->is_in_code = is_in_code(growth, above, type);
    here->pool = above->pool;
    here->below = above->pool != 0 ? hsd_mix(above->below, (uint64_t)edge << 32 | type) : 0;
    if (!is_of_use(growth, here->is_in_code, type, raw_edge)) return;
    (void)hsd_kin_step(&here->kin, type);
    for (uint32_t i = here->kin.count; i < HSD_KIN_LOOK_BACK; i++) {
        here->kin.types[i] = 0;
        here->kin.places[i] = 0;
    }
}

/* True of one of a crowd. */
static inline bool is_crowded(const hsd_growth *growth, uint64_t kin_place, uint64_t place)
{
    const uint64_t kin = hsd_growth_is_apart(growth, kin_place) ? kin_place : hsd_kin_family(kin_place);
    return (hsd_growth_are_kin(growth, kin_place) && hsd_growth_is_crowded(growth, kin)) ||
           hsd_growth_is_crowded(growth, place);
}

/* How an object of a type stands below a place that is known. */
typedef struct standing {
    uint32_t flags;     /* of a frame: IS_OF_USE, IS_IN_CODE, and of a kept one CAN_HOLD or IS_CROWDED */
    uint64_t kin_place; /* of a kept one that is of use */
    hsd_kin_end end;    /* likewise */
} standing;

/* Crowds are looked for by two hashes, only where there are any. */
static bool stands_in_crowd(const walk *w, const position *above, uint32_t type, uint32_t raw_edge, uint64_t kin_place)
{
    if (w->growth->crowded_count == 0) return false;
    const uint64_t key = hsd_trie_key_below(w->trie, &above->place, edge_in_trie(w, above, type, raw_edge), type);
    return is_crowded(w->growth, kin_place, hsd_growth_place(key, raw_edge == HSD_TREE_INDIRECT));
}

static void stand_among_kin(const walk *w, const position *above, uint32_t type, uint32_t raw_edge, standing *here)
{
    here->end = hsd_kin_end_below(&above->kin, type);
    here->kin_place = kin_place_of(&here->end, kin_edge(w->growth, raw_edge));
    here->flags |= stands_in_crowd(w, above, type, raw_edge, here->kin_place) ? IS_CROWDED : CAN_HOLD;
}

static standing stand(const walk *w, const position *above, uint32_t type, uint32_t edge, bool is_kept)
{
    const hsd_growth *growth = w->growth;
    standing here = {.flags = is_in_code(growth, above, type)};
    if (!is_of_use(growth, here.flags, type, edge)) return here;
    here.flags |= IS_OF_USE;
    if (is_kept) stand_among_kin(w, above, type, edge, &here);
    return here;
}

/* ---- what many do alike (moves.h) ---- */

enum { TAG_KEPT = 1 };

/* NULL = there is no room: then it is worked out for this one alone. */
static inline hsd_move *move_of(walk *w, const frame *above, const hsd_tree_node *node, bool is_kept)
{
    hsd_move *move = hsd_moves_at(&w->moves, above->state, node->type, node->edge, is_kept ? TAG_KEPT : 0);
    if (move == NULL || (move->flags & IS_KNOWN)) return move;
    const standing here = stand(w, position_of(w, above), node->type, node->edge, is_kept);
    move->flags = here.flags | IS_KNOWN;
    move->place = here.kin_place;
    return move;
}

static inline void count_in_move(hsd_move *move, const hsd_tree_node *node)
{
    move->objects++;
    move->bytes += node->bytes;
}

static hsd_status add_to_trie(const walk *w, const position *above, uint32_t type, uint32_t edge, bool is_kept,
                              hsd_amount amount, hsd_error *err)
{
    return hsd_trie_add_below(w->trie, &above->place, edge_in_trie(w, above, type, edge), type, sum_of(w, is_kept),
                              amount.objects, amount.bytes, err);
}

/* So many objects that stand alike: to the trie, and to what is known of steps. */
static hsd_status tell_move(const walk *w, const hsd_move *move, hsd_error *err)
{
    const position *above = hsd_moves_state_at(&w->moves, hsd_move_from(move));
    const uint32_t type = hsd_move_type(move), edge = hsd_move_edge(move);
    if (move->flags & (CAN_HOLD | IS_CROWDED)) {
        const hsd_kin_end end = hsd_kin_end_below(&above->kin, type);
        give_steps(w, &end, kin_edge(w->growth, edge), (hsd_node)move->objects);
    }
    return add_to_trie(w, above, type, edge, hsd_move_tags(move) == TAG_KEPT, (hsd_amount){move->objects, move->bytes},
                       err);
}

static hsd_status tell_moves(walk *w, hsd_error *err)
{
    const hsd_move *move;
    for (uint32_t at = 0; (move = hsd_moves_next(&w->moves, &at)) != NULL;)
        if (move->objects > 0) HSD_TRY(tell_move(w, move, err));
    return HSD_OK;
}

/* ---- what has nodes below it ---- */

static inline hsd_status tell_progress(walk *w, hsd_error *err)
{
    if ((w->entered++ & ONE_IN) != 0) return HSD_OK;
    return hsd_progress(w->growth->pair->reporter, "finding what holds the growth", w->entered, w->total, err);
}

/* All but where it stands. */
static inline void begin_frame(const walk *w, frame *f, const hsd_tree_node *node, const frame *above)
{
    f->pending = (hsd_credit){.parts_bytes = 0};
    f->bytes = 0;
    f->node = 0;
    f->type = f->flags = f->is_apart = 0;
    f->first = node->first;
    f->of = above->of;
    f->apart = f->told = 0;
    f->kin_place = 0;
    f->waiting = w->ahead.count;
}

/* What has nothing below it needs no state. */
static uint32_t state_of(walk *w, const hsd_tree_node *node, const frame *f)
{
    return node->end - node->first > 1 ? hsd_moves_state(&w->moves, &f->position) : 0;
}

static hsd_status enter_root_holder(walk *w, const hsd_tree_node *node, const frame *above, frame *f, hsd_error *err)
{
    enter_root(w, node, f);
    step_to_root(w, position_of(w, above), f->type, &f->position);
    f->state = state_of(w, node, f);
    return w->is_again ? HSD_OK : hsd_trie_add(w->trie, &f->position.place, sum_of(w, true), 0, 0, err);
}

/* One for which there is no room. */
static hsd_status enter_alone(walk *w, const hsd_tree_node *node, const position *from, bool is_kept, uint32_t *flags,
                              frame *f, hsd_error *err)
{
    const standing here = stand(w, from, node->type, node->edge, is_kept);
    *flags = here.flags;
    f->kin_place = here.kin_place;
    if (w->is_again) return HSD_OK;
    if (here.flags & (CAN_HOLD | IS_CROWDED)) see_step(w, &here.end, kin_edge(w->growth, node->edge));
    return add_to_trie(w, from, node->type, node->edge, is_kept, (hsd_amount){1, node->bytes}, err);
}

/* Where it stands: as all that went the same way, or by itself. */
static hsd_status enter_place(walk *w, const hsd_tree_node *node, const frame *above, bool is_kept, uint32_t *flags,
                              frame *f, hsd_error *err)
{
    hsd_move *move = move_of(w, above, node, is_kept);
    if (move != NULL) {
        count_in_move(move, node);
        *flags = move->flags & ~(uint32_t)IS_KNOWN;
        f->kin_place = move->place;
        f->state = move->to;
        if (f->state != 0) return HSD_OK;
    }
    const position *from = position_of(w, above);
    step_to_object(w, from, node->type, node->edge, &f->position);
    if (move == NULL) HSD_TRY(enter_alone(w, node, from, is_kept, flags, f, err));
    f->state = state_of(w, node, f);
    if (move != NULL) move->to = f->state;
    return HSD_OK;
}

static hsd_status enter_holder_walk(void *context, const hsd_tree_node *node, void *parent, void *here, hsd_error *err)
{
    walk *w = context;
    const frame *above = parent;
    frame *f = here;
    HSD_TRY(tell_progress(w, err));
    hsd_by_ahead_see(&w->ahead, node, above->first == 0);
    begin_frame(w, f, node, above);
    if (node->flags & HSD_TREE_IS_ROOT) return enter_root_holder(w, node, above, f, err);
    const bool kept = is_kept(w, node->node);
    uint32_t flags = 0;
    HSD_TRY(enter_place(w, node, above, kept, &flags, f, err));
    enter_object(w, node, above->flags, kept, flags, f);
    if (f->flags & IS_CROWDED) hsd_bit_set(w->growth->holds_nothing[w->side], f->node);
    if (f->flags & CAN_HOLD) f->of = f->node;
    see_resized(w, node, f);
    return HSD_OK;
}

static void add_credit(hsd_credit *to, const hsd_credit *credit)
{
    to->amount.objects += credit->amount.objects;
    to->amount.bytes += credit->amount.bytes;
    to->parts_bytes += credit->parts_bytes;
}

static hsd_status credit_object(const walk *w, const frame *f, hsd_error *err)
{
    const position *at = position_of(w, f);
    const uint64_t record[HSD_CREDIT_WORDS] = {f->node,
                                               f->pending.amount.objects,
                                               f->pending.amount.bytes,
                                               place_of(w, f),
                                               hsd_growth_pool_place(at->pool, at->below),
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
    f->flags |= IS_FORK;
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

static hsd_status credit_node(walk *w, frame *f, frame *above, hsd_error *err)
{
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

static hsd_status leave_holder_walk(void *context, void *here, void *parent, hsd_error *err)
{
    walk *w = context;
    HSD_TRY(credit_node(w, here, parent, err));
    const frame *f = here;
    hsd_by_ahead_leave(&w->ahead, f->waiting, f->flags & IS_FORK);
    return HSD_OK;
}

/* ---- what has nothing below it ---- */

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

/* One for which there is no room, or below code: there a leaf is seen among kin all the same. */
static __attribute__((noinline)) hsd_status see_lone_leaf(walk *w, const hsd_tree_node *node, const position *above,
                                                          bool is_kept, uint32_t *flags, hsd_error *err)
{
    if (is_kept && is_of_use(w->growth, 0, node->type, node->edge)) {
        const hsd_kin_end end = hsd_kin_end_below(&above->kin, node->type);
        const uint32_t edge = kin_edge(w->growth, node->edge);
        if (!w->is_again)
            see_step(w, &end, edge);
        else if (stands_in_crowd(w, above, node->type, node->edge, kin_place_of(&end, edge)))
            *flags = IS_CROWDED;
    }
    if (w->is_again) return HSD_OK;
    return add_to_trie(w, above, node->type, node->edge, is_kept, (hsd_amount){1, node->bytes}, err);
}

static hsd_status see_holder_leaf(void *context, const hsd_tree_node *node, void *parent, hsd_error *err)
{
    walk *w = context;
    frame *above = parent;
    if ((node->flags & HSD_TREE_IS_ROOT) || is_resized(w, node->node)) return see_as_node(w, node, above, err);
    HSD_TRY(tell_progress(w, err));
    const bool kept = is_kept(w, node->node);
    hsd_move *move = move_of(w, above, node, kept);
    uint32_t flags = 0;
    hsd_by_ahead_see(&w->ahead, node, above->first == 0);
    if (move != NULL && (move->flags & IS_IN_CODE) == 0) {
        count_in_move(move, node);
        flags = move->flags;
    } else {
        HSD_TRY(see_lone_leaf(w, node, position_of(w, above), kept, &flags, err));
    }
    if (flags & IS_CROWDED) hsd_bit_set(w->growth->holds_nothing[w->side], node->node);
    above->bytes += node->bytes;
    if (!kept) hand_up_leaf(w, node, above);
    if (!w->is_again) hsd_retained_leaf(&w->growth->by_type[w->side], node->type, node->bytes);
    return HSD_OK;
}

static hsd_status run_holder_walk(walk *w, hsd_error *err)
{
    hsd_growth *growth = w->growth;
    hsd_sorter *tree = growth->pair->sides[w->side].tree;
    const hsd_tree_visitor visitor = {.context = w,
                                      .frame_bytes = sizeof(frame),
                                      .rare_bytes = sizeof(position),
                                      .fills_frames = true,
                                      .enter = enter_holder_walk,
                                      .leave = leave_holder_walk,
                                      .leaf = see_holder_leaf,
                                      .bits = {growth->has_identity ? growth->pair->is_kept[w->side] : NULL,
                                               growth->pair->is_resized[w->side], w->ahead.is_plain}};
    frame root = {.flags = IS_KEPT | CAN_HOLD, .of = HSD_FORK_OF_ALL};
    root.state = hsd_moves_state(&w->moves, &root.position);
    w->least = hsd_growth_grown_bytes(growth) / HSD_GROWTH_PART_OF_ALL;
    w->total = hsd_sorter_count(tree);
    HSD_TRY(hsd_tree_walk(tree, &visitor, &root, hsd_growth_walk_bytes(growth), &growth->pair->space, err));
    if (!w->is_again) HSD_TRY(tell_moves(w, err));
    give_all_steps(w);
    growth->credit_of_all[w->side] = root.pending;
    if (w->side == AFTER) growth->apart_bytes = w->apart_bytes;
    if (!growth->has_identity) return HSD_OK;
    HSD_TRY(hsd_sorter_finish(growth->credits[w->side], 0, err));
    if (w->side == BEFORE) return HSD_OK;
    HSD_TRY(end_fork(w, &root, err));
    hsd_by_ahead_leave(&w->ahead, 0, root.flags & IS_FORK);
    growth->plain_ahead = w->ahead.is_plain;
    w->ahead.is_plain = NULL;
    return hsd_sorter_finish(growth->forks, 0, err);
}

static hsd_status begin_holder_walk(walk *w, hsd_error *err)
{
    hsd_moves_open(&w->moves, sizeof(position), hsd_growth_walk_bytes(w->growth));
    if (w->side == AFTER && !w->is_again) hsd_by_ahead_begin(&w->ahead, w->growth);
    const hsd_status status = run_holder_walk(w, err);
    hsd_by_ahead_end(&w->ahead);
    hsd_moves_close(&w->moves);
    return status;
}

hsd_status hsd_growth_walk(hsd_growth *growth, int side, hsd_trie *trie, hsd_error *err)
{
    HSD_ASSERT(side == BEFORE || side == AFTER);
    walk w = {.growth = growth, .trie = trie, .side = side};
    return begin_holder_walk(&w, err);
}

hsd_status hsd_growth_walk_again(hsd_growth *growth, int side, hsd_error *err)
{
    HSD_ASSERT(growth->has_identity);
    walk w = {.growth = growth, .trie = growth->trie, .side = side, .is_again = true};
    return begin_holder_walk(&w, err);
}
