/*
 * A sink into memory for the tests of the capture library: can take little at a time, be interrupted, be full for a
 * while, and fail at a chosen call. Its memory is taken at the start, so that it does not show up where allocations are
 * counted.
 */
#ifndef HSD_TESTS_MEMORY_SINK_H
#define HSD_TESTS_MEMORY_SINK_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <hscapture/hscapture.h>

typedef struct memory_sink {
    unsigned char *bytes;
    size_t size, capacity;
    size_t most; /* bytes taken at a call; 0 = all */
    unsigned calls, waits;
    unsigned fail_at; /* this call fails, and all after it */
    int fail_with;
    unsigned refuse_every; /* each so many calls one is refused with refuse_with */
    int refuse_with;       /* EINTR or EAGAIN */
    int wait_result;       /* what wait returns; errno is set to EPIPE for -1 */
} memory_sink;

static inline ptrdiff_t memory_sink_write(void *context, const void *data, size_t size)
{
    memory_sink *sink = context;
    sink->calls++;
    if (sink->fail_at != 0 && sink->calls >= sink->fail_at) {
        errno = sink->fail_with;
        return sink->fail_with == 0 ? 0 : -1;
    }
    if (sink->refuse_every != 0 && sink->calls % sink->refuse_every == 0) {
        errno = sink->refuse_with;
        return -1;
    }
    if (sink->most != 0 && size > sink->most) size = sink->most;
    if (size > sink->capacity - sink->size) {
        errno = ENOSPC;
        return -1;
    }
    memcpy(sink->bytes + sink->size, data, size);
    sink->size += size;
    return (ptrdiff_t)size;
}

static inline int memory_sink_wait(void *context)
{
    memory_sink *sink = context;
    sink->waits++;
    if (sink->wait_result != 0) errno = EPIPE;
    return sink->wait_result;
}

static inline memory_sink memory_sink_new(size_t capacity)
{
    return (memory_sink){.bytes = malloc(capacity), .capacity = capacity};
}

static inline hsc_sink memory_sink_of(memory_sink *sink)
{
    return (hsc_sink){memory_sink_write, memory_sink_wait, sink};
}

static inline void memory_sink_free(memory_sink *sink) { free(sink->bytes); }

#endif
