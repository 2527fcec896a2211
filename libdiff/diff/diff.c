/*
 * One diff from two open captures to its result: plan the memory, walk both sides (side by side where
 * the budget allows), merge by identity, make rows, and tell who holds the growth.
 *
 *      open both ── plan ──┬─ walk before ─┬── merge by identity ── rows ── holders
 *                          └─ walk after  ─┘
 */
#include <hsdiff/diff.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/options.h"
#include "base/worker.h"
#include "diff/compare.h"
#include "diff/sums.h"
#include "holders/holders.h"
#include "io/stopwatch.h"
#include "totals/allocated_rows.h"
#include "totals/lost_types.h"
#include "totals/metrics.h"
#include "totals/sites_all.h"
#include "totals/sizes.h"
#include "totals/type_totals.h"
#include "walk/plan/plan.h"
#include "walk/tree.h"
#include "walk/walked.h"

static bool can_have_tree(hsd_comparison *c)
{
    const char *why = NULL;
    for (int i = 0; i < SIDE_COUNT && why == NULL; i++)
        why = hsd_side_why_no_tree(&c->pair.sides[i]);
    if (why != NULL) snprintf(c->pair.why_no_holders, sizeof c->pair.why_no_holders, "a capture %s", why);
    if (c->options->no_holders)
        snprintf(c->pair.why_no_holders, sizeof c->pair.why_no_holders, "they were not asked for");
    return why == NULL && !c->options->no_holders;
}

static hsd_status divide_memory(hsd_comparison *c, bool with_tree, hsd_error *err)
{
    const hsd_plan_request request = {
        .memory_bytes = c->run->memory_bytes,
        .threads = c->run->threads,
        .walks_apart = c->parting != NULL,
        .shares = c->parting != NULL ? c->parting->shares : 0,
        .capture_count = SIDE_COUNT,
        .captures = {hsd_side_needs(&c->pair.sides[BEFORE], with_tree),
                     hsd_side_needs(&c->pair.sides[AFTER], with_tree)},
    };
    return hsd_plan_make(&c->pair.plan, &request, err);
}

/* Half of what is free from where a side is walked: both may be, and use it. */
static uint64_t spare_of(const hsd_plan *plan, int side)
{
    const uint64_t used = plan->end_bytes[side] + plan->pool_bytes;
    if (!plan->is_side_by_side || used > plan->memory_bytes) return 0;
    return (plan->memory_bytes - used) / SIDE_COUNT;
}

static uint64_t given_bytes(const hsd_comparison *c)
{
    return c->run->memory_bytes != 0 ? c->run->memory_bytes : hsd_run_default_memory();
}

/* With trees where both captures can have them and the budget suffices. */
static hsd_status make_plan(hsd_comparison *c, hsd_error *err)
{
    hsd_plan *plan = &c->pair.plan;
    const bool with_tree = can_have_tree(c);
    HSD_TRY(divide_memory(c, with_tree, err));
    c->pair.has_holders = with_tree && plan->has_holders;
    if (with_tree && !plan->has_holders) {
        snprintf(c->pair.why_no_holders, sizeof c->pair.why_no_holders,
                 "%llu MiB of memory are too few for them, %llu suffice", (unsigned long long)(given_bytes(c) >> 20),
                 (unsigned long long)(plan->holders_least_bytes >> 20));
        HSD_TRY(divide_memory(c, false, err));
    }
    hsd_plan_explain(plan, c->pair.reporter);
    hsd_page_pool_init(&c->pair.pool, plan->pool_bytes);
    c->pair.space.pool = plan->pool_bytes > 0 ? &c->pair.pool : NULL;
    for (int i = 0; i < SIDE_COUNT; i++) {
        c->pair.requests[i].spare_bytes = spare_of(plan, i);
        c->pair.requests[i].plan = plan->sides[i];
        c->pair.requests[i].table_bytes = plan->table_bytes;
        c->pair.requests[i].use_thread = plan->uses_sort_threads;
        c->pair.requests[i].want_tree = c->pair.has_holders;
        if (c->pair.has_holders && c->keep != NULL) c->pair.requests[i].keeper = &c->keep->sides[i];
    }
    if (c->pair.has_holders) c->pair.requests[AFTER].keeps = HSD_GRAPH_STAYS; /* paths to what holds growth */
    return HSD_OK;
}

