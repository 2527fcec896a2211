/*
 * References in the order of their arrival, from memory or from a temporary file: see queue.h.
 */
#include "import/nettrace/queue.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"

#define CHUNK_BYTES (NETTRACE_CHUNK * sizeof(uint64_t))

hsd_status hsd_nettrace_queue_init(nettrace_queue *queue, hsd_temp_space *space, hsd_error *err)
{
    *queue = (nettrace_queue){.space = space, .spill = {.fd = -1}};
    queue->front = malloc(CHUNK_BYTES);
    queue->back = malloc(CHUNK_BYTES);
    if (queue->front == NULL || queue->back == NULL) return hsd_fail_nomem(err, "references that wait");
    return HSD_OK;
}

/* The chunk that is full goes to the front if nothing waits before it, else into the file. */
static hsd_status make_room_for_nettrace_queue(nettrace_queue *queue, hsd_error *err)
{
    if (queue->front_at == queue->front_count && queue->spilled == queue->unspilled) {
        uint64_t *empty = queue->front;
        queue->front = queue->back;
        queue->front_at = 0;
        queue->front_count = queue->back_count;
        queue->back = empty;
        queue->back_count = 0;
        return HSD_OK;
    }
    if (queue->spill.space == NULL) HSD_TRY(hsd_temp_open(&queue->spill, queue->space, err));
    HSD_TRY(hsd_temp_write(&queue->spill, queue->spilled * sizeof(uint64_t), queue->back, CHUNK_BYTES, err));
    queue->spilled += queue->back_count;
    queue->back_count = 0;
    return HSD_OK;
}

hsd_status hsd_nettrace_queue_put(nettrace_queue *queue, uint64_t target, hsd_error *err)
{
    if (queue->back_count == NETTRACE_CHUNK) HSD_TRY(make_room_for_nettrace_queue(queue, err));
    queue->back[queue->back_count++] = target;
    return HSD_OK;
}

/* Fills the front, which is empty. */
static hsd_status refill_nettrace_queue(nettrace_queue *queue, hsd_error *err)
{
    queue->front_at = queue->front_count = 0;
    if (queue->spilled == queue->unspilled) return make_room_for_nettrace_queue(queue, err);
    HSD_TRY(hsd_temp_read(&queue->spill, queue->unspilled * sizeof(uint64_t), queue->front, CHUNK_BYTES, err));
    queue->front_count = NETTRACE_CHUNK;
    queue->unspilled += NETTRACE_CHUNK;
    /* from its beginning again */
    if (queue->spilled == queue->unspilled) queue->spilled = queue->unspilled = 0;
    return HSD_OK;
}

hsd_status hsd_nettrace_queue_take(nettrace_queue *queue, uint64_t most, const uint64_t **targets, size_t *count,
                                   hsd_error *err)
{
    if (most > 0 && queue->front_at == queue->front_count) HSD_TRY(refill_nettrace_queue(queue, err));
    *count = (size_t)hsd_min_u64(most, queue->front_count - queue->front_at);
    *targets = queue->front + queue->front_at;
    queue->front_at += *count;
    return HSD_OK;
}

void hsd_nettrace_queue_release(nettrace_queue *queue)
{
    free(queue->front);
    free(queue->back);
    if (queue->spill.space != NULL) hsd_temp_close(&queue->spill);
    *queue = (nettrace_queue){.spill = {.fd = -1}};
}
