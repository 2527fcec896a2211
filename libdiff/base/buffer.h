/*
 * A growable run of bytes, the one way to build variable-length data. A zeroed hsd_buffer is empty
 * and valid; release accepts it.
 */
#ifndef HSD_BASE_BUFFER_H
#define HSD_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

typedef struct hsd_bytes { /* a borrowed view */
    const uint8_t *data;
    size_t size;
} hsd_bytes;

/* What it begins or ends with. */
bool hsd_bytes_begin(hsd_bytes bytes, const char *word);
bool hsd_bytes_end(hsd_bytes bytes, const char *word);

typedef struct hsd_buffer {
    uint8_t *data;
    size_t size;     /* bytes in use */
    size_t capacity; /* bytes allocated */
} hsd_buffer;

/* Makes room for `extra` more bytes. Doubles; HSD_E_NOMEM leaves the buffer as it was. */
hsd_status hsd_buffer_reserve(hsd_buffer *buffer, size_t extra, hsd_error *err);

/* Appends a copy. */
hsd_status hsd_buffer_append(hsd_buffer *buffer, const void *data, size_t size, hsd_error *err);

/* Empties it and keeps the allocation. */
static inline void hsd_buffer_clear(hsd_buffer *buffer) { buffer->size = 0; }

void hsd_buffer_release(hsd_buffer *buffer);

#endif