static hsd_status number_edges(hsd_comparison *c, hsd_error *err)
{
    hsd_label_table *const tables[SIDE_COUNT] = {&c->pair.sides[BEFORE].labels, &c->pair.sides[AFTER].labels};
    hsd_capture *const captures[SIDE_COUNT] = {c->pair.requests[BEFORE].capture, c->pair.requests[AFTER].capture};
    if (!c->pair.has_holders) return HSD_OK;
    HSD_TRY(hsd_edge_names_load(&c->pair.edges, tables, captures, SIDE_COUNT, err));
    for (int i = 0; i < SIDE_COUNT; i++)
        c->pair.requests[i].edge_names = &c->pair.edges;
    return HSD_OK;
}

/* What objects are recognised by decides what the walks gather. */
static hsd_status choose_ladder(hsd_comparison *c, hsd_error *err)
{
    c->ladder = hsd_ladder_choose(&c->pair.sides[BEFORE], &c->pair.sides[AFTER], c->options->match_by);
    HSD_TRY(hsd_user_keys_resolve(&c->user_keys, &c->pair.types, err));
    for (int i = 0; i < SIDE_COUNT; i++) {
        const bool by_structure = c->ladder.basis == HSD_BASIS_STRUCTURE;
        hsd_walk_request *request = &c->pair.requests[i];
        request->want_identity = c->ladder.basis != HSD_BASIS_COUNTS;
        c->alike[i] = (hsd_walk_alike){.is_after = i == AFTER, .look = c->ladder.look};
        request->alike = by_structure ? &c->alike[i] : NULL;
        request->keeps = hsd_replaced_can_tell(c) ? HSD_GRAPH_WAITS : HSD_GRAPH_GOES;
        if (c->ladder.basis == HSD_BASIS_ADDRESS) {
            /* as much as the planner leaves to tables */
            HSD_TRY(hsd_marks_load(&c->marks[i], request->capture, given_bytes(c) / 16, err));
            request->marks = &c->marks[i];
        }
        if (c->user_keys.count == 0 || !by_structure) continue;
        c->key_counts[i] = calloc(c->user_keys.count, sizeof *c->key_counts[i]);
        if (c->key_counts[i] == NULL) return hsd_fail_nomem(err, "the keys");
        c->alike[i].user_keys = &c->user_keys;
        c->alike[i].key_counts = c->key_counts[i];
    }
    return HSD_OK;
}

/* ---- what was walked already */

static bool can_take_walked(const hsd_comparison *c, hsd_capture *const captures[SIDE_COUNT])
{
    const hsd_diff_options *options = c->options;
    if (options->walked == NULL || options->walked[BEFORE] == NULL || options->walked[AFTER] == NULL) return false;
    if (c->keep != NULL || c->parting != NULL || options->no_holders || options->key_count > 0) return false;
    hsd_walked *before = options->walked[BEFORE], *after = options->walked[AFTER];
    before->single.side.info = hsd_capture_get_info(captures[BEFORE]); /* they may have been opened anew */
    after->single.side.info = hsd_capture_get_info(captures[AFTER]);
    return after->is_second && after->single.behind == before &&
           hsd_ladder_choose(&before->single.side, &after->single.side, options->match_by).basis == HSD_BASIS_EXACT;
}

static hsd_status take_walked_side(hsd_comparison *c, int i, hsd_capture *capture, hsd_error *err)
{
    hsd_single *single = &c->options->walked[i]->single;
    hsd_side_walk *side = &c->pair.sides[i];
    hsd_reporter_release(&single->reporter); /* the run that it was of is over */
    hsd_reporter_init(&single->reporter, c->run);
    *side = single->side;
    memset(&single->side, 0, sizeof single->side);
    side->request = &c->pair.requests[i];
    c->pair.requests[i] = single->request;
    c->pair.requests[i].capture = capture;
    c->pair.requests[i].space = &c->pair.space;
    c->pair.requests[i].reporter = c->pair.reporter;
    c->pair.requests[i].type_names = &c->pair.types;
    c->pair.requests[i].edge_names = &c->pair.edges;
    HSD_TRY(hsd_sorter_rewind(side->tree, err));
    return hsd_sorter_rewind(side->census, err);
}

