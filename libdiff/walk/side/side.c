/*
 * The steps of one side in their order, and what each leaves behind for the next.
 */
#include "walk/side/side.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/worker.h"
#include "graph/blocks.h"
#include "graph/owner_tree.h"
#include "io/stopwatch.h"
#include "walk/allocated.h"
#include "walk/fold.h"
#include "walk/keep.h"
#include "walk/places.h"
#include "walk/tree.h"
#include <hscapture/hscapture.h>

/* Label nodes are not counted beforehand: room for as many as real heaps have. */
#define LABEL_NODE_ALLOWANCE UINT64_C(65536)

/* A capture without its end record does not say how many objects it holds: look. */
static hsd_status find_object_count(hsd_side_walk *side, uint64_t *count, hsd_error *err)
{
    hsd_object_reader *reader;
    *count = side->info->objects;
    if (side->info->is_complete) return HSD_OK;
    HSD_TRY(hsd_object_reader_open(&reader, side->request->capture, 0, err));
    hsd_status status;
    for (;;) {
        hsd_object object;
        status = hsd_object_reader_next(reader, &object, err);
        if (status != HSD_OK) break;
        *count = hsd_max_u64(*count, object.ordinal + 1);
    }
    hsd_object_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_side_open(hsd_side_walk *side, const hsd_walk_request *request, hsd_error *err)
{
    HSD_ASSERT(request->capture != NULL && request->type_names != NULL && request->space != NULL);
    uint64_t count;
    *side = (hsd_side_walk){
        .request = request, .info = hsd_capture_get_info(request->capture), .graph = calloc(1, sizeof *side->graph)};
    if (side->graph == NULL) return hsd_fail_nomem(err, "a walk");
    HSD_TRY(find_object_count(side, &count, err));
    if (count > hsd_most_walked()) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "the capture holds %llu objects, and %llu are walked at most",
                 (unsigned long long)count, (unsigned long long)hsd_most_walked());
        hsd_error_set_hint(err, "two of them can be compared by type: hsdiff BEFORE AFTER");
        return HSD_E_UNSUPPORTED;
    }
    side->object_count = (hsd_node)count;
    const bool has_some = side->info->references > 0 || side->info->edges > 0 || !side->info->is_complete;
    /* a program that keeps nothing but text has none */
    const bool knows_none = (side->info->facts & HSC_FACT_MANUAL) != 0;
    side->has_references = (side->info->facts & HSC_FACT_NO_REFERENCES) == 0 && (has_some || knows_none);
    side->has_roots = (side->info->facts & HSC_FACT_NO_ROOTS) == 0 && side->info->roots > 0;
    HSD_TRY(hsd_type_table_load(&side->types, request->capture, request->type_names, err));
    return hsd_label_table_load(&side->labels, request->capture, err);
}

/* The graph as it is. What was read by ids, or stands apart from its objects, is in it. */
static void add_graph(hsd_plan_capture *needs, const hsd_side_walk *side)
{
    const hsd_walk_graph *graph = side->graph;
    if (side->adjacency == NULL || graph == NULL) return;
    needs->objects = side->node_count;
    needs->references = hsd_adjacency_edge_count(side->adjacency);
    needs->block_bytes = hsd_max_u64(hsd_adjacency_bytes(side->adjacency), 1);
    needs->block_name_bytes = hsd_adjacency_name_bytes(side->adjacency);
    needs->id_bytes = graph->ids != NULL ? side->request->plan.id_serve_bytes : graph->ordinals.used_bytes;
}

hsd_plan_capture hsd_side_needs(const hsd_side_walk *side, bool with_tree)
{
    HSD_ASSERT(side->request != NULL);
    const hsd_capture_info *info = side->info;
    const uint64_t labels = hsd_min_u64(LABEL_NODE_ALLOWANCE, side->object_count);
    const uint64_t root_nodes = hsd_min_u64(info->roots, HSD_MAX_ROOT_NAMES);
    hsd_plan_capture needs = {
        .objects = side->object_count + labels + root_nodes,
        .references = info->references + info->edges + 2 * labels + info->roots,
        .has_graph = hsd_side_has_graph(side) || info->has_parts,
        .needs_join = !info->targets_are_ordinals,
        .has_edges = info->edges > 0,
        .has_parts = info->has_parts,
        .identity_words = !side->request->want_identity               ? 0
                          : side->request->alike != NULL              ? HSD_CENSUS_WORDS
                          : with_tree || side->request->marks != NULL ? HSD_CENSUS_ID
                                                                      : HSD_CENSUS_ORDINAL,
        .has_structure = side->request->alike != NULL,
        .strings = info->strings,
        .tree_words = !with_tree                ? 0
                      : side->request->want_ids ? HSD_TREE_ID_WORDS
                                                : HSD_TREE_WORDS,
    };
    add_graph(&needs, side);
    return needs;
}

