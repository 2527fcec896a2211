/* What is lost, and what is not collected yet, by type alone. */
#include "totals/lost_types.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>

/* ---- the rows of a table ---- */

static int compare_frames(const hsd_lost_row *x, const hsd_lost_row *y)
{
    for (size_t i = 0; i < x->frame_count && i < y->frame_count; i++) {
        const hsd_site_frame *a = &x->frames[i], *b = &y->frames[i];
        int order = hsd_store_compare(a->function, b->function);
        if (order == 0) order = hsd_store_compare(a->file, b->file);
        if (order == 0) order = (a->line > b->line) - (a->line < b->line);
        if (order == 0) order = (a->column > b->column) - (a->column < b->column);
        if (order != 0) return order;
    }
    return (x->frame_count > y->frame_count) - (x->frame_count < y->frame_count);
}

static int compare_rows(const void *a, const void *b)
{
    const hsd_lost_row *x = a, *y = b;
    if (hsd_lost_growth(x) != hsd_lost_growth(y)) return hsd_lost_growth(x) > hsd_lost_growth(y) ? -1 : 1;
    int order = hsd_store_compare(x->type, y->type);
    if (order == 0) order = hsd_store_compare(x->cycle, y->cycle);
    return order != 0 ? order : compare_frames(x, y);
}

static void add_lost_type(hsd_amount *to, hsd_amount amount)
{
    to->objects = hsd_add_saturating(to->objects, amount.objects);
    to->bytes = hsd_add_saturating(to->bytes, amount.bytes);
}

static void add_other(hsd_lost *lost, const hsd_lost_row *row)
{
    lost->other_count++;
    add_lost_type(&lost->others.before, row->before);
    add_lost_type(&lost->others.after, row->after);
    add_lost_type(&lost->others.heads_before, row->heads_before);
    add_lost_type(&lost->others.heads_after, row->heads_after);
    add_lost_type(&lost->others.revived, row->revived);
}

hsd_status hsd_lost_keep(hsd_lost *lost, hsd_lost_row *items, size_t count, hsd_diff_store *store, hsd_error *err)
{
    HSD_ASSERT(count == 0 || items != NULL);
    lost->row_count = hsd_min_u64(count, HSD_LOST_ROWS);
    lost->others.type = lost->others.cycle = lost->others.place = (hsd_text){"", 0};
    lost->rows = hsd_arena_take(&store->arena, lost->row_count * sizeof *lost->rows + 1);
    if (lost->rows == NULL) return hsd_fail_nomem(err, "what no root reaches");
    if (count > 0) qsort(items, count, sizeof *items, compare_rows);
    if (lost->row_count > 0) memcpy(lost->rows, items, lost->row_count * sizeof *lost->rows);
    for (size_t i = HSD_LOST_ROWS; i < count; i++)
        add_other(lost, &items[i]);
    return HSD_OK;
}

/* ---- by type ---- */

static hsd_lost_row row_of(hsd_text type, hsd_amount before, hsd_amount after)
{
    return (hsd_lost_row){.type = type,
                          .cycle = {"", 0},
                          .place = {"", 0},
                          .before = before,
                          .after = after,
                          .heads_before = before,
                          .heads_after = after};
}

/* Room for a row of each type; the caller frees it. */
static hsd_status take_items(hsd_lost_row **items, size_t count, hsd_error *err)
{
    *items = malloc((count + 1) * sizeof **items);
    return *items == NULL ? hsd_fail_nomem(err, "what no root reaches") : HSD_OK;
}

static hsd_status fill_lost_type(hsd_lost *lost, const hsd_diff *diff, hsd_error *err)
{
    hsd_lost_row *items;
    size_t count = 0;
    const bool knows_revived = hsd_new_is_known(diff) && !diff->is_by_structure && diff->match.address == 0;
    HSD_TRY(take_items(&items, diff->type_count, err));
    for (size_t i = 0; i < diff->type_count; i++) {
        const hsd_type_row *type = &diff->types[i];
        if (type->unreached_before.objects == 0 && type->unreached_after.objects == 0) continue;
        items[count] = row_of(type->name, type->unreached_before, type->unreached_after);
        if (knows_revived) items[count].revived = type->revived;
        count++;
    }
    *lost = (hsd_lost){.is_known = true, .is_by_type = true, .knows_revived = knows_revived};
    const hsd_status status = hsd_lost_keep(lost, items, count, diff->store, err);
    free(items);
    return status;
}

static bool tells_unreached(const hsd_side *side)
{
    return side->has_roots && side->has_references && side->info.is_complete;
}

hsd_status hsd_lost_add_types(hsd_diff *diff, hsd_error *err)
{
    const uint32_t before = diff->before.info.facts & HSC_FACT_MANUAL, after = diff->after.info.facts & HSC_FACT_MANUAL;
    const bool tells = tells_unreached(&diff->before) && tells_unreached(&diff->after);
    diff->lost.others.type = diff->lost.others.cycle = diff->lost.others.place = (hsd_text){"", 0};
    diff->uncollected.others = diff->lost.others;
    if (diff->lost.is_known || diff->is_summary || diff->is_partial || !tells || before != after) return HSD_OK;
    return fill_lost_type(before != 0 ? &diff->lost : &diff->uncollected, diff, err);
}

hsd_status hsd_lost_add_profile_types(hsd_profile *profile, hsd_error *err)
{
    hsd_lost_row *items;
    size_t count = 0;
    if ((profile->side.info.facts & HSC_FACT_MANUAL) == 0 || !tells_unreached(&profile->side)) return HSD_OK;
    HSD_TRY(take_items(&items, profile->type_count, err));
    for (size_t i = 0; i < profile->type_count; i++)
        if (profile->types[i].unreached.objects > 0)
            items[count++] = row_of(profile->types[i].name, (hsd_amount){0, 0}, profile->types[i].unreached);
    profile->lost = (hsd_lost){.is_known = true, .is_by_type = true};
    const hsd_status status = hsd_lost_keep(&profile->lost, items, count, profile->store, err);
    free(items);
    return status;
}
