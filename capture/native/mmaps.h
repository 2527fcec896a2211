/*
 * Who mapped what: private memory without a file that the program asked the kernel for by mmap or mremap, and by which
 * calls. What is unmapped needs no word: a capture asks of memory that is there. Pieces of one stack that touch are
 * one, as the kernel makes them one.
 */
#ifndef HSN_MMAPS_H
#define HSN_MMAPS_H

#include <stddef.h>
#include <stdint.h>

enum { HSN_MMAPS = 4096 };

typedef struct hsn_mapped_by {
    uintptr_t low, high; /* [low, high) */
    uint32_t stack;
} hsn_mapped_by;

/* Takes the place of what was known there. Past HSN_MMAPS the smallest piece gives way. Any thread, inside hsn_enter.
 */
void hsn_mmaps_note(uintptr_t low, uintptr_t high, uint32_t stack);

/* Around a fork of the program: nobody is in the middle of a change. */
void hsn_mmaps_hold(void);
void hsn_mmaps_let_go(void);

/* While nothing else runs: all of them, ascending; none lies over another. */
const hsn_mapped_by *hsn_mmaps(size_t *count);

#endif
