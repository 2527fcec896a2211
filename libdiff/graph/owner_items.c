/*
 * Items, their segments, and marks of what is open (owner_items.h).
 */
#include "graph/owner_items.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"

#define TABLE_PART UINT32_C(16)          /* places of a table, for each that is sorted, at most */
#define TABLE_MANY (UINT32_C(256) << 10) /* of a table; of more no more than are sorted */

/* ---- sorted places ---- */

void hsd_sorted_places_release(hsd_sorted_places *p)
{
    free(p->places);
    free(p->before);
    *p = (hsd_sorted_places){.places = NULL};
}

/* The table over places that were filled in, for places up to `last`. */
static hsd_status make_table(hsd_sorted_places *p, hsd_node last, hsd_error *err)
{
    const uint64_t few = (uint64_t)p->count * TABLE_PART + TABLE_PART;
    const uint64_t most = hsd_min_u64(few, hsd_max_u64(TABLE_MANY, p->count));
    free(p->before);
    p->shift = 0;
    while (last >> p->shift >= most)
        p->shift++;
    const size_t parts = (size_t)(last >> p->shift) + 2;
    p->before = malloc(parts * sizeof *p->before);
    if (p->before == NULL) return hsd_fail_nomem(err, HSD_OWNER_WHAT);
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
    const hsd_owner_item *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static int compare_names(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* ---- items and their segments ---- */

hsd_status hsd_owner_items_add(hsd_owner_tree *t, hsd_node node, hsd_node first, hsd_node end, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(t->items, t->item_capacity, t->item_count + 1, 256, HSD_OWNER_WHAT, err));
    t->items[t->item_count++] = (hsd_owner_item){first, end, node};
    return HSD_OK;
}

void hsd_owner_items_sort(hsd_owner_tree *t)
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
    hsd_sorted_places *s = &t->segments;
    if (s->count > 0 && s->places[s->count - 1] == place) s->count--;
    s->places[s->count] = place;
    t->item_of[s->count++] = around;
}

/* `around` has room for the items that lie in each other. */
static void fill_segments(hsd_owner_tree *t, uint32_t *around)
{
    uint32_t depth = 0;
    begin_segment(t, 0, HSD_OWNER_NO_ITEM);
    for (uint32_t i = 0; i <= t->item_count; i++) {
        const hsd_node first = i < t->item_count ? t->items[i].first : HSD_NODE_MAX;
        while (depth > 0 && t->items[around[depth - 1]].end <= first) {
            const hsd_node end = t->items[around[--depth]].end;
            begin_segment(t, end, depth > 0 ? around[depth - 1] : HSD_OWNER_NO_ITEM);
        }
        if (i == t->item_count) break;
        begin_segment(t, first, i);
        around[depth++] = i;
    }
}

hsd_status hsd_owner_segments_make(hsd_owner_tree *t, hsd_error *err)
{
    const size_t count = 2 * (size_t)t->item_count + 1;
    uint32_t *around = malloc(((size_t)t->item_count + 1) * sizeof *around);
    hsd_sorted_places_release(&t->segments);
    free(t->item_of);
    t->item_of = malloc(count * sizeof *t->item_of);
    t->segments.places = malloc(count * sizeof *t->segments.places);
    const bool has_all = around != NULL && t->item_of != NULL && t->segments.places != NULL;
    if (has_all) fill_segments(t, around);
    free(around);
    return has_all ? make_table(&t->segments, t->config.node_count, err) : hsd_fail_nomem(err, HSD_OWNER_WHAT);
}

static void label_segments(hsd_owner_tree *t)
{
    hsd_sorted_places *s = &t->segments;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t at = t->item_of[i], label = at == HSD_OWNER_NO_ITEM ? HSD_OWNER_SHARED : t->labels[at];
        if (kept > 0 && t->item_of[kept - 1] == label) continue;
        s->places[kept] = s->places[i];
        t->item_of[kept++] = label;
    }
    s->count = kept;
}

