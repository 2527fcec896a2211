/*
 * Stops threads as a debugger does, so that the program does not notice:
 *
 *      this thread                       the tracer, a process that shares this one's memory
 *      ───────────                       ──────────
 *      clone(CLONE_VM) ────────────────► PTRACE_SEIZE each thread        nothing has happened to the program yet
 *      wait                              PTRACE_INTERRUPT, registers     the threads stand still
 *        ◄───────────── "stopped" ─────  inside the table? on, and it stops by itself when it comes out
 *      the fork                          wait
 *      "go on" ────────────────────────► PTRACE_DETACH each
 *        ◄───────────── "done" ────────  exit
 *
 * A thread may only be traced by another process, and this one needs no rights beyond the program's own, nor anybody
 * outside: it works for captures that are pushed, and across containers. When it dies, by whatever hand, the kernel
 * lets all threads go on.
 *
 * A system call that waits ends when its thread is stopped. Most of them the kernel takes up again where they were.
 * Those that return EINTR are told to be taken up again too (calls.h), which leaves them EINTR where a signal of the
 * program's has come meanwhile. What a call has waited is taken off its timeout, where libc made the call: its code
 * does not use the register again.
 */
#ifndef HSN_STOP_TRACE_H
#define HSN_STOP_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* Takes the tracer's stack, and notes where libc is. Once. */
bool hsn_trace_open(void);

/*
 * Stops all threads in hsn_list but two, until a look at the process finds nobody new. False, and nobody stands still:
 * it is forbidden (the system's settings, a sandbox, a debugger that traces the program already), or there is no
 * process to be had.
 */
bool hsn_trace_stop(int self, int agent, uint64_t *began_ns);

/* Lets all go on, and ends the tracer. Behind hsn_trace_stop alone. */
void hsn_trace_release(void);

#endif
