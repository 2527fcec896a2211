#define _GNU_SOURCE /* qsort_r */
/*
 * Growth by allocation site. Sites of two captures have nothing in common but what their stacks say, so each stack that
 * allocated objects of a wanted type is written out as bytes (its *spelling*: frames, innermost first) and these are
 * interned: equal spellings are one row.
 *
 *      objects ──type wanted──► (type, site) sums ──spelling of the site──► (type, stack) sums of both captures
 */
#include <hsdiff/sites.h>

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/names.h"
#include "base/note.h"
#include "diff/store.h"
#include "format/tables.h"

#define FRAMES_MOST 32u
#define TABLE_SHARE 8u /* of the budget, for the sites of one capture */

enum { BEFORE, AFTER, SIDE_COUNT };

typedef struct tally { /* objects of one type from one site of one capture */
    uint32_t type, site;
    hsd_amount amount;
} tally;

typedef struct row { /* of one type from one stack, in both captures */
    uint32_t type, stack;
    hsd_amount amounts[SIDE_COUNT];
} row;

typedef struct search {
    const hsd_run *run;
    hsd_reporter *reporter;
    hsd_names types;        /* wanted, by number as asked for */
    uint32_t *place_of;     /* type number -> first place in what was asked for */
    hsd_names stacks;       /* spellings */
    hsd_id_map *row_of;     /* for each type: stack -> row */
    row *rows;
    uint32_t row_count, row_capacity;
} search;

typedef struct reading { /* of one capture */
    search *s;
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

static hsd_status no_memory(hsd_error *err) { return hsd_fail(err, HSD_E_NOMEM, "out of memory for the allocation sites"); }

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
    if (!grow(&r->sites, &r->site_capacity, r->site_count, sizeof *r->sites)) return no_memory(err);
    r->sites[r->site_count] = *site;
    return hsd_id_map_put(&r->site_index, site->id, r->site_count++, err);
}

