/*
 * The growable run of bytes. Capacity doubles, so that n appended bytes cost O(n) in all; a request
 * that does not fit the address space is HSD_E_NOMEM like one that the system refuses.
 */
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/fail.h"

bool hsd_bytes_begin(hsd_bytes bytes, const char *word)
{
    const size_t size = strlen(word);
    return size == 0 || (bytes.size >= size && memcmp(bytes.data, word, size) == 0);
}

bool hsd_bytes_end(hsd_bytes bytes, const char *word)
{
    const size_t size = strlen(word);
    return size == 0 || (bytes.size >= size && memcmp(bytes.data + bytes.size - size, word, size) == 0);
}

#define FIRST_CAPACITY ((size_t)64)

static size_t next_capacity(size_t capacity, size_t needed)
{
    size_t doubled;
    if (!hsd_mul_size(capacity, 2, &doubled) || doubled < needed) doubled = needed;
    return doubled < FIRST_CAPACITY ? FIRST_CAPACITY : doubled;
}

hsd_status hsd_buffer_reserve(hsd_buffer *buffer, size_t extra, hsd_error *err)
{
    HSD_ASSERT(buffer->size <= buffer->capacity);
    size_t needed;
    if (!hsd_add_size(buffer->size, extra, &needed) || needed > PTRDIFF_MAX)
        return hsd_fail_nomem(err, "a buffer would not fit the address space");
    if (needed <= buffer->capacity) return HSD_OK;
    const size_t capacity = next_capacity(buffer->capacity, needed);
    uint8_t *data = realloc(buffer->data, capacity);
    if (data == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory: a buffer of %zu bytes", capacity);
    buffer->data = data;
    buffer->capacity = capacity;
    return HSD_OK;
}

hsd_status hsd_buffer_append(hsd_buffer *buffer, const void *data, size_t size, hsd_error *err)
{
    HSD_ASSERT(size == 0 || data != NULL);
    if (size == 0) return HSD_OK;
    HSD_TRY(hsd_buffer_reserve(buffer, size, err));
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return HSD_OK;
}

void hsd_buffer_release(hsd_buffer *buffer)
{
    free(buffer->data);
    *buffer = (hsd_buffer){0};
}
