/*
 * One field after another. What stands in the window is read there; only a tag or number at its edge makes the source
 * move. Every message knows where the field behind the present one begins, so a reader may leave a field at any point
 * of it: the rest is passed over when the next one is asked for.
 */
#include "import/protobuf.h"

#include "base/check.h"

#include <inttypes.h>
#include <string.h>

enum { VARINT_BYTES = 10, NUMBER_MOST = (1 << 29) - 1 };

static hsd_status named_protobuf(const hsd_source *source, hsd_status status, hsd_error *err)
{
    if (status < 0) hsd_error_set_file(err, source->name);
    return status;
}

static hsd_status fail_truncated(const hsd_source *source, const char *what, hsd_error *err)
{
    hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(source), "the input ends inside %s", what);
    return named_protobuf(source, HSD_E_TRUNCATED, err);
}

static hsd_status fail_long(const hsd_source *source, hsd_error *err)
{
    hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(source),
                "a number of protobuf has at most 10 bytes, this one goes on");
    return named_protobuf(source, HSD_E_CORRUPT, err);
}

static hsd_status fail_passes(const hsd_source *source, uint64_t offset, uint32_t number, uint64_t end, hsd_error *err)
{
    hsd_fail_at(err, HSD_E_CORRUPT, offset,
                "field %" PRIu32 " of protobuf passes the end of its message at offset %" PRIu64, number, end);
    return named_protobuf(source, HSD_E_CORRUPT, err);
}

/* Any varint; those at the end of what is visible, and the longest. HSD_END only if the input ends in front of it. Bits
 * beyond the 64th are dropped, as every reader of protobuf does. */
static hsd_status read_long(hsd_source *source, uint64_t *value, hsd_error *err)
{
    const hsd_status status = hsd_source_peek(source, VARINT_BYTES, err);
    if (status < 0) return status;
    const size_t ahead = hsd_source_ahead(source);
    if (ahead == 0) return HSD_END;
    uint64_t sum = 0;
    for (size_t i = 0; i < VARINT_BYTES && i < ahead; i++) {
        const uint64_t byte = source->at[i];
        sum |= (byte & 0x7f) << (7 * i);
        if (byte >= 0x80) continue;
        hsd_source_take(source, i + 1);
        *value = sum;
        return HSD_OK;
    }
    return ahead < VARINT_BYTES ? fail_truncated(source, "a number", err) : fail_long(source, err);
}

/* A varint of at most 8 bytes, which all are visible, without a branch for each: groups of 7 bits are moved together,
 * in pairs, then pairs of pairs. Its length; 0 = it is longer. */
static inline unsigned decode_word(const uint8_t *at, uint64_t *value)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    const uint64_t stops = ~word & UINT64_C(0x8080808080808080);
    if (stops == 0) return 0;
    const unsigned last = (unsigned)__builtin_ctzll(stops); /* the highest bit of the last byte */
    word &= UINT64_MAX >> (63 - last) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
    word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
    *value = (word & UINT64_C(0x000000000fffffff)) | (word & UINT64_C(0x0fffffff00000000)) >> 4;
    return (last + 1) / 8;
}

static inline hsd_status read_varint(hsd_source *source, uint64_t *value, hsd_error *err)
{
    const uint8_t *at = source->at;
    if (__builtin_expect(source->end - at >= 8, 1)) {
        if (at[0] < 0x80) {
            *value = at[0];
            source->at = at + 1;
            return HSD_OK;
        }
        const unsigned size = decode_word(at, value);
        source->at = at + size;
        if (size != 0) return HSD_OK;
    }
    return read_long(source, value, err);
}

hsd_status hsd_proto_varint(hsd_source *source, uint64_t *value, hsd_error *err)
{
    return read_varint(source, value, err);
}

static inline hsd_status must(const hsd_source *source, hsd_status status, const char *what, hsd_error *err)
{
    return __builtin_expect(status == HSD_END, 0) ? fail_truncated(source, what, err) : status;
}

