/*
 * From sums to the result: names, rows in order, totals and what the reader must be warned of. The
 * result owns everything it shows, so captures can be closed before it is printed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "diff/compare.h"
#include "diff/warn.h"
#include "walk/store.h"

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects = hsd_add_saturating(to->objects, amount.objects);
    to->bytes = hsd_add_saturating(to->bytes, amount.bytes);
}

static void add_change(hsd_change *to, const hsd_change *change)
{
    add_amount(&to->before, change->before);
    add_amount(&to->after, change->after);
    add_amount(&to->new_, change->new_);
    add_amount(&to->freed, change->freed);
    add_amount(&to->kept, change->kept);
    add_amount(&to->undecided, change->undecided);
    to->resized_bytes += change->resized_bytes;
    to->resized_objects += change->resized_objects;
}

/* ---- what the result owns ---- */

static hsd_status new_result(hsd_diff **out, hsd_error *err)
{
    hsd_diff *diff = calloc(1, sizeof *diff);
    *out = NULL;
    if (diff != NULL) diff->store = calloc(1, sizeof *diff->store);
    if (diff == NULL || diff->store == NULL) {
        free(diff);
        return hsd_fail_nomem(err, "the result of the diff");
    }
    *out = diff;
    return HSD_OK;
}

void hsd_diff_free(hsd_diff *diff)
{
    if (diff == NULL) return;
    hsd_store_free(diff->store);
    free(diff);
}

static hsd_status copy_info(hsd_diff *diff, hsd_side *side, const hsd_capture_info *info, hsd_error *err)
{
    return hsd_store_info(diff->store, info, &side->info, err);
}

static void show_warnings(hsd_diff *diff)
{
    diff->warnings = diff->store->warnings;
    diff->warning_count = diff->store->warning_count;
}

/* ---- order of rows: growth, largest first, then name ---- */

static int compare_growth(const hsd_change *a, const hsd_change *b)
{
    const int64_t x = hsd_change_bytes(a), y = hsd_change_bytes(b);
    return (x < y) - (x > y);
}

static int compare_types(const void *a, const void *b)
{
    const hsd_type_row *x = a, *y = b;
    const int order = compare_growth(&x->live, &y->live);
    return order != 0 ? order : hsd_store_compare(x->name, y->name);
}

static int compare_roots(const void *a, const void *b)
{
    const hsd_root_row *x = a, *y = b;
    const int order = compare_growth(&x->live, &y->live);
    return order != 0 ? order : hsd_store_compare(x->name, y->name);
}

/* ---- rows of types ---- */

static hsd_status take_type_rows(hsd_diff *diff, const hsd_type_names *types, hsd_error *err)
{
    diff->types = hsd_arena_take(&diff->store->arena, types->names.count * sizeof *diff->types);
    return diff->types == NULL ? hsd_fail_nomem(err, "the result of the diff") : HSD_OK;
}

static bool is_empty_diff_row(const hsd_type_row *row)
{
    return (row->live.before.objects | row->live.before.bytes | row->live.after.objects | row->live.after.bytes |
            row->unreached_before.objects | row->unreached_after.objects) == 0;
}

/* Keeps a filled row unless nothing of its type was there on either side. */
static hsd_status keep_type_row(hsd_diff *diff, const hsd_type_row *row, const hsd_type_names *types, uint32_t type,
                                hsd_error *err)
{
    if (is_empty_diff_row(row)) return HSD_OK;
    hsd_type_row *kept = &diff->types[diff->type_count];
    *kept = *row;
    kept->flags = types->flags[type];
    HSD_TRY(hsd_store_text(diff->store, hsd_names_get(&types->names, type), &kept->name, err));
    diff->type_count++;
    add_change(&diff->total, &kept->live);
    add_amount(&diff->unreached_before, kept->unreached_before);
    add_amount(&diff->unreached_after, kept->unreached_after);
    diff->external_before += kept->external_before;
    diff->external_after += kept->external_after;
    return HSD_OK;
}

/* Where the capture before is partial what looks new may have been there. */
static void take_examples(hsd_type_row *row, const hsd_diff *diff, const hsd_comparison *c, uint32_t type)
{
    if (!hsd_new_is_known(diff)) return;
    row->example_count = hsd_examples_count(c->by_type[type].new_.objects);
    memcpy(row->examples, c->examples[type].ids, row->example_count * sizeof *row->examples);
}

