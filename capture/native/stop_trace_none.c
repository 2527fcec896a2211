/*
 * No stopping as a debugger does (stop_trace.h), on machines for which it is not written: threads are stopped by a
 * signal. On aarch64 the kernel does not tell a tracer the first argument of the call that it has ended, so the calls
 * that return EINTR could not be taken up again.
 */
#include <stddef.h>

#include "native/stop_trace.h"
#include "native/waits.h"

bool hsn_trace_open(void) { return true; }

bool hsn_trace_stop(int self, int agent, uint64_t *began_ns)
{
    (void)self;
    (void)agent;
    (void)began_ns;
    return false;
}

void hsn_trace_release(void) {}

void hsn_waits_find_libc(void) {}
