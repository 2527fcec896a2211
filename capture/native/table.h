/*
 * The live table: every block that malloc and its family have given out and not taken back. Written by the hooks of all threads, read
 * by the child of a fork, in which it stands still.
 *
 *      bucket heads, 2^20 or more ──► nodes of 32 bytes {next, stack, address, size, sequence}, chained by index
 *
 * Private anonymous memory (MAP_NORESERVE), so that a fork copies it with the heap: a shared table would run on under the
 * reader. Locks: one spinlock for each of 256 shards of the buckets. The layout has a number, HSN_TABLE_VERSION, which a capture
 * carries in its producer text; nothing outside this process reads the table itself.
 */
#ifndef HSN_TABLE_H
#define HSN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HSN_TABLE_VERSION = 1 };

typedef struct hsn_block {
    uintptr_t address;
    uint64_t size;     /* as asked for; sampled mode: still that of this one block */
    uint64_t sequence; /* number of the allocation in this process, from 1: the identity; realloc in place keeps it */
    uint32_t stack;    /* id of its stack (stacks.h), 0 = none */
} hsn_block;

/* ---- hooks: any thread ---- */
void hsn_table_add(const hsn_block *block);
bool hsn_table_remove(uintptr_t address, hsn_block *out);

/* ---- the child of a snapshot: nobody writes; no locks ---- */

/* All blocks, in no order. A cursor starts as 0; false at the end. */
bool hsn_table_next(uint64_t *cursor, hsn_block *out);
/* The block that begins at this address. */
bool hsn_table_find(uintptr_t address, hsn_block *out);
uint64_t hsn_table_count(void);

#endif
