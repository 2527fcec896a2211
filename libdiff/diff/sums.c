/*
 * Two profiles dressed as the two sides of a comparison: the tables that a walk would have filled, and the places for
 * the trie. From there on everything is as in a diff of objects without identity.
 */
#include "diff/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "diff/compare.h"
#include "holders/growth.h"
#include <hsdiff/profile.h>

#define GROWTH_MOST (UINT64_C(64) << 20)

typedef struct sums {
    hsd_comparison c;
    hsd_profile *profiles[SIDE_COUNT];
    uint32_t *edges[SIDE_COUNT]; /* number of each place's edge */
    uint32_t *types[SIDE_COUNT]; /* common type, or number of the root on its side, of each place */
} sums;

static hsd_bytes bytes_of(hsd_text text) { return (hsd_bytes){(const uint8_t *)text.data, text.size}; }

/* ---- types ---- */

static hsd_status put_type(hsd_type_names *types, hsd_text name, uint32_t flags, uint32_t *out, hsd_error *err)
{
    const uint32_t count = types->names.count;
    HSD_TRY(hsd_names_put(&types->names, bytes_of(name), out, err));
    if (*out < count) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(types->flags, types->flag_capacity, (uint64_t)*out + 1, 64, "the sums of two captures",
                           err));
    types->flags[*out] = flags;
    return HSD_OK;
}

static hsd_status number_types(sums *s, int side, hsd_error *err)
{
    const hsd_profile *profile = s->profiles[side];
    uint32_t number;
    for (size_t i = 0; i < profile->type_count; i++)
        HSD_TRY(put_type(&s->c.pair.types, profile->types[i].name, profile->types[i].flags, &number, err));
    for (size_t i = 0; i < profile->place_count; i++) {
        if (!profile->places[i].is_root)
            HSD_TRY(put_type(&s->c.pair.types, profile->places[i].type, 0, &s->types[side][i], err));
    }
    return HSD_OK;
}

/* ---- roots ---- */

static hsd_status put_root(hsd_root_names *roots, hsd_text name, uint32_t kind, uint32_t *out, hsd_error *err)
{
    const uint32_t count = roots->names.count;
    HSD_TRY(hsd_names_put(&roots->names, bytes_of(name), out, err));
    if (*out < count) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(roots->kinds, roots->kind_capacity, (uint64_t)*out + 1, 64, "the sums of two captures",
                           err));
    roots->kinds[*out] = (uint8_t)kind;
    return HSD_OK;
}

static hsd_status number_roots(sums *s, int side, hsd_error *err)
{
    const hsd_profile *profile = s->profiles[side];
    hsd_side_walk *walk = &s->c.pair.sides[side];
    uint32_t number;
    HSD_TRY(hsd_side_fixed_roots(walk, err));
    for (size_t i = 0; i < profile->root_count; i++)
        HSD_TRY(put_root(&walk->roots, profile->roots[i].name, profile->roots[i].kind, &number, err));
    for (size_t i = 0; i < profile->place_count; i++) {
        if (profile->places[i].is_root)
            HSD_TRY(put_root(&walk->roots, profile->places[i].type, 0, &s->types[side][i], err));
    }
    return HSD_OK;
}

/* ---- edges of both sides alike ---- */

static hsd_status number_edges(sums *s, hsd_error *err)
{
    const size_t first = s->profiles[BEFORE]->place_count, count = first + s->profiles[AFTER]->place_count;
    hsd_bytes *texts = calloc(count + 1, sizeof *texts);
    bool *folds = calloc(count + 1, sizeof *folds);
    uint32_t *numbers = calloc(count + 1, sizeof *numbers);
    hsd_status status =
        texts != NULL && folds != NULL && numbers != NULL ? HSD_OK : hsd_fail_nomem(err, "the sums of two captures");
    for (size_t i = 0; i < count && status == HSD_OK; i++) {
        const hsd_place *place = i < first ? &s->profiles[BEFORE]->places[i] : &s->profiles[AFTER]->places[i - first];
        texts[i] = bytes_of(place->edge);
        folds[i] = place->is_fold;
    }
    if (status == HSD_OK) status = hsd_edge_names_make(&s->c.pair.edges, texts, folds, (uint32_t)count, numbers, err);
    for (size_t i = 0; i < count && status == HSD_OK; i++) {
        const int side = i < first ? BEFORE : AFTER;
        const bool is_plain = !folds[i];
        uint32_t *to = &s->edges[side][i < first ? i : i - first];
        *to = numbers[i];
        if (is_plain && texts[i].size == 0) *to = HSD_TRIE_INDIRECT;
        if (is_plain && texts[i].size == 3 && memcmp(texts[i].data, "[*]", 3) == 0) *to = HSD_TRIE_ANY;
    }
    free(texts);
    free(folds);
    free(numbers);
    return status;
}

