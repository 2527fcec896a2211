/*
 * Owners from the dominator tree (owner_tree.h).
 *
 * *Items* are nodes with an interval of their own: label and root nodes, and the children of open nodes that some
 * reference leads to. *Segments* say for each place which item is the nearest around it: sorted places at which that
 * changes, with a table over them, so that each is found by a step or two.
 *
 * Why an item's owner is that of all in its segments: below it, as far as no other item begins, no node is open, so no
 * label node lies between a node and its dominator, and every way to the node brings what ways to its dominator do.
 *
 * Why the owner of an item is what the references to it bring: each comes from some node, whose owner is that of the
 * item around it. What lies in no item is shared: the last label node on every way to a node dominates it, so where
 * none does, two are the last ones. They may have one name, and then the node that it holds, or one above, is an item,
 * since its dominator has both of them below it: that is seen when all is resolved.
 */
#include "graph/owner_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"

#define MOST_ITEMS    (UINT32_C(1) << 16) /* before references are seen */
#define FEW_CROSSINGS 4096u
#define TABLE_PART    64u /* places of a table, for each that is sorted, at most */
#define NONE          UINT32_MAX

/* Sorted places, and how many are less than each multiple of 2^shift. */
typedef struct sorted_places {
    hsd_node *places;
    uint32_t *before;
    uint32_t count, shift;
} sorted_places;

typedef struct item {
    hsd_node first, end, node;
} item;

/* A reference from one item to another, in the order of where it comes from. */
typedef struct arc {
    uint32_t to;
    bool holds_nothing;
} arc;

/* Places of nodes on account of which others are open. */
enum {
    INNER, /* label nodes in the interval of another one: what lies between the two */
    EQUAL, /* label nodes of one name: what has two below it */
    MARKS
};

typedef struct mark_list {
    sorted_places sorted;
    uint32_t capacity;
} mark_list;

struct hsd_owner_tree {
    hsd_owner_tree_config config;
    hsd_node second_place; /* of the second round: from here on */
    item *items;
    uint32_t item_count, item_capacity;
    mark_list marks[MARKS];
    sorted_places segments;
    uint32_t *item_of; /* by segment; NONE = it lies in no item */
    uint8_t *open_bits, *open_groups;
    hsd_crossings crossings[2];
    uint32_t *labels; /* by item */
};

/* ---- sorted places ---- */

static void release_places(sorted_places *p)
{
    free(p->places);
    free(p->before);
    *p = (sorted_places){.places = NULL};
}

/* How many of them are `place` or less. */
static inline uint32_t count_upto(const sorted_places *p, hsd_node place)
{
    const hsd_node part = place >> p->shift;
    uint32_t at, begin = p->before[part], end = p->before[part + 1];
    if (begin == end) return begin;
    HSD_UPPER_BOUND(at, begin, end, p->places[at], place);
    return at;
}

