/*
 * Heap dumps of Go, record by record, and one of a known program, for tests and as seeds of the fuzz target.
 */
#ifndef HSD_TESTS_GOHEAP_WRITER_H
#define HSD_TESTS_GOHEAP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct goheap_dump {
    uint8_t *data; /* owned */
    size_t size, room;
} goheap_dump;

void goheap_begin(goheap_dump *dump, bool is_big_endian, unsigned pointer_bytes);
void goheap_number(goheap_dump *dump, uint64_t number);
void goheap_text(goheap_dump *dump, const void *bytes, size_t size);

/* Words of the program's memory, pointers where `is_pointer` says so ("p" or "."); as an object, data or bss record. */
void goheap_memory(goheap_dump *dump, unsigned tag, uint64_t address, const uint64_t *words, const char *is_pointer,
                   bool is_big_endian, unsigned pointer_bytes);
void goheap_end(goheap_dump *dump);

/*
 * A program: bss+0x8 -> list (0xc000010000, 4 words) -> three nodes of 16 bytes (0xc000012000 …), the last held inside
 * by a frame of main.work of goroutine 7; a large object of 5 MiB at 0xc000400000 held by data+0x0 near its end; one
 * sampled node; one node that nothing holds; a finalizer.
 */
void goheap_program(goheap_dump *dump, bool is_big_endian, unsigned pointer_bytes, bool with_large);
void goheap_release(goheap_dump *dump);

#endif