/* ---- the sides ---- */

static uint64_t memory_of(const hsd_run *run)
{
    return run->memory_bytes != 0 ? run->memory_bytes : hsd_run_default_memory();
}

static hsd_status dress_side(sums *s, int side, hsd_capture *capture, hsd_error *err)
{
    const hsd_profile *profile = s->profiles[side];
    hsd_side_walk *walk = &s->c.pair.sides[side];
    s->c.pair.requests[side] = (hsd_walk_request){.capture = capture,
                                                  .space = &s->c.pair.space,
                                                  .reporter = s->c.pair.reporter,
                                                  .type_names = &s->c.pair.types,
                                                  .edge_names = &s->c.pair.edges,
                                                  .table_bytes = memory_of(s->c.run) / 4};
    walk->request = &s->c.pair.requests[side];
    walk->info = hsd_capture_get_info(capture);
    walk->has_roots = profile->side.has_roots;
    walk->has_references = profile->side.has_references;
    walk->dangling = profile->side.dangling;
    walk->soft = profile->side.soft;
    s->edges[side] = calloc(profile->place_count + 1, sizeof **s->edges);
    s->types[side] = calloc(profile->place_count + 1, sizeof **s->types);
    if (s->edges[side] == NULL || s->types[side] == NULL) return hsd_fail_nomem(err, "the sums of two captures");
    HSD_TRY(number_types(s, side, err));
    return number_roots(s, side, err);
}

static hsd_status count_side(sums *s, int side, hsd_error *err)
{
    const hsd_profile *profile = s->profiles[side];
    hsd_side_walk *walk = &s->c.pair.sides[side];
    walk->counts = calloc(1, sizeof *walk->counts);
    if (walk->counts == NULL) return hsd_fail_nomem(err, "the sums of two captures");
    HSD_TRY(hsd_fold_side_init(walk->counts, s->c.pair.types.names.count, walk->roots.names.count, err));
    for (size_t i = 0; i < profile->type_count; i++) {
        const uint32_t type = hsd_names_find(&s->c.pair.types.names, bytes_of(profile->types[i].name));
        walk->counts->live_by_type[type] = profile->types[i].live;
        walk->counts->unreached_by_type[type] = profile->types[i].unreached;
    }
    for (size_t i = 0; i < profile->root_count; i++)
        walk->counts->live_by_root[hsd_names_find(&walk->roots.names, bytes_of(profile->roots[i].name))] =
            profile->roots[i].live;
    return HSD_OK;
}

static hsd_status make_profiles(sums *s, hsd_capture *const captures[SIDE_COUNT], const hsd_diff_options *options,
                                const hsd_run *run, hsd_error *err)
{
    const hsd_profile_options wanted = {
        .places = HSD_BASELINE_PLACES, .no_places = options->no_holders, .partial = options->partial};
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(hsd_profile_make(&s->profiles[side], captures[side], &wanted, run, err));
    return HSD_OK;
}

static void look_at_places(sums *s)
{
    s->c.pair.has_holders = true;
    for (int side = SIDE_COUNT - 1; side >= 0; side--) {
        const hsd_profile *profile = s->profiles[side];
        if (profile->has_places) continue;
        s->c.pair.has_holders = false;
        const size_t size = hsd_min_u64(profile->why_no_places.size, sizeof s->c.pair.why_no_holders - 1);
        memcpy(s->c.pair.why_no_holders, profile->why_no_places.data, size);
        s->c.pair.why_no_holders[size] = 0;
    }
}

/* ---- the trie ---- */

static hsd_status add_places(const sums *s, hsd_growth *growth, int side, hsd_trie_place *at, hsd_error *err)
{
    const hsd_profile *profile = s->profiles[side];
    for (size_t i = 1; i < profile->place_count; i++) { /* row 0 is the root of all */
        const hsd_place *place = &profile->places[i];
        const uint32_t number = s->types[side][i];
        const uint32_t type = place->is_root ? s->c.pair.root_number[side][number] | HSD_TRIE_IS_ROOT : number;
        at[i] = hsd_trie_step_below(growth->trie, &at[place->parent],
                                    place->is_root ? HSD_TRIE_INDIRECT : s->edges[side][i], type);
        HSD_TRY(hsd_trie_add(growth->trie, &at[i], side == BEFORE ? HSD_TRIE_KEPT_BEFORE : HSD_TRIE_KEPT_AFTER,
                             place->own.objects, place->own.bytes, err));
    }
    return HSD_OK;
}

