/*
 * What tells owners from the dominator tree is made of (owner_tree.h). Private to graph/owner_*.c.
 *
 * *Items* are nodes with an interval of their own: label and root nodes, and children of open nodes. *Segments* say for
 * each place which item is the nearest around it, and once owners are known which owner is that of the nodes there:
 * sorted places at which that changes, with a table over them, so that each is found by a step or two.
 */
#ifndef HSD_GRAPH_OWNER_ITEMS_H
#define HSD_GRAPH_OWNER_ITEMS_H

#include "base/search.h"
#include "graph/owner_tree.h"

#define HSD_OWNER_NO_ITEM UINT32_MAX
#define HSD_OWNER_WHAT    "the owners of objects"

/* Sorted places, and how many are less than each multiple of 2^shift. */
typedef struct hsd_sorted_places {
    hsd_node *places;
    uint32_t *before;
    uint32_t count, shift;
} hsd_sorted_places;

typedef struct hsd_owner_item {
    hsd_node first, end;
    hsd_node node; /* of candidates their number, which is less than that of any label node, too */
} hsd_owner_item;

/* Places of nodes on account of which others are open. */
enum {
    HSD_MARKS_INNER, /* label nodes in the interval of another one: what lies between the two */
    HSD_MARKS_EQUAL, /* label nodes of one name: what has two below it */
    HSD_MARKS
};

typedef struct hsd_owner_marks {
    hsd_sorted_places sorted;
    uint32_t capacity;
} hsd_owner_marks;

/* Children of open nodes, where places are told in the order of nodes (owner_order.c): each has a number, in the order
 * in which they are told. */
typedef struct hsd_owner_candidates {
    hsd_node *parents; /* places of their dominators */
    uint32_t *items;
    uint32_t count, capacity, most;
} hsd_owner_candidates;

struct hsd_owner_tree {
    hsd_owner_tree_config config;
    hsd_node second_place; /* of the second round: from here on */
    hsd_owner_item *items;
    uint32_t item_count, item_capacity;
    hsd_owner_marks marks[HSD_MARKS];
    hsd_sorted_places segments;
    uint32_t *item_of; /* by segment, HSD_OWNER_NO_ITEM = it lies in no item; in the end its label */
    uint8_t *open_bits, *open_groups;
    hsd_crossings crossings[2];
    uint32_t *labels; /* by item */
    hsd_owner_candidates candidates;
};

/* How many of them are `place` or less. */
static inline uint32_t hsd_sorted_upto(const hsd_sorted_places *p, hsd_node place)
{
    const hsd_node part = place >> p->shift;
    uint32_t at, begin = p->before[part], end = p->before[part + 1];
    if (begin == end) return begin;
    HSD_UPPER_BOUND(at, begin, end, p->places[at], place);
    return at;
}

/* True if none of them is first + 1 … end - 1, as far as the table alone tells. */
static inline bool hsd_sorted_has_none(const hsd_sorted_places *p, hsd_node first, hsd_node end)
{
    return p->count == 0 || p->before[first >> p->shift] == p->before[((end - 1) >> p->shift) + 1];
}

/* The nearest item around a place. */
static inline uint32_t hsd_owner_item_around(const hsd_owner_tree *t, hsd_node place)
{
    return t->item_of[hsd_sorted_upto(&t->segments, place) - 1];
}

static inline bool hsd_owner_item_is_label(const hsd_owner_tree *t, uint32_t at)
{
    return t->items[at].node >= t->config.object_count;
}

static inline uint32_t hsd_owner_name_of(const hsd_owner_tree *t, hsd_node node)
{
    HSD_ASSERT(node >= t->config.object_count);
    return t->config.name_of_node[node - t->config.object_count];
}

/* HSD_E_NOMEM all of them. */
hsd_status hsd_owner_items_add(hsd_owner_tree *t, hsd_node node, hsd_node first, hsd_node end, hsd_error *err);

/* By their places, each once. */
void hsd_owner_items_sort(hsd_owner_tree *t);

/* Of items that are sorted, anew. */
hsd_status hsd_owner_segments_make(hsd_owner_tree *t, hsd_error *err);

/* Labels in place of items, which go: of neighbours that have the same one the first is left. */
hsd_status hsd_owner_segments_label(hsd_owner_tree *t, hsd_error *err);

/* Of label and root nodes, which are all items so far: marks and their tables. */
hsd_status hsd_owner_marks_find(hsd_owner_tree *t, hsd_error *err);

/* True if the node whose places these are is open. */
bool hsd_owner_place_is_open(const hsd_owner_tree *t, hsd_node first, hsd_node end);

/* Two label nodes of one name hold something that no label node dominates: below it more is open than was known. */
bool hsd_owner_items_surprise(const hsd_owner_tree *t);

void hsd_sorted_places_release(hsd_sorted_places *p);

/* ---- owner_climb.c ---- */

/* Those of label nodes; none of the others. */
hsd_status hsd_owner_labels_begin(hsd_owner_tree *t, hsd_error *err);

/* A reference to item `to` from a node at place `source`, whose nearest item is `from`: brings what is known there.
 * True if more may become known, so that the reference is to be kept. By two threads at once. */
bool hsd_owner_arc_waits(hsd_owner_tree *t, uint32_t from, hsd_node source, uint32_t to);

/* Labels over what was kept: crossings whose ends are items by now. */
hsd_status hsd_owner_labels_climb(hsd_owner_tree *t, hsd_error *err);

/* What references were seen by. */
void hsd_owner_tree_drop_crossings(hsd_owner_tree *t);

#endif
