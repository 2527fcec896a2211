/*
 * A capture that is kept in a temporary file for a while, on its way to where it is wanted. Where that is encrypted the
 * file is, too: to the operation itself, and to nobody else.
 */
#ifndef HSD_LIVE_KEPT_H
#define HSD_LIVE_KEPT_H

#include "io/pump.h"
#include "io/temp.h"

typedef struct hsd_kept {
    hsd_temp temp;
    hsd_sealing sealing;
    hsd_pump pump;
} hsd_kept;

/* It stays where it is until it is closed. HSD_E_IO, HSD_E_NOMEM. */
hsd_status hsd_kept_begin(hsd_kept *kept, hsd_temp_space *space, hsd_crypt *crypt, hsd_error *err);

/* Where the capture is to be written. */
int hsd_kept_target(const hsd_kept *kept);

/* All was written: from here on kept->temp.fd has it, for hsd_capture_open_fd and hsd_kept_read. */
hsd_status hsd_kept_end(hsd_kept *kept, hsd_error *err);

/* Accepts a zeroed one. */
void hsd_kept_close(hsd_kept *kept);

/* What is in a file, decrypted if it has to be, piece by piece from its begin. */
typedef hsd_status (*hsd_piece_fn)(void *context, const void *data, size_t size, hsd_error *err);
hsd_status hsd_kept_read(int fd, hsd_crypt *crypt, hsd_piece_fn take, void *context, hsd_error *err);

#endif
