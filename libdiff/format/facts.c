/* Entries of INFO and END. See facts.h. */
#include "format/facts.h"

#include <string.h>

#include "format/bytes.h"

hsd_fact_kind hsd_fact_kind_of(uint8_t block_type, unsigned key)
{
    if (block_type == HSC_BLOCK_END) {
        if (key == HSC_END_REASON) return HSD_FACT_TEXT;
        return key >= HSC_END_STATE && key <= HSC_END_COUNTED_BYTES ? HSD_FACT_NUMBER : HSD_FACT_UNKNOWN;
    }
    if (key == HSC_INFO_CAPTURE_ID || key == HSC_INFO_DOMAIN) return HSD_FACT_ID;
    if (key >= HSC_INFO_PRODUCER && key <= HSC_INFO_SOURCE_FORMAT) return HSD_FACT_TEXT;
    if (key == HSC_INFO_WHY_NO_PLACES) return HSD_FACT_TEXT;
    return key >= HSC_INFO_PID && key <= HSC_INFO_DANGLING ? HSD_FACT_NUMBER : HSD_FACT_UNKNOWN;
}

static const char *rule_of(uint8_t block_type) { return block_type == HSC_BLOCK_END ? "8.4" : "8.2"; }

static hsd_status take_entry(uint8_t type, unsigned key, hsd_bytes value, hsd_facts *facts, hsd_fault *fault)
{
    const hsd_fact_kind kind = hsd_fact_kind_of(type, key);
    if (kind == HSD_FACT_UNKNOWN) return HSD_OK;
    if (kind == HSD_FACT_TEXT && value.size > HSC_MAX_FACT_TEXT_BYTES) {
        return hsd_fault_corrupt(fault, "10.6", "the text of entry %u has %zu bytes", key, value.size);
    }
    if ((kind == HSD_FACT_NUMBER && value.size != 8) || (kind == HSD_FACT_ID && value.size != 16)) {
        return hsd_fault_corrupt(fault, rule_of(type), "entry %u has %zu bytes", key, value.size);
    }
    facts->present |= 1u << key;
    facts->bytes[key] = value;
    if (kind == HSD_FACT_NUMBER) facts->number[key] = hsd_get_u64(value.data);
    return HSD_OK;
}

static hsd_status check_info(const hsd_facts *facts, hsd_fault *fault)
{
    if (!hsd_facts_has(facts, HSC_INFO_CAPTURE_ID)) {
        return hsd_fault_corrupt(fault, "8.2", "the capture id is missing");
    }
    if (facts->number[HSC_INFO_TARGETS] > 1) {
        return hsd_fault_corrupt(fault, "8.2", "what targets are has the value %llu",
                                 (unsigned long long)facts->number[HSC_INFO_TARGETS]);
    }
    return HSD_OK;
}

static hsd_status check_end_of_format_fact(const hsd_facts *facts, hsd_fault *fault)
{
    const uint64_t state = facts->number[HSC_END_STATE];
    if (!hsd_facts_has(facts, HSC_END_STATE)) return hsd_fault_corrupt(fault, "8.4", "the state is missing");
    if (state < HSC_STATE_COMPLETE || state > HSC_STATE_SALVAGED) {
        return hsd_fault_corrupt(fault, "8.4", "the state is %llu", (unsigned long long)state);
    }
    return HSD_OK;
}

hsd_status hsd_facts_parse(const hsd_block *block, hsd_facts *facts, hsd_fault *fault)
{
    const uint8_t *at = block->payload;
    const uint8_t *end = at + block->header.raw_bytes;
    const uint8_t type = block->header.type;
    int last = -1;
    uint32_t entries = 0;
    *facts = (hsd_facts){0};
    while (at < end) {
        if (end - at < HSC_ENTRY_HEADER_BYTES)
            return hsd_fault_corrupt(fault, "8.1", "its entries do not fill its payload");
        const unsigned key = hsd_get_u16(at);
        const uint32_t length = hsd_get_u32(at + 4);
        if (hsd_get_u16(at + 2) != 0)
            return hsd_fault_corrupt(fault, "8.1", "a reserved field of entry %u is not 0", key);
        at += HSC_ENTRY_HEADER_BYTES;
        if (length > (uint64_t)(end - at))
            return hsd_fault_corrupt(fault, "8.1", "entry %u would end behind its payload", key);
        if ((int)key <= last) return hsd_fault_corrupt(fault, "8.1", "entry %u stands behind entry %d", key, last);
        HSD_TRY(take_entry(type, key, (hsd_bytes){at, length}, facts, fault));
        last = (int)key;
        at += length;
        entries++;
    }
    if (entries != block->header.record_count) {
        return hsd_fault_corrupt(fault, "8.1", "it has %u entries and says %u", (unsigned)entries,
                                 (unsigned)block->header.record_count);
    }
    return type == HSC_BLOCK_END ? check_end_of_format_fact(facts, fault) : check_info(facts, fault);
}

static hsd_status put_entry(hsd_buffer *payload, unsigned key, const void *value, size_t size, hsd_error *err)
{
    uint8_t header[HSC_ENTRY_HEADER_BYTES] = {0};
    hsd_put_u16(header, (uint16_t)key);
    hsd_put_u32(header + 4, (uint32_t)size);
    HSD_TRY(hsd_buffer_append(payload, header, sizeof header, err));
    return hsd_buffer_append(payload, value, size, err);
}

hsd_status hsd_fact_put_number(hsd_buffer *payload, unsigned key, uint64_t value, hsd_error *err)
{
    uint8_t bytes[8];
    hsd_put_u64(bytes, value);
    return put_entry(payload, key, bytes, sizeof bytes, err);
}

hsd_status hsd_fact_put_bytes(hsd_buffer *payload, unsigned key, hsd_bytes value, hsd_error *err)
{
    return put_entry(payload, key, value.data, value.size, err);
}
