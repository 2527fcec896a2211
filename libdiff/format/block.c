/*
 * Reading one block, in the order that keeps hostile bytes out: header checksum, fields against limits,
 * payload checksum over the stored bytes, and only then the decompressor (FORMAT.md 11.4).
 */
#include "format/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "format/bytes.h"
#include "format/unpack.h"
#include "io/checksum.h"

#define SLACK HSD_UNPACK_SLACK_BYTES

static const uint8_t block_magic[HSC_BLOCK_MAGIC_BYTES] = HSC_BLOCK_MAGIC;

hsd_status hsd_block_header_parse(const uint8_t bytes[HSC_BLOCK_HEADER_BYTES], uint64_t seed, hsd_block_header *out,
                                  hsd_fault *fault)
{
    if (memcmp(bytes, block_magic, sizeof block_magic) != 0) {
        return hsd_fault_corrupt(fault, "4.2", "no block begins here");
    }
    const uint64_t check = hsd_get_u64(bytes + 48);
    if (!hsd_checksum_matches(check, hsd_checksum(bytes, 40, seed))) {
        return hsd_fault_corrupt(fault, "4.3", "the checksum of its header does not match");
    }
    *out = (hsd_block_header){
        .type = bytes[4],
        .codec = bytes[5],
        .flags = hsd_get_u16(bytes + 6),
        .record_count = hsd_get_u32(bytes + 8),
        .reserved = hsd_get_u32(bytes + 12),
        .number = hsd_get_u64(bytes + 16),
        .first_ordinal = hsd_get_u64(bytes + 24),
        .raw_bytes = hsd_get_u32(bytes + 32),
        .stored_bytes = hsd_get_u32(bytes + 36),
        .check_payload = hsd_get_u64(bytes + 40),
        .check_header = check,
    };
    if (out->stored_bytes > HSC_MAX_STORED_BYTES) {
        return hsd_fault_corrupt(fault, "10.2", "it says it has %u stored bytes", (unsigned)out->stored_bytes);
    }
    return HSD_OK;
}

/* Bits that a type of block may have set. */
static uint16_t known_flags(uint8_t type)
{
    switch (type) {
    case HSC_BLOCK_OBJECTS:
    case HSC_BLOCK_ROOTS: return HSC_BLOCK_FLAG_TARGET_ORDINAL;
    case HSC_BLOCK_EDGES: return HSC_BLOCK_FLAG_TARGET_ORDINAL | HSC_BLOCK_FLAG_SOURCE_ORDINAL;
    default: return 0;
    }
}

static hsd_status check_codec(const hsd_block_header *header, hsd_fault *fault)
{
    if (header->codec > HSC_CODEC_ZSTD) {
        return hsd_fault_set(fault, HSD_E_TOO_NEW, "4.7", "block %llu uses codec %u, which this build does not know",
                             (unsigned long long)header->number, header->codec);
    }
    if (header->codec == HSC_CODEC_NONE && header->raw_bytes != header->stored_bytes) {
        return hsd_fault_corrupt(fault, "4.7", "it is not compressed and has two lengths");
    }
    if (header->type == HSC_BLOCK_INFO && header->codec != HSC_CODEC_NONE) {
        return hsd_fault_corrupt(fault, "4.7", "an info block is compressed");
    }
    return HSD_OK;
}

