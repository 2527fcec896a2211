/* The agent as a whole: its beginning, its thread, and its life across forks. */
#ifndef HSN_START_H
#define HSN_START_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic uint64_t hsn_due_ns; /* when the child of a fork listens; 0 = does already, or never */

/* Reads the settings and takes all address space that the agent needs to record. In the first allocation, or before. */
bool hsn_open_all(void);

/*
 * In the child of a fork, where the agent's thread is not: is it time to start it, and may the code at `caller`, which
 * asks for memory, be interrupted for that? Not ld.so, and not libc, which may be starting a thread itself. Cheap where
 * nothing is due.
 */
bool hsn_listen_is_due(uintptr_t caller);

/* Starts the agent's thread in such a child, whatever the time. Nothing elsewhere. */
void hsn_listen_if_due(void);

/* The same where a call is about to wait: may anything be due, and begin to listen if the wait may last as long as a
 * child has to live, or it has lived so long already. `milliseconds`: -1 = without an end. */
static inline bool hsn_may_be_due(void) { return atomic_load_explicit(&hsn_due_ns, memory_order_relaxed) != 0; }
void hsn_wait_begins(int64_t milliseconds);

/* The agent's thread ends, after the request that it serves; false where there is none. Then it begins again. */
bool hsn_is_listening(void);
bool hsn_listen_stop(void);
void hsn_listen_again(void);

/* Tid of the agent's thread, 0 = none: it is not part of the program. */
int hsn_agent_tid(void);

#endif