hsd_status hsd_side_check_tables(const hsd_side_walk *side, uint64_t more, hsd_error *err)
{
    const uint64_t label_nodes = side->graph != NULL ? side->graph->label_node_capacity : 0;
    const uint64_t used =
        more + label_nodes * sizeof(hsd_label_node) + hsd_names_memory(&side->roots.names) + side->roots.kind_capacity;
    if (used <= side->request->table_bytes) return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET, "the names of the roots alone take %llu MiB of memory",
             (unsigned long long)(used >> 20) + 1);
    hsd_error_set_hint(err, "--memory %lluM", (unsigned long long)((used * 40) >> 20));
    return HSD_E_OVER_BUDGET;
}

/* ---- what a step needs at least, for the cost model (base/work.h). Sorters, files and columns count by themselves. */

static uint64_t bits_of(const hsd_side_walk *side) { return side->node_count / 8; }

/* Each reference finds its ordinal, in some two bytes an object, unless it is one; and goes into the blocks. */
static void count_graph(const hsd_side_walk *side)
{
    const uint64_t references = side->info->references + side->info->edges;
    if (!side->info->targets_are_ordinals) hsd_work_at_random(references, (uint64_t)side->object_count * 2);
    if (side->adjacency == NULL) return;
    hsd_work_did(HSD_COST_VARINTS, references * (side->request->want_tree ? 2 : 1));
    hsd_work_did(HSD_COST_WRITTEN, hsd_adjacency_bytes(side->adjacency) + hsd_adjacency_name_bytes(side->adjacency));
}

/* All references are looked through for those that lead to parts. */
static void count_parts(const hsd_side_walk *side)
{
    if (side->adjacency == NULL || !side->info->has_parts) return;
    hsd_adjacency_count_scan(side->adjacency, false);
    hsd_work_at_random(hsd_adjacency_edge_count(side->adjacency), bits_of(side));
}

/* A hash of what an object is, and twice one of what it refers to. */
static void count_structure(const hsd_side_walk *side)
{
    if (side->adjacency == NULL) return;
    for (int round = 0; round < 2; round++) {
        hsd_adjacency_count_scan(side->adjacency, false);
        hsd_work_at_random(hsd_adjacency_edge_count(side->adjacency), (uint64_t)side->node_count * 8);
    }
    hsd_work_at_random(side->object_count, (uint64_t)side->object_count * HSD_NODE_BYTES);
}

/* A label of each target, and the list of each node that gets one; or the interval in which each place is. */
static void count_owners(const hsd_side_walk *side)
{
    if (side->adjacency == NULL) return;
    if (side->graph->owner_tree != NULL) {
        hsd_work_did(HSD_COST_READ, (uint64_t)side->node_count * HSD_TWO_BYTES);
        hsd_work_did(HSD_COST_NEAR, (uint64_t)side->node_count * 2);
        return;
    }
    hsd_adjacency_count_walk(side->adjacency, side->node_count);
    hsd_work_at_random(hsd_adjacency_edge_count(side->adjacency), (uint64_t)side->node_count * HSD_NODE_BYTES);
}

/* Owner, place and type of each object in their order; sums of its type and its root. */
static void count_census(const hsd_side_walk *side)
{
    hsd_work_did(HSD_COST_READ, (uint64_t)side->object_count * (HSD_NODE_BYTES + HSD_PLACES_NODE_BYTES));
    hsd_work_did(HSD_COST_NEAR, (uint64_t)side->object_count * 2);
}

static void count_nothing(const hsd_side_walk *side) { (void)side; } /* its own steps do */

typedef struct side_step {
    const char *name;
    hsd_status (*run)(hsd_side_walk *side, hsd_error *err);
    void (*count)(const hsd_side_walk *side);
} side_step;

