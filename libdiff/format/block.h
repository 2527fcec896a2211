/*
 * One block: its header, and its payload checked and decompressed into reused buffers (FORMAT.md 4).
 */
#ifndef HSD_FORMAT_BLOCK_H
#define HSD_FORMAT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/layout.h"
#include "format/fault.h"
#include "format/input.h"
#include "io/decompress.h"

typedef struct hsd_block_header {
    uint8_t type, codec;
    uint16_t flags;
    uint32_t record_count, reserved;
    uint64_t number, first_ordinal;
    uint32_t raw_bytes, stored_bytes;
    uint64_t check_payload, check_header;
} hsd_block_header;

/* True for the types from 128 on that this version does not know, which are skipped (FORMAT.md 4.6). */
static inline bool hsd_block_is_skipped(uint8_t type) { return type > HSC_BLOCK_SITE_TOTALS; }

/* True for the sums of a baseline (6.17 to 6.19). */
static inline bool hsd_block_is_of_sums(uint8_t type)
{
    return type >= HSC_BLOCK_LIVE_TOTALS && type <= HSC_BLOCK_PLACES;
}

/* True for the types from 128 on that this version knows. */
static inline bool hsd_block_is_later(uint8_t type)
{
    return type >= HSC_BLOCK_LIVE_TOTALS && type <= HSC_BLOCK_SITE_TOTALS;
}

/* True for types up to END. */
static inline bool hsd_block_is_plain(uint8_t type) { return type != 0 && type <= HSC_BLOCK_END; }

/*
 * Magic and header checksum (4.2, 4.3), then the length (10.2): when this succeeds, the block's place in
 * the file is certain, and its fields are what the writer wrote. `fault` gets rule and text.
 */
hsd_status hsd_block_header_parse(const uint8_t bytes[HSC_BLOCK_HEADER_BYTES], uint64_t seed, hsd_block_header *out,
                                  hsd_fault *fault);

/* The rules about fields that stand alone: 4.6 to 4.11, 10.1, 10.3. */
hsd_status hsd_block_header_check(const hsd_block_header *header, hsd_fault *fault);

/* Header bytes of a payload: both checksums are computed here. */
void hsd_block_header_build(uint8_t bytes[HSC_BLOCK_HEADER_BYTES], hsd_block_header *header, uint64_t seed,
                            const uint8_t *payload);

/* Where a block stands in the list of a capture's blocks. */
typedef struct hsd_block_ref {
    uint64_t offset_bytes, number, first_ordinal;
    uint32_t record_count, stored_bytes;
    uint8_t type;
} hsd_block_ref;

static inline hsd_block_ref hsd_block_ref_of(const hsd_block_header *header, uint64_t offset_bytes)
{
    return (hsd_block_ref){.offset_bytes = offset_bytes,
                           .number = header->number,
                           .first_ordinal = header->first_ordinal,
                           .record_count = header->record_count,
                           .stored_bytes = header->stored_bytes,
                           .type = header->type};
}

/* One past the last byte of the block. */
static inline uint64_t hsd_block_ref_end(const hsd_block_ref *ref)
{
    return ref->offset_bytes + HSC_BLOCK_HEADER_BYTES + ref->stored_bytes;
}

static inline bool hsd_block_ref_equals(const hsd_block_ref *a, const hsd_block_ref *b)
{
    return a->offset_bytes == b->offset_bytes && a->number == b->number && a->first_ordinal == b->first_ordinal &&
           a->record_count == b->record_count && a->stored_bytes == b->stored_bytes && a->type == b->type;
}

/* A zeroed one is valid and empty. */
typedef struct hsd_block {
    hsd_block_header header;
    uint64_t offset_bytes;
    const uint8_t *stored; /* header and payload as in the file: 56 + stored_bytes bytes */
    uint8_t *payload;      /* raw_bytes, with slack to read past; NULL until it is decompressed */
    uint8_t *stored_buffer, *raw_buffer;
    size_t stored_capacity, raw_capacity;
    hsd_decompressor decompressor;
} hsd_block;

/*
 * Reads the block of `ref`, checks its header, that it is the one `ref` tells of, and its payload's
 * checksum. Allocates at most 4.1 MiB. `fault` gets offset and number too; it is of the machine for I/O and
 * memory.
 */
hsd_status hsd_block_read(hsd_block *block, const hsd_input *input, const hsd_block_ref *ref, uint64_t seed,
                          hsd_fault *fault);

/* Decompresses what hsd_block_read has read: block->payload. At most 4 MiB more. */
hsd_status hsd_block_unfold(hsd_block *block, hsd_fault *fault);

/* Both. */
hsd_status hsd_block_load(hsd_block *block, const hsd_input *input, const hsd_block_ref *ref, uint64_t seed,
                          hsd_fault *fault);

void hsd_block_release(hsd_block *block);

/* "objects", "strings" … for texts. Never NULL. */
const char *hsd_block_type_name(uint8_t type);

#endif
