/*
 * What a capture says of itself, and its types with their totals.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include <hscapture/hscapture.h>

#include "export/tables/fill.h"

/* ---- captures */

static const char *known(const char *text) { return text != NULL && text[0] != '\0' ? text : NULL; }

static void write_hex(char out[33], const uint8_t bytes[16])
{
    for (size_t i = 0; i < 16; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static const char *identity_word(hsd_identity identity)
{
    switch (identity) {
    case HSD_IDENTITY_EXACT: return "exact";
    case HSD_IDENTITY_ADDRESS: return "address";
    case HSD_IDENTITY_MOVING: return "moving";
    case HSD_IDENTITY_NONE: break;
    }
    return "none";
}

static void put_facts(hsd_inserter *in, uint32_t facts)
{
    static const uint32_t all[] = {HSC_FACT_COLLECTED, HSC_FACT_SAMPLED,       HSC_FACT_VALUES,
                                   HSC_FACT_NO_ROOTS,  HSC_FACT_NO_REFERENCES, HSC_FACT_CONSERVATIVE};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        hsd_put_count(in, (facts & all[i]) != 0);
}

static hsd_status put_capture(hsd_inserter *in, const char *side, const hsd_capture_info *info, hsd_error *err)
{
    char id[33], domain[33];
    write_hex(id, info->capture_id);
    write_hex(domain, info->domain);
    hsd_put_word(in, side);
    hsd_put_word(in, known(info->producer));
    hsd_put_word(in, known(info->runtime));
    hsd_put_word(in, known(info->process_name));
    hsd_put_word(in, known(info->source_format));
    hsd_put_some(in, info->pid);
    hsd_put_some(in, info->started_unix_ns);
    hsd_put_some(in, info->taken_unix_ns);
    hsd_put_word(in, id);
    hsd_put_word(in, domain);
    hsd_put_word(in, identity_word(info->identity));
    hsd_put_some(in, info->pointer_bytes);
    hsd_put_count(in, info->is_complete);
    hsd_put_word(in, known(info->incomplete_reason));
    hsd_put_count(in, info->is_salvaged);
    hsd_put_count(in, info->is_baseline);
    put_facts(in, info->facts);
    hsd_put_count(in, info->objects);
    hsd_put_count(in, info->pseudo_objects);
    hsd_put_count(in, info->references + info->edges);
    hsd_put_count(in, info->roots);
    hsd_put_count(in, info->bytes);
    hsd_put_count(in, info->native_bytes);
    hsd_put_count(in, info->damaged_blocks);
    hsd_put_count(in, info->lost);
    return hsd_put_row(in, err);
}

hsd_status hsd_fill_captures(hsd_filling *f, hsd_error *err)
{
    hsd_inserter in;
    hsd_status status = hsd_fill_open(&in, f, 1, HSD_TABLE_OF_CAPTURES, 0, err);
    if (status == HSD_OK) status = put_capture(&in, "after", hsd_capture_get_info(f->captures[1]), err);
    if (status == HSD_OK && hsd_filling_is_pair(f))
        status = put_capture(&in, "before", hsd_capture_get_info(f->captures[0]), err);
    return hsd_fill_close(&in, f, status, err);
}

/* ---- types */

typedef struct type_sum {
    uint64_t objects, bytes, native_bytes;
    bool is_used;
} type_sum;

/* By common number: type totals of the capture, where it has its end. */
static hsd_status add_totals(type_sum *sums, const hsd_type_table *types, hsd_capture *capture, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, capture, HSD_RECORD_TYPE_TOTAL, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        type_sum *sum = &sums[hsd_type_common(types, record.type_total.type)];
        sum->is_used = true;
        sum->objects += record.type_total.objects;
        sum->bytes += record.type_total.bytes;
        sum->native_bytes += record.type_total.native_bytes;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status put_type(hsd_inserter *in, const hsd_filling *f, uint32_t number, const type_sum *sum,
                           bool has_totals, hsd_error *err)
{
    const hsd_bytes name = hsd_names_get(&f->names.names, number);
    const uint32_t flags = f->names.flags[number];
    hsd_put_count(in, number);
    hsd_put_text(in, (hsd_text){.data = (const char *)name.data, .size = name.size});
    const uint64_t totals[] = {sum->objects, sum->bytes, sum->native_bytes};
    for (size_t i = 0; i < 3; i++) {
        if (has_totals)
            hsd_put_count(in, totals[i]);
        else
            hsd_put_null(in);
    }
    hsd_put_count(in, (flags & HSC_TYPE_INTERNAL) != 0);
    hsd_put_count(in, (flags & HSC_TYPE_PART) != 0);
    hsd_put_count(in, (flags & HSC_TYPE_CODE) != 0);
    return hsd_put_row(in, err);
}

static hsd_status put_types(hsd_inserter *in, const hsd_filling *f, unsigned side, type_sum *sums, hsd_error *err)
{
    const hsd_type_table *types = &f->types[side];
    const hsd_capture_info *info = hsd_capture_get_info(f->captures[side]);
    const bool has_totals = info->is_complete && info->damaged_blocks == 0;
    if (has_totals) HSD_TRY(add_totals(sums, types, f->captures[side], err));
    for (uint32_t i = 0; i < types->count; i++)
        sums[types->common[i]].is_used = true;
    sums[HSD_TYPE_UNDEFINED].is_used |= !has_totals;
    for (uint32_t i = 0; i < f->names.names.count; i++)
        if (sums[i].is_used) HSD_TRY(put_type(in, f, i, &sums[i], has_totals, err));
    return HSD_OK;
}

hsd_status hsd_fill_types(hsd_filling *f, unsigned side, hsd_error *err)
{
    hsd_inserter in;
    type_sum *sums = calloc(f->names.names.count, sizeof *sums);
    if (sums == NULL) return hsd_fail_nomem(err, "totals by type");
    hsd_status status = hsd_fill_open(&in, f, side, HSD_TABLE_OF_TYPES, f->names.names.count, err);
    if (status == HSD_OK) status = put_types(&in, f, side, sums, err);
    status = hsd_fill_close(&in, f, status, err);
    free(sums);
    return status;
}

/* ---- sites of objects that are totals alone */

static hsd_status put_site_totals(hsd_inserter *in, const hsd_type_table *types, hsd_record_reader *reader,
                                  hsd_error *err)
{
    hsd_record record;
    hsd_status status;
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        hsd_put_count(in, in->count);
        hsd_put_count(in, hsd_type_common(types, record.site_total.type));
        hsd_put_count(in, record.site_total.site);
        hsd_put_count(in, record.site_total.objects);
        hsd_put_count(in, record.site_total.bytes);
        HSD_TRY(hsd_put_row(in, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

hsd_status hsd_fill_site_totals(hsd_filling *f, unsigned side, hsd_error *err)
{
    hsd_inserter in;
    hsd_record_reader *reader = NULL;
    hsd_status status = hsd_fill_open(&in, f, side, HSD_TABLE_OF_SITE_TOTALS, 0, err);
    if (status == HSD_OK) status = hsd_record_reader_open(&reader, f->captures[side], HSD_RECORD_SITE_TOTAL, err);
    if (status == HSD_OK) status = put_site_totals(&in, &f->types[side], reader, err);
    hsd_record_reader_close(reader);
    return hsd_fill_close(&in, f, status, err);
}
