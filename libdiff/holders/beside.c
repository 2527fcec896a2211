/*
 * What goes on beside the search for what is held together (by/by.h), which is one thread's, where the other walks
 * were at once:
 *
 *      trie    what was added becomes nodes: nobody asks for them before there are rows
 *      ways    to the holders that were chosen until then, on a view of the graph
 *
 * Sets name objects that nobody asked for when the ways were searched. These are near the holders, and nearly always
 * reached on the way to them. Where one was not, all of it is searched again: a way that was found is the same.
 *
 * Both only where the plan left as much memory as they take, so that what holds together has what it had; ways only of
 * heaps whose ways are few, since numbers of what holds together are in memory at the same time.
 */
#include "holders/growth.h"

#include "base/worker.h"
#include "paths/path_find.h"

#define MOST_FOR_WAYS (UINT64_C(32) << 20) /* memory of heaps that are searched meanwhile: of large ones it adds up */

typedef struct beside {
    hsd_growth *growth;
    hsd_side_walk side; /* that of after, with a view of its graph; NULL = ways are not searched */
    hsd_growth_via via; /* what is wanted until then */
} beside;

bool hsd_growth_has_room_beside(const hsd_growth *growth)
{
    const uint64_t taken = hsd_growth_taken_beside(growth);
    return growth->walks_at_once && growth->has_identity && growth->fill == NULL &&
           hsd_growth_spare_bytes(growth) >= taken;
}

/* What the search takes beside the graph; 0 = it waits. */
static uint64_t way_bytes(const hsd_side_walk *side)
{
    const uint64_t bytes = side->request->plan.path_bytes + hsd_growth_type_bytes(side);
    return bytes <= MOST_FOR_WAYS ? bytes : 0;
}

/* The tally of the trie and its nodes have half of the memory of growth. */
uint64_t hsd_growth_taken_beside(const hsd_growth *growth)
{
    return growth->memory_bytes / 2 + way_bytes(&growth->pair->sides[AFTER]);
}

/* The graph as the search will have it; types as plain memory, since the other thread asks for some, too. */
static hsd_status open_beside(beside *b, hsd_error *err)
{
    hsd_growth *growth = b->growth;
    hsd_side_walk *side = &growth->pair->sides[AFTER];
    if (!hsd_growth_will_find_by(growth) || way_bytes(side) == 0) return HSD_OK;
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, side->request->plan.adjacency_bytes, err));
    HSD_TRY(hsd_adjacency_set_name_memory(side->adjacency, side->request->plan.name_bytes, err));
    hsd_adjacency_load(side->adjacency);
    hsd_adjacency_load_names(side->adjacency);
    if (side->has_types_of) HSD_TRY(hsd_paged_grow(&side->types_of, hsd_growth_type_bytes(side), err));
    hsd_paged_load(&side->types_of);
    if (!hsd_adjacency_is_all_resident(side->adjacency) || hsd_paged_plain(&side->types_of) == NULL) return HSD_OK;
    HSD_TRY(hsd_growth_via_open(&b->via, growth, err));
    if (b->via.wanted_count == 0) return HSD_OK;
    b->side = *side;
    return hsd_adjacency_view(side->adjacency, &b->side.adjacency, err);
}

static void close_beside(beside *b)
{
    if (b->side.adjacency != NULL) hsd_adjacency_free(b->side.adjacency);
    hsd_growth_via_close(&b->via);
}

static hsd_status run_beside(void *context, hsd_error *err)
{
    beside *b = context;
    hsd_growth_ways *ways = &b->growth->ways;
    HSD_TRY(hsd_trie_finish(b->growth->trie, err));
    if (b->side.adjacency == NULL) return HSD_OK;
    const hsd_status status = hsd_path_find(&ways->shortest, &b->side, b->via.wanted, b->via.wanted_count, err);
    ways->are_there = status == HSD_OK;
    return status;
}

static hsd_status find_by(void *context, hsd_error *err) { return hsd_growth_find_by(context, err); }

/* Objects that are wanted now and were not reached. Root nodes are where ways begin. */
static bool has_all_ways(beside *b, const uint8_t *wanted)
{
    hsd_growth_ways *ways = &b->growth->ways;
    const hsd_side_walk *side = &b->growth->pair->sides[AFTER];
    for (hsd_node i = 0; i <= side->node_count / 8; i++) {
        for (uint32_t bits = wanted[i] & ~(uint32_t)b->via.wanted[i]; bits != 0; bits &= bits - 1) {
            const hsd_node node = i * 8 + (uint32_t)__builtin_ctz(bits);
            const bool is_root = node >= side->root_span.begin && node < side->root_span.end;
            if (!is_root && hsd_shortest_way(&ways->shortest, node).parent == HSD_WAY_NONE) return false;
        }
    }
    return true;
}

/* Else they are searched with what is looked at below the holders. */
static hsd_status keep_ways(beside *b, hsd_error *err)
{
    hsd_growth_ways *ways = &b->growth->ways;
    hsd_growth_via now;
    if (!ways->are_there) return HSD_OK;
    const hsd_status status = hsd_growth_via_open(&now, b->growth, err);
    ways->are_beside = status == HSD_OK && has_all_ways(b, now.wanted);
    hsd_growth_via_close(&now);
    HSD_TRY(status);
    if (ways->are_beside) return HSD_OK;
    ways->are_there = false;
    hsd_shortest_close(&ways->shortest);
    return HSD_OK;
}

hsd_status hsd_growth_find_by_and_beside(hsd_growth *growth, hsd_error *err)
{
    beside b = {.growth = growth};
    if (!growth->finishes_beside) return hsd_growth_find_by(growth, err);
    hsd_status status = open_beside(&b, err);
    if (status == HSD_OK) status = hsd_run_both((hsd_job){run_beside, &b}, (hsd_job){find_by, growth}, true, err);
    if (status == HSD_OK) status = keep_ways(&b, err);
    close_beside(&b);
    return status;
}
