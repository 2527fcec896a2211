/*
 * One diff from two open captures to its result: plan the memory, walk both sides (side by side where
 * the budget allows), merge by identity, make rows.
 *
 *      open both ── plan ──┬─ walk before ─┬── merge by identity ── rows
 *                          └─ walk after  ─┘
 */
#include <hsdiff/diff.h>

#include <string.h>

#include "base/check.h"
#include "base/plan.h"
#include "base/worker.h"
#include "diff/compare.h"

/* Label nodes are not counted beforehand: room for as many as real heaps have. */
#define LABEL_NODE_ALLOWANCE UINT64_C(65536)

static hsd_plan_capture plan_capture(const hsd_side_walk *side)
{
    const hsd_capture_info *info = side->info;
    const uint64_t extra = hsd_min_u64(LABEL_NODE_ALLOWANCE, side->object_count);
    return (hsd_plan_capture){
        .objects = side->object_count + extra,
        .references = info->references + info->edges + 2 * extra,
        .has_graph = hsd_side_has_graph(side) || info->has_parts,
        .needs_join = !info->targets_are_ordinals,
        .has_edges = info->edges > 0,
        .has_parts = info->has_parts,
        .identity_words = side->want_identity ? HSD_CENSUS_WORDS : 0,
    };
}

static hsd_status make_plan(hsd_comparison *c, hsd_plan *plan, hsd_error *err)
{
    const hsd_plan_request request = {
        .memory_bytes = c->run->memory_bytes,
        .threads = c->run->threads,
        .capture_count = SIDE_COUNT,
        .captures = {plan_capture(&c->sides[BEFORE]), plan_capture(&c->sides[AFTER])},
    };
    HSD_TRY(hsd_plan_make(plan, &request, err));
    hsd_plan_explain(plan, c->reporter);
    for (int i = 0; i < SIDE_COUNT; i++) {
        c->sides[i].plan = plan->sides[i];
        c->sides[i].table_bytes = plan->table_bytes;
        c->sides[i].use_thread = plan->uses_sort_threads;
    }
    return HSD_OK;
}

static hsd_status open_sides(hsd_comparison *c, hsd_capture *before, hsd_capture *after, hsd_error *err)
{
    hsd_capture *const captures[SIDE_COUNT] = {before, after};
    HSD_TRY(hsd_type_names_init(&c->types, err));
    for (int i = 0; i < SIDE_COUNT; i++) {
        c->sides[i].capture = captures[i];
        c->sides[i].space = &c->space;
        c->sides[i].reporter = c->reporter;
        HSD_TRY(hsd_side_open(&c->sides[i], &c->types, err));
    }
    hsd_compare_choose_rung(c);
    for (int i = 0; i < SIDE_COUNT; i++) c->sides[i].want_identity = c->rung != HSD_RUNG_COUNTS;
    return HSD_OK;
}

static hsd_status walk_side(void *context, hsd_error *err)
{
    hsd_side_walk *side = context;
    const hsd_status status = hsd_side_run(side, err);
    if (status < 0) hsd_error_set_file(err, side->info->path);
    return status;
}

static hsd_status walk_both(hsd_comparison *c, bool side_by_side, hsd_error *err)
{
    hsd_worker worker;
    hsd_worker_begin(&worker, walk_side, &c->sides[BEFORE], !side_by_side);
    hsd_error after_error;
    hsd_error_init(&after_error);
    const bool before_failed = !worker.is_running && worker.status != HSD_OK;
    const hsd_status after = before_failed ? HSD_OK : walk_side(&c->sides[AFTER], &after_error);
    HSD_TRY(hsd_worker_finish(&worker, err));
    if (after != HSD_OK && err != NULL) *err = after_error;
    return after;
}

static hsd_status run(hsd_comparison *c, hsd_diff **out, hsd_capture *before, hsd_capture *after, hsd_error *err)
{
    hsd_plan plan;
    HSD_TRY(open_sides(c, before, after, err));
    HSD_TRY(make_plan(c, &plan, err));
    HSD_TRY(walk_both(c, plan.is_side_by_side, err));
    HSD_TRY(hsd_compare_prepare(c, err));
    if (c->rung != HSD_RUNG_COUNTS) HSD_TRY(hsd_compare_merge(c, err));
    return hsd_rows_from_comparison(out, c, err);
}

hsd_status hsd_diff_run(hsd_diff **out, hsd_capture *before, hsd_capture *after,
                        const hsd_diff_options *options, const hsd_run *run_conditions, hsd_error *err)
{
    static const hsd_diff_options no_options;
    static const hsd_run no_run;
    *out = NULL;
    if (options == NULL) options = &no_options;
    if (run_conditions == NULL) run_conditions = &no_run;
    if (options->summary_only) return hsd_summary_run(out, before, after, err);
    hsd_reporter reporter;
    hsd_comparison c;
    memset(&c, 0, sizeof c);
    c.run = run_conditions;
    c.options = options;
    c.reporter = &reporter;
    hsd_reporter_init(&reporter, run_conditions);
    hsd_temp_space_init(&c.space, run_conditions->temp_dir);
    const hsd_status status = run(&c, out, before, after, err);
    hsd_compare_release(&c);
    hsd_reporter_release(&reporter);
    return status;
}
