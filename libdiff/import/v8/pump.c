/*
 * A ring of batches between two threads. Who waits is woken when half of the ring is there for it, not at each batch.
 */
#include "import/v8/pump.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/worker.h"

#define SLOTS HSD_V8_PUMP_SLOTS

typedef struct slot {
    uint64_t *items;
    size_t count, taken;
    uint64_t offset; /* where the source stood behind it */
    bool is_last;    /* the closing bracket was taken, or it failed */
    bool is_at_end;
    hsd_status status;
    hsd_error error;
} slot;

typedef struct hsd_v8_pump {
    hsd_v8_numbers numbers; /* of the thread */
    size_t batch;
    uint64_t *items;
    slot slots[SLOTS];
    pthread_t owner;
    bool is_inline; /* there was no thread to be had */
    hsd_worker worker;
    uint32_t tail; /* next slot to be taken from; of the owner alone */
    bool is_open;  /* the slot at the tail is being taken from */

    pthread_mutex_t mutex;
    pthread_cond_t has_data, has_space;
    uint32_t filled; /* slots behind the tail */
    bool stops, is_done;
} hsd_v8_pump;

/* ---- the thread ---- */

/* False: it is to stop. */
static bool wait_for_space(hsd_v8_pump *p)
{
    pthread_mutex_lock(&p->mutex);
    if (p->filled == SLOTS) {
        pthread_cond_signal(&p->has_data);
        while (!p->stops && p->filled > SLOTS / 2)
            pthread_cond_wait(&p->has_space, &p->mutex);
    }
    const bool goes_on = !p->stops;
    pthread_mutex_unlock(&p->mutex);
    return goes_on;
}

static void hand_over(hsd_v8_pump *p, bool is_last)
{
    pthread_mutex_lock(&p->mutex);
    p->filled++;
    p->is_done |= is_last;
    if (is_last || p->filled >= SLOTS / 2) pthread_cond_signal(&p->has_data);
    pthread_mutex_unlock(&p->mutex);
}

static hsd_status run_pump(void *context, hsd_error *err)
{
    hsd_v8_pump *p = context;
    (void)err;
    p->is_inline = pthread_equal(p->owner, pthread_self());
    if (p->is_inline) return HSD_OK;
    for (uint32_t head = 0; wait_for_space(p); head++) {
        slot *s = &p->slots[head % SLOTS];
        s->taken = 0;
        hsd_error_init(&s->error);
        s->status = hsd_v8_numbers_read(&p->numbers, s->items, p->batch, &s->count, &s->error);
        s->offset = hsd_source_offset(p->numbers.source);
        s->is_at_end = p->numbers.is_at_end;
        s->is_last = s->status != HSD_OK || s->is_at_end;
        const bool is_last = s->is_last;
        hand_over(p, is_last);
        if (is_last) break;
    }
    return HSD_OK;
}

/* ---- who takes ---- */

/* The batch at the tail; waits for it. */
static slot *open_slot(hsd_v8_pump *p)
{
    if (p->is_open) return &p->slots[p->tail % SLOTS];
    pthread_mutex_lock(&p->mutex);
    if (p->filled == 0) pthread_cond_signal(&p->has_space);
    while (p->filled == 0)
        pthread_cond_wait(&p->has_data, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
    p->is_open = true;
    return &p->slots[p->tail % SLOTS];
}

static void close_slot(hsd_v8_pump *p)
{
    p->is_open = false;
    p->tail++;
    pthread_mutex_lock(&p->mutex);
    p->filled--;
    if (p->filled == SLOTS / 2) pthread_cond_signal(&p->has_space);
    pthread_mutex_unlock(&p->mutex);
}

/* Takes numbers out of a batch; true if that was the end of the list. Its failure comes with the last of them, or by
 * itself where there was no room for what comes after them. */
static bool take_slot(hsd_v8_numbers *n, slot *s, uint64_t *out, size_t capacity, size_t *count)
{
    const size_t left = s->count - s->taken, room = capacity - *count, part = left < room ? left : room;
    memcpy(out + *count, s->items + s->taken, part * sizeof *out);
    s->taken += part;
    *count += part;
    n->count += part;
    n->offset = s->offset;
    return s->is_last && s->taken == s->count && *count < capacity;
}

hsd_status hsd_v8_pump_read(hsd_v8_numbers *numbers, uint64_t *out, size_t capacity, size_t *count, hsd_error *err)
{
    hsd_v8_pump *p = numbers->pump;
    *count = 0;
    while (*count < capacity && !numbers->is_at_end) {
        slot *s = open_slot(p);
        if (take_slot(numbers, s, out, capacity, count)) {
            numbers->is_at_end = s->is_at_end;
            if (s->status != HSD_OK && err != NULL) *err = s->error;
            return s->status; /* the slot stays open: a failure is told again */
        }
        if (s->taken == s->count && !s->is_last) close_slot(p);
    }
    return HSD_OK;
}

/* ---- beginning and end ---- */

static bool take_memory(hsd_v8_pump *p, size_t batch)
{
    p->items = malloc(SLOTS * batch * sizeof *p->items);
    for (unsigned i = 0; i < SLOTS && p->items != NULL; i++)
        p->slots[i].items = p->items + i * batch;
    return p->items != NULL;
}

static void release_pump(hsd_v8_pump *p)
{
    free(p->items);
    free(p);
}

bool hsd_v8_pump_start(hsd_v8_numbers *numbers, size_t batch)
{
    HSD_ASSERT(numbers->pump == NULL && batch > 0);
    hsd_v8_pump *p = calloc(1, sizeof *p);
    if (p == NULL) return false;
    p->numbers = *numbers;
    p->batch = batch;
    p->owner = pthread_self();
    if (!take_memory(p, batch)) {
        release_pump(p);
        return false;
    }
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->has_data, NULL);
    pthread_cond_init(&p->has_space, NULL);
    numbers->offset = hsd_source_offset(numbers->source);
    numbers->pump = p;
    hsd_worker_begin(&p->worker, run_pump, p, false);
    if (p->worker.is_running) return true;
    hsd_v8_pump_stop(numbers);
    return false;
}

void hsd_v8_pump_stop(hsd_v8_numbers *numbers)
{
    hsd_v8_pump *p = numbers->pump;
    if (p == NULL) return;
    pthread_mutex_lock(&p->mutex);
    p->stops = true;
    pthread_cond_signal(&p->has_space);
    pthread_mutex_unlock(&p->mutex);
    hsd_worker_finish(&p->worker, NULL);
    pthread_cond_destroy(&p->has_space);
    pthread_cond_destroy(&p->has_data);
    pthread_mutex_destroy(&p->mutex);
    release_pump(p);
    numbers->pump = NULL;
}
