/*
 * The agent's own memory: address space taken once, never given back, pages when they are touched. All of it is on one
 * list, since a conservative scan must leave it out: it holds the address of every block and roots none.
 */
#ifndef HSN_RESERVE_H
#define HSN_RESERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/world.h"

/*
 * Zeroed private memory of *size bytes, or half of that, and so on down to `least`, where the address space is limited
 * (RLIMIT_AS, no overcommit). *size is what was taken. NULL when there is not even that. Not behind malloc.
 */
void *hsn_reserve(size_t *size, size_t least);

/*
 * Of `wanted` bytes what may be asked for where the address space is limited (RLIMIT_AS): one of so many parts of it,
 * since the program needs the rest. Where it is not limited all of them.
 */
size_t hsn_reserve_part(size_t wanted, size_t parts);

/*
 * As hsn_reserve, without any access: who uses a part of it makes that readable and writable (mprotect), and only then
 * it counts as taken where overcommitting is forbidden. Takes no more than a quarter of what could be had.
 */
void *hsn_reserve_bare(size_t *size, size_t least);

/* Puts a range on the list that somebody else has mapped: the agent's own variables, its thread's stack. */
void hsn_reserve_note(uintptr_t low, uintptr_t high);

/* The list; borrowed for ever. */
const hsn_range *hsn_reserved(size_t *count);

#endif
