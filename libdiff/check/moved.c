/*
 * How much places that begin nowhere can have grown by.
 */
#include "check/moved.h"

#include <string.h>

#include "base/check.h"
#include "check/grown.h"
#include "check/store.h"
#include <hscapture/hscapture.h>

static int64_t more(uint64_t before, uint64_t after)
{
    return hsd_int64_minus(hsd_int64_of(after), hsd_int64_of(before));
}

static uint64_t above_zero(int64_t number) { return number > 0 ? (uint64_t)number : 0; }

/* By how much a row grew up to value `at`, where it did. */
static hsd_amount rise_of(const hsd_facts *facts, const hsd_series_row *row, size_t at)
{
    const hsd_amount *value = &row->values[facts->first + at];
    return (hsd_amount){above_zero(more(value[-1].objects, value->objects)),
                        above_zero(more(value[-1].bytes, value->bytes))};
}

static void add_check_move(hsd_amount *sum, hsd_amount part)
{
    sum->objects = hsd_add_saturating(sum->objects, part.objects);
    sum->bytes = hsd_add_saturating(sum->bytes, part.bytes);
}

/* Of types that grew, the growth. Code is in a row of its own wherever it hangs. */
static hsd_amount rise_of_types(const hsd_facts *facts, size_t at)
{
    const hsd_series_table *types = &facts->series->types;
    hsd_amount sum = {0, 0};
    for (size_t i = 0; i < types->row_count; i++)
        if ((types->rows[i].flags & HSC_TYPE_CODE) == 0) add_check_move(&sum, rise_of(facts, &types->rows[i], at));
    if (types->other_count > 0) add_check_move(&sum, rise_of(facts, &types->others, at));
    return sum;
}

/* Of all that begins nowhere, together; who is among those that are folded is not known. */
static hsd_amount rise_of_places(const hsd_facts *facts, size_t at)
{
    const hsd_series_table *holders = &facts->series->holders;
    hsd_amount before = {0, 0}, after = {0, 0}, sum;
    for (size_t i = 0; i < holders->row_count; i++) {
        const hsd_series_row *row = &holders->rows[i];
        if (!hsd_root_is_nobody(row->root)) continue;
        add_check_move(&before, row->values[facts->first + at - 1]);
        add_check_move(&after, row->values[facts->first + at]);
    }
    sum = (hsd_amount){above_zero(more(before.objects, after.objects)), above_zero(more(before.bytes, after.bytes))};
    if (holders->other_count > 0) add_check_move(&sum, rise_of(facts, &holders->others, at));
    return sum;
}

hsd_status hsd_moved_find(const hsd_facts *facts, hsd_check_store *store, const hsd_amount **out, hsd_error *err)
{
    const hsd_series *series = facts->series;
    void *most;
    *out = NULL;
    if (series == NULL || series->before_count > 0 || !series->types.is_known || !series->holders.is_known)
        return HSD_OK;
    HSD_TRY(hsd_check_take(store, facts->value_count, sizeof **out, &most, err));
    hsd_amount *values = most;
    values[0] = (hsd_amount){0, 0};
    for (size_t i = 1; i < facts->value_count; i++) {
        const hsd_amount types = rise_of_types(facts, i), places = rise_of_places(facts, i);
        values[i] = (hsd_amount){hsd_max_u64(types.objects, places.objects), hsd_max_u64(types.bytes, places.bytes)};
    }
    *out = values;
    return HSD_OK;
}

/* What `to` becomes when it goes on from `from` as `before` went on to `after`, but grows by no more than `most`. */
static uint64_t go_on_check_move(uint64_t from, uint64_t before, uint64_t after, uint64_t most)
{
    if (after >= before) return hsd_add_saturating(from, hsd_min_u64(after - before, most));
    return from - hsd_min_u64(from, before - after);
}

bool hsd_moved_leave_out(const hsd_amount *most, hsd_amount *values, size_t count)
{
    hsd_amount before = values[0];
    bool has_moved = false;
    for (size_t i = 1; i < count; i++) {
        const hsd_amount after = values[i];
        values[i] =
            (hsd_amount){go_on_check_move(values[i - 1].objects, before.objects, after.objects, most[i].objects),
                         go_on_check_move(values[i - 1].bytes, before.bytes, after.bytes, most[i].bytes)};
        has_moved = has_moved || values[i].objects != after.objects || values[i].bytes != after.bytes;
        before = after;
    }
    return has_moved;
}
