/*
 * By what a holder holds together. Growth is credited to its nearest kept dominator; where the ways to it part below
 * that one, the dominator refers to none of it itself, and its name says little: a module's scope, a class, all roots.
 * What a person wants are the things in which the growth lies *together*.
 *
 *      d ──.byId──► Map ──► User ◄── Map ◄──.byName── d        d dominates User and has no reference to it
 *
 * A *fork* is a kept node of a holder's own where much of its growth has no reference from; a holder may have several.
 * What hangs from it in the dominator tree are *branches*, which it refers to, and *tops*, to which it has no
 * reference. A *place* is a holder, or a root, or what begins a branch by a name of its own. What a top is held by are
 * the nearest places of what refers to it; what hangs from it is held like it. Places are as near as they can be and
 * say more than the fork's own branches: in heaps where everything reaches everything (class loaders, the global
 * object) these are whatever is near a root.
 *
 *      tree of after     forks, while credits are found                                              walk.c
 *      tree of after     which nodes are tops                                                        by/marks.c
 *      references        which nodes refer to a top                                                  by/marks.c
 *      tree of after     a number for each branch and top, for each of those nodes the one it is in,
 *                        and the nearest place above it                                              by/tree.c
 *      references        (branch or top, top) and (place, top)                                       by/ways.c
 *      places            which are named, and for which others                                       by/tree.c
 *      (…, top)          a bit a named place, from the tops it refers to from top to top             by/spread.c
 *      tops              those with bits in common are a set, a row of its own                       by/sets.c
 *
 * A bit goes on from a top that holds nothing, new or insides of something, and from one that holds and has no name;
 * not from one that has. A top is no place if much of what came is of its type: it is a node of the list or tree that
 * grew, and what refers to the structure from without holds all of it. One of many, an element, is named only where it
 * tells four fifths of what the place above does, and else that one is; a list is one place. A place that refers to
 * little may lead to all: a variable that holds the last node. So one that tells little is followed MOST_LOOKED_AT tops
 * far. Branches without a name, elements of the fork or what is new in it, are the holder itself.
 *
 * What primary roots reach takes no bit from what they do not: where there are secondary ones a mark climbs first, and
 * into names that objects are roots by. All of it happens only where such growth is a part of the whole that matters.
 */
#ifndef HSD_HOLDERS_BY_BY_H
#define HSD_HOLDERS_BY_BY_H

#include <stddef.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/pages.h"
#include "graph/worklist.h"
#include "holders/growth.h"
#include "sort/tally.h"

/* or-ed to the number of a group: the node that begins it, and references to it are asked for */
#define HSD_BY_TOP         ((hsd_node)1 << (HSD_NODE_BITS - 1))
#define HSD_BY_GROUP(word) ((word) & ~HSD_BY_TOP)
/* or-ed to the top of a pair: places in the branch tell who holds it, the branch does not */
#define HSD_BY_FOR_MARK_ALONE HSD_BY_TOP
#define HSD_BY_NO_FORK        UINT32_MAX
#define HSD_BY_COPIES         8u /* of groups, and of places */
/* of a group or a place in what waits in sorters: with the forks of both beside it, it has a word */
#define HSD_BY_NUMBER_BITS (HSD_NODE_BITS == 32 ? 28u : 56u)
#define HSD_BY_MOST_NUMBER (((hsd_node)1 << HSD_BY_NUMBER_BITS) - 1)

/* Bits of a group's mask: candidates from 0 on. */
#define HSD_BY_CANDIDATES 61u
/* reached in the first round of walks, where there is a second (graph/owners.h) */
#define HSD_BY_PRIMARY (UINT64_C(1) << 61)
#define HSD_BY_REST    (UINT64_C(1) << 62) /* places that are no candidates: they have little, or want of bits */
#define HSD_BY_SELF    (UINT64_C(1) << 63) /* branches that are the holder itself */
#define HSD_BY_NAMED   (HSD_BY_PRIMARY - 1)

