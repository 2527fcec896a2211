/*
 * The file that a capture is read from: bytes at any place, by pread alone. What cannot be read so (a
 * pipe, a terminal, a socket) is copied to a nameless temporary file first. What is encrypted is decrypted chunk by
 * chunk as it is read (io/sealed.h): offsets and sizes are those of the capture then.
 */
#ifndef HSD_FORMAT_INPUT_H
#define HSD_FORMAT_INPUT_H

#include <stdint.h>

#include <hsdiff/run.h>
#include <hsdiff/status.h>

#include "io/sealed.h"
#include "io/temp.h"

typedef struct hsd_input {
    int fd;                 /* -1: not open */
    bool is_spooled;        /* fd belongs to `spool` */
    hsd_unsealed *unsealed; /* NULL: it is not encrypted */
    uint64_t size_bytes;    /* when it was opened */
    char *name;             /* as given; owned */
    hsd_temp spool;
    hsd_temp_space space;
} hsd_input;

/* "-" is standard input. O_CLOEXEC, O_NOCTTY; a directory is refused. `run` says where temporary data
 * goes, and has the keys; may be NULL. On failure the input is closed. */
hsd_status hsd_input_open(hsd_input *input, const char *path, const hsd_run *run, hsd_error *err);

/* Over a descriptor, which is moved in. */
hsd_status hsd_input_open_fd(hsd_input *input, int fd, const char *name, const hsd_run *run, hsd_error *err);

/* All of `size` bytes. A file that has become shorter meanwhile is HSD_E_TRUNCATED. Thread-safe. */
hsd_status hsd_input_read(const hsd_input *input, uint64_t offset, void *data, size_t size, hsd_error *err);

/* Accepts a zeroed one whose fd is -1, and a closed one. */
void hsd_input_close(hsd_input *input);

#endif
