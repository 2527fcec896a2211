/* One pass in the order of nodes: graph/on_way.h. */
#include "graph/on_way.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"

#define EDGE_BYTES     (HSD_NODE_BYTES + (uint64_t)sizeof(uint32_t))
#define PROGRESS_STEPS 0xffffu

hsd_node hsd_on_way_find(const hsd_node *nodes, hsd_node count, hsd_node node)
{
    hsd_node at;
    HSD_LOWER_BOUND(at, 0, count, nodes[at], node);
    return at < count && nodes[at] == node ? at : count;
}

static uint64_t count_all(const uint8_t *bits, hsd_node nodes)
{
    uint64_t count = 0;
    for (hsd_node byte = 0; byte <= nodes / 8; byte++)
        count += hsd_count_bits_u32(bits[byte]);
    return count;
}

/* Room for all nodes, and for as many references as are left memory for; false if that is less than half. */
static bool plan(hsd_on_way *w, uint64_t count, uint64_t memory_bytes)
{
    const uint64_t fixed = (count + 1) * HSD_ON_WAY_BYTES;
    if (count == 0 || fixed > memory_bytes / 2) return false;
    w->room = (memory_bytes - fixed) / EDGE_BYTES;
    w->bytes = fixed;
    return true;
}

static hsd_status take(hsd_on_way *w, uint64_t count, hsd_error *err)
{
    w->nodes = malloc((size_t)count * sizeof *w->nodes);
    w->begins = malloc(((size_t)count + 1) * sizeof *w->begins);
    w->types = malloc((size_t)count * sizeof *w->types);
    const bool has_all = w->nodes != NULL && w->begins != NULL && w->types != NULL;
    if (!has_all || !hsd_pages_take_sparse(&w->pages, (size_t)(w->room * EDGE_BYTES)))
        return hsd_fail_nomem(err, "shortest paths");
    w->targets = w->pages.data;
    w->names = (uint32_t *)(void *)(w->targets + w->room);
    return HSD_OK;
}

/* False when there is no room for more. */
static bool put_all_on_way(hsd_on_way *w, const uint8_t *bits, const hsd_targets *targets, uint64_t *end)
{
    for (uint32_t i = 0; i < targets->count; i++) {
        if (!hsd_bit_get(bits, targets->items[i])) continue;
        if (*end == w->room) return false;
        w->targets[*end] = targets->items[i];
        w->names[(*end)++] = targets->names[i];
    }
    return true;
}

static bool put_node(hsd_on_way *w, hsd_adjacency *adjacency, const uint8_t *bits, hsd_node node, uint64_t *end)
{
    hsd_targets targets;
    if (hsd_adjacency_is_leaf(adjacency, node)) return true;
    hsd_adjacency_get_named(adjacency, node, &targets);
    while (put_all_on_way(w, bits, &targets, end)) {
        if (!targets.has_more) return true;
        hsd_adjacency_more(adjacency, &targets);
    }
    return false;
}

/* HSD_END when there is no room for all. */
static hsd_status pass_on_way(hsd_on_way *w, hsd_adjacency *adjacency, const uint8_t *bits,
                              const hsd_shortest_config *config, hsd_error *err)
{
    const hsd_node nodes = hsd_adjacency_node_count(adjacency);
    uint64_t end = 0;
    for (hsd_node byte = 0; byte <= nodes / 8; byte++) {
        for (uint32_t left = bits[byte]; left != 0; left &= left - 1) {
            const hsd_node node = byte * 8 + (hsd_node)__builtin_ctz(left);
            if (node >= nodes) break;
            w->nodes[w->count] = node;
            w->types[w->count] = config->type_of == NULL ? 0 : config->type_of(config->type_context, node);
            w->begins[w->count++] = end;
            if (!put_node(w, adjacency, bits, node, &end)) return HSD_END;
            if ((w->count & PROGRESS_STEPS) == 0)
                HSD_TRY(hsd_progress(config->reporter, "finding paths", node, nodes, err));
        }
    }
    w->begins[w->count] = end;
    w->bytes += end * EDGE_BYTES;
    return hsd_adjacency_check(adjacency, err);
}

hsd_status hsd_on_way_gather(hsd_on_way *on_way, hsd_adjacency *adjacency, const uint8_t *bits,
                             const hsd_shortest_config *config, uint64_t memory_bytes, hsd_error *err)
{
    const uint64_t count = count_all(bits, hsd_adjacency_node_count(adjacency));
    memset(on_way, 0, sizeof *on_way);
    if (!plan(on_way, count, memory_bytes)) return HSD_OK;
    hsd_status status = take(on_way, count, err);
    if (status == HSD_OK) status = pass_on_way(on_way, adjacency, bits, config, err);
    if (status != HSD_OK) hsd_on_way_release(on_way);
    return status == HSD_END ? HSD_OK : status;
}

void hsd_on_way_release(hsd_on_way *on_way)
{
    free(on_way->nodes);
    free(on_way->begins);
    free(on_way->types);
    hsd_pages_give(&on_way->pages);
    memset(on_way, 0, sizeof *on_way);
}
