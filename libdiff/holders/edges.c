/*
 * Through which places the growth of a holder hangs. The places below each holder with edges are one subtree of a
 * trie whose first level are the holders. Of each, the rows are the places that carry at least one part in
 * LEAST_PART of its growth, the HSD_MAX_GROWTH_EDGES largest that hang together with it.
 *
 *      one pass over the trie     candidates: large enough, and so is all above       parents before children
 *      for each holder            largest first, each with all above it → rows → preorder
 */
#include "holders/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/heap.h"

#define LEAST_PART 50 /* 2% */
#define NOBODY     UINT32_MAX

typedef struct place {     /* a candidate */
    uint32_t node, parent; /* in the trie; place in the list, NOBODY below the holder itself */
    uint32_t holder, depth;
    uint32_t edge, type; /* to tell apart what reads alike: no edge of its own, and one without a name */
    int64_t growth;
    hsd_growth_edge row;
    bool is_row;
} place;

typedef struct edges {
    hsd_growth *growth;
    hsd_growth_texts *texts;
    place *places;
    uint32_t count, capacity;
    hsd_id_map by_node; /* node of the trie -> place in the list; of a holder's own node its choice */
} edges;

static int64_t growth_of(const hsd_trie_sums *sums) { return (int64_t)(sums->new_.bytes - sums->freed.bytes); }

static hsd_status fill_row(edges *e, const hsd_trie_node *node, place *p, hsd_error *err)
{
    p->row.before = node->own.before;
    p->row.after = node->own.after;
    p->row.growth_bytes = p->growth;
    p->row.depth = p->depth;
    if (e->growth->has_identity) {
        p->row.new_ = node->own.new_;
        p->row.freed = node->own.freed;
    }
    HSD_TRY(hsd_growth_text_of_shown(e->texts, node->edge, &p->row.edge, err));
    return hsd_growth_text_of_type(e->texts, node->type, &p->row.type, err);
}

static hsd_status add_place(edges *e, uint32_t number, const hsd_trie_node *node, uint32_t parent, uint32_t holder,
                            hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(e->places, e->capacity, e->count + 1, 256, "the places of growth", err));
    place *p = &e->places[e->count];
    *p = (place){.node = number,
                 .parent = parent,
                 .holder = holder,
                 .depth = node->depth - 1,
                 .edge = node->edge,
                 .type = node->type & HSD_TRIE_IS_ROOT,
                 .growth = growth_of(&node->all)};
    HSD_TRY(fill_row(e, node, p, err));
    return hsd_id_map_put(&e->by_node, number, e->count++, err);
}

/* Depth 1 are the holders themselves: their nodes stand behind all places in the map. */
static hsd_status look_at_holder_edge(edges *e, uint32_t number, hsd_error *err)
{
    hsd_trie_node node;
    hsd_trie_get(e->growth->places, number, &node);
    if (node.depth == 1)
        return hsd_id_map_put(&e->by_node, number, (node.type & ~HSD_TRIE_IS_ROOT) | HSD_TRIE_IS_ROOT, err);
    const uint32_t above = hsd_id_map_get(&e->by_node, node.parent);
    if (above == HSD_ID_NONE) return HSD_OK;
    const bool is_first = (above & HSD_TRIE_IS_ROOT) != 0;
    const uint32_t holder = is_first ? above & ~HSD_TRIE_IS_ROOT : e->places[above].holder;
    const int64_t growth = growth_of(&node.all), least = hsd_choice_growth(&e->growth->choices[holder]) / LEAST_PART;
    if (growth <= 0 || growth < least) return HSD_OK;
    return add_place(e, number, &node, is_first ? NOBODY : above, holder, err);
}

/* ---- order ---- */

static int compare_texts(const place *x, const place *y)
{
    int order = hsd_store_compare(x->row.edge, y->row.edge);
    if (order == 0) order = hsd_store_compare(x->row.type, y->row.type);
    if (order == 0) order = (x->edge > y->edge) - (x->edge < y->edge);
    return order != 0 ? order : (x->type > y->type) - (x->type < y->type);
}

/* By holder; within it largest first, what is above before what is below. */
static int compare_places(const place *x, const place *y)
{
    if (x->holder != y->holder) return x->holder < y->holder ? -1 : 1;
    if (x->growth != y->growth) return x->growth < y->growth ? 1 : -1;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return compare_texts(x, y);
}

