/*
 * One thread of another process, held as by a debugger, at a place where it may be made to call functions of libc, and
 * let go so that the program does not notice: with its registers, its mask of signals and the system call that it was
 * in.
 *
 * At no moment does the thread depend on this side. Whatever registers it is given, it comes back by itself: they stand
 * on a frame like that of a signal handler, whose end, rt_sigreturn, restores everything. So it goes on where it was
 * when this side is killed.
 */
#ifndef HSD_LIVE_PYTHON_HELD_H
#define HSD_LIVE_PYTHON_HELD_H

#include <sys/types.h>
#include <sys/user.h>

#include "live/python/remote.h"
#include "live/python/waited.h"
#include "live/way.h"

enum { HSD_HELD_VECTOR_BYTES = 16 * 1024 };

/* What must be known of the process before a thread can be held. */
typedef struct hsd_held_place {
    const hsd_remote *remote;
    size_t interpreter, libc, libpthread; /* objects; SIZE_MAX = none */
    bool has_own_malloc;                  /* the interpreter's file defines malloc: its code is no safe place */
    uint64_t call_return;                 /* "syscall; ret" */
    uint64_t signal_return;               /* what a handler returns to */
} hsd_held_place;

typedef struct hsd_held {
    const hsd_held_place *place;
    pid_t tid;
    bool is_stopped, is_changed;
    hsd_waited waited;
    struct user_regs_struct before; /* as it was, but that the call that it was in goes on */
    uint64_t mask;
    size_t vector_bytes;
    uint8_t vector[HSD_HELD_VECTOR_BYTES];
} hsd_held;

/* Fills in call_return and signal_return. HSD_E_UNSUPPORTED. */
hsd_status hsd_held_place_open(hsd_held_place *place, hsd_error *err);

/*
 * Stops a thread of the process, which stands where it may call what `for_calls` says: libc's functions, or the kernel
 * alone. HSD_E_UNSUPPORTED: tracing is forbidden; HSD_E_IO: no thread came to such a place in time; HSD_E_NOT_FOUND:
 * the process has ended.
 */
hsd_status hsd_held_take(hsd_held *out, const hsd_process_facts *facts, const hsd_held_place *place, bool for_calls,
                         hsd_error *err);

/* Makes a system call, on the thread's own stack: only mapping calls and their like, which never wait. *result: the
 * kernel's. HSD_E_IO, HSD_E_NOT_FOUND. */
hsd_status hsd_held_call(hsd_held *held, long number, const uint64_t arguments[6], int64_t *result, hsd_error *err);

/* Runs a function with one argument, on the stack that ends at `stack_end`. */
hsd_status hsd_held_run(hsd_held *held, uint64_t function, uint64_t argument, uint64_t stack_end, hsd_error *err);

/* Lets it go on as it was. A zeroed one is accepted. */
void hsd_held_release(hsd_held *held);

#endif
