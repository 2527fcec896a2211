/*
 * Text that waits. See spool.h.
 */
#include "export/heapsnapshot/spool.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

hsd_status hsd_snap_spool_open(hsd_snap_spool *spool, hsd_temp_space *space, hsd_error *err)
{
    *spool = (hsd_snap_spool){.space = space, .temp = {.fd = -1}, .buffer = malloc(HSD_SNAP_SPOOL_BYTES)};
    spool->at = spool->buffer;
    return spool->buffer == NULL ? hsd_fail_nomem(err, "a heap snapshot") : HSD_OK;
}

static size_t waiting(const hsd_snap_spool *spool) { return (size_t)(spool->at - spool->buffer); }

hsd_status hsd_snap_spool_flush(hsd_snap_spool *spool, hsd_error *err)
{
    if (spool->temp.fd < 0) HSD_TRY(hsd_temp_open(&spool->temp, spool->space, err));
    HSD_TRY(hsd_temp_write(&spool->temp, spool->temp.size_bytes, spool->buffer, waiting(spool), err));
    spool->at = spool->buffer;
    return HSD_OK;
}

hsd_status hsd_snap_spool_put(hsd_snap_spool *spool, const void *data, size_t size, hsd_error *err)
{
    const uint8_t *from = data;
    while (size > 0) {
        const size_t room = HSD_SNAP_SPOOL_BYTES - waiting(spool), step = size < room ? size : room;
        memcpy(spool->at, from, step);
        spool->at += step;
        from += step;
        size -= step;
        if (step == room) HSD_TRY(hsd_snap_spool_flush(spool, err));
    }
    return HSD_OK;
}

hsd_status hsd_snap_spool_copy(hsd_snap_spool *spool, hsd_export *x, hsd_error *err)
{
    if (spool->temp.fd < 0) return hsd_export_write(x, spool->buffer, waiting(spool), err);
    if (waiting(spool) > 0) HSD_TRY(hsd_snap_spool_flush(spool, err));
    const uint64_t size = spool->temp.size_bytes;
    for (uint64_t at = 0; at < size;) {
        const size_t step = (size_t)hsd_min_u64(HSD_SNAP_SPOOL_BYTES, size - at);
        HSD_TRY(hsd_temp_read(&spool->temp, at, spool->buffer, step, err));
        HSD_TRY(hsd_export_write(x, spool->buffer, step, err));
        HSD_TRY(hsd_progress(x->reporter, "writing", at, size, err));
        at += step;
    }
    return HSD_OK;
}

void hsd_snap_spool_close(hsd_snap_spool *spool)
{
    if (spool->buffer != NULL) hsd_temp_close(&spool->temp);
    free(spool->buffer);
    spool->buffer = NULL;
}
