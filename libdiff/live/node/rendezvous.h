/*
 * A socket where a helper in another process finds whoever asked it for a capture:
 * <folder>/.hsdiff-<uid>-<agent>-<pid>, made by the asker, for one answer. Owner and mode say who may come (the
 * target's user, 0600); the kernel says who came. The file goes as soon as the answer has come; where it never came the
 * target removes it, or the next asker.
 */
#ifndef HSD_LIVE_RENDEZVOUS_H
#define HSD_LIVE_RENDEZVOUS_H

#include <stdbool.h>
#include <sys/types.h>

#include "live/way.h"

typedef struct hsd_rendezvous {
    int fd; /* listening; -1 = not open */
    uid_t uid;
    gid_t gid;
    pid_t pid;      /* of the target, as seen from here */
    char path[108]; /* "" = no file */
} hsd_rendezvous;

/*
 * Makes the socket in `folder` (a path of the target's, its root goes in front where it is another). Waits where
 * someone else is waiting there, as long as the options have for an answer. HSD_E_IO: cannot be made;
 * HSD_E_UNSUPPORTED: something else has that name, or the other one does not end. Sweeps what ended askers of this user
 * left.
 */
hsd_status hsd_rendezvous_open(hsd_rendezvous *meeting, hsd_live *live, const char *folder, const char *agent,
                               hsd_error *err);

/* Waits for the target, and for it alone: *fd, owned by the caller. The file is gone behind that. */
hsd_status hsd_rendezvous_accept(hsd_rendezvous *meeting, hsd_live *live, int *fd, hsd_error *err);

/* Takes a zeroed path and fd -1 too. */
void hsd_rendezvous_close(hsd_rendezvous *meeting);

/* The asker gives up, and the target has still to come. A helper that finds no socket saves a file, which nobody asked
 * for: so this one stays, without anyone behind it. The helper removes it when it comes, else the next asker. */
void hsd_rendezvous_leave(hsd_rendezvous *meeting);

#endif
