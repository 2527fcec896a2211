/*
 * A profile of a baseline: its sums, as they were kept. That they can be indexed by is the record reader's to see to;
 * here they are held against each other, since what types, roots and places say must be of one heap.
 */
#include "profile/profile_read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "totals/lost_types.h"
#include <hscapture/hscapture.h>

hsd_status hsd_profile_contradiction(const hsd_profile_reading *r, hsd_error *err, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hsd_error_set_file(err, r->info->path);
    hsd_fail(err, HSD_E_CORRUPT, "the sums of the baseline contradict each other: %s", text);
    hsd_error_set_hint(err, "write the baseline anew from its capture: hsdiff baseline");
    return HSD_E_CORRUPT;
}

hsd_status hsd_profile_add(const hsd_profile_reading *r, hsd_amount *sum, uint64_t objects, uint64_t bytes,
                           hsd_error *err)
{
    if (hsd_add_u64(sum->objects, objects, &sum->objects) && hsd_add_u64(sum->bytes, bytes, &sum->bytes)) return HSD_OK;
    return hsd_profile_contradiction(r, err, "they pass 64 bits");
}

uint32_t hsd_profile_text_number(const hsd_profile_reading *r, uint32_t string)
{
    const uint32_t number = hsd_id_map_get(&r->texts.index, string);
    return number == HSD_ID_NONE ? 0 : number;
}

