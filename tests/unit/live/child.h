/*
 * A program of program.c that runs for a test.
 */
#ifndef HSD_TESTS_LIVE_CHILD_H
#define HSD_TESTS_LIVE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include <hsdiff/live.h>

typedef struct child {
    pid_t pid;
    int in, out;
    long told; /* the number behind "ready" */
} child;

/* Starts it and waits for "ready". NULL-terminated words; words[0] is the mode. */
child child_start(const char *mode, const char *more);
/* The same as another user, in another network namespace. False if that is not allowed here. */
bool child_start_as(child *out, unsigned uid, bool own_network, const char *mode, const char *more);
bool child_is_alive(const child *c);
/* Ends it in peace and expects status 0. */
void child_end(child *c);
void child_kill(child *c);

/* Looks at it by the native way. */
hsd_process child_look(const child *c);

#endif
