/*
 * A capture that an agent writes itself, copied as it comes. Only its first bytes are looked at here: the rest is the
 * reader's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "io/fd.h"
#include "live/way.h"
#include <hsdiff/capture.h>

#define PIECE_BYTES ((size_t)256 << 10)
enum { MAGIC_BYTES = 8 };

static hsd_status refuse_start(const hsd_live *live, size_t have, hsd_error *err)
{
    if (have == 0)
        return hsd_fail(err, HSD_E_TRUNCATED, "process %ld ended the capture before its first byte", live->facts->pid);
    if (have < MAGIC_BYTES)
        return hsd_fail(err, HSD_E_TRUNCATED, "process %ld ended the capture inside its file header", live->facts->pid);
    return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "what process %ld sends is no heap capture", live->facts->pid);
}

static hsd_status copy_live_copy(hsd_live *live, int fd, uint8_t *piece, hsd_error *err)
{
    size_t have = 0, got = 1;
    while (have < MAGIC_BYTES && got > 0) {
        HSD_TRY(hsd_live_read(live, fd, piece + have, PIECE_BYTES - have, &got, err));
        have += got;
    }
    if (have < MAGIC_BYTES || !hsd_capture_probe(piece, have)) return refuse_start(live, have, err);
    while (have > 0) {
        const int error = hsd_fd_write(live->out_fd, piece, have, HSD_FD_HERE);
        if (error != 0) return hsd_fail_errno(err, error, "cannot write the capture");
        HSD_TRY(hsd_live_read(live, fd, piece, PIECE_BYTES, &have, err));
    }
    return HSD_OK;
}

hsd_status hsd_live_copy(hsd_live *live, int fd, hsd_error *err)
{
    uint8_t *piece = malloc(PIECE_BYTES);
    if (piece == NULL) return hsd_fail_nomem(err, "a buffer for the capture");
    const hsd_status status = copy_live_copy(live, fd, piece, err);
    free(piece);
    return status;
}
