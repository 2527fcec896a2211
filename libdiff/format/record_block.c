/*
 * Decoding the blocks of tables, edges, roots and totals. See record_block.h.
 *
 * Which columns a type of block has, and which member of the record each fills, is the table of forms.h. What does not
 * follow from one value alone (the unit of a metric, the buckets of a total, the number of a place) is filled behind
 * that. Texts are given out in place: the byte behind one becomes a NUL while it is borrowed.
 */
#include "format/record_block.h"

#include <stddef.h>
#include <string.h>

#define BUCKETS_MAX HSC_MAX_REFERENCES /* FORMAT.md 10.4 */

static struct hsd_field_values *values_of(hsd_record_block *records, unsigned column)
{
    return &records->values[hsd_form_field(records->form, column) - records->form->fields];
}

static uint32_t narrow(hsd_record_block *records, unsigned column, uint32_t i)
{
    return hsd_u32s_get(values_of(records, column)->narrow, i);
}

/* ---- texts ---- */

static void restore_text(hsd_record_block *records)
{
    if (records->restore_at != NULL) *records->restore_at = records->restore_byte;
    records->restore_at = NULL;
}

/* The next `size` bytes of TEXT, with a NUL behind them. The sum of all sizes was checked. */
static hsd_text take_text(hsd_record_block *records, uint32_t size)
{
    const hsd_text text = {size > 0 ? (const char *)records->text : "", size};
    if (size == 0) return text;
    records->text += size;
    records->restore_at = records->text;
    records->restore_byte = *records->text;
    *records->text = 0;
    return text;
}

/* ---- records ---- */

/* The member of one field. A text takes its bytes off the column of texts. */
static void fill_member(hsd_record_block *r, const hsd_field *field, const struct hsd_field_values *values, uint32_t i,
                        uint8_t *record)
{
    if (field->is_many) return;
    if (field->kind == HSD_FIELD_U64) {
        const uint64_t value = hsd_u64s_get(values->wide, i);
        memcpy(record + field->offset, &value, sizeof value);
    } else if (field->column == HSC_COL_TEXT_BYTES) {
        const hsd_text text = take_text(r, hsd_u32s_get(values->narrow, i));
        memcpy(record + field->offset, &text, sizeof text);
    } else if (field->member_bytes == sizeof(uint32_t) && field->kind != HSD_FIELD_NONE) {
        uint32_t value = hsd_u32s_get(values->narrow, i);
        if (field->known != 0 && value > field->known) value = 0;
        memcpy(record + field->offset, &value, sizeof value);
    }
}

/* What of the text is the unit was checked when the block was decoded. */
static void cut_unit(hsd_record_block *r, uint32_t i, hsd_metric *metric)
{
    const uint32_t unit = narrow(r, HSC_COL_UNIT, i);
    metric->name.size -= unit;
    metric->unit = (hsd_text){metric->name.data + metric->name.size, unit};
}

static void take_buckets(hsd_record_block *r, hsd_type_total *total)
{
    for (uint32_t k = 0; k < total->bucket_count; k++)
        r->bucket_numbers[k] = (uint8_t)r->buckets[k];
    total->buckets = r->bucket_numbers;
    total->bucket_objects = r->bucket_objects;
    total->bucket_bytes = r->bucket_bytes;
    if (total->bucket_count == 0) return;
    r->buckets += total->bucket_count;
    r->bucket_objects += total->bucket_count;
    r->bucket_bytes += total->bucket_count;
}

static void make_record(hsd_record_block *r, uint32_t i, hsd_record *out)
{
    *out = (hsd_record){0};
    for (unsigned n = 0; r->form->fields[n].kind != 0; n++)
        fill_member(r, &r->form->fields[n], &r->values[n], i, (uint8_t *)out);
    if (r->type == HSC_BLOCK_METRICS) cut_unit(r, i, &out->metric);
    if (r->type == HSC_BLOCK_TYPE_TOTALS) take_buckets(r, &out->type_total);
    if (r->type == HSC_BLOCK_EDGES) out->edge.source_is_ordinal = r->source_is_ordinal;
    if (r->type == HSC_BLOCK_PLACES) out->place_total.number = r->first_place + i;
}

