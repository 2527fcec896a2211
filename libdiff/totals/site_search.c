/*
 * What was allocated where. Each stack that allocated something wanted is spelled (totals/site_table.h), and equal
 * spellings are one.
 *
 *      objects, site totals ──type wanted──► (type, site) sums ──spelling of the site──► (type, stack) sums of both captures
 */
#include "totals/site_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>

#include "base/check.h"

typedef struct tally { /* objects of one type from one site of one capture */
    uint32_t type, site;
    hsd_amount amount;
} tally;

typedef struct reading { /* of one capture */
    hsd_site_search *s;
    int side;
    hsd_capture *capture;
    hsd_id_map type_index; /* type -> wanted number */
    hsd_site_table sites;
    hsd_id_map *tally_of; /* for each type: site -> tally */
    tally *tallies;
    uint32_t tally_count, tally_capacity;
} reading;

/* ---- tables of one capture ---- */

static hsd_status take_type(reading *r, const hsd_type *type, hsd_error *err)
{
    if (r->s->is_over_all) return HSD_OK;
    const uint32_t wanted =
        hsd_names_find(&r->s->types, (hsd_bytes){(const uint8_t *)type->name.data, type->name.size});
    if (wanted == HSD_NAME_NONE || hsd_id_map_get(&r->type_index, type->id) != HSD_ID_NONE) return HSD_OK;
    return hsd_id_map_put(&r->type_index, type->id, wanted, err);
}

