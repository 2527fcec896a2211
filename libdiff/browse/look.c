/*
 * Looking at records of an index, one read each: what could not be read shows when the arrays are checked, and is a
 * record of zeros or of another node until then. An id is found by halving.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "browse/index.h"

hsd_browse_row hsd_index_row(hsd_index *index, hsd_node node)
{
    HSD_ASSERT(node < hsd_index_node_count(index));
    hsd_browse_row row;
    hsd_array_copy(&index->rows, node, &row, sizeof row);
    return row;
}

hsd_browse_span hsd_index_span(hsd_index *index, hsd_node place)
{
    hsd_browse_span span;
    hsd_array_copy(&index->spans, place, &span, sizeof span);
    return span;
}

hsd_long_children hsd_index_long_children(hsd_index *index, uint64_t i)
{
    hsd_long_children list;
    hsd_array_copy(&index->long_children, i, &list, sizeof list);
    return list;
}

static hsd_status check_array(const hsd_paged *array, hsd_error *err)
{
    return hsd_array_is_open(array) ? hsd_paged_check(array, err) : HSD_OK;
}

hsd_status hsd_index_check(const hsd_index *index, hsd_error *err)
{
    for (size_t i = 0; i < HSD_INDEX_ARRAYS; i++)
        HSD_TRY(check_array(&index->arrays[i], err));
    HSD_TRY(hsd_adjacency_check(index->referents.adjacency, err));
    return hsd_adjacency_check(index->referrers.adjacency, err);
}

/* The i-th in the order of ids. */
static hsd_node node_at(hsd_index *index, uint64_t i)
{
    return index->ids_ascend ? (hsd_node)i : hsd_paged_get_node(&index->by_id, i);
}

hsd_node hsd_index_find(hsd_index *index, uint64_t id)
{
    uint64_t low = 0, high = index->id_count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const hsd_node node = node_at(index, middle);
        if (node >= index->walk->object_count) return HSD_NODE_NONE; /* could not be read */
        if (hsd_index_row(index, node).id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == index->id_count) return HSD_NODE_NONE;
    const hsd_node node = node_at(index, low);
    return node < index->walk->object_count && hsd_index_row(index, node).id == id ? node : HSD_NODE_NONE;
}
