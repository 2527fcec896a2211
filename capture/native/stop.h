/*
 * Stops all other threads of the process for a moment, wherever they are but inside the table, and takes their
 * registers. There are two ways:
 *
 *      trace    a second process that shares this one's memory stops them as a debugger does (stop_trace.h). The program does not notice: no
 *               handler, no signal, and a system call that the stop ended goes on.
 *      signal   each thread handles a signal and sleeps in the handler (stop_signal.h). Where the first way is forbidden, or the program is
 *               being traced already. Calls that wait may return EINTR.
 *
 * Neither locks nor allocates while threads stand still: any of them may hold any lock.
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

/*
 * The calling thread, and `agent_tid`, go on; signals must be blocked. `context`: where the calling thread was, if it
 * is one of the program's; NULL if not. Returns the threads, the stopped ones with their registers, borrowed until the
 * next call. Threads that do not stand still within hsn_set.stop_ms are in the list with is_stopped false.
 */
typedef struct hsn_stopped {
    hsn_thread *threads;
    size_t count;
    uint64_t missed, began_ns;
    uint64_t signalled; /* how many were stopped by a signal */
} hsn_stopped;

/* NULL, or why threads cannot be stopped at all: the sentence for who asked. Nobody stands still then. */
const char *hsn_stop_all(int agent_tid, const ucontext_t *context, hsn_stopped *out);

/* Lets them go on. */
void hsn_stop_release(void);

/* In the child of a fork of the program: nobody stands still here. */
void hsn_stop_adopt(void);

#endif
