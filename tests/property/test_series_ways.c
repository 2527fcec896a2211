/*
 * A series of larger heaps that a collector moves: ages by structure against what is known of the program, and the same
 * answer whatever the memory, the threads, the folder for temporary data and the order of records.
 */
#include "series_kit.h"

#include "grove.h"
#include <hsdiff/report.h>

enum { MOMENTS = 4 };

static grove moments[MOMENTS];

TestSuite(series_ways, .init = kit_setup, .fini = kit_teardown);

/* Two moments of a program; each is captured twice, the second time after everything was moved once more. */
static void make_moments(const grove_plan *plan, moved_way way)
{
    test_random random = {11};
    for (int k = 0; k < MOMENTS; k++) {
        moments[k] = grove_grow(plan, k / 2);
        if (k == 0)
            grove_place(&moments[k]);
        else
            grove_move(&moments[k], &moments[k - 1], way, &random);
    }
}

static void write_moments(uint64_t order)
{
    for (uint64_t k = 0; k < MOMENTS; k++) {
        const grove_form form = {.identity = HSC_IDENTITY_MOVING, .order = order * (k + 1), .moment = k};
        remove(kit_file(k));
        cr_assert(grove_write(&moments[k], &form, kit_file(k)));
    }
}

static void free_moments(void)
{
    for (int k = 0; k < MOMENTS; k++)
        grove_free(&moments[k]);
}

/* ---- ages by structure ---- */

static hsd_amount alive_of(const hsd_cohorts *c, size_t at, size_t born)
{
    return c->all.alive[at * c->cohort_count + born];
}

/* Objects of the last moment that were not there in the first. */
static uint64_t came_between(void)
{
    uint64_t came = 0;
    for (size_t i = 0, j = 0; i < moments[MOMENTS - 1].object_count; i++) {
        while (j < moments[0].object_count && moments[0].objects[j].who < moments[MOMENTS - 1].objects[i].who)
            j++;
        came += j == moments[0].object_count || moments[0].objects[j].who != moments[MOMENTS - 1].objects[i].who;
    }
    return came;
}

static void check_ages(moved_way way)
{
    const grove_plan plan = {
        .seed = 5, .groups = 10, .entries = 300, .churn = 8, .growth = 15, .has_unique_points = true};
    make_moments(&plan, way);
    write_moments(0);
    hsd_series *series = kit_run(MOMENTS, &(hsd_series_options){.cohorts = HSD_COHORTS_ALWAYS}, NULL);
    const hsd_cohorts *c = &series->cohorts;
    cr_assert(c->are_known && c->is_by_structure, "%s", c->why_not.data);
    cr_assert_eq(kit_open_most, 2);
    for (size_t at = 0; at < MOMENTS; at++) {
        hsd_amount sum = {0, 0};
        for (size_t born = 0; born <= at; born++)
            kit_add(&sum, alive_of(c, at, born));
        cr_assert(kit_same(sum, series->total.values[at]), "%s: capture %zu", moved_way_name(way), at);
    }
    const uint64_t live = series->total.values[3].objects, came = came_between(), seen = alive_of(c, 3, 2).objects;
    cr_assert(came > live / 20 && seen + live / 20 >= came && seen <= came + live / 20,
              "%s: %lu of %lu objects came, not %lu", moved_way_name(way), (unsigned long)seen, (unsigned long)live,
              (unsigned long)came);
    cr_assert_leq(alive_of(c, 1, 1).objects + alive_of(c, 3, 3).objects, live / 100, "%s: nothing came there",
                  moved_way_name(way));
    cr_assert_eq(c->retained_since[0].objects,
                 alive_of(c, 3, 1).objects + alive_of(c, 3, 2).objects + alive_of(c, 3, 3).objects);
    cr_assert_eq(c->retained_since[3].objects, 0);
    hsd_series_free(series);
    free_moments();
}

Test(series_ways, ages_by_structure_are_those_of_the_program, .timeout = 1200)
{
    check_ages(MOVED_COMPACTED);
    check_ages(MOVED_REGIONS);
    check_ages(MOVED_NOT);
}

Test(series_ways, a_collector_that_moves_leaves_ages_unknown_unless_asked)
{
    const grove_plan plan = {.seed = 5, .groups = 2, .entries = 20, .growth = 15};
    make_moments(&plan, MOVED_COMPACTED);
    write_moments(0);
    hsd_series *series = kit_run(MOMENTS, NULL, &(hsd_run){.threads = 1});
    cr_assert_not(series->cohorts.are_known);
    cr_assert_eq(kit_open_most, 1);
    cr_assert(series->holders.is_known && series->holders.row_count > 1);
    hsd_series_free(series);
    free_moments();
}

