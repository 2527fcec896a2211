/*
 * Questions whose answers are lists that lie ready: objects of a type, what a node dominates, its references to either side.
 */
#include "base/check.h"
#include "browse/browse.h"

/* ---- by id, and by type ---- */

hsd_status hsd_browse_find(hsd_browse *browse, size_t side, uint64_t id, hsd_browse_ref *out, hsd_error *err)
{
    hsd_index *index;
    HSD_TRY(hsd_browse_side(browse, side, &index, err));
    const uint32_t node = hsd_index_find(index, id);
    HSD_TRY(hsd_index_check(index, err));
    if (node == HSD_NODE_NONE) {
        return hsd_fail(err, HSD_E_NOT_FOUND, "none of the %u objects has the id 0x%llx", index->walk->object_count,
                        (unsigned long long)id);
    }
    out->node = node;
    return HSD_OK;
}

/* The i-th node of a list that lies ready. */
typedef uint32_t (*node_fn)(const void *list, hsd_index *index, uint64_t i);

static hsd_status list_nodes(hsd_browse *browse, size_t side, node_fn node_at, const void *nodes, uint64_t total, uint64_t from,
                             size_t count, bool has_edges, hsd_browse_list **out, hsd_error *err)
{
    hsd_index *index = &browse->indexes[side];
    hsd_browse_list *list;
    const uint64_t first = hsd_min_u64(from, total);
    const size_t wanted = (size_t)hsd_min_u64(hsd_min_u64(count, HSD_BROWSE_MOST), total - first);
    *out = NULL;
    HSD_TRY(hsd_browse_list_new(&list, first, wanted, err));
    list->total = total;
    for (size_t i = 0; i < wanted; i++) {
        const uint32_t node = node_at(nodes, index, first + i);
        if (node >= hsd_index_node_count(index)) break; /* could not be read */
        hsd_browse_node *line = &list->nodes[list->count++];
        hsd_browse_fill(browse, side, node, line);
        if (has_edges && !line->is_root) line->edge = hsd_browse_edge(index, hsd_index_row(index, node).edge);
    }
    return hsd_browse_answer(browse, out, list, err);
}

static uint32_t of_type(const void *begin, hsd_index *index, uint64_t i)
{
    return hsd_paged_get_u32(&index->by_type, *(const uint64_t *)begin + i);
}

hsd_status hsd_browse_objects(hsd_browse *browse, size_t side, hsd_text type, uint64_t from, size_t count, hsd_browse_list **out,
                              hsd_error *err)
{
    hsd_index *index;
    *out = NULL;
    HSD_TRY(hsd_browse_side(browse, side, &index, err));
    const uint32_t number = hsd_names_find(&index->walk->type_names->names, (hsd_bytes){(const uint8_t *)type.data, type.size});
    if (number == HSD_NAME_NONE || index->type_begins[number] == index->type_begins[number + 1]) {
        return hsd_fail(err, HSD_E_NOT_FOUND, "no live object is of that type");
    }
    const uint64_t *begin = &index->type_begins[number];
    return list_nodes(browse, side, of_type, begin, begin[1] - begin[0], from, count, false, out, err);
}

/* ---- what is dominated ---- */

static uint32_t child(const void *children, hsd_index *index, uint64_t i) { return hsd_index_child(index, children, i); }

hsd_status hsd_browse_dominated(hsd_browse *browse, size_t side, hsd_browse_ref ref, uint64_t from, size_t count, hsd_browse_list **out,
                                hsd_error *err)
{
    hsd_index *index;
    hsd_children children = {.count = 0};
    *out = NULL;
    if (ref.node == HSD_BROWSE_ALL) {
        HSD_TRY(hsd_browse_side(browse, side, &index, err));
        hsd_index_children(index, 0, index->place_count, &children);
    } else {
        HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, err));
        const hsd_browse_row row = hsd_index_row(index, ref.node);
        if (row.first != 0) hsd_index_children(index, row.first, row.end, &children);
    }
    return list_nodes(browse, side, child, &children, children.count, from, count, true, out, err);
}

