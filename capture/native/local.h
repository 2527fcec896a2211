/*
 * What each thread keeps of its own, in static TLS (initial-exec: the dynamic kind would allocate at the first look,
 * from inside an allocation), and the critical section that a stop waits for.
 *
 * A thread inside the table must not be stopped there: it would hold a lock for ever in the copy, or leave a chain half
 * made. So who stops it only leaves a ticket with a thread that is inside, and the thread stops by itself when it comes
 * out. Inside is who is between hsn_enter and hsn_leave, and who is inside of his magazine (map.h).
 */
#ifndef HSN_LOCAL_H
#define HSN_LOCAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/map.h"
#include "native/sample.h"

typedef struct hsn_entry hsn_entry;   /* threads.h */
typedef struct hsn_trails hsn_trails; /* trails.h */

typedef struct hsn_local {
    /* its magazine, where it may record the quick way: outside of hsn_enter, and not silent. NULL: the slow way says
     * more */
    hsn_magazine *quick;
    volatile int critical;           /* depth of hsn_enter; only this thread and its handlers write */
    int silent;                      /* > 0: what it allocates is not recorded (hsn_silence) */
    volatile uint64_t pending;       /* ticket of a stop that came in the meantime, 0 = none (stop.h) */
    uint64_t sequence, sequence_end; /* numbers drawn and not yet given out, of a thread without a magazine */
    hsn_sampler sampler;
    uintptr_t stack_high;   /* end of its stack; 0 = not asked yet */
    hsn_entry *entry;       /* its row in the list of threads; NULL = none yet */
    hsn_trails *trails;     /* its last stacks; NULL = not asked yet, or no room */
    bool has_no_trails;     /* no room */
    hsn_magazine *magazine; /* NULL: not asked yet, or it has no quick way (hsn_thread_settle) */
} hsn_local;

extern __thread hsn_local hsn_me __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Stops the calling thread, which had put that off. (stop.c) */
void hsn_stop_again(void);

/* For a thread that waits inside for a lock, and has changed nothing yet: comes out for a moment, in which it may be
 * stopped. (stop.c) */
void hsn_stop_aside(void);

/* Is the calling thread, below this handler of the program's or of ours, changing something of the agent's? */
static inline bool hsn_is_inside(void)
{
    return hsn_me.critical != 0 || (hsn_me.magazine != NULL && hsn_map_is_inside(hsn_me.magazine));
}

static inline void hsn_stop_if_due(void)
{
    if (__builtin_expect(hsn_me.pending != 0, 0)) hsn_stop_again();
}

static inline void hsn_enter(void)
{
    hsn_me.quick = NULL;
    hsn_me.critical++;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void hsn_leave(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    if (--hsn_me.critical != 0) return;
    if (hsn_me.silent == 0) hsn_me.quick = hsn_me.magazine;
    hsn_stop_if_due();
}

/* From here on the calling thread's allocations are not recorded, until as many hsn_speak. */
static inline void hsn_silence(void)
{
    hsn_me.silent++;
    hsn_me.quick = NULL;
}

static inline void hsn_speak(void)
{
    if (--hsn_me.silent == 0 && hsn_me.critical == 0) hsn_me.quick = hsn_me.magazine;
}

#endif
