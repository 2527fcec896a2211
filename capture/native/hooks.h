/*
 * The allocator behind the hooks, and whether they record.
 */
#ifndef HSN_HOOKS_H
#define HSN_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "native/local.h"
#include "native/settings.h"
#include "native/table.h"

/* The next malloc family behind ours: libc's, or of what the program links; and the next mmap and mremap. */
typedef struct hsn_allocator {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    size_t (*usable)(void *); /* malloc_usable_size; NULL where the allocator has none of its own */
} hsn_allocator;

extern hsn_allocator hsn_real;

/* Do the hooks record? From the first allocation behind the start of libc, unless there was no memory for the table. */
bool hsn_is_on(void);
/* Opens table, stacks and the rest and lets the hooks record. Whoever comes first; false if that is not possible (yet).
 */
bool hsn_begin(void);
/* From now on nothing is added; what is freed is still taken out. */
void hsn_end(void);

/* Frees of blocks that were never seen; of the mode that records all. */
unsigned long hsn_foreign(void);

/* ---- what the hooks share ---- */

/* Below HSN_ON there is no table. */
enum { HSN_FRESH, HSN_OPENING, HSN_FAILED, HSN_ON, HSN_OFF };
extern _Atomic int hsn_state;

/* Memory for who asks before the allocator behind is known; never given back. */
enum { HSN_EARLY_BYTES = 64 * 1024 };
extern unsigned char hsn_early[HSN_EARLY_BYTES];
static inline bool hsn_is_early(const void *block) { return (uintptr_t)block - (uintptr_t)hsn_early < HSN_EARLY_BYTES; }

/* True when the allocator behind is there; false inside the search for it. */
bool hsn_find_real(void);
static inline bool hsn_is_ready(void) { return __builtin_expect(hsn_real.free != NULL, 1) || hsn_find_real(); }

/*
 * What lay in a block before is no pointer of whoever has it now: a small one is given out cleared, from its byte
 * `from` on. A program that does not fill it (an empty std::optional, the rest of a buffer) would seem to refer to
 * what has the old addresses since. Larger ones are left: they cost more, and would have pages that nobody touches.
 */
static inline void hsn_clear(void *block, size_t from, size_t size)
{
    if (block != NULL && from < size && size <= hsn_set.clear_bytes) memset((char *)block + from, 0, size - from);
}

/*
 * A block that has just been given out, NULL too, is recorded, and returned. `sp`: of the caller of the hook, just
 * above the return address; `bp`: its frame pointer. Not for a block whose sample has passed already (sample.h).
 */
void *hsn_note(void *block, size_t size, uintptr_t sp, uintptr_t bp);
/* The same, by locks. */
void *hsn_note_slowly(void *block, size_t size, uintptr_t sp, uintptr_t bp);
/* New numbers for a thread whose magazine has none left. */
void hsn_renew(uintptr_t sp);
/* The block, NULL too, is given back by another way than free (operators.c): out of the table. */
void hsn_forget(const void *block);
/* free of a block that may be anywhere or nowhere. */
void hsn_free_slowly(void *block);

#endif
