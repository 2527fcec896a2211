/*
 * By what a holder holds together. Growth is credited to its nearest kept dominator; where the ways to it part below that one,
 * the dominator refers to none of it itself, and its name says little: a module's scope, a class, all roots. What a person wants
 * are the things in which the growth lies *together*.
 *
 *      d ──.byId──► Map ──► User ◄── Map ◄──.byName── d        d dominates User and has no reference to it
 *
 * The *fork* of a holder is the kept node of its own where most of its growth has no reference from. What hangs from the fork in
 * the dominator tree are *branches*: those that it refers to, by which every way to the rest leads, and *tops*, to which it has no
 * reference. A top is reached by a branch if a way leads from the branch to it that enters no other branch. So it is
 * enough to know which branch refers to which top, and all that a top dominates is reached like it. What primary roots reach takes no
 * bit from what they do not: where there are secondary ones a mark climbs first, and into names that objects are roots by.
 *
 *      tree of after     forks of the first holders                                             holders_by_tree.c
 *      tree of after     a number for each branch and top, and for each node the one it is in,
 *                        and the nearest place above it that may be a name                       holders_by_tree.c
 *      references        (branch or top, top), and from which node of the branch                holders_by_ways.c
 *      places            the one in each branch from which most of its references come           holders_by_tree.c
 *      (branch, top)     a bit a branch climbs from top to top until nothing changes             holders_by_ways.c
 *
 * A branch is named by the deepest place in it that can hold and from which at least LEAST of its references come: the map and not
 * the object that has it. Branches without a name of their own, elements of the fork or what is new in it, are the holder itself. All
 * of it happens only where such growth is a part of the whole that matters.
 */
#ifndef HSD_DIFF_HOLDERS_BY_H
#define HSD_DIFF_HOLDERS_BY_H

#include "diff/growth.h"
#include "graph/worklist.h"

#define HSD_BY_TOP UINT32_C(0x80000000) /* or-ed to the number of a group: the node that begins it, and references to it are asked for */
#define HSD_BY_GROUP(word) ((word) & ~HSD_BY_TOP)
#define HSD_BY_NO_FORK UINT32_MAX

/* Bits of a group's mask: candidates from 0 on. */
#define HSD_BY_CANDIDATES 61u
#define HSD_BY_PRIMARY (UINT64_C(1) << 61) /* reached in the first round of walks, where there is a second (graph/owners.h) */
#define HSD_BY_REST (UINT64_C(1) << 62) /* branches that are no candidates for want of bits */
#define HSD_BY_SELF (UINT64_C(1) << 63) /* branches that are the holder itself */

/* PRIMARY: a primary root, where there are secondary ones. PSEUDO: a top that the tree does not have. */
enum { HSD_BY_IS_BRANCH = 1, HSD_BY_IS_NAMED = 2, HSD_BY_IS_PRIMARY = 4, HSD_BY_IS_PSEUDO = 8 };

typedef struct hsd_by_group { /* a branch or a top; a power of two */
    uint64_t mask;   /* by which candidates it is reached */
    uint64_t bytes;  /* of a top: growth of the holder in it; of a branch: such bytes of tops, for each reference to one */
    uint32_t count;  /* of a branch: references to tops */
    uint32_t name;   /* of a branch with IS_NAMED: the node that names it; with IS_PSEUDO: the object */
    uint32_t next;   /* with IS_PSEUDO: the same object as a top of another fork; 0 = none */
    uint8_t fork, flags;
    uint8_t unused[2];
} hsd_by_group;

_Static_assert(sizeof(hsd_by_group) == 32, "groups must not lie across pages");

typedef struct hsd_by_place { /* where a branch may have its name; a power of two */
    uint32_t node, group;
    uint32_t above;  /* the next place up; 0 = none */
    uint32_t count;  /* references to tops from here; in the end from below, too */
} hsd_by_place;

_Static_assert(sizeof(hsd_by_place) == 16, "places must not lie across pages");

typedef struct hsd_by_fork {
    uint32_t choice;
    uint32_t first;          /* place in the tree; 0 = the super-root, HSD_BY_NO_FORK = none */
    uint32_t group;          /* in which it lies; 0 = none */
    uint64_t bytes;          /* of the choice's new bytes: below tops */
    bool is_own;             /* it is the holder, not insides of it: its references are the holder's fields */
} hsd_by_fork;

typedef struct hsd_by_search {
    hsd_growth *growth;
    hsd_side_walk *side;     /* after */
    hsd_growth_chosen chosen;
    hsd_by_fork forks[HSD_BY_HOLDERS];
    uint32_t fork_count;
    uint32_t kept[HSD_BY_HOLDERS]; /* forks that are worth asking for */
    uint32_t kept_count;
    bool has_secondary;      /* there are primary roots and secondary ones */
    uint8_t *is_plain;       /* one bit a node: the tree has it, and references to it are not asked for */
    hsd_paged group_of;      /* u32 a node: its group, 0 = none */
    hsd_paged place_of;      /* u32 a node: the nearest place that may name its branch, itself included, 0 = none */
    hsd_paged places;        /* from 1, each before those below it */
    uint32_t place_count;
    hsd_paged groups;        /* from 1 */
    uint32_t group_count;
    uint32_t group_room;     /* one for each node, and one for each fork but the first in which a pseudo object may be a top */
    hsd_sorter *pairs;       /* from << 32 | top */
} hsd_by_search;

static inline hsd_by_group *hsd_by_group_at(hsd_by_search *s, uint32_t group, bool is_written)
{
    return (hsd_by_group *)(void *)hsd_paged_at(&s->groups, (uint64_t)group * sizeof(hsd_by_group),
                                                is_written ? HSD_FRAME_USED | HSD_FRAME_DIRTY : HSD_FRAME_USED);
}

static inline hsd_by_place *hsd_by_place_at(hsd_by_search *s, uint32_t place, bool is_written)
{
    return (hsd_by_place *)(void *)hsd_paged_at(&s->places, (uint64_t)place * sizeof(hsd_by_place),
                                                is_written ? HSD_FRAME_USED | HSD_FRAME_DIRTY : HSD_FRAME_USED);
}

hsd_status hsd_by_find_forks(hsd_by_search *s, hsd_error *err);
hsd_status hsd_by_number(hsd_by_search *s, hsd_error *err);
hsd_status hsd_by_name(hsd_by_search *s, hsd_error *err);

hsd_status hsd_by_refer(hsd_by_search *s, hsd_error *err);  /* fills pairs, counts of places, what branches refer to */
hsd_status hsd_by_spread(hsd_by_search *s, hsd_error *err); /* masks climb */

#endif
