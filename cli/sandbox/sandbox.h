/*
 * The sandbox of a command that reads what others have written. Before the first byte of an input is read, the process
 * gives up what the command does not need, for good and for all threads and processes that it starts later:
 *
 *      sandbox_policy.c   what each command may do: one table. From it and the options, the paths of this run
 *      sandbox_paths.c    Landlock: which files may be read, where files may be made
 *      sandbox_calls.c    seccomp: which system calls there are, and with which arguments
 *      sandbox.c          both, in this order, and what --verbose says of it
 *
 * A call that is not allowed fails with EPERM, a path with EACCES: nothing is killed, and the errors are those that any
 * system may give. What the kernel does not have is left out, and --verbose says so. --no-sandbox leaves out all.
 */
#ifndef CLI_SANDBOX_SANDBOX_H
#define CLI_SANDBOX_SANDBOX_H

#include "cli.h"

/*
 * Enters the sandbox of the command, if it has one. To be called while there is one thread, once, and before an input
 * is opened: files are allowed by the paths of the command line. What cannot be entered is told with --verbose, and the
 * command goes on.
 */
void cli_sandbox_enter(const cli_app *cli);

/* The server listens: from now on no socket is made, in no thread. */
void cli_sandbox_end_listening(const cli_app *cli);

/* True if the command enters by itself, once it has what it cannot get later (sandbox_policy.c says which). */
bool cli_sandbox_is_late(const cli_app *cli);

#endif