/* ---- the same whatever the way ---- */

#define FIRST UINT64_C(0xcbf29ce484222325)

static uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_text(uint64_t hash, hsd_text text)
{
    return hash_of(hash_of(hash, &text.size, sizeof text.size), text.data, text.size);
}

static uint64_t hash_row(uint64_t hash, const hsd_series *series, const hsd_series_row *row)
{
    hash = hash_text(hash, row->name);
    if (row->root.data != NULL) hash = hash_text(hash, row->root);
    for (size_t i = 0; i < row->path_count; i++) {
        hash = hash_text(hash_text(hash, row->path[i].edge), row->path[i].type);
        hash = hash_of(hash, &row->path[i].repeat, sizeof row->path[i].repeat);
    }
    hash = hash_of(hash, &row->flags, sizeof row->flags);
    hash = hash_of(hash, row->values, series->point_count * sizeof *row->values);
    return hash_of(hash, &row->trend, sizeof row->trend);
}

static uint64_t hash_table(uint64_t hash, const hsd_series *series, const hsd_series_table *table)
{
    for (size_t i = 0; i < table->row_count; i++)
        hash = hash_row(hash, series, &table->rows[i]);
    return hash_row(hash, series, &table->others);
}

static uint64_t hash_cohorts(uint64_t hash, const hsd_cohorts *c, size_t count)
{
    const size_t cells = c->cohort_count * c->cohort_count;
    hash = hash_of(hash, c->all.alive, cells * sizeof *c->all.alive);
    hash = hash_of(hash, c->retained_since, count * sizeof *c->retained_since);
    for (size_t i = 0; i < c->type_count; i++)
        hash = hash_of(hash_text(hash, c->types[i].name), c->types[i].alive, cells * sizeof *c->types[i].alive);
    return hash;
}

static uint64_t answer(const hsd_run *run)
{
    hsd_series *series =
        kit_run(MOMENTS, &(hsd_series_options){.cohorts = HSD_COHORTS_ALWAYS, .noise_bytes = 100}, run);
    cr_assert(series->roots.is_known && series->holders.is_known && series->cohorts.are_known);
    uint64_t hash = hash_table(FIRST, series, &series->types);
    hash = hash_table(hash, series, &series->roots);
    hash = hash_table(hash, series, &series->holders);
    hash = hash_cohorts(hash, &series->cohorts, series->point_count);
    hsd_series_free(series);
    return hash;
}

Test(series_ways, says_the_same_whatever_the_way, .timeout = 1200)
{
    const grove_plan plan = {.seed = 3, .groups = 8, .entries = 400, .churn = 6, .mutation = 6, .growth = 12};
    static const uint64_t mib[] = {256, 24, 48, 1024, 32, 64};
    uint64_t wanted = 0;
    make_moments(&plan, MOVED_REGIONS);
    for (unsigned i = 0; i < 6; i++) {
        const hsd_run run = {
            .memory_bytes = mib[i] << 20, .threads = 1 + i % 3, .temp_dir = i % 2 == 0 ? NULL : kit_folder};
        if (i % 2 == 0) write_moments(i);
        const uint64_t found = answer(&run);
        if (i == 0) wanted = found;
        cr_assert_eq(found, wanted, "way %u", i);
    }
    free_moments();
}

/* ---- baselines stand for their captures ---- */

static void check_same_values(const hsd_series *a, const hsd_series *b)
{
    for (size_t k = 0; k < a->point_count; k++)
        cr_assert(kit_same(a->total.values[k], b->total.values[k]));
    cr_assert_eq(hash_table(FIRST, a, &a->types), hash_table(FIRST, b, &b->types));
    cr_assert_eq(hash_table(FIRST, a, &a->roots), hash_table(FIRST, b, &b->roots));
    cr_assert_eq(hash_table(FIRST, a, &a->holders), hash_table(FIRST, b, &b->holders));
}

static void replace_by_baseline(size_t k, bool identities)
{
    char path[160];
    hsd_capture *capture;
    const hsd_baseline_options options = {.places = HSD_PLACES_USUAL, .identities = identities, .force = true};
    snprintf(path, sizeof path, "%s.base", kit_file(k));
    cr_assert_eq(hsd_capture_open(&capture, kit_file(k), HSD_DAMAGE_REFUSE, NULL, &kit_err), HSD_OK);
    cr_assert_eq(hsd_baseline_write(capture, path, &options, NULL, NULL, &kit_err), HSD_OK, "%s", kit_err.text);
    hsd_capture_close(capture);
    cr_assert_eq(rename(path, kit_file(k)), 0);
}