hsd_status hsd_block_header_check(const hsd_block_header *header, hsd_fault *fault)
{
    const bool is_skipped = hsd_block_is_skipped(header->type);
    if (!is_skipped && !hsd_block_is_plain(header->type) && !hsd_block_is_later(header->type)) {
        return hsd_fault_set(fault, HSD_E_TOO_NEW, "4.6", "block %llu is of type %u, which this build does not know",
                             (unsigned long long)header->number, header->type);
    }
    HSD_TRY(check_codec(header, fault));
    if (!is_skipped && (header->flags & ~known_flags(header->type)) != 0) {
        return hsd_fault_corrupt(fault, "4.8", "reserved flags are set (0x%x)", header->flags);
    }
    if (header->record_count == 0 || header->raw_bytes == 0) {
        return hsd_fault_corrupt(fault, "4.9", "it is empty");
    }
    if (header->raw_bytes > HSC_MAX_RAW_BYTES) {
        return hsd_fault_corrupt(fault, "10.1", "it says it has %u raw bytes", (unsigned)header->raw_bytes);
    }
    if (header->record_count > HSC_MAX_RECORDS) {
        return hsd_fault_corrupt(fault, "10.3", "it says it has %u records", (unsigned)header->record_count);
    }
    if (header->first_ordinal != 0 && header->type != HSC_BLOCK_OBJECTS && header->type != HSC_BLOCK_PLACES &&
        !is_skipped) {
        return hsd_fault_corrupt(fault, "4.10", "it has ordinals and no objects");
    }
    if (header->first_ordinal > HSC_MAX_OBJECTS && header->type == HSC_BLOCK_OBJECTS) {
        return hsd_fault_corrupt(fault, "10.8", "its ordinals pass the limit");
    }
    if (header->first_ordinal >= HSC_MAX_PLACES && header->type == HSC_BLOCK_PLACES) {
        return hsd_fault_corrupt(fault, "10.10", "its places pass the limit");
    }
    if (header->reserved != 0) return hsd_fault_corrupt(fault, "4.11", "a reserved field of its header is not 0");
    return HSD_OK;
}

void hsd_block_header_build(uint8_t bytes[HSC_BLOCK_HEADER_BYTES], hsd_block_header *header, uint64_t seed,
                            const uint8_t *payload)
{
    memcpy(bytes, block_magic, sizeof block_magic);
    bytes[4] = header->type;
    bytes[5] = header->codec;
    hsd_put_u16(bytes + 6, header->flags);
    hsd_put_u32(bytes + 8, header->record_count);
    hsd_put_u32(bytes + 12, header->reserved);
    hsd_put_u64(bytes + 16, header->number);
    hsd_put_u64(bytes + 24, header->first_ordinal);
    hsd_put_u32(bytes + 32, header->raw_bytes);
    hsd_put_u32(bytes + 36, header->stored_bytes);
    header->check_header = hsd_checksum(bytes, 40, seed);
    header->check_payload = hsd_checksum(payload, header->stored_bytes, header->check_header);
    hsd_put_u64(bytes + 40, header->check_payload);
    hsd_put_u64(bytes + 48, header->check_header);
}

/* Room for `size` bytes and the slack that unpacking reads past them, which is kept at 0. */
static hsd_status make_room_for_format_block(uint8_t **buffer, size_t *capacity, size_t size, hsd_fault *fault)
{
    if (*capacity < size + SLACK) {
        uint8_t *bigger = malloc(size + SLACK);
        if (bigger == NULL) return hsd_fault_set(fault, HSD_E_NOMEM, NULL, "no memory for a block");
        free(*buffer);
        *buffer = bigger;
        *capacity = size + SLACK;
    }
    memset(*buffer + size, 0, SLACK);
    return HSD_OK;
}

static hsd_status check_read(hsd_block *block, const hsd_block_ref *ref, uint64_t seed, hsd_fault *fault)
{
    HSD_TRY(hsd_block_header_parse(block->stored, seed, &block->header, fault));
    const hsd_block_ref found = hsd_block_ref_of(&block->header, ref->offset_bytes);
    if (!hsd_block_ref_equals(&found, ref)) {
        return hsd_fault_corrupt(fault, "9.1", "it is not the block that the index tells of");
    }
    HSD_TRY(hsd_block_header_check(&block->header, fault));
    const uint64_t check =
        hsd_checksum(block->stored + HSC_BLOCK_HEADER_BYTES, block->header.stored_bytes, block->header.check_header);
    if (!hsd_checksum_matches(block->header.check_payload, check)) {
        return hsd_fault_corrupt(fault, "4.4", "the checksum of its payload does not match");
    }
    return HSD_OK;
}