/* ---- references ---- */

/* The roots, to which nothing refers but what is above them. */
static hsd_status list_roots(hsd_browse *browse, size_t side, uint64_t from, size_t count, hsd_browse_list **out, hsd_error *err)
{
    hsd_index *index;
    hsd_browse_list *list;
    HSD_TRY(hsd_browse_side(browse, side, &index, err));
    const hsd_root_nodes *roots = &index->walk->root_span;
    const uint64_t total = roots->end - roots->begin, first = hsd_min_u64(from, total);
    const size_t wanted = (size_t)hsd_min_u64(hsd_min_u64(count, HSD_BROWSE_MOST), total - first);
    HSD_TRY(hsd_browse_list_new(&list, first, wanted, err));
    list->total = total;
    while (list->count < wanted) {
        const uint32_t node = roots->begin + (uint32_t)(first + list->count);
        hsd_browse_fill(browse, side, node, &list->nodes[list->count++]);
    }
    return hsd_browse_answer(browse, out, list, err);
}

/* Lines are filled once a part was read: its items are borrowed, but what fills them reads other files. References are named where they
 * come from: those to `node` in the lists of who refers to it. */
static void take_lines(hsd_browse *browse, size_t side, const hsd_targets *targets, uint32_t node, size_t most, hsd_browse_list *list)
{
    hsd_index *index = &browse->indexes[side];
    for (uint32_t i = 0; i < targets->count && list->count < most; i++) {
        if (targets->items[i] >= hsd_index_node_count(index)) return; /* could not be read */
        hsd_browse_node *line = &list->nodes[list->count++];
        hsd_browse_fill(browse, side, targets->items[i], line);
        const uint32_t name = node != HSD_NODE_NONE ? hsd_lists_name(&index->referents, targets->items[i], node) : targets->names[i];
        line->edge = hsd_browse_edge(index, name);
    }
}

static hsd_status list_references(hsd_browse *browse, size_t side, bool to_it, uint32_t node, uint64_t from, size_t count,
                                  hsd_browse_list **out, hsd_error *err)
{
    hsd_browse_list *list;
    hsd_lists *lists = to_it ? &browse->indexes[side].referrers : &browse->indexes[side].referents;
    const uint64_t total = hsd_lists_count(lists, node), first = hsd_min_u64(from, total);
    const size_t wanted = (size_t)hsd_min_u64(hsd_min_u64(count, HSD_BROWSE_MOST), total - first);
    HSD_TRY(hsd_browse_list_new(&list, first, wanted, err));
    list->total = total;
    while (list->count < wanted) {
        hsd_targets targets;
        const size_t before = list->count;
        hsd_lists_get(lists, node, first + list->count, &targets);
        take_lines(browse, side, &targets, to_it ? node : HSD_NODE_NONE, wanted, list);
        if (list->count == before) break;
    }
    return hsd_browse_answer(browse, out, list, err);
}

hsd_status hsd_browse_referents(hsd_browse *browse, size_t side, hsd_browse_ref ref, uint64_t from, size_t count, hsd_browse_list **out,
                                hsd_error *err)
{
    hsd_index *index;
    *out = NULL;
    if (ref.node == HSD_BROWSE_ALL) return list_roots(browse, side, from, count, out, err);
    HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, err));
    return list_references(browse, side, false, ref.node, from, count, out, err);
}

hsd_status hsd_browse_referrers(hsd_browse *browse, size_t side, hsd_browse_ref ref, uint64_t from, size_t count, hsd_browse_list **out,
                                hsd_error *err)
{
    hsd_index *index;
    *out = NULL;
    if (ref.node == HSD_BROWSE_ALL) {
        HSD_TRY(hsd_browse_side(browse, side, &index, err));
        return hsd_browse_list_new(out, 0, 0, err);
    }
    HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, err));
    return list_references(browse, side, true, ref.node, from, count, out, err);
}