/* PRIMARY: a primary root, where there are secondary ones. PSEUDO: a top that the tree does not have. CLOSED: what
 * refers to it says nothing of what it refers to: a branch, and a top that is a holder. ALIKE: it begins with an object
 * like those that came, a node of the tree or list that grew. */
enum { HSD_BY_IS_BRANCH = 1, HSD_BY_IS_CLOSED = 2, HSD_BY_IS_PRIMARY = 4, HSD_BY_IS_PSEUDO = 8, HSD_BY_IS_ALIKE = 16 };

typedef struct hsd_by_group { /* a branch or a top; a power of two */
    uint64_t mask;            /* by which candidates it is reached */
    hsd_node objects;         /* of a top: as bytes */
    uint8_t fork, flags;
    uint8_t unused[HSD_NODE_BITS == 32 ? 2 : 14];
} hsd_by_group;

_Static_assert(sizeof(hsd_by_group) == 4 * HSD_NODE_BYTES, "groups must not lie across pages");

typedef struct hsd_by_top { /* what a group has as a top, which is asked for seldom; a power of two */
    uint64_t bytes;         /* growth of the holder in it */
    union {
        uint64_t direct;   /* of the mask: candidates that refer to it */
        struct {           /* with IS_PSEUDO */
            hsd_node name; /* the object */
            hsd_node next; /* the same object as a top of another fork; 0 = none */
        };
    };
#if HSD_NODE_BITS == 64
    uint64_t unused;
#endif
} hsd_by_top;

_Static_assert(sizeof(hsd_by_top) == 4 * HSD_NODE_BYTES, "tops must not lie across pages");

typedef struct hsd_by_place { /* what may be named; a power of two */
    hsd_node node, group;
    hsd_node above; /* the next place up; 0 = none */
    /* the place that is named for it, itself or one above; 0 = none. Until that is known: what may be named
     * (by/tree.c) */
    hsd_node named;
    /* bytes of tops that are referred to from here; in the end from all that it is named for */
    uint64_t told;
    uint64_t below; /* and from all places below; before that is known, the first place of the group */
#if HSD_NODE_BITS == 64
    uint64_t unused[2];
#endif
} hsd_by_place;

_Static_assert(sizeof(hsd_by_place) == 8 * HSD_NODE_BYTES, "places must not lie across pages");

typedef struct hsd_by_fork {
    uint32_t choice;
    hsd_node first; /* place in the tree; 0 = the super-root */
    hsd_node group; /* in which it lies; 0 = none */
    uint8_t look;   /* of that: HSD_BY_LOOK_… as numbers were given */
    bool is_own;    /* it is the holder, or the holder is a root: its references are no insides */
    uint64_t bytes; /* of the choice's new bytes: below tops */
} hsd_by_fork;

typedef struct hsd_by_candidate {
    uint64_t told;
    hsd_node place, node;
} hsd_by_candidate;

typedef struct hsd_by_candidates { /* of one fork: a heap with the least on top, then in order; a place's bit is its
                                      number here */
    hsd_by_candidate list[HSD_BY_CANDIDATES + 1];
    uint32_t count;
} hsd_by_candidates;