static kit_story story;

Test(series_ways, baselines_stand_for_their_captures)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        test_random random = {test_seed(1) + seed};
        const bool identities = seed % 2 == 0;
        if (!kit_make(&story, &random, 5)) continue;
        kit_write(&story);
        hsd_series *full = kit_run(5, &(hsd_series_options){.noise_bytes = 1}, NULL);
        replace_by_baseline(0, identities);
        replace_by_baseline(3, identities);
        hsd_series *some = kit_run(5, &(hsd_series_options){.noise_bytes = 1}, NULL);
        cr_assert(some->points[0].is_baseline && !some->points[1].is_baseline && some->points[3].is_baseline);
        check_same_values(full, some);
        cr_assert_eq(some->cohorts.are_known, identities, "%s", some->cohorts.why_not.data);
        if (identities)
            cr_assert_eq(hash_cohorts(FIRST, &full->cohorts, 5), hash_cohorts(FIRST, &some->cohorts, 5));
        else
            cr_assert_not_null(strstr(some->cohorts.why_not.data, "00.hs holds sums and no objects"), "%s",
                               some->cohorts.why_not.data);
        hsd_series_free(full);
        hsd_series_free(some);
    }
}

/* ---- what was walked for the sums is what a diff would walk ---- */

typedef struct said {
    char *text;
    size_t size;
} said;

static hsd_status hear_said(void *context, const void *data, size_t size, hsd_error *err)
{
    said *all = context;
    (void)err;
    all->text = realloc(all->text, all->size + size + 1);
    cr_assert_not_null(all->text);
    memcpy(all->text + all->size, data, size);
    all->size += size;
    all->text[all->size] = 0;
    return HSD_OK;
}

static said say_diff(size_t first, size_t last, hsd_walked *const *walked, const hsd_run *run)
{
    said all = {0};
    hsd_diff *diff;
    hsd_capture *before, *after;
    const hsd_diff_options options = {.struct_bytes = sizeof options, .walked = walked};
    const hsd_report_options usual = {.struct_bytes = sizeof usual};
    cr_assert_eq(hsd_capture_open(&before, kit_file(first), HSD_DAMAGE_REFUSE, NULL, &kit_err), HSD_OK);
    cr_assert_eq(hsd_capture_open(&after, kit_file(last), HSD_DAMAGE_REFUSE, NULL, &kit_err), HSD_OK);
    cr_assert_eq(hsd_diff_run(&diff, before, after, &options, run, &kit_err), HSD_OK, "%s", kit_err.text);
    hsd_capture_close(before);
    hsd_capture_close(after);
    diff->temp_bytes_peak = 0;
    cr_assert_eq(hsd_report_format_find("json")->write_diff(diff, &usual, hear_said, &all, &kit_err), HSD_OK);
    hsd_diff_free(diff);
    return all;
}

/* True if both walks stayed. */
static bool check_walked(uint32_t warmup, const hsd_run *run)
{
    const hsd_series_options usual = {.struct_bytes = sizeof usual, .warmup = warmup, .noise_bytes = 1};
    hsd_series_options asking = usual;
    asking.asks_pair = true;
    hsd_series *plain = kit_run(story.count, &usual, run), *series = kit_run(story.count, &asking, run);
    cr_assert(plain->walked[0] == NULL && plain->walked[1] == NULL);
    cr_assert((series->walked[0] != NULL) == (series->walked[1] != NULL));
    check_same_values(plain, series);
    const bool stayed = series->walked[0] != NULL;
    const size_t last = story.count - 1;
    const said once = say_diff(warmup, last, series->walked, run), again = say_diff(warmup, last, NULL, run);
    cr_assert_str_eq(once.text, again.text);
    free(once.text);
    free(again.text);
    hsd_series_free(plain);
    hsd_series_free(series);
    return stayed;
}

Test(series_ways, a_diff_of_what_was_walked_says_the_same, .timeout = 1200)
{
    unsigned stayed = 0, asked = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        test_random random = {test_seed(1) + seed};
        const hsd_run run = {.memory_bytes = UINT64_C(1) << 30, .threads = 1 + seed % 2};
        if (!kit_make(&story, &random, 3 + seed % 3)) continue;
        kit_write(&story);
        asked++;
        stayed += check_walked((uint32_t)(seed / 2 % 2), &run);
    }
    cr_assert_geq(stayed, asked / 4, "%u of %u", stayed, asked);
}