static const side_step reading_graph = {"reading the graph", hsd_side_graph, count_graph},
                       attributing_parts = {"attributing parts", hsd_side_parts, count_parts},
                       looking_at_objects = {"looking at objects", hsd_side_structure, count_structure},
                       finding_dominators = {"finding dominators", hsd_side_dominators, count_nothing},
                       finding_owners = {"finding owners", hsd_side_owners, count_owners},
                       counting_objects = {"counting objects", hsd_side_census, count_census};

static hsd_status step_side(hsd_side_walk *side, const side_step *step, hsd_error *err)
{
    hsd_stopwatch watch = hsd_stopwatch_start(side->request->space);
    HSD_TRY(step->run(side, err));
    step->count(side);
    hsd_stopwatch_note(&watch, side->request->reporter, side->info->path, step->name);
    return HSD_OK;
}

static void note_graph(const hsd_side_walk *side)
{
    hsd_note(side->request->reporter, HSD_NOTE_DETAIL,
             "%s: %" HSD_PRI_NODE " nodes, %u named roots, %llu distinct references in %.1f MiB of blocks",
             side->info->path, side->object_count, side->graph->label_node_count,
             (unsigned long long)side->graph->edge_count, (double)hsd_adjacency_bytes(side->adjacency) / 1048576.0);
    if (side->roots.is_full) {
        hsd_note(side->request->reporter, HSD_NOTE_WARNING,
                 "%s: more than %u distinct roots: the rest are counted as (other roots)", side->info->path,
                 HSD_MAX_ROOT_NAMES);
    }
}

static void free_adjacency(hsd_side_walk *side)
{
    hsd_adjacency_free(side->adjacency);
    side->adjacency = NULL;
}

/* What no one needs once objects are counted. */
static void free_graph(hsd_side_walk *side)
{
    hsd_walk_graph *graph = side->graph;
    if (graph == NULL) return;
    free(graph->label_nodes);
    free(graph->is_pseudo);
    free(graph->is_part);
    free(graph->has_soft);
    hsd_sorter_free(graph->ids);
    hsd_ordinals_release(&graph->ordinals);
    hsd_temp_close(&graph->shapes_file);
    hsd_side_release_part_sizes(side);
    free(graph->is_named);
    free(graph->is_keyed);
    free(graph->is_hashed);
    free(graph->is_folded);
    hsd_sorter_free(graph->folded);
    hsd_sequence_release(&graph->sequence);
    hsd_places_free(graph->places);
    hsd_owner_tree_free(graph->owner_tree);
    hsd_owners_close(&graph->owners);
    free(graph->is_soft);
    free(graph->cycles);
    free(graph);
    side->graph = NULL;
}

static uint64_t least_bytes(uint64_t blocks)
{
    return hsd_max_u64(HSD_BLOCKS_LEAST_BYTES, hsd_paged_least_bytes(blocks));
}

/* No one walks the graph for a while. */
static hsd_status rest_graph(hsd_side_walk *side, hsd_error *err)
{
    if (!hsd_side_keeps_graph(side)) { /* the planner does not know that it stays */
        HSD_TRY(hsd_adjacency_set_memory(side->adjacency, least_bytes(hsd_adjacency_bytes(side->adjacency)), err));
        return hsd_adjacency_set_name_memory(side->adjacency, least_bytes(hsd_adjacency_name_bytes(side->adjacency)),
                                             err);
    }
    const hsd_plan_side *plan = &side->request->plan;
    HSD_TRY(hsd_adjacency_set_memory(side->adjacency, hsd_plan_waiting(plan, plan->idle_adjacency_bytes), err));
    return hsd_adjacency_set_name_memory(side->adjacency, hsd_plan_waiting(plan, plan->idle_name_bytes), err);
}

/* Labels and places of a side that waits for the other one leave the memory. */
static hsd_status rest_labels(hsd_side_walk *side, hsd_error *err)
{
    const hsd_plan_side *plan = &side->request->plan;
    if (!plan->waits_in_order) return HSD_OK;
    HSD_TRY(hsd_owners_shrink(&side->graph->owners, hsd_plan_waiting(plan, plan->owner_serve_bytes), err));
    return side->graph->places != NULL ? hsd_places_wait(side->graph->places, plan, err) : HSD_OK;
}

