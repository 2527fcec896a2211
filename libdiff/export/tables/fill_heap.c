/*
 * What the engine says of one heap: types, roots and places of a profile, and what each object retains.
 *
 * A budget that does not suffice for dominators leaves them out of a report. Here it is refused: the same capture would
 * give other bytes with more memory.
 */
#include <stdio.h>

#include <hsdiff/profile.h>
#include <hsdiff/top.h>

#include "export/tables/fill.h"

static hsd_text text_of(const char *word)
{
    return (hsd_text){.data = word, .size = word == NULL ? 0 : __builtin_strlen(word)};
}

/* Whether dominators are missing only because they did not fit. */
static hsd_status check_budget(const hsd_filling *f, const hsd_side *side, bool has_dominators, hsd_text why,
                               hsd_error *err)
{
    const hsd_capture_info *info = hsd_capture_get_info(f->captures[1]);
    if (has_dominators || !side->has_roots || !side->has_references || !info->is_complete || info->objects == 0)
        return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET, "what objects retain does not fit: %.*s", (int)(why.size < 300 ? why.size : 300),
             why.data);
    hsd_error_set_file(err, info->path);
    hsd_error_set_hint(err, "give it more with --memory, or do not ask for what is retained");
    return HSD_E_OVER_BUDGET;
}

/* ---- warnings */

static hsd_status put_warnings(hsd_inserter *in, const hsd_text *warnings, size_t count, hsd_error *err)
{
    for (size_t i = 0; i < count; i++) {
        hsd_put_count(in, in->count);
        hsd_put_text(in, warnings[i]);
        HSD_TRY(hsd_put_row(in, err));
    }
    return HSD_OK;
}

hsd_status hsd_fill_warnings(hsd_filling *f, const hsd_text *warnings, size_t count, hsd_error *err)
{
    hsd_inserter in;
    hsd_status status = hsd_fill_open(&in, f, 1, HSD_TABLE_OF_WARNINGS, 0, err);
    if (status == HSD_OK) status = put_warnings(&in, warnings, count, err);
    return hsd_fill_close(&in, f, status, err);
}

static hsd_status warn_of(hsd_filling *f, const hsd_profile *profile, hsd_error *err)
{
    char why[400];
    hsd_inserter in;
    hsd_status status = hsd_fill_open(&in, f, 1, HSD_TABLE_OF_WARNINGS, 0, err);
    if (status == HSD_OK) status = put_warnings(&in, profile->warnings, profile->warning_count, err);
    const int size = (int)(profile->why_no_places.size < 300 ? profile->why_no_places.size : 300);
    if (status == HSD_OK && !profile->has_places && size > 0) {
        snprintf(why, sizeof why, "places and retained sizes are not known: %.*s", size, profile->why_no_places.data);
        const hsd_text text = text_of(why);
        status = put_warnings(&in, &text, 1, err);
    }
    return hsd_fill_close(&in, f, status, err);
}

/* ---- a profile */

static hsd_status put_type(hsd_inserter *in, const hsd_profile *profile, size_t i, hsd_error *err)
{
    const hsd_top_type *row = &profile->types[i];
    hsd_put_count(in, i);
    hsd_put_text(in, row->name);
    hsd_put_amount(in, row->live);
    hsd_put_amount(in, row->unreached);
    if (profile->has_places)
        hsd_put_count(in, row->retained_bytes);
    else
        hsd_put_null(in);
    return hsd_put_row(in, err);
}

static hsd_status put_root(hsd_inserter *in, const hsd_profile *profile, size_t i, hsd_error *err)
{
    const hsd_top_root *row = &profile->roots[i];
    hsd_put_count(in, i);
    hsd_put_text(in, row->name);
    hsd_put_word(in, hsd_root_word(row->kind));
    hsd_put_count(in, row->is_shared);
    hsd_put_amount(in, row->live);
    if (profile->has_places)
        hsd_put_count(in, row->retained_bytes);
    else
        hsd_put_null(in);
    return hsd_put_row(in, err);
}

static hsd_status put_place(hsd_inserter *in, const hsd_profile *profile, size_t i, hsd_error *err)
{
    const hsd_place *row = &profile->places[i];
    hsd_put_count(in, i);
    if (i > 0)
        hsd_put_count(in, row->parent);
    else
        hsd_put_null(in);
    hsd_put_count(in, row->depth);
    hsd_put_count(in, row->is_root);
    hsd_put_text(in, row->edge);
    hsd_put_text(in, row->type);
    hsd_put_amount(in, row->own);
    hsd_put_amount(in, row->all);
    return hsd_put_row(in, err);
}

