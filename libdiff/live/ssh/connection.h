/*
 * A run of the user's ssh: its input, its output, and what it says.
 */
#ifndef HSD_LIVE_SSH_CONNECTION_H
#define HSD_LIVE_SSH_CONNECTION_H

#include <sys/types.h>

#include "live/ssh/address.h"

typedef struct hsd_ssh {
    pid_t pid;                        /* 0: none */
    int in, out, errors;              /* -1: closed */
    char said[HSD_REMOTE_SAID_BYTES]; /* on standard error: the end of it */
    size_t said_size;
} hsd_ssh;

/* HSD_E_IO, HSD_E_UNSUPPORTED: there is no ssh. The process is in a session of its own and ends with this one. */
hsd_status hsd_ssh_open(hsd_ssh *ssh, const hsd_remote *at, const char *line, hsd_error *err);

/* Waits up to `wait_ms` for output. *got 0: nothing came, or (*is_over) nothing more will. HSD_E_IO. */
hsd_status hsd_ssh_read(hsd_ssh *ssh, void *data, size_t size, int wait_ms, size_t *got, bool *is_over, hsd_error *err);

/* One byte for the other end. Nothing is said of failure: the connection shows it. */
void hsd_ssh_say(const hsd_ssh *ssh, char byte);

/* Closes all ends; waits until it has ended, or ends it (`at_once`, or when it does not). Its exit status, 255 when it
 * failed or was killed. A zeroed one is accepted. */
int hsd_ssh_close(hsd_ssh *ssh, bool at_once);

/* Why there is no hsdiff at the other end of it, from its exit status and what it said. Never HSD_OK. */
hsd_status hsd_ssh_blame(const hsd_ssh *ssh, const hsd_remote *at, const char *command, int exit_status,
                         hsd_error *err);

#endif