uint8_t hsd_record_block_type(hsd_record_kind kind)
{
    return (unsigned)kind < HSD_RECORD_KINDS ? hsd_forms[kind].block_type : HSC_BLOCK_INFO;
}

hsd_record_kind hsd_record_block_kind(uint8_t block_type)
{
    const hsd_form *form = hsd_form_of_block(block_type);
    return form == NULL || form - hsd_forms > HSD_RECORD_KINDS ? HSD_RECORD_KINDS : (hsd_record_kind)(form - hsd_forms);
}

/* ---- decoding ---- */

static hsd_status decode_fields(hsd_record_block *records, hsd_fault *fault)
{
    for (unsigned n = 0; records->form->fields[n].kind != 0; n++) {
        const hsd_field *field = &records->form->fields[n];
        struct hsd_field_values *values = &records->values[n];
        if (field->is_many || field->kind == HSD_FIELD_NONE) continue;
        if (field->kind == HSD_FIELD_U64)
            HSD_TRY(hsd_column_u64(&records->columns, &records->store, field->column, records->records, &values->wide,
                                   fault));
        else
            HSD_TRY(hsd_column_u32(&records->columns, &records->store, field->column, records->records, &values->narrow,
                                   fault));
    }
    return HSD_OK;
}

static hsd_status decode_text(hsd_record_block *records, hsd_fault *fault)
{
    const hsd_u32s lengths = values_of(records, HSC_COL_TEXT_BYTES)->narrow;
    const bool has_unit = records->type == HSC_BLOCK_METRICS;
    uint64_t sum = 0;
    hsd_bytes bytes;
    for (uint32_t i = 0; i < records->records; i++) {
        const uint32_t length = hsd_u32s_get(lengths, i);
        if (length > HSC_MAX_TEXT_BYTES)
            return hsd_fault_corrupt(fault, "10.5", "a text has %u bytes", (unsigned)length);
        if (has_unit && narrow(records, HSC_COL_UNIT, i) > length) {
            return hsd_fault_corrupt(fault, "6.12", "the unit of a metric is longer than its text");
        }
        sum += length;
    }
    HSD_TRY(hsd_column_bytes(&records->columns, HSC_COL_TEXT, sum, &bytes, fault));
    records->text = (uint8_t *)bytes.data; /* the block's own buffer, with slack behind */
    return HSD_OK;
}

static hsd_status check_bucket_counts(hsd_record_block *records, uint64_t *sum, hsd_fault *fault)
{
    *sum = 0;
    for (uint32_t i = 0; i < records->records; i++) {
        const uint32_t count = narrow(records, HSC_COL_BUCKET_COUNT, i);
        if (count > HSC_HISTOGRAM_BUCKETS)
            return hsd_fault_corrupt(fault, "6.14", "a histogram has %u buckets", (unsigned)count);
        *sum += count;
    }
    if (*sum > BUCKETS_MAX) return hsd_fault_corrupt(fault, "10.4", "it has %llu buckets", (unsigned long long)*sum);
    return HSD_OK;
}

static hsd_status decode_buckets(hsd_record_block *r, hsd_fault *fault)
{
    uint64_t sum;
    HSD_TRY(check_bucket_counts(r, &sum, fault));
    HSD_TRY(hsd_column_u32_array(&r->columns, &r->store, HSC_COL_BUCKET, sum, &r->buckets, fault));
    HSD_TRY(hsd_column_u64_array(&r->columns, &r->store, HSC_COL_BUCKET_OBJECTS, sum, &r->bucket_objects, fault));
    HSD_TRY(hsd_column_u64_array(&r->columns, &r->store, HSC_COL_BUCKET_BYTES, sum, &r->bucket_bytes, fault));
    for (uint64_t k = 0; k < sum; k++) {
        if (r->buckets[k] >= HSC_HISTOGRAM_BUCKETS)
            return hsd_fault_corrupt(fault, "6.14", "a histogram has a bucket %u", (unsigned)r->buckets[k]);
    }
    return HSD_OK;
}