typedef struct hsd_by_search {
    hsd_growth *growth;
    hsd_side_walk *side;   /* after */
    uint64_t memory_bytes; /* for all that this search has but bits of nodes */
    hsd_growth_chosen chosen;
    uint32_t holder_count;           /* choices that are asked for: the first */
    hsd_by_fork forks[HSD_BY_FORKS]; /* the heaviest first */
    uint32_t fork_count;
    uint64_t least;     /* bytes that are worth a row */
    bool has_secondary; /* there are primary roots and secondary ones */
    uint8_t *is_plain;  /* one bit a node: the tree has it, and references to it are not asked for */
    uint8_t *is_source; /* one bit a node: it refers to what is asked for, or is a choice; others have no numbers */
    hsd_node next_fork; /* places in the tree before this one are no forks, from the last one that was asked for on */
    const void *mark_root; /* frame of the super-root while marks are set */
    /* the places on the way down, from 1, while numbers are given: `above` is the number of each, 0 = not needed yet */
    hsd_paged way;
    /* Who has a slot, a top or what refers to one: a bit a node, and of HSD_BY_SLOT_NODES each the slots before them.
     */
    uint64_t *slot_bits;
    hsd_node *slots_before;
    hsd_node slot_count;
    hsd_paged group_of; /* a number a slot: the group of the node, 0 = none */
    /* two a slot: HSD_BY_ABOUT_… of the node, and the nearest place, itself included; 0 = none */
    hsd_paged place_of;
    hsd_paged places; /* from 1, each before those below it */
    hsd_node place_count;
    hsd_paged groups; /* from 1 */
    hsd_paged tops;   /* likewise */
    hsd_node group_count;
    /* one for each node, and one for each fork but the first in which a pseudo object may be a top */
    hsd_node group_room;
    uint8_t *is_grown[HSD_BY_FORKS]; /* one bit a type: much of what is asked for there are new ones of it */
    hsd_tally *grown;                /* fork << 32 | type: what of it is asked for and new */
    /* Where groups do not fit: what is asked of them at random is in memory, and all arrays are read in order. */
    bool has_columns;
    bool is_resident; /* all that was numbered stays in memory */
    /* Then, while references are looked at and masks climb: one bit a group, it has the mark of the first round; NULL
     * where none can. And from then on 1 << fork_shift bits a group, its fork, NULL where there is one; a bit for what
     * is a branch, until places were followed; and one for what is closed. */
    uint8_t *primary, *forks_of, *branches, *closed;
    unsigned fork_shift;
    bool has_forks_of, has_self;   /* any group is the holder itself */
    struct hsd_by_told *told;      /* what groups tell, for what goes through all of it (by/told.h) */
    hsd_sorter *by_node;           /* while numbers are given: HSD_BY_NUMBERED_… */
    hsd_sorter *tells;             /* (top, place): a reference that tells the place what the top has */
    hsd_sorter *pairs;             /* (group, top) */
    hsd_sorter *seeds;             /* (place, top) */
    hsd_paged starts;              /* u64 a group, and one behind: its first target */
    hsd_paged targets;             /* a number a pair */
    hsd_by_candidates *candidates; /* one a fork */
    hsd_node *choice_places;       /* of each choice that is an object: the place that is named for it; 0 = none */
    hsd_by_group near_groups[HSD_BY_COPIES]; /* that were copied last, of pages that are not in memory */
    hsd_by_top near_tops[HSD_BY_COPIES];
    hsd_by_place near_places[HSD_BY_COPIES];
    uint32_t near_group, near_top, near_place;
} hsd_by_search;

/* To look at; valid for HSD_BY_COPIES - 1 more looks, unless the group is written meanwhile. */
static inline const hsd_by_group *hsd_by_group_at(hsd_by_search *s, hsd_node group)
{
    const uint64_t byte = (uint64_t)group * sizeof(hsd_by_group);
    HSD_ASSERT(group < s->group_room + 1);
    if (!hsd_paged_is_absent(&s->groups, byte))
        return (const hsd_by_group *)(const void *)hsd_paged_at(&s->groups, byte, HSD_FRAME_USED);
    hsd_by_group *copy = &s->near_groups[s->near_group++ % HSD_BY_COPIES];
    hsd_paged_copy(&s->groups, byte, copy, sizeof *copy);
    return copy;
}

/* To write; valid until the next group is asked for. */
static inline hsd_by_group *hsd_by_group_write(hsd_by_search *s, hsd_node group)
{
    HSD_ASSERT(group < s->group_room + 1);
    return (hsd_by_group *)(void *)hsd_paged_at(&s->groups, (uint64_t)group * sizeof(hsd_by_group),
                                                HSD_FRAME_USED | HSD_FRAME_DIRTY);
}

