/*
 * The order of the steps, and what is alive in each. Everything that grows with objects lies in sorters, tallies and
 * paged arrays, which share the planner's growth_bytes:
 *
 *      walk      stack, trie, credits, forks                    of both sides, one after the other, or at once with
 *                                                               a trie each
 *      match     credits, pairs or lines
 *      (from here on bits of objects that are not asked for wait in files where memory is little: aside.c)
 *      together  numbers, places, groups, pairs: only where      with the memory that the search for paths will have;
 *                they are asked for (by/by.h)               where much is left, beside it and the trie's nodes
 *      within    stack, types, places                           the trie stays, in as little as it can; the search
 *                                                               for paths goes on beside it, or comes before it, and
 *                                                               has memory of its own
 *      rows      types, places, the trie, paths
 */
#include "holders/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/touch.h"
#include "base/worker.h"
#include "io/stopwatch.h"

#define MOST_ROUNDS   6u                   /* so many times at most: one is seldom below another */
#define AT_ONCE_LEAST ((uint64_t)16 << 20) /* two tries fill it */

/* ---- tables ---- */

static void find_common_roots(hsd_growth *growth)
{
    const hsd_pair *pair = growth->pair;
    for (int side = 0; side < SIDE_COUNT; side++) {
        for (uint32_t i = 0; i < pair->sides[side].roots.names.count; i++) {
            uint8_t *is_common = &growth->is_common_root[pair->root_number[side][i]];
            *is_common = side == BEFORE || *is_common == 1 ? (uint8_t)(side + 1) : 0;
        }
    }
    for (uint32_t root = 0; root < pair->roots.count; root++)
        growth->is_common_root[root] = growth->is_common_root[root] == SIDE_COUNT;
}

/* Parts of containers are known by a bit, where there is a chance of any. */
static hsd_status open_parts(hsd_growth *growth, hsd_error *err)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        if (!growth->has_identity || growth->pair->is_resized[side] == NULL) continue;
        growth->is_part[side] = calloc((size_t)growth->pair->sides[side].object_count / 8 + 1, 1);
        if (growth->is_part[side] == NULL) return hsd_fail_nomem(err, "the holders of growth");
    }
    return HSD_OK;
}

static hsd_status open_tables(hsd_growth *growth, hsd_error *err)
{
    const uint32_t types = growth->pair->types.names.count, roots = growth->pair->roots.count;
    growth->is_common_root = calloc((size_t)roots + 1, 1);
    if (growth->is_common_root == NULL) return hsd_fail_nomem(err, "the holders of growth");
    for (int side = 0; side < SIDE_COUNT; side++) {
        HSD_TRY(hsd_retained_init(&growth->by_type[side], types, err));
        HSD_TRY(hsd_retained_init(&growth->by_root[side], roots, err));
        growth->credit_of_root[side] = calloc((size_t)roots + 1, sizeof **growth->credit_of_root);
        const bool has_steps = hsd_pages_take(&growth->step_pages[side], HSD_KIN_STEPS_BYTES);
        if (growth->credit_of_root[side] == NULL || !has_steps) return hsd_fail_nomem(err, "the holders of growth");
        growth->steps[side] = hsd_kin_steps_in(growth->step_pages[side].data);
        hsd_touch(growth->step_pages[side].data, HSD_KIN_STEPS * sizeof(uint32_t)); /* a few hundred lie all over */
    }
    find_common_roots(growth);
    HSD_TRY(open_parts(growth, err));
    if (growth->has_identity) HSD_TRY(hsd_growth_find_pools(growth, err));
    growth->item_edge = hsd_trie_item_edge(&growth->pair->edges);
    return hsd_growth_choose_begin(growth, err);
}

/* ---- what a walk needs ---- */

static hsd_status open_trie(hsd_growth *growth, uint64_t memory_bytes, uint32_t depth_limit, hsd_trie **out,
                            hsd_error *err)
{
    const hsd_trie_config config = {.memory_bytes = memory_bytes,
                                    .depth_limit = depth_limit,
                                    .space = &growth->pair->space,
                                    .reporter = growth->pair->reporter};
    return hsd_trie_new(out, &config, err);
}