/* Targets of edges that are differences to their source. */
static hsd_status add_sources(hsd_record_block *records, const hsd_block_header *header, hsd_fault *fault)
{
    const uint64_t *array, *sources;
    if (!hsd_column_is_of_source(&records->columns, HSC_COL_REF_TARGET)) return HSD_OK;
    const bool target_is_ordinal = (header->flags & HSC_BLOCK_FLAG_TARGET_ORDINAL) != 0;
    if (target_is_ordinal != records->source_is_ordinal) {
        return hsd_fault_corrupt(fault, "5.7", "targets are differences to sources of another kind");
    }
    hsd_u64s *targets = &values_of(records, HSC_COL_REF_TARGET)->wide;
    const hsd_u64s given = values_of(records, HSC_COL_EDGE_SOURCE)->wide;
    if (targets->mask == 0) {
        HSD_TRY(hsd_column_u64_array(&records->columns, &records->store, HSC_COL_REF_TARGET, records->records, &array,
                                     fault));
    }
    sources = given.at;
    if (given.mask == 0) {
        HSD_TRY(hsd_column_u64_array(&records->columns, &records->store, HSC_COL_EDGE_SOURCE, records->records,
                                     &sources, fault));
    }
    uint64_t *values = records->store.slot[HSC_COL_REF_TARGET].array;
    records->store.slot[HSC_COL_REF_TARGET].fill_count = 0;
    hsd_column_add_sources(&records->columns, HSC_COL_REF_TARGET, sources, values);
    *targets = (hsd_u64s){values, UINT64_MAX};
    return HSD_OK;
}

static hsd_status decode_all(hsd_record_block *records, const hsd_block *block, hsd_fault *fault)
{
    records->form = &hsd_forms[hsd_record_block_kind(records->type)];
    HSD_TRY(hsd_columns_parse(block, &records->columns, fault));
    HSD_TRY(decode_fields(records, fault));
    if (hsd_form_field(records->form, HSC_COL_TEXT) != NULL) HSD_TRY(decode_text(records, fault));
    if (hsd_form_field(records->form, HSC_COL_BUCKET) != NULL) HSD_TRY(decode_buckets(records, fault));
    return records->type == HSC_BLOCK_EDGES ? add_sources(records, &block->header, fault) : HSD_OK;
}

hsd_status hsd_record_block_decode(hsd_record_block *records, const hsd_block *block, hsd_fault *fault)
{
    records->type = block->header.type;
    records->records = block->header.record_count;
    records->next = 0;
    records->restore_at = NULL;
    records->text = NULL;
    records->first_place = block->header.type == HSC_BLOCK_PLACES ? (uint32_t)block->header.first_ordinal : 0;
    records->source_is_ordinal = (block->header.flags & HSC_BLOCK_FLAG_SOURCE_ORDINAL) != 0;
    const hsd_status status = decode_all(records, block, fault);
    if (status != HSD_OK) records->records = 0; /* nothing of it may be looked at */
    return status;
}

bool hsd_record_block_next(hsd_record_block *records, hsd_record *out)
{
    restore_text(records);
    /* Totals of kinds that a later version adds are not for us (6.15). */
    while (records->type == HSC_BLOCK_GROUP_TOTALS && records->next < records->records &&
           narrow(records, HSC_COL_KIND, records->next) > 1) {
        records->next++;
    }
    if (records->next >= records->records) return false;
    make_record(records, records->next, out);
    records->next++;
    return true;
}

void hsd_record_block_release(hsd_record_block *records)
{
    hsd_column_store_release(&records->store);
    *records = (hsd_record_block){0};
}
