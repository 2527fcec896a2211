/*
 * The references the other way round, in blocks like those of the walk (graph/adjacency.h), and where in both graphs
 * the long lists are.
 */
#include "browse/referrers.h"

#include "base/check.h"

#define PROGRESS_STEPS 0xffffu

/* ---- from the walk's graph ---- */

static hsd_status pass_node(hsd_turn *turn, hsd_node node, hsd_turn_fn take, void *context, hsd_error *err)
{
    hsd_adjacency *graph = turn->index->referents.adjacency;
    hsd_targets targets;
    hsd_adjacency_get(graph, node, &targets);
    const bool is_long = targets.has_more;
    for (;;) {
        HSD_TRY(take(context, node, &targets, err));
        if (!targets.has_more) break;
        hsd_adjacency_more(graph, &targets);
    }
    return is_long && !turn->knows_long ? hsd_lists_add_long(&turn->index->referents, node, err) : HSD_OK;
}

hsd_status hsd_turn_pass(hsd_turn *turn, const char *what, hsd_turn_fn take, void *context, hsd_error *err)
{
    hsd_adjacency *graph = turn->index->referents.adjacency;
    const hsd_node count = hsd_index_node_count(turn->index);
    for (hsd_node node = 0; node < count; node++) {
        if ((node & PROGRESS_STEPS) == 0) {
            HSD_TRY(hsd_adjacency_check(graph, err));
            HSD_TRY(hsd_index_progress(turn->index, what, node, count, err));
        }
        if (!hsd_adjacency_is_leaf(graph, node)) HSD_TRY(pass_node(turn, node, take, context, err));
    }
    turn->knows_long = true;
    return hsd_adjacency_check(graph, err);
}

/* ---- to blocks ---- */

/* Targets with many referrers wait until their lists are there. */
static hsd_status end_target(hsd_turn *turn, hsd_error *err)
{
    if (turn->total > HSD_ADJACENCY_PART_ITEMS) HSD_TRY(hsd_column_put_node(&turn->longs, turn->target, err));
    turn->total = 0;
    turn->last_source = HSD_NODE_NONE;
    return HSD_OK;
}

static uint64_t drop_doubles(hsd_turn *turn, hsd_node *sources, uint64_t count)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        const hsd_node source = sources[i];
        if (source != turn->last_source) sources[kept++] = source;
        turn->last_source = source;
    }
    return kept;
}

hsd_status hsd_turn_put(hsd_turn *turn, hsd_node target, hsd_node *sources, uint64_t count, hsd_error *err)
{
    if (target != turn->target) HSD_TRY(end_target(turn, err));
    turn->target = target;
    const uint64_t kept = drop_doubles(turn, sources, count);
    turn->total += kept;
    return hsd_adjacency_add(turn->index->referrers.adjacency, target, sources, NULL, kept, err);
}

/* ---- the whole ---- */

static hsd_status add_longs(hsd_index *index, hsd_column_file *longs, hsd_error *err)
{
    hsd_paged nodes;
    const uint64_t count = longs->count;
    HSD_TRY(hsd_column_end(longs, &nodes, 0, err));
    hsd_status status = HSD_OK;
    for (uint64_t i = 0; i < count && status == HSD_OK; i++) {
        status = hsd_lists_add_long(&index->referrers, hsd_paged_get_node(&nodes, i), err);
    }
    if (status == HSD_OK) status = hsd_paged_check(&nodes, err);
    hsd_array_close(&nodes);
    return status;
}

/* What blocks need to be built and read: five bytes a reference are many. */
static uint64_t least_bytes(const hsd_index *index)
{
    const uint64_t bytes =
        5 * hsd_adjacency_edge_count(index->referents.adjacency) + 2 * (uint64_t)hsd_index_node_count(index);
    return HSD_BLOCKS_LEAST_BYTES + hsd_paged_least_bytes(bytes);
}

static hsd_status run_referrer(hsd_turn *turn, hsd_error *err)
{
    hsd_index *index = turn->index;
    const uint64_t blocks = hsd_max_u64(hsd_index_share(index, 4), least_bytes(index));
    bool is_done;
    HSD_TRY(hsd_graph_bound(index->referents.adjacency, 0, 0, err));
    HSD_TRY(hsd_column_begin(&turn->longs, sizeof(hsd_node), index->space, err));
    HSD_TRY(hsd_adjacency_begin(&index->referrers.adjacency, blocks, index->space, err));
    HSD_TRY(hsd_turn_counted(turn, &is_done, err));
    if (!is_done) HSD_TRY(hsd_turn_sorted(turn, err));
    HSD_TRY(end_target(turn, err));
    HSD_TRY(hsd_adjacency_finish(index->referrers.adjacency, hsd_index_node_count(index), err));
    return add_longs(index, &turn->longs, err);
}

hsd_status hsd_index_referrers(hsd_index *index, hsd_error *err)
{
    hsd_turn turn = {.index = index, .last_source = HSD_NODE_NONE};
    const hsd_status status = run_referrer(&turn, err);
    hsd_column_close(&turn.longs);
    return status;
}
