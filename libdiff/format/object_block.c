/*
 * Decoding one block of objects. See object_block.h.
 *
 * Only what is wanted is decoded. References that are stored as differences to their source are made
 * absolute in two passes over arrays: spread the sources out to one a reference, then add. Objects have few
 * references, of a number that no branch predictor can guess, so the spreading writes eight places at once
 * and lets the next object overwrite what was too much.
 */
#include "format/object_block.h"

#include "format/object_reader.h"

#define WANT_ANY_REFERENCE (HSD_WANT_REFERENCES | HSD_WANT_LABELS | HSD_WANT_INDEXES)
#define WANT_ANY_ID        (HSD_WANT_IDS | HSD_WANT_ID)
#define SPREAD             8

/* One decoding, so that the steps below have few arguments. */
typedef struct decoding {
    hsd_object_block *objects;
    const hsd_block_header *header;
    unsigned want;
    const uint64_t *zeros; /* one for each record */
    hsd_fault *fault;
} decoding;

static bool wants(const decoding *d, unsigned want) { return (d->want & want) != 0; }

/* One column as an array; zeros when it is not wanted. */
static hsd_status array_u64(const decoding *d, unsigned id, bool is_wanted, const uint64_t **out)
{
    hsd_object_block *o = d->objects;
    *out = d->zeros;
    if (!is_wanted) return HSD_OK;
    return hsd_column_u64_array(&o->columns, &o->store, id, o->records, out, d->fault);
}

static hsd_status array_u32(const decoding *d, unsigned id, bool is_wanted, const uint32_t **out)
{
    hsd_object_block *o = d->objects;
    *out = (const uint32_t *)d->zeros;
    if (!is_wanted) return HSD_OK;
    return hsd_column_u32_array(&o->columns, &o->store, id, o->records, out, d->fault);
}

/* One column as a view. */
static hsd_status view_u64(const decoding *d, unsigned id, unsigned want, hsd_u64s *out)
{
    hsd_object_block *o = d->objects;
    *out = hsd_u64s_zero;
    if (!wants(d, want)) return HSD_OK;
    HSD_TRY(hsd_column_u64(&o->columns, &o->store, id, o->records, out, d->fault));
    o->has_varying |= out->mask != 0;
    return HSD_OK;
}

static hsd_status view_u32(const decoding *d, unsigned id, unsigned want, hsd_u32s *out)
{
    hsd_object_block *o = d->objects;
    *out = hsd_u32s_zero;
    if (!wants(d, want)) return HSD_OK;
    HSD_TRY(hsd_column_u32(&o->columns, &o->store, id, o->records, out, d->fault));
    o->has_varying |= out->mask != 0;
    return HSD_OK;
}

static hsd_status decode_records(const decoding *d)
{
    hsd_object_block *o = d->objects;
    HSD_TRY(array_u64(d, HSC_COL_ID, wants(d, WANT_ANY_ID), &o->id));
    HSD_TRY(array_u64(d, HSC_COL_SIZE, wants(d, HSD_WANT_SIZES), &o->size));
    HSD_TRY(array_u32(d, HSC_COL_TYPE, true, &o->type));
    HSD_TRY(array_u32(d, HSC_COL_FLAGS, true, &o->flags));
    HSD_TRY(array_u32(d, HSC_COL_REF_COUNT, wants(d, WANT_ANY_REFERENCE), &o->ref_count));
    o->has_varying = false;
    HSD_TRY(view_u64(d, HSC_COL_NATIVE_SIZE, HSD_WANT_SIZES, &o->native));
    HSD_TRY(view_u64(d, HSC_COL_ELEMENTS, HSD_WANT_SIZES, &o->elements));
    HSD_TRY(view_u64(d, HSC_COL_IDENTITY, HSD_WANT_IDS, &o->identity));
    HSD_TRY(view_u64(d, HSC_COL_CONTENT, HSD_WANT_IDS, &o->content));
    HSD_TRY(view_u32(d, HSC_COL_SITE, HSD_WANT_DETAILS, &o->site));
    HSD_TRY(view_u32(d, HSC_COL_AGE, HSD_WANT_DETAILS, &o->age));
    HSD_TRY(view_u32(d, HSC_COL_NAME, HSD_WANT_DETAILS, &o->name));
    HSD_TRY(view_u32(d, HSC_COL_CATEGORY, HSD_WANT_DETAILS, &o->category));
    const bool has_varying = o->has_varying;
    HSD_TRY(view_u32(d, HSC_COL_VALUE_BYTES, HSD_WANT_DETAILS, &o->value_bytes));
    o->has_varying = true;
    hsd_object_block_get_rest(o, 0, &o->constant);
    o->has_varying = has_varying;
    return HSD_OK;
}

