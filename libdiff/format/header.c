/* File header and trailer. What a field means stands in FORMAT.md 3 and 9; the checksum comes first. */
#include "format/header.h"

#include <string.h>

#include "format/bytes.h"
#include "io/checksum.h"

#define HEADER_BYTES_MAX    4096 /* FORMAT.md 3.5 */
#define TRAILER_MAGIC_BYTES 8

static const uint8_t file_magic[HSC_FILE_MAGIC_BYTES] = HSC_FILE_MAGIC;
static const uint8_t trailer_magic[TRAILER_MAGIC_BYTES] = HSC_TRAILER_MAGIC;

uint64_t hsd_capture_seed(const uint8_t capture_id[HSC_CAPTURE_ID_BYTES])
{
    return hsd_checksum(capture_id, HSC_CAPTURE_ID_BYTES, 0);
}

static hsd_status check_magic(const uint8_t *bytes, size_t size, hsd_fault *fault)
{
    const size_t known = size < HSC_FILE_MAGIC_BYTES ? size : HSC_FILE_MAGIC_BYTES;
    if (size == 0) {
        return hsd_fault_set(fault, HSD_E_NOT_THIS_FORMAT, "3.2", "is empty: not a heap capture");
    }
    if (memcmp(bytes, file_magic, known) != 0) {
        return hsd_fault_set(fault, HSD_E_NOT_THIS_FORMAT, "3.2",
                             "is not a heap capture (.hs): its first bytes are others");
    }
    if (size < HSC_FILE_HEADER_BYTES) {
        fault->offset_bytes = size;
        return hsd_fault_set(fault, HSD_E_TRUNCATED, "3.1", "was cut off at byte %zu, inside the file header", size);
    }
    return HSD_OK;
}

static hsd_status check_fields(const hsd_file_header *header, uint64_t reserved, hsd_fault *fault)
{
    if (header->major != HSC_VERSION_MAJOR) {
        return hsd_fault_set(fault, HSD_E_TOO_NEW, "3.4", "is a capture of version %u.%u; this build reads version %u",
                             header->major, header->minor, HSC_VERSION_MAJOR);
    }
    if (header->required != 0) {
        return hsd_fault_set(fault, HSD_E_TOO_NEW, "3.6", "needs features that this build does not know (0x%llx)",
                             (unsigned long long)header->required);
    }
    if (header->header_bytes < HSC_FILE_HEADER_BYTES || header->header_bytes > HEADER_BYTES_MAX) {
        return hsd_fault_corrupt(fault, "3.5", "the file header says it has %u bytes", (unsigned)header->header_bytes);
    }
    if (reserved != 0) return hsd_fault_corrupt(fault, "3.8", "a reserved field of the file header is not 0");
    return HSD_OK;
}

hsd_status hsd_file_header_parse(const uint8_t *bytes, size_t size, hsd_file_header *out, hsd_fault *fault)
{
    *fault = (hsd_fault){.block = HSD_NO_BLOCK};
    HSD_TRY(check_magic(bytes, size, fault));
    if (!hsd_checksum_matches(hsd_get_u64(bytes + 56), hsd_checksum(bytes, 56, 0))) {
        return hsd_fault_corrupt(fault, "3.3", "the checksum of the file header does not match");
    }
    *out = (hsd_file_header){
        .major = hsd_get_u16(bytes + 8),
        .minor = hsd_get_u16(bytes + 10),
        .header_bytes = hsd_get_u32(bytes + 12),
        .required = hsd_get_u64(bytes + 16),
        .optional = hsd_get_u64(bytes + 24),
    };
    memcpy(out->capture_id, bytes + 32, HSC_CAPTURE_ID_BYTES);
    out->seed = hsd_capture_seed(out->capture_id);
    return check_fields(out, hsd_get_u64(bytes + 48), fault);
}

void hsd_file_header_build(uint8_t bytes[HSC_FILE_HEADER_BYTES], const uint8_t capture_id[HSC_CAPTURE_ID_BYTES],
                           uint16_t minor)
{
    memset(bytes, 0, HSC_FILE_HEADER_BYTES);
    memcpy(bytes, file_magic, sizeof file_magic);
    hsd_put_u16(bytes + 8, HSC_VERSION_MAJOR);
    hsd_put_u16(bytes + 10, minor);
    hsd_put_u32(bytes + 12, HSC_FILE_HEADER_BYTES);
    memcpy(bytes + 32, capture_id, HSC_CAPTURE_ID_BYTES);
    hsd_put_u64(bytes + 56, hsd_checksum(bytes, 56, 0));
}

hsd_status hsd_trailer_parse(const uint8_t bytes[HSC_TRAILER_BYTES], uint64_t seed, hsd_trailer *out, hsd_fault *fault)
{
    if (memcmp(bytes + 16, trailer_magic, TRAILER_MAGIC_BYTES) != 0) {
        return hsd_fault_corrupt(fault, "9.2", "there is no trailer at the end of the file");
    }
    if (!hsd_checksum_matches(hsd_get_u64(bytes + 24), hsd_checksum(bytes, 24, seed))) {
        return hsd_fault_corrupt(fault, "9.3", "the checksum of the trailer does not match");
    }
    *out = (hsd_trailer){.index_offset = hsd_get_u64(bytes), .end_offset = hsd_get_u64(bytes + 8)};
    return HSD_OK;
}

void hsd_trailer_build(uint8_t bytes[HSC_TRAILER_BYTES], uint64_t seed, const hsd_trailer *trailer)
{
    hsd_put_u64(bytes, trailer->index_offset);
    hsd_put_u64(bytes + 8, trailer->end_offset);
    memcpy(bytes + 16, trailer_magic, sizeof trailer_magic);
    hsd_put_u64(bytes + 24, hsd_checksum(bytes, 24, seed));
}
