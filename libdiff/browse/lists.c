/*
 * Long lists: parts stand in blocks one behind the other, so the number of a part is the distance of its block.
 */
#include "browse/lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/check.h"
#include "base/search.h"
#include "walk/edges.h"

static hsd_status put_end(hsd_lists *lists, uint64_t end, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(lists->ends, lists->end_capacity, lists->end_count + 1, 16, "the index of long lists", err));
    lists->ends[lists->end_count++] = end;
    return HSD_OK;
}

static bool are_alike(const hsd_targets *targets, uint32_t name)
{
    uint32_t differ = 0;
    for (uint32_t i = 0; i < targets->count; i++)
        differ |= targets->names[i] ^ name;
    return differ == 0;
}

hsd_status hsd_lists_add_long(hsd_lists *lists, hsd_node node, hsd_error *err)
{
    hsd_targets targets;
    uint64_t end = 0;
    HSD_TRY(HSD_ARRAY_GROW(lists->longs, lists->long_capacity, lists->long_count + 1, 16, "the index of long lists",
                           err));
    hsd_long_list *list = &lists->longs[lists->long_count++];
    hsd_adjacency_get_named(lists->adjacency, node, &targets);
    *list = (hsd_long_list){.node = node, .at = lists->end_count, .name = targets.names[0], .is_alike = true};
    for (;;) {
        end += targets.count;
        list->is_alike = list->is_alike && are_alike(&targets, list->name);
        HSD_TRY(put_end(lists, end, err));
        list->parts++;
        if (!targets.has_more) break;
        hsd_adjacency_more(lists->adjacency, &targets);
    }
    return hsd_adjacency_check(lists->adjacency, err);
}

static int compare_browse_list(const void *key, const void *item)
{
    const hsd_node node = *(const hsd_node *)key, other = ((const hsd_long_list *)item)->node;
    return (node > other) - (node < other);
}

static const hsd_long_list *find_long(const hsd_lists *lists, hsd_node node)
{
    if (lists->long_count == 0) return NULL;
    return bsearch(&node, lists->longs, lists->long_count, sizeof *lists->longs, compare_browse_list);
}

uint64_t hsd_lists_count(hsd_lists *lists, hsd_node node)
{
    const hsd_long_list *list = find_long(lists, node);
    hsd_targets targets;
    if (list != NULL) return lists->ends[list->at + list->parts - 1];
    if (hsd_adjacency_is_leaf(lists->adjacency, node)) return 0;
    hsd_adjacency_get(lists->adjacency, node, &targets);
    return targets.count;
}

/* The part with item `from`; `parts` past the last. */
static uint32_t part_of(const hsd_lists *lists, const hsd_long_list *list, uint64_t from)
{
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, list->parts, lists->ends[list->at + low], from);
    return low;
}

void hsd_lists_get(hsd_lists *lists, hsd_node node, uint64_t from, hsd_targets *out)
{
    HSD_ASSERT(node < hsd_adjacency_node_count(lists->adjacency));
    const hsd_long_list *list = find_long(lists, node);
    memset(out, 0, sizeof *out);
    if (hsd_adjacency_is_leaf(lists->adjacency, node)) return;
    if (list != NULL) {
        const uint32_t part = part_of(lists, list, from);
        if (part == list->parts) return;
        if (part > 0) from -= lists->ends[list->at + part - 1];
        hsd_adjacency_get_part(lists->adjacency, node, part, out);
    } else {
        hsd_adjacency_get_named(lists->adjacency, node, out);
    }
    const uint32_t skipped = (uint32_t)hsd_min_u64(from, out->count);
    out->items += skipped;
    out->names += skipped;
    out->count -= skipped;
}

/* ---- one reference ---- */

#define NO_NAME UINT32_MAX

static uint32_t name_in(const hsd_targets *targets, hsd_node target)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 0, targets->count, targets->items[low], target);
    return low < targets->count && targets->items[low] == target ? targets->names[low] : NO_NAME;
}

uint32_t hsd_lists_name(hsd_lists *lists, hsd_node node, hsd_node target)
{
    HSD_ASSERT(node < hsd_adjacency_node_count(lists->adjacency));
    const hsd_long_list *list = find_long(lists, node);
    uint32_t least = NO_NAME;
    hsd_targets targets;
    if (list != NULL && list->is_alike) return list->name;
    if (hsd_adjacency_is_leaf(lists->adjacency, node)) return HSD_EDGE_NAMELESS;
    hsd_adjacency_get_named(lists->adjacency, node, &targets);
    for (;;) {
        const uint32_t name = name_in(&targets, target);
        if (name < least) least = name;
        if (!targets.has_more) return least != NO_NAME ? least : HSD_EDGE_NAMELESS;
        hsd_adjacency_more(lists->adjacency, &targets);
    }
}

void hsd_lists_release(hsd_lists *lists)
{
    hsd_adjacency_free(lists->adjacency);
    free(lists->longs);
    free(lists->ends);
    memset(lists, 0, sizeof *lists);
}