/* The rules of 6.8 that one block shows. */
static hsd_status check_continuation(const decoding *d)
{
    hsd_object_block *o = d->objects;
    uint32_t others = 0;
    for (uint32_t i = 1; i < o->records; i++)
        others |= o->flags[i];
    if ((others & HSD_OBJECT_CONTINUES) != 0) {
        return hsd_fault_corrupt(d->fault, "6.8", "a record that is not the first continues an object");
    }
    o->starts_with_continuation = (o->flags[0] & HSD_OBJECT_CONTINUES) != 0;
    if (!o->starts_with_continuation) return HSD_OK;
    if (d->header->first_ordinal == 0) {
        return hsd_fault_corrupt(d->fault, "6.8", "it continues an object, and there is none before");
    }
    hsd_object first;
    hsd_object_block_get_rest(o, 0, &first);
    const uint64_t fields = o->size[0] | o->type[0] | (o->flags[0] & ~HSD_OBJECT_CONTINUES) | first.native_bytes |
                            first.elements | first.identity | first.content | first.site | first.age | first.name |
                            first.category | hsd_u32s_get(o->value_bytes, 0);
    if (fields != 0) return hsd_fault_corrupt(d->fault, "6.8", "a continuation has fields of its own");
    return HSD_OK;
}

static uint64_t sum_counts(const uint32_t *counts, uint32_t records)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < records; i++)
        sum += counts[i];
    return sum;
}

static hsd_status decode_values(const decoding *d)
{
    hsd_object_block *o = d->objects;
    hsd_bytes bytes;
    uint64_t sum = 0;
    o->values = NULL;
    if (!wants(d, HSD_WANT_DETAILS)) return HSD_OK;
    for (uint32_t i = 0; i < o->records && hsd_columns_has(&o->columns, HSC_COL_VALUE_BYTES); i++) {
        const uint32_t size = hsd_u32s_get(o->value_bytes, i);
        if (size > HSC_MAX_VALUE_BYTES)
            return hsd_fault_corrupt(d->fault, "10.6", "a value preview has %u bytes", (unsigned)size);
        sum += size;
    }
    HSD_TRY(hsd_column_bytes(&o->columns, HSC_COL_VALUE, sum, &bytes, d->fault));
    o->values = bytes.data; /* NULL when there are none */
    return HSD_OK;
}

/* sources[k] = id, or ordinal where there are no `ids`, of the object that reference k belongs to. Room for SPREAD more
 * than there are. */
static void spread_sources(const hsd_object_block *o, const uint64_t *ids, uint64_t *sources)
{
    uint64_t ordinal = o->next_ordinal - (o->starts_with_continuation ? 1 : 0);
    for (uint32_t i = 0; i < o->records; i++) {
        const uint32_t count = o->ref_count[i];
        const uint64_t source = ids == NULL ? ordinal + i : ids[i];
        for (uint32_t k = 0; k < SPREAD; k++)
            sources[k] = source;
        for (uint32_t k = SPREAD; k < count; k++)
            sources[k] = source;
        sources += count;
    }
}

