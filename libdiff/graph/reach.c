/*
 * Reachability over references without a mark. One bit a node says that it was reached, and a node is expanded
 * when its bit is set: each once, in the order that suits the blocks (graph/frontier.h). Names are read of
 * those nodes alone that may have marked references, which are few.
 */
#include "graph/reach.h"

#include "base/assert.h"
#include "base/bits.h"
#include "graph/frontier.h"

#define PROGRESS_STEPS 0xffffu

typedef struct walk {
    hsd_adjacency *adjacency;
    const hsd_reach_config *config;
    uint8_t *reached;
    hsd_frontier frontier;
    uint64_t expanded;
} walk;

static bool may_be_marked(const walk *w, hsd_node node)
{
    return node < w->config->object_count && hsd_bit_get(w->config->has_marked, node);
}

static hsd_status reach(walk *w, hsd_node node, hsd_error *err)
{
    if (hsd_bit_get(w->reached, node)) return HSD_OK;
    hsd_bit_set(w->reached, node);
    if (hsd_adjacency_is_leaf(w->adjacency, node)) return HSD_OK;
    return hsd_frontier_push(&w->frontier, node, err);
}

static hsd_status expand_reach(walk *w, hsd_node node, hsd_error *err)
{
    hsd_targets targets;
    if (may_be_marked(w, node))
        hsd_adjacency_get_named(w->adjacency, node, &targets);
    else
        hsd_adjacency_get(w->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++) {
            if (targets.names != NULL && (targets.names[i] & w->config->mark)) continue;
            HSD_TRY(reach(w, targets.items[i], err));
        }
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(w->adjacency, &targets);
    }
}

static hsd_status check_reach(const walk *w, hsd_error *err)
{
    HSD_TRY(hsd_adjacency_check(w->adjacency, err));
    return hsd_progress(w->config->reporter, "walking strong references", w->expanded,
                        hsd_adjacency_node_count(w->adjacency), err);
}

static hsd_status walk_all_reach(walk *w, hsd_error *err)
{
    const hsd_root_nodes *roots = &w->config->roots;
    for (hsd_node node = roots->begin; node < roots->end; node++)
        HSD_TRY(reach(w, node, err));
    for (;;) {
        hsd_node node;
        const hsd_status status = hsd_frontier_pop(&w->frontier, &node, err);
        if (status == HSD_END) return check_reach(w, err);
        HSD_TRY(status);
        HSD_TRY(expand_reach(w, node, err));
        if ((++w->expanded & PROGRESS_STEPS) == 0) HSD_TRY(check_reach(w, err));
    }
}

hsd_status hsd_reach_find(hsd_adjacency *adjacency, const hsd_reach_config *config, uint8_t *reached, hsd_error *err)
{
    HSD_ASSERT(reached != NULL && config->roots.begin <= config->roots.end);
    const hsd_node nodes = hsd_adjacency_node_count(adjacency);
    if (config->roots.begin > config->roots.end || config->roots.end > nodes) {
        return hsd_fail(err, HSD_E_MISUSE,
                        "root nodes %" HSD_PRI_NODE " to %" HSD_PRI_NODE " are none of %" HSD_PRI_NODE " nodes",
                        config->roots.begin, config->roots.end, nodes);
    }
    walk w = {.adjacency = adjacency, .config = config, .reached = reached};
    HSD_TRY(hsd_frontier_open(&w.frontier, adjacency, config->memory_bytes, config->space, err));
    const hsd_status status = walk_all_reach(&w, err);
    hsd_frontier_close(&w.frontier);
    return status;
}