static hsd_status take_type(reading *r, const hsd_type *type, hsd_error *err)
{
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

static hsd_status count_object(reading *r, const hsd_object *object, hsd_error *err)
{
    const uint32_t type = hsd_id_map_get(&r->type_index, object->type);
    if (type == HSD_ID_NONE || object->site == 0 || object->is_continuation) return HSD_OK;
    uint32_t at = hsd_id_map_get(&r->tally_of[type], object->site);
    if (at == HSD_ID_NONE) {
        at = r->tally_count;
        if (!grow(&r->tallies, &r->tally_capacity, at, sizeof *r->tallies)) return no_memory(err);
        r->tallies[at] = (tally){.type = type, .site = object->site};
        HSD_TRY(hsd_id_map_put(&r->tally_of[type], object->site, at, err));
        r->tally_count++;
    }
    hsd_amount *amount = &r->tallies[at].amount;
    amount->objects++;
    amount->bytes = hsd_add_saturating(amount->bytes, hsd_add_saturating(object->size_bytes, object->native_bytes));
    return HSD_OK;
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

/* ---- spellings ---- */

typedef struct frame_head { uint32_t function_bytes, file_bytes, line, column; } frame_head;

/* Walks a stack outwards: `take` gets each frame. A chain that comes back on itself ends with the frames that fit. */
typedef hsd_status (*frame_fn)(reading *r, const hsd_site *site, hsd_buffer *out, hsd_error *err);

static hsd_status walk_stack(reading *r, uint32_t site, frame_fn take, hsd_buffer *out, hsd_error *err)
{
    for (uint32_t depth = 0; depth < FRAMES_MOST && site != 0; depth++) {
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
    const frame_head head = {(uint32_t)function.size, (uint32_t)file.size, site->line, site->column};
    HSD_TRY(hsd_buffer_append(out, &head, sizeof head, err));
    HSD_TRY(hsd_buffer_append(out, function.data, function.size, err));
    return hsd_buffer_append(out, file.data, file.size, err);
}

static hsd_status add_row(search *s, const tally *t, uint32_t stack, int side, hsd_error *err)
{
    uint32_t at = hsd_id_map_get(&s->row_of[t->type], stack);
    if (at == HSD_ID_NONE) {
        at = s->row_count;
        if (!grow(&s->rows, &s->row_capacity, at, sizeof *s->rows)) return no_memory(err);
        s->rows[at] = (row){.type = t->type, .stack = stack};
        HSD_TRY(hsd_id_map_put(&s->row_of[t->type], stack, at, err));
        s->row_count++;
    }
    hsd_amount *amount = &s->rows[at].amounts[side];
    amount->objects += t->amount.objects;
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
    if (r->tally_of == NULL) return no_memory(err);
    HSD_TRY(read_table(r, HSD_RECORD_TYPE, err));
    HSD_TRY(read_table(r, HSD_RECORD_SITE, err));
    HSD_TRY(count_objects(r, err));
    return spell_all(r, err);
}

static hsd_status read_capture(search *s, int side, hsd_capture *capture, hsd_error *err)
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

/* ---- the result ---- */

static int64_t growth_of(const row *r) { return (int64_t)(r->amounts[AFTER].bytes - r->amounts[BEFORE].bytes); }

static int compare_rows(const void *a, const void *b, void *context)
{
    const search *s = context;
    const row *x = a, *y = b;
    if (s->place_of[x->type] != s->place_of[y->type]) return s->place_of[x->type] < s->place_of[y->type] ? -1 : 1;
    if (growth_of(x) != growth_of(y)) return growth_of(x) > growth_of(y) ? -1 : 1;
    const hsd_bytes p = hsd_names_get(&s->stacks, x->stack), q = hsd_names_get(&s->stacks, y->stack);
    const int order = memcmp(p.data, q.data, hsd_min_u64(p.size, q.size));
    return order != 0 ? order : (p.size > q.size) - (p.size < q.size);
}

static hsd_status read_frames(hsd_sites *sites, hsd_bytes spelling, hsd_site_growth *out, hsd_error *err)
{
    hsd_site_frame *frames = hsd_arena_take(&sites->store->arena, FRAMES_MOST * sizeof *frames);
    if (frames == NULL) return no_memory(err);
    out->frames = frames;
    for (size_t at = 0; at < spelling.size;) {
        frame_head head;
        hsd_site_frame *frame = &frames[out->frame_count++];
        memcpy(&head, spelling.data + at, sizeof head);
        at += sizeof head;
        HSD_TRY(hsd_store_text(sites->store, (hsd_bytes){spelling.data + at, head.function_bytes}, &frame->function, err));
        at += head.function_bytes;
        HSD_TRY(hsd_store_text(sites->store, (hsd_bytes){spelling.data + at, head.file_bytes}, &frame->file, err));
        at += head.file_bytes;
        frame->line = head.line;
        frame->column = head.column;
    }
    return HSD_OK;
}

static hsd_status make_rows(search *s, hsd_sites *sites, hsd_error *err)
{
    uint32_t of_type = 0;
    qsort_r(s->rows, s->row_count, sizeof *s->rows, compare_rows, s);
    sites->rows = hsd_arena_take(&sites->store->arena, (size_t)s->types.count * HSD_SITES_OF_A_TYPE * sizeof *sites->rows);
    if (sites->rows == NULL) return no_memory(err);
    for (uint32_t i = 0; i < s->row_count; i++) {
        const row *from = &s->rows[i];
        of_type = i > 0 && s->rows[i - 1].type == from->type ? of_type + 1 : 0;
        if (of_type >= HSD_SITES_OF_A_TYPE) continue;
        hsd_site_growth *to = &sites->rows[sites->row_count];
        *to = (hsd_site_growth){.before = from->amounts[BEFORE], .after = from->amounts[AFTER]};
        HSD_TRY(hsd_store_text(sites->store, hsd_names_get(&s->types, from->type), &to->type, err));
        HSD_TRY(read_frames(sites, hsd_names_get(&s->stacks, from->stack), to, err));
        sites->row_count++;
    }
    return HSD_OK;
}

static hsd_status want_types(search *s, const hsd_text *types, size_t count, hsd_error *err)
{
    s->place_of = calloc(count + 1, sizeof *s->place_of);
    if (s->place_of == NULL) return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        uint32_t number;
        const uint32_t known = s->types.count;
        HSD_TRY(hsd_names_put(&s->types, (hsd_bytes){(const uint8_t *)types[i].data, types[i].size}, &number, err));
        if (s->types.count > known) s->place_of[number] = (uint32_t)i;
    }
    s->row_of = calloc(s->types.count + 1, sizeof *s->row_of);
    return s->row_of != NULL ? HSD_OK : no_memory(err);
}

/* Neither too many for the budget: then they stay unknown, and the answer stands without them. */
static bool are_known(const search *s, hsd_capture *const captures[SIDE_COUNT])
{
    const uint64_t memory = s->run != NULL && s->run->memory_bytes != 0 ? s->run->memory_bytes : hsd_run_default_memory();
    bool has_some = false;
    for (int side = 0; side < SIDE_COUNT; side++) {
        const uint64_t sites = hsd_capture_get_info(captures[side])->sites;
        if (sites > memory / TABLE_SHARE / (2 * sizeof(hsd_site))) return false;
        has_some = has_some || sites > 0;
    }
    return has_some;
}

static hsd_status run_search(search *s, hsd_sites *sites, hsd_capture *const captures[SIDE_COUNT], const hsd_text *types, size_t count,
                             hsd_error *err)
{
    sites->are_known = count > 0 && are_known(s, captures);
    if (!sites->are_known) return HSD_OK;
    HSD_TRY(want_types(s, types, count, err));
    for (int side = 0; side < SIDE_COUNT; side++) HSD_TRY(read_capture(s, side, captures[side], err));
    return make_rows(s, sites, err);
}

static void release(search *s)
{
    for (uint32_t i = 0; s->row_of != NULL && i < s->types.count; i++) hsd_id_map_release(&s->row_of[i]);
    free(s->row_of);
    free(s->place_of);
    free(s->rows);
    hsd_names_release(&s->types);
    hsd_names_release(&s->stacks);
}

hsd_status hsd_sites_run(hsd_sites **out, hsd_capture *before, hsd_capture *after, const hsd_text *types, size_t type_count,
                         const hsd_run *run, hsd_error *err)
{
    hsd_capture *const captures[SIDE_COUNT] = {before, after};
    hsd_reporter reporter;
    search s = {.run = run, .reporter = &reporter};
    hsd_sites *sites = calloc(1, sizeof *sites);
    *out = NULL;
    if (sites != NULL) sites->store = calloc(1, sizeof *sites->store);
    if (sites == NULL || sites->store == NULL) {
        free(sites);
        return no_memory(err);
    }
    hsd_reporter_init(&reporter, run);
    const hsd_status status = run_search(&s, sites, captures, types, type_count, err);
    release(&s);
    hsd_reporter_release(&reporter);
    if (status == HSD_OK) *out = sites;
    else hsd_sites_free(sites);
    return status;
}

void hsd_sites_free(hsd_sites *sites)
{
    if (sites == NULL) return;
    hsd_store_free(sites->store);
    free(sites);
}
