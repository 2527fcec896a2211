/*
 * The window that every source has, whatever fills it:
 *
 *      window             at               end              window + window_bytes
 *        |  already taken  |  visible ahead |  room to read   |
 *
 * fill() moves what is ahead to the front and reads behind it. The kinds of sources stand in
 * source_file.c (files, pipes, memory), spool.c (a pipe that can be rewound), watch.c (a digest of what passes) and
 * ahead.c (a thread that reads on).
 */
#include "io/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"

#define WINDOW_MIN_BYTES ((size_t)64)

static hsd_status named_source(const hsd_source *source, hsd_status status, hsd_error *err)
{
    if (status < 0) hsd_error_set_file(err, source->name);
    return status;
}

hsd_status hsd_source_seek_by_reading(const hsd_source_ops *ops, void *context, const uint64_t *position,
                                      uint64_t offset, hsd_error *err)
{
    uint8_t block[16384];
    if (offset < *position) HSD_TRY(ops->rewind(context, err));
    while (*position < offset) {
        size_t got = 0;
        HSD_TRY(ops->read(context, block, (size_t)hsd_min_u64(sizeof block, offset - *position), &got, err));
        if (got == 0) return hsd_fail_at(err, HSD_E_TRUNCATED, *position, "the unpacked input ends here");
    }
    return HSD_OK;
}

hsd_status hsd_source_open_custom(hsd_source *source, const hsd_source_ops *ops, void *context, const char *name,
                                  size_t window_bytes, bool can_rewind, hsd_error *err)
{
    HSD_ASSERT(ops->read != NULL);
    *source = (hsd_source){.can_rewind = can_rewind};
    snprintf(source->name, sizeof source->name, "%s", name);
    if (window_bytes == 0) window_bytes = HSD_SOURCE_WINDOW_BYTES;
    if (window_bytes < WINDOW_MIN_BYTES) window_bytes = WINDOW_MIN_BYTES;
    source->window = malloc(window_bytes);
    if (source->window == NULL) {
        if (ops->close != NULL) ops->close(context);
        hsd_fail(err, HSD_E_NOMEM, "out of memory: a read window of %zu bytes", window_bytes);
        return named_source(source, HSD_E_NOMEM, err);
    }
    source->window_bytes = window_bytes;
    source->at = source->end = source->window;
    source->ops = ops;
    source->context = context;
    return HSD_OK;
}

static void compact(hsd_source *source)
{
    const size_t ahead = hsd_source_ahead(source);
    source->base_offset = hsd_source_offset(source);
    if (source->at != source->window && ahead > 0) memmove(source->window, source->at, ahead);
    source->at = source->window;
    source->end = source->window + ahead;
}

hsd_status hsd_source_fill(hsd_source *source, size_t want, hsd_error *err)
{
    HSD_ASSERT(source->at <= source->end);
    if (hsd_source_ahead(source) >= want) return HSD_OK;
    if (source->is_at_end) return HSD_END;
    if (want > source->window_bytes)
        return named_source(source,
                            hsd_fail(err, HSD_E_MISUSE, "peek of %zu bytes in a window of %zu", want,
                                     source->window_bytes),
                            err);
    compact(source);
    while (hsd_source_ahead(source) < want) {
        const size_t ahead = hsd_source_ahead(source);
        size_t got = 0;
        HSD_TRY(named_source(
            source, source->ops->read(source->context, source->window + ahead, source->window_bytes - ahead, &got, err),
            err));
        if (got == 0) {
            source->is_at_end = true;
            return HSD_END;
        }
        source->end += got;
    }
    return HSD_OK;
}

static hsd_status fail_truncated(hsd_source *source, uint64_t missing, hsd_error *err)
{
    hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(source), "the input ends here; %llu more bytes should follow",
                (unsigned long long)missing);
    return named_source(source, HSD_E_TRUNCATED, err);
}

/* The window is empty from here on, and the next read begins at `offset`. */
static void restart_at(hsd_source *source, uint64_t offset)
{
    source->at = source->end = source->window;
    source->base_offset = offset;
    source->is_at_end = false;
}