static hsd_status open_credits(hsd_growth *growth, int side, hsd_error *err)
{
    hsd_pair *pair = growth->pair;
    hsd_sorter_config config = {.record_words = HSD_CREDIT_WORDS,
                                .key_words = 1,
                                .space = &pair->space,
                                .reporter = pair->reporter,
                                .memory_bytes = hsd_max_u64(growth->memory_bytes / 8, HSD_SORT_MIN_BYTES)};
    if (!growth->has_identity) return HSD_OK;
    HSD_TRY(hsd_sorter_new(&growth->credits[side], &config, err));
    if (side == BEFORE) return HSD_OK;
    config.record_words = HSD_FORK_WORDS;
    config.memory_bytes = HSD_SORT_MIN_BYTES; /* few as a rule */
    return hsd_sorter_new(&growth->forks, &config, err);
}

static void drop(hsd_sorter **sorter)
{
    hsd_sorter_free(*sorter);
    *sorter = NULL;
}

static void close_credits(hsd_growth *growth)
{
    for (int side = 0; side < SIDE_COUNT; side++)
        drop(&growth->credits[side]);
}

/* ---- the steps ---- */

typedef struct tree_walk {
    hsd_growth *growth;
    int side;
    hsd_trie *trie;
} tree_walk;

static hsd_status walk_tree(void *context, hsd_error *err)
{
    const tree_walk *walk = context;
    return hsd_growth_walk(walk->growth, walk->side, walk->trie, err);
}

static hsd_status walk_tree_again(void *context, hsd_error *err)
{
    const tree_walk *walk = context;
    return hsd_growth_walk_again(walk->growth, walk->side, err);
}

/* Sums do not ask who came first, so the tries become one. */
static hsd_status walk_trees(hsd_growth *growth, hsd_trie *of_before, hsd_error *err)
{
    tree_walk before = {growth, BEFORE, of_before}, after = {growth, AFTER, growth->trie};
    HSD_TRY(hsd_run_both((hsd_job){walk_tree, &before}, (hsd_job){walk_tree, &after}, growth->walks_at_once, err));
    return of_before != growth->trie ? hsd_trie_absorb(growth->trie, of_before, err) : HSD_OK;
}

static hsd_status walk_both_holders(hsd_growth *growth, hsd_error *err)
{
    const uint64_t memory = growth->memory_bytes / (growth->walks_at_once ? 4 : 2);
    hsd_trie *before = NULL;
    HSD_TRY(open_trie(growth, memory, 0, &growth->trie, err));
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(open_credits(growth, side, err));
    hsd_status status = growth->walks_at_once ? open_trie(growth, memory, 0, &before, err) : HSD_OK;
    if (status == HSD_OK) status = walk_trees(growth, before != NULL ? before : growth->trie, err);
    hsd_trie_free(before);
    hsd_trie_widen(growth->trie, growth->memory_bytes / 2); /* as where one walk follows the other */
    growth->finishes_beside = hsd_growth_has_room_beside(growth);
    return status == HSD_OK && !growth->finishes_beside ? hsd_trie_finish(growth->trie, err) : status;
}

/* The trie from sums that somebody else made. */
static hsd_status fill_holder(hsd_growth *growth, hsd_error *err)
{
    HSD_TRY(open_trie(growth, growth->memory_bytes / 2, 0, &growth->trie, err));
    HSD_TRY(growth->fill(growth->fill_context, growth, err));
    return hsd_trie_finish(growth->trie, err);
}

static hsd_status choose_holder(void *context, hsd_error *err)
{
    hsd_growth *growth = context;
    if (growth->has_identity)
        HSD_TRY(hsd_tally_new(&growth->crowds, 2, growth->memory_bytes / 16, &growth->pair->space,
                              growth->pair->reporter, err));
    HSD_TRY(growth->has_identity ? hsd_growth_match(growth, err) : hsd_growth_count(growth, err));
    close_credits(growth);
    return hsd_growth_choose_finish(growth, err);
}

static void free_bits(uint8_t **bits)
{
    free(*bits);
    *bits = NULL;
}

static hsd_status mark_ahead(void *context, hsd_error *err) { return hsd_growth_mark_ahead(context, err); }

/* Credits meet on one thread. Meanwhile another one can look, for all forks that there are, at what will be asked for
 * the few that are chosen: these are the same as a rule. */
static hsd_status choose_and_mark(hsd_growth *growth, hsd_error *err)
{
    const bool is_kept = growth->pair->sides[AFTER].request->keeper != NULL;
    if (!growth->walks_at_once || is_kept || !hsd_growth_has_forks(growth)) {
        free_bits(&growth->plain_ahead);
        return choose_holder(growth, err);
    }
    return hsd_run_both((hsd_job){mark_ahead, growth}, (hsd_job){choose_holder, growth}, true, err);
}

