/*
 * The two ends of a capture: the file header (FORMAT.md 3) and the trailer (FORMAT.md 9.2).
 */
#ifndef HSD_FORMAT_HEADER_H
#define HSD_FORMAT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/layout.h"
#include "format/fault.h"

typedef struct hsd_file_header {
    uint16_t major, minor;
    uint32_t header_bytes; /* where the first block begins */
    uint64_t required, optional;
    uint8_t capture_id[HSC_CAPTURE_ID_BYTES];
    uint64_t seed; /* S of FORMAT.md 1.3 */
} hsd_file_header;

/* S for a capture id. */
uint64_t hsd_capture_seed(const uint8_t capture_id[HSC_CAPTURE_ID_BYTES]);

/*
 * Checks and reads the first bytes of a file; `size` may be less than a header where the file ends
 * before. HSD_E_NOT_THIS_FORMAT, HSD_E_TRUNCATED, HSD_E_CORRUPT, HSD_E_TOO_NEW.
 */
hsd_status hsd_file_header_parse(const uint8_t *bytes, size_t size, hsd_file_header *out, hsd_fault *fault);

/* A header of version 1.`minor` with this id. */
void hsd_file_header_build(uint8_t bytes[HSC_FILE_HEADER_BYTES], const uint8_t capture_id[HSC_CAPTURE_ID_BYTES],
                           uint16_t minor);

typedef struct hsd_trailer {
    uint64_t index_offset, end_offset;
} hsd_trailer;

hsd_status hsd_trailer_parse(const uint8_t bytes[HSC_TRAILER_BYTES], uint64_t seed, hsd_trailer *out, hsd_fault *fault);
void hsd_trailer_build(uint8_t bytes[HSC_TRAILER_BYTES], uint64_t seed, const hsd_trailer *trailer);

#endif
