/* A spinlock of the agent's own, and how a thread waits: its holder may have a lower priority, or be in the middle of a
 * fork. */
#ifndef HSN_LOCK_H
#define HSN_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>

typedef atomic_uint hsn_lock;

/*
 * Called now and then by a thread that waits for a lock of the agent's, and holds none: whoever holds it may be in the
 * middle of a fork, and stand still. NULL = nothing.
 */
extern void (*hsn_when_waiting)(void);

/* One wait of a row of them, a little longer each time. errno stays. */
void hsn_wait_a_little(unsigned tries, bool holds_none);

static inline void hsn_lock_take(hsn_lock *lock, bool holds_none)
{
    for (unsigned tries = 0;; tries++) {
        if (atomic_load_explicit(lock, memory_order_relaxed) == 0 &&
            atomic_exchange_explicit(lock, 1, memory_order_acquire) == 0)
            return;
        hsn_wait_a_little(tries, holds_none);
    }
}

static inline void hsn_lock_give(hsn_lock *lock) { atomic_store_explicit(lock, 0, memory_order_release); }

#endif
