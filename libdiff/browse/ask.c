/*
 * Questions whose answers are lists that lie ready: objects of a type, what a node dominates, its references to either
 * side.
 */
#include <inttypes.h>

#include "base/check.h"
#include "browse/browse.h"

/* ---- by id ---- */

hsd_status hsd_browse_find(hsd_browse *browse, size_t side, uint64_t id, hsd_browse_ref *out, hsd_error *err)
{
    hsd_index *index;
    HSD_TRY(hsd_browse_side(browse, side, &index, err));
    const hsd_node node = hsd_index_find(index, id);
    HSD_TRY(hsd_index_check(index, err));
    if (node == HSD_NODE_NONE) {
        return hsd_fail(err, HSD_E_NOT_FOUND, "none of the %" HSD_PRI_NODE " objects has the id 0x%" PRIx64,
                        index->walk->object_count, id);
    }
    out->node = node;
    return HSD_OK;
}

/* ---- lists that lie ready ---- */

/* An empty list for what of `total` is asked for, and how many that are. */
static hsd_status begin_list(uint64_t total, uint64_t from, size_t count, hsd_browse_list **out, size_t *wanted,
                             hsd_error *err)
{
    const uint64_t first = hsd_min_u64(from, total);
    *wanted = (size_t)hsd_min_u64(hsd_min_u64(count, HSD_BROWSE_MOST), total - first);
    HSD_TRY(hsd_browse_list_new(out, first, *wanted, err));
    (*out)->total = total;
    return HSD_OK;
}

typedef struct ready {
    hsd_node (*node_at)(const void *context, hsd_index *index, uint64_t i);
    const void *context;
    uint64_t total;
    void (*fill)(hsd_browse *browse, size_t side, hsd_node node, hsd_browse_node *out);
} ready;

static hsd_status list_ready(hsd_browse *browse, size_t side, const ready *nodes, uint64_t from, size_t count,
                             hsd_browse_list **out, hsd_error *err)
{
    hsd_index *index = &browse->indexes[side];
    hsd_browse_list *list;
    size_t wanted;
    HSD_TRY(begin_list(nodes->total, from, count, &list, &wanted, err));
    while (list->count < wanted) {
        const hsd_node node = nodes->node_at(nodes->context, index, list->from + list->count);
        if (node >= hsd_index_node_count(index)) break; /* could not be read */
        nodes->fill(browse, side, node, &list->nodes[list->count++]);
    }
    return hsd_browse_answer(browse, side, out, list, err);
}

/* ---- of a type ---- */

static hsd_node of_type(const void *begin, hsd_index *index, uint64_t i)
{
    return hsd_paged_get_node(&index->by_type, *(const uint64_t *)begin + i);
}

hsd_status hsd_browse_objects(hsd_browse *browse, size_t side, hsd_text type, uint64_t from, size_t count,
                              hsd_browse_list **out, hsd_error *err)
{
    hsd_index *index;
    *out = NULL;
    HSD_TRY(hsd_browse_side(browse, side, &index, err));
    const uint32_t number =
        hsd_names_find(&index->walk->request->type_names->names, (hsd_bytes){(const uint8_t *)type.data, type.size});
    if (number == HSD_NAME_NONE || index->type_begins[number] == index->type_begins[number + 1]) {
        return hsd_fail(err, HSD_E_NOT_FOUND, "no live object is of that type");
    }
    const uint64_t *begin = &index->type_begins[number];
    return list_ready(browse, side, &(ready){of_type, begin, begin[1] - begin[0], hsd_browse_fill}, from, count, out,
                      err);
}

/* ---- what is dominated ---- */

static hsd_node child(const void *children, hsd_index *index, uint64_t i)
{
    return hsd_index_child(index, children, i);
}

hsd_status hsd_browse_dominated(hsd_browse *browse, size_t side, hsd_browse_ref ref, uint64_t from, size_t count,
                                hsd_browse_list **out, hsd_error *err)
{
    hsd_index *index;
    hsd_node node;
    hsd_children children = {.count = 0};
    *out = NULL;
    if (ref.node == HSD_BROWSE_ALL) {
        HSD_TRY(hsd_browse_side(browse, side, &index, err));
        hsd_index_children(index, 0, index->place_count, &children);
    } else {
        HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, &node, err));
        const hsd_browse_row row = hsd_index_row(index, node);
        if (row.first != 0) hsd_index_children(index, row.first, row.end, &children);
    }
    return list_ready(browse, side, &(ready){child, &children, children.count, hsd_browse_fill_held}, from, count, out,
                      err);
}

