/*
 * The encodings of Parquet that hsdiff writes, as its specification has them: numbers by their differences, texts by
 * their lengths, and small numbers by runs. Each appends to `out`; HSD_E_NOMEM leaves it in part.
 */
#ifndef HSD_EXPORT_PARQUET_ENCODINGS_H
#define HSD_EXPORT_PARQUET_ENCODINGS_H

#include <stdint.h>

#include "base/buffer.h"

/* DELTA_BINARY_PACKED, blocks of 128 in 4 parts: numbers near each other take few bits. Differences wrap. */
hsd_status hsd_encode_deltas(hsd_buffer *out, const int64_t *values, size_t count, hsd_error *err);

/* RLE / bit-packed hybrid of numbers below 2^width, width from 0 to 32: runs of eight and more, the rest packed. */
hsd_status hsd_encode_runs(hsd_buffer *out, const uint32_t *values, size_t count, unsigned width, hsd_error *err);

/* Bits that hold numbers up to `most`. */
static inline unsigned hsd_bits_of(uint64_t most) { return most == 0 ? 0 : 64 - (unsigned)__builtin_clzll(most); }

#endif