static hsd_status make_type_rows(hsd_diff *diff, const hsd_comparison *c, hsd_error *err)
{
    const hsd_fold_side *before = c->pair.sides[BEFORE].counts, *after = c->pair.sides[AFTER].counts;
    HSD_TRY(take_type_rows(diff, &c->pair.types, err));
    for (uint32_t type = 0; type < c->pair.types.names.count; type++) {
        const hsd_fold_change *change = &c->by_type[type];
        hsd_type_row row = {
            .live =
                {
                    .before = before->live_by_type[type],
                    .after = after->live_by_type[type],
                    .new_ = change->new_,
                    .freed = change->freed,
                    .kept = change->kept,
                    .undecided = change->undecided,
                    .resized_bytes = change->resized_bytes,
                    .resized_objects = change->resized_objects,
                },
            .external_before = hsd_fold_side_external(before, type),
            .external_after = hsd_fold_side_external(after, type),
            .unreached_before = before->unreached_by_type[type],
            .unreached_after = after->unreached_by_type[type],
            .revived = change->revived,
            .dropped = change->dropped,
        };
        take_examples(&row, diff, c, type);
        HSD_TRY(keep_type_row(diff, &row, &c->pair.types, type, err));
    }
    qsort(diff->types, diff->type_count, sizeof *diff->types, compare_types);
    return HSD_OK;
}

/* ---- rows of roots ---- */

static void add_side_roots(hsd_root_row *rows, const hsd_comparison *c, int side)
{
    const hsd_fold_side *counts = c->pair.sides[side].counts;
    for (uint32_t i = 0; i < c->pair.sides[side].roots.names.count; i++) {
        hsd_change *live = &rows[c->pair.root_number[side][i]].live;
        add_amount(side == BEFORE ? &live->before : &live->after, counts->live_by_root[i]);
    }
}

static void fill_root_row(hsd_root_row *row, const hsd_root_change *change)
{
    row->live.new_ = change->new_;
    row->live.freed = change->freed;
    row->live.kept = change->kept;
    row->live.undecided = change->undecided;
    row->live.resized_bytes = change->resized_bytes;
    row->live.resized_objects = change->resized_objects;
    row->moved_in = change->moved_in;
    row->moved_out = change->moved_out;
}

static hsd_status make_root_rows(hsd_diff *diff, const hsd_comparison *c, hsd_error *err)
{
    hsd_root_row *rows = hsd_arena_take(&diff->store->arena, c->pair.roots.count * sizeof *rows);
    if (rows == NULL) return hsd_fail_nomem(err, "the result of the diff");
    if (!diff->before.has_roots || !diff->after.has_roots) return HSD_OK; /* nothing to tell them by */
    add_side_roots(rows, c, BEFORE);
    add_side_roots(rows, c, AFTER);
    diff->roots = rows;
    for (uint32_t i = 0; i < c->pair.roots.count; i++) {
        hsd_root_row row = rows[i];
        if (row.live.before.objects == 0 && row.live.after.objects == 0) continue;
        fill_root_row(&row, &c->by_root[i]);
        row.kind = c->pair.root_kinds[i];
        row.is_shared = i == c->pair.root_number[BEFORE][HSD_ROOT_SHARED];
        HSD_TRY(hsd_store_text(diff->store, hsd_names_get(&c->pair.roots, i), &row.name, err));
        rows[diff->root_count++] = row;
    }
    qsort(rows, diff->root_count, sizeof *rows, compare_roots);
    return HSD_OK;
}

/* ---- sides and warnings ---- */

static void warn_of_keys(hsd_diff *diff, const hsd_comparison *c)
{
    hsd_user_key_side sides[SIDE_COUNT];
    if (c->user_keys.count == 0 || !diff->is_by_structure) return;
    for (int i = 0; i < SIDE_COUNT; i++)
        sides[i] = (hsd_user_key_side){c->pair.sides[i].info, c->key_counts[i]};
    hsd_user_keys_warn(&c->user_keys, sides, diff->store);
}

/* A partial capture may have lost what looks freed: that is never claimed. */
static void forget_freed(hsd_diff *diff)
{
    const hsd_amount none = {0, 0};
    for (size_t i = 0; i < diff->type_count; i++)
        diff->types[i].live.freed = none;
    for (size_t i = 0; i < diff->root_count; i++)
        diff->roots[i].live.freed = none;
    diff->total.freed = none;
}

