/*
 * The numbers of a diff against the oracle: random pairs of heaps, written in random forms, compared
 * with random memory and threads. HSD_PAIRS sets how many (tests/support/sizes.h), HSD_SEED
 * where they start.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <unistd.h>

#include "check_growth.h"
#include "check_rows.h"
#include "check_sizes.h"
#include "oracle.h"
#include "support/sizes.h"

enum { PAIRS = 5000, MIRRORED = 500 };

static char folder[] = "/tmp/hsdiff-property-XXXXXX";
static char before_path[64], after_path[64];
static hsd_error err;
static oracle_diff wanted;

static void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(before_path, sizeof before_path, "%s/before.hs", folder);
    snprintf(after_path, sizeof after_path, "%s/after.hs", folder);
    hsd_error_init(&err);
}

static void teardown(void)
{
    remove(before_path);
    remove(after_path);
    rmdir(folder);
}

TestSuite(diff, .init = setup, .fini = teardown);

static uint64_t pair_count(void)
{
    const char *given = getenv("HSD_PAIRS");
    return given != NULL ? strtoull(given, NULL, 0) : test_cases(PAIRS);
}

static hsd_match_by match_by;

static hsd_diff *compare_files(const char *before, const char *after, const hsd_run *run)
{
    const hsd_diff_options options = {.match_by = match_by};
    hsd_capture *b, *a;
    hsd_diff *diff;
    cr_assert_eq(hsd_capture_open(&b, before, HSD_DAMAGE_REFUSE, run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_capture_open(&a, after, HSD_DAMAGE_REFUSE, run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_diff_run(&diff, b, a, &options, run, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(b);
    hsd_capture_close(a);
    return diff;
}

static oracle_heaps random_forms(const model_heap *before, const model_heap *after, test_random *random)
{
    return (oracle_heaps){.before = before,
                          .after = after,
                          .before_form = model_random_form(random),
                          .after_form = model_random_form(random)};
}

static hsd_diff *compare_forms(const oracle_heaps *heaps, test_random *random)
{
    const hsd_run run = {.memory_bytes = (UINT64_C(20) << 20) << test_below(random, 4),
                         .threads = 1 + (unsigned)test_below(random, 3)};
    cr_assert(model_write(heaps->before, &heaps->before_form, before_path));
    cr_assert(model_write(heaps->after, &heaps->after_form, after_path));
    return compare_files(before_path, after_path, &run);
}

static hsd_diff *compare_heaps(const model_heap *before, const model_heap *after, test_random *random)
{
    const oracle_heaps heaps = random_forms(before, after, random);
    return compare_forms(&heaps, random);
}

static bool same_amount(hsd_amount a, hsd_amount b) { return a.objects == b.objects && a.bytes == b.bytes; }

static const hsd_type_row *type_named(const hsd_diff *diff, const char *name)
{
    static const hsd_type_row none;
    for (size_t i = 0; i < diff->type_count; i++) {
        if (strcmp(diff->types[i].name.data, name) == 0) return &diff->types[i];
    }
    return &none;
}

Test(diff, equals_the_oracle_on_random_pairs, .timeout = 3600)
{
    const uint64_t first = test_seed(1), pairs = pair_count();
    uint64_t compared = 0;
    for (uint64_t i = 0; compared < pairs; i++) {
        test_random random = {first + i};
        const model_heap before = model_random(&random), after = model_later(&before, &random);
        if (!model_has_graph(&before) || !model_has_graph(&after)) continue;
        const oracle_heaps heaps = random_forms(&before, &after, &random);
        oracle_compare(&wanted, &heaps);
        hsd_diff *diff = compare_forms(&heaps, &random);
        check_rows(diff, &wanted, (unsigned long)(first + i));
        check_examples(diff, &wanted, (unsigned long)(first + i));
        check_sizes(diff, &heaps, (unsigned long)(first + i));
        cr_assert_eq(diff->match.exact, wanted.matched, "seed %lu", (unsigned long)(first + i));
        cr_assert_eq(diff->match.unmatched_before, wanted.unmatched_before);
        cr_assert_eq(diff->match.unmatched_after, wanted.unmatched_after);
        check_growth(diff, &wanted, (unsigned long)(first + i));
        compared++;
        hsd_diff_free(diff);
    }
    cr_assert_gt(checked_co_holders, compared / 10, "%lu", (unsigned long)checked_co_holders);
    cr_log_info("%lu pairs compared with the oracle, 0 differ", (unsigned long)compared);
}

/* ---- trees ---- */

/* An object hangs from one of the first `count`. */
static void hang(model_heap *heap, uint32_t object, uint32_t count, test_random *random)
{
    static const model_label labels[] = {MODEL_NAMED, MODEL_ANOTHER, MODEL_ITEM, MODEL_ANOTHER, MODEL_FOLD};
    model_object *above = &heap->objects[test_below(random, count)];
    if (above->reference_count == MODEL_MAX_REFERENCES) return;
    above->references[above->reference_count++] =
        (model_reference){heap->objects[object].id, labels[test_below(random, test_below(random, 6) == 0 ? 5 : 4)]};
}

/* Most of one type, so that there is kin; some refer to their parents or hang from two. */
static void add_nodes(model_heap *heap, uint32_t count, uint64_t id, test_random *random)
{
    static const uint32_t types[] = {1, 1, 1, 1, 1, 2, 2, 3, MODEL_INTERNAL_TYPE};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t object = heap->object_count++;
        heap->objects[object] = (model_object){.id = id + 16 * i,
                                               .type = types[test_below(random, sizeof types / sizeof *types)],
                                               .size_bytes = 8 + 8 * test_below(random, 3)};
        if (object == 0) continue;
        hang(heap, object, object, random);
        if (test_below(random, 8) == 0) hang(heap, object, object, random);
        if (test_below(random, 8) == 0) hang(heap, (uint32_t)test_below(random, object), object + 1, random);
    }
}

