/*
 * Writes HPROF bytes for tests: record by record, every version, both id sizes, right or wrong. It knows
 * how records look and nothing of what makes sense; heaps that do are in hprof_heap.h.
 */
#ifndef HSD_TESTS_HPROF_WRITER_H
#define HSD_TESTS_HPROF_WRITER_H

#include <stddef.h>
#include <stdint.h>

typedef struct hprof_writer {
    uint8_t *data; /* owned; grows; running out of memory aborts the test */
    size_t size, capacity;
    unsigned id_bytes;
    size_t record; /* offset of the open record's tag */
    size_t length; /* offset of the open instance's length */
} hprof_writer;

/* Header. `version` is "1.0.1", "1.0.2" or "1.0.3", or anything else to see it refused. */
void hw_begin(hprof_writer *w, const char *version, unsigned id_bytes, uint64_t time_ms);
void hw_free(hprof_writer *w);

/* Plain numbers, big-endian. */
void hw_u1(hprof_writer *w, unsigned value);
void hw_u2(hprof_writer *w, unsigned value);
void hw_u4(hprof_writer *w, uint32_t value);
void hw_u8(hprof_writer *w, uint64_t value);
void hw_id(hprof_writer *w, uint64_t id);
void hw_bytes(hprof_writer *w, const void *data, size_t size);

/* Changes four bytes that were written. */
void hw_patch_u4(hprof_writer *w, size_t offset, uint32_t value);

/* A record of the top level; its length is filled in at the end. */
void hw_open(hprof_writer *w, unsigned tag);
void hw_close(hprof_writer *w);

void hw_string(hprof_writer *w, uint64_t id, const char *text);
void hw_load_class(hprof_writer *w, uint32_t serial, uint64_t class_id, uint64_t name);
void hw_frame(hprof_writer *w, uint64_t id, uint64_t method, uint64_t file, uint32_t class_serial, int32_t line);
void hw_trace(hprof_writer *w, uint32_t serial, uint32_t thread_serial, unsigned count, const uint64_t *frames);
void hw_start_thread(hprof_writer *w, uint32_t serial, uint64_t object, uint32_t trace, uint64_t name);
void hw_end_mark(hprof_writer *w); /* HEAP_DUMP_END */

/* Sub-records, inside a record 0x0C or 0x1C. */
void hw_root(hprof_writer *w, unsigned tag, uint64_t id);
void hw_root_in_thread(hprof_writer *w, unsigned tag, uint64_t id, uint32_t thread, uint32_t frame);
void hw_heap_info(hprof_writer *w, uint32_t heap, uint64_t name);

typedef struct hw_field {
    uint64_t name;
    unsigned type;
    uint64_t value; /* of a static field */
} hw_field;

typedef struct hw_class {
    uint64_t id, super, loader, signers, domain;
    uint32_t size;
    const hw_field *statics, *fields; /* end with name 0 */
} hw_class;

void hw_class_dump(hprof_writer *w, const hw_class *class);

/* An instance; between the two the values of its fields are written. */
void hw_instance(hprof_writer *w, uint64_t id, uint32_t stack, uint64_t class_id);
void hw_instance_end(hprof_writer *w);

void hw_object_array(hprof_writer *w, uint64_t id, uint32_t stack, uint64_t class_id, uint32_t count,
                     const uint64_t *elements);
/* `data` as the file has it: big-endian elements of `type`. */
void hw_prim_array(hprof_writer *w, uint64_t id, uint32_t stack, unsigned type, uint32_t count, const void *data);

/* Bytes of a value of a type in the file. */
unsigned hw_width(const hprof_writer *w, unsigned type);

#endif