/* Adds bits to the mask of a group. */
static inline void hsd_by_mask_or(hsd_by_search *s, hsd_node group, uint64_t bits)
{
    HSD_ASSERT(group < s->group_room + 1);
    const uint64_t word = ((uint64_t)group * sizeof(hsd_by_group) + offsetof(hsd_by_group, mask)) / sizeof bits;
    hsd_paged_set_u64(&s->groups, word, hsd_paged_get_u64(&s->groups, word) | bits);
}

/* The same of what a group has as a top. */
static inline const hsd_by_top *hsd_by_top_at(hsd_by_search *s, hsd_node group)
{
    const uint64_t byte = (uint64_t)group * sizeof(hsd_by_top);
    HSD_ASSERT(group < s->group_room + 1);
    if (!hsd_paged_is_absent(&s->tops, byte))
        return (const hsd_by_top *)(const void *)hsd_paged_at(&s->tops, byte, HSD_FRAME_USED);
    hsd_by_top *copy = &s->near_tops[s->near_top++ % HSD_BY_COPIES];
    hsd_paged_copy(&s->tops, byte, copy, sizeof *copy);
    return copy;
}

static inline hsd_by_top *hsd_by_top_write(hsd_by_search *s, hsd_node group)
{
    HSD_ASSERT(group < s->group_room + 1);
    return (hsd_by_top *)(void *)hsd_paged_at(&s->tops, (uint64_t)group * sizeof(hsd_by_top),
                                              HSD_FRAME_USED | HSD_FRAME_DIRTY);
}

/* Adds bits to those of candidates that refer to a top. */
static inline void hsd_by_direct_or(hsd_by_search *s, hsd_node group, uint64_t bits)
{
    const uint64_t word = ((uint64_t)group * sizeof(hsd_by_top) + offsetof(hsd_by_top, direct)) / sizeof bits;
    hsd_paged_set_u64(&s->tops, word, hsd_paged_get_u64(&s->tops, word) | bits);
}

/* First failure to read or write any of what groups have. */
static inline hsd_status hsd_by_groups_check(const hsd_by_search *s, hsd_error *err)
{
    const hsd_status status = hsd_paged_check(&s->groups, err);
    return status == HSD_OK ? hsd_paged_check(&s->tops, err) : status;
}

/* The same for places. */
static inline const hsd_by_place *hsd_by_place_at(hsd_by_search *s, hsd_node place)
{
    const uint64_t byte = (uint64_t)place * sizeof(hsd_by_place);
    if (!hsd_paged_is_absent(&s->places, byte))
        return (const hsd_by_place *)(const void *)hsd_paged_at(&s->places, byte, HSD_FRAME_USED);
    hsd_by_place *copy = &s->near_places[s->near_place++ % HSD_BY_COPIES];
    hsd_paged_copy(&s->places, byte, copy, sizeof *copy);
    return copy;
}

static inline hsd_by_place *hsd_by_place_write(hsd_by_search *s, hsd_node place)
{
    return (hsd_by_place *)(void *)hsd_paged_at(&s->places, (uint64_t)place * sizeof(hsd_by_place),
                                                HSD_FRAME_USED | HSD_FRAME_DIRTY);
}

/* Adds to what a place tells. */
static inline void hsd_by_place_tell(hsd_by_search *s, hsd_node place, uint64_t bytes)
{
    const uint64_t word = ((uint64_t)place * sizeof(hsd_by_place) + offsetof(hsd_by_place, told)) / sizeof bytes;
    hsd_paged_set_u64(&s->places, word, hsd_add_saturating(hsd_paged_get_u64(&s->places, word), bytes));
}

/* A group at one look. */
enum {
    HSD_BY_LOOK_FORK = 15,
    HSD_BY_LOOK_BRANCH = 16,
    HSD_BY_LOOK_SELF = 32,
    HSD_BY_LOOK_PRIMARY = 64,
    HSD_BY_LOOK_PSEUDO = 128
};