/* The table over places that were filled in, for places up to `last`. */
static hsd_status make_table(sorted_places *p, hsd_node last, hsd_error *err)
{
    const uint64_t most = (uint64_t)p->count * TABLE_PART + TABLE_PART;
    while (last >> p->shift >= most)
        p->shift++;
    const size_t parts = (size_t)(last >> p->shift) + 2;
    p->before = malloc(parts * sizeof *p->before);
    if (p->before == NULL) return hsd_fail_nomem(err, "the owners of objects");
    uint32_t at = 0;
    for (size_t part = 0; part < parts; part++) {
        while (at < p->count && p->places[at] >> p->shift < part)
            at++;
        p->before[part] = at;
    }
    return HSD_OK;
}

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static int compare_names(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* ---- items and their segments ---- */

static const uint64_t *span_of(const hsd_owner_tree *t, hsd_node node)
{
    return t->config.spans + (uint64_t)node * HSD_TWO_WORDS;
}

static hsd_status add_item(hsd_owner_tree *t, hsd_node node, hsd_error *err)
{
    const uint64_t *span = span_of(t, node);
    HSD_TRY(HSD_ARRAY_GROW(t->items, t->item_capacity, t->item_count + 1, 256, "the owners of objects", err));
    t->items[t->item_count++] = (item){hsd_words_first(span), hsd_words_second(span), node};
    return HSD_OK;
}

static void sort_items(hsd_owner_tree *t)
{
    uint32_t kept = 0;
    if (t->item_count > 0) qsort(t->items, t->item_count, sizeof *t->items, compare_items);
    for (uint32_t i = 0; i < t->item_count; i++) {
        if (kept == 0 || t->items[kept - 1].node != t->items[i].node) t->items[kept++] = t->items[i];
    }
    t->item_count = kept;
}

static void begin_segment(hsd_owner_tree *t, hsd_node place, uint32_t around)
{
    sorted_places *s = &t->segments;
    if (s->count > 0 && s->places[s->count - 1] == place) s->count--;
    s->places[s->count] = place;
    t->item_of[s->count++] = around;
}

/* `around` has room for the items that lie in each other. */
static void fill_segments(hsd_owner_tree *t, uint32_t *around)
{
    uint32_t depth = 0;
    begin_segment(t, 0, NONE);
    for (uint32_t i = 0; i <= t->item_count; i++) {
        const hsd_node first = i < t->item_count ? t->items[i].first : HSD_NODE_MAX;
        while (depth > 0 && t->items[around[depth - 1]].end <= first) {
            const hsd_node end = t->items[around[--depth]].end;
            begin_segment(t, end, depth > 0 ? around[depth - 1] : NONE);
        }
        if (i == t->item_count) break;
        begin_segment(t, first, i);
        around[depth++] = i;
    }
}

static hsd_status make_segments(hsd_owner_tree *t, hsd_error *err)
{
    const size_t count = 2 * (size_t)t->item_count + 1;
    uint32_t *around = malloc(count * sizeof *around);
    release_places(&t->segments);
    free(t->item_of);
    t->item_of = malloc(count * sizeof *t->item_of);
    t->segments.places = malloc(count * sizeof *t->segments.places);
    const bool has_all = around != NULL && t->item_of != NULL && t->segments.places != NULL;
    if (has_all) fill_segments(t, around);
    free(around);
    return has_all ? make_table(&t->segments, t->config.node_count, err) : hsd_fail_nomem(err, "the owners of objects");
}

/* The nearest item around a place. */
static inline uint32_t item_around(const hsd_owner_tree *t, hsd_node place)
{
    return t->item_of[count_upto(&t->segments, place) - 1];
}

/* ---- which nodes are open ---- */

static hsd_status add_mark(mark_list *list, hsd_node place, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(list->sorted.places, list->capacity, list->sorted.count + 1, 256, "the owners of objects",
                           err));
    list->sorted.places[list->sorted.count++] = place;
    return HSD_OK;
}

static hsd_status find_labels(hsd_owner_tree *t, hsd_error *err)
{
    for (hsd_node node = t->config.object_count; node < t->config.node_count && t->item_count <= MOST_ITEMS; node++) {
        if (hsd_words_second(span_of(t, node)) != 0) HSD_TRY(add_item(t, node, err));
    }
    return HSD_OK;
}

static uint32_t name_of(const hsd_owner_tree *t, hsd_node node)
{
    HSD_ASSERT(node >= t->config.object_count);
    return t->config.name_of_node[node - t->config.object_count];
}

/* Of label nodes alone. */
static hsd_status mark_labels(hsd_owner_tree *t, const uint32_t *names, hsd_error *err)
{
    hsd_node end = 0; /* of the outermost one so far */
    for (uint32_t i = 0; i < t->item_count; i++) {
        const item *now = &t->items[i];
        const uint32_t name = name_of(t, now->node);
        uint32_t at;
        HSD_LOWER_BOUND(at, 0, t->item_count, names[at], name);
        if (at + 1 < t->item_count && names[at + 1] == name) HSD_TRY(add_mark(&t->marks[EQUAL], now->first, err));
        if (now->first < end) HSD_TRY(add_mark(&t->marks[INNER], now->first, err));
        if (now->end > end) end = now->end;
    }
    return HSD_OK;
}

