#define _GNU_SOURCE /* memmem */
/*
 * Stacks by what holds the objects: the places of a profile, or for two captures the tree of their diff, which was cut
 * to its rows for both at once, so that no growth comes from the cutting. Captures without places have types alone, a
 * stack of one frame each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include <hsdiff/profile.h>

#include "base/check.h"
#include "export/stacks_tables.h"

#define SHARED "(shared)"       /* what no root holds alone, as tables call it */
#define OTHERS "(other places)" /* what the cutting left to the heap itself */

/* A row of either tree. */
typedef struct place {
    uint32_t depth, parent;
    bool is_root;
    hsd_text edge, type;
    hsd_amount before, after; /* own */
} place;

typedef struct put {     /* what a row became */
    uint32_t node, root; /* root: text */
} put;

typedef struct placing {
    hsd_stack_tables *tables;
    hsd_buffer name;
} placing;

static hsd_bytes bytes_of(hsd_text text) { return (hsd_bytes){(const uint8_t *)text.data, text.size}; }

/* ".sessions: Map", as paths are printed; the type alone behind a reference without a name. */
static hsd_status name_frame(placing *p, const place *row, hsd_error *err)
{
    hsd_buffer_clear(&p->name);
    if (row->edge.size > 0) {
        HSD_TRY(hsd_buffer_append(&p->name, row->edge.data, row->edge.size, err));
        HSD_TRY(hsd_buffer_append(&p->name, ": ", 2, err));
    }
    return hsd_buffer_append(&p->name, row->type.data, row->type.size, err);
}

static hsd_status push_root(placing *p, hsd_bytes name, put *out, hsd_error *err)
{
    HSD_TRY(hsd_stack_text(p->tables, name, &out->root, err));
    return hsd_stack_push_text(p->tables, out->node, name, &out->node, err);
}

static hsd_status push_path_stack(placing *p, const put *above, const place *row, put *out, hsd_error *err)
{
    *out = *above;
    if (row->is_root) return push_root(p, bytes_of(row->type), out, err);
    if (row->depth == 1) HSD_TRY(push_root(p, (hsd_bytes){(const uint8_t *)SHARED, sizeof SHARED - 1}, out, err));
    HSD_TRY(name_frame(p, row, err));
    return hsd_stack_push_text(p->tables, out->node, (hsd_bytes){p->name.data, p->name.size}, &out->node, err);
}

static hsd_status add_amounts(hsd_stack_tables *tables, const put *at, uint32_t type, const place *row, hsd_error *err)
{
    if (row->before.objects + row->before.bytes > 0)
        HSD_TRY(hsd_stack_add(tables, at->node, type, at->root, HSD_STACK_BEFORE, &row->before, err));
    if (row->after.objects + row->after.bytes > 0)
        HSD_TRY(hsd_stack_add(tables, at->node, type, at->root, HSD_STACK_AFTER, &row->after, err));
    return HSD_OK;
}

/* The heap itself is no frame. */
static hsd_status add_other_path_stacks(placing *p, const place *heap, hsd_error *err)
{
    put others = {HSD_STACK_BOTTOM, 0};
    if (heap->before.objects + heap->after.objects == 0) return HSD_OK;
    HSD_TRY(push_root(p, (hsd_bytes){(const uint8_t *)OTHERS, sizeof OTHERS - 1}, &others, err));
    return add_amounts(p->tables, &others, 0, heap, err);
}

static hsd_status add_row(placing *p, const place *row, const put *above, put *out, hsd_error *err)
{
    uint32_t type = 0;
    if (row->depth == 0) return add_other_path_stacks(p, row, err);
    HSD_TRY(push_path_stack(p, above, row, out, err));
    if (!row->is_root && !p->tables->form.types_are_frames)
        HSD_TRY(hsd_stack_text(p->tables, bytes_of(row->type), &type, err));
    return add_amounts(p->tables, out, type, row, err);
}

/* ---- either tree ---- */

typedef place (*get_row)(const void *tree, size_t i);

static place row_of_profile(const void *tree, size_t i)
{
    const hsd_place *row = &((const hsd_profile *)tree)->places[i];
    return (place){row->depth, row->parent, row->is_root, row->edge, row->type, {0, 0}, row->own};
}

static place row_of_diff(const void *tree, size_t i)
{
    const hsd_tree_row *row = &((const hsd_diff *)tree)->tree[i];
    return (place){row->depth, row->parent, row->is_root, row->edge, row->type, row->own_before, row->own_after};
}

static hsd_status add_rows(placing *p, const void *tree, size_t count, get_row get, hsd_error *err)
{
    put *made = calloc(count + 1, sizeof *made);
    hsd_status status = HSD_OK;
    if (made == NULL) return hsd_fail_nomem(err, "places of a profile");
    for (size_t i = 0; i < count && status == HSD_OK; i++) {
        const place row = get(tree, i);
        status = add_row(p, &row, &made[row.parent], &made[i], err);
    }
    free(made);
    return status;
}

/* ---- types alone ---- */

