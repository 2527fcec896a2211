/*
 * The zstd side of decompress.h. A stored payload is one frame and nothing behind it (FORMAT.md §4):
 * the decoder alone would also take several frames in a row or skippable ones.
 */
#include <stdbool.h>
#include <string.h>

#include <zstd.h>

#include "format/decompress.h"

#include "base/fail.h"
#include "base/work.h"

#define LEVEL 3

static bool is_single_frame(const uint8_t *stored, size_t stored_bytes)
{
    static const uint8_t magic[4] = {0x28, 0xB5, 0x2F, 0xFD};
    if (stored_bytes < sizeof magic || memcmp(stored, magic, sizeof magic) != 0) return false;
    return ZSTD_findFrameCompressedSize(stored, stored_bytes) == stored_bytes;
}

hsd_status hsd_decompress(hsd_decompressor *decompressor, uint8_t *raw, size_t raw_bytes, const uint8_t *stored,
                          size_t stored_bytes, const char **why)
{
    if (decompressor->context == NULL) decompressor->context = ZSTD_createDCtx();
    if (decompressor->context == NULL) {
        *why = "no memory for the decompressor";
        return HSD_E_NOMEM;
    }
    if (!is_single_frame(stored, stored_bytes)) {
        *why = "the payload is not one zstd frame";
        return HSD_E_CORRUPT;
    }
    const size_t got = ZSTD_decompressDCtx(decompressor->context, raw, raw_bytes, stored, stored_bytes);
    if (ZSTD_isError(got)) {
        *why = ZSTD_getErrorName(got);
        return HSD_E_CORRUPT;
    }
    hsd_work_did(HSD_COST_UNPACKED, got);
    if (got != raw_bytes) {
        *why = "the payload decompresses to fewer bytes than its header says";
        return HSD_E_CORRUPT;
    }
    return HSD_OK;
}

void hsd_decompressor_release(hsd_decompressor *decompressor)
{
    ZSTD_freeDCtx(decompressor->context);
    decompressor->context = NULL;
}

/* ---- the other way */

hsd_status hsd_compress(hsd_compressor *compressor, hsd_buffer *out, const uint8_t *raw, size_t raw_bytes,
                        hsd_error *err)
{
    if (compressor->context == NULL) compressor->context = ZSTD_createCCtx();
    if (compressor->context == NULL) return hsd_fail_nomem(err, "the compressor");
    HSD_TRY(hsd_buffer_reserve(out, ZSTD_compressBound(raw_bytes), err));
    const size_t size = ZSTD_compressCCtx(compressor->context, out->data + out->size, out->capacity - out->size,
                                          raw_bytes > 0 ? raw : (const uint8_t *)"", raw_bytes, LEVEL);
    if (ZSTD_isError(size)) return hsd_fail_nomem(err, "the compressor"); /* nothing else can fail: there is room */
    out->size += size;
    return HSD_OK;
}

void hsd_compressor_release(hsd_compressor *compressor)
{
    ZSTD_freeCCtx(compressor->context);
    compressor->context = NULL;
}