static hsd_status read_fixed(hsd_source *source, size_t size, uint64_t *value, hsd_error *err)
{
    HSD_TRY(must(source, hsd_source_peek(source, size, err), "a number of fixed size", err));
    *value = 0;
    for (size_t i = 0; i < size; i++)
        *value |= (uint64_t)source->at[i] << (8 * i);
    hsd_source_take(source, size);
    return HSD_OK;
}

/* Over what is left of the field before. */
static inline hsd_status pass_rest(hsd_proto_message *message, hsd_error *err)
{
    const uint64_t next = message->next, here = hsd_source_offset(message->source);
    message->next = 0;
    if (next >= here && next - here <= hsd_source_ahead(message->source)) {
        hsd_source_take(message->source, (size_t)(next - here));
        return HSD_OK;
    }
    if (here > next)
        return hsd_fail_at(err, HSD_E_MISUSE, here, "a field of protobuf was read beyond its end at offset %" PRIu64,
                           next);
    return hsd_source_skip(message->source, next - here, err);
}

/* The source stands behind the tag. */
static inline hsd_status read_content(hsd_proto_message *message, hsd_proto_field *field, hsd_error *err)
{
    hsd_source *source = message->source;
    switch (field->wire) {
    case HSD_PROTO_VARINT: return must(source, read_varint(source, &field->value, err), "a number", err);
    case HSD_PROTO_FIXED64: return read_fixed(source, 8, &field->value, err);
    case HSD_PROTO_FIXED32: return read_fixed(source, 4, &field->value, err);
    case HSD_PROTO_BYTES: break;
    default:
        hsd_fail_at(err, HSD_E_CORRUPT, field->offset,
                    "field %" PRIu32 " of protobuf has wire type %" PRIu32 ", which is none that is read",
                    field->number, field->wire);
        return named_protobuf(source, HSD_E_CORRUPT, err);
    }
    HSD_TRY(must(source, read_varint(source, &field->size, err), "the length of a field", err));
    if (!hsd_add_u64(hsd_source_offset(source), field->size, &message->next) || message->next == UINT64_MAX)
        return fail_passes(source, field->offset, field->number, message->end, err);
    return HSD_OK;
}

#define PLAIN_BYTES 9 /* a tag of one byte, and a number of at most eight */

/* A field as nearly all are, without a call: a number or bytes, small enough to be told from what is visible, and
 * inside its message. False and nothing done for any other one, and for what is wrong. */
static inline bool take_plain(hsd_proto_message *message, hsd_proto_field *field)
{
    hsd_source *source = message->source;
    const uint8_t *at = source->at;
    uint64_t value;
    if (source->end - at < PLAIN_BYTES || at[0] >= 0x80 || at[0] < 8 || (at[0] & 5) != 0) return false;
    const uint64_t offset = hsd_source_offset(source);
    unsigned size = 1;
    if (__builtin_expect(at[1] < 0x80, 1))
        value = at[1];
    else if ((size = decode_word(at + 1, &value)) == 0)
        return false;
    const uint32_t wire = at[0] & 7;
    const uint64_t begin = offset + 1 + size, behind = wire == HSD_PROTO_BYTES ? begin + value : begin;
    if (behind > message->end || behind == UINT64_MAX || behind < begin) return false;
    *field = (hsd_proto_field){.number = at[0] >> 3, .wire = wire, .offset = offset};
    if (wire == HSD_PROTO_BYTES) {
        field->size = value;
        message->next = behind;
    } else {
        field->value = value;
    }
    source->at = at + 1 + size;
    return true;
}

hsd_status hsd_proto_next(hsd_proto_message *message, hsd_proto_field *field, hsd_error *err)
{
    hsd_source *source = message->source;
    if (message->next != 0) HSD_TRY(pass_rest(message, err));
    if (__builtin_expect(take_plain(message, field), 1)) return HSD_OK;
    const uint64_t offset = hsd_source_offset(source);
    if (offset >= message->end) return HSD_END;
    uint64_t tag;
    const hsd_status status = read_varint(source, &tag, err);
    if (status != HSD_OK)
        return status == HSD_END && message->end != UINT64_MAX ? fail_truncated(source, "a message", err) : status;
    if (tag >> 3 == 0 || tag >> 3 > NUMBER_MOST) {
        hsd_fail_at(err, HSD_E_CORRUPT, offset, "there is no field %" PRIu64 " in protobuf", tag >> 3);
        return named_protobuf(source, HSD_E_CORRUPT, err);
    }
    *field = (hsd_proto_field){.number = (uint32_t)(tag >> 3), .wire = (uint32_t)(tag & 7), .offset = offset};
    HSD_TRY(read_content(message, field, err));
    const uint64_t behind = message->next != 0 ? message->next : hsd_source_offset(source);
    return behind > message->end ? fail_passes(source, offset, field->number, message->end, err) : HSD_OK;
}

