/*
 * A profile of a full capture: the stages of a diff with one side, then one walk over its dominator tree that adds up
 * what types and roots retain and fills the tree of type paths. No graph stays, nobody asks for paths.
 *
 *      single ──► census ────────────────────────────────────────────────► types, roots; each object by id
 *          └────► tree ──► retained by type and root
 *                     └──► trie ── the heaviest places ──────────────────► places
 */
#include "profile/profile_state.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "holders/trie/names.h"
#include "holders/trie/trie.h"
#include "top/single_rows.h"
#include "totals/allocated_rows.h"
#include "walk/retained.h"
#include "walk/single.h"
#include "walk/tree.h"
#include "walk/walked.h"

#define PROGRESS_STEPS UINT64_C(0xffff)
/* a larger budget gives the walk of the tree more, too: at most so much */
#define MORE_GROWTH (UINT64_C(32) << 20)

typedef struct profile_walk {
    hsd_profile *profile;
    const hsd_profile_options *options;
    const hsd_run *run;
    hsd_single *single;
    hsd_retained_sums types, roots; /* by common type; by root's name on this side */
    uint32_t item_edge;
    hsd_trie *trie;
    uint64_t seen;
} profile_walk;

/* ---- the dominator tree ---- */

typedef struct frame {
    hsd_trie_place place;
    uint64_t bytes;  /* of all below, itself included; complete when it is left */
    uint32_t number; /* type, or root's name */
    bool is_root, is_topmost;
} frame;

static bool is_root_node(const hsd_tree_node *node) { return (node->flags & HSD_TREE_IS_ROOT) != 0; }

static hsd_retained_sums *sums_for(profile_walk *w, bool is_root) { return is_root ? &w->roots : &w->types; }

/* The step that leads to a node in the trie, from what is above it. */
static uint32_t edge_below(const profile_walk *w, const hsd_trie_place *from, const hsd_tree_node *node)
{
    if (is_root_node(node)) return HSD_TRIE_INDIRECT;
    return hsd_trie_edge_below(&w->single->types, from, w->item_edge, node->type, node->edge);
}

static uint32_t type_of(const hsd_tree_node *node) { return node->type | (is_root_node(node) ? HSD_TRIE_IS_ROOT : 0); }

static hsd_status tell_profile_progress(profile_walk *w, hsd_error *err)
{
    if ((w->seen++ & PROGRESS_STEPS) != 0) return HSD_OK;
    const uint64_t nodes = hsd_sorter_count(w->single->side.tree);
    return hsd_progress(&w->single->reporter, "adding up places", w->seen, nodes, err);
}

static hsd_status enter_profile_walk(void *context, const hsd_tree_node *node, void *above, void *here, hsd_error *err)
{
    profile_walk *w = context;
    frame *f = here;
    f->is_root = is_root_node(node);
    f->number = node->type;
    f->bytes = node->bytes;
    const hsd_trie_place *from = &((const frame *)above)->place;
    f->is_topmost = hsd_retained_enter(sums_for(w, f->is_root), node->type);
    hsd_trie_step_into(w->trie, from, edge_below(w, from, node), type_of(node), &f->place);
    HSD_TRY(hsd_trie_add(w->trie, &f->place, HSD_TRIE_KEPT_AFTER, !f->is_root, node->bytes, err));
    return tell_profile_progress(w, err);
}

static hsd_status leave_profile_walk(void *context, void *here, void *above, hsd_error *err)
{
    profile_walk *w = context;
    const frame *f = here;
    frame *parent = above;
    (void)err;
    hsd_retained_leave(sums_for(w, f->is_root), f->number, f->is_topmost, f->bytes);
    parent->bytes = hsd_add_saturating(parent->bytes, f->bytes);
    return HSD_OK;
}

