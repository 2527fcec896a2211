/*
 * The zstd side of decompress.h. A stored payload is one frame and nothing behind it (FORMAT.md §4):
 * the decoder alone would also take several frames in a row or skippable ones.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "io/decompress.h"

#include "base/fail.h"
#include "base/unpoison.h"
#include "base/work.h"

#define LEVEL      3
#define FAST_LEVEL (-1)

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
    HSD_WRITTEN(raw, got);
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

/* ---- a stream of frames ---- */

enum { WINDOW_LOG = 23 };

struct hsd_unzstd {
    ZSTD_DCtx *context;
};

hsd_status hsd_unzstd_new(hsd_unzstd **out, hsd_error *err)
{
    hsd_unzstd *unzstd = calloc(1, sizeof *unzstd);
    *out = unzstd;
    if (unzstd != NULL) unzstd->context = ZSTD_createDCtx();
    if (unzstd != NULL && unzstd->context != NULL &&
        !ZSTD_isError(ZSTD_DCtx_setParameter(unzstd->context, ZSTD_d_windowLogMax, WINDOW_LOG)))
        return HSD_OK;
    hsd_unzstd_free(unzstd);
    *out = NULL;
    return hsd_fail_nomem(err, "unpacking zstd");
}

static hsd_status status_of_zstd(size_t code)
{
    const ZSTD_ErrorCode reason = ZSTD_getErrorCode(code);
    if (reason == ZSTD_error_frameParameter_windowTooLarge || reason == ZSTD_error_dictionary_wrong)
        return HSD_E_UNSUPPORTED;
    return reason == ZSTD_error_memory_allocation ? HSD_E_NOMEM : HSD_E_CORRUPT;
}

hsd_status hsd_unzstd_step(hsd_unzstd *unzstd, const void *in, size_t *in_size, void *out, size_t *out_size,
                           const char **why)
{
    ZSTD_inBuffer from = {.src = in, .size = *in_size};
    ZSTD_outBuffer to = {.dst = out, .size = *out_size};
    const size_t code = ZSTD_decompressStream(unzstd->context, &to, &from);
    HSD_WRITTEN(out, to.pos);
    *in_size = from.pos;
    *out_size = to.pos;
    if (!ZSTD_isError(code)) return code == 0 ? HSD_END : HSD_OK;
    *why = ZSTD_getErrorName(code);
    return status_of_zstd(code);
}

void hsd_unzstd_reset(hsd_unzstd *unzstd) { ZSTD_DCtx_reset(unzstd->context, ZSTD_reset_session_only); }

void hsd_unzstd_free(hsd_unzstd *unzstd)
{
    if (unzstd == NULL) return;
    ZSTD_freeDCtx(unzstd->context);
    free(unzstd);
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
    HSD_WRITTEN(out->data + out->size, size);
    out->size += size;
    return HSD_OK;
}

size_t hsd_compress_fast(hsd_compressor *compressor, uint8_t *out, size_t room, const uint8_t *raw, size_t raw_bytes)
{
    if (compressor->context == NULL) compressor->context = ZSTD_createCCtx();
    if (compressor->context == NULL) return 0;
    const size_t size = ZSTD_compressCCtx(compressor->context, out, room, raw, raw_bytes, FAST_LEVEL);
    if (ZSTD_isError(size)) return 0;
    HSD_WRITTEN(out, size);
    return size;
}

void hsd_compressor_release(hsd_compressor *compressor)
{
    ZSTD_freeCCtx(compressor->context);
    compressor->context = NULL;
}
