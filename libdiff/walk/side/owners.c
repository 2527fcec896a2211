/*
 * Owners: each object is labelled with the name of the root or label node that it hangs from (graph/owners.h). Where
 * dominators tell these (graph/owner_tree.h) nothing is walked, and where places are sorted whoever counts objects asks
 * for each; else one walk over the graph labels them. Where a capture has soft references, and dominators did not tell
 * what lives by them alone, it follows these last and so tells that.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "graph/owner_tree.h"
#include "graph/owners.h"
#include "walk/edges.h"
#include "walk/places.h"
#include "walk/side/side.h"

bool hsd_side_asks_soft(const hsd_side_walk *side) { return side->graph->has_soft != NULL && !side->graph->tells_soft; }

bool hsd_side_tree_tells_owners(const hsd_side_walk *side)
{
    const hsd_walk_graph *graph = side->graph;
    if (graph->owner_tree == NULL || !graph->places->is_whole || hsd_side_asks_soft(side)) return false;
    return hsd_paged_plain(&graph->places->spans) != NULL;
}

/* Places as plain memory, where these tell owners; else they make room. */
static hsd_status find_spans(const hsd_side_walk *side, const uint64_t **spans, hsd_error *err)
{
    const hsd_walk_graph *graph = side->graph;
    *spans = hsd_side_tree_tells_owners(side) ? hsd_paged_plain(&graph->places->spans) : NULL;
    return *spans == NULL && graph->places != NULL ? hsd_places_step_aside(graph->places, side, err) : HSD_OK;
}

static hsd_status walk(hsd_side_walk *side, const uint32_t *labels, hsd_error *err)
{
    const hsd_plan_side *plan = &side->request->plan;
    const uint64_t *spans;
    HSD_TRY(find_spans(side, &spans, err));
    const hsd_owners_config config = {
        .roots = side->root_span,
        .object_count = side->object_count,
        .label_of_node = labels,
        .has_marked = hsd_side_asks_soft(side) ? side->graph->has_soft : NULL,
        .mark = HSD_EDGE_SOFT,
        .unmarked_reach = hsd_side_asks_soft(side) ? side->graph->is_soft : NULL,
        .tree = spans != NULL ? side->graph->owner_tree : NULL,
        .spans = spans,
        .memory_bytes = plan->owner_bytes,
        .serve_bytes = plan->owner_serve_bytes,
        .is_wide = hsd_side_wants_lost(side),
        .block_bytes = spans != NULL ? 0 : plan->adjacency_bytes,
        .space = side->request->space,
        .reporter = side->request->reporter,
    };
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency,
                                     spans != NULL ? plan->idle_adjacency_bytes : plan->adjacency_bytes, err));
    HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, plan->idle_name_bytes, err));
    HSD_TRY(hsd_owners_find(side->adjacency, &config, &side->graph->owners, err));
    side->graph->has_owners = true;
    return HSD_OK;
}

static hsd_status find_owners(hsd_side_walk *side, hsd_error *err)
{
    const uint32_t count = hsd_side_others(side);
    uint32_t *labels = malloc(((size_t)count + 1) * sizeof *labels);
    if (labels == NULL) return hsd_fail_nomem(err, "the owners of objects");
    for (uint32_t i = 0; i < count; i++)
        labels[i] = HSD_OWNER_FIRST + side->name_of_node[i];
    const hsd_status status = walk(side, labels, err);
    free(labels);
    return status;
}

/* ---- what lives by soft references alone ---- */

/* reached -> live and not reached. */
static hsd_status invert(hsd_side_walk *side, uint8_t *bits, hsd_error *err)
{
    for (hsd_node node = 0; node < side->node_count; node++) {
        const bool is_live = hsd_owner_get(&side->graph->owners, node) != HSD_OWNER_NONE;
        const uint8_t bit = (uint8_t)(1u << (node & 7));
        if (is_live && !(bits[node >> 3] & bit))
            bits[node >> 3] |= bit;
        else
            bits[node >> 3] &= (uint8_t)~bit;
    }
    return hsd_owners_check(&side->graph->owners, err);
}

hsd_status hsd_side_take_soft(hsd_side_walk *side, hsd_error *err)
{
    if (side->graph->has_soft == NULL || side->graph->is_soft != NULL) return HSD_OK;
    side->graph->is_soft = calloc((size_t)side->node_count / 8 + 1, 1);
    return side->graph->is_soft != NULL ? HSD_OK : hsd_fail_nomem(err, "the owners of objects");
}

hsd_status hsd_side_owners(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(!side->graph->has_owners);
    if (!hsd_side_has_graph(side)) return hsd_side_fixed_roots(side, err);
    if (hsd_side_tells_in_order(side)) return HSD_OK;
    HSD_TRY(hsd_side_take_soft(side, err));
    HSD_TRY(find_owners(side, err));
    if (side->graph->places != NULL) HSD_TRY(hsd_places_rest(side->graph->places, side, err));
    if (hsd_side_asks_soft(side)) HSD_TRY(invert(side, side->graph->is_soft, err));
    HSD_TRY(hsd_side_lost(side, err));
    /* from here on they are read in order */
    return hsd_owners_shrink(&side->graph->owners, side->request->plan.owner_serve_bytes, err);
}
