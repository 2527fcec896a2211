/*
 * A result file that is either whole or not there: written under a temporary name in the target's
 * directory (O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600; O_TMPFILE + linkat where possible), synced,
 * renamed at finish. Refuses to replace an existing file unless forced. "-" is standard output. What
 * cannot be replaced (a device, a named pipe) is written in place.
 *
 * A program that writes to pipes ignores SIGPIPE: then a reader that went away is an error here.
 */
#ifndef HSD_IO_OUTPUT_H
#define HSD_IO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/sealed.h"
#include <hsdiff/status.h>

typedef struct hsd_output {
    int fd;
    bool is_stdout;
    bool is_in_place;    /* standard output, a device, a pipe: nothing to rename */
    bool is_forced;      /* may replace an existing file */
    bool has_failed;     /* a write failed: finish will refuse */
    bool is_settled;     /* the disk has it: finish gives it its name and nothing else */
    bool is_sealed;      /* encrypted; the last chunk was written where is_settled */
    uint64_t size_bytes; /* taken so far, buffered ones included; before they are encrypted */
    uint64_t written;    /* to the file */
    uint64_t begun;      /* of these the disk was told to begin with */
    uint8_t *buffer;
    size_t buffered;
    char *path;      /* final name, owned */
    char *temp_path; /* name while unfinished, owned; NULL while it has none (O_TMPFILE) */
    hsd_sealing sealing;
} hsd_output;

/* HSD_E_IO when the file exists and !force (hint: --force), or the directory cannot be written. */
hsd_status hsd_output_open(hsd_output *output, const char *path, bool force, hsd_error *err);

/* The same over an open file, written in place from where it stands; `fd` is moved in, even on failure. `name` is for
 * errors. */
hsd_status hsd_output_open_fd(hsd_output *output, int fd, const char *name, hsd_error *err);

/* Encrypts all that is written to the recipients of `crypt`; nothing happens where there are none, or it is NULL. To be
 * called before the first write; the output stays where it is then. HSD_E_IO, HSD_E_NOMEM. */
hsd_status hsd_output_encrypt(hsd_output *output, hsd_crypt *crypt, hsd_error *err);

/* Buffered; short writes and EINTR handled. */
hsd_status hsd_output_write(hsd_output *output, const void *data, size_t size, hsd_error *err);

/* Another name for what is not finished yet, on the same file system; not for standard output. HSD_E_NOMEM. */
hsd_status hsd_output_set_path(hsd_output *output, const char *path, hsd_error *err);

/* Flushes and syncs a file ahead of its finish, which is quick then; syncing the folder is the caller's. Nothing may be
 * written behind it. */
hsd_status hsd_output_settle(hsd_output *output, hsd_error *err);

/* Flushes, syncs, renames into place. On failure nothing is left behind. Standard output: flushes and
 * reports EPIPE/ENOSPC like any other error. */
hsd_status hsd_output_finish(hsd_output *output, hsd_error *err);

/* Removes what was written, unless finished. Accepts a zeroed or finished one (fd -1 or path NULL). */
void hsd_output_close(hsd_output *output);

#endif
