/*
 * A stream of numbers on their way through a temporary file: written once from the first to the last, then read the
 * same way, any number of times. Seven bits a byte, so small numbers and differences are short. What fits the one
 * buffer never touches the disk.
 */
#ifndef HSD_SERIES_STREAM_H
#define HSD_SERIES_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/temp.h"
#include <hsdiff/status.h>

#define HSD_STREAM_BUFFER_BYTES ((size_t)64 << 10)
#define HSD_STREAM_NUMBER_BYTES 10u /* the longest */

typedef struct hsd_stream { /* a zeroed one is closed */
    hsd_temp_space *space;
    hsd_temp file; /* open from the first full buffer on */
    uint8_t *buffer;
    size_t used;            /* bytes in it: to be written, or read */
    size_t at;              /* reading: next byte */
    uint64_t written_bytes; /* in the file */
    uint64_t read_bytes;    /* of the file, that came into the buffer */
    bool has_file;
} hsd_stream;

/* Empty and ready for put. `space` is borrowed until close. */
hsd_status hsd_stream_open(hsd_stream *stream, hsd_temp_space *space, hsd_error *err);

/* Slow path of put. */
hsd_status hsd_stream_flush(hsd_stream *stream, hsd_error *err);

static inline hsd_status hsd_stream_put(hsd_stream *stream, uint64_t number, hsd_error *err)
{
    if (stream->used + HSD_STREAM_NUMBER_BYTES > HSD_STREAM_BUFFER_BYTES) HSD_TRY(hsd_stream_flush(stream, err));
    uint8_t *out = stream->buffer + stream->used;
    for (; number >= 0x80; number >>= 7)
        *out++ = (uint8_t)(number | 0x80);
    *out++ = (uint8_t)number;
    stream->used = (size_t)(out - stream->buffer);
    return HSD_OK;
}

/* A difference: the sign goes to the lowest bit. */
static inline hsd_status hsd_stream_put_signed(hsd_stream *stream, int64_t number, hsd_error *err)
{
    return hsd_stream_put(stream, (uint64_t)number << 1 ^ (uint64_t)(number >> 63), err);
}

/* No more puts: the next get reads the first number. Also to read it again. */
hsd_status hsd_stream_rewind(hsd_stream *stream, hsd_error *err);

/* Slow path of get. HSD_OK when a whole number, or all that is left, is in the buffer; HSD_END when nothing is left. */
hsd_status hsd_stream_fill(hsd_stream *stream, hsd_error *err);

/* HSD_END after the last number. */
static inline hsd_status hsd_stream_get(hsd_stream *stream, uint64_t *out, hsd_error *err)
{
    if (stream->at + HSD_STREAM_NUMBER_BYTES > stream->used) HSD_TRY(hsd_stream_fill(stream, err));
    const uint8_t *in = stream->buffer + stream->at;
    uint64_t byte = *in++, number = byte & 0x7f;
    for (unsigned shift = 7; byte & 0x80; shift += 7) {
        byte = *in++;
        number |= (byte & 0x7f) << shift;
    }
    stream->at = (size_t)(in - stream->buffer);
    *out = number;
    return HSD_OK;
}

/* The same where there must be one more. */
static inline hsd_status hsd_stream_need(hsd_stream *stream, uint64_t *out, hsd_error *err)
{
    *out = 0;
    const hsd_status status = hsd_stream_get(stream, out, err);
    return status == HSD_END ? hsd_fail(err, HSD_E_CORRUPT, "a temporary file has changed while it was in use")
                             : status;
}

static inline hsd_status hsd_stream_need_signed(hsd_stream *stream, int64_t *out, hsd_error *err)
{
    uint64_t number;
    HSD_TRY(hsd_stream_need(stream, &number, err));
    *out = (int64_t)(number >> 1 ^ (0 - (number & 1)));
    return HSD_OK;
}

/* The disk space is given back. Accepts a zeroed or closed one. */
void hsd_stream_close(hsd_stream *stream);

#endif
