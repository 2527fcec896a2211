/*
 * The type-path tree of the result. The trie may have any number of nodes; the result has the HSD_MAX_TREE_ROWS
 * heaviest, by bytes before and after together, of which a node has at least as many as any below it. So what is shown
 * hangs together, and what is not shown counts for the place above. The limit in bytes is the least that leaves few
 * enough: all places of one weight are shown or none, and nothing depends on their order.
 */
#include "diff/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

typedef struct shown { /* a place that is a row */
    hsd_tree_row row;
    uint32_t parent;   /* in the list; the root's own */
    uint32_t edge, type;
    uint32_t first, end; /* its children in the sorted list */
} shown;

typedef struct tree {
    hsd_growth *growth;
    hsd_growth_texts *texts;
    shown *list;
    uint32_t count;
    hsd_id_map by_node; /* node of the trie -> place in the list */
    uint64_t least_bytes;
} tree;

static hsd_status no_memory(hsd_error *err) { return hsd_fail(err, HSD_E_NOMEM, "out of memory for the tree of type paths"); }

static uint64_t weight_of(const hsd_trie_node *node) { return node->all.before.bytes + node->all.after.bytes; }

/* ---- the limit ---- */

static bool is_less(const void *context, const void *a, const void *b)
{
    (void)context;
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

/* The weight that comes after the HSD_MAX_TREE_ROWS largest: what is shown is heavier. */
static hsd_status find_limit(tree *t, hsd_error *err)
{
    hsd_trie *trie = t->growth->trie;
    const uint32_t room = HSD_MAX_TREE_ROWS + 1;
    if (hsd_trie_count(trie) < room) return HSD_OK;
    uint64_t *heaviest = calloc(room, sizeof *heaviest); /* a heap, the least on top */
    if (heaviest == NULL) return no_memory(err);
    const hsd_heap heap = {heaviest, sizeof *heaviest, is_less, NULL};
    for (uint32_t i = 0; i < hsd_trie_count(trie); i++) {
        hsd_trie_node node;
        hsd_trie_get(trie, i, &node);
        if (weight_of(&node) <= heaviest[0]) continue;
        heaviest[0] = weight_of(&node);
        hsd_heap_down(heap, 0, room);
    }
    t->least_bytes = heaviest[0] + 1;
    free(heaviest);
    return HSD_OK;
}

/* ---- the places that are shown ---- */

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects += amount.objects;
    to->bytes += amount.bytes;
}

static void add_own(hsd_tree_row *row, const hsd_trie_sums *sums)
{
    add_amount(&row->own_before, sums->before);
    add_amount(&row->own_after, sums->after);
    add_amount(&row->own_new, sums->new_);
    add_amount(&row->own_freed, sums->freed);
}

static hsd_status show(tree *t, uint32_t number, const hsd_trie_node *node, uint32_t parent, hsd_error *err)
{
    shown *s = &t->list[t->count];
    *s = (shown){.parent = parent, .edge = node->edge, .type = node->type,
                 .row = {.depth = node->depth, .is_root = (node->type & HSD_TRIE_IS_ROOT) != 0,
                         .before = node->all.before, .after = node->all.after, .new_ = node->all.new_,
                         .freed = node->all.freed, .edge = {"", 0}, .type = {"", 0}}};
    add_own(&s->row, &node->own);
    if (number != HSD_TRIE_ROOT) {
        HSD_TRY(hsd_growth_text_of_edge(t->texts, node->edge, &s->row.edge, err));
        HSD_TRY(hsd_growth_text_of_type(t->texts, node->type, &s->row.type, err));
    }
    return hsd_id_map_put(&t->by_node, number, t->count++, err);
}