/* Types can be looked up at random from now on. */
static hsd_status open_types(hsd_side_walk *side, hsd_error *err)
{
    const uint64_t full = hsd_paged_full_bytes((uint64_t)side->object_count * sizeof(uint32_t));
    if (side->object_count == 0) return HSD_OK;
    if (side->has_types_of)
        return hsd_paged_grow(&side->types_of, hsd_min_u64(full, side->request->plan.type_bytes), err);
    HSD_TRY(hsd_paged_open_file(&side->types_of, &side->types_file, hsd_min_u64(full, side->request->plan.type_bytes),
                                err));
    side->has_types_of = true;
    return HSD_OK;
}

/* What a walk leaves behind: the census and the tree, sorted, and the graph where it was asked for. */
static hsd_status serve(hsd_side_walk *side, hsd_error *err)
{
    if (side->census != NULL) HSD_TRY(hsd_side_serve(side->census, side->request->plan.identity_serve_bytes, err));
    if (side->tree != NULL) HSD_TRY(hsd_side_serve(side->tree, side->request->plan.tree_serve_bytes, err));
    return hsd_side_keeps_graph(side) ? open_types(side, err) : HSD_OK;
}

/* Owners last: where they fit beside dominators these tell most of them. */
static hsd_status find_both(hsd_side_walk *side, hsd_error *err)
{
    if (side->request->want_tree) HSD_TRY(step_side(side, &finding_dominators, err));
    return step_side(side, &finding_owners, err);
}

static bool reads_graph(const hsd_side_walk *side) { return hsd_side_has_graph(side) || side->info->has_parts; }

hsd_status hsd_side_run_reading(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->graph != NULL);
    HSD_ASSERT(!side->request->want_tree || hsd_side_has_graph(side));
    HSD_ASSERT(side->request->alike == NULL || side->request->want_identity);
    if (!reads_graph(side) || side->adjacency != NULL) return HSD_OK;
    HSD_TRY(step_side(side, &reading_graph, err));
    note_graph(side);
    return HSD_OK;
}

hsd_status hsd_side_run_graph(hsd_side_walk *side, hsd_error *err)
{
    HSD_TRY(hsd_side_run_reading(side, err));
    if (reads_graph(side)) HSD_TRY(step_side(side, &attributing_parts, err));
    if (side->request->alike != NULL) HSD_TRY(step_side(side, &looking_at_objects, err));
    HSD_TRY(find_both(side, err));
    HSD_TRY(rest_labels(side, err));
    if (side->adjacency != NULL && (side->request->keeps != HSD_GRAPH_GOES || side->request->keeper != NULL))
        return rest_graph(side, err);
    free_adjacency(side);
    return HSD_OK;
}

hsd_status hsd_side_run_census(hsd_side_walk *side, hsd_error *err)
{
    HSD_ASSERT(side->graph != NULL && side->census == NULL);
    const hsd_keeper *keeper = side->request->keeper;
    HSD_TRY(step_side(side, &counting_objects, err));
    free_graph(side);
    hsd_stopwatch watch = hsd_stopwatch_start(side->request->space);
    HSD_TRY(serve(side, err));
    hsd_stopwatch_note(&watch, side->request->reporter, side->info->path, "sorting what was counted");
    if (keeper == NULL || keeper->walked == NULL || side->request->spare_bytes == 0) return HSD_OK;
    return keeper->walked(keeper->context, side->request->spare_bytes, err);
}

hsd_status hsd_side_run(hsd_side_walk *side, hsd_error *err)
{
    HSD_TRY(hsd_side_run_graph(side, err));
    return hsd_side_run_census(side, err);
}

void hsd_side_drop_graph(hsd_side_walk *side)
{
    if (!hsd_side_keeps_graph(side) && side->request->keeper == NULL) free_adjacency(side);
}

void hsd_side_release(hsd_side_walk *side)
{
    hsd_type_table_release(&side->types);
    hsd_label_table_release(&side->labels);
    free(side->root_nodes);
    free(side->name_of_node);
    free(side->has_named);
    free_adjacency(side);
    free_graph(side);
    if (side->has_types_of) hsd_paged_close(&side->types_of);
    hsd_temp_close(&side->types_file);
    hsd_names_release(&side->roots.names);
    free(side->roots.kinds);
    hsd_sorter_free(side->census);
    hsd_sorter_free(side->tree);
    if (side->counts != NULL) hsd_fold_side_release(side->counts);
    free(side->counts);
    hsd_allocated_free(side->allocated);
    memset(side, 0, sizeof *side);
}
