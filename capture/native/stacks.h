/*
 * Allocation stacks, each kept once: id ──► return addresses, innermost first. Append-only: an id and its frames never
 * change, so the child of a snapshot reads them as they are.
 */
#ifndef HSN_STACKS_H
#define HSN_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HSN_STACK_FRAMES = 64, HSN_STACK_LOG = 22 }; /* an id has so many bits */

/* Takes the address space: 4 M stacks, 128 M frames, less where that is refused. False when there is none at all. Once.
 */
bool hsn_stacks_open(void);

/* The id of these frames; 0 when there are none or the table is full (counted: hsn_stacks_lost). Any thread, inside
 * hsn_enter; locks for a stack that is new. */
uint32_t hsn_stacks_intern(const uintptr_t *frames, size_t count);

/* Frames of an id, borrowed for ever; *count 0 for an id that is none. */
const uintptr_t *hsn_stacks_frames(uint32_t stack, size_t *count);

/* Ids go from 1 to this one. */
uint32_t hsn_stacks_last(void);
uint64_t hsn_stacks_lost(void);

/* Around a fork of the program, as for the table. */
void hsn_stacks_hold(void);
void hsn_stacks_let_go(void);
void hsn_stacks_adopt(void);

#endif
