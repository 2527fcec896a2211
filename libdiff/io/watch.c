/*
 * A source that is watched: what passes goes into a digest, each byte once and in the order of the input.
 *
 *      input    0 ──────── digested ──────── position        a seek went past what nobody has read yet:
 *                              └──── gap ────┘               it is read before the next read is
 *
 * It stands between the window, or the spool, and the source's own operations, so that nobody else notices.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "io/checksum.h"
#include "io/source.h"

#define GAP_BYTES 16384

struct hsd_watch {
    const hsd_source_ops *inner;
    void *inner_context;
    uint64_t digested; /* bytes from the start that the digest has */
    uint64_t position; /* of the next read */
    bool has_end;      /* the input ended behind `digested` */
    hsd_digest digest;
};

/* The read that was at `position`. */
static void take_file_watch(hsd_watch *self, const uint8_t *data, size_t got)
{
    const uint64_t known = hsd_min_u64(self->digested - self->position, got);
    if (got == 0 && self->position == self->digested) self->has_end = true;
    hsd_digest_add(&self->digest, data + known, got - (size_t)known);
    self->position += got;
    self->digested = hsd_max_u64(self->digested, self->position);
}

static hsd_status read_inner(hsd_watch *self, void *data, size_t size, size_t *got, hsd_error *err)
{
    HSD_TRY(self->inner->read(self->inner_context, data, size, got, err));
    take_file_watch(self, data, *got);
    return HSD_OK;
}

/* Reads up to `end`, or the end of the input, from what the digest has; the next read is then at the one of both. */
static hsd_status read_up_to(hsd_watch *self, uint64_t end, hsd_error *err)
{
    uint8_t gap[GAP_BYTES];
    HSD_TRY(self->inner->seek(self->inner_context, self->digested, err));
    self->position = self->digested;
    while (self->digested < end && !self->has_end) {
        size_t got;
        HSD_TRY(read_inner(self, gap, (size_t)hsd_min_u64(sizeof gap, end - self->digested), &got, err));
    }
    return HSD_OK;
}

static hsd_status watch_read(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    hsd_watch *self = context;
    if (self->position > self->digested) HSD_TRY(read_up_to(self, self->position, err));
    return read_inner(self, data, size, got, err);
}

static hsd_status watch_seek(void *context, uint64_t offset, hsd_error *err)
{
    hsd_watch *self = context;
    HSD_TRY(self->inner->seek(self->inner_context, offset, err));
    self->position = offset;
    return HSD_OK;
}

static hsd_status watch_rewind(void *context, hsd_error *err) { return watch_seek(context, 0, err); }

static void watch_close(void *context)
{
    hsd_watch *self = context;
    if (self->inner->close != NULL) self->inner->close(self->inner_context);
    free(self);
}

static const hsd_source_ops watch_ops = {
    .read = watch_read, .rewind = watch_rewind, .close = watch_close, .seek = watch_seek};
static const hsd_source_ops watch_once_ops = {.read = watch_read, .close = watch_close};

hsd_status hsd_watch_begin(hsd_watch **out, hsd_source *source, hsd_error *err)
{
    if (source->ops == NULL || (source->can_rewind && source->ops->seek == NULL))
        return hsd_fail(err, HSD_E_MISUSE, "only what can be read at any place, or but once, can be watched");
    hsd_watch *self = calloc(1, sizeof *self);
    if (self == NULL) return hsd_fail_nomem(err, "the digest of an input");
    *self = (hsd_watch){.inner = source->ops, .inner_context = source->context};
    hsd_digest_begin(&self->digest);
    if (hsd_source_ahead(source) > 0)
        take_file_watch(self, source->at, hsd_source_ahead(source)); /* a probe has peeked */
    source->ops = self->inner->seek != NULL ? &watch_ops : &watch_once_ops;
    source->context = self;
    *out = self;
    return HSD_OK;
}

hsd_status hsd_watch_finish(hsd_watch *watch, uint8_t digest[16], bool *is_known, hsd_error *err)
{
    if (watch->inner->seek != NULL) HSD_TRY(read_up_to(watch, UINT64_MAX, err));
    *is_known = watch->has_end;
    hsd_digest_get(&watch->digest, digest);
    return HSD_OK;
}
