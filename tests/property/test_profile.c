/*
 * Profiles of random heaps against definitions, against the tree of a diff, and against themselves read back from a
 * baseline. HSD_PAIRS sets how many heaps, HSD_SEED where they start.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "oracle.h"
#include "oracle_view.h"
#include "support/capture_file.h"
#include "support/sizes.h"
#include "unit/diff/test_profile_kit.h"

enum { HEAPS = 1500 };

static oracle_view view;
static oracle_diff wanted;

TestSuite(profile, .init = setup, .fini = teardown);

static uint64_t heap_count(void)
{
    const char *given = getenv("HSD_PAIRS");
    return given != NULL ? strtoull(given, NULL, 0) : test_cases(HEAPS);
}

static hsd_profile *profile_of_file(const char *file, const hsd_profile_options *options, const hsd_run *run)
{
    hsd_capture *capture;
    hsd_profile *profile;
    cr_assert_eq(hsd_capture_open(&capture, file, HSD_DAMAGE_REFUSE, run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_profile_make(&profile, capture, options, run, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
    return profile;
}

static hsd_profile *profile_of(const model_heap *heap, const model_form *form, const hsd_profile_options *options,
                               const hsd_run *run)
{
    cr_assert(model_write(heap, form, path));
    return profile_of_file(path, options, run);
}

static hsd_run random_run(test_random *random)
{
    return (hsd_run){.memory_bytes = (UINT64_C(20) << 20) << test_below(random, 4),
                     .threads = 1 + (unsigned)test_below(random, 2)};
}

/* ---- by definition ---- */

static void check_types(const hsd_profile *profile, unsigned long seed)
{
    size_t rows = 0;
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        const oracle_row *want = &wanted.types[type];
        const hsd_top_type *row = NULL;
        char name[8];
        snprintf(name, sizeof name, "T%u", type);
        for (size_t i = 0; i < profile->type_count; i++) {
            if (strcmp(profile->types[i].name.data, name) == 0) row = &profile->types[i];
        }
        cr_assert_eq(row != NULL, want->live.before.objects + want->unreached_before.objects > 0, "seed %lu type %s",
                     seed, name);
        if (row == NULL) continue;
        rows++;
        cr_assert(kit_same_amount(row->live, want->live.before), "seed %lu type %s", seed, name);
        cr_assert(kit_same_amount(row->unreached, want->unreached_before), "seed %lu type %s", seed, name);
        cr_assert_eq(row->retained_bytes, want->retained_before, "seed %lu type %s", seed, name);
    }
    cr_assert_eq(rows, profile->type_count, "seed %lu", seed);
    for (size_t i = 1; i < profile->type_count; i++) {
        const hsd_top_type *a = &profile->types[i - 1], *b = &profile->types[i];
        cr_assert(a->live.bytes > b->live.bytes ||
                  (a->live.bytes == b->live.bytes && strcmp(a->name.data, b->name.data) < 0));
    }
}

/* Bytes that some one node of the name dominates. */
static uint64_t retained_by_root(const char *name)
{
    uint64_t sum = 0;
    for (int v = 0; v < (int)view.heap->object_count; v++) {
        bool is_held = false;
        for (int d = (int)view.heap->object_count; d < view.node_count; d++)
            is_held |= view.nodes[d].is_live && strcmp(view.nodes[d].name, name) == 0 && view.dominates[d][v];
        if (is_held && view.nodes[v].is_live && view.counts[v]) sum += view.bytes[v];
    }
    return sum;
}

static void check_roots(const hsd_profile *profile, unsigned long seed)
{
    hsd_amount all = {0, 0};
    for (size_t i = 0; i < profile->root_count; i++) {
        const hsd_top_root *row = &profile->roots[i];
        const oracle_row *want = oracle_root_row(&wanted, row->name.data);
        cr_assert(kit_same_amount(row->live, want->live.before), "seed %lu root %s", seed, row->name.data);
        cr_assert_eq(row->retained_bytes, row->is_shared ? 0 : retained_by_root(row->name.data), "seed %lu root %s",
                     seed, row->name.data);
        all.objects += row->live.objects;
        all.bytes += row->live.bytes;
        if (i == 0) continue;
        const hsd_top_root *above = &profile->roots[i - 1];
        cr_assert(above->live.bytes > row->live.bytes ||
                  (above->live.bytes == row->live.bytes && strcmp(above->name.data, row->name.data) < 0));
    }
    cr_assert(kit_same_amount(all, profile->side.live), "seed %lu: roots do not add up", seed);
}