static hsd_status take_walked(hsd_comparison *c, hsd_capture *before, hsd_capture *after, hsd_error *err)
{
    hsd_single *second = &c->options->walked[AFTER]->single;
    c->is_taken = true;
    c->pair.types = second->types;
    c->pair.edges = second->edges;
    memset(&second->types, 0, sizeof second->types);
    memset(&second->edges, 0, sizeof second->edges);
    HSD_TRY(take_walked_side(c, BEFORE, before, err));
    return take_walked_side(c, AFTER, after, err);
}

static hsd_status open_sides(hsd_comparison *c, hsd_capture *before, hsd_capture *after, hsd_error *err)
{
    hsd_capture *const captures[SIDE_COUNT] = {before, after};
    HSD_TRY(hsd_user_keys_read(&c->user_keys, c->options->keys, c->options->key_count, err));
    if (can_take_walked(c, captures)) {
        HSD_TRY(take_walked(c, before, after, err));
        return choose_ladder(c, err);
    }
    HSD_TRY(hsd_type_names_init(&c->pair.types, err));
    for (int i = 0; i < SIDE_COUNT; i++) {
        c->pair.requests[i] = (hsd_walk_request){.capture = captures[i],
                                                 .space = &c->pair.space,
                                                 .reporter = c->pair.reporter,
                                                 .type_names = &c->pair.types};
        HSD_TRY(hsd_side_open(&c->pair.sides[i], &c->pair.requests[i], err));
    }
    return choose_ladder(c, err);
}

static hsd_status named_by(const hsd_side_walk *side, hsd_status status, hsd_error *err)
{
    if (status < 0) hsd_error_set_file(err, side->info->path);
    return status;
}

static hsd_status walk_graph(void *context, hsd_error *err)
{
    return named_by(context, hsd_side_run_graph(context, err), err);
}

static hsd_status walk_census(void *context, hsd_error *err)
{
    return named_by(context, hsd_side_run_census(context, err), err);
}

static hsd_status walk_side(void *context, hsd_error *err)
{
    HSD_TRY(walk_graph(context, err));
    return walk_census(context, err);
}

static hsd_status walk_both_sides(hsd_comparison *c, hsd_worker_fn walk, hsd_error *err)
{
    const hsd_job before = {walk, &c->pair.sides[BEFORE]}, after = {walk, &c->pair.sides[AFTER]};
    return hsd_run_both(before, after, c->pair.plan.is_side_by_side, err);
}

static hsd_status recognise(hsd_comparison *c, hsd_error *err)
{
    hsd_stopwatch watch = hsd_stopwatch_start(&c->pair.space);
    const hsd_recognise_config config = {.memory_bytes = c->pair.plan.recognise_bytes,
                                         .space = &c->pair.space,
                                         .reporter = c->pair.reporter,
                                         .is_reversed = c->ladder.is_reversed,
                                         .at_once = c->pair.plan.is_side_by_side};
    HSD_TRY(hsd_recognise(&c->pair.sides[BEFORE].graph->sequence, &c->pair.sides[AFTER].graph->sequence, &config,
                          &c->recognised, err));
    for (int side = 0; side < SIDE_COUNT; side++) { /* a rung asks what stands at a position, and for its partner */
        const uint64_t count = c->pair.sides[side].graph->sequence.count;
        hsd_work_at_random(2 * count, count * sizeof(uint64_t));
    }
    hsd_stopwatch_note(&watch, c->pair.reporter, "both captures", "recognising objects");
    return HSD_OK;
}

/* Where ids say nothing both sides wait between their graphs and their censuses until objects are recognised. */
static hsd_status walk_diff(hsd_comparison *c, hsd_error *err)
{
    if (c->ladder.basis != HSD_BASIS_STRUCTURE) return walk_both_sides(c, walk_side, err);
    HSD_TRY(walk_both_sides(c, walk_graph, err));
    HSD_TRY(recognise(c, err));
    return walk_both_sides(c, walk_census, err);
}

/* ---- where it was allocated ---- */

/* Growth by site of what is live, where captures say where objects were allocated, and both say who holds what or
 * neither does. */
static bool can_have_sites(const hsd_comparison *c)
{
    const hsd_side_walk *a = &c->pair.sides[BEFORE], *b = &c->pair.sides[AFTER];
    if (a->info->sites == 0 && b->info->sites == 0) return false;
    if (!a->has_references && !b->has_references) return false; /* sites_all.c */
    return hsd_site_table_fits(a->info, c->run) && hsd_site_table_fits(b->info, c->run);
}