static hsd_status find_label_marks(hsd_owner_tree *t, hsd_error *err)
{
    uint32_t *names = malloc(((size_t)t->item_count + 1) * sizeof *names);
    if (names == NULL) return hsd_fail_nomem(err, "the owners of objects");
    for (uint32_t i = 0; i < t->item_count; i++)
        names[i] = name_of(t, t->items[i].node);
    if (t->item_count > 0) qsort(names, t->item_count, sizeof *names, compare_names);
    const hsd_status status = mark_labels(t, names, err);
    free(names);
    return status;
}

static uint32_t count_inside(const hsd_owner_tree *t, int mark, hsd_node first, hsd_node end)
{
    const sorted_places *marks = &t->marks[mark].sorted;
    return marks->count == 0 ? 0 : count_upto(marks, end - 1) - count_upto(marks, first);
}

static void open_place(hsd_owner_tree *t, hsd_node place)
{
    hsd_bit_set(t->open_groups, place >> HSD_OPEN_SHIFT);
    hsd_bit_set(t->open_bits, place);
}

static void open_nodes(hsd_owner_tree *t)
{
    if (t->marks[EQUAL].sorted.count > 0) open_place(t, 0);
    for (hsd_node node = 0; node < t->config.node_count; node++) {
        const hsd_node first = hsd_words_first(span_of(t, node)), end = hsd_words_second(span_of(t, node));
        if (end <= first + 1) continue;
        if ((count_inside(t, INNER, first, end) > 0 && item_around(t, first) != NONE) ||
            count_inside(t, EQUAL, first, end) > 1)
            open_place(t, first);
    }
}

static hsd_status find_open(hsd_owner_tree *t, hsd_error *err)
{
    uint64_t marks = 0;
    for (int i = 0; i < MARKS; i++) {
        marks += t->marks[i].sorted.count;
        if (t->marks[i].sorted.count > 0) HSD_TRY(make_table(&t->marks[i].sorted, t->config.node_count, err));
    }
    if (marks > 0) open_nodes(t);
    for (size_t i = 0; i < HSD_ARRAY_LEN(t->crossings) && marks > 0; i++) {
        t->crossings[i].is_open = t->open_bits;
        t->crossings[i].has_open = t->open_groups;
        t->crossings[i].most =
            (uint32_t)hsd_min_u64(t->config.memory_bytes / HSD_CROSSING_BYTES / HSD_ARRAY_LEN(t->crossings),
                                  UINT32_MAX / 4);
    }
    return HSD_OK;
}

static hsd_status begin_tree(hsd_owner_tree *t, hsd_error *err)
{
    t->open_bits = calloc((size_t)t->config.node_count / 8 + 1, 1);
    t->open_groups = calloc((size_t)(t->config.node_count >> HSD_OPEN_SHIFT) / 8 + 1, 1);
    if (t->open_bits == NULL || t->open_groups == NULL) return hsd_fail_nomem(err, "the owners of objects");
    HSD_TRY(find_labels(t, err));
    if (t->item_count > MOST_ITEMS) return HSD_END;
    sort_items(t);
    HSD_TRY(make_segments(t, err));
    HSD_TRY(find_label_marks(t, err));
    return find_open(t, err);
}

