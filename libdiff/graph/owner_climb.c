/*
 * How labels climb from item to item (owner_items.h): none -> r -> shared, as in graph/owners.c, over references alone
 * of which it is not known at once what they bring. One from a label node brings its name, one from what is shared
 * makes shared, and nothing more comes by either; what leads to an item that is shared brings nothing. All others wait
 * until every reference was seen.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/fail.h"
#include "graph/owner_items.h"

hsd_status hsd_owner_labels_begin(hsd_owner_tree *t, hsd_error *err)
{
    t->labels = calloc((size_t)t->item_count + 1, sizeof *t->labels);
    if (t->labels == NULL) return hsd_fail_nomem(err, HSD_OWNER_WHAT);
    for (uint32_t i = 0; i < t->item_count; i++)
        if (hsd_owner_item_is_label(t, i)) t->labels[i] = HSD_OWNER_FIRST + hsd_owner_name_of(t, t->items[i].node);
    return HSD_OK;
}

/* True if it changed. */
static bool raise_label(hsd_owner_tree *t, uint32_t at, uint32_t label)
{
    uint32_t old = __atomic_load_n(&t->labels[at], __ATOMIC_RELAXED), now;
    do {
        now = old == HSD_OWNER_NONE || old == label ? label : HSD_OWNER_SHARED;
        if (now == old) return false;
    } while (!__atomic_compare_exchange_n(&t->labels[at], &old, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

bool hsd_owner_arc_waits(hsd_owner_tree *t, uint32_t from, hsd_node source, uint32_t to)
{
    HSD_ASSERT(to < t->item_count);
    if (from == to || hsd_owner_item_is_label(t, to)) return false;
    if (source >= t->second_place && t->items[to].first < t->second_place) return false; /* it holds nothing */
    const bool has_item = from != HSD_OWNER_NO_ITEM;
    const uint32_t label = has_item ? __atomic_load_n(&t->labels[from], __ATOMIC_RELAXED) : HSD_OWNER_SHARED;
    if (label != HSD_OWNER_NONE) raise_label(t, to, label);
    if (label == HSD_OWNER_SHARED || hsd_owner_item_is_label(t, from)) return false;
    return __atomic_load_n(&t->labels[to], __ATOMIC_RELAXED) != HSD_OWNER_SHARED;
}

typedef struct climb {
    hsd_owner_tree *tree;
    uint32_t *arcs;    /* items that references lead to, in the order of where they come from */
    uint32_t *begins;  /* of those from an item */
    uint32_t *waiting; /* items */
    uint32_t waiting_count;
} climb;

static void fill_arcs(climb *w)
{
    const hsd_owner_tree *t = w->tree;
    uint32_t *begins = w->begins + 1; /* where the next one goes; in the end, where those of the next item begin */
    for (size_t list = 0; list < HSD_ARRAY_LEN(t->crossings); list++) {
        for (uint32_t i = 0; i < t->crossings[list].count; i++)
            begins[t->crossings[list].items[i].source + 1]++;
    }
    for (uint32_t i = 1; i <= t->item_count; i++)
        begins[i] += begins[i - 1];
    for (size_t list = 0; list < HSD_ARRAY_LEN(t->crossings); list++) {
        for (uint32_t i = 0; i < t->crossings[list].count; i++) {
            const hsd_crossing *c = &t->crossings[list].items[i];
            w->arcs[begins[c->source]++] = (uint32_t)c->target;
        }
    }
}

/* Each item changes at most twice. */
static void spread_labels(climb *w)
{
    hsd_owner_tree *t = w->tree;
    for (uint32_t i = 0; i < t->item_count; i++)
        if (t->labels[i] != HSD_OWNER_NONE && w->begins[i] < w->begins[i + 1]) w->waiting[w->waiting_count++] = i;
    while (w->waiting_count > 0) {
        const uint32_t from = w->waiting[--w->waiting_count];
        for (uint32_t i = w->begins[from]; i < w->begins[from + 1]; i++)
            if (raise_label(t, w->arcs[i], t->labels[from])) w->waiting[w->waiting_count++] = w->arcs[i];
    }
}

hsd_status hsd_owner_labels_climb(hsd_owner_tree *t, hsd_error *err)
{
    const size_t items = t->item_count, arcs = (size_t)t->crossings[0].count + t->crossings[1].count;
    climb w = {.tree = t};
    w.arcs = malloc((arcs + 1) * sizeof *w.arcs);
    w.begins = calloc(items + 2, sizeof *w.begins);
    w.waiting = malloc((3 * items + 1) * sizeof *w.waiting);
    const bool has_all = w.arcs != NULL && w.begins != NULL && w.waiting != NULL;
    if (has_all) {
        fill_arcs(&w);
        spread_labels(&w);
    }
    free(w.arcs);
    free(w.begins);
    free(w.waiting);
    return has_all ? HSD_OK : hsd_fail_nomem(err, HSD_OWNER_WHAT);
}

void hsd_owner_tree_drop_crossings(hsd_owner_tree *t)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(t->crossings); i++)
        free(t->crossings[i].items);
    memset(t->crossings, 0, sizeof t->crossings);
    free(t->open_bits);
    free(t->open_groups);
    t->open_bits = t->open_groups = NULL;
}