static void choose_sites(hsd_comparison *c)
{
    const bool has_sites = can_have_sites(c);
    for (int i = 0; i < SIDE_COUNT; i++) {
        c->pair.requests[i].want_sites = has_sites;
        c->pair.requests[i].want_lost = hsd_side_loses(&c->pair.sides[BEFORE]) && hsd_side_loses(&c->pair.sides[AFTER]);
    }
}

static hsd_status find_allocated(hsd_comparison *c, hsd_diff *diff, hsd_error *err)
{
    hsd_side_walk *const sides[SIDE_COUNT] = {&c->pair.sides[BEFORE], &c->pair.sides[AFTER]};
    HSD_TRY(hsd_lost_rows(sides, SIDE_COUNT, &c->pair.types.names, c->run, diff->store, &diff->lost, err));
    return sides[AFTER]->request->want_sites ? hsd_live_sites(sides, diff, err) : HSD_OK;
}

/* False if there is nothing to do here: another process does all. */
static bool chooses_parting(hsd_comparison *c)
{
    if (c->parting == NULL || c->parting->can_part(c->parting->context, c)) return true;
    const bool answers = c->parting->answers;
    c->parting = NULL;
    c->pair.parts = NULL;
    return answers;
}

static hsd_status run_diff(hsd_comparison *c, hsd_diff **out, hsd_capture *before, hsd_capture *after, hsd_error *err)
{
    HSD_TRY(open_sides(c, before, after, err));
    if (!chooses_parting(c)) return HSD_OK;
    choose_sites(c);
    HSD_TRY(make_plan(c, err));
    if (!c->is_taken) HSD_TRY(number_edges(c, err));
    if (!c->is_taken) HSD_TRY(c->parting != NULL ? c->parting->walk(c->parting->context, c, err) : walk_diff(c, err));
    HSD_TRY(hsd_compare_prepare(c, err));
    if (c->ladder.basis != HSD_BASIS_COUNTS) HSD_TRY(hsd_compare_merge(c, err));
    if (c->parting != NULL) HSD_TRY(c->parting->meet(c->parting->context, c, err));
    if (c->parting != NULL && !c->parting->answers) return HSD_OK;
    HSD_TRY(hsd_rows_from_comparison(out, c, err));
    hsd_status status = hsd_growth_find(&c->pair, *out, err);
    if (status == HSD_OK) status = find_allocated(c, *out, err);
    if (status == HSD_OK) return HSD_OK;
    hsd_diff_free(*out);
    *out = NULL;
    return status;
}

/* Growth by site, where nothing else says where it comes from. */
static hsd_status add_sites(hsd_diff **out, hsd_capture *before, hsd_capture *after, const hsd_run *run_conditions,
                            hsd_error *err)
{
    if (!hsd_sites_are_all(before, after)) return HSD_OK;
    const hsd_status status = hsd_sites_add_to(*out, before, after, run_conditions, err);
    if (status == HSD_OK) return HSD_OK;
    hsd_diff_free(*out);
    *out = NULL;
    return status;
}

/* One of the captures has nothing but totals: they are compared, and where they say so by site. */
static hsd_status run_totals(hsd_diff **out, hsd_capture *before, hsd_capture *after, const hsd_diff_options *options,
                             const hsd_run *run_conditions, hsd_error *err)
{
    const char *what = options->changed != NULL   ? "a list of objects that changed"
                       : options->matched != NULL ? "a list of objects that were recognised"
                       : options->key_count > 0   ? "a key"
                                                  : NULL;
    const hsd_capture_info *infos[SIDE_COUNT] = {hsd_capture_get_info(before), hsd_capture_get_info(after)};
    const bool is_large = hsd_summary_is_too_large(infos[BEFORE]) || hsd_summary_is_too_large(infos[AFTER]);
    if (what != NULL)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "%s needs objects, and a capture has %s", what,
                        is_large ? "more than are walked" : "nothing but type totals");
    HSD_TRY(hsd_summary_run(out, before, after, err));
    (*out)->is_of_totals = true;
    for (int i = 0; i < SIDE_COUNT; i++)
        hsd_summary_warn_if_too_large((*out)->store, infos[i]);
    (*out)->warnings = (*out)->store->warnings;
    (*out)->warning_count = (*out)->store->warning_count;
    return add_sites(out, before, after, run_conditions, err);
}