hsd_status hsd_owner_tree_begin(hsd_owner_tree **out, const hsd_owner_tree_config *config, hsd_error *err)
{
    const hsd_root_nodes *roots = &config->roots;
    hsd_owner_tree *t = calloc(1, sizeof *t);
    *out = NULL;
    if (t == NULL) return hsd_fail_nomem(err, "the owners of objects");
    t->config = *config;
    t->second_place = roots->second < roots->end ? hsd_words_first(span_of(t, roots->second)) : HSD_NODE_MAX;
    const hsd_status status = begin_tree(t, err);
    if (status == HSD_OK)
        *out = t;
    else
        hsd_owner_tree_free(t);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- crossings ---- */

hsd_crossings *hsd_owner_tree_crossings(hsd_owner_tree *tree, uint32_t thread)
{
    HSD_ASSERT(thread < HSD_ARRAY_LEN(tree->crossings));
    return tree->crossings[thread].is_open != NULL ? &tree->crossings[thread] : NULL;
}

void hsd_crossings_put(hsd_crossings *c, hsd_node source, hsd_node target)
{
    hsd_error err;
    if (c->is_full) return;
    c->is_full = c->count == c->most || HSD_ARRAY_GROW(c->items, c->capacity, c->count + 1, FEW_CROSSINGS,
                                                       "the owners of objects", &err) != HSD_OK;
    if (!c->is_full) c->items[c->count++] = (hsd_crossing){source, target};
}

/* What crossings lead to are items, too. What else is right below an open node is referred to by that alone, and has
 * its owner. */
static hsd_status add_targets(hsd_owner_tree *t, hsd_error *err)
{
    for (size_t list = 0; list < HSD_ARRAY_LEN(t->crossings); list++) {
        const hsd_crossings *c = &t->crossings[list];
        hsd_node last = HSD_NODE_MAX;
        for (uint32_t i = 0; i < c->count; i++) {
            const hsd_node target = c->items[i].target;
            if (target < t->config.object_count && target != last) HSD_TRY(add_item(t, target, err));
            last = target;
        }
    }
    sort_items(t);
    return make_segments(t, err);
}

/* The references from dominators are crossings after all, where what they lead to is an item. */
static hsd_status hang_items(hsd_owner_tree *t, hsd_error *err)
{
    hsd_crossings *c = &t->crossings[0];
    HSD_TRY(HSD_ARRAY_GROW(c->items, c->capacity, (uint64_t)c->count + t->item_count, FEW_CROSSINGS,
                           "the owners of objects", err));
    for (uint32_t i = 0; i < t->item_count; i++) {
        hsd_node dominator;
        const hsd_node node = t->items[i].node;
        if (t->config.hangs(t->config.context, node, &dominator))
            c->items[c->count++] = (hsd_crossing){dominator, node};
    }
    return HSD_OK;
}

/* ---- labels of items ---- */

typedef struct climb {
    hsd_owner_tree *tree;
    arc *arcs;
    uint32_t *begins;  /* of the arcs from item i - 1; those from no item come first */
    uint32_t *waiting; /* items */
    uint32_t waiting_count;
} climb;

static uint32_t slot_of(const hsd_owner_tree *t, const hsd_crossing *c)
{
    return item_around(t, c->source) + 1; /* NONE + 1 = 0 */
}

static void fill_arcs(climb *w)
{
    const hsd_owner_tree *t = w->tree;
    uint32_t *begins = w->begins + 1; /* where the next arc goes; in the end, where those of the next item begin */
    for (size_t list = 0; list < HSD_ARRAY_LEN(t->crossings); list++) {
        for (uint32_t i = 0; i < t->crossings[list].count; i++)
            begins[slot_of(t, &t->crossings[list].items[i]) + 1]++;
    }
    for (uint32_t i = 1; i <= t->item_count + 1; i++)
        begins[i] += begins[i - 1];
    for (size_t list = 0; list < HSD_ARRAY_LEN(t->crossings); list++) {
        for (uint32_t i = 0; i < t->crossings[list].count; i++) {
            const hsd_crossing *c = &t->crossings[list].items[i];
            const hsd_node first = hsd_words_first(span_of(t, c->target));
            w->arcs[begins[slot_of(t, c)]++] =
                (arc){item_around(t, first), c->source >= t->second_place && first < t->second_place};
        }
    }
}

/* `label` arrives wherever arcs of the slot lead. */
static void spread_label(climb *w, uint32_t slot, uint32_t label)
{
    hsd_owner_tree *t = w->tree;
    for (uint32_t i = w->begins[slot]; i < w->begins[slot + 1]; i++) {
        const arc *a = &w->arcs[i];
        if (a->holds_nothing || t->items[a->to].node >= t->config.object_count) continue;
        const uint32_t old = t->labels[a->to], now = old == HSD_OWNER_NONE || old == label ? label : HSD_OWNER_SHARED;
        if (now == old) continue;
        t->labels[a->to] = now;
        w->waiting[w->waiting_count++] = a->to;
    }
}

/* At most two labels for each item, and one of its own for each that is a label node. */
static void spread_labels(climb *w)
{
    hsd_owner_tree *t = w->tree;
    spread_label(w, 0, HSD_OWNER_SHARED);
    for (uint32_t i = 0; i < t->item_count; i++) {
        if (t->items[i].node < t->config.object_count) continue;
        t->labels[i] = HSD_OWNER_FIRST + name_of(t, t->items[i].node);
        spread_label(w, i + 1, t->labels[i]);
    }
    while (w->waiting_count > 0) {
        const uint32_t next = w->waiting[--w->waiting_count];
        spread_label(w, next + 1, t->labels[next]);
    }
}

static hsd_status climb_all(hsd_owner_tree *t, hsd_error *err)
{
    const size_t items = t->item_count, arcs = (size_t)t->crossings[0].count + t->crossings[1].count;
    climb w = {.tree = t};
    t->labels = calloc(items + 1, sizeof *t->labels);
    w.arcs = malloc((arcs + 1) * sizeof *w.arcs);
    w.begins = calloc(items + 3, sizeof *w.begins);
    w.waiting = malloc((2 * items + 1) * sizeof *w.waiting);
    const bool has_all = t->labels != NULL && w.arcs != NULL && w.begins != NULL && w.waiting != NULL;
    if (has_all) {
        fill_arcs(&w);
        spread_labels(&w);
    }
    free(w.arcs);
    free(w.begins);
    free(w.waiting);
    return has_all ? HSD_OK : hsd_fail_nomem(err, "the owners of objects");
}

static void drop_crossings(hsd_owner_tree *t)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(t->crossings); i++)
        free(t->crossings[i].items);
    memset(t->crossings, 0, sizeof t->crossings);
    free(t->open_bits);
    free(t->open_groups);
    t->open_bits = t->open_groups = NULL;
}

