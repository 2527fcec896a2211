/*
 * Which types, then what the totals of either capture say of them. The rows of types are in order of growth, so that
 * those which changed most are at both ends. Of names only theirs are held: of all other types a number is enough, to
 * know those that were never defined from those that are not wanted.
 */
#include "totals/sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "format/tables.h"
#include "walk/store.h"

#define NO_ROW UINT32_MAX
#define OTHER  HSD_SIZE_ROWS /* in place of a row: a type that is not wanted */

typedef struct size_search {
    hsd_diff *diff;
    const hsd_type_row *chosen[HSD_SIZE_ROWS]; /* the type of each row */
    uint32_t count;
    bool is_told[HSD_SIZE_ROWS]; /* the buckets are of all objects of the type */
    hsd_size_row *rows;
    uint64_t objects[2];                /* in the totals of either capture */
    hsd_type_names names;               /* of the chosen, and that of types which were never defined */
    uint32_t row_of[HSD_SIZE_ROWS + 1]; /* by number in names; or NO_ROW */
    hsd_id_map rows_of_side[2];         /* type of a capture -> row, or OTHER */
} size_search;

/* ---- which types ---- */

static uint64_t change_of(const hsd_type_row *row)
{
    const uint64_t before = row->live.before.bytes, after = row->live.after.bytes;
    return after > before ? after - before : before - after;
}

static int compare_chosen(const void *a, const void *b)
{
    const hsd_type_row *x = *(const hsd_type_row *const *)a, *y = *(const hsd_type_row *const *)b;
    const uint64_t p = change_of(x), q = change_of(y);
    return p != q ? (p < q) - (p > q) : hsd_store_compare(x->name, y->name);
}

static void choose_size_row(size_search *s)
{
    const hsd_type_row *first = s->diff->types, *end = first + s->diff->type_count;
    while (first < end && s->count < HSD_SIZE_ROWS) {
        const hsd_type_row *most = change_of(first) >= change_of(end - 1) ? first : end - 1;
        if (change_of(most) == 0) break;
        s->chosen[s->count++] = most;
        if (most == first)
            first++;
        else
            end--;
    }
    if (s->count > 0) qsort(s->chosen, s->count, sizeof *s->chosen, compare_chosen);
}

/* ---- what the totals say ---- */

static void add_size_row(hsd_amount *to, uint64_t objects, uint64_t bytes)
{
    to->objects = hsd_add_saturating(to->objects, objects);
    to->bytes = hsd_add_saturating(to->bytes, bytes);
}

static void add_total(size_search *s, int side, uint32_t row, const hsd_type_total *total)
{
    hsd_amount *buckets = side == 0 ? s->rows[row].before : s->rows[row].after;
    uint64_t in_buckets = 0;
    for (uint32_t i = 0; i < total->bucket_count; i++) {
        add_size_row(&buckets[total->buckets[i]], total->bucket_objects[i], total->bucket_bytes[i]);
        in_buckets = hsd_add_saturating(in_buckets, total->bucket_objects[i]);
    }
    if (in_buckets != total->objects) s->is_told[row] = false;
}

static hsd_status take_type(size_search *s, int side, const hsd_type *type, hsd_error *err)
{
    hsd_id_map *rows = &s->rows_of_side[side];
    if (hsd_id_map_get(rows, type->id) != HSD_ID_NONE) return HSD_OK;
    const uint32_t number =
        hsd_names_find(&s->names.names, (hsd_bytes){(const uint8_t *)type->name.data, type->name.size});
    const uint32_t row = number == HSD_NAME_NONE ? NO_ROW : s->row_of[number];
    return hsd_id_map_put(rows, type->id, row == NO_ROW ? OTHER : row, err);
}

static void take_total(size_search *s, int side, const hsd_type_total *total)
{
    const uint32_t found = hsd_id_map_get(&s->rows_of_side[side], total->type);
    const uint32_t row = found == HSD_ID_NONE ? s->row_of[HSD_TYPE_UNDEFINED] : found;
    s->objects[side] = hsd_add_saturating(s->objects[side], total->objects);
    if (row != OTHER && row != NO_ROW) add_total(s, side, row, total);
}

/* All types, or all totals, of one capture. */
static hsd_status read_all_size_rows(size_search *s, int side, hsd_capture *capture, hsd_record_kind kind,
                                     hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, capture, kind, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        if (kind == HSD_RECORD_TYPE_TOTAL)
            take_total(s, side, &record.type_total);
        else if ((status = take_type(s, side, &record.type, err)) != HSD_OK)
            break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* All objects that are to be in the totals. */
static uint64_t objects_of(const hsd_capture_info *info)
{
    return hsd_add_saturating(info->objects - hsd_min_u64(info->objects, info->pseudo_objects), info->summary_objects);
}

/* ---- the rows ---- */

static hsd_status name_rows(size_search *s, hsd_error *err)
{
    HSD_TRY(hsd_type_names_init(&s->names, err));
    memset(s->row_of, 0xff, sizeof s->row_of);
    for (uint32_t i = 0; i < s->count; i++) {
        const hsd_text name = s->chosen[i]->name;
        uint32_t number;
        HSD_TRY(hsd_names_put(&s->names.names, (hsd_bytes){(const uint8_t *)name.data, name.size}, &number, err));
        s->row_of[number] = i;
        s->rows[i].type = name;
        s->is_told[i] = true;
    }
    return HSD_OK;
}

static bool is_empty_size_row(const hsd_size_row *row)
{
    uint64_t objects = 0;
    for (unsigned b = 0; b < HSD_SIZE_BUCKETS; b++)
        objects |= row->before[b].objects | row->after[b].objects;
    return objects == 0;
}

/* Keeps the rows that are told of, and none when the totals are not of all objects. */
static void keep_rows(size_search *s, bool is_whole)
{
    hsd_diff *diff = s->diff;
    for (uint32_t i = 0; i < s->count && is_whole; i++) {
        if (s->is_told[i] && !is_empty_size_row(&s->rows[i])) s->rows[diff->size_count++] = s->rows[i];
    }
    diff->sizes = s->rows;
}

static hsd_status load_size_row(size_search *s, hsd_capture *const captures[2], hsd_error *err)
{
    bool is_whole = true;
    s->rows = hsd_arena_take(&s->diff->store->arena, s->count * sizeof *s->rows);
    if (s->rows == NULL) return hsd_fail_nomem(err, "the sizes of objects");
    HSD_TRY(name_rows(s, err));
    for (int side = 0; side < 2; side++) {
        HSD_TRY(read_all_size_rows(s, side, captures[side], HSD_RECORD_TYPE, err));
        HSD_TRY(read_all_size_rows(s, side, captures[side], HSD_RECORD_TYPE_TOTAL, err));
        is_whole = is_whole && s->objects[side] == objects_of(hsd_capture_get_info(captures[side]));
    }
    keep_rows(s, is_whole);
    return HSD_OK;
}

hsd_status hsd_sizes_add_to(hsd_diff *diff, hsd_capture *before, hsd_capture *after, hsd_error *err)
{
    hsd_capture *const captures[2] = {before, after};
    size_search s = {.diff = diff};
    if (!diff->before.info.is_complete || !diff->after.info.is_complete) return HSD_OK;
    choose_size_row(&s);
    if (s.count == 0) return HSD_OK;
    const hsd_status status = load_size_row(&s, captures, err);
    for (int side = 0; side < 2; side++)
        hsd_id_map_release(&s.rows_of_side[side]);
    hsd_type_names_release(&s.names);
    return status;
}
