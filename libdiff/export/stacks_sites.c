/*
 * The stacks of one capture by allocation site: one pass over the objects, which adds up by type and site, then the
 * totals that profiles have in the place of objects; what totals by type have more is of no known site. Only what was
 * used is spelled out.
 *
 *      objects, totals ──► (type, site) sums ──parents of the site──► stacks
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include <hscapture/hscapture.h>

#include "base/check.h"
#include "export/stacks_tables.h"
#include "format/tables.h"

#define NO_SITE "(no allocation site)"
#define CUT     "(callers left out)"
/* of the memory, for the sites of a capture; as much for its sums */
#define TABLE_SHARE 4u
#define SITE_BYTES  (2 * sizeof(hsd_site) + 8) /* the list doubles, and the map of their numbers */

typedef struct sum_key {
    uint32_t type, site; /* type: number in `names` */
} sum_key;

typedef struct reading {
    hsd_stack_tables *tables;
    hsd_export *x;
    hsd_capture *capture;
    hsd_type_names names;
    hsd_type_table types;
    hsd_id_map site_index; /* number of a site -> its place in the list */
    hsd_site *sites;
    uint32_t site_count, site_capacity;
    hsd_names keys; /* sum_key */
    hsd_amount *sums;
    uint32_t sum_capacity;
    hsd_amount *counted, *totals; /* by number of a type: what is in the sums; what totals by type say */
    hsd_texts texts;
    hsd_stack_side side;
} reading;

static hsd_status over_budget(const reading *r, uint64_t enough_bytes, const char *what, uint64_t count, hsd_error *err)
{
    hsd_fail(err, HSD_E_OVER_BUDGET, "its %llu %s do not fit", (unsigned long long)count, what);
    hsd_error_set_file(err, hsd_capture_get_info(r->capture)->path);
    hsd_error_set_hint(err, "give it more memory: --memory %lluMiB", (unsigned long long)(enough_bytes >> 20) + 1);
    return HSD_E_OVER_BUDGET;
}

/* ---- tables ---- */

typedef hsd_status (*take_record)(reading *r, const hsd_record *record, hsd_error *err);

static hsd_status take_site(reading *r, const hsd_record *record, hsd_error *err)
{
    const hsd_site *site = &record->site;
    /* the first of a number counts */
    if (hsd_id_map_get(&r->site_index, site->id) != HSD_ID_NONE) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(r->sites, r->site_capacity, (uint64_t)r->site_count + 1, 64, "allocation sites", err));
    r->sites[r->site_count] = *site;
    return hsd_id_map_put(&r->site_index, site->id, r->site_count++, err);
}

