/*
 * Deltas and runs, packed from the least significant bit.
 */
#include "export/parquet/encodings.h"

#include <string.h>

#define BLOCK 128u
#define PART  32u

static hsd_status put_varint(hsd_buffer *out, uint64_t value, hsd_error *err)
{
    uint8_t bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    return hsd_buffer_append(out, bytes, size, err);
}

static uint64_t zigzag(int64_t value) { return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0); }

/* `count` numbers of `width` bits, a multiple of 8 in all. */
static hsd_status put_packed(hsd_buffer *out, const uint64_t *values, size_t count, unsigned width, hsd_error *err)
{
    HSD_TRY(hsd_buffer_reserve(out, count * width / 8 + 16, err));
    uint8_t *to = out->data + out->size;
    uint64_t held = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++) {
        for (unsigned done = 0; done < width;) {
            const unsigned part = width - done < 32 ? width - done : 32; /* bits is below 8: 40 at most */
            held |= (values[i] >> done & ((UINT64_C(1) << part) - 1)) << bits;
            bits += part;
            done += part;
            for (; bits >= 8; bits -= 8, held >>= 8)
                *to++ = (uint8_t)held;
        }
    }
    if (bits > 0) *to++ = (uint8_t)held;
    out->size = (size_t)(to - out->data);
    return HSD_OK;
}

/* One block: the least difference, a width a part, and the parts that have values. */
static hsd_status put_block(hsd_buffer *out, const int64_t *deltas, size_t count, hsd_error *err)
{
    uint64_t above[BLOCK] = {0};
    uint8_t widths[BLOCK / PART] = {0};
    int64_t least = deltas[0];
    for (size_t i = 1; i < count; i++)
        if (deltas[i] < least) least = deltas[i];
    for (size_t i = 0; i < count; i++) {
        above[i] = (uint64_t)deltas[i] - (uint64_t)least;
        const unsigned bits = hsd_bits_of(above[i]);
        if (bits > widths[i / PART]) widths[i / PART] = (uint8_t)bits;
    }
    HSD_TRY(put_varint(out, zigzag(least), err));
    HSD_TRY(hsd_buffer_append(out, widths, sizeof widths, err));
    for (size_t part = 0; part * PART < count; part++)
        HSD_TRY(put_packed(out, above + part * PART, PART, widths[part], err));
    return HSD_OK;
}

hsd_status hsd_encode_deltas(hsd_buffer *out, const int64_t *values, size_t count, hsd_error *err)
{
    HSD_TRY(put_varint(out, BLOCK, err));
    HSD_TRY(put_varint(out, BLOCK / PART, err));
    HSD_TRY(put_varint(out, count, err));
    HSD_TRY(put_varint(out, zigzag(count > 0 ? values[0] : 0), err));
    for (size_t at = 1; at < count; at += BLOCK) {
        int64_t deltas[BLOCK];
        const size_t some = count - at < BLOCK ? count - at : BLOCK;
        for (size_t i = 0; i < some; i++)
            deltas[i] = (int64_t)((uint64_t)values[at + i] - (uint64_t)values[at + i - 1]);
        HSD_TRY(put_block(out, deltas, some, err));
    }
    return HSD_OK;
}

/* ---- runs */

static size_t run_length(const uint32_t *values, size_t count)
{
    size_t length = 1;
    while (length < count && values[length] == values[0])
        length++;
    return length;
}

static hsd_status put_run(hsd_buffer *out, uint32_t value, size_t count, unsigned width, hsd_error *err)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    HSD_TRY(put_varint(out, (uint64_t)count << 1, err));
    return hsd_buffer_append(out, bytes, (width + 7) / 8, err);
}

/* Groups of eight, the last of them filled up with zeros. */
static hsd_status put_groups(hsd_buffer *out, const uint32_t *values, size_t count, unsigned width, hsd_error *err)
{
    const size_t groups = (count + 7) / 8;
    HSD_TRY(put_varint(out, (uint64_t)groups << 1 | 1, err));
    for (size_t at = 0; at < count; at += 8) {
        uint64_t eight[8] = {0};
        for (size_t i = 0; i < 8 && at + i < count; i++)
            eight[i] = values[at + i];
        HSD_TRY(put_packed(out, eight, 8, width, err));
    }
    return HSD_OK;
}

hsd_status hsd_encode_runs(hsd_buffer *out, const uint32_t *values, size_t count, unsigned width, hsd_error *err)
{
    for (size_t at = 0, from = 0; from < count;) {
        /* values[from..at) wait to be packed: whole groups of eight until the end, so that a run can follow */
        const size_t run = at < count ? run_length(values + at, count - at) : 0;
        const size_t fill = (8 - (at - from) % 8) % 8; /* of the run, to end the group */
        if (at < count && run < 8 + fill) {
            at += run;
            continue;
        }
        const size_t packed = at < count ? at - from + fill : count - from;
        if (packed > 0) HSD_TRY(put_groups(out, values + from, packed, width, err));
        if (at == count) return HSD_OK;
        HSD_TRY(put_run(out, values[at], run - fill, width, err));
        at += run;
        from = at;
    }
    return HSD_OK;
}
