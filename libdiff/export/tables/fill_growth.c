/*
 * What grew between two heaps, from one run of the diff: the rows of its tables, and objects as it tells of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include <hsdiff/sites.h>

#include "export/tables/fill.h"

/* ---- columns of all tables of changes */

static void put_change(hsd_inserter *in, const hsd_diff *diff, const hsd_change *change)
{
    hsd_put_amount(in, change->before);
    hsd_put_amount(in, change->after);
    hsd_put_signed(in, hsd_change_objects(change));
    hsd_put_signed(in, hsd_change_bytes(change));
    hsd_put_known(in, hsd_new_is_known(diff), change->new_);
    hsd_put_known(in, hsd_freed_is_known(diff), change->freed);
    hsd_put_known(in, diff->identity_is_known, change->kept);
    if (diff->identity_is_known) {
        hsd_put_count(in, change->resized_objects);
        hsd_put_signed(in, change->resized_bytes);
    } else {
        hsd_put_null(in);
        hsd_put_null(in);
    }
}

static void put_retained(hsd_inserter *in, const hsd_diff *diff, uint64_t before, uint64_t after)
{
    const uint64_t both[] = {before, after};
    for (unsigned i = 0; i < 2; i++) {
        if (diff->has_holders)
            hsd_put_count(in, both[i]);
        else
            hsd_put_null(in);
    }
}

/* ---- rows of the diff */

static hsd_status put_total(hsd_inserter *in, const hsd_diff *diff, size_t i, hsd_error *err)
{
    (void)i;
    hsd_put_count(in, diff->identity_is_known);
    hsd_put_count(in, diff->is_by_structure);
    hsd_put_count(in, diff->is_partial);
    if (diff->has_holders)
        hsd_put_null(in);
    else
        hsd_put_text(in, diff->why_no_holders);
    put_change(in, diff, &diff->total);
    return hsd_put_row(in, err);
}

static hsd_status put_type(hsd_inserter *in, const hsd_diff *diff, size_t i, hsd_error *err)
{
    const hsd_type_row *row = &diff->types[i];
    hsd_put_count(in, i);
    hsd_put_text(in, row->name);
    put_change(in, diff, &row->live);
    put_retained(in, diff, row->retained_before, row->retained_after);
    hsd_put_amount(in, row->unreached_before);
    hsd_put_amount(in, row->unreached_after);
    return hsd_put_row(in, err);
}

static hsd_status put_root(hsd_inserter *in, const hsd_diff *diff, size_t i, hsd_error *err)
{
    const hsd_root_row *row = &diff->roots[i];
    hsd_put_count(in, i);
    hsd_put_text(in, row->name);
    hsd_put_word(in, hsd_root_word(row->kind));
    hsd_put_count(in, row->is_shared);
    put_change(in, diff, &row->live);
    put_retained(in, diff, row->retained_before, row->retained_after);
    hsd_put_known(in, diff->identity_is_known, row->moved_in);
    hsd_put_known(in, diff->identity_is_known, row->moved_out);
    return hsd_put_row(in, err);
}

static hsd_status put_place(hsd_inserter *in, const hsd_diff *diff, size_t i, hsd_error *err)
{
    const hsd_tree_row *row = &diff->tree[i];
    const bool new_is_known = hsd_new_is_known(diff), freed_is_known = hsd_freed_is_known(diff);
    hsd_put_count(in, i);
    if (i > 0)
        hsd_put_count(in, row->parent);
    else
        hsd_put_null(in);
    hsd_put_count(in, row->depth);
    hsd_put_count(in, row->is_root);
    hsd_put_text(in, row->edge);
    hsd_put_text(in, row->type);
    hsd_put_amount(in, row->own_before);
    hsd_put_amount(in, row->own_after);
    hsd_put_known(in, new_is_known, row->own_new);
    hsd_put_known(in, freed_is_known, row->own_freed);
    hsd_put_amount(in, row->before);
    hsd_put_amount(in, row->after);
    hsd_put_known(in, new_is_known, row->new_);
    hsd_put_known(in, freed_is_known, row->freed);
    return hsd_put_row(in, err);
}

typedef hsd_status (*put_fn)(hsd_inserter *in, const hsd_diff *diff, size_t i, hsd_error *err);

static hsd_status put_rows(hsd_filling *f, hsd_table table, const hsd_diff *diff, size_t count, put_fn put,
                           hsd_error *err)
{
    hsd_inserter in;
    hsd_status status = hsd_fill_open(&in, f, 1, table, count, err);
    for (size_t i = 0; i < count && status == HSD_OK; i++)
        status = put(&in, diff, i, err);
    return hsd_fill_close(&in, f, status, err);
}