/* ---- references ---- */

static hsd_node root(const void *begin, hsd_index *index, uint64_t i)
{
    (void)index;
    return *(const hsd_node *)begin + (hsd_node)i;
}

/* To which nothing refers but what is above them. */
static hsd_status list_roots(hsd_browse *browse, size_t side, uint64_t from, size_t count, hsd_browse_list **out,
                             hsd_error *err)
{
    hsd_index *index;
    HSD_TRY(hsd_browse_side(browse, side, &index, err));
    const hsd_root_nodes *roots = &index->walk->root_span;
    return list_ready(browse, side, &(ready){root, &roots->begin, roots->end - roots->begin, hsd_browse_fill}, from,
                      count, out, err);
}

/* Lines are filled once a part was read: its items are borrowed, but what fills them reads other files. References are
 * named where they come from: those to `node` in the lists of who refers to it. */
static void take_lines(hsd_browse *browse, size_t side, const hsd_targets *targets, hsd_node node, size_t most,
                       hsd_browse_list *list)
{
    hsd_index *index = &browse->indexes[side];
    for (uint32_t i = 0; i < targets->count && list->count < most; i++) {
        if (targets->items[i] >= hsd_index_node_count(index)) return; /* could not be read */
        hsd_browse_node *line = &list->nodes[list->count++];
        hsd_browse_fill(browse, side, targets->items[i], line);
        const uint32_t name =
            node != HSD_NODE_NONE ? hsd_lists_name(&index->referents, targets->items[i], node) : targets->names[i];
        line->edge = hsd_browse_edge(index, name);
    }
}

/* Of the weak references of the node that was looked at, from the i-th on. */
static void take_weak_lines(hsd_browse *browse, size_t side, uint64_t i, size_t most, hsd_browse_list *list)
{
    const hsd_weak *weak = &browse->indexes[side].weak;
    for (; i < weak->count && list->count < most; i++) {
        const uint64_t *reference = &weak->references[i * HSD_TWO_WORDS];
        hsd_browse_node *line = &list->nodes[list->count++];
        hsd_browse_fill(browse, side, hsd_words_first(reference), line);
        line->is_weak = true;
        line->edge = hsd_browse_text(hsd_edge_text(&weak->names, (uint32_t)hsd_words_second(reference)));
    }
}

static hsd_status list_references(hsd_browse *browse, size_t side, bool to_it, hsd_node node, uint64_t from,
                                  size_t count, hsd_browse_list **out, hsd_error *err)
{
    hsd_browse_list *list;
    const hsd_weak *weak = &browse->indexes[side].weak;
    hsd_lists *lists = to_it ? &browse->indexes[side].referrers : &browse->indexes[side].referents;
    const uint64_t strong = hsd_lists_count(lists, node);
    size_t wanted;
    HSD_TRY(begin_list(strong + (to_it ? 0 : weak->count), from, count, &list, &wanted, err));
    while (list->count < wanted) {
        hsd_targets targets;
        const size_t before = list->count;
        hsd_lists_get(lists, node, list->from + list->count, &targets);
        take_lines(browse, side, &targets, to_it ? node : HSD_NODE_NONE, wanted, list);
        if (list->count == before) break;
    }
    if (!to_it) {
        list->is_total_known = !weak->has_more;
        if (list->from + list->count >= strong)
            take_weak_lines(browse, side, list->from + list->count - strong, wanted, list);
    }
    return hsd_browse_answer(browse, side, out, list, err);
}

hsd_status hsd_browse_referents(hsd_browse *browse, size_t side, hsd_browse_ref ref, uint64_t from, size_t count,
                                hsd_browse_list **out, hsd_error *err)
{
    hsd_index *index;
    hsd_node node;
    *out = NULL;
    if (ref.node == HSD_BROWSE_ALL) return list_roots(browse, side, from, count, out, err);
    HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, &node, err));
    HSD_TRY(hsd_weak_look(index, node, err));
    return list_references(browse, side, false, node, from, count, out, err);
}

hsd_status hsd_browse_referrers(hsd_browse *browse, size_t side, hsd_browse_ref ref, uint64_t from, size_t count,
                                hsd_browse_list **out, hsd_error *err)
{
    hsd_index *index;
    hsd_node node;
    *out = NULL;
    if (ref.node == HSD_BROWSE_ALL) {
        HSD_TRY(hsd_browse_side(browse, side, &index, err));
        return hsd_browse_list_new(out, 0, 0, err);
    }
    HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, &node, err));
    return list_references(browse, side, true, node, from, count, out, err);
}