hsd_status hsd_source_skip(hsd_source *source, uint64_t size, hsd_error *err)
{
    const uint64_t offset = hsd_source_offset(source);
    const bool can_seek = source->ops != NULL && source->ops->seek != NULL && source->total_bytes > 0;
    if (can_seek && size > hsd_source_ahead(source)) {
        const uint64_t left = source->total_bytes > offset ? source->total_bytes - offset : 0;
        HSD_TRY(hsd_source_seek(source, offset + hsd_min_u64(size, left), err));
        return size > left ? fail_truncated(source, size - left, err) : HSD_OK;
    }
    while (size > 0) {
        const hsd_status status = hsd_source_peek(source, 1, err);
        if (status == HSD_END) return fail_truncated(source, size, err);
        HSD_TRY(status);
        const size_t step = (size_t)hsd_min_u64(size, hsd_source_ahead(source));
        hsd_source_take(source, step);
        size -= step;
    }
    return HSD_OK;
}

hsd_status hsd_source_copy(hsd_source *source, void *data, size_t size, hsd_error *err)
{
    uint8_t *to = data;
    while (size > 0) {
        const hsd_status status = hsd_source_peek(source, 1, err);
        if (status == HSD_END) return fail_truncated(source, size, err);
        HSD_TRY(status);
        const size_t ahead = hsd_source_ahead(source);
        const size_t step = size < ahead ? size : ahead;
        memcpy(to, source->at, step);
        hsd_source_take(source, step);
        to += step;
        size -= step;
    }
    return HSD_OK;
}

hsd_status hsd_source_rewind(hsd_source *source, hsd_error *err)
{
    if (source->is_borrowed) {
        source->at = source->window;
        return HSD_OK;
    }
    if (!source->can_rewind) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "this input can be read only once");
        return named_source(source, HSD_E_UNSUPPORTED, err);
    }
    HSD_TRY(named_source(source, source->ops->rewind(source->context, err), err));
    restart_at(source, 0);
    return HSD_OK;
}

hsd_status hsd_source_seek(hsd_source *source, uint64_t offset, hsd_error *err)
{
    const uint64_t end_offset = source->base_offset + (uint64_t)(source->end - source->window);
    if (offset >= source->base_offset && offset <= end_offset) {
        source->at = source->window + (size_t)(offset - source->base_offset);
        return HSD_OK;
    }
    const bool is_beyond = source->total_bytes > 0 && offset > source->total_bytes;
    if (source->is_borrowed || is_beyond) {
        hsd_fail_at(err, HSD_E_TRUNCATED, offset, "the input ends before this offset");
        return named_source(source, HSD_E_TRUNCATED, err);
    }
    if (source->ops->seek == NULL) {
        hsd_fail_at(err, HSD_E_UNSUPPORTED, offset, "this input can only be read in order");
        return named_source(source, HSD_E_UNSUPPORTED, err);
    }
    HSD_TRY(named_source(source, source->ops->seek(source->context, offset, err), err));
    restart_at(source, offset);
    return HSD_OK;
}

void hsd_source_close(hsd_source *source)
{
    if (source->ops != NULL && source->ops->close != NULL) source->ops->close(source->context);
    if (!source->is_borrowed) free(source->window);
    *source = (hsd_source){0};
}

size_t hsd_source_unpack_prefix(hsd_source_filter open, const void *prefix, size_t size, void *out, size_t capacity)
{
    hsd_source below, source;
    size_t done = 0;
    if (hsd_source_open_memory(&below, (hsd_bytes){prefix, size}, "", NULL) != HSD_OK) return 0;
    if (open(&source, &below, 4096, false, NULL) == HSD_OK) {
        while (done < capacity && hsd_source_peek(&source, 1, NULL) == HSD_OK) {
            const size_t step = (size_t)hsd_min_u64(capacity - done, hsd_source_ahead(&source));
            memcpy((uint8_t *)out + done, source.at, step);
            hsd_source_take(&source, step);
            done += step;
        }
        hsd_source_close(&source);
    }
    hsd_source_close(&below);
    return done;
}
