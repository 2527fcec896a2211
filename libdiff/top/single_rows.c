/*
 * Sums by number become rows with names; what has no objects is left out.
 */
#include "top/single_rows.h"

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "walk/fold.h"

hsd_status hsd_single_types(const hsd_single *single, const hsd_retained_sums *retained, hsd_diff_store *store,
                            hsd_top_type **rows, size_t *count, hsd_error *err)
{
    HSD_ASSERT(single->side.counts != NULL);
    const hsd_fold_side *counts = single->side.counts;
    const hsd_names *names = &single->types.names;
    *count = 0;
    *rows = hsd_arena_take(&store->arena, names->count * sizeof **rows);
    if (*rows == NULL) return hsd_fail_nomem(err, "the result");
    for (uint32_t i = 0; i < names->count; i++) {
        hsd_top_type row = {
            .flags = single->types.flags[i],
            .live = counts->live_by_type[i],
            .unreached = counts->unreached_by_type[i],
            .retained_bytes = retained != NULL ? retained->bytes[i] : 0,
        };
        if (row.live.objects == 0 && row.unreached.objects == 0) continue;
        HSD_TRY(hsd_store_text(store, hsd_names_get(names, i), &row.name, err));
        (*rows)[(*count)++] = row;
    }
    return HSD_OK;
}

hsd_status hsd_single_roots(const hsd_single *single, const hsd_retained_sums *retained, hsd_diff_store *store,
                            hsd_top_root **rows, size_t *count, hsd_error *err)
{
    HSD_ASSERT(single->side.counts != NULL);
    const hsd_side_walk *side = &single->side;
    const hsd_names *names = &side->roots.names;
    *count = 0;
    if (!hsd_side_has_graph(side)) return HSD_OK; /* nothing to tell them by */
    *rows = hsd_arena_take(&store->arena, names->count * sizeof **rows);
    if (*rows == NULL) return hsd_fail_nomem(err, "the result");
    for (uint32_t i = 0; i < names->count; i++) {
        hsd_top_root row = {
            .kind = side->roots.kinds[i],
            .is_shared = i == HSD_ROOT_SHARED,
            .live = side->counts->live_by_root[i],
            .retained_bytes = retained != NULL ? retained->bytes[i] : 0,
        };
        if (row.live.objects == 0 && row.retained_bytes == 0) continue;
        HSD_TRY(hsd_store_text(store, hsd_names_get(names, i), &row.name, err));
        (*rows)[(*count)++] = row;
    }
    return HSD_OK;
}

/* ---- the side ---- */

static void add_single_row(hsd_amount *sum, hsd_amount amount)
{
    sum->objects = hsd_add_saturating(sum->objects, amount.objects);
    sum->bytes = hsd_add_saturating(sum->bytes, amount.bytes);
}

static void add_warnings(hsd_diff_store *store, const hsd_side *side)
{
    hsd_store_warn_of_capture(store, &side->info);
    if (side->info.is_baseline) {
        hsd_store_warn(store,
                       "%s is a baseline: it holds sums and no object to look at; take the capture that it was made of",
                       side->info.path);
        return;
    }
    if (side->info.summary_objects > 0) {
        hsd_store_warn(store, "%s %s", side->info.path,
                       side->info.objects == 0 ? "holds totals by type alone: there is no object to look at"
                                               : "has totals by type beside its objects: they are not counted here");
    }
    hsd_store_warn_of_references(store, side);
}

hsd_status hsd_single_side(const hsd_single *single, const hsd_top_type *types, size_t count, hsd_diff_store *store,
                           hsd_side *out, hsd_error *err)
{
    hsd_amount live = {0, 0}, unreached = {0, 0};
    for (size_t i = 0; i < count; i++) {
        add_single_row(&live, types[i].live);
        add_single_row(&unreached, types[i].unreached);
    }
    HSD_TRY(hsd_store_info(store, single->side.info, &out->info, err));
    hsd_store_side(out, &single->side, live, unreached);
    add_warnings(store, out);
    return HSD_OK;
}
