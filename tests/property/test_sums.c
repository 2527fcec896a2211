/*
 * A diff with a baseline on either side, or on both, gives what the diff of the two captures gives where no object is
 * recognised (match_by counts): types, roots, holders, the tree of places. On random heaps that evolve.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/heap_model.h"
#include "support/random.h"
#include "support/sizes.h"
#include <hscapture/hscapture.h>
#include <hsdiff/diff.h>
#include <hsdiff/profile.h>

enum { HEAPS = 240 };

static char folder[] = "/tmp/hsdiff-sums-XXXXXX";
static char captures[2][64], baselines[2][64];
static hsd_error err;
static uint64_t held; /* pairs whose holders were compared */

static void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        snprintf(captures[i], sizeof captures[i], "%s/%d.hs", folder, i);
        snprintf(baselines[i], sizeof baselines[i], "%s/base-%d.hs", folder, i);
    }
    hsd_error_init(&err);
}

static void teardown(void)
{
    for (int i = 0; i < 2; i++) {
        remove(captures[i]);
        remove(baselines[i]);
    }
    rmdir(folder);
}

TestSuite(sums, .init = setup, .fini = teardown);

static hsd_capture *open_file(const char *file)
{
    hsd_capture *capture;
    cr_assert_eq(hsd_capture_open(&capture, file, HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    return capture;
}

static hsd_diff *compare(const char *before, const char *after, hsd_match_by match_by)
{
    hsd_diff *diff;
    hsd_capture *a = open_file(before), *b = open_file(after);
    const hsd_diff_options options = {.match_by = match_by};
    cr_assert_eq(hsd_diff_run(&diff, a, b, &options, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(a);
    hsd_capture_close(b);
    return diff;
}

static bool same_text(hsd_text a, hsd_text b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }
static bool same(hsd_amount a, hsd_amount b) { return a.objects == b.objects && a.bytes == b.bytes; }

static void check_types(const hsd_diff *x, const hsd_diff *y, unsigned long seed)
{
    cr_assert_eq(x->type_count, y->type_count, "seed %lu", seed);
    for (size_t i = 0; i < x->type_count; i++) {
        const hsd_type_row *a = &x->types[i], *b = &y->types[i];
        cr_assert(same_text(a->name, b->name) && same(a->live.before, b->live.before) &&
                      same(a->live.after, b->live.after) && same(a->unreached_before, b->unreached_before) &&
                      same(a->unreached_after, b->unreached_after) && a->retained_before == b->retained_before &&
                      a->retained_after == b->retained_after,
                  "seed %lu type %zu", seed, i);
    }
}

static void check_roots(const hsd_diff *x, const hsd_diff *y, unsigned long seed)
{
    cr_assert_eq(x->root_count, y->root_count, "seed %lu", seed);
    for (size_t i = 0; i < x->root_count; i++) {
        const hsd_root_row *a = &x->roots[i], *b = &y->roots[i];
        cr_assert(same_text(a->name, b->name) && a->is_shared == b->is_shared && same(a->live.before, b->live.before) &&
                      same(a->live.after, b->live.after) && a->retained_after == b->retained_after,
                  "seed %lu root %zu", seed, i);
    }
}

static void check_path(const hsd_holder *a, const hsd_holder *b, unsigned long seed)
{
    cr_assert(same_text(a->type, b->type) && same_text(a->root, b->root) && a->path_count == b->path_count, "seed %lu",
              seed);
    for (size_t i = 0; i < a->path_count; i++) {
        cr_assert(same_text(a->path[i].edge, b->path[i].edge) && same_text(a->path[i].type, b->path[i].type) &&
                      a->path[i].repeat == b->path[i].repeat,
                  "seed %lu step %zu", seed, i);
    }
}

/* A name of a root under which nothing is live on one side is no row of a profile, and what hung there is held by
 * (roots). */
static bool has_equal_roots(const hsd_diff *diff)
{
    for (size_t i = 0; i < diff->root_count; i++) {
        const hsd_root_row *row = &diff->roots[i];
        if (!row->is_shared && (row->live.before.objects == 0 || row->live.after.objects == 0)) return false;
    }
    return true;
}

static void check_holders(const hsd_diff *x, const hsd_diff *y, unsigned long seed)
{
    cr_assert_eq(x->holder_count, y->holder_count, "seed %lu", seed);
    for (size_t i = 0; i < x->holder_count; i++) {
        const hsd_holder *a = &x->holders[i], *b = &y->holders[i];
        check_path(a, b, seed);
        cr_assert(a->growth_bytes == b->growth_bytes && a->net_objects == b->net_objects &&
                      a->edge_count == b->edge_count && a->type_count == b->type_count,
                  "seed %lu holder %zu", seed, i);
    }
}

static void check_tree(const hsd_diff *x, const hsd_diff *y, unsigned long seed)
{
    cr_assert_eq(x->tree_count, y->tree_count, "seed %lu", seed);
    for (size_t i = 0; i < x->tree_count; i++) {
        const hsd_tree_row *a = &x->tree[i], *b = &y->tree[i];
        cr_assert(a->depth == b->depth && a->is_root == b->is_root && same_text(a->edge, b->edge) &&
                      same_text(a->type, b->type) && same(a->own_before, b->own_before) &&
                      same(a->own_after, b->own_after) && same(a->after, b->after),
                  "seed %lu place %zu", seed, i);
    }
}

static void check_pair(const char *before, const char *after, const hsd_diff *truth, unsigned long seed)
{
    hsd_diff *diff = compare(before, after, HSD_MATCH_BY_BEST);
    cr_assert(!diff->identity_is_known && diff->has_holders == truth->has_holders, "seed %lu: %s", seed,
              diff->why_no_holders.data);
    cr_assert(same(diff->total.before, truth->total.before) && same(diff->total.after, truth->total.after), "seed %lu",
              seed);
    check_types(truth, diff, seed);
    check_roots(truth, diff, seed);
    if (truth->has_holders) check_tree(truth, diff, seed);
    if (truth->has_holders && has_equal_roots(truth)) {
        check_holders(truth, diff, seed);
        held++;
    }
    hsd_diff_free(diff);
}

static void keep(int side)
{
    const hsd_baseline_options options = {.places = HSD_PLACES_MOST, .force = true};
    hsd_capture *capture = open_file(captures[side]);
    cr_assert_eq(hsd_baseline_write(capture, baselines[side], &options, NULL, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
}

/* False if there is nothing to compare: a heap without references or roots has no places. */
static bool check_heaps(uint64_t seed)
{
    test_random random = {seed};
    const model_heap before = model_random(&random), after = model_later(&before, &random);
    if (!model_has_graph(&before) || !model_has_graph(&after)) return false;
    const model_form forms[2] = {model_random_form(&random), model_random_form(&random)};
    cr_assert(model_write(&before, &forms[0], captures[0]) && model_write(&after, &forms[1], captures[1]));
    for (int side = 0; side < 2; side++)
        keep(side);
    hsd_diff *truth = compare(captures[0], captures[1], HSD_MATCH_BY_COUNTS);
    check_pair(baselines[0], captures[1], truth, seed);
    check_pair(captures[0], baselines[1], truth, seed);
    check_pair(baselines[0], baselines[1], truth, seed);
    hsd_diff_free(truth);
    return true;
}

Test(sums, are_what_a_diff_by_counts_says, .timeout = 1200)
{
    const uint64_t start = test_seed(1), count = test_cases(HEAPS);
    uint64_t compared = 0;
    for (uint64_t i = 0; i < count; i++)
        compared += check_heaps(start + i);
    cr_assert(compared > count / 4 && held > count / 4);
    cr_log_info("%lu pairs of heaps, each with a baseline on either side and on both; holders of %lu; 0 differ",
                (unsigned long)compared, (unsigned long)held);
}

/* ---- baselines with identities: without holders they tell what is new and what was freed, as their captures do ----
 */

static hsd_diff *compare_objects(const char *before, const char *after)
{
    hsd_diff *diff;
    hsd_capture *a = open_file(before), *b = open_file(after);
    const hsd_diff_options options = {.no_holders = true};
    cr_assert_eq(hsd_diff_run(&diff, a, b, &options, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(a);
    hsd_capture_close(b);
    return diff;
}

static void check_objects(uint64_t seed)
{
    test_random random = {seed};
    const hsd_baseline_options options = {.identities = true, .force = true};
    const model_heap before = model_random(&random), after = model_later(&before, &random);
    if (!model_has_graph(&before) || !model_has_graph(&after)) return; /* what is live is not known */
    model_form forms[2] = {model_random_form(&random), model_random_form(&random)};
    for (int side = 0; side < 2; side++) {
        forms[side].identity = HSC_IDENTITY_EXACT;
        forms[side].domain = 7;
    }
    cr_assert(model_write(&before, &forms[0], captures[0]) && model_write(&after, &forms[1], captures[1]));
    hsd_capture *capture = open_file(captures[0]);
    cr_assert_eq(hsd_baseline_write(capture, baselines[0], &options, NULL, NULL, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
    hsd_diff *truth = compare_objects(captures[0], captures[1]), *diff = compare_objects(baselines[0], captures[1]);
    cr_assert(diff->identity_is_known && truth->identity_is_known, "seed %lu", (unsigned long)seed);
    cr_assert(same(truth->total.before, diff->total.before) && same(truth->total.after, diff->total.after), "seed %lu",
              (unsigned long)seed);
    cr_assert(same(truth->total.new_, diff->total.new_) && same(truth->total.freed, diff->total.freed) &&
                  truth->total.resized_bytes == diff->total.resized_bytes,
              "seed %lu", (unsigned long)seed);
    hsd_diff_free(truth);
    hsd_diff_free(diff);
}

Test(sums, with_identities_tell_new_and_freed, .timeout = 1200)
{
    const uint64_t start = test_seed(3), count = test_cases(HEAPS);
    for (uint64_t i = 0; i < count; i++)
        check_objects(start + i);
}

Test(sums, refuse_what_needs_objects)
{
    static const char *const key[] = {"A:b"};
    test_random random = {1};
    const model_heap heap = model_random(&random);
    const model_form form = model_random_form(&random);
    cr_assert(model_write(&heap, &form, captures[0]));
    keep(0);
    hsd_capture *a = open_file(baselines[0]), *b = open_file(captures[0]);
    const hsd_diff_options refused[] = {{.match_by = HSD_MATCH_BY_STRUCTURE}, {.keys = key, .key_count = 1}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        hsd_diff *diff;
        cr_assert_eq(hsd_diff_run(&diff, a, b, &refused[i], NULL, &err), HSD_E_UNSUPPORTED);
        cr_assert_null(diff);
        cr_assert_not_null(strstr(err.text, "a baseline holds sums alone"));
    }
    hsd_capture_close(a);
    hsd_capture_close(b);
}
