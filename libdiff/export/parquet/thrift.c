/*
 * Thrift's compact protocol: a field is the distance to the number before it and its type in one byte where that fits,
 * whole numbers are zigzag varints.
 */
#include "export/parquet/thrift.h"

#include <string.h>

#include "base/assert.h"

static void put(hsd_thrift *t, const void *data, size_t size)
{
    if (t->status == HSD_OK && size > 0) t->status = hsd_buffer_append(t->out, data, size, NULL);
}

static void put_byte(hsd_thrift *t, unsigned byte)
{
    const uint8_t one = (uint8_t)byte;
    put(t, &one, 1);
}

static void put_varint(hsd_thrift *t, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    put(t, bytes, size);
}

static void put_zigzag(hsd_thrift *t, int64_t value)
{
    put_varint(t, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void put_field(hsd_thrift *t, int16_t field, hsd_thrift_type type)
{
    int16_t *last = &t->last[t->depth];
    const int distance = field - *last;
    HSD_ASSERT(distance > 0);
    *last = field;
    if (distance < 16) {
        put_byte(t, (unsigned)distance << 4 | type);
        return;
    }
    put_byte(t, type);
    put_zigzag(t, field);
}

void hsd_thrift_i16(hsd_thrift *t, int16_t field, int16_t value)
{
    put_field(t, field, HSD_THRIFT_I16);
    put_zigzag(t, value);
}

void hsd_thrift_i32(hsd_thrift *t, int16_t field, int32_t value)
{
    put_field(t, field, HSD_THRIFT_I32);
    put_zigzag(t, value);
}

void hsd_thrift_i64(hsd_thrift *t, int16_t field, int64_t value)
{
    put_field(t, field, HSD_THRIFT_I64);
    put_zigzag(t, value);
}

void hsd_thrift_bool(hsd_thrift *t, int16_t field, bool value)
{
    put_field(t, field, value ? HSD_THRIFT_TRUE : HSD_THRIFT_FALSE);
}

static void put_binary(hsd_thrift *t, const void *data, size_t size)
{
    put_varint(t, size);
    put(t, data, size);
}

void hsd_thrift_binary(hsd_thrift *t, int16_t field, const void *data, size_t size)
{
    put_field(t, field, HSD_THRIFT_BINARY);
    put_binary(t, data, size);
}

void hsd_thrift_string(hsd_thrift *t, int16_t field, const char *text)
{
    hsd_thrift_binary(t, field, text, strlen(text));
}

static void enter(hsd_thrift *t)
{
    HSD_ASSERT(t->depth + 1 < HSD_THRIFT_DEPTH);
    t->last[++t->depth] = 0;
}

void hsd_thrift_struct(hsd_thrift *t, int16_t field)
{
    put_field(t, field, HSD_THRIFT_STRUCT);
    enter(t);
}

void hsd_thrift_list(hsd_thrift *t, int16_t field, hsd_thrift_type element, uint32_t count)
{
    put_field(t, field, HSD_THRIFT_LIST);
    put_byte(t, (count < 15 ? count : 15) << 4 | element);
    if (count >= 15) put_varint(t, count);
}

void hsd_thrift_element_i32(hsd_thrift *t, int32_t value) { put_zigzag(t, value); }
void hsd_thrift_element_string(hsd_thrift *t, const char *text) { put_binary(t, text, strlen(text)); }
void hsd_thrift_element_struct(hsd_thrift *t) { enter(t); }

void hsd_thrift_end(hsd_thrift *t)
{
    put_byte(t, 0);
    if (t->depth > 0) t->depth--;
}
