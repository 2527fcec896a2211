/*
 * The wire format of Protocol Buffers, read as a stream: tags, numbers and bytes of any length straight from the window
 * of a source, so that neither a file nor one message of it has to be in memory. What the fields mean is their reader's
 * business.
 *
 *      while ((status = hsd_proto_next(&message, &field, err)) == HSD_OK)
 *          switch (field.number) {
 *          case 1: value = field.value; break;                            wire type 0, 1 or 5
 *          case 2: HSD_TRY(hsd_proto_enter(&message, &field, &inner, err)); … hsd_proto_leave
 *          default: break;                                                what was not read is passed over by itself
 *          }
 *
 * A message is a stretch of the input that ends where its field does: everything inside is held against that end.
 * Numbers are as on the wire: signed ones are cast by the caller, hsd_proto_zigzag is for sint64.
 */
#ifndef HSD_IMPORT_PROTOBUF_H
#define HSD_IMPORT_PROTOBUF_H

#include <stdbool.h>
#include <stdint.h>

#include "io/source.h"

#define HSD_PROTO_VARINT  0u
#define HSD_PROTO_FIXED64 1u
#define HSD_PROTO_BYTES   2u
#define HSD_PROTO_FIXED32 5u

/* A message that is being read. `end` is an offset of the input; UINT64_MAX = to the end of it. */
typedef struct hsd_proto_message {
    hsd_source *source;
    uint64_t end;
    uint64_t next; /* where the field after the one that was told last begins; 0 = right here */
} hsd_proto_message;

typedef struct hsd_proto_field {
    uint32_t number; /* 1..2^29-1 */
    uint32_t wire;   /* HSD_PROTO_* */
    uint64_t value;  /* of VARINT, FIXED64, FIXED32 */
    uint64_t size;   /* of BYTES: they stand right ahead */
    uint64_t offset; /* of its first byte in the input, for errors */
} hsd_proto_field;

/* The whole rest of a source as one message. */
static inline hsd_proto_message hsd_proto_all(hsd_source *source)
{
    return (hsd_proto_message){.source = source, .end = UINT64_MAX};
}

/*
 * The next field. HSD_END where the message ends; HSD_E_TRUNCATED where the input ends before it does; HSD_E_CORRUPT
 * for a tag of number 0, a group or unknown wire type, a number of more than ten bytes, a field that passes the end of
 * its message: each with its offset. What was left of the field before is skipped; HSD_E_MISUSE if more than the field
 * was taken. Allocates nothing.
 */
hsd_status hsd_proto_next(hsd_proto_message *message, hsd_proto_field *field, hsd_error *err);

/* Moves past `field` and those behind it that are like it: of its number, and bytes. As far as that is quick, in what
 * is visible: what hsd_proto_next tells next may be one of them again. Nothing can fail. */
void hsd_proto_pass_alike(hsd_proto_message *message, const hsd_proto_field *field);

/* The bytes of a field as a message. It must have wire type BYTES: HSD_E_CORRUPT else. The outer goes on behind it by
 * itself. */
hsd_status hsd_proto_enter(const hsd_proto_message *outer, const hsd_proto_field *field, hsd_proto_message *inner,
                           hsd_error *err);

/* The bytes of a field, visible in the window: at most `most` of them, *bytes.size says how many, and the rest is
 * passed over by hsd_proto_next. Borrowed until the source moves. `most` is at most the window. */
hsd_status hsd_proto_bytes(hsd_proto_message *message, const hsd_proto_field *field, size_t most, hsd_bytes *bytes,
                           hsd_error *err);

/*
 * One number after another of a repeated field of varints, packed (wire type BYTES) or not: begin with *left =
 * UINT64_MAX; HSD_END behind the last. A field that is not packed gives its one number. HSD_E_CORRUPT if the last
 * number passes the end of the field.
 */
hsd_status hsd_proto_number(hsd_proto_message *message, const hsd_proto_field *field, uint64_t *left, uint64_t *value,
                            hsd_error *err);

/* One varint right ahead, for framing: HSD_END when the input ends in front of it. */
hsd_status hsd_proto_varint(hsd_source *source, uint64_t *value, hsd_error *err);

static inline int64_t hsd_proto_zigzag(uint64_t value) { return (int64_t)(value >> 1) ^ -(int64_t)(value & 1); }

#endif
