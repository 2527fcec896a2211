#define _GNU_SOURCE /* qsort_r */
/* Growth by allocation site of the types that somebody asks for. See hsdiff/sites.h. */
#include <hsdiff/sites.h>

#include <stdlib.h>

#include "base/fail.h"
#include "totals/site_search.h"

typedef struct request {
    hsd_site_search search;
    uint32_t *place_of; /* type number -> first place in what was asked for */
} request;

static int compare_rows(const void *a, const void *b, void *context)
{
    const request *q = context;
    const hsd_site_sum *x = a, *y = b;
    if (q->place_of[x->type] != q->place_of[y->type]) return q->place_of[x->type] < q->place_of[y->type] ? -1 : 1;
    return hsd_site_compare(&q->search, x, y);
}

static hsd_status make_rows(request *q, hsd_sites *sites, hsd_error *err)
{
    const hsd_site_search *s = &q->search;
    uint32_t of_type = 0;
    if (s->row_count > 1) qsort_r(s->rows, s->row_count, sizeof *s->rows, compare_rows, q);
    sites->rows =
        hsd_arena_take(&sites->store->arena, (size_t)s->types.count * HSD_SITES_OF_A_TYPE * sizeof *sites->rows);
    if (sites->rows == NULL) return hsd_fail_nomem(err, "the allocation sites");
    for (uint32_t i = 0; i < s->row_count; i++) {
        const hsd_site_sum *from = &s->rows[i];
        of_type = i > 0 && s->rows[i - 1].type == from->type ? of_type + 1 : 0;
        if (of_type >= HSD_SITES_OF_A_TYPE) continue;
        hsd_site_growth *to = &sites->rows[sites->row_count];
        *to = (hsd_site_growth){.before = from->amounts[0], .after = from->amounts[1]};
        HSD_TRY(hsd_store_text(sites->store, hsd_names_get(&s->types, from->type), &to->type, err));
        HSD_TRY(hsd_site_frames(s, from->stack, sites->store, &to->frames, &to->frame_count, err));
        sites->row_count++;
    }
    return HSD_OK;
}

static hsd_status want_types(request *q, const hsd_text *types, size_t count, hsd_error *err)
{
    q->place_of = calloc(count + 1, sizeof *q->place_of);
    if (q->place_of == NULL) return hsd_fail_nomem(err, "the allocation sites");
    for (size_t i = 0; i < count; i++) {
        uint32_t number;
        const uint32_t known = q->search.types.count;
        HSD_TRY(hsd_names_put(&q->search.types, (hsd_bytes){(const uint8_t *)types[i].data, types[i].size}, &number,
                              err));
        if (q->search.types.count > known) q->place_of[number] = (uint32_t)i;
    }
    return HSD_OK;
}

static hsd_status answer_site_question(request *q, hsd_sites *sites, hsd_capture *const captures[2],
                                       const hsd_text *types, size_t count, hsd_error *err)
{
    sites->are_known = count > 0 && hsd_site_search_is_possible(&q->search, captures);
    if (!sites->are_known) return HSD_OK;
    HSD_TRY(want_types(q, types, count, err));
    HSD_TRY(hsd_site_search_run(&q->search, captures, err));
    return make_rows(q, sites, err);
}

hsd_status hsd_sites_run(hsd_sites **out, hsd_capture *before, hsd_capture *after, const hsd_text *types,
                         size_t type_count, const hsd_run *run, hsd_error *err)
{
    hsd_capture *const captures[2] = {before, after};
    hsd_reporter reporter;
    request q = {.search = {.run = run, .reporter = &reporter}};
    hsd_sites *sites = calloc(1, sizeof *sites);
    *out = NULL;
    if (sites != NULL) sites->store = calloc(1, sizeof *sites->store);
    if (sites == NULL || sites->store == NULL) {
        free(sites);
        return hsd_fail_nomem(err, "the allocation sites");
    }
    hsd_reporter_init(&reporter, run);
    const hsd_status status = answer_site_question(&q, sites, captures, types, type_count, err);
    hsd_site_search_release(&q.search);
    free(q.place_of);
    hsd_reporter_release(&reporter);
    if (status == HSD_OK)
        *out = sites;
    else
        hsd_sites_free(sites);
    return status;
}

void hsd_sites_free(hsd_sites *sites)
{
    if (sites == NULL) return;
    hsd_store_free(sites->store);
    free(sites);
}