hsd_status hsd_owner_segments_label(hsd_owner_tree *t, hsd_error *err)
{
    hsd_sorted_places *s = &t->segments;
    label_segments(t);
    hsd_node *places = realloc(s->places, s->count * sizeof *places);
    if (places != NULL) s->places = places;
    uint32_t *labels = realloc(t->item_of, s->count * sizeof *labels);
    if (labels != NULL) t->item_of = labels;
    free(t->items);
    free(t->labels);
    t->items = NULL;
    t->labels = NULL;
    t->item_count = t->item_capacity = 0;
    return make_table(s, t->config.node_count, err);
}

/* ---- which nodes are open ---- */

static hsd_status add_mark(hsd_owner_marks *list, hsd_node place, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(list->sorted.places, list->capacity, list->sorted.count + 1, 256, HSD_OWNER_WHAT, err));
    list->sorted.places[list->sorted.count++] = place;
    return HSD_OK;
}

static hsd_status mark_labels(hsd_owner_tree *t, const uint32_t *names, hsd_error *err)
{
    hsd_node end = 0; /* of the outermost one so far */
    for (uint32_t i = 0; i < t->item_count; i++) {
        const hsd_owner_item *now = &t->items[i];
        const uint32_t name = hsd_owner_name_of(t, now->node);
        uint32_t at;
        HSD_LOWER_BOUND(at, 0, t->item_count, names[at], name);
        if (at + 1 < t->item_count && names[at + 1] == name)
            HSD_TRY(add_mark(&t->marks[HSD_MARKS_EQUAL], now->first, err));
        if (now->first < end) HSD_TRY(add_mark(&t->marks[HSD_MARKS_INNER], now->first, err));
        if (now->end > end) end = now->end;
    }
    return HSD_OK;
}

hsd_status hsd_owner_marks_find(hsd_owner_tree *t, hsd_error *err)
{
    uint32_t *names = malloc(((size_t)t->item_count + 1) * sizeof *names);
    if (names == NULL) return hsd_fail_nomem(err, HSD_OWNER_WHAT);
    for (uint32_t i = 0; i < t->item_count; i++)
        names[i] = hsd_owner_name_of(t, t->items[i].node);
    if (t->item_count > 0) qsort(names, t->item_count, sizeof *names, compare_names);
    hsd_status status = mark_labels(t, names, err);
    free(names);
    for (int i = 0; i < HSD_MARKS && status == HSD_OK; i++)
        if (t->marks[i].sorted.count > 0) status = make_table(&t->marks[i].sorted, t->config.node_count, err);
    return status;
}

static uint32_t count_inside(const hsd_owner_tree *t, int mark, hsd_node first, hsd_node end)
{
    const hsd_sorted_places *marks = &t->marks[mark].sorted;
    if (hsd_sorted_has_none(marks, first, end)) return 0;
    return hsd_sorted_upto(marks, end - 1) - hsd_sorted_upto(marks, first);
}

bool hsd_owner_place_is_open(const hsd_owner_tree *t, hsd_node first, hsd_node end)
{
    if (end <= first + 1) return false;
    if (count_inside(t, HSD_MARKS_INNER, first, end) > 0 && hsd_owner_item_around(t, first) != HSD_OWNER_NO_ITEM)
        return true;
    return count_inside(t, HSD_MARKS_EQUAL, first, end) > 1;
}

bool hsd_owner_items_surprise(const hsd_owner_tree *t)
{
    hsd_node end = 0; /* of the label nodes so far */
    for (uint32_t i = 0; i < t->item_count; i++) {
        const hsd_owner_item *now = &t->items[i];
        if (hsd_owner_item_is_label(t, i))
            end = now->end > end ? now->end : end;
        else if (now->first >= end && t->labels[i] != HSD_OWNER_SHARED)
            return true;
    }
    return false;
}
