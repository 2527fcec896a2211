/*
 * Of what the walk noted on its way those nodes matter within whose places a wanted one lies.
 */
#include "top/top_paths.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/fail.h"
#include "base/search.h"
#include "paths/path_find.h"

typedef struct asked {         /* of the search */
    uint8_t *wanted, *on_way;  /* one bit a node; on_way NULL: too much was on the ways */
    hsd_node *firsts, *sought; /* places of the wanted ones; nodes */
    size_t first_count, sought_count;
} asked;

static void want(asked *a, const hsd_top_entry *entry)
{
    if (hsd_bit_get(a->wanted, entry->node)) return;
    hsd_bit_set(a->wanted, entry->node);
    a->firsts[a->first_count++] = entry->first;
}

static int compare_numbers(const void *left, const void *right)
{
    const hsd_node a = *(const hsd_node *)left, b = *(const hsd_node *)right;
    return (a > b) - (a < b);
}

static bool leads_to_wanted(const asked *a, const hsd_top_way *way)
{
    size_t at;
    HSD_LOWER_BOUND(at, 0, a->first_count, a->firsts[at], way->first);
    return at < a->first_count && a->firsts[at] < way->end;
}

static void take_ways(asked *a, const hsd_top_walk *walk)
{
    qsort(a->firsts, a->first_count, sizeof *a->firsts, compare_numbers);
    for (size_t i = 0; i < walk->way_count; i++) {
        const hsd_top_way *way = &walk->ways[i];
        if (!leads_to_wanted(a, way)) continue;
        hsd_bit_set(a->on_way, way->node);
        if (way->is_sought) a->sought[a->sought_count++] = way->node;
    }
    qsort(a->sought, a->sought_count, sizeof *a->sought, compare_numbers);
}

static hsd_status ask(asked *a, const hsd_top_walk *walk, hsd_node nodes, hsd_error *err)
{
    const bool has_ways = walk->ways != NULL;
    a->wanted = calloc((size_t)nodes / 8 + 1, 1);
    a->on_way = has_ways ? calloc((size_t)nodes / 8 + 1, 1) : NULL;
    a->firsts = malloc((walk->entry_count + 1) * sizeof *a->firsts);
    a->sought = malloc((walk->way_count + 1) * sizeof *a->sought);
    if (a->wanted == NULL || (has_ways && a->on_way == NULL) || a->firsts == NULL || a->sought == NULL)
        return hsd_fail_nomem(err, "one bit an object");
    for (size_t i = 0; i < walk->entry_count; i++)
        want(a, &walk->entries[i]);
    if (walk->accumulation.retained_bytes > 0) want(a, &walk->accumulation);
    if (has_ways) take_ways(a, walk);
    return HSD_OK;
}

static hsd_status search_asked(const asked *a, hsd_shortest *out, hsd_side_walk *side, hsd_error *err)
{
    const hsd_shortest_via via = {a->on_way, a->sought, a->sought_count};
    hsd_path_search search;
    HSD_TRY(hsd_path_search_begin(&search, side, err));
    search.config.wanted = a->wanted;
    search.config.wanted_count = a->first_count;
    if (a->on_way != NULL) search.config.via = &via;
    const hsd_status status = hsd_path_search_run(&search, out, err);
    hsd_path_search_release(&search);
    return status;
}

hsd_status hsd_top_paths_find(hsd_shortest *out, const hsd_top_walk *walk, hsd_side_walk *side, hsd_error *err)
{
    asked a = {0};
    hsd_status status = ask(&a, walk, side->node_count, err);
    if (status == HSD_OK) status = search_asked(&a, out, side, err);
    free(a.wanted);
    free(a.on_way);
    free(a.firsts);
    free(a.sought);
    return status;
}
