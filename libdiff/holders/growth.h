/*
 * The state of the search for holders between its steps. Private to this folder:
 *
 *      holders.c   the order of the steps, what is alive in each
 *      walk.c      one pass over the tree of each side: credits, retained sizes, the trie
 *      moves.h     what a walk makes of a node, worked out once for all that stand alike
 *      match.c     credits of before and after meet: one row a holder
 *      crowd.c     places with several holders, and crediting once more without them
 *      pools.c     holders that are alike in the threads of a pool become one
 *      counts.c    without identity: holders from the trie
 *      choose.c    the first HSD_MAX_HOLDERS of them
 *      aside.c     what waits in files meanwhile, where memory is little
 *      by/         what is held by several together: by which (by/by.h)
 *      beside.c    what goes on meanwhile
 *      below.c     what hangs below those, by type and as places
 *      within.c    a second pass over the trees for it
 *      via.c       what dominates those to which ways are asked for
 *      edges.c     the places that carry the growth
 *      paths.c     the way to each
 *      rows.c      the result
 *
 * A place of the type-path trie is one thing to a person: the nodes of a tree or a list, the segments of a queue, a
 * thousand old orders. Where several kept objects of one place hold growth, and none of them most of it, the place is
 * *crowded*: its objects hold nothing, and what they held is held by what can hold above. That is done again until no
 * crowd is left that matters.
 *
 * The runtime's own code and metadata (HSC_TYPE_CODE and HSC_TYPE_INTERNAL) counts for what it belongs to: with the
 * object above it that is no code, if that is new or freed, and else for a row of its own, *program code*: what a
 * runtime compiles for functions that were there hangs from wherever they hang, and says nothing of who holds what.
 * Without identity what it belongs to is a place, and counts where the number of objects there is another one. With
 * identity what hangs from a type that is code as a whole (HSC_TYPE_WHOLE) is code, and holds nothing.
 *
 * What can hold: an object that is live in both captures (an *anchor* of the trie without identity), is no
 * helper of a container (HSC_TYPE_INTERNAL) and not its insides either (behind an HSC_LABEL_FOLD reference);
 * the name of a root that both captures have; and the super-root.
 */
#ifndef HSD_HOLDERS_GROWTH_H
#define HSD_HOLDERS_GROWTH_H

#include "base/mix.h"
#include "base/node.h"
#include "graph/paged.h"
#include "graph/shortest.h"
#include "holders/holders.h"
#include "holders/kin.h"
#include "holders/trie/names.h"
#include "holders/trie/trie.h"
#include "paths/path_text.h"
#include "sort/tally.h"
#include "walk/retained.h"
#include "walk/store.h"
#include "walk/tree.h"
#include <hscapture/hscapture.h>

typedef enum hsd_held_by { HSD_HELD_BY_OBJECT, HSD_HELD_BY_ROOT, HSD_HELD_BY_ALL, HSD_HELD_BY_CODE } hsd_held_by;

typedef struct hsd_credit { /* what a holder has of one side */
    hsd_amount amount;      /* new or freed */
    uint64_t parts_bytes;   /* of kept objects that were resized and hold nothing themselves */
} hsd_credit;

typedef struct hsd_choice { /* one holder */
    hsd_held_by by;
    uint32_t type;             /* common type; of an object */
    uint32_t root;             /* common number; of a root */
    hsd_node node[SIDE_COUNT]; /* ordinals; without identity: nodes of the trie, both the same */
    uint64_t id;               /* without identity: a hash of the texts of the path, to tell equals apart */
    hsd_amount new_, freed;    /* without identity: after and before of what it is credited with */
    uint64_t resized_bytes;    /* differences modulo 2^64, of itself and its parts */
    /* of an object, with identity: hsd_growth_place where it is credited with something, else 0 */
    uint64_t place[SIDE_COUNT];
    uint64_t kin[SIDE_COUNT]; /* likewise: hsd_kin_of */
    uint64_t pool_place;      /* the same in all threads of a pool; 0 = in none */
    uint32_t joined;          /* of so many threads, this one included; 0 or 1 = of one */
    uint32_t set;             /* from 1: what several hold together; 0 = none */
    uint32_t fork;            /* from 1: sets were taken from it; 0 = none */
} hsd_choice;

