/*
 * Files of Mono's log profiler, event by event, in any data version; and one of a known program, for tests and as seeds
 * of the fuzz target.
 */
#ifndef HSD_TESTS_MLPD_WRITER_H
#define HSD_TESTS_MLPD_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mlpd_file {
    uint8_t *data; /* owned */
    size_t size, room;
    unsigned major, version, pointer_bytes;
    size_t buffer; /* offset of the header of the open buffer; 0 = none is open */
    uint64_t pointer_base, object_base, method_base;
} mlpd_file;

typedef struct mlpd_edge {
    uint64_t offset, target;
} mlpd_edge;

void mlpd_begin(mlpd_file *file, unsigned major, unsigned version, unsigned pointer_bytes, const char *arguments);
/* Ends the buffer before. */
void mlpd_buffer(mlpd_file *file, uint64_t thread, uint64_t time_ns);
void mlpd_end(mlpd_file *file);
void mlpd_release(mlpd_file *file);

/* Parts of events. */
void mlpd_event(mlpd_file *file, unsigned type, unsigned extra, uint64_t time_diff);
void mlpd_byte(mlpd_file *file, unsigned byte);
void mlpd_unsigned(mlpd_file *file, uint64_t number);
void mlpd_signed(mlpd_file *file, int64_t number);
void mlpd_pointer(mlpd_file *file, uint64_t pointer);
void mlpd_address(mlpd_file *file, uint64_t object);
void mlpd_text(mlpd_file *file, const char *text);

/* Whole events. */
void mlpd_class_load(mlpd_file *file, uint64_t pointer, const char *name);
/* nothing before version 15 */
void mlpd_vtable_load(mlpd_file *file, uint64_t pointer, uint64_t class_pointer);
void mlpd_thread_name(mlpd_file *file, uint64_t thread, const char *name); /* NULL: it begins */
void mlpd_root_register(mlpd_file *file, uint64_t start, uint64_t size, unsigned source, uint64_t key,
                        const char *name);
void mlpd_root_unregister(mlpd_file *file, uint64_t start);
void mlpd_roots(mlpd_file *file, const uint64_t (*pairs)[2], size_t count); /* place, object */
void mlpd_heap_start(mlpd_file *file);
void mlpd_heap_end(mlpd_file *file);
/* Size 0: more references of the same. */
void mlpd_object(mlpd_file *file, uint64_t address, uint64_t vtable, uint64_t size, unsigned generation,
                 const mlpd_edge *edges, size_t count);
void mlpd_moves(mlpd_file *file, const uint64_t (*pairs)[2], size_t count);
void mlpd_gc(mlpd_file *file, unsigned event, unsigned generation);
/* One event of every kind that importers pass over. */
void mlpd_noise(mlpd_file *file);

/*
 * A shop in two heap shots. static Shop.Cache+0x8 -> Session[] (0x7f0000010000) -> `first` Sessions, each of which
 * refers to a String at +0x10. Between the shots the first session moves, and its place is taken by another; then there
 * are `second` of them and that one. The stack of thread "main" holds the first Session; the finalizer queue, and a
 * root of no range, a String. Classes, vtables and ranges are told in a buffer of another thread, behind the first
 * shot. References of the array come in events of 128.
 */
void mlpd_shop(mlpd_file *file, unsigned version, unsigned first, unsigned second);
#define MLPD_SHOP_ARRAY UINT64_C(0x7f0000010000)
#define MLPD_SHOP_FIRST UINT64_C(0x7f0000100000) /* session i, 0x100 apart; its string 0x80 behind it */
#define MLPD_SHOP_MOVED UINT64_C(0x7f0000080000) /* where the first session is in the second shot */

#endif