/* Targets that are stored as differences to the source become absolute, unless whoever asked does that. */
static hsd_status add_sources(const decoding *d)
{
    hsd_object_block *o = d->objects;
    const bool is_by_ordinal = (d->header->flags & HSC_BLOCK_FLAG_TARGET_ORDINAL) != 0;
    o->has_differences = is_by_ordinal && wants(d, HSD_WANT_DIFFERENCES);
    o->difference_shift = o->columns.column[HSC_COL_REF_TARGET].shift;
    if (o->has_differences) return HSD_OK;
    const uint64_t *ids = o->id;
    if (!is_by_ordinal && !wants(d, WANT_ANY_ID)) HSD_TRY(array_u64(d, HSC_COL_ID, true, &ids));
    uint64_t *sources =
        hsd_column_store_array(&o->store, HSD_SLOT_SOURCES, o->references + SPREAD, sizeof *sources, d->fault);
    if (sources == NULL) return HSD_E_NOMEM;
    spread_sources(o, is_by_ordinal ? NULL : ids, sources);
    o->store.slot[HSC_COL_REF_TARGET].fill_count = 0;
    hsd_column_add_sources(&o->columns, HSC_COL_REF_TARGET, sources, o->store.slot[HSC_COL_REF_TARGET].array);
    return HSD_OK;
}

static hsd_status decode_references(const decoding *d)
{
    hsd_object_block *o = d->objects;
    o->targets = o->indexes = NULL;
    o->labels = NULL;
    o->has_differences = false;
    o->references = 0;
    if (!wants(d, WANT_ANY_REFERENCE)) return HSD_OK;
    o->references = sum_counts(o->ref_count, o->records);
    if (o->references > HSC_MAX_REFERENCES) {
        return hsd_fault_corrupt(d->fault, "10.4", "it has %llu references", (unsigned long long)o->references);
    }
    if (wants(d, HSD_WANT_REFERENCES)) {
        HSD_TRY(hsd_column_u64_array(&o->columns, &o->store, HSC_COL_REF_TARGET, o->references, &o->targets, d->fault));
        if (hsd_column_is_of_source(&o->columns, HSC_COL_REF_TARGET)) HSD_TRY(add_sources(d));
    }
    if (wants(d, HSD_WANT_LABELS)) {
        HSD_TRY(hsd_column_u32_array(&o->columns, &o->store, HSC_COL_REF_LABEL, o->references, &o->labels, d->fault));
    }
    if (wants(d, HSD_WANT_INDEXES)) {
        HSD_TRY(hsd_column_u64_array(&o->columns, &o->store, HSC_COL_REF_INDEX, o->references, &o->indexes, d->fault));
    }
    return HSD_OK;
}

static hsd_status decode_all(decoding *d, const hsd_block *block)
{
    hsd_object_block *o = d->objects;
    HSD_TRY(hsd_columns_parse(block, &o->columns, d->fault));
    o->records = block->header.record_count;
    o->next_ordinal = block->header.first_ordinal;
    HSD_TRY(hsd_column_zeros(&o->store, HSD_SLOT_ZEROS, o->records, &d->zeros, d->fault));
    HSD_TRY(decode_records(d));
    HSD_TRY(check_continuation(d));
    if (o->next_ordinal + hsd_object_block_begun(o) > HSC_MAX_OBJECTS) {
        return hsd_fault_corrupt(d->fault, "10.8", "its ordinals pass the limit");
    }
    HSD_TRY(decode_values(d));
    return decode_references(d);
}

hsd_status hsd_object_block_decode(hsd_object_block *objects, const hsd_block *block, unsigned want, hsd_fault *fault)
{
    decoding d = {.objects = objects, .header = &block->header, .want = want, .fault = fault};
    const hsd_status status = decode_all(&d, block);
    objects->next = 0;
    if (status != HSD_OK) objects->records = 0; /* nothing of it may be looked at */
    return status;
}

void hsd_object_block_skip(hsd_object_block *objects, uint32_t count)
{
    hsd_object object;
    while (count-- > 0 && hsd_object_block_next(objects, &object))
        continue;
}

void hsd_object_block_release(hsd_object_block *objects)
{
    hsd_column_store_release(&objects->store);
    *objects = (hsd_object_block){0};
}