void hsd_proto_pass_alike(hsd_proto_message *message, const hsd_proto_field *field)
{
    hsd_source *source = message->source;
    const uint64_t here = hsd_source_offset(source), ahead = hsd_source_ahead(source);
    const uint64_t visible = hsd_min_u64(ahead, message->end - here);
    const uint8_t *at = source->at, *end = at + visible;
    const uint8_t tag = (uint8_t)(field->number << 3 | HSD_PROTO_BYTES);
    if (field->wire != HSD_PROTO_BYTES || message->next < here || message->next - here > visible) return;
    at += message->next - here;
    while (field->number < 16 && end - at >= PLAIN_BYTES && *at == tag) {
        uint64_t bytes = at[1];
        const unsigned size = bytes < 0x80 ? 1 : decode_word(at + 1, &bytes);
        if (size == 0 || bytes > (uint64_t)(end - at) - 1 - size) break;
        at += 1 + size + bytes;
    }
    source->at = at;
    message->next = 0;
}

static hsd_status fail_wire(const hsd_source *source, const hsd_proto_field *field, hsd_error *err)
{
    hsd_fail_at(err, HSD_E_CORRUPT, field->offset, "field %" PRIu32 " of protobuf should hold bytes and is a number",
                field->number);
    return named_protobuf(source, HSD_E_CORRUPT, err);
}

hsd_status hsd_proto_enter(const hsd_proto_message *outer, const hsd_proto_field *field, hsd_proto_message *inner,
                           hsd_error *err)
{
    if (field->wire != HSD_PROTO_BYTES) return fail_wire(outer->source, field, err);
    *inner = (hsd_proto_message){.source = outer->source, .end = outer->next};
    return HSD_OK;
}

hsd_status hsd_proto_bytes(hsd_proto_message *message, const hsd_proto_field *field, size_t most, hsd_bytes *bytes,
                           hsd_error *err)
{
    if (field->wire != HSD_PROTO_BYTES) return fail_wire(message->source, field, err);
    const size_t size = field->size < most ? (size_t)field->size : most;
    HSD_TRY(must(message->source, hsd_source_peek(message->source, size, err), "a field", err));
    *bytes = (hsd_bytes){.data = message->source->at, .size = size};
    return HSD_OK;
}

hsd_status hsd_proto_number(hsd_proto_message *message, const hsd_proto_field *field, uint64_t *left, uint64_t *value,
                            hsd_error *err)
{
    const bool is_first = *left == UINT64_MAX;
    if (field->wire != HSD_PROTO_BYTES) {
        *left = 0;
        *value = field->value;
        return is_first ? HSD_OK : HSD_END;
    }
    if (is_first) *left = field->size;
    if (*left == 0) return HSD_END;
    if (__builtin_expect(*left >= VARINT_BYTES && hsd_source_ahead(message->source) >= VARINT_BYTES, 1)) {
        const uint8_t *from = message->source->at; /* the window stays where it is */
        HSD_TRY(read_varint(message->source, value, err));
        *left -= (uint64_t)(message->source->at - from);
        return HSD_OK;
    }
    const uint64_t before = hsd_source_offset(message->source);
    HSD_TRY(must(message->source, read_varint(message->source, value, err), "a number", err));
    const uint64_t taken = hsd_source_offset(message->source) - before;
    if (taken > *left) return fail_passes(message->source, field->offset, field->number, message->next, err);
    *left -= taken;
    return HSD_OK;
}
