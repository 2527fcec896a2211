/*
 * Text that waits: nodes, edges and strings are told in one pass over the capture and stand in the file one list after
 * the other, behind a header that counts them. A small buffer, and behind it a temporary file that is made when the
 * buffer is full.
 */
#ifndef HSD_EXPORT_HEAPSNAPSHOT_SPOOL_H
#define HSD_EXPORT_HEAPSNAPSHOT_SPOOL_H

#include "export/exporter.h"

#define HSD_SNAP_SPOOL_BYTES ((size_t)256 << 10)

typedef struct hsd_snap_spool { /* zeroed: closed */
    hsd_temp_space *space;
    hsd_temp temp;
    uint8_t *buffer, *at;
} hsd_snap_spool;

hsd_status hsd_snap_spool_open(hsd_snap_spool *spool, hsd_temp_space *space, hsd_error *err);

/* Slow path of hsd_snap_spool_room. */
hsd_status hsd_snap_spool_flush(hsd_snap_spool *spool, hsd_error *err);

/* Room for `size` bytes at spool->at, which the caller moves. At most HSD_SNAP_SPOOL_BYTES. */
static inline hsd_status hsd_snap_spool_room(hsd_snap_spool *spool, size_t size, hsd_error *err)
{
    return (size_t)(spool->buffer + HSD_SNAP_SPOOL_BYTES - spool->at) >= size ? HSD_OK
                                                                              : hsd_snap_spool_flush(spool, err);
}

/* Text of any length. */
hsd_status hsd_snap_spool_put(hsd_snap_spool *spool, const void *data, size_t size, hsd_error *err);

/* All of it into the file; the spool is spent then. */
hsd_status hsd_snap_spool_copy(hsd_snap_spool *spool, hsd_export *x, hsd_error *err);

void hsd_snap_spool_close(hsd_snap_spool *spool);

#endif
