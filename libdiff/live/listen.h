/*
 * A socket that captures are sent to: of this user alone, of this machine alone.
 */
#ifndef HSD_LIVE_LISTEN_H
#define HSD_LIVE_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

#include <hsdiff/status.h>

typedef struct hsd_listener {
    int fd;
    bool is_unix;
    char path[128]; /* of the socket file, "" = none */
    dev_t device;   /* of that file, so that another's is not removed */
    ino_t inode;
} hsd_listener;

/*
 * "unix:PATH" (0600 from birth; a file that a killed receiver left is replaced) or "tcp:HOST:PORT", HOST 127.…, [::1]
 * or localhost. HSD_E_UNSUPPORTED: another address, or no address at all. HSD_E_IO: someone listens there, or the
 * system refuses.
 */
hsd_status hsd_listener_open(hsd_listener *listener, const char *where, hsd_error *err);

/* Closes, and removes the file. A zeroed one with fd -1 is accepted. */
void hsd_listener_close(hsd_listener *listener);

/* The next who connects, not blocking; -1 = nobody. Someone else's process is sent away: *stranger is its user, else
 * -1. */
int hsd_listener_accept(const hsd_listener *listener, long *stranger);

#endif
