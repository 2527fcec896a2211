/*
 * An index from its parts, one after the other, each within the memory that there is; what of it is made ahead; and
 * what remains of it in memory when it is asked.
 *
 *      walk of the side │ the other walk, comparison, report │
 *                       │ referents, referrers, ways         │ spans, parents, children, by_type, by_id, partners
 *
 * Stacks are indexed when one is asked for (stacks.h).
 */
#include <stdlib.h>

#include "base/check.h"
#include "browse/index.h"

/* of memory: with less it would be a sort in very little (referrers_counted.c) */
#define AHEAD_NODE_BYTES (2 * HSD_NODE_BYTES)
#define GRAPH_SHARES     4u /* of the memory for pages: blocks and names of references and referrers */

static hsd_status step_index(hsd_index *index, const char *name, hsd_status (*run)(hsd_index *, hsd_error *),
                             hsd_error *err)
{
    const uint64_t start = hsd_now_ns();
    HSD_TRY(run(index, err));
    hsd_note(index->reporter, HSD_NOTE_DETAIL, "%s: indexing %s took %.3f s", index->walk->info->path, name,
             (double)(hsd_now_ns() - start) * 1e-9);
    return HSD_OK;
}

static uint64_t at_least(uint64_t memory_bytes, uint64_t block_bytes)
{
    return hsd_max_u64(memory_bytes, hsd_max_u64(hsd_paged_least_bytes(block_bytes), HSD_BLOCKS_LEAST_BYTES));
}

hsd_status hsd_graph_bound(hsd_adjacency *graph, uint64_t bytes, uint64_t name_bytes, hsd_error *err)
{
    HSD_TRY(hsd_adjacency_set_memory(graph, at_least(bytes, hsd_adjacency_bytes(graph)), err));
    return hsd_adjacency_set_name_memory(graph, at_least(name_bytes, hsd_adjacency_name_bytes(graph)), err);
}

/* Nobody reads the graphs for a while. */
static hsd_status rest_graphs(hsd_index *index, hsd_error *err)
{
    HSD_TRY(hsd_graph_bound(index->referents.adjacency, 0, 0, err));
    return hsd_graph_bound(index->referrers.adjacency, 0, 0, err);
}

hsd_status hsd_index_graph(hsd_index *index, hsd_error *err)
{
    index->referents.adjacency = index->walk->adjacency;
    HSD_TRY(step_index(index, "referrers", hsd_index_referrers, err));
    HSD_TRY(step_index(index, "paths", hsd_index_ways, err));
    index->has_graph = true;
    return rest_graphs(index, err);
}

static hsd_status named_index(const hsd_index *index, hsd_status status, hsd_error *err)
{
    if (status < 0) hsd_error_set_file(err, index->walk->info->path);
    return status;
}

/* ---- ahead ---- */

static hsd_status run_graph(void *context, hsd_error *err)
{
    return named_index(context, hsd_index_graph(context, err), err);
}

hsd_status hsd_index_begin(void *context, uint64_t memory_bytes, hsd_error *err)
{
    hsd_index *index = context;
    (void)err;
    if (memory_bytes < AHEAD_NODE_BYTES * (uint64_t)hsd_index_node_count(index)) return HSD_OK;
    index->memory_bytes = memory_bytes;
    hsd_worker_begin(&index->worker, run_graph, index, false);
    return HSD_OK;
}

hsd_status hsd_index_wait(void *context, hsd_error *err)
{
    return hsd_worker_finish(&((hsd_index *)context)->worker, err);
}

/* ---- the whole ---- */

hsd_status hsd_index_progress(hsd_index *index, const char *what, uint64_t done, uint64_t total, hsd_error *err)
{
    if (atomic_load(&index->is_stopped)) return hsd_fail(err, HSD_E_CANCELLED, "the index is not wanted any more");
    return hsd_progress(index->reporter, what, done, total, err);
}

static hsd_status build_index(hsd_index *index, hsd_error *err)
{
    if (!index->has_graph) HSD_TRY(hsd_index_graph(index, err));
    HSD_TRY(step_index(index, "objects", hsd_index_rows, err));
    HSD_TRY(step_index(index, "what is held", hsd_index_held, err));
    HSD_TRY(step_index(index, "ids", hsd_index_ids, err));
    HSD_TRY(step_index(index, "pairs", hsd_index_partners, err));
    HSD_TRY(hsd_weak_begin(index, err));
    index->is_there = true;
    return HSD_OK;
}

hsd_status hsd_index_build(hsd_index *index, hsd_error *err)
{
    return named_index(index, build_index(index, err), err);
}

hsd_status hsd_index_serve(hsd_index *index, uint64_t memory_bytes, hsd_error *err)
{
    size_t shares = GRAPH_SHARES + (index->walk->info->sites > 0 ? HSD_STACK_ARRAYS : 0);
    for (size_t i = 0; i < HSD_INDEX_ARRAYS; i++)
        shares += hsd_array_is_open(&index->arrays[i]);
    const uint64_t share = index->page_bytes = memory_bytes / shares;
    for (size_t i = 0; i < HSD_INDEX_ARRAYS; i++)
        HSD_TRY(hsd_array_bound(&index->arrays[i], share, err));
    HSD_TRY(hsd_graph_bound(index->referents.adjacency, share, share, err));
    return hsd_graph_bound(index->referrers.adjacency, share, share, err);
}

void hsd_index_release(hsd_index *index)
{
    atomic_store(&index->is_stopped, true);
    hsd_index_wait(index, NULL);
    for (size_t i = 0; i < HSD_INDEX_ARRAYS; i++)
        hsd_array_close(&index->arrays[i]);
    hsd_column_close(&index->row_file);
    index->referents.adjacency = NULL; /* the walk's */
    hsd_lists_release(&index->referents);
    hsd_lists_release(&index->referrers);
    hsd_weak_release(&index->weak);
    free(index->type_begins);
    memset(index, 0, sizeof *index);
}