static hsd_status fill_diff_row(hsd_diff *diff, const hsd_comparison *c, hsd_error *err)
{
    diff->identity_is_known = c->ladder.basis != HSD_BASIS_COUNTS;
    diff->is_by_structure = c->ladder.basis == HSD_BASIS_STRUCTURE;
    diff->match = c->match;
    diff->order = hsd_turn_order(&c->turn);
    diff->temp_bytes_peak = c->pair.space.bytes_peak;
    HSD_TRY(copy_info(diff, &diff->before, c->pair.sides[BEFORE].info, err));
    HSD_TRY(copy_info(diff, &diff->after, c->pair.sides[AFTER].info, err));
    HSD_TRY(make_type_rows(diff, c, err));
    hsd_store_side(&diff->before, &c->pair.sides[BEFORE], diff->total.before, diff->unreached_before);
    hsd_store_side(&diff->after, &c->pair.sides[AFTER], diff->total.after, diff->unreached_after);
    HSD_TRY(make_root_rows(diff, c, err));
    diff->is_partial = !diff->before.info.is_complete || !diff->after.info.is_complete;
    if (diff->is_partial) forget_freed(diff);
    hsd_store_warn_of_capture(diff->store, &diff->before.info);
    hsd_store_warn_of_capture(diff->store, &diff->after.info);
    if (c->ladder.reason != NULL) {
        const hsd_bytes reason = {(const uint8_t *)c->ladder.reason, strlen(c->ladder.reason)};
        HSD_TRY(hsd_store_text(diff->store, reason, &diff->match_reason, err));
    }
    if (c->ladder.basis == HSD_BASIS_COUNTS) {
        hsd_store_warn(diff->store, "single objects cannot be matched: %s%s", c->ladder.reason,
                       diff->is_partial ? "" : "; growth is exact, new and freed are not known");
    }
    hsd_store_warn_of_pair(diff->store, diff);
    hsd_store_warn_of_match(diff->store, diff);
    hsd_store_warn_of_references(diff->store, &diff->before);
    hsd_store_warn_of_references(diff->store, &diff->after);
    if (c->reused.untold > 0 && !c->reused.is_told) {
        hsd_store_warn(diff->store,
                       "%" PRIu64 " of %" PRIu64
                       " objects may be others, which came to the addresses of freed ones of their type and size: "
                       "growth is right, new and freed are at least what is told",
                       c->reused.untold, c->reused.pairs);
    }
    warn_of_keys(diff, c);
    show_warnings(diff);
    return HSD_OK;
}

hsd_status hsd_rows_from_comparison(hsd_diff **out, const hsd_comparison *c, hsd_error *err)
{
    HSD_ASSERT(c->by_type != NULL && c->by_root != NULL);
    HSD_TRY(new_result(out, err));
    const hsd_status status = fill_diff_row(*out, c, err);
    if (status != HSD_OK) {
        hsd_diff_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- from type totals alone ---- */

static hsd_status fill_summary(hsd_diff *diff, const hsd_summary_side sides[SIDE_COUNT], const hsd_type_names *types,
                               hsd_error *err)
{
    diff->is_summary = true;
    HSD_TRY(copy_info(diff, &diff->before, sides[BEFORE].info, err));
    HSD_TRY(copy_info(diff, &diff->after, sides[AFTER].info, err));
    HSD_TRY(take_type_rows(diff, types, err));
    for (uint32_t type = 0; type < types->names.count; type++) {
        const hsd_type_row row = {.live = {.before = sides[BEFORE].by_type[type], .after = sides[AFTER].by_type[type]}};
        HSD_TRY(keep_type_row(diff, &row, types, type, err));
    }
    qsort(diff->types, diff->type_count, sizeof *diff->types, compare_types);
    diff->before.live = diff->total.before;
    diff->after.live = diff->total.after;
    hsd_store_warn_of_capture(diff->store, &diff->before.info);
    hsd_store_warn_of_capture(diff->store, &diff->after.info);
    hsd_store_warn_of_pair(diff->store, diff);
    show_warnings(diff);
    return HSD_OK;
}

hsd_status hsd_rows_from_summary(hsd_diff **out, const hsd_summary_side sides[SIDE_COUNT], const hsd_type_names *types,
                                 hsd_error *err)
{
    HSD_TRY(new_result(out, err));
    const hsd_status status = fill_summary(*out, sides, types, err);
    if (status != HSD_OK) {
        hsd_diff_free(*out);
        *out = NULL;
    }
    return status;
}