static inline int64_t hsd_choice_net(const hsd_choice *choice)
{
    return (int64_t)(choice->new_.bytes - choice->freed.bytes);
}

static inline int64_t hsd_choice_growth(const hsd_choice *choice)
{
    return (int64_t)(choice->new_.bytes - choice->freed.bytes + choice->resized_bytes);
}

/* The same, whichever way. */
static inline uint64_t hsd_choice_change(const hsd_choice *choice)
{
    const int64_t growth = hsd_choice_growth(choice);
    return growth < 0 ? 0 - (uint64_t)growth : (uint64_t)growth;
}

#define HSD_NO_CHOICE    UINT32_MAX
#define HSD_CREDIT_WORDS 7u
#define HSD_BY_HOLDERS   8u /* so many of the first holders are asked by what they hold together */

#define HSD_MAX_SETS 16u  /* and so many rows come of it */
#define HSD_SET_REST 255u /* in set_of: what no set has, and is the fork's whatever is above it */

typedef struct hsd_by {
    hsd_node node; /* object, label node or root node of after */
    hsd_node place;
    uint64_t bytes, told; /* of what the set has: reached from here, and referred to */
    int64_t own;          /* held from here alone */
    bool is_own;          /* and counted with the set */
} hsd_by;

typedef struct hsd_growth_set { /* what the same few hold together */
    uint32_t choice;            /* HSD_NO_CHOICE = it lost as much as it got, and is no row */
    uint32_t rest;              /* the choice of what was left of the fork */
    uint32_t count;
    hsd_by *list; /* in no order */
    hsd_amount new_, freed;
    uint64_t resized_bytes;
    uint64_t together;         /* of the new bytes */
    bool is_reached_elsewhere; /* as hsd_holder has it */
} hsd_growth_set;

typedef struct hsd_pooled { /* a holder that another one stands for */
    hsd_held_by by;
    uint32_t root;
    hsd_node node[SIDE_COUNT];
    uint64_t pool_place; /* of both */
    uint32_t set;        /* the other one is a set, and this its number; 0 = it is one of a pool */
} hsd_pooled;

typedef struct hsd_growth_ways { /* to the chosen objects, in after */
    hsd_shortest shortest;
    bool are_there;  /* some were chosen, and they can be told apart */
    bool are_beside; /* they were found beside the search for what holds together */
} hsd_growth_ways;

#define HSD_BY_FORKS 16u /* so many are asked for: of one holder there may be several */

typedef struct hsd_growth_marks {  /* what by/marks.c finds, for these forks */
    uint8_t *is_plain, *is_source; /* NULL = not found */
    hsd_node forks[HSD_BY_FORKS];  /* places in the tree */
    uint32_t fork_count;
} hsd_growth_marks;

typedef struct hsd_growth_aside { /* bits of one side: those of is_kept, and behind them of holds_nothing */
    hsd_temp file;                /* written once: they do not change any more */
    bool is_written, has_nothing; /* the second ones are there */
    bool is_away;
} hsd_growth_aside;