/* Nothing was credited. */
static void forget_credits(hsd_growth *growth)
{
    const size_t roots = (size_t)growth->pair->roots.count + 1;
    for (int side = 0; side < SIDE_COUNT; side++)
        memset(growth->credit_of_root[side], 0, roots * sizeof **growth->credit_of_root);
    memset(growth->credit_of_code, 0, sizeof growth->credit_of_code);
    growth->code_resized = 0;
    memset(growth->code_parts, 0, sizeof growth->code_parts);
    for (int side = 0; side < SIDE_COUNT && growth->is_part[BEFORE] != NULL; side++)
        memset(growth->is_part[side], 0, (size_t)growth->pair->sides[side].object_count / 8 + 1);
    growth->choice_count = 0;
    growth->others = (hsd_choice){.by = HSD_HELD_BY_OBJECT};
    growth->other_count = 0;
}

static hsd_status credit_again(hsd_growth *growth, hsd_error *err)
{
    tree_walk before = {growth, BEFORE, NULL}, after = {growth, AFTER, NULL};
    forget_credits(growth);
    drop(&growth->forks);
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(open_credits(growth, side, err));
    HSD_TRY(hsd_run_both((hsd_job){walk_tree_again, &before}, (hsd_job){walk_tree_again, &after}, growth->walks_at_once,
                         err));
    return choose_holder(growth, err);
}

/* Nobody credits any more: who was resized, whose parts they are, and what steps lead to. */
static void forget_crediting(hsd_growth *growth)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        free_bits(&growth->pair->is_resized[side]);
        free_bits(&growth->is_part[side]);
        hsd_pages_give(&growth->step_pages[side]);
        growth->steps[side] = (hsd_kin_steps){0};
    }
}

/* Each time what crowds held goes up to the next that can hold. */
static hsd_status settle_crowds(hsd_growth *growth, hsd_error *err)
{
    for (uint32_t round = 0; growth->has_identity && round < MOST_ROUNDS; round++) {
        bool is_again = false;
        const hsd_status status = hsd_growth_find_crowds(growth, &is_again, err);
        hsd_tally_free(growth->crowds);
        growth->crowds = NULL;
        HSD_TRY(status);
        if (!is_again) return HSD_OK;
        HSD_TRY(credit_again(growth, err));
    }
    return HSD_OK;
}

static hsd_status leave_crowds(hsd_growth *growth, hsd_error *err)
{
    HSD_TRY(settle_crowds(growth, err));
    forget_crediting(growth);
    growth->is_tight = hsd_growth_is_tight(growth);
    return hsd_growth_clear(growth, err);
}

static hsd_status look_below(hsd_growth *growth, hsd_growth_via *via, hsd_error *err)
{
    hsd_pair *pair = growth->pair;
    const uint64_t share = growth->memory_bytes / (growth->walks_at_once ? 2 : 1);
    HSD_TRY(hsd_tally_new(&growth->types, 2, share / 8, &pair->space, pair->reporter, err));
    HSD_TRY(open_trie(growth, share / 4, HSD_GROWTH_EDGE_DEPTH + 1, &growth->places, err));
    if (!growth->has_identity) return hsd_growth_count_within(growth, err);
    if (!growth->walks_at_once) return hsd_growth_within(growth, growth, via, err);
    hsd_growth before = *growth; /* the same tables, and sums of its own */
    before.types = NULL;
    before.places = NULL;
    hsd_status status = hsd_tally_new(&before.types, 2, share / 8, &pair->space, pair->reporter, err);
    if (status == HSD_OK) status = open_trie(growth, share / 4, HSD_GROWTH_EDGE_DEPTH + 1, &before.places, err);
    if (status == HSD_OK) status = hsd_growth_within(growth, &before, via, err);
    if (status == HSD_OK) status = hsd_tally_absorb(growth->types, before.types, err);
    if (status == HSD_OK) status = hsd_trie_absorb(growth->places, before.places, err);
    hsd_tally_free(before.types);
    hsd_trie_free(before.places);
    return status;
}

/* The walk below the holders says where their ways lead, if these are not known yet. */
static hsd_status look_below_and_search(hsd_growth *growth, hsd_error *err)
{
    hsd_growth_via via = {.wanted = NULL};
    hsd_status status = growth->ways.are_beside ? HSD_OK : hsd_growth_via_open(&via, growth, err);
    if (status == HSD_OK) status = look_below(growth, &via, err);
    hsd_growth_via_close(&via);
    return status;
}

/* ---- retained sizes of the rows that are there ---- */

