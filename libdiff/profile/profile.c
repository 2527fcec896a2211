/*
 * Which way a capture goes, and what is alike on all of them.
 */
#include "profile/profile_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/options.h"
#include "totals/metrics.h"
#include "totals/type_totals.h"

void hsd_profile_free(hsd_profile *profile)
{
    if (profile == NULL) return;
    hsd_store_free(profile->store);
    free(profile);
}

static hsd_status new_result(hsd_profile **out, hsd_error *err)
{
    hsd_profile *profile = calloc(1, sizeof *profile);
    if (profile != NULL) profile->store = calloc(1, sizeof *profile->store);
    if (profile == NULL || profile->store == NULL) {
        free(profile);
        return hsd_fail_nomem(err, "the result");
    }
    profile->why_no_places = (hsd_text){"", 0};
    *out = profile;
    return HSD_OK;
}

/* ---- what the ways share ---- */

uint32_t hsd_profile_most_places(const hsd_profile_options *options)
{
    if (options->places == 0) return HSD_PLACES_USUAL;
    return (uint32_t)hsd_min_u64(options->places, HSD_PLACES_MOST);
}

hsd_status hsd_profile_say_why(hsd_profile *profile, const char *why, hsd_error *err)
{
    HSD_ASSERT(why != NULL);
    return hsd_store_text(profile->store, (hsd_bytes){(const uint8_t *)why, strlen(why)}, &profile->why_no_places, err);
}

hsd_status hsd_profile_say_too_few(hsd_profile *profile, uint64_t memory_bytes, uint64_t suffices, hsd_error *err)
{
    char why[160];
    snprintf(why, sizeof why, "%llu MiB of memory are too few for so many, %llu suffice",
             (unsigned long long)(memory_bytes >> 20), (unsigned long long)((suffices + 0xfffff) >> 20));
    return hsd_profile_say_why(profile, why, err);
}

static int compare_types(const void *left, const void *right)
{
    const hsd_top_type *a = left, *b = right;
    if (a->live.bytes != b->live.bytes) return a->live.bytes < b->live.bytes ? 1 : -1;
    return hsd_store_compare(a->name, b->name);
}

static int compare_roots(const void *left, const void *right)
{
    const hsd_top_root *a = left, *b = right;
    if (a->live.bytes != b->live.bytes) return a->live.bytes < b->live.bytes ? 1 : -1;
    return hsd_store_compare(a->name, b->name);
}

void hsd_profile_sort(hsd_profile *profile)
{
    if (profile->type_count > 0) qsort(profile->types, profile->type_count, sizeof *profile->types, compare_types);
    if (profile->root_count > 0) qsort(profile->roots, profile->root_count, sizeof *profile->roots, compare_roots);
}

hsd_status hsd_profile_rows_of(const hsd_profile *profile, const hsd_names *names, uint32_t **rows, hsd_error *err)
{
    *rows = malloc(((size_t)names->count + 1) * sizeof **rows);
    if (*rows == NULL) return hsd_fail_nomem(err, "the result");
    for (uint32_t i = 0; i < names->count; i++)
        (*rows)[i] = HSD_ID_NONE;
    for (size_t i = 0; i < profile->type_count; i++) {
        const hsd_text name = profile->types[i].name;
        const uint32_t number = hsd_names_find(names, (hsd_bytes){(const uint8_t *)name.data, name.size});
        if (number != HSD_NAME_NONE) (*rows)[number] = (uint32_t)i;
    }
    return HSD_OK;
}

/* ---- which way ---- */

static hsd_status no_objects(const hsd_capture_info *info, hsd_error *err)
{
    hsd_error_set_file(err, info->path);
    const hsd_status status = hsd_fail(err, HSD_E_UNSUPPORTED, "totals by type alone tell of no single object");
    hsd_error_set_hint(err, "take a capture with objects, or leave out what asks for single ones");
    return status;
}

static hsd_status make_profile(hsd_profile *profile, hsd_capture *capture, const hsd_profile_options *options,
                               const hsd_run *run, hsd_error *err)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    const bool has_totals_alone = (info->objects == 0 && info->summary_objects > 0) || hsd_summary_is_too_large(info);
    HSD_TRY(hsd_metrics_read(profile->store, capture, &profile->metrics, &profile->metric_count, err));
    if (info->is_baseline && !options->summary_only) return hsd_profile_read(profile, capture, options, run, err);
    if (!has_totals_alone && !options->summary_only) return hsd_profile_walk(profile, capture, options, run, err);
    return options->each != NULL ? no_objects(info, err) : hsd_profile_summarise(profile, capture, err);
}

hsd_status hsd_profile_make(hsd_profile **out, hsd_capture *capture, const hsd_profile_options *options,
                            const hsd_run *run, hsd_error *err)
{
    hsd_profile *profile = NULL;
    hsd_profile_options own;
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_profile_options, each_context, &own, options, err));
    if (own.walked != NULL) *own.walked = NULL;
    HSD_TRY(new_result(&profile, err));
    const hsd_status status = make_profile(profile, capture, &own, run, err);
    if (status == HSD_OK)
        *out = profile;
    else
        hsd_profile_free(profile);
    return status;
}
