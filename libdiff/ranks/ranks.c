/*
 * The steps of a diff by ranks. Whoever walks a side counts its objects as ever; where one process would sort the
 * records of the census by identity, they are scattered by a hash of it. So the two records of one identity come to one
 * rank, and each rank sorts, merges and folds what came to it with the code of one process.
 *
 *      walk before ──┐                      ┌─ sort ── merge ── fold ─┐
 *                    ├─ census by hash of ──┼─ sort ── merge ── fold ─┼── add up ── holders, rows
 *      walk after  ──┘  identity            └─ sort ── merge ── fold ─┘
 *
 * Each step ends with all ranks agreeing that it went well, or on one failure. Who fails by himself in between joins
 * the next agreement with it.
 */
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"
#include "base/options.h"
#include "io/stopwatch.h"
#include "ranks/ranked.h"

/* ---- what it takes ---- */

static uint64_t processor_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* What was done since the last phase ended was this one. */
static void end_phase(hsd_ranked *r, hsd_ranks_phase phase)
{
    const uint64_t now = processor_ns();
    r->together.stats.processor_ns[phase] += now - r->phase_ns;
    r->phase_ns = now;
}

/* ---- by hash of identity ---- */

static unsigned rank_of(const hsd_ranked *r, uint64_t identity)
{
    const uint64_t mixed = hsd_mix(UINT64_C(0x72616e6b), identity) >> 32;
    return (unsigned)(mixed * hsd_ranked_ranks(r)->count >> 32);
}

static hsd_status send_record(void *context, const uint64_t *record, hsd_error *err)
{
    hsd_ranked *r = context;
    r->together.stats.sent_records++;
    if (r->asks_turn)
        hsd_turn_lasts_take(&r->lasts[hsd_ranked_is(r, hsd_ranked_walker(AFTER)) ? AFTER : BEFORE],
                            record[HSD_CENSUS_IDENTITY]);
    return hsd_scatter_put(&r->censuses, rank_of(r, record[HSD_CENSUS_IDENTITY]), record, err);
}

/* Who sent it walked that side. */
static hsd_status take_record(void *context, unsigned from, const uint64_t *record, hsd_error *err)
{
    hsd_ranked *r = context;
    const int side = from == hsd_ranked_walker(AFTER) ? AFTER : BEFORE;
    r->together.stats.records[side]++;
    return hsd_sorter_put(r->parts[side], record, err);
}

/* ---- the walk ---- */

/* Both fill at once, each with a part. */
static hsd_status open_censuses(hsd_ranked *r, hsd_error *err)
{
    for (int i = 0; i < SIDE_COUNT; i++) {
        const hsd_side_walk *side = &r->c->pair.sides[i];
        const uint64_t bytes = side->request->plan.identity_sort_bytes / SIDE_COUNT;
        HSD_TRY(hsd_side_sorter(side, hsd_census_words(side), HSD_CENSUS_KEY_WORDS, bytes, &r->parts[i], err));
    }
    return HSD_OK;
}

static hsd_status close_censuses(hsd_ranked *r, hsd_error *err)
{
    for (int i = 0; i < SIDE_COUNT; i++) {
        hsd_side_walk *side = &r->c->pair.sides[i];
        side->census = r->parts[i];
        r->parts[i] = NULL;
        HSD_TRY(hsd_side_serve(side->census, side->request->plan.identity_serve_bytes, err));
    }
    return HSD_OK;
}

typedef hsd_status (*side_fn)(hsd_side_walk *side, hsd_error *err);

/* The side that this rank walks, if it walks one. */
static hsd_status walk_own(hsd_ranked *r, side_fn walk, hsd_error *err)
{
    for (int i = 0; i < SIDE_COUNT; i++) {
        hsd_side_walk *side = &r->c->pair.sides[i];
        if (!hsd_ranked_is(r, hsd_ranked_walker(i))) continue;
        const hsd_status status = walk(side, err);
        if (status < 0) hsd_error_set_file(err, side->info->path);
        return status;
    }
    return HSD_OK;
}

/* Who merges a part of the ids knows where those of either side end. */
static hsd_status tell_lasts(hsd_ranked *r, hsd_error *err)
{
    for (int i = 0; i < SIDE_COUNT; i++)
        HSD_TRY(hsd_together_tell_bytes(&r->together, hsd_ranked_walker(i), &r->lasts[i], sizeof r->lasts[i], err));
    r->c->turn_lasts = r->lasts;
    return HSD_OK;
}

