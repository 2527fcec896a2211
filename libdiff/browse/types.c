/*
 * Types of one side, from the rows of the report: there are as many as names, so they are looked through at each
 * question.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "browse/browse.h"
#include "walk/store.h"

typedef int (*compare_fn)(const void *, const void *);

static size_t row_count(const hsd_browse *browse)
{
    return browse->diff != NULL ? browse->diff->type_count : browse->top->type_count;
}

static hsd_browse_type type_at(const hsd_browse *browse, size_t side, size_t i)
{
    if (browse->top != NULL) {
        const hsd_top_type *row = &browse->top->types[i];
        return (hsd_browse_type){row->name, row->live, row->retained_bytes};
    }
    const hsd_type_row *row = &browse->diff->types[i];
    if (side == BEFORE) return (hsd_browse_type){row->name, row->live.before, row->retained_before};
    return (hsd_browse_type){row->name, row->live.after, row->retained_after};
}

/* ---- which ---- */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool browse_type_begins_with(const char *name, hsd_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (lower(name[i]) != lower(text.data[i])) return false;
    }
    return true;
}

static bool has_text(hsd_text name, hsd_text text)
{
    for (size_t i = 0; i + text.size <= name.size; i++) {
        if (browse_type_begins_with(name.data + i, text)) return true;
    }
    return false;
}

/* ---- in which order ---- */

static int descending_browse_types(uint64_t a, uint64_t b) { return (a < b) - (a > b); }

static int by_name(const void *left, const void *right)
{
    const hsd_browse_type *a = left, *b = right;
    return hsd_store_compare(a->name, b->name);
}

static int by_retained(const void *left, const void *right)
{
    const hsd_browse_type *a = left, *b = right;
    const int order = descending_browse_types(a->retained_bytes, b->retained_bytes);
    return order != 0 ? order : by_name(left, right);
}

static int by_bytes(const void *left, const void *right)
{
    const hsd_browse_type *a = left, *b = right;
    const int order = descending_browse_types(a->live.bytes, b->live.bytes);
    return order != 0 ? order : by_name(left, right);
}

static int by_objects(const void *left, const void *right)
{
    const hsd_browse_type *a = left, *b = right;
    const int order = descending_browse_types(a->live.objects, b->live.objects);
    return order != 0 ? order : by_name(left, right);
}

static compare_fn order_of(hsd_browse_type_order order)
{
    switch (order) {
    case HSD_BROWSE_BY_RETAINED: return by_retained;
    case HSD_BROWSE_BY_BYTES: return by_bytes;
    case HSD_BROWSE_BY_OBJECTS: return by_objects;
    case HSD_BROWSE_BY_NAME: break;
    }
    return by_name;
}

/* ---- */

static void choose_browse_type(const hsd_browse *browse, size_t side, hsd_text text, uint64_t from, size_t count,
                               hsd_browse_types *out)
{
    for (size_t i = 0; i < row_count(browse); i++) {
        const hsd_browse_type type = type_at(browse, side, i);
        if (type.live.objects > 0 && has_text(type.name, text)) out->types[out->total++] = type;
    }
    out->from = hsd_min_u64(from, out->total);
    out->count = (size_t)hsd_min_u64(hsd_min_u64(count, HSD_BROWSE_MOST), out->total - out->from);
}

hsd_status hsd_browse_types_get(hsd_browse *browse, size_t side, hsd_text text, hsd_browse_type_order order,
                                uint64_t from, size_t count, hsd_browse_types **out, hsd_error *err)
{
    hsd_index *index;
    *out = NULL;
    HSD_TRY(hsd_browse_side(browse, side, &index, err));
    struct hsd_browse_store *store;
    hsd_browse_types *types = hsd_browse_answer_new(sizeof *types, &store);
    if (types == NULL) return hsd_fail_nomem(err, "an answer");
    types->store = store;
    types->types = hsd_arena_take(&store->arena, (row_count(browse) + 1) * sizeof *types->types);
    if (types->types == NULL) {
        hsd_browse_types_free(types);
        return hsd_fail_nomem(err, "an answer");
    }
    choose_browse_type(browse, side, text, from, count, types);
    qsort(types->types, (size_t)types->total, sizeof *types->types, order_of(order));
    types->types += types->from;
    *out = types;
    return HSD_OK;
}

void hsd_browse_types_free(hsd_browse_types *types)
{
    if (types != NULL) hsd_browse_store_free(types->store);
}
