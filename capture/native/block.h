/* What the agent knows of a block that malloc and its family have given out and not taken back. */
#ifndef HSN_BLOCK_H
#define HSN_BLOCK_H

#include <stdint.h>

typedef struct hsn_block {
    uintptr_t address;
    uint64_t size;     /* as asked for; sampled mode: still that of this one block */
    uint64_t sequence; /* number of the allocation in this process, from 1: the identity. A block that realloc grows,
                        * shrinks or moves is the same to its program, and keeps it */
    uint32_t stack;    /* id of its stack (stacks.h), 0 = none; realloc keeps that too */
} hsn_block;

#endif