static void path_of(const hsd_profile *profile, size_t row, char *out)
{
    size_t way[ORACLE_PATH], length = 0, used = 0;
    for (size_t at = row; at != 0; at = profile->places[at].parent)
        way[length++] = at;
    out[0] = 0;
    while (length > 0) {
        const hsd_place *step = &profile->places[way[--length]];
        if (step->is_root)
            used += (size_t)snprintf(out + used, ORACLE_PATH - used, " (%s)", step->type.data);
        else
            used += (size_t)snprintf(out + used, ORACLE_PATH - used, " %s %s",
                                     step->edge.size == 0 ? "-" : step->edge.data, step->type.data);
    }
}

/* Preorder, depths, children by what is below them, and what that is. */
static void check_shape(const hsd_profile *profile, unsigned long seed)
{
    uint32_t last[256] = {0}; /* child of each depth on the way down, 0 = none yet */
    cr_assert(profile->places[0].parent == 0 && profile->places[0].depth == 0 && !profile->places[0].is_root);
    cr_assert(profile->places[0].can_hold && profile->places[0].edge.size + profile->places[0].type.size == 0);
    cr_assert(kit_same_amount(profile->places[0].all, profile->side.live), "seed %lu", seed);
    for (uint32_t i = 0; i < profile->place_count; i++) {
        const hsd_place *row = &profile->places[i];
        hsd_amount all = row->own;
        for (size_t k = i + 1; k < profile->place_count && profile->places[k].depth > row->depth; k++) {
            all.objects += profile->places[k].own.objects;
            all.bytes += profile->places[k].own.bytes;
        }
        cr_assert(kit_same_amount(row->all, all), "seed %lu row %u", seed, i);
        if (i == 0) continue;
        cr_assert(row->parent < i && row->depth == profile->places[row->parent].depth + 1, "seed %lu row %u", seed, i);
        const hsd_place *above = &profile->places[last[row->depth]];
        if (last[row->depth] != 0 && above->parent == row->parent)
            cr_assert_geq(above->all.bytes, row->all.bytes, "seed %lu", seed);
        last[row->depth] = i;
    }
}

static void check_places(const hsd_profile *profile, unsigned long seed)
{
    cr_assert_eq(profile->place_count, wanted.place_count + 1, "seed %lu: %zu places, not %u", seed,
                 profile->place_count - 1, wanted.place_count);
    cr_assert_eq(profile->place_least_bytes, 0);
    check_shape(profile, seed);
    for (size_t i = 1; i < profile->place_count; i++) {
        const hsd_place *row = &profile->places[i];
        const oracle_place *place = NULL;
        char text[ORACLE_PATH];
        path_of(profile, i, text);
        for (uint32_t k = 0; k < wanted.place_count; k++) {
            if (strcmp(wanted.places[k].path, text) == 0) place = &wanted.places[k];
        }
        cr_assert_not_null(place, "seed %lu: nobody stands at %s", seed, text);
        cr_assert(kit_same_amount(row->own, place->before), "seed %lu place%s", seed, text);
        const bool is_fold = !row->is_root && strcmp(row->edge.data, ".inside") == 0;
        cr_assert_eq(row->is_fold, is_fold, "seed %lu place%s", seed, text);
        cr_assert_eq(row->can_hold, row->is_root || (!is_fold && strcmp(row->type.data, "T5") != 0), "seed %lu place%s",
                     seed, text);
    }
}

static void check_list(const kit_list *list, const hsd_profile *profile, unsigned long seed)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < view.heap->object_count; i++)
        live += view.live[i] && view.counts[i];
    cr_assert_eq(list->count, live, "seed %lu", seed);
    for (size_t i = 0; i < list->count; i++) {
        const kit_told *row = &list->rows[i];
        const int object = oracle_find(view.heap, row->id);
        char type[8];
        cr_assert(object >= 0 && view.live[object] && view.counts[object], "seed %lu", seed);
        snprintf(type, sizeof type, "T%u", view.heap->objects[object].type);
        cr_assert(i == 0 || list->rows[i - 1].id < row->id, "seed %lu", seed);
        cr_assert_str_eq(profile->types[row->type].name.data, type, "seed %lu", seed);
        cr_assert_eq(row->bytes, view.bytes[object], "seed %lu", seed);
    }
}

Test(profile, equals_the_oracle_on_random_heaps, .timeout = 3600)
{
    const uint64_t first = test_seed(1), count = heap_count();
    uint64_t compared = 0;
    for (uint64_t i = 0; compared < count; i++) {
        const unsigned long seed = (unsigned long)(first + i);
        test_random random = {first + i};
        const model_heap heap = model_random(&random);
        const model_form form = model_random_form(&random);
        const hsd_run run = random_run(&random);
        kit_list list = {0};
        if (!model_has_graph(&heap)) continue;
        const oracle_heaps heaps = {&heap, &heap, form, form};
        oracle_look(&view, &heap, !form.by_ordinal);
        oracle_compare(&wanted, &heaps);
        hsd_profile *profile =
            profile_of(&heap, &form, &(hsd_profile_options){.each = kit_take, .each_context = &list}, &run);
        cr_assert(profile->has_places && profile->has_roots && !profile->is_baseline && !profile->is_summary,
                  "seed %lu: %s", seed, profile->why_no_places.data);
        check_types(profile, seed);
        check_roots(profile, seed);
        check_places(profile, seed);
        check_list(&list, profile, seed);
        hsd_profile_free(profile);
        free(list.rows);
        compared++;
    }
    cr_log_info("%lu heaps compared with the oracle, 0 differ", (unsigned long)compared);
}

