/*
 * System calls that a stop must not end. Most of them the kernel restarts by itself. Some return EINTR whatever wakes
 * them; the tracer lets the kernel take them up again, and what they have waited already comes off their timeout.
 */
#ifndef HSN_CALLS_H
#define HSN_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>
#include <time.h>

/* How a call says how long it waits. */
typedef enum hsn_timeout {
    HSN_TIMEOUT_NONE,         /* without end, or by an absolute time, or the kernel keeps it */
    HSN_TIMEOUT_MILLISECONDS, /* a number; negative = without end */
    HSN_TIMEOUT_TIMESPEC,     /* the address of a timespec; 0 = without end */
    HSN_TIMEOUT_RING,         /* io_uring_enter: within a structure, if its flags say so */
    HSN_TIMEOUT_RECEIVE,      /* SO_RCVTIMEO of the socket, */
    HSN_TIMEOUT_SEND          /* SO_SNDTIMEO: no argument */
} hsn_timeout;

typedef struct hsn_call {
    long number;
    hsn_timeout timeout;
    int argument; /* which of the six holds it, or the socket */
} hsn_call;

/* The call, if it is one that may return EINTR without need and can be taken up again; else NULL. Never close, which
 * must not be done twice. */
const hsn_call *hsn_call_find(long number);

/* The register in which the kernel is given argument `index`, 0 to 5. */
unsigned long long *hsn_call_argument(struct user_regs_struct *registers, int index);

#endif