typedef hsd_status (*put_fn)(hsd_inserter *in, const hsd_profile *profile, size_t i, hsd_error *err);

static hsd_status put_rows(hsd_filling *f, hsd_table table, const hsd_profile *profile, size_t count, put_fn put,
                           hsd_error *err)
{
    hsd_inserter in;
    hsd_status status = hsd_fill_open(&in, f, 1, table, count, err);
    for (size_t i = 0; i < count && status == HSD_OK; i++)
        status = put(&in, profile, i, err);
    return hsd_fill_close(&in, f, status, err);
}

static hsd_status put_profile(hsd_filling *f, const hsd_profile *profile, const bool *wanted, hsd_error *err)
{
    HSD_TRY(check_budget(f, &profile->side, profile->has_places, profile->why_no_places, err));
    if (wanted[HSD_TABLE_OF_HEAP_TYPES])
        HSD_TRY(put_rows(f, HSD_TABLE_OF_HEAP_TYPES, profile, profile->type_count, put_type, err));
    if (wanted[HSD_TABLE_OF_HEAP_ROOTS])
        HSD_TRY(put_rows(f, HSD_TABLE_OF_HEAP_ROOTS, profile, profile->root_count, put_root, err));
    if (wanted[HSD_TABLE_OF_PLACES])
        HSD_TRY(put_rows(f, HSD_TABLE_OF_PLACES, profile, profile->place_count, put_place, err));
    return wanted[HSD_TABLE_OF_WARNINGS] && !hsd_filling_is_pair(f) ? warn_of(f, profile, err) : HSD_OK;
}

static hsd_status fill_profile(hsd_filling *f, const bool *wanted, hsd_error *err)
{
    const hsd_profile_options options = {.partial = f->partial};
    hsd_profile *profile;
    hsd_run run = *f->run;
    run.memory_bytes = f->memory_bytes;
    HSD_TRY(hsd_profile_make(&profile, f->captures[1], &options, &run, err));
    const hsd_status status = put_profile(f, profile, wanted, err);
    hsd_profile_free(profile);
    return status;
}

/* ---- what each object retains */

static hsd_status put_retained(void *context, const hsd_retained *object, hsd_error *err)
{
    hsd_inserter *in = context;
    hsd_put_id(in, object->id);
    hsd_put_count(in, object->bytes);
    hsd_put_count(in, object->retained_bytes);
    hsd_put_count(in, object->retained_objects);
    if (object->has_dominator)
        hsd_put_id(in, object->dominator);
    else
        hsd_put_null(in);
    return hsd_put_row(in, err);
}

static hsd_status fill_retained(hsd_filling *f, hsd_error *err)
{
    hsd_inserter in;
    hsd_top *top = NULL;
    hsd_run run = *f->run;
    run.memory_bytes = f->memory_bytes;
    hsd_status status = hsd_fill_open(&in, f, 1, HSD_TABLE_OF_RETAINED, 0, err);
    const hsd_top_options options = {.partial = f->partial, .each = put_retained, .each_context = &in};
    f->sink->is_told_by_others = true;
    if (status == HSD_OK) status = hsd_top_run(&top, f->captures[1], &options, &run, err);
    f->sink->is_told_by_others = false;
    if (status == HSD_OK) status = check_budget(f, &top->side, top->has_retained, top->why_no_retained, err);
    hsd_top_free(top);
    return hsd_fill_close(&in, f, status, err);
}

hsd_status hsd_fill_heap(hsd_filling *f, const bool *wanted, hsd_error *err)
{
    const bool has_objects = hsd_capture_get_info(f->captures[1])->objects > 0;
    const bool asks_profile = wanted[HSD_TABLE_OF_HEAP_TYPES] || wanted[HSD_TABLE_OF_HEAP_ROOTS] ||
                              wanted[HSD_TABLE_OF_PLACES] || (wanted[HSD_TABLE_OF_WARNINGS] && !hsd_filling_is_pair(f));
    if (asks_profile) HSD_TRY(fill_profile(f, wanted, err));
    return wanted[HSD_TABLE_OF_RETAINED] && has_objects ? fill_retained(f, err) : HSD_OK;
}
