/*
 * Two passes over the places: how heavy the lightest kept one is, then the list. Ordering sorts them by parent and
 * rank, and walks down with one index a level.
 */
#include "holders/trie/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/heap.h"
#include "base/id_map.h"
#include "walk/store.h"

static void get_of_trie(void *context, uint32_t node, hsd_trie_node *out) { hsd_trie_get(context, node, out); }
static uint64_t weight_in_trie(void *context, uint32_t node) { return hsd_trie_weight(context, node); }
static uint32_t parent_in_trie(void *context, uint32_t node) { return hsd_trie_parent(context, node); }

hsd_trie_source hsd_trie_as_source(hsd_trie *trie)
{
    return (hsd_trie_source){.context = trie,
                             .count = hsd_trie_count(trie),
                             .get = get_of_trie,
                             .weight = weight_in_trie,
                             .parent = parent_in_trie};
}

/* The list, its order, pointers while that is found, the limit's heap, and the map from the source. */
uint64_t hsd_trie_cut_bytes(uint64_t places)
{
    return places * (sizeof(hsd_trie_kept) + sizeof(uint32_t) + sizeof(hsd_trie_kept *) + sizeof(uint64_t) +
                     4 * sizeof(uint64_t));
}

static uint64_t weight_of(const hsd_trie_node *node) { return node->all.before.bytes + node->all.after.bytes; }

static uint64_t weight_at(const hsd_trie_source *source, uint32_t number)
{
    hsd_trie_node node;
    if (source->weight != NULL) return source->weight(source->context, number);
    source->get(source->context, number, &node);
    return weight_of(&node);
}

static uint32_t parent_at(const hsd_trie_source *source, uint32_t number)
{
    hsd_trie_node node;
    if (source->parent != NULL) return source->parent(source->context, number);
    source->get(source->context, number, &node);
    return node.parent;
}

/* ---- the limit ---- */

static bool is_less(const void *context, const void *a, const void *b)
{
    (void)context;
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

/* The weight that comes after the `most` largest: what is kept is heavier. */
static hsd_status find_limit(hsd_trie_cut *cut, const hsd_trie_source *source, uint32_t most, hsd_error *err)
{
    const uint32_t room = most + 1;
    if (source->count < room) return HSD_OK;
    uint64_t *heaviest = calloc(room, sizeof *heaviest); /* a heap, the least on top */
    if (heaviest == NULL) return hsd_fail_nomem(err, "the tree of type paths");
    const hsd_heap heap = {heaviest, sizeof *heaviest, is_less, NULL};
    for (uint32_t i = 0; i < source->count; i++) {
        const uint64_t weight = weight_at(source, i);
        if (weight <= heaviest[0]) continue;
        heaviest[0] = weight;
        hsd_heap_down(heap, 0, room);
    }
    cut->least_bytes = heaviest[0] + 1;
    free(heaviest);
    return HSD_OK;
}

/* ---- the places that are kept ---- */

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects += amount.objects;
    to->bytes += amount.bytes;
}

static void add_own(hsd_trie_kept *kept, const hsd_trie_sums *sums)
{
    add_amount(&kept->node.own.before, sums->before);
    add_amount(&kept->node.own.after, sums->after);
    add_amount(&kept->node.own.new_, sums->new_);
    add_amount(&kept->node.own.freed, sums->freed);
}

/* Where all are kept (NULL) a number is a place in the list. */
static uint32_t place_of(const hsd_id_map *by_number, uint32_t number)
{
    return by_number == NULL ? number : hsd_id_map_get(by_number, number);
}

static hsd_status keep_trie_cut(hsd_trie_cut *cut, hsd_id_map *by_number, uint32_t number, const hsd_trie_node *node,
                                uint32_t parent, hsd_error *err)
{
    hsd_trie_kept *kept = &cut->list[cut->count];
    *kept = (hsd_trie_kept){.node = *node, .edge = {"", 0}, .type = {"", 0}, .number = number};
    kept->node.parent = parent;
    cut->count++;
    return by_number == NULL ? HSD_OK : hsd_id_map_put(by_number, number, cut->count - 1, err);
}

static hsd_status find_kept(hsd_trie_cut *cut, const hsd_trie_source *source, uint32_t most, hsd_id_map *by_number,
                            hsd_error *err)
{
    for (uint32_t i = 0; i < source->count; i++) {
        hsd_trie_node node;
        const uint32_t parent = i == HSD_TRIE_ROOT ? 0 : place_of(by_number, parent_at(source, i));
        if (parent == HSD_ID_NONE) continue; /* as most: what they have below them is not asked for */
        source->get(source->context, i, &node);
        const bool is_kept = i == HSD_TRIE_ROOT || (weight_of(&node) >= cut->least_bytes && cut->count < most);
        if (is_kept)
            HSD_TRY(keep_trie_cut(cut, by_number, i, &node, parent, err));
        else
            add_own(&cut->list[parent], &node.all);
    }
    return HSD_OK;
}

