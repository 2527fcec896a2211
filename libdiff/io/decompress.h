/*
 * Payloads of blocks back to their raw bytes. Single-shot into a buffer that the caller has sized from
 * a verified header: what the compressed data claims of itself never decides an allocation. Whole files of zstd as a
 * stream. And the other way, for files of other formats: captures are packed by capture/.
 *
 * decompress.c is the one includer of zstd.h in libdiff.
 */
#ifndef HSD_IO_DECOMPRESS_H
#define HSD_IO_DECOMPRESS_H

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

/* ---- a stream of frames ---- */

typedef struct hsd_unzstd hsd_unzstd;

/* HSD_E_NOMEM; some 160 KiB, and twice the window of a frame at most, once that is known. */
hsd_status hsd_unzstd_new(hsd_unzstd **out, hsd_error *err);

/* The most that a frame may look back, in bytes: what zstd itself packs with at its levels up to 19. */
#define HSD_UNZSTD_WINDOW_BYTES ((size_t)8 << 20)

/*
 * Unpacks up to *out_size bytes from up to *in_size ones; both come back as what was used. HSD_END when a frame ended
 * behind what was used, and another one may begin. HSD_E_CORRUPT with a *why (borrowed for ever), HSD_E_NOMEM,
 * HSD_E_UNSUPPORTED for a frame that looks back further than HSD_UNZSTD_WINDOW_BYTES, or needs a dictionary.
 */
hsd_status hsd_unzstd_step(hsd_unzstd *unzstd, const void *in, size_t *in_size, void *out, size_t *out_size,
                           const char **why);

/* A new stream begins. */
void hsd_unzstd_reset(hsd_unzstd *unzstd);
void hsd_unzstd_free(hsd_unzstd *unzstd);

/* Working memory of the compressor, made at first use. A zeroed one is valid. */
typedef struct hsd_compressor {
    void *context;
} hsd_compressor;

/* Appends one frame to `out`. The same bytes give the same frame. HSD_E_NOMEM. */
hsd_status hsd_compress(hsd_compressor *compressor, hsd_buffer *out, const uint8_t *raw, size_t raw_bytes,
                        hsd_error *err);

/*
 * For what goes through temporary files: as fast as zstd is, into `room` bytes. How many it took; 0 = they do not
 * suffice, or there was no memory for the compressor. Both contexts together take HSD_COMPRESS_FAST_BYTES at most, for
 * up to HSD_COMPRESS_FAST_MOST raw bytes.
 */
size_t hsd_compress_fast(hsd_compressor *compressor, uint8_t *out, size_t room, const uint8_t *raw, size_t raw_bytes);
#define HSD_COMPRESS_FAST_MOST  ((size_t)8 << 10)
#define HSD_COMPRESS_FAST_BYTES ((size_t)224 << 10)
#define HSD_DECOMPRESSOR_BYTES  ((size_t)112 << 10) /* of these, the decompressor */

void hsd_compressor_release(hsd_compressor *compressor);

#endif
