/*
 * Payloads of blocks back to their raw bytes. Single-shot into a buffer that the caller has sized from
 * a verified header: what the compressed data claims of itself never decides an allocation. And the other way, for
 * files of other formats: captures are packed by capture/.
 *
 * decompress.c is the one includer of zstd.h in libdiff.
 */
#ifndef HSD_FORMAT_DECOMPRESS_H
#define HSD_FORMAT_DECOMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

#include "base/buffer.h"

/* Working memory of the decoder, about 160 KiB, made at first use. A zeroed one is valid. */
typedef struct hsd_decompressor {
    void *context;
} hsd_decompressor;

/*
 * Writes exactly `raw_bytes` to `raw`. HSD_E_CORRUPT with a *why (borrowed for ever) when the stored bytes
 * are not one frame of that length; HSD_E_NOMEM.
 */
hsd_status hsd_decompress(hsd_decompressor *decompressor, uint8_t *raw, size_t raw_bytes, const uint8_t *stored,
                          size_t stored_bytes, const char **why);

void hsd_decompressor_release(hsd_decompressor *decompressor);

/* Working memory of the compressor, made at first use. A zeroed one is valid. */
typedef struct hsd_compressor {
    void *context;
} hsd_compressor;

/* Appends one frame to `out`. The same bytes give the same frame. HSD_E_NOMEM. */
hsd_status hsd_compress(hsd_compressor *compressor, hsd_buffer *out, const uint8_t *raw, size_t raw_bytes,
                        hsd_error *err);
void hsd_compressor_release(hsd_compressor *compressor);

#endif
