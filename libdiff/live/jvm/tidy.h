/*
 * Files that must not stay, made in a folder of the target with the rights of its user. A small child process waits for
 * our end and removes them, whether we say so or are killed. Where it was killed too, the next who asks the target
 * removes the folder.
 */
#ifndef HSD_LIVE_TIDY_H
#define HSD_LIVE_TIDY_H

#include <sys/types.h>

#include "live/way.h"

typedef struct hsd_tidy {
    pid_t child;
    int pipe_fd;
    int lock_fd; /* of the folder, held while it is used; -1 = none */
} hsd_tidy;

/* An empty file that did not exist, or did and was this user's. HSD_E_IO. */
hsd_status hsd_tidy_file(hsd_tidy *tidy, const hsd_process_facts *facts, const char *folder, const char *name,
                         hsd_error *err);

/* A folder with a random name in the target's /tmp, 0700, `path` as seen from here, behind facts->root as the target
 * sees it. What is in it when it goes, goes too, also what is made meanwhile; folders in it do not. With pipes of these
 * names in it, up to a NULL. */
hsd_status hsd_tidy_folder(hsd_tidy *tidy, const hsd_process_facts *facts, char *path, size_t size,
                           const char *const *pipes, hsd_error *err);

/* Removes them, and waits for that. */
void hsd_tidy_end(hsd_tidy *tidy);

/* Removes folders of the target's user whose asker and whose child were killed both. There is nothing in them but
 * pipes; the target, which may wait in one of those, is let go. */
void hsd_tidy_left(const hsd_process_facts *facts);

#endif