/* ---- against a diff ---- */

typedef struct line {
    char path[ORACLE_PATH];
    hsd_amount own, all;
    bool is_root;
} line;

static int compare_lines(const void *a, const void *b)
{
    const line *x = a, *y = b;
    const int order = strcmp(x->path, y->path);
    return order != 0 ? order : (x->own.bytes > y->own.bytes) - (x->own.bytes < y->own.bytes);
}

static void tree_path(const hsd_diff *diff, size_t row, char *out)
{
    size_t way[ORACLE_PATH], length = 0, used = 0;
    for (size_t at = row; at != 0; at = diff->tree[at].parent)
        way[length++] = at;
    out[0] = 0;
    while (length > 0) {
        const hsd_tree_row *step = &diff->tree[way[--length]];
        if (step->is_root)
            used += (size_t)snprintf(out + used, ORACLE_PATH - used, " (%s)", step->type.data);
        else
            used += (size_t)snprintf(out + used, ORACLE_PATH - used, " %s %s",
                                     step->edge.size == 0 ? "-" : step->edge.data, step->type.data);
    }
}

static void check_against(const hsd_profile *profile, const hsd_diff *diff, unsigned long seed)
{
    const size_t count = profile->place_count;
    line *ours = calloc(count, sizeof *ours), *theirs = calloc(count, sizeof *theirs);
    cr_assert_eq(count, diff->tree_count, "seed %lu", seed);
    for (size_t i = 0; i < count; i++) {
        const hsd_place *row = &profile->places[i];
        const hsd_tree_row *other = &diff->tree[i];
        ours[i] = (line){.own = row->own, .all = row->all, .is_root = row->is_root};
        theirs[i] = (line){.own = other->own_before, .all = other->before, .is_root = other->is_root};
        path_of(profile, i, ours[i].path);
        tree_path(diff, i, theirs[i].path);
    }
    qsort(ours, count, sizeof *ours, compare_lines);
    qsort(theirs, count, sizeof *theirs, compare_lines);
    for (size_t i = 0; i < count; i++) {
        cr_assert_str_eq(ours[i].path, theirs[i].path, "seed %lu", seed);
        cr_assert(kit_same_amount(ours[i].own, theirs[i].own) && kit_same_amount(ours[i].all, theirs[i].all) &&
                      ours[i].is_root == theirs[i].is_root,
                  "seed %lu place%s", seed, ours[i].path);
    }
    free(ours);
    free(theirs);
}

Test(profile, has_the_places_of_a_diff_with_itself)
{
    for (uint64_t i = 0; i < 400; i++) {
        const unsigned long seed = (unsigned long)(test_seed(200000) + i);
        test_random random = {seed};
        const model_heap heap = model_random(&random);
        const model_form form = model_random_form(&random);
        const hsd_run run = random_run(&random);
        const hsd_diff_options by_counts = {.match_by = HSD_MATCH_BY_COUNTS};
        hsd_diff *diff;
        if (!model_has_graph(&heap)) continue;
        hsd_profile *profile = profile_of(&heap, &form, NULL, &run);
        hsd_capture *before = open_capture(&run), *after = open_capture(&run);
        cr_assert_eq(hsd_diff_run(&diff, before, after, i % 2 == 0 ? NULL : &by_counts, &run, &err), HSD_OK, "%s",
                     err.text);
        check_against(profile, diff, seed);
        cr_assert_eq(diff->type_count, profile->type_count);
        hsd_diff_free(diff);
        hsd_profile_free(profile);
        hsd_capture_close(before);
        hsd_capture_close(after);
    }
}

/* ---- whatever the form ---- */

