/* Counting what blocks hold. See content.h. */
#include "format/content.h"

#include "base/check.h"

#define TYPE_IS_PART 0x2u /* FORMAT.md 6.3 */

/* True if the first record continues the last object that was seen. */
static bool continues_last(const hsd_content *content, const hsd_object *first)
{
    return content->has_last && content->last_ordinal == first->ordinal && content->last_id == first->id;
}

static void count_object(hsd_content *content, const hsd_object *object)
{
    hsd_counts *counts = &content->counts;
    counts->references += object->reference_count;
    if (object->is_continuation) return;
    counts->objects++;
    content->has_last = true;
    content->last_ordinal = object->ordinal;
    content->last_id = object->id;
    if ((object->flags & HSD_OBJECT_PSEUDO) != 0) {
        counts->pseudo_objects++;
        return;
    }
    counts->bytes = hsd_add_saturating(counts->bytes, object->size_bytes);
    counts->native_bytes = hsd_add_saturating(counts->native_bytes, object->native_bytes);
}

/* The rules that bind a block of objects to those before it; *skip: its first record is an orphan. */
static hsd_status check_order(const hsd_content *content, const hsd_object_block *objects, bool allow_gaps, bool *skip,
                              hsd_fault *fault)
{
    hsd_object_block first = *objects; /* a copy of the position; the arrays are shared */
    hsd_object object;
    const uint64_t next = content->has_last ? content->last_ordinal + 1 : 0;
    *skip = false;
    if (objects->next_ordinal < next || (!allow_gaps && objects->next_ordinal > next)) {
        return hsd_fault_corrupt(fault, "4.10", "its first ordinal is %llu, and %llu objects begin before it",
                                 (unsigned long long)objects->next_ordinal, (unsigned long long)next);
    }
    if (!objects->starts_with_continuation || !hsd_object_block_next(&first, &object) ||
        continues_last(content, &object))
        return HSD_OK;
    *skip = true;
    if (allow_gaps) return HSD_OK;
    return hsd_fault_corrupt(fault, "6.8", "it continues an object that is not the last before it");
}

static hsd_status take_objects(hsd_content *content, const hsd_block *block, bool allow_gaps, hsd_content_fn each,
                               void *context, hsd_fault *fault)
{
    hsd_object_block *objects = &content->objects;
    hsd_object object;
    bool skip;
    HSD_TRY(hsd_object_block_decode(objects, block, HSD_WANT_ALL, fault));
    HSD_TRY(check_order(content, objects, allow_gaps, &skip, fault));
    if (skip) {
        hsd_object_block_skip(objects, 1);
        content->orphans++;
    }
    while (hsd_object_block_next(objects, &object)) {
        count_object(content, &object);
        if (each != NULL) each(context, &block->header, &object, NULL);
    }
    return HSD_OK;
}

static void count_records(hsd_content *content, uint8_t type, uint64_t records)
{
    hsd_counts *counts = &content->counts;
    uint64_t *const counter[HSC_BLOCK_END] = {
        [HSC_BLOCK_STRINGS] = &counts->strings, [HSC_BLOCK_TYPES] = &counts->types,
        [HSC_BLOCK_LABELS] = &counts->labels,   [HSC_BLOCK_SITES] = &counts->sites,
        [HSC_BLOCK_EDGES] = &counts->edges,     [HSC_BLOCK_ROOTS] = &counts->roots,
        [HSC_BLOCK_THREADS] = &counts->threads, [HSC_BLOCK_FRAMES] = &counts->frames,
        [HSC_BLOCK_METRICS] = &counts->metrics, [HSC_BLOCK_LOSSES] = &counts->losses,
    };
    if (type < HSC_BLOCK_END && counter[type] != NULL) *counter[type] += records;
    if (type == HSC_BLOCK_LIVE_TOTALS) counts->live_totals += records;
    if (type == HSC_BLOCK_ROOT_TOTALS) counts->root_totals += records;
    if (type == HSC_BLOCK_PLACES) counts->places += records;
    if (type == HSC_BLOCK_SITE_TOTALS) counts->site_totals += records;
}

static void sum_live_total(hsd_counts *counts, const hsd_live_total *total)
{
    const uint64_t objects = hsd_add_saturating(total->objects, total->unreached_objects);
    const uint64_t bytes = hsd_add_saturating(total->bytes, total->unreached_bytes);
    counts->sum_objects = hsd_add_saturating(counts->sum_objects, objects);
    counts->sum_bytes = hsd_add_saturating(counts->sum_bytes, bytes);
}

/* Looks at all records of a block of sums and stands before the first again; nothing is counted when one is wrong. */
static hsd_status check_sums(hsd_content *content, const hsd_block_header *header, hsd_fault *fault)
{
    hsd_sum_walk walk = content->sums;
    hsd_record record;
    if (!hsd_block_is_of_sums(header->type)) return HSD_OK;
    HSD_TRY(hsd_sum_begin(&walk, header, fault));
    while (hsd_record_block_next(&content->records, &record))
        HSD_TRY(hsd_sum_step(&walk, header->type, &record, fault));
    content->records.next = 0;
    content->sums = walk;
    return HSD_OK;
}

static void sum_record(hsd_content *content, uint8_t type, const hsd_record *record)
{
    hsd_counts *counts = &content->counts;
    if (type == HSC_BLOCK_TYPES && (record->type.flags & TYPE_IS_PART) != 0) content->has_parts = true;
    if (type == HSC_BLOCK_LOSSES) counts->lost = hsd_add_saturating(counts->lost, record->loss.count);
    if (type == HSC_BLOCK_LIVE_TOTALS) sum_live_total(counts, &record->live_total);
    if (type != HSC_BLOCK_TYPE_TOTALS) return;
    counts->total_objects = hsd_add_saturating(counts->total_objects, record->type_total.objects);
    counts->total_bytes = hsd_add_saturating(counts->total_bytes, record->type_total.bytes);
}

static hsd_status take_records(hsd_content *content, const hsd_block *block, hsd_content_fn each, void *context,
                               hsd_fault *fault)
{
    hsd_record_block *records = &content->records;
    const uint8_t type = block->header.type;
    hsd_record record;
    HSD_TRY(hsd_record_block_decode(records, block, fault));
    HSD_TRY(check_sums(content, &block->header, fault));
    count_records(content, type, records->records);
    const bool is_summed = type == HSC_BLOCK_TYPES || type == HSC_BLOCK_LOSSES || type == HSC_BLOCK_TYPE_TOTALS ||
                           type == HSC_BLOCK_LIVE_TOTALS;
    if (each == NULL && !is_summed) return HSD_OK;
    while (hsd_record_block_next(records, &record)) {
        sum_record(content, type, &record);
        if (each != NULL) each(context, &block->header, NULL, &record);
    }
    return HSD_OK;
}

hsd_status hsd_content_take(hsd_content *content, const hsd_block *block, bool allow_gaps, hsd_content_fn each,
                            void *context, hsd_fault *fault)
{
    if (block->header.type == HSC_BLOCK_OBJECTS) {
        HSD_TRY(take_objects(content, block, allow_gaps, each, context, fault));
    } else {
        HSD_TRY(take_records(content, block, each, context, fault));
    }
    content->counts.blocks++;
    return HSD_OK;
}

void hsd_content_release(hsd_content *content)
{
    hsd_object_block_release(&content->objects);
    hsd_record_block_release(&content->records);
}
