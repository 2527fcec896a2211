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

static uint32_t way_above(void *context, uint32_t node)
{
    hsd_index *index = context;
    const uint32_t above = hsd_paged_get_u32(&index->ways, node);
    return above == 0 || above > hsd_index_node_count(index) ? HSD_BROWSE_ALL : above - 1;
}

static uint32_t way_anchor(void *context, uint32_t node)
{
    hsd_index *index = context;
    if (!hsd_array_is_open(&index->way_anchors)) return HSD_BROWSE_ALL;
    const uint32_t anchor = hsd_paged_get_u32(&index->way_anchors, node);
    return anchor == 0 || anchor > hsd_index_node_count(index) ? HSD_BROWSE_ALL : anchor - 1;
}

static hsd_text edge_to(hsd_index *index, uint32_t node)
{
    const uint32_t source = way_above(index, node);
    return source == HSD_BROWSE_ALL ? (hsd_text){"", 0}
                                    : hsd_browse_edge(index, hsd_lists_name(&index->referents, source, node));
}

hsd_status hsd_browse_path(hsd_browse *browse, size_t side, hsd_browse_ref ref, hsd_browse_list **out, hsd_error *err)
{
    hsd_index *index;
    hsd_browse_list *list;
    *out = NULL;
    HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, err));
    hsd_way_up way = {
        .above = way_above, .anchor_of = way_anchor, .context = index, .most = hsd_index_node_count(index)};
    if (hsd_index_row(index, ref.node).first != 0) hsd_way_up_walk(&way, ref.node);
    HSD_TRY(new_list(&way, &list, err));
    for (uint32_t i = 0; i < way.count; i++) {
        hsd_browse_node *line = &list->nodes[list->count++];
        hsd_browse_fill(browse, side, way.items[i], line);
        line->edge = edge_to(index, way.items[i]);
    }
    return hsd_browse_answer(browse, side, out, list, err);
}

/* ---- dominators ---- */

static uint32_t place_above(void *context, uint32_t place)
{
    const uint32_t parent = hsd_paged_get_u32(&((hsd_index *)context)->parents, place);
    return parent == 0 || parent >= place ? HSD_BROWSE_ALL : parent;
}

static uint32_t place_anchor(void *context, uint32_t place)
{
    hsd_index *index = context;
    if (!hsd_array_is_open(&index->anchors)) return HSD_BROWSE_ALL;
    const uint32_t anchor = hsd_paged_get_u32(&index->anchors, place);
    return anchor == 0 || anchor >= place ? HSD_BROWSE_ALL : anchor;
}

hsd_status hsd_browse_dominators(hsd_browse *browse, size_t side, hsd_browse_ref ref, hsd_browse_list **out,
                                 hsd_error *err)
{
    hsd_index *index;
    hsd_browse_list *list;
    *out = NULL;
    HSD_TRY(hsd_browse_node_of(browse, side, ref, &index, err));
    hsd_way_up way = {.above = place_above, .anchor_of = place_anchor, .context = index, .most = index->place_count};
    const uint32_t place = hsd_index_row(index, ref.node).first;
    const uint32_t parent = place != 0 ? place_above(index, place) : HSD_BROWSE_ALL;
    if (parent != HSD_BROWSE_ALL) hsd_way_up_walk(&way, parent);
    HSD_TRY(new_list(&way, &list, err));
    for (uint32_t i = 0; i < way.count; i++) {
        const uint32_t node = hsd_index_span(index, way.items[i]).node;
        if (node >= hsd_index_node_count(index)) break; /* could not be read */
        hsd_browse_fill_held(browse, side, node, &list->nodes[list->count++]);
    }
    return hsd_browse_answer(browse, side, out, list, err);
}
