/*
 * The payload of one block, of any type: type, flags and number of records from the first bytes, then the payload.
 * Every decoder of records, with everything wanted and with parts of it.
 */
#include <stdlib.h>
#include <string.h>

#include "format/content.h"
#include "format/facts.h"
#include "format/index.h"
#include "format/unpack.h"

#define HEAD_BYTES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touches what a record promises to hold. */
static void touch(void *context, const hsd_block_header *header, const hsd_object *object, const hsd_record *record)
{
    volatile uint64_t *sum = context;
    (void)header;
    for (uint32_t i = 0; object != NULL && i < object->reference_count; i++)
        *sum += object->targets[i] + object->labels[i] + object->indexes[i];
    for (size_t i = 0; object != NULL && i < object->value.size; i++)
        *sum += (uint8_t)object->value.data[i];
    if (record != NULL && header->type == HSC_BLOCK_STRINGS) {
        for (size_t i = 0; i <= record->string.text.size; i++)
            *sum += (uint8_t)record->string.text.data[i];
    }
    if (record != NULL && header->type == HSC_BLOCK_METRICS) {
        for (size_t i = 0; i < record->metric.name.size; i++)
            *sum += (uint8_t)record->metric.name.data[i];
        for (size_t i = 0; i <= record->metric.unit.size; i++)
            *sum += (uint8_t)record->metric.unit.data[i];
    }
    for (uint32_t i = 0; record != NULL && header->type == HSC_BLOCK_TYPE_TOTALS && i < record->type_total.bucket_count;
         i++) {
        *sum +=
            record->type_total.buckets[i] + record->type_total.bucket_objects[i] + record->type_total.bucket_bytes[i];
    }
}

static void decode_objects(const hsd_block *block, unsigned want)
{
    hsd_object_block objects = {0};
    hsd_fault fault = {0};
    hsd_object object;
    volatile uint64_t sum = 0;
    if (hsd_object_block_decode(&objects, block, want, &fault) == HSD_OK) {
        while (hsd_object_block_next(&objects, &object)) {
            for (uint32_t i = 0; object.targets != NULL && i < object.reference_count; i++)
                sum += object.targets[i];
        }
    }
    (void)sum;
    hsd_object_block_release(&objects);
}

static void decode(const hsd_block *block)
{
    hsd_fault fault = {0};
    volatile uint64_t sum = 0;
    const uint8_t type = block->header.type;
    if (type == HSC_BLOCK_INFO || type == HSC_BLOCK_END) {
        hsd_facts facts;
        hsd_facts_parse(block, &facts, &fault);
    } else if (type == HSC_BLOCK_INDEX) {
        hsd_block_list list = {0};
        hsd_index_decode(block, 0, &list, &fault);
        hsd_block_list_find_ordinal(&list, block->header.first_ordinal);
        hsd_block_list_release(&list);
    } else if (hsd_content_is_counted(type)) {
        hsd_content content = {.sums.places = (uint32_t)block->header.first_ordinal};
        hsd_content_take(&content, block, true, touch, (void *)&sum, &fault);
        hsd_content_release(&content);
    }
    if (type == HSC_BLOCK_OBJECTS) {
        for (unsigned want = 0; want <= HSD_WANT_ALL; want += 5)
            decode_objects(block, want);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_fault fault = {0};
    if (size <= HEAD_BYTES || size - HEAD_BYTES > HSC_MAX_RAW_BYTES) return 0;
    const uint32_t raw_bytes = (uint32_t)(size - HEAD_BYTES);
    const uint8_t type = data[0] < HSC_BLOCK_LIVE_TOTALS ? data[0] & 31 : HSC_BLOCK_LIVE_TOTALS + (data[0] & 3);
    hsd_block block = {.header = {.type = type,
                                  .flags = (uint16_t)(data[1] & 3),
                                  .record_count = (uint32_t)(data[2] | data[3] << 8) + 1,
                                  .first_ordinal = data[4],
                                  .raw_bytes = raw_bytes,
                                  .stored_bytes = raw_bytes}};
    if (hsd_block_header_check(&block.header, &fault) != HSD_OK) return 0;
    block.payload = malloc(raw_bytes + HSD_UNPACK_SLACK_BYTES);
    if (block.payload == NULL) return 0;
    memcpy(block.payload, data + HEAD_BYTES, raw_bytes);
    memset(block.payload + raw_bytes, 0, HSD_UNPACK_SLACK_BYTES);
    decode(&block);
    free(block.payload);
    return 0;
}
