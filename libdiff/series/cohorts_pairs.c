/*
 * One step of ages where ids say nothing: a diff of the two captures tells which object is which.
 *
 *      diff ──(id before, id after)──► sort by before ──┐
 *      alive, by id before ─────────────────────────────┴─► (id after, born) ──► sort by after ──┐
 *      next: all of the open capture, by id ─────────────────────────────────────────────────────┴─► next, with births
 *
 * Pairs wait in a stream until the diff has given its memory back.
 */
#include "series/cohorts.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "sort/sorter.h"

typedef struct pairs {
    hsd_stream stream; /* ids before and after, as differences to the pair before */
    uint64_t before, after;
} pairs;

static hsd_status put_pair(void *context, uint64_t id_before, uint64_t id_after, hsd_match_rung rung, hsd_error *err)
{
    pairs *p = context;
    (void)rung;
    HSD_TRY(hsd_stream_put_signed(&p->stream, (int64_t)(id_before - p->before), err));
    HSD_TRY(hsd_stream_put_signed(&p->stream, (int64_t)(id_after - p->after), err));
    p->before = id_before;
    p->after = id_after;
    return HSD_OK;
}

/* HSD_END behind the last. */
static hsd_status get_pair(pairs *p, uint64_t pair[2], hsd_error *err)
{
    uint64_t folded;
    int64_t after;
    HSD_TRY(hsd_stream_get(&p->stream, &folded, err));
    HSD_TRY(hsd_stream_need_signed(&p->stream, &after, err));
    pair[0] = p->before += folded >> 1 ^ (0 - (folded & 1));
    pair[1] = p->after += (uint64_t)after;
    return HSD_OK;
}

static hsd_status find_pairs(hsd_aging *aging, pairs *p, hsd_capture *before, hsd_capture *after,
                             const hsd_series_options *options, const hsd_run *run, hsd_error *err)
{
    hsd_diff *diff;
    const hsd_diff_options how = {
        .no_holders = true, .partial = options->partial, .matched = put_pair, .matched_context = p};
    HSD_TRY(hsd_diff_run(&diff, before, after, &how, run, err));
    aging->is_by_structure |= diff->is_by_structure;
    if (!diff->identity_is_known) {
        const hsd_text why = diff->match_reason;
        hsd_aging_stop(aging, "%s: %.*s", hsd_capture_get_info(after)->path, (int)hsd_min_u64(why.size, 400), why.data);
    }
    hsd_diff_free(diff);
    p->before = p->after = 0;
    return aging->is_on ? hsd_stream_rewind(&p->stream, err) : HSD_OK;
}

/* ---- joins ---- */

static hsd_status new_sorter(hsd_sorter **out, unsigned words, hsd_aging *aging, const hsd_run *run, hsd_error *err)
{
    const uint64_t memory = run->memory_bytes != 0 ? run->memory_bytes : hsd_run_default_memory();
    const hsd_sorter_config config = {.record_words = words,
                                      .key_words = 1,
                                      .space = aging->space,
                                      .memory_bytes = (size_t)hsd_max_u64(memory / 8, HSD_SORT_MIN_BYTES)};
    return hsd_sorter_new(out, &config, err);
}

static hsd_status sort_by_before(pairs *p, hsd_sorter *sorter, hsd_error *err)
{
    uint64_t pair[2];
    hsd_status status;
    while ((status = get_pair(p, pair, err)) == HSD_OK)
        HSD_TRY(hsd_sorter_put(sorter, pair, err));
    if (status != HSD_END) return status;
    return hsd_sorter_finish(sorter, 0, err);
}

/* Who was alive, under the id of after. */
static hsd_status rename_alive(hsd_list *alive, hsd_sorter *by_before, hsd_sorter *by_after, hsd_error *err)
{
    const uint64_t *pair;
    hsd_status status;
    while ((status = hsd_sorter_next(by_before, &pair, err)) == HSD_OK) {
        while (alive->has_head && alive->head.id < pair[0])
            HSD_TRY(hsd_list_next(alive, err));
        if (!alive->has_head || alive->head.id != pair[0]) continue;
        const uint64_t renamed[2] = {pair[1], (uint64_t)alive->head.type << 32 | alive->head.born};
        HSD_TRY(hsd_sorter_put(by_after, renamed, err));
    }
    if (status != HSD_END) return status;
    return hsd_sorter_finish(by_after, 0, err);
}

/* `out` is `all` with births. */
static hsd_status give_births(hsd_aging *aging, hsd_list *all, hsd_sorter *by_after, hsd_list *out, hsd_error *err)
{
    const uint64_t *renamed = NULL;
    hsd_status status = hsd_sorter_next(by_after, &renamed, err);
    while (all->has_head) {
        hsd_listed object = all->head;
        while (status == HSD_OK && renamed[0] < object.id)
            status = hsd_sorter_next(by_after, &renamed, err);
        if (status < 0) return status;
        if (status == HSD_OK && renamed[0] == object.id && renamed[1] >> 32 == object.type)
            object.born = (uint32_t)renamed[1];
        HSD_TRY(hsd_ages_add(&aging->ages, object.type, object.born, object.bytes, err));
        HSD_TRY(hsd_list_put(out, &object, err));
        HSD_TRY(hsd_list_next(all, err));
    }
    return HSD_OK;
}

static hsd_status join_cohort_pair(hsd_aging *aging, hsd_sorter *by_before, hsd_sorter *by_after, hsd_error *err)
{
    hsd_list born;
    HSD_TRY(rename_alive(&aging->alive, by_before, by_after, err));
    HSD_TRY(hsd_list_rewind(&aging->next, err));
    HSD_TRY(hsd_list_open(&born, aging->space, err));
    const hsd_status status = give_births(aging, &aging->next, by_after, &born, err);
    hsd_list_close(&aging->next);
    aging->next = born;
    return status;
}

static hsd_status sort_and_join(hsd_aging *aging, pairs *p, const hsd_run *run, hsd_error *err)
{
    hsd_sorter *by_before = NULL, *by_after = NULL;
    hsd_status status = new_sorter(&by_before, 2, aging, run, err);
    if (status == HSD_OK) status = sort_by_before(p, by_before, err);
    hsd_stream_close(&p->stream);
    if (status == HSD_OK) status = new_sorter(&by_after, 2, aging, run, err);
    if (status == HSD_OK) status = join_cohort_pair(aging, by_before, by_after, err);
    hsd_sorter_free(by_before);
    hsd_sorter_free(by_after);
    return status;
}

hsd_status hsd_aging_by_pairs(hsd_aging *aging, hsd_capture *before, hsd_capture *after,
                              const hsd_series_options *options, const hsd_run *run, hsd_error *err)
{
    pairs p = {.before = 0};
    HSD_TRY(hsd_stream_open(&p.stream, aging->space, err));
    hsd_status status = find_pairs(aging, &p, before, after, options, run, err);
    if (status == HSD_OK && aging->is_on) status = sort_and_join(aging, &p, run, err);
    hsd_stream_close(&p.stream);
    return status;
}
