/*
 * Owners from the dominator tree (owner_tree.h), where places are in memory.
 *
 * Why an item's owner (owner_items.h) is that of all in its segments: below it, as far as no other item begins, no node
 * is open, so no label node lies between a node and its dominator, and every way to the node brings what ways to its
 * dominator do.
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
#include "graph/owner_items.h"

#define MOST_ITEMS    (UINT32_C(1) << 16) /* before references are seen */
#define FEW_CROSSINGS 4096u

/* ---- which nodes are open ---- */

static const uint64_t *span_of(const hsd_owner_tree *t, hsd_node node)
{
    return t->config.spans + (uint64_t)(node - t->config.first_node) * HSD_TWO_WORDS;
}

static hsd_status add_item(hsd_owner_tree *t, hsd_node node, hsd_error *err)
{
    const uint64_t *span = span_of(t, node);
    return hsd_owner_items_add(t, node, hsd_words_first(span), hsd_words_second(span), err);
}

static hsd_status find_labels(hsd_owner_tree *t, uint64_t most, hsd_error *err)
{
    for (hsd_node node = t->config.object_count; node < t->config.node_count && t->item_count <= most; node++) {
        if (hsd_words_second(span_of(t, node)) != 0) HSD_TRY(add_item(t, node, err));
    }
    if (t->item_count > most) return HSD_END;
    hsd_owner_items_sort(t);
    return HSD_OK;
}

static void open_place(hsd_owner_tree *t, hsd_node place)
{
    hsd_bit_set(t->open_groups, place >> HSD_OPEN_SHIFT);
    hsd_bit_set(t->open_bits, place);
}

static void open_nodes(hsd_owner_tree *t)
{
    for (hsd_node node = 0; node < t->config.node_count; node++) {
        const hsd_node first = hsd_words_first(span_of(t, node)), end = hsd_words_second(span_of(t, node));
        if (hsd_owner_place_is_open(t, first, end)) open_place(t, first);
    }
}

static void begin_crossings(hsd_owner_tree *t)
{
    const uint64_t bytes = t->config.memory_bytes / HSD_ARRAY_LEN(t->crossings);
    const uint64_t most = t->config.first_node == 0 ? bytes / HSD_CROSSING_BYTES : bytes / 4 / HSD_WAITING_BYTES;
    for (size_t i = 0; i < HSD_ARRAY_LEN(t->crossings); i++) {
        t->crossings[i].is_open = t->open_bits;
        t->crossings[i].has_open = t->open_groups;
        t->crossings[i].most = (uint32_t)hsd_min_u64(most, UINT32_MAX / 4);
    }
}

/* Of what is for items, half is for label nodes: what is open may have as many children. */
static uint64_t most_labels(const hsd_owner_tree *t)
{
    return t->config.first_node == 0 ? MOST_ITEMS : hsd_owner_order_items(t->config.memory_bytes) / 2;
}

static hsd_status begin_tree(hsd_owner_tree *t, hsd_error *err)
{
    t->open_bits = calloc((size_t)t->config.node_count / 8 + 1, 1);
    t->open_groups = calloc((size_t)(t->config.node_count >> HSD_OPEN_SHIFT) / 8 + 1, 1);
    if (t->open_bits == NULL || t->open_groups == NULL) return hsd_fail_nomem(err, HSD_OWNER_WHAT);
    HSD_TRY(find_labels(t, most_labels(t), err));
    HSD_TRY(hsd_owner_segments_make(t, err));
    HSD_TRY(hsd_owner_marks_find(t, err));
    const bool has_equal = t->marks[HSD_MARKS_EQUAL].sorted.count > 0;
    if (!has_equal && t->marks[HSD_MARKS_INNER].sorted.count == 0) return HSD_OK;
    if (has_equal) open_place(t, 0);
    if (t->config.first_node == 0) open_nodes(t);
    begin_crossings(t);
    return HSD_OK;
}