static hsd_status find_shown(tree *t, hsd_error *err)
{
    hsd_trie *trie = t->growth->trie;
    const uint32_t most = hsd_trie_count(trie) < HSD_MAX_TREE_ROWS ? hsd_trie_count(trie) : HSD_MAX_TREE_ROWS;
    t->list = calloc(most, sizeof *t->list);
    if (t->list == NULL) return no_memory(err);
    for (uint32_t i = 0; i < hsd_trie_count(trie); i++) {
        hsd_trie_node node;
        hsd_trie_get(trie, i, &node);
        const uint32_t parent = i == HSD_TRIE_ROOT ? 0 : hsd_id_map_get(&t->by_node, node.parent);
        if (parent == HSD_ID_NONE) continue;
        const bool is_shown = i == HSD_TRIE_ROOT || (weight_of(&node) >= t->least_bytes && t->count < most);
        if (is_shown) HSD_TRY(show(t, i, &node, parent, err));
        else add_own(&t->list[parent].row, &node.all);
    }
    return hsd_trie_check(trie, err);
}

/* ---- order ---- */

static int64_t growth_of(const shown *s) { return (int64_t)(s->row.after.bytes - s->row.before.bytes); }

/* Children of one place side by side, by growth, then by text. */
static int compare_shown(const void *a, const void *b)
{
    const shown *x = *(const shown *const *)a, *y = *(const shown *const *)b;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    if (growth_of(x) != growth_of(y)) return growth_of(x) < growth_of(y) ? 1 : -1;
    int order = hsd_store_compare(x->row.edge, y->row.edge);
    if (order == 0) order = hsd_store_compare(x->row.type, y->row.type);
    if (order == 0) order = (x->edge > y->edge) - (x->edge < y->edge);
    return order != 0 ? order : x->row.is_root - y->row.is_root;
}

static void put_in_preorder(const tree *t, shown *const *sorted, hsd_tree_row *rows)
{
    uint32_t next[HSD_TRIE_MAX_DEPTH + 2], end[HSD_TRIE_MAX_DEPTH + 2], above[HSD_TRIE_MAX_DEPTH + 2];
    uint32_t level = 0, count = 1;
    rows[0] = t->list[0].row;
    next[0] = t->list[0].first;
    end[0] = t->list[0].end;
    above[0] = 0;
    for (;;) {
        if (next[level] == end[level]) {
            if (level-- == 0) return;
            continue;
        }
        const shown *s = sorted[next[level]++];
        rows[count] = s->row;
        rows[count].parent = above[level];
        level++;
        next[level] = s->first;
        end[level] = s->end;
        above[level] = count++;
    }
}

static hsd_status make_rows(tree *t, hsd_error *err)
{
    hsd_diff *diff = t->growth->diff;
    hsd_tree_row *rows = hsd_arena_take(&diff->store->arena, t->count * sizeof *rows);
    shown **sorted = malloc(t->count * sizeof(shown *));
    if (rows == NULL || sorted == NULL) {
        free(sorted);
        return no_memory(err);
    }
    for (uint32_t i = 1; i < t->count; i++) sorted[i - 1] = &t->list[i];
    qsort(sorted, t->count - 1, sizeof(shown *), compare_shown);
    for (uint32_t i = 0; i + 1 < t->count; i++) {
        shown *parent = &t->list[sorted[i]->parent];
        if (parent->end == 0) parent->first = i;
        parent->end = i + 1;
    }
    put_in_preorder(t, sorted, rows);
    free(sorted);
    diff->tree = rows;
    diff->tree_count = t->count;
    diff->tree_least_bytes = t->least_bytes;
    diff->tree_depth = hsd_trie_is_cut(t->growth->trie) ? HSD_TRIE_MAX_DEPTH : 0;
    return HSD_OK;
}

hsd_status hsd_growth_tree_rows(hsd_growth *growth, hsd_growth_texts *texts, hsd_error *err)
{
    tree t = {.growth = growth, .texts = texts};
    hsd_status status = find_limit(&t, err);
    if (status == HSD_OK) status = find_shown(&t, err);
    if (status == HSD_OK) status = make_rows(&t, err);
    free(t.list);
    hsd_id_map_release(&t.by_node);
    return status;
}