hsd_status hsd_trie_cut_find(hsd_trie_cut *cut, const hsd_trie_source *source, uint32_t most, hsd_error *err)
{
    HSD_ASSERT(most >= 1 && source->get != NULL);
    hsd_id_map by_number = {0};
    memset(cut, 0, sizeof *cut);
    HSD_TRY(find_limit(cut, source, most, err));
    const bool has_all = source->count <= most;
    size_t bytes;
    if (!hsd_mul_size(has_all ? source->count : most, sizeof *cut->list, &bytes) ||
        !hsd_pages_take_any(&cut->pages, bytes))
        return hsd_fail_nomem(err, "the tree of type paths");
    cut->list = cut->pages.data;
    const hsd_status status = find_kept(cut, source, most, has_all ? NULL : &by_number, err);
    hsd_id_map_release(&by_number);
    return status;
}

/* ---- order ---- */

/* Of children of one place. */
static int compare_trie_cut(const void *a, const void *b)
{
    const hsd_trie_kept *x = *(const hsd_trie_kept *const *)a, *y = *(const hsd_trie_kept *const *)b;
    if (x->rank != y->rank) return x->rank < y->rank ? 1 : -1;
    int order = hsd_store_compare(x->edge, y->edge);
    if (order == 0) order = hsd_store_compare(x->type, y->type);
    if (order == 0) order = (x->node.edge > y->node.edge) - (x->node.edge < y->node.edge);
    return order != 0 ? order : (x->node.type > y->node.type) - (x->node.type < y->node.type);
}

/* Children of one place side by side, in their order: each parent says how many it has, then where they begin. */
static void put_children_together(hsd_trie_cut *cut, hsd_trie_kept **sorted)
{
    uint32_t begun = 0;
    for (uint32_t i = 1; i < cut->count; i++)
        cut->list[cut->list[i].node.parent].end++;
    for (uint32_t i = 0; i < cut->count; i++) {
        const uint32_t children = cut->list[i].end;
        cut->list[i].first = cut->list[i].end = begun;
        begun += children;
    }
    for (uint32_t i = 1; i < cut->count; i++)
        sorted[cut->list[cut->list[i].node.parent].end++] = &cut->list[i];
    for (uint32_t i = 0; i < cut->count; i++) {
        const hsd_trie_kept *parent = &cut->list[i];
        if (parent->end - parent->first > 1)
            qsort(&sorted[parent->first], parent->end - parent->first, sizeof(hsd_trie_kept *), compare_trie_cut);
    }
}

/* A parent is told by where it stands in the order from when its children are reached. */
static void put_in_preorder(hsd_trie_cut *cut, hsd_trie_kept *const *sorted)
{
    uint32_t next[HSD_TRIE_CUT_MAX_DEPTH + 2], end[HSD_TRIE_CUT_MAX_DEPTH + 2], above[HSD_TRIE_CUT_MAX_DEPTH + 2];
    uint32_t level = 0, count = 1;
    cut->order[0] = 0;
    next[0] = cut->list[0].first;
    end[0] = cut->list[0].end;
    above[0] = 0;
    for (;;) {
        if (next[level] == end[level]) {
            if (level-- == 0) return;
            continue;
        }
        hsd_trie_kept *kept = sorted[next[level]++];
        kept->node.parent = above[level];
        level++;
        next[level] = kept->first;
        end[level] = kept->end;
        above[level] = count;
        cut->order[count++] = (uint32_t)(kept - cut->list);
    }
}

hsd_status hsd_trie_cut_order(hsd_trie_cut *cut, hsd_error *err)
{
    HSD_ASSERT(cut->count >= 1);
    hsd_trie_kept **sorted = malloc(cut->count * sizeof(hsd_trie_kept *));
    cut->order = malloc(cut->count * sizeof *cut->order);
    if (cut->order == NULL || sorted == NULL) {
        free(sorted);
        return hsd_fail_nomem(err, "the tree of type paths");
    }
    put_children_together(cut, sorted);
    put_in_preorder(cut, sorted);
    free(sorted);
    return HSD_OK;
}

void hsd_trie_cut_release(hsd_trie_cut *cut)
{
    hsd_pages_give(&cut->pages);
    free(cut->order);
    memset(cut, 0, sizeof *cut);
}