/* Two label nodes of one name hold something that no label node dominates: below it more is open than was known. */
static bool is_surprised(const hsd_owner_tree *t)
{
    hsd_node end = 0; /* of the label nodes so far */
    for (uint32_t i = 0; i < t->item_count; i++) {
        const item *now = &t->items[i];
        if (now->node >= t->config.object_count)
            end = now->end > end ? now->end : end;
        else if (now->first >= end && t->labels[i] != HSD_OWNER_SHARED)
            return true;
    }
    return false;
}

/* HSD_END: somebody has to walk. */
static hsd_status resolve(hsd_owner_tree *t, hsd_error *err)
{
    if (t->crossings[0].is_full || t->crossings[1].is_full) return HSD_END;
    HSD_TRY(add_targets(t, err));
    HSD_TRY(hang_items(t, err));
    HSD_TRY(climb_all(t, err));
    drop_crossings(t);
    return is_surprised(t) ? HSD_END : HSD_OK;
}

hsd_status hsd_owner_tree_resolve(hsd_owner_tree **tree, hsd_error *err)
{
    const hsd_status status = resolve(*tree, err);
    if (status != HSD_END) return status;
    hsd_owner_tree_free(*tree);
    *tree = NULL;
    return HSD_OK;
}

/* ---- telling ---- */

void hsd_owner_tree_tell(const hsd_owner_tree *tree, const uint64_t *spans, uint32_t count, uint32_t *labels)
{
    for (uint32_t i = 0; i < count; i++, spans += HSD_TWO_WORDS) {
        const bool is_reached = hsd_words_second(spans) != 0;
        const uint32_t around = is_reached ? item_around(tree, hsd_words_first(spans)) : NONE;
        labels[i] = around != NONE ? tree->labels[around] : is_reached ? HSD_OWNER_SHARED : HSD_OWNER_NONE;
    }
}

void hsd_owner_tree_free(hsd_owner_tree *tree)
{
    if (tree == NULL) return;
    drop_crossings(tree);
    release_places(&tree->segments);
    free(tree->item_of);
    free(tree->items);
    for (int i = 0; i < MARKS; i++)
        release_places(&tree->marks[i].sorted);
    free(tree->labels);
    free(tree);
}