typedef struct hsd_growth {
    hsd_pair *pair;
    hsd_diff *diff;
    bool has_identity;
    uint64_t memory_bytes;
    hsd_growth_fill_fn fill; /* NULL = the trees of both sides are walked */
    void *fill_context;
    bool walks_at_once;      /* the two trees, a thread each */
    bool finishes_beside;    /* the trie gets its nodes beside the search for what holds together */
    uint32_t item_edge;      /* the name that reads [*]: HSD_TRIE_ANY stands for it */
    uint8_t *is_common_root; /* by common number: both captures have the name */

    hsd_retained_sums by_type[SIDE_COUNT], by_root[SIDE_COUNT]; /* by common numbers */
    hsd_credit *credit_of_root[SIDE_COUNT];                     /* freed, new */
    hsd_credit credit_of_all[SIDE_COUNT];
    /* one bit an object: it is kept and resized, and what holds it has those bytes; NULL = none is resized */
    uint8_t *is_part[SIDE_COUNT];
    hsd_amount credit_of_code[SIDE_COUNT]; /* program code */
    uint64_t code_resized;                 /* differences modulo 2^64 */
    uint64_t code_parts[SIDE_COUNT];       /* bytes of what was resized and is held by code alone */
    hsd_trie *trie;
    uint64_t apart_bytes; /* new ones that hang where nothing kept above refers to them */

    /* (ordinal, objects, bytes, place, pool_place, kin, bytes of parts) of objects that hold or are resized */
    hsd_sorter *credits[SIDE_COUNT];
    /* of after: (number, HSD_FORK_OF_… or node, bytes, place in the tree << 1 | the holder itself): by/by.h */
    hsd_sorter *forks;
    uint8_t *plain_ahead;   /* is_plain for all forks, found as after was walked; NULL = not found, or taken */
    hsd_growth_marks marks; /* of all forks, found while credits of the two sides met */
    /* (0, place) and (1, kin): objects that hold there, and what they grew by, either way */
    hsd_tally *crowds;
    hsd_kin_steps steps[SIDE_COUNT]; /* what each leads to (kin.h); in step_pages, few are written */
    hsd_pages step_pages[SIDE_COUNT];
    /* by common type: its objects refer to one another by a few references; NULL = not asked yet */
    uint8_t *is_structure;
    /* number of a step + 1 << HSD_KIN_FLAG_BITS | HSD_KIN_IS_APART, HSD_KIN_ARE_KIN, at the number's last bits or
     * behind them; 0 = there is none; NULL = not asked yet */
    uint32_t *kin_steps;
    uint32_t kin_mask, kin_numbers; /* of places of that table; of a number what counts (hsd_kin_steps.is_folded) */
    /* Places, and families of kin, whose objects hold nothing: those that are known, then those of the last look. */
    uint64_t *crowded;
    uint32_t crowded_count, crowded_capacity;
    uint64_t *crowded_set; /* the known ones, to be found: open addressing, 0 = empty */
    uint32_t crowded_mask; /* of its places; 0 = there are none */
    /* by common number: from 1, alike for the threads of a pool; 0 = no thread of one. NULL = none is */
    uint32_t *pool_of_root;
    /* by common number: so many of its pool stand in its credit, 0 = it alone. NULL = there are no pools */
    uint32_t *joined_of_root;
    hsd_pooled *pooled;
    uint32_t pooled_count;
    uint8_t *holds_nothing[SIDE_COUNT]; /* one bit an object: it stands at one of them; NULL = none */
    /* From the end of crowds on: there is little memory, and what is not asked for waits in files. */
    bool is_tight;
    uint64_t rested_bytes; /* that sorters of both sides gave back meanwhile */
    hsd_growth_aside aside[SIDE_COUNT];

    hsd_choice *choices; /* a heap while they are chosen, then in order */
    uint32_t choice_count;
    hsd_choice others;
    uint64_t other_count;
    uint32_t edged_count; /* of the first choices: those that get edges */

    hsd_growth_set sets[HSD_MAX_SETS];
    uint32_t set_count;
    /* u8 an object of after: its set, of new ones that begin what is held together; with sets */
    hsd_paged set_of;
    /* by `fork`: for each type the set that freed ones are of; NULL = no fork */
    uint8_t *set_of_type[HSD_BY_HOLDERS];

    hsd_tally *types; /* (choice << 32 | type, which sum) */
    hsd_trie *places; /* depth 1: choices; below: places */
    hsd_growth_ways ways;
} hsd_growth;

/* Of what a fork is: of a node that holds, of a root by its common number, or of the super-root. */
#define HSD_FORK_OF_ROOT (UINT64_C(1) << 62)
#define HSD_FORK_OF_ALL  (UINT64_C(2) << 62)
#define HSD_FORK_WORDS   4u
/* one part in so many of the growth is worth the search for what holds together, and a row */
#define HSD_GROWTH_PART_OF_ALL 20u

/* What can hold, if it is kept: no helper and no insides. `edge` as in walk/tree.h. */
static inline bool hsd_growth_can_hold(const hsd_growth *growth, uint32_t type, uint32_t edge)
{
    return hsd_trie_can_hold(&growth->pair->types, &growth->pair->edges, type, edge);
}