/* ---- allocation sites */

static hsd_status put_frames(hsd_inserter *in, size_t site, const hsd_site_growth *row, hsd_error *err)
{
    for (size_t i = 0; i < row->frame_count; i++) {
        hsd_put_count(in, site);
        hsd_put_count(in, i);
        hsd_put_text_or_null(in, row->frames[i].function);
        hsd_put_text_or_null(in, row->frames[i].file);
        hsd_put_some(in, row->frames[i].line);
        hsd_put_some(in, row->frames[i].column);
        HSD_TRY(hsd_put_row(in, err));
    }
    return HSD_OK;
}

static hsd_status put_site(hsd_inserter *in, size_t site, const hsd_site_growth *row, hsd_error *err)
{
    hsd_put_count(in, site);
    hsd_put_text(in, row->type);
    hsd_put_amount(in, row->before);
    hsd_put_amount(in, row->after);
    hsd_put_signed(in, (int64_t)(row->after.objects - row->before.objects));
    hsd_put_signed(in, (int64_t)(row->after.bytes - row->before.bytes));
    return hsd_put_row(in, err);
}

static hsd_status put_sites(hsd_filling *f, const hsd_sites *sites, hsd_error *err)
{
    hsd_inserter rows, frames = {.sink = NULL};
    hsd_status status = hsd_fill_open(&rows, f, 1, HSD_TABLE_OF_GROWTH_SITES, sites->row_count, err);
    if (status == HSD_OK) status = hsd_fill_open(&frames, f, 1, HSD_TABLE_OF_GROWTH_FRAMES, 0, err);
    for (size_t i = 0; i < sites->row_count && status == HSD_OK; i++) {
        status = put_site(&rows, i, &sites->rows[i], err);
        if (status == HSD_OK) status = put_frames(&frames, i, &sites->rows[i], err);
    }
    status = hsd_fill_close(&rows, f, status, err);
    return hsd_fill_close(&frames, f, status, err);
}

static hsd_status fill_sites(hsd_filling *f, const hsd_diff *diff, const hsd_run *run, hsd_error *err)
{
    hsd_sites *sites = NULL;
    hsd_text *types = malloc((diff->type_count + 1) * sizeof *types);
    if (types == NULL) return hsd_fail_nomem(err, "names of types");
    for (size_t i = 0; i < diff->type_count; i++)
        types[i] = diff->types[i].name;
    hsd_status status = hsd_sites_run(&sites, f->captures[0], f->captures[1], types, diff->type_count, run, err);
    if (status == HSD_OK && sites->are_known) status = put_sites(f, sites, err);
    hsd_sites_free(sites);
    free(types);
    return status;
}

/* ---- objects, as the diff tells of them */

typedef struct telling {
    hsd_inserter changes, matches; /* zeroed: not wanted */
} telling;

static const char *change_word(const hsd_changed_object *object)
{
    if (object->state_before == 0) return "new";
    if (object->state_after == 0) return "freed";
    if (object->state_before == object->state_after) return "resized";
    return object->state_after == 2 ? "reached" : "unreached";
}

static hsd_status put_changed(void *context, const hsd_changed_object *object, hsd_error *err)
{
    static const char *const states[] = {"absent", "unreached", "live"};
    hsd_inserter *in = &((telling *)context)->changes;
    hsd_put_count(in, in->count);
    hsd_put_id(in, object->id);
    hsd_put_text(in, object->type);
    hsd_put_word(in, change_word(object));
    hsd_put_word(in, states[object->state_before % 3]);
    hsd_put_word(in, states[object->state_after % 3]);
    hsd_put_count(in, object->bytes_before);
    hsd_put_count(in, object->bytes_after);
    return hsd_put_row(in, err);
}

static hsd_status put_matched(void *context, uint64_t before, uint64_t after, hsd_match_rung rung, hsd_error *err)
{
    static const char *const rungs[HSD_MATCH_RUNG_COUNT] = {"exact",     "address", "key",   "name",    "same-address",
                                                            "structure", "place",   "order", "changed", "twins"};
    hsd_inserter *in = &((telling *)context)->matches;
    hsd_put_count(in, in->count);
    hsd_put_id(in, before);
    hsd_put_id(in, after);
    hsd_put_word(in, rungs[rung]);
    return hsd_put_row(in, err);
}

