/*
 * What gocore_dwarf.c and gocore_writer.c share: bytes one behind the other, and the places of the program.
 */
#ifndef HSD_TESTS_GOCORE_PARTS_H
#define HSD_TESTS_GOCORE_PARTS_H

#include "support/gocore_writer.h"

enum { PROGRAM_BYTES = 0x1000, DATA_BYTES = 0x4000, HEAP_BYTES = 0x6000, SESSION_BYTES = 64, NOTE_BYTES = 32 };
#define PROGRAM            UINT64_C(0x400000)
#define DATA               UINT64_C(0x600000)
#define TYPES              UINT64_C(0x400800)
#define SESSION            (TYPES + 0x40)
#define TEXT_OF_TYPES      (TYPES + 0x80) /* the description of string */
#define POINTER_TO_SESSION GOCORE_POINTER_TO_SESSION
#define STACK              UINT64_C(0x601000)
#define ARENA              UINT64_C(0x603000)

void gocore_add(gocore_bytes *out, const void *data, size_t size);
void gocore_add_number(gocore_bytes *out, uint64_t value, unsigned bytes);
void gocore_add_text(gocore_bytes *out, const char *text);
void gocore_add_zeros(gocore_bytes *out, size_t until);

/* The sections of DWARF of the program. */
void gocore_add_abbreviations(gocore_bytes *out);
void gocore_add_info(gocore_bytes *out, int form);
void gocore_add_locations(gocore_bytes *out);

#endif