/* Records of the census leave for the ranks of their identities, and come. */
static hsd_status walk_with_identity(hsd_ranked *r, hsd_error *err)
{
    const hsd_census_sink sink = {r, send_record};
    const hsd_side_walk *sides = r->c->pair.sides;
    hsd_walk_request *requests = r->c->pair.requests;
    const unsigned words = hsd_census_words(&sides[AFTER]);
    r->asks_turn = r->c->ladder.basis == HSD_BASIS_EXACT && hsd_turn_is_asked(sides[BEFORE].info, sides[AFTER].info);
    hsd_status status = hsd_scatter_open(&r->censuses, &r->together, words, take_record, r, err);
    requests[BEFORE].sink = requests[AFTER].sink = &sink;
    if (status == HSD_OK) status = walk_own(r, hsd_side_run_census, err);
    status = hsd_scatter_finish(&r->censuses, status, err);
    requests[BEFORE].sink = requests[AFTER].sink = NULL;
    return status == HSD_OK && r->asks_turn ? tell_lasts(r, err) : status;
}

/* Who is who by structure is known between graph and census. */
static hsd_status walk_all(hsd_ranked *r, hsd_error *err)
{
    hsd_together *t = &r->together;
    const hsd_basis basis = r->c->ladder.basis;
    if (basis == HSD_BASIS_COUNTS) return hsd_together_agree(t, walk_own(r, hsd_side_run, err), err);
    HSD_TRY(hsd_together_agree(t, open_censuses(r, err), err));
    HSD_TRY(hsd_together_agree(t, walk_own(r, hsd_side_run_graph, err), err));
    if (basis == HSD_BASIS_STRUCTURE) HSD_TRY(hsd_ranked_recognise(r, err));
    end_phase(r, HSD_RANKS_GRAPH);
    HSD_TRY(walk_with_identity(r, err));
    return hsd_together_agree(t, close_censuses(r, err), err);
}

/* What is there of a file is the same for all, or nothing fits together. */
static hsd_status check_inputs(hsd_ranked *r, hsd_error *err)
{
    for (int i = 0; i < SIDE_COUNT; i++) {
        const hsd_capture_info *info = r->c->pair.sides[i].info;
        uint64_t own[5] = {info->objects, info->bytes, info->references}, first[5];
        memcpy(own + 3, info->capture_id, sizeof info->capture_id);
        memcpy(first, own, sizeof own);
        HSD_TRY(hsd_together_tell_bytes(&r->together, 0, first, sizeof first, err));
        hsd_status status = HSD_OK;
        if (memcmp(first, own, sizeof own) != 0) {
            status = hsd_fail(err, HSD_E_NOT_FOUND, "rank %u finds another capture here than rank 0",
                              hsd_ranked_ranks(r)->rank);
            hsd_error_set_file(err, info->path);
            hsd_error_set_hint(err, "all ranks need the same files: a file system that the machines share");
        }
        HSD_TRY(hsd_together_agree(&r->together, status, err));
    }
    return HSD_OK;
}

static hsd_status walk_parted(void *context, hsd_comparison *c, hsd_error *err)
{
    hsd_ranked *r = context;
    r->is_begun = true;
    (void)c;
    HSD_TRY(hsd_together_agree(&r->together, HSD_OK, err));
    HSD_TRY(check_inputs(r, err));
    HSD_TRY(walk_all(r, err));
    end_phase(r, HSD_RANKS_CENSUS);
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(hsd_ranked_tell_side(r, side, err));
    end_phase(r, HSD_RANKS_TELL);
    return HSD_OK;
}

/* ---- the whole ---- */

static bool can_part(void *context, const hsd_comparison *c)
{
    hsd_ranked *r = context;
    hsd_ranks_stats *stats = &r->together.stats;
    (void)c;
    if (hsd_ranked_ranks(r)->count < 2) stats->why_alone = "there is one rank";
    stats->is_parted = stats->why_alone == NULL;
    return stats->is_parted;
}

static hsd_status find_replaced(void *context, hsd_comparison *c, hsd_error *err)
{
    hsd_ranked *r = context;
    if (c->reuse != NULL) hsd_reuse_is_part(c->reuse);
    return hsd_replaced_can_tell(c) ? hsd_ranked_find_replaced(r, err) : HSD_OK;
}

static hsd_status meet_parts(void *context, hsd_comparison *c, hsd_error *err)
{
    hsd_ranked *r = context;
    (void)c;
    HSD_TRY(hsd_ranked_meet(r, err));
    end_phase(r, HSD_RANKS_FOLD);
    return HSD_OK;
}