static hsd_status add_type(placing *p, hsd_text name, const hsd_amount *before, const hsd_amount *after, hsd_error *err)
{
    const place row = {.depth = 2, .type = name, .before = *before, .after = *after}; /* below no root */
    put at, bottom = {HSD_STACK_BOTTOM, 0};
    return add_row(p, &row, &bottom, &at, err);
}

/* Stacks that are there or not by the memory would make other bytes with more of it. */
static hsd_status need_places(const hsd_side *side, bool is_summary, hsd_text why, hsd_error *err)
{
    if (is_summary || !side->has_roots || !side->has_references || !side->info.is_complete || side->info.is_baseline)
        return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET, "stacks need the places of its objects: %.300s", why.data);
    hsd_error_set_file(err, side->info.path);
    hsd_error_set_hint(err, "give it more with --memory");
    return HSD_E_OVER_BUDGET;
}

static void note_types_alone(hsd_export *x, hsd_text why)
{
    hsd_note(x->reporter, HSD_NOTE_WARNING, "stacks are types alone, without what holds them: %.*s",
             (int)hsd_min_u64(why.size, 400), why.data);
}

static void note_cut(hsd_export *x, uint64_t least_bytes)
{
    if (least_bytes > 0)
        hsd_note(x->reporter, HSD_NOTE_WARNING,
                 "places with fewer than %llu bytes below them count for the place above",
                 (unsigned long long)least_bytes);
}

static void note_unreached(hsd_export *x, const hsd_amount *unreached)
{
    if (unreached->objects > 0)
        hsd_note(x->reporter, HSD_NOTE_WARNING, "%llu object%s that no root reaches (%llu byte%s) %s in no stack",
                 (unsigned long long)unreached->objects, unreached->objects == 1 ? "" : "s",
                 (unsigned long long)unreached->bytes, unreached->bytes == 1 ? "" : "s",
                 unreached->objects == 1 ? "is" : "are");
}

/* ---- one capture ---- */

static hsd_status add_profile(placing *p, hsd_export *x, const hsd_profile *profile, hsd_error *err)
{
    static const hsd_amount none;
    note_unreached(x, &profile->side.unreached);
    note_cut(x, profile->place_least_bytes);
    if (profile->has_places) return add_rows(p, profile, profile->place_count, row_of_profile, err);
    HSD_TRY(need_places(&profile->side, profile->is_summary, profile->why_no_places, err));
    note_types_alone(x, profile->why_no_places);
    for (size_t i = 0; i < profile->type_count; i++)
        HSD_TRY(add_type(p, profile->types[i].name, &none, &profile->types[i].live, err));
    return HSD_OK;
}

hsd_status hsd_stacks_of_paths(hsd_stack_tables *tables, hsd_export *x, hsd_error *err)
{
    placing p = {.tables = tables};
    hsd_profile_options options = {.partial = x->options->partial};
    hsd_profile *profile;
    HSD_TRY(hsd_profile_make(&profile, x->after, &options, x->run, err));
    const hsd_status status = add_profile(&p, x, profile, err);
    hsd_profile_free(profile);
    hsd_buffer_release(&p.name);
    return status;
}

/* ---- a pair ---- */

/* That objects were not matched is what was asked for: sums are all that stacks need. */
static bool is_of_matching(const hsd_diff *diff, hsd_text warning)
{
    const hsd_text reason = diff->match_reason;
    return reason.size > 0 && memmem(warning.data, warning.size, reason.data, reason.size) != NULL;
}

static hsd_status add_diff(placing *p, hsd_export *x, const hsd_diff *diff, hsd_error *err)
{
    for (size_t i = 0; i < diff->warning_count; i++)
        if (!is_of_matching(diff, diff->warnings[i]))
            hsd_note(x->reporter, HSD_NOTE_WARNING, "%.*s", (int)hsd_min_u64(diff->warnings[i].size, 400),
                     diff->warnings[i].data);
    note_cut(x, diff->tree_least_bytes);
    if (diff->has_holders) return add_rows(p, diff, diff->tree_count, row_of_diff, err);
    HSD_TRY(need_places(&diff->before, diff->is_summary, diff->why_no_holders, err));
    HSD_TRY(need_places(&diff->after, diff->is_summary, diff->why_no_holders, err));
    note_types_alone(x, diff->why_no_holders);
    for (size_t i = 0; i < diff->type_count; i++)
        HSD_TRY(add_type(p, diff->types[i].name, &diff->types[i].live.before, &diff->types[i].live.after, err));
    return HSD_OK;
}

hsd_status hsd_stacks_of_grown_paths(hsd_stack_tables *tables, hsd_export *x, hsd_error *err)
{
    placing p = {.tables = tables};
    hsd_diff_options options = {.partial = x->options->partial, .match_by = HSD_MATCH_BY_COUNTS};
    hsd_diff *diff;
    HSD_TRY(hsd_diff_run(&diff, x->before, x->after, &options, x->run, err));
    const hsd_status status = add_diff(&p, x, diff, err);
    hsd_diff_free(diff);
    hsd_buffer_release(&p.name);
    return status;
}
