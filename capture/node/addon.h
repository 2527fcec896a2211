/*
 * The parts of the addon that lets the helper of Node take a heap in a copy of the process. See addon.c.
 */
#ifndef HSC_NODE_ADDON_H
#define HSC_NODE_ADDON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- hidden.c: memory that V8 keeps from children ---- */

typedef struct hidden_range {
    uintptr_t begin, end;
} hidden_range;

typedef struct hidden_memory {
    hidden_range *ranges; /* owned */
    size_t count;
} hidden_memory;

/* Finds it. 0, or an errno; then there is nothing to release. */
int hidden_find(hidden_memory *memory);
/* Lets the next child have it, or keeps it from children again, as it was. */
void hidden_show(const hidden_memory *memory);
void hidden_hide(const hidden_memory *memory);
void hidden_release(hidden_memory *memory);

/* ---- number.c: identity ---- */

/* Has V8 number the objects of this process, as they are now, for good. False where this node has not the functions for
 * it. */
bool number_objects(void);

/* ---- child.c: what the copy does first ---- */

/* A child whose end sends no signal and which no wait(-1) of the program's finds. 0 in the child, -1 with errno. */
pid_t child_make(void);
/* In the child, which has one thread: nothing that it does from now on reaches the program; of its descriptors it keeps
 * `fd` alone. */
void child_part(int fd, pid_t parent);

#endif
