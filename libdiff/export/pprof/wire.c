/* Fields of Protocol Buffers. See wire.h. */
#include "export/pprof/wire.h"

enum { VARINT = 0, BYTES = 2 };

hsd_status hsd_wire_varint(hsd_buffer *out, uint64_t value, hsd_error *err)
{
    uint8_t bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    return hsd_buffer_append(out, bytes, size, err);
}

hsd_status hsd_wire_number(hsd_buffer *out, uint32_t field, uint64_t value, hsd_error *err)
{
    if (value == 0) return HSD_OK;
    HSD_TRY(hsd_wire_varint(out, (uint64_t)field << 3 | VARINT, err));
    return hsd_wire_varint(out, value, err);
}

hsd_status hsd_wire_bytes(hsd_buffer *out, uint32_t field, const void *data, size_t size, hsd_error *err)
{
    HSD_TRY(hsd_wire_varint(out, (uint64_t)field << 3 | BYTES, err));
    HSD_TRY(hsd_wire_varint(out, size, err));
    return hsd_buffer_append(out, data, size, err);
}
