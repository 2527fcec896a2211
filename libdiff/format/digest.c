/*
 * The digest of a capture (FORMAT.md 11.8), by which it is known again: of what its blocks say of themselves. Blocks of
 * objects and edges are not looked at, so it takes as long as the tables are, which a writer keeps in memory, and not
 * as long as the heap is.
 */
#include <string.h>

#include "format/capture_state.h"
#include "io/checksum.h"

#define CHECKS_OFFSET 40 /* check_payload and check_header (4.1), the last 16 bytes of a header */

_Static_assert(sizeof((hsd_capture_info *)0)->digest == HSD_DIGEST_BYTES, "a capture keeps its digest");

/* A header that is not what the list says is not the digest's to judge: whoever reads the block does. */
static hsd_status add_block(const hsd_file *file, const hsd_block_ref *ref, hsd_digest *digest, bool *is_known,
                            hsd_fault *fault)
{
    uint8_t bytes[HSC_BLOCK_HEADER_BYTES];
    hsd_block_header header;
    hsd_fault damage = {.block = HSD_NO_BLOCK};
    hsd_error_init(&fault->error);
    fault->offset_bytes = ref->offset_bytes;
    fault->block = ref->number;
    const hsd_status status = hsd_input_read(&file->input, ref->offset_bytes, bytes, sizeof bytes, &fault->error);
    if (status != HSD_OK) return hsd_fault_set(fault, status, "4.1", "%s", fault->error.text);
    *is_known &= hsd_block_header_parse(bytes, file->header.seed, &header, &damage) == HSD_OK;
    hsd_digest_add(digest, bytes + CHECKS_OFFSET, HSC_BLOCK_HEADER_BYTES - CHECKS_OFFSET);
    return HSD_OK;
}

hsd_status hsd_capture_find_digest(hsd_capture *capture, hsd_fault *fault)
{
    uint8_t bytes[HSC_FILE_HEADER_BYTES];
    hsd_digest digest;
    bool is_known = true;
    if (!capture->info.is_complete) return HSD_OK;
    hsd_digest_begin(&digest);
    hsd_error_init(&fault->error);
    const hsd_status status = hsd_input_read(&capture->file.input, 0, bytes, sizeof bytes, &fault->error);
    if (status != HSD_OK) return hsd_fault_set(fault, status, "3.1", "%s", fault->error.text);
    hsd_digest_add(&digest, bytes, sizeof bytes);
    for (size_t i = 0; i < capture->list.count; i++) {
        const hsd_block_ref *ref = &capture->list.refs[i];
        if (ref->type == HSC_BLOCK_OBJECTS || ref->type == HSC_BLOCK_EDGES) continue;
        HSD_TRY(add_block(&capture->file, ref, &digest, &is_known, fault));
    }
    hsd_digest_get(&digest, capture->info.digest);
    capture->info.has_digest = is_known;
    return HSD_OK;
}

void hsd_capture_set_digest(hsd_capture *capture, const uint8_t digest[16])
{
    capture->info.has_digest = digest != NULL && capture->info.is_complete;
    if (capture->info.has_digest) memcpy(capture->info.digest, digest, sizeof capture->info.digest);
}

void hsd_capture_set_dump_number(hsd_capture *capture, unsigned number) { capture->info.dump_number = number; }
