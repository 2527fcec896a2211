/*
 * Stops all other threads of the process for a moment, wherever they are but inside the table, and takes their registers.
 *
 *      /proc/self/task ──► for each tid not seen yet: rt_tgsigqueueinfo(signal, ticket) ──► handler: registers, "here", sleep
 *             ▲──────────────── again, until a whole list has nobody new ◄─────────────────────┘
 *
 * The signal is one that the program does not use: the default action is what it had. A thread that blocks it does not stop; it is not even
 * asked when it blocks it at two looks, a millisecond apart, before anything is stopped, and for others there is a time limit. Neither locks nor
 * allocates while threads stand still: any of them may hold any lock.
 */
#ifndef HSN_STOP_H
#define HSN_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "native/world.h"

/* Takes the address space, for 32,768 threads. False when there is none. Once. */
bool hsn_stop_open(void);

/* Chooses the signal, or takes back the one that a program has taken away. False: none is free. */
bool hsn_stop_arm(void);

/*
 * The calling thread, and `agent_tid`, go on; signals must be blocked. `context`: where the calling thread was, if it is one of the program's;
 * NULL if not. Returns the threads, the stopped ones with their registers, borrowed until
 * the next call. Never fails: threads that do not answer within hsn_set.stop_ms are in the list with is_stopped false.
 */
typedef struct hsn_stopped {
    hsn_thread *threads;
    size_t count;
    uint64_t missed, began_ns;
} hsn_stopped;

void hsn_stop_all(int agent_tid, const ucontext_t *context, hsn_stopped *out);

/* Lets them go on. */
void hsn_stop_release(void);

/* In the child of a fork of the program: nobody stands still here. */
void hsn_stop_adopt(void);

#endif
