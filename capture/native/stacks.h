/*
 * Allocation stacks, each kept once: id ──► return addresses, innermost first. Append-only: an id and its frames never change, so
 * the child of a snapshot reads them as they are.
 */
#ifndef HSN_STACKS_H
#define HSN_STACKS_H

#include <stddef.h>
#include <stdint.h>

enum { HSN_STACK_FRAMES = 64 };

/* The id of these frames; 0 when there are none or the table is full (counted: hsn_stacks_lost). */
uint32_t hsn_stacks_intern(const uintptr_t *frames, size_t count);

/* Frames of an id, borrowed for ever; *count 0 for an id that is none. */
const uintptr_t *hsn_stacks_frames(uint32_t stack, size_t *count);

/* Ids go from 1 to this one. */
uint32_t hsn_stacks_last(void);
uint64_t hsn_stacks_lost(void);

#endif
