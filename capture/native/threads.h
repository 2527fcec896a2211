/*
 * The list of threads: where the stack and the static TLS of each are, and the block that it is just moving.
 * pthread_create is wrapped, so that a thread says this before its own code runs: pthread_getattr_np in a hook would
 * wait for a lock under which it allocates itself. A thread that came another way (thrd_create, one from before the
 * agent) gets its row at its first allocation, with what its registers say.
 */
#ifndef HSN_THREADS_H
#define HSN_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/local.h"
#include "native/table.h"
#include "native/unwind.h"
#include "native/world.h"

struct hsn_entry {
    _Atomic int tid; /* 0 = free */
    hsn_range stack; /* 0,0 = not known */
    hsn_range tls;
    uint32_t magazine; /* its number (map.h), from one thread of this row to the next; 0 = none yet */
    /*
     * The block that realloc has in its hands, taken out of the table for the time: address 0 = none. The child of a
     * snapshot puts it back, unless its memory is another block's by then.
     */
    hsn_block moving;
};

/* Takes the address space for 16,384 threads. False when there is none. Once, by the main thread or before there are
 * others. */
bool hsn_threads_open(void);

/* The end of the calling thread's stack as far as its hooks may read; 0 = do not. Kept in hsn_me. `sp`: anywhere in it.
 */
static inline uintptr_t hsn_stack_high(uintptr_t sp);

/* The row of the calling thread; NULL when there is no room. */
hsn_entry *hsn_thread_entry(void);

/* The last stacks of the calling thread; a thread that is gone may have left some. NULL when there is no room. */
hsn_trails *hsn_thread_trails(void);

/*
 * Gives the calling thread all that the quick way of recording asks of it: a row, a magazine, and trails where stacks
 * are taken. Without room for one of them the thread goes the slow way. Inside hsn_enter, outside of a magazine.
 */
void hsn_thread_settle(void);

/* In the child of a snapshot, which records nothing: the address space of the last stacks goes back. */
void hsn_threads_drop_trails(void);

/* Stack and TLS of the calling thread, the main one, whose stack ends at `high`. */
void hsn_threads_describe_main(uintptr_t high);

/* Static TLS and control block of the calling thread; 0,0 when their size is not known. Async-signal-safe. */
hsn_range hsn_thread_tls(void);

/* The same of the thread whose control block is at `block`, as its register fs says. */
hsn_range hsn_thread_tls_of(uintptr_t block);

/* Which modules have variables in the static TLS of threads. Asks ld.so, so not while threads are stopped. How many of
 * `most`. */
size_t hsn_thread_tls_parts(hsn_tls_part *parts, size_t most);

/* The row of a thread, or NULL. */
const hsn_entry *hsn_thread_find(int tid);

/* All rows, also of threads that are gone; a cursor starts as 0. NULL at the end. */
const hsn_entry *hsn_thread_next(size_t *cursor);

/* Where the caller of a hook is: `sp` just above the return address, `bp` its frame pointer. */
static inline hsn_place hsn_place_of(uintptr_t sp, uintptr_t bp);

/* In the child of a fork: one thread is left, this one. */
void hsn_threads_adopt(void);

/* ---- within ---- */

#define HSN_MAX_STACK ((uintptr_t)1 << 30)

/* hsn_stack_high of who has not asked yet, or is on a stack that is not the thread's own. */
uintptr_t hsn_stack_high_slowly(uintptr_t sp);

static inline bool hsn_is_on_own_stack(uintptr_t sp)
{
    return sp < hsn_me.stack_high && hsn_me.stack_high - sp < HSN_MAX_STACK;
}

static inline uintptr_t hsn_stack_high(uintptr_t sp)
{
    return __builtin_expect(hsn_is_on_own_stack(sp), 1) ? hsn_me.stack_high : hsn_stack_high_slowly(sp);
}

static inline hsn_place hsn_place_of(uintptr_t sp, uintptr_t bp)
{
    return (hsn_place){.pc = ((const uintptr_t *)sp)[-1], .sp = sp, .bp = bp, .high = hsn_stack_high(sp)};
}

#endif
