/*
 * The end of a file: the input takes the place of INDEX, END and trailer behind the blocks of a good capture, with
 * right checksums. What the index claims is held against the file before anybody goes by it.
 */
#include <stdlib.h>
#include <string.h>

#include <hsdiff/dump.h>

#include "core/layout.h"
#include "support/memfile.h"
#include "support/reseal.h"

#define MAX_BLOCKS 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A sample without its end. */
static const uint8_t *trunk(size_t *size)
{
    static uint8_t *bytes;
    static size_t kept;
    if (bytes == NULL) {
        size_t offsets[MAX_BLOCKS], all;
        bytes = memfile_sample(memfile_sample_index("everything-stored"), &all);
        const size_t blocks = block_offsets(bytes, all, offsets, MAX_BLOCKS);
        for (size_t i = blocks; i-- > 0 && bytes[offsets[i] + 4] >= HSC_BLOCK_INDEX;)
            kept = offsets[i];
    }
    *size = kept;
    return bytes;
}

static hsd_status drop(void *context, const char *bytes, size_t size, hsd_error *err)
{
    (void)context, (void)bytes, (void)size, (void)err;
    return HSD_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_capture *capture;
    hsd_error err;
    size_t kept;
    const uint8_t *head = trunk(&kept);
    uint8_t *bytes = malloc(kept + size);
    if (bytes == NULL) return 0;
    memcpy(bytes, head, kept);
    memcpy(bytes + kept, data, size);
    reseal(bytes, kept + size);
    memfile file = memfile_of(bytes, kept + size);
    hsd_error_init(&err);
    if (hsd_capture_open(&capture, file.path, HSD_DAMAGE_REFUSE, NULL, &err) == HSD_OK) {
        hsd_capture_dump(capture, drop, NULL, &err);
        hsd_capture_close(capture);
    } else if (err.text[0] == '\0') {
        abort();
    }
    hsd_error_init(&err);
    hsd_capture_verify(file.path, NULL, NULL, NULL, NULL, &err);
    memfile_close(&file);
    free(bytes);
    return 0;
}
