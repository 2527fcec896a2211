/*
 * References that have arrived before the object that owns them: first in, first out. The runtime tells objects and
 * references in two streams, and the object whose references pass now may still lie in a buffer of the other; a single
 * array can have millions. What is more than a few hundred thousand waits in a temporary file.
 *
 *      front ─► [ chunk read back ] ◄─ [ temporary file ] ◄─ [ chunk being filled ] ◄─ arrivals
 */
#ifndef HSD_IMPORT_NETTRACE_QUEUE_H
#define HSD_IMPORT_NETTRACE_QUEUE_H

#include "io/temp.h"
#include <hsdiff/status.h>

#define NETTRACE_CHUNK ((size_t)1 << 16) /* references, each 8 bytes */

typedef struct nettrace_queue {
    uint64_t *front, *back;
    size_t front_at, front_count, back_count;
    hsd_temp spill;
    uint64_t spilled, unspilled; /* references written to it, and read back */
    hsd_temp_space *space;
} nettrace_queue;

/* Takes two chunks of memory. HSD_E_NOMEM. */
hsd_status hsd_nettrace_queue_init(nettrace_queue *queue, hsd_temp_space *space, hsd_error *err);

hsd_status hsd_nettrace_queue_put(nettrace_queue *queue, uint64_t target, hsd_error *err);

/* Up to `most` of the oldest, which are gone with the next call: how many, and where. 0 only if `most` is or none
 * waits. */
hsd_status hsd_nettrace_queue_take(nettrace_queue *queue, uint64_t most, const uint64_t **targets, size_t *count,
                                   hsd_error *err);

static inline uint64_t hsd_nettrace_queue_count(const nettrace_queue *queue)
{
    return (queue->front_count - queue->front_at) + (queue->spilled - queue->unspilled) + queue->back_count;
}

void hsd_nettrace_queue_release(nettrace_queue *queue);

#endif
