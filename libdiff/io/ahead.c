/*
 * A source that is read ahead: while a piece is looked at the next one is read by a thread of its own.
 *
 *      input    … │ window of the source │ piece │ being read …
 *                                         ▲ position
 *
 * It stands between the window and the source's own operations, and what it does with these is what would be done
 * without it, but a piece earlier: an error waits until its bytes are asked for. Reads that do not follow one another,
 * as between seeks, go through.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/worker.h"
#include "io/source.h"

#define LEAST_BYTES ((uint64_t)4 << 20) /* of an input: threads cost more than they bring */

typedef struct ahead {
    const hsd_source_ops *inner;
    void *inner_context;
    uint8_t *piece;
    size_t piece_bytes;
    size_t begin, end; /* of the piece: what was read and nobody asked for */
    uint64_t position; /* of the next byte that is given */
    unsigned in_order; /* reads since the last seek */
    bool is_reading;   /* the worker has the inner source, and the piece */
    bool is_told;      /* what the worker found is not told yet: `got` bytes, or why there are none */
    size_t got;
    hsd_status status;
    hsd_error error;
    hsd_worker worker;
} ahead;

static hsd_status read_piece(void *context, hsd_error *err)
{
    ahead *self = context;
    return self->inner->read(self->inner_context, self->piece, self->piece_bytes, &self->got, err);
}

static void begin_piece(ahead *self)
{
    self->got = 0;
    hsd_error_init(&self->error);
    self->is_reading = true;
    hsd_worker_begin_again(&self->worker, read_piece, self);
}

/* The worker has nothing any more. */
static void wait_for_piece(ahead *self)
{
    if (!self->is_reading) return;
    self->status = hsd_worker_finish(&self->worker, &self->error);
    self->is_reading = false;
    self->is_told = self->status != HSD_OK;
    self->begin = 0;
    self->end = self->status == HSD_OK ? self->got : 0;
}

static hsd_status give(ahead *self, void *data, size_t size, size_t *got)
{
    const size_t left = self->end - self->begin;
    *got = size < left ? size : left;
    memcpy(data, self->piece + self->begin, *got);
    self->begin += *got;
    return HSD_OK;
}

static hsd_status ahead_read(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    ahead *self = context;
    const bool had_piece = self->is_reading;
    wait_for_piece(self);
    *got = 0;
    if (self->is_told) {
        self->is_told = false;
        if (err != NULL) *err = self->error;
        return self->status;
    }
    if (self->begin < self->end)
        give(self, data, size, got);
    else if (!had_piece) /* else the input has ended */
        HSD_TRY(self->inner->read(self->inner_context, data, size, got, err));
    self->position += *got;
    self->in_order++;
    if (*got > 0 && self->begin == self->end && self->in_order > 1) begin_piece(self);
    return HSD_OK;
}

static hsd_status ahead_seek(void *context, uint64_t offset, hsd_error *err)
{
    ahead *self = context;
    wait_for_piece(self);
    self->is_told = false;
    if (offset >= self->position && offset - self->position <= self->end - self->begin && self->begin < self->end) {
        self->begin += (size_t)(offset - self->position);
    } else {
        self->begin = self->end = 0;
        self->in_order = 0;
        HSD_TRY(self->inner->seek(self->inner_context, offset, err));
    }
    self->position = offset;
    return HSD_OK;
}

static hsd_status ahead_rewind(void *context, hsd_error *err) { return ahead_seek(context, 0, err); }

static void ahead_close(void *context)
{
    ahead *self = context;
    wait_for_piece(self);
    hsd_worker_end(&self->worker);
    if (self->inner->close != NULL) self->inner->close(self->inner_context);
    free(self->piece);
    free(self);
}

static const hsd_source_ops ahead_ops = {
    .read = ahead_read, .rewind = ahead_rewind, .close = ahead_close, .seek = ahead_seek};

uint64_t hsd_source_read_ahead(hsd_source *source)
{
    if (source->ops == NULL || source->ops->seek == NULL || !source->can_rewind || source->total_bytes < LEAST_BYTES)
        return 0;
    ahead *self = calloc(1, sizeof *self);
    if (self == NULL) return 0;
    self->inner = source->ops;
    self->inner_context = source->context;
    self->piece_bytes = source->window_bytes - source->window_bytes / 8; /* fits in beside what is ahead */
    self->piece = malloc(self->piece_bytes);
    if (self->piece == NULL) {
        free(self);
        return 0;
    }
    self->position = source->base_offset + (uint64_t)(source->end - source->window);
    source->ops = &ahead_ops;
    source->context = self;
    return self->piece_bytes;
}

void hsd_source_wait(hsd_source *source)
{
    if (source->ops == &ahead_ops) wait_for_piece(source->context);
}