static inline bool hsd_growth_is_code(const hsd_growth *growth, uint32_t type)
{
    return hsc_type_is_program_code(growth->pair->types.flags[type]);
}

static inline bool hsd_growth_is_wholly_code(const hsd_growth *growth, uint32_t type)
{
    return hsc_type_is_wholly_code(growth->pair->types.flags[type]);
}

/* A kept object of one side that can hold, and stands at no crowded place. */
static inline bool hsd_growth_holds(const hsd_growth *growth, int side, hsd_node node, uint32_t type, uint32_t edge)
{
    const uint8_t *nothing = growth->holds_nothing[side];
    return hsd_growth_can_hold(growth, type, edge) && (nothing == NULL || !hsd_bit_get(nothing, node));
}

/* The number of an object's place, by its hsd_trie_key. What is reached by several ways stands at no place that says
 * much: the last bit. */
static inline uint64_t hsd_growth_place(uint64_t key, bool is_apart) { return (key & ~UINT64_C(1)) | is_apart; }

/* An edge of walk/tree.h as the trie has it: what reads alike is alike. */
static inline uint32_t hsd_growth_edge_of(const hsd_growth *growth, uint32_t edge)
{
    return hsd_trie_edge_of(growth->item_edge, edge);
}

/* Of the memory, for the stack of a walk, and as much for its states (moves.h). */
static inline uint64_t hsd_growth_walk_bytes(const hsd_growth *growth)
{
    return growth->memory_bytes / (growth->walks_at_once ? 16 : 8);
}

/* ---- the steps ---- */

hsd_status hsd_growth_walk(hsd_growth *growth, int side, hsd_trie *trie, hsd_error *err);
/* credits alone, now that places are crowded */
hsd_status hsd_growth_walk_again(hsd_growth *growth, int side, hsd_error *err);

hsd_status hsd_growth_find_pools(hsd_growth *growth, hsd_error *err); /* fills pool_of_root */
/* credits of threads of a pool go to the first of them; fills joined_of_root */
hsd_status hsd_growth_join_roots(hsd_growth *growth, hsd_error *err);
/* choices that are alike in threads of a pool become one */
hsd_status hsd_growth_join_pools(hsd_growth *growth, hsd_error *err);

/* A number for what lies below a thread of a pool as `below` says; 0 = the thread is of none. */
static inline uint64_t hsd_growth_pool_place(uint32_t pool, uint64_t below)
{
    return pool == 0 ? 0 : hsd_mix(below, pool) | 1;
}

enum { HSD_KIN_IS_APART = 1, HSD_KIN_ARE_KIN = 2, HSD_KIN_FLAG_BITS = 2 };

/* Where a place is looked for first; some are known. */
static inline uint32_t hsd_growth_crowd_slot(const hsd_growth *growth, uint64_t place)
{
    return (uint32_t)(hsd_mix(place, 0) >> 32) & growth->crowded_mask;
}

/* Looks for crowds among those that were credited: *out if there are new ones that matter. */
hsd_status hsd_growth_find_crowds(hsd_growth *growth, bool *out, hsd_error *err);

/* Of a place, or a family of kin. */
static inline bool hsd_growth_is_crowded(const hsd_growth *growth, uint64_t place)
{
    uint32_t at = hsd_growth_crowd_slot(growth, place);
    while (growth->crowded_set[at] != 0 && growth->crowded_set[at] != place)
        at = (at + 1) & growth->crowded_mask;
    return growth->crowded_set[at] != 0;
}

/* Where the flags of a step stand, or would. */
static inline uint32_t hsd_growth_kin_slot(const hsd_growth *growth, uint32_t number)
{
    uint32_t at = number & growth->kin_mask;
    while (growth->kin_steps[at] != 0 && growth->kin_steps[at] >> HSD_KIN_FLAG_BITS != number + 1)
        at = (at + 1) & growth->kin_mask;
    return at;
}

static inline uint32_t hsd_growth_kin_flags(const hsd_growth *growth, uint64_t place)
{
    return growth->kin_steps[hsd_growth_kin_slot(growth, hsd_kin_number(place) & growth->kin_numbers)];
}

