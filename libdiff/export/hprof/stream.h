/*
 * The bytes of an HPROF file: big-endian numbers, records with their length, heap segments of about a MiB. A sub-record
 * that is larger gets a segment of its own, so that no record has to be held; its length is known before it is written.
 */
#ifndef HSD_EXPORT_HPROF_STREAM_H
#define HSD_EXPORT_HPROF_STREAM_H

#include <string.h>

#include "export/exporter.h"

enum hout_tag {
    HOUT_STRING = 0x01,
    HOUT_LOAD_CLASS = 0x02,
    HOUT_FRAME = 0x04,
    HOUT_TRACE = 0x05,
    HOUT_CONTROL_SETTINGS = 0x0E,
    HOUT_SEGMENT = 0x1C,
    HOUT_END = 0x2C
};

enum hout_sub {
    HOUT_JNI_GLOBAL = 0x01,
    HOUT_JNI_LOCAL = 0x02,
    HOUT_JAVA_FRAME = 0x03,
    HOUT_NATIVE_STACK = 0x04,
    HOUT_STICKY_CLASS = 0x05,
    HOUT_THREAD_BLOCK = 0x06,
    HOUT_MONITOR = 0x07,
    HOUT_THREAD = 0x08,
    HOUT_CLASS = 0x20,
    HOUT_INSTANCE = 0x21,
    HOUT_OBJECTS = 0x22,
    HOUT_PRIMITIVES = 0x23,
    HOUT_UNKNOWN = 0xFF
};

enum hout_type {
    HOUT_OBJECT = 2,
    HOUT_BOOLEAN = 4,
    HOUT_CHAR = 5,
    HOUT_FLOAT = 6,
    HOUT_DOUBLE = 7,
    HOUT_BYTE = 8,
    HOUT_SHORT = 9,
    HOUT_INT = 10,
    HOUT_LONG = 11
};

#define HOUT_ID_BYTES     8u                /* of every id */
#define HOUT_RECORD_BYTES 9u                /* header of a record */
#define HOUT_HEAD_BYTES   25u               /* of an instance or an array of references; of primitives 18 */
#define HOUT_PIECE_BYTES  ((size_t)1 << 18) /* a larger sub-record is written as it comes */
#define HOUT_BUFFER_BYTES ((size_t)1 << 20)

typedef struct hout_stream {
    hsd_export *x;
    uint8_t *buffer; /* HOUT_BUFFER_BYTES */
    size_t used;
    size_t record; /* where the open record begins in the buffer */
    bool is_open;
} hout_stream;

hsd_status hsd_hout_open(hout_stream *s, hsd_export *x, hsd_error *err);
void hsd_hout_close(hout_stream *s); /* a zeroed one is accepted */

/* Writes what is buffered; a record that is open gets its length first. */
hsd_status hsd_hout_flush(hout_stream *s, hsd_error *err);

/* A record of the top level whose body is `size` <= HOUT_PIECE_BYTES bytes: *body is where they go, before the next
 * call. */
hsd_status hsd_hout_record(hout_stream *s, uint8_t tag, size_t size, uint8_t **body, hsd_error *err);

/* One of a text with an id in front of it, of any size. */
hsd_status hsd_hout_text(hout_stream *s, uint64_t id, const void *text, size_t size, hsd_error *err);

/* Slow path of hsd_hout_sub: the segment is full, or none is open. */
hsd_status hsd_hout_turn(hout_stream *s, size_t size, hsd_error *err);

/* Room for a sub-record of `size` <= HOUT_PIECE_BYTES in the open heap segment: *at is where it goes, before the next
 * call. */
static inline hsd_status hsd_hout_sub(hout_stream *s, size_t size, uint8_t **at, hsd_error *err)
{
    if (__builtin_expect(!s->is_open || s->used + size > HOUT_BUFFER_BYTES, 0)) HSD_TRY(hsd_hout_turn(s, size, err));
    *at = s->buffer + s->used;
    s->used += size;
    return HSD_OK;
}

/* Begins a sub-record of `size` <= UINT32_MAX bytes of which the pieces follow: then exactly so many by hsd_hout_piece
 * and hsd_hout_zeros. */
hsd_status hsd_hout_large(hout_stream *s, uint64_t size, hsd_error *err);
hsd_status hsd_hout_piece(hout_stream *s, const void *data, size_t size, hsd_error *err);
hsd_status hsd_hout_zeros(hout_stream *s, uint64_t size, hsd_error *err);

/* ---- numbers; each returns where the next one goes ---- */

static inline uint8_t *hsd_hout_u1(uint8_t *at, unsigned value)
{
    *at = (uint8_t)value;
    return at + 1;
}

static inline uint8_t *hsd_hout_u2(uint8_t *at, unsigned value)
{
    const uint16_t swapped = __builtin_bswap16((uint16_t)value);
    memcpy(at, &swapped, 2);
    return at + 2;
}

static inline uint8_t *hsd_hout_u4(uint8_t *at, uint32_t value)
{
    const uint32_t swapped = __builtin_bswap32(value);
    memcpy(at, &swapped, 4);
    return at + 4;
}

static inline uint8_t *hsd_hout_u8(uint8_t *at, uint64_t value)
{
    const uint64_t swapped = __builtin_bswap64(value);
    memcpy(at, &swapped, 8);
    return at + 8;
}

#endif
