/*
 * Numbers, events and buffers, as the profiler's emitter has them.
 */
#include "support/mlpd_writer.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 4096, BUFFER_HEADER = 48, SIZE_AT = 4 };

static void put(mlpd_file *file, const void *bytes, size_t size)
{
    while (file->room - file->size < size) {
        file->room = file->room == 0 ? LEAST_ROOM : file->room * 2;
        file->data = realloc(file->data, file->room);
        if (file->data == NULL) abort();
    }
    memcpy(file->data + file->size, bytes, size);
    file->size += size;
}

static void put_number(mlpd_file *file, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        mlpd_byte(file, (unsigned)(number >> 8 * i) & 0xff);
}

/* ---- parts ---- */

void mlpd_byte(mlpd_file *file, unsigned byte)
{
    const uint8_t one = (uint8_t)byte;
    put(file, &one, 1);
}

void mlpd_unsigned(mlpd_file *file, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        mlpd_byte(file, (unsigned)(number & 0x7f) | 0x80);
    mlpd_byte(file, (unsigned)number);
}

void mlpd_signed(mlpd_file *file, int64_t number)
{
    for (;;) {
        const unsigned low = (unsigned)(number & 0x7f);
        number = number < 0 ? ~(~number >> 7) : number >> 7;
        const bool is_last = (number == 0 && (low & 0x40) == 0) || (number == -1 && (low & 0x40) != 0);
        mlpd_byte(file, is_last ? low : low | 0x80);
        if (is_last) return;
    }
}

void mlpd_pointer(mlpd_file *file, uint64_t pointer) { mlpd_signed(file, (int64_t)(pointer - file->pointer_base)); }
void mlpd_address(mlpd_file *file, uint64_t object) { mlpd_signed(file, (int64_t)((object >> 3) - file->object_base)); }
void mlpd_text(mlpd_file *file, const char *text) { put(file, text, strlen(text) + 1); }

void mlpd_event(mlpd_file *file, unsigned type, unsigned extra, uint64_t time_diff)
{
    mlpd_byte(file, extra << 4 | type);
    mlpd_unsigned(file, time_diff);
}

/* ---- file and buffers ---- */

void mlpd_begin(mlpd_file *file, unsigned major, unsigned version, unsigned pointer_bytes, const char *arguments)
{
    const char *const texts[] = {arguments, "amd64", "linux"};
    *file = (mlpd_file){.major = major, .version = version, .pointer_bytes = pointer_bytes};
    put_number(file, 0x4D505A01, 4);
    put_number(file, major, 1);
    put_number(file, 0, 1);
    put_number(file, version, 1);
    put_number(file, pointer_bytes, 1);
    put_number(file, 1700000000000, 8);
    if (major >= 3) put_number(file, 5000, 8);
    put_number(file, 40, 4);
    put_number(file, 0, 4);
    put_number(file, 4711, 4);
    put_number(file, 0, 2);
    for (unsigned i = 0; i < 3; i++) {
        put_number(file, strlen(texts[i]) + 1, 4);
        mlpd_text(file, texts[i]);
    }
}

static void end_buffer(mlpd_file *file)
{
    if (file->buffer == 0) return;
    const size_t size = file->size - file->buffer - BUFFER_HEADER;
    for (unsigned i = 0; i < 4; i++)
        file->data[file->buffer + SIZE_AT + i] = (uint8_t)(size >> 8 * i);
    file->buffer = 0;
}

void mlpd_buffer(mlpd_file *file, uint64_t thread, uint64_t time_ns)
{
    end_buffer(file);
    file->pointer_base = UINT64_C(0x7e0000000000);
    file->object_base = UINT64_C(0x7f0000000000) >> 3;
    file->method_base = UINT64_C(0x5500000000);
    file->buffer = file->size;
    put_number(file, 0x4D504C01, 4);
    put_number(file, 0, 4);
    put_number(file, time_ns, 8);
    put_number(file, file->pointer_base, 8);
    put_number(file, file->object_base, 8);
    put_number(file, thread, 8);
    put_number(file, file->method_base, 8);
}

