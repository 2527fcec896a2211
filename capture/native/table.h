/*
 * The live table: every block that malloc and its family have given out and not taken back. Written by the hooks of all
 * threads, read by the child of a fork, in which it stands still. Two structures, of which a block is in one:
 *
 *      the map (map.h)   small blocks, of the mode that records all
 *      a hash            the others: large blocks, what has no room in the map, and all of the sampled mode.
 *                        2^22 bucket heads ──► nodes of 32 bytes {next, stack, address, size, sequence}, chained by index
 *
 * Private anonymous memory (MAP_NORESERVE), so that a fork copies it with the heap: a shared table would run on under
 * the reader. Locks: one spinlock for each of 256 shards of the buckets, taken on the slow way of the map as well.
 * Neighbours in the heap have neighbouring buckets. The layout has a number, HSN_TABLE_VERSION, which a capture carries
 * in its producer text; nothing outside this process reads the table itself.
 */
#ifndef HSN_TABLE_H
#define HSN_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/block.h"
#include "native/map.h"

enum { HSN_TABLE_VERSION = 2, HSN_TABLE_BUCKETS = 1 << 22, HSN_TABLE_MARKS = 1 << 16 };

/*
 * Takes the address space: 2 GiB for 2^26 blocks, less where that is refused, and the map's unless few blocks are to be
 * recorded (sampled mode). False when there is none at all. Once.
 */
bool hsn_table_open(bool is_sampled);

/* ---- hooks: any thread, inside hsn_enter ---- */

/* An entry of this address that is still there has been freed where nobody saw it, and is replaced. */
void hsn_table_add(const hsn_block *block);
/* False if there is none. */
bool hsn_table_remove(uintptr_t address, hsn_block *out);
/* False if the hash certainly has none: one look without a lock. For the sampled mode, in which the hash is all, and
 * nearly empty. */
static inline bool hsn_table_may_have(uintptr_t address);

/* hsn_table_may_have says from now on that there may be one at this address. */
void hsn_table_suspect(uintptr_t address);

/* A block has been freed where nobody saw it: from now on the one that gets its address is looked for in both
 * structures. */
void hsn_table_doubt(void);
/* Nobody records any more: the quick way of the map is closed for good. */
void hsn_table_end(void);

/* Blocks that found no room. */
uint64_t hsn_table_lost(void);

/* ---- around a fork of the program ---- */

/* Takes all locks, so that the copy is whole. The thread may use the table meanwhile. `mine`: its magazine, or NULL. */
void hsn_table_hold(const hsn_magazine *mine);
void hsn_table_let_go(void);
/* In the child of any fork: all locks are free again. How many a thread held that was changing something: it did not
 * stop in time. */
unsigned hsn_table_adopt(void);

/* ---- the child of a snapshot: nobody writes; no locks ---- */

/* All blocks, in no order. A cursor starts as 0; false at the end. */
bool hsn_table_next(uint64_t *cursor, hsn_block *out);
/* As hsn_table_next, and cheaper: of a small block there is the address, and the largest size that it may have. */
bool hsn_table_next_roughly(uint64_t *cursor, hsn_block *out);
/* The block that begins at this address. */
bool hsn_table_find(uintptr_t address, hsn_block *out);
/* Gives back address space that no block has taken, where the address space is limited: for who writes the capture. */
void hsn_table_drop_unused(void);
/* A hint: this block will be asked for. */
void hsn_table_prefetch(uintptr_t address);
uint64_t hsn_table_count(void);
/* At least as many; known without looking. */
uint64_t hsn_table_most(void);
/* Was nothing ever recorded? Any thread. */
bool hsn_table_is_unused(void);

/* ---- within ---- */

/* How many blocks are in buckets of this mark, 255 = that many or more; so few bytes that caches hold them. Under the
 * lock of their shard. */
extern _Atomic uint8_t hsn_table_marks[HSN_TABLE_MARKS];

static inline uint32_t hsn_table_mark(uintptr_t address) { return (uint32_t)(address >> 4) & (HSN_TABLE_MARKS - 1); }

static inline bool hsn_table_may_have(uintptr_t address)
{
    return atomic_load_explicit(&hsn_table_marks[hsn_table_mark(address)], memory_order_relaxed) != 0;
}

#endif
