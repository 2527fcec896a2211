/*
 * What was allocated where. Sites of two captures have nothing in common but what their stacks say, so each stack that
 * allocated something wanted is written out as bytes (its *spelling*: frames, innermost first) and these are interned: equal
 * spellings are one.
 *
 *      objects, site totals ──type wanted──► (type, site) sums ──spelling of the site──► (type, stack) sums of both captures
 */
#include "diff/site_search.h"

#include <stdlib.h>
#include <string.h>

#include <hscapture/hscapture.h>

#include "base/check.h"
#include "format/tables.h"

#define TABLE_SHARE 8u /* of the budget, for the sites of one capture */

typedef struct tally { /* objects of one type from one site of one capture */
    uint32_t type, site;
    hsd_amount amount;
} tally;

typedef struct reading { /* of one capture */
    hsd_site_search *s;
    int side;
    hsd_capture *capture;
    hsd_id_map site_index, type_index;  /* site -> place in sites; type -> wanted number */
    hsd_site *sites;
    uint32_t site_count, site_capacity;
    hsd_id_map *tally_of;               /* for each type: site -> tally */
    tally *tallies;
    uint32_t tally_count, tally_capacity;
    hsd_texts texts;
} reading;

hsd_status hsd_site_no_memory(hsd_error *err)
{
    return hsd_fail(err, HSD_E_NOMEM, "out of memory for the allocation sites");
}

static bool grow(void *list, uint32_t *capacity, uint32_t count, size_t item_bytes)
{
    void **items = list;
    if (count < *capacity) return true;
    const uint32_t more = *capacity < 64 ? 64 : 2 * *capacity;
    void *larger = realloc(*items, more * item_bytes);
    if (larger == NULL) return false;
    *items = larger;
    *capacity = more;
    return true;
}

/* ---- tables of one capture ---- */

static hsd_status take_site(reading *r, const hsd_site *site, hsd_error *err)
{
    if (hsd_id_map_get(&r->site_index, site->id) != HSD_ID_NONE) return HSD_OK; /* the first of a number counts */
    if (!grow(&r->sites, &r->site_capacity, r->site_count, sizeof *r->sites)) return hsd_site_no_memory(err);
    r->sites[r->site_count] = *site;
    return hsd_id_map_put(&r->site_index, site->id, r->site_count++, err);
}

static hsd_status take_type(reading *r, const hsd_type *type, hsd_error *err)
{
    if (r->s->is_over_all) return HSD_OK;
    const uint32_t wanted = hsd_names_find(&r->s->types, (hsd_bytes){(const uint8_t *)type->name.data, type->name.size});
    if (wanted == HSD_NAME_NONE || hsd_id_map_get(&r->type_index, type->id) != HSD_ID_NONE) return HSD_OK;
    return hsd_id_map_put(&r->type_index, type->id, wanted, err);
}