/* Entered and left at once: nobody asks for its place. */
static hsd_status see_profile_leaf(void *context, const hsd_tree_node *node, void *above, hsd_error *err)
{
    profile_walk *w = context;
    frame *parent = above;
    const bool is_root = is_root_node(node);
    hsd_retained_leaf(sums_for(w, is_root), node->type, node->bytes);
    parent->bytes = hsd_add_saturating(parent->bytes, node->bytes);
    HSD_TRY(hsd_trie_add_below(w->trie, &parent->place, edge_below(w, &parent->place, node), type_of(node),
                               HSD_TRIE_KEPT_AFTER, !is_root, node->bytes, err));
    return tell_profile_progress(w, err);
}

static hsd_status walk_tree(profile_walk *w, hsd_error *err)
{
    hsd_single *single = w->single;
    const hsd_trie_config config = {
        .memory_bytes = single->plan.growth_bytes / 2, .space = &single->space, .reporter = &single->reporter};
    const hsd_tree_visitor visitor = {.context = w,
                                      .frame_bytes = sizeof(frame),
                                      .fills_frames = true,
                                      .enter = enter_profile_walk,
                                      .leave = leave_profile_walk,
                                      .leaf = see_profile_leaf};
    frame super_root = {.is_root = true};
    HSD_TRY(hsd_retained_init(&w->types, single->types.names.count, err));
    HSD_TRY(hsd_retained_init(&w->roots, single->side.roots.names.count, err));
    HSD_TRY(hsd_trie_new(&w->trie, &config, err));
    w->item_edge = hsd_trie_item_edge(&single->edges);
    const uint64_t stack_bytes = single->plan.growth_bytes / 8;
    HSD_TRY(hsd_tree_walk(single->side.tree, &visitor, &super_root, stack_bytes, &single->space, err));
    if (w->options->walked == NULL) {
        hsd_sorter_free(single->side.tree);
        single->side.tree = NULL;
    }
    return hsd_trie_finish(w->trie, err);
}

/* ---- places ---- */

/* What is left for rows beside the trie, the census and the tables. */
static uint64_t room_of(const hsd_plan *plan)
{
    const uint64_t used = plan->table_bytes + plan->growth_bytes + plan->sides[0].identity_serve_bytes;
    return plan->memory_bytes - hsd_min_u64(plan->memory_bytes, used);
}

static uint64_t rows_bytes(const profile_walk *w)
{
    return hsd_profile_place_bytes(hsd_min_u64(hsd_profile_most_places(w->options), hsd_trie_count(w->trie)));
}

/* More memory makes room for as many bytes less what tables take of it; the census may then keep its records. */
static hsd_status say_rows_are_many(profile_walk *w, hsd_error *err)
{
    const hsd_plan *plan = &w->single->plan;
    const uint64_t census =
        w->options->each != NULL ? (uint64_t)w->single->side.object_count * 8 * HSD_CENSUS_WORDS : 0;
    const uint64_t missing = rows_bytes(w) - room_of(plan) + census;
    const uint64_t suffices = plan->memory_bytes + missing / 15 * 16 + MORE_GROWTH;
    return hsd_profile_say_too_few(w->profile, plan->memory_bytes, suffices, err);
}

static bool profile_walk_can_hold(const void *context, const hsd_trie_kept *place)
{
    const profile_walk *w = context;
    return hsd_trie_can_hold(&w->single->types, &w->single->edges, place->node.type, place->node.edge);
}

static hsd_status make_places(profile_walk *w, hsd_error *err)
{
    const hsd_trie_source source = hsd_trie_as_source(w->trie);
    const hsd_profile_names names = {.types = &w->single->types.names,
                                     .roots = &w->single->side.roots.names,
                                     .edges = &w->single->edges,
                                     .context = w,
                                     .can_hold = profile_walk_can_hold};
    HSD_TRY(hsd_profile_places(w->profile, &source, &names, hsd_profile_most_places(w->options), err));
    w->profile->has_places = true;
    return hsd_trie_check(w->trie, err);
}