/* Who failed by himself says so where the others wait; all others did the last thing together. */
static hsd_status end_together(hsd_ranked *r, hsd_status status, hsd_error *err)
{
    if (r->together.has_failed) return status;
    if (status != HSD_OK || !r->is_begun) return hsd_together_agree(&r->together, status, err);
    return hsd_ranked_is(r, 0) ? hsd_ranked_end(r, err) : hsd_ranked_serve(r, err);
}

static hsd_status run_ranked(hsd_diff **out, hsd_ranked *r, hsd_capture *before, hsd_capture *after,
                             const hsd_diff_options *options, const hsd_run *run, hsd_error *err)
{
    hsd_reporter reporter;
    hsd_comparison c;
    const hsd_parting parting = {r, hsd_ranked_is(r, 0), r->shares, can_part, walk_parted, find_replaced, meet_parts};
    const hsd_pair_parts parts = {r, hsd_ranked_find_pairs};
    hsd_reporter_init(&reporter, run);
    r->c = &c;
    r->phase_ns = processor_ns();
    hsd_status status = hsd_diff_run_parted(out, &c, &parting, &parts, before, after, options, run, &reporter, err);
    status = end_together(r, status, err);
    end_phase(r, HSD_RANKS_ANSWER);
    for (int i = 0; i < SIDE_COUNT; i++)
        hsd_sorter_free(r->parts[i]);
    hsd_compare_release(&c);
    hsd_reporter_release(&reporter);
    if (status == HSD_OK) return HSD_OK;
    hsd_diff_free(*out);
    *out = NULL;
    return status;
}

/* All plan alike: for the machine that has most of them. */
static hsd_status count_shares(hsd_ranked *r, hsd_error *err)
{
    const hsd_ranks *ranks = hsd_ranked_ranks(r);
    for (unsigned i = 0; i < ranks->count; i++)
        r->together.out[i] = ranks->neighbours;
    HSD_TRY(ranks->all_to_all(ranks->context, r->together.out, r->together.in, 1, err));
    for (unsigned i = 0; i < ranks->count; i++)
        r->shares = (unsigned)hsd_max_u64(r->shares, r->together.in[i]);
    return HSD_OK;
}

/* What must be the same for all of them: the program, and what they may use. */
static hsd_status share_run(hsd_ranked *r, hsd_run *run, hsd_error *err)
{
    char version[32] = HSDIFF_VERSION;
    hsd_status status = HSD_OK;
    if (run->memory_bytes == 0) run->memory_bytes = hsd_run_default_memory();
    HSD_TRY(hsd_together_tell_bytes(&r->together, 0, version, sizeof version, err));
    if (strcmp(version, HSDIFF_VERSION) != 0)
        status = hsd_fail(err, HSD_E_MISUSE, "rank %u is of version " HSDIFF_VERSION ", rank 0 of %.31s",
                          hsd_ranked_ranks(r)->rank, version);
    HSD_TRY(hsd_together_agree(&r->together, status, err));
    HSD_TRY(count_shares(r, err));
    return hsd_together_tell_bytes(&r->together, 0, &run->memory_bytes, sizeof run->memory_bytes, err);
}

static hsd_status check_options(const hsd_diff_options *options, hsd_error *err)
{
    const char *what = options->changed != NULL || options->matched != NULL ? "a list of objects"
                       : options->key_count > 0                             ? "a key"
                                                                            : NULL;
    if (what == NULL) return HSD_OK;
    return hsd_fail(err, HSD_E_UNSUPPORTED, "%s is not to be had of several ranks, but of one process", what);
}

hsd_status hsd_ranks_diff(hsd_diff **out, hsd_capture *before, hsd_capture *after, const hsd_diff_options *options,
                          const hsd_run *run_conditions, const hsd_ranks *ranks, hsd_ranks_stats *stats, hsd_error *err)
{
    hsd_ranked r = {0};
    hsd_run run = run_conditions != NULL ? *run_conditions : (hsd_run){0};
    hsd_diff_options own;
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_diff_options, matched_context, &own, options, err));
    HSD_TRY(check_options(&own, err));
    hsd_status status = hsd_together_init(&r.together, ranks, err);
    if (status == HSD_OK) status = share_run(&r, &run, err);
    if (status == HSD_OK) status = run_ranked(out, &r, before, after, &own, &run, err);
    if (stats != NULL) *stats = r.together.stats;
    hsd_together_release(&r.together);
    return status;
}

hsd_status hsd_ranks_agree(const hsd_ranks *ranks, hsd_status status, hsd_error *err)
{
    hsd_together together;
    const hsd_status made = hsd_together_init(&together, ranks, err);
    if (made == HSD_OK) status = hsd_together_agree(&together, status, err);
    hsd_together_release(&together);
    return made == HSD_OK ? status : made;
}
