/*
 * Batches of targets, and what is distinct in long lists. The bits of a long list are taken back by a second walk over
 * it: such lists are few.
 */
#include "match/neighbours.h"

#include <string.h>

#include "base/assert.h"

static uint64_t bit_bytes(uint64_t node_count) { return node_count / 8 + 1; }

uint64_t hsd_neighbours_least_bytes(uint64_t node_count) { return hsd_paged_least_bytes(bit_bytes(node_count)); }
uint64_t hsd_neighbours_full_bytes(uint64_t node_count) { return hsd_paged_full_bytes(bit_bytes(node_count)); }

hsd_status hsd_neighbours_open(hsd_neighbours *n, hsd_adjacency *adjacency, uint64_t memory_bytes,
                               hsd_temp_space *space, hsd_error *err)
{
    memset(n, 0, sizeof *n);
    if (adjacency == NULL) return HSD_OK;
    HSD_TRY(hsd_paged_open(&n->seen, bit_bytes(hsd_adjacency_node_count(adjacency)), memory_bytes, space, err));
    n->adjacency = adjacency;
    return HSD_OK;
}

void hsd_neighbours_close(hsd_neighbours *n)
{
    if (n->adjacency != NULL) hsd_paged_close(&n->seen);
    n->adjacency = NULL;
}

void hsd_neighbours_start(hsd_neighbours *n, hsd_node end)
{
    n->next = 0;
    n->end = end;
    n->is_within = false;
}

/* ---- long lists ---- */

/* True if the node was not seen yet. */
static bool see_neighbour(hsd_neighbours *n, hsd_node node)
{
    const uint8_t bit = (uint8_t)(1u << (node & 7));
    if (*hsd_paged_at(&n->seen, node >> 3, HSD_FRAME_USED) & bit) return false;
    *hsd_paged_at(&n->seen, node >> 3, HSD_FRAME_USED | HSD_FRAME_DIRTY) |= bit;
    return true;
}

static void forget_part(hsd_neighbours *n, const hsd_targets *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const hsd_node node = part->items[i];
        *hsd_paged_at(&n->seen, node >> 3, HSD_FRAME_USED | HSD_FRAME_DIRTY) &= (uint8_t) ~(1u << (node & 7));
    }
}

static void forget_neighbour(hsd_neighbours *n, hsd_node node)
{
    hsd_targets part;
    hsd_adjacency_get(n->adjacency, node, &part);
    for (;;) {
        forget_part(n, &part);
        if (!part.has_more) return;
        hsd_adjacency_more(n->adjacency, &part);
    }
}

/* ---- pieces ---- */

static void add_piece(hsd_neighbours *n, hsd_node node, uint32_t begin, bool is_last)
{
    n->pieces[n->piece_count++] = (hsd_piece){node, begin, n->target_count, is_last};
}

/* Mostly two or three. */
static inline void add_all(hsd_neighbours *n, const hsd_targets *part)
{
    hsd_node *const to = n->targets + n->target_count;
    for (uint32_t i = 0; i < part->count; i++)
        to[i] = part->items[i];
    n->target_count += part->count;
}

/* The part of a long list that was just read. */
static void add_long_part(hsd_neighbours *n, hsd_node node)
{
    const uint32_t begin = n->target_count;
    for (uint32_t i = 0; i < n->rest.count; i++) {
        const hsd_node target = n->rest.items[i];
        if (see_neighbour(n, target)) n->targets[n->target_count++] = target;
    }
    n->is_within = n->rest.has_more;
    add_piece(n, node, begin, !n->is_within);
    if (!n->is_within) forget_neighbour(n, node);
}

static void add_node(hsd_neighbours *n, hsd_node node)
{
    const uint32_t begin = n->target_count;
    if (n->adjacency == NULL || hsd_adjacency_is_leaf(n->adjacency, node)) {
        add_piece(n, node, begin, true);
        return;
    }
    hsd_adjacency_get(n->adjacency, node, &n->rest);
    if (n->rest.has_more) {
        add_long_part(n, node);
        return;
    }
    add_all(n, &n->rest);
    add_piece(n, node, begin, true);
}

static hsd_status check_neighbour(const hsd_neighbours *n, hsd_error *err)
{
    if (n->adjacency == NULL) return HSD_OK;
    HSD_TRY(hsd_adjacency_check(n->adjacency, err));
    return hsd_paged_check(&n->seen, err);
}

hsd_status hsd_neighbours_next(hsd_neighbours *n, hsd_error *err)
{
    HSD_ASSERT(n->next <= n->end || n->is_within);
    n->piece_count = n->target_count = 0;
    while (n->piece_count < HSD_NEIGHBOURS_PIECES && n->target_count < HSD_NEIGHBOURS_ENOUGH) {
        if (n->is_within) {
            hsd_adjacency_more(n->adjacency, &n->rest);
            add_long_part(n, n->next - 1);
        } else if (n->next < n->end) {
            add_node(n, n->next++);
        } else {
            break;
        }
    }
    HSD_TRY(check_neighbour(n, err));
    return n->piece_count == 0 ? HSD_END : HSD_OK;
}
