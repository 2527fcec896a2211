/*
 * A file in a folder that gets its name when it is whole, from what is in it: NAME-PID-NNNN.hs.
 */
#ifndef HSD_LIVE_SAVED_H
#define HSD_LIVE_SAVED_H

#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

typedef struct hsd_saved {
    int fd;        /* readable and writable, 0600 */
    char temp[64]; /* its name while unfinished, "" where the file system has nameless files */
} hsd_saved;

/* HSD_E_IO. `folder_fd` is borrowed. */
hsd_status hsd_saved_open(hsd_saved *saved, int folder_fd, hsd_error *err);

/* Gives it the next free name, which goes to `name`; synced. Only letters, digits, ".", "-" and "_" of `process` are
 * used. */
hsd_status hsd_saved_keep(hsd_saved *saved, int folder_fd, const char *process, uint64_t pid, char *name, size_t size,
                          hsd_error *err);

/* Closes; what was not kept is gone. A zeroed one with fd -1 is accepted. */
void hsd_saved_close(hsd_saved *saved, int folder_fd);

#endif
