/*
 * HPROF bytes for tests; see hprof_writer.h.
 */
#include "support/hprof_writer.h"

#include <stdlib.h>
#include <string.h>

void hw_bytes(hprof_writer *w, const void *data, size_t size)
{
    if (w->size + size > w->capacity) {
        w->capacity = (w->size + size) * 2 + 4096;
        w->data = realloc(w->data, w->capacity);
        if (w->data == NULL) abort();
    }
    if (size > 0) memcpy(w->data + w->size, data, size);
    w->size += size;
}

static void big_endian(hprof_writer *w, uint64_t value, unsigned bytes)
{
    uint8_t out[8];
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
    hw_bytes(w, out, bytes);
}

void hw_u1(hprof_writer *w, unsigned value) { big_endian(w, value, 1); }
void hw_u2(hprof_writer *w, unsigned value) { big_endian(w, value, 2); }
void hw_u4(hprof_writer *w, uint32_t value) { big_endian(w, value, 4); }
void hw_u8(hprof_writer *w, uint64_t value) { big_endian(w, value, 8); }
void hw_id(hprof_writer *w, uint64_t id) { big_endian(w, id, w->id_bytes); }

void hw_patch_u4(hprof_writer *w, size_t offset, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        w->data[offset + i] = (uint8_t)(value >> (8 * (3 - i)));
}

void hw_begin(hprof_writer *w, const char *version, unsigned id_bytes, uint64_t time_ms)
{
    *w = (hprof_writer){.id_bytes = id_bytes};
    hw_bytes(w, "JAVA PROFILE ", 13);
    hw_bytes(w, version, strlen(version) + 1);
    hw_u4(w, id_bytes);
    hw_u8(w, time_ms);
}

void hw_free(hprof_writer *w)
{
    free(w->data);
    *w = (hprof_writer){0};
}

void hw_open(hprof_writer *w, unsigned tag)
{
    w->record = w->size;
    hw_u1(w, tag);
    hw_u4(w, 0);
    hw_u4(w, 0);
}

void hw_close(hprof_writer *w) { hw_patch_u4(w, w->record + 5, (uint32_t)(w->size - w->record - 9)); }

void hw_string(hprof_writer *w, uint64_t id, const char *text)
{
    hw_open(w, 0x01);
    hw_id(w, id);
    hw_bytes(w, text, strlen(text));
    hw_close(w);
}

void hw_load_class(hprof_writer *w, uint32_t serial, uint64_t class_id, uint64_t name)
{
    hw_open(w, 0x02);
    hw_u4(w, serial);
    hw_id(w, class_id);
    hw_u4(w, 0);
    hw_id(w, name);
    hw_close(w);
}

void hw_frame(hprof_writer *w, uint64_t id, uint64_t method, uint64_t file, uint32_t class_serial, int32_t line)
{
    hw_open(w, 0x04);
    hw_id(w, id);
    hw_id(w, method);
    hw_id(w, 0);
    hw_id(w, file);
    hw_u4(w, class_serial);
    hw_u4(w, (uint32_t)line);
    hw_close(w);
}

void hw_trace(hprof_writer *w, uint32_t serial, uint32_t thread_serial, unsigned count, const uint64_t *frames)
{
    hw_open(w, 0x05);
    hw_u4(w, serial);
    hw_u4(w, thread_serial);
    hw_u4(w, count);
    for (unsigned i = 0; i < count; i++)
        hw_id(w, frames[i]);
    hw_close(w);
}

void hw_start_thread(hprof_writer *w, uint32_t serial, uint64_t object, uint32_t trace, uint64_t name)
{
    hw_open(w, 0x0A);
    hw_u4(w, serial);
    hw_id(w, object);
    hw_u4(w, trace);
    hw_id(w, name);
    hw_id(w, 0);
    hw_id(w, 0);
    hw_close(w);
}

void hw_end_mark(hprof_writer *w)
{
    hw_open(w, 0x2C);
    hw_close(w);
}

void hw_root(hprof_writer *w, unsigned tag, uint64_t id)
{
    hw_u1(w, tag);
    hw_id(w, id);
    if (tag == 0x01) hw_id(w, id + 0x100); /* the JNI reference itself */
}

void hw_root_in_thread(hprof_writer *w, unsigned tag, uint64_t id, uint32_t thread, uint32_t frame)
{
    hw_u1(w, tag);
    hw_id(w, id);
    hw_u4(w, thread);
    if (tag != 0x04 && tag != 0x06) hw_u4(w, frame);
}

void hw_heap_info(hprof_writer *w, uint32_t heap, uint64_t name)
{
    hw_u1(w, 0xFE);
    hw_u4(w, heap);
    hw_id(w, name);
}

unsigned hw_width(const hprof_writer *w, unsigned type)
{
    static const unsigned widths[] = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};
    return type == 2 ? w->id_bytes : widths[type];
}

static unsigned count_fields(const hw_field *fields)
{
    unsigned count = 0;
    while (fields != NULL && fields[count].name != 0)
        count++;
    return count;
}

void hw_class_dump(hprof_writer *w, const hw_class *class)
{
    const unsigned statics = count_fields(class->statics), fields = count_fields(class->fields);
    hw_u1(w, 0x20);
    hw_id(w, class->id);
    hw_u4(w, 0);
    hw_id(w, class->super);
    hw_id(w, class->loader);
    hw_id(w, class->signers);
    hw_id(w, class->domain);
    hw_id(w, 0);
    hw_id(w, 0);
    hw_u4(w, class->size);
    hw_u2(w, 0);
    hw_u2(w, statics);
    for (unsigned i = 0; i < statics; i++) {
        hw_id(w, class->statics[i].name);
        hw_u1(w, class->statics[i].type);
        big_endian(w, class->statics[i].value, hw_width(w, class->statics[i].type));
    }
    hw_u2(w, fields);
    for (unsigned i = 0; i < fields; i++) {
        hw_id(w, class->fields[i].name);
        hw_u1(w, class->fields[i].type);
    }
}

void hw_instance(hprof_writer *w, uint64_t id, uint32_t stack, uint64_t class_id)
{
    hw_u1(w, 0x21);
    hw_id(w, id);
    hw_u4(w, stack);
    hw_id(w, class_id);
    w->length = w->size;
    hw_u4(w, 0);
}

void hw_instance_end(hprof_writer *w) { hw_patch_u4(w, w->length, (uint32_t)(w->size - w->length - 4)); }

void hw_object_array(hprof_writer *w, uint64_t id, uint32_t stack, uint64_t class_id, uint32_t count,
                     const uint64_t *elements)
{
    hw_u1(w, 0x22);
    hw_id(w, id);
    hw_u4(w, stack);
    hw_u4(w, count);
    hw_id(w, class_id);
    for (uint32_t i = 0; i < count; i++)
        hw_id(w, elements[i]);
}

void hw_prim_array(hprof_writer *w, uint64_t id, uint32_t stack, unsigned type, uint32_t count, const void *data)
{
    hw_u1(w, 0x23);
    hw_id(w, id);
    hw_u4(w, stack);
    hw_u4(w, count);
    hw_u1(w, type);
    hw_bytes(w, data, (size_t)count * hw_width(w, type));
}
