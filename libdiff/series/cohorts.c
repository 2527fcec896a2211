/*
 * The ages of objects over a series.
 */
#include "series/cohorts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"

void hsd_aging_stop(hsd_aging *aging, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(aging->why, sizeof aging->why, format, arguments);
    va_end(arguments);
    aging->is_on = false;
    hsd_list_close(&aging->alive);
    hsd_list_close(&aging->next);
}

hsd_status hsd_aging_open(hsd_aging *aging, const hsd_series_options *options, size_t count, hsd_named_table *types,
                          hsd_temp_space *space, hsd_error *err)
{
    *aging = (hsd_aging){.is_on = true, .wish = options->cohorts, .space = space, .types = types};
    if (options->cohorts == HSD_COHORTS_NEVER)
        hsd_aging_stop(aging, "they were not asked for");
    else if (options->before_count > 0)
        hsd_aging_stop(aging, "the captures are repeated ones and no moments of one process");
    else if (options->summary_only)
        hsd_aging_stop(aging, "type totals alone were asked for");
    return aging->is_on ? hsd_ages_open(&aging->ages, count, space, err) : HSD_OK;
}

/* ---- what the captures allow ---- */

static bool is_zero_cohort(const uint8_t domain[16])
{
    static const uint8_t zero[16];
    return memcmp(domain, zero, sizeof zero) == 0;
}

/* Why the ids of a capture say nothing about the one before it, or about any; NULL if they do. */
static const char *why_not_by_ids(const hsd_aging *aging, const hsd_capture_info *info, const hsd_capture_info *last)
{
    const bool is_first = aging->capture == 0;
    if (info->identity == HSD_IDENTITY_MOVING)
        return "the collector moves objects; --cohorts recognises them by structure";
    if (info->identity == HSD_IDENTITY_NONE)
        return "the captures carry no identities of objects; --cohorts recognises them by structure";
    /* Ids that are unique in a process are taken for those of one, as in a diff; addresses of two processes would be
     * equal by chance. */
    const bool is_silent = is_zero_cohort(info->domain);
    if ((is_silent && info->identity != HSD_IDENTITY_EXACT) ||
        (!is_first && is_silent != is_zero_cohort(aging->domain)))
        return "the captures do not say which process they are of; --cohorts compares them all the same";
    if (is_first) return NULL;
    if (info->identity != aging->identity)
        return "the captures identify objects in different ways; --cohorts recognises them by structure";
    if (memcmp(info->domain, aging->domain, sizeof info->domain) != 0 && hsd_capture_same_process(info, last))
        return "the runtime numbered the objects of the process anew between the captures; --cohorts recognises them "
               "by structure";
    if (memcmp(info->domain, aging->domain, sizeof info->domain) != 0 ||
        (info->pid != 0 && aging->pid != 0 && info->pid != aging->pid))
        return "the captures are of different processes; --cohorts recognises what plays the same part by structure";
    return NULL;
}

static void ask_cohort(hsd_aging *aging, const hsd_capture_info *info, const hsd_capture_info *last)
{
    const char *why = why_not_by_ids(aging, info, last);
    aging->is_by_pairs = why != NULL && aging->capture > 0;
    if (!info->is_complete)
        hsd_aging_stop(aging, "%s is incomplete", info->path);
    else if (why != NULL && aging->wish != HSD_COHORTS_ALWAYS)
        hsd_aging_stop(aging, "%s", why);
    aging->identity = info->identity;
    aging->pid = info->pid;
    memcpy(aging->domain, info->domain, sizeof aging->domain);
}

hsd_status hsd_aging_begin(hsd_aging *aging, uint32_t capture, const hsd_capture_info *info,
                           const hsd_capture_info *last, hsd_error *err)
{
    aging->capture = capture;
    aging->mapped = NULL;
    if (aging->is_on) ask_cohort(aging, info, last);
    if (!aging->is_on) return HSD_OK;
    aging->asks_turn = last != NULL && !aging->is_by_pairs && hsd_turn_is_asked(last, info);
    aging->is_met = false;
    aging->turn = (hsd_turn){0};
    hsd_ages_begin(&aging->ages, capture);
    HSD_TRY(hsd_list_open(&aging->next, aging->space, err));
    return capture > 0 ? hsd_list_rewind(&aging->alive, err) : HSD_OK;
}

/* ---- objects as they come ---- */