static uint32_t number_of(const hsd_names *names, hsd_text name)
{
    return hsd_names_find(names, (hsd_bytes){(const uint8_t *)name.data, name.size});
}

static void fill_retained(const hsd_growth *growth)
{
    const hsd_pair *pair = growth->pair;
    for (size_t i = 0; i < growth->diff->type_count; i++) {
        hsd_type_row *row = &growth->diff->types[i];
        const uint32_t type = number_of(&pair->types.names, row->name);
        row->retained_before = growth->by_type[BEFORE].bytes[type];
        row->retained_after = growth->by_type[AFTER].bytes[type];
    }
    for (size_t i = 0; i < growth->diff->root_count; i++) {
        hsd_root_row *row = &growth->diff->roots[i];
        const uint32_t root = number_of(&pair->roots, row->name);
        row->retained_before = growth->by_root[BEFORE].bytes[root];
        row->retained_after = growth->by_root[AFTER].bytes[root];
    }
}

/* The walks below holders are through. */
static hsd_status finish_places(void *context, hsd_error *err)
{
    hsd_growth *growth = context;
    hsd_trie_widen(growth->places, growth->memory_bytes / 2);
    return hsd_trie_finish(growth->places, err);
}

typedef struct tree_rows {
    hsd_growth *growth;
    hsd_growth_texts *texts;
} tree_rows;

static hsd_status make_tree_rows(void *context, hsd_error *err)
{
    const tree_rows *rows = context;
    return hsd_growth_tree_rows(rows->growth, rows->texts, err);
}

static hsd_status make_rows(hsd_growth *growth, hsd_error *err)
{
    hsd_growth_texts *texts;
    HSD_TRY(hsd_growth_texts_new(&texts, growth, err));
    tree_rows rows = {growth, texts};
    hsd_status status =
        hsd_run_both((hsd_job){finish_places, growth}, (hsd_job){make_tree_rows, &rows}, growth->walks_at_once, err);
    if (status == HSD_OK) status = hsd_growth_rows(growth, texts, err);
    hsd_growth_texts_free(texts);
    if (status == HSD_OK) fill_retained(growth);
    return status;
}

static void release_holder(hsd_growth *growth)
{
    close_credits(growth);
    drop(&growth->forks);
    free(growth->plain_ahead);
    free(growth->marks.is_plain);
    free(growth->marks.is_source);
    hsd_trie_free(growth->trie);
    hsd_trie_free(growth->places);
    hsd_tally_free(growth->types);
    hsd_tally_free(growth->crowds);
    free(growth->crowded);
    free(growth->crowded_set);
    free(growth->kin_steps);
    free(growth->pool_of_root);
    free(growth->joined_of_root);
    free(growth->pooled);
    if (growth->ways.are_there) hsd_shortest_close(&growth->ways.shortest);
    for (int side = 0; side < SIDE_COUNT; side++) {
        hsd_retained_release(&growth->by_type[side]);
        hsd_retained_release(&growth->by_root[side]);
        free(growth->credit_of_root[side]);
        free(growth->holds_nothing[side]);
    }
    for (int side = 0; side < SIDE_COUNT; side++) {
        hsd_pages_give(&growth->step_pages[side]);
        free(growth->is_part[side]);
    }
    hsd_growth_release_aside(growth);
    free(growth->is_structure);
    for (uint32_t i = 0; i < growth->set_count; i++)
        free(growth->sets[i].list);
    for (uint32_t i = 0; i < HSD_BY_HOLDERS; i++)
        free(growth->set_of_type[i]);
    hsd_paged_close(&growth->set_of);
    free(growth->is_common_root);
    free(growth->choices);
}

/* ---- what a step needs at least, for the cost model (base/work.h). Sorters, the trees among them, count by
 * themselves. */

/* Of each node of both trees: whether it is kept, sums of its type and its root, a place of the trie. */
static void count_crediting(const hsd_growth *growth)
{
    for (int side = 0; side < SIDE_COUNT && growth->fill == NULL; side++) {
        const hsd_side_walk *walk = &growth->pair->sides[side];
        const uint64_t nodes = hsd_sorter_count(walk->tree);
        hsd_work_at_random(nodes, walk->object_count / 8);
        hsd_work_did(HSD_COST_NEAR, 3 * nodes);
    }
}