/* Of a hsd_kin_place, after the first look. */
static inline bool hsd_growth_is_apart(const hsd_growth *growth, uint64_t place)
{
    return hsd_growth_kin_flags(growth, place) & HSD_KIN_IS_APART; /* from outside of the structure */
}

static inline bool hsd_growth_are_kin(const hsd_growth *growth, uint64_t place)
{
    return hsd_growth_kin_flags(growth, place) & HSD_KIN_ARE_KIN;
}

hsd_status hsd_growth_match(hsd_growth *growth, hsd_error *err); /* offers every object that holds */
/* the same from the trie; fills the credits of roots */
hsd_status hsd_growth_count(hsd_growth *growth, hsd_error *err);

/* True if the bits that objects have take much of the memory that is left for what holds together. */
bool hsd_growth_is_tight(const hsd_growth *growth);

/* Where there is little memory, once crowds were left: bits of both sides go to files, and what sorters serve from to
 * the system. */
hsd_status hsd_growth_clear(hsd_growth *growth, hsd_error *err);

/* The bits of one side, to be asked for its tree. Both do nothing where memory is not tight; the second also lets the
 * tree rest. */
hsd_status hsd_growth_take_back(hsd_growth *growth, int side, hsd_error *err);
hsd_status hsd_growth_put_aside(hsd_growth *growth, int side, hsd_error *err);
void hsd_growth_release_aside(hsd_growth *growth);

/* By how much the heap grew; where it did not what is new. */
uint64_t hsd_growth_grown_bytes(const hsd_growth *growth);

/* True if what forks hold is a part of the growth that matters. */
bool hsd_growth_has_forks(const hsd_growth *growth);

/* Finds for all forks what has to be numbered if each of them is asked for, as they are as a rule: touches the tree and
 * the graph of after and the forks, so that credits may be matched meanwhile. */
hsd_status hsd_growth_mark_ahead(hsd_growth *growth, hsd_error *err);

/* Finds by what the first choices hold together, where that is a part of the growth that matters. */
hsd_status hsd_growth_find_by(hsd_growth *growth, hsd_error *err);
bool hsd_growth_will_find_by(const hsd_growth *growth);
uint64_t hsd_growth_spare_bytes(const hsd_growth *growth); /* memory that the plan left over */

/* The same, and meanwhile what does not wait for it (beside.c): with finishes_beside, which is for those that
 * have the room. May fill `ways`. */
hsd_status hsd_growth_find_by_and_beside(hsd_growth *growth, hsd_error *err);
bool hsd_growth_has_room_beside(const hsd_growth *growth);
uint64_t hsd_growth_taken_beside(const hsd_growth *growth); /* of the memory */

/* The set that a freed object, which hangs from `holder` and from nothing freed, is of; 0 = none. */
uint32_t hsd_growth_set_of_freed(const hsd_growth *growth, uint32_t holder, uint32_t type, bool is_apart);

#define HSD_CHOSEN_BITS 16384u /* some sixteen times as many as are chosen at most */

/* To which nodes of after ways are asked for, and what dominates these, noted as the tree of after is walked for what
 * hangs below the holders: so the search goes nowhere else (graph/shortest.h). */
typedef struct hsd_growth_via {
    uint8_t *wanted, *on_way;           /* one bit a node; NULL = no way is asked for */
    uint64_t wanted_count, found_count; /* of the wanted ones; those that were met */
    /* one bit for all nodes alike modulo HSD_CHOSEN_BITS: none of them is wanted where it is 0 */
    uint64_t may_be[HSD_CHOSEN_BITS / 64];
    hsd_node *sought;
    uint32_t sought_count, sought_capacity;
} hsd_growth_via;

hsd_status hsd_growth_via_open(hsd_growth_via *via, const hsd_growth *growth, hsd_error *err);
void hsd_growth_via_close(hsd_growth_via *via);

static inline bool hsd_growth_is_wanted(const hsd_growth_via *via, hsd_node node)
{
    const uint32_t bit = (uint32_t)(node % HSD_CHOSEN_BITS);
    return (via->may_be[bit / 64] >> bit % 64 & 1) && hsd_bit_get(via->wanted, node);
}

