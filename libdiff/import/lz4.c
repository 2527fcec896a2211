/*
 * The LZ4 filter of the importers: frames, their blocks, and what a block holds.
 *
 *      below   [ head | block | block | … | 0 | checksum ] [ head | … ]       bytes of the file
 *      block   size, bytes as they are or packed, checksum
 *      packed  [ n literals | m bytes from k bytes ago ] …
 *
 *      output  [ up to 64 KiB of what came before | the block that is read ]   blocks may copy from those before
 *
 * Faults stick: what came before is delivered first, then the same error for ever.
 */
#include "import/lz4.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "io/checksum.h"

enum {
    MAGIC = 0x184D2204,
    SKIPPED_MAGIC = 0x184D2A50, /* and the 15 behind it: frames for other programs */
    HEAD_BYTES = 7,             /* the shortest: magic, flags, block size, checksum */
    HEAD_MOST_BYTES = 19,
    HISTORY_BYTES = 65536,
    LEAST_MATCH = 4
};

typedef enum lz4_place { LZ4_BETWEEN, LZ4_IN_FRAME, LZ4_AT_END } lz4_place;

typedef struct lz4_input {
    hsd_source *below;
    lz4_place place;
    bool is_linked, has_block_checks, has_content_check;
    size_t block_bytes;      /* of the frame, at most */
    uint8_t *output, *input; /* HISTORY_BYTES + block_bytes; block_bytes */
    size_t room_bytes;       /* that both are made for */
    size_t history, begin, end;
    hsd_xxh32_state content;
    uint64_t position; /* unpacked bytes delivered */
    hsd_status fault;  /* sticks */
    hsd_error fault_text;
} lz4_input;

static uint32_t get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool hsd_lz4_probe(const void *prefix, size_t size)
{
    const uint8_t *at = prefix;
    return size >= HEAD_BYTES && get_u32(at) == MAGIC && (at[4] & 0xc0) == 0x40 && (at[4] & 2) == 0 &&
           (at[5] & 0x8f) == 0 && at[5] >> 4 >= 4;
}

static hsd_status keep_fault(lz4_input *in, hsd_status status, const hsd_error *text)
{
    in->fault = status;
    in->fault_text = *text;
    return status;
}

static hsd_status fault_at(lz4_input *in, hsd_status status, const char *sentence)
{
    hsd_error text;
    hsd_error_init(&text);
    hsd_fail_at(&text, status, hsd_source_offset(in->below), "%s", sentence);
    return keep_fault(in, status, &text);
}

/* `size` bytes at in->below->at; the fault sticks. */
static hsd_status expect(lz4_input *in, size_t size)
{
    hsd_error text;
    hsd_error_init(&text);
    const hsd_status status = hsd_source_peek(in->below, size, &text);
    if (status < 0) return keep_fault(in, status, &text);
    return status == HSD_OK ? HSD_OK : fault_at(in, HSD_E_TRUNCATED, "the LZ4 data ends in the middle");
}

/* ---- what a block holds ---- */

/* A length whose four bits were 15: bytes are added as long as they are 255. False past the end. */
static bool read_length(const uint8_t **at, const uint8_t *end, size_t *length)
{
    if (*length < 15) return true;
    uint8_t more;
    do {
        if (*at == end) return false;
        more = *(*at)++;
        *length += more;
    } while (more == 255);
    return true;
}

/* Byte by byte where what is copied overlaps what it makes. */
static void copy_match(uint8_t *to, size_t distance, size_t length)
{
    const uint8_t *from = to - distance;
    if (distance >= length)
        memcpy(to, from, length);
    else
        for (size_t i = 0; i < length; i++)
            to[i] = from[i];
}

/* Unpacks a block to `out` + `done`, past which is room for `room` bytes; matches reach back to `out`. How many bytes
 * it made, or SIZE_MAX: damaged. */
