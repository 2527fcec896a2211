/*
 * A profile written as a baseline with the public writer, line by line as FORMAT.md 6.17 to 6.19 has it: what a reader
 * of baselines is held against.
 */
#ifndef TESTS_UNIT_DIFF_TEST_PROFILE_KIT_H
#define TESTS_UNIT_DIFF_TEST_PROFILE_KIT_H

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include <hscapture/hscapture.h>
#include <hsdiff/profile.h>

/* one object that `each` was told of */
typedef struct kit_told {
    uint32_t type;
    uint64_t id, bytes;
} kit_told;

typedef struct kit_list {
    kit_told *rows;
    size_t count, capacity;
} kit_list;

static inline hsd_status kit_take(void *context, const hsd_profile *profile, uint32_t type, uint64_t id, uint64_t bytes,
                                  hsd_error *e)
{
    kit_list *list = context;
    (void)e;
    cr_assert_lt(type, profile->type_count);
    if (list->count == list->capacity) {
        list->capacity = list->capacity * 2 + 64;
        list->rows = realloc(list->rows, list->capacity * sizeof *list->rows);
        cr_assert_not_null(list->rows);
    }
    list->rows[list->count++] = (kit_told){type, id, bytes};
    return HSD_OK;
}

static inline uint32_t kit_type(const hsd_profile *profile, hsd_text name)
{
    for (size_t i = 0; i < profile->type_count; i++) {
        if (profile->types[i].name.size == name.size && memcmp(profile->types[i].name.data, name.data, name.size) == 0)
            return (uint32_t)i + 1;
    }
    cr_assert_fail("a place of a type that is no row");
    return 0;
}

static inline uint32_t kit_string(hsc_writer *w, uint32_t *last, hsd_text text)
{
    hsc_define_string(w, ++*last, text.data, text.size);
    return *last;
}

static inline void kit_write_types(hsc_writer *w, const hsd_profile *p, const kit_list *objects)
{
    for (uint32_t i = 0; i < p->type_count; i++) {
        const hsd_top_type *row = &p->types[i];
        hsc_define_type(w, i + 1, row->name.data, row->name.size, row->flags);
        hsc_sum_type(w, &(hsc_live_total){i + 1, row->live.objects, row->live.bytes, row->retained_bytes,
                                          row->unreached.objects, row->unreached.bytes});
        hsc_count(w, i + 1, row->unreached.objects + (objects == NULL ? row->live.objects : 0),
                  row->unreached.bytes + (objects == NULL ? row->live.bytes : 0));
    }
    for (size_t i = 0; objects != NULL && i < objects->count; i++) {
        const kit_told *o = &objects->rows[i];
        hsc_begin_object(w, &(hsc_object){.id = o->id, .type = o->type + 1, .size_bytes = o->bytes});
        hsc_end_object(w);
    }
}

static inline void kit_write_places(hsc_writer *w, const hsd_profile *p, uint32_t *last_string)
{
    for (size_t i = 0; i < p->place_count; i++) {
        const hsd_place *row = &p->places[i];
        hsc_place place = {.parent = row->parent, .objects = row->own.objects, .bytes = row->own.bytes};
        if (row->is_root) place.flags |= HSC_PLACE_IS_ROOT;
        if (row->can_hold) place.flags |= HSC_PLACE_CAN_HOLD;
        if (row->is_fold) place.flags |= HSC_PLACE_IS_FOLD;
        if (row->edge.size > 0) place.edge = kit_string(w, last_string, row->edge);
        if (i > 0) place.name = row->is_root ? kit_string(w, last_string, row->type) : kit_type(p, row->type);
        hsc_sum_place(w, &place);
    }
}