/* A node that is wanted or dominates what is, told once; `is_sought` as hsd_tree_is_sought says. */
hsd_status hsd_growth_via_put(hsd_growth_via *via, hsd_node node, bool is_sought, hsd_error *err);

/* Fills types and places: those of `growth` with what hangs in the tree of after, those of `before`, which may be the
 * same, with that of before; at the same time if it is another. Once the tree of after is walked the ways to what is
 * wanted are searched, if any is. */
hsd_status hsd_growth_within(hsd_growth *growth, hsd_growth *before, hsd_growth_via *via, hsd_error *err);
hsd_status hsd_growth_count_within(hsd_growth *growth, hsd_error *err); /* the same from the trie */

/* Memory for the types of all objects of a side. */
static inline uint64_t hsd_growth_type_bytes(const hsd_side_walk *side)
{
    return hsd_paged_full_bytes((uint64_t)side->object_count * sizeof(uint32_t));
}

/* Finds the ways to what is wanted. */
hsd_status hsd_growth_search(hsd_growth *growth, hsd_growth_via *via, hsd_error *err);

typedef struct hsd_growth_chosen_node {
    hsd_node node;
    uint32_t choice; /* HSD_NO_CHOICE: an empty place */
} hsd_growth_chosen_node;

/* The objects or nodes of the trie that were chosen, to find them again. */
typedef struct hsd_growth_chosen {
    hsd_growth_chosen_node *by_node[SIDE_COUNT]; /* at most half full; NULL = none was chosen */
    uint32_t mask;                               /* of its places */
    hsd_id_map by_root;                          /* HSD_ID_NONE is HSD_NO_CHOICE */
    /* one bit for all nodes alike modulo HSD_CHOSEN_BITS: none of them was chosen where it is 0 */
    uint64_t may_be[SIDE_COUNT][HSD_CHOSEN_BITS / 64];
    uint32_t all, code; /* the super-root's choice, and that of program code */
} hsd_growth_chosen;

/* False if an object was not chosen. */
static inline bool hsd_growth_may_be_chosen(const hsd_growth_chosen *chosen, int side, hsd_node node)
{
    const uint32_t bit = (uint32_t)(node % HSD_CHOSEN_BITS);
    return chosen->may_be[side][bit / 64] >> bit % 64 & 1;
}

/* Where it stands, or would. */
static inline hsd_growth_chosen_node *hsd_growth_chosen_place(const hsd_growth_chosen *chosen, int side, hsd_node node)
{
    uint32_t at = (uint32_t)(hsd_mix(node, 0) >> 32) & chosen->mask;
    while (chosen->by_node[side][at].choice != HSD_NO_CHOICE && chosen->by_node[side][at].node != node)
        at = (at + 1) & chosen->mask;
    return &chosen->by_node[side][at];
}

/* The choice that an object is. */
static inline uint32_t hsd_growth_chosen_at(const hsd_growth_chosen *chosen, int side, hsd_node node)
{
    if (!hsd_growth_may_be_chosen(chosen, side, node)) return HSD_NO_CHOICE;
    return hsd_growth_chosen_place(chosen, side, node)->choice;
}

hsd_status hsd_growth_chosen_make(hsd_growth_chosen *chosen, const hsd_growth *growth, hsd_error *err);
void hsd_growth_chosen_release(hsd_growth_chosen *chosen);

/* ---- what hangs below those that were chosen ---- */

typedef struct hsd_below { /* how a node stands to the chosen holders; a state of the second pass, without holes */
    uint32_t holder;       /* choice that it would be credited to, if it is one */
    uint32_t edged;        /* nearest choice with edges */
    uint32_t code;         /* program code's choice */
    hsd_path_fold fold;
    bool is_of_new;         /* code here belongs to what came or went */
    bool is_in_code;        /* below what is code as a whole */
    bool is_kept, is_super; /* the super-root refers to nothing itself */
    bool is_in_set;
    bool is_joined; /* `holder` was joined to a set: what hangs apart here is not of the set's fork */
    uint8_t unused[4];
    hsd_trie_place place; /* below `edged`; without one, whatever */
} hsd_below;

