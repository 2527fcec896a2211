/*
 * The walk of one capture by itself: the plan with its dominators where they fit, else without.
 */
#include "walk/single.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "walk/fold.h"
#include "walk/keep.h"
#include "walk/walked.h"

void hsd_single_init(hsd_single *single, const hsd_run *run)
{
    memset(single, 0, sizeof *single);
    hsd_reporter_init(&single->reporter, run);
    hsd_temp_space_of(&single->space, run);
}

static hsd_status divide_memory(hsd_single *single, bool with_tree, hsd_error *err)
{
    const hsd_run *run = single->reporter.run;
    const hsd_plan_request request = {
        .memory_bytes = run != NULL ? run->memory_bytes : 0,
        .threads = run != NULL ? run->threads : 0,
        .capture_count = 1,
        .captures = {hsd_side_needs(&single->side, with_tree)},
    };
    return hsd_plan_make(&single->plan, &request, err);
}

/* How the rest of the walk has the memory. */
static void take_plan(hsd_single *single)
{
    const hsd_plan *plan = &single->plan;
    hsd_plan_explain(plan, &single->reporter);
    single->request.plan = plan->sides[0];
    single->request.table_bytes = plan->table_bytes;
    single->request.use_thread = plan->uses_sort_threads;
}

static hsd_status make_plan(hsd_single *single, hsd_error *err)
{
    hsd_plan *plan = &single->plan;
    const hsd_side_walk *side = &single->side;
    const char *why = single->is_for_paths ? hsd_side_why_no_graph(side) : hsd_side_why_no_tree(side);
    const bool wants_tree = why == NULL && !single->stops_at_owners;
    HSD_TRY(divide_memory(single, wants_tree, err));
    single->has_tree = wants_tree && plan->has_holders;
    if (why != NULL)
        snprintf(single->why_no_tree, sizeof single->why_no_tree, "the capture %s", why);
    else if (!wants_tree)
        snprintf(single->why_no_tree, sizeof single->why_no_tree, "they were not asked for");
    else if (!plan->has_holders) {
        const uint64_t least = plan->holders_least_bytes;
        snprintf(single->why_no_tree, sizeof single->why_no_tree, "%llu MiB of memory are too few for it, %llu suffice",
                 (unsigned long long)(plan->memory_bytes >> 20), (unsigned long long)((least + 0xfffff) >> 20));
        HSD_TRY(divide_memory(single, false, err));
        plan->holders_least_bytes = least;
    }
    take_plan(single);
    hsd_page_pool_init(&single->pool, plan->pool_bytes);
    single->space.pool = plan->pool_bytes > 0 ? &single->pool : NULL;
    hsd_walk_request *request = &single->request;
    request->want_tree = single->has_tree;
    const bool keeps_graph = !single->is_for_sums || single->keeps_graph;
    request->keeps = single->has_tree && keeps_graph ? HSD_GRAPH_STAYS : HSD_GRAPH_GOES;
    if (single->has_tree && single->keep != NULL) request->keeper = &single->keep->sides[0];
    return HSD_OK;
}

static hsd_status number_edges(hsd_single *single, hsd_error *err)
{
    hsd_label_table *const table = &single->side.labels;
    if (!single->has_tree) return HSD_OK;
    HSD_TRY(single->behind != NULL ? hsd_walked_number_edges(single->behind, single, err)
                                   : hsd_edge_names_load(&single->edges, &table, &single->request.capture, 1, err));
    single->request.edge_names = &single->edges;
    return HSD_OK;
}

static hsd_status open_side(hsd_single *single, hsd_capture *capture, hsd_error *err)
{
    hsd_walk_request *request = &single->request;
    request->capture = capture;
    request->space = &single->space;
    request->reporter = &single->reporter;
    request->type_names = &single->types;
    request->want_ids = !single->is_for_sums;
    if (single->behind != NULL) HSD_TRY(hsd_walked_open_next(single->behind, single, err));
    if (single->behind == NULL) {
        HSD_TRY(hsd_type_names_init(&single->types, err));
        HSD_TRY(hsd_side_open(&single->side, request, err));
    }
    HSD_TRY(make_plan(single, err));
    return number_edges(single, err);
}

hsd_status hsd_single_open(hsd_single *single, hsd_capture *capture, hsd_error *err)
{
    HSD_ASSERT(single->request.capture == NULL);
    const hsd_status status = open_side(single, capture, err);
    if (status < 0) hsd_error_set_file(err, hsd_capture_get_info(capture)->path);
    return status;
}

/* Once the graph is read it is known what it takes, mostly half of what might be: what comes has the rest, too. */
static void divide_again(hsd_single *single)
{
    const hsd_plan before = single->plan;
    if (!single->has_tree || single->side.adjacency == NULL) return;
    if (divide_memory(single, true, NULL) != HSD_OK || !single->plan.has_holders ||
        single->plan.peak_bytes + before.pool_bytes > before.memory_bytes) {
        single->plan = before;
        return;
    }
    single->plan.holders_least_bytes = before.holders_least_bytes;
    single->plan.pool_bytes = before.pool_bytes;
    take_plan(single);
}

static hsd_status walk(hsd_single *single, hsd_error *err)
{
    HSD_TRY(hsd_side_run_reading(&single->side, err));
    divide_again(single);
    return hsd_side_run(&single->side, err);
}

hsd_status hsd_single_walk(hsd_single *single, hsd_capture *capture, hsd_error *err)
{
    HSD_TRY(hsd_single_open(single, capture, err));
    const hsd_status status = walk(single, err);
    if (status < 0) hsd_error_set_file(err, hsd_capture_get_info(capture)->path);
    return status;
}

/* ---- captures of totals ---- */

static hsd_status add_totals(hsd_single *single, hsd_record_reader *reader, hsd_error *err)
{
    hsd_record record;
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        const hsd_type_total *total = &record.type_total;
        hsd_amount *sum = &single->side.counts->live_by_type[hsd_type_common(&single->side.types, total->type)];
        sum->objects = hsd_add_saturating(sum->objects, total->objects);
        sum->bytes = hsd_add_saturating(sum->bytes, hsd_add_saturating(total->bytes, total->native_bytes));
    }
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_single_count_totals(hsd_single *single, hsd_error *err)
{
    HSD_ASSERT(single->side.counts != NULL);
    const hsd_capture_info *info = single->side.info;
    hsd_record_reader *reader;
    if (info->objects > 0 || info->summary_objects == 0 || info->is_baseline) return HSD_OK;
    HSD_TRY(hsd_record_reader_open(&reader, single->side.request->capture, HSD_RECORD_TYPE_TOTAL, err));
    const hsd_status status = add_totals(single, reader, err);
    hsd_record_reader_close(reader);
    return status;
}

void hsd_single_release(hsd_single *single)
{
    hsd_side_release(&single->side);
    hsd_page_pool_release(&single->pool);
    hsd_edge_names_release(&single->edges);
    hsd_type_names_release(&single->types);
    hsd_reporter_release(&single->reporter);
    memset(single, 0, sizeof *single);
}
