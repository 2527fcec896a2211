/*
 * Encrypted files (crypt/age.h) as if they were not: read at any place, and written from the front. Nothing that was
 * decrypted is written anywhere.
 *
 *      read     (offset, size) ─► chunks of 64 KiB ─► each read whole, opened, kept until its place is needed
 *      write    bytes ─► 64 KiB ─► sealed ─► the next; the last one only when it is known to be the last
 */
#ifndef HSD_IO_SEALED_H
#define HSD_IO_SEALED_H

#include <stddef.h>
#include <stdint.h>

#include "crypt/age.h"
#include "io/source.h"
#include <hsdiff/status.h>

typedef struct hsd_unsealed hsd_unsealed;

/* Exactly `size` bytes at `offset` of the file as it is; HSD_E_TRUNCATED where it ends before. */
typedef hsd_status (*hsd_stored_read_fn)(void *context, uint64_t offset, void *data, size_t size, hsd_error *err);

/*
 * Opens a file: its header, its key and its last chunk are checked, so that one that was cut short is refused.
 *
 *   context       of `read`, which may be called by several threads at once if hsd_unsealed_read is
 *   stored_bytes  the size of the file as it is
 *   crypt         NULL = no identity was given
 *
 * Takes 256 KiB. HSD_E_TRUNCATED: it was cut. HSD_E_CORRUPT with the offset of what is damaged. HSD_E_UNSUPPORTED: no
 * identity fits. HSD_E_TOO_NEW. HSD_E_NOMEM. What `read` returns.
 */
hsd_status hsd_unsealed_open(hsd_unsealed **out, hsd_stored_read_fn read, void *context, uint64_t stored_bytes,
                             hsd_crypt *crypt, hsd_error *err);

/* Over a regular file, which stays open as long. */
hsd_status hsd_unsealed_open_fd(hsd_unsealed **out, int fd, hsd_crypt *crypt, hsd_error *err);

/* How many bytes were encrypted. */
uint64_t hsd_unsealed_size(const hsd_unsealed *file);

/* Bytes of what was encrypted. HSD_E_CORRUPT: a chunk is not what was written there. HSD_E_TRUNCATED: beyond the end.
 * Thread-safe. */
hsd_status hsd_unsealed_read(hsd_unsealed *file, uint64_t offset, void *data, size_t size, hsd_error *err);

/* NULL is accepted. */
void hsd_unsealed_close(hsd_unsealed *file);

/* A source of what was encrypted, over one that can seek and stays open as long. It can seek, too. */
hsd_status hsd_source_unseal(hsd_source *source, hsd_source *below, hsd_crypt *crypt, size_t window_bytes,
                             hsd_error *err);

/* ---- writing ---- */

/* Takes bytes of the file as it is, one after the other. */
typedef hsd_status (*hsd_stored_write_fn)(void *context, const void *data, size_t size, hsd_error *err);

typedef struct hsd_sealing {
    hsd_stored_write_fn write;
    void *context;
    uint8_t *chunk; /* NULL: not begun */
    size_t used;    /* bytes in it */
    uint64_t number;
    uint8_t key[HSD_KEY_BYTES];
} hsd_sealing;

/* Writes the header. `is_own`: to the operation itself, else to the recipients. */
hsd_status hsd_sealing_begin(hsd_sealing *sealing, hsd_crypt *crypt, bool is_own, hsd_stored_write_fn write,
                             void *context, hsd_error *err);
hsd_status hsd_sealing_add(hsd_sealing *sealing, const void *data, size_t size, hsd_error *err);

/* The last chunk; nothing may be added behind it. */
hsd_status hsd_sealing_finish(hsd_sealing *sealing, hsd_error *err);

/* Forgets the key. A zeroed one is accepted. */
void hsd_sealing_release(hsd_sealing *sealing);

#endif