typedef struct hsd_below_node {
    uint32_t edge, type; /* as in the trie */
    bool is_apart;       /* the node above does not refer to it: known of single objects */
    bool can_hold;       /* and is kept */
    bool is_kept;
    uint32_t choice;        /* which holder it is */
    bool is_joined;         /* a set stands for it */
    uint32_t set;           /* it begins what is held together: of which choice; HSD_NO_CHOICE = it does not */
    uint32_t first, count;  /* sums that it adds to, hsd_trie_sum; of a single object one, of a root none */
    const hsd_amount *sums; /* as many, borrowed for the call */
} hsd_below_node;

/* The state of the super-root. */
hsd_status hsd_below_begin(hsd_growth *growth, const hsd_growth_chosen *chosen, hsd_below *out, hsd_error *err);

hsd_status hsd_below_enter(hsd_growth *growth, const hsd_below *above, const hsd_below_node *node, hsd_below *here,
                           hsd_error *err);

/* The same for one that nothing is below, so that nobody asks where it stands. */
hsd_status hsd_below_leaf(hsd_growth *growth, const hsd_below *above, const hsd_below_node *leaf, hsd_error *err);

/* Goes one edge of the trie on, as paths do; an INTERNAL type without an edge of its own is inside too. Edges that come
 * out are HSD_TRIE_ANY, HSD_TRIE_INDIRECT or a hsd_path_edge. */
bool hsd_growth_fold(const hsd_growth *growth, hsd_path_fold *fold, uint32_t edge, uint32_t type, uint32_t *out);

/* ---- texts of the result (text.c) ---- */

typedef struct hsd_growth_texts hsd_growth_texts; /* each name copied once */

hsd_status hsd_growth_texts_new(hsd_growth_texts **out, hsd_growth *growth, hsd_error *err);
hsd_status hsd_growth_text_of_type(hsd_growth_texts *texts, uint32_t type, hsd_text *out, hsd_error *err);
hsd_status hsd_growth_text_of_root(hsd_growth_texts *texts, uint32_t root, hsd_text *out, hsd_error *err);
/* of the trie */
hsd_status hsd_growth_text_of_edge(hsd_growth_texts *texts, uint32_t edge, hsd_text *out, hsd_error *err);
/* of hsd_growth_fold */
hsd_status hsd_growth_text_of_shown(hsd_growth_texts *texts, uint32_t edge, hsd_text *out, hsd_error *err);
void hsd_growth_texts_free(hsd_growth_texts *texts);

hsd_status hsd_growth_rows(hsd_growth *growth, hsd_growth_texts *texts, hsd_error *err);      /* holders */
hsd_status hsd_growth_tree_rows(hsd_growth *growth, hsd_growth_texts *texts, hsd_error *err); /* tree */
/* with the nodes of `places` */
hsd_status hsd_growth_edge_rows(hsd_growth *growth, hsd_growth_texts *texts, hsd_holder *rows, hsd_error *err);
/* by what they read */
int hsd_steps_compare(const hsd_step *a, size_t a_count, const hsd_step *b, size_t b_count);
hsd_status hsd_growth_by_rows(hsd_growth *growth, hsd_growth_texts *names, hsd_path_texts *texts, hsd_holder *rows,
                              hsd_error *err);
hsd_status hsd_growth_paths(hsd_growth *growth, hsd_growth_texts *texts, hsd_holder *rows, hsd_error *err);

/* ---- choosing ---- */

hsd_status hsd_growth_choose_begin(hsd_growth *growth, hsd_error *err);
void hsd_growth_offer(hsd_growth *growth, const hsd_choice *choice);
hsd_status hsd_growth_choose_finish(hsd_growth *growth, hsd_error *err); /* offers roots, sorts */
void hsd_growth_choose_order(hsd_growth *growth); /* sorts again, what was changed or left out since */
/* program code, behind all others; nothing is sorted from then on */
void hsd_growth_choose_code(hsd_growth *growth);

/* Order of choices in the result as far as it is known without paths. */
int hsd_choice_compare(const hsd_growth *growth, const hsd_choice *a, const hsd_choice *b);

#endif
