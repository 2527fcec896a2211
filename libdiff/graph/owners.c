/*
 * Owner labels by worklist. A node's label only ever climbs none -> r -> SHARED, and a node is
 * expanded once for each step, so the order of the walk does not matter to the result and the cost is
 * at most 2 (nodes + edges) steps for a list, a star, a cycle or a tree alike.
 *
 * References wait in a short ring between being seen and being applied: their label is prefetched on
 * the way in, so that some thirty cache misses overlap instead of queueing up one after the other.
 */
#include "graph/owners.h"

#include "graph/frontier.h"

#define RING_ITEMS 32u
#define PROGRESS_STEPS 0xffffu

typedef struct walk {
    hsd_adjacency *adjacency;
    const hsd_owners_config *config;
    hsd_paged *owners;
    hsd_frontier frontier;
    uint32_t ring_node[RING_ITEMS];
    uint32_t ring_label[RING_ITEMS];
    uint32_t ring_head, ring_count;
    uint64_t expanded;
} walk;

/* The label that a node hands on: its own if it is a label node, else the one it carries. */
static uint32_t label_to_set(const walk *w, uint32_t node, uint32_t label)
{
    return node < w->config->object_count ? label
                                          : w->config->label_of_node[node - w->config->object_count];
}

/* `node` is reached with `label`. */
static hsd_status apply(walk *w, uint32_t node, uint32_t label, hsd_error *err)
{
    const uint32_t old = hsd_paged_get_u32(w->owners, node);
    if (old == HSD_OWNER_SHARED) return HSD_OK;
    const uint32_t arriving = label_to_set(w, node, label);
    if (old == arriving) return HSD_OK;
    hsd_paged_set_u32(w->owners, node, old == HSD_OWNER_NONE ? arriving : HSD_OWNER_SHARED);
    if (hsd_adjacency_is_leaf(w->adjacency, node)) return HSD_OK;
    return hsd_frontier_push(&w->frontier, node, err);
}

static hsd_status apply_oldest(walk *w, hsd_error *err)
{
    const uint32_t slot = w->ring_head;
    w->ring_head = (slot + 1) % RING_ITEMS;
    w->ring_count--;
    return apply(w, w->ring_node[slot], w->ring_label[slot], err);
}

static hsd_status see(walk *w, uint32_t node, uint32_t label, hsd_error *err)
{
    if (w->ring_count == RING_ITEMS) HSD_TRY(apply_oldest(w, err));
    const uint32_t slot = (w->ring_head + w->ring_count) % RING_ITEMS;
    w->ring_node[slot] = node;
    w->ring_label[slot] = label;
    w->ring_count++;
    hsd_paged_prefetch_u32(w->owners, node);
    return HSD_OK;
}

static hsd_status drain(walk *w, hsd_error *err)
{
    while (w->ring_count > 0) HSD_TRY(apply_oldest(w, err));
    return HSD_OK;
}

static hsd_status expand(walk *w, uint32_t node, hsd_error *err)
{
    const uint32_t label = hsd_paged_get_u32(w->owners, node);
    hsd_targets targets;
    hsd_adjacency_get(w->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++) HSD_TRY(see(w, targets.items[i], label, err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(w->adjacency, &targets);
    }
}

static hsd_status check(const walk *w, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(w->owners, err));
    HSD_TRY(hsd_adjacency_check(w->adjacency, err));
    return hsd_progress(w->config->reporter, "walking references", w->expanded,
                        hsd_adjacency_node_count(w->adjacency), err);
}

/* Expands until nothing waits, neither in the frontier nor in the ring. */
static hsd_status run_dry(walk *w, hsd_error *err)
{
    for (;;) {
        uint32_t node;
        const hsd_status status = hsd_frontier_pop(&w->frontier, &node, err);
        if (status == HSD_OK) {
            HSD_TRY(expand(w, node, err));
            if ((++w->expanded & PROGRESS_STEPS) == 0) HSD_TRY(check(w, err));
        } else if (status != HSD_END || w->ring_count == 0) {
            return status == HSD_END ? HSD_OK : status;
        } else {
            HSD_TRY(drain(w, err));
        }
    }
}

static hsd_status seed_all(walk *w, hsd_error *err)
{
    const uint32_t nodes = hsd_adjacency_node_count(w->adjacency);
    for (;;) {
        hsd_seed seed;
        const hsd_status status = w->config->next_seed(w->config->seed_context, &seed, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        if (seed.node >= nodes || seed.label < HSD_OWNER_FIRST) {
            return hsd_fail(err, HSD_E_MISUSE, "a root names node %u of %u", seed.node, nodes);
        }
        HSD_TRY(apply(w, seed.node, seed.label, err));
    }
}

hsd_status hsd_owners_find(hsd_adjacency *adjacency, const hsd_owners_config *config,
                           hsd_paged *owners, hsd_error *err)
{
    const uint64_t bytes = (uint64_t)hsd_adjacency_node_count(adjacency) * sizeof(uint32_t);
    const uint64_t list_bytes = config->memory_bytes / 8;
    walk w = {.adjacency = adjacency, .config = config, .owners = owners};
    HSD_TRY(hsd_paged_open(owners, bytes, config->memory_bytes - list_bytes, config->space, err));
    hsd_status status = hsd_frontier_open(&w.frontier, adjacency, list_bytes, config->space, err);
    if (status == HSD_OK) status = seed_all(&w, err);
    if (status == HSD_OK) status = run_dry(&w, err);
    if (status == HSD_OK) status = check(&w, err);
    hsd_frontier_close(&w.frontier);
    if (status != HSD_OK) hsd_paged_close(owners);
    return status;
}
