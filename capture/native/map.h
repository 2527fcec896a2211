/*
 * The map: small blocks by their address, without search and without lock.
 *
 *      address ─► root of its 64 MiB ─► window of its 32 bytes {node, which half} ─► node of 12 bytes {sequence, stack, size}
 *
 * A window of 32 bytes is the beginning of one block at most: of glibc's, since its chunks are 32 bytes and more; of
 * any other allocator's, if the block is larger than 16 bytes and begins at a multiple of 16. Between malloc and free
 * both window and node belong to who has the block, so a change is a plain store: what it says is written to the node
 * before the window leads to it. Windows are 1/8 of the heap, page by page as blocks begin in them; large blocks, which
 * would touch a page of windows each, are not for the map, and neither are those that it has no room for
 * (hsn_map_takes): table.h keeps them elsewhere.
 *
 * Nodes come from a pool. Each thread has a magazine of some, so that the pool's lock is taken once for many; a node
 * that was freed last is taken next, and is still in the cache.
 *
 * Where small blocks are few between large ones, windows would cost more than they are worth: beyond 16 MiB and 48
 * bytes a block the map takes no further 64 MiB of the heap.
 *
 * A fork of the program must not see a change half made. Who forks raises hsn_map_heed, makes that known to all
 * processors (membarrier), and waits until nobody is inside; who is about to change something says that he is inside,
 * and then looks whether there is something to heed. So neither lock nor fence is in the way of the others.
 */
#ifndef HSN_MAP_H
#define HSN_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/block.h"

enum {
    HSN_MAP_ADDRESS_LOG = 47,
    HSN_MAP_CHUNK_LOG = 26, /* what a root stands for: thread arenas of glibc are aligned by as much */
    HSN_MAP_WINDOW_LOG = 5,
    HSN_MAP_HALF_LOG = 4,
    HSN_MAP_SIZE_LOG = 10,
    HSN_MAP_LARGE = 1 << HSN_MAP_SIZE_LOG, /* bytes from which on a block is not for the map */
    HSN_MAGAZINE = 63                      /* nodes */
};

typedef struct __attribute__((packed, aligned(4))) hsn_map_node {
    uint64_t sequence;
    uint32_t stack_and_size; /* upper and lower bits; in the pool: the next node, 0 = last */
} hsn_map_node;
_Static_assert(sizeof(hsn_map_node) == 12,
               "of ten million blocks 4 bytes more are 40 MiB, which a fork takes 1 ms longer for");

/*
 * Nodes are named by twice their number, so that a window says with one bit more in which of its halves the block
 * begins: 0 = none. Of one thread at a time, but for the numbers of allocations, which are its own and not the next
 * one's.
 */
typedef struct hsn_magazine {
    _Alignas(64) _Atomic uint32_t inside; /* 1: its thread is changing the map */
    uint32_t count;
    _Atomic uintptr_t *roots;         /* of the map */
    hsn_map_node *all_nodes;          /* of the pool's, too */
    size_t least, sizes;              /* blocks of `least` bytes and less than as many sizes more are taken */
    uint64_t sequence, sequence_end;  /* numbers drawn and not yet given out */
    struct hsn_trails *trails;        /* the last stacks of its thread; NULL: stacks are not taken */
    uint32_t nodes[HSN_MAGAZINE + 1]; /* from 1 on; nodes[0] is 0 */
} hsn_magazine;

/* Why the quick way is closed; 0 = it is open. */
enum { HSN_HEED_FORK = 1, HSN_HEED_DOUBT = 2, HSN_HEED_END = 4 };
extern _Atomic uint32_t hsn_map_heed;

/*
 * Takes the address space: 6 GiB for the windows of 48 GiB of heap and 2 GiB for 2^27 nodes, less where that is
 * refused. False when there is none: then the map takes no block. Once.
 */
bool hsn_map_open(void);

/* How much address space that took. */
size_t hsn_map_reserved(void);

/* The allocator behind is glibc's, whose chunks have 32 bytes and more: blocks of any size below HSN_MAP_LARGE are
 * taken. By the first thread. */
void hsn_map_trust_chunks(void);

/* ---- the quick way: inside of a magazine ---- */

/* Magazine `number`, from 1 on, for a thread that begins; NULL = there is none, or no way to fork in order: then the
 * slow way is the only one. */
hsn_magazine *hsn_map_magazine(uint32_t number);
/* A number that no thread has. 0: all are in use. */
uint32_t hsn_map_new_magazine(void);
/* Nodes from the pool for an empty magazine, or half of a full one back. Any thread of its own, outside of its
 * magazine, inside hsn_enter. */
void hsn_map_tend(hsn_magazine *m);

static inline bool hsn_map_begin(hsn_magazine *m);
static inline void hsn_map_end(hsn_magazine *m);
/* Between them. False: nothing was done, the slow way has to. */
static inline bool hsn_map_put(hsn_magazine *m, const hsn_block *block);
static inline bool hsn_map_take(hsn_magazine *m, uintptr_t address);

/* ---- the slow way: any thread that holds the table's lock of this address ---- */

/* Is a block of this address and size one for the map? */
bool hsn_map_takes(uintptr_t address, size_t size);
typedef enum hsn_map_added { HSN_MAP_FULL, HSN_MAP_NEW, HSN_MAP_REPLACED } hsn_map_added;
hsn_map_added hsn_map_add(const hsn_block *block);
bool hsn_map_remove(uintptr_t address, hsn_block *out);