static hsd_status read_table(reading *r, hsd_record_kind kind, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    HSD_TRY(hsd_record_reader_open(&reader, r->capture, kind, err));
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        status = kind == HSD_RECORD_SITE ? take_site(r, &record.site, err) : take_type(r, &record.type, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- objects ---- */

static hsd_status count(reading *r, uint32_t type_id, uint32_t site, hsd_amount amount, hsd_error *err)
{
    const uint32_t type = r->s->is_over_all ? 0 : hsd_id_map_get(&r->type_index, type_id);
    if (type == HSD_ID_NONE || site == 0) return HSD_OK;
    uint32_t at = hsd_id_map_get(&r->tally_of[type], site);
    if (at == HSD_ID_NONE) {
        at = r->tally_count;
        if (!grow(&r->tallies, &r->tally_capacity, at, sizeof *r->tallies)) return hsd_site_no_memory(err);
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
    return count(r, object->type, object->site, amount, err);
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
        status = count(r, total->type, total->site, (hsd_amount){total->objects, total->bytes}, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- spellings ---- */

/* Walks a stack outwards: `take` gets each frame. A chain that comes back on itself ends with the frames that fit. */
typedef hsd_status (*frame_fn)(reading *r, const hsd_site *site, hsd_buffer *out, hsd_error *err);

static hsd_status walk_stack(reading *r, uint32_t site, frame_fn take, hsd_buffer *out, hsd_error *err)
{
    for (uint32_t depth = 0; depth < HSD_SITE_FRAMES && site != 0; depth++) {
        const uint32_t at = hsd_id_map_get(&r->site_index, site);
        if (at == HSD_ID_NONE) return HSD_OK;
        HSD_TRY(take(r, &r->sites[at], out, err));
        site = r->sites[at].parent;
    }
    return HSD_OK;
}

static hsd_status want_texts(reading *r, const hsd_site *site, hsd_buffer *out, hsd_error *err)
{
    (void)out;
    HSD_TRY(hsd_texts_want(&r->texts, site->function, err));
    return hsd_texts_want(&r->texts, site->file, err);
}

static hsd_status spell_frame(reading *r, const hsd_site *site, hsd_buffer *out, hsd_error *err)
{
    const hsd_bytes function = hsd_texts_get(&r->texts, site->function), file = hsd_texts_get(&r->texts, site->file);
    const hsd_site_spelled head = {(uint32_t)function.size, (uint32_t)file.size, site->line, site->column};
    HSD_TRY(hsd_buffer_append(out, &head, sizeof head, err));
    HSD_TRY(hsd_buffer_append(out, function.data, function.size, err));
    return hsd_buffer_append(out, file.data, file.size, err);
}

static hsd_status add_row(hsd_site_search *s, const tally *t, uint32_t stack, int side, hsd_error *err)
{
    uint32_t at = hsd_id_map_get(&s->row_of[t->type], stack);
    if (at == HSD_ID_NONE) {
        at = s->row_count;
        if (!grow(&s->rows, &s->row_capacity, at, sizeof *s->rows)) return hsd_site_no_memory(err);
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
    for (uint32_t i = 0; i < r->tally_count && status == HSD_OK; i++) status = walk_stack(r, r->tallies[i].site, want_texts, NULL, err);
    if (status == HSD_OK) status = hsd_texts_load(&r->texts, r->capture, err);
    for (uint32_t i = 0; i < r->tally_count && status == HSD_OK; i++) {
        uint32_t stack = 0;
        hsd_buffer_clear(&spelling);
        status = walk_stack(r, r->tallies[i].site, spell_frame, &spelling, err);
        if (status == HSD_OK) status = hsd_names_put(&r->s->stacks, (hsd_bytes){spelling.data, spelling.size}, &stack, err);
        if (status == HSD_OK) status = add_row(r->s, &r->tallies[i], stack, r->side, err);
    }
    hsd_buffer_release(&spelling);
    return status;
}

static hsd_status read_tables(reading *r, hsd_error *err)
{
    r->tally_of = calloc(r->s->types.count, sizeof *r->tally_of);
    if (r->tally_of == NULL) return hsd_site_no_memory(err);
    HSD_TRY(read_table(r, HSD_RECORD_TYPE, err));
    HSD_TRY(read_table(r, HSD_RECORD_SITE, err));
    HSD_TRY(count_objects(r, err));
    HSD_TRY(count_totals(r, err));
    return spell_all(r, err);
}

static hsd_status read_capture(hsd_site_search *s, int side, hsd_capture *capture, hsd_error *err)
{
    reading r = {.s = s, .side = side, .capture = capture};
    const hsd_status status = read_tables(&r, err);
    for (uint32_t i = 0; r.tally_of != NULL && i < s->types.count; i++) hsd_id_map_release(&r.tally_of[i]);
    free(r.tally_of);
    free(r.tallies);
    free(r.sites);
    hsd_id_map_release(&r.site_index);
    hsd_id_map_release(&r.type_index);
    hsd_texts_release(&r.texts);
    if (status < 0) hsd_error_set_file(err, hsd_capture_get_info(capture)->path);
    return status;
}

bool hsd_site_search_is_possible(const hsd_site_search *s, hsd_capture *const captures[2])
{
    const uint64_t memory = s->run != NULL && s->run->memory_bytes != 0 ? s->run->memory_bytes : hsd_run_default_memory();
    bool has_some = false;
    for (int side = 0; side < 2; side++) {
        const uint64_t sites = hsd_capture_get_info(captures[side])->sites;
        if (sites > memory / TABLE_SHARE / (2 * sizeof(hsd_site))) return false;
        has_some = has_some || sites > 0;
    }
    return has_some;
}

hsd_status hsd_site_search_run(hsd_site_search *s, hsd_capture *const captures[2], hsd_error *err)
{
    s->row_of = calloc(s->types.count + 1, sizeof *s->row_of);
    if (s->row_of == NULL) return hsd_site_no_memory(err);
    for (int side = 0; side < 2; side++)
        HSD_TRY(read_capture(s, side, captures[side], err));
    return HSD_OK;
}

/* ---- the result ---- */

hsd_status hsd_site_frames(const hsd_site_search *s, uint32_t stack, hsd_diff_store *store, const hsd_site_frame **out,
                           size_t *count, hsd_error *err)
{
    const hsd_bytes spelling = hsd_names_get(&s->stacks, stack);
    hsd_site_frame *frames = hsd_arena_take(&store->arena, HSD_SITE_FRAMES * sizeof *frames);
    if (frames == NULL) return hsd_site_no_memory(err);
    *out = frames;
    *count = 0;
    for (size_t at = 0; at < spelling.size;) {
        hsd_site_spelled head;
        hsd_site_frame *frame = &frames[(*count)++];
        memcpy(&head, spelling.data + at, sizeof head);
        at += sizeof head;
        HSD_TRY(hsd_store_text(store, (hsd_bytes){spelling.data + at, head.function_bytes}, &frame->function, err));
        at += head.function_bytes;
        HSD_TRY(hsd_store_text(store, (hsd_bytes){spelling.data + at, head.file_bytes}, &frame->file, err));
        at += head.file_bytes;
        frame->line = head.line;
        frame->column = head.column;
    }
    return HSD_OK;
}

int hsd_site_compare(const hsd_site_search *s, const hsd_site_sum *x, const hsd_site_sum *y)
{
    if (hsd_site_sum_growth(x) != hsd_site_sum_growth(y)) return hsd_site_sum_growth(x) > hsd_site_sum_growth(y) ? -1 : 1;
    const hsd_bytes p = hsd_names_get(&s->stacks, x->stack), q = hsd_names_get(&s->stacks, y->stack);
    const int order = memcmp(p.data, q.data, hsd_min_u64(p.size, q.size));
    return order != 0 ? order : (p.size > q.size) - (p.size < q.size);
}

void hsd_site_search_release(hsd_site_search *s)
{
    for (uint32_t i = 0; s->row_of != NULL && i < s->types.count; i++) hsd_id_map_release(&s->row_of[i]);
    free(s->row_of);
    free(s->rows);
    hsd_names_release(&s->types);
    hsd_names_release(&s->stacks);
}