static hsd_status read_records(reading *r, hsd_record_kind kind, take_record take, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, r->capture, kind, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        status = take(r, &record, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_sites(reading *r, hsd_error *err)
{
    const uint64_t sites = hsd_capture_get_info(r->capture)->sites;
    if (sites > r->x->memory_bytes / TABLE_SHARE / SITE_BYTES)
        return over_budget(r, hsd_min_u64(sites, UINT32_MAX) * SITE_BYTES * TABLE_SHARE, "allocation sites", sites,
                           err);
    return read_records(r, HSD_RECORD_SITE, take_site, err);
}

/* ---- sums ---- */

static hsd_status check_sums(const reading *r, hsd_error *err)
{
    const uint64_t bytes = hsd_names_memory(&r->keys) + r->sum_capacity * sizeof *r->sums;
    if (bytes <= r->x->memory_bytes / TABLE_SHARE) return HSD_OK;
    return over_budget(r, 2 * bytes * TABLE_SHARE, "pairs of type and allocation site, or more,", r->keys.count, err);
}

static void add_up_site_stack(hsd_amount *sum, uint64_t objects, uint64_t bytes)
{
    sum->objects = hsd_add_saturating(sum->objects, objects);
    sum->bytes = hsd_add_saturating(sum->bytes, bytes);
}

/* `type`: number in `names`. */
static hsd_status add_site_stack(reading *r, uint32_t type, uint32_t site, uint64_t objects, uint64_t bytes,
                                 hsd_error *err)
{
    const sum_key key = {type, site};
    const uint32_t known = r->keys.count, capacity = r->sum_capacity;
    uint32_t number;
    HSD_TRY(hsd_names_put(&r->keys, (hsd_bytes){(const uint8_t *)&key, sizeof key}, &number, err));
    HSD_TRY(HSD_ARRAY_GROW(r->sums, r->sum_capacity, (uint64_t)number + 1, 64, "allocation sites", err));
    if (number == known) r->sums[number] = (hsd_amount){0, 0};
    if (capacity != r->sum_capacity) HSD_TRY(check_sums(r, err));
    add_up_site_stack(&r->sums[number], objects, bytes);
    add_up_site_stack(&r->counted[key.type], objects, bytes);
    return HSD_OK;
}

static hsd_status read_objects(reading *r, hsd_error *err)
{
    hsd_object_reader *reader;
    hsd_object object;
    hsd_status status;
    const uint64_t total = hsd_capture_get_info(r->capture)->objects;
    HSD_TRY(hsd_object_reader_open(&reader, r->capture, HSD_WANT_SIZES | HSD_WANT_DETAILS, err));
    while ((status = hsd_object_reader_next(reader, &object, err)) == HSD_OK) {
        const bool counts = !object.is_continuation && (object.flags & HSC_OBJECT_PSEUDO) == 0;
        if (counts)
            status = add_site_stack(r, hsd_type_common(&r->types, object.type), object.site, 1, object.size_bytes, err);
        if (status == HSD_OK && object.ordinal % 65536 == 0)
            status = hsd_progress(r->x->reporter, "adding up allocation sites", object.ordinal, total, err);
        if (status != HSD_OK) break;
    }
    hsd_object_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

/* ---- totals ---- */

static hsd_status take_site_total(reading *r, const hsd_record *record, hsd_error *err)
{
    const hsd_site_total *total = &record->site_total;
    return add_site_stack(r, hsd_type_common(&r->types, total->type), total->site, total->objects, total->bytes, err);
}

static hsd_status take_type_total(reading *r, const hsd_record *record, hsd_error *err)
{
    const hsd_type_total *total = &record->type_total;
    (void)err;
    add_up_site_stack(&r->totals[hsd_type_common(&r->types, total->type)], total->objects, total->bytes);
    return HSD_OK;
}

/* What totals by type say beyond objects and sites. */
static hsd_status add_rest(reading *r, uint32_t type, hsd_error *err)
{
    const hsd_amount *all = &r->totals[type], *known = &r->counted[type];
    const uint64_t objects = all->objects > known->objects ? all->objects - known->objects : 0;
    const uint64_t bytes = all->bytes > known->bytes ? all->bytes - known->bytes : 0;
    return objects + bytes == 0 ? HSD_OK : add_site_stack(r, type, 0, objects, bytes, err);
}

static hsd_status read_totals(reading *r, hsd_error *err)
{
    if (hsd_capture_get_info(r->capture)->summary_objects == 0) return HSD_OK;
    HSD_TRY(read_records(r, HSD_RECORD_SITE_TOTAL, take_site_total, err));
    HSD_TRY(read_records(r, HSD_RECORD_TYPE_TOTAL, take_type_total, err));
    for (uint32_t i = 0; i < r->names.names.count; i++)
        HSD_TRY(add_rest(r, i, err));
    return HSD_OK;
}

/* ---- stacks ---- */

/* The sites of a stack, innermost first; a chain that is longer, or comes back on itself, is cut. How many. */
static uint32_t unwind(const reading *r, uint32_t site, const hsd_site *frames[HSD_STACK_FRAMES_MOST], bool *is_cut)
{
    uint32_t count = 0;
    for (; site != 0 && count < HSD_STACK_FRAMES_MOST; count++) {
        const uint32_t at = hsd_id_map_get(&r->site_index, site);
        if (at == HSD_ID_NONE) break;
        frames[count] = &r->sites[at];
        site = r->sites[at].parent;
    }
    *is_cut = count == HSD_STACK_FRAMES_MOST && site != 0;
    return count;
}

static hsd_status want_texts(reading *r, const sum_key *key, hsd_error *err)
{
    const hsd_site *frames[HSD_STACK_FRAMES_MOST];
    bool is_cut;
    const uint32_t count = unwind(r, key->site, frames, &is_cut);
    for (uint32_t i = 0; i < count; i++) {
        HSD_TRY(hsd_texts_want(&r->texts, frames[i]->function, err));
        if (!r->tables->form.functions_only || frames[i]->function == 0)
            HSD_TRY(hsd_texts_want(&r->texts, frames[i]->file, err));
    }
    return HSD_OK;
}

static hsd_status push_site(reading *r, const hsd_site *site, uint32_t *node, hsd_error *err)
{
    hsd_stack_frame frame = {.line = site->line, .column = site->column};
    HSD_TRY(hsd_stack_text(r->tables, hsd_texts_get(&r->texts, site->function), &frame.function, err));
    if (!r->tables->form.functions_only || site->function == 0)
        HSD_TRY(hsd_stack_text(r->tables, hsd_texts_get(&r->texts, site->file), &frame.file, err));
    return hsd_stack_push(r->tables, *node, frame, node, err);
}

static hsd_status push_literal(reading *r, const char *text, uint32_t *node, hsd_error *err)
{
    return hsd_stack_push_text(r->tables, *node, (hsd_bytes){(const uint8_t *)text, strlen(text)}, node, err);
}

static hsd_status push_stack(reading *r, uint32_t site, uint32_t *node, hsd_error *err)
{
    const hsd_site *frames[HSD_STACK_FRAMES_MOST];
    bool is_cut;
    uint32_t left = unwind(r, site, frames, &is_cut);
    *node = HSD_STACK_BOTTOM;
    if (left == 0) return push_literal(r, NO_SITE, node, err);
    if (is_cut) HSD_TRY(push_literal(r, CUT, node, err));
    while (left-- > 0)
        HSD_TRY(push_site(r, frames[left], node, err));
    return HSD_OK;
}

static hsd_status add_stack(reading *r, const sum_key *key, const hsd_amount *amount, hsd_error *err)
{
    const hsd_bytes name = hsd_names_get(&r->names.names, key->type);
    uint32_t node, type = 0;
    HSD_TRY(push_stack(r, key->site, &node, err));
    if (r->tables->form.types_are_frames)
        HSD_TRY(hsd_stack_push_text(r->tables, node, name, &node, err));
    else
        HSD_TRY(hsd_stack_text(r->tables, name, &type, err));
    return hsd_stack_add(r->tables, node, type, 0, r->side, amount, err);
}

static sum_key key_of(const reading *r, uint32_t number)
{
    sum_key key;
    memcpy(&key, hsd_names_get(&r->keys, number).data, sizeof key);
    return key;
}

static hsd_status spell(reading *r, hsd_error *err)
{
    for (uint32_t i = 0; i < r->keys.count; i++) {
        const sum_key key = key_of(r, i);
        HSD_TRY(want_texts(r, &key, err));
    }
    HSD_TRY(hsd_texts_load(&r->texts, r->capture, err));
    for (uint32_t i = 0; i < r->keys.count; i++) {
        const sum_key key = key_of(r, i);
        HSD_TRY(add_stack(r, &key, &r->sums[i], err));
    }
    return HSD_OK;
}

static hsd_status read_all_site_stacks(reading *r, hsd_error *err)
{
    HSD_TRY(hsd_type_names_init(&r->names, err));
    HSD_TRY(hsd_type_table_load(&r->types, r->capture, &r->names, err));
    r->counted = calloc(r->names.names.count, sizeof *r->counted);
    r->totals = calloc(r->names.names.count, sizeof *r->totals);
    if (r->counted == NULL || r->totals == NULL) return hsd_fail_nomem(err, "allocation sites");
    HSD_TRY(read_sites(r, err));
    HSD_TRY(read_objects(r, err));
    HSD_TRY(read_totals(r, err));
    return spell(r, err);
}

hsd_status hsd_stacks_of_sites(hsd_stack_tables *tables, hsd_export *x, hsd_capture *capture, hsd_stack_side side,
                               hsd_error *err)
{
    reading r = {.tables = tables, .x = x, .capture = capture, .side = side};
    const hsd_status status = read_all_site_stacks(&r, err);
    hsd_texts_release(&r.texts);
    hsd_names_release(&r.keys);
    hsd_id_map_release(&r.site_index);
    hsd_type_table_release(&r.types);
    hsd_type_names_release(&r.names);
    free(r.sites);
    free(r.sums);
    free(r.counted);
    free(r.totals);
    if (status < 0) hsd_error_set_file(err, hsd_capture_get_info(capture)->path);
    return status;
}