hsd_status hsd_owner_tree_begin(hsd_owner_tree **out, const hsd_owner_tree_config *config, hsd_error *err)
{
    const hsd_root_nodes *roots = &config->roots;
    hsd_owner_tree *t = calloc(1, sizeof *t);
    *out = NULL;
    if (t == NULL) return hsd_fail_nomem(err, HSD_OWNER_WHAT);
    HSD_ASSERT(config->first_node == 0 || config->first_node == config->object_count);
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
    c->is_full = c->count == c->most ||
                 HSD_ARRAY_GROW(c->items, c->capacity, c->count + 1, FEW_CROSSINGS, HSD_OWNER_WHAT, &err) != HSD_OK;
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
    hsd_owner_items_sort(t);
    return hsd_owner_segments_make(t, err);
}

/* The references from dominators are crossings after all, where what they lead to is an item. */
static hsd_status hang_items(hsd_owner_tree *t, hsd_error *err)
{
    hsd_crossings *c = &t->crossings[0];
    HSD_TRY(HSD_ARRAY_GROW(c->items, c->capacity, (uint64_t)c->count + t->item_count, FEW_CROSSINGS, HSD_OWNER_WHAT,
                           err));
    for (uint32_t i = 0; i < t->item_count; i++) {
        hsd_node dominator;
        const hsd_node node = t->items[i].node;
        if (t->config.hangs(t->config.context, node, &dominator))
            c->items[c->count++] = (hsd_crossing){dominator, node};
    }
    return HSD_OK;
}

/* Of each crossing the items that it leads from and to; those that bring all at once go. */
static void keep_waiting(hsd_owner_tree *t, hsd_crossings *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const hsd_crossing seen = c->items[i];
        const uint32_t from = hsd_owner_item_around(t, seen.source),
                       to = hsd_owner_item_around(t, hsd_words_first(span_of(t, seen.target)));
        if (hsd_owner_arc_waits(t, from, seen.source, to)) c->items[kept++] = (hsd_crossing){from, to};
    }
    c->count = kept;
}

/* HSD_END: somebody has to walk. */
static hsd_status resolve(hsd_owner_tree *t, hsd_error *err)
{
    if (t->crossings[0].is_full || t->crossings[1].is_full) return HSD_END;
    if (t->config.first_node == 0) {
        HSD_TRY(add_targets(t, err));
        HSD_TRY(hang_items(t, err));
        HSD_TRY(hsd_owner_labels_begin(t, err));
        for (size_t list = 0; list < HSD_ARRAY_LEN(t->crossings); list++)
            keep_waiting(t, &t->crossings[list]);
    }
    HSD_TRY(hsd_owner_labels_climb(t, err));
    hsd_owner_tree_drop_crossings(t);
    if (hsd_owner_items_surprise(t)) return HSD_END;
    return hsd_owner_segments_label(t, err);
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

uint32_t hsd_owner_tree_label(const hsd_owner_tree *tree, hsd_node first)
{
    return tree->item_of[hsd_sorted_upto(&tree->segments, first) - 1];
}

void hsd_owner_tree_tell(const hsd_owner_tree *tree, const uint64_t *spans, uint32_t count, uint32_t *labels)
{
    for (uint32_t i = 0; i < count; i++, spans += HSD_TWO_WORDS) {
        const bool is_reached = hsd_words_second(spans) != 0;
        labels[i] = is_reached ? hsd_owner_tree_label(tree, hsd_words_first(spans)) : HSD_OWNER_NONE;
    }
}

uint64_t hsd_owner_tree_bytes(const hsd_owner_tree *tree)
{
    const hsd_sorted_places *s = &tree->segments;
    const uint64_t parts = (tree->config.node_count >> s->shift) + 2;
    return sizeof *tree + (uint64_t)s->count * (sizeof *s->places + sizeof *tree->item_of) + parts * sizeof *s->before;
}

void hsd_owner_tree_free(hsd_owner_tree *tree)
{
    if (tree == NULL) return;
    hsd_owner_tree_drop_crossings(tree);
    hsd_sorted_places_release(&tree->segments);
    free(tree->item_of);
    free(tree->items);
    for (int i = 0; i < HSD_MARKS; i++)
        hsd_sorted_places_release(&tree->marks[i].sorted);
    free(tree->labels);
    free(tree->candidates.parents);
    free(tree->candidates.items);
    free(tree);
}
