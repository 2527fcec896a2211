/*
 * The heads of what is lost, by two walks (graph/lost.h), and the short ways round the cycles that some of them head.
 */
#include "graph/lost.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/fail.h"
#include "graph/frontier.h"
#include "graph/owners.h"

#define PROGRESS_STEPS 0xffffu
#define WAY_NODES      64u   /* that are looked at on the way round one cycle */
#define WAY_TARGETS    4096u /* references that are followed for it */

typedef struct walk {
    hsd_adjacency *adjacency;
    const hsd_lost_config *config;
    hsd_paged *labels;
    uint8_t *begun; /* one bit a node: the first walk began from it */
    uint8_t *seen;  /* one bit a node: the first walk came to it */
    uint8_t *cycles;
    hsd_frontier frontier;
    hsd_node head;  /* of the second walk */
    bool has_below; /* it, so far */
    uint64_t expanded;
} walk;

static bool is_unreached(const walk *w, hsd_node node)
{
    const hsd_node label = hsd_paged_get_node(w->labels, node);
    return label == HSD_OWNER_NONE || hsd_lost_is(label);
}

static hsd_status check_lost(const walk *w, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(w->labels, err));
    HSD_TRY(hsd_adjacency_check(w->adjacency, err));
    return hsd_progress(w->config->reporter, "looking at what is lost", w->expanded,
                        2 * (uint64_t)w->config->node_count, err);
}

/* ---- both walks ---- */

typedef hsd_status (*reach_fn)(walk *w, hsd_node node, hsd_error *err);

static hsd_status push(walk *w, hsd_node node, hsd_error *err)
{
    if (hsd_adjacency_is_leaf(w->adjacency, node)) return HSD_OK;
    return hsd_frontier_push(&w->frontier, node, err);
}

/* What is not reached never leads to a root node: nothing refers to one. */
static hsd_status expand_lost(walk *w, hsd_node node, reach_fn reach, hsd_error *err)
{
    hsd_targets targets;
    hsd_adjacency_get(w->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            HSD_TRY(reach(w, targets.items[i], err));
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(w->adjacency, &targets);
    }
}

static hsd_status run_dry_lost(walk *w, reach_fn reach, hsd_error *err)
{
    for (;;) {
        hsd_node node;
        const hsd_status status = hsd_frontier_pop(&w->frontier, &node, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        HSD_TRY(expand_lost(w, node, reach, err));
        if ((++w->expanded & PROGRESS_STEPS) == 0) HSD_TRY(check_lost(w, err));
    }
}

/* ---- the first ---- */

static hsd_status reach_first(walk *w, hsd_node node, hsd_error *err)
{
    if (hsd_bit_get(w->seen, node) || !is_unreached(w, node)) return HSD_OK;
    hsd_bit_set(w->seen, node);
    return push(w, node, err);
}

static hsd_status walk_first(walk *w, bool *found, hsd_error *err)
{
    for (hsd_node node = 0; node < w->config->object_count; node++) {
        if (!is_unreached(w, node) || hsd_bit_get(w->seen, node)) continue;
        *found = true;
        hsd_bit_set(w->begun, node);
        HSD_TRY(reach_first(w, node, err));
        HSD_TRY(run_dry_lost(w, reach_first, err));
    }
    return check_lost(w, err);
}

/* ---- the second ---- */

static hsd_status reach_second(walk *w, hsd_node node, hsd_error *err)
{
    const hsd_node label = hsd_paged_get_node(w->labels, node);
    if (node == w->head && hsd_lost_is(label)) hsd_bit_set(w->cycles, node);
    if (label != HSD_OWNER_NONE) return HSD_OK;
    hsd_paged_set_node(w->labels, node, HSD_LOST | w->head);
    w->has_below = w->has_below || node != w->head;
    return push(w, node, err);
}

/* ---- round a cycle ---- */

typedef struct way { /* breadth first from a head, until something leads back */
    hsd_node nodes[WAY_NODES];
    uint32_t from[WAY_NODES];
    uint32_t count, targets;
} way;

static bool has_node(const way *r, hsd_node node)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->nodes[i] == node) return true;
    return false;
}

/* True once the head comes again. */
static bool look_around(walk *w, way *r, uint32_t at)
{
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(w->adjacency, r->nodes[at])) return false;
    hsd_adjacency_get(w->adjacency, r->nodes[at], &targets);
    for (uint32_t i = 0; i < targets.count && r->targets++ < WAY_TARGETS; i++) {
        if (targets.items[i] == w->head) return true;
        if (r->count == WAY_NODES || !is_unreached(w, targets.items[i]) || has_node(r, targets.items[i])) continue;
        r->from[r->count] = at;
        r->nodes[r->count++] = targets.items[i];
    }
    return false;
}

static void mark_cycle(walk *w)
{
    way r = {.count = 1};
    r.nodes[0] = w->head;
    for (uint32_t at = 0; at < r.count; at++) {
        if (!look_around(w, &r, at)) continue;
        for (; at != 0; at = r.from[at])
            hsd_bit_set(w->cycles, r.nodes[at]);
        return;
    }
}

static hsd_status walk_second(walk *w, hsd_error *err)
{
    for (hsd_node node = w->config->object_count; node-- > 0;) {
        if (!hsd_bit_get(w->begun, node) || hsd_paged_get_node(w->labels, node) != HSD_OWNER_NONE) continue;
        w->head = node;
        w->has_below = false;
        HSD_TRY(reach_second(w, node, err));
        HSD_TRY(run_dry_lost(w, reach_second, err));
        if (hsd_bit_get(w->cycles, node)) mark_cycle(w);
        if (!w->has_below) hsd_paged_set_node(w->labels, node, HSD_LOST | HSD_LOST_ALONE);
    }
    return check_lost(w, err);
}

static hsd_status walk_both(walk *w, bool *found, hsd_error *err)
{
    HSD_TRY(hsd_frontier_open(&w->frontier, w->adjacency, w->config->memory_bytes, w->config->space, err));
    hsd_status status = walk_first(w, found, err);
    if (status == HSD_OK && *found) status = walk_second(w, err);
    hsd_frontier_close(&w->frontier);
    return status;
}

hsd_status hsd_lost_find(hsd_adjacency *adjacency, const hsd_lost_config *config, hsd_paged *labels, uint8_t *cycles,
                         bool *found, hsd_error *err)
{
    HSD_ASSERT(config->object_count <= HSD_LOST_ALONE && config->object_count <= config->node_count);
    HSD_ASSERT(cycles != NULL);
    *found = false;
    if (config->object_count > HSD_LOST_ALONE || config->node_count < config->object_count ||
        config->node_count > hsd_adjacency_node_count(adjacency))
        return hsd_fail(err, HSD_E_MISUSE, "%" HSD_PRI_NODE " objects of %" HSD_PRI_NODE " nodes cannot be looked at",
                        config->object_count, config->node_count);
    walk w = {.adjacency = adjacency, .config = config, .labels = labels, .cycles = cycles};
    const size_t bytes = (size_t)hsd_adjacency_node_count(adjacency) / 8 + 1;
    w.begun = calloc(bytes, 1);
    w.seen = calloc(bytes, 1);
    const hsd_status status =
        w.begun != NULL && w.seen != NULL ? walk_both(&w, found, err) : hsd_fail_nomem(err, "two bits an object");
    free(w.begun);
    free(w.seen);
    return status;
}