/* Equal in all that compare_places sees, they may still hang from different places: then those decide. */
static int compare_indexes(const edges *e, uint32_t a, uint32_t b)
{
    int order = compare_places(&e->places[a], &e->places[b]);
    while (order == 0 && a != b) {
        a = e->places[a].parent;
        b = e->places[b].parent;
        if (a == NOBODY || b == NOBODY) break;
        order = compare_places(&e->places[a], &e->places[b]);
    }
    return order;
}

static bool holder_edge_comes_later(const void *context, const void *a, const void *b)
{
    return compare_indexes(context, *(const uint32_t *)a, *(const uint32_t *)b) > 0;
}

/* Heap sort: the comparison needs the list. */
static void sort_holder_edge(const edges *e, uint32_t *order)
{
    const hsd_heap heap = {order, sizeof *order, holder_edge_comes_later, e};
    for (uint32_t i = 0; i < e->count; i++)
        order[i] = i;
    hsd_heap_make(heap, e->count);
    hsd_heap_sort(heap, e->count);
}

/* ---- rows ---- */

/* Chosen ones of one holder, order[0 … count - 1], in preorder: children stand in their order already. */
static size_t put_children(const edges *e, const uint32_t *order, uint32_t count, uint32_t parent,
                           hsd_growth_edge *rows, size_t at)
{
    uint32_t stack[HSD_MAX_GROWTH_EDGES * 2]; /* positions to go on from, one a level */
    uint32_t level = 0, above[HSD_MAX_GROWTH_EDGES * 2];
    stack[0] = 0;
    above[0] = parent;
    for (;;) {
        uint32_t i = stack[level];
        while (i < count && (!e->places[order[i]].is_row || e->places[order[i]].parent != above[level]))
            i++;
        if (i == count) {
            if (level == 0) return at;
            level--;
            continue;
        }
        stack[level] = i + 1;
        rows[at++] = e->places[order[i]].row;
        level++;
        stack[level] = 0;
        above[level] = order[i];
    }
}

/* Makes rows of a place and of all above it that are none yet, if they find room: where things were freed above, what
 * is below may carry more than all of it. */
static size_t choose_holder_edge(edges *e, uint32_t at, size_t room)
{
    size_t missing = 0;
    for (uint32_t i = at; i != NOBODY && !e->places[i].is_row; i = e->places[i].parent)
        missing++;
    if (missing > room) return 0;
    for (uint32_t i = at; i != NOBODY && !e->places[i].is_row; i = e->places[i].parent)
        e->places[i].is_row = true;
    return missing;
}

static hsd_status make_rows(edges *e, const uint32_t *order, uint32_t count, hsd_holder *holder, hsd_error *err)
{
    size_t chosen = 0;
    for (uint32_t i = 0; i < count; i++)
        chosen += choose_holder_edge(e, order[i], HSD_MAX_GROWTH_EDGES - chosen);
    hsd_growth_edge *rows = hsd_arena_take(&e->growth->diff->store->arena, (chosen + 1) * sizeof *rows);
    if (rows == NULL) return hsd_fail_nomem(err, "the places of growth");
    holder->edge_count = put_children(e, order, count, NOBODY, rows, 0);
    holder->edges = rows;
    return HSD_OK;
}

static hsd_status run_holder_edge(edges *e, hsd_holder *holders, hsd_error *err)
{
    hsd_trie *places = e->growth->places;
    for (uint32_t i = 1; i < hsd_trie_count(places); i++)
        HSD_TRY(look_at_holder_edge(e, i, err));
    HSD_TRY(hsd_trie_check(places, err));
    uint32_t *order = malloc((e->count + 1) * sizeof *order);
    if (order == NULL) return hsd_fail_nomem(err, "the places of growth");
    sort_holder_edge(e, order);
    hsd_status status = HSD_OK;
    for (uint32_t i = 0, end; i < e->count && status == HSD_OK; i = end) {
        const uint32_t holder = e->places[order[i]].holder;
        for (end = i; end < e->count && e->places[order[end]].holder == holder;)
            end++;
        status = make_rows(e, order + i, end - i, &holders[holder], err);
    }
    free(order);
    return status;
}

hsd_status hsd_growth_edge_rows(hsd_growth *growth, hsd_growth_texts *texts, hsd_holder *rows, hsd_error *err)
{
    edges e = {.growth = growth, .texts = texts};
    const hsd_status status = run_holder_edge(&e, rows, err);
    free(e.places);
    hsd_id_map_release(&e.by_node);
    return status;
}
