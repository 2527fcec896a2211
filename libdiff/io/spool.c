/*
 * A source that could be read only once becomes one that can be read again: what passes is copied
 * into a temporary file.
 *
 *      temporary file   0 ─────────────────── spooled          the rest is still in the pipe
 *                              │                   │
 *      position here: read from the file     position here: read from the pipe, append to the file
 *
 * It stands between the window and the source's own operations, so that nobody else notices.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "io/source.h"

typedef struct spool {
    const hsd_source_ops *inner;
    void *inner_context;
    hsd_temp temp;
    uint64_t spooled;  /* bytes in the temporary file */
    uint64_t position; /* of the next read */
} spool;

static hsd_status read_through(spool *self, void *data, size_t size, size_t *got, hsd_error *err)
{
    HSD_TRY(self->inner->read(self->inner_context, data, size, got, err));
    HSD_TRY(hsd_temp_write(&self->temp, self->spooled, data, *got, err));
    self->spooled += *got;
    return HSD_OK;
}

static hsd_status spool_read(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    spool *self = context;
    if (self->position == self->spooled) {
        HSD_TRY(read_through(self, data, size, got, err));
    } else {
        *got = (size_t)hsd_min_u64(size, self->spooled - self->position);
        HSD_TRY(hsd_temp_read(&self->temp, self->position, data, *got, err));
    }
    self->position += *got;
    return HSD_OK;
}

static hsd_status spool_seek(void *context, uint64_t offset, hsd_error *err)
{
    spool *self = context;
    uint8_t block[16384];
    while (self->spooled < offset) {
        size_t got = 0;
        const size_t wanted = (size_t)hsd_min_u64(sizeof block, offset - self->spooled);
        HSD_TRY(read_through(self, block, wanted, &got, err));
        if (got == 0) return hsd_fail_at(err, HSD_E_TRUNCATED, self->spooled, "the input ends here");
    }
    self->position = offset;
    return HSD_OK;
}

static hsd_status spool_rewind(void *context, hsd_error *err) { return spool_seek(context, 0, err); }

static void spool_close(void *context)
{
    spool *self = context;
    if (self->inner->close != NULL) self->inner->close(self->inner_context);
    hsd_temp_close(&self->temp);
    free(self);
}

static const hsd_source_ops spool_ops = {
    .read = spool_read, .rewind = spool_rewind, .close = spool_close, .seek = spool_seek};

/* What a probe has peeked at is in the window, and no longer in the pipe: it goes first. */
static hsd_status fill_new(spool *self, const hsd_source *source, hsd_error *err)
{
    HSD_TRY(hsd_temp_write(&self->temp, 0, source->at, hsd_source_ahead(source), err));
    self->spooled = self->position = hsd_source_ahead(source);
    return HSD_OK;
}

hsd_status hsd_source_make_rewindable(hsd_source *source, hsd_temp_space *space, hsd_error *err)
{
    if (source->can_rewind) return HSD_OK;
    if (hsd_source_offset(source) != 0)
        return hsd_fail(err, HSD_E_MISUSE, "bytes were taken before the input was made rewindable");
    spool *self = calloc(1, sizeof *self);
    if (self == NULL) return hsd_fail_nomem(err, "a spooled input");
    self->inner = source->ops;
    self->inner_context = source->context;
    hsd_status status = hsd_temp_open(&self->temp, space, err);
    if (status == HSD_OK) status = fill_new(self, source, err);
    if (status != HSD_OK) {
        hsd_temp_close(&self->temp);
        free(self);
        return status;
    }
    source->ops = &spool_ops;
    source->context = self;
    source->can_rewind = true;
    return HSD_OK;
}

/* ---- a temporary file alone ---- */

typedef struct temp_input {
    const hsd_temp *temp;
    uint64_t position;
} temp_input;

static hsd_status read_temp(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    temp_input *self = context;
    *got = (size_t)hsd_min_u64(size, self->temp->size_bytes - self->position);
    HSD_TRY(hsd_temp_read(self->temp, self->position, data, *got, err));
    self->position += *got;
    return HSD_OK;
}

static hsd_status seek_temp(void *context, uint64_t offset, hsd_error *err)
{
    temp_input *self = context;
    if (offset > self->temp->size_bytes) return hsd_fail_at(err, HSD_E_TRUNCATED, offset, "no file is that long");
    self->position = offset;
    return HSD_OK;
}

static hsd_status rewind_temp(void *context, hsd_error *err) { return seek_temp(context, 0, err); }

static const hsd_source_ops temp_ops = {.read = read_temp, .rewind = rewind_temp, .close = free, .seek = seek_temp};

hsd_status hsd_source_open_temp(hsd_source *source, const hsd_temp *temp, const char *name, size_t window_bytes,
                                hsd_error *err)
{
    *source = (hsd_source){0};
    temp_input *self = calloc(1, sizeof *self);
    if (self == NULL) return hsd_fail_nomem(err, "a temporary input");
    self->temp = temp;
    HSD_TRY(hsd_source_open_custom(source, &temp_ops, self, name, window_bytes, true, err));
    source->total_bytes = temp->size_bytes;
    return HSD_OK;
}