static bool has_objects(hsd_capture *capture)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    return info->objects > 0 && !info->is_baseline;
}

static hsd_status open_telling(telling *t, hsd_filling *f, const bool *wanted, hsd_diff_options *options,
                               hsd_error *err)
{
    if (!has_objects(f->captures[0]) || !has_objects(f->captures[1])) return HSD_OK;
    if (wanted[HSD_TABLE_OF_CHANGES]) {
        HSD_TRY(hsd_fill_open(&t->changes, f, 1, HSD_TABLE_OF_CHANGES, 0, err));
        options->changed = put_changed;
        options->changed_context = t;
    }
    if (wanted[HSD_TABLE_OF_MATCHES]) {
        HSD_TRY(hsd_fill_open(&t->matches, f, 1, HSD_TABLE_OF_MATCHES, 0, err));
        options->matched = put_matched;
        options->matched_context = t;
    }
    return HSD_OK;
}

/* ---- the whole */

static hsd_status check_budget(const hsd_filling *f, const hsd_diff *diff, hsd_error *err)
{
    const bool had_graph =
        diff->before.has_roots && diff->before.has_references && diff->after.has_roots && diff->after.has_references;
    const bool is_whole = diff->before.info.is_complete && diff->after.info.is_complete;
    if (diff->has_holders || !had_graph || !is_whole || !has_objects(f->captures[0]) || !has_objects(f->captures[1]))
        return HSD_OK;
    const hsd_text why = diff->why_no_holders;
    hsd_fail(err, HSD_E_OVER_BUDGET, "what holds the growth does not fit: %.*s", (int)(why.size < 300 ? why.size : 300),
             why.data);
    hsd_error_set_hint(err, "give it more with --memory");
    return HSD_E_OVER_BUDGET;
}

static hsd_status put_diff(hsd_filling *f, const hsd_diff *diff, const hsd_run *run, const bool *wanted, hsd_error *err)
{
    HSD_TRY(check_budget(f, diff, err));
    if (wanted[HSD_TABLE_OF_GROWTH]) HSD_TRY(put_rows(f, HSD_TABLE_OF_GROWTH, diff, 1, put_total, err));
    if (wanted[HSD_TABLE_OF_GROWTH_TYPES])
        HSD_TRY(put_rows(f, HSD_TABLE_OF_GROWTH_TYPES, diff, diff->type_count, put_type, err));
    if (wanted[HSD_TABLE_OF_GROWTH_ROOTS])
        HSD_TRY(put_rows(f, HSD_TABLE_OF_GROWTH_ROOTS, diff, diff->root_count, put_root, err));
    if (wanted[HSD_TABLE_OF_GROWTH_PLACES])
        HSD_TRY(put_rows(f, HSD_TABLE_OF_GROWTH_PLACES, diff, diff->tree_count, put_place, err));
    HSD_TRY(hsd_fill_holders(f, diff, wanted, err));
    HSD_TRY(hsd_fill_lost(f, diff, wanted, err));
    if (wanted[HSD_TABLE_OF_WARNINGS]) HSD_TRY(hsd_fill_warnings(f, diff->warnings, diff->warning_count, err));
    return wanted[HSD_TABLE_OF_GROWTH_SITES] || wanted[HSD_TABLE_OF_GROWTH_FRAMES] ? fill_sites(f, diff, run, err)
                                                                                   : HSD_OK;
}

hsd_status hsd_fill_growth(hsd_filling *f, const bool *wanted, hsd_error *err)
{
    hsd_diff_options options = {.partial = f->partial};
    telling t = {{.sink = NULL}, {.sink = NULL}};
    hsd_diff *diff = NULL;
    hsd_run run = *f->run;
    bool is_asked = wanted[HSD_TABLE_OF_WARNINGS];
    for (unsigned i = HSD_TABLE_OF_GROWTH; i < HSD_TABLE_COUNT; i++)
        is_asked |= wanted[i];
    if (!is_asked) return HSD_OK;
    run.memory_bytes = f->memory_bytes;
    hsd_status status = open_telling(&t, f, wanted, &options, err);
    f->sink->is_told_by_others = true;
    if (status == HSD_OK) status = hsd_diff_run(&diff, f->captures[0], f->captures[1], &options, &run, err);
    f->sink->is_told_by_others = false;
    if (status == HSD_OK) status = put_diff(f, diff, &run, wanted, err);
    hsd_diff_free(diff);
    status = hsd_fill_close(&t.changes, f, status, err);
    return hsd_fill_close(&t.matches, f, status, err);
}