/* ---- forks, as for the table ---- */

/* `mine`: the caller's own magazine, or NULL; a handler of the program's may fork while its thread is inside. */
void hsn_map_hold(const hsn_magazine *mine);
void hsn_map_let_go(void);
/* In the child: nobody is inside. How many threads were. */
unsigned hsn_map_adopt(void);
/* In the child of a fork of the program: all magazines but this one are nobody's, and this one has number 1. NULL, or
 * where it is now. */
hsn_magazine *hsn_map_adopt_magazine(hsn_magazine *mine);

/* ---- nobody writes ---- */

/* All blocks, by address within 64 MiB. A cursor starts as 0; false at the end. */
bool hsn_map_next(uint64_t *cursor, hsn_block *out);
/* As hsn_map_next, without a look at the node: a block has its address, and the largest size that it may have. */
bool hsn_map_next_roughly(uint64_t *cursor, hsn_block *out);
bool hsn_map_find(uintptr_t address, hsn_block *out);
/* Gives back the address space that no node and no window has taken. */
void hsn_map_drop_unused(void);
/* Its node will be asked for. */
void hsn_map_prefetch(uintptr_t address);
uint64_t hsn_map_count(void);
/* At least as many; known without looking. */
uint64_t hsn_map_most(void);
/* Was nothing ever in it? Any thread. */
bool hsn_map_is_unused(void);

/* ---- within ---- */

/* At a multiple of 16, and where programs have memory. */
static inline bool hsn_map_is_possible(uintptr_t address)
{
    return (address & (~(uintptr_t)0 << HSN_MAP_ADDRESS_LOG | (((uintptr_t)1 << HSN_MAP_HALF_LOG) - 1))) == 0;
}

/* A root says where window 0 of the address space would be, so that all windows are found by their number; 0 = there
 * are none yet. */
static inline uintptr_t hsn_map_root(_Atomic uintptr_t *roots, uintptr_t address)
{
    return atomic_load_explicit(&roots[address >> HSN_MAP_CHUNK_LOG], memory_order_relaxed);
}

static inline _Atomic uint32_t *hsn_map_window(uintptr_t root, uintptr_t address)
{
    return (_Atomic uint32_t *)(root + (address >> HSN_MAP_WINDOW_LOG) * sizeof(uint32_t));
}

static inline void hsn_map_write(hsn_map_node *node, const hsn_block *block)
{
    node->sequence = block->sequence;
    node->stack_and_size = block->stack << HSN_MAP_SIZE_LOG | (uint32_t)block->size;
}

static inline uint32_t hsn_map_half(uintptr_t address) { return address >> HSN_MAP_HALF_LOG & 1; }

static inline hsn_map_node *hsn_map_node_at(hsn_map_node *nodes, uint32_t name)
{
    return (hsn_map_node *)(void *)((unsigned char *)nodes + (size_t)name * (sizeof *nodes / 2));
}

/* Is the block that begins in this window the one at `address`? */
static inline bool hsn_map_is_it(uint32_t entry, uintptr_t address)
{
    return entry != 0 && (entry & 1) == hsn_map_half(address);
}

static inline bool hsn_map_is_inside(const hsn_magazine *m)
{
    return atomic_load_explicit(&m->inside, memory_order_acquire) != 0;
}

static inline bool hsn_map_begin(hsn_magazine *m)
{
    if (__builtin_expect(hsn_map_is_inside(m), 0)) return false; /* a handler of the program's */
    atomic_store_explicit(&m->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&hsn_map_heed, memory_order_relaxed) == 0, 1)) return true;
    atomic_store_explicit(&m->inside, 0, memory_order_relaxed);
    return false;
}

static inline void hsn_map_end(hsn_magazine *m)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&m->inside, 0, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
}

static inline bool hsn_map_put(hsn_magazine *m, const hsn_block *block)
{
    const uintptr_t at = block->address;
    if (__builtin_expect(!hsn_map_is_possible(at) || block->size - m->least >= m->sizes, 0)) return false;
    const uintptr_t root = hsn_map_root(m->roots, at);
    const uint32_t node = m->nodes[m->count];
    if (__builtin_expect(root == 0 || node == 0, 0)) return false;
    _Atomic uint32_t *window = hsn_map_window(root, at);
    if (__builtin_expect(atomic_load_explicit(window, memory_order_relaxed) != 0, 0)) return false;
    m->count--;
    hsn_map_write(hsn_map_node_at(m->all_nodes, node), block);
    atomic_store_explicit(window, node | hsn_map_half(at), memory_order_release);
    return true;
}

static inline bool hsn_map_take(hsn_magazine *m, uintptr_t address)
{
    if (__builtin_expect(!hsn_map_is_possible(address), 0)) return false;
    const uintptr_t root = hsn_map_root(m->roots, address);
    if (__builtin_expect(root == 0, 0)) return false;
    _Atomic uint32_t *window = hsn_map_window(root, address);
    const uint32_t entry = atomic_load_explicit(window, memory_order_relaxed);
    if (__builtin_expect(!hsn_map_is_it(entry, address) || m->count >= HSN_MAGAZINE, 0)) return false;
    atomic_store_explicit(window, 0, memory_order_relaxed);
    m->nodes[++m->count] = entry & ~UINT32_C(1);
    return true;
}

#endif
