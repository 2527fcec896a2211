/*
 * What a node immediately dominates. In the order of the dominator tree it begins at the next place, each behind the
 * end of the one before; so few are found by looking, and sorted when somebody asks. Only long lists lie ready.
 *
 *      places    4 │ 5 6 7 │ 8 │ 9 10 │ 11          of the node at 4: those at 5, 8, 9
 */
#include "base/assert.h"
#include "base/check.h"
#include "base/search.h"
#include "browse/index.h"
#include "sort/radix.h"

/* The long list of the node at a place. */
static bool find_listed(hsd_index *index, hsd_node place, hsd_long_children *out)
{
    uint64_t low;
    HSD_LOWER_BOUND(low, 0, index->long_children_count, hsd_index_long_children(index, low).place, place);
    if (low == index->long_children_count) return false;
    *out = hsd_index_long_children(index, low);
    return out->place == place;
}

/* Where the next one begins. Places of nobody are passed over. */
static hsd_node look_at_children(hsd_index *index, hsd_node place, uint64_t *record, bool *is_there)
{
    const hsd_browse_span here = hsd_index_span(index, place);
    *is_there = here.node < hsd_index_node_count(index);
    if (!*is_there) return place + 1;
    const hsd_node end = hsd_index_row(index, here.node).end;
    if (end <= place || end > index->place_count) return index->place_count; /* could not be read */
    record[0] = ~(hsd_index_span(index, end).bytes_before - here.bytes_before);
    record[1] = here.node;
    return end;
}

static void find_few(hsd_index *index, hsd_node first, hsd_node end, hsd_children *out)
{
    uint64_t records[2 * HSD_FEW_CHILDREN], scratch[2 * HSD_FEW_CHILDREN];
    for (hsd_node place = first + 1; place < end && out->count < HSD_FEW_CHILDREN;) {
        bool is_there;
        place = look_at_children(index, place, &records[2 * out->count], &is_there);
        out->count += is_there;
    }
    hsd_radix_sort(records, scratch, (size_t)out->count, 2);
    for (uint64_t i = 0; i < out->count; i++)
        out->few[i] = (hsd_node)records[2 * i + 1];
}

void hsd_index_children(hsd_index *index, hsd_node first, hsd_node end, hsd_children *out)
{
    HSD_ASSERT(first < end);
    hsd_long_children listed;
    out->count = out->begin = 0;
    out->is_listed = find_listed(index, first, &listed);
    if (out->is_listed) {
        out->begin = listed.begin;
        out->count = listed.count;
    } else {
        find_few(index, first, end, out);
    }
}

hsd_node hsd_index_child(hsd_index *index, const hsd_children *children, uint64_t i)
{
    return children->is_listed ? hsd_paged_get_node(&index->children, children->begin + i) : children->few[i];
}