static model_heap random_trees(test_random *random)
{
    model_heap heap = {.root_count = 1 + (uint32_t)test_below(random, 2)};
    add_nodes(&heap, 12 + (uint32_t)test_below(random, 22), 0x1000, random);
    for (uint32_t i = 0; i < heap.root_count; i++)
        heap.roots[i] = (model_root){.target = heap.objects[i == 0 ? 0 : test_below(random, 4)].id,
                                     .name = (uint32_t)test_below(random, MODEL_ROOT_NAMES)};
    return heap;
}

/* A few grow by themselves, many get a new one. */
static model_heap grown_trees(const model_heap *heap, test_random *random)
{
    model_heap later = *heap;
    for (uint32_t i = 0; i < later.object_count; i++)
        if (test_below(random, 6) == 0) later.objects[i].size_bytes += 8 * test_below(random, 4);
    add_nodes(&later, (uint32_t)test_below(random, 14), 0x8000, random);
    return later;
}

Test(diff, equals_the_oracle_on_random_trees, .timeout = 3600)
{
    const uint64_t first = test_seed(1), pairs = pair_count() / 4;
    for (uint64_t i = 0; i < pairs; i++) {
        test_random random = {first + i};
        const model_heap small = random_trees(&random), large = grown_trees(&small, &random);
        const bool is_shrinking = test_below(&random, 3) == 0;
        const oracle_heaps heaps =
            is_shrinking ? random_forms(&large, &small, &random) : random_forms(&small, &large, &random);
        oracle_compare(&wanted, &heaps);
        hsd_diff *diff = compare_forms(&heaps, &random);
        check_rows(diff, &wanted, (unsigned long)(first + i));
        check_growth(diff, &wanted, (unsigned long)(first + i));
        hsd_diff_free(diff);
    }
}

Test(diff, with_itself_is_empty_and_backwards_is_the_mirror_image)
{
    const uint64_t pairs = test_cases(MIRRORED);
    for (uint64_t i = 0; i < pairs; i++) {
        test_random random = {test_seed(100000) + i};
        const model_heap before = model_random(&random), after = model_later(&before, &random);
        if (!model_has_graph(&before) || !model_has_graph(&after)) continue;
        hsd_diff *same = compare_heaps(&after, &after, &random);
        cr_assert_eq(same->total.new_.objects + same->total.freed.objects + same->total.resized_objects, 0);
        hsd_diff *there = compare_heaps(&before, &after, &random);
        hsd_diff *back = compare_heaps(&after, &before, &random);
        cr_assert(same_amount(there->total.new_, back->total.freed), "pair %lu", (unsigned long)i);
        cr_assert(same_amount(there->total.freed, back->total.new_), "pair %lu", (unsigned long)i);
        cr_assert_eq(there->total.resized_bytes, -back->total.resized_bytes);
        cr_assert_eq(there->type_count, back->type_count);
        for (size_t t = 0; t < there->type_count; t++) {
            const hsd_type_row *row = &there->types[t], *mirror = type_named(back, row->name.data);
            cr_assert(same_amount(row->live.new_, mirror->live.freed));
            cr_assert(same_amount(row->revived, mirror->dropped));
        }
        hsd_diff_free(same);
        hsd_diff_free(there);
        hsd_diff_free(back);
    }
}

/* Without identity: holders are places that both captures have once. */
Test(diff, of_moving_heaps_by_counts_equals_the_oracle, .timeout = 3600)
{
    match_by = HSD_MATCH_BY_COUNTS;
    const uint64_t first = test_seed(500000), pairs = pair_count() / 5;
    for (uint64_t i = 0, compared = 0; compared < pairs; i++) {
        test_random random = {first + i};
        const model_heap before = model_random(&random), after = model_later(&before, &random);
        if (!model_has_graph(&before) || !model_has_graph(&after)) continue;
        oracle_heaps heaps = random_forms(&before, &after, &random);
        heaps.before_form.identity = heaps.after_form.identity = HSC_IDENTITY_MOVING;
        oracle_compare(&wanted, &heaps);
        hsd_diff *diff = compare_forms(&heaps, &random);
        check_growth(diff, &wanted, (unsigned long)(first + i));
        check_sizes(diff, &heaps, (unsigned long)(first + i));
        for (size_t t = 0; t < diff->type_count; t++)
            cr_assert_eq(diff->types[t].example_count, 0);
        hsd_diff_free(diff);
        compared++;
    }
}

Test(diff, of_moving_heaps_by_counts_tells_growth_and_nothing_more)
{
    match_by = HSD_MATCH_BY_COUNTS;
    test_random random = {5};
    const hsd_run run = {0};
    const model_heap before = model_random(&random), after = model_later(&before, &random);
    const model_form form = {.identity = HSC_IDENTITY_MOVING};
    cr_assert(model_write(&before, &form, before_path));
    cr_assert(model_write(&after, &form, after_path));
    hsd_diff *diff = compare_files(before_path, after_path, &run);
    oracle_compare(&wanted, &(oracle_heaps){&before, &after, form, form});
    cr_assert_not(diff->identity_is_known);
    cr_assert_eq(diff->total.new_.objects + diff->total.freed.objects + diff->total.kept.objects, 0);
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        const hsd_type_row *found = type_named(diff, wanted.types[t].name);
        cr_assert(same_amount(found->live.before, wanted.types[t].live.before));
        cr_assert(same_amount(found->live.after, wanted.types[t].live.after));
    }
    cr_assert_gt(diff->warning_count, 0);
    cr_assert(strstr(diff->warnings[0].data, "cannot be matched") != NULL);
    hsd_diff_free(diff);
}