/* objects == NULL: sums alone. */
static inline void kit_write_baseline(const hsd_profile *p, const kit_list *objects, const char *file)
{
    const hsc_baseline baseline = {
        .sums = (p->side.has_roots ? HSC_SUMS_ROOTS : 0) | (p->side.has_references ? HSC_SUMS_REFERENCES : 0) |
                (p->has_places ? HSC_SUMS_PLACES : 0) | (p->is_summary ? HSC_SUMS_SUMMARY : 0),
        .why_no_places = p->why_no_places.data,
        .place_least_bytes = p->place_least_bytes,
        .soft_objects = p->side.soft.objects,
        .soft_bytes = p->side.soft.bytes,
        .dangling = p->side.dangling};
    hsc_options options;
    hsc_writer *w;
    uint32_t last_string = 0;
    hsc_options_init(&options);
    options.producer = "test";
    options.identity = HSC_IDENTITY_EXACT;
    options.baseline = &baseline;
    remove(file);
    cr_assert_eq(hsc_open_file(&w, file, &options), HSC_OK);
    kit_write_types(w, p, objects);
    for (size_t i = 0; i < p->root_count; i++) {
        const hsd_top_root *row = &p->roots[i];
        hsc_sum_root(w, &(hsc_root_total){kit_string(w, &last_string, row->name), (hsc_root_kind)row->kind,
                                          row->is_shared ? HSC_ROOT_TOTAL_SHARED : 0, row->live.objects,
                                          row->live.bytes, row->retained_bytes});
    }
    kit_write_places(w, p, &last_string);
    for (size_t i = 0; i < p->metric_count; i++)
        hsc_metric(w, p->metrics[i].name.data, p->metrics[i].unit.data, p->metrics[i].value);
    cr_assert_eq(hsc_finish(w), HSC_OK, "%s", hsc_error_text(w));
    hsc_close(w);
}

/* ---- the same sums ---- */

static inline bool kit_same_text(hsd_text a, hsd_text b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}
static inline bool kit_same_amount(hsd_amount a, hsd_amount b) { return a.objects == b.objects && a.bytes == b.bytes; }

static inline bool kit_same_place(const hsd_place *a, const hsd_place *b)
{
    return a->depth == b->depth && a->parent == b->parent && a->is_root == b->is_root && a->can_hold == b->can_hold &&
           a->is_fold == b->is_fold && kit_same_text(a->edge, b->edge) && kit_same_text(a->type, b->type) &&
           kit_same_amount(a->own, b->own) && kit_same_amount(a->all, b->all);
}

static inline void kit_assert_same(const hsd_profile *a, const hsd_profile *b, unsigned long seed)
{
    cr_assert(a->has_roots == b->has_roots && a->has_places == b->has_places && a->is_summary == b->is_summary,
              "seed %lu", seed);
    cr_assert(kit_same_text(a->why_no_places, b->why_no_places), "seed %lu: %s, %s", seed, a->why_no_places.data,
              b->why_no_places.data);
    cr_assert(kit_same_amount(a->side.live, b->side.live) && kit_same_amount(a->side.unreached, b->side.unreached) &&
                  kit_same_amount(a->side.soft, b->side.soft) && a->side.dangling == b->side.dangling,
              "seed %lu", seed);
    cr_assert(a->type_count == b->type_count && a->root_count == b->root_count && a->place_count == b->place_count &&
                  a->metric_count == b->metric_count && a->place_least_bytes == b->place_least_bytes,
              "seed %lu", seed);
    for (size_t i = 0; i < a->type_count; i++) {
        const hsd_top_type *x = &a->types[i], *y = &b->types[i];
        cr_assert(kit_same_text(x->name, y->name) && x->flags == y->flags && kit_same_amount(x->live, y->live) &&
                      kit_same_amount(x->unreached, y->unreached) && x->retained_bytes == y->retained_bytes,
                  "seed %lu type %zu", seed, i);
    }
    for (size_t i = 0; i < a->root_count; i++) {
        const hsd_top_root *x = &a->roots[i], *y = &b->roots[i];
        cr_assert(kit_same_text(x->name, y->name) && x->kind == y->kind && x->is_shared == y->is_shared &&
                      kit_same_amount(x->live, y->live) && x->retained_bytes == y->retained_bytes,
                  "seed %lu root %zu", seed, i);
    }
    for (size_t i = 0; i < a->place_count; i++)
        cr_assert(kit_same_place(&a->places[i], &b->places[i]), "seed %lu place %zu", seed, i);
    for (size_t i = 0; i < a->metric_count; i++) {
        cr_assert(kit_same_text(a->metrics[i].name, b->metrics[i].name) &&
                      kit_same_text(a->metrics[i].unit, b->metrics[i].unit) &&
                      a->metrics[i].value == b->metrics[i].value,
                  "seed %lu metric %zu", seed, i);
    }
}

#endif