static hsd_status read_types(reading *r, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    HSD_TRY(hsd_record_reader_open(&reader, r->capture, HSD_RECORD_TYPE, err));
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        status = take_type(r, &record.type, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- objects ---- */

static hsd_status count_site_search(reading *r, uint32_t type_id, uint32_t site, hsd_amount amount, hsd_error *err)
{
    const uint32_t type = r->s->is_over_all ? 0 : hsd_id_map_get(&r->type_index, type_id);
    if (type == HSD_ID_NONE || site == 0) return HSD_OK;
    uint32_t at = hsd_id_map_get(&r->tally_of[type], site);
    if (at == HSD_ID_NONE) {
        at = r->tally_count;
        HSD_TRY(HSD_ARRAY_GROW(r->tallies, r->tally_capacity, (uint64_t)at + 1, 64, "the allocation sites", err));
        r->tallies[at] = (tally){.type = type, .site = site};
        HSD_TRY(hsd_id_map_put(&r->tally_of[type], site, at, err));
        r->tally_count++;
    }
    hsd_amount *sum = &r->tallies[at].amount;
    sum->objects = hsd_add_saturating(sum->objects, amount.objects);
    sum->bytes = hsd_add_saturating(sum->bytes, amount.bytes);
    return HSD_OK;
}

static hsd_status count_object(reading *r, const hsd_object *object, hsd_error *err)
{
    if (object->is_continuation || (object->flags & HSC_OBJECT_PSEUDO) != 0) return HSD_OK;
    const hsd_amount amount = {1, hsd_add_saturating(object->size_bytes, object->native_bytes)};
    return count_site_search(r, object->type, object->site, amount, err);
}

static hsd_status count_objects(reading *r, hsd_error *err)
{
    hsd_object_reader *reader;
    hsd_object object;
    uint64_t done = 0;
    const uint64_t total = hsd_capture_get_info(r->capture)->objects;
    HSD_TRY(hsd_object_reader_open(&reader, r->capture, HSD_WANT_SIZES | HSD_WANT_DETAILS, err));
    hsd_status status;
    while ((status = hsd_object_reader_next(reader, &object, err)) == HSD_OK) {
        status = count_object(r, &object, err);
        if (status == HSD_OK && (++done & 0xffff) == 0)
            status = hsd_progress(r->s->reporter, "finding allocation sites", done, total, err);
        if (status != HSD_OK) break;
    }
    hsd_object_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status count_totals(reading *r, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    HSD_TRY(hsd_record_reader_open(&reader, r->capture, HSD_RECORD_SITE_TOTAL, err));
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        const hsd_site_total *total = &record.site_total;
        status = count_site_search(r, total->type, total->site, (hsd_amount){total->objects, total->bytes}, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- spellings ---- */

static hsd_status add_row(hsd_site_search *s, const tally *t, uint32_t stack, int side, hsd_error *err)
{
    uint32_t at = hsd_id_map_get(&s->row_of[t->type], stack);
    if (at == HSD_ID_NONE) {
        at = s->row_count;
        HSD_TRY(HSD_ARRAY_GROW(s->rows, s->row_capacity, (uint64_t)at + 1, 64, "the allocation sites", err));
        s->rows[at] = (hsd_site_sum){.type = t->type, .stack = stack};
        HSD_TRY(hsd_id_map_put(&s->row_of[t->type], stack, at, err));
        s->row_count++;
    }
    hsd_amount *amount = &s->rows[at].amounts[side];
    amount->objects = hsd_add_saturating(amount->objects, t->amount.objects);
    amount->bytes = hsd_add_saturating(amount->bytes, t->amount.bytes);
    return HSD_OK;
}

static hsd_status spell_all(reading *r, hsd_error *err)
{
    hsd_buffer spelling = {0};
    hsd_status status = HSD_OK;
    for (uint32_t i = 0; i < r->tally_count && status == HSD_OK; i++)
        status = hsd_site_table_want(&r->sites, r->tallies[i].site, err);
    if (status == HSD_OK) status = hsd_site_table_texts(&r->sites, r->capture, err);
    for (uint32_t i = 0; i < r->tally_count && status == HSD_OK; i++) {
        uint32_t stack = 0;
        hsd_buffer_clear(&spelling);
        status = hsd_site_table_spell(&r->sites, r->tallies[i].site, &spelling, err);
        if (status == HSD_OK)
            status = hsd_names_put(&r->s->stacks, (hsd_bytes){spelling.data, spelling.size}, &stack, err);
        if (status == HSD_OK) status = add_row(r->s, &r->tallies[i], stack, r->side, err);
    }
    hsd_buffer_release(&spelling);
    return status;
}

static hsd_status read_tables(reading *r, hsd_error *err)
{
    r->tally_of = calloc(r->s->types.count, sizeof *r->tally_of);
    if (r->tally_of == NULL) return hsd_fail_nomem(err, "the allocation sites");
    HSD_TRY(read_types(r, err));
    HSD_TRY(hsd_site_table_load(&r->sites, r->capture, err));
    HSD_TRY(count_objects(r, err));
    HSD_TRY(count_totals(r, err));
    return spell_all(r, err);
}

static hsd_status read_capture(hsd_site_search *s, int side, hsd_capture *capture, hsd_error *err)
{
    reading r = {.s = s, .side = side, .capture = capture};
    const hsd_status status = read_tables(&r, err);
    for (uint32_t i = 0; r.tally_of != NULL && i < s->types.count; i++)
        hsd_id_map_release(&r.tally_of[i]);
    free(r.tally_of);
    free(r.tallies);
    hsd_site_table_release(&r.sites);
    hsd_id_map_release(&r.type_index);
    if (status < 0) hsd_error_set_file(err, hsd_capture_get_info(capture)->path);
    return status;
}

bool hsd_site_search_is_possible(const hsd_site_search *s, hsd_capture *const captures[2])
{
    bool has_some = false;
    for (int side = 0; side < 2; side++) {
        const hsd_capture_info *info = hsd_capture_get_info(captures[side]);
        if (!hsd_site_table_fits(info, s->run)) return false;
        has_some = has_some || info->sites > 0;
    }
    return has_some;
}

hsd_status hsd_site_search_run(hsd_site_search *s, hsd_capture *const captures[2], hsd_error *err)
{
    s->row_of = calloc(s->types.count + 1, sizeof *s->row_of);
    if (s->row_of == NULL) return hsd_fail_nomem(err, "the allocation sites");
    for (int side = 0; side < 2; side++)
        HSD_TRY(read_capture(s, side, captures[side], err));
    return HSD_OK;
}

/* ---- the result ---- */

hsd_status hsd_site_frames(const hsd_site_search *s, uint32_t stack, hsd_diff_store *store, const hsd_site_frame **out,
                           size_t *count, hsd_error *err)
{
    return hsd_site_frames_of(hsd_names_get(&s->stacks, stack), store, out, count, err);
}

int hsd_site_compare(const hsd_site_search *s, const hsd_site_sum *x, const hsd_site_sum *y)
{
    if (hsd_site_sum_growth(x) != hsd_site_sum_growth(y))
        return hsd_site_sum_growth(x) > hsd_site_sum_growth(y) ? -1 : 1;
    const hsd_bytes p = hsd_names_get(&s->stacks, x->stack), q = hsd_names_get(&s->stacks, y->stack);
    const int order = memcmp(p.data, q.data, hsd_min_u64(p.size, q.size));
    return order != 0 ? order : (p.size > q.size) - (p.size < q.size);
}

void hsd_site_search_release(hsd_site_search *s)
{
    for (uint32_t i = 0; s->row_of != NULL && i < s->types.count; i++)
        hsd_id_map_release(&s->row_of[i]);
    free(s->row_of);
    free(s->rows);
    hsd_names_release(&s->types);
    hsd_names_release(&s->stacks);
}
