/*
 * What HSDIFF_NATIVE says, read once: words KEY=VALUE with spaces or commas between.
 */
#ifndef HSN_SETTINGS_H
#define HSN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "native/unwind.h"

/* What a child that the program forks does. */
typedef enum hsn_fork_way {
    HSN_FORK_LATER, /* records on; listens when it waits (idle.c), allocates or reads after half a second, or starts a
                       thread */
    HSN_FORK_NOW,   /* records on and listens at once */
    HSN_FORK_OFF    /* records no more */
} hsn_fork_way;

/* How threads are stopped for a capture. */
typedef enum hsn_stop_way {
    HSN_STOP_AUTO, /* as a debugger does, or where that is forbidden by a signal */
    HSN_STOP_TRACE,
    HSN_STOP_SIGNAL
} hsn_stop_way;

typedef struct hsn_settings {
    hsn_unwind_way stacks; /* stacks=unwind|fp|none */
    size_t depth;          /* depth=N frames of a stack, 1 to 64 */
    uint64_t sample_bytes; /* sample=BYTES: one allocation in so many; 0 = every one */
    hsn_stop_way stop;     /* stop=auto|trace|signal */
    /* signal=N that stops threads where they are not traced; 0 = the first free one from SIGRTMIN+6 */
    int signal;
    uint64_t stop_ms;   /* stop_ms=N: how long a thread is waited for */
    size_t clear_bytes; /* clear=BYTES: blocks up to that size are given out cleared; 0 = none, as when sampled */
    bool listens;       /* listen=0|1: may be asked from outside */
    bool follows;       /* follow=0|1: programs that this one executes have the agent too */
    hsn_fork_way fork;  /* fork=later|now|off; follow=1 means now */
} hsn_settings;

extern hsn_settings hsn_set;

/* `text` may be NULL. A word that is not known, or not possible, leaves the default. */
void hsn_settings_read(hsn_settings *out, const char *text);

#endif
