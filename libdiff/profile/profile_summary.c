/*
 * A profile of type totals alone: every captured object counts as live, for nothing tells what is reached.
 */
#include "profile/profile_state.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "format/tables.h"
#include "totals/type_totals.h"

static void add_profile_summary(hsd_amount *sum, hsd_amount amount)
{
    sum->objects = hsd_add_saturating(sum->objects, amount.objects);
    sum->bytes = hsd_add_saturating(sum->bytes, amount.bytes);
}

static hsd_status make_types(hsd_profile *profile, const hsd_type_names *names, const hsd_amount *totals,
                             hsd_error *err)
{
    profile->types = hsd_arena_take(&profile->store->arena, names->names.count * sizeof *profile->types);
    if (profile->types == NULL) return hsd_fail_nomem(err, "the result");
    for (uint32_t i = 0; i < names->names.count; i++) {
        if (totals[i].objects == 0) continue;
        hsd_top_type *row = &profile->types[profile->type_count];
        *row = (hsd_top_type){.flags = names->flags[i], .live = totals[i]};
        HSD_TRY(hsd_store_text(profile->store, hsd_names_get(&names->names, i), &row->name, err));
        add_profile_summary(&profile->side.live, totals[i]);
        profile->type_count++;
    }
    hsd_profile_sort(profile);
    return HSD_OK;
}

static hsd_status read_types(hsd_profile *profile, hsd_capture *capture, hsd_type_names *names, hsd_type_table *table,
                             hsd_error *err)
{
    HSD_TRY(hsd_summary_check(hsd_capture_get_info(capture), err));
    HSD_TRY(hsd_type_table_load(table, capture, names, err));
    hsd_amount *totals = calloc(names->names.count, sizeof *totals);
    if (totals == NULL) return hsd_fail_nomem(err, "the result");
    hsd_status status = hsd_summary_add(totals, capture, table, err);
    if (status == HSD_OK) status = make_types(profile, names, totals, err);
    free(totals);
    return status;
}

hsd_status hsd_profile_summarise(hsd_profile *profile, hsd_capture *capture, hsd_error *err)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    hsd_type_table table = {0};
    hsd_type_names names = {0};
    hsd_status status = hsd_type_names_init(&names, err);
    if (status == HSD_OK) status = read_types(profile, capture, &names, &table, err);
    hsd_type_table_release(&table);
    hsd_type_names_release(&names);
    if (status < 0) hsd_error_set_file(err, info->path);
    HSD_TRY(status);
    profile->is_summary = true;
    profile->is_baseline = info->is_baseline;
    const char *why = hsd_summary_is_too_large(info) ? "there are more objects than are walked"
                                                     : "totals by type alone tell of no places";
    HSD_TRY(hsd_profile_say_why(profile, why, err));
    HSD_TRY(hsd_store_info(profile->store, info, &profile->side.info, err));
    hsd_store_warn_of_capture(profile->store, &profile->side.info);
    hsd_summary_warn_if_too_large(profile->store, info);
    profile->warnings = profile->store->warnings;
    profile->warning_count = profile->store->warning_count;
    return HSD_OK;
}
