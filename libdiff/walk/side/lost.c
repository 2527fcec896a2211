/*
 * What is lost: where nothing but the program frees memory (FORMAT.md 7.13), what no root reaches gets the head that it
 * hangs below instead of an owner (graph/lost.h).
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/fail.h"
#include "graph/lost.h"
#include "walk/side/side.h"
#include <hscapture/hscapture.h>

bool hsd_side_loses(const hsd_side_walk *side)
{
    return (side->info->facts & HSC_FACT_MANUAL) != 0 && hsd_side_has_graph(side) && side->info->is_complete &&
           side->object_count <= HSD_LOST_ALONE;
}

static hsd_status find_side_lost(hsd_side_walk *side, bool *found, hsd_error *err)
{
    const hsd_lost_config config = {
        .object_count = side->object_count,
        .node_count = side->root_span.begin,
        .memory_bytes = side->request->plan.owner_bytes / 8, /* what the walk of the owners used for the same */
        .space = side->request->space,
        .reporter = side->request->reporter,
    };
    return hsd_lost_find(side->adjacency, &config, &side->graph->owners.wide, side->graph->cycles, found, err);
}

hsd_status hsd_side_lost(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->graph->has_owners && side->graph->cycles == NULL);
    bool found = false;
    if (!hsd_side_wants_lost(side)) return HSD_OK;
    HSD_ASSERT(side->graph->owners.width == HSD_NODE_BYTES); /* as side/owners.c asked */
    side->graph->cycles = calloc((size_t)side->node_count / 8 + 1, 1);
    if (side->graph->cycles == NULL) return hsd_fail_nomem(err, "one bit an object");
    HSD_TRY(find_side_lost(side, &found, err));
    if (found) return HSD_OK;
    free(side->graph->cycles);
    side->graph->cycles = NULL;
    return HSD_OK;
}
