/*
 * From captures to an index of each: the walk of a diff, or of one capture, with somebody who keeps what it finds.
 *
 *      walk ── report ──┬─ index before
 *                       └─ index after
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/options.h"
#include "base/worker.h"
#include "browse/browse.h"

#define CACHE_PART 16u
#define CACHE_MOST (UINT64_C(64) << 20)

/* ---- memory ---- */

/* The walk leaves what the pages of answers will have: until then it is for what is kept of it. */
static void divide_memory(hsd_browse *b, const hsd_run *run)
{
    static const hsd_run no_run;
    b->run = run != NULL ? *run : no_run;
    b->memory_bytes = b->run.memory_bytes != 0 ? b->run.memory_bytes : hsd_run_default_memory();
    const uint64_t most = b->memory_bytes > HSD_MEMORY_MIN_BYTES ? b->memory_bytes - HSD_MEMORY_MIN_BYTES : 0;
    const uint64_t cache = hsd_min_u64(b->memory_bytes / CACHE_PART, CACHE_MOST);
    b->cache_bytes = cache;
    b->run.memory_bytes = b->memory_bytes - hsd_min_u64(cache, most);
}

/* ---- the walks ---- */

static hsd_status take_pair(void *context, hsd_node before, hsd_node after, hsd_error *err)
{
    hsd_browse *b = context;
    const uint64_t pair[HSD_TWO_WORDS] = {HSD_TWO(before, after)};
    if (b->pairs.buffer == NULL) HSD_TRY(hsd_column_begin(&b->pairs, sizeof pair, &b->comparison->pair.space, err));
    return hsd_column_put(&b->pairs, pair, err);
}

static void keep_side(hsd_browse *b, size_t side, hsd_side_walk *walk, hsd_temp_space *space)
{
    b->indexes[side].walk = walk;
    b->indexes[side].space = space;
    b->indexes[side].reporter = b->comparison != NULL ? &b->reporter : &b->single->reporter;
    b->keep.sides[side] = (hsd_keeper){&b->indexes[side], hsd_index_see, hsd_index_begin, hsd_index_wait};
}

static hsd_status walk_pair(hsd_browse *b, hsd_capture *const captures[], hsd_error *err)
{
    b->comparison = calloc(1, sizeof *b->comparison);
    if (b->comparison == NULL) return hsd_fail_nomem(err, "the index");
    for (size_t i = 0; i < SIDE_COUNT; i++)
        keep_side(b, i, &b->comparison->pair.sides[i], &b->comparison->pair.space);
    b->keep.pair = take_pair;
    b->keep.pair_context = b;
    return hsd_diff_run_kept(&b->diff, b->comparison, &b->keep, captures[BEFORE], captures[AFTER], &b->diff_options,
                             &b->run, &b->reporter, err);
}

static hsd_status walk_single(hsd_browse *b, hsd_capture *capture, hsd_error *err)
{
    const hsd_top_options options = {.objects = HSD_BROWSE_MOST, .partial = b->diff_options.partial};
    b->single = calloc(1, sizeof *b->single);
    if (b->single == NULL) return hsd_fail_nomem(err, "the index");
    hsd_single_init(b->single, &b->run);
    keep_side(b, 0, &b->single->side, &b->single->space);
    return hsd_top_run_kept(&b->top, b->single, &b->keep, capture, &options, err);
}

/* ---- why there is nothing to browse ---- */

static bool has_tree(const hsd_browse *b) { return b->diff != NULL ? b->diff->has_holders : b->top->has_retained; }

static void say_why_of_pair(hsd_browse *b, size_t side)
{
    const hsd_comparison *c = b->comparison;
    char *out = b->why_not[side];
    const size_t size = sizeof b->why_not[side];
    if (!hsd_compare_is_walked(c)) {
        snprintf(out, size, "a capture has nothing but totals");
        return;
    }
    const char *own = hsd_side_why_no_tree(&c->pair.sides[side]),
               *other = hsd_side_why_no_tree(&c->pair.sides[1 - side]);
    if (own != NULL)
        snprintf(out, size, "the capture %s", own);
    else if (other != NULL)
        snprintf(out, size, "the other capture %s", other);
    else
        snprintf(out, size, "%s", c->pair.why_no_holders);
}

static void say_why(hsd_browse *b)
{
    for (size_t i = 0; i < b->side_count; i++) {
        if (b->comparison != NULL)
            say_why_of_pair(b, i);
        else
            snprintf(b->why_not[i], sizeof b->why_not[i], "%s", b->single->why_no_tree);
    }
}

/* ---- indexes ---- */

/* What no question needs. */
static hsd_status rest(hsd_index *index, hsd_error *err)
{
    hsd_side_walk *walk = index->walk;
    hsd_sorter_free(walk->census);
    walk->census = NULL;
    if (walk->has_types_of) hsd_paged_close(&walk->types_of);
    walk->has_types_of = false;
    hsd_temp_close(&walk->types_file);
    return hsd_graph_bound(walk->adjacency, 0, 0, err);
}

static hsd_status build_browse(void *index, hsd_error *err) { return hsd_index_build(index, err); }

