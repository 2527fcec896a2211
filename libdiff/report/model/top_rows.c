/*
 * Rows of one capture in order. Names break every tie, so the order is total.
 */
#include "report/model/top_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "report/sentences/place.h"

static int descending(uint64_t a, uint64_t b) { return (a < b) - (a > b); }

static int by_name(const void *left, const void *right)
{
    const hsd_text a = ((const hsd_top_row *)left)->name, b = ((const hsd_top_row *)right)->name;
    const size_t common = a.size < b.size ? a.size : b.size;
    const int order = common > 0 ? memcmp(a.data, b.data, common) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int by_bytes(const void *left, const void *right)
{
    const hsd_top_row *a = left, *b = right;
    int order = descending(a->live.bytes, b->live.bytes);
    if (order == 0) order = descending(a->live.objects, b->live.objects);
    return order != 0 ? order : by_name(left, right);
}

static int by_objects(const void *left, const void *right)
{
    const hsd_top_row *a = left, *b = right;
    const int order = descending(a->live.objects, b->live.objects);
    return order != 0 ? order : by_bytes(left, right);
}

/* What is shared retains nothing, and may be most of a heap. */
static uint64_t weight_of(const hsd_top_row *row)
{
    return row->root && row->root->is_shared ? row->live.bytes : row->retained_bytes;
}

static int by_retained(const void *left, const void *right)
{
    const hsd_top_row *a = left, *b = right;
    const int order = descending(weight_of(a), weight_of(b));
    return order != 0 ? order : by_bytes(left, right);
}

static const struct {
    int (*choose)(const void *, const void *), (*order)(const void *, const void *);
} sorts[] = {
    [HSD_SORT_GROWTH] = {by_bytes, by_bytes},         [HSD_SORT_PERCENT] = {by_bytes, by_bytes},
    [HSD_SORT_OBJECTS] = {by_objects, by_objects},    [HSD_SORT_NAME] = {by_retained, by_name},
    [HSD_SORT_RETAINED] = {by_retained, by_retained},
};

static void fill_top_row(hsd_top_ranking *ranking, const hsd_top *top, bool is_types)
{
    for (size_t i = 0; i < ranking->count; i++) {
        const hsd_top_type *type = is_types ? &top->types[i] : NULL;
        const hsd_top_root *root = is_types ? NULL : &top->roots[i];
        ranking->rows[i] = (hsd_top_row){
            .name = type ? type->name : root->name,
            .live = type ? type->live : root->live,
            .unreached = type ? type->unreached : (hsd_amount){0, 0},
            .retained_bytes = type ? type->retained_bytes : root->retained_bytes,
            .root = root,
        };
    }
}

/* Rows with live objects, put first: nothing is to be shown of the others. */
static size_t put_live_first(hsd_top_ranking *ranking)
{
    size_t live = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        if (ranking->rows[i].live.objects == 0) continue;
        const hsd_top_row row = ranking->rows[i];
        ranking->rows[i] = ranking->rows[live];
        ranking->rows[live++] = row;
    }
    return live;
}

static void add_top_row(hsd_amount *sum, hsd_amount part)
{
    sum->objects = hsd_add_saturating(sum->objects, part.objects);
    sum->bytes = hsd_add_saturating(sum->bytes, part.bytes);
}

hsd_status hsd_top_ranking_init(hsd_top_ranking *ranking, const hsd_top *top, bool is_types, hsd_sort_by sort_by,
                                size_t most, hsd_error *err)
{
    *ranking = (hsd_top_ranking){.count = is_types ? top->type_count : top->root_count};
    size_t bytes;
    if (!hsd_mul_size(ranking->count, sizeof *ranking->rows, &bytes) ||
        !(ranking->rows = malloc(bytes > 0 ? bytes : 1)))
        return hsd_fail(err, HSD_E_NOMEM, "no memory to order %zu rows of the report", ranking->count);
    fill_top_row(ranking, top, is_types);
    const size_t eligible = most == HSD_TOP_ALL ? ranking->count : put_live_first(ranking);
    ranking->shown = most < eligible ? most : eligible;
    qsort(ranking->rows, eligible, sizeof *ranking->rows, sorts[sort_by].choose);
    qsort(ranking->rows, ranking->shown, sizeof *ranking->rows, sorts[sort_by].order);
    for (size_t i = ranking->shown; i < ranking->count; i++) {
        add_top_row(&ranking->others, ranking->rows[i].live);
        add_top_row(&ranking->others_unreached, ranking->rows[i].unreached);
    }
    return HSD_OK;
}

void hsd_top_ranking_release(hsd_top_ranking *ranking)
{
    free(ranking->rows);
    *ranking = (hsd_top_ranking){0};
}

hsd_status hsd_top_object_append(hsd_buffer *out, const hsd_top_object *object, const char *before, const char *after,
                                 hsd_error *err)
{
    const hsd_spot place = {object->root, object->path, object->path_count, object->path_cut};
    HSD_TRY(hsd_place_append(out, &place, err));
    if (hsd_place_ends_in_type(&place)) return HSD_OK;
    if (object->path_count > 0) return hsd_place_append_type(out, &place, before, after, err);
    HSD_TRY(hsd_buffer_append(out, before, strlen(before), err));
    HSD_TRY(hsd_buffer_append(out, object->type.data, object->type.size, err));
    return hsd_buffer_append(out, after, strlen(after), err);
}