static hsd_status find_places(profile_walk *w, hsd_error *err)
{
    if (!w->single->has_tree) return hsd_profile_say_why(w->profile, w->single->why_no_tree, err);
    HSD_TRY(walk_tree(w, err));
    HSD_TRY(rows_bytes(w) > room_of(&w->single->plan) ? say_rows_are_many(w, err) : make_places(w, err));
    hsd_trie_free(w->trie);
    w->trie = NULL;
    return HSD_OK;
}

/* ---- each object ---- */

static hsd_status tell_profile_walk(profile_walk *w, const uint32_t *rows, hsd_error *err)
{
    for (;;) {
        const uint64_t *record;
        const hsd_status status = hsd_sorter_next(w->single->side.census, &record, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        if (!hsd_census_is_live(record)) continue;
        HSD_TRY(w->options->each(w->options->each_context, w->profile, rows[hsd_census_type(record)],
                                 hsd_census_id(&w->single->side, record), hsd_census_bytes(record), err));
    }
}

static hsd_status tell_of_each(profile_walk *w, hsd_error *err)
{
    uint32_t *rows;
    HSD_TRY(hsd_profile_rows_of(w->profile, &w->single->types.names, &rows, err));
    const hsd_status status = tell_profile_walk(w, rows, err);
    free(rows);
    return status;
}

/* ---- the whole ---- */

static hsd_status run_walk(profile_walk *w, hsd_capture *capture, hsd_error *err)
{
    hsd_profile *profile = w->profile;
    hsd_single *single = w->single;
    HSD_TRY(hsd_single_walk(single, capture, err));
    HSD_TRY(find_places(w, err));
    const hsd_retained_sums *types = profile->has_places ? &w->types : NULL;
    const hsd_retained_sums *roots = profile->has_places ? &w->roots : NULL;
    HSD_TRY(hsd_single_types(single, types, profile->store, &profile->types, &profile->type_count, err));
    HSD_TRY(hsd_single_roots(single, roots, profile->store, &profile->roots, &profile->root_count, err));
    hsd_profile_sort(profile);
    hsd_side_walk *const sides[] = {&single->side};
    HSD_TRY(hsd_lost_rows(sides, 1, &single->types.names, w->run, profile->store, &profile->lost, err));
    HSD_TRY(hsd_single_side(single, profile->types, profile->type_count, profile->store, &profile->side, err));
    profile->has_roots = profile->side.has_roots;
    profile->warnings = profile->store->warnings;
    profile->warning_count = profile->store->warning_count;
    if (w->options->each != NULL) HSD_TRY(tell_of_each(w, err));
    profile->temp_bytes_peak = single->space.bytes_peak;
    return HSD_OK;
}

/* What was walked stays where a diff can go on from it. */
static void hand_over(profile_walk *w, hsd_walked *walked)
{
    walked->is_second = w->single->behind != NULL;
    const bool stays = w->options->behind == NULL || walked->is_second;
    hsd_page_pool_release(&w->single->pool); /* it sorts no more */
    if (stays && hsd_walked_can_stay(w->single))
        *w->options->walked = walked;
    else
        hsd_walked_free(walked);
}

hsd_status hsd_profile_walk(hsd_profile *profile, hsd_capture *capture, const hsd_profile_options *options,
                            const hsd_run *run, hsd_error *err)
{
    hsd_walked *walked = calloc(1, sizeof *walked);
    if (walked == NULL) return hsd_fail_nomem(err, "a walk");
    profile_walk w = {.profile = profile, .options = options, .single = &walked->single, .run = run};
    hsd_single_init(w.single, run);
    w.single->is_for_sums = true;
    w.single->stops_at_owners = options->no_places;
    w.single->keeps_graph = options->walked != NULL && options->behind != NULL;
    w.single->behind = options->behind;
    w.single->request.want_identity = options->each != NULL;
    w.single->request.want_lost = true;
    const hsd_status status = run_walk(&w, capture, err);
    hsd_trie_free(w.trie);
    hsd_retained_release(&w.types);
    hsd_retained_release(&w.roots);
    if (status == HSD_OK && options->walked != NULL)
        hand_over(&w, walked);
    else
        hsd_walked_free(walked);
    return status;
}
