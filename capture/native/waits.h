/*
 * How long threads have been in system calls that begin their wait anew when they are taken up again (calls.h): what
 * they have waited is taken off. The kernel does not say since when a call waits, but since when its thread has not
 * run, which is the same for one that sleeps. A thread that sleeps in such a call while another one is woken in it now
 * and then counts from its last waking: then it waits a little longer.
 */
#ifndef HSN_WAITS_H
#define HSN_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "native/calls.h"

/* Takes memory for shortened times. Once. */
bool hsn_waits_open(void);

/* Notes where libc's code is; before that no timeout is shortened. Once, where ld.so may be asked. */
void hsn_waits_find_libc(void);

/* In the tracer, before threads are interrupted: around all calls of hsn_waits_note, which moves the tracer from
 * processor to processor. */
void hsn_waits_begin(void);
void hsn_waits_end(void);

/* Fills asleep_since_ns of thread `index` of hsn_list. */
void hsn_waits_note(int pid, size_t index);

/*
 * Shortens the timeout of the call that is to be taken up again, in the registers. Nothing where the call was not made
 * by libc, or has no end. A timeout of a socket is told as rest_ns.
 */
void hsn_waits_shorten(int pid, size_t index, const hsn_call *call, struct user_regs_struct *registers);

/* Notes how often thread `index`, which is about to be let go, has gone to sleep. */
void hsn_waits_count(int pid, size_t index);

/* Has it since gone to sleep in this system call? Then its next stop knows that. The call alone is told of who is
 * woken, too. */
bool hsn_waits_sleeps_in(int pid, size_t index, const hsn_call *call);

#endif