Test(profile, is_the_same_whatever_the_order_of_records)
{
    for (uint64_t i = 0; i < 300; i++) {
        const unsigned long seed = (unsigned long)(test_seed(500000) + i);
        test_random random = {seed};
        const model_heap heap = model_random(&random);
        const hsd_run small = {.memory_bytes = UINT64_C(20) << 20, .threads = 1}, large = {0};
        model_form forms[] = {model_random_form(&random), model_random_form(&random)};
        forms[1].by_ordinal = forms[0].by_ordinal;
        const size_t places = (size_t)test_below(&random, 12);
        kit_list lists[2] = {{0}};
        hsd_profile *a =
            profile_of(&heap, &forms[0],
                       &(hsd_profile_options){.places = places, .each = kit_take, .each_context = &lists[0]}, &small);
        hsd_profile *b =
            profile_of(&heap, &forms[1],
                       &(hsd_profile_options){.places = places, .each = kit_take, .each_context = &lists[1]}, &large);
        kit_assert_same(a, b, seed);
        cr_assert_eq(lists[0].count, lists[1].count);
        for (size_t k = 0; k < lists[0].count; k++) {
            cr_assert(lists[0].rows[k].id == lists[1].rows[k].id && lists[0].rows[k].type == lists[1].rows[k].type,
                      "seed %lu", seed);
        }
        hsd_profile_free(a);
        hsd_profile_free(b);
        free(lists[0].rows);
        free(lists[1].rows);
    }
}

/* ---- fewer places ---- */

static const hsd_place *find_place(const hsd_profile *profile, const char *wanted_path, bool is_fold)
{
    for (size_t i = 0; i < profile->place_count; i++) {
        char text[ORACLE_PATH];
        path_of(profile, i, text);
        if (strcmp(text, wanted_path) == 0 && profile->places[i].is_fold == is_fold) return &profile->places[i];
    }
    return NULL;
}

/* All places of at least so many bytes, and nobody else; nothing is lost. */
static void check_cut(const hsd_profile *cut, const hsd_profile *whole, size_t most, unsigned long seed)
{
    size_t heavy = 1;
    check_shape(cut, seed);
    cr_assert_leq(cut->place_count, most, "seed %lu", seed);
    cr_assert_eq(cut->place_least_bytes > 0, whole->place_count > most, "seed %lu", seed);
    for (size_t i = 1; i < whole->place_count; i++) {
        char text[ORACLE_PATH];
        path_of(whole, i, text);
        const bool is_heavy = whole->places[i].all.bytes >= cut->place_least_bytes;
        const hsd_place *row = find_place(cut, text, whole->places[i].is_fold);
        heavy += is_heavy;
        cr_assert_eq(row != NULL, is_heavy, "seed %lu place%s", seed, text);
        if (row != NULL) cr_assert(kit_same_amount(row->all, whole->places[i].all), "seed %lu place%s", seed, text);
    }
    cr_assert_eq(heavy, cut->place_count, "seed %lu", seed);
}

Test(profile, keeps_the_heaviest_places)
{
    for (uint64_t i = 0; i < 300; i++) {
        const unsigned long seed = (unsigned long)(test_seed(700000) + i);
        test_random random = {seed};
        const model_heap heap = model_random(&random);
        const model_form form = model_random_form(&random);
        const size_t most = 1 + (size_t)test_below(&random, 12);
        if (!model_has_graph(&heap)) continue;
        hsd_profile *whole = profile_of(&heap, &form, NULL, NULL);
        hsd_profile *cut = profile_of_file(path, &(hsd_profile_options){.places = most}, NULL);
        check_cut(cut, whole, most, seed);
        hsd_profile_free(cut);
        hsd_profile_free(whole);
    }
}

/* ---- there and back ---- */

Test(profile, reads_back_what_a_baseline_keeps)
{
    for (uint64_t i = 0; i < 600; i++) {
        const unsigned long seed = (unsigned long)(test_seed(900000) + i);
        test_random random = {seed};
        const model_heap heap = model_random(&random);
        const model_form form = model_random_form(&random);
        const hsd_run run = random_run(&random);
        const size_t places = test_below(&random, 3) == 0 ? 1 + (size_t)test_below(&random, 20) : 0;
        const bool has_objects = test_below(&random, 2) == 0;
        kit_list before = {0}, after = {0};
        hsd_profile *profile =
            profile_of(&heap, &form,
                       &(hsd_profile_options){.places = places, .each = kit_take, .each_context = &before}, NULL);
        kit_write_baseline(profile, has_objects ? &before : NULL, path);
        hsd_profile *back =
            profile_of_file(path, &(hsd_profile_options){.each = has_objects ? kit_take : NULL, .each_context = &after},
                            &run);
        cr_assert(back->is_baseline, "seed %lu", seed);
        kit_assert_same(profile, back, seed);
        cr_assert_eq(after.count, has_objects ? before.count : 0, "seed %lu", seed);
        for (size_t k = 0; k < after.count; k++) {
            cr_assert(before.rows[k].id == after.rows[k].id && before.rows[k].type == after.rows[k].type &&
                          before.rows[k].bytes == after.rows[k].bytes,
                      "seed %lu", seed);
        }
        hsd_profile_free(profile);
        hsd_profile_free(back);
        free(before.rows);
        free(after.rows);
    }
}