static size_t unpack_block(const uint8_t *at, size_t size, uint8_t *out, size_t done, size_t room)
{
    const uint8_t *end = at + size;
    const size_t first = done, most = done + room;
    while (at < end) {
        size_t literals = *at >> 4, match = *at & 15;
        at++;
        if (!read_length(&at, end, &literals) || literals > (size_t)(end - at) || literals > most - done)
            return SIZE_MAX;
        memcpy(out + done, at, literals);
        at += literals;
        done += literals;
        if (at == end) break; /* the last one has no match */
        if (end - at < 2) return SIZE_MAX;
        const size_t distance = (size_t)at[0] | (size_t)at[1] << 8;
        at += 2;
        if (!read_length(&at, end, &match)) return SIZE_MAX;
        match += LEAST_MATCH;
        if (distance == 0 || distance > done || match > most - done) return SIZE_MAX;
        copy_match(out + done, distance, match);
        done += match;
    }
    return done - first;
}

/* ---- frames ---- */

static hsd_status make_lz4_room(lz4_input *in)
{
    if (in->block_bytes <= in->room_bytes) return HSD_OK;
    free(in->output);
    free(in->input);
    in->output = malloc(HISTORY_BYTES + in->block_bytes);
    in->input = malloc(in->block_bytes);
    in->room_bytes = in->output == NULL || in->input == NULL ? 0 : in->block_bytes;
    return in->room_bytes > 0 ? HSD_OK : fault_at(in, HSD_E_NOMEM, "out of memory: unpacking LZ4");
}

static hsd_status read_head(lz4_input *in)
{
    HSD_TRY(expect(in, HEAD_BYTES));
    const unsigned flags = in->below->at[4], sizes = in->below->at[5];
    const size_t bytes = HEAD_BYTES + ((flags & 8) != 0 ? 8u : 0) + ((flags & 1) != 0 ? 4u : 0);
    if ((flags & 0xc0) != 0x40 || (flags & 2) != 0 || (sizes & 0x8f) != 0 || sizes >> 4 < 4)
        return fault_at(in, HSD_E_CORRUPT, "the LZ4 frame has a head that contradicts itself");
    HSD_TRY(expect(in, bytes));
    const uint8_t stored = in->below->at[bytes - 1];
    if (!hsd_checksum_matches(stored, hsd_xxh32(in->below->at + 4, bytes - 5) >> 8 & 0xff))
        return fault_at(in, HSD_E_CORRUPT, "the head of the LZ4 frame is damaged");
    if ((flags & 1) != 0) return fault_at(in, HSD_E_UNSUPPORTED, "this LZ4 frame needs a dictionary");
    in->is_linked = (flags & 0x20) == 0;
    in->has_block_checks = (flags & 0x10) != 0;
    in->has_content_check = (flags & 4) != 0;
    in->block_bytes = (size_t)1 << (8 + 2 * (sizes >> 4));
    hsd_source_take(in->below, bytes);
    in->history = in->begin = in->end = 0;
    hsd_xxh32_begin(&in->content);
    in->place = LZ4_IN_FRAME;
    return make_lz4_room(in);
}

/* Between two frames: another one, one that is passed over, or the end. */
static hsd_status begin_frame(lz4_input *in)
{
    hsd_error text;
    hsd_error_init(&text);
    const hsd_status status = hsd_source_peek(in->below, 1, &text);
    if (status < 0) return keep_fault(in, status, &text);
    if (status == HSD_END) {
        in->place = LZ4_AT_END;
        return HSD_OK;
    }
    HSD_TRY(expect(in, 4));
    const uint32_t magic = get_u32(in->below->at);
    if (magic == MAGIC) return read_head(in);
    if ((magic & 0xfffffff0) != SKIPPED_MAGIC)
        return fault_at(in, HSD_E_CORRUPT, "bytes that are not LZ4 follow the LZ4 data");
    HSD_TRY(expect(in, 8));
    const uint32_t size = get_u32(in->below->at + 4);
    const hsd_status skipped = hsd_source_skip(in->below, (uint64_t)size + 8, &text);
    return skipped < 0 ? keep_fault(in, skipped, &text) : HSD_OK;
}

static hsd_status end_frame(lz4_input *in)
{
    hsd_source_take(in->below, 4);
    in->place = LZ4_BETWEEN;
    if (!in->has_content_check) return HSD_OK;
    HSD_TRY(expect(in, 4));
    if (!hsd_checksum_matches(get_u32(in->below->at), hsd_xxh32_get(&in->content)))
        return fault_at(in, HSD_E_CORRUPT, "the LZ4 data is damaged");
    hsd_source_take(in->below, 4);
    return HSD_OK;
}

