/*
 * Temporary data: files without a name (O_TMPFILE; where the file system cannot, mkostemp and
 * unlink at once), mode 0600, gone with the process however it ends. Of an operation that reads something encrypted, or
 * encrypts, they are encrypted, too, each with a key of its own that is in memory alone (ChaCha20): what is read back
 * is trusted as it is anyhow, so it has no MAC.
 */
#ifndef HSD_IO_TEMP_H
#define HSD_IO_TEMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/page_pool.h"
#include "crypt/keys.h"
#include <hsdiff/run.h>
#include <hsdiff/status.h>

typedef struct hsd_temp_space {  /* one for each operation; shared by threads */
    const char *directory;       /* resolved; borrowed */
    _Atomic bool has_no_tmpfile; /* learnt at the first O_TMPFILE that the file system refused */
    _Atomic uint64_t bytes_now;  /* bytes in files that exist */
    _Atomic uint64_t bytes_peak;
    _Atomic uint64_t bytes_written; /* in all */
    _Atomic uint64_t bytes_read;    /* in all */
    hsd_crypt *crypt;               /* NULL: nothing is encrypted; borrowed */
    hsd_page_pool *pool;            /* of the operation's memory, for sorters; borrowed. NULL = it has none */
} hsd_temp_space;

typedef struct hsd_temp {
    int fd;                      /* -1, or space NULL: not open */
    _Atomic uint64_t size_bytes; /* one past the last byte written */
    hsd_temp_space *space;
    bool is_secret; /* what is in the file is turned by `key`: it is read and written by the calls below alone */
    uint8_t key[HSD_KEY_BYTES];
} hsd_temp;

/* Directory by the rule of hsd_run.temp_dir. Nothing is created. */
void hsd_temp_space_init(hsd_temp_space *space, const char *directory);

/* The same with the keys of `run`, which may be NULL. */
void hsd_temp_space_of(hsd_temp_space *space, const hsd_run *run);

/* HSD_E_IO naming the directory, with the hint to use --temp-dir. */
hsd_status hsd_temp_open(hsd_temp *temp, hsd_temp_space *space, hsd_error *err);

/* Whole writes and reads at a position; EINTR and short counts handled. Reading past the end is
 * HSD_E_CORRUPT (a bug or a truncated temp file). ENOSPC hints at --temp-dir. Thread-safe for
 * distinct ranges. */
hsd_status hsd_temp_write(hsd_temp *temp, uint64_t offset, const void *data, size_t size, hsd_error *err);
hsd_status hsd_temp_read(const hsd_temp *temp, uint64_t offset, void *data, size_t size, hsd_error *err);

/* Puts what the file begins with where `size` untouched bytes of whole pages are, without a copy (base/pages.h). How
 * many bytes; 0 = it cannot be done, which is always so of one that is encrypted. Nothing is written to the file until
 * they are given back, or to other places of it. */
size_t hsd_temp_put(const hsd_temp *temp, void *data, size_t size);

/* Gives the disk space back. A zeroed or closed one is accepted. */
void hsd_temp_close(hsd_temp *temp);

#endif
