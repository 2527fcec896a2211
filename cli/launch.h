/*
 * A program that hsdiff starts to capture it: with what its runtime needs in the environment, the terminal and standard
 * streams its own, and signals handed on.
 */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <sys/types.h>

#include "cli.h"

typedef struct cli_child {
    pid_t pid;
    bool has_ended;
    int exit_status; /* as a shell gives it: 128 + signal when one ended it; valid once it has ended */
} cli_child;

/* Starts the words of the command line behind "--". False after a message; *result is then the exit status: 127 when
 * there is no such program, 126 when it cannot be run. *way is what will be taken. */
bool cli_launch(cli_child *child, const cli_app *cli, const char **way, int *result);

/* Has it ended? Does not wait. */
bool cli_child_ended(cli_child *child);

/* Waits for the end; hands on INT, TERM and HUP that arrive meanwhile. */
void cli_child_wait(cli_child *child);

/* Sleeps for that long, or until the child (may be NULL) ends or a signal has been seen. False for the two last. */
bool cli_child_sleep(cli_child *child, uint64_t milliseconds);

#endif
