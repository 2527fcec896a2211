/*
 * The live table: every block that malloc and its family have given out and not taken back. Written by the hooks of all threads, read
 * by the child of a fork, in which it stands still.
 *
 *      2^22 bucket heads ──► nodes of 32 bytes {next, stack, address, size, sequence}, chained by index
 *
 * Private anonymous memory (MAP_NORESERVE), so that a fork copies it with the heap: a shared table would run on under the
 * reader. Locks: one spinlock for each of 256 shards of the buckets. Neighbours in the heap have neighbouring buckets, so that a small
 * heap touches few pages of the heads: 1/64 of what it spans; windows of 64 MiB, by which thread arenas are aligned, start at buckets
 * of their own. The layout has a number, HSN_TABLE_VERSION, which a capture carries in its producer text; nothing outside this
 * process reads the table itself.
 */
#ifndef HSN_TABLE_H
#define HSN_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HSN_TABLE_VERSION = 1, HSN_TABLE_BUCKETS = 1 << 22 };

typedef struct hsn_block {
    uintptr_t address;
    uint64_t size;     /* as asked for; sampled mode: still that of this one block */
    uint64_t sequence; /* number of the allocation in this process, from 1: the identity. A block that realloc grows,
                        * shrinks or moves is the same to its program, and keeps it */
    uint32_t stack;    /* id of its stack (stacks.h), 0 = none; realloc keeps that too */
} hsn_block;

/* Takes the address space: 8 GiB for 2^28 blocks, less where that is refused. False when there is none at all. Once. */
bool hsn_table_open(void);

/*
 * Called now and then by a thread that waits for a lock of the table or the stacks, and holds none: whoever holds it may be in the middle of
 * a fork, and stand still. NULL = nothing.
 */
extern void (*hsn_when_waiting)(void);

/* ---- hooks: any thread, inside hsn_enter ---- */

/* An entry of this address that is still there has been freed where nobody saw it, and is replaced. */
void hsn_table_add(const hsn_block *block);
/* False if there is none. */
bool hsn_table_remove(uintptr_t address, hsn_block *out);
/* False if there is certainly none: one look without a lock. For tables that are nearly empty, as that of the sampled mode. */
static inline bool hsn_table_may_have(uintptr_t address);

/* Blocks that found no room. */
uint64_t hsn_table_lost(void);

/* ---- around a fork of the program ---- */

/* Takes all locks, so that the copy is whole. The thread may use the table meanwhile. */
void hsn_table_hold(void);
void hsn_table_let_go(void);
/* In the child of any fork: all locks are free again. How many a thread held that was changing something: it did not stop in time. */
unsigned hsn_table_adopt(void);

/* ---- the child of a snapshot: nobody writes; no locks ---- */

/* All blocks, in no order. A cursor starts as 0; false at the end. */
bool hsn_table_next(uint64_t *cursor, hsn_block *out);
/* The block that begins at this address. */
bool hsn_table_find(uintptr_t address, hsn_block *out);
uint64_t hsn_table_count(void);

/* ---- within ---- */

extern _Atomic uint32_t *hsn_table_heads;

static inline uint32_t hsn_table_bucket(uintptr_t address)
{
    return (uint32_t)((address >> 4) + (address >> 26) * UINT32_C(0x9E3779B1)) & (HSN_TABLE_BUCKETS - 1);
}

static inline bool hsn_table_may_have(uintptr_t address)
{
    return atomic_load_explicit(&hsn_table_heads[hsn_table_bucket(address)], memory_order_relaxed) != 0;
}

#endif
