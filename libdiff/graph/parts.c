/*
 * Sole owners of parts: the same climb none -> owner -> SHARED as for roots, with objects as labels.
 * One sequential pass over all objects that are no parts seeds the walk; only parts are ever labelled
 * or expanded, so the cost is one scan of the graph and two visits of each part at most.
 *
 * A label node is passed through: what its one source holds through it, the source holds.
 */
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "graph/frontier.h"
#include "graph/owners.h"

#define SHARED         HSD_NODE_MAX
#define PROGRESS_STEPS 0xffffu

typedef struct walk {
    hsd_adjacency *adjacency;
    const hsd_parts_config *config;
    hsd_paged *holder;
    hsd_frontier frontier;
    bool has_pushed; /* something may wait near */
} walk;

/* Of 64 objects from `first` on a bit for each part. */
static uint64_t parts_from(const walk *w, uint64_t first)
{
    return hsd_bits_get_64(w->config->is_part, first, w->config->object_count);
}

/* The lowest bit of a word goes; what it stands for is returned. */
static hsd_node take_bit(uint64_t *word, uint64_t first)
{
    const hsd_node node = (hsd_node)(first + (unsigned)__builtin_ctzll(*word));
    *word &= *word - 1;
    return node;
}

static hsd_status apply(walk *w, hsd_node node, hsd_node holder, hsd_error *err)
{
    const hsd_node old = hsd_paged_get_node(w->holder, node);
    if (old == SHARED || old == holder) return HSD_OK;
    hsd_paged_set_node(w->holder, node, old == 0 ? holder : SHARED);
    if (hsd_adjacency_is_leaf(w->adjacency, node)) return HSD_OK;
    w->has_pushed = true;
    return hsd_frontier_push(&w->frontier, node, err);
}

static hsd_status hand_on(walk *w, hsd_node node, hsd_node holder, hsd_error *err)
{
    const uint8_t *const parts = w->config->is_part;
    const hsd_node objects = w->config->object_count;
    hsd_targets targets;
    hsd_adjacency_get(w->adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++) {
            const hsd_node target = targets.items[i];
            const bool is_part = target >= objects || hsd_bit_get(parts, target); /* label nodes are passed through */
            if (is_part) HSD_TRY(apply(w, target, holder, err));
        }
        if (!targets.has_more) return HSD_OK;
        hsd_adjacency_more(w->adjacency, &targets);
    }
}

/* Hands on from all nodes that `pop` finds. */
static hsd_status run_dry_part(walk *w, hsd_status (*pop)(hsd_frontier *, hsd_node *, hsd_error *), hsd_error *err)
{
    for (;;) {
        hsd_node node;
        const hsd_status status = pop(&w->frontier, &node, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        HSD_TRY(hand_on(w, node, hsd_paged_get_node(w->holder, node), err));
    }
}

static hsd_status check_part(const walk *w, uint64_t done, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(w->holder, err));
    HSD_TRY(hsd_adjacency_check(w->adjacency, err));
    return hsd_progress(w->config->reporter, "attributing parts", done, w->config->object_count, err);
}

/* What waits near is served at once: the scan goes on in order of blocks. */
static hsd_status walk_all_part(walk *w, hsd_error *err)
{
    const hsd_node objects = w->config->object_count;
    for (uint64_t first = 0; first < objects; first += HSD_BITS_AT_ONCE) {
        uint64_t holders = hsd_adjacency_with_targets(w->adjacency, (hsd_node)first) & ~parts_from(w, first);
        if ((first & PROGRESS_STEPS) == 0) HSD_TRY(check_part(w, first, err));
        if (objects - first < HSD_BITS_AT_ONCE) holders &= (UINT64_C(1) << (objects - first)) - 1;
        while (holders != 0) {
            const hsd_node node = take_bit(&holders, first);
            HSD_TRY(hand_on(w, node, node + 1, err));
            if (!w->has_pushed) continue;
            w->has_pushed = false;
            HSD_TRY(run_dry_part(w, hsd_frontier_pop_near, err));
        }
    }
    HSD_TRY(run_dry_part(w, hsd_frontier_pop, err));
    return check_part(w, objects, err);
}

/* Shared parts own themselves; from here on 0 says so. */
static hsd_status forget_shared(walk *w, hsd_error *err)
{
    const hsd_node objects = w->config->object_count;
    for (uint64_t first = 0; first < objects; first += HSD_BITS_AT_ONCE) {
        uint64_t parts = parts_from(w, first);
        while (parts != 0) {
            const hsd_node part = take_bit(&parts, first);
            if (hsd_paged_get_node(w->holder, part) == SHARED) hsd_paged_set_node(w->holder, part, 0);
        }
    }
    return hsd_paged_check(w->holder, err);
}

hsd_status hsd_parts_find(hsd_adjacency *adjacency, const hsd_parts_config *config, hsd_paged *holder, hsd_error *err)
{
    HSD_ASSERT(config->is_part != NULL);
    const uint64_t bytes = (uint64_t)hsd_adjacency_node_count(adjacency) * HSD_NODE_BYTES;
    const uint64_t list_bytes = hsd_frontier_share_bytes(adjacency, config->memory_bytes);
    const uint64_t label_bytes = config->memory_bytes - hsd_min_u64(list_bytes, config->memory_bytes);
    walk w = {.adjacency = adjacency, .config = config, .holder = holder};
    HSD_TRY(hsd_paged_open(holder, bytes, label_bytes, config->space, err));
    hsd_status status = hsd_frontier_open(&w.frontier, adjacency, list_bytes, config->space, err);
    if (status == HSD_OK) status = walk_all_part(&w, err);
    if (status == HSD_OK) status = forget_shared(&w, err);
    hsd_frontier_close(&w.frontier);
    if (status != HSD_OK) hsd_paged_close(holder);
    return status;
}