/* The breadth-first search asks a bit of each target. */
static void count_ways(const hsd_growth *growth)
{
    const hsd_side_walk *after = &growth->pair->sides[AFTER];
    const hsd_shortest *shortest = &growth->ways.shortest;
    if (!growth->ways.are_there || after->adjacency == NULL) return;
    hsd_work_did(HSD_COST_VARINTS, 2 * shortest->references);
    hsd_work_at_random(shortest->expanded, hsd_adjacency_bytes(after->adjacency));
    hsd_work_at_random(shortest->references, after->node_count / 8);
}

static void count_joint_holders(const hsd_growth *growth)
{
    if (growth->ways.are_beside) count_ways(growth);
}

/* Of each node: what holds it is chosen or not. */
static void count_looking_below(const hsd_growth *growth)
{
    for (int side = 0; side < SIDE_COUNT && growth->fill == NULL; side++) {
        const uint64_t nodes = hsd_sorter_count(growth->pair->sides[side].tree);
        hsd_work_at_random(nodes, growth->pair->sides[side].object_count / 8);
        hsd_work_did(HSD_COST_NEAR, nodes);
    }
    if (!growth->ways.are_beside) count_ways(growth);
}

static void count_nothing(const hsd_growth *growth) { (void)growth; } /* its own steps do, or sorters */

typedef struct holder_step {
    const char *name;
    hsd_status (*run)(hsd_growth *growth, hsd_error *err);
    void (*count)(const hsd_growth *growth);
} holder_step;

static hsd_status step_holder(hsd_growth *growth, holder_step step, hsd_error *err)
{
    hsd_stopwatch watch = hsd_stopwatch_start(&growth->pair->space);
    HSD_TRY(step.run(growth, err));
    step.count(growth);
    hsd_stopwatch_note(&watch, growth->pair->reporter, "holders", step.name);
    return HSD_OK;
}

static void note_choice(const hsd_growth *growth)
{
    hsd_note(growth->pair->reporter, HSD_NOTE_DETAIL, "holders: %llu of growth, %u places in the type-path tree",
             (unsigned long long)(growth->choice_count + growth->other_count), hsd_trie_count(growth->trie));
}

static hsd_status run_holder(hsd_growth *growth, hsd_error *err)
{
    HSD_TRY(open_tables(growth, err));
    const holder_step crediting = {"crediting", growth->fill != NULL ? fill_holder : walk_both_holders,
                                   count_crediting};
    const char *choosing = growth->has_identity ? "matching" : "comparing places";
    HSD_TRY(step_holder(growth, crediting, err));
    HSD_TRY(step_holder(growth, (holder_step){choosing, choose_and_mark, count_nothing}, err));
    HSD_TRY(step_holder(growth, (holder_step){"crowds", leave_crowds, count_nothing}, err));
    HSD_TRY(hsd_growth_join_pools(growth, err));
    HSD_TRY(step_holder(growth,
                        (holder_step){"what holds together", hsd_growth_find_by_and_beside, count_joint_holders}, err));
    note_choice(growth);
    hsd_growth_choose_code(growth); /* last in the list, whatever it grew by */
    HSD_TRY(step_holder(growth,
                        (holder_step){"looking below them, and paths", look_below_and_search, count_looking_below},
                        err));
    return step_holder(growth, (holder_step){"rows", make_rows, count_nothing}, err);
}

hsd_status hsd_growth_find_in(hsd_pair *pair, hsd_diff *diff, hsd_growth_fill_fn fill_places, void *context,
                              hsd_error *err)
{
    hsd_growth growth = {.pair = pair,
                         .diff = diff,
                         .fill = fill_places,
                         .fill_context = context,
                         .has_identity = pair->sides[AFTER].request->want_identity,
                         .memory_bytes = pair->plan.growth_bytes,
                         .walks_at_once = pair->plan.is_side_by_side && pair->plan.growth_bytes >= AT_ONCE_LEAST};
    growth.set_of.file.fd = -1;
    if (!pair->has_holders) {
        const hsd_bytes why = {(const uint8_t *)pair->why_no_holders, strlen(pair->why_no_holders)};
        return hsd_store_text(diff->store, why, &diff->why_no_holders, err);
    }
    const hsd_status status = run_holder(&growth, err);
    release_holder(&growth);
    diff->has_holders = status == HSD_OK;
    diff->before.soft = pair->sides[BEFORE].soft;
    diff->after.soft = pair->sides[AFTER].soft;
    diff->temp_bytes_peak = pair->space.bytes_peak;
    return status;
}

hsd_status hsd_growth_find(hsd_pair *pair, hsd_diff *diff, hsd_error *err)
{
    return hsd_growth_find_in(pair, diff, NULL, NULL, err);
}
