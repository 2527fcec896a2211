/* Columns and blocks, written. See encode.h. */
#include "format/encode.h"

#include "format/bytes.h"
#include "format/unpack.h"

static bool are_equal(const uint64_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (values[i] != values[0]) return false;
    }
    return true;
}

/* 0, 1, 2, 3 for 1, 2, 4, 8 bytes (FORMAT.md 5.5). */
static unsigned code_of(uint64_t value)
{
    return value > UINT32_MAX ? 3u : value > UINT16_MAX ? 2u : value > UINT8_MAX ? 1u : 0u;
}

static hsd_status put_header(hsd_buffer *payload, unsigned id, unsigned coding, uint32_t count, uint32_t bytes,
                             hsd_error *err)
{
    uint8_t header[HSC_COLUMN_HEADER_BYTES] = {(uint8_t)id, (uint8_t)coding};
    hsd_put_u32(header + 4, count);
    hsd_put_u32(header + 8, bytes);
    return hsd_buffer_append(payload, header, sizeof header, err);
}

static hsd_status put_constant(hsd_buffer *payload, unsigned id, uint64_t value, uint32_t count, hsd_error *err)
{
    uint8_t bytes[8];
    hsd_put_u64(bytes, value);
    HSD_TRY(put_header(payload, id, HSC_CODING_CONSTANT, count, sizeof bytes, err));
    return hsd_buffer_append(payload, bytes, sizeof bytes, err);
}

static hsd_status put_packed(hsd_buffer *payload, unsigned id, const uint64_t *values, uint32_t count, hsd_error *err)
{
    const uint32_t control_bytes = hsd_unpack_control_bytes(count);
    uint32_t bytes = control_bytes;
    for (uint32_t i = 0; i < count; i++)
        bytes += 1u << code_of(values[i]);
    HSD_TRY(put_header(payload, id, HSC_CODING_PACKED, count, bytes, err));
    HSD_TRY(hsd_buffer_reserve(payload, bytes + 8, err));
    uint8_t *control = payload->data + payload->size;
    uint8_t *at = control + control_bytes;
    for (uint32_t i = 0; i < control_bytes; i++)
        control[i] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned code = code_of(values[i]);
        control[i / 4] = (uint8_t)(control[i / 4] | code << (2 * (i % 4)));
        hsd_put_u64(at, values[i]);
        at += 1u << code;
    }
    payload->size += bytes;
    return HSD_OK;
}

hsd_status hsd_encode_column_always(hsd_buffer *payload, unsigned id, const uint64_t *values, uint32_t count,
                                    hsd_error *err)
{
    if (are_equal(values, count)) return put_constant(payload, id, values[0], count, err);
    return put_packed(payload, id, values, count, err);
}

hsd_status hsd_encode_column(hsd_buffer *payload, unsigned id, const uint64_t *values, uint32_t count, hsd_error *err)
{
    if (values[0] == 0 && are_equal(values, count)) return HSD_OK;
    return hsd_encode_column_always(payload, id, values, count, err);
}

hsd_status hsd_encode_block(hsd_output *output, uint8_t type, uint64_t number, uint32_t record_count, uint64_t seed,
                            const hsd_buffer *payload, hsd_block_ref *ref, hsd_error *err)
{
    uint8_t bytes[HSC_BLOCK_HEADER_BYTES];
    hsd_block_header header = {
        .type = type,
        .codec = HSC_CODEC_NONE,
        .record_count = record_count,
        .number = number,
        .raw_bytes = (uint32_t)payload->size,
        .stored_bytes = (uint32_t)payload->size,
    };
    hsd_block_header_build(bytes, &header, seed, payload->data);
    *ref = hsd_block_ref_of(&header, output->size_bytes);
    HSD_TRY(hsd_output_write(output, bytes, sizeof bytes, err));
    return hsd_output_write(output, payload->data, payload->size, err);
}
