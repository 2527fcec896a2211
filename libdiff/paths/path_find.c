/*
 * A search for shortest paths in a side: which order its names have, and how much memory it gets.
 */
#include "paths/path_find.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

/* ---- order of names ---- */

typedef struct ranked {
    hsd_bytes name;
    uint32_t number;
} ranked;

static int compare_ranked(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    const size_t common = a->name.size < b->name.size ? a->name.size : b->name.size;
    const int order = common > 0 ? memcmp(a->name.data, b->name.data, common) : 0;
    return order != 0 ? order : (a->name.size > b->name.size) - (a->name.size < b->name.size);
}

uint32_t *hsd_name_ranks(const hsd_names *names)
{
    uint32_t *ranks = malloc(((size_t)names->count + 1) * sizeof *ranks);
    ranked *list = malloc(((size_t)names->count + 1) * sizeof *list);
    for (uint32_t i = 0; ranks != NULL && list != NULL && i < names->count; i++) {
        list[i] = (ranked){hsd_names_get(names, i), i};
    }
    if (ranks != NULL && list != NULL) {
        qsort(list, names->count, sizeof *list, compare_ranked);
        for (uint32_t i = 0; i < names->count; i++)
            ranks[list[i].number] = i + 1;
        free(list);
        return ranks;
    }
    free(ranks);
    free(list);
    return NULL;
}

/* ---- the search ---- */

/* Types first, then label nodes by the names of their owners; root nodes have none. */
static uint32_t type_of(void *context, hsd_node node)
{
    const hsd_path_search *search = context;
    hsd_side_walk *side = search->side;
    if (node < side->object_count)
        return search
            ->type_ranks[search->types != NULL ? search->types[node] : hsd_paged_get_u32(&side->types_of, node)];
    if (node >= side->root_span.begin) return 0;
    return side->request->type_names->names.count + search->root_ranks[side->name_of_node[node - side->object_count]];
}

hsd_status hsd_path_search_begin(hsd_path_search *search, hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->adjacency != NULL && side->request->type_names != NULL);
    *search = (hsd_path_search){.side = side, .types = hsd_paged_plain(&side->types_of)};
    search->type_ranks = hsd_name_ranks(&side->request->type_names->names);
    search->root_ranks = hsd_name_ranks(&side->roots.names);
    if (search->type_ranks == NULL || search->root_ranks == NULL) {
        hsd_path_search_release(search);
        return hsd_fail_nomem(err, "the order of names");
    }
    search->config = (hsd_shortest_config){
        .roots = side->root_span,
        .type_of = type_of,
        .type_context = search,
        .has_near_types = !side->has_types_of || side->types_of.frame_count == side->types_of.page_count,
        /* label nodes are not counted beforehand: their bits may be more than was planned */
        .memory_bytes = hsd_max_u64(side->request->plan.path_bytes, hsd_shortest_least_bytes(side->node_count)),
        .block_bytes = side->request->plan.adjacency_bytes,
        .space = side->request->space,
        .reporter = side->request->reporter,
    };
    return HSD_OK;
}

hsd_status hsd_path_search_run(hsd_path_search *search, hsd_shortest *out, hsd_error *err)
{
    HSD_ASSERT(search->side != NULL && search->type_ranks != NULL);
    hsd_side_walk *side = search->side;
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->request->plan.adjacency_bytes, err));
    HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, side->request->plan.name_bytes, err));
    HSD_TRY(hsd_shortest_find(out, side->adjacency, &search->config, err));
    const hsd_status status = side->has_types_of ? hsd_paged_check(&side->types_of, err) : HSD_OK;
    if (status != HSD_OK) hsd_shortest_close(out);
    return status;
}

void hsd_path_search_release(hsd_path_search *search)
{
    free(search->type_ranks);
    free(search->root_ranks);
    search->type_ranks = search->root_ranks = NULL;
}

hsd_status hsd_path_find(hsd_shortest *out, hsd_side_walk *side, const uint8_t *wanted, uint64_t count, hsd_error *err)
{
    hsd_path_search search;
    HSD_TRY(hsd_path_search_begin(&search, side, err));
    search.config.wanted = wanted;
    search.config.wanted_count = count;
    const hsd_status status = hsd_path_search_run(&search, out, err);
    hsd_path_search_release(&search);
    return status;
}