_Static_assert(HSD_BY_FORKS <= HSD_BY_LOOK_FORK + 1, "a fork must fit");

static inline uint8_t hsd_by_look_of(const hsd_by_group *group)
{
    return (uint8_t)(group->fork | (group->flags & HSD_BY_IS_BRANCH ? HSD_BY_LOOK_BRANCH : 0) |
                     (group->mask & HSD_BY_SELF ? HSD_BY_LOOK_SELF : 0) |
                     (group->mask & HSD_BY_PRIMARY ? HSD_BY_LOOK_PRIMARY : 0) |
                     (group->flags & HSD_BY_IS_PSEUDO ? HSD_BY_LOOK_PSEUDO : 0));
}

/* What a slot says of its node beside numbers: its group at one look, as numbers were given; the fork of the group in
 * which the nearest place lies, which is the node's own or one in which that one lies; it is a source. */
#define HSD_BY_ABOUT_FORK_SHIFT 8u
#define HSD_BY_ABOUT_SOURCE     UINT32_C(0x1000)

static inline bool hsd_by_has_mark(const hsd_by_search *s, hsd_node group)
{
    return s->primary != NULL && hsd_bit_get(s->primary, group);
}

/* With has_forks_of. */
static inline uint32_t hsd_by_fork_of(const hsd_by_search *s, hsd_node group)
{
    if (s->forks_of == NULL) return 0;
    const uint64_t bit = (uint64_t)group << s->fork_shift;
    return (uint32_t)s->forks_of[bit / 8] >> bit % 8 & ((1u << (1u << s->fork_shift)) - 1);
}

/* While forks are in memory it says fork and mark alone. */
static inline uint8_t hsd_by_look(hsd_by_search *s, hsd_node group)
{
    if (!s->has_forks_of) return hsd_by_look_of(hsd_by_group_at(s, group));
    return (uint8_t)(hsd_by_fork_of(s, group) | (hsd_by_has_mark(s, group) ? HSD_BY_LOOK_PRIMARY : 0));
}

#define HSD_BY_SLOT_NODES 128u

static inline bool hsd_by_has_slot(const hsd_by_search *s, hsd_node node)
{
    return s->slot_bits[node / 64] >> node % 64 & 1;
}

/* Of a node that has one: where its numbers stand. Others have none, and no room. */
static inline hsd_node hsd_by_slot(const hsd_by_search *s, hsd_node node)
{
    HSD_ASSERT(hsd_by_has_slot(s, node));
    const hsd_node word = node / 64;
    hsd_node slot = s->slots_before[node / HSD_BY_SLOT_NODES];
    for (hsd_node i = word & ~(hsd_node)(HSD_BY_SLOT_NODES / 64 - 1); i < word; i++)
        slot += hsd_count_bits_u64(s->slot_bits[i]);
    return slot + hsd_count_bits_u64(s->slot_bits[word] & ((UINT64_C(1) << node % 64) - 1));
}

static inline hsd_node hsd_by_group_of(hsd_by_search *s, hsd_node node)
{
    return hsd_paged_get_node(&s->group_of, hsd_by_slot(s, node));
}

/* True if there are primary roots and secondary ones. */
static inline bool hsd_by_has_secondary(const hsd_side_walk *side)
{
    return side->root_span.begin < side->root_span.second && side->root_span.second < side->root_span.end;
}

/* Words of a record of by_node: the node and its word of group_of, then the two of place_of. */
enum { HSD_BY_NUMBERED_PLACE = HSD_TWO_WORDS, HSD_BY_NUMBERED_WORDS = HSD_BY_NUMBERED_PLACE + HSD_TWO_WORDS };

/* What has to be referred to from a place for a name. */
static inline uint64_t hsd_by_least_told(const hsd_by_search *s) { return s->least / 50; }

