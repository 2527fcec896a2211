/*
 * An interpreter of CPython 3.11 as far as a core needs one, and a core of it, made word by word: a file with exported
 * symbols and the code of two functions, and memory with types, an interpreter and a few objects. For tests and as
 * seeds of the fuzz target; small, and known in every bit.
 *
 *      module app ─► its dict ─► items: list ─► BOX, BOX, "text"        BOX: of a type of C, whose tp_traverse tells box ─► next
 *      module sys ─► its dict ─► version: "3.11.2 (made)"               and whose __sizeof__ answers 1,000
 *      tuple ─► BOX; in the collector's list are the tuple, the list and the boxes
 */
#ifndef HSD_TESTS_PYCORE_WRITER_H
#define HSD_TESTS_PYCORE_WRITER_H

#include <stddef.h>
#include <stdint.h>

typedef struct pycore_bytes {
    uint8_t *data;
    size_t size;
} pycore_bytes;

#define PYCORE_PROGRAM UINT64_C(0x400000) /* where the file is mapped */
#define PYCORE_DATA    UINT64_C(0x600000)
#define PYCORE_CODE    UINT64_C(0x1000) /* in the file: tp_traverse, and 64 bytes behind it __sizeof__ */

typedef struct pycore_places { /* of the core: for tests that spoil them */
    uint64_t runtime, interpreter, modules, list, items, tuple, box[2], box_type, gc, version;
} pycore_places;

void pycore_make_program(pycore_bytes *out);
void pycore_make_core(pycore_bytes *out, pycore_places *places);

/* The word of the core's memory at this address. */
void pycore_set_word(pycore_bytes *core, uint64_t address, uint64_t value);
void pycore_release(pycore_bytes *bytes);

#endif
