/*
 * Stops threads by a signal that the program does not use:
 *
 *      for each thread: rt_tgsigqueueinfo(signal, ticket) ──► handler: registers, "here", sleep
 *
 * The default action is what the signal had. A thread that blocks it does not stop; it is not even asked when it blocks
 * it at two looks, a millisecond apart, before anything is stopped. System calls that wait, and are not restarted
 * behind a handler (signal(7)), return EINTR.
 */
#ifndef HSN_STOP_SIGNAL_H
#define HSN_STOP_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

/* Chooses the signal, or takes back the one that a program has taken away. False: none is free. */
bool hsn_signal_arm(void);

/* Stops all threads in hsn_list but two, until a look at the process finds nobody new. `began_ns`: when the first one
 * was asked. */
void hsn_signal_stop(int self, int agent, uint64_t *began_ns);

/* The calling thread stands still until the release: it has come out of the table, and `ticket` is what it was left. In
 * any thread. */
void hsn_signal_obey(uint64_t ticket);

#endif