hsd_status hsd_by_find_forks(hsd_by_search *s, hsd_error *err);
hsd_status hsd_by_mark(hsd_by_search *s, hsd_error *err); /* what has to be numbered: gives slots */
void hsd_by_count_references(const hsd_by_search *s);     /* a pass over all of them, for the cost model */
uint32_t hsd_by_fork_at(hsd_by_search *s, hsd_node first);
hsd_status hsd_by_number(hsd_by_search *s, hsd_error *err);
hsd_status hsd_by_find_alike(hsd_by_search *s, hsd_error *err);
hsd_status hsd_by_name(hsd_by_search *s, hsd_error *err);
hsd_status hsd_by_find_freed(hsd_by_search *s, hsd_error *err); /* freed bytes and objects of the sets */

/* the group of a fork in which another one lies; 0 = in none */
hsd_node hsd_by_climb(hsd_by_search *s, hsd_node group, uint32_t fork);
/* likewise where its look is known, and becomes that of what is found */
hsd_node hsd_by_climb_from(const hsd_by_search *s, hsd_node group, uint8_t *look, uint32_t fork);
/* the group of the next fork outward in which one lies; 0 = in none */
hsd_node hsd_by_group_above(hsd_by_search *s, hsd_node group);
hsd_status hsd_by_refer(hsd_by_search *s, hsd_error *err); /* fills pairs and seeds, and what places tell */
/* pairs as starts and targets; with has_columns as told, too, beside forks_of, branches and closed */
hsd_status hsd_by_list_targets(hsd_by_search *s, hsd_error *err);
/* what places tell that refer to little and reach much */
hsd_status hsd_by_look_far(hsd_by_search *s, hsd_error *err);
hsd_status hsd_by_spread(hsd_by_search *s, hsd_error *err); /* masks climb */

/* ---- with has_columns (by/columns.c) ---- */

/* what by_node has goes to group_of and place_of */
hsd_status hsd_by_settle_numbers(hsd_by_search *s, hsd_error *err);
hsd_status hsd_by_open_marks(hsd_by_search *s, hsd_error *err);   /* `primary` */
hsd_status hsd_by_settle_marks(hsd_by_search *s, hsd_error *err); /* those that came meanwhile go to the groups */
hsd_status hsd_by_open_forks(hsd_by_search *s, hsd_error *err);   /* forks_of, branches, closed */
void hsd_by_close_forks(hsd_by_search *s);                        /* forks_of */
void hsd_by_close_columns(hsd_by_search *s);                      /* all of them, and told */
hsd_status hsd_by_settle_tells(hsd_by_search *s, hsd_error *err); /* what places tell */
/* frees the sorter of (top, place); the sums are of bytes of tops, by place */
hsd_status hsd_by_sum_tells(hsd_by_search *s, hsd_sorter **tells, hsd_tally **out, hsd_error *err);
hsd_status hsd_by_spread_by_columns(hsd_by_search *s, hsd_error *err); /* masks climb */

/* a sorter of this search, with a part of its memory: HSD_BY_PARTS are all */
#define HSD_BY_PARTS    40u
#define HSD_BY_SORTER   4u
#define HSD_BY_BIG_PART 14u /* of those by which most goes */
hsd_status hsd_by_sorter(hsd_by_search *s, unsigned words, unsigned parts, hsd_sorter **out, hsd_error *err);

typedef struct hsd_by_sower { /* a place, and what it leaves in a fork */
    hsd_node number;
    uint32_t fork;
    bool is_primary; /* it has the mark of the first round */
    uint64_t bit;
} hsd_by_sower;

/* `out` is zeroed, or what was found last. */
void hsd_by_find_sower(hsd_by_search *s, hsd_node number, uint32_t fork, hsd_by_sower *out);

/* tops that the same candidates hold, as choices of their own */
hsd_status hsd_by_make_sets(hsd_by_search *s, hsd_error *err);

#endif