hsd_status hsd_block_read(hsd_block *block, const hsd_input *input, const hsd_block_ref *ref, uint64_t seed,
                          hsd_fault *fault)
{
    uint64_t end;
    block->payload = NULL;
    block->offset_bytes = ref->offset_bytes;
    fault->offset_bytes = ref->offset_bytes;
    fault->block = ref->number;
    if (ref->stored_bytes > HSC_MAX_STORED_BYTES ||
        !hsd_add_u64(ref->offset_bytes, (uint64_t)HSC_BLOCK_HEADER_BYTES + ref->stored_bytes, &end) ||
        end > input->size_bytes) {
        return hsd_fault_corrupt(fault, "9.1", "it would end behind the end of the file");
    }
    const size_t size = HSC_BLOCK_HEADER_BYTES + (size_t)ref->stored_bytes;
    HSD_TRY(make_room_for_format_block(&block->stored_buffer, &block->stored_capacity, size, fault));
    hsd_error_init(&fault->error);
    const hsd_status status = hsd_input_read(input, ref->offset_bytes, block->stored_buffer, size, &fault->error);
    if (status != HSD_OK) return hsd_fault_set(fault, status, "4.1", "%s", fault->error.text);
    block->stored = block->stored_buffer;
    return check_read(block, ref, seed, fault);
}

hsd_status hsd_block_unfold(hsd_block *block, hsd_fault *fault)
{
    const hsd_block_header *header = &block->header;
    uint8_t *stored = block->stored_buffer + HSC_BLOCK_HEADER_BYTES;
    const char *why = NULL;
    if (header->codec == HSC_CODEC_NONE) {
        block->payload = stored;
        return HSD_OK;
    }
    HSD_TRY(make_room_for_format_block(&block->raw_buffer, &block->raw_capacity, header->raw_bytes, fault));
    const hsd_status status =
        hsd_decompress(&block->decompressor, block->raw_buffer, header->raw_bytes, stored, header->stored_bytes, &why);
    if (status != HSD_OK) return hsd_fault_set(fault, status, "4.7", "%s", why);
    block->payload = block->raw_buffer;
    return HSD_OK;
}

hsd_status hsd_block_load(hsd_block *block, const hsd_input *input, const hsd_block_ref *ref, uint64_t seed,
                          hsd_fault *fault)
{
    HSD_TRY(hsd_block_read(block, input, ref, seed, fault));
    return hsd_block_unfold(block, fault);
}

void hsd_block_release(hsd_block *block)
{
    free(block->stored_buffer);
    free(block->raw_buffer);
    hsd_decompressor_release(&block->decompressor);
    *block = (hsd_block){0};
}

const char *hsd_block_type_name(uint8_t type)
{
    static const char *const names[] = {
        [HSC_BLOCK_INFO] = "info",
        [HSC_BLOCK_STRINGS] = "strings",
        [HSC_BLOCK_TYPES] = "types",
        [HSC_BLOCK_LABELS] = "labels",
        [HSC_BLOCK_SITES] = "sites",
        [HSC_BLOCK_OBJECTS] = "objects",
        [HSC_BLOCK_EDGES] = "edges",
        [HSC_BLOCK_ROOTS] = "roots",
        [HSC_BLOCK_THREADS] = "threads",
        [HSC_BLOCK_FRAMES] = "frames",
        [HSC_BLOCK_METRICS] = "metrics",
        [HSC_BLOCK_LOSSES] = "losses",
        [HSC_BLOCK_TYPE_TOTALS] = "type totals",
        [HSC_BLOCK_GROUP_TOTALS] = "group totals",
        [HSC_BLOCK_INDEX] = "index",
        [HSC_BLOCK_END] = "end record",
        [HSC_BLOCK_LIVE_TOTALS] = "live totals",
        [HSC_BLOCK_ROOT_TOTALS] = "root totals",
        [HSC_BLOCK_PLACES] = "places",
        [HSC_BLOCK_SITE_TOTALS] = "site totals",
    };
    const char *name = type < HSD_ARRAY_LEN(names) ? names[type] : NULL;
    return name != NULL ? name : "unknown records";
}
