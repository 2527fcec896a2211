/*
 * Owners from the dominator tree where places are sorted by node (owner_tree.h): each is looked at twice, once when it
 * is said which nodes are open, and in the end when owners are told. What open nodes have below them is not looked for
 * then: all of their children to which two references or more lead are *candidates*, and items before any reference is
 * seen. So each reference is followed at once, from the item that it comes out of, and few have to wait.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/owner_items.h"

#define FEW_WAITING    4096u
#define FEW_CANDIDATES 256u

void hsd_owner_order_see_place(hsd_owner_tree *t, hsd_node first, hsd_node end)
{
    if (t->crossings[0].is_open == NULL || !hsd_owner_place_is_open(t, first, end)) return;
    hsd_bit_set(t->open_groups, first >> HSD_OPEN_SHIFT);
    hsd_bit_set(t->open_bits, first);
}

bool hsd_owner_order_has_candidates(const hsd_owner_tree *t, hsd_node place)
{
    return hsd_bit_get(t->open_groups, place >> HSD_OPEN_SHIFT) && hsd_bit_get(t->open_bits, place);
}

hsd_status hsd_owner_order_add(hsd_owner_tree *t, hsd_node first, hsd_node end, hsd_node dominator, hsd_error *err)
{
    hsd_owner_candidates *c = &t->candidates;
    if (t->item_count >= hsd_owner_order_items(t->config.memory_bytes)) return HSD_END;
    HSD_TRY(HSD_ARRAY_GROW(c->parents, c->capacity, c->count + 1, FEW_CANDIDATES, HSD_OWNER_WHAT, err));
    HSD_ASSERT(c->count < t->config.object_count);
    c->parents[c->count] = dominator;
    return hsd_owner_items_add(t, c->count++, first, end, err);
}

hsd_status hsd_owner_order_begin(hsd_owner_tree *t, hsd_error *err)
{
    hsd_owner_candidates *c = &t->candidates;
    for (int i = 0; i < HSD_MARKS; i++)
        hsd_sorted_places_release(&t->marks[i].sorted);
    hsd_owner_items_sort(t);
    HSD_TRY(hsd_owner_segments_make(t, err));
    HSD_TRY(hsd_owner_labels_begin(t, err));
    c->items = malloc(((size_t)c->count + 1) * sizeof *c->items);
    if (c->items == NULL) return hsd_fail_nomem(err, HSD_OWNER_WHAT);
    for (uint32_t i = 0; i < t->item_count; i++)
        if (!hsd_owner_item_is_label(t, i)) c->items[t->items[i].node] = i;
    return HSD_OK;
}

/* What is known by now needs not wait any more. */
static void look_again(hsd_owner_tree *t, hsd_crossings *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const hsd_crossing waiting = c->items[i];
        const hsd_node source = t->items[waiting.source].first;
        if (hsd_owner_arc_waits(t, (uint32_t)waiting.source, source, (uint32_t)waiting.target))
            c->items[kept++] = waiting;
    }
    c->count = kept;
}

static void wait(hsd_owner_view *v, hsd_crossing waiting)
{
    hsd_crossings *c = &v->tree->crossings[v->thread];
    hsd_error err;
    if (c->is_full || (v->last.source == waiting.source && v->last.target == waiting.target)) return;
    if (c->count == c->most) {
        look_again(v->tree, c);
        c->is_full = c->count > c->most / 8 * 7;
    }
    if (!c->is_full)
        c->is_full = HSD_ARRAY_GROW(c->items, c->capacity, c->count + 1, FEW_WAITING, HSD_OWNER_WHAT, &err) != HSD_OK;
    if (!c->is_full) c->items[c->count++] = v->last = waiting;
}

bool hsd_owner_order_see(hsd_owner_view *v, hsd_node source, uint32_t candidate)
{
    hsd_owner_tree *const t = v->tree;
    HSD_ASSERT(candidate < t->candidates.count);
    const uint32_t to = t->candidates.items[candidate];
    if (__atomic_load_n(&t->labels[to], __ATOMIC_RELAXED) != HSD_OWNER_SHARED) {
        if (v->source != source) v->item = hsd_owner_item_around(t, source);
        v->source = source;
        if (hsd_owner_arc_waits(t, v->item, source, to)) wait(v, (hsd_crossing){v->item, to});
    }
    return t->candidates.parents[candidate] == source;
}