/* The bytes of a block that the frame has as `size` bytes, in in->input. */
static hsd_status copy_block(lz4_input *in, size_t size)
{
    hsd_error text;
    hsd_error_init(&text);
    const hsd_status status = hsd_source_copy(in->below, in->input, size, &text);
    if (status == HSD_E_TRUNCATED) return fault_at(in, status, "the LZ4 data ends in the middle");
    if (status < 0) return keep_fault(in, status, &text);
    if (!in->has_block_checks) return HSD_OK;
    HSD_TRY(expect(in, 4));
    if (!hsd_checksum_matches(get_u32(in->below->at), hsd_xxh32(in->input, size)))
        return fault_at(in, HSD_E_CORRUPT, "the LZ4 data is damaged");
    hsd_source_take(in->below, 4);
    return HSD_OK;
}

/* What blocks behind this one may copy from moves to the front. */
static void keep_history(lz4_input *in)
{
    const size_t kept = in->is_linked ? (size_t)hsd_min_u64(in->end, HISTORY_BYTES) : 0;
    if (kept > 0) memmove(in->output, in->output + in->end - kept, kept);
    in->history = in->begin = in->end = kept;
}

static hsd_status read_block(lz4_input *in)
{
    HSD_TRY(expect(in, 4));
    const uint32_t word = get_u32(in->below->at), size = word & 0x7fffffff;
    if (word == 0) return end_frame(in);
    if (size > in->block_bytes) return fault_at(in, HSD_E_CORRUPT, "the LZ4 data is damaged");
    hsd_source_take(in->below, 4);
    HSD_TRY(copy_block(in, size));
    keep_history(in);
    size_t made = size;
    if (word >> 31 != 0)
        memcpy(in->output + in->history, in->input, size);
    else
        made = unpack_block(in->input, size, in->output, in->history, in->block_bytes);
    if (made == SIZE_MAX) return fault_at(in, HSD_E_CORRUPT, "the LZ4 data is damaged");
    in->end = in->begin + made;
    if (in->has_content_check) hsd_xxh32_add(&in->content, in->output + in->begin, made);
    return HSD_OK;
}

/* ---- the source ---- */

static hsd_status lz4_read(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    lz4_input *in = context;
    while (in->begin == in->end && in->place != LZ4_AT_END && in->fault == HSD_OK) {
        if (in->place == LZ4_IN_FRAME)
            read_block(in);
        else
            begin_frame(in);
    }
    *got = (size_t)hsd_min_u64(size, in->end - in->begin);
    if (*got > 0) memcpy(data, in->output + in->begin, *got);
    in->begin += *got;
    in->position += *got;
    if (*got > 0 || in->fault == HSD_OK) return HSD_OK;
    if (err != NULL) *err = in->fault_text;
    return in->fault;
}

static hsd_status lz4_rewind(void *context, hsd_error *err)
{
    lz4_input *in = context;
    HSD_TRY(hsd_source_rewind(in->below, err));
    in->place = LZ4_BETWEEN;
    in->history = in->begin = in->end = 0;
    in->position = 0;
    in->fault = HSD_OK;
    return HSD_OK;
}

static void lz4_close(void *context)
{
    lz4_input *in = context;
    free(in->output);
    free(in->input);
    free(in);
}

static hsd_status lz4_seek(void *context, uint64_t offset, hsd_error *err);

static const hsd_source_ops lz4_ops = {.read = lz4_read, .rewind = lz4_rewind, .close = lz4_close, .seek = lz4_seek};
static const hsd_source_ops lz4_once_ops = {.read = lz4_read, .close = lz4_close};

static hsd_status lz4_seek(void *context, uint64_t offset, hsd_error *err)
{
    const lz4_input *in = context;
    return hsd_source_seek_by_reading(&lz4_ops, context, &in->position, offset, err);
}

hsd_status hsd_lz4_open(hsd_source *source, hsd_source *below, size_t window_bytes, bool can_rewind, hsd_error *err)
{
    *source = (hsd_source){0};
    lz4_input *in = calloc(1, sizeof *in);
    if (in == NULL) return hsd_fail_nomem(err, "unpacking LZ4");
    in->below = below;
    return hsd_source_open_custom(source, can_rewind ? &lz4_ops : &lz4_once_ops, in, below->name, window_bytes,
                                  can_rewind, err);
}
