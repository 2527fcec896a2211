/*
 * A binary heap of streams by the key each stands at. A step takes the streams with the least key off
 * the heap, serves them, and before the next step moves each on by one record and puts it back. Two streams, as a diff
 * has, need no heap.
 */
#include "sort/tandem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/fail.h"
#include "base/heap.h"

#define FEW 2u

struct hsd_tandem {
    hsd_sorter **streams;
    uint32_t stream_count;
    const uint64_t **current; /* record a stream stands at, borrowed until it moves on; NULL = it has ended */
    uint32_t *heap;           /* streams that stand at a record; unused for FEW */
    uint32_t heap_count;
    uint32_t *served; /* streams taken off by the last step */
    uint32_t served_count;
    const uint64_t **records;
};

static bool same_key(const uint64_t *a, const uint64_t *b) { return a[0] == b[0] && a[1] >> 32 == b[1] >> 32; }

static bool is_less(const uint64_t *a, const uint64_t *b)
{
    return a[0] != b[0] ? a[0] < b[0] : a[1] >> 32 < b[1] >> 32;
}

static bool comes_first(const void *context, const void *a, const void *b)
{
    const hsd_tandem *t = context;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const uint64_t *x = t->current[i], *y = t->current[j];
    return same_key(x, y) ? i < j : is_less(x, y);
}

static inline hsd_heap heap_of(const hsd_tandem *t) { return (hsd_heap){t->heap, sizeof *t->heap, comes_first, t}; }

/* Moves a stream to its next record and onto the heap; a stream that ended stays off. */
static hsd_status move_on(hsd_tandem *t, uint32_t stream, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(t->streams[stream], &t->current[stream], err);
    if (status != HSD_OK) t->current[stream] = NULL;
    if (status == HSD_END) return HSD_OK;
    HSD_TRY(status);
    if (t->stream_count <= FEW) return HSD_OK;
    t->heap[t->heap_count] = stream;
    hsd_heap_up(heap_of(t), t->heap_count++);
    return HSD_OK;
}

static uint32_t take_first(hsd_tandem *t)
{
    const uint32_t stream = t->heap[0];
    t->heap[0] = t->heap[--t->heap_count];
    hsd_heap_down(heap_of(t), 0, t->heap_count);
    return stream;
}

hsd_status hsd_tandem_new(hsd_tandem **out, hsd_sorter *const *streams, uint32_t stream_count, hsd_error *err)
{
    hsd_tandem *t = calloc(1, sizeof *t);
    *out = t;
    if (t == NULL) return hsd_fail_nomem(err, "merging captures");
    t->stream_count = stream_count;
    t->streams = malloc((stream_count + 1) * sizeof *t->streams);
    t->current = calloc((size_t)stream_count + 1, sizeof *t->current);
    t->heap = calloc((size_t)stream_count + 1, sizeof *t->heap);
    t->served = calloc((size_t)stream_count + 1, sizeof *t->served);
    t->records = calloc((size_t)stream_count + 1, sizeof *t->records);
    hsd_status status = HSD_OK;
    if (t->streams == NULL || t->current == NULL || t->heap == NULL || t->served == NULL || t->records == NULL) {
        status = hsd_fail_nomem(err, "merging captures");
    } else {
        memcpy(t->streams, streams, stream_count * sizeof *streams);
    }
    for (uint32_t i = 0; i < stream_count && status == HSD_OK; i++)
        status = move_on(t, i, err);
    if (status != HSD_OK) {
        hsd_tandem_free(t);
        *out = NULL;
    }
    return status;
}

static void serve_tandem(hsd_tandem *t, uint32_t stream)
{
    t->records[stream] = t->current[stream];
    t->served[t->served_count++] = stream;
}

static void serve_few(hsd_tandem *t)
{
    const uint64_t *key = NULL;
    for (uint32_t i = 0; i < t->stream_count; i++)
        if (t->current[i] != NULL && (key == NULL || is_less(t->current[i], key))) key = t->current[i];
    for (uint32_t i = 0; i < t->stream_count; i++)
        if (t->current[i] != NULL && same_key(t->current[i], key)) serve_tandem(t, i);
}

static void serve_many(hsd_tandem *t)
{
    if (t->heap_count == 0) return;
    const uint64_t *key = t->current[t->heap[0]];
    do {
        serve_tandem(t, take_first(t));
    } while (t->heap_count > 0 && same_key(t->current[t->heap[0]], key));
}

hsd_status hsd_tandem_next(hsd_tandem *t, const uint64_t *const **records, hsd_error *err)
{
    HSD_ASSERT(t->served_count <= t->stream_count);
    for (uint32_t i = 0; i < t->served_count; i++) {
        t->records[t->served[i]] = NULL;
        HSD_TRY(move_on(t, t->served[i], err));
    }
    t->served_count = 0;
    if (t->stream_count <= FEW)
        serve_few(t);
    else
        serve_many(t);
    *records = t->records;
    return t->served_count == 0 ? HSD_END : HSD_OK;
}

void hsd_tandem_free(hsd_tandem *t)
{
    if (t == NULL) return;
    free(t->streams);
    free(t->current);
    free(t->heap);
    free(t->served);
    free(t->records);
    free(t);
}
