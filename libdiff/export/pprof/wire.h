/*
 * The wire format of Protocol Buffers, written: fields of one message appended to a buffer. Numbers that are 0 are left
 * out, as proto3 does; lists are packed.
 */
#ifndef HSD_EXPORT_PPROF_WIRE_H
#define HSD_EXPORT_PPROF_WIRE_H

#include "base/buffer.h"

hsd_status hsd_wire_varint(hsd_buffer *out, uint64_t value, hsd_error *err);
hsd_status hsd_wire_number(hsd_buffer *out, uint32_t field, uint64_t value, hsd_error *err);
hsd_status hsd_wire_bytes(hsd_buffer *out, uint32_t field, const void *data, size_t size, hsd_error *err);

#endif
