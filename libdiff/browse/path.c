/*
 * How a node is reached, and what dominates it: ways up the tree of shortest paths (by nodes) and up the dominator tree
 * (by places).
 */
#include <string.h>

#include "base/check.h"
#include "browse/browse.h"
#include "browse/ways_up.h"

static hsd_status new_list(const hsd_way_up *way, hsd_browse_list **out, hsd_error *err)
{
    HSD_TRY(hsd_browse_list_new(out, 0, way->count, err));
    (*out)->total = way->total;
    if (way->total > way->count) (*out)->from = way->total - HSD_WAY_HALF;
    return HSD_OK;
}

/* ---- paths ---- */

static hsd_node way_above(void *context, hsd_node node)
{
    hsd_index *index = context;
    const hsd_node above = hsd_paged_get_node(&index->ways, node);
    return above == 0 || above > hsd_index_node_count(index) ? HSD_NODE_NONE : above - 1;
}

static hsd_node way_anchor(void *context, hsd_node node)
{
    hsd_index *index = context;
    if (!hsd_array_is_open(&index->way_anchors)) return HSD_NODE_NONE;
    const hsd_node anchor = hsd_paged_get_node(&index->way_anchors, node);
    return anchor == 0 || anchor > hsd_index_node_count(index) ? HSD_NODE_NONE : anchor - 1;
}

static hsd_text edge_to(hsd_index *index, hsd_node node)
{
    const hsd_node source = way_above(index, node);
    return source == HSD_NODE_NONE ? (hsd_text){"", 0}
                                   : hsd_browse_edge(index, hsd_lists_name(&index->referents, source, node));
}

hsd_status hsd_browse_path(hsd_browse *browse, size_t side, hsd_browse_ref ref, hsd_browse_list **out, hsd_error *err)
{
    hsd_index *index;
    hsd_browse_list *list;
    *out = NULL;
    hsd_node node;
    HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, &node, err));
    hsd_way_up way = {
        .above = way_above, .anchor_of = way_anchor, .context = index, .most = hsd_index_node_count(index)};
    if (hsd_index_row(index, node).first != 0) hsd_way_up_walk(&way, node);
    HSD_TRY(new_list(&way, &list, err));
    for (uint32_t i = 0; i < way.count; i++) {
        hsd_browse_node *line = &list->nodes[list->count++];
        hsd_browse_fill(browse, side, way.items[i], line);
        line->edge = edge_to(index, way.items[i]);
    }
    return hsd_browse_answer(browse, side, out, list, err);
}

/* ---- dominators ---- */

static hsd_node place_above(void *context, hsd_node place)
{
    const hsd_node parent = hsd_paged_get_node(&((hsd_index *)context)->parents, place);
    return parent == 0 || parent >= place ? HSD_NODE_NONE : parent;
}

static hsd_node place_anchor(void *context, hsd_node place)
{
    hsd_index *index = context;
    if (!hsd_array_is_open(&index->anchors)) return HSD_NODE_NONE;
    const hsd_node anchor = hsd_paged_get_node(&index->anchors, place);
    return anchor == 0 || anchor >= place ? HSD_NODE_NONE : anchor;
}

hsd_status hsd_browse_dominators(hsd_browse *browse, size_t side, hsd_browse_ref ref, hsd_browse_list **out,
                                 hsd_error *err)
{
    hsd_index *index;
    hsd_browse_list *list;
    *out = NULL;
    hsd_node asked;
    HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, &asked, err));
    hsd_way_up way = {.above = place_above, .anchor_of = place_anchor, .context = index, .most = index->place_count};
    const hsd_node place = hsd_index_row(index, asked).first;
    const hsd_node parent = place != 0 ? place_above(index, place) : HSD_NODE_NONE;
    if (parent != HSD_NODE_NONE) hsd_way_up_walk(&way, parent);
    HSD_TRY(new_list(&way, &list, err));
    for (uint32_t i = 0; i < way.count; i++) {
        const hsd_node node = hsd_index_span(index, way.items[i]).node;
        if (node >= hsd_index_node_count(index)) break; /* could not be read */
        hsd_browse_fill_held(browse, side, node, &list->nodes[list->count++]);
    }
    return hsd_browse_answer(browse, side, out, list, err);
}