void mlpd_end(mlpd_file *file) { end_buffer(file); }

void mlpd_release(mlpd_file *file)
{
    free(file->data);
    *file = (mlpd_file){0};
}

/* ---- events ---- */

void mlpd_class_load(mlpd_file *file, uint64_t pointer, const char *name)
{
    mlpd_event(file, 2, 2, 10);
    mlpd_byte(file, 1);
    mlpd_pointer(file, pointer);
    mlpd_pointer(file, 0x1000);
    mlpd_text(file, name);
}

void mlpd_vtable_load(mlpd_file *file, uint64_t pointer, uint64_t class_pointer)
{
    if (file->version < 15) return;
    mlpd_event(file, 2, 2, 10);
    mlpd_byte(file, 7);
    mlpd_pointer(file, pointer);
    mlpd_pointer(file, 0x2000);
    mlpd_pointer(file, class_pointer);
}

void mlpd_thread_name(mlpd_file *file, uint64_t thread, const char *name)
{
    mlpd_event(file, 2, name == NULL ? 2 : 0, 10);
    mlpd_byte(file, 5);
    mlpd_pointer(file, thread);
    if (name != NULL) mlpd_text(file, name);
}

void mlpd_root_register(mlpd_file *file, uint64_t start, uint64_t size, unsigned source, uint64_t key, const char *name)
{
    mlpd_event(file, 6, 4, 10);
    mlpd_pointer(file, start);
    mlpd_unsigned(file, size);
    mlpd_byte(file, source);
    mlpd_pointer(file, key);
    mlpd_text(file, name);
}

void mlpd_root_unregister(mlpd_file *file, uint64_t start)
{
    mlpd_event(file, 6, 5, 10);
    mlpd_pointer(file, start);
}

/* Before version 15 objects and the kind of what holds them: stack, finalizers, handle, other. */
static void put_old_roots(mlpd_file *file, const uint64_t (*pairs)[2], size_t count)
{
    mlpd_unsigned(file, 3);
    for (size_t i = 0; i < count; i++) {
        mlpd_address(file, pairs[i][1]);
        mlpd_unsigned(file, (i & 3) | 0x100);
        mlpd_unsigned(file, 0);
    }
}

void mlpd_roots(mlpd_file *file, const uint64_t (*pairs)[2], size_t count)
{
    mlpd_event(file, 6, 3, 10);
    mlpd_unsigned(file, count);
    if (file->version < 15 && file->major < 2) {
        put_old_roots(file, pairs, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        mlpd_pointer(file, pairs[i][0]);
        mlpd_address(file, pairs[i][1]);
    }
}

void mlpd_heap_start(mlpd_file *file) { mlpd_event(file, 6, 0, 10); }
void mlpd_heap_end(mlpd_file *file) { mlpd_event(file, 6, 1, 10); }

void mlpd_object(mlpd_file *file, uint64_t address, uint64_t vtable, uint64_t size, unsigned generation,
                 const mlpd_edge *edges, size_t count)
{
    uint64_t last = 0;
    mlpd_event(file, 6, 2, 1);
    mlpd_address(file, address);
    mlpd_pointer(file, vtable);
    mlpd_unsigned(file, size);
    if (file->version >= 16) mlpd_byte(file, generation);
    mlpd_unsigned(file, count);
    for (size_t i = 0; i < count; i++) {
        mlpd_unsigned(file, edges[i].offset - last);
        mlpd_address(file, edges[i].target);
        last = edges[i].offset;
    }
}

void mlpd_moves(mlpd_file *file, const uint64_t (*pairs)[2], size_t count)
{
    mlpd_event(file, 1, 3, 5);
    mlpd_unsigned(file, count * 2);
    for (size_t i = 0; i < count; i++) {
        mlpd_address(file, pairs[i][0]);
        mlpd_address(file, pairs[i][1]);
    }
}

void mlpd_gc(mlpd_file *file, unsigned event, unsigned generation)
{
    mlpd_event(file, 1, 1, 5);
    mlpd_byte(file, event);
    mlpd_byte(file, generation);
}
