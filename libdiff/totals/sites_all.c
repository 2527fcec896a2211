#define _GNU_SOURCE /* qsort_r */
/*
 * Growth by allocation site over all types. Every byte of the totals is in one row: what no site is known of is in the
 * row without frames, and what is more than HSD_SITE_ROWS rows in the sum behind them.
 */
#include "totals/sites_all.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>

#define NO_STACK UINT32_MAX

bool hsd_sites_are_all(hsd_capture *before, hsd_capture *after)
{
    const hsd_capture_info *a = hsd_capture_get_info(before), *b = hsd_capture_get_info(after);
    if ((a->references | a->edges | b->references | b->edges) != 0 || a->is_baseline || b->is_baseline) return false;
    /* they know what is lost, where nothing refers to anything too */
    if (((a->facts | b->facts) & HSC_FACT_MANUAL) != 0) return false;
    return a->sites > 0 || b->sites > 0;
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const hsd_site_search *s = context;
    const hsd_site_sum *x = a, *y = b;
    if ((x->stack == NO_STACK) != (y->stack == NO_STACK) && hsd_site_sum_growth(x) == hsd_site_sum_growth(y))
        return x->stack == NO_STACK ? 1 : -1;
    return hsd_site_compare(s, x, y);
}

static uint64_t left_of(uint64_t total, uint64_t known) { return total > known ? total - known : 0; }

/* The row of what was allocated nobody knows where. */
static hsd_site_sum rest_of(const hsd_site_search *s, const hsd_diff *diff)
{
    const hsd_amount totals[2] = {diff->total.before, diff->total.after};
    hsd_site_sum rest = {.stack = NO_STACK};
    for (int side = 0; side < 2; side++) {
        hsd_amount known = {0};
        for (uint32_t i = 0; i < s->row_count; i++) {
            known.objects = hsd_add_saturating(known.objects, s->rows[i].amounts[side].objects);
            known.bytes = hsd_add_saturating(known.bytes, s->rows[i].amounts[side].bytes);
        }
        rest.amounts[side] =
            (hsd_amount){left_of(totals[side].objects, known.objects), left_of(totals[side].bytes, known.bytes)};
    }
    return rest;
}

static hsd_status append_rest(hsd_site_search *s, const hsd_diff *diff, hsd_error *err)
{
    const hsd_site_sum rest = rest_of(s, diff);
    if ((rest.amounts[0].objects | rest.amounts[0].bytes | rest.amounts[1].objects | rest.amounts[1].bytes) == 0)
        return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(s->rows, s->row_capacity, (uint64_t)s->row_count + 1, 1, "the allocation sites", err));
    s->rows[s->row_count++] = rest;
    return HSD_OK;
}

static void add_amount(hsd_amount *to, hsd_amount amount)
{
    to->objects = hsd_add_saturating(to->objects, amount.objects);
    to->bytes = hsd_add_saturating(to->bytes, amount.bytes);
}

static hsd_status make_rows(hsd_site_search *s, hsd_diff *diff, hsd_error *err)
{
    if (s->row_count > 1) qsort_r(s->rows, s->row_count, sizeof *s->rows, compare_rows, s);
    diff->sites =
        hsd_arena_take(&diff->store->arena, hsd_min_u64(s->row_count, HSD_SITE_ROWS) * sizeof *diff->sites + 1);
    if (diff->sites == NULL) return hsd_fail_nomem(err, "the allocation sites");
    for (uint32_t i = 0; i < s->row_count; i++) {
        const hsd_site_sum *from = &s->rows[i];
        if (i >= HSD_SITE_ROWS) {
            diff->other_site_count++;
            add_amount(&diff->other_sites.before, from->amounts[0]);
            add_amount(&diff->other_sites.after, from->amounts[1]);
            continue;
        }
        hsd_site_row *to = &diff->sites[diff->site_count++];
        *to = (hsd_site_row){.change = {.before = from->amounts[0], .after = from->amounts[1]}};
        if (from->stack == NO_STACK) continue;
        HSD_TRY(hsd_site_frames(s, from->stack, diff->store, &to->frames, &to->frame_count, err));
        to->wanted = hsd_site_wanted(to->frames, to->frame_count);
    }
    diff->has_sites = true;
    return HSD_OK;
}

hsd_status hsd_sites_rows(hsd_site_search *s, hsd_diff *diff, hsd_error *err)
{
    HSD_TRY(append_rest(s, diff, err));
    return make_rows(s, diff, err);
}

static hsd_status search_all(hsd_site_search *s, hsd_diff *diff, hsd_capture *const captures[2], hsd_error *err)
{
    static const uint8_t any[] = "all";
    uint32_t number;
    HSD_TRY(hsd_names_put(&s->types, (hsd_bytes){any, sizeof any - 1}, &number, err));
    HSD_TRY(hsd_site_search_run(s, captures, err));
    return hsd_sites_rows(s, diff, err);
}

hsd_status hsd_sites_add_to(hsd_diff *diff, hsd_capture *before, hsd_capture *after, const hsd_run *run, hsd_error *err)
{
    hsd_capture *const captures[2] = {before, after};
    hsd_reporter reporter;
    hsd_site_search s = {.run = run, .reporter = &reporter, .is_over_all = true};
    if (!hsd_site_search_is_possible(&s, captures)) return HSD_OK;
    hsd_reporter_init(&reporter, run);
    const hsd_status status = search_all(&s, diff, captures, err);
    hsd_site_search_release(&s);
    hsd_reporter_release(&reporter);
    return status;
}