static void fill_retained(const sums *s, hsd_growth *growth, int side)
{
    const hsd_profile *profile = s->profiles[side];
    for (size_t i = 0; i < profile->type_count; i++)
        growth->by_type[side].bytes[hsd_names_find(&s->c.pair.types.names, bytes_of(profile->types[i].name))] =
            profile->types[i].retained_bytes;
    for (size_t i = 0; i < profile->root_count; i++)
        growth->by_root[side].bytes[hsd_names_find(&s->c.pair.roots, bytes_of(profile->roots[i].name))] =
            profile->roots[i].retained_bytes;
}

static hsd_status fill_diff_sum(void *context, hsd_growth *growth, hsd_error *err)
{
    const sums *s = context;
    for (int side = 0; side < SIDE_COUNT; side++) {
        hsd_trie_place *at = calloc(s->profiles[side]->place_count + 1, sizeof *at);
        if (at == NULL) return hsd_fail_nomem(err, "the sums of two captures");
        const hsd_status status = add_places(s, growth, side, at, err);
        free(at);
        HSD_TRY(status);
        fill_retained(s, growth, side);
    }
    return HSD_OK;
}

/* ---- the whole ---- */

bool hsd_sums_are_all(const hsd_capture *before, const hsd_capture *after)
{
    return hsd_capture_get_info(before)->is_baseline || hsd_capture_get_info(after)->is_baseline;
}

bool hsd_sums_have_objects(const hsd_capture *before, const hsd_capture *after)
{
    return hsd_capture_get_info(before)->objects > 0 && hsd_capture_get_info(after)->objects > 0;
}

static hsd_status refuse_diff_sum(const hsd_diff_options *options, hsd_error *err)
{
    const char *what = options->changed != NULL                      ? "a list of objects that changed"
                       : options->matched != NULL                    ? "a list of pairs"
                       : options->key_count > 0                      ? "a key"
                       : options->match_by == HSD_MATCH_BY_STRUCTURE ? "matching by structure"
                                                                     : NULL;
    if (what == NULL) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "%s needs the objects of both captures, and a baseline holds sums alone", what);
    hsd_error_set_hint(err, "compare with the capture that the baseline was made of");
    return HSD_E_UNSUPPORTED;
}

static hsd_status compare_diff_sum(sums *s, hsd_diff **out, hsd_capture *const captures[SIDE_COUNT], hsd_error *err)
{
    hsd_comparison *c = &s->c;
    HSD_TRY(make_profiles(s, captures, c->options, c->run, err));
    HSD_TRY(hsd_type_names_init(&c->pair.types, err));
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(dress_side(s, side, captures[side], err));
    HSD_TRY(number_edges(s, err));
    for (int side = 0; side < SIDE_COUNT; side++)
        HSD_TRY(count_side(s, side, err));
    look_at_places(s);
    c->ladder = (hsd_ladder){.basis = HSD_BASIS_COUNTS, .reason = "a baseline holds sums and no objects"};
    c->pair.plan.growth_bytes = hsd_min_u64(GROWTH_MOST, memory_of(c->run) / 4);
    HSD_TRY(hsd_compare_prepare(c, err));
    HSD_TRY(hsd_rows_from_comparison(out, c, err));
    const hsd_status status = hsd_growth_find_in(&c->pair, *out, fill_diff_sum, s, err);
    if (status == HSD_OK) return HSD_OK;
    hsd_diff_free(*out);
    *out = NULL;
    return status;
}

hsd_status hsd_sums_run(hsd_diff **out, hsd_capture *before, hsd_capture *after, const hsd_diff_options *options,
                        const hsd_run *run, hsd_error *err)
{
    hsd_capture *const captures[SIDE_COUNT] = {before, after};
    hsd_reporter reporter;
    sums *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL) return hsd_fail_nomem(err, "the sums of two captures");
    s->c.run = run;
    s->c.options = options;
    s->c.pair.reporter = &reporter;
    hsd_reporter_init(&reporter, run);
    hsd_temp_space_of(&s->c.pair.space, run);
    hsd_status status = refuse_diff_sum(options, err);
    if (status == HSD_OK) status = compare_diff_sum(s, out, captures, err);
    hsd_compare_release(&s->c);
    for (int side = 0; side < SIDE_COUNT; side++) {
        hsd_profile_free(s->profiles[side]);
        free(s->edges[side]);
        free(s->types[side]);
    }
    hsd_reporter_release(&reporter);
    free(s);
    return status;
}