/* The pairs as both sides read them. */
static hsd_status give_pairs(hsd_browse *b, hsd_error *err)
{
    if (b->pairs.count == 0) return HSD_OK;
    HSD_TRY(hsd_column_flush(&b->pairs, err));
    for (size_t i = 0; i < SIDE_COUNT; i++) {
        b->indexes[i].pairs = &b->pairs.file;
        b->indexes[i].pair_count = b->pairs.count;
        b->indexes[i].is_after = i == AFTER;
    }
    return HSD_OK;
}

static hsd_status build_all(hsd_browse *b, hsd_error *err)
{
    const hsd_plan *plan = b->comparison != NULL ? &b->comparison->pair.plan : &b->single->plan;
    const bool at_once = b->side_count == SIDE_COUNT && plan->is_side_by_side;
    const uint64_t fixed = plan->table_bytes + hsd_min_u64(b->cache_bytes, b->memory_bytes / 4);
    const uint64_t left = b->memory_bytes > fixed ? b->memory_bytes - fixed : 0;
    for (size_t i = 0; i < b->side_count; i++) {
        b->indexes[i].memory_bytes = at_once ? left / 2 : left;
        HSD_TRY(rest(&b->indexes[i], err));
    }
    if (b->side_count == 1) return build_browse(&b->indexes[0], err);
    const hsd_job before = {build_browse, &b->indexes[BEFORE]}, after = {build_browse, &b->indexes[AFTER]};
    HSD_TRY(give_pairs(b, err));
    HSD_TRY(hsd_run_both(before, after, at_once, err));
    hsd_column_close(&b->pairs);
    return HSD_OK;
}

static hsd_status serve_browse(hsd_browse *b, hsd_error *err)
{
    for (size_t i = 0; i < b->side_count; i++) {
        HSD_TRY(hsd_index_serve(&b->indexes[i], b->cache_bytes / b->side_count, err));
    }
    b->index_bytes = b->indexes[0].space->bytes_now;
    return HSD_OK;
}

/* ---- the whole ---- */

static hsd_status check_options(size_t count, const hsd_diff_options *diff, hsd_error *err)
{
    if (count < 1 || count > SIDE_COUNT)
        return hsd_fail(err, HSD_E_MISUSE, "one or two captures can be browsed, not %zu", count);
    if (diff->no_holders || diff->summary_only) {
        return hsd_fail(err, HSD_E_MISUSE, "there is nothing to browse without dominators");
    }
    return HSD_OK;
}

static hsd_status run_browse(hsd_browse *b, hsd_capture *const captures[], hsd_error *err)
{
    HSD_TRY(b->side_count == SIDE_COUNT ? walk_pair(b, captures, err) : walk_single(b, captures[0], err));
    if (b->options.report != NULL) HSD_TRY(b->options.report(b->options.report_context, b->diff, b->top, err));
    if (!has_tree(b)) {
        say_why(b);
        return HSD_OK;
    }
    for (size_t i = 0; i < b->side_count; i++)
        HSD_TRY(hsd_index_wait(&b->indexes[i], err));
    HSD_TRY(build_all(b, err));
    return serve_browse(b, err);
}

hsd_status hsd_browse_open(hsd_browse **out, hsd_capture *const captures[], size_t count,
                           const hsd_browse_options *options, const hsd_run *run_conditions, hsd_error *err)
{
    hsd_browse_options own;
    hsd_diff_options diff;
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_browse_options, report_context, &own, options, err));
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_diff_options, matched_context, &diff, own.diff, err));
    HSD_TRY(check_options(count, &diff, err));
    hsd_browse *b = calloc(1, sizeof *b);
    if (b == NULL) return hsd_fail_nomem(err, "the index");
    b->options = own;
    b->diff_options = diff;
    b->side_count = count;
    divide_memory(b, run_conditions);
    hsd_reporter_init(&b->reporter, &b->run);
    const hsd_status status = run_browse(b, captures, err);
    if (status == HSD_OK)
        *out = b;
    else
        hsd_browse_close(b);
    return status;
}

void hsd_browse_close(hsd_browse *b)
{
    if (b == NULL) return;
    for (size_t i = 0; i < b->side_count; i++)
        hsd_index_release(&b->indexes[i]);
    hsd_column_close(&b->pairs);
    if (b->comparison != NULL) hsd_compare_release(b->comparison);
    if (b->single != NULL) hsd_single_release(b->single);
    hsd_diff_free(b->diff);
    hsd_top_free(b->top);
    hsd_reporter_release(&b->reporter);
    free(b->comparison);
    free(b->single);
    free(b);
}

size_t hsd_browse_side_count(const hsd_browse *b) { return b->side_count; }
const hsd_diff *hsd_browse_diff(const hsd_browse *b) { return b->diff; }
const hsd_top *hsd_browse_top(const hsd_browse *b) { return b->top; }
hsd_amount hsd_browse_live(const hsd_browse *b, size_t side)
{
    HSD_ASSERT(side < b->side_count);
    if (b->diff == NULL) return b->top->side.live;
    return side == BEFORE ? b->diff->total.before : b->diff->total.after;
}

uint64_t hsd_browse_index_bytes(const hsd_browse *b) { return b->index_bytes; }

const char *hsd_browse_why_not(const hsd_browse *b, size_t side)
{
    if (side >= b->side_count) return "there is no such capture";
    return b->indexes[side].is_there ? NULL : b->why_not[side];
}

uint64_t hsd_browse_temp_bytes_peak(const hsd_browse *b)
{
    return b->comparison != NULL ? b->comparison->pair.space.bytes_peak : b->single->space.bytes_peak;
}