static hsd_status map_types(hsd_aging *aging, const hsd_profile *profile, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(aging->row_of_type, aging->row_capacity, profile->type_count, 0, "the cohorts", err));
    for (size_t i = 0; i < profile->type_count; i++) { /* as the table of types does, which comes later */
        const hsd_top_type *type = &profile->types[i];
        aging->row_of_type[i] = HSD_NOT_TOLD_APART;
        if (type->live.objects > 0) HSD_TRY(hsd_named_table_row(aging->types, type->name, &aging->row_of_type[i], err));
    }
    aging->mapped = profile;
    return HSD_OK;
}

static hsd_status pass_by(hsd_aging *aging, hsd_error *err)
{
    if (aging->asks_turn && !aging->is_met) hsd_turn_take(&aging->turn, aging->alive.head.id, true, false);
    aging->is_met = false;
    return hsd_list_next(&aging->alive, err);
}

static hsd_status order_of(hsd_aging *aging, hsd_order *out, hsd_error *err)
{
    if (!aging->asks_turn) return HSD_OK;
    while (aging->alive.has_head)
        HSD_TRY(pass_by(aging, err));
    *out = hsd_turn_order(&aging->turn);
    return HSD_OK;
}

/* The capture where an object of the list was first seen; the open one for one that is not in it. */
static hsd_status find_birth(hsd_aging *aging, uint64_t id, uint32_t type, uint32_t *out, hsd_error *err)
{
    hsd_list *alive = &aging->alive;
    *out = aging->capture;
    while (alive->has_head && alive->head.id < id)
        HSD_TRY(pass_by(aging, err));
    aging->is_met = alive->has_head && alive->head.id == id && alive->head.type == type;
    if (aging->is_met) *out = alive->head.born;
    if (aging->asks_turn) hsd_turn_take(&aging->turn, id, aging->is_met, true);
    return HSD_OK;
}

hsd_status hsd_aging_each(void *context, const hsd_profile *profile, uint32_t type, uint64_t id, uint64_t bytes,
                          hsd_error *err)
{
    hsd_aging *aging = context;
    if (aging->mapped != profile) HSD_TRY(map_types(aging, profile, err));
    hsd_listed object = {.id = id, .bytes = bytes, .type = aging->row_of_type[type], .born = aging->capture};
    if (!aging->is_by_pairs) {
        HSD_TRY(find_birth(aging, id, object.type, &object.born, err));
        HSD_TRY(hsd_ages_add(&aging->ages, object.type, object.born, bytes, err));
    }
    return hsd_list_put(&aging->next, &object, err);
}

hsd_status hsd_aging_end(hsd_aging *aging, hsd_capture *before, hsd_capture *after, const hsd_series_options *options,
                         const hsd_run *run, hsd_order *order, hsd_error *err)
{
    *order = HSD_ORDER_UNKNOWN;
    if (!aging->is_on) return HSD_OK;
    HSD_TRY(order_of(aging, order, err));
    if (*order == HSD_ORDER_CONTRADICTORY) {
        hsd_aging_stop(aging, "the ids of the captures contradict each other");
        return HSD_OK;
    }
    if (aging->is_by_pairs) HSD_TRY(hsd_aging_by_pairs(aging, before, after, options, run, err));
    if (!aging->is_on) return HSD_OK;
    hsd_list_close(&aging->alive);
    aging->alive = aging->next;
    aging->next = (hsd_list){.id = 0};
    return hsd_ages_end(&aging->ages, err);
}

/* ---- the result ---- */

hsd_status hsd_aging_finish(hsd_aging *aging, uint64_t memory_bytes, hsd_series_store *store, hsd_cohorts *out,
                            hsd_error *err)
{
    const uint64_t type_bytes = HSD_COHORTS_MOST * HSD_COHORTS_MOST * sizeof(hsd_amount);
    out->are_known = aging->is_on;
    HSD_TRY(hsd_series_words(store, aging->why, &out->why_not, err));
    if (!aging->is_on) return HSD_OK;
    out->is_by_structure = aging->is_by_structure;
    return hsd_ages_finish(&aging->ages, aging->types,
                           (size_t)hsd_min_u64(HSD_COHORT_TYPES_MOST, memory_bytes / type_bytes + 1), store, out, err);
}

void hsd_aging_close(hsd_aging *aging)
{
    hsd_list_close(&aging->alive);
    hsd_list_close(&aging->next);
    hsd_ages_close(&aging->ages);
    free(aging->row_of_type);
    memset(aging, 0, sizeof *aging);
}