hsd_status hsd_profile_each_record(hsd_profile_reading *r, hsd_record_kind kind, hsd_profile_record_fn take,
                                   void *context, hsd_error *err)
{
    HSD_ASSERT(take != NULL);
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, r->capture, kind, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        status = take(r, context, &record, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- types ---- */

static hsd_status take_type(hsd_profile_reading *r, void *context, const hsd_record *record, hsd_error *err)
{
    const hsd_live_total *total = &record->live_total;
    hsd_top_type *row = &((hsd_top_type *)context)[hsd_type_common(&r->table, total->type)];
    hsd_side *side = &r->profile->side;
    HSD_TRY(hsd_profile_add(r, &row->live, total->objects, total->bytes, err));
    HSD_TRY(hsd_profile_add(r, &row->unreached, total->unreached_objects, total->unreached_bytes, err));
    HSD_TRY(hsd_profile_add(r, &side->live, total->objects, total->bytes, err));
    HSD_TRY(hsd_profile_add(r, &side->unreached, total->unreached_objects, total->unreached_bytes, err));
    row->retained_bytes = r->wants_places ? hsd_add_saturating(row->retained_bytes, total->retained_bytes) : 0;
    return HSD_OK;
}

/* Rows by common number become those that have objects. */
static hsd_status read_types(hsd_profile_reading *r, hsd_error *err)
{
    hsd_profile *profile = r->profile;
    const hsd_names *names = &r->types.names;
    hsd_top_type *rows = hsd_arena_take(&profile->store->arena, names->count * sizeof *rows);
    if (rows == NULL) return hsd_fail_nomem(err, "the sums of a baseline");
    HSD_TRY(hsd_profile_each_record(r, HSD_RECORD_LIVE_TOTAL, take_type, rows, err));
    profile->types = rows;
    for (uint32_t i = 0; i < names->count; i++) {
        hsd_top_type row = rows[i];
        if (row.live.objects == 0 && row.unreached.objects == 0) continue;
        row.flags = r->types.flags[i];
        HSD_TRY(hsd_store_text(profile->store, hsd_names_get(names, i), &row.name, err));
        rows[profile->type_count++] = row;
    }
    return HSD_OK;
}

/* ---- roots ---- */

typedef struct root_rows {
    hsd_id_map by_text; /* number of the name -> row */
    hsd_amount all;
} root_rows;

static hsd_status want_root(hsd_profile_reading *r, void *context, const hsd_record *record, hsd_error *err)
{
    (void)context;
    return hsd_texts_want(&r->texts, record->root_total.name, err);
}

/* A row for each text; of one name's kinds the least that is known. */
static hsd_status row_of_root(hsd_profile_reading *r, root_rows *rows, const hsd_root_total *total, hsd_top_root **out,
                              hsd_error *err)
{
    hsd_profile *profile = r->profile;
    const uint32_t text = hsd_profile_text_number(r, total->name);
    const uint32_t at = hsd_id_map_get(&rows->by_text, text);
    if (at != HSD_ID_NONE) {
        hsd_top_root *row = *out = &profile->roots[at];
        if (total->kind != 0 && (row->kind == 0 || total->kind < row->kind)) row->kind = total->kind;
        return HSD_OK;
    }
    hsd_top_root *row = *out = &profile->roots[profile->root_count];
    row->kind = total->kind;
    HSD_TRY(hsd_store_text(profile->store, hsd_names_get(&r->texts.names, text), &row->name, err));
    return hsd_id_map_put(&rows->by_text, text, (uint32_t)profile->root_count++, err);
}

static hsd_status take_root(hsd_profile_reading *r, void *context, const hsd_record *record, hsd_error *err)
{
    const hsd_root_total *total = &record->root_total;
    root_rows *rows = context;
    hsd_top_root *row;
    if (!r->profile->has_roots)
        return hsd_profile_contradiction(r, err, "it has totals by root of a capture that had no roots");
    HSD_TRY(row_of_root(r, rows, total, &row, err));
    row->is_shared = row->is_shared || (total->flags & HSC_ROOT_TOTAL_SHARED) != 0;
    row->retained_bytes = r->wants_places ? hsd_add_saturating(row->retained_bytes, total->retained_bytes) : 0;
    HSD_TRY(hsd_profile_add(r, &rows->all, total->objects, total->bytes, err));
    return hsd_profile_add(r, &row->live, total->objects, total->bytes, err);
}

static hsd_status read_roots(hsd_profile_reading *r, hsd_amount *all, hsd_error *err)
{
    hsd_profile *profile = r->profile;
    root_rows rows = {0};
    profile->roots = hsd_arena_take(&profile->store->arena, r->texts.names.count * sizeof *profile->roots);
    if (profile->roots == NULL) return hsd_fail_nomem(err, "the sums of a baseline");
    const hsd_status status = hsd_profile_each_record(r, HSD_RECORD_ROOT_TOTAL, take_root, &rows, err);
    hsd_id_map_release(&rows.by_text);
    *all = rows.all;
    const size_t count = profile->root_count;
    profile->root_count = 0;
    for (size_t i = 0; i < count; i++) { /* those that own or retain something */
        const hsd_top_root row = profile->roots[i];
        if (row.live.objects > 0 || row.retained_bytes > 0) profile->roots[profile->root_count++] = row;
    }
    return status;
}

/* ---- do they agree? ---- */

static bool is_same_baseline_profile(hsd_amount a, hsd_amount b)
{
    return a.objects == b.objects && a.bytes == b.bytes;
}

static hsd_status check_whole(const hsd_profile_reading *r, const char *by, hsd_amount all, hsd_error *err)
{
    const hsd_amount live = r->profile->side.live;
    if (is_same_baseline_profile(all, live)) return HSD_OK;
    const char *what = live.objects == 1 ? "object" : "objects", *are = live.objects == 1 ? "is" : "are";
    return hsd_profile_contradiction(r, err,
                                     "by type %" PRIu64 " %s of %" PRIu64 " bytes %s live, by %s %" PRIu64
                                     " of %" PRIu64,
                                     live.objects, what, live.bytes, are, by, all.objects, all.bytes);
}

static hsd_status check_retained(const hsd_profile_reading *r, hsd_error *err)
{
    const hsd_profile *profile = r->profile;
    const uint64_t whole = profile->side.live.bytes;
    for (size_t i = 0; i < profile->type_count; i++) {
        const hsd_top_type *row = &profile->types[i];
        if (row->retained_bytes < row->live.bytes)
            return hsd_profile_contradiction(r, err, "%.100s retains %" PRIu64 " bytes and has %" PRIu64,
                                             row->name.data, row->retained_bytes, row->live.bytes);
    }
    for (size_t i = 0; i < profile->root_count; i++) {
        const hsd_top_root *row = &profile->roots[i];
        if (row->retained_bytes > whole)
            return hsd_profile_contradiction(r, err, "the root %.100s retains %" PRIu64 " bytes of %" PRIu64,
                                             row->name.data, row->retained_bytes, whole);
    }
    if (profile->side.soft.objects <= profile->side.live.objects && profile->side.soft.bytes <= whole) return HSD_OK;
    return hsd_profile_contradiction(r, err, "more is held softly than is live");
}

/* What objects and type totals say, for readers that know no baselines. */
static hsd_status check_counts(const hsd_profile_reading *r, hsd_error *err)
{
    const hsd_side *side = &r->profile->side;
    const uint64_t objects = hsd_add_saturating(side->live.objects, side->unreached.objects);
    const uint64_t counted = hsd_add_saturating(r->info->objects, r->info->summary_objects);
    if (objects == counted) return HSD_OK;
    return hsd_profile_contradiction(r, err,
                                     "%" PRIu64 " of its objects are live or unreached, and %" PRIu64 " were counted",
                                     objects, counted);
}

static hsd_status check_baseline_profile(const hsd_profile_reading *r, hsd_amount by_root, hsd_amount by_place,
                                         hsd_error *err)
{
    const hsd_profile *profile = r->profile;
    if (!r->info->is_complete) return HSD_OK; /* what is lost is missed somewhere */
    HSD_TRY(check_counts(r, err));
    if (profile->has_roots) HSD_TRY(check_whole(r, "root", by_root, err));
    if (!profile->has_places) return HSD_OK;
    HSD_TRY(check_whole(r, "place", by_place, err));
    return check_retained(r, err);
}

/* ---- each object ---- */

static hsd_status no_identities(const hsd_profile_reading *r, hsd_error *err)
{
    hsd_error_set_file(err, r->info->path);
    hsd_fail(err, HSD_E_UNSUPPORTED, "the baseline keeps sums alone: it tells of no single object");
    hsd_error_set_hint(err, "write it with identities, or take the capture itself");
    return HSD_E_UNSUPPORTED;
}

typedef struct telling {
    hsd_profile_reading *r;
    const uint32_t *rows;
    hsd_amount *told; /* by row */
    uint64_t last_id;
    bool has_last;
} telling;

static hsd_status tell_of(telling *t, const hsd_object *object, hsd_error *err)
{
    hsd_profile_reading *r = t->r;
    const uint32_t row = t->rows[hsd_type_common(&r->table, object->type)];
    if (t->has_last && object->id <= t->last_id)
        return hsd_profile_contradiction(r, err, "ids of objects do not ascend");
    if (row == HSD_ID_NONE) return hsd_profile_contradiction(r, err, "an object is of a type that nothing live is of");
    t->last_id = object->id;
    t->has_last = true;
    HSD_TRY(hsd_profile_add(r, &t->told[row], 1, object->size_bytes, err));
    return r->options->each(r->options->each_context, r->profile, row, object->id, object->size_bytes, err);
}

static hsd_status tell_of_all(telling *t, hsd_error *err)
{
    hsd_object_reader *reader;
    hsd_object object;
    hsd_status status;
    HSD_TRY(hsd_object_reader_open(&reader, t->r->capture, HSD_WANT_SIZES | HSD_WANT_IDS, err));
    while ((status = hsd_object_reader_next(reader, &object, err)) == HSD_OK) {
        status = tell_of(t, &object, err);
        if (status != HSD_OK) break;
    }
    hsd_object_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status check_told(const telling *t, hsd_error *err)
{
    const hsd_profile *profile = t->r->profile;
    for (size_t i = 0; i < profile->type_count && t->r->info->is_complete; i++) {
        if (!is_same_baseline_profile(t->told[i], profile->types[i].live))
            return hsd_profile_contradiction(t->r, err, "the objects of %.100s are not those that are live",
                                             profile->types[i].name.data);
    }
    return HSD_OK;
}

static hsd_status tell_baseline_profile(hsd_profile_reading *r, hsd_error *err)
{
    telling t = {.r = r};
    uint32_t *rows = NULL;
    if (r->info->objects == 0 && r->profile->side.live.objects > 0) return no_identities(r, err);
    hsd_status status = hsd_profile_rows_of(r->profile, &r->types.names, &rows, err);
    t.rows = rows;
    t.told = calloc(r->profile->type_count + 1, sizeof *t.told);
    if (status == HSD_OK && t.told == NULL) status = hsd_fail_nomem(err, "the sums of a baseline");
    if (status == HSD_OK) status = tell_of_all(&t, err);
    if (status == HSD_OK) status = check_told(&t, err);
    free(rows);
    free(t.told);
    return status;
}

/* ---- the whole ---- */

/* If they are left out, why. */
static hsd_status decide_on_places(hsd_profile_reading *r, hsd_error *err)
{
    const hsd_capture_info *info = r->info;
    const uint64_t bytes = hsd_profile_reading_bytes(r);
    const char *why = NULL;
    if ((info->sums & HSC_SUMS_PLACES) == 0)
        why = info->why_no_places;
    else if (!info->is_complete)
        why = "the baseline is incomplete: what was lost may hold what is left";
    else if (r->options->no_places)
        why = "they were not asked for";
    if (why != NULL && why[0] == 0) why = "the baseline has none";
    if (why != NULL) return hsd_profile_say_why(r->profile, why, err);
    if (bytes > r->memory_bytes / 2) return hsd_profile_say_too_few(r->profile, r->memory_bytes, 2 * bytes, err);
    r->wants_places = true;
    return HSD_OK;
}

static void fill_side(hsd_profile_reading *r)
{
    hsd_profile *profile = r->profile;
    const hsd_capture_info *info = r->info;
    profile->is_baseline = true;
    profile->is_summary = (info->sums & HSC_SUMS_SUMMARY) != 0;
    profile->side.has_references = (info->sums & HSC_SUMS_REFERENCES) != 0;
    profile->side.has_roots = profile->side.has_references && (info->sums & HSC_SUMS_ROOTS) != 0;
    profile->side.dangling = info->dangling;
    profile->has_roots = profile->side.has_roots;
    if (r->wants_places) profile->side.soft = (hsd_amount){info->soft_objects, info->soft_bytes};
}

static hsd_status read_tables(hsd_profile_reading *r, hsd_error *err)
{
    HSD_TRY(hsd_type_names_init(&r->types, err));
    HSD_TRY(hsd_type_table_load(&r->table, r->capture, &r->types, err));
    HSD_TRY(hsd_texts_want(&r->texts, 0, err));
    HSD_TRY(hsd_profile_each_record(r, HSD_RECORD_ROOT_TOTAL, want_root, NULL, err));
    if (r->wants_places) HSD_TRY(hsd_profile_want_places(r, err));
    return hsd_texts_load(&r->texts, r->capture, err);
}

static hsd_status read_sums(hsd_profile_reading *r, hsd_error *err)
{
    hsd_amount by_root = {0, 0}, by_place = {0, 0};
    HSD_TRY(read_tables(r, err));
    HSD_TRY(read_types(r, err));
    HSD_TRY(read_roots(r, &by_root, err));
    if (r->wants_places) HSD_TRY(hsd_profile_read_places(r, &by_place, err));
    r->profile->has_places = r->wants_places;
    const uint64_t least = r->wants_places ? r->info->place_least_bytes : 0; /* what is cut was cut before */
    r->profile->place_least_bytes = hsd_max_u64(r->profile->place_least_bytes, least);
    HSD_TRY(check_baseline_profile(r, by_root, by_place, err));
    hsd_profile_sort(r->profile);
    return HSD_OK;
}

static void add_warnings(hsd_profile *profile)
{
    hsd_store_warn_of_capture(profile->store, &profile->side.info);
    if (!profile->is_summary && !profile->has_roots) hsd_store_warn_of_references(profile->store, &profile->side);
    profile->warnings = profile->store->warnings;
    profile->warning_count = profile->store->warning_count;
}

static hsd_status run_reading(hsd_profile_reading *r, hsd_error *err)
{
    HSD_TRY(decide_on_places(r, err));
    fill_side(r);
    const hsd_status status = read_sums(r, err);
    if (status < 0) hsd_error_set_file(err, r->info->path);
    HSD_TRY(status);
    HSD_TRY(hsd_store_info(r->profile->store, r->info, &r->profile->side.info, err));
    HSD_TRY(hsd_lost_add_profile_types(r->profile, err));
    add_warnings(r->profile);
    return r->options->each != NULL ? tell_baseline_profile(r, err) : HSD_OK;
}

hsd_status hsd_profile_read(hsd_profile *profile, hsd_capture *capture, const hsd_profile_options *options,
                            const hsd_run *run, hsd_error *err)
{
    hsd_profile_reading r = {.profile = profile, .capture = capture, .options = options};
    r.info = hsd_capture_get_info(capture);
    r.memory_bytes = run != NULL && run->memory_bytes > 0 ? run->memory_bytes : hsd_run_default_memory();
    const hsd_status status = run_reading(&r, err);
    hsd_texts_release(&r.texts);
    hsd_type_table_release(&r.table);
    hsd_type_names_release(&r.types);
    return status;
}