static void init(hsd_comparison *c, const hsd_diff_options *options, const hsd_run *run_conditions,
                 hsd_reporter *reporter)
{
    static const hsd_diff_options no_options;
    static const hsd_run no_run;
    memset(c, 0, sizeof *c);
    c->options = options != NULL ? options : &no_options;
    c->run = run_conditions != NULL ? run_conditions : &no_run;
    c->pair.reporter = reporter;
    hsd_temp_space_of(&c->pair.space, c->run);
}

static hsd_status run_what_is_there(hsd_diff **out, hsd_comparison *c, hsd_capture *before, hsd_capture *after,
                                    hsd_error *err)
{
    const hsd_diff_options *options = c->options;
    const hsd_run *run_conditions = c->run;
    if (options->summary_only) return hsd_summary_run(out, before, after, err);
    if (hsd_summary_is_all(before, after)) return run_totals(out, before, after, options, run_conditions, err);
    const bool has_objects = options->no_holders && hsd_sums_have_objects(before, after);
    if (hsd_sums_are_all(before, after) && !has_objects)
        return hsd_sums_run(out, before, after, options, run_conditions, err);
    return run_diff(c, out, before, after, err);
}

/* Once the tables of the walk are gone, or as good as gone. */
static hsd_status add_rest(hsd_diff **out, bool is_walked, hsd_capture *before, hsd_capture *after,
                           const hsd_run *run_conditions, hsd_error *err)
{
    static const hsd_run no_run;
    if (is_walked) HSD_TRY(add_sites(out, before, after, run_conditions != NULL ? run_conditions : &no_run, err));
    hsd_status status = hsd_lost_add_types(*out, err);
    if (status == HSD_OK) status = hsd_sizes_add_to(*out, before, after, err);
    if (status == HSD_OK) status = hsd_metrics_add_to(*out, before, after, err);
    if (status == HSD_OK) return HSD_OK;
    hsd_diff_free(*out);
    *out = NULL;
    return status;
}

hsd_status hsd_diff_run(hsd_diff **out, hsd_capture *before, hsd_capture *after, const hsd_diff_options *options,
                        const hsd_run *run_conditions, hsd_error *err)
{
    hsd_reporter reporter;
    hsd_comparison c;
    hsd_diff_options own;
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_diff_options, matched_context, &own, options, err));
    hsd_reporter_init(&reporter, run_conditions);
    init(&c, &own, run_conditions, &reporter);
    const hsd_status status = run_what_is_there(out, &c, before, after, err);
    const bool is_walked = hsd_compare_is_walked(&c);
    hsd_compare_release(&c);
    hsd_reporter_release(&reporter);
    return status == HSD_OK ? add_rest(out, is_walked, before, after, run_conditions, err) : status;
}

hsd_status hsd_diff_run_kept(hsd_diff **out, hsd_comparison *c, const hsd_keep *keep, hsd_capture *before,
                             hsd_capture *after, const hsd_diff_options *options, const hsd_run *run_conditions,
                             hsd_reporter *reporter, hsd_error *err)
{
    *out = NULL;
    init(c, options, run_conditions, reporter);
    c->keep = keep;
    const hsd_status status = run_what_is_there(out, c, before, after, err);
    hsd_page_pool_release(&c->pair.pool); /* what stays sorts no more */
    HSD_TRY(status);
    return add_rest(out, hsd_compare_is_walked(c), before, after, run_conditions, err);
}

hsd_status hsd_diff_run_parted(hsd_diff **out, hsd_comparison *c, const hsd_parting *parting,
                               const hsd_pair_parts *parts, hsd_capture *before, hsd_capture *after,
                               const hsd_diff_options *options, const hsd_run *run_conditions, hsd_reporter *reporter,
                               hsd_error *err)
{
    *out = NULL;
    init(c, options, run_conditions, reporter);
    c->parting = parting;
    c->pair.parts = parts;
    HSD_TRY(run_what_is_there(out, c, before, after, err));
    return *out != NULL ? add_rest(out, hsd_compare_is_walked(c), before, after, run_conditions, err) : HSD_OK;
}
