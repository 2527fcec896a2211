/*
 * Who mapped what: private memory without a file that the program asked the kernel for by mmap, in large pieces, and by
 * which calls. What is unmapped needs no word: a capture asks of memory that is there. Pieces of one stack that touch
 * are one, as the kernel makes them one.
 */
#ifndef HSN_MMAPS_H
#define HSN_MMAPS_H

#include <stddef.h>
#include <stdint.h>

enum { HSN_MMAPS = 4096, HSN_MMAP_LEAST_BYTES = 64 << 10 };

typedef struct hsn_mapped_by {
    uintptr_t low, high; /* [low, high) */
    uint32_t stack;
} hsn_mapped_by;

/* Takes the place of what was known there. Past HSN_MMAPS an old one gives way. Any thread, inside hsn_enter. */
void hsn_mmaps_note(uintptr_t low, uintptr_t high, uint32_t stack);

/* In the child of a fork of the program. */
void hsn_mmaps_adopt(void);

/* While nothing else runs: all of them, ascending; none lies over another. */
const hsn_mapped_by *hsn_mmaps(size_t *count);

#endif
